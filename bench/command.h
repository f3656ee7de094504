/*
** command.h: what every subcommand has in common: its entry, the jobs it gives
** to arm processes, and the options and surroundings that all of them share.
*/
#ifndef WALBENCH_COMMAND_H
#define WALBENCH_COMMAND_H

#include <stdbool.h>

#include "arm.h"
#include "library.h"
#include "observer.h"
#include "options.h"
#include "proc.h"
#include "report.h"
#include "table.h"

struct command {
    const char *name;
    const char *summary; /* one line */
    int (*run)(int argc, char **argv, struct fail *f);
};

int command_delete(int argc, char **argv, struct fail *f);
int command_rolling(int argc, char **argv, struct fail *f);
int command_workloads(int argc, char **argv, struct fail *f);
int command_leak(int argc, char **argv, struct fail *f);
int command_throughput(int argc, char **argv, struct fail *f);
int command_checkpoint(int argc, char **argv, struct fail *f);
int command_trace(int argc, char **argv, struct fail *f);
int command_contention(int argc, char **argv, struct fail *f);
int command_order(int argc, char **argv, struct fail *f);
int command_scan(int argc, char **argv, struct fail *f);
int command_savepoint(int argc, char **argv, struct fail *f);
int command_sql(int argc, char **argv, struct fail *f);
int command_audit(int argc, char **argv, struct fail *f);
int command_report(int argc, char **argv, struct fail *f);

/* The jobs, in the files of their commands. */
int job_delete(struct arm *arm, struct fail *f);
int job_rolling(struct arm *arm, struct fail *f);
int job_vacuum(struct arm *arm, struct fail *f);
int job_workload(struct arm *arm, struct fail *f);
int job_leak(struct arm *arm, struct fail *f);
int job_throughput(struct arm *arm, struct fail *f);
int job_checkpoint(struct arm *arm, struct fail *f);
int job_trace(struct arm *arm, struct fail *f);
int job_contention(struct arm *arm, struct fail *f);
int job_scan(struct arm *arm, struct fail *f);
int job_savepoint(struct arm *arm, struct fail *f);
int job_sql(struct arm *arm, struct fail *f);

/* Options that every measuring command takes. */
struct common {
    struct text_list libraries;
    const char *directory, *json, *csv;
    bool check, help;
};

/* Options of the same name and meaning in more than one command. */
#define PAGE_SIZE_OPTION(field)                                                         \
    {                                                                                   \
        .name = "--page-size", .kind = OPTION_INT, .target = &(field), .least = 512,    \
        .most = 65536, .power_of_two = true, .argument = "N", .standard = "4096 bytes", \
        .help = "A power of two from 512 to 65536."                                     \
    }

/* fewest: 1, or 0 where not to measure times at all makes sense. */
#define TRIALS_OPTION(field, fewest, text)                                             \
    {                                                                                  \
        .name = "--trials", .kind = OPTION_INT, .target = &(field), .least = (fewest), \
        .most = 100000, .argument = "N", .standard = "10 trials", .help = text         \
    }

#define SEED_OPTION(field)                                                                    \
    {                                                                                         \
        .name = "--seed", .kind = OPTION_INT, .target = &(field), .least = 0,                 \
        .most = INT64_C(1000000000000), .argument = "N", .standard = "1",                     \
        .help = "Decides the content of the rows, and which are chosen where that is random." \
    }

#define SYNCHRONOUS_OPTION(field)                                                           \
    {                                                                                       \
        .name = "--synchronous", .kind = OPTION_CHOICE, .target = &(field),                 \
        .choices = "off|normal|full|extra", .argument = "MODE", .standard = "normal",       \
        .help =                                                                             \
            "off, normal, full or extra. Pages and frames do not depend on it, the syncs\n" \
            "in the result files do."                                                       \
    }

#define COMMON_OPTIONS(common)                                                                 \
    {.name = "--lib",                                                                          \
     .kind = OPTION_LIST,                                                                      \
     .target = &(common).libraries,                                                            \
     .argument = "NAME=PATH",                                                                  \
     .standard = "stock, patched and the further arms configured, beside this program",        \
     .help = "A libsqlite3 shared object to measure. May be repeated, up to 8 times."},        \
        {.name = "--dir",                                                                      \
         .kind = OPTION_TEXT,                                                                  \
         .target = &(common).directory,                                                        \
         .argument = "DIR",                                                                    \
         .standard = "$TMPDIR, else /var/tmp",                                                 \
         .help = "Where the databases are made, in a directory of their own that is removed\n" \
                 "at the end. It should be on a disk, not in memory."},                        \
        {.name = "--json",                                                                     \
         .kind = OPTION_TEXT,                                                                  \
         .target = &(common).json,                                                             \
         .argument = "FILE",                                                                   \
         .standard = "none",                                                                   \
         .help = "Write every sample, one JSON object a line. FILE must not exist."},          \
        {.name = "--csv",                                                                      \
         .kind = OPTION_TEXT,                                                                  \
         .target = &(common).csv,                                                              \
         .argument = "FILE",                                                                   \
         .standard = "none",                                                                   \
         .help = "Write a summary, one line a metric. FILE must not exist."},                  \
    {                                                                                          \
        .name = "--check", .kind = OPTION_FLAG, .target = &(common).check, .standard = "off",  \
        .help =                                                                                \
            "Hold the results against the bounds that this project promises, one verdict\n"    \
            "a line; exit status 1 if one fails. A bound is applied only where the\n"          \
            "parameters are those of the published experiment and the arms are called\n"       \
            "stock and patched."                                                               \
    }

/* Everything that is open while a command measures. */
struct bench {
    struct libraries libraries;
    struct observer observer;
    struct report report;
    bool observing;
};

/* Opens libraries, result files, scratch directory and observer, in the order in
** which a mistake of the user is found soonest. */
int bench_open(struct bench *b, const char *experiment, const char *command,
               const struct common *common, double space, struct fail *f);
int bench_close(struct bench *b, struct fail *f);

/* A heading for each library: its name and what stands below. */
void bench_headings(struct table *t, const struct libraries *set, const char *what);

/* Collects what an arm said as "pragma.NAME". */
void bench_pragmas(struct kv_list *pragmas, const struct result *result);

/* Adds a record for every counter of an arm that is not zero. */
void bench_counts(struct bench *b, const struct record *like, const struct result *result,
                  const char *phase);

/* Pages and content of what an arm left must be right, else the run fails. */
int bench_judge(const struct observation *seen, struct hash_value expected, const char *arm,
                const char *what, struct fail *f);

/* Bytes that a table of so many rows takes in a file, roughly and from above. */
double bench_table_size(int64_t rows, int64_t row_bytes, int64_t page_size);

#endif
