/*
** page_order.h: in which order the pages of a b-tree lie in the file.
**
** A scan visits the leaves in key order. Where they stand on consecutive page numbers it
** reads the file from front to back, elsewhere it jumps.
*/
#ifndef WALBENCH_PAGE_ORDER_H
#define WALBENCH_PAGE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db.h"

enum page_role { ROLE_LEAF, ROLE_INTERIOR, ROLE_OVERFLOW };

struct page_order {
    int64_t leaves, interior, overflow;
    double mean_run;   /* leaves on consecutive page numbers, on average */
    double next_share; /* share of steps that go to the page that follows, 0 to 1 */
    int64_t longest_run;
    int64_t jumps; /* steps from leaf to leaf that do not go to the page that follows */
    /* What a full scan reads with an empty cache: leaves and interior pages, and how many
    ** of them do not follow the one before; the first counts among these. Overflow pages
    ** are left out: whether they are read is up to the query. */
    int64_t reads, read_jumps;
    int64_t unused; /* bytes on these pages that hold nothing */
    /* Where the walk is. */
    int64_t run, last_leaf, last_read;
};

/* The leaves and interior pages of a b-tree as a scan visits them. */
struct page_visit {
    uint32_t page;
    bool leaf;
};

struct page_visits {
    struct page_visit *at;
    size_t count;
};

/* The pages one after the other, depth first in key order, and then the end. */
void page_order_begin(struct page_order *o);
void page_order_add(struct page_order *o, enum page_role role, int64_t page, int64_t unused);
void page_order_end(struct page_order *o);

/*
** The order of one b-tree, by its name as it stands in the schema, or "sqlite_schema".
** Of a tree that is not there every number is 0. `visits` may be NULL; else it is to be
** freed by page_visits_free, also after a failure. A page that is no page of a b-tree,
** or more of them than the file has, is a failure.
*/
int page_order_read(const struct db *db, const char *tree, struct page_order *o,
                    struct page_visits *visits, struct fail *f);
void page_visits_free(struct page_visits *visits);

#endif
