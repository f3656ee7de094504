/*
** sql_print.c: shows and judges what `walbench sql` has counted and timed.
*/
#include "sql.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_sampled(const struct sql_run *run)
{
    return run->set.sample > 0 && run->set.sample <= run->set.commits;
}

static bool has_uses(const struct sql_run *run)
{
    return is_sampled(run) && run->wal && !run->set.autocheckpoint;
}

static void add_number(struct table *t, double value, int digits)
{
    char text[NUMBER_TEXT_SIZE];
    table_cell(t, "%s", number_print(value, digits, text));
}

static void add_waste(struct table *t, const struct sql_cell *cell)
{
    if (cell->needed > 0)
        table_cell(t, "%.3f", cell->sampled / cell->needed);
    else
        table_cell(t, "-");
}

/* Counts have no spread. */
static void add_ratio(struct table *t, double of, double to, size_t arm)
{
    if (arm == 0 || to <= 0)
        table_cell(t, "%s", "");
    else
        table_cell(t, "%.3f", of / to);
}

static void print_pages(const struct sql_run *run)
{
    static const char *const uses[] = {"free", "unchanged", "superseded", "cut"};
    const struct libraries *set = &run->bench.libraries;
    double commits = (double)run->set.commits;
    double sampled = is_sampled(run) ? (double)(run->set.commits / run->set.sample) : 1;
    struct table t;
    table_begin(&t, 2 + (is_sampled(run) ? 2u : 0u) + (has_uses(run) ? 4u : 0u) + 1, 1);
    table_cell(&t, "library");
    table_cell(&t, run->wal ? "frames" : "pages");
    if (is_sampled(run)) {
        table_cell(&t, "needed");
        table_cell(&t, "waste");
    }
    for (int i = 0; has_uses(run) && i < 4; i++)
        table_cell(&t, "%s", uses[i]);
    table_cell(&t, "to %s", set->at[0].name);
    for (size_t a = 0; a < set->count; a++) {
        const struct sql_cell *c = &run->cell[a];
        const double why[] = {c->free, c->unchanged, c->superseded, c->cut};
        table_cell(&t, "%s", set->at[a].name);
        add_number(&t, c->written / commits, 2);
        if (is_sampled(run)) {
            add_number(&t, c->needed / sampled, 2);
            add_waste(&t, c);
        }
        for (int i = 0; has_uses(run) && i < 4; i++)
            add_number(&t, why[i] / sampled, 2);
        add_ratio(&t, c->written, run->cell[0].written, a);
    }
    table_end(&t, stdout);
    putchar('\n');
}

static void print_bytes(const struct sql_run *run)
{
    static const char *const files[SQL_FILES] = {"WAL", "database", "journal", "sub-journal"};
    const struct libraries *set = &run->bench.libraries;
    double first = 0;
    struct table t;
    table_begin(&t, 1 + SQL_FILES + 2, 1);
    table_cell(&t, "library");
    for (int i = 0; i < SQL_FILES; i++)
        table_cell(&t, "%s kB", files[i]);
    table_cell(&t, "all");
    table_cell(&t, "to %s", set->at[0].name);
    for (size_t a = 0; a < set->count; a++) {
        double all = 0;
        table_cell(&t, "%s", set->at[a].name);
        for (int i = 0; i < SQL_FILES; i++) {
            double kilobytes = run->cell[a].bytes[i] / 1e3 / (double)run->set.commits;
            add_number(&t, kilobytes, 1);
            all += kilobytes;
        }
        add_number(&t, all, 1);
        first = a == 0 ? all : first;
        add_ratio(&t, all, first, a);
    }
    table_end(&t, stdout);
    putchar('\n');
}

static void print_times(const struct sql_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    struct table t;
    table_begin(&t, 3, 1);
    table_cell(&t, "library");
    table_cell(&t, "ms a transaction");
    table_cell(&t, "to %s", set->at[0].name);
    for (size_t a = 0; a < set->count; a++) {
        struct estimate time = stats_estimate(&run->cell[a].seconds);
        struct estimate ratio = stats_ratio(&run->cell[a].seconds, &run->cell[0].seconds, NULL);
        table_cell(&t, "%s", set->at[a].name);
        table_estimate(&t, &time, 1e3, 3);
        if (a > 0)
            table_ratio(&t, &ratio);
        else
            table_cell(&t, "%s", "");
    }
    table_end(&t, stdout);
    putchar('\n');
}

void sql_print(const struct sql_run *run)
{
    const struct sql_settings *set = &run->set;
    printf("%" PRId64 " transactions of %s%s (seed %" PRId64 ")\n", set->commits, set->txn,
           run->wrap ? ", in BEGIN and COMMIT" : ", as it stands", set->seed);
    if (set->database != NULL)
        printf("on a copy of %s\n", set->database);
    if (set->setup != NULL)
        printf("after %s\n", set->setup);
    putchar('\n');
    libraries_print(&run->bench.libraries, stdout);
    putchar('\n');
    if (!run->wal)
        puts("A transaction: pages written to the database (rollback mode)");
    else if (set->autocheckpoint)
        puts("A transaction: frames written to the log, checkpointed by SQLite itself");
    else
        puts("A transaction: frames in the log, which is checkpointed after each");
    if (is_sampled(run))
        printf("needed: pages whose live content changed; waste: %s per needed page%s\n",
               run->wal ? "frames" : "pages", set->sample > 1 ? "; both by samples" : "");
    if (has_uses(run))
        puts(
            "frames that were not needed: of free pages, of pages as they were, of pages logged\n"
            "again later, past the new end of the file");
    print_pages(run);
    puts("Kilobytes written, a transaction");
    print_bytes(run);
    if (set->trials > 0) {
        printf("Time, %" PRId64
               " runs of each library in turns, with SQLite's own checkpoints\n",
               set->trials);
        print_times(run);
    }
    puts("Content and integrity of every result were the same for every library.");
}

void sql_judge(struct sql_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    const struct library *stock = libraries_find(set, "stock");
    const struct library *patched = libraries_find(set, "patched");
    double s = stock ? run->cell[stock - set->at].written : 0;
    double p = patched ? run->cell[patched - set->at].written : 0;
    report_bound(&run->bench.report, stock && patched, p <= s,
                 "sql patched: %.0f %s, not more than the %.0f of stock", p,
                 run->wal ? "frames" : "pages", s);
    /* Other content would have ended the run. */
    report_bound(&run->bench.report, stock && patched, true,
                 "sql patched: the content that stock leaves");
}
