/*
** contention_print.c: the records, tables and bounds of `walbench contention`.
*/
#include <inttypes.h>
#include <string.h>

#include "contention.h"

static const struct {
    const char *name, *unit;
} metrics[CONTENTION_METRICS] = {
    {"writes", "transactions"}, {"writes_busy", "errors"}, {"reads", "queries"},
    {"reads_busy", "errors"},   {"write.p50", "us"},       {"write.p95", "us"},
    {"write.p99", "us"},        {"read.p50", "us"},        {"read.p95", "us"},
    {"read.p99", "us"},         {"elapsed", "s"},
};

/* Writes, their busy errors, reads, and theirs. */
static const struct {
    const char *journal;
    int64_t busy_timeout;
    const char *text;
} published[] = {
    {"delete", 0, "829, 62 busy; 307, 117 busy (SQLite 3.49.1)"},
    {"wal", 0, "3,387, 0 busy; 41,736, 0 busy (SQLite 3.49.1)"},
    {"delete", 5000, "714, 0 busy; 270, 0 busy (SQLite 3.49.1)"},
    {"wal", 5000, "3,323, 0 busy; 38,198, 0 busy (SQLite 3.49.1)"},
};

static const char *find_published(const struct contention_run *run, size_t which)
{
    const struct contention_settings *set = &run->set;
    const struct contention_case *c = &run->cases[which];
    if (set->writers != 1 || set->readers != 1 || set->seconds != 5 || set->rows != 1000 ||
        set->value_bytes != 100 || set->page_size != 4096 ||
        strcmp(set->synchronous, "full") != 0)
        return NULL;
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        if (strcmp(published[i].journal, c->journal) == 0 &&
            published[i].busy_timeout == c->busy_timeout)
            return published[i].text;
    return NULL;
}

/* A thread that starved has no place in a ratio. */
static bool has_ratio(const struct samples *of, const struct samples *to)
{
    return stats_quantile(of, 0) > 0 && stats_quantile(to, 0) > 0;
}

void contention_record(struct contention_run *run)
{
    for (size_t c = 0; c < run->case_count; c++)
        for (size_t a = 0; a < run->bench.libraries.count; a++) {
            const struct contention_cell *cell = contention_cell(run, c, a);
            const struct contention_cell *base = contention_cell(run, c, 0);
            struct kv_list parameters = {NULL, 0};
            struct record one = {.arm = &run->bench.libraries.at[a],
                                 .parameters = &parameters,
                                 .pragmas = &cell->pragmas};
            kv_text(&parameters, "case_journal_mode", run->cases[c].journal);
            kv_int(&parameters, "case_busy_timeout", run->cases[c].busy_timeout);
            for (int m = 0; m < CONTENTION_METRICS; m++) {
                one.metric = metrics[m].name;
                one.unit = metrics[m].unit;
                one.published = m <= READS_BUSY ? find_published(run, c) : NULL;
                report_add(&run->bench.report, &one, &cell->metric[m]);
                one.published = NULL;
                if (a > 0 && (m == WRITES || m == READS) &&
                    has_ratio(&cell->metric[m], &base->metric[m]))
                    (void)report_add_ratio(&run->bench.report, &one,
                                           &run->bench.libraries.at[0], &cell->metric[m],
                                           &base->metric[m]);
            }
            kv_free(&parameters);
        }
}

static void case_headings(struct table *t)
{
    table_cell(t, "timeout");
    table_cell(t, "journal");
    table_cell(t, "library");
}

static void case_cells(struct table *t, const struct contention_run *run, size_t c, size_t a)
{
    table_cell(t, "%" PRId64 " ms", run->cases[c].busy_timeout);
    table_cell(t, "%s", run->cases[c].journal);
    table_cell(t, "%s", run->bench.libraries.at[a].name);
}

static void print_count(struct table *t, const struct contention_run *run, size_t c, size_t a,
                        enum contention_metric done, enum contention_metric busy)
{
    char text[NUMBER_TEXT_SIZE];
    const struct samples *m = contention_cell(run, c, a)->metric;
    const struct samples *base = contention_cell(run, c, 0)->metric;
    struct estimate count = stats_estimate(&m[done]);
    table_estimate(t, &count, 1, 0);
    if (a > 0 && has_ratio(&m[done], &base[done])) {
        struct estimate ratio = stats_ratio(&m[done], &base[done], NULL);
        table_ratio(t, &ratio);
    } else {
        table_cell(t, "%s", "");
    }
    table_cell(t, "%s", number_print(stats_median(&m[busy]), 0, text));
}

static void print_counts(const struct contention_run *run)
{
    struct table t;
    table_begin(&t, 3 + 6 + 1, 3);
    case_headings(&t);
    for (int role = 0; role < 2; role++) {
        table_cell(&t, role == 0 ? "writes" : "reads");
        table_cell(&t, "of %s", run->bench.libraries.at[0].name);
        table_cell(&t, "busy");
    }
    table_cell(&t, "published");
    for (size_t c = 0; c < run->case_count; c++)
        for (size_t a = 0; a < run->bench.libraries.count; a++) {
            const char *text = find_published(run, c);
            case_cells(&t, run, c, a);
            print_count(&t, run, c, a, WRITES, WRITES_BUSY);
            print_count(&t, run, c, a, READS, READS_BUSY);
            table_cell(&t, "%s", text ? text : "");
        }
    puts("Medians over the runs. \"busy\" are errors \"database is locked\"; what was done "
         "without\na busy_timeout in between depends on how soon a thread tries again.");
    table_end(&t, stdout);
    putchar('\n');
}

static void print_latencies(const struct contention_run *run)
{
    static const char *const heading[] = {"write p50", "p95", "p99", "read p50", "p95", "p99"};
    char text[NUMBER_TEXT_SIZE];
    struct table t;
    table_begin(&t, 3 + 6 + 1, 3);
    case_headings(&t);
    for (size_t i = 0; i < sizeof heading / sizeof heading[0]; i++)
        table_cell(&t, "%s", heading[i]);
    table_cell(&t, "seconds");
    for (size_t c = 0; c < run->case_count; c++)
        for (size_t a = 0; a < run->bench.libraries.count; a++) {
            const struct samples *m = contention_cell(run, c, a)->metric;
            case_cells(&t, run, c, a);
            for (int i = WRITE_P50; i <= READ_P99; i++)
                table_cell(&t, "%s", number_print(stats_median(&m[i]), 1, text));
            table_cell(&t, "%s", number_print(stats_median(&m[ELAPSED]), 2, text));
        }
    puts(
        "Microseconds that a write or a read took, waiting included, if it was done; and seconds\n"
        "until the last thread had ended.");
    table_end(&t, stdout);
    putchar('\n');
}

void contention_print(const struct contention_run *run)
{
    const struct contention_settings *set = &run->set;
    printf("Writers and readers at once (E6): %" PRId64 " and %" PRId64 ", %" PRId64
           " seconds, %" PRId64 " runs; t(id INTEGER PRIMARY KEY,\nv TEXT) with %" PRId64
           " rows of %" PRId64 " bytes; page size %" PRId64 ", synchronous=%s, seed %" PRId64
           "\n\n",
           set->writers, set->readers, set->seconds, set->runs, set->rows, set->value_bytes,
           set->page_size, set->synchronous, set->seed);
    libraries_print(&run->bench.libraries, stdout);
    putchar('\n');
    print_counts(run);
    print_latencies(run);
    puts(
        "Every row that a library said to have committed is there, once, with its content, and\n"
        "no other; integrity_check passed.");
}

void contention_judge(struct contention_run *run)
{
    for (size_t c = 0; c < run->case_count; c++)
        for (size_t a = 0; a < run->bench.libraries.count; a++) {
            const struct contention_case *k = &run->cases[c];
            const struct samples *m = contention_cell(run, c, a)->metric;
            double busy =
                stats_quantile(&m[WRITES_BUSY], 1) + stats_quantile(&m[READS_BUSY], 1);
            report_bound(&run->bench.report,
                         strcmp(k->journal, "wal") == 0 && run->set.writers <= 1 &&
                             k->busy_timeout > 0,
                         busy <= 0,
                         "contention %s, journal_mode=%s, busy_timeout %" PRId64
                         " ms, one writer: %.0f busy errors, none",
                         run->bench.libraries.at[a].name, k->journal, k->busy_timeout, busy);
        }
}
