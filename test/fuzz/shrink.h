/*
** shrink.h: finds a shorter script that both libraries still do not agree on.
*/
#ifndef FUZZ_SHRINK_H
#define FUZZ_SHRINK_H

#include "pair.h"

/*
** *v: the verdict on the whole script; becomes that on the shorter one. left_out,
** one for each step, says what could be left out. Gives up after some seconds.
*/
int shrink(const struct pair *p, const struct script *s, bool *left_out, struct verdict *v,
           struct fail *f);

#endif
