/*
** main.c: walbench, which measures what a SQLite library writes.
**
** It never measures with the library it contains. Each arm, that is each library
** to be compared, works in a process of its own (arm.c), started again for every
** case and in turns, behind a VFS that counts (shim.c). What an arm leaves is
** then examined by the observer (observer.c), which is the same for all of them.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "scratch.h"
#include "signals.h"

static const struct command commands[] = {
    {"delete", "one big DELETE, counted per file (E1)", command_delete},
    {"rolling", "a rolling log: insert the newest rows, delete the oldest (E2)",
     command_rolling},
    {"workloads", "patterns of real use, and controls in which nothing can be saved",
     command_workloads},
    {"leak", "what deleted rows leave in the files, by secure_delete", command_leak},
    {"throughput", "writes a second by journal mode and synchronous (E4, E6)",
     command_throughput},
    {"checkpoint", "what a checkpoint of a full log takes (E4)", command_checkpoint},
    {"trace", "the file operations of one transaction, in order (E5)", command_trace},
    {"contention", "writers and readers at once (E6)", command_contention},
    {"order", "the page order of a database file (E3)", command_order},
    {"scan", "warm and cold scans of scattered and ordered tables (E3)", command_scan},
    {"savepoint", "what savepoints and statement journals write and take", command_savepoint},
    {"sql", "a workload of your own, from SQL files", command_sql},
    {"audit", "what a log that some application left holds in vain", command_audit},
    {"report", "a report with plots, from result files", command_report},
    {NULL, NULL, NULL},
};

static const struct arm_job jobs[] = {
    {"probe", arm_probe},
    {"delete", job_delete},
    {"rolling", job_rolling},
    {"vacuum", job_vacuum},
    {"workload", job_workload},
    {"leak", job_leak},
    {"throughput", job_throughput},
    {"checkpoint", job_checkpoint},
    {"trace", job_trace},
    {"contention", job_contention},
    {"scan", job_scan},
    {"savepoint", job_savepoint},
    {"sql", job_sql},
    {NULL, NULL},
};

static void usage(FILE *out)
{
    fputs("usage: walbench COMMAND [OPTION...]\n"
          "\n"
          "Measures what SQLite libraries write to disk, each in a process of its own, and\n"
          "compares them.\n"
          "\n",
          out);
    for (const struct command *c = commands; c->name != NULL; c++)
        fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fputs("\n"
          "  walbench COMMAND --help    every option of a command\n"
          "  walbench --version         the SQLite version that the observer uses\n"
          "\n"
          "Exit status: 0 done; 1 a bound or a comparison failed; 2 unusable arguments or a\n"
          "missing file.\n",
          out);
}

static int dispatch(int argc, char **argv, struct fail *f)
{
    if (argc < 2)
        return fail_set(f, STATUS_UNUSABLE, "no command given (see walbench --help)");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("walbench, observer SQLite %s\n", SQLITE_VERSION);
        return 0;
    }
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(c->name, argv[1]) == 0)
            return c->run(argc - 2, argv + 2, f);
    return fail_set(f, STATUS_UNUSABLE, "unknown command '%s' (see walbench --help)", argv[1]);
}

int main(int argc, char **argv)
{
    struct fail f = {0};
    if (argc > 1 && strcmp(argv[1], ARM_COMMAND) == 0)
        return arm_main(jobs, argc - 1, argv + 1);
    signals_catch();
    (void)dispatch(argc, argv, &f);
    scratch_close();
    if (signals_caught()) {
        fputs("walbench: interrupted\n", stderr);
        signals_repeat();
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && f.status == 0)
        fail_set(&f, STATUS_UNUSABLE, "cannot write to standard output");
    if (f.status != 0)
        fprintf(stderr, "walbench: %s\n", f.text);
    return f.status;
}
