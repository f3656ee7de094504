/*
** chapter_rolling.c: what the report says of `walbench rolling`.
*/
#include "chapter.h"

#include <stdlib.h>

/* Frames of each commit, as means of short stretches: a line for each arm and mode. */
static int plot_frames(const struct results *r, struct document *d, struct fail *f)
{
    struct plot p;
    static const char *const mode[] = {"none", "full"};
    if (plot_begin(&p, 340, f) != 0)
        return f->status;
    for (size_t a = 0; a < r->arms; a++)
        for (size_t m = 0; m < 2; m++) {
            char *sql = mem_format(
                "WITH one(samples, n) AS (SELECT samples, n FROM r WHERE command='rolling' AND "
                "metric='frames' AND arm='%s' AND p->>'mode'='%s' ORDER BY p->>'index'='yes', id "
                "LIMIT 1) SELECT max(key)+1, avg(value) FROM one, json_each(samples) GROUP BY "
                "key/max(1,cast(n AS INT)/120)",
                r->arm[a], mode[m]);
            fprintf(p.script, "$d%zu << EOD\n", 2 * a + m);
            (void)results_lines(r, p.script, sql, f);
            fputs("EOD\n", p.script);
            free(sql);
        }
    fputs("set yrange [0:*]\nset xlabel 'commit'\nset ylabel 'frames'\nplot ", p.script);
    for (size_t a = 0; a < r->arms; a++)
        fprintf(p.script,
                "%s$d%zu using 1:2 with lines linetype %zu title '%s, auto\\_vacuum=NONE', "
                "$d%zu using 1:2 with lines linetype %zu dashtype (6,4) title '%s, FULL'",
                a ? ", " : "", 2 * a, a + 1, r->arm[a], 2 * a + 1, a + 1, r->arm[a]);
    fputs("\n", p.script);
    return chapter_picture(&p, d, "rolling-frames",
                           "Frames per commit over time, means of short stretches. With "
                           "auto_vacuum=FULL nothing can be saved, and the lines are the same.",
                           f);
}

int chapter_rolling(const struct results *r, struct document *d, struct fail *f)
{
    static const char keys[] = "p->>'rows' AS rows, p->>'commits' AS commits, p->>'mode' AS "
                               "auto_vacuum, p->>'index' AS \"random index\"";
    static const struct pivot_cell written[] = {
        {"frames", "frames", PIVOT_MEAN, 1, 2, true},
        {"copied", "checkpoint_pages", PIVOT_MEAN, 1, 2, false},
        {"WAL KB", "wal_bytes", PIVOT_MEAN, 1e-3, 1, false},
        {"needed", "needed", PIVOT_MEAN, 1, 2, false},
    };
    static const struct pivot_cell order[] = {
        {"file MB", "file_bytes", PIVOT_MEAN, 1e-6, 1, false},
        {"mean run", "table_mean_run", PIVOT_MEAN, 1, 1, false},
        {"next", "table_next_share", PIVOT_MEAN, 100, 1, false},
    };
    document_text(
        d, "A log of rows of 150 to 250 bytes; each transaction inserts the 1,000 newest "
           "and deletes as many of the oldest. A checkpoint follows every commit, so "
           "that frames can be counted. Means per commit; needed are the pages whose "
           "live content changed. `build/walbench rolling`");
    (void)results_pivot(r, d,
                        &(struct pivot){keys, 4, "command='rolling' AND p->>'mode'<>'vacuum'",
                                        written, 4, true},
                        f);
    (void)plot_frames(r, d, f);
    document_text(d,
                  "At the end: size of the file; leaves of the table in the order of a scan: "
                  "mean run on consecutive pages, and per cent of the steps that go to the "
                  "next page. The patches do not change it.");
    return results_pivot(r, d, &(struct pivot){keys, 4, "command='rolling'", order, 3, false},
                         f);
}
