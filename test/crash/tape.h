/*
** tape.h: what a workload did to the files of its database, in memory that its
** process shares with the one that looks at the crash states.
*/
#ifndef CRASH_TAPE_H
#define CRASH_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fail.h"
#include "hash.h"

enum tape_file { FILE_DATABASE, FILE_LOG, FILE_JOURNAL, FILES };

/* What follows "a.db" in the name of each. */
extern const char *const tape_tail[FILES];

enum tape_kind {
    TAPE_CREATE,   /* a name has come into the folder */
    TAPE_DELETE,   /* it is gone */
    TAPE_FOLDER,   /* the folder has been synced */
    TAPE_WRITE,    /* offset, size, data */
    TAPE_TRUNCATE, /* size */
    TAPE_SYNC,     /* size: the flags of xSync */
    TAPE_BEGIN,    /* offset: the last state that may be in the files from here on */
    TAPE_END,      /* offset: the state that the application knows to be committed;
                      size: enum tape_promise */
    TAPE_INDEX     /* data: the -shm file as it was here */
};

/* When a committed state is safe from a power failure. */
enum tape_promise {
    PROMISE_NOW,    /* it is */
    PROMISE_FOLDER, /* once the folder is synced: the journal may come back until then */
    PROMISE_LOG     /* once the log is synced */
};

struct tape_event {
    enum tape_kind kind;
    enum tape_file file;
    int64_t offset;
    int64_t size;
    size_t data; /* where in bytes */
};

enum { EVENTS_MOST = 1 << 16, STATES_MOST = 1 << 13 };

struct tape {
    size_t count;
    size_t fill;
    bool full;      /* what came later is not on it */
    size_t states;  /* contents of which are known: the first is that of no database */
    size_t step;    /* that the workload is at */
    char wrong[96]; /* what was wrong already before any crash */
    struct fail fail;
    struct tape_event at[EVENTS_MOST];
    struct hash_value content[STATES_MOST];
    unsigned char *bytes;
    size_t room;
};

/* NULL: *f says why. */
struct tape *tape_new(struct fail *f);
void tape_free(struct tape *t);
void tape_clear(struct tape *t);
/* data may be NULL. */
void tape_add(struct tape *t, enum tape_kind kind, enum tape_file file, int64_t offset,
              int64_t size, const void *data);
/* One line for each event. */
void tape_print(const struct tape *t, FILE *out);

#endif
