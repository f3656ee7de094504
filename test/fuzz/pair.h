/*
** pair.h: plays a script with both libraries and compares what they answered.
*/
#ifndef FUZZ_PAIR_H
#define FUZZ_PAIR_H

#include "script.h"
#include "trace.h"

struct pair {
    char *name[2];
    char *path[2];   /* of the libraries, absolute */
    char *folder[2]; /* where the databases are; they are emptied */
    struct trace *trace[2];
    bool other_pages; /* the libraries choose free pages otherwise */
};

enum outcome {
    OUTCOME_SAME,
    OUTCOME_DIFFERENT, /* the libraries differ, or one of them is wrong */
    OUTCOME_BOTH,      /* both are wrong in the same way */
    OUTCOME_STOCK      /* the first one is wrong by itself, at this step or before */
};

struct verdict {
    enum outcome outcome;
    bool excused; /* a copy of what the first library has written was wrong */
    size_t step;
    bool has[2]; /* is there a record? */
    struct record record[2];
    char ended[2][64]; /* how a process ended, if it is not as it should be */
};

int pair_open(struct pair *p, size_t steps, struct fail *f);
void pair_close(struct pair *p);
/* Where the two differ and the first library is wrong with itself as the other one, too,
** the outcome is OUTCOME_STOCK. (3.46.1 and older can leave a log with wrong checksums
** after a rollback, so that less is recovered without the -shm.) */
int pair_run(const struct pair *p, const struct script *s, const bool *left_out,
             struct verdict *v, struct fail *f);

#endif
