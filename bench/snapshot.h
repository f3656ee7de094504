/*
** snapshot.h: what a database file holds at one moment, and how many of its pages
** had to be written to get from one moment to the next.
**
** Either a complete checkpoint comes before the moment, so that the file alone is
** the database, or what is in the log is looked at as well.
*/
#ifndef WALBENCH_SNAPSHOT_H
#define WALBENCH_SNAPSHOT_H

#include <stdint.h>

#include "fail.h"
#include "log_map.h"

struct snapshot {
    uint32_t page_size;
    uint32_t page_count;
    uint32_t free_count;
    uint64_t *hash;      /* by page number less one */
    unsigned char *kind; /* enum page_kind, by page number */
};

struct snapshot_change {
    uint32_t needed; /* live pages whose bytes changed or that did not exist before */
    uint32_t freed;  /* pages that were live and are on the free-list now */
    uint32_t taken;  /* pages that were on the free-list and are live now */
    uint32_t beyond; /* pages past the old end of the file */
};

/* Reads through fd, which stays open: closing it would drop the process's file locks. */
int snapshot_take(struct snapshot *s, int fd, struct fail *f);
/* The file together with what has been committed to a log beside it. */
int snapshot_take_logged(struct snapshot *s, int fd, const struct log_map *log, struct fail *f);
void snapshot_free(struct snapshot *s);
struct snapshot_change snapshot_compare(const struct snapshot *before,
                                        const struct snapshot *after);

/* What a version of a page that was written between two moments was good for. */
enum page_use {
    USE_NEEDED,
    USE_UNCHANGED, /* live, and as it was */
    USE_OLD_LEAF,  /* a free-list leaf that was in the file before */
    USE_NEW_LEAF,  /* a free-list leaf past the old end of the file */
    USE_CUT,       /* past the new end of the file */
    PAGE_USES
};

enum page_use snapshot_use(const struct snapshot *before, const struct snapshot *after,
                           uint32_t pgno);

/* The same of all frames of a log from number `first` on. A frame of a page that has a later
** one is superseded, whatever the page is. */
void snapshot_log_uses(const struct snapshot *before, const struct snapshot *after,
                       const struct log_map *map, uint64_t first, int64_t uses[PAGE_USES],
                       int64_t *superseded);

#endif
