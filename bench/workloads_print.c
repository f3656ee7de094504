/*
** workloads_print.c: the tables and the verdict of `walbench workloads`.
*/
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "table.h"
#include "workloads.h"

#define WASTE_MOST 1.05
#define SUBJOURNAL_MOST 1.01

double workloads_waste(const struct workloads_cell *cell)
{
    return cell->needed > 0 ? cell->frames / cell->needed : 0;
}

double workloads_ratio(const struct workloads_cell *cell, const struct workloads_cell *other)
{
    if (cell->subjournal <= 0 && other->subjournal <= 0)
        return 1;
    return other->subjournal > 0 ? cell->subjournal / other->subjournal : INFINITY;
}

static const struct workloads_cell *cell_of(const struct workloads_run *run,
                                            const struct workloads_row *row, const char *arm)
{
    const struct library *library = libraries_find(&run->bench.libraries, arm);
    return library ? &row->cell[library - run->bench.libraries.at] : NULL;
}

static void numbers(struct table *t, const struct libraries *set, const double *first)
{
    table_numbers(t, first, sizeof(struct workloads_cell), set->count, 1, 0);
}

/* Needed pages, once if they are the same for all. */
static void needed_cell(struct table *t, const struct libraries *set,
                        const struct workloads_row *row)
{
    char a[NUMBER_TEXT_SIZE], b[NUMBER_TEXT_SIZE];
    double least = row->cell[0].needed, most = least;
    for (size_t k = 1; k < set->count; k++) {
        least = fmin(least, row->cell[k].needed);
        most = fmax(most, row->cell[k].needed);
    }
    if (least < most)
        table_cell(t, "%s-%s", number_print(least, 0, a), number_print(most, 0, b));
    else
        table_cell(t, "%s", number_print(most, 0, a));
}

static void print_frames(const struct workloads_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    struct table t;
    table_begin(&t, 4 + 2 * set->count + 1, 2);
    table_cell(&t, "workload");
    table_cell(&t, "pattern");
    table_cell(&t, "commits");
    table_cell(&t, "needed");
    bench_headings(&t, set, "frames");
    bench_headings(&t, set, "waste");
    table_cell(&t, "content");
    for (size_t i = 0; i < run->count; i++) {
        const struct workloads_row *row = &run->row[i];
        table_cell(&t, "%s", row->w->name);
        table_cell(&t, "%s", row->w->pattern);
        if (row->lacks != NULL) {
            for (size_t k = 0; k < 2 + 2 * set->count; k++)
                table_cell(&t, "-");
            table_cell(&t, "skipped: %s has no %s", row->lacks, strchr(row->w->needs, '_') + 1);
            continue;
        }
        table_cell(&t, "%zu", row->cell[0].commits);
        needed_cell(&t, set, row);
        numbers(&t, set, &row->cell[0].frames);
        for (size_t k = 0; k < set->count; k++)
            table_cell(&t, "%.3f", workloads_waste(&row->cell[k]));
        table_cell(&t, "equal%s", row->w->reason ? "  (*)" : "");
    }
    puts("Frames that the commits left in the log; needed = pages whose live content changed,\n"
         "commit by commit, free-list leaves left out; waste = frames / needed");
    table_end(&t, stdout);
    putchar('\n');
}

static void print_bytes(const struct workloads_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    struct table t;
    char text[NUMBER_TEXT_SIZE];
    table_begin(&t, 1 + 3 * set->count + 1, 1);
    table_cell(&t, "workload");
    bench_headings(&t, set, "written");
    bench_headings(&t, set, "copied");
    bench_headings(&t, set, "sub-journal");
    table_cell(&t, "ratio");
    for (size_t i = 0; i < run->count; i++) {
        const struct workloads_row *row = &run->row[i];
        const struct workloads_cell *stock = cell_of(run, row, "stock");
        const struct workloads_cell *patched = cell_of(run, row, "patched");
        if (row->lacks != NULL)
            continue;
        table_cell(&t, "%s", row->w->name);
        numbers(&t, set, &row->cell[0].written);
        numbers(&t, set, &row->cell[0].copied);
        numbers(&t, set, &row->cell[0].subjournal);
        table_cell(&t, "%s",
                   stock && patched ? number_print(workloads_ratio(patched, stock), 4, text)
                                    : "");
    }
    puts("Frames written, those included that were written over or rolled back; pages that\n"
         "checkpoints copied into the database; bytes written to sub-journals, and how many\n"
         "times those of stock the patched ones are");
    table_end(&t, stdout);
    putchar('\n');
}

static bool all_needed(const struct workloads_row *row, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (row->cell[k].frames > row->cell[k].needed)
            return false;
    return true;
}

static void print_waste(const struct workloads_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    static const struct {
        const char *name;
        size_t offset;
    } kind[] = {{"old leaf", offsetof(struct workloads_cell, old_leaf)},
                {"new leaf", offsetof(struct workloads_cell, new_leaf)},
                {"unchanged", offsetof(struct workloads_cell, unchanged)},
                {"superseded", offsetof(struct workloads_cell, superseded)},
                {"cut", offsetof(struct workloads_cell, cut)}};
    enum { KINDS = sizeof kind / sizeof kind[0] };
    struct table t;
    table_begin(&t, 2 + KINDS, 2);
    table_cell(&t, "workload");
    table_cell(&t, "library");
    for (size_t i = 0; i < KINDS; i++)
        table_cell(&t, "%s", kind[i].name);
    for (size_t i = 0; i < run->count; i++) {
        const struct workloads_row *row = &run->row[i];
        if (row->lacks != NULL || all_needed(row, set->count))
            continue;
        for (size_t k = 0; k < set->count; k++) {
            table_cell(&t, "%s", k == 0 ? row->w->name : "");
            table_cell(&t, "%s", set->at[k].name);
            for (size_t j = 0; j < KINDS; j++) {
                char text[NUMBER_TEXT_SIZE];
                double value;
                memcpy(&value, (const char *)&row->cell[k] + kind[j].offset, sizeof value);
                table_cell(&t, "%s", value > 0 ? number_print(value, 0, text) : "-");
            }
        }
    }
    puts("Frames that were not needed, by what they held: a free-list leaf that was in the\n"
         "database before, or past its old end; a live page as it was; a version of a page\n"
         "that has a later one in the same transaction; a page past the new end");
    table_end(&t, stdout);
    putchar('\n');
}

/* A defect of old releases; content is compared after a checkpoint, which does not see it. */
static void print_lost(const struct workloads_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    for (size_t i = 0; i < run->count; i++)
        for (size_t k = 0; k < set->count; k++)
            if (run->row[i].lacks == NULL && run->row[i].cell[k].lost > 0)
                printf(
                    "%s, %s: a recovery would not get past %.0f frames, which have no salt\n",
                    run->row[i].w->name, set->at[k].name, run->row[i].cell[k].lost);
}

static void print_reasons(const struct workloads_run *run)
{
    const char *before = "(*) Where the waste is more than one would expect, or sub-journals "
                         "differ:\n\n";
    for (size_t i = 0; i < run->count; i++) {
        const struct workload *w = run->row[i].w;
        if (w->reason == NULL || run->row[i].lacks != NULL)
            continue;
        printf("%s%s: %s\n", before, w->name, w->reason);
        before = "";
    }
    if (*before == 0)
        putchar('\n');
}

/* Is the size such that each bound holds? Larger tables do not fit the cache any more; in
** smaller ones a single page is a per cent. */
static bool is_usual(const struct workloads_settings *set)
{
    return set->percent >= 25 && set->percent <= 100;
}

static void judge_row(struct report *report, const struct workloads_row *row,
                      const struct workloads_cell *stock, const struct workloads_cell *patched,
                      const struct workloads_settings *set)
{
    static const struct workloads_cell nothing;
    const struct workload *w = row->w;
    const struct workloads_cell *s = stock ? stock : &nothing,
                                *p = patched ? patched : &nothing;
    bool both = stock && patched, usual = is_usual(set);
    double waste = workloads_waste(p), ratio = workloads_ratio(p, s);
    if (w->null_share > 0)
        report_bound(report, both,
                     p->frames <= s->frames && p->frames >= w->null_share * s->frames,
                     "%s: %.0f frames in stock, %.0f in patched, the same%s", w->name,
                     s->frames, p->frames, w->null_share < 1 ? " within 1 %" : "");
    else
        report_bound(report, both, p->frames <= s->frames,
                     "%s: %.0f frames in stock, %.0f in patched, not more", w->name, s->frames,
                     p->frames);
    if (w->lean)
        report_bound(report, usual && patched, waste <= WASTE_MOST,
                     "%s: waste of patched %.4f, %.2f or less", w->name, waste, WASTE_MOST);
    if (!w->subjournal_differs)
        report_bound(report, usual && set->cache == 0 && both,
                     ratio <= SUBJOURNAL_MOST && ratio >= 2 - SUBJOURNAL_MOST,
                     "%s: sub-journal of patched %.4f of stock's, within 1 %%", w->name, ratio);
}

/* A library that records pages by their numbers. What it restores it does not log, and what it
** records so it does not copy. */
static void judge_by_numbers(struct workloads_run *run, const struct workloads_row *row,
                             size_t arm)
{
    struct report *report = &run->bench.report;
    const struct workload *w = row->w;
    const struct workloads_cell *stock = cell_of(run, row, "stock"),
                                *patched = cell_of(run, row, "patched"), *c = &row->cell[arm];
    const char *name = run->bench.libraries.at[arm].name;
    double waste = workloads_waste(c), most = w->lean ? WASTE_MOST : w->undone_most;
    bool usual = is_usual(&run->set);
    if (stock != NULL && w->null_share > 0)
        report_bound(report, true,
                     c->frames <= stock->frames && c->frames >= w->null_share * stock->frames,
                     "%s: %.0f frames in stock, %.0f in %s, the same%s", w->name, stock->frames,
                     c->frames, name, w->null_share < 1 ? " within 1 %" : "");
    if (patched != NULL) {
        report_bound(report, true, c->frames <= patched->frames,
                     "%s: %.0f frames in patched, %.0f in %s, not more", w->name,
                     patched->frames, c->frames, name);
        report_bound(report, true, c->subjournal <= patched->subjournal,
                     "%s: %.0f bytes of sub-journals in patched, %.0f in %s, not more", w->name,
                     patched->subjournal, c->subjournal, name);
    }
    if (most > 0)
        report_bound(report, usual, waste <= most, "%s: waste of %s %.4f, %.2f or less",
                     w->name, name, waste, most);
    if (w->undone_most > 0)
        report_bound(report, usual, c->unchanged <= (WASTE_MOST - 1) * c->needed + 1,
                     "%s: %.0f live pages that %s logs as they were, %.0f %% of those needed "
                     "and one",
                     w->name, c->unchanged, name, 100 * (WASTE_MOST - 1));
}

static void judge(struct workloads_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    for (size_t i = 0; i < run->count; i++) {
        const struct workloads_row *row = &run->row[i];
        if (row->lacks != NULL)
            report_bound(&run->bench.report, false, true, "%s: %s has no %s", row->w->name,
                         row->lacks, strchr(row->w->needs, '_') + 1);
        else
            judge_row(&run->bench.report, row, cell_of(run, row, "stock"),
                      cell_of(run, row, "patched"), &run->set);
        for (size_t a = 0; row->lacks == NULL && a < set->count; a++)
            if (library_by_numbers(&set->at[a]))
                judge_by_numbers(run, row, a);
    }
}

void workloads_print(struct workloads_run *run)
{
    const struct workloads_settings *set = &run->set;
    printf("Workloads (WAL, a checkpoint after every transaction, synchronous=%s, pages of\n"
           "4096 bytes and the library's own cache unless the name says otherwise; sizes at\n"
           "%" PRId64 " per cent, seed %" PRId64
           "; sub-journals in files, where every byte is counted)\n\n",
           set->synchronous, set->percent, set->seed);
    libraries_print(&run->bench.libraries, stdout);
    putchar('\n');
    print_frames(run);
    print_bytes(run);
    print_waste(run);
    print_reasons(run);
    print_lost(run);
    puts("Content and integrity of every result were the same for every library.");
    judge(run);
}
