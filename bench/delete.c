/*
** delete.c: `walbench delete`, experiment E1. One statement deletes the oldest
** rows of a table; what reaches which file is counted, for both journal modes,
** every secure_delete mode and three cache sizes.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "scratch.h"
#include "table.h"

struct settings {
    struct common common;
    int64_t rows, victims, row_bytes, page_size, seed;
    const char *synchronous;
};

static const char *const journals[] = {"wal", "delete"};
static const char *const secures[] = {"off", "fast", "on", "default"};
static const char *const caches[] = {"default", "50", "all"};

enum { JOURNALS = 2, SECURES = 4, CACHES = 3 };

struct figures {
    double database_pages, journal_pages, frames, copied, rewritten, bytes;
};

struct run {
    struct settings set;
    struct bench bench;
    struct progress progress;
    char *pristine, *work;
    struct hash_value expected;
    struct figures figures[JOURNALS][SECURES][CACHES][LIBRARIES_MOST];
};

/* Is this the experiment that was published? Then its figures may stand beside ours. */
static bool is_published(const struct settings *set)
{
    return set->rows == 200000 && set->victims == 10000 && set->row_bytes == 200 &&
           set->page_size == 4096;
}

static const char *published(const struct run *run, int j, int s, int c, const char *arm)
{
    bool stock = strcmp(arm, "stock") == 0;
    if (!is_published(&run->set) || secures[s][0] != 'o' || strcmp(caches[c], "default") != 0)
        return NULL;
    if (strcmp(journals[j], "delete") == 0)
        return strcmp(secures[s], "off") == 0
                   ? "8 database pages, 533 in the journal (SQLite 3.54.0 and 3.53.1)"
                   : NULL;
    if (strcmp(secures[s], "on") == 0)
        return "unchanged by secure_delete=ON (SQLite 3.54.0 and 3.53.1)";
    return stock ? "533 frames, 533 copied (SQLite 3.54.0 and 3.53.1)" : "about 8 wanted";
}

static void record(struct run *run, int j, int s, int c, size_t arm, const struct result *r,
                   const struct observation *seen, const struct figures *figures)
{
    struct kv_list parameters = {NULL, 0}, pragmas = {NULL, 0};
    const struct library *library = &run->bench.libraries.at[arm];
    kv_text(&parameters, "case_journal_mode", journals[j]);
    kv_text(&parameters, "case_secure_delete", secures[s]);
    kv_text(&parameters, "case_cache", caches[c]);
    bench_pragmas(&pragmas, r);
    struct record like = {.arm = library, .parameters = &parameters, .pragmas = &pragmas};
    struct record one = like;
    one.published = published(run, j, s, c, library->name);
    one.metric = "frames";
    one.unit = "frames";
    if (strcmp(journals[j], "wal") == 0) {
        report_add_number(&run->bench.report, &one, figures->frames);
        one.metric = "pages_copied_by_checkpoint";
        one.unit = "pages";
        report_add_number(&run->bench.report, &one, figures->copied);
    }
    bench_counts(&run->bench, &like, r, "commit");
    bench_counts(&run->bench, &like, r, "checkpoint");
    one = like;
    one.metric = "file_pages";
    one.unit = "pages";
    report_add_number(&run->bench.report, &one, (double)seen->page_count);
    one.metric = "free_pages";
    report_add_number(&run->bench.report, &one, (double)seen->free_count);
    kv_free(&parameters);
    kv_free(&pragmas);
}

static int read_figures(const struct result *r, bool wal, struct figures *out, struct fail *f)
{
    out->database_pages = result_number(r, "commit.database.pages", f);
    out->journal_pages = result_number(r, "commit.journal.pages", f);
    out->frames = wal ? result_number(r, "frames_in_log", f) : 0;
    out->copied = result_number(r, "checkpoint.database.pages", f);
    out->rewritten = result_number(r, "commit.wal.rewritten", f);
    out->bytes = result_number(r, "commit.database.bytes", f) +
                 result_number(r, "commit.journal.bytes", f) +
                 result_number(r, "commit.wal.bytes", f) +
                 result_number(r, "checkpoint.database.bytes", f);
    /* Nothing else may have been written by a bare DELETE without statement journal. */
    if (wal && out->frames != result_number(r, "commit.wal.pages", f))
        return fail_set(f, STATUS_MISMATCH, "frames appended and frames in the log differ");
    if (!wal && result_number(r, "commit.wal.bytes", f) > 0)
        return fail_set(f, STATUS_MISMATCH, "a log was written in journal_mode=DELETE");
    return f->status;
}

static int64_t pages_for_everything(const struct run *run)
{
    return file_size(run->pristine) / run->set.page_size * 2 + 1000;
}

static int run_arm(struct run *run, int j, int s, int c, size_t arm, struct fail *f)
{
    const struct library *library = &run->bench.libraries.at[arm];
    struct kv_list args = {NULL, 0};
    struct result result;
    struct observation seen;
    struct figures *figures = &run->figures[j][s][c][arm];
    bool wal = strcmp(journals[j], "wal") == 0;
    char what[100];
    (void)snprintf(what, sizeof what, "journal_mode=%s secure_delete=%s cache %s", journals[j],
                   secures[s], caches[c]);
    if (file_copy(run->pristine, run->work, f) != 0)
        return f->status;
    kv_text(&args, "path", run->work);
    kv_text(&args, "journal_mode", journals[j]);
    kv_text(&args, "secure_delete", secures[s]);
    if (strcmp(caches[c], "all") == 0)
        kv_int(&args, "cache_size", pages_for_everything(run));
    else
        kv_text(&args, "cache_size", caches[c]);
    kv_text(&args, "synchronous", run->set.synchronous);
    kv_int(&args, "delete", run->set.victims);
    kv_int(&args, "page_size", run->set.page_size);
    progress_show(&run->progress, library->name, 0, 0);
    if (proc_run(library->path, "delete", &args, NULL, &result, f) == 0) {
        if (read_figures(&result, wal, figures, f) == 0 &&
            observer_examine(&run->bench.observer, run->work, &seen, f) == 0) {
            if (bench_judge(&seen, run->expected, library->name, what, f) == 0)
                record(run, j, s, c, arm, &result, &seen, figures);
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
    size_t arms = run->bench.libraries.count;
    size_t turn = 0;
    for (int j = 0; j < JOURNALS; j++)
        for (int s = 0; s < SECURES; s++)
            for (int c = 0; c < CACHES; c++, turn++)
                for (size_t a = 0; f->status == 0 && a < arms; a++)
                    (void)run_arm(run, j, s, c, (a + turn) % arms, f);
    return f->status;
}

/* What is said of one journal mode: three figures for each library. */
struct columns {
    const char *title;
    const char *heading[3];
    size_t offset[3]; /* in struct figures */
    double scale[3];
};

static const struct columns columns[JOURNALS] = {
    {"journal_mode=WAL: frames in the log, pages copied into the database by the next\n"
     "checkpoint, kilobytes written by both together",
     {"frames", "copied", "KB"},
     {offsetof(struct figures, frames), offsetof(struct figures, copied),
      offsetof(struct figures, bytes)},
     {1, 1, 1e-3}},
    {"journal_mode=DELETE: pages written to the database, pages of old content written to\n"
     "the rollback journal, kilobytes written to both together",
     {"database", "journal", "KB"},
     {offsetof(struct figures, database_pages), offsetof(struct figures, journal_pages),
      offsetof(struct figures, bytes)},
     {1, 1, 1e-3}},
};

/* The last cell of a line. */
static const char *published_cell(const struct run *run, int j, int s, int c)
{
    if (c != 0 || !is_published(&run->set))
        return "";
    if (strcmp(secures[s], "off") == 0)
        return j == 0 ? "533 frames and copied; about 8 wanted" : "8 database, 533 journal";
    return j == 0 && strcmp(secures[s], "on") == 0 ? "unchanged by secure_delete=ON" : "";
}

static void print_mode(const struct run *run, int j)
{
    const struct libraries *set = &run->bench.libraries;
    struct table t;
    table_begin(&t, 2 + 3 * set->count + 1, 2);
    table_cell(&t, "secure_delete");
    table_cell(&t, "cache");
    for (int i = 0; i < 3; i++)
        bench_headings(&t, set, columns[j].heading[i]);
    table_cell(&t, "published");
    for (int s = 0; s < SECURES; s++) {
        for (int c = 0; c < CACHES; c++) {
            const struct figures *x = run->figures[j][s][c];
            table_cell(&t, "%s", secures[s]);
            table_cell(&t, "%s", caches[c]);
            for (int i = 0; i < 3; i++)
                table_numbers(&t, (const char *)x + columns[j].offset[i], sizeof *x, set->count,
                              columns[j].scale[i], 0);
            table_cell(&t, "%s", published_cell(run, j, s, c));
        }
    }
    puts(columns[j].title);
    table_end(&t, stdout);
    putchar('\n');
}

static void judge(struct run *run)
{
    struct report *report = &run->bench.report;
    const struct library *stock = libraries_find(&run->bench.libraries, "stock");
    const struct library *patched = libraries_find(&run->bench.libraries, "patched");
    bool same = is_published(&run->set);
    static const struct figures nothing;
    for (int c = 0; c < CACHES; c++) {
        const struct figures *x = run->figures[0][0][c];
        double n = stock ? x[stock - run->bench.libraries.at].frames : 0;
        double p = patched ? x[patched - run->bench.libraries.at].frames : 0;
        int most = strcmp(caches[c], "50") == 0 ? 10 : 9;
        report_bound(report, same && stock, n >= 510,
                     "E1 stock, WAL, secure_delete=off, cache %s: %.0f frames, 510 or more",
                     caches[c], n);
        report_bound(report, same && patched, p <= most,
                     "E1 patched, WAL, secure_delete=off, cache %s: %.0f frames, %d or fewer",
                     caches[c], p, most);
    }
    for (int j = 0; j < JOURNALS; j++) {
        for (int c = 0; c < CACHES; c++) {
            const struct figures *x = run->figures[j][2][c];
            const struct figures *n = stock ? &x[stock - run->bench.libraries.at] : &nothing;
            const struct figures *p =
                patched ? &x[patched - run->bench.libraries.at] : &nothing;
            bool wal = strcmp(journals[j], "wal") == 0;
            double a = wal ? n->frames : n->database_pages + n->journal_pages;
            double b = wal ? p->frames : p->database_pages + p->journal_pages;
            /* This one holds at any size. */
            report_bound(
                report, stock && patched, a == b && n->bytes == p->bytes,
                "E1 journal_mode=%s, secure_delete=on, cache %s: %.0f %s in stock, %.0f "
                "in patched, the same",
                journals[j], caches[c], a, wal ? "frames" : "pages", b);
        }
    }
}

static int prepare(struct run *run, struct fail *f)
{
    const struct settings *set = &run->set;
    struct build build = {
        .shape = {(uint64_t)set->seed, set->row_bytes, set->row_bytes},
        .rows = set->rows,
        .page_size = set->page_size,
        .auto_vacuum = "none",
    };
    struct kv_list *common = &run->bench.report.common;
    kv_int(common, "rows", set->rows);
    kv_int(common, "delete", set->victims);
    kv_int(common, "row_bytes", set->row_bytes);
    kv_int(common, "page_size", set->page_size);
    kv_int(common, "seed", set->seed);
    kv_text(common, "synchronous", set->synchronous);
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
    double deleted = bench_table_size(set->victims, set->row_bytes, set->page_size);
    if (bench_open(&run->bench, "E1", "delete", &set->common, 2 * table + 2 * deleted, f) ==
        0) {
        run->progress.what = "delete";
        run->progress.steps =
            (int64_t)(JOURNALS * SECURES * CACHES * run->bench.libraries.count);
        if (prepare(run, f) == 0)
            (void)run_all(run, f);
        progress_clear(&run->progress);
    }
    if (f->status == 0) {
        printf("E1: one DELETE of the oldest %" PRId64 " of %" PRId64 " rows of %" PRId64
               " bytes (page size %" PRId64 ",\nsynchronous=%s, seed %" PRId64 ")\n\n",
               set->victims, set->rows, set->row_bytes, set->page_size, set->synchronous,
               set->seed);
        libraries_print(&run->bench.libraries, stdout);
        putchar('\n');
        for (int j = 0; j < JOURNALS; j++)
            print_mode(run, j);
        puts(
            "Published figures: SQLite 3.54.0 and 3.53.1, shown where the parameters are the same.\n"
            "Content and integrity of every result were the same for every library.");
        judge(run);
    }
    free(run->pristine);
    free(run->work);
    return bench_close(&run->bench, f);
}

static void help(const struct option *options)
{
    puts("usage: walbench delete [OPTION...]\n"
         "\n"
         "Experiment E1: a table of rows of one size with a rowid key; one statement deletes\n"
         "the oldest. Counts what is written to the database, the rollback journal and the\n"
         "WAL, and what the next checkpoint copies, for journal_mode DELETE and WAL,\n"
         "secure_delete OFF, FAST, ON and the library's own default, and a cache of the\n"
         "default size, of 50 pages, and one that holds everything. Every case starts from a\n"
         "copy of one and the same file; the results must be equal for every library.\n"
         "No times are measured.\n");
    options_print(options, stdout);
}

int command_delete(int argc, char **argv, struct fail *f)
{
    struct run *run = mem_get(sizeof *run);
    struct settings *set = &run->set;
    *set = (struct settings){
        {{NULL, 0}, NULL, NULL, NULL, false, false}, 200000, 10000, 200, 4096, 1, "normal"};
    const struct option options[] = {
        {.name = "--rows",
         .kind = OPTION_INT,
         .target = &set->rows,
         .least = 2,
         .most = 100000000,
         .argument = "N",
         .standard = "200000 rows",
         .help = "Rows in the table."},
        {.name = "--delete",
         .kind = OPTION_INT,
         .target = &set->victims,
         .least = 1,
         .most = 99999999,
         .argument = "N",
         .standard = "10000 rows",
         .help = "How many of them, the oldest, are deleted. Must be less than --rows."},
        {.name = "--row-bytes",
         .kind = OPTION_INT,
         .target = &set->row_bytes,
         .least = 1,
         .most = ROW_PAYLOAD_MOST,
         .argument = "N",
         .standard = "200 bytes",
         .help = "Payload of a row."},
        PAGE_SIZE_OPTION(set->page_size),
        SEED_OPTION(set->seed),
        SYNCHRONOUS_OPTION(set->synchronous),
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
