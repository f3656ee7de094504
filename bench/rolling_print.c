/*
** rolling_print.c: the tables and the verdict of `walbench rolling`.
*/
#include <inttypes.h>
#include <string.h>

#include "rolling.h"
#include "table.h"

static double waste(const struct rolling_cell *cell)
{
    double needed = stats_sum(&cell->needed);
    return needed > 0 ? stats_sum(&cell->frames_where_needed) / needed : 0;
}

static void cell_number(struct table *t, const struct samples *s, double scale, int digits)
{
    char text[NUMBER_TEXT_SIZE];
    table_cell(t, "%s", s->count ? number_print(stats_mean(s) * scale, digits, text) : "-");
}

static bool has_rows(struct rolling_run *run, const struct rolling_where *w)
{
    return rolling_cell_at(run, w)->file_bytes.count > 0;
}

struct columns {
    bool order, index; /* shown only where there is more than one */
};

static struct columns columns_of(const struct rolling_run *run)
{
    return (struct columns){run->order_wanted[0] && run->order_wanted[1],
                            run->index_wanted[0] && run->index_wanted[1]};
}

/* The cells at the left edge, or their headings. */
static void left_cells(struct table *t, struct columns columns, const char *mode,
                       const char *order, const char *index, const char *library)
{
    table_cell(t, "%s", mode);
    if (columns.order)
        table_cell(t, "%s", order);
    if (columns.index)
        table_cell(t, "%s", index);
    table_cell(t, "%s", library);
}

static size_t left_count(struct columns columns)
{
    return 2 + (size_t)columns.order + (size_t)columns.index;
}

typedef void fill_line(struct table *t, struct rolling_run *run, const struct rolling_where *w);

/* A line for each mode below `modes`, order, index and library that was run. */
static void print_lines(struct rolling_run *run, int modes, const char *const *heading,
                        size_t count, fill_line *fill)
{
    struct table t;
    struct columns columns = columns_of(run);
    table_begin(&t, left_count(columns) + count, left_count(columns));
    left_cells(&t, columns, "mode", "order", "index", "library");
    for (size_t i = 0; i < count; i++)
        table_cell(&t, "%s", heading[i]);
    for (int i = 0; i < INDEXES; i++)
        for (int o = 0; o < ORDERS; o++)
            for (int m = 0; m < modes; m++)
                for (size_t a = 0; a < run->bench.libraries.count; a++) {
                    struct rolling_where w = {m, o, i, a, 0};
                    if (!has_rows(run, &w))
                        continue;
                    left_cells(&t, columns, rolling_modes[m].name, rolling_orders[o],
                               rolling_indexes[i], run->bench.libraries.at[a].name);
                    fill(&t, run, &w);
                }
    table_end(&t, stdout);
    putchar('\n');
}

static void fill_writes(struct table *t, struct rolling_run *run, const struct rolling_where *w)
{
    char text[NUMBER_TEXT_SIZE];
    const struct rolling_cell *cell = rolling_cell_at(run, w);
    bool here = rolling_is_published(&run->set) && w->index == 0 && w->order == 0;
    cell_number(t, &cell->frames, 1, 2);
    cell_number(t, &cell->checkpoint_pages, 1, 2);
    cell_number(t, &cell->bytes, 1e-3, 1);
    cell_number(t, &cell->needed, 1, 2);
    table_cell(t, "%s", cell->needed.count ? number_print(waste(cell), 3, text) : "-");
    cell_number(t, &cell->freed, 1, 1);
    cell_number(t, &cell->taken, 1, 1);
    table_cell(t, "%s",
               here && w->mode == NONE   ? "116 frames, 55 freed, 55 new"
               : here && w->mode == FULL ? "67 frames"
                                         : "");
}

static void print_writes(struct rolling_run *run)
{
    static const char *const heading[] = {"frames", "copied", "KB",    "needed",
                                          "waste",  "freed",  "taken", "published"};
    puts("Means per commit: WAL frames; pages that the checkpoint copied into the database;\n"
         "kilobytes written to both. An incremental_vacuum counts into its commit.");
    if (run->set.sample > run->set.commits)
        puts("Needed pages were not measured: --sample is more than --commits.");
    else if (run->set.sample > 0)
        printf(
            "On one commit in %" PRId64 " (%zu of them a run) the file before and after were "
            "compared:\nneeded = pages whose live content changed, free-list leaves left out; "
            "waste = frames of\nthese commits / needed; freed and taken = pages that went to "
            "the free-list and left it.\n",
            run->set.sample, (size_t)(run->set.commits / run->set.sample));
    print_lines(run, VACUUM, heading, sizeof heading / sizeof heading[0], fill_writes);
}

static void fill_layout(struct table *t, struct rolling_run *run, const struct rolling_where *w)
{
    const struct rolling_cell *cell = rolling_cell_at(run, w);
    cell_number(t, &cell->file_bytes, 1e-6, 1);
    cell_number(t, &cell->free_pages, 1, 0);
    cell_number(t, &cell->table_run, 1, 1);
    cell_number(t, &cell->table_next, 100, 1);
    if (run->index_wanted[1]) {
        cell_number(t, &cell->index_run, 1, 1);
        cell_number(t, &cell->index_next, 100, 1);
    }
    table_cell(t, "%s",
               !rolling_is_published(&run->set) ? ""
               : w->index == 1                  ? w->mode == VACUUM ? "" : "index run 1.0"
               : w->mode == FULL                ? "226-227 MB; run under 3 after ten turnovers"
               : w->mode != VACUUM              ? "226-227 MB; next 64 to 93 %"
                                                : "226-227 MB");
}

static void print_layout(struct rolling_run *run)
{
    static const char *const plain[] = {"file MB", "free pages", "mean run", "next %",
                                        "published"};
    static const char *const indexed[] = {"file MB",   "free pages",   "mean run", "next %",
                                          "index run", "index next %", "published"};
    bool both = run->index_wanted[1];
    puts(
        "At the end: size and free pages; the order of leaf pages in a scan: mean run of leaves\n"
        "on consecutive pages, share of steps that go to the next page");
    print_lines(run, MODES, both ? indexed : plain,
                both ? sizeof indexed / sizeof indexed[0] : sizeof plain / sizeof plain[0],
                fill_layout);
}

static const struct rolling_cell *cell_of(struct rolling_run *run, int mode, const char *arm)
{
    const struct library *library = libraries_find(&run->bench.libraries, arm);
    if (library == NULL || !run->order_wanted[0] || !run->index_wanted[0])
        return NULL;
    const struct rolling_cell *cell = &run->cell[mode][0][0][library - run->bench.libraries.at];
    return cell->frames.count ? cell : NULL;
}

static void judge(struct rolling_run *run)
{
    struct report *report = &run->bench.report;
    static const struct rolling_cell nothing;
    bool same = rolling_is_published(&run->set);
    const struct rolling_cell *stock = cell_of(run, NONE, "stock");
    const struct rolling_cell *stock_full = cell_of(run, FULL, "stock");
    const struct rolling_cell *patched = cell_of(run, NONE, "patched");
    const struct rolling_cell *patched_full = cell_of(run, FULL, "patched");
    double n = stats_mean(stock ? &stock->frames : &nothing.frames);
    double full = stats_mean(stock_full ? &stock_full->frames : &nothing.frames);
    double p = stats_mean(patched ? &patched->frames : &nothing.frames);
    report_bound(report, same && stock, n >= 110,
                 "E2 stock, NONE: %.2f frames a commit, 110 or more", n);
    report_bound(report, same && patched, p <= 65.5,
                 "E2 patched, NONE: %.2f frames a commit, 65.5 or fewer", p);
    report_bound(report, same && patched && stock_full, p < full,
                 "E2 patched, NONE: %.2f frames a commit, below the %.2f of stock FULL", p,
                 full);
    const struct {
        const struct rolling_cell *cell;
        const char *name;
    } lean[] = {{patched, "NONE"}, {patched_full, "FULL"}};
    for (size_t i = 0; i < 2; i++) {
        bool known = lean[i].cell != NULL && lean[i].cell->needed.count > 0;
        double w = known ? waste(lean[i].cell) : 0;
        report_bound(report, same && known, w <= 1.01,
                     "E2 patched, %s: waste %.4f, 1.01 or less", lean[i].name, w);
    }
}

void rolling_print(struct rolling_run *run)
{
    const struct rolling_settings *set = &run->set;
    printf("E2: rolling log of %" PRId64 " rows of %" PRId64 " to %" PRId64 " bytes, %" PRId64
           " commits, each inserts %" PRId64 " rows and\ndeletes %" PRId64
           " (WAL, a checkpoint after every commit, page size %" PRId64
           ",\nsynchronous=%s, secure_delete=%s, cache %s, seeds %s;\n"
           "order %s, index on the random key: %s)\n\n",
           set->rows, set->least, set->most, set->commits, set->batch, set->batch,
           set->page_size, set->synchronous, set->secure_delete, set->cache, set->seeds,
           set->order, set->index);
    libraries_print(&run->bench.libraries, stdout);
    putchar('\n');
    print_writes(run);
    print_layout(run);
    puts(
        "Published figures: SQLite 3.53.1, shown where the parameters are the same. Content and\n"
        "integrity of every result were the same for every library.");
    judge(run);
}
