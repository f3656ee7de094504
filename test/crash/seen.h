/*
** seen.h: the states that have been judged, so that equal ones are opened once.
*/
#ifndef CRASH_SEEN_H
#define CRASH_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"
#include "hash.h"

struct seen_state {
    struct hash_value files;
    struct hash_value content; /* what was found in them */
    uint64_t run;              /* in which they were last opened */
    bool bad;                  /* content says nothing: they could not be read, so far */
};

struct seen;

/* Shared with processes that are forked later. NULL: *f says why. */
struct seen *seen_new(struct fail *f);
void seen_free(struct seen *s);
/* The entry of these files, made if need be (*added). NULL: there is no more room. */
struct seen_state *seen_find(struct seen *s, struct hash_value files, bool *added);

#endif
