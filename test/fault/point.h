/*
** point.h: one scenario with one call that fails.
*/
#ifndef FAULT_POINT_H
#define FAULT_POINT_H

#include <stdio.h>

#include "inject.h"
#include "oracle.h"

enum lasts {
    LASTS_ONCE,
    LASTS_STATEMENT,   /* until the statement returns */
    LASTS_TRANSACTION, /* until the application has rolled back */
    LASTS
};
#define LASTS_NAMES "once|statement|transaction"

enum then {
    THEN_ROLLBACK, /* and do something else */
    THEN_RETRY,    /* the statement, or if it fails again, the transaction */
    THENS
};
#define THEN_NAMES "rollback|retry"

const char *lasts_name(enum lasts lasts);
const char *then_name(enum then then);

struct point {
    enum fault_kind kind;
    enum lasts lasts;
    enum then then;
    uint64_t at; /* 0: no fault */
};

struct verdict {
    bool fired;
    bool error; /* a statement failed for it */
    bool wrong;
    int step;
    char text[96]; /* what is wrong */
};

struct stage {
    const struct entry *tested;
    const struct entry *reference; /* looks at the files; may be the same */
    const struct scenario *scenario;
    const struct oracle *oracle;
    const char *fixture;
    struct fault *fault; /* the one that `tested` was set up with */
    FILE *log;           /* NULL: say nothing */
};

void point_run(const struct stage *stage, const struct point *point, struct verdict *v);

#endif
