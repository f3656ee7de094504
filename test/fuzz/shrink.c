/*
** shrink.c: leaves out ever smaller parts for as long as a difference remains.
*/
#include "shrink.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECONDS = 20 };

/* Is there still a difference without steps first to last - 1? */
static int attempt(const struct pair *p, const struct script *s, bool *left_out, size_t first,
                   size_t last, struct verdict *v, bool *shorter, struct fail *f)
{
    bool *before = mem_get(s->count);
    struct verdict now;
    memcpy(before, left_out, s->count);
    memset(left_out + first, true, last - first);
    *shorter = false;
    if (memcmp(before, left_out, s->count) != 0 && pair_run(p, s, left_out, &now, f) == 0 &&
        now.outcome == v->outcome) {
        *v = now;
        *shorter = true;
    } else {
        memcpy(left_out, before, s->count);
    }
    free(before);
    return f->status;
}

int shrink(const struct pair *p, const struct script *s, bool *left_out, struct verdict *v,
           struct fail *f)
{
    time_t limit = time(NULL) + SECONDS;
    bool shorter;
    memset(left_out, 0, s->count);
    if (v->step + 1 < s->count &&
        attempt(p, s, left_out, v->step + 1, s->count, v, &shorter, f) != 0)
        return f->status;
    size_t part = (v->step + 2) / 2;
    for (bool again = true; again && time(NULL) < limit;) {
        again = false;
        for (size_t end = v->step + 1; end > 0 && time(NULL) < limit;) {
            size_t first = end > part ? end - part : 0;
            if (attempt(p, s, left_out, first, end, v, &shorter, f) != 0)
                return f->status;
            again |= shorter && part == 1;
            end = first;
        }
        if (part > 1) {
            part = (part + 1) / 2;
            again = true;
        }
    }
    return 0;
}
