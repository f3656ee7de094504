/*
** chapter_savepoint.c: what the report says of `walbench savepoint`.
*/
#include "chapter.h"

#include <stdlib.h>

/* A record of one case, not of the calls in all cases of a kind. */
#define OF_CASES                                                                    \
    "command='savepoint' AND arm<>'all' AND (metric NOT GLOB '*.*' OR metric GLOB " \
    "'*.ratio')"

/* Of nested and spilled, the cases with the most pages stand for all. */
#define DRAWN \
    OF_CASES " AND coalesce(p->>'case_pages'=(SELECT max(p->>'case_pages') FROM r), 1)"

#define CASE                                                                    \
    "(p->>'case_kind')||coalesce(', depth '||(p->>'case_depth')||', undone '||" \
    "(p->>'case_rolled_back')||'/5', '')"

/* The kinds differ in size, so each is drawn as a share of what the first library writes. */
static int plot_bytes(const struct results *r, struct document *d, struct fail *f)
{
    struct plot p;
    char *bars = results_text(
        r, "SELECT count(DISTINCT arm||(p->>'case_kind')) FROM r WHERE " OF_CASES, f);
    int height = 90 + 17 * atoi(bars);
    free(bars);
    if (f->status != 0 || plot_begin(&p, height, f) != 0)
        return f->status;
    char *sql = mem_format(
        "WITH c AS (SELECT p->>'case_kind' AS kind, arm, min(id) AS id, "
        "total(iif(metric='log_bytes',sum,0)) AS log, "
        "total(iif(metric='subjournal_bytes',sum,0)) AS sub, "
        "total(iif(metric='database_bytes',sum,0)) AS db FROM r WHERE " OF_CASES
        " GROUP BY 1, 2), o AS (SELECT kind, id, log+sub+db AS whole FROM c WHERE arm='%s') "
        "SELECT kind||': '||arm, 100*log/whole, 100*sub/whole, 100*db/whole "
        "FROM c JOIN o USING(kind) ORDER BY o.id, c.id",
        r->arm[0]);
    fputs("$bytes << EOD\n", p.script);
    (void)results_lines(r, p.script, sql, f);
    free(sql);
    fprintf(
        p.script,
        "EOD\nstats $bytes using 2 nooutput\nset yrange [STATS_records-0.5:-0.5]\n"
        "set xrange [0:*]\nset xlabel 'bytes written, %% of those of %s'\nset grid noytics "
        "xtics linewidth 0.4 dashtype (2,4)\nset style fill solid 0.85 noborder\n"
        "plot $bytes using (0):0:(0):2:($0-0.35):($0+0.35):ytic(1) with boxxyerror "
        "linetype 2 title 'WAL', '' using 2:0:2:($2+$3):($0-0.35):($0+0.35) with boxxyerror "
        "linetype 5 title 'sub-journal', '' using ($2+$3):0:($2+$3):($2+$3+$4):"
        "($0-0.35):($0+0.35) with boxxyerror linetype 8 title 'database'\n",
        r->arm[0]);
    return chapter_picture(&p, d, "savepoint-bytes",
                           "Bytes written per class of file until the log is in the database, "
                           "all cases of a kind together.",
                           f);
}

/* A line for each drawn case that an arm has: its name, and figures in SQL. */
static void put_points(struct plot *p, const struct results *r, const char *block, size_t arm,
                       const char *figures, struct fail *f)
{
    char *sql = mem_format("SELECT " CASE ", %s FROM r WHERE " DRAWN
                           " AND arm='%s' GROUP BY 1 ORDER BY min(id)",
                           figures, r->arm[arm]);
    fprintf(p->script, "$%s%zu << EOD\n", block, arm);
    (void)results_lines(r, p->script, sql, f);
    fputs("EOD\n", p->script);
    free(sql);
}

static void draw_frames(struct plot *p, const struct results *r, struct fail *f)
{
    for (size_t a = 0; a < r->arms; a++)
        put_points(p, r, "frames", a,
                   "total(iif(metric='frames',sum,0))/max(1,total(iif(metric='needed',sum,0)))",
                   f);
    fputs("set logscale x\nset xrange [0.9:*]\nset xlabel 'frames per needed page'\nplot ",
          p->script);
    for (size_t a = 0; a < r->arms; a++)
        fprintf(
            p->script,
            "%s$frames%zu using 2:0:ytic(1) with points pointtype %d pointsize %.1f linetype "
            "%zu title '%s'",
            a ? ", " : "", a, a ? 7 : 6, a ? 0.8 : 1.4, a + 1, r->arm[a]);
}

static void draw_times(struct plot *p, const struct results *r, struct fail *f)
{
    for (size_t a = 1; a < r->arms; a++)
        put_points(p, r, "times", a,
                   "max(iif(metric='statements.ratio',median,NULL)), "
                   "max(iif(metric='statements.ratio',coalesce(low,median),NULL)), "
                   "max(iif(metric='statements.ratio',coalesce(high,median),NULL))",
                   f);
    fprintf(p->script,
            "unset key\nunset logscale x\nset format y ''\nset xrange [0:*]\n"
            "set xlabel 'time of the statements, of %s'\n"
            "set arrow from 1,graph 0 to 1,graph 1 nohead linewidth 0.8\nplot ",
            r->arm[0]);
    for (size_t a = 1; a < r->arms; a++)
        fprintf(
            p->script,
            "%s$times%zu using 2:0:3:4 with xerrorbars pointtype 7 pointsize 0.6 linetype %zu",
            a > 1 ? ", " : "", a, a + 1);
}

/* Two panels side by side, with the same cases from top to bottom. */
static int plot_cases(const struct results *r, struct document *d, struct fail *f)
{
    struct plot p;
    char *count = results_text(r, "SELECT count(DISTINCT " CASE ") FROM r WHERE " DRAWN, f);
    char *ratios = results_text(
        r, "SELECT count(*) FROM r WHERE " DRAWN " AND metric='statements.ratio'", f);
    int cases = atoi(count), timed = atoi(ratios) > 0;
    free(count);
    free(ratios);
    if (f->status != 0 || plot_begin(&p, 125 + 17 * cases, f) != 0)
        return f->status;
    fprintf(
        p.script,
        "set yrange [%d-0.5:-0.5]\nset grid noytics xtics linewidth 0.4 dashtype (2,4)\n"
        "set ytics font ',11'\nset key at screen 0.62,0.99 center top horizontal maxrows 1\n"
        "set multiplot layout 1,%d margins screen 0.27,0.98,%.3f,%.3f "
        "spacing screen 0.04\n",
        cases, timed ? 2 : 1, 55.0 / (125 + 17 * cases), 1 - 55.0 / (125 + 17 * cases));
    draw_frames(&p, r, f);
    if (timed) {
        fputs("\n", p.script);
        draw_times(&p, r, f);
    }
    fputs("\nunset multiplot\n", p.script);
    return chapter_picture(
        &p, d, "savepoint-cases",
        "Frames in the log for each page whose live content changed, or for "
        "one if none did; and the time of the statements, with its interval. "
        "Of nested and spilled, the cases with the most pages.",
        f);
}

static void introduce(const struct results *r, struct document *d, struct fail *f)
{
    char *rows = chapter_parameter(r, "savepoint", "rows", f);
    char *transactions = chapter_parameter(r, "savepoint", "transactions", f);
    char *megabytes = chapter_parameter(r, "savepoint", "megabytes", f);
    char *cache = chapter_parameter(r, "savepoint", "cache", f);
    document_text(
        d,
        "What savepoints and statement journals write. `update`: in BEGIN, an UPDATE of %s "
        "rows whose WHERE calls a function, and which thus opens a statement journal. `nested`: "
        "five chains of savepoints, one within the other, some of them rolled back. `spilled`: "
        "the same with a cache of %s pages. `many`: %s transactions, each of a savepoint and "
        "one changed row, half of them rolled back, on a file of %s MB; `many-small`: on one of "
        "2 MB. Needed are the pages whose live content changed; frames are in the log after "
        "COMMIT, written are also those that were written over or cut off; a COMMIT after which "
        "nothing has changed logs page 1. Sums of all cases. "
        "`build/walbench savepoint`",
        rows, cache, transactions, megabytes);
    free(rows);
    free(transactions);
    free(megabytes);
    free(cache);
}

static int times(const struct results *r, struct document *d, struct fail *f)
{
    static const struct pivot_cell cells[] = {
        {"statements µs", "statements", PIVOT_ESTIMATE, 1e-3, 1, true},
        {"COMMIT µs", "commit", PIVOT_ESTIMATE, 1e-3, 1, false},
    };
    static const char timed[] = DRAWN " AND (metric GLOB 'statements*' OR metric='commit')";
    char *one = results_text(r, "SELECT 1 FROM r WHERE " DRAWN " AND metric='statements'", f);
    if (*one != 0) {
        document_text(d, "Times of a transaction, of the same cases:");
        (void)results_pivot(r, d,
                            &(struct pivot){CASE " AS \"case\"", 1, timed, cells, 2, false}, f);
    }
    free(one);
    return f->status;
}

int chapter_savepoint(const struct results *r, struct document *d, struct fail *f)
{
    static const struct pivot_cell written[] = {
        {"needed", "needed", PIVOT_SUM, 1, 0, false},
        {"frames", "frames", PIVOT_SUM, 1, 0, true},
        {"written", "frames_written", PIVOT_SUM, 1, 0, false},
    };
    static const struct pivot_cell bytes[] = {
        {"WAL KB", "log_bytes", PIVOT_SUM, 1e-3, 0, false},
        {"sub-journal KB", "subjournal_bytes", PIVOT_SUM, 1e-3, 0, false},
        {"database KB", "database_bytes", PIVOT_SUM, 1e-3, 0, false},
    };
    static const char kind[] = "p->>'case_kind' AS kind";
    introduce(r, d, f);
    (void)results_pivot(r, d, &(struct pivot){kind, 1, OF_CASES, written, 3, false}, f);
    (void)results_pivot(r, d, &(struct pivot){kind, 1, OF_CASES, bytes, 3, false}, f);
    (void)plot_bytes(r, d, f);
    (void)plot_cases(r, d, f);
    return times(r, d, f);
}
