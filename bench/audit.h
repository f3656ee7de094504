/*
** audit.h: what the frames of a log held, commit by commit.
*/
#ifndef WALBENCH_AUDIT_H
#define WALBENCH_AUDIT_H

#include "audit_log.h"
#include "audit_state.h"

/* Each frame up to the last commit is of one class. */
enum audit_class {
    AUDIT_NEEDED,     /* the content of a page that was in use at the commit */
    AUDIT_FREE,       /* a free-list leaf, logged at the commit: what the fix saves */
    AUDIT_EARLY,      /* a free-list leaf, logged before the commit, perhaps still in use */
    AUDIT_ZEROED,     /* a free-list leaf of zeros, which secure_delete wants written */
    AUDIT_NEW,        /* a free-list leaf past the old end of the database */
    AUDIT_SUPERSEDED, /* the same transaction logged the page again */
    AUDIT_CUT,        /* a page past the new end of the database */
    AUDIT_UNKNOWN,    /* not known, since the free-list at the commit is not */
    AUDIT_CLASSES
};

struct audit_count {
    uint32_t of[AUDIT_CLASSES];
    bool uncertain; /* the fix may save one frame less: see audit_count.c */
};

struct audit {
    struct audit_log log;
    struct audit_state state;
    struct audit_count *commit; /* by commit */
    unsigned char *class;       /* by frame */
    uint64_t total[AUDIT_CLASSES];
    uint64_t unknown_commits;
    uint64_t saved_least, saved_most; /* frames that the fix saves */
    /* Pages that one checkpoint of all the log copies; that it would not have to, and
    ** that it perhaps would not have to. */
    uint64_t pages, pages_saved, pages_maybe;
};

/* Reads and counts. The source must stay until audit_end. */
int audit_begin(struct audit *a, const struct audit_source *source, struct fail *f);
void audit_end(struct audit *a);

uint32_t audit_count_frames(const struct audit_count *c);
/* Frames that held nothing of use: neither needed nor unknown. */
uint32_t audit_count_vain(const struct audit_count *c);

/* What the first 100 bytes of the database file say. Without a log, and with one. */
int audit_check_database(const struct audit_source *source, uint32_t log_page_size,
                         struct fail *f);

#endif
