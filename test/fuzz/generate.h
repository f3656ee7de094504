/*
** generate.h: makes a script from a seed.
*/
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H

#include "script.h"

/* About `steps` steps; a shape that has been begun is not cut off. */
void generate(struct script *s, uint64_t seed, size_t steps);

#endif
