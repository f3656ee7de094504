/*
** dice.h: choices that depend on the seed alone.
*/
#ifndef FUZZ_DICE_H
#define FUZZ_DICE_H

#include <stdbool.h>

#include "random.h"

/* From low to high, both included. */
static inline int dice_between(uint64_t *state, int low, int high)
{
    return low + (int)(random_next(state) % (uint64_t)(high - low + 1));
}

static inline bool dice_percent(uint64_t *state, int percent)
{
    return dice_between(state, 1, 100) <= percent;
}

/* An index into weights, of which there are count. */
static inline int dice_weighted(uint64_t *state, const int *weights, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += weights[i];
    int roll = dice_between(state, 1, sum);
    int i = 0;
    while (roll > weights[i])
        roll -= weights[i++];
    return i;
}

#endif
