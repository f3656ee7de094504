/*
** tree.h: the tree of sequences.
*/
#ifndef EXHAUST_TREE_H
#define EXHAUST_TREE_H

#include <stdint.h>

#include "model.h"

/* False: go no further. */
typedef bool (*tree_visitor)(void *context, const char *sequence, int length);

struct tree {
    const char *letters;
    const char *prefix;
    bool wal;
    int rows;
    int depth;
};

/* Is each letter of it known, of the alphabet and enabled where it stands? Sets *at to
** the first that is not. */
bool tree_has(const struct tree *t, const char *sequence, int *at);
/* Visits all sequences of t->depth letters, always in the same order. */
bool tree_walk(const struct tree *t, tree_visitor visit, void *context);
/* One at random; false: try again. */
bool tree_draw(const struct tree *t, uint64_t *random, char sequence[DEPTH_MOST]);

#endif
