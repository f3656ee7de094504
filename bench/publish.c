/*
** publish.c: `walbench report`, which makes a text with tables and plots from result
** files, and keeps with it the results that it shows.
*/
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "chapter.h"
#include "command.h"
#include "scratch.h"

static const struct chapter chapters[] = {
    {{"delete", "One big DELETE (E1)"},
     "delete",
     "metric IN ('frames','pages_copied_by_checkpoint') OR metric GLOB '*.bytes' OR metric GLOB "
     "'commit.*.pages'",
     chapter_delete},
    {{"rolling", "The rolling log (E2)"},
     "rolling",
     "metric IN ('frames','checkpoint_pages','wal_bytes','needed','file_bytes', "
     "'table_mean_run','table_next_share')",
     chapter_rolling},
    {{"workloads", "Patterns of real use"},
     "workloads",
     "metric IN ('needed','frames','checkpoint_pages','subjournal_bytes')",
     chapter_workloads},
    {{"savepoint", "Savepoints and statement journals"},
     "savepoint",
     "metric IN ('needed','frames','frames_written','log_bytes','subjournal_bytes', "
     "'database_bytes','statements','statements.ratio','commit','commit.ratio')",
     chapter_savepoint},
    {{"leak", "What deleted rows leave behind"},
     "leak",
     "metric IN ('before.wal','after.both')",
     chapter_leak},
    {{"throughput", "Writes a second (E4, E6)"},
     "throughput",
     "metric GLOB '*.rate*' OR metric GLOB '*.commit.p50' OR metric GLOB '*.commit.p99' OR "
     "(metric IN ('size.wal','size.shm') AND p->>'preset'<>'matrix') OR "
     "(metric='insert.commit.histogram' AND p->>'preset'='a')",
     chapter_throughput},
    {{"checkpoint", "What a checkpoint takes (E4)"},
     "checkpoint",
     "metric IN ('frames','pages_copied','time','time.ratio','wal_before')",
     chapter_checkpoint},
    {{"trace", "One commit, call by call (E5)"},
     "trace",
     "metric IN ('syncs','rate','rate.ratio','flushes')",
     chapter_trace},
    {{"contention", "Writers and readers at once (E6)"},
     "contention",
     "metric GLOB 'reads*' OR metric GLOB 'writes*' OR metric GLOB '*.p*'",
     chapter_contention},
    {{"scan", "What scattered pages cost (E3)"},
     "scan",
     "metric IN ('leaves','mean_run','next_share','read_jumps','page_map') OR metric GLOB "
     "'*seconds*'",
     chapter_scan},
};

enum { CHAPTERS = sizeof chapters / sizeof chapters[0] };

int chapter_picture(struct plot *p, struct document *d, const char *name, const char *caption,
                    struct fail *f)
{
    if (plot_end(p, d->directory, name, f) != 0)
        return f->status;
    return document_picture(d, name, caption, f);
}

char *chapter_parameter(const struct results *r, const char *command, const char *name,
                        struct fail *f)
{
    char *sql = mem_format("SELECT p->>'%s' FROM r WHERE command='%s' AND p->>'%s' IS NOT NULL "
                           "ORDER BY id LIMIT 1",
                           name, command, name);
    char *text = results_text(r, sql, f);
    free(sql);
    return text;
}

static void write_head(const struct results *r, struct document *d, struct fail *f)
{
    char *kernel = results_text(r, "SELECT kernel FROM r LIMIT 1", f);
    char *machine = results_text(
        r,
        "SELECT printf('%s, %d of them, %.0f GB of memory, file system %s', "
        "machine->>'processor', machine->>'processors', (machine->>'memory_bytes')*1e-9, "
        "machine->>'file_system') FROM r LIMIT 1",
        f);
    document_text(d, "What SQLite libraries write, each in a process of its own, behind a VFS "
                     "that counts. Content and integrity of everything that they left were "
                     "compared, and are the same. Counts carry over to any machine; times do "
                     "not, only their ratios do.");
    (void)results_table(
        r, d,
        "SELECT arm AS library, version AS \"SQLite\", source_id AS \"source id\" "
        "FROM r WHERE arm<>'all' AND version IS NOT NULL GROUP BY arm, version, source_id ORDER BY min(id)",
        f);
    document_text(d, "Machine: %s; %s.", machine, kernel);
    document_text(d, "A time is a median with the reach of its 95 %% interval (±), from the "
                     "order of the samples. A ratio is the median of ratios of pairs that were "
                     "measured in turns, with its interval; `~` stands where it is not "
                     "significant. Published figures are those of others, on their machines.");
    free(kernel);
    free(machine);
}

static void write_verdict(const struct results *r, struct document *d, struct fail *f)
{
    static const char count[] = "SELECT count(*) FROM r WHERE unit='bound holds'";
    char *all = results_text(r, count, f);
    char *held =
        results_text(r, "SELECT count(*) FROM r WHERE unit='bound holds' AND mean=1", f);
    if (strcmp(all, "0") != 0)
        document_text(d, "Of %s bounds that these results were held against, %s hold.", all,
                      held);
    (void)results_table(
        r, d,
        "SELECT metric AS \"does not hold\" FROM r WHERE unit='bound holds' AND "
        "mean<>1 ORDER BY id",
        f);
    free(all);
    free(held);
}

/* The results that a chapter shows, beside the report. */
static int keep(const struct results *r, const char *directory, const struct chapter *chapter,
                struct fail *f)
{
    char *path = mem_format("%s/%s.json", directory, chapter->command);
    FILE *out = fopen(path, "wxe");
    if (out != NULL)
        (void)results_keep(r, out, chapter->command, chapter->shown, f);
    if (out == NULL || (ferror(out) | fclose(out)) != 0)
        fail_set(f, STATUS_UNUSABLE, "cannot write '%s'", path);
    free(path);
    return f->status;
}

static int write_all(const struct results *r, const char *directory, struct fail *f)
{
    struct document d;
    struct document_section list[CHAPTERS];
    size_t count = 0;
    for (size_t i = 0; i < CHAPTERS; i++)
        if (results_have(r, chapters[i].command))
            list[count++] = chapters[i].section;
    if (document_open(&d, directory, "walbench: what SQLite writes", f) == 0) {
        write_head(r, &d, f);
        write_verdict(r, &d, f);
        document_contents(&d, list, count);
        for (size_t i = 0; i < CHAPTERS && f->status == 0; i++) {
            if (!results_have(r, chapters[i].command))
                continue;
            document_section(&d, &chapters[i].section);
            if (chapters[i].write(r, &d, f) == 0)
                (void)keep(r, directory, &chapters[i], f);
        }
    }
    return document_close(&d, f);
}

static int load_all(struct results *r, const struct text_list *files, struct fail *f)
{
    for (size_t i = 0; i < files->count && f->status == 0; i++)
        (void)results_load(r, files->at[i], f);
    return f->status ? f->status : results_ready(r, f);
}

/* The folder is made under another name, and gets its own when it is complete. */
static int publish(const struct results *r, const char *directory, struct fail *f)
{
    struct stat st;
    char *partial = mem_format("%s.partial", directory);
    if (lstat(directory, &st) == 0)
        fail_set(f, STATUS_UNUSABLE, "--out: '%s' exists already", directory);
    else if (mkdir(partial, 0777) != 0)
        fail_set(f, STATUS_UNUSABLE, "--out: cannot make '%s': %s", partial, strerror(errno));
    else {
        if (write_all(r, partial, f) == 0 && rename(partial, directory) != 0)
            fail_set(f, STATUS_UNUSABLE, "--out: cannot make '%s': %s", directory,
                     strerror(errno));
        if (f->status != 0)
            directory_remove(partial);
    }
    free(partial);
    return f->status;
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench report --out DIR --results FILE...\n"
        "\n"
        "Makes a report from files that the other commands wrote by --json: DIR/report.html,\n"
        "which needs no other file, DIR/report.md with its plots beside it, and\n"
        "DIR/COMMAND.json, the results of a command that they show, which can be read again. An\n"
        "experiment of which there are no results is left out. The plots take gnuplot.\n"
        "Nothing is measured. `make report` measures everything and calls this.\n");
    options_print(options, stdout);
}

int command_report(int argc, char **argv, struct fail *f)
{
    const char *directory = NULL;
    struct text_list files = {NULL, 0};
    bool wants_help = false;
    struct results r = {0};
    const struct option options[] = {
        {.name = "--out",
         .kind = OPTION_TEXT,
         .target = &directory,
         .argument = "DIR",
         .standard = "none, must be given",
         .help = "A folder to be made. It must not exist."},
        {.name = "--results",
         .kind = OPTION_LIST,
         .target = &files,
         .argument = "FILE",
         .standard = "none, must be given",
         .help = "A file of results, as --json writes them. May be repeated."},
        {.name = NULL},
    };
    if (options_parse(options, argc, argv, &wants_help, f) != 0)
        ;
    else if (wants_help)
        help(options);
    else if (directory == NULL || *directory == 0)
        fail_set(f, STATUS_UNUSABLE, "--out is missing");
    else if (files.count == 0)
        fail_set(f, STATUS_UNUSABLE, "--results is missing");
    else if (plot_check(f) == 0) {
        if (results_open(&r, f) == 0 && load_all(&r, &files, f) == 0)
            (void)publish(&r, directory, f);
        results_close(&r);
    }
    free(files.at);
    return f->status;
}
