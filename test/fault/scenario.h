/*
** scenario.h: what is played while calls fail.
*/
#ifndef FAULT_SCENARIO_H
#define FAULT_SCENARIO_H

#include <stdbool.h>

enum { STEPS_MOST = 24 };

struct scenario {
    const char *name;
    /* Before anything fails. Table t1 has the columns a, b and c in each scenario. */
    const char *settings; /* page size and auto_vacuum */
    int rows, width;      /* of t1: the length of b */
    const char *setup;    /* what else is created */
    int cache_size;
    /* Each is one SQL statement, or one of
    **   .flush   sqlite3_db_cacheflush()
    **   .begin   the second connection takes a snapshot
    **   .look    and must find it unchanged
    **   .end
    **   .reopen  the first connection is closed and opened again
    ** Where steps begin with "!", only these fail. The last one ends with no
    ** transaction open. */
    const char *step[STEPS_MOST + 1];
};

/* The last one has no name. */
extern const struct scenario scenarios[];

bool scenario_is_narrow(const struct scenario *s);

#endif
