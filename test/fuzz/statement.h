/*
** statement.h: random statements, by what they do to pages.
*/
#ifndef FUZZ_STATEMENT_H
#define FUZZ_STATEMENT_H

#include "profile.h"

struct maker {
    struct script *script;
    struct profile profile;
    uint64_t dice;
    bool open;  /* a transaction is open, if all went well */
    int depth;  /* of savepoints */
    bool reads; /* the second connection is on a snapshot */
};

int pick_table(struct maker *m);
/* Each adds one step or a few. */
void statement_free(struct maker *m, int table);  /* leaves pages free */
void statement_use(struct maker *m, int table);   /* takes pages into use */
void statement_touch(struct maker *m, int table); /* changes rows where they are */
void statement_abort(struct maker *m, int table); /* fails, mostly in the middle */
void statement_other(struct maker *m);            /* triggers, child rows, reading */
void statement_needles(struct maker *m);          /* rows that a search finds in the files */
void statement_trim(struct maker *m);             /* keeps tables small */
void add_sql(struct maker *m, char *text);        /* takes over text */

#endif
