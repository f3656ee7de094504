/*
** rolling.h: what the files of `walbench rolling` share: rolling.c runs it,
** rolling_print.c shows and judges the results, rolling_job.c is the arm's side.
*/
#ifndef WALBENCH_ROLLING_H
#define WALBENCH_ROLLING_H

#include "command.h"

enum { NONE, FULL, INCREMENTAL, INCREMENTAL_100, VACUUM, MODES };
enum { ORDERS = 2, INDEXES = 2 };

struct rolling_mode {
    const char *name;
    const char *auto_vacuum;
    int64_t vacuum_every; /* incremental_vacuum after so many commits; 0: never */
};

extern const struct rolling_mode rolling_modes[MODES];
extern const char *const rolling_orders[ORDERS];
extern const char *const rolling_indexes[INDEXES];

struct rolling_settings {
    struct common common;
    int64_t rows, batch, commits, least, most, page_size, sample;
    const char *seeds, *modes, *order, *index, *synchronous, *secure_delete, *cache;
};

/* What is known of one mode, order, index and arm, over all seeds. */
struct rolling_cell {
    struct samples frames, checkpoint_pages, bytes;           /* a sample a commit */
    struct samples needed, frames_where_needed, freed, taken; /* a sample a sampled commit */
    struct samples file_bytes, free_pages;                    /* a sample a seed */
    struct samples table_run, table_next, index_run, index_next;
};

struct rolling_run {
    struct rolling_settings set;
    struct bench bench;
    struct progress progress;
    int64_t *seeds;
    size_t seed_count;
    bool mode_wanted[MODES], order_wanted[ORDERS], index_wanted[INDEXES];
    char *pristine, *work;
    struct hash_value expected;
    struct rolling_cell cell[MODES][ORDERS][INDEXES][LIBRARIES_MOST];
};

struct rolling_where { /* one arm run */
    int mode, order, index;
    size_t arm;
    int64_t seed;
};

struct rolling_cell *rolling_cell_at(struct rolling_run *run, const struct rolling_where *w);

/* Is this the experiment that was published? Then its figures may stand beside ours. */
bool rolling_is_published(const struct rolling_settings *set);

/* The tables, and the verdict if one is asked for. */
void rolling_print(struct rolling_run *run);

#endif
