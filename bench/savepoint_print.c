/*
** savepoint_print.c: the tables of `walbench savepoint`.
*/
#include <inttypes.h>
#include <string.h>

#include "savepoint.h"

static void add_number(struct table *t, double value, int digits)
{
    char text[NUMBER_TEXT_SIZE];
    table_cell(t, "%s", number_print(value, digits, text));
}

static void add_ratio(struct table *t, const struct samples *of, const struct samples *to)
{
    struct estimate ratio = stats_ratio(of, to, NULL);
    if (of->count > 0)
        table_ratio(t, &ratio);
    else
        table_cell(t, "-");
}

static void add_time(struct table *t, const struct samples *s)
{
    struct estimate time = stats_estimate(s);
    if (s->count > 0)
        table_estimate(t, &time, 1e-6, 3);
    else
        table_cell(t, "-");
}

static void print_row(const struct savepoint_run *run, struct table *t,
                      enum savepoint_kind kind)
{
    struct savepoint_cell first = savepoint_sum(run, kind, 0);
    for (size_t a = 0; a < run->bench.libraries.count; a++) {
        struct savepoint_cell sum = savepoint_sum(run, kind, a);
        table_cell(t, "%s", a == 0 ? savepoint_kinds[kind] : "");
        table_cell(t, "%s", run->bench.libraries.at[a].name);
        for (int i = COUNT_NEEDED; i <= COUNT_WRITTEN; i++)
            add_number(t, sum.count[i], 0);
        for (int i = COUNT_DATABASE; i <= COUNT_TEMP; i++)
            add_number(t, sum.count[i] / 1e3, 1);
        add_time(t, &sum.statements);
        add_time(t, &sum.commit);
        if (a > 0)
            add_ratio(t, &sum.statements, &first.statements);
        else
            table_cell(t, "%s", "");
        savepoint_cell_free(&sum);
    }
    savepoint_cell_free(&first);
}

static void print_kinds(const struct savepoint_run *run)
{
    static const char *const heading[] = {
        "kind",   "library",        "needed",   "frames",        "written",  "database kB",
        "log kB", "sub-journal kB", "other kB", "statements ms", "COMMIT ms"};
    enum { HEADINGS = sizeof heading / sizeof heading[0] };
    struct table t;
    puts(
        "Needed pages: those whose live content has changed (many: those of the rows that were\n"
        "not rolled back); frames in the log after COMMIT; frames written, also those written\n"
        "over or cut off; bytes of each kind of file until the log is in the database; time of\n"
        "all statements but COMMIT, and of COMMIT, a transaction, and how many times that of\n"
        "the first library the statements take. Of nested and spilled the sums of all cases");
    table_begin(&t, HEADINGS + 1, 2);
    for (size_t i = 0; i < HEADINGS; i++)
        table_cell(&t, "%s", heading[i]);
    table_cell(&t, "to %s", run->bench.libraries.at[0].name);
    for (int k = 0; k < KINDS; k++)
        if (run->row[k].wanted)
            print_row(run, &t, (enum savepoint_kind)k);
    table_end(&t, stdout);
    putchar('\n');
}

static void print_case(const struct savepoint_run *run, struct table *t,
                       enum savepoint_kind kind, size_t c)
{
    const struct savepoint_case *which = &run->row[kind].cases.at[c];
    const struct savepoint_cell *cell = savepoint_cell(run, kind, c, 0);
    size_t arms = run->bench.libraries.count;
    table_cell(t, "%" PRId64, which->depth);
    table_cell(t, "%" PRId64 "/%d", which->rolled_back, SAVEPOINT_CHAINS);
    table_cell(t, "%" PRId64, which->pages);
    add_number(t, cell->count[COUNT_NEEDED], 0);
    table_numbers(t, &cell->count[COUNT_FRAMES], sizeof *cell, arms, 1, 0);
    table_numbers(t, &cell->count[COUNT_SUBJOURNAL], sizeof *cell, arms, 1e-3, 1);
    add_time(t, &cell->statements);
    for (size_t a = 1; a < arms; a++)
        add_ratio(t, &cell[a].statements, &cell->statements);
    if (arms == 1)
        table_cell(t, "%s", "");
}

static void print_grid(const struct savepoint_run *run, enum savepoint_kind kind)
{
    const struct libraries *set = &run->bench.libraries;
    struct table t;
    printf(
        "%s, a transaction: depth of its savepoints, chains rolled back, pages changed in a\n"
        "savepoint; needed pages, frames in the log, kB of sub-journals, time of the\n"
        "statements in ms and as a ratio\n",
        savepoint_kinds[kind]);
    table_begin(&t, 4 + 2 * set->count + 1 + (set->count > 1 ? set->count - 1 : 1), 0);
    table_cell(&t, "depth");
    table_cell(&t, "undone");
    table_cell(&t, "pages");
    table_cell(&t, "needed");
    bench_headings(&t, set, "frames");
    bench_headings(&t, set, "sub-journal");
    table_cell(&t, "%s ms", set->at[0].name);
    for (size_t a = 1; a < set->count; a++)
        table_cell(&t, "%s to %s", set->at[a].name, set->at[0].name);
    if (set->count == 1)
        table_cell(&t, "%s", "");
    for (size_t c = 0; c < run->row[kind].cases.count; c++)
        print_case(run, &t, kind, c);
    table_end(&t, stdout);
    putchar('\n');
}

void savepoint_print(const struct savepoint_run *run)
{
    const struct savepoint_settings *set = &run->set;
    printf("Savepoints and statement journals (WAL, synchronous=%s, page size %" PRId64
           ", seed %" PRId64 ",\n%" PRId64 " trials): update of %" PRId64
           " rows; many: %" PRId64 " transactions on a file of %" PRId64
           " MB, and on one\nof 2 MB; spilled: a cache of %" PRId64 " pages\n\n",
           set->synchronous, set->plan.page_size, set->seed, set->trials, set->plan.rows,
           set->plan.transactions, set->plan.megabytes, set->plan.cache);
    libraries_print(&run->bench.libraries, stdout);
    putchar('\n');
    print_kinds(run);
    for (int k = 0; k < KINDS; k++)
        if (run->row[k].wanted && savepoint_is_grid((enum savepoint_kind)k))
            print_grid(run, (enum savepoint_kind)k);
    puts("Content and integrity of every result were the same for every library.");
}
