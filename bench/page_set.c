/*
** page_set.c: a set of page numbers, as bits in chunks that are made when needed.
*/
#include "page_set.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { CHUNK = 512, CHUNK_PAGES = CHUNK * 8 };

static unsigned char bit_of(uint32_t pgno)
{
    return (unsigned char)(1u << (pgno & 7));
}

bool page_set_has(const struct page_set *s, uint32_t pgno)
{
    size_t c = pgno / CHUNK_PAGES;
    return c < s->chunks && s->chunk[c] != NULL &&
           (s->chunk[c][pgno % CHUNK_PAGES / 8] & bit_of(pgno)) != 0;
}

void page_set_add(struct page_set *s, uint32_t pgno)
{
    size_t c = pgno / CHUNK_PAGES;
    if (c >= s->chunks) {
        /* Twice the size each time, so that rising numbers do not copy it over and over. */
        size_t chunks = c + 1 > 2 * s->chunks ? c + 1 : 2 * s->chunks;
        s->chunk = mem_grow(s->chunk, chunks, sizeof s->chunk[0]);
        memset(s->chunk + s->chunks, 0, (chunks - s->chunks) * sizeof s->chunk[0]);
        s->chunks = chunks;
    }
    if (s->chunk[c] == NULL)
        s->chunk[c] = mem_get(CHUNK);
    s->chunk[c][pgno % CHUNK_PAGES / 8] |= bit_of(pgno);
}

void page_set_remove(struct page_set *s, uint32_t pgno)
{
    if (page_set_has(s, pgno))
        s->chunk[pgno / CHUNK_PAGES][pgno % CHUNK_PAGES / 8] &= (unsigned char)~bit_of(pgno);
}

void page_set_free(struct page_set *s)
{
    for (size_t c = 0; c < s->chunks; c++)
        free(s->chunk[c]);
    free(s->chunk);
    *s = (struct page_set){NULL, 0};
}
