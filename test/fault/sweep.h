/*
** sweep.h: all points of failure of one scenario with one library, in a process
** of its own.
*/
#ifndef FAULT_SWEEP_H
#define FAULT_SWEEP_H

#include <sys/types.h>

#include "fail.h"
#include "point.h"

struct tally {
    uint64_t points, errors, absorbed, wrong;
    struct point first; /* that is wrong */
    struct verdict verdict;
};

/* In memory that the processes share. */
struct account {
    struct tally tally[FAULT_KINDS][LASTS][THENS];
    struct point doing; /* the process is at */
    uint64_t done;      /* points */
    struct fail fail;
};

struct selection {
    bool kind[FAULT_KINDS];
    bool lasts[LASTS];
    bool then[THENS];
    uint64_t at;    /* 0: all points */
    uint64_t every; /* 1: each; n: every n-th */
};

struct account *account_new(struct fail *f);
void account_free(struct account *a);

/* Starts the process. -1: *f says why. */
pid_t sweep_start(const struct scenario *scenario, const char *library, const char *reference,
                  const char *folder, const struct selection *what, struct account *account,
                  struct fail *f);
/* *ended: how, if not as it should. */
int sweep_wait(pid_t child, const struct account *account, char *ended, size_t size,
               struct fail *f);

#endif
