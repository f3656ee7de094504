/*
** check.h: opens crash states, in a process of its own.
*/
#ifndef CRASH_CHECK_H
#define CRASH_CHECK_H

#include "state.h"

/* Opened by the reader alone, or by these as well: every so manieth state. */
enum { ALONE_EVERY = 4, OTHER_EVERY = 8 };

struct seen; /* states that have been judged */

/* Shared between processes. */
struct verdicts {
    uint64_t number; /* of the state that is looked at */
    struct state_counts counts;
    uint64_t distinct;           /* so far, of all seeds */
    uint64_t last, newer, older; /* what was found: the last committed state, that of a
                                    transaction under way, or one that was not yet safe */
    uint64_t alone, other, index;
    uint64_t failures; /* of this seed */
    uint64_t failed;   /* the first of them */
    char text[200];
    struct fail fail;
    struct seen *seen;
};

struct verdicts *verdicts_new(struct fail *f);
void verdicts_free(struct verdicts *v);

struct check_job {
    const char *reader; /* libraries, absolute paths */
    const char *other;
    const char *folder; /* for the files of the state; absolute */
    const struct tape *tape;
    struct state_range range;
    uint64_t run;  /* another number for each run: what was found holds for one run only */
    bool keep;     /* leave the files of the state as they are, unopened */
    bool go_on;    /* after a failure */
    bool describe; /* print each state */
};

/* For a child process. */
void check_run(const struct check_job *c, struct verdicts *v);
/* Writes the files of a state into the folder, and no other ones of a database. */
bool check_write(const char *folder, const struct state *s);

#endif
