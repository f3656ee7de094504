/*
** audit_print.c: an audit for people, and for the result files.
*/
#include "audit_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "table.h"

enum { WORST = 10 };

static const struct {
    const char *metric, *row;
} class_text[AUDIT_CLASSES] = {
    [AUDIT_NEEDED] = {"needed", "needed: pages in use at their commit"},
    [AUDIT_FREE] = {"free", "free: pages that the fix leaves out"},
    [AUDIT_EARLY] = {"free_early", "free_early: free, but logged before the commit"},
    [AUDIT_ZEROED] = {"zeroed", "zeroed: free, and zeros, as secure_delete wants"},
    [AUDIT_NEW] = {"new_free", "new_free: free, past the old end of the database"},
    [AUDIT_SUPERSEDED] = {"superseded", "superseded: logged again in the same transaction"},
    [AUDIT_CUT] = {"cut", "cut: past the new end of the database"},
    [AUDIT_UNKNOWN] = {"unknown", "unknown"},
};

static uint64_t frame_bytes(const struct audit *a, uint64_t frames)
{
    return frames * (a->log.page_size + (uint64_t)AUDIT_FRAME_HEADER);
}

static void print_row(struct table *t, const struct audit *a, const char *what, uint64_t frames)
{
    char text[NUMBER_TEXT_SIZE];
    table_cell(t, "%s", number_print((double)frames, 0, text));
    table_cell(t, "%s", number_print((double)frame_bytes(a, frames), 0, text));
    table_cell(t, "%.1f %%", 100 * (double)frames / (double)a->log.frames);
    table_cell(t, "%s", what);
}

/* Kinds of which there is nothing are left out, but for the two that matter most. */
static bool is_shown(const struct audit *a, int i)
{
    return a->total[i] > 0 || i == AUDIT_NEEDED || i == AUDIT_FREE;
}

static void print_totals(const struct audit *a)
{
    struct table t;
    table_begin(&t, 4, 0);
    table_cell(&t, "frames");
    table_cell(&t, "bytes");
    table_cell(&t, "share");
    table_cell(&t, "what they hold");
    for (int i = 0; i < AUDIT_CLASSES; i++)
        if (is_shown(a, i))
            print_row(&t, a, class_text[i].row, a->total[i]);
    print_row(&t, a, "all", a->log.frames);
    table_end(&t, stdout);
    putchar('\n');
}

/* "12", or "10 to 12" */
static void print_range(uint64_t least, uint64_t most)
{
    char text[NUMBER_TEXT_SIZE];
    printf("%s", number_print((double)least, 0, text));
    if (most > least)
        printf(" to %s", number_print((double)most, 0, text));
}

static void print_saved(const struct audit *a)
{
    char text[NUMBER_TEXT_SIZE];
    fputs("The fix would have left out ", stdout);
    print_range(a->saved_least, a->saved_most);
    printf(" of %s frames, ", number_print((double)a->log.frames, 0, text));
    print_range(frame_bytes(a, a->saved_least), frame_bytes(a, a->saved_most));
    fputs(" bytes. One checkpoint of\nall the log copies ", stdout);
    printf("%s pages (%s bytes); it would not have to copy ",
           number_print((double)a->pages, 0, text),
           number_print((double)a->pages * a->log.page_size, 0, (char[NUMBER_TEXT_SIZE]){0}));
    print_range(a->pages_saved, a->pages_saved + a->pages_maybe);
    puts(" of them.");
    if (a->total[AUDIT_UNKNOWN] > 0)
        printf("Not known: %s frames of %s commits, since what the free-list was, or the size\n"
               "of the database, has been overwritten by a checkpoint. They are not counted\n"
               "as left out.\n",
               number_print((double)a->total[AUDIT_UNKNOWN], 0, text),
               number_print((double)a->unknown_commits, 0, (char[NUMBER_TEXT_SIZE]){0}));
}

static void print_tail(const struct audit_tail *tail)
{
    const struct {
        uint64_t n;
        const char *what;
    } part[] = {
        {tail->uncommitted, "not committed, or rolled back"},
        {tail->torn, "torn, or behind a torn one"},
        {tail->foreign, "left from an earlier log"},
        {tail->empty, "never written"},
        {tail->unseen, "not looked at"},
    };
    uint64_t sum = 0;
    const char *separator = ": ";
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        sum += part[i].n;
    if (sum > 0) {
        printf("%" PRIu64 " frames after the last commit", sum);
        for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
            if (part[i].n == 0)
                continue;
            printf("%s%" PRIu64 " %s", separator, part[i].n, part[i].what);
            separator = ", ";
        }
        puts(".");
    }
    if (tail->bytes > 0)
        printf("%" PRIu64 " bytes of a part of a frame at the end.\n", tail->bytes);
}

static void print_commit(struct table *t, const struct audit *a, uint32_t k)
{
    const struct audit_commit *c = &a->log.commit[k];
    table_cell(t, "%u", k + 1);
    table_cell(t, "%u", c->page_count);
    table_cell(t, "%u", c->end - c->first);
    for (int i = 0; i < AUDIT_CLASSES; i++)
        if (is_shown(a, i))
            table_cell(t, "%u", a->commit[k].of[i]);
    table_cell(t, "%u to %u", c->first + 1, c->end);
}

static void print_commits(const struct audit *a, const uint32_t *k, uint32_t count)
{
    struct table t;
    size_t columns = 3 + 1;
    for (int i = 0; i < AUDIT_CLASSES; i++)
        columns += is_shown(a, i);
    table_begin(&t, columns, 0);
    table_cell(&t, "commit");
    table_cell(&t, "pages");
    table_cell(&t, "frames");
    for (int i = 0; i < AUDIT_CLASSES; i++)
        if (is_shown(a, i))
            table_cell(&t, "%s", class_text[i].metric);
    table_cell(&t, "which");
    for (uint32_t i = 0; i < count; i++)
        print_commit(&t, a, k ? k[i] : i);
    table_end(&t, stdout);
}

/* The commits with the most frames in vain, the most of all first, as they are met. */
static uint32_t find_worst(const struct audit *a, uint32_t worst[WORST])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < a->log.commits; k++) {
        uint32_t vain = audit_count_vain(&a->commit[k]), at = count;
        while (at > 0 && audit_count_vain(&a->commit[worst[at - 1]]) < vain)
            at--;
        if (vain == 0 || at == WORST)
            continue;
        count += count < WORST;
        for (uint32_t i = count - 1; i > at; i--)
            worst[i] = worst[i - 1];
        worst[at] = k;
    }
    return count;
}

void audit_print(const struct audit *a, bool all)
{
    uint32_t worst[WORST], count = all ? a->log.commits : find_worst(a, worst);
    if (a->log.frames > 0) {
        print_totals(a);
        print_saved(a);
    }
    print_tail(&a->log.tail);
    if (count == 0)
        return;
    if (all)
        puts("\nEvery commit, in frames:\n");
    else
        puts("\nThe commits with the most frames that were not needed, in frames:\n");
    print_commits(a, all ? NULL : worst, count);
}

static void add_total(struct report *report, const char *metric, const char *unit, uint64_t n)
{
    struct record record = {.metric = metric, .unit = unit};
    report_add_number(report, &record, (double)n);
}

void audit_report(const struct audit *a, struct report *report)
{
    struct samples frames = {NULL, 0}, pages = {NULL, 0};
    struct record record = {.metric = "frames", .unit = "frames"};
    for (uint32_t k = 0; k < a->log.commits; k++) {
        samples_add(&frames, audit_count_frames(&a->commit[k]));
        samples_add(&pages, a->log.commit[k].page_count);
    }
    report_add(report, &record, &frames);
    for (int i = 0; i < AUDIT_CLASSES; i++) {
        struct samples one = {NULL, 0};
        for (uint32_t k = 0; k < a->log.commits; k++)
            samples_add(&one, a->commit[k].of[i]);
        record.metric = class_text[i].metric;
        report_add(report, &record, &one);
        samples_free(&one);
    }
    record = (struct record){.metric = "page_count", .unit = "pages"};
    report_add(report, &record, &pages);
    samples_free(&frames);
    samples_free(&pages);
    add_total(report, "commits", "commits", a->log.commits);
    add_total(report, "unknown_commits", "commits", a->unknown_commits);
    add_total(report, "saved_frames_least", "frames", a->saved_least);
    add_total(report, "saved_frames_most", "frames", a->saved_most);
    add_total(report, "saved_bytes_least", "bytes", frame_bytes(a, a->saved_least));
    add_total(report, "saved_bytes_most", "bytes", frame_bytes(a, a->saved_most));
    add_total(report, "checkpoint_pages", "pages", a->pages);
    add_total(report, "checkpoint_pages_saved", "pages", a->pages_saved);
    add_total(report, "checkpoint_pages_perhaps_saved", "pages", a->pages_maybe);
    add_total(report, "tail_uncommitted", "frames", a->log.tail.uncommitted);
    add_total(report, "tail_torn", "frames", a->log.tail.torn);
    add_total(report, "tail_earlier_log", "frames", a->log.tail.foreign);
    add_total(report, "tail_never_written", "frames", a->log.tail.empty);
    add_total(report, "tail_not_looked_at", "frames", a->log.tail.unseen);
}
