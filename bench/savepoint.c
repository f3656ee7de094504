/*
** savepoint.c: `walbench savepoint`. What savepoints and statement journals write, and what
** they take: each kind of transaction is counted once with every library and then, in runs
** of their own, timed.
*/
#include "savepoint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

struct savepoint_cell *savepoint_cell(const struct savepoint_run *run, enum savepoint_kind kind,
                                      size_t c, size_t arm)
{
    return &run->row[kind].cell[c * LIBRARIES_MOST + arm];
}

void savepoint_cell_free(struct savepoint_cell *cell)
{
    samples_free(&cell->statements);
    samples_free(&cell->commit);
}

static void add_up(struct samples *sum, const struct samples *more)
{
    for (size_t i = 0; i < more->count; i++)
        if (i < sum->count)
            sum->at[i] += more->at[i];
        else
            samples_add(sum, more->at[i]);
}

struct savepoint_cell savepoint_sum(const struct savepoint_run *run, enum savepoint_kind kind,
                                    size_t arm)
{
    struct savepoint_cell sum = {.count = {0}};
    for (size_t c = 0; c < run->row[kind].cases.count; c++) {
        const struct savepoint_cell *cell = savepoint_cell(run, kind, c, arm);
        for (int i = 0; i < savepoint_counts_of(kind); i++)
            sum.count[i] += cell->count[i];
        add_up(&sum.statements, &cell->statements);
        add_up(&sum.commit, &cell->commit);
    }
    return sum;
}

static void case_parameters(struct kv_list *parameters, enum savepoint_kind kind,
                            const struct savepoint_case *c)
{
    kv_text(parameters, "case_kind", savepoint_kinds[kind]);
    if (!savepoint_is_grid(kind) || c == NULL)
        return;
    kv_int(parameters, "case_depth", c->depth);
    kv_int(parameters, "case_rolled_back", c->rolled_back);
    kv_int(parameters, "case_pages", c->pages);
}

/* An arm says every value once a case. */
static double value_of(const struct result *r, const char *name, size_t c, struct fail *f)
{
    const struct samples *s = result_samples(r, name, f);
    if (f->status == 0 && c >= s->count)
        fail_set(f, STATUS_MISMATCH, "an arm process said '%s' too seldom", name);
    return f->status == 0 ? s->at[c] : 0;
}

static void take_counts(struct savepoint_run *run, enum savepoint_kind kind, size_t arm,
                        const struct result *r, struct fail *f)
{
    struct savepoint_row *row = &run->row[kind];
    struct kv_list parameters = {NULL, 0};
    struct record like = {.arm = &run->bench.libraries.at[arm],
                          .parameters = &parameters,
                          .pragmas = &row->counted[arm]};
    bench_pragmas(&row->counted[arm], r);
    for (size_t c = 0; c < row->cases.count; c++)
        for (int i = 0; i < savepoint_counts_of(kind); i++)
            savepoint_cell(run, kind, c, arm)->count[i] =
                value_of(r, savepoint_counts[i], c, f);
    case_parameters(&parameters, kind, NULL);
    bench_counts(&run->bench, &like, r, "commit");
    bench_counts(&run->bench, &like, r, "checkpoint");
    kv_free(&parameters);
}

static void take_times(struct savepoint_run *run, enum savepoint_kind kind, size_t arm,
                       const struct result *r, struct fail *f)
{
    struct kv_list *pragmas = &run->row[kind].timed[arm];
    if (pragmas->count == 0)
        bench_pragmas(pragmas, r);
    for (size_t c = 0; c < run->row[kind].cases.count; c++) {
        struct savepoint_cell *cell = savepoint_cell(run, kind, c, arm);
        samples_add(&cell->statements, value_of(r, "statements", c, f));
        samples_add(&cell->commit, value_of(r, "commit", c, f));
    }
}

/* trial -1: counted. Each arm goes on with the database that it has worked on before. */
static int run_arm(struct savepoint_run *run, enum savepoint_kind kind, int64_t trial,
                   size_t arm, const char *path, struct fail *f)
{
    const struct savepoint_settings *set = &run->set;
    struct kv_list args = {NULL, 0};
    struct result result;
    kv_text(&args, "path", path);
    kv_int(&args, "kind", kind);
    kv_int(&args, "timed", trial >= 0);
    kv_int(&args, "random", set->seed + trial);
    kv_text(&args, "synchronous", set->synchronous);
    kv_text(&args, "depths", set->plan.depths);
    kv_text(&args, "rolled_back", set->plan.rolled_back);
    kv_text(&args, "pages", set->plan.pages);
    kv_int(&args, "rows", set->plan.rows);
    kv_int(&args, "cache", set->plan.cache);
    kv_int(&args, "transactions", set->plan.transactions);
    kv_int(&args, "megabytes", set->plan.megabytes);
    kv_int(&args, "page_size", set->plan.page_size);
    if (trial >= 0)
        kv_text(&args, "keep_stmtjrnl_spill", "1");
    progress_show(&run->progress, savepoint_kinds[kind], 0, 0);
    if (proc_run(run->bench.libraries.at[arm].path, "savepoint", &args, &run->progress, &result,
                 f) == 0) {
        (trial < 0 ? take_counts : take_times)(run, kind, arm, &result, f);
        result_free(&result);
    }
    kv_free(&args);
    run->progress.steps_done++;
    return f->status;
}

/* What the first library leaves is what the others must leave. */
static int judge(struct savepoint_run *run, enum savepoint_kind kind, size_t arm,
                 const char *path, struct hash_value *expected, struct fail *f)
{
    struct observation seen;
    if (observer_examine(&run->bench.observer, path, &seen, f) != 0)
        return f->status;
    if (arm == 0)
        *expected = seen.content;
    (void)bench_judge(&seen, *expected, run->bench.libraries.at[arm].name,
                      savepoint_kinds[kind], f);
    observation_free(&seen);
    return f->status;
}

static int run_arms(struct savepoint_run *run, enum savepoint_kind kind, char *const *work,
                    struct fail *f)
{
    size_t arms = run->bench.libraries.count;
    struct hash_value expected = {0, 0};
    for (int64_t t = -1; t < run->set.trials; t++)
        for (size_t a = 0; f->status == 0 && a < arms; a++) {
            size_t arm = (a + (size_t)(t + 1)) % arms;
            (void)run_arm(run, kind, t, arm, work[arm], f);
        }
    for (size_t a = 0; f->status == 0 && a < arms; a++)
        (void)judge(run, kind, a, work[a], &expected, f);
    return f->status;
}

static int run_kind(struct savepoint_run *run, enum savepoint_kind kind, struct fail *f)
{
    size_t arms = run->bench.libraries.count;
    const struct savepoint_cases *cases = &run->row[kind].cases;
    char *work[LIBRARIES_MOST] = {NULL}, name[32];
    run->row[kind].cell =
        mem_get(cases->count * LIBRARIES_MOST * sizeof run->row[kind].cell[0]);
    for (size_t a = 0; a < arms; a++) {
        (void)snprintf(name, sizeof name, "work%zu.db", a);
        work[a] = scratch_file(name);
    }
    progress_show(&run->progress, savepoint_kinds[kind], 0, 0);
    (void)savepoint_build(&run->bench.observer, work[0], &run->set.plan, kind,
                          savepoint_rows(&run->set.plan, kind, cases), run->set.seed, f);
    for (size_t a = 1; f->status == 0 && a < arms; a++)
        (void)file_copy(work[0], work[a], f);
    if (f->status == 0)
        (void)run_arms(run, kind, work, f);
    for (size_t a = 0; a < arms; a++) {
        scratch_remove_database(work[a]);
        free(work[a]);
    }
    return f->status;
}

static void record_cell(struct savepoint_run *run, enum savepoint_kind kind, size_t c,
                        size_t arm)
{
    const struct savepoint_cell *cell = savepoint_cell(run, kind, c, arm),
                                *base = savepoint_cell(run, kind, c, 0);
    const struct samples *time[] = {&cell->statements, &cell->commit};
    const struct samples *base_time[] = {&base->statements, &base->commit};
    static const char *const name[] = {"statements", "commit"};
    struct kv_list parameters = {NULL, 0};
    struct record one = {.arm = &run->bench.libraries.at[arm],
                         .parameters = &parameters,
                         .pragmas = &run->row[kind].counted[arm]};
    case_parameters(&parameters, kind, &run->row[kind].cases.at[c]);
    for (int i = 0; i < savepoint_counts_of(kind); i++) {
        one.metric = savepoint_counts[i];
        one.unit = i == COUNT_NEEDED                        ? "pages"
                   : i >= COUNT_DATABASE && i <= COUNT_TEMP ? "bytes"
                                                            : "frames";
        report_add_number(&run->bench.report, &one, cell->count[i]);
    }
    one.pragmas = &run->row[kind].timed[arm];
    for (int i = 0; i < 2 && cell->statements.count > 0; i++) {
        one.metric = name[i];
        one.unit = "nanoseconds a transaction";
        report_add(&run->bench.report, &one, time[i]);
        if (arm > 0)
            (void)report_add_ratio(&run->bench.report, &one, &run->bench.libraries.at[0],
                                   time[i], base_time[i]);
    }
    kv_free(&parameters);
}

static void say_common(struct savepoint_run *run)
{
    const struct savepoint_settings *set = &run->set;
    struct kv_list *common = &run->bench.report.common;
    kv_int(common, "rows", set->plan.rows);
    kv_int(common, "cache", set->plan.cache);
    kv_int(common, "transactions", set->plan.transactions);
    kv_int(common, "megabytes", set->plan.megabytes);
    kv_int(common, "page_size", set->plan.page_size);
    kv_text(common, "synchronous", set->synchronous);
    kv_int(common, "seed", set->seed);
    kv_int(common, "trials", set->trials);
    kv_text(common, "stmtjrnl_spill", "0 where bytes are counted, else the library's own");
}

/* A copy for every library, and the log of all of it. */
static double space_needed(const struct savepoint_run *run)
{
    size_t given = run->set.common.libraries.count;
    double most = 0, copies = (double)(given > 0 ? given : LIBRARIES_MOST) + 3;
    for (int k = 0; k < KINDS; k++)
        if (run->row[k].wanted) {
            double size =
                savepoint_size(&run->set.plan, (enum savepoint_kind)k, &run->row[k].cases);
            most = size > most ? size : most;
        }
    return copies * most + 20e6;
}

static int measure(struct savepoint_run *run, struct fail *f)
{
    const struct savepoint_settings *set = &run->set;
    if (bench_open(&run->bench, "savepoint", "savepoint", &set->common, space_needed(run), f) ==
        0) {
        size_t arms = run->bench.libraries.count;
        say_common(run);
        run->progress.what = "savepoint";
        for (int k = 0; k < KINDS; k++)
            run->progress.steps += run->row[k].wanted ? (int64_t)arms * (1 + set->trials) : 0;
        for (int k = 0; f->status == 0 && k < KINDS; k++) {
            enum savepoint_kind kind = (enum savepoint_kind)k;
            if (!run->row[k].wanted || run_kind(run, kind, f) != 0)
                continue;
            for (size_t c = 0; c < run->row[k].cases.count; c++)
                for (size_t a = 0; a < arms; a++)
                    record_cell(run, kind, c, a);
        }
        progress_clear(&run->progress);
    }
    if (f->status == 0) {
        savepoint_print(run);
        savepoint_judge(run);
    }
    return bench_close(&run->bench, f);
}

static int prepare(struct savepoint_run *run, struct fail *f)
{
    struct savepoint_plan *plan = &run->set.plan;
    /* `many` stands for two kinds: it is also made on a small file. */
    static const char *const names[] = {"update", "nested", "many", "spilled"};
    static const enum savepoint_kind kind[] = {KIND_UPDATE, KIND_NESTED, KIND_MANY,
                                               KIND_SPILLED};
    bool wanted[4] = {false};
    if (plan->transactions == 0)
        plan->transactions = run->set.full ? 100000 : 10000;
    if (plan->megabytes == 0)
        plan->megabytes = run->set.full ? 1000 : 200;
    if (options_choose("--only", run->set.only, "all", names, wanted, 4, f) != 0)
        return f->status;
    for (int i = 0; i < 4; i++)
        run->row[kind[i]].wanted = wanted[i];
    run->row[KIND_MANY_SMALL].wanted = run->row[KIND_MANY].wanted;
    for (int k = 0; f->status == 0 && k < KINDS; k++)
        (void)savepoint_cases(plan, (enum savepoint_kind)k, &run->row[k].cases, f);
    return f->status;
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench savepoint [OPTION...]\n"
        "\n"
        "What savepoints and statement journals write in WAL mode, and what they take:\n"
        "\n"
        "  update   BEGIN; an UPDATE of every row whose WHERE calls datetime() and so opens a\n"
        "           statement journal; COMMIT.\n"
        "  nested   A transaction of five chains of nested savepoints, for each depth, each\n"
        "           number of chains that are rolled back to their first savepoint, and each\n"
        "           number of pages that a savepoint changes. The pages are its own, and\n"
        "           one more that all of them change.\n"
        "  many     Small transactions: BEGIN; SAVEPOINT; an UPDATE of one row, by chance;\n"
        "           ROLLBACK TO in one half of them, by chance; RELEASE; COMMIT. On a large\n"
        "           file, and on one of 2 MB: nothing may depend on the size of the file.\n"
        "  spilled  As nested, but with a small cache, in a transaction that has changed every\n"
        "           second of these pages, and pages for twice the cache, before.\n"
        "\n"
        "First every transaction is counted: bytes, frames, and needed pages, which are those\n"
        "whose live content has changed. Sub-journals are then in files from their first byte\n"
        "on (SQLITE_CONFIG_STMTJRNL_SPILL 0, temp_store=FILE), so that all of their bytes are\n"
        "counted. Then, in runs of their own with sub-journals as the library has them, the\n"
        "statements and COMMIT are timed, short transactions of nested and spilled several at\n"
        "a time. The log is checkpointed after each transaction, where they are short after\n"
        "several; that is not timed. What is left must have the same content for every\n"
        "library, and pass integrity_check.\n"
        "\n"
        "With --check, libraries called subjournal or full, which record a page by its number\n"
        "if its original is in the snapshot, are held against what is then left: no copy of a\n"
        "page but that which all savepoints of a transaction change, and of rolled back chains\n"
        "no frame; patched against the sub-journals of stock.\n");
    options_print(options, stdout);
}

static void free_run(struct savepoint_run *run)
{
    for (int k = 0; k < KINDS; k++) {
        struct savepoint_row *row = &run->row[k];
        for (size_t i = 0; row->cell != NULL && i < row->cases.count * LIBRARIES_MOST; i++)
            savepoint_cell_free(&row->cell[i]);
        for (size_t a = 0; a < LIBRARIES_MOST; a++) {
            kv_free(&row->counted[a]);
            kv_free(&row->timed[a]);
        }
        free(row->cell);
        free(row->cases.at);
    }
    free(run->set.common.libraries.at);
    free(run);
}

int command_savepoint(int argc, char **argv, struct fail *f)
{
    struct savepoint_run *run = mem_get(sizeof *run);
    struct savepoint_settings *set = &run->set;
    *set = (struct savepoint_settings){.plan = {.depths = "1,4,16",
                                                .rolled_back = "0,1,5",
                                                .pages = "1,10,40",
                                                .rows = 200000,
                                                .cache = 100,
                                                .page_size = 4096},
                                       .only = "all",
                                       .synchronous = "normal",
                                       .trials = 10,
                                       .seed = 1};
    const struct option options[] = {
        {.name = "--only",
         .kind = OPTION_TEXT,
         .target = &set->only,
         .argument = "LIST",
         .standard = "all",
         .help = "Some of update, nested, many and spilled, separated by commas."},
        {.name = "--rows",
         .kind = OPTION_INT,
         .target = &set->plan.rows,
         .least = 1,
         .most = 100000000,
         .argument = "N",
         .standard = "200000 rows",
         .help = "Rows that update changes, of 200 bytes and more."},
        {.name = "--depths",
         .kind = OPTION_TEXT,
         .target = &set->plan.depths,
         .argument = "LIST",
         .standard = "1,4,16",
         .help = "nested and spilled: savepoints in a chain, one within the other."},
        {.name = "--rolled-back",
         .kind = OPTION_TEXT,
         .target = &set->plan.rolled_back,
         .argument = "LIST",
         .standard = "0,1,5",
         .help = "nested and spilled: chains that are rolled back, of the five."},
        {.name = "--pages",
         .kind = OPTION_TEXT,
         .target = &set->plan.pages,
         .argument = "LIST",
         .standard = "1,10,40 pages",
         .help = "nested and spilled: pages that a savepoint changes."},
        {.name = "--cache",
         .kind = OPTION_INT,
         .target = &set->plan.cache,
         .least = 10,
         .most = 1000000,
         .argument = "N",
         .standard = "100 pages",
         .help = "Pages in the cache of spilled. That of nested holds all that it changes."},
        {.name = "--transactions",
         .kind = OPTION_INT,
         .target = &set->plan.transactions,
         .least = 1,
         .most = 100000000,
         .argument = "N",
         .standard = "10000, with --full 100000",
         .help = "Small transactions of many, on each of its two files."},
        {.name = "--megabytes",
         .kind = OPTION_INT,
         .target = &set->plan.megabytes,
         .least = 1,
         .most = 1000000,
         .argument = "N",
         .standard = "200 MB, with --full 1000",
         .help = "Size of the large file of many; every library has a copy."},
        {.name = "--full",
         .kind = OPTION_FLAG,
         .target = &set->full,
         .standard = "off",
         .help = "many in full size."},
        PAGE_SIZE_OPTION(set->plan.page_size),
        TRIALS_OPTION(
            set->trials, 0,
            "Timed runs of each library, in turns; 0: nothing is timed. Intervals need six."),
        SEED_OPTION(set->seed),
        SYNCHRONOUS_OPTION(set->synchronous),
        COMMON_OPTIONS(set->common),
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (prepare(run, f) == 0)
        (void)measure(run, f);
    free_run(run);
    return f->status;
}
