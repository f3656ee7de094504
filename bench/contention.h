/*
** contention.h: what the parts of `walbench contention` share.
*/
#ifndef WALBENCH_CONTENTION_H
#define WALBENCH_CONTENTION_H

#include "command.h"
#include "texts.h"

enum { CREW_MOST = 64, READ_ROWS = 51 };

/* One sample a run of each; all writers and all readers together. */
enum contention_metric {
    WRITES,
    WRITES_BUSY,
    READS,
    READS_BUSY,
    WRITE_P50,
    WRITE_P95,
    WRITE_P99,
    READ_P50,
    READ_P95,
    READ_P99,
    ELAPSED,
    CONTENTION_METRICS
};

struct contention_case {
    const char *journal;
    int64_t busy_timeout; /* milliseconds */
};

struct contention_cell {
    struct samples metric[CONTENTION_METRICS];
    struct kv_list pragmas;
};

struct contention_settings {
    struct common common;
    const char *journals, *timeouts, *synchronous;
    int64_t writers, readers, seconds, runs, rows, value_bytes, retry_pause, page_size, seed;
};

struct contention_run {
    struct contention_settings set;
    struct bench bench;
    struct progress progress;
    char *work;
    struct contention_case *cases;
    size_t case_count;
    struct contention_cell *cells; /* case after case, LIBRARIES_MOST in each */
};

/* What stands in for the id when the content of a row is made that a writer inserted: which
** id it gets depends on the others. */
static inline int64_t contention_row(int64_t writer, int64_t n)
{
    return (writer + 1) * (INT64_C(1) << 40) + n;
}

struct contention_cell *contention_cell(const struct contention_run *run, size_t which,
                                        size_t arm);
void contention_record(struct contention_run *run);
void contention_print(const struct contention_run *run);
void contention_judge(struct contention_run *run);

#endif
