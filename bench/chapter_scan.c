/*
** chapter_scan.c: what the report says of `walbench scan`.
*/
#include "chapter.h"

#include <stdlib.h>
#include <string.h>

/* A layout as the results name it, beside the library. */
#define LAYOUT                                                                                  \
    "iif(p->>'layout'='vacuum','VACUUM',arm||iif(p->>'auto_vacuum'='full',', auto_vacuum=FULL'" \
    ",''))"

/* The maps of a scan of a log with or without an index, each layout one. */
#define MAPS                                                                             \
    "command='scan' AND metric='page_map' AND p->>'scan'='%s' AND p->>'index'='%s' AND " \
    "p->>'auto_vacuum'='none'"

/* Page number over position in the scan, a picture for each layout; of many libraries the
** first ones. */
static int plot_map(const struct results *r, struct document *d, const char *scan,
                    const char *index, const char *caption, struct fail *f)
{
    struct plot p;
    enum { PANELS = 4 };
    char *sql = mem_format("SELECT count(*) FROM r WHERE " MAPS, scan, index);
    char *count = results_text(r, sql, f);
    int layouts = atoi(count);
    int panels = layouts < PANELS ? layouts : PANELS;
    char *name = mem_format("scan-map-%s%s", scan, strcmp(index, "no") == 0 ? "-no-index" : "");
    free(sql);
    free(count);
    if (f->status == 0 && panels > 0 && plot_begin(&p, 300, f) == 0) {
        fprintf(
            p.script,
            "unset key\nset multiplot layout 1,%d margins 0.09,0.99,0.16,0.9 spacing 0.035\n"
            "set xlabel 'leaf in scan order, %%' offset 0,0.4\nset xtics 50\nset grid xtics\n"
            "set xrange [0:100]\nset yrange [0:*]\nset ylabel 'page number'\n",
            panels);
        for (int i = 0; i < panels; i++) {
            /* The VACUUMed one is the last of the results, and is shown last. */
            bool last = i + 1 == panels;
            int offset = last ? layouts - 1 : i;
            char *title = mem_format("SELECT " LAYOUT " FROM r WHERE " MAPS
                                     " ORDER BY id LIMIT 1 OFFSET %d",
                                     scan, index, offset);
            char *points = mem_format(
                "WITH one(samples, n) AS (SELECT samples, n FROM r WHERE " MAPS " ORDER BY id "
                "LIMIT 1 OFFSET %d) SELECT 100.0*key/n, value FROM one, json_each(samples) WHERE "
                "key%%4=0",
                scan, index, offset);
            char *shown = results_text(r, title, f);
            fprintf(p.script, "$d%d << EOD\n", i);
            (void)results_lines(r, p.script, points, f);
            fprintf(p.script,
                    "EOD\nset title '%s' offset 0,-0.6\nplot $d%d using 1:2 with points "
                    "pointtype 7 pointsize 0.22 linetype %d\nset ylabel ''\nset format y ''\n",
                    shown, i,
                    last    ? 3
                    : i < 2 ? i + 1
                            : i + 2);
            free(title);
            free(points);
            free(shown);
        }
        fputs("unset multiplot\n", p.script);
        (void)chapter_picture(&p, d, name, caption, f);
    }
    free(name);
    return f->status;
}

/* Times of each layout, and their ratios to the VACUUMed one. */
static int times(const struct results *r, struct document *d, const char *index, struct fail *f)
{
    char *sql = mem_format(
        "SELECT p->>'scan' AS scan, " LAYOUT " AS layout, "
        "max(iif(metric='read_jumps', printf('%%,d', mean), NULL)) AS jumps, "
        "max(iif(metric='warm_seconds', printf('%%.1f', 1e3*median), NULL)) AS \"warm ms\", "
        "coalesce(max(iif(metric='cold_seconds', printf('%%.1f', 1e3*median) || iif(low IS NULL, "
        "'', printf(' ±%%.0f%%%%', 100*max(high-median, median-low)/median)), NULL)), '') "
        "AS \"cold ms\", coalesce(max(iif(metric='cold_seconds.ratio', iif(low>1 OR high<1, "
        "printf('%%.2f (%%.2f to %%.2f)', median, low, high), printf('~ (%%.2f to %%.2f)', low, high))"
        ", NULL)), '') AS \"cold, of VACUUM\", "
        "coalesce(max(iif(metric='raw_sorted_seconds', printf('%%.1f', 1e3*median), NULL)), '') "
        "AS \"raw, sorted ms\", coalesce(max(iif(metric='raw_scan_order_seconds', printf('%%.1f', "
        "1e3*median), NULL)), '') AS \"raw, scan order ms\", " RESULTS_PUBLISHED " FROM r "
        "WHERE command='scan' AND p->>'index'='%s' AND arm<>'all' GROUP BY 1, 2 "
        "ORDER BY 1 DESC, min(id)",
        index);
    (void)results_table(r, d, sql, f);
    free(sql);
    return f->status;
}

/* What there is about the log with or without an index. */
static int layouts(const struct results *r, struct document *d, const char *index,
                   struct fail *f)
{
    static const struct pivot_cell order[] = {
        {"leaves", "leaves", PIVOT_MEAN, 1, 0, false},
        {"mean run", "mean_run", PIVOT_MEAN, 1, 1, false},
        {"next %", "next_share", PIVOT_MEAN, 100, 1, false},
        {"jumps", "read_jumps", PIVOT_MEAN, 1, 0, false},
    };
    char *where = mem_format("command='scan' AND p->>'index'='%s'", index);
    (void)results_pivot(r, d,
                        &(struct pivot){"p->>'scan' AS scan, iif(p->>'layout'='vacuum', "
                                        "'VACUUM', 'churned') AS layout, p->>'auto_vacuum' AS "
                                        "auto_vacuum",
                                        3, where, order, 4, false},
                        f);
    free(where);
    (void)plot_map(
        r, d, "table", index,
        "Where the leaves of the table lie in the file, in the order of a scan. Each "
        "dot is one of many.",
        f);
    (void)plot_map(r, d, "index-only", index, "The same for the index on the random key.", f);
    return times(r, d, index, f);
}

int chapter_scan(const struct results *r, struct document *d, struct fail *f)
{
    char *rows = chapter_parameter(r, "scan", "rows", f);
    char *turnovers = chapter_parameter(r, "scan", "turnovers", f);
    char *with =
        results_text(r, "SELECT count(*) FROM r WHERE command='scan' AND p->>'index'='yes'", f);
    char *without =
        results_text(r, "SELECT count(*) FROM r WHERE command='scan' AND p->>'index'='no'", f);
    document_text(
        d,
        "A rolling log of %s rows with an index on a random key, replaced %s times "
        "over, and its copy after a VACUUM; then the whole table is scanned, and the "
        "index alone. Warm: the file has just been read. Cold: nothing of it is in "
        "the memory of the system, as mincore says. Raw: the same pages with one "
        "pread each. Jumps are reads that do not start where the last one ended: they "
        "carry over to any machine, the times do not. Of the series of patches only order "
        "changes the order of pages. `build/walbench scan`",
        rows, turnovers);
    if (atoi(with) > 0)
        (void)layouts(r, d, "yes", f);
    if (atoi(without) > 0) {
        document_text(d, "The same log without an index. `build/walbench scan --no-index`");
        (void)layouts(r, d, "no", f);
    }
    free(rows);
    free(turnovers);
    free(with);
    free(without);
    return f->status;
}
