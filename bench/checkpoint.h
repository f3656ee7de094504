/*
** checkpoint.h: what the parts of `walbench checkpoint` share.
*/
#ifndef WALBENCH_CHECKPOINT_H
#define WALBENCH_CHECKPOINT_H

#include "command.h"
#include "texts.h"

/* What fills the log. */
enum checkpoint_part { PART_INSERTS, PART_DELETE, CHECKPOINT_PARTS };
extern const char *const checkpoint_parts[CHECKPOINT_PARTS];

/* Each mode has a log of its own, and so has the published sequence of two. */
enum { CHECKPOINT_RUNS = 5, CHECKPOINT_SEQUENCE = 4, CHECKPOINT_STEPS = 6 };
extern const char *const checkpoint_runs[CHECKPOINT_RUNS];

/* One checkpoint: which run it belongs to, and its place in that. */
struct checkpoint_step {
    const char *name;
    int run, place;
};
extern const struct checkpoint_step checkpoint_steps[CHECKPOINT_STEPS];

/* One sample a trial of each. */
enum checkpoint_metric {
    CHECKPOINT_TIME, /* microseconds */
    FRAMES_BEFORE,   /* in the log, as the counting VFS saw them */
    SAID_LOG,        /* what sqlite3_wal_checkpoint_v2() returned */
    SAID_COPIED,
    PAGES_COPIED, /* written to the database */
    CHECKPOINT_SYNCS,
    WAL_BEFORE, /* bytes */
    WAL_AFTER,
    SHM_AFTER,
    CHECKPOINT_METRICS
};
extern const char *const checkpoint_metrics[CHECKPOINT_METRICS];

struct checkpoint_cell {
    struct samples metric[CHECKPOINT_METRICS];
    struct kv_list pragmas;
};

struct checkpoint_settings {
    struct common common;
    const char *parts, *modes, *synchronous;
    int64_t inserts, rows_per_commit, rows, victims, value_bytes, autocheckpoint;
    int64_t page_size, seed, trials;
};

struct checkpoint_run {
    struct checkpoint_settings set;
    struct bench bench;
    struct progress progress;
    char *work;
    bool part_wanted[CHECKPOINT_PARTS], run_wanted[CHECKPOINT_RUNS];
    struct hash_value expected[CHECKPOINT_PARTS];
    struct checkpoint_cell cell[CHECKPOINT_PARTS][CHECKPOINT_STEPS][LIBRARIES_MOST];
};

void checkpoint_record(struct checkpoint_run *run);
void checkpoint_print(const struct checkpoint_run *run);
void checkpoint_judge(struct checkpoint_run *run);

#endif
