/*
** checkpoint_print.c: the records, tables and bounds of `walbench checkpoint`.
*/
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"

static const char *const units[CHECKPOINT_METRICS] = {
    "us", "frames", "frames", "frames", "pages", "calls", "bytes", "bytes", "bytes"};

static bool is_published(const struct checkpoint_settings *set)
{
    return set->inserts == 20000 && set->rows_per_commit == 100 && set->value_bytes == 64 &&
           set->page_size == 4096 && set->autocheckpoint == 0;
}

static bool is_standard_delete(const struct checkpoint_settings *set)
{
    return set->rows == 100000 && set->victims == 50000 && set->value_bytes == 64 &&
           set->page_size == 4096;
}

static const char *published(const struct checkpoint_run *run, int part, int step)
{
    if (part != PART_INSERTS || !is_published(&run->set))
        return NULL;
    if (strcmp(checkpoint_steps[step].name, "passive") == 0)
        return "(0, 992, 992), 3,820 us, p95 4,790 us (SQLite 3.46.1)";
    return checkpoint_steps[step].place == 1 ? "2,750 us (SQLite 3.46.1)" : NULL;
}

/* In the unit of the record. "MiB" is what was published; 992 frames have 4.09 MB. */
static const char *published_metric(const struct checkpoint_run *run, int part, int step, int m)
{
    const char *text = published(run, part, step);
    if (m == WAL_BEFORE && text != NULL && checkpoint_steps[step].place == 0)
        return "4.09 MiB (SQLite 3.46.1)";
    return m == CHECKPOINT_TIME || m == SAID_LOG ? text : NULL;
}

static bool wanted(const struct checkpoint_run *run, int part, int step)
{
    return run->part_wanted[part] && run->run_wanted[checkpoint_steps[step].run];
}

static void record_cell(struct checkpoint_run *run, int part, int step, size_t arm)
{
    const struct checkpoint_cell *cell = &run->cell[part][step][arm];
    struct kv_list parameters = {NULL, 0};
    struct record one = {.arm = &run->bench.libraries.at[arm],
                         .parameters = &parameters,
                         .pragmas = &cell->pragmas};
    kv_text(&parameters, "case_log_of", checkpoint_parts[part]);
    kv_text(&parameters, "case_checkpoint", checkpoint_steps[step].name);
    for (int m = 0; m < CHECKPOINT_METRICS; m++) {
        one.metric = checkpoint_metrics[m];
        one.unit = units[m];
        one.published = published_metric(run, part, step, m);
        report_add(&run->bench.report, &one, &cell->metric[m]);
    }
    one.published = NULL;
    one.metric = checkpoint_metrics[CHECKPOINT_TIME];
    if (arm > 0)
        (void)report_add_ratio(&run->bench.report, &one, &run->bench.libraries.at[0],
                               &cell->metric[CHECKPOINT_TIME],
                               &run->cell[part][step][0].metric[CHECKPOINT_TIME]);
    kv_free(&parameters);
}

void checkpoint_record(struct checkpoint_run *run)
{
    for (int p = 0; p < CHECKPOINT_PARTS; p++)
        for (int s = 0; s < CHECKPOINT_STEPS; s++)
            for (size_t a = 0; wanted(run, p, s) && a < run->bench.libraries.count; a++)
                record_cell(run, p, s, a);
}

static void print_row(const struct checkpoint_run *run, struct table *t, int p, int s, size_t a)
{
    char text[NUMBER_TEXT_SIZE];
    const struct samples *m = run->cell[p][s][a].metric;
    struct estimate time = stats_estimate(&m[CHECKPOINT_TIME]);
    table_cell(t, "%s", checkpoint_steps[s].name);
    table_cell(t, "%s", run->bench.libraries.at[a].name);
    table_cell(t, "%s", number_print(stats_median(&m[FRAMES_BEFORE]), 0, text));
    table_cell(t, "(0, %.0f, %.0f)", stats_median(&m[SAID_LOG]), stats_median(&m[SAID_COPIED]));
    table_cell(t, "%s", number_print(stats_median(&m[PAGES_COPIED]), 0, text));
    table_estimate(t, &time, 1, 0);
    table_cell(t, "%s", number_print(stats_quantile(&m[CHECKPOINT_TIME], 0.95), 0, text));
    if (a > 0) {
        struct estimate ratio =
            stats_ratio(&m[CHECKPOINT_TIME], &run->cell[p][s][0].metric[CHECKPOINT_TIME], NULL);
        table_ratio(t, &ratio);
    } else {
        table_cell(t, "%s", "");
    }
    table_cell(t, "%s", number_print(stats_median(&m[WAL_BEFORE]) / 1024, 1, text));
    table_cell(t, "%s", number_print(stats_median(&m[WAL_AFTER]) / 1024, 1, text));
    table_cell(t, "%s", number_print(stats_median(&m[SHM_AFTER]) / 1024, 1, text));
    table_cell(t, "%s", published(run, p, s) ? published(run, p, s) : "");
}

static void print_part(const struct checkpoint_run *run, int p)
{
    const struct checkpoint_settings *set = &run->set;
    struct table t;
    static const char *const heading[] = {"frames", "answer", "pages", "time us", "p95"};
    if (p == PART_INSERTS)
        printf("A log of %" PRId64 " inserts, a commit every %" PRId64 ":\n", set->inserts,
               set->rows_per_commit);
    else
        printf("A log of one DELETE of the oldest %" PRId64 " of %" PRId64 " rows:\n",
               set->victims, set->rows);
    table_begin(&t, 2 + 5 + 1 + 3 + 1, 2);
    table_cell(&t, "checkpoint");
    table_cell(&t, "library");
    for (size_t i = 0; i < sizeof heading / sizeof heading[0]; i++)
        table_cell(&t, "%s", heading[i]);
    table_cell(&t, "of %s", run->bench.libraries.at[0].name);
    table_cell(&t, "-wal before");
    table_cell(&t, "after");
    table_cell(&t, "-shm");
    table_cell(&t, "published");
    for (int s = 0; s < CHECKPOINT_STEPS; s++)
        for (size_t a = 0; wanted(run, p, s) && a < run->bench.libraries.count; a++)
            print_row(run, &t, p, s, a);
    table_end(&t, stdout);
    putchar('\n');
}

void checkpoint_print(const struct checkpoint_run *run)
{
    const struct checkpoint_settings *set = &run->set;
    printf("What a checkpoint of a full log takes (E4): t(id INTEGER PRIMARY KEY, k TEXT, v "
           "TEXT), v of %" PRId64 "\nbytes, page size %" PRId64
           ", synchronous=%s, wal_autocheckpoint=%" PRId64 ", seed %" PRId64 ", %" PRId64
           " trials, each on a\nfresh log, libraries in turns\n\n",
           set->value_bytes, set->page_size, set->synchronous, set->autocheckpoint, set->seed,
           set->trials);
    libraries_print(&run->bench.libraries, stdout);
    putchar('\n');
    for (int p = 0; p < CHECKPOINT_PARTS; p++)
        if (run->part_wanted[p])
            print_part(run, p);
    puts("Frames are those in the log before; the answer is what PRAGMA wal_checkpoint says,\n"
         "(0, 0, 0) after a truncation; pages are those written to the database; sizes are in\n"
         "KiB. Content and integrity of every result were the same for every library.");
}

/* Frames of every mode, which a checkpoint cannot change. */
static void bound_frames(const struct checkpoint_run *run, int part, size_t arm, double *least,
                         double *most)
{
    *least = INFINITY;
    *most = 0;
    for (int s = 0; s < CHECKPOINT_STEPS; s++)
        if (wanted(run, part, s)) {
            const struct samples *m = &run->cell[part][s][arm].metric[FRAMES_BEFORE];
            *least = fmin(*least, stats_quantile(m, 0));
            *most = fmax(*most, stats_quantile(m, 1));
        }
}

void checkpoint_judge(struct checkpoint_run *run)
{
    struct report *report = &run->bench.report;
    const struct libraries *set = &run->bench.libraries;
    const struct library *both[] = {libraries_find(set, "stock"),
                                    libraries_find(set, "patched")};
    double least[2], most[2];
    for (int p = 0; p < CHECKPOINT_PARTS; p++) {
        if (!run->part_wanted[p] || both[0] == NULL || both[1] == NULL)
            continue;
        for (int i = 0; i < 2; i++)
            bound_frames(run, p, (size_t)(both[i] - set->at), &least[i], &most[i]);
        for (int i = 0; p == PART_INSERTS && i < 2; i++)
            report_bound(report, is_published(&run->set), least[i] >= 989 && most[i] <= 995,
                         "checkpoint %s, log of inserts: %.0f to %.0f frames, 992 within 3",
                         both[i]->name, least[i], most[i]);
        report_bound(report, true, most[1] <= least[0],
                     "checkpoint patched, log of %s: %.0f frames, not more than the %.0f of "
                     "stock",
                     checkpoint_parts[p], most[1], least[0]);
        if (p == PART_DELETE)
            report_bound(report, is_standard_delete(&run->set), most[1] <= 40,
                         "checkpoint patched, log of a DELETE: %.0f frames, at most 40",
                         most[1]);
    }
}
