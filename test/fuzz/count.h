/*
** count.h: what a transaction has logged, and what the library says it has written.
*/
#ifndef FUZZ_COUNT_H
#define FUZZ_COUNT_H

#include "entry.h"
#include "script.h"
#include "trace.h"

/*
** Of the main database "a.db" in the current folder, and of the first connection.
**
** The patched library logs no page that stock does not log, except after a ROLLBACK TO:
** a page that the outer of two savepoints has taken from the free-list, and the inner
** one has freed, is in the sub-journal then, and comes back as one that is not marked.
*/
struct count {
    bool omits;              /* this library has the series */
    int written, spilled;    /* as of the beginning or the end of the last step */
    int transaction_written; /* in this transaction, up to there */
    bool spilled_before;     /* this transaction has flushed, or has spilled */
    bool unknown;            /* it may have freed pages after that, or has gone back */
    bool undone;             /* something in it has been undone */
    unsigned char log[32];   /* the header of the log that was seen last */
    uint32_t pages;          /* of the database then; 0: not known */
    size_t frames;           /* and how many there were in it */
};

/* Before the connections are opened, with the files as they are. */
void count_begin(struct count *c, const struct api *api);
void count_before(struct count *c, const struct entry *entry, sqlite3 *db);
/* After the step, whose result code is rc. Adds what there is to compare. */
void count_after(struct count *c, const struct entry *entry, sqlite3 *db,
                 const struct script *s, const struct step *step, int rc, struct trace *t);

#endif
