/*
** checkpoint.c: `walbench checkpoint`, arm C of experiment E4. A log is filled by inserts,
** and again by one DELETE; then its checkpoint is timed, for every mode.
*/
#include "checkpoint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

const char *const checkpoint_parts[CHECKPOINT_PARTS] = {"inserts", "delete"};

const char *const checkpoint_runs[CHECKPOINT_RUNS] = {"passive", "full", "restart", "truncate",
                                                      "passive-truncate"};

const struct checkpoint_step checkpoint_steps[CHECKPOINT_STEPS] = {
    {"passive", 0, 0},
    {"full", 1, 0},
    {"restart", 2, 0},
    {"truncate", 3, 0},
    {"passive, 1st of 2", CHECKPOINT_SEQUENCE, 0},
    {"truncate, 2nd of 2", CHECKPOINT_SEQUENCE, 1},
};

const char *const checkpoint_metrics[CHECKPOINT_METRICS] = {
    "time",  "frames",     "said_log",  "said_copied", "pages_copied",
    "syncs", "wal_before", "wal_after", "shm_after"};

static void collect(struct checkpoint_run *run, int part, int which, size_t arm,
                    const struct result *r, struct fail *f)
{
    char name[60];
    for (int s = 0; s < CHECKPOINT_STEPS; s++) {
        struct checkpoint_cell *cell = &run->cell[part][s][arm];
        if (checkpoint_steps[s].run != which)
            continue;
        for (int m = 0; m < CHECKPOINT_METRICS; m++) {
            (void)snprintf(name, sizeof name, "%d.%s", checkpoint_steps[s].place,
                           checkpoint_metrics[m]);
            double value = result_number(r, name, f);
            samples_add(&cell->metric[m], m == CHECKPOINT_TIME ? value / 1e3 : value);
        }
        bench_pragmas(&cell->pragmas, r);
    }
}

static int run_arm(struct checkpoint_run *run, int part, int which, size_t arm, struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[arm];
    const struct checkpoint_settings *set = &run->set;
    bool inserts = part == PART_INSERTS;
    struct kv_list args = {NULL, 0};
    struct result result;
    struct observation seen;
    char what[100];
    (void)snprintf(what, sizeof what, "log of %s, checkpoint %s", checkpoint_parts[part],
                   checkpoint_runs[which]);
    kv_text(&args, "path", run->work);
    kv_int(&args, "run", which);
    kv_int(&args, "rows", inserts ? set->inserts : set->rows);
    kv_int(&args, "rows_per_commit", inserts ? set->rows_per_commit : set->rows);
    kv_int(&args, "delete", inserts ? 0 : set->victims);
    kv_int(&args, "value_bytes", set->value_bytes);
    kv_int(&args, "autocheckpoint", set->autocheckpoint);
    kv_text(&args, "synchronous", set->synchronous);
    kv_int(&args, "page_size", set->page_size);
    kv_int(&args, "seed", set->seed);
    progress_show(&run->progress, what, 0, 0);
    if (proc_run(library->path, "checkpoint", &args, NULL, &result, f) == 0) {
        if (observer_examine(&run->bench.observer, run->work, &seen, f) == 0) {
            if (bench_judge(&seen, run->expected[part], library->name, what, f) == 0)
                collect(run, part, which, arm, &result, f);
            observation_free(&seen);
        }
        result_free(&result);
    }
    kv_free(&args);
    scratch_remove_database(run->work);
    run->progress.steps_done++;
    return f->status;
}

static int run_all(struct checkpoint_run *run, struct fail *f)
{
    size_t arms = run->bench.libraries.count;
    for (int64_t trial = 0; trial < run->set.trials; trial++)
        for (int p = 0; p < CHECKPOINT_PARTS; p++)
            for (int w = 0; w < CHECKPOINT_RUNS; w++)
                for (size_t a = 0;
                     f->status == 0 && run->part_wanted[p] && run->run_wanted[w] && a < arms;
                     a++)
                    (void)run_arm(run, p, w, (a + (size_t)(w + trial)) % arms, f);
    return f->status;
}

static void describe(struct checkpoint_run *run)
{
    const struct checkpoint_settings *set = &run->set;
    struct kv_list *common = &run->bench.report.common;
    struct text_shape shape = {(uint64_t)set->seed, set->value_bytes, true};
    kv_int(common, "inserts", set->inserts);
    kv_int(common, "rows_per_commit", set->rows_per_commit);
    kv_int(common, "rows", set->rows);
    kv_int(common, "delete", set->victims);
    kv_int(common, "value_bytes", set->value_bytes);
    kv_int(common, "autocheckpoint", set->autocheckpoint);
    kv_int(common, "trials", set->trials);
    kv_int(common, "page_size", set->page_size);
    kv_int(common, "seed", set->seed);
    run->expected[PART_INSERTS] = texts_hash(&shape, 1, set->inserts, 0);
    run->expected[PART_DELETE] = texts_hash(&shape, set->victims + 1, set->rows, 0);
}

static int64_t count_steps(const struct checkpoint_run *run)
{
    int64_t parts = 0, runs = 0;
    for (int p = 0; p < CHECKPOINT_PARTS; p++)
        parts += run->part_wanted[p];
    for (int w = 0; w < CHECKPOINT_RUNS; w++)
        runs += run->run_wanted[w];
    return parts * runs * run->set.trials * (int64_t)run->bench.libraries.count;
}

static int measure(struct checkpoint_run *run, struct fail *f)
{
    const struct checkpoint_settings *set = &run->set;
    int64_t rows = set->rows > set->inserts ? set->rows : set->inserts;
    /* A log that is never reset holds the last page of the table once for each commit. */
    double space = 4 * bench_table_size(rows, set->value_bytes + 16, set->page_size) +
                   6.0 * (double)(set->inserts / set->rows_per_commit) * (double)set->page_size;
    if (bench_open(&run->bench, "E4", "checkpoint", &set->common, space, f) == 0) {
        describe(run);
        run->work = scratch_file("work.db");
        run->progress.what = "checkpoint";
        run->progress.steps = count_steps(run);
        (void)run_all(run, f);
        progress_clear(&run->progress);
    }
    if (f->status == 0) {
        checkpoint_record(run);
        checkpoint_print(run);
        checkpoint_judge(run);
    }
    free(run->work);
    return bench_close(&run->bench, f);
}

static int settle(struct checkpoint_run *run, struct fail *f)
{
    const struct checkpoint_settings *set = &run->set;
    if (set->victims >= set->rows)
        return fail_set(f, STATUS_UNUSABLE,
                        "--delete: %" PRId64 " is not less than the %" PRId64 " rows",
                        set->victims, set->rows);
    if (options_choose("--log-of", set->parts, "all", checkpoint_parts, run->part_wanted,
                       CHECKPOINT_PARTS, f) != 0)
        return f->status;
    return options_choose("--modes", set->modes, "all", checkpoint_runs, run->run_wanted,
                          CHECKPOINT_RUNS, f);
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench checkpoint [OPTION...]\n"
        "\n"
        "Experiment E4, arm C: a log is filled without automatic checkpoints, by inserts and\n"
        "again by one DELETE of the oldest rows of a table that was checkpointed before; then\n"
        "its checkpoint is timed. Each mode has a fresh log, and so has the published\n"
        "sequence, PASSIVE and then TRUNCATE. A checkpoint that is refused, or that has\n"
        "nothing to copy, ends the run: its time would mean nothing.\n");
    options_print(options, stdout);
}

static void free_cells(struct checkpoint_run *run)
{
    for (int p = 0; p < CHECKPOINT_PARTS; p++)
        for (int s = 0; s < CHECKPOINT_STEPS; s++)
            for (size_t a = 0; a < LIBRARIES_MOST; a++) {
                for (int m = 0; m < CHECKPOINT_METRICS; m++)
                    samples_free(&run->cell[p][s][a].metric[m]);
                kv_free(&run->cell[p][s][a].pragmas);
            }
}

int command_checkpoint(int argc, char **argv, struct fail *f)
{
    struct checkpoint_run *run = mem_get(sizeof *run);
    struct checkpoint_settings *set = &run->set;
    *set = (struct checkpoint_settings){.parts = "all",
                                        .modes = "all",
                                        .synchronous = "full",
                                        .inserts = 20000,
                                        .rows_per_commit = 100,
                                        .rows = 100000,
                                        .victims = 50000,
                                        .value_bytes = 64,
                                        .page_size = 4096,
                                        .seed = 1,
                                        .trials = 10};
    const struct option options[] = {
        {.name = "--log-of",
         .kind = OPTION_TEXT,
         .target = &set->parts,
         .argument = "LIST",
         .standard = "all",
         .help = "Of inserts,delete, or all: what fills the log."},
        {.name = "--modes",
         .kind = OPTION_TEXT,
         .target = &set->modes,
         .argument = "LIST",
         .standard = "all",
         .help = "Of passive,full,restart,truncate,passive-truncate, or all. The last is two\n"
                 "checkpoints of one log, the second of which finds everything copied."},
        {.name = "--inserts",
         .kind = OPTION_INT,
         .target = &set->inserts,
         .least = 1,
         .most = 10000000,
         .argument = "N",
         .standard = "20000 rows",
         .help = "Rows inserted into the log of inserts."},
        {.name = "--rows-per-commit",
         .kind = OPTION_INT,
         .target = &set->rows_per_commit,
         .least = 1,
         .most = 10000000,
         .argument = "N",
         .standard = "100 rows",
         .help = "How many of them are in a transaction."},
        {.name = "--rows",
         .kind = OPTION_INT,
         .target = &set->rows,
         .least = 2,
         .most = 10000000,
         .argument = "N",
         .standard = "100000 rows",
         .help = "Rows in the table before the DELETE."},
        {.name = "--delete",
         .kind = OPTION_INT,
         .target = &set->victims,
         .least = 1,
         .most = 9999999,
         .argument = "N",
         .standard = "50000 rows",
         .help = "How many of them, the oldest, are deleted. Must be less than --rows."},
        {.name = "--value-bytes",
         .kind = OPTION_INT,
         .target = &set->value_bytes,
         .least = 1,
         .most = TEXT_BYTES_MOST,
         .argument = "N",
         .standard = "64 bytes",
         .help = "Size of v."},
        {.name = "--autocheckpoint",
         .kind = OPTION_INT,
         .target = &set->autocheckpoint,
         .least = 0,
         .most = 1000000000,
         .argument = "N",
         .standard = "0 frames: never",
         .help = "PRAGMA wal_autocheckpoint. If it leaves nothing to copy, the run fails."},
        TRIALS_OPTION(set->trials, 1, "Trials of each mode and library. Intervals need six."),
        {.name = "--synchronous",
         .kind = OPTION_CHOICE,
         .target = &set->synchronous,
         .choices = "off|normal|full|extra",
         .argument = "MODE",
         .standard = "full",
         .help = "off, normal, full or extra. With normal the log is synced by the checkpoint\n"
                 "for the first time."},
        PAGE_SIZE_OPTION(set->page_size),
        SEED_OPTION(set->seed),
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
    free_cells(run);
    free(run);
    return f->status;
}
