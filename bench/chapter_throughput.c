/*
** chapter_throughput.c: what the report says of `walbench throughput`.
*/
#include "chapter.h"

#include <stdlib.h>

#define KEYS                                                                              \
    "p->>'preset' AS preset, p->>'case_journal_mode' AS journal, p->>'case_synchronous' " \
    "AS synchronous, p->>'case_rows_per_commit' AS rows"

/* Share of the commits that took no longer than so many microseconds. */
static int plot_latencies(const struct results *r, struct document *d, struct fail *f)
{
    static const char *const mode[] = {"wal", "delete"};
    struct plot p;
    if (plot_begin(&p, 340, f) != 0)
        return f->status;
    for (size_t a = 0; a < r->arms; a++)
        for (size_t m = 0; m < 2; m++) {
            char *sql = mem_format(
                "WITH one(samples, n) AS (SELECT samples, sum FROM r WHERE command='throughput' "
                "AND metric='insert.commit.histogram' AND arm='%s' AND "
                "p->>'case_journal_mode'='%s' AND p->>'case_synchronous'='full' AND "
                "p->>'case_rows_per_commit'=1 ORDER BY id LIMIT 1) SELECT "
                "0.1*pow(10, (key+1)/10.0), 100*sum(value) OVER (ORDER BY key)/n FROM one, "
                "json_each(samples)",
                r->arm[a], mode[m]);
            fprintf(p.script, "$d%zu << EOD\n", 2 * a + m);
            (void)results_lines(r, p.script, sql, f);
            /* A line that is not seen, for an arm or mode that was not measured. */
            fputs("1 NaN\nEOD\n", p.script);
            free(sql);
        }
    fputs(
        "set logscale x\nset xrange [100:1e6]\nset yrange [0:100]\nset xlabel 'microseconds'\n"
        "set ylabel 'per cent of commits'\nplot ",
        p.script);
    for (size_t a = 0; a < r->arms; a++)
        for (size_t m = 0; m < 2; m++)
            fprintf(p.script, "%s$d%zu using 1:2 with steps linetype %zu %s title '%s, %s'",
                    a + m ? ", " : "", 2 * a + m, a + 1, m ? "dashtype (6,4)" : "", r->arm[a],
                    m ? "DELETE" : "WAL");
    fputs("\n", p.script);
    return chapter_picture(
        &p, d, "throughput-latency",
        "How long single commits of one inserted row took, synchronous=FULL.", f);
}

int chapter_throughput(const struct results *r, struct document *d, struct fail *f)
{
    static const struct pivot_cell inserts[] = {
        {"inserts/s", "insert.rate", PIVOT_ESTIMATE, 1, 0, true},
        {"commit p50 µs", "insert.commit.p50", PIVOT_ESTIMATE, 1, 0, false},
        {"p99 µs", "insert.commit.p99", PIVOT_ESTIMATE, 1, 0, false},
    };
    static const struct pivot_cell updates[] = {
        {"updates/s", "update.rate", PIVOT_ESTIMATE, 1, 0, true},
        {"commit p50 µs", "update.commit.p50", PIVOT_ESTIMATE, 1, 0, false},
        {"p99 µs", "update.commit.p99", PIVOT_ESTIMATE, 1, 0, false},
    };
    static const struct pivot_cell gain[] = {
        {"inserts WAL/DELETE", "insert.rate.ratio_to_delete", PIVOT_ESTIMATE, 1, 2, false},
        {"updates WAL/DELETE", "update.rate.ratio_to_delete", PIVOT_ESTIMATE, 1, 2, false},
    };
    static const struct pivot_cell sizes[] = {
        {"-wal KiB", "size.wal", PIVOT_MEAN, 1.0 / 1024, 0, false},
        {"-shm KiB", "size.shm", PIVOT_MEAN, 1.0 / 1024, 0, false},
    };
    static const char where[] = "command='throughput'";
    document_text(d,
                  "Rows are inserted into a fresh database, and then updated; the batch is "
                  "timed as a whole, and every commit by itself. Nothing is deleted, so "
                  "that nothing can be saved, and nothing may be lost. Presets `a` and `b` are "
                  "the two arms of E4, `e6` is the first test of E6. "
                  "`build/walbench throughput --preset a`");
    (void)results_pivot(r, d, &(struct pivot){KEYS, 4, where, inserts, 3, false}, f);
    (void)results_pivot(
        r, d,
        &(struct pivot){KEYS, 4, "command='throughput' AND metric GLOB 'update.*' AND mean>0",
                        updates, 3, false},
        f);
    (void)plot_latencies(r, d, f);
    document_text(d, "How many times as fast as `journal_mode=DELETE` WAL is, beside what was "
                     "published:");
    (void)results_pivot(r, d,
                        &(struct pivot){KEYS, 4,
                                        "command='throughput' AND metric GLOB "
                                        "'*.ratio_to_delete'",
                                        gain, 2, true},
                        f);
    document_text(d, "Files at the end of a trial, before the database is closed:");
    return results_pivot(
        r, d,
        &(struct pivot){
            KEYS, 4,
            "command='throughput' AND p->>'case_journal_mode'='wal' AND p->>'preset'<>'matrix'",
            sizes, 2, false},
        f);
}
