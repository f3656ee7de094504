/*
** trace.h: what one library answered, step by step, in memory that the process
** of the library shares with the one that compares.
*/
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fail.h"
#include "hash.h"

enum check {
    CHECK_RESULT,    /* result code and rows of the step itself */
    CHECK_LIVE,      /* all content, as the connection sees it */
    CHECK_INTEGRITY, /* integrity_check on that connection */
    CHECK_PAGES,     /* page_count and freelist_count */
    CHECK_UNDONE,    /* all content after ROLLBACK or ROLLBACK TO */
    CHECK_FRESH,     /* all content, as a new connection sees it */
    CHECK_FRESH_INTEGRITY,
    CHECK_SNAPSHOT, /* all content, as a reader on its snapshot sees it */
    CHECK_COPY,     /* of a copy without the -shm: */
    CHECK_COPY_INTEGRITY,
    CHECK_COPY_COVERED, /* every page is in the log or in the database file */
    CHECK_COPY_CHECKPOINTED,
    CHECK_OUTPUT, /* of a finished backup, or of VACUUM INTO */
    CHECK_OUTPUT_INTEGRITY,
    CHECK_FILE, /* the bytes of the pages in use, in the database file */
    CHECK_LEAVES, /* free-list leaves there that hold anything: no more than by the first library */
    CHECK_NEEDLES,  /* markers of deleted rows that are still in the database file */
    CHECK_FRAMES,   /* pages that a transaction has logged: no more than by the first library */
    CHECK_COUNTERS, /* pages written and spilled, as the library counts them */
    CHECKS
};

struct record {
    size_t step;
    enum check check;
    int rc;
    bool bad; /* wrong by itself, whatever the other library says */
    int64_t rows;
    struct hash_value hash;
    char text[64];
};

struct trace {
    size_t room;
    size_t count;
    size_t next;  /* the step to go on with, once the process has ended */
    size_t doing; /* the step that it is at */
    bool committed_set;
    struct hash_value committed; /* content, when the process ended */
    struct fail fail;            /* why it could not begin */
    uint64_t steps_done;
    uint64_t transactions;
    uint64_t added; /* records, in all processes */
    struct record at[];
};

/* Shared with processes that are forked later. NULL: *f says why. */
struct trace *trace_new(size_t room, struct fail *f);
void trace_free(struct trace *t);
void trace_add(struct trace *t, const struct record *r);
/* Of the first library and of the second. With `other_pages` these choose free pages
** otherwise: then numbers of pages are not compared, nor which bytes are in the file. */
bool record_same(const struct record *a, const struct record *b, bool other_pages);
/* r may be NULL: there is none. */
void record_print(const struct record *r, FILE *out);
const char *check_text(enum check check);

#endif
