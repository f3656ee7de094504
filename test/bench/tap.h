/*
** tap.h: the few lines that the C tests need to report in the Test Anything Protocol.
*/
#ifndef WALBENCH_TAP_H
#define WALBENCH_TAP_H

#include <stdbool.h>
#include <stdio.h>

struct tap {
    int count, failed;
};

static inline void tap_ok(struct tap *t, bool ok, const char *name)
{
    t->count++;
    t->failed += !ok;
    printf("%sok %d - %s\n", ok ? "" : "not ", t->count, name);
    (void)fflush(stdout); /* what was reported survives a crash in the next test */
}

static inline int tap_end(const struct tap *t)
{
    printf("1..%d\n", t->count);
    return t->failed > 0;
}

#endif
