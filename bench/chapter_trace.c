/*
** chapter_trace.c: what the report says of `walbench trace`.
*/
#include "chapter.h"

/* Long lists of calls, one for each case that differs from the one before it. */
static int calls(const struct results *r, struct document *d, struct fail *f)
{
    /* Writes to one file, one after the other, stand behind one word, as `trace` prints them. */
    static const char sql[] =
        "WITH c AS (SELECT p->>'case_journal_mode' AS journal, p->>'case_synchronous' AS "
        "synchronous, p->>'calls' AS calls, arm, mean AS syncs, id FROM r WHERE "
        "command='trace' AND metric='syncs' AND p->>'transaction'='first'), s AS (SELECT "
        "journal, synchronous, calls, group_concat(arm, ', ') AS arms, syncs, min(id) AS id "
        "FROM (SELECT * FROM c ORDER BY (SELECT min(q.id) FROM r AS q WHERE q.arm=c.arm)) GROUP BY journal, synchronous, calls), w AS ("
        "SELECT *, replace(replace(replace(replace(replace(replace(replace(replace(replace(calls, "
        "'; write journal ', ', '), 'open journal, ', 'open journal; write journal '), "
        "'fdatasync journal, ', 'fdatasync journal; write journal '), 'fdatasync directory, ', "
        "'fdatasync directory; write journal '), '; write database 4096@4096', ', 4096@4096'), "
        "'; write shm ', ', '), 'ftruncate shm 3, ', 'ftruncate shm 3; write shm '), '4096@4096, 28@0', '4096@4096; write journal 28@0'), 'fdatasync database, 28@0', 'fdatasync database; write journal 28@0') AS shown "
        "FROM s ORDER BY id) SELECT journal, group_concat(synchronous, ', ') AS synchronous, "
        "arms AS libraries, cast(syncs AS INT) AS syncs, shown AS \"calls, in order\" FROM w "
        "GROUP BY journal, calls, arms ORDER BY min(id)";
    return results_table(r, d, sql, f);
}

int chapter_trace(const struct results *r, struct document *d, struct fail *f)
{
    static const char keys[] =
        "p->>'case_journal_mode' AS journal, p->>'case_synchronous' AS synchronous";
    static const struct pivot_cell rates[] = {
        {"commits/s", "rate", PIVOT_ESTIMATE, 1, 0, true},
        {"flushes", "flushes", PIVOT_ESTIMATE, 1, 2, false},
    };
    document_text(d,
                  "The system calls by which a transaction that inserts one row into an empty "
                  "table changes its files, first of a connection, in order: SIZE@OFFSET for "
                  "writes. They are recorded between the library and the system. "
                  "`build/walbench trace`");
    (void)calls(r, d, f);
    document_text(d, "Such transactions in a row, and the disk flushes that each of them took "
                     "according to the kernel, less those that come while nothing is done:");
    return results_pivot(r, d,
                         &(struct pivot){keys, 2,
                                         "command='trace' AND metric IN "
                                         "('rate','rate.ratio','flushes')",
                                         rates, 2, true},
                         f);
}
