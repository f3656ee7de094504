/*
** scan.c: `walbench scan`, experiment E3. What does a table whose pages are scattered over
** the file cost the one who scans it? Scans from memory and from the disk, of a table in
** the order in which each library has left it, and in that of a VACUUM.
*/
#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "residency.h"
#include "scratch.h"
#include "signals.h"

const char *const scan_names[SCANS] = {"table", "index-only"};
const char *const scan_trees[SCANS] = {"log", "log_key"};
const char *const scan_times[TIMES] = {"warm_seconds", "cold_seconds", "raw_sorted_seconds",
                                       "raw_scan_order_seconds"};

int64_t scan_commits(const struct scan_settings *set)
{
    return set->turnovers * set->rows / set->batch;
}

bool scan_is_published(const struct scan_settings *set)
{
    return set->rows == 1000000 && set->batch == 1000 && set->turnovers == 10 &&
           set->page_size == 4096 && strcmp(set->cache, "default") == 0 && !set->no_index;
}

/* One scan in a process of its own. */
static int run_scan(struct scan_run *run, struct scan_layout *layout, int scan, int time,
                    struct kv_list *pragmas, struct fail *f)
{
    struct scan_cell *cell = &layout->cell[scan];
    struct kv_list args = {NULL, 0};
    struct result r;
    kv_text(&args, "path", layout->path);
    kv_int(&args, "page_size", run->set.page_size);
    kv_text(&args, "scan", scan_names[scan]);
    kv_text(&args, "memory", time == TIME_COLD ? "cold" : "warm");
    kv_text(&args, "cache_size", run->set.cache);
    if (proc_run(run->bench.libraries.at[layout->library].path, "scan", &args, NULL, &r, f) ==
        0) {
        double answer = result_number(&r, "answer", f);
        samples_add(&cell->seconds[time], result_number(&r, "nanoseconds", f) / 1e9);
        samples_add(&cell->reads, result_number(&r, "reads", f));
        samples_add(&cell->bytes, result_number(&r, "bytes_read", f));
        samples_add(&cell->jumps, result_number(&r, "read_jumps", f));
        if (time == TIME_WARM)
            samples_add(&cell->resident, result_number(&r, "resident", f));
        bench_pragmas(pragmas, &r);
        if (f->status == 0 && (int64_t)answer != (int64_t)run->answer[scan])
            fail_set(f, STATUS_MISMATCH,
                     "%s, %s scan: the answer is %.0f, and the rows that should be there "
                     "have %.0f",
                     layout->name, scan_names[scan], answer, run->answer[scan]);
        result_free(&r);
    }
    kv_free(&args);
    return f->status;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int read_pages(struct scan_cell *cell, int time, int fd, const uint32_t *pages,
                      size_t size, struct fail *f)
{
    unsigned char *page = mem_get(size);
    int64_t start = clock_now();
    for (size_t i = 0; i < cell->visits.count; i++) {
        ssize_t n = pread(fd, page, size, (off_t)(pages[i] - 1) * (off_t)size);
        if (n == (ssize_t)size)
            continue;
        if (signals_check(f) == 0)
            fail_set(f, STATUS_MISMATCH, "reading page %" PRIu32 ": %s", pages[i],
                     n < 0 ? strerror(errno) : "the file ends there");
        break;
    }
    if (f->status == 0)
        samples_add(&cell->seconds[time], (double)(clock_now() - start) / 1e9);
    free(page);
    return f->status;
}

/* The pages of a scan with plain reads and no SQLite, from the disk. */
static int run_raw(struct scan_run *run, struct scan_layout *layout, int scan, int time,
                   struct fail *f)
{
    struct scan_cell *cell = &layout->cell[scan];
    struct residency left;
    int fd = open(layout->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_set(f, STATUS_MISMATCH, "cannot open '%s': %s", layout->path,
                        strerror(errno));
    uint32_t *pages = mem_get(cell->visits.count * sizeof pages[0]);
    for (size_t i = 0; i < cell->visits.count; i++)
        pages[i] = cell->visits.at[i].page;
    if (time == TIME_SORTED)
        qsort(pages, cell->visits.count, sizeof pages[0], ascending);
    if (residency_drop(fd, &left, f) == 0) {
        if (left.resident > 0)
            fail_set(f, STATUS_MISMATCH,
                     "%s: %" PRId64 " of %" PRId64 " pages stayed in memory: no cold read",
                     layout->name, left.resident, left.pages);
        else
            (void)read_pages(cell, time, fd, pages, (size_t)run->set.page_size, f);
    }
    free(pages);
    (void)close(fd);
    return f->status;
}

/* Layouts take turns in everything that is compared, each time another one first. */
static int run_rounds(struct scan_run *run, struct kv_list *pragmas, struct fail *f)
{
    size_t turn = 0;
    for (int64_t round = 0; round < run->set.rounds; round++)
        for (int scan = 0; scan < run->scans; scan++)
            for (int time = 0; time < (run->not_cold ? TIME_COLD : TIMES); time++, turn++)
                for (size_t a = 0; f->status == 0 && a < run->layouts; a++) {
                    size_t i = (a + turn) % run->layouts;
                    struct scan_layout *layout = &run->layout[i];
                    progress_show(&run->progress, layout->name, 0, 0);
                    if (time < TIME_SORTED)
                        (void)run_scan(run, layout, scan, time, &pragmas[i], f);
                    else
                        (void)run_raw(run, layout, scan, time, f);
                    run->progress.steps_done++;
                }
    return f->status;
}

static int run_all(struct scan_run *run, struct fail *f)
{
    struct kv_list *common = &run->bench.report.common;
    struct kv_list pragmas[SCAN_LAYOUTS_MOST] = {{NULL, 0}};
    if (scan_make_layouts(run, f) != 0)
        return f->status;
    run->read_ahead = residency_read_ahead(run->layout[0].path);
    run->not_cold = residency_probe(run->layout[0].path, f);
    kv_int(common, "read_ahead_kib", run->read_ahead);
    kv_text(common, "cold", run->not_cold ? run->not_cold : "verified by mincore");
    if (run->not_cold != NULL)
        run->progress.steps =
            run->progress.steps_done + (int64_t)run->layouts * run->set.rounds * run->scans;
    if (f->status == 0 && run_rounds(run, pragmas, f) == 0)
        for (size_t i = 0; i < run->layouts; i++)
            scan_record(run, &run->layout[i], &pragmas[i]);
    for (size_t i = 0; i < SCAN_LAYOUTS_MOST; i++)
        kv_free(&pragmas[i]);
    return f->status;
}

static size_t count_layouts(const struct scan_run *run)
{
    return run->bench.libraries.count * (run->set.full ? 2 : 1) + 1;
}

static double space_needed(const struct scan_settings *set)
{
    enum { ROW_MOST = 250, KEY = 16 };
    size_t libraries = set->common.libraries.count ? set->common.libraries.count : 2;
    double layouts = (double)libraries * (set->full ? 2 : 1) + 1;
    double table = bench_table_size(set->rows, ROW_MOST, set->page_size) +
                   bench_table_size(set->rows, KEY, set->page_size);
    /* The layouts; and the file to start from, the one at work, a temporary copy and a
    ** log of the whole, which a VACUUM makes. */
    return (layouts + 4) * table + 20 * bench_table_size(set->batch, ROW_MOST, set->page_size);
}

static void free_layouts(struct scan_run *run)
{
    for (size_t i = 0; i < run->layouts; i++) {
        free(run->layout[i].path);
        for (int scan = 0; scan < SCANS; scan++) {
            struct scan_cell *cell = &run->layout[i].cell[scan];
            page_visits_free(&cell->visits);
            samples_free(&cell->resident);
            samples_free(&cell->reads);
            samples_free(&cell->bytes);
            samples_free(&cell->jumps);
            for (int time = 0; time < TIMES; time++)
                samples_free(&cell->seconds[time]);
        }
    }
    free(run->not_cold);
}

static int measure(struct scan_run *run, struct fail *f)
{
    const struct scan_settings *set = &run->set;
    run->scans = set->no_index ? SCAN_INDEX : SCANS;
    if (scan_check_keep(run, f) == 0 &&
        bench_open(&run->bench, "E3", "scan", &set->common, space_needed(set), f) == 0) {
        struct kv_list *common = &run->bench.report.common;
        kv_int(common, "rows", set->rows);
        kv_int(common, "batch", set->batch);
        kv_int(common, "turnovers", set->turnovers);
        kv_int(common, "commits", scan_commits(set));
        kv_int(common, "page_size", set->page_size);
        kv_int(common, "seed", set->seed);
        kv_int(common, "rounds", set->rounds);
        kv_text(common, "case_cache", set->cache);
        kv_text(common, "index", set->no_index ? "no" : "yes");
        run->progress.what = "scan";
        size_t layouts = count_layouts(run);
        run->progress.steps =
            (int64_t)layouts + (int64_t)layouts * set->rounds * run->scans * TIMES;
        (void)run_all(run, f);
        progress_clear(&run->progress);
        if (f->status == 0)
            (void)scan_keep_layouts(run, f);
    }
    if (f->status == 0)
        scan_print(run);
    return bench_close(&run->bench, f);
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench scan [OPTION...]\n"
        "\n"
        "Experiment E3: what scattered pages cost. Each library churns a rolling log with an\n"
        "index on a random key (as `walbench rolling` does, mode none), and the first one also\n"
        "makes the layout to compare with, by a VACUUM of its log. Each layout is then scanned\n"
        "by the library that made it: the whole table, and the index alone. Layouts take turns\n"
        "in every measurement, each scan is made by a new process, with mmap off.\n"
        "\n"
        "Warm: the file has just been read. Cold: it has been synced and dropped from memory\n"
        "by posix_fadvise, right before the scan, and mincore must see no page of it. What a\n"
        "disk, or the host of a virtual machine, holds in its own memory stays there. Where\n"
        "the file system keeps pages (one in memory does), or does not tell, there are no cold\n"
        "scans, and the result says so. Raw: the same pages, cold, with one pread(2) a page,\n"
        "in sorted order and in that of the scan. SQLite and the raw reads give the system no\n"
        "advice: it reads ahead as it does for any file, and how far is in the result.\n"
        "\n"
        "Seconds depend on the disk and its read-ahead. What does not is the number of reads\n"
        "that do not start where the last one ended, as a VFS counts them below the library\n"
        "and as they follow from the page order; SQLite's cache starts with page 1 alone.\n"
        "With the defaults this takes about two minutes.\n");
    options_print(options, stdout);
}

static int settle(const struct scan_settings *set, struct fail *f)
{
    int64_t cache;
    if (set->batch > set->rows)
        return fail_set(f, STATUS_UNUSABLE,
                        "--batch: %" PRId64 " is more than the %" PRId64 " rows", set->batch,
                        set->rows);
    if (strcmp(set->cache, "default") != 0 &&
        (!options_number(set->cache, &cache) || cache < 1 || cache > 100000000))
        return fail_set(f, STATUS_UNUSABLE,
                        "--cache: '%s' is neither 'default' nor a number of pages", set->cache);
    return 0;
}

int command_scan(int argc, char **argv, struct fail *f)
{
    struct scan_run *run = mem_get(sizeof *run);
    struct scan_settings *set = &run->set;
    *set = (struct scan_settings){.rows = 200000,
                                  .batch = 1000,
                                  .turnovers = 2,
                                  .rounds = 10,
                                  .page_size = 4096,
                                  .seed = 1,
                                  .cache = "default"};
    const struct option options[] = {
        {.name = "--rows",
         .kind = OPTION_INT,
         .target = &set->rows,
         .least = 1,
         .most = 1000000000,
         .argument = "N",
         .standard = "200000 rows (1000000 published)",
         .help = "Length of the log; rows of 150 to 250 bytes."},
        {.name = "--batch",
         .kind = OPTION_INT,
         .target = &set->batch,
         .least = 1,
         .most = 10000000,
         .argument = "N",
         .standard = "1000 rows",
         .help = "Rows that a transaction inserts, and deletes. Not more than --rows."},
        {.name = "--turnovers",
         .kind = OPTION_INT,
         .target = &set->turnovers,
         .least = 1,
         .most = 1000000,
         .argument = "N",
         .standard = "2 turnovers (10 published)",
         .help = "How many times the log is replaced as a whole: N * rows / batch commits."},
        {.name = "--rounds",
         .kind = OPTION_INT,
         .target = &set->rounds,
         .least = 1,
         .most = 1000000,
         .argument = "N",
         .standard = "10 rounds (9 published)",
         .help = "In each round every measurement is made once for each layout. Six or more\n"
                 "are needed for intervals."},
        {.name = "--full",
         .kind = OPTION_FLAG,
         .target = &set->full,
         .standard = "off",
         .help = "Churn with auto_vacuum=FULL as well: one more layout a library."},
        {.name = "--no-index",
         .kind = OPTION_FLAG,
         .target = &set->no_index,
         .standard = "off",
         .help = "The log has no index, and only the table is scanned. The pages of an index\n"
                 "stand among those of the table, however that is allocated."},
        PAGE_SIZE_OPTION(set->page_size),
        {.name = "--cache",
         .kind = OPTION_TEXT,
         .target = &set->cache,
         .argument = "PAGES",
         .standard = "default (what the library does by itself)",
         .help = "PRAGMA cache_size of the scans in pages, or the word default."},
        {.name = "--keep",
         .kind = OPTION_TEXT,
         .target = &set->keep,
         .argument = "DIR",
         .standard = "none",
         .help =
             "Leave the layouts in this directory, for instance for `walbench order --map`:\n"
             "churned-LIBRARY.db, churned-LIBRARY-full.db, vacuum.db. DIR must exist, the\n"
             "files must not."},
        SEED_OPTION(set->seed),
        COMMON_OPTIONS(set->common),
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (settle(set, f) == 0)
        (void)measure(run, f);
    free(set->common.libraries.at);
    free_layouts(run);
    free(run);
    return f->status;
}
