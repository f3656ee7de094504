/*
** arm.h: the inside of an arm process. Such a process loads one library, does one
** job with it and writes what it saw, line by line, into a pipe:
**
**   n NAME NUMBER   one more sample of NAME
**   t NAME TEXT     a text
**   p DONE TOTAL    progress
**   e STATUS TEXT   the job failed
**   .               the job is done; without this line nothing counts
*/
#ifndef WALBENCH_ARM_H
#define WALBENCH_ARM_H

#include <stdint.h>
#include <stdio.h>

#include "api.h"
#include "db.h"
#include "kv.h"
#include "shim.h"

#define ARM_COMMAND "@arm" /* the hidden command that makes a process an arm */

struct arm {
    struct api api;
    struct shim shim;
    struct kv_list args;
    FILE *out;
};

struct arm_job {
    const char *name;
    int (*run)(struct arm *arm, struct fail *f);
};

/* argv: @arm FD LIBRARY JOB KEY=VALUE... */
int arm_main(const struct arm_job *jobs, int argc, char **argv);

/* An argument of the job; a missing one is a failure. */
const char *arm_text(const struct arm *arm, const char *key, struct fail *f);
int64_t arm_int(const struct arm *arm, const char *key, struct fail *f);

void arm_say_int(struct arm *arm, const char *name, int64_t value);
void arm_say_text(struct arm *arm, const char *name, const char *value);
void arm_say_progress(struct arm *arm, int64_t done, int64_t total);

/* Says the differences of the counters from `since` for a phase as "PHASE.CLASS.WHAT". */
void arm_say_counts(struct arm *arm, const char *prefix, enum shim_phase phase);

/*
** Sets a pragma (not when value is NULL), reads it back, and says it as
** "pragma.NAME". With `want` the value read back must equal it.
*/
int arm_pragma(struct arm *arm, const struct db *db, const char *name, const char *value,
               const char *want, struct fail *f);

/* The same of several, the last of which has no name. */
struct arm_setting {
    const char *name, *value, *want;
};
int arm_pragmas(struct arm *arm, const struct db *db, const struct arm_setting *settings,
                struct fail *f);

/* Job "probe": what library is this? */
int arm_probe(struct arm *arm, struct fail *f);

/* Setting up may have left frames: start from a log that is all in the database. */
int arm_empty_log(struct arm *arm, const struct db *db, struct fail *f);

/* A PASSIVE checkpoint in the phase for it: frames in the log, and those of them that are in
** the database. */
int arm_copy_log(struct arm *arm, const struct db *db, int *in_log, int *copied,
                 struct fail *f);

/*
** Checkpoints a log that one connection alone wrote, in the phase for it, and
** holds three witnesses against each other: the shim, the size of the file, and
** what the checkpoint itself says. Returns the frames through *frames.
*/
int arm_checkpoint(struct arm *arm, const struct db *db, int64_t *frames, struct fail *f);

/*
** The same of a transaction that may have rolled back to a savepoint and left less in the
** log than it has written, so that the `written` frames are only an upper bound.
*/
int arm_checkpoint_cut(struct arm *arm, const struct db *db, uint64_t written, int64_t *frames,
                       struct fail *f);

#endif
