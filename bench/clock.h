/*
** clock.h: nanoseconds on a clock that nobody sets.
*/
#ifndef WALBENCH_CLOCK_H
#define WALBENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_now(void)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail for this clock */
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
