/*
** chapter_times.c: what the report says of `walbench checkpoint` and `walbench
** contention`.
*/
#include "chapter.h"

#include <stdlib.h>

int chapter_checkpoint(const struct results *r, struct document *d, struct fail *f)
{
    static const struct pivot_cell cells[] = {
        {"frames", "frames", PIVOT_MEAN, 1, 0, false},
        {"pages copied", "pages_copied", PIVOT_MEAN, 1, 0, false},
        {"time µs", "time", PIVOT_ESTIMATE, 1, 0, true},
        {"-wal KiB", "wal_before", PIVOT_MEAN, 1.0 / 1024, 0, false},
    };
    document_text(
        d, "A log is filled without automatic checkpoints, by inserts or by one DELETE of "
           "the oldest rows; then its checkpoint is timed, each on a fresh log. What a "
           "DELETE leaves in the log of the patched library is less to copy. "
           "`build/walbench checkpoint`");
    return results_pivot(r, d,
                         &(struct pivot){"p->>'case_log_of' AS \"log of\", "
                                         "p->>'case_checkpoint' AS checkpoint",
                                         2, "command='checkpoint'", cells, 4, true},
                         f);
}

int chapter_contention(const struct results *r, struct document *d, struct fail *f)
{
    static const char keys[] = "p->>'writers' AS writers, p->>'readers' AS readers, "
                               "p->>'case_busy_timeout' AS \"timeout ms\", "
                               "p->>'case_journal_mode' AS journal";
    static const struct pivot_cell counts[] = {
        {"writes", "writes", PIVOT_ESTIMATE, 1, 0, true},
        {"busy writing", "writes_busy", PIVOT_MEAN, 1, 0, false},
        {"reads", "reads", PIVOT_ESTIMATE, 1, 0, true},
        {"busy reading", "reads_busy", PIVOT_MEAN, 1, 0, false},
    };
    static const struct pivot_cell latencies[] = {
        {"write p50 µs", "write.p50", PIVOT_ESTIMATE, 1, 0, false},
        {"write p99 µs", "write.p99", PIVOT_ESTIMATE, 1, 0, false},
        {"read p50 µs", "read.p50", PIVOT_ESTIMATE, 1, 0, false},
        {"read p99 µs", "read.p99", PIVOT_ESTIMATE, 1, 0, false},
    };
    char *seconds = chapter_parameter(r, "contention", "seconds", f);
    document_text(
        d,
        "Writers insert a row in a transaction each, readers select 51 rows from a "
        "random start, every one a thread with a connection of its own, for %s "
        "seconds; synchronous=FULL. Busy are errors \"database is locked\"; without a "
        "timeout their number depends on how soon a thread tries again. "
        "`build/walbench contention`",
        seconds);
    free(seconds);
    (void)results_pivot(r, d, &(struct pivot){keys, 4, "command='contention'", counts, 4, true},
                        f);
    return results_pivot(
        r, d, &(struct pivot){keys, 4, "command='contention'", latencies, 4, false}, f);
}
