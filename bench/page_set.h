/*
** page_set.h: a set of page numbers, of which any 32-bit number may be one. It takes
** memory where there are members, and not for the page numbers between them.
*/
#ifndef WALBENCH_PAGE_SET_H
#define WALBENCH_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_set {
    unsigned char **chunk;
    size_t chunks;
};

bool page_set_has(const struct page_set *s, uint32_t pgno);
void page_set_add(struct page_set *s, uint32_t pgno);
void page_set_remove(struct page_set *s, uint32_t pgno);
void page_set_free(struct page_set *s); /* empties it, too */

#endif
