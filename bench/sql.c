/*
** sql.c: `walbench sql`, a workload of the user's own, from files with SQL. Transactions
** are counted and, in runs of their own, timed.
*/
#include "sql.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

/* What an arm says once a transaction, or once for each sampled one. */
static const struct {
    const char *name, *unit;
    bool sampled, log;
} said[] = {
    {"written", "pages", false, false},
    {"needed", "pages", true, false},
    {"written_where_needed", "pages", true, false},
    {"pages_freed", "pages", true, false},
    {"pages_taken", "pages", true, false},
    {"frames_superseded", "frames", true, true},
    {"frames_unchanged", "frames", true, true},
    {"frames_free", "frames", true, true},
    {"frames_cut", "frames", true, true},
};

/* Samples for which there may be none. */
static double sum_of(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->at[i].name, name) == 0)
            return stats_sum(&r->at[i].samples);
    return 0;
}

static void take_counts(struct sql_run *run, size_t arm, const struct result *r, struct fail *f)
{
    static const char *const file[SQL_FILES] = {"wal", "database", "journal", "subjournal"};
    struct sql_cell *cell = &run->cell[arm];
    struct kv_list pragmas = {NULL, 0};
    struct record like = {.arm = &run->bench.libraries.at[arm], .pragmas = &pragmas};
    bool sampled = run->set.sample > 0 && run->set.sample <= run->set.commits;
    bench_pragmas(&pragmas, r);
    run->wal = result_number(r, "wal", f) > 0;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        struct record one = like;
        if ((said[i].sampled && !sampled) ||
            (said[i].log && (!run->wal || run->set.autocheckpoint)))
            continue;
        one.metric = said[i].name;
        one.unit = said[i].unit;
        report_add(&run->bench.report, &one, result_samples(r, said[i].name, f));
    }
    bench_counts(&run->bench, &like, r, "commit");
    bench_counts(&run->bench, &like, r, "checkpoint");
    cell->written = sum_of(r, "written");
    cell->needed = sum_of(r, "needed");
    cell->sampled = sum_of(r, "written_where_needed");
    cell->superseded = sum_of(r, "frames_superseded");
    cell->unchanged = sum_of(r, "frames_unchanged");
    cell->free = sum_of(r, "frames_free");
    cell->cut = sum_of(r, "frames_cut");
    for (int i = 0; i < SQL_FILES; i++) {
        char name[2][60];
        (void)snprintf(name[0], sizeof name[0], "commit.%s.bytes", file[i]);
        (void)snprintf(name[1], sizeof name[1], "checkpoint.%s.bytes", file[i]);
        cell->bytes[i] = sum_of(r, name[0]) + sum_of(r, name[1]);
    }
    kv_free(&pragmas);
}

static int judge(struct sql_run *run, size_t arm, bool first, struct fail *f)
{
    struct observation seen;
    const struct libraries *set = &run->bench.libraries;
    if (observer_examine(&run->bench.observer, run->work, &seen, f) != 0)
        return f->status;
    if (first)
        run->expected = seen.content;
    if (strcmp(seen.integrity, "ok") != 0)
        fail_set(f, STATUS_MISMATCH, "%s: integrity_check says: %.400s", set->at[arm].name,
                 seen.integrity);
    else if (seen.content.high != run->expected.high || seen.content.low != run->expected.low)
        fail_set(
            f, STATUS_MISMATCH,
            "%s leaves other content than %s did: the libraries did different work, or the "
            "SQL does not do the same each time (random(), randomblob(), the time of day "
            "such as datetime('now'), the order of rows under a LIMIT without ORDER BY); "
            "use :n, :random, :text or :blob for what should vary",
            set->at[arm].name, set->at[0].name);
    observation_free(&seen);
    return f->status;
}

static void give_args(const struct sql_run *run, bool timed, struct kv_list *args)
{
    const struct sql_settings *set = &run->set;
    kv_text(args, "path", run->work);
    kv_text(args, "txn", set->txn);
    kv_int(args, "commits", set->commits);
    kv_int(args, "sample", set->sample);
    kv_int(args, "wrap", run->wrap);
    kv_int(args, "autocheckpoint", set->autocheckpoint);
    kv_int(args, "seed", set->seed);
    kv_int(args, "value_bytes", set->value_bytes);
    kv_int(args, "timed", timed);
    if (timed)
        kv_text(args, "keep_stmtjrnl_spill", "1");
    for (size_t i = 0; i < set->pragmas.count; i++) {
        char key[30];
        (void)snprintf(key, sizeof key, "pragma%zu", i);
        kv_text(args, key, set->pragmas.at[i]);
    }
}

static int run_arm(struct sql_run *run, size_t arm, bool timed, bool first, struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[arm];
    struct kv_list args = {NULL, 0};
    struct result result;
    progress_show(&run->progress, library->name, 0, 0);
    if (file_copy(run->pristine, run->work, f) != 0)
        return f->status;
    give_args(run, timed, &args);
    if (proc_run(library->path, "sql", &args, &run->progress, &result, f) == 0) {
        if (judge(run, arm, first, f) == 0 && !timed)
            take_counts(run, arm, &result, f);
        else if (f->status == 0)
            samples_add(&run->cell[arm].seconds, result_number(&result, "nanoseconds", f) /
                                                     1e9 / (double)run->set.commits);
        result_free(&result);
    } else {
        struct fail cause = *f;
        *f = (struct fail){0};
        fail_set(f, cause.status, "%.700s (%s)", cause.text, library->name);
    }
    kv_free(&args);
    scratch_remove_database(run->work);
    run->progress.steps_done++;
    return f->status;
}

static void add_times(struct sql_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    for (size_t a = 0; a < set->count; a++) {
        struct record one = {
            .arm = &set->at[a], .metric = "time", .unit = "seconds a transaction"};
        report_add(&run->bench.report, &one, &run->cell[a].seconds);
        if (a > 0)
            (void)report_add_ratio(&run->bench.report, &one, &set->at[0], &run->cell[a].seconds,
                                   &run->cell[0].seconds);
    }
}

static int run_all(struct sql_run *run, struct fail *f)
{
    size_t arms = run->bench.libraries.count;
    for (size_t a = 0; f->status == 0 && a < arms; a++)
        (void)run_arm(run, a, false, a == 0, f);
    for (int64_t t = 0; t < run->set.trials; t++)
        for (size_t a = 0; f->status == 0 && a < arms; a++)
            (void)run_arm(run, (a + (size_t)t) % arms, true, false, f);
    if (f->status == 0 && run->set.trials > 0)
        add_times(run);
    return f->status;
}

static void say_common(struct sql_run *run)
{
    const struct sql_settings *set = &run->set;
    struct kv_list *common = &run->bench.report.common;
    char hash[HASH_TEXT_SIZE];
    if (set->database != NULL)
        kv_text(common, "database", set->database);
    if (set->setup != NULL) {
        kv_text(common, "setup", set->setup);
        hash_print(script_hash(&run->setup), hash);
        kv_text(common, "setup_hash", hash);
    }
    kv_text(common, "txn", set->txn);
    hash_print(script_hash(&run->txn), hash);
    kv_text(common, "txn_hash", hash);
    kv_int(common, "commits", set->commits);
    kv_int(common, "value_bytes", set->value_bytes);
    kv_int(common, "seed", set->seed);
    kv_int(common, "sample", set->sample);
    kv_int(common, "trials", set->trials);
    kv_text(common, "wrapped", run->wrap ? "yes" : "no");
    kv_text(common, "checkpoint", set->autocheckpoint ? "auto" : "every transaction");
}

static int measure(struct sql_run *run, struct fail *f)
{
    const struct sql_settings *set = &run->set;
    double size = set->database != NULL ? (double)file_size(set->database) : 0;
    if (bench_open(&run->bench, "sql", "sql", &set->common, 100e6 + 3 * size, f) == 0) {
        run->pristine = scratch_file("pristine.db");
        run->work = scratch_file("work.db");
        run->progress.what = "sql";
        run->progress.steps = (int64_t)run->bench.libraries.count * (1 + set->trials);
        if (sql_prepare(run, f) == 0) {
            say_common(run);
            (void)run_all(run, f);
        }
        progress_clear(&run->progress);
    }
    if (f->status == 0) {
        sql_print(run);
        sql_judge(run);
    }
    free(run->pristine);
    free(run->work);
    return bench_close(&run->bench, f);
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench sql [--setup FILE] [--database FILE] --txn FILE [OPTION...]\n"
        "\n"
        "A workload of your own. SQL in one file makes the database, or a copy of one that is\n"
        "there is taken, which should not be in use meanwhile; SQL in another file is one\n"
        "transaction, played again and again with every library. An example:\n"
        "\n"
        "  walbench sql --setup bench/examples/log-setup.sql \\\n"
        "    --txn bench/examples/log-txn.sql --commits 200 --value-bytes 200\n"
        "\n"
        "The statements of --txn may use parameters: :n, the number of the transaction, from\n"
        "1; :random, a random integer of 64 bits; :text and :blob, random values of\n"
        "--value-bytes. The last three are drawn anew for every statement, the same for every\n"
        "library. BEGIN and COMMIT are put around the file, unless the first word of one of\n"
        "its statements is BEGIN (that of a trigger is not the first) or --no-wrap is given.\n"
        "\n"
        "First the transactions are counted. In WAL mode the log is checkpointed after each,\n"
        "so that its frames are known, and compared with the needed pages: those whose live\n"
        "content has changed, free-list leaves left out. waste = frames / needed. In a rollback\n"
        "mode pages written to the database stand for frames. Then, in runs of their own with\n"
        "nothing counted and SQLite's own checkpoints, they are timed. What is left must have\n"
        "the same content for every library, and pass integrity_check.\n"
        "\n"
        "A mistake in the SQL ends the run with FILE:LINE and SQLite's message, status 2.\n");
    options_print(options, stdout);
}

static int check(struct sql_run *run, struct fail *f)
{
    const struct sql_settings *set = &run->set;
    if (set->txn == NULL)
        return fail_set(f, STATUS_UNUSABLE, "--txn is missing (see walbench sql --help)");
    if (set->setup == NULL && set->database == NULL)
        return fail_set(f, STATUS_UNUSABLE,
                        "neither --setup nor --database is given (see walbench sql --help)");
    if (sql_pragmas_check(&set->pragmas, f) != 0 ||
        (set->setup != NULL && script_read(&run->setup, set->setup, f) != 0))
        return f->status;
    if (script_read(&run->txn, set->txn, f) == 0 && script_is_empty(&run->txn))
        fail_set(f, STATUS_UNUSABLE, "%.300s: no statement", set->txn);
    return f->status;
}

static void free_run(struct sql_run *run)
{
    script_free(&run->setup);
    script_free(&run->txn);
    for (size_t a = 0; a < LIBRARIES_MOST; a++)
        samples_free(&run->cell[a].seconds);
    free(run->set.pragmas.at);
    free(run->set.common.libraries.at);
    free(run);
}

int command_sql(int argc, char **argv, struct fail *f)
{
    struct sql_run *run = mem_get(sizeof *run);
    struct sql_settings *set = &run->set;
    *set = (struct sql_settings){
        .commits = 100, .value_bytes = 100, .seed = 1, .sample = 1, .trials = 10};
    const struct option options[] = {
        {.name = "--setup",
         .kind = OPTION_TEXT,
         .target = &set->setup,
         .argument = "FILE",
         .standard = "none",
         .help = "SQL that makes the database, or goes on with the copy of --database."},
        {.name = "--database",
         .kind = OPTION_TEXT,
         .target = &set->database,
         .argument = "FILE",
         .standard = "none: an empty database",
         .help = "A database to begin with. It is copied, with its -wal, and never touched."},
        {.name = "--txn",
         .kind = OPTION_TEXT,
         .target = &set->txn,
         .argument = "FILE",
         .standard = "none; it must be given",
         .help = "SQL of one transaction."},
        {.name = "--commits",
         .kind = OPTION_INT,
         .target = &set->commits,
         .least = 1,
         .most = 100000000,
         .argument = "N",
         .standard = "100 transactions",
         .help = "How often it is played."},
        {.name = "--pragma",
         .kind = OPTION_LIST,
         .target = &set->pragmas,
         .argument = "NAME=VALUE",
         .standard = "journal_mode=wal and synchronous=normal; else the library's own",
         .help =
             "Set in every connection, read back and recorded. May be repeated. page_size,\n"
             "auto_vacuum and encoding are also set before --setup makes a new database."},
        {.name = "--value-bytes",
         .kind = OPTION_INT,
         .target = &set->value_bytes,
         .least = 0,
         .most = 100000000,
         .argument = "N",
         .standard = "100 bytes",
         .help = "Size of :text and :blob."},
        {.name = "--no-wrap",
         .kind = OPTION_FLAG,
         .target = &set->no_wrap,
         .standard = "off",
         .help =
             "Put no BEGIN and COMMIT around --txn: each statement is its own transaction.\n"
             "Counts are still those of the whole file."},
        {.name = "--autocheckpoint",
         .kind = OPTION_FLAG,
         .target = &set->autocheckpoint,
         .standard = "off: a checkpoint after each transaction",
         .help = "Count with SQLite's own checkpoints, every 1000 frames or as --pragma\n"
                 "wal_autocheckpoint says, so that the bytes are those of real use."},
        {.name = "--sample",
         .kind = OPTION_INT,
         .target = &set->sample,
         .least = 0,
         .most = 100000000,
         .argument = "N",
         .standard = "1, every transaction",
         .help = "Count needed pages for every N-th transaction only, which takes reading all\n"
                 "of the database; 0: never."},
        TRIALS_OPTION(
            set->trials, 0,
            "Timed runs of each library, in turns; 0: nothing is timed. Intervals need six."),
        SEED_OPTION(set->seed),
        COMMON_OPTIONS(set->common),
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (check(run, f) == 0)
        (void)measure(run, f);
    free_run(run);
    return f->status;
}
