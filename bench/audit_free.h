/*
** audit_free.h: the free-list as it was at one commit after the other.
**
** A commit that takes or frees pages changes page 1 and the first pages of the list; the
** rest of a long list stays. So only what has changed is read again.
*/
#ifndef WALBENCH_AUDIT_FREE_H
#define WALBENCH_AUDIT_FREE_H

#include "audit_state.h"
#include "freelist.h"
#include "page_set.h"

struct audit_trunk {
    uint32_t pgno;
    int64_t version;
    uint32_t next, leaves, *leaf;
    /* Of this trunk page and those behind it: how many pages, and the greatest number. */
    uint32_t listed, greatest;
};

struct audit_free {
    struct page_set leaf, trunk;
    struct audit_trunk *chain; /* the last trunk page of the list first */
    size_t count, room;
    struct db_header header;
    int64_t header_version; /* of page 1 */
    bool header_read;
    uint32_t page_count;
    bool known; /* of the commit that was looked at last */
};

/* Commits are to be given as they follow each other. A damaged list is a failure. */
int audit_free_update(struct audit_free *list, struct audit_state *s,
                      const struct audit_commit *commit, struct fail *f);
void audit_free_end(struct audit_free *list);

#endif
