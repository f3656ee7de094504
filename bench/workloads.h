/*
** workloads.h: what the files of `walbench workloads` share: workloads.c runs it,
** workloads_print.c shows and judges the results, workload_job.c is the arm's side.
*/
#ifndef WALBENCH_WORKLOADS_H
#define WALBENCH_WORKLOADS_H

#include "command.h"
#include "workload.h"

struct workloads_settings {
    struct common common;
    struct text_list only;
    int64_t percent, seed, cache; /* the last in pages, 0: as the workload has it */
    const char *synchronous;
    bool full, list;
};

/* Sums over all transactions of one workload with one library. */
struct workloads_cell {
    double frames, written, needed, subjournal, copied;
    /* Frames that were not needed: of a page that has a later one; of a live page that is
    ** as it was; of a free-list leaf, old or past the old end of the file; past the new end. */
    double superseded, unchanged, old_leaf, new_leaf, cut;
    /* Frames in the log that a recovery does not get past: their header has no salt. */
    double lost;
    size_t commits;
};

struct workloads_row {
    const struct workload *w;
    int64_t rows;
    const char *lacks; /* name of a library that cannot run it; NULL: it was run */
    struct workloads_cell cell[LIBRARIES_MOST];
};

struct workloads_run {
    struct workloads_settings set;
    struct bench bench;
    struct progress progress;
    char *pristine, *work;
    struct workloads_row *row;
    size_t count;
};

/* Frames per needed page. */
double workloads_waste(const struct workloads_cell *cell);
/* Sub-journal bytes against those of another; 1 if there are none in both. */
double workloads_ratio(const struct workloads_cell *cell, const struct workloads_cell *other);

/* The tables, and the verdict if one is asked for. */
void workloads_print(struct workloads_run *run);

#endif
