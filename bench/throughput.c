/*
** throughput.c: `walbench throughput`, arms A and B of experiment E4 and the first test
** of E6. Rows are inserted and updated, so many in each commit, under journal modes and
** synchronous settings; each trial has a fresh database.
*/
#include "throughput.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

const char *const throughput_phases[THROUGHPUT_PHASES] = {"insert", "update"};
const char *const throughput_files[THROUGHPUT_FILES] = {"database", "wal", "shm", "journal"};

static const char *const journals[] = {"delete", "truncate", "persist", "wal", "off"};
static const char *const synchronous[] = {"off", "normal", "full", "extra"};

enum { JOURNALS = 5, SYNCHRONOUS = 4, PRESET_PAIRS = 4 };

static const struct preset {
    const char *name, *experiment;
    struct {
        const char *journal, *synchronous;
    } pairs[PRESET_PAIRS]; /* none: every journal mode with every synchronous */
    const char *rows_per_commit;
    int64_t rows[THROUGHPUT_PHASES];
    int64_t value_bytes;
    bool with_key;
} presets[] = {
    {"a",
     "E4",
     {{"delete", "full"}, {"wal", "full"}, {"off", "full"}},
     "1",
     {2000, 1000},
     64,
     true},
    {"b",
     "E4",
     {{"delete", "full"}, {"wal", "full"}, {"wal", "normal"}, {"off", "off"}},
     "50",
     {5000, 2000},
     64,
     true},
    {"e6",
     "E6",
     {{"delete", "full"}, {"delete", "normal"}, {"wal", "full"}, {"wal", "normal"}},
     "1",
     {10000, 0},
     100,
     false},
    {"matrix", "E4", {{NULL, NULL}}, "1,50", {200, 100}, 64, true},
};

/* What was published, in operations a second or the seconds of the batch, and with
** journal "ratio" WAL over DELETE. */
static const struct {
    const char *experiment, *journal, *synchronous;
    int phase;
    int64_t rows, rows_per_commit;
    const char *text;
} published[] = {
    {"E4", "delete", "full", INSERTS, 2000, 1, "2,341/s (SQLite 3.46.1)"},
    {"E4", "wal", "full", INSERTS, 2000, 1, "8,492/s (SQLite 3.46.1)"},
    {"E4", "ratio", "full", INSERTS, 2000, 1, "3.6 (SQLite 3.46.1)"},
    {"E4", "ratio", "full", UPDATES, 1000, 1, "about 8 (SQLite 3.46.1)"},
    {"E4", "ratio", "full", INSERTS, 5000, 1, "5.4 (SQLite 3.46.1)"},
    {"E4", "delete", "full", INSERTS, 5000, 50, "about 74,000/s (SQLite 3.46.1)"},
    {"E4", "wal", "full", INSERTS, 5000, 50, "about 159,000/s (SQLite 3.46.1)"},
    {"E4", "ratio", "full", INSERTS, 5000, 50, "about 2.1 (SQLite 3.46.1)"},
    {"E6", "delete", "full", INSERTS, 10000, 1, "60.13 s, 166/s (SQLite 3.49.1)"},
    {"E6", "delete", "normal", INSERTS, 10000, 1, "45.84 s, 218/s (SQLite 3.49.1)"},
    {"E6", "wal", "full", INSERTS, 10000, 1, "14.56 s, 687/s (SQLite 3.49.1)"},
    {"E6", "wal", "normal", INSERTS, 10000, 1, "0.55 s, 18,182/s (SQLite 3.49.1)"},
    {"E6", "ratio", "full", INSERTS, 10000, 1, "4.1 (SQLite 3.49.1)"},
    {"E6", "ratio", "normal", INSERTS, 10000, 1, "83 (SQLite 3.49.1)"},
};

const char *throughput_published(const struct throughput_run *run,
                                 const struct throughput_case *c, int phase, bool ratio)
{
    const struct throughput_settings *set = &run->set;
    const char *journal = ratio ? "ratio" : c->journal;
    if (set->page_size != 4096 || set->value_bytes != (set->with_key ? 64 : 100))
        return NULL;
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        if (strcmp(published[i].experiment, run->experiment) == 0 &&
            strcmp(published[i].journal, journal) == 0 &&
            strcmp(published[i].synchronous, c->synchronous) == 0 &&
            published[i].phase == phase && published[i].rows == set->rows[phase] &&
            published[i].rows_per_commit == c->rows_per_commit)
            return published[i].text;
    return NULL;
}

struct throughput_cell *throughput_cell(const struct throughput_run *run, size_t which,
                                        size_t arm)
{
    return &run->cells[which * LIBRARIES_MOST + arm];
}

const struct throughput_case *throughput_other(const struct throughput_run *run,
                                               const struct throughput_case *c,
                                               const char *journal)
{
    for (size_t i = 0; i < run->case_count; i++)
        if (strcmp(run->cases[i].journal, journal) == 0 &&
            strcmp(run->cases[i].synchronous, c->synchronous) == 0 &&
            run->cases[i].rows_per_commit == c->rows_per_commit)
            return &run->cases[i];
    return NULL;
}

static void collect_batch(const struct throughput_run *run, int p, const struct result *r,
                          struct throughput_batch *b, struct fail *f)
{
    static const struct {
        const char *name;
        enum throughput_metric metric;
    } counts[] = {{"database.bytes", DATABASE_BYTES}, {"database.syncs", DATABASE_SYNCS},
                  {"journal.bytes", JOURNAL_BYTES},   {"journal.syncs", JOURNAL_SYNCS},
                  {"wal.bytes", WAL_BYTES},           {"wal.syncs", WAL_SYNCS}};
    static const double quantiles[] = {0.5, 0.95, 0.99};
    char name[60];
    (void)snprintf(name, sizeof name, "%s.batch", throughput_phases[p]);
    double seconds = result_number(r, name, f) / 1e9;
    (void)snprintf(name, sizeof name, "%s.commit", throughput_phases[p]);
    const struct samples *commits = result_samples(r, name, f);
    if (f->status != 0)
        return;
    samples_add(&b->metric[BATCH_SECONDS], seconds);
    samples_add(&b->metric[RATE], (double)run->set.rows[p] / seconds);
    for (int q = 0; q < 3; q++)
        samples_add(&b->metric[COMMIT_P50 + q], stats_quantile(commits, quantiles[q]) / 1e3);
    for (size_t i = 0; i < commits->count; i++) {
        double place = LATENCY_BINS_A_DECADE * log10(fmax(commits->at[i], 1) / LATENCY_FIRST);
        b->bins[place < 0 ? 0 : place < LATENCY_BINS ? (int)place : LATENCY_BINS - 1]++;
        if (run->set.every_commit)
            samples_add(&b->commits, commits->at[i] / 1e3);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        (void)snprintf(name, sizeof name, "%s.%s", throughput_phases[p], counts[i].name);
        samples_add(&b->metric[counts[i].metric], result_number(r, name, f));
    }
}

static void collect(const struct throughput_run *run, const struct result *r,
                    struct throughput_cell *cell, struct fail *f)
{
    char name[60];
    for (int p = 0; p < THROUGHPUT_PHASES; p++)
        if (run->set.rows[p] > 0)
            collect_batch(run, p, r, &cell->batch[p], f);
    for (int i = 0; i < THROUGHPUT_FILES; i++) {
        (void)snprintf(name, sizeof name, "size.%s", throughput_files[i]);
        samples_add(&cell->size[i], result_number(r, name, f));
    }
    bench_pragmas(&cell->pragmas, r);
}

static int run_arm(struct throughput_run *run, size_t which, size_t arm, struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[arm];
    const struct throughput_settings *set = &run->set;
    const struct throughput_case *c = &run->cases[which];
    struct kv_list args = {NULL, 0};
    struct result result;
    struct observation seen;
    char what[100];
    (void)snprintf(what, sizeof what,
                   "journal_mode=%s synchronous=%s, %" PRId64 " rows per commit", c->journal,
                   c->synchronous, c->rows_per_commit);
    kv_text(&args, "path", run->work);
    kv_text(&args, "journal_mode", c->journal);
    kv_text(&args, "synchronous", c->synchronous);
    kv_int(&args, "rows_per_commit", c->rows_per_commit);
    kv_int(&args, "inserts", set->rows[INSERTS]);
    kv_int(&args, "updates", set->rows[UPDATES]);
    kv_int(&args, "value_bytes", set->value_bytes);
    kv_int(&args, "with_key", set->with_key);
    kv_int(&args, "page_size", set->page_size);
    kv_int(&args, "seed", set->seed);
    progress_show(&run->progress, what, 0, 0);
    if (proc_run(library->path, "throughput", &args, NULL, &result, f) == 0) {
        if (observer_examine(&run->bench.observer, run->work, &seen, f) == 0) {
            if (bench_judge(&seen, run->expected, library->name, what, f) == 0)
                collect(run, &result, throughput_cell(run, which, arm), f);
            observation_free(&seen);
        }
        result_free(&result);
    }
    kv_free(&args);
    scratch_remove_database(run->work);
    run->progress.steps_done++;
    return f->status;
}

/* A trial of every case before the next trial: what drifts, drifts for all. */
static int run_all(struct throughput_run *run, struct fail *f)
{
    size_t arms = run->bench.libraries.count;
    for (int64_t trial = 0; trial < run->set.trials; trial++)
        for (size_t c = 0; c < run->case_count; c++)
            for (size_t a = 0; f->status == 0 && a < arms; a++)
                (void)run_arm(run, c, (a + c + (size_t)trial) % arms, f);
    return f->status;
}

static int measure(struct throughput_run *run, struct fail *f)
{
    const struct throughput_settings *set = &run->set;
    struct text_shape shape = {(uint64_t)set->seed, set->value_bytes, set->with_key};
    double space =
        3 * bench_table_size(set->rows[INSERTS], set->value_bytes + 16, set->page_size) + 2e7;
    if (bench_open(&run->bench, run->experiment, "throughput", &set->common, space, f) == 0) {
        struct kv_list *common = &run->bench.report.common;
        kv_text(common, "preset", set->preset);
        kv_int(common, "inserts", set->rows[INSERTS]);
        kv_int(common, "updates", set->rows[UPDATES]);
        kv_int(common, "value_bytes", set->value_bytes);
        kv_int(common, "with_key", set->with_key);
        kv_int(common, "trials", set->trials);
        kv_int(common, "page_size", set->page_size);
        kv_int(common, "seed", set->seed);
        run->work = scratch_file("work.db");
        run->expected = texts_hash(&shape, 1, set->rows[INSERTS], set->rows[UPDATES]);
        run->progress.what = "throughput";
        run->progress.steps =
            set->trials * (int64_t)(run->case_count * run->bench.libraries.count);
        (void)run_all(run, f);
        progress_clear(&run->progress);
    }
    if (f->status == 0) {
        throughput_record(run);
        throughput_print(run);
        throughput_judge(run);
    }
    free(run->work);
    return bench_close(&run->bench, f);
}

static void add_case(struct throughput_run *run, const char *journal, const char *sync,
                     int64_t rows_per_commit)
{
    run->cases = mem_grow(run->cases, run->case_count + 1, sizeof run->cases[0]);
    run->cases[run->case_count++] = (struct throughput_case){journal, sync, rows_per_commit};
}

/* The pairs of the preset; lists of the user's make every pair of their members, and a
** list that is not given is what the preset has. */
static int make_cases(struct throughput_run *run, const struct preset *preset,
                      const int64_t *rows_per_commit, size_t count, struct fail *f)
{
    struct throughput_settings *set = &run->set;
    bool all = preset->pairs[0].journal == NULL;
    bool j_wanted[JOURNALS] = {false}, s_wanted[SYNCHRONOUS] = {false};
    if (options_choose("--journal-modes", set->journals ? set->journals : "all", "all",
                       journals, j_wanted, JOURNALS, f) != 0 ||
        options_choose("--synchronous", set->synchronous ? set->synchronous : "all", "all",
                       synchronous, s_wanted, SYNCHRONOUS, f) != 0)
        return f->status;
    bool pairs = !all && set->journals == NULL && set->synchronous == NULL;
    for (size_t n = 0; n < count; n++)
        for (int i = 0; pairs && i < PRESET_PAIRS && preset->pairs[i].journal != NULL; i++)
            add_case(run, preset->pairs[i].journal, preset->pairs[i].synchronous,
                     rows_per_commit[n]);
    for (size_t n = 0; !pairs && n < count; n++)
        for (int s = 0; s < SYNCHRONOUS; s++)
            for (int j = 0; j < JOURNALS; j++) {
                bool j_has = all || set->journals != NULL, s_has = all || set->synchronous;
                for (int i = 0; i < PRESET_PAIRS && preset->pairs[i].journal != NULL; i++) {
                    j_has |= strcmp(preset->pairs[i].journal, journals[j]) == 0;
                    s_has |= strcmp(preset->pairs[i].synchronous, synchronous[s]) == 0;
                }
                if (j_wanted[j] && s_wanted[s] && j_has && s_has)
                    add_case(run, journals[j], synchronous[s], rows_per_commit[n]);
            }
    return 0;
}

static int settle(struct throughput_run *run, struct fail *f)
{
    struct throughput_settings *set = &run->set;
    const struct preset *preset = presets;
    int64_t *per_commit = NULL;
    size_t count = 0;
    while (strcmp(preset->name, set->preset) != 0)
        preset++;
    run->experiment = preset->experiment;
    set->with_key = preset->with_key;
    if (set->value_bytes < 0)
        set->value_bytes = preset->value_bytes;
    for (int p = 0; p < THROUGHPUT_PHASES; p++)
        if (set->rows[p] < 0)
            set->rows[p] = preset->rows[p];
    if (set->rows_per_commit == NULL)
        set->rows_per_commit = preset->rows_per_commit;
    if (set->rows[UPDATES] > set->rows[INSERTS])
        return fail_set(f, STATUS_UNUSABLE,
                        "--updates: %" PRId64 " is more than the %" PRId64 " inserts",
                        set->rows[UPDATES], set->rows[INSERTS]);
    if (options_number_list("--rows-per-commit", set->rows_per_commit, 1, 10000000, &per_commit,
                            &count, f) == 0)
        (void)make_cases(run, preset, per_commit, count, f);
    free(per_commit);
    return f->status;
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench throughput [OPTION...]\n"
        "\n"
        "Inserts rows into a table t(id INTEGER PRIMARY KEY, k TEXT, v TEXT), then updates\n"
        "those from id 1 on; each batch is timed as a whole, and each commit. Every trial has\n"
        "a fresh database, and the libraries take turns. The presets are the published\n"
        "experiments; other options change what is named.\n"
        "\n"
        "  a       E4 arm A: 2,000 inserts and 1,000 updates, a commit each, v of 64 bytes,\n"
        "          synchronous=FULL; journal modes DELETE, WAL and OFF\n"
        "  b       E4 arm B: 5,000 inserts and 2,000 updates, a commit every 50; DELETE FULL,\n"
        "          WAL FULL, WAL NORMAL, OFF OFF\n"
        "  e6      E6 test 1: 10,000 inserts of a string of 100 bytes (without k), a commit\n"
        "          each; DELETE and WAL, FULL and NORMAL. About 800,000 syncs a library with\n"
        "          ten trials: --inserts 1000 is as good for the rates, in a tenth of the time\n"
        "  matrix  every journal mode with every synchronous, 200 inserts and 100 updates,\n"
        "          with 1 and 50 rows in a commit\n");
    options_print(options, stdout);
}

static void free_cells(struct throughput_run *run)
{
    for (size_t i = 0; run->cells != NULL && i < run->case_count * LIBRARIES_MOST; i++) {
        struct throughput_cell *cell = &run->cells[i];
        for (int p = 0; p < THROUGHPUT_PHASES; p++) {
            for (int m = 0; m < THROUGHPUT_METRICS; m++)
                samples_free(&cell->batch[p].metric[m]);
            samples_free(&cell->batch[p].commits);
        }
        for (int k = 0; k < THROUGHPUT_FILES; k++)
            samples_free(&cell->size[k]);
        kv_free(&cell->pragmas);
    }
    free(run->cells);
}

int command_throughput(int argc, char **argv, struct fail *f)
{
    struct throughput_run *run = mem_get(sizeof *run);
    struct throughput_settings *set = &run->set;
    *set = (struct throughput_settings){.preset = "a",
                                        .rows = {-1, -1},
                                        .trials = 10,
                                        .value_bytes = -1,
                                        .page_size = 4096,
                                        .seed = 1};
    const struct option options[] = {
        {.name = "--preset",
         .kind = OPTION_CHOICE,
         .target = &set->preset,
         .choices = "a|b|e6|matrix",
         .argument = "NAME",
         .standard = "a",
         .help = "a, b, e6 or matrix: the defaults of the options below."},
        {.name = "--journal-modes",
         .kind = OPTION_TEXT,
         .target = &set->journals,
         .argument = "LIST",
         .standard = "those of the preset",
         .help =
             "Of delete,truncate,persist,wal,off, or all. With this or --synchronous every\n"
             "journal mode is run with every synchronous."},
        {.name = "--synchronous",
         .kind = OPTION_TEXT,
         .target = &set->synchronous,
         .argument = "LIST",
         .standard = "those of the preset",
         .help = "Of off,normal,full,extra, or all."},
        {.name = "--rows-per-commit",
         .kind = OPTION_TEXT,
         .target = &set->rows_per_commit,
         .argument = "LIST",
         .standard = "that of the preset",
         .help = "Numbers of rows like 1,50. With 1 a statement is its own transaction, else\n"
                 "BEGIN and COMMIT stand around so many."},
        {.name = "--inserts",
         .kind = OPTION_INT,
         .target = &set->rows[INSERTS],
         .least = 1,
         .most = 10000000,
         .argument = "N",
         .standard = "that of the preset, in rows",
         .help = "Rows inserted in a trial."},
        {.name = "--updates",
         .kind = OPTION_INT,
         .target = &set->rows[UPDATES],
         .least = 0,
         .most = 10000000,
         .argument = "N",
         .standard = "that of the preset, in rows",
         .help = "Rows updated then, ids 1 to N; 0: none. Not more than --inserts."},
        {.name = "--value-bytes",
         .kind = OPTION_INT,
         .target = &set->value_bytes,
         .least = 1,
         .most = TEXT_BYTES_MOST,
         .argument = "N",
         .standard = "that of the preset, in bytes",
         .help = "Size of v."},
        TRIALS_OPTION(set->trials, 1, "Trials of each case and library. Intervals need six."),
        {.name = "--every-commit",
         .kind = OPTION_FLAG,
         .target = &set->every_commit,
         .standard = "off: percentiles of each trial, and a histogram of all",
         .help = "Keep the time of every single commit for the result files."},
        PAGE_SIZE_OPTION(set->page_size),
        SEED_OPTION(set->seed),
        COMMON_OPTIONS(set->common),
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (settle(run, f) == 0) {
        run->cells = mem_get(run->case_count * LIBRARIES_MOST * sizeof run->cells[0]);
        (void)measure(run, f);
    }
    free(set->common.libraries.at);
    free_cells(run);
    free(run->cases);
    free(run);
    return f->status;
}
