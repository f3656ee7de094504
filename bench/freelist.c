/*
** freelist.c: reads the header of a database file and walks its free-list.
*/
#include "freelist.h"

#include <stdlib.h>
#include <string.h>

/* The page that contains this byte is never used: file locks live on it. */
#define LOCK_BYTE UINT32_C(0x40000000)

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int db_header_read(const unsigned char *bytes, struct db_header *header, struct fail *f)
{
    static const char magic[16] = "SQLite format 3";
    if (memcmp(bytes, magic, sizeof magic) != 0)
        return fail_set(f, STATUS_MISMATCH, "not a database file: wrong first 16 bytes");
    uint32_t size = (uint32_t)bytes[16] << 8 | bytes[17];
    if (size == 1)
        size = 65536;
    if (size < 512 || size > 65536 || (size & (size - 1)) != 0)
        return fail_set(f, STATUS_MISMATCH, "impossible page size %u in the header", size);
    if (size - bytes[20] < 480)
        return fail_set(f, STATUS_MISMATCH, "impossible reserved size %u in the header",
                        bytes[20]);
    header->page_size = size;
    header->usable_size = size - bytes[20];
    header->first_trunk = be32(bytes + 32);
    header->free_count = be32(bytes + 36);
    /* Valid only if written by a library that also keeps "version valid for". */
    header->page_count = be32(bytes + 24) == be32(bytes + 92) ? be32(bytes + 28) : 0;
    return 0;
}

int freelist_check(const struct db_header *header, uint32_t page_count, uint32_t pgno,
                   struct fail *f)
{
    if (pgno < 2 || pgno > page_count)
        return fail_set(f, STATUS_MISMATCH, "free-list names page %u of a file of %u pages",
                        pgno, page_count);
    if (pgno == LOCK_BYTE / header->page_size + 1)
        return fail_set(f, STATUS_MISMATCH, "free-list names page %u, which holds the locks",
                        pgno);
    return 0;
}

int freelist_check_count(const struct db_header *header, uint32_t page_count, struct fail *f)
{
    if (header->free_count >= page_count && header->free_count != 0)
        return fail_set(f, STATUS_MISMATCH, "free-list of %u pages in a file of %u pages",
                        header->free_count, page_count);
    return 0;
}

int freelist_trunk(const struct db_header *header, uint32_t pgno, const unsigned char *page,
                   uint32_t *next, uint32_t *leaves, struct fail *f)
{
    *next = be32(page);
    *leaves = be32(page + 4);
    if (*leaves > header->usable_size / 4 - 2)
        return fail_set(f, STATUS_MISMATCH, "free-list trunk page %u claims %u leaves", pgno,
                        *leaves);
    return 0;
}

uint32_t freelist_leaf(const unsigned char *page, uint32_t i)
{
    return be32(page + 8 + 4 * (size_t)i);
}

static int mark(unsigned char *kind, const struct db_header *header, uint32_t page_count,
                uint32_t pgno, enum page_kind as, struct fail *f)
{
    if (freelist_check(header, page_count, pgno, f) != 0)
        return f->status;
    if (kind[pgno] != PAGE_LIVE)
        return fail_set(f, STATUS_MISMATCH, "free-list names page %u twice", pgno);
    kind[pgno] = (unsigned char)as;
    return 0;
}

int freelist_read(const struct db_header *header, uint32_t page_count, page_reader read,
                  void *context, unsigned char *kind, struct fail *f)
{
    memset(kind, 0, (size_t)page_count + 1);
    if (freelist_check_count(header, page_count, f) != 0)
        return f->status;
    uint32_t found = 0, leaves = 0;
    unsigned char *page = mem_get(header->page_size);
    int status = 0;
    /* mark() refuses a page that was seen before, so a cycle ends here too. */
    for (uint32_t trunk = header->first_trunk, next; status == 0 && trunk != 0; trunk = next) {
        next = 0;
        status = mark(kind, header, page_count, trunk, PAGE_TRUNK, f);
        if (status == 0)
            status = read(context, trunk, page, f);
        if (status == 0)
            status = freelist_trunk(header, trunk, page, &next, &leaves, f);
        if (status != 0)
            break;
        found += 1 + leaves;
        for (uint32_t i = 0; status == 0 && i < leaves; i++)
            status = mark(kind, header, page_count, freelist_leaf(page, i), PAGE_LEAF, f);
    }
    free(page);
    if (status == 0 && found != header->free_count)
        status = fail_set(f, STATUS_MISMATCH, "free-list holds %u pages, the header says %u",
                          found, header->free_count);
    return status;
}
