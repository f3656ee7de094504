/*
** session.h: the processes that it takes to look at one seed.
*/
#ifndef CRASH_SESSION_H
#define CRASH_SESSION_H

#include "check.h"
#include "workload.h"

struct session {
    const char *stock; /* libraries, absolute paths */
    const char *other;
    char *work, *states; /* folders */
    uint64_t runs;
    struct tape *tape;
    struct verdicts *verdicts;
};

int session_open(struct session *s, struct fail *f);
void session_close(struct session *s);

/* Records what a library does with a workload; *trouble: what was wrong already then. */
int session_record(struct session *s, const struct plan *plan, const char *library,
                   uint64_t seed, struct fail *f);
/* Opens the crash states of what has been recorded. s->verdicts tells the outcome. */
int session_check(struct session *s, const struct check_job *check, struct fail *f);

#endif
