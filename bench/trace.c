/*
** trace.c: `walbench trace`, experiment E5. The file operations of one single-row
** transaction, in order, for journal modes and synchronous settings; how many such
** transactions a second there are; and how often each makes the disk flush its cache.
*/
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "scratch.h"
#include "signals.h"

static const char *const journals[] = {"delete", "truncate", "persist", "wal", "off"};
static const char *const synchronous[] = {"off", "normal", "full", "extra"};

enum { JOURNALS = 5, SYNCHRONOUS = 4, ROLLBACK = 0, WAL = 1 };

static void describe(const struct trace_case *c, char what[80])
{
    (void)snprintf(what, 80, "journal_mode=%s, synchronous=%s", c->journal, c->synchronous);
}

static void add_counts(struct trace_run *run, const struct trace_case *c, size_t arm,
                       const struct kv_list *pragmas)
{
    static const char *const which[TRACE_WHICH] = {"first", "next"};
    const struct trace_cell *cell = &c->cell[arm];
    const struct trace_fact *fact = trace_fact(c->journal, c->synchronous);
    for (int i = 0; i < TRACE_WHICH; i++) {
        struct kv_list parameters = {NULL, 0};
        char syncs[40] = "";
        struct record one = {.arm = &run->bench.libraries.at[arm],
                             .parameters = &parameters,
                             .pragmas = pragmas,
                             .metric = "syncs",
                             .unit = "calls"};
        kv_text(&parameters, "case_journal_mode", c->journal);
        kv_text(&parameters, "case_synchronous", c->synchronous);
        kv_text(&parameters, "transaction", which[i]);
        kv_text(&parameters, "calls", cell->calls[i]);
        if (fact != NULL && i == TRACE_FIRST && run->set.page_size == 4096) {
            (void)snprintf(syncs, sizeof syncs, "%d (SQLite 3.51.2)", fact->syncs);
            one.published = syncs;
        }
        report_add_number(&run->bench.report, &one, (double)cell->syncs[i]);
        one.metric = "bytes_written";
        one.unit = "bytes";
        one.published = NULL;
        report_add_number(&run->bench.report, &one, (double)cell->bytes[i]);
        kv_free(&parameters);
    }
}

static void take_calls(struct trace_run *run, struct trace_case *c, size_t arm,
                       const struct result *r, struct fail *f)
{
    struct trace_cell *cell = &c->cell[arm];
    struct kv_list pragmas = {NULL, 0};
    cell->calls[TRACE_FIRST] = mem_copy(result_text(r, "first.calls", f));
    cell->calls[TRACE_NEXT] = mem_copy(result_text(r, "next.calls", f));
    cell->syncs[TRACE_FIRST] = (int64_t)result_number(r, "first.syncs", f);
    cell->syncs[TRACE_NEXT] = (int64_t)result_number(r, "next.syncs", f);
    cell->bytes[TRACE_FIRST] = (int64_t)result_number(r, "first.bytes", f);
    cell->bytes[TRACE_NEXT] = (int64_t)result_number(r, "next.bytes", f);
    bench_pragmas(&pragmas, r);
    if (f->status == 0)
        add_counts(run, c, arm, &pragmas);
    kv_free(&pragmas);
}

static void take_times(struct trace_case *c, size_t arm, const struct result *r, struct fail *f)
{
    struct trace_cell *cell = &c->cell[arm];
    double seconds = result_number(r, "nanoseconds", f) / 1e9;
    double flushes = result_number(r, "flushes", f);
    if (f->status != 0)
        return;
    samples_add(&cell->seconds, seconds);
    samples_add(&cell->rate, (double)c->transactions / seconds);
    samples_add(&cell->counted, flushes);
}

/* What the first arm left is what all the others must leave. */
static int judge(struct trace_run *run, const struct trace_case *c, size_t arm, bool timed,
                 struct fail *f)
{
    struct observation seen;
    char what[80];
    /* Where nothing is synced there are other numbers of transactions. */
    int kind = strcmp(c->synchronous, "off") == 0;
    struct hash_value *expected = timed ? &run->timed[kind] : &run->traced;
    bool *known = timed ? &run->timed_known[kind] : &run->traced_known;
    if (observer_examine(&run->bench.observer, run->work, &seen, f) != 0)
        return f->status;
    if (!*known)
        *expected = seen.content;
    *known = true;
    describe(c, what);
    (void)bench_judge(&seen, *expected, run->bench.libraries.at[arm].name, what, f);
    observation_free(&seen);
    return f->status;
}

static int run_arm(struct trace_run *run, struct trace_case *c, size_t arm, bool timed,
                   struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[arm];
    struct kv_list args = {NULL, 0};
    struct result result;
    char what[80];
    describe(c, what);
    progress_show(&run->progress, what, 0, 0);
    if (file_copy(run->pristine[strcmp(c->journal, "wal") == 0], run->work, f) != 0)
        return f->status;
    kv_text(&args, "path", run->work);
    kv_text(&args, "journal_mode", c->journal);
    kv_text(&args, "synchronous", c->synchronous);
    kv_int(&args, "page_size", run->set.page_size);
    kv_int(&args, "transactions", timed ? c->transactions : 0);
    kv_text(&args, "disk", run->disk.name);
    if (proc_run(library->path, "trace", &args, NULL, &result, f) == 0) {
        if (judge(run, c, arm, timed, f) == 0 && timed)
            take_times(c, arm, &result, f);
        else if (f->status == 0)
            take_calls(run, c, arm, &result, f);
        result_free(&result);
    }
    kv_free(&args);
    scratch_remove_database(run->work);
    run->progress.steps_done++;
    return f->status;
}

/* How often others make the disk flush, while nothing is done here. */
static int watch_idle(struct trace_run *run, struct fail *f)
{
    struct timespec pause = {run->set.idle_ms / 1000, run->set.idle_ms % 1000 * 1000000};
    if (run->disk.name[0] == 0 || run->set.idle_ms == 0)
        return f->status;
    progress_show(&run->progress, "idle", 0, 0);
    int64_t before = flushes_read(run->disk.name), start = clock_now();
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR && signals_check(f) == 0)
        ;
    double seconds = (double)(clock_now() - start) / 1e9;
    int64_t after = flushes_read(run->disk.name);
    if (f->status == 0 && (before < 0 || after < before))
        return fail_set(f, STATUS_MISMATCH, "cannot read the flushes of %s", run->disk.name);
    samples_add(&run->idle, (double)(after - before) / seconds);
    return f->status;
}

static int run_all(struct trace_run *run, struct fail *f)
{
    size_t arms = run->bench.libraries.count;
    for (size_t i = 0; i < run->count; i++)
        for (size_t a = 0; f->status == 0 && a < arms; a++)
            (void)run_arm(run, &run->cases[i], (a + i) % arms, false, f);
    for (int64_t t = 0; f->status == 0 && t < run->set.trials; t++) {
        (void)watch_idle(run, f);
        for (size_t i = 0; i < run->count; i++)
            for (size_t a = 0; run->cases[i].timed && f->status == 0 && a < arms; a++)
                (void)run_arm(run, &run->cases[i], (a + (size_t)t + i) % arms, true, f);
    }
    return f->status;
}

/* The idle rate is known as well as it can be only at the end. */
static void add_times(struct trace_run *run)
{
    double idle = stats_mean(&run->idle);
    const struct libraries *set = &run->bench.libraries;
    struct record one = {.metric = "idle_flushes", .unit = "flushes a second"};
    if (run->idle.count > 0)
        report_add(&run->bench.report, &one, &run->idle);
    for (size_t i = 0; i < run->count; i++) {
        struct trace_case *c = &run->cases[i];
        const struct trace_fact *fact = trace_fact(c->journal, c->synchronous);
        bool published = fact != NULL && run->set.page_size == 4096;
        struct kv_list parameters = {NULL, 0};
        if (!c->timed)
            continue;
        kv_text(&parameters, "case_journal_mode", c->journal);
        kv_text(&parameters, "case_synchronous", c->synchronous);
        kv_int(&parameters, "transactions", c->transactions);
        for (size_t a = 0; a < set->count; a++) {
            struct trace_cell *cell = &c->cell[a];
            for (size_t k = 0; k < cell->counted.count; k++)
                samples_add(&cell->flushes, (cell->counted.at[k] - idle * cell->seconds.at[k]) /
                                                (double)c->transactions);
            one = (struct record){
                .arm = &set->at[a],
                .parameters = &parameters,
                .metric = "rate",
                .unit = "transactions a second",
                .published = published && trace_rate_published(c->synchronous, c->transactions)
                                 ? fact->rate
                                 : NULL};
            report_add(&run->bench.report, &one, &cell->rate);
            if (a > 0)
                (void)report_add_ratio(&run->bench.report, &one, &set->at[0], &cell->rate,
                                       &c->cell[0].rate);
            if (run->disk.name[0] == 0)
                continue;
            one.metric = "flushes";
            one.unit = "flushes a transaction";
            one.published = published ? fact->flushes : NULL;
            report_add(&run->bench.report, &one, &cell->flushes);
            one.metric = "flushes_counted";
            one.unit = "flushes";
            one.published = NULL;
            report_add(&run->bench.report, &one, &cell->counted);
        }
        kv_free(&parameters);
    }
}

static int build(struct trace_run *run, int kind, const char *name, struct fail *f)
{
    struct db db;
    run->pristine[kind] = scratch_file(name);
    if (db_open(&db, &run->bench.observer.api, run->pristine[kind], f) != 0)
        return f->status;
    (void)db_exec(&db, f, "PRAGMA page_size=%d", (int)run->set.page_size);
    (void)db_exec(&db, f, "PRAGMA journal_mode=%s", kind == WAL ? "wal" : "delete");
    (void)db_exec(&db, f, "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)");
    return db_close(&db, f);
}

static int measure(struct trace_run *run, struct fail *f)
{
    const struct trace_settings *set = &run->set;
    if (bench_open(&run->bench, "E5", "trace", &set->common, 50e6, f) == 0) {
        struct kv_list *common = &run->bench.report.common;
        kv_int(common, "page_size", set->page_size);
        kv_int(common, "trials", set->trials);
        kv_int(common, "idle_ms", set->idle_ms);
        run->disk = flushes_find(scratch_path());
        kv_text(common, "disk", run->disk.name);
        run->work = scratch_file("work.db");
        run->progress.what = "trace";
        for (size_t i = 0; i < run->count; i++)
            run->progress.steps += (int64_t)run->bench.libraries.count *
                                   (1 + (run->cases[i].timed ? set->trials : 0));
        if (build(run, ROLLBACK, "rollback.db", f) == 0 && build(run, WAL, "wal.db", f) == 0)
            (void)run_all(run, f);
        progress_clear(&run->progress);
    }
    if (f->status == 0) {
        if (set->trials > 0)
            add_times(run);
        trace_print(run);
        trace_judge(run);
    }
    free(run->pristine[ROLLBACK]);
    free(run->pristine[WAL]);
    free(run->work);
    return bench_close(&run->bench, f);
}

static int make_cases(struct trace_run *run, struct fail *f)
{
    bool journal[JOURNALS] = {false}, timed[JOURNALS] = {false}, sync[SYNCHRONOUS] = {false};
    if (options_choose("--journal-modes", run->set.journals, "all", journals, journal, JOURNALS,
                       f) != 0 ||
        options_choose("--timed", run->set.timed, "all", journals, timed, JOURNALS, f) != 0 ||
        options_choose("--synchronous", run->set.synchronous, "all", synchronous, sync,
                       SYNCHRONOUS, f) != 0)
        return f->status;
    for (int j = 0; j < JOURNALS; j++)
        for (int s = 0; s < SYNCHRONOUS; s++) {
            if (!journal[j] || !sync[s])
                continue;
            run->cases = mem_grow(run->cases, run->count + 1, sizeof run->cases[0]);
            struct trace_case *c = &run->cases[run->count++];
            memset(c, 0, sizeof *c);
            c->journal = journals[j];
            c->synchronous = synchronous[s];
            c->timed = timed[j] && run->set.trials > 0;
            c->transactions = s == 0 ? run->set.transactions_off : run->set.transactions;
        }
    return 0;
}

static void free_run(struct trace_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        for (size_t a = 0; a < LIBRARIES_MOST; a++) {
            struct trace_cell *cell = &run->cases[i].cell[a];
            free(cell->calls[TRACE_FIRST]);
            free(cell->calls[TRACE_NEXT]);
            samples_free(&cell->rate);
            samples_free(&cell->seconds);
            samples_free(&cell->counted);
            samples_free(&cell->flushes);
        }
    free(run->cases);
    samples_free(&run->idle);
    free(run->set.common.libraries.at);
    free(run);
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench trace [OPTION...]\n"
        "\n"
        "A database with one empty table; one INSERT of one row in a transaction of its own.\n"
        "The system calls that change files are recorded in order, between the library and\n"
        "the system, for every journal mode and synchronous setting: writes as SIZE@OFFSET,\n"
        "ftruncate with the size that is left. The first transaction of a connection comes\n"
        "with the opening of its files, the next one shows what repeats. What the -shm file\n"
        "gets through a memory map, and closing the database, are not shown.\n"
        "\n"
        "Then so many of these transactions are timed, each library in turns, and the flushes\n"
        "that the disk completes meanwhile are taken from /proc/diskstats, less those that\n"
        "come while nothing is done. They count what every process on the machine makes the\n"
        "disk do: run it alone.\n");
    options_print(options, stdout);
}

int command_trace(int argc, char **argv, struct fail *f)
{
    struct trace_run *run = mem_get(sizeof *run);
    struct trace_settings *set = &run->set;
    *set = (struct trace_settings){.journals = "all",
                                   .synchronous = "all",
                                   .timed = "delete,wal",
                                   .page_size = 4096,
                                   .trials = 10,
                                   .transactions = 500,
                                   .transactions_off = 5000,
                                   .idle_ms = 1000};
    const struct option options[] = {
        {.name = "--journal-modes",
         .kind = OPTION_TEXT,
         .target = &set->journals,
         .argument = "LIST",
         .standard = "all",
         .help = "Of delete,truncate,persist,wal,off, or all."},
        {.name = "--synchronous",
         .kind = OPTION_TEXT,
         .target = &set->synchronous,
         .argument = "LIST",
         .standard = "all",
         .help = "Of off,normal,full,extra, or all."},
        {.name = "--timed",
         .kind = OPTION_TEXT,
         .target = &set->timed,
         .argument = "LIST",
         .standard = "delete,wal",
         .help = "Those of the journal modes in which transactions are timed too, or all."},
        TRIALS_OPTION(
            set->trials, 0,
            "Timed trials of each mode and library; 0: nothing is timed. Intervals need six."),
        {.name = "--transactions",
         .kind = OPTION_INT,
         .target = &set->transactions,
         .least = 1,
         .most = 10000000,
         .argument = "N",
         .standard = "500 transactions, as published",
         .help = "In a timed trial."},
        {.name = "--transactions-off",
         .kind = OPTION_INT,
         .target = &set->transactions_off,
         .least = 1,
         .most = 10000000,
         .argument = "N",
         .standard = "5000 transactions, as published",
         .help = "In a timed trial with synchronous=OFF."},
        {.name = "--idle",
         .kind = OPTION_INT,
         .target = &set->idle_ms,
         .least = 0,
         .most = 3600000,
         .argument = "N",
         .standard = "1000 milliseconds",
         .help = "How long before each round of trials the flushes of others are counted."},
        PAGE_SIZE_OPTION(set->page_size),
        COMMON_OPTIONS(set->common),
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (make_cases(run, f) == 0)
        (void)measure(run, f);
    free_run(run);
    return f->status;
}
