/*
** contention.c: `walbench contention`, the second test of experiment E6. Threads insert
** into a table while others read it, each through a connection of its own; what they get
** done and how often they find the database locked is counted.
*/
#include "contention.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "scratch.h"
#include "signals.h"

static const char *const journals[] = {"delete", "truncate", "persist", "wal"};

enum { JOURNALS = 4 };

struct contention_cell *contention_cell(const struct contention_run *run, size_t which,
                                        size_t arm)
{
    return &run->cells[which * LIBRARIES_MOST + arm];
}

/* Whose row is it? Each writer's come in the order in which it wrote them. */
static bool claim(const struct contention_settings *set, const struct text_shape *shape,
                  const void *v, char *value, int64_t *next)
{
    for (int64_t w = 0; w < set->writers; w++) {
        texts_value(shape, contention_row(w, next[w]), 0, value);
        if (memcmp(v, value, (size_t)shape->bytes) == 0) {
            next[w]++;
            return true;
        }
    }
    return false;
}

static int check_rows(const struct contention_run *run, const struct db *db, int64_t *next,
                      struct fail *f)
{
    const struct contention_settings *set = &run->set;
    struct text_shape shape = {(uint64_t)set->seed, set->value_bytes, false};
    sqlite3_stmt *s;
    int rc = SQLITE_DONE;
    int64_t id = 0;
    if (db_prepare(db, "SELECT id, v FROM t ORDER BY id", &s, f) != 0)
        return f->status;
    char *value = mem_get((size_t)shape.bytes);
    while (f->status == 0 && (rc = db->api->step(s)) == SQLITE_ROW) {
        const unsigned char *v = db->api->column_text(s, 1);
        bool right = v != NULL && db->api->column_int64(s, 0) == ++id &&
                     db->api->column_bytes(s, 1) == shape.bytes;
        if (right && id <= set->rows) {
            texts_value(&shape, id, 0, value);
            right = memcmp(v, value, (size_t)shape.bytes) == 0;
        } else if (right) {
            right = claim(set, &shape, v, value, next);
        }
        if (!right)
            fail_set(f, STATUS_MISMATCH, "row %" PRId64 " is not one that was written", id);
        (void)signals_check(f);
    }
    if (f->status == 0 && rc != SQLITE_DONE)
        db_failed(db, "reading the table", f);
    else if (id < set->rows)
        fail_set(f, STATUS_MISMATCH, "only %" PRId64 " rows are left", id);
    (void)db->api->finalize(s);
    free(value);
    return f->status;
}

/* Every row that a writer was told is committed must be there, and no other. */
static int judge(const struct contention_run *run, const struct result *r, struct fail *f)
{
    const struct contention_settings *set = &run->set;
    static const struct samples none = {NULL, 0};
    int64_t next[CREW_MOST] = {0};
    struct observation seen;
    struct db db;
    const struct samples *said = set->writers > 0 ? result_samples(r, "writer", f) : &none;
    if (f->status != 0 || observer_examine(&run->bench.observer, run->work, &seen, f) != 0)
        return f->status;
    if (strcmp(seen.integrity, "ok") != 0)
        fail_set(f, STATUS_MISMATCH, "integrity_check says: %s", seen.integrity);
    observation_free(&seen);
    if (f->status == 0 && db_open(&db, &run->bench.observer.api, run->work, f) == 0) {
        (void)check_rows(run, &db, next, f);
        (void)db_close(&db, f);
    }
    for (int64_t w = 0; f->status == 0 && w < set->writers; w++)
        if ((size_t)w >= said->count || (double)next[w] != said->at[w])
            fail_set(f, STATUS_MISMATCH,
                     "writer %" PRId64 " committed %.0f rows, of which %" PRId64 " are there",
                     w + 1, (size_t)w < said->count ? said->at[w] : 0, next[w]);
    return f->status;
}

static void collect(const struct result *r, struct contention_cell *cell, struct fail *f)
{
    static const struct {
        const char *name;
        double divisor;
    } said[CONTENTION_METRICS] = {
        {"write.done", 1},  {"write.busy", 1},  {"read.done", 1},   {"read.busy", 1},
        {"write.p50", 1e3}, {"write.p95", 1e3}, {"write.p99", 1e3}, {"read.p50", 1e3},
        {"read.p95", 1e3},  {"read.p99", 1e3},  {"elapsed", 1e9},
    };
    for (int m = 0; m < CONTENTION_METRICS; m++)
        samples_add(&cell->metric[m], result_number(r, said[m].name, f) / said[m].divisor);
    bench_pragmas(&cell->pragmas, r);
}

static int run_arm(struct contention_run *run, size_t which, size_t arm, struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[arm];
    const struct contention_settings *set = &run->set;
    const struct contention_case *c = &run->cases[which];
    struct kv_list args = {NULL, 0};
    struct result result;
    struct fail wrong = {0};
    char what[100];
    (void)snprintf(what, sizeof what, "journal_mode=%s, busy_timeout %" PRId64 " ms",
                   c->journal, c->busy_timeout);
    kv_text(&args, "path", run->work);
    kv_text(&args, "library", library->name);
    kv_text(&args, "journal_mode", c->journal);
    kv_int(&args, "busy_timeout", c->busy_timeout);
    kv_text(&args, "synchronous", set->synchronous);
    kv_int(&args, "writers", set->writers);
    kv_int(&args, "readers", set->readers);
    kv_int(&args, "milliseconds", set->seconds * 1000);
    kv_int(&args, "rows", set->rows);
    kv_int(&args, "value_bytes", set->value_bytes);
    kv_int(&args, "retry_pause", set->retry_pause);
    kv_int(&args, "page_size", set->page_size);
    kv_int(&args, "seed", set->seed);
    progress_show(&run->progress, what, 0, 0);
    if (proc_run(library->path, "contention", &args, NULL, &result, f) == 0) {
        if (judge(run, &result, &wrong) == 0)
            collect(&result, contention_cell(run, which, arm), f);
        else
            fail_set(f, wrong.status, "%s, %s: %s", library->name, what, wrong.text);
        result_free(&result);
    }
    kv_free(&args);
    scratch_remove_database(run->work);
    run->progress.steps_done++;
    return f->status;
}

static int run_all(struct contention_run *run, struct fail *f)
{
    size_t arms = run->bench.libraries.count;
    for (int64_t i = 0; i < run->set.runs; i++)
        for (size_t c = 0; c < run->case_count; c++)
            for (size_t a = 0; f->status == 0 && a < arms; a++)
                (void)run_arm(run, c, (a + c + (size_t)i) % arms, f);
    return f->status;
}

static int measure(struct contention_run *run, struct fail *f)
{
    const struct contention_settings *set = &run->set;
    /* Nobody knows how much is written in this time; this is much. */
    double space = 2e7 + 1e4 * (double)set->seconds * (double)(set->value_bytes + 200);
    if (bench_open(&run->bench, "E6", "contention", &set->common, space, f) == 0) {
        struct kv_list *common = &run->bench.report.common;
        kv_int(common, "writers", set->writers);
        kv_int(common, "readers", set->readers);
        kv_int(common, "seconds", set->seconds);
        kv_int(common, "runs", set->runs);
        kv_int(common, "rows", set->rows);
        kv_int(common, "value_bytes", set->value_bytes);
        kv_int(common, "retry_pause", set->retry_pause);
        kv_int(common, "page_size", set->page_size);
        kv_int(common, "seed", set->seed);
        run->work = scratch_file("work.db");
        run->progress.what = "contention";
        run->progress.steps =
            set->runs * (int64_t)(run->case_count * run->bench.libraries.count);
        (void)run_all(run, f);
        progress_clear(&run->progress);
    }
    if (f->status == 0) {
        contention_record(run);
        contention_print(run);
        contention_judge(run);
    }
    free(run->work);
    return bench_close(&run->bench, f);
}

static int settle(struct contention_run *run, struct fail *f)
{
    const struct contention_settings *set = &run->set;
    bool wanted[JOURNALS] = {false};
    int64_t *timeouts = NULL;
    size_t count = 0;
    if (set->writers + set->readers == 0)
        return fail_set(f, STATUS_UNUSABLE, "--writers and --readers: nobody is left");
    if (options_choose("--journal-modes", set->journals, "all", journals, wanted, JOURNALS,
                       f) != 0 ||
        options_number_list("--busy-timeout", set->timeouts, 0, 60000, &timeouts, &count, f) !=
            0)
        return f->status;
    run->cases = mem_get(count * JOURNALS * sizeof run->cases[0]);
    for (size_t t = 0; t < count; t++)
        for (int j = 0; j < JOURNALS; j++)
            if (wanted[j])
                run->cases[run->case_count++] =
                    (struct contention_case){journals[j], timeouts[t]};
    free(timeouts);
    run->cells = mem_get(run->case_count * LIBRARIES_MOST * sizeof run->cells[0]);
    return 0;
}

static void help(const struct option *options)
{
    puts("usage: walbench contention [OPTION...]\n"
         "\n"
         "Experiment E6, test 2: writers insert one row in a transaction, readers select 51\n"
         "rows from a random start among those that were there first. Each is a thread with a\n"
         "connection of its own. Counted are writes, reads and errors \"database is locked\".\n"
         "One that finds the database locked tries again at once, or after --retry-pause:\n"
         "with no busy_timeout the number of errors depends on that. At the end every row\n"
         "that was committed must be there, and no other. With the defaults this takes 100\n"
         "seconds a library.\n");
    options_print(options, stdout);
}

static void free_cells(struct contention_run *run)
{
    for (size_t i = 0; run->cells != NULL && i < run->case_count * LIBRARIES_MOST; i++) {
        for (int m = 0; m < CONTENTION_METRICS; m++)
            samples_free(&run->cells[i].metric[m]);
        kv_free(&run->cells[i].pragmas);
    }
    free(run->cells);
}

int command_contention(int argc, char **argv, struct fail *f)
{
    struct contention_run *run = mem_get(sizeof *run);
    struct contention_settings *set = &run->set;
    *set = (struct contention_settings){.journals = "delete,wal",
                                        .timeouts = "0,5000",
                                        .synchronous = "full",
                                        .writers = 1,
                                        .readers = 1,
                                        .seconds = 5,
                                        .runs = 5,
                                        .rows = 1000,
                                        .value_bytes = 100,
                                        .page_size = 4096,
                                        .seed = 1};
    const struct option options[] = {
        {.name = "--journal-modes",
         .kind = OPTION_TEXT,
         .target = &set->journals,
         .argument = "LIST",
         .standard = "delete,wal",
         .help = "Of delete,truncate,persist,wal, or all."},
        {.name = "--busy-timeout",
         .kind = OPTION_TEXT,
         .target = &set->timeouts,
         .argument = "LIST",
         .standard = "0,5000 milliseconds",
         .help = "How long a connection waits for a lock; each is a case of its own. Up to\n"
                 "60000."},
        {.name = "--writers",
         .kind = OPTION_INT,
         .target = &set->writers,
         .least = 0,
         .most = CREW_MOST,
         .argument = "N",
         .standard = "1 thread",
         .help = "Threads that insert."},
        {.name = "--readers",
         .kind = OPTION_INT,
         .target = &set->readers,
         .least = 0,
         .most = CREW_MOST,
         .argument = "N",
         .standard = "1 thread",
         .help = "Threads that read."},
        {.name = "--seconds",
         .kind = OPTION_INT,
         .target = &set->seconds,
         .least = 1,
         .most = 60,
         .argument = "N",
         .standard = "5 seconds",
         .help = "How long they work. A thread that waits for a lock then waits it out."},
        {.name = "--runs",
         .kind = OPTION_INT,
         .target = &set->runs,
         .least = 1,
         .most = 100000,
         .argument = "N",
         .standard = "5 runs, as published",
         .help = "Runs of each case and library. Intervals need six."},
        {.name = "--rows",
         .kind = OPTION_INT,
         .target = &set->rows,
         .least = 1,
         .most = 100000,
         .argument = "N",
         .standard = "1000 rows",
         .help = "Rows in the table before they start."},
        {.name = "--value-bytes",
         .kind = OPTION_INT,
         .target = &set->value_bytes,
         .least = 16,
         .most = 10000,
         .argument = "N",
         .standard = "100 bytes",
         .help = "Size of v."},
        {.name = "--retry-pause",
         .kind = OPTION_INT,
         .target = &set->retry_pause,
         .least = 0,
         .most = 1000000,
         .argument = "N",
         .standard = "0 microseconds: none",
         .help = "How long a thread pauses that found the database locked."},
        {.name = "--synchronous",
         .kind = OPTION_CHOICE,
         .target = &set->synchronous,
         .choices = "off|normal|full|extra",
         .argument = "MODE",
         .standard = "full",
         .help = "off, normal, full or extra."},
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
    free(run->cases);
    free(run);
    return f->status;
}
