/*
** scan_print.c: the tables and the verdict of `walbench scan`.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"
#include "table.h"

const char *scan_published(const struct scan_layout *layout, int scan, int time)
{
    /* [scan][time]: churned, VACUUMed */
    static const char *const published[SCANS][TIMES][2] = {
        {{"0.10", "0.10"}, {"about 1", "0.11"}, {"0.05", ""}, {"0.95", ""}},
        {{"", ""}, {"0.53", "0.006"}, {"", ""}, {"", ""}},
    };
    return published[scan][time][layout->vacuumed];
}

static void left_cells(struct table *t, const struct scan_layout *layout, int scan)
{
    table_cell(t, "%s", scan_names[scan]);
    table_cell(t, "%s", layout->name);
}

static void headings(struct table *t, const char *const *heading, size_t count)
{
    table_begin(t, count, 2);
    for (size_t i = 0; i < count; i++)
        table_cell(t, "%s", heading[i]);
}

static void print_order(const struct scan_run *run)
{
    static const char *const heading[] = {"scan",     "layout", "leaves", "mean run",
                                          "next %",   "reads",  "jumps",  "jumps by page order",
                                          "published"};
    enum { COLUMNS = sizeof heading / sizeof heading[0] };
    bool published = scan_is_published(&run->set);
    struct table t;
    char text[NUMBER_TEXT_SIZE];
    puts(
        "Leaves in scan order: mean run on consecutive pages, share of steps that go to the page\n"
        "that follows. What a scan reads from the file, interior pages too, and how many of\n"
        "these reads jump, that is, do not start where the last one ended: as the VFS counted\n"
        "them, and as they follow from the page order.");
    headings(&t, heading, COLUMNS);
    for (int scan = 0; scan < run->scans; scan++)
        for (size_t i = 0; i < run->layouts; i++) {
            const struct scan_layout *layout = &run->layout[i];
            const struct scan_cell *cell = &layout->cell[scan];
            const struct page_order *o = &cell->order;
            left_cells(&t, layout, scan);
            table_cell(&t, "%s", number_print((double)o->leaves, 0, text));
            table_cell(&t, "%s", number_print(o->mean_run, 1, text));
            table_cell(&t, "%.2f", 100 * o->next_share);
            table_cell(&t, "%s", number_print(stats_median(&cell->reads), 0, text));
            table_cell(&t, "%s", number_print(stats_median(&cell->jumps), 0, text));
            table_cell(&t, "%s", number_print((double)o->read_jumps, 0, text));
            table_cell(&t, "%s",
                       !published           ? ""
                       : scan == SCAN_TABLE ? "55,198 pages"
                       : layout->vacuumed   ? "4,113 pages"
                                            : "4,113 pages, mean run 1.0");
        }
    table_end(&t, stdout);
    putchar('\n');
}

static void cell_time(struct table *t, const struct samples *s)
{
    struct estimate e = stats_estimate(s);
    if (s->count == 0)
        table_cell(t, "-");
    else
        table_estimate(t, &e, 1e3, 2);
}

static void cell_ratio(struct table *t, const struct scan_run *run,
                       const struct scan_layout *layout, int scan, int time)
{
    const struct scan_cell *cell = &layout->cell[scan];
    if (layout == &run->layout[run->layouts - 1])
        table_cell(t, "1");
    else if (cell->seconds[time].count == 0)
        table_cell(t, "-");
    else
        table_ratio(t, &cell->to_vacuum[time]);
}

static void print_scans(const struct scan_run *run)
{
    static const char *const heading[] = {"scan",      "layout",  "jumps",     "warm ms",
                                          "of VACUUM", "cold ms", "of VACUUM", "published s"};
    enum { COLUMNS = sizeof heading / sizeof heading[0] };
    struct table t;
    char text[NUMBER_TEXT_SIZE];
    printf(
        "The scans, each by a new process: medians of %" PRId64
        " rounds with the reach of the 95 %%\ninterval, and the ratio to the VACUUMed layout "
        "in the same round; ~: no difference.\n",
        run->set.rounds);
    headings(&t, heading, COLUMNS);
    for (int scan = 0; scan < run->scans; scan++)
        for (size_t i = 0; i < run->layouts; i++) {
            const struct scan_layout *layout = &run->layout[i];
            const struct scan_cell *cell = &layout->cell[scan];
            const char *warm = scan_published(layout, scan, TIME_WARM);
            left_cells(&t, layout, scan);
            table_cell(&t, "%s", number_print(stats_median(&cell->jumps), 0, text));
            for (int time = TIME_WARM; time <= TIME_COLD; time++) {
                cell_time(&t, &cell->seconds[time]);
                cell_ratio(&t, run, layout, scan, time);
            }
            if (scan_is_published(&run->set))
                table_cell(&t, "%s%s%s cold", warm, *warm ? " warm, " : "",
                           scan_published(layout, scan, TIME_COLD));
            else
                table_cell(&t, "%s", "");
        }
    table_end(&t, stdout);
    if (run->not_cold != NULL)
        printf(
            "\nNO COLD SCANS: a cold file cannot be had here: %s.\nChoose another file system "
            "with --dir.\n",
            run->not_cold);
    putchar('\n');
}

static void print_raw(const struct scan_run *run)
{
    static const char *const heading[] = {"pages of",      "layout", "pages",      "sorted ms",
                                          "scan order ms", "ratio",  "published s"};
    enum { COLUMNS = sizeof heading / sizeof heading[0] };
    struct table t;
    char text[NUMBER_TEXT_SIZE];
    puts(
        "The same pages with one pread(2) each, cold, without SQLite: in sorted order, and in\n"
        "that of the scan; the ratio of the second to the first.");
    headings(&t, heading, COLUMNS);
    for (int scan = 0; scan < run->scans; scan++)
        for (size_t i = 0; i < run->layouts; i++) {
            const struct scan_layout *layout = &run->layout[i];
            const struct scan_cell *cell = &layout->cell[scan];
            const char *sorted = scan_published(layout, scan, TIME_SORTED);
            struct estimate ratio =
                stats_ratio(&cell->seconds[TIME_ORDER], &cell->seconds[TIME_SORTED], NULL);
            left_cells(&t, layout, scan);
            table_cell(&t, "%s", number_print((double)cell->visits.count, 0, text));
            cell_time(&t, &cell->seconds[TIME_SORTED]);
            cell_time(&t, &cell->seconds[TIME_ORDER]);
            table_ratio(&t, &ratio);
            if (scan_is_published(&run->set) && *sorted)
                table_cell(&t, "%s sorted, %s scan order", sorted,
                           scan_published(layout, scan, TIME_ORDER));
            else
                table_cell(&t, "%s", "");
        }
    table_end(&t, stdout);
    putchar('\n');
}

static void judge(struct scan_run *run)
{
    struct report *report = &run->bench.report;
    const struct scan_layout *vacuum = &run->layout[run->layouts - 1];
    for (int scan = 0; scan < run->scans; scan++) {
        const struct scan_cell *reference = &vacuum->cell[scan];
        double share = reference->order.next_share;
        report_bound(report, reference->order.leaves > 1, share > 0.98,
                     "E3 %s scan, VACUUM: %.2f %% of the steps go to the next page, more than "
                     "98 %%",
                     scan_names[scan], 100 * share);
        for (size_t i = 0; i < run->layouts; i++) {
            const struct scan_layout *layout = &run->layout[i];
            const struct scan_cell *cell = &layout->cell[scan];
            /* Every sample: warm or cold, the file is read in the same way. */
            report_bound(report, true,
                         (int64_t)stats_quantile(&cell->jumps, 0) == cell->order.read_jumps &&
                             (int64_t)stats_quantile(&cell->jumps, 1) == cell->order.read_jumps,
                         "E3 %s scan, %s: %.0f reads jump, the %" PRId64
                         " of the page order each time",
                         scan_names[scan], layout->name, stats_median(&cell->jumps),
                         cell->order.read_jumps);
        }
        /* Another allocation policy may well do better than a VACUUM: no bound on that. */
        static const char *const names[] = {"stock", "patched"};
        for (size_t n = 0; n < 2; n++)
            for (size_t i = 0; i < run->layouts; i++) {
                const struct scan_layout *layout = &run->layout[i];
                if (layout->vacuumed ||
                    strcmp(run->bench.libraries.at[layout->library].name, names[n]) != 0)
                    continue;
                double churned = stats_median(&layout->cell[scan].jumps);
                double ordered = stats_median(&reference->jumps);
                report_bound(report, true, churned >= ordered,
                             "E3 %s scan, %s: %.0f reads jump, not fewer than the %.0f of "
                             "VACUUM",
                             scan_names[scan], layout->name, churned, ordered);
            }
    }
}

void scan_print(struct scan_run *run)
{
    const struct scan_settings *set = &run->set;
    const char *maker = run->bench.libraries.at[run->layout[run->layouts - 1].library].name;
    char text[NUMBER_TEXT_SIZE];
    printf("E3: scans of a rolling log of %" PRId64 " rows of 150 to 250 bytes after %" PRId64
           " commits that each insert\n%" PRId64 " rows and delete %" PRId64
           ", with %s (page size %" PRId64 ", cache %s, mmap off,\nseed %" PRId64
           ", read-ahead of the device: ",
           set->rows, scan_commits(set), set->batch, set->batch,
           set->no_index ? "no index" : "an index on a random key", set->page_size, set->cache,
           set->seed);
    if (run->read_ahead < 0)
        puts("unknown)\n");
    else
        printf("%s KiB)\n\n", number_print((double)run->read_ahead, 0, text));
    libraries_print(&run->bench.libraries, stdout);
    printf("\nLayouts are called by the library that churned and scans them; VACUUM is what %s "
           "made of\nits own.\n\n",
           maker);
    print_order(run);
    print_scans(run);
    if (run->not_cold == NULL)
        print_raw(run);
    if (!scan_is_published(set) && !set->no_index)
        puts(
            "Published (SQLite 3.53.1, --rows 1000000 --turnovers 10): table 0.10 s warm; about\n"
            "1 s cold, 0.11 s after VACUUM; its 55,198 pages raw 0.05 s sorted, 0.95 s in scan\n"
            "order. Index-only, 4,113 pages: 0.53 s cold, 0.006 s after VACUUM.");
    puts("Content and integrity of every layout and the answer of every scan were right.");
    judge(run);
}
