/*
** throughput_print.c: the records, tables and bounds of `walbench throughput`.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "throughput.h"

static const struct {
    const char *name, *unit;
} metrics[THROUGHPUT_METRICS] = {
    {"batch", "s"},
    {"rate", "operations/s"},
    {"commit.p50", "us"},
    {"commit.p95", "us"},
    {"commit.p99", "us"},
    {"database.bytes", "bytes"},
    {"database.syncs", "calls"},
    {"journal.bytes", "bytes"},
    {"journal.syncs", "calls"},
    {"wal.bytes", "bytes"},
    {"wal.syncs", "calls"},
};

/* The same journal mode and rows; WAL and DELETE that were measured in turns. */
static bool comparable(const struct throughput_run *run, size_t which, size_t *other)
{
    const struct throughput_case *c = &run->cases[which];
    const struct throughput_case *d =
        strcmp(c->journal, "wal") == 0 ? throughput_other(run, c, "delete") : NULL;
    *other = d != NULL ? (size_t)(d - run->cases) : 0;
    return d != NULL;
}

static void record_ratios(struct throughput_run *run, size_t which, size_t arm, int p,
                          struct record *one)
{
    struct report *report = &run->bench.report;
    const struct throughput_batch *b = &throughput_cell(run, which, arm)->batch[p];
    size_t other;
    char *metric = mem_format("%s.rate", throughput_phases[p]);
    one->metric = metric;
    one->published = NULL;
    if (arm > 0)
        (void)report_add_ratio(report, one, &run->bench.libraries.at[0], &b->metric[RATE],
                               &throughput_cell(run, which, 0)->batch[p].metric[RATE]);
    if (comparable(run, which, &other)) {
        struct samples ratios = {NULL, 0};
        (void)stats_ratio(&b->metric[RATE],
                          &throughput_cell(run, other, arm)->batch[p].metric[RATE], &ratios);
        char *name = mem_format("%s.ratio_to_delete", metric);
        one->metric = name;
        one->unit = "of journal_mode=delete";
        one->published = throughput_published(run, &run->cases[which], p, true);
        report_add(report, one, &ratios);
        one->published = NULL;
        samples_free(&ratios);
        free(name);
    }
    free(metric);
}

static void record_batch(struct throughput_run *run, size_t which, size_t arm, int p,
                         struct record *one)
{
    struct throughput_batch *b = &throughput_cell(run, which, arm)->batch[p];
    struct report *report = &run->bench.report;
    for (int m = 0; m < THROUGHPUT_METRICS; m++) {
        char *metric = mem_format("%s.%s", throughput_phases[p], metrics[m].name);
        one->metric = metric;
        one->unit = metrics[m].unit;
        one->published = m == RATE || m == BATCH_SECONDS
                             ? throughput_published(run, &run->cases[which], p, false)
                             : NULL;
        report_add(report, one, &b->metric[m]);
        free(metric);
    }
    record_ratios(run, which, arm, p, one);
    char *metric = mem_format("%s.commit.histogram", throughput_phases[p]);
    struct samples bins = {b->bins, LATENCY_BINS};
    one->metric = metric;
    one->unit = "commits, ten bins for each factor of ten, the first from 100 ns on";
    report_add(report, one, &bins);
    free(metric);
    if (run->set.every_commit) {
        metric = mem_format("%s.commit", throughput_phases[p]);
        one->metric = metric;
        one->unit = "us";
        report_add(report, one, &b->commits);
        free(metric);
    }
}

void throughput_record(struct throughput_run *run)
{
    for (size_t c = 0; c < run->case_count; c++)
        for (size_t a = 0; a < run->bench.libraries.count; a++) {
            struct throughput_cell *cell = throughput_cell(run, c, a);
            struct kv_list parameters = {NULL, 0};
            struct record one = {.arm = &run->bench.libraries.at[a],
                                 .parameters = &parameters,
                                 .pragmas = &cell->pragmas};
            kv_text(&parameters, "case_journal_mode", run->cases[c].journal);
            kv_text(&parameters, "case_synchronous", run->cases[c].synchronous);
            kv_int(&parameters, "case_rows_per_commit", run->cases[c].rows_per_commit);
            for (int p = 0; p < THROUGHPUT_PHASES; p++)
                if (run->set.rows[p] > 0)
                    record_batch(run, c, a, p, &one);
            one.published = NULL;
            for (int i = 0; i < THROUGHPUT_FILES; i++) {
                char *metric = mem_format("size.%s", throughput_files[i]);
                one.metric = metric;
                one.unit = "bytes";
                report_add(&run->bench.report, &one, &cell->size[i]);
                free(metric);
            }
            kv_free(&parameters);
        }
}

static void case_headings(struct table *t)
{
    table_cell(t, "journal");
    table_cell(t, "sync");
    table_cell(t, "rows");
    table_cell(t, "library");
}

static void case_cells(struct table *t, const struct throughput_run *run, size_t c, size_t a)
{
    table_cell(t, "%s", run->cases[c].journal);
    table_cell(t, "%s", run->cases[c].synchronous);
    table_cell(t, "%" PRId64, run->cases[c].rows_per_commit);
    table_cell(t, "%s", run->bench.libraries.at[a].name);
}

static void print_batch(const struct throughput_run *run, int p)
{
    static const char *const heading[] = {"batch p50 ms",  "p95", "p99",
                                          "commit p50 us", "p95", "p99"};
    char text[NUMBER_TEXT_SIZE];
    struct table t;
    table_begin(&t, 4 + 2 + 6 + 1, 4);
    case_headings(&t);
    table_cell(&t, "%ss/s", throughput_phases[p]);
    table_cell(&t, "of %s", run->bench.libraries.at[0].name);
    for (size_t i = 0; i < sizeof heading / sizeof heading[0]; i++)
        table_cell(&t, "%s", heading[i]);
    table_cell(&t, "published");
    for (size_t c = 0; c < run->case_count; c++)
        for (size_t a = 0; a < run->bench.libraries.count; a++) {
            const struct samples *m = throughput_cell(run, c, a)->batch[p].metric;
            struct estimate s = stats_estimate(&m[BATCH_SECONDS]);
            const char *published = throughput_published(run, &run->cases[c], p, false);
            double n = (double)run->set.rows[p];
            struct estimate rate = {n / s.median, n / s.high, n / s.low, s.known};
            case_cells(&t, run, c, a);
            table_estimate(&t, &rate, 1, 0);
            if (a > 0) {
                struct estimate ratio = stats_ratio(
                    &m[RATE], &throughput_cell(run, c, 0)->batch[p].metric[RATE], NULL);
                table_ratio(&t, &ratio);
            } else {
                table_cell(&t, "%s", "");
            }
            for (int q = 0; q < 3; q++) {
                static const double at[] = {0.5, 0.95, 0.99};
                double ms = 1e3 * stats_quantile(&m[BATCH_SECONDS], at[q]);
                table_cell(&t, "%s", number_print(ms, 1, text));
            }
            for (int q = COMMIT_P50; q <= COMMIT_P99; q++)
                table_cell(&t, "%s", number_print(stats_median(&m[q]), 1, text));
            table_cell(&t, "%s", published ? published : "");
        }
    printf("%" PRId64 " %ss: operations a second are that over the p50 of the batch. A commit "
           "is the\nstatement itself with one row per commit, else the COMMIT alone; p50, p95 "
           "and p99\nare of the commits of a trial, and shown is the median over the trials.\n",
           run->set.rows[p], throughput_phases[p]);
    table_end(&t, stdout);
    putchar('\n');
}

static void print_sizes(const struct throughput_run *run)
{
    char text[NUMBER_TEXT_SIZE];
    struct table t;
    table_begin(&t, 4 + THROUGHPUT_FILES + 1, 4);
    case_headings(&t);
    for (int i = 0; i < THROUGHPUT_FILES; i++)
        table_cell(&t, "%s%s", i == FILE_DATABASE ? "" : "-", throughput_files[i]);
    table_cell(&t, "published");
    for (size_t c = 0; c < run->case_count; c++)
        for (size_t a = 0; a < run->bench.libraries.count; a++) {
            case_cells(&t, run, c, a);
            for (int i = 0; i < THROUGHPUT_FILES; i++) {
                double size = stats_median(&throughput_cell(run, c, a)->size[i]);
                table_cell(&t, "%s", number_print(size / 1024, 1, text));
            }
            table_cell(&t, "%s",
                       strcmp(run->cases[c].journal, "wal") == 0 &&
                               strcmp(run->experiment, "E4") == 0
                           ? "-shm 32"
                           : "");
        }
    puts("Files at the end of a trial, before the database is closed, in KiB.");
    table_end(&t, stdout);
    putchar('\n');
}

static void print_ratios(const struct throughput_run *run)
{
    struct table t;
    size_t other, pairs = 0;
    for (size_t c = 0; c < run->case_count; c++)
        pairs += comparable(run, c, &other);
    if (pairs == 0)
        return;
    table_begin(&t, 6, 4);
    table_cell(&t, "batch");
    table_cell(&t, "sync");
    table_cell(&t, "rows");
    table_cell(&t, "library");
    table_cell(&t, "WAL/DELETE");
    table_cell(&t, "published");
    for (int p = 0; p < THROUGHPUT_PHASES; p++)
        for (size_t c = 0; run->set.rows[p] > 0 && c < run->case_count; c++)
            for (size_t a = 0; comparable(run, c, &other) && a < run->bench.libraries.count;
                 a++) {
                const char *published = throughput_published(run, &run->cases[c], p, true);
                struct estimate ratio =
                    stats_ratio(&throughput_cell(run, c, a)->batch[p].metric[RATE],
                                &throughput_cell(run, other, a)->batch[p].metric[RATE], NULL);
                table_cell(&t, "%ss", throughput_phases[p]);
                table_cell(&t, "%s", run->cases[c].synchronous);
                table_cell(&t, "%" PRId64, run->cases[c].rows_per_commit);
                table_cell(&t, "%s", run->bench.libraries.at[a].name);
                table_ratio(&t, &ratio);
                table_cell(&t, "%s", published ? published : "");
            }
    puts("Operations a second in WAL mode over those with journal_mode=DELETE.");
    table_end(&t, stdout);
    putchar('\n');
}

void throughput_print(struct throughput_run *run)
{
    const struct throughput_settings *set = &run->set;
    printf(
        "Write throughput (%s, preset %s): t(id INTEGER PRIMARY KEY%s, v TEXT), v of %" PRId64
        " bytes, page\nsize %" PRId64 ", seed %" PRId64 ", %" PRId64
        " trials, each on a fresh database, libraries in turns\n\n",
        run->experiment, set->preset, set->with_key ? ", k TEXT" : "", set->value_bytes,
        set->page_size, set->seed, set->trials);
    libraries_print(&run->bench.libraries, stdout);
    putchar('\n');
    for (int p = 0; p < THROUGHPUT_PHASES; p++)
        if (set->rows[p] > 0)
            print_batch(run, p);
    print_ratios(run);
    print_sizes(run);
    puts("Content and integrity of every result were the same for every library.");
}

static double sum_of(const struct throughput_cell *cell, const enum throughput_metric *which,
                     size_t count)
{
    double sum = 0;
    for (int p = 0; p < THROUGHPUT_PHASES; p++)
        for (size_t i = 0; i < count; i++)
            sum += stats_median(&cell->batch[p].metric[which[i]]);
    return sum;
}

/* Nothing is freed here, so that both have to write the same. */
void throughput_judge(struct throughput_run *run)
{
    static const enum throughput_metric bytes[] = {DATABASE_BYTES, JOURNAL_BYTES, WAL_BYTES};
    static const enum throughput_metric syncs[] = {DATABASE_SYNCS, JOURNAL_SYNCS, WAL_SYNCS};
    const struct libraries *set = &run->bench.libraries;
    const struct library *stock = libraries_find(set, "stock");
    const struct library *patched = libraries_find(set, "patched");
    for (size_t c = 0; stock != NULL && patched != NULL && c < run->case_count; c++) {
        const struct throughput_case *k = &run->cases[c];
        const struct throughput_cell *s = throughput_cell(run, c, (size_t)(stock - set->at));
        const struct throughput_cell *p = throughput_cell(run, c, (size_t)(patched - set->at));
        double sb = sum_of(s, bytes, 3), pb = sum_of(p, bytes, 3);
        double ss = sum_of(s, syncs, 3), ps = sum_of(p, syncs, 3);
        report_bound(&run->bench.report, true, pb <= sb && ps <= ss,
                     "throughput patched, journal_mode=%s synchronous=%s, %" PRId64
                     " rows per commit: %.0f bytes and %.0f syncs, not more than the %.0f and "
                     "%.0f of stock",
                     k->journal, k->synchronous, k->rows_per_commit, pb, ps, sb, ss);
        if (strcmp(k->journal, "wal") == 0)
            report_bound(
                &run->bench.report, throughput_published(run, k, INSERTS, false) != NULL,
                stats_quantile(&p->size[FILE_SHM], 1) <= 32768 &&
                    stats_quantile(&s->size[FILE_SHM], 1) <= 32768,
                "throughput, synchronous=%s: the -shm file has 32 KiB in both", k->synchronous);
    }
}
