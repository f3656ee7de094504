/*
** audit.c: `walbench audit`. Reads a database and a log that some application left, and
** counts what the frames were good for.
*/
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "audit_file.h"
#include "audit_print.h"
#include "command.h"
#include "machine.h"

struct settings {
    const char *file, *log, *json, *csv;
    bool live, commits, help;
};

static void describe(struct report *report, const struct settings *set,
                     const struct audit_files *files, const struct audit *a)
{
    kv_text(&report->common, "file", set->file);
    kv_text(&report->common, "log", files->path[AUDIT_LOG]);
    kv_text(&report->common, "live", set->live ? "yes" : "no");
    kv_int(&report->common, "database_bytes", files->source.size[AUDIT_DATABASE]);
    kv_int(&report->common, "log_bytes", files->source.size[AUDIT_LOG]);
    if (a->log.page_size == 0)
        return;
    kv_int(&report->common, "page_size", a->log.page_size);
    kv_int(&report->common, "checkpoint_sequence", a->log.sequence);
    kv_int(&report->common, "salt_1", a->log.salt[0]);
    kv_int(&report->common, "salt_2", a->log.salt[1]);
    kv_text(&report->common, "checksums", a->log.big_endian ? "big-endian" : "little-endian");
}

static void say_what(const struct audit_files *files, const struct audit *a)
{
    char frames[NUMBER_TEXT_SIZE], commits[NUMBER_TEXT_SIZE], pages[NUMBER_TEXT_SIZE];
    const struct audit_log *log = &a->log;
    if (files->fd[AUDIT_LOG] < 0) {
        printf("There is no log: '%s' is not there.\n", files->path[AUDIT_LOG]);
        return;
    }
    if (log->page_size == 0) {
        printf("The log is empty: '%s' has 0 bytes.\n", files->path[AUDIT_LOG]);
        return;
    }
    printf("%s\n%s\n", files->path[AUDIT_DATABASE], files->path[AUDIT_LOG]);
    if (log->commits > 0)
        printf("%s frames in %s commits; %s pages of %u bytes after the last one\n\n",
               number_print(log->frames, 0, frames), number_print(log->commits, 0, commits),
               number_print(log->commit[log->commits - 1].page_count, 0, pages),
               log->page_size);
    else
        puts("No commit is in the log.");
    if (files->source.size[AUDIT_DATABASE] == 0)
        puts("The database file has 0 bytes. SQLite deletes the log when it opens such a "
             "file.\n");
}

static void audit(const struct settings *set, struct fail *f)
{
    struct report report = {.experiment = "audit", .command = "audit"};
    struct audit_files files = {.fd = {-1, -1}, .shm = -1};
    struct audit a = {0};
    if (report_open(&report, set->json, set->csv, f) == 0 &&
        audit_files_open(&files, set->file, set->log, set->live, f) == 0) {
        struct fail first = {0};
        int status = audit_begin(&a, &files.source, &first);
        /* That the files changed explains whatever was found in them. */
        if (audit_files_check(&files, &a, f) == 0 && status != 0)
            *f = first;
    }
    if (f->status == 0) {
        char *folder = mem_copy(files.path[AUDIT_DATABASE]);
        machine_describe(&report.machine, dirname(folder));
        free(folder);
        describe(&report, set, &files, &a);
        audit_report(&a, &report);
    }
    if (f->status == 0 && report_finish(&report, f) == 0) {
        say_what(&files, &a);
        audit_print(&a, set->commits);
    }
    report_free(&report);
    audit_end(&a);
    audit_files_close(&files);
}

/* Takes FILE out of the arguments, wherever it stands. */
static int take_file(const struct option *options, int *argc, char **argv, const char **file,
                     struct fail *f)
{
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        const struct option *o = options;
        if (argv[i][0] != '-') {
            if (*file != NULL)
                return fail_set(f, STATUS_UNUSABLE, "unexpected argument '%s'", argv[i]);
            if (argv[i][0] == 0)
                return fail_set(f, STATUS_UNUSABLE, "FILE: an empty name");
            *file = argv[i];
            continue;
        }
        argv[kept++] = argv[i];
        while (o->name != NULL && strcmp(o->name, argv[i]) != 0)
            o++;
        if (o->name != NULL && o->kind != OPTION_FLAG && i + 1 < *argc)
            argv[kept++] = argv[++i];
    }
    *argc = kept;
    return 0;
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench audit FILE [OPTION...]\n"
        "\n"
        "Reads the database FILE and the log that an application left beside it, FILE-wal,\n"
        "and says, commit by commit and in all, how many frames held free pages, and what\n"
        "the fix would have saved there. Each frame is of one kind:\n"
        "\n"
        "  needed      a page that was in use at its commit; trunk pages of the free-list,\n"
        "              which hold the list, are in use\n"
        "  free        a leaf page of the free-list, logged at the commit: left out by the fix\n"
        "  free_early  the same, logged before the commit by a full cache. The fix leaves it\n"
        "              out if the page was free by then, which the log does not tell.\n"
        "  zeroed      a free page that holds zeros only, as with secure_delete=ON, which\n"
        "              wants that written. Not left out.\n"
        "  new_free    a free page past the end that the database had before. Not left out.\n"
        "  superseded  the same transaction logged the page again\n"
        "  cut         a page past the end that the database has after the commit\n"
        "  unknown     A checkpoint has overwritten what was in the database file at that\n"
        "              commit, or may have, and it cannot be told what was free.\n"
        "\n"
        "A transaction that rolled back to a savepoint may save less than is said: such pages\n"
        "are logged with the fix, too. Where a cache spilled, a range is given. Padding up to\n"
        "a sector (psow=0) looks like commits of one frame. That a log belongs to the\n"
        "database cannot be seen from the files, but where the two contradict each other\n"
        "that is an error.\n"
        "\n"
        "Without --live both files are opened for reading alone, no lock is taken, SQLite is\n"
        "not used, and nothing is made. If one of the files changes meanwhile, exit status 1.\n"
        "Exit status 1 also if the database is damaged, 2 if a file is no database or log.\n"
        "If there is no log, that is said.\n");
    options_print(options, stdout);
}

int command_audit(int argc, char **argv, struct fail *f)
{
    struct settings set = {0};
    const struct option options[] = {
        {.name = "--wal",
         .kind = OPTION_TEXT,
         .target = &set.log,
         .argument = "LOG",
         .standard = "FILE-wal",
         .help = "The log. Not with --live."},
        {.name = "--live",
         .kind = OPTION_FLAG,
         .target = &set.live,
         .standard = "off",
         .help =
             "For a database that other processes work on. Until the files are read, which\n"
             "takes about a second for 1 GB of log, two shared locks are held, as by every\n"
             "reader: on the 510 bytes from 1073741826 on in FILE, and on byte 127 of\n"
             "FILE-shm, which is that of a read mark. Before the first, byte 1073741824 is\n"
             "locked in the same way for a moment. Readers and writers go on. A checkpoint may\n"
             "stop at the mark; the log is not begun again from its start, and not removed\n"
             "when the last of the others leaves. All files are opened for reading alone, and\n"
             "none is made: with no other process there that shares the log, this is an error\n"
             "(exit status 2). Waits for locks for up to 5 seconds."},
        {.name = "--commits",
         .kind = OPTION_FLAG,
         .target = &set.commits,
         .standard = "off: the ten with the most frames that were not needed",
         .help = "Print a line for every commit."},
        {.name = "--json",
         .kind = OPTION_TEXT,
         .target = &set.json,
         .argument = "FILE",
         .standard = "none",
         .help = "Write a sample for each commit, one JSON object a line. FILE must not\n"
                 "exist."},
        {.name = "--csv",
         .kind = OPTION_TEXT,
         .target = &set.csv,
         .argument = "FILE",
         .standard = "none",
         .help = "Write a summary, one line a metric. FILE must not exist."},
        {.name = NULL},
    };
    if (take_file(options, &argc, argv, &set.file, f) != 0 ||
        options_parse(options, argc, argv, &set.help, f) != 0)
        return f->status;
    if (set.help)
        help(options);
    else if (set.file == NULL)
        fail_set(f, STATUS_UNUSABLE, "no FILE given (see walbench audit --help)");
    else if (set.live && set.log != NULL)
        fail_set(f, STATUS_UNUSABLE, "--live and --wal do not go together");
    else
        audit(&set, f);
    return f->status;
}
