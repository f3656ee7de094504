/*
** audit_state.h: pages as they were at a commit: from the newest frame up to it, else
** from the database file.
**
** The file may be newer than that: a checkpoint copies frames into it, and those of
** later commits, too. A page that is not in the log before a commit, but later, and of
** which the file holds exactly what one of its frames holds, may have been copied. What
** it held at the commit is then not known. (Or it was the same all the time, which
** nothing can tell.)
*/
#ifndef WALBENCH_AUDIT_STATE_H
#define WALBENCH_AUDIT_STATE_H

#include "audit_log.h"

struct audit_used {
    uint32_t pgno;
    uint64_t hash;
};

struct audit_state {
    const struct audit_source *source;
    const struct audit_log *log;
    uint32_t file_pages;     /* whole pages in the database file */
    unsigned char *verdict;  /* by place in by_page: was the page copied? */
    unsigned char *frame;    /* a buffer for one page */
    struct audit_used *used; /* pages of the file that a checkpoint could still change */
    size_t used_count;
};

void audit_state_begin(struct audit_state *s, const struct audit_source *source,
                       const struct audit_log *log);
void audit_state_end(struct audit_state *s);

/* Where page pgno is at a commit: the number of its frame, or AUDIT_NO_FRAME for the file. */
int64_t audit_state_version(const struct audit_state *s, const struct audit_commit *commit,
                            uint32_t pgno);

/* Reads it. What is not known leaves *known false, and the buffer undefined. */
int audit_state_page(struct audit_state *s, const struct audit_commit *commit, uint32_t pgno,
                     unsigned char *buffer, bool *known, struct fail *f);

/* Does the file still hold the pages that were read from it? */
int audit_state_verify(struct audit_state *s, bool *same, struct fail *f);

#endif
