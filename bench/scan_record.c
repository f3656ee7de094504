/*
** scan_record.c: what `walbench scan` writes into the result files.
*/
#include "random.h"
#include "scan.h"

static struct record record_of(const struct scan_run *run, const struct scan_layout *layout,
                               int scan, struct kv_list *parameters)
{
    kv_text(parameters, "layout", layout->vacuumed ? "vacuum" : "churned");
    kv_text(parameters, "auto_vacuum", layout->full ? "full" : "none");
    kv_text(parameters, "scan", scan_names[scan]);
    return (struct record){.arm = &run->bench.libraries.at[layout->library],
                           .parameters = parameters};
}

/*
** Page numbers of leaves in scan order, as many as a picture can show: of each of so many
** equal stretches of the scan one at random. A fixed step could fall into beat with the
** patterns of the file.
*/
static void record_map(struct scan_run *run, struct record *one, const struct scan_cell *cell)
{
    enum { POINTS_MOST = 800 };
    const struct page_visits *v = &cell->visits;
    struct samples leaves = {NULL, 0}, shown = {NULL, 0};
    uint64_t random = 1;
    for (size_t i = 0; i < v->count; i++)
        if (v->at[i].leaf)
            samples_add(&leaves, v->at[i].page);
    size_t points = leaves.count < POINTS_MOST ? leaves.count : POINTS_MOST;
    for (size_t k = 0; k < points; k++) {
        size_t first = leaves.count * k / points;
        size_t size = leaves.count * (k + 1) / points - first;
        samples_add(&shown, leaves.at[first + random_next(&random) % size]);
    }
    one->metric = "page_map";
    one->unit = "page numbers of leaves, of equal stretches of the scan one each";
    report_add(&run->bench.report, one, &shown);
    samples_free(&leaves);
    samples_free(&shown);
}

static void record_cell(struct scan_run *run, struct scan_layout *layout, int scan,
                        const struct kv_list *pragmas)
{
    struct report *report = &run->bench.report;
    struct scan_cell *cell = &layout->cell[scan];
    const struct page_order *o = &cell->order;
    struct kv_list parameters = {NULL, 0};
    struct record one = record_of(run, layout, scan, &parameters);
    const struct {
        const char *metric, *unit;
        double value;
    } order[] = {{"file_pages", "pages", (double)layout->pages},
                 {"free_pages", "pages", (double)layout->free_pages},
                 {"leaves", "pages", (double)o->leaves},
                 {"mean_run", "pages", o->mean_run},
                 {"longest_run", "pages", (double)o->longest_run},
                 {"next_share", "share", o->next_share},
                 {"jumps", "steps", (double)o->jumps},
                 {"reads_by_page_order", "reads", (double)o->reads},
                 {"read_jumps_by_page_order", "reads", (double)o->read_jumps}};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        one.metric = order[i].metric;
        one.unit = order[i].unit;
        report_add_number(report, &one, order[i].value);
    }
    record_map(run, &one, cell);
    one.pragmas = pragmas;
    const struct {
        const char *metric, *unit;
        const struct samples *samples;
    } counts[] = {{"reads", "reads", &cell->reads},
                  {"bytes_read", "bytes", &cell->bytes},
                  {"read_jumps", "reads", &cell->jumps},
                  {"warm_resident", "pages of the system", &cell->resident}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        one.metric = counts[i].metric;
        one.unit = counts[i].unit;
        report_add(report, &one, counts[i].samples);
    }
    for (int time = 0; time < TIMES; time++) {
        static char vacuum[] = "the VACUUMed layout";
        const struct library base = {.name = vacuum};
        const struct scan_layout *reference = &run->layout[run->layouts - 1];
        const char *published = scan_published(layout, scan, time);
        if (cell->seconds[time].count == 0)
            continue;
        one.metric = scan_times[time];
        one.unit = "seconds";
        one.pragmas = time < TIME_SORTED ? pragmas : NULL;
        one.published = scan_is_published(&run->set) && *published ? published : NULL;
        report_add(report, &one, &cell->seconds[time]);
        one.published = NULL;
        if (time < TIME_SORTED && !layout->vacuumed)
            cell->to_vacuum[time] = report_add_ratio(report, &one, &base, &cell->seconds[time],
                                                     &reference->cell[scan].seconds[time]);
    }
    kv_free(&parameters);
}

void scan_record(struct scan_run *run, struct scan_layout *layout,
                 const struct kv_list *pragmas)
{
    for (int scan = 0; scan < run->scans; scan++)
        record_cell(run, layout, scan, pragmas);
}
