/*
** tree.c: walks the tree, depth first.
*/
#include "tree.h"

#include <string.h>

#include "random.h"

bool tree_has(const struct tree *t, const char *sequence, int *at)
{
    struct model m;
    model_begin(&m, t->wal, t->rows);
    for (*at = 0; sequence[*at]; ++*at) {
        char letter = sequence[*at];
        if (*at >= DEPTH_MOST || strchr(t->letters, letter) == NULL ||
            !model_enabled(&m, letter))
            return false;
        model_step(&m, letter);
    }
    return true;
}

static bool walk(const struct tree *t, struct model *m, char *sequence, int length,
                 tree_visitor visit, void *context)
{
    bool last = length + 1 == t->depth;
    for (const char *l = t->letters; *l; l++) {
        if (!model_enabled(m, *l) || (last && !model_can_end(m, *l)))
            continue;
        sequence[length] = *l;
        if (last) {
            if (!visit(context, sequence, length + 1))
                return false;
        } else {
            struct model next = *m;
            model_step(&next, *l);
            if (!walk(t, &next, sequence, length + 1, visit, context))
                return false;
        }
    }
    return true;
}

bool tree_walk(const struct tree *t, tree_visitor visit, void *context)
{
    char sequence[DEPTH_MOST];
    struct model m;
    int length = (int)strlen(t->prefix);
    if (length >= t->depth)
        return true;
    model_begin(&m, t->wal, t->rows);
    memcpy(sequence, t->prefix, (size_t)length);
    for (int i = 0; i < length; i++)
        model_step(&m, sequence[i]);
    return walk(t, &m, sequence, length, visit, context);
}

bool tree_draw(const struct tree *t, uint64_t *random, char sequence[DEPTH_MOST])
{
    struct model m;
    int length = (int)strlen(t->prefix);
    model_begin(&m, t->wal, t->rows);
    for (int i = 0; i < t->depth; i++) {
        char choice[64];
        int count = 0;
        if (i < length) {
            choice[count++] = t->prefix[i];
        } else {
            for (const char *l = t->letters; *l && count < (int)sizeof choice; l++)
                if (model_enabled(&m, *l) && (i + 1 < t->depth || model_can_end(&m, *l)))
                    choice[count++] = *l;
        }
        if (count == 0)
            return false;
        sequence[i] = choice[random_next(random) % (uint64_t)count];
        model_step(&m, sequence[i]);
    }
    return true;
}
