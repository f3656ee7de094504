/*
** workload.h: plays a random sequence of the fuzzer with one library, in the
** current folder, and records it.
*/
#ifndef CRASH_WORKLOAD_H
#define CRASH_WORKLOAD_H

#include "entry.h"
#include "recorder.h"
#include "script.h"
#include "tape.h"

struct plan {
    struct script script;
    const char *synchronous; /* once the database is in WAL mode */
    bool extra, normal;
};

/* All from the seed. */
void plan_make(struct plan *p, uint64_t seed, size_t steps);
void plan_free(struct plan *p);
void plan_print(const struct plan *p, FILE *out);

/*
** r is the recorder, with the tape that all is to go to. With `reference` the
** content after every transaction is noted instead, by one library for all.
*/
void workload_run(const struct entry *entry, const struct plan *plan, struct recorder *r,
                  struct tape *tape, bool reference);

#endif
