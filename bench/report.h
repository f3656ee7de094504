/*
** report.h: the result files and the verdict.
**
** Records gather in memory; the files appear, complete, when everything is done,
** and never over a file that is there already.
*/
#ifndef WALBENCH_REPORT_H
#define WALBENCH_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "kv.h"
#include "library.h"
#include "stats.h"

struct report_file {
    const char *path; /* NULL: not wanted */
    FILE *memory;
    char *text;
    size_t size;
};

/*
** A result file of its own kind: checked when it is opened, written to in memory, and on
** the disk, complete, when it is finished. Free it in either case.
*/
int report_file_open(struct report_file *file, const char *path, struct fail *f);
int report_file_finish(struct report_file *file, struct fail *f);
void report_file_free(struct report_file *file);

struct report {
    const char *experiment; /* "E1" */
    const char *command;
    struct kv_list common; /* parameters of the whole run */
    struct report_file json, csv;
    char *kernel;
    struct kv_list machine; /* what the run was made on */
    bool check;             /* are bounds asked for? */
    int held, failed, skipped;
};

struct record {
    const struct library *arm;
    const struct kv_list *parameters; /* of this case, beside the common ones */
    const struct kv_list *pragmas;
    const char *metric, *unit;
    const char *published; /* figure and source; NULL: none */
};

int report_open(struct report *r, const char *json_path, const char *csv_path, struct fail *f);
void report_add(struct report *r, const struct record *record, const struct samples *samples);
void report_add_number(struct report *r, const struct record *record, double value);

/*
** The ratios of samples that two arms took in turns: record->arm to `base`. The metric
** is that of the samples with ".ratio" behind it, the unit the name of the base.
*/
struct estimate report_add_ratio(struct report *r, const struct record *record,
                                 const struct library *base, const struct samples *of,
                                 const struct samples *to);

/* One line of the verdict. Not applicable: the parameters are not those of the bound. */
void report_bound(struct report *r, bool applicable, bool held, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes the files. */
int report_finish(struct report *r, struct fail *f);
void report_free(struct report *r);

void json_string(FILE *out, const char *text);
void json_number(FILE *out, double value);
void csv_field(FILE *out, const char *text);

#endif
