/*
** command.c: what every subcommand has in common.
*/
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "scratch.h"

int bench_open(struct bench *b, const char *experiment, const char *command,
               const struct common *common, double space, struct fail *f)
{
    *b = (struct bench){0};
    b->report.experiment = experiment;
    b->report.command = command;
    b->report.check = common->check;
    if (report_open(&b->report, common->json, common->csv, f) != 0 ||
        libraries_open(&b->libraries, &common->libraries, f) != 0 ||
        scratch_open(common->directory, space, f) != 0)
        return f->status;
    machine_describe(&b->report.machine, scratch_path());
    b->observing = true;
    return observer_open(&b->observer, scratch_path(), f);
}

int bench_close(struct bench *b, struct fail *f)
{
    if (f->status == 0)
        (void)report_finish(&b->report, f);
    report_free(&b->report);
    if (b->observing)
        observer_close(&b->observer);
    libraries_free(&b->libraries);
    scratch_close();
    return f->status;
}

void bench_headings(struct table *t, const struct libraries *set, const char *what)
{
    for (size_t k = 0; k < set->count; k++)
        table_cell(t, "%s %s", set->at[k].name, what);
}

void bench_pragmas(struct kv_list *pragmas, const struct result *result)
{
    static const char prefix[] = "pragma.";
    for (size_t i = 0; i < result->text.count; i++)
        if (strncmp(result->text.at[i].key, prefix, sizeof prefix - 1) == 0)
            kv_text(pragmas, result->text.at[i].key + sizeof prefix - 1,
                    result->text.at[i].value);
}

void bench_counts(struct bench *b, const struct record *like, const struct result *result,
                  const char *phase)
{
    size_t size = strlen(phase);
    for (size_t i = 0; i < result->count; i++) {
        const struct series *s = &result->at[i];
        if (strncmp(s->name, phase, size) != 0 || s->name[size] != '.' ||
            stats_sum(&s->samples) <= 0)
            continue;
        struct record record = *like;
        const char *what = strrchr(s->name, '.') + 1;
        record.metric = s->name;
        record.unit = strcmp(what, "bytes") == 0                                     ? "bytes"
                      : strcmp(what, "pages") == 0 || strcmp(what, "rewritten") == 0 ? "pages"
                                                                                     : "calls";
        report_add(&b->report, &record, &s->samples);
    }
}

int bench_judge(const struct observation *seen, struct hash_value expected, const char *arm,
                const char *what, struct fail *f)
{
    char have[HASH_TEXT_SIZE], want[HASH_TEXT_SIZE];
    if (strcmp(seen->integrity, "ok") != 0)
        return fail_set(f, STATUS_MISMATCH, "%s, %s: integrity_check says: %s", arm, what,
                        seen->integrity);
    if (seen->content.high != expected.high || seen->content.low != expected.low) {
        hash_print(seen->content, have);
        hash_print(expected, want);
        return fail_set(f, STATUS_MISMATCH,
                        "%s, %s: wrong content: hash %s, and the rows that should be there "
                        "have %s",
                        arm, what, have, want);
    }
    return 0;
}

double bench_table_size(int64_t rows, int64_t row_bytes, int64_t page_size)
{
    double row = (double)row_bytes + 24;
    /* Half a row is left over on a page; a row larger than a page needs whole ones. */
    double fill = row < (double)page_size ? 1 - row / 2 / (double)page_size : 0.5;
    return (double)rows * row / fill * 1.1 + 64.0 * (double)page_size;
}
