/*
** workloads.c: `walbench workloads`. Patterns of real use, each library given the
** same statements: how many frames does each commit write, and how many pages had
** to be written at all?
*/
#include "workloads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

static const struct {
    const char *name, *unit;
} said[] = {{"frames", "frames"},
            {"frames_written", "frames"},
            {"needed", "pages"},
            {"frames_needed", "frames"},
            {"frames_superseded", "frames"},
            {"frames_unchanged", "frames"},
            {"frames_old_leaf", "frames"},
            {"frames_new_leaf", "frames"},
            {"frames_cut", "frames"},
            {"pages_freed", "pages"},
            {"pages_taken", "pages"},
            {"pages_beyond", "pages"},
            {"subjournal_bytes", "bytes"},
            {"checkpoint_pages", "pages"},
            {"lost_to_recovery", "frames"}};

static void record(struct workloads_run *run, struct workloads_row *row, size_t arm,
                   const struct result *r, struct fail *f)
{
    struct kv_list parameters = {NULL, 0}, pragmas = {NULL, 0};
    struct record like = {
        .arm = &run->bench.libraries.at[arm], .parameters = &parameters, .pragmas = &pragmas};
    kv_text(&parameters, "workload", row->w->name);
    kv_text(&parameters, "pattern", row->w->pattern);
    kv_int(&parameters, "rows", row->rows);
    kv_int(&parameters, "rounds", row->w->rounds);
    bench_pragmas(&pragmas, r);
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        struct record one = like;
        one.metric = said[i].name;
        one.unit = said[i].unit;
        report_add(&run->bench.report, &one, result_samples(r, said[i].name, f));
    }
    bench_counts(&run->bench, &like, r, "commit");
    bench_counts(&run->bench, &like, r, "checkpoint");
    row->cell[arm] = (struct workloads_cell){
        .frames = stats_sum(result_samples(r, "frames", f)),
        .written = stats_sum(result_samples(r, "frames_written", f)),
        .needed = stats_sum(result_samples(r, "needed", f)),
        .subjournal = stats_sum(result_samples(r, "commit.subjournal.bytes", f)),
        .copied = stats_sum(result_samples(r, "checkpoint.database.pages", f)),
        .superseded = stats_sum(result_samples(r, "frames_superseded", f)),
        .unchanged = stats_sum(result_samples(r, "frames_unchanged", f)),
        .old_leaf = stats_sum(result_samples(r, "frames_old_leaf", f)),
        .new_leaf = stats_sum(result_samples(r, "frames_new_leaf", f)),
        .cut = stats_sum(result_samples(r, "frames_cut", f)),
        .lost = stats_sum(result_samples(r, "lost_to_recovery", f)),
        .commits = result_samples(r, "frames", f)->count,
    };
    kv_free(&parameters);
    kv_free(&pragmas);
}

/* Puts in front of a message what it is about. */
static void say_where(const struct library *library, const char *what, struct fail *f)
{
    struct fail cause = *f;
    if (f->status != STATUS_MISMATCH)
        return;
    *f = (struct fail){0};
    fail_set(f, STATUS_MISMATCH, "%s, %s: %.500s", library->name, what, cause.text);
}

/* What the first library leaves is what the others must leave. */
static int run_arm(struct workloads_run *run, struct workloads_row *row, size_t arm,
                   struct hash_value *expected, bool first, struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[arm];
    struct kv_list args = {NULL, 0};
    struct result result;
    struct observation seen;
    char what[100];
    (void)snprintf(what, sizeof what, "workload %s, seed %" PRId64, row->w->name,
                   run->set.seed);
    if (file_copy(run->pristine, run->work, f) != 0)
        return f->status;
    kv_text(&args, "path", run->work);
    kv_text(&args, "workload", row->w->name);
    kv_int(&args, "rows", row->rows);
    kv_int(&args, "seed", run->set.seed);
    kv_int(&args, "cache", run->set.cache);
    kv_text(&args, "synchronous", run->set.synchronous);
    progress_show(&run->progress, row->w->name, 0, 0);
    if (proc_run(library->path, "workload", &args, &run->progress, &result, f) == 0) {
        if (observer_examine(&run->bench.observer, run->work, &seen, f) != 0) {
            say_where(library, what, f);
        } else {
            if (first)
                *expected = seen.content;
            if (bench_judge(&seen, *expected, library->name, what, f) == 0)
                record(run, row, arm, &result, f);
            observation_free(&seen);
        }
        result_free(&result);
    } else {
        say_where(library, what, f);
    }
    kv_free(&args);
    scratch_remove_database(run->work);
    run->progress.steps_done++;
    return f->status;
}

/* Is word one of a list that is separated by blanks? */
static bool has_word(const char *list, const char *word)
{
    size_t size = strlen(word);
    for (const char *p = list; (p = strstr(p, word)) != NULL; p += size)
        if ((p == list || p[-1] == ' ') && (p[size] == 0 || p[size] == ' '))
            return true;
    return false;
}

static int run_row(struct workloads_run *run, struct workloads_row *row, size_t turn,
                   struct fail *f)
{
    const struct libraries *set = &run->bench.libraries;
    struct hash_value expected = {0, 0};
    for (size_t a = 0; row->w->needs != NULL && a < set->count; a++)
        if (!has_word(set->at[a].compile_options, row->w->needs))
            row->lacks = set->at[a].name;
    if (row->lacks != NULL) {
        run->progress.steps_done += (int64_t)set->count;
        return 0;
    }
    progress_show(&run->progress, row->w->name, 0, 0);
    if (observer_build_workload(&run->bench.observer, run->pristine, row->w, row->rows,
                                run->set.seed, f) == 0)
        for (size_t a = 0; f->status == 0 && a < set->count; a++)
            (void)run_arm(run, row, (a + turn) % set->count, &expected, a == 0, f);
    scratch_remove_database(run->pristine);
    return f->status;
}

/* The largest row of any workload has some hundred bytes on average; a log of it all. */
static double space_needed(const struct workloads_run *run)
{
    double most = 0;
    for (size_t i = 0; i < run->count; i++) {
        double size = bench_table_size(run->row[i].rows, 200, 4096) + 20e6;
        most = size > most ? size : most;
    }
    return 3 * most;
}

static int measure(struct workloads_run *run, struct fail *f)
{
    const struct workloads_settings *set = &run->set;
    if (bench_open(&run->bench, "workloads", "workloads", &set->common, space_needed(run), f) ==
        0) {
        kv_int(&run->bench.report.common, "seed", set->seed);
        kv_int(&run->bench.report.common, "percent", set->percent);
        kv_text(&run->bench.report.common, "full", set->full ? "yes" : "no");
        kv_text(&run->bench.report.common, "stmtjrnl_spill", "0");
        if (set->cache > 0)
            kv_int(&run->bench.report.common, "cache", set->cache);
        run->pristine = scratch_file("pristine.db");
        run->work = scratch_file("work.db");
        run->progress.what = "workloads";
        run->progress.steps = (int64_t)(run->count * run->bench.libraries.count);
        for (size_t i = 0; f->status == 0 && i < run->count; i++)
            (void)run_row(run, &run->row[i], i, f);
        progress_clear(&run->progress);
    }
    if (f->status == 0)
        workloads_print(run);
    free(run->pristine);
    free(run->work);
    return bench_close(&run->bench, f);
}

static void add_row(struct workloads_run *run, const struct workload *w)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->row[i].w == w)
            return;
    run->row = mem_grow(run->row, run->count + 1, sizeof run->row[0]);
    run->row[run->count++] = (struct workloads_row){
        .w = w, .rows = workload_rows(w, run->set.percent, run->set.full)};
}

static int add_named(struct workloads_run *run, const char *name, size_t size, struct fail *f)
{
    const struct workload *w;
    bool found = false;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        const char *names[] = {w->name, w->group};
        bool here = false;
        for (size_t k = 0; k < 2; k++)
            here = here || (names[k] != NULL && strlen(names[k]) == size &&
                            memcmp(names[k], name, size) == 0);
        if (here)
            add_row(run, w);
        found = found || here;
    }
    if (!found)
        return fail_set(f, STATUS_UNUSABLE, "--only: '%.*s' is not known (see --list)",
                        (int)size, name);
    return 0;
}

static int choose(struct workloads_run *run, struct fail *f)
{
    const struct text_list *only = &run->set.only;
    const struct workload *w;
    for (size_t i = 0; only->count == 0 && (w = workload_at(i)) != NULL; i++)
        add_row(run, w);
    for (size_t i = 0; i < only->count; i++) {
        const char *text = only->at[i];
        for (;;) {
            size_t size = strcspn(text, ",");
            if (add_named(run, text, size, f) != 0)
                return f->status;
            if (text[size] == 0)
                break;
            text += size + 1;
        }
    }
    return 0;
}

static void list_all(void)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++)
        printf("%-24s  %-8s  %s\n", w->name, w->pattern, w->what);
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench workloads [OPTION...]\n"
        "\n"
        "Patterns of real use, and null controls in which nothing can be saved. Every library\n"
        "starts from a copy of one and the same file and is given the same statements. After\n"
        "each transaction the log is checkpointed, and needed pages are counted: those whose\n"
        "live content has changed, free-list leaves left out. waste = frames / needed. What\n"
        "they leave must have the same content for every library, and pass integrity_check.\n"
        "Sub-journals are in files from their first byte on (SQLITE_CONFIG_STMTJRNL_SPILL 0,\n"
        "temp_store=FILE), so that all of their bytes are counted. No times are measured.\n"
        "The workload fts5 needs libraries with FTS5, which upstream's default lacks:\n"
        "./configure CFLAGS=\"-g -O2 -DSQLITE_ENABLE_FTS5\"\n"
        "\n"
        "With --check, libraries called subjournal or full, which record a page by its number\n"
        "for a savepoint, are held against bounds of their own as well.\n");
    options_print(options, stdout);
}

int command_workloads(int argc, char **argv, struct fail *f)
{
    struct workloads_run *run = mem_get(sizeof *run);
    struct workloads_settings *set = &run->set;
    *set = (struct workloads_settings){.percent = 100, .seed = 1, .synchronous = "normal"};
    const struct option options[] = {
        {.name = "--only",
         .kind = OPTION_LIST,
         .target = &set->only,
         .argument = "NAME[,NAME...]",
         .standard = "all of them",
         .help = "Workloads to run, or a group of them, such as geometry. May be repeated."},
        {.name = "--list",
         .kind = OPTION_FLAG,
         .target = &set->list,
         .standard = "off",
         .help = "Name all workloads, with the pattern that each is of, and end."},
        {.name = "--percent",
         .kind = OPTION_INT,
         .target = &set->percent,
         .least = 1,
         .most = 10000,
         .argument = "N",
         .standard = "100 per cent",
         .help = "Size of the tables; at least 100 rows. The bounds of waste and sub-journals\n"
                 "are applied from 25 to 100."},
        {.name = "--full",
         .kind = OPTION_FLAG,
         .target = &set->full,
         .standard = "off",
         .help = "big-delete with 2.6 million rows instead of 260,000."},
        {.name = "--cache",
         .kind = OPTION_INT,
         .target = &set->cache,
         .least = 1,
         .most = 1000000,
         .argument = "PAGES",
         .standard = "as each workload has it",
         .help =
             "PRAGMA cache_size of all workloads. With room for every page nothing is\n"
             "spilled, and what is still wasted has another reason. The bounds of sub-journals\n"
             "in patched are not applied then."},
        SEED_OPTION(set->seed),
        SYNCHRONOUS_OPTION(set->synchronous),
        COMMON_OPTIONS(set->common),
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (set->list)
        list_all();
    else if (choose(run, f) == 0)
        (void)measure(run, f);
    free(set->only.at);
    free(set->common.libraries.at);
    free(run->row);
    free(run);
    return f->status;
}
