/*
** workload.h: patterns of real use, as data: tables that are built first and
** transactions that are then measured. `walbench workloads` runs them.
**
** A statement may use these parameters:
**
**   ?1  its number, from 1, counting every time that its step has been run
**   ?2  a random number from 0 to 2^40-1
**   ?3  the round, from 0
**   ?4  another random number
**   ?5  the rows of the workload
**
** The random numbers depend on the seed alone, so that each library is given the
** same work.
*/
#ifndef WALBENCH_WORKLOAD_H
#define WALBENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "db.h"

struct step {
    const char *sql; /* NULL: the last one has been */
    int64_t times;   /* to be run so often; 0: once */
    int64_t per;     /* as often as one row in so many, multiplied by `times` */
    bool fails;      /* a constraint must refuse it */
};

enum { WORKLOAD_STEPS = 24 };

struct workload {
    const char *name;
    const char *group;   /* another name, for several that differ in settings; may be NULL */
    const char *pattern; /* "1" to "13", "null", or where else it is from */
    const char *what;    /* one line */
    int64_t rows, rows_in_full; /* the second: with --full, if it is not 0 */
    int64_t rounds;
    int64_t page_size;         /* 0: 4096 */
    int64_t cache_size;        /* pages; 0: what the library has */
    bool spill_off;            /* PRAGMA cache_spill=OFF */
    const char *auto_vacuum;   /* NULL: none */
    const char *secure_delete; /* NULL: off */
    const char *needs;         /* a compile option without which there is nothing to run */
    const char *reader;        /* a query; another connection stays in the snapshot where it
                                  asks it first, after the first transaction */
    /* Null controls: the least that patched writes, as a share of what stock does. */
    double null_share;       /* 0: this is none */
    bool lean;               /* nothing is rolled back and the cache does not thrash */
    double undone_most;      /* where something is: the most waste of a library that records
                                pages by their numbers */
    bool subjournal_differs; /* by more than 1 per cent, for the reason given */
    const char *reason;      /* why a figure is not what one would expect, as measured */
    struct step build[WORKLOAD_STEPS];
    struct step steps[WORKLOAD_STEPS]; /* of each round */
};

/* All of them, one after the other; NULL after the last one. */
const struct workload *workload_at(size_t index);
const struct workload *workload_find(const char *name);

/* Arrays that end with an entry without a name, each in a file of its own. */
extern const struct workload workload_daily[];
extern const struct workload workload_geometry[];
extern const struct workload workload_undone[];
extern const struct workload workload_special[];
extern const struct workload workload_null[];

/* Rows at so many per cent of the usual size; at least 100. */
int64_t workload_rows(const struct workload *w, int64_t percent, bool full);

/* How often a step runs in a round. */
int64_t workload_times(const struct step *step, int64_t rows);

struct workload_player {
    const struct db *db;
    int64_t rows, round;
    uint64_t random;
    /* Called after each statement; may be NULL. Not 0 ends the run. */
    int (*after)(void *context, struct fail *f);
    void *context;
};

/* Runs steps up to the one without SQL. */
int workload_play(struct workload_player *player, const struct step *steps, struct fail *f);

#endif
