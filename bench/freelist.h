/*
** freelist.h: reads the header of a database file and its free-list.
**
** Free-list trunk pages are content: they hold the list. Free-list leaf pages
** hold nothing. This is the one distinction on which "needed pages" rests, so it
** is read here from the bytes, without any SQLite library.
*/
#ifndef WALBENCH_FREELIST_H
#define WALBENCH_FREELIST_H

#include <stdint.h>

#include "fail.h"

enum page_kind { PAGE_LIVE = 0, PAGE_TRUNK = 1, PAGE_LEAF = 2 };

struct db_header {
    uint32_t page_size;
    uint32_t usable_size; /* page size less the reserved bytes */
    uint32_t page_count;  /* from the header; 0 when it is not to be trusted */
    uint32_t first_trunk;
    uint32_t free_count; /* trunk and leaf pages together */
};

/* Puts page number pgno (counted from 1) into buffer. 0 or a status. */
typedef int (*page_reader)(void *context, uint32_t pgno, unsigned char *buffer, struct fail *f);

enum { DB_HEADER_SIZE = 100 };

/* Takes the first 100 bytes of a database file. */
int db_header_read(const unsigned char *bytes, struct db_header *header, struct fail *f);

/*
** Marks every page of the free-list in kind[], an array of page_count + 1 bytes
** (entry 0 unused) which this function clears first. A list with a cycle, a page
** twice, a number out of range or a wrong count is refused.
*/
int freelist_read(const struct db_header *header, uint32_t page_count, page_reader read,
                  void *context, unsigned char *kind, struct fail *f);

/* The steps of that, for a reader that keeps the list in another form. */

/* Can the list name this page at all? */
int freelist_check(const struct db_header *header, uint32_t page_count, uint32_t pgno,
                   struct fail *f);
/* Can it be as long as the header says? */
int freelist_check_count(const struct db_header *header, uint32_t page_count, struct fail *f);
/* What trunk page pgno says of itself; `next` is 0 at the end of the list. */
int freelist_trunk(const struct db_header *header, uint32_t pgno, const unsigned char *page,
                   uint32_t *next, uint32_t *leaves, struct fail *f);
/* The page number of its leaf number i, from 0. */
uint32_t freelist_leaf(const unsigned char *page, uint32_t i);

#endif
