/*
** chapter.h: the chapters of the report. Each writes what the results have of its
** experiments, and is left out when they have nothing.
*/
#ifndef WALBENCH_CHAPTER_H
#define WALBENCH_CHAPTER_H

#include "plot.h"
#include "results.h"

struct chapter {
    struct document_section section;
    const char *command; /* the results that it is about */
    const char *shown;   /* SQL: those of them that it shows */
    int (*write)(const struct results *r, struct document *d, struct fail *f);
};

/* Named after the command; those of leak, checkpoint and contention stand with others. */
int chapter_delete(const struct results *r, struct document *d, struct fail *f);
int chapter_rolling(const struct results *r, struct document *d, struct fail *f);
int chapter_workloads(const struct results *r, struct document *d, struct fail *f);
int chapter_throughput(const struct results *r, struct document *d, struct fail *f);
int chapter_checkpoint(const struct results *r, struct document *d, struct fail *f);
int chapter_contention(const struct results *r, struct document *d, struct fail *f);
int chapter_trace(const struct results *r, struct document *d, struct fail *f);
int chapter_scan(const struct results *r, struct document *d, struct fail *f);
int chapter_savepoint(const struct results *r, struct document *d, struct fail *f);
int chapter_leak(const struct results *r, struct document *d, struct fail *f);

/* A picture from a plot that is complete. */
int chapter_picture(struct plot *p, struct document *d, const char *name, const char *caption,
                    struct fail *f);

/* SQL for a value of the parameters that all results of a command share. */
char *chapter_parameter(const struct results *r, const char *command, const char *name,
                        struct fail *f);

#endif
