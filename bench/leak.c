/*
** leak.c: `walbench leak`. Rows are deleted, and the files are searched for what
** they held, for every secure_delete mode, in WAL and in rollback mode.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "marks.h"
#include "scratch.h"
#include "table.h"

struct settings {
    struct common common;
    int64_t rows, victims, row_bytes, page_size, seed;
};

static const char *const journals[] = {"wal", "delete"};
static const char *const secures[] = {"on", "fast", "off"};

enum { JOURNALS = 2, SECURES = 3, WAL = 0, DELETE = 1, ON = 0, FAST = 1 };

struct figures {
    double log_before, database, log, both; /* before the checkpoint; after it */
};

struct run {
    struct settings set;
    struct bench bench;
    struct progress progress;
    char *pristine, *work;
    struct hash_value expected;
    struct figures figures[JOURNALS][SECURES][LIBRARIES_MOST];
};

/* Is the size the one that the figures were published for? */
static bool is_published(const struct settings *set)
{
    return set->victims == 2500 && set->row_bytes == 200 && set->page_size == 4096;
}

static const char *published(const struct run *run, int j, int s)
{
    if (!is_published(&run->set))
        return "";
    if (s == ON)
        return "0";
    if (s != FAST)
        return "2,485";
    return j == DELETE ? "2,471" : "1,264 stock, 2,471 patched";
}

static void record(struct run *run, int j, int s, size_t arm, const struct result *r,
                   struct fail *f)
{
    static const char *const said[] = {"before.database", "before.wal", "before.both",
                                       "after.database",  "after.wal",  "after.both"};
    struct kv_list parameters = {NULL, 0}, pragmas = {NULL, 0};
    struct record one = {.arm = &run->bench.libraries.at[arm],
                         .parameters = &parameters,
                         .pragmas = &pragmas,
                         .unit = "rows"};
    struct figures *figures = &run->figures[j][s][arm];
    kv_text(&parameters, "case_journal_mode", journals[j]);
    kv_text(&parameters, "case_secure_delete", secures[s]);
    bench_pragmas(&pragmas, r);
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        one.metric = said[i];
        one.published = i == 5 && *published(run, j, s) ? published(run, j, s) : NULL;
        report_add(&run->bench.report, &one, result_samples(r, said[i], f));
    }
    *figures = (struct figures){
        result_number(r, "before.wal", f), result_number(r, "after.database", f),
        result_number(r, "after.wal", f), result_number(r, "after.both", f)};
    if (f->status == 0 && (int64_t)result_number(r, "start.both", f) != run->set.victims)
        fail_set(f, STATUS_MISMATCH,
                 "the search found %.0f of %" PRId64 " rows before the DELETE",
                 result_number(r, "start.both", f), run->set.victims);
    kv_free(&parameters);
    kv_free(&pragmas);
}

static int run_arm(struct run *run, int j, int s, size_t arm, struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[arm];
    struct kv_list args = {NULL, 0};
    struct result result;
    struct observation seen;
    char what[100];
    (void)snprintf(what, sizeof what, "journal_mode=%s secure_delete=%s", journals[j],
                   secures[s]);
    if (file_copy(run->pristine, run->work, f) != 0)
        return f->status;
    kv_text(&args, "path", run->work);
    kv_text(&args, "journal_mode", journals[j]);
    kv_text(&args, "secure_delete", secures[s]);
    kv_int(&args, "delete", run->set.victims);
    kv_int(&args, "row_bytes", run->set.row_bytes);
    kv_int(&args, "page_size", run->set.page_size);
    kv_int(&args, "seed", run->set.seed);
    progress_show(&run->progress, library->name, 0, 0);
    if (proc_run(library->path, "leak", &args, NULL, &result, f) == 0) {
        if (observer_examine(&run->bench.observer, run->work, &seen, f) == 0) {
            if (bench_judge(&seen, run->expected, library->name, what, f) == 0)
                record(run, j, s, arm, &result, f);
            observation_free(&seen);
        }
        result_free(&result);
    }
    kv_free(&args);
    scratch_remove_database(run->work);
    run->progress.steps_done++;
    return f->status;
}

static int run_all(struct run *run, struct fail *f)
{
    size_t arms = run->bench.libraries.count, turn = 0;
    for (int j = 0; j < JOURNALS; j++)
        for (int s = 0; s < SECURES; s++, turn++)
            for (size_t a = 0; f->status == 0 && a < arms; a++)
                (void)run_arm(run, j, s, (a + turn) % arms, f);
    return f->status;
}

static void print(const struct run *run)
{
    const struct libraries *set = &run->bench.libraries;
    struct table t;
    char text[NUMBER_TEXT_SIZE];
    static const char *const heading[] = {"WAL before", "database", "WAL", "left"};
    table_begin(&t, 3 + 4 + 1, 3);
    table_cell(&t, "journal_mode");
    table_cell(&t, "secure_delete");
    table_cell(&t, "library");
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", heading[i]);
    table_cell(&t, "published");
    for (int j = 0; j < JOURNALS; j++)
        for (int s = 0; s < SECURES; s++)
            for (size_t k = 0; k < set->count; k++) {
                const struct figures *x = &run->figures[j][s][k];
                const double value[] = {x->log_before, x->database, x->log, x->both};
                table_cell(&t, "%s", journals[j]);
                table_cell(&t, "%s", secures[s]);
                table_cell(&t, "%s", set->at[k].name);
                for (int i = 0; i < 4; i++)
                    table_cell(&t, "%s",
                               j == DELETE && (i == 0 || i == 2)
                                   ? "-"
                                   : number_print(value[i], 0, text));
                table_cell(&t, "%s", published(run, j, s));
            }
    puts(
        "Deleted rows whose content is still there: in the WAL before the checkpoint; after it\n"
        "in the database, in the WAL, and in at least one of them. Before it the database is\n"
        "as it was. In rollback mode the journal is gone, and there is no checkpoint.");
    table_end(&t, stdout);
    putchar('\n');
}

static void judge(struct run *run)
{
    struct report *report = &run->bench.report;
    const struct libraries *set = &run->bench.libraries;
    const struct library *stock = libraries_find(set, "stock");
    const struct library *patched = libraries_find(set, "patched");
    for (int j = 0; j < JOURNALS; j++)
        for (size_t k = 0; k < set->count; k++) {
            const struct figures *x = &run->figures[j][ON][k];
            report_bound(
                report, true, x->both <= 0 && x->log_before <= 0,
                "leak %s, journal_mode=%s, secure_delete=on: %.0f rows in the WAL before "
                "the checkpoint, %.0f in the files after it, none",
                set->at[k].name, journals[j], x->log_before, x->both);
        }
    double n = stock ? run->figures[DELETE][FAST][stock - set->at].both : 0;
    double p = patched ? run->figures[WAL][FAST][patched - set->at].both : 0;
    report_bound(report, stock && patched, p <= n,
                 "leak patched, journal_mode=wal, secure_delete=fast: %.0f rows, not more than "
                 "the %.0f of stock in rollback mode",
                 p, n);
}

static int prepare(struct run *run, struct fail *f)
{
    const struct settings *set = &run->set;
    struct build build = {
        .shape = {(uint64_t)set->seed, set->row_bytes, set->row_bytes},
        .rows = set->rows,
        .page_size = set->page_size,
        .auto_vacuum = "none",
        .secure = true,
    };
    struct kv_list *common = &run->bench.report.common;
    kv_int(common, "rows", set->rows);
    kv_int(common, "delete", set->victims);
    kv_int(common, "row_bytes", set->row_bytes);
    kv_int(common, "page_size", set->page_size);
    kv_int(common, "seed", set->seed);
    run->pristine = scratch_file("pristine.db");
    run->work = scratch_file("work.db");
    run->expected = rows_hash(&build.shape, set->victims + 1, set->rows, 0, 0);
    progress_show(&run->progress, "building the table", 0, 0);
    return observer_build(&run->bench.observer, run->pristine, &build, f);
}

static int measure(struct run *run, struct fail *f)
{
    const struct settings *set = &run->set;
    double table = bench_table_size(set->rows, set->row_bytes, set->page_size);
    if (bench_open(&run->bench, "leak", "leak", &set->common, 3 * table, f) == 0) {
        run->progress.what = "leak";
        run->progress.steps = (int64_t)(JOURNALS * SECURES * run->bench.libraries.count);
        if (prepare(run, f) == 0)
            (void)run_all(run, f);
        progress_clear(&run->progress);
    }
    if (f->status == 0) {
        printf("What a DELETE of the oldest %" PRId64 " of %" PRId64 " rows of %" PRId64
               " bytes leaves in the files (page size\n%" PRId64 ", seed %" PRId64 ")\n\n",
               set->victims, set->rows, set->row_bytes, set->page_size, set->seed);
        libraries_print(&run->bench.libraries, stdout);
        putchar('\n');
        print(run);
        puts("Content and integrity of every result were the same for every library.");
        judge(run);
    }
    free(run->pristine);
    free(run->work);
    return bench_close(&run->bench, f);
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench leak [OPTION...]\n"
        "\n"
        "One statement deletes the oldest rows of a table; then the database and the WAL are\n"
        "searched for what the rows held, before and after a checkpoint, for secure_delete\n"
        "ON, FAST and OFF, in WAL and in rollback mode (journal_mode=DELETE). A row counts if\n"
        "16 bytes from the middle of its payload, which is random, are found.\n"
        "No times are measured.\n");
    options_print(options, stdout);
}

int command_leak(int argc, char **argv, struct fail *f)
{
    struct run *run = mem_get(sizeof *run);
    struct settings *set = &run->set;
    *set = (struct settings){
        .rows = 10000, .victims = 2500, .row_bytes = 200, .page_size = 4096, .seed = 1};
    const struct option options[] = {
        {.name = "--rows",
         .kind = OPTION_INT,
         .target = &set->rows,
         .least = 2,
         .most = 10000000,
         .argument = "N",
         .standard = "10000 rows",
         .help = "Rows in the table."},
        {.name = "--delete",
         .kind = OPTION_INT,
         .target = &set->victims,
         .least = 1,
         .most = 9999999,
         .argument = "N",
         .standard = "2500 rows",
         .help = "How many of them, the oldest, are deleted. Must be less than --rows."},
        {.name = "--row-bytes",
         .kind = OPTION_INT,
         .target = &set->row_bytes,
         .least = 2 * MARK_SIZE,
         .most = 400,
         .argument = "N",
         .standard = "200 bytes",
         .help = "Payload of a row; never so much that it needs overflow pages."},
        PAGE_SIZE_OPTION(set->page_size),
        SEED_OPTION(set->seed),
        COMMON_OPTIONS(set->common),
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (set->victims >= set->rows)
        fail_set(f, STATUS_UNUSABLE,
                 "--delete: %" PRId64 " is not less than the %" PRId64 " rows", set->victims,
                 set->rows);
    else
        (void)measure(run, f);
    free(set->common.libraries.at);
    free(run);
    return f->status;
}
