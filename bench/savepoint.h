/*
** savepoint.h: what the files of `walbench savepoint` share: savepoint.c runs it,
** savepoint_plan.c knows the databases and the cases, savepoint_play.c the transactions,
** savepoint_job.c is the arm's side, savepoint_print.c shows the results and
** savepoint_judge.c holds them against the bounds.
*/
#ifndef WALBENCH_SAVEPOINT_H
#define WALBENCH_SAVEPOINT_H

#include "command.h"

/* The kinds of transaction, each with a database of its own. */
enum savepoint_kind {
    KIND_UPDATE,
    KIND_NESTED,
    KIND_MANY_SMALL,
    KIND_MANY,
    KIND_SPILLED,
    KINDS
};
extern const char *const savepoint_kinds[KINDS];

/* Of nested and spilled: a transaction has so many chains of nested savepoints. */
enum { SAVEPOINT_CHAINS = 5 };

struct savepoint_case {
    int64_t depth, rolled_back, pages; /* all 0: the only case of its kind */
};

/* What is measured, by options; the arms are told it word by word. */
struct savepoint_plan {
    const char *depths, *rolled_back, *pages; /* lists */
    int64_t rows, cache, transactions, megabytes, page_size;
};

struct savepoint_cases {
    struct savepoint_case *at;
    size_t count;
    int64_t pages; /* the most that the savepoints of a case change */
};

bool savepoint_is_grid(enum savepoint_kind kind);
bool savepoint_is_many(enum savepoint_kind kind);
int savepoint_cases(const struct savepoint_plan *plan, enum savepoint_kind kind,
                    struct savepoint_cases *cases, struct fail *f);
/* Rows of the table "item", of which one fills a page; the last of them are those that
** make the cache of `spilled` overflow. */
int64_t savepoint_rows(const struct savepoint_plan *plan, enum savepoint_kind kind,
                       const struct savepoint_cases *cases);
int64_t savepoint_spill_rows(const struct savepoint_plan *plan);
/* Bytes of a database, roughly. */
double savepoint_size(const struct savepoint_plan *plan, enum savepoint_kind kind,
                      const struct savepoint_cases *cases);
int savepoint_build(const struct observer *o, const char *path,
                    const struct savepoint_plan *plan, enum savepoint_kind kind, int64_t rows,
                    int64_t seed, struct fail *f);

/* Plays transactions, and adds up what they take: all statements but COMMIT, and that. */
struct savepoint_player {
    const struct db *db;
    uint64_t random;
    int64_t statements, commits; /* nanoseconds */
};

int savepoint_play_update(struct savepoint_player *p, struct fail *f);
/* spill_from: 0, or the first of the rows that make the cache overflow before and between. */
int savepoint_play_chains(struct savepoint_player *p, const struct savepoint_case *c,
                          int64_t spill_from, struct fail *f);
/* `count` transactions; *kept counts those that were not rolled back. */
int savepoint_play_small(struct savepoint_player *p, int64_t rows, int64_t count, int64_t *kept,
                         struct fail *f);

/* Counts of a case with one library. */
enum savepoint_count {
    COUNT_NEEDED,   /* pages that have really changed */
    COUNT_FRAMES,   /* that the commit has left in the log */
    COUNT_WRITTEN,  /* frames that were written, those written over or cut off included */
    COUNT_DATABASE, /* bytes, until the log is checkpointed */
    COUNT_LOG,
    COUNT_SUBJOURNAL,
    COUNT_TEMP,
    COUNT_SUPERSEDED, /* why a frame was not needed; not known for the small transactions */
    COUNT_UNCHANGED,
    COUNTS
};
extern const char *const savepoint_counts[COUNTS];
/* So many of them are known. */
int savepoint_counts_of(enum savepoint_kind kind);

struct savepoint_cell {
    double count[COUNTS];
    struct samples statements, commit; /* nanoseconds a transaction, of each trial */
};

struct savepoint_row {
    bool wanted;
    struct savepoint_cases cases;
    struct savepoint_cell *cell; /* of each case, LIBRARIES_MOST each */
    struct kv_list counted[LIBRARIES_MOST], timed[LIBRARIES_MOST]; /* pragmas */
};

struct savepoint_settings {
    struct common common;
    struct savepoint_plan plan;
    const char *only, *synchronous;
    int64_t trials, seed;
    bool full;
};

struct savepoint_run {
    struct savepoint_settings set;
    struct bench bench;
    struct progress progress;
    struct savepoint_row row[KINDS];
};

struct savepoint_cell *savepoint_cell(const struct savepoint_run *run, enum savepoint_kind kind,
                                      size_t c, size_t arm);
/* Over all cases of a row; the times of a trial are added up as well. The caller frees them. */
struct savepoint_cell savepoint_sum(const struct savepoint_run *run, enum savepoint_kind kind,
                                    size_t arm);
void savepoint_cell_free(struct savepoint_cell *cell);

void savepoint_print(const struct savepoint_run *run);
void savepoint_judge(struct savepoint_run *run);

#endif
