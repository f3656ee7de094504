/*
** state.h: the crash states of a tape, one after the other, each with a number by
** which it can be had again.
*/
#ifndef CRASH_STATE_H
#define CRASH_STATE_H

#include "model.h"

struct state {
    uint64_t number;
    size_t event;    /* the crash comes before this one */
    const char *how; /* what was kept */
    bool process;    /* only the process has died: the last committed state, in any mode */
    bool there[FILES];
    struct blob image[FILES];
    const unsigned char *index; /* the -shm file, or NULL */
    size_t index_size;
    size_t low, high; /* states that may be found */
    size_t returned;  /* the last one that the application knows to be committed */
};

struct state_range {
    uint64_t seed;
    uint64_t about; /* so many states, about */
    uint64_t first, last;
    unsigned lies;
};

struct state_counts {
    uint64_t points; /* crash points */
    uint64_t states;
};

/* Calls take() for each; it returns false to go no further. */
void state_each(const struct tape *tape, const struct state_range *range,
                bool (*take)(void *context, const struct state *state), void *context,
                struct state_counts *counts);

#endif
