/*
** throughput.h: what the parts of `walbench throughput` share.
*/
#ifndef WALBENCH_THROUGHPUT_H
#define WALBENCH_THROUGHPUT_H

#include "command.h"
#include "texts.h"

/* The two batches of a trial, each timed as a whole. */
enum throughput_phase { INSERTS, UPDATES, THROUGHPUT_PHASES };
extern const char *const throughput_phases[THROUGHPUT_PHASES];

/* One sample a trial of each. Bytes and syncs are those of the batch alone. */
enum throughput_metric {
    BATCH_SECONDS,
    RATE,
    COMMIT_P50,
    COMMIT_P95,
    COMMIT_P99,
    DATABASE_BYTES,
    DATABASE_SYNCS,
    JOURNAL_BYTES,
    JOURNAL_SYNCS,
    WAL_BYTES,
    WAL_SYNCS,
    THROUGHPUT_METRICS
};

/* Sizes of the files when both batches are done and the database is still open. */
enum throughput_file { FILE_DATABASE, FILE_WAL, FILE_SHM, FILE_JOURNAL, THROUGHPUT_FILES };
extern const char *const throughput_files[THROUGHPUT_FILES];

/* Latencies of single commits, ten bins for each factor of ten, from 100 ns on. */
enum { LATENCY_BINS = 90, LATENCY_FIRST = 100, LATENCY_BINS_A_DECADE = 10 };

struct throughput_case {
    const char *journal, *synchronous;
    int64_t rows_per_commit;
};

struct throughput_batch {
    struct samples metric[THROUGHPUT_METRICS];
    double bins[LATENCY_BINS];
    struct samples commits; /* every one, only with --every-commit */
};

/* Of one case and one arm. */
struct throughput_cell {
    struct throughput_batch batch[THROUGHPUT_PHASES];
    struct samples size[THROUGHPUT_FILES];
    struct kv_list pragmas;
};

struct throughput_settings {
    struct common common;
    const char *preset, *journals, *synchronous, *rows_per_commit;
    int64_t rows[THROUGHPUT_PHASES], trials, value_bytes, page_size, seed;
    bool with_key, every_commit;
};

struct throughput_run {
    struct throughput_settings set;
    const char *experiment; /* that the preset is from */
    struct bench bench;
    struct progress progress;
    char *work;
    struct hash_value expected;
    struct throughput_case *cases;
    size_t case_count;
    struct throughput_cell *cells; /* case after case, LIBRARIES_MOST in each */
};

struct throughput_cell *throughput_cell(const struct throughput_run *run, size_t which,
                                        size_t arm);

/* The case that differs in its journal mode alone; NULL: there is none. */
const struct throughput_case *throughput_other(const struct throughput_run *run,
                                               const struct throughput_case *c,
                                               const char *journal);

/* What was published for these parameters; NULL: nothing. Of the ratio of WAL to DELETE,
** if `ratio`. */
const char *throughput_published(const struct throughput_run *run,
                                 const struct throughput_case *c, int phase, bool ratio);

void throughput_record(struct throughput_run *run);
void throughput_print(struct throughput_run *run);
void throughput_judge(struct throughput_run *run);

#endif
