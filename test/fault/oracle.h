/*
** oracle.h: what a scenario gives when nothing fails.
*/
#ifndef FAULT_ORACLE_H
#define FAULT_ORACLE_H

#include "session.h"

/* Index i of an array of states: before step i. */
struct oracle {
    int count;
    int rc[STEPS_MOST];    /* of a step */
    int begin[STEPS_MOST]; /* the step that the transaction of a step began with */
    bool open[STEPS_MOST + 1];
    struct hash_value live[STEPS_MOST + 1];
    struct hash_value committed[STEPS_MOST + 1];
    struct hash_value work[STEPS_MOST + 1]; /* after session_work() on what is committed */
};

/* In the current folder; `fixture` is the database to begin with. */
int oracle_make(struct oracle *o, const struct entry *entry, const struct scenario *scenario,
                const char *fixture, struct fail *f);

#endif
