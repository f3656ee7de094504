/*
** seeds.h: which sequences a command line asks for.
*/
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include "fail.h"

#include <stdint.h>

/*
** seed: of --seed, or -1; range: of --seeds, "A..B", or NULL. Without both it is 1
** to standard_last, or without end if there is a limit of time.
*/
int seeds_take(int64_t seed, const char *range, int64_t standard_last, int64_t minutes,
               int64_t *first, int64_t *last, struct fail *f);

#endif
