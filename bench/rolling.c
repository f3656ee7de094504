/*
** rolling.c: `walbench rolling`, experiment E2. A log of constant length: every
** transaction inserts the newest rows and deletes the oldest. How many frames
** does a commit write, and how many pages had to be written at all?
*/
#include "rolling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

const struct rolling_mode rolling_modes[MODES] = {
    {"none", "none", 0},
    {"full", "full", 0},
    {"incremental", "incremental", 1},
    {"incremental-100", "incremental", 100},
    {"vacuum", "none", 0},
};
const char *const rolling_orders[ORDERS] = {"insert-delete", "delete-insert"};
const char *const rolling_indexes[INDEXES] = {"no", "yes"};

struct rolling_cell *rolling_cell_at(struct rolling_run *run, const struct rolling_where *w)
{
    return &run->cell[w->mode][w->order][w->index][w->arm];
}

bool rolling_is_published(const struct rolling_settings *set)
{
    return set->rows == 1000000 && set->batch == 1000 && set->commits >= 2000 &&
           set->least == 150 && set->most == 250 && set->page_size == 4096 &&
           strcmp(set->secure_delete, "off") == 0 && strcmp(set->cache, "default") == 0;
}

static const char *published_frames(const struct rolling_run *run,
                                    const struct rolling_where *w)
{
    if (!rolling_is_published(&run->set) || w->order != 0 || w->index != 0)
        return NULL;
    if (w->mode == NONE)
        return "116 (SQLite 3.53.1)";
    return w->mode == FULL ? "67 (SQLite 3.53.1)" : NULL;
}

static void add_metric(struct rolling_run *run, const struct record *like, const char *metric,
                       const char *unit, const char *published, const struct samples *samples)
{
    struct record record = *like;
    record.metric = metric;
    record.unit = unit;
    record.published = published;
    report_add(&run->bench.report, &record, samples);
}

static void add_number(struct rolling_run *run, const struct record *like, const char *metric,
                       const char *unit, double value)
{
    struct samples one = {&value, 1};
    add_metric(run, like, metric, unit, NULL, &one);
}

static void record_layout(struct rolling_run *run, const struct record *like,
                          struct rolling_cell *cell, const struct observation *seen)
{
    samples_add(&cell->file_bytes, (double)(seen->page_count * seen->page_size));
    samples_add(&cell->free_pages, (double)seen->free_count);
    samples_add(&cell->table_run, seen->table.mean_run);
    samples_add(&cell->table_next, seen->table.next_share);
    add_number(run, like, "file_bytes", "bytes", (double)(seen->page_count * seen->page_size));
    add_number(run, like, "free_pages", "pages", (double)seen->free_count);
    add_number(run, like, "table_leaves", "pages", (double)seen->table.leaves);
    add_number(run, like, "table_mean_run", "pages", seen->table.mean_run);
    add_number(run, like, "table_next_share", "share", seen->table.next_share);
    if (seen->index.leaves == 0)
        return;
    samples_add(&cell->index_run, seen->index.mean_run);
    samples_add(&cell->index_next, seen->index.next_share);
    add_number(run, like, "index_leaves", "pages", (double)seen->index.leaves);
    add_number(run, like, "index_mean_run", "pages", seen->index.mean_run);
    add_number(run, like, "index_next_share", "share", seen->index.next_share);
}

static void record_commits(struct rolling_run *run, const struct record *like,
                           const struct rolling_where *w, const struct result *r,
                           struct fail *f)
{
    static const struct {
        const char *name, *unit;
    } said[] = {{"frames", "frames"},
                {"frames_rewritten", "frames"},
                {"wal_bytes", "bytes"},
                {"checkpoint_pages", "pages"},
                {"checkpoint_bytes", "bytes"},
                {"needed", "pages"},
                {"frames_where_needed", "frames"},
                {"pages_freed", "pages"},
                {"pages_taken", "pages"}};
    struct rolling_cell *cell = rolling_cell_at(run, w);
    bool sampled = run->set.sample > 0 && run->set.sample <= run->set.commits;
    size_t count = sizeof said / sizeof said[0];
    for (size_t i = 0; i < (sampled ? count : count - 4); i++)
        add_metric(run, like, said[i].name, said[i].unit,
                   i == 0 ? published_frames(run, w) : NULL,
                   result_samples(r, said[i].name, f));
    samples_append(&cell->frames, result_samples(r, "frames", f));
    samples_append(&cell->checkpoint_pages, result_samples(r, "checkpoint_pages", f));
    const struct samples *log = result_samples(r, "wal_bytes", f);
    const struct samples *copied = result_samples(r, "checkpoint_bytes", f);
    for (size_t i = 0; i < log->count && i < copied->count; i++)
        samples_add(&cell->bytes, log->at[i] + copied->at[i]);
    if (!sampled)
        return;
    samples_append(&cell->needed, result_samples(r, "needed", f));
    samples_append(&cell->frames_where_needed, result_samples(r, "frames_where_needed", f));
    samples_append(&cell->freed, result_samples(r, "pages_freed", f));
    samples_append(&cell->taken, result_samples(r, "pages_taken", f));
}

/* Runs one job on the work file and examines what it left. */
static int run_job(struct rolling_run *run, const struct rolling_where *w, const char *job,
                   const struct kv_list *args, struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[w->arm];
    struct kv_list parameters = {NULL, 0}, pragmas = {NULL, 0};
    struct result result;
    struct observation seen;
    char what[120];
    (void)snprintf(what, sizeof what, "mode %s, %s, index %s, seed %" PRId64,
                   rolling_modes[w->mode].name, rolling_orders[w->order],
                   rolling_indexes[w->index], w->seed);
    if (proc_run(library->path, job, args, &run->progress, &result, f) != 0)
        return f->status;
    progress_show(&run->progress, "examining the result", 0, 0);
    if (observer_examine(&run->bench.observer, run->work, &seen, f) == 0) {
        kv_text(&parameters, "mode", rolling_modes[w->mode].name);
        kv_text(&parameters, "order", rolling_orders[w->order]);
        kv_text(&parameters, "index", rolling_indexes[w->index]);
        kv_int(&parameters, "seed", w->seed);
        bench_pragmas(&pragmas, &result);
        struct record like = {.arm = library, .parameters = &parameters, .pragmas = &pragmas};
        if (bench_judge(&seen, run->expected, library->name, what, f) == 0) {
            if (strcmp(job, "rolling") == 0)
                record_commits(run, &like, w, &result, f);
            bench_counts(&run->bench, &like, &result, "commit");
            bench_counts(&run->bench, &like, &result, "checkpoint");
            record_layout(run, &like, rolling_cell_at(run, w), &seen);
        }
        observation_free(&seen);
        kv_free(&parameters);
        kv_free(&pragmas);
    }
    result_free(&result);
    run->progress.steps_done++;
    return f->status;
}

static int run_arm(struct rolling_run *run, const struct rolling_where *w, struct fail *f)
{
    const struct rolling_settings *set = &run->set;
    struct kv_list args = {NULL, 0};
    if (file_copy(run->pristine, run->work, f) != 0)
        return f->status;
    kv_text(&args, "path", run->work);
    kv_int(&args, "page_size", set->page_size);
    kv_int(&args, "seed", w->seed);
    kv_int(&args, "least_bytes", set->least);
    kv_int(&args, "most_bytes", set->most);
    kv_int(&args, "rows", set->rows);
    kv_int(&args, "batch", set->batch);
    kv_int(&args, "commits", set->commits);
    kv_int(&args, "sample", set->sample);
    kv_int(&args, "vacuum_every", rolling_modes[w->mode].vacuum_every);
    kv_text(&args, "auto_vacuum", rolling_modes[w->mode].auto_vacuum);
    kv_text(&args, "order", rolling_orders[w->order]);
    kv_text(&args, "synchronous", set->synchronous);
    kv_text(&args, "secure_delete", set->secure_delete);
    kv_text(&args, "cache_size", set->cache);
    (void)run_job(run, w, "rolling", &args, f);
    /* The reference layout starts from where the run of mode none ended. */
    if (f->status == 0 && w->mode == NONE && run->mode_wanted[VACUUM]) {
        struct rolling_where after = *w;
        after.mode = VACUUM;
        (void)run_job(run, &after, "vacuum", &args, f);
    }
    kv_free(&args);
    scratch_remove_database(run->work);
    return f->status;
}

static int build(struct rolling_run *run, int64_t seed, int index, const char *auto_vacuum,
                 struct fail *f)
{
    const struct rolling_settings *set = &run->set;
    struct build build = {
        .shape = {(uint64_t)seed, set->least, set->most},
        .rows = set->rows,
        .page_size = set->page_size,
        .auto_vacuum = auto_vacuum,
        .with_key = true,
        .with_index = index == 1,
    };
    int64_t moved = set->batch * set->commits;
    progress_show(&run->progress, "building the table", 0, 0);
    scratch_remove_database(run->pristine);
    run->expected = rows_hash(&build.shape, moved + 1, moved + set->rows, 1, index);
    return observer_build(&run->bench.observer, run->pristine, &build, f);
}

/* Modes full and incremental start from the same file: they can be switched at will. */
static int run_from_one_file(struct rolling_run *run, int64_t seed, int index, bool vacuuming,
                             size_t *turn, struct fail *f)
{
    size_t arms = run->bench.libraries.count;
    bool built = false;
    for (int o = 0; o < ORDERS; o++) {
        for (int m = 0; m < VACUUM; m++) {
            bool wanted = run->mode_wanted[m] || (m == NONE && run->mode_wanted[VACUUM]);
            if (!wanted || !run->order_wanted[o] || (m != NONE) != vacuuming)
                continue;
            if (!built && build(run, seed, index, vacuuming ? "full" : "none", f) != 0)
                return f->status;
            built = true;
            /* Who goes first changes from pair to pair. */
            for (size_t a = 0; f->status == 0 && a < arms; a++) {
                struct rolling_where w = {m, o, index, (a + *turn) % arms, seed};
                (void)run_arm(run, &w, f);
            }
            ++*turn;
        }
    }
    return f->status;
}

static int run_all(struct rolling_run *run, struct fail *f)
{
    size_t turn = 0;
    for (size_t s = 0; s < run->seed_count; s++)
        for (int i = 0; i < INDEXES; i++)
            for (int v = 0; v < 2; v++)
                if (f->status == 0 && run->index_wanted[i])
                    (void)run_from_one_file(run, run->seeds[s], i, v == 1, &turn, f);
    return f->status;
}

static int64_t count_steps(const struct rolling_run *run)
{
    int64_t a_file = 0, orders_and_indexes = 0;
    for (int m = 0; m < MODES; m++)
        a_file += run->mode_wanted[m] || (m == NONE && run->mode_wanted[VACUUM]);
    for (int o = 0; o < ORDERS; o++)
        for (int i = 0; i < INDEXES; i++)
            orders_and_indexes += run->order_wanted[o] && run->index_wanted[i];
    return a_file * orders_and_indexes * (int64_t)run->seed_count *
           (int64_t)run->bench.libraries.count;
}

static double space_needed(const struct rolling_run *run)
{
    const struct rolling_settings *set = &run->set;
    double table = bench_table_size(set->rows, set->most, set->page_size);
    if (run->index_wanted[1])
        table += bench_table_size(set->rows, 16, set->page_size);
    double batch = bench_table_size(set->batch, set->most, set->page_size);
    /* The file to start from, the one at work, and a log; a VACUUM also makes a
    ** temporary copy and a log of the whole. incremental-100 grows between vacuums. */
    return (run->mode_wanted[VACUUM] ? 4 : 2) * table + 200 * batch;
}

static void free_cells(struct rolling_run *run)
{
    /* A cell is nothing but rows of samples. */
    struct samples *all = (struct samples *)(void *)run->cell;
    for (size_t i = 0; i < sizeof run->cell / sizeof all[0]; i++)
        samples_free(&all[i]);
}

static int measure(struct rolling_run *run, struct fail *f)
{
    const struct rolling_settings *set = &run->set;
    if (bench_open(&run->bench, "E2", "rolling", &set->common, space_needed(run), f) == 0) {
        struct kv_list *common = &run->bench.report.common;
        kv_int(common, "rows", set->rows);
        kv_int(common, "batch", set->batch);
        kv_int(common, "commits", set->commits);
        kv_int(common, "least_bytes", set->least);
        kv_int(common, "most_bytes", set->most);
        kv_int(common, "page_size", set->page_size);
        kv_int(common, "sample", set->sample);
        kv_text(common, "synchronous", set->synchronous);
        kv_text(common, "secure_delete", set->secure_delete);
        kv_text(common, "cache_size", set->cache);
        run->pristine = scratch_file("pristine.db");
        run->work = scratch_file("work.db");
        run->progress.what = "rolling";
        run->progress.steps = count_steps(run);
        (void)run_all(run, f);
        progress_clear(&run->progress);
    }
    if (f->status == 0)
        rolling_print(run);
    free(run->pristine);
    free(run->work);
    return bench_close(&run->bench, f);
}

static int settle(struct rolling_run *run, struct fail *f)
{
    const struct rolling_settings *set = &run->set;
    const char *mode_names[MODES];
    int64_t cache;
    for (int m = 0; m < MODES; m++)
        mode_names[m] = rolling_modes[m].name;
    if (set->least > set->most)
        return fail_set(f, STATUS_UNUSABLE, "--row-least is more than --row-most");
    if (set->batch > set->rows)
        return fail_set(f, STATUS_UNUSABLE,
                        "--batch: %" PRId64 " is more than the %" PRId64 " rows", set->batch,
                        set->rows);
    if (strcmp(set->cache, "default") != 0 &&
        (!options_number(set->cache, &cache) || cache < 1 || cache > 100000000))
        return fail_set(f, STATUS_UNUSABLE,
                        "--cache: '%s' is neither 'default' nor a number of pages", set->cache);
    if (options_number_list("--seeds", set->seeds, 0, INT64_C(1000000000000), &run->seeds,
                            &run->seed_count, f) != 0 ||
        options_choose("--modes", set->modes, "all", mode_names, run->mode_wanted, MODES, f) !=
            0 ||
        options_choose("--order", set->order, "both", rolling_orders, run->order_wanted, ORDERS,
                       f) != 0)
        return f->status;
    return options_choose("--index", set->index, "both", rolling_indexes, run->index_wanted,
                          INDEXES, f);
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench rolling [OPTION...]\n"
        "\n"
        "Experiment E2: a table log(id INTEGER PRIMARY KEY, key, payload) of constant length.\n"
        "Each transaction inserts the newest rows and deletes the oldest, in WAL mode, with a\n"
        "checkpoint after every commit so that frames can be counted. All libraries start\n"
        "from copies of one and the same file and must end with the same content.\n"
        "No times are measured. With the defaults this takes a few minutes.\n");
    options_print(options, stdout);
}

int command_rolling(int argc, char **argv, struct fail *f)
{
    struct rolling_run *run = mem_get(sizeof *run);
    struct rolling_settings *set = &run->set;
    *set = (struct rolling_settings){.rows = 1000000,
                                     .batch = 1000,
                                     .commits = 2000,
                                     .least = 150,
                                     .most = 250,
                                     .page_size = 4096,
                                     .sample = 49,
                                     .seeds = "1",
                                     .modes = "all",
                                     .order = "insert-delete",
                                     .index = "no",
                                     .synchronous = "normal",
                                     .secure_delete = "off",
                                     .cache = "default"};
    const struct option options[] = {
        {.name = "--rows",
         .kind = OPTION_INT,
         .target = &set->rows,
         .least = 1,
         .most = 1000000000,
         .argument = "N",
         .standard = "1000000 rows",
         .help = "Length of the log."},
        {.name = "--batch",
         .kind = OPTION_INT,
         .target = &set->batch,
         .least = 1,
         .most = 10000000,
         .argument = "N",
         .standard = "1000 rows",
         .help = "Rows that a transaction inserts, and deletes. Not more than --rows."},
        {.name = "--commits",
         .kind = OPTION_INT,
         .target = &set->commits,
         .least = 1,
         .most = 10000000,
         .argument = "N",
         .standard = "2000 commits",
         .help =
             "Transactions in a run; 2000 of 1000 rows are two turnovers of the default log."},
        {.name = "--row-least",
         .kind = OPTION_INT,
         .target = &set->least,
         .least = 1,
         .most = ROW_PAYLOAD_MOST,
         .argument = "N",
         .standard = "150 bytes",
         .help = "Smallest payload of a row."},
        {.name = "--row-most",
         .kind = OPTION_INT,
         .target = &set->most,
         .least = 1,
         .most = ROW_PAYLOAD_MOST,
         .argument = "N",
         .standard = "250 bytes",
         .help = "Largest payload of a row."},
        {.name = "--seeds",
         .kind = OPTION_TEXT,
         .target = &set->seeds,
         .argument = "LIST",
         .standard = "1",
         .help = "Seeds like 1,2,3 or 1-3; everything runs once for each, means are reported."},
        {.name = "--modes",
         .kind = OPTION_TEXT,
         .target = &set->modes,
         .argument = "LIST",
         .standard = "all",
         .help = "Of none,full,incremental,incremental-100,vacuum: auto_vacuum NONE; FULL;\n"
                 "INCREMENTAL with incremental_vacuum after every commit, after every 100th;\n"
                 "NONE and one VACUUM at the end, the layout to compare with, measured on\n"
                 "what the run of mode none left (so it implies none)."},
        {.name = "--order",
         .kind = OPTION_CHOICE,
         .target = &set->order,
         .choices = "insert-delete|delete-insert|both",
         .argument = "ORDER",
         .standard = "insert-delete",
         .help = "insert-delete, delete-insert or both: what a transaction does first."},
        {.name = "--index",
         .kind = OPTION_CHOICE,
         .target = &set->index,
         .choices = "no|yes|both",
         .argument = "WHICH",
         .standard = "no",
         .help = "no, yes or both: a secondary index on the random key."},
        {.name = "--sample",
         .kind = OPTION_INT,
         .target = &set->sample,
         .least = 0,
         .most = 10000000,
         .argument = "N",
         .standard = "49 commits",
         .help =
             "Needed pages are measured on every N-th commit; 0: never. With no factor in "
             "common\n"
             "with 100, so that incremental-100 is met at every stage between two vacuums."},
        PAGE_SIZE_OPTION(set->page_size),
        {.name = "--cache",
         .kind = OPTION_TEXT,
         .target = &set->cache,
         .argument = "PAGES",
         .standard = "default (what the library does by itself)",
         .help = "PRAGMA cache_size in pages, or the word default."},
        {.name = "--secure-delete",
         .kind = OPTION_CHOICE,
         .target = &set->secure_delete,
         .choices = "off|fast|on|default",
         .argument = "MODE",
         .standard = "off",
         .help = "off, fast, on, or default: what the library does by itself."},
        SYNCHRONOUS_OPTION(set->synchronous),
        COMMON_OPTIONS(set->common),
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (settle(run, f) == 0)
        (void)measure(run, f);
    free(set->common.libraries.at);
    free(run->seeds);
    free_cells(run);
    free(run);
    return f->status;
}
