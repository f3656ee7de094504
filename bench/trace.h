/*
** trace.h: what the files of `walbench trace` share: trace.c runs it, trace_facts.c holds
** what was published, trace_print.c shows and judges the results, trace_job.c is the arm's
** side.
*/
#ifndef WALBENCH_TRACE_H
#define WALBENCH_TRACE_H

#include "command.h"
#include "flushes.h"

enum trace_which {
    TRACE_FIRST, /* transaction of a connection, with what opens the files */
    TRACE_NEXT,  /* the one that follows */
    TRACE_WHICH
};

/* What was published of one commit, SQLite 3.51.2. */
struct trace_fact {
    const char *journal, *synchronous;
    const char *calls;
    const char *but; /* a call of the published ones that there is not; NULL: all there */
    const char *why;
    int syncs;
    const char *flushes, *rate; /* a commit; a second */
};

const struct trace_fact *trace_fact(const char *journal, const char *synchronous);
/* Is it of a published number of transactions in a trial? The rate depends on that. */
bool trace_rate_published(const char *synchronous, int64_t transactions);
/* The published calls as they are expected; the caller frees it. */
char *trace_expected(const struct trace_fact *fact);

struct trace_cell {
    char *calls[TRACE_WHICH];
    int64_t syncs[TRACE_WHICH], bytes[TRACE_WHICH];
    struct samples rate;             /* transactions a second */
    struct samples seconds, counted; /* of a trial; flushes of the disk in it */
    struct samples flushes;          /* a transaction, without the idle ones */
};

struct trace_case {
    const char *journal, *synchronous;
    int64_t transactions; /* of a timed trial */
    bool timed;
    struct trace_cell cell[LIBRARIES_MOST];
};

struct trace_settings {
    struct common common;
    const char *journals, *synchronous, *timed;
    int64_t page_size, trials, transactions, transactions_off, idle_ms;
};

struct trace_run {
    struct trace_settings set;
    struct bench bench;
    struct progress progress;
    struct trace_case *cases;
    size_t count;
    struct flush_disk disk;
    struct samples idle;      /* flushes a second while nothing is done */
    char *pristine[2], *work; /* in rollback mode, in WAL mode */
    struct hash_value traced, timed[2];
    bool traced_known, timed_known[2];
};

void trace_print(struct trace_run *run);
void trace_judge(struct trace_run *run);

#endif
