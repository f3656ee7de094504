/*
** chapter_workloads.c: what the report says of `walbench workloads`.
*/
#include "chapter.h"

#include <stdlib.h>

/* Frames per needed page, a line for each workload, a dot for each arm. */
static int plot_waste(const struct results *r, struct document *d, struct fail *f)
{
    struct plot p;
    char *count = results_text(
        r, "SELECT count(DISTINCT p->>'workload') FROM r WHERE command='workloads'", f);
    int height = 110 + 17 * atoi(count);
    free(count);
    if (f->status != 0 || plot_begin(&p, height, f) != 0)
        return f->status;
    for (size_t a = 0; a < r->arms; a++) {
        char *sql = mem_format(
            "SELECT p->>'workload', total(iif(metric='frames', sum, 0)) / "
            "max(1, total(iif(metric='needed', sum, 0))) FROM r WHERE command='workloads' "
            "AND arm='%s' GROUP BY 1 ORDER BY min(id)",
            r->arm[a]);
        fprintf(p.script, "$d%zu << EOD\n", a);
        (void)results_lines(r, p.script, sql, f);
        fputs("EOD\n", p.script);
        free(sql);
    }
    fputs("stats $d0 using 2 nooutput\nset yrange [STATS_records-0.5:-0.5]\n"
          "set logscale x\nset xrange [0.9:*]\nset xlabel 'frames per needed page'\n"
          "set grid noytics xtics linewidth 0.4 dashtype (2,4)\nset ytics font ',11'\nplot ",
          p.script);
    for (size_t a = 0; a < r->arms; a++)
        fprintf(p.script,
                "%s$d%zu using 2:0:ytic(1) with points pointtype %d pointsize 0.8 linetype %zu "
                "title '%s'",
                a ? ", " : "", a, a ? 7 : 6, a + 1, r->arm[a]);
    fputs("\n", p.script);
    return chapter_picture(&p, d, "workloads-waste",
                           "Frames in the log for each page whose live content changed; 1 is "
                           "the least there can be.",
                           f);
}

int chapter_workloads(const struct results *r, struct document *d, struct fail *f)
{
    static const struct pivot_cell cells[] = {
        {"needed", "needed", PIVOT_SUM, 1, 0, false},
        {"frames", "frames", PIVOT_SUM, 1, 0, true},
        {"copied", "checkpoint_pages", PIVOT_SUM, 1, 0, false},
        {"sub-journal KB", "subjournal_bytes", PIVOT_SUM, 1e-3, 0, true},
    };
    document_text(
        d, "Patterns of real use, and at the end controls in which nothing can be saved. "
           "Frames that the commits left in the log; needed are the pages whose live "
           "content changed, commit by commit; sub-journals are the temporary files of "
           "statements and savepoints. What is rolled back to a savepoint is logged "
           "at the commit all the same, and with a cache of a few pages a page can be "
           "logged before it becomes free. `build/walbench workloads`");
    (void)plot_waste(r, d, f);
    return results_pivot(r, d,
                         &(struct pivot){"p->>'workload' AS workload", 1, "command='workloads'",
                                         cells, 4, false},
                         f);
}
