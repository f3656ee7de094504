/*
** snapshot.c: hashes every page of a database file and compares two such states.
*/
#include "snapshot.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "freelist.h"
#include "hash.h"

enum { BLOCK = 1 << 20 }; /* a multiple of every page size */

struct source {
    int fd;
    uint32_t page_size;
};

static int read_all(int fd, unsigned char *buffer, size_t size, off_t offset, struct fail *f)
{
    while (size > 0) {
        ssize_t n = pread(fd, buffer, size, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_set(f, STATUS_MISMATCH, "cannot read the database file: %s",
                            strerror(errno));
        if (n == 0)
            return fail_set(f, STATUS_MISMATCH, "the database file ended while it was read");
        buffer += n;
        size -= (size_t)n;
        offset += n;
    }
    return 0;
}

static int read_page(void *context, uint32_t pgno, unsigned char *buffer, struct fail *f)
{
    const struct source *source = context;
    return read_all(source->fd, buffer, source->page_size,
                    (off_t)(pgno - 1) * (off_t)source->page_size, f);
}

static int hash_pages(struct snapshot *s, int fd, struct fail *f)
{
    unsigned char *block = mem_get(BLOCK);
    uint32_t per_block = BLOCK / s->page_size;
    int status = 0;
    for (uint32_t first = 0; status == 0 && first < s->page_count; first += per_block) {
        uint32_t count = s->page_count - first < per_block ? s->page_count - first : per_block;
        status = read_all(fd, block, (size_t)count * s->page_size,
                          (off_t)first * (off_t)s->page_size, f);
        for (uint32_t i = 0; status == 0 && i < count; i++)
            s->hash[first + i] = hash_page(block + (size_t)i * s->page_size, s->page_size);
    }
    free(block);
    return status;
}

int snapshot_take(struct snapshot *s, int fd, struct fail *f)
{
    unsigned char bytes[DB_HEADER_SIZE];
    struct db_header header;
    struct stat st;
    *s = (struct snapshot){0};
    int status = read_all(fd, bytes, sizeof bytes, 0, f);
    if (status == 0)
        status = db_header_read(bytes, &header, f);
    if (status != 0)
        return status;
    if (fstat(fd, &st) != 0)
        return fail_set(f, STATUS_MISMATCH, "cannot stat the database file: %s",
                        strerror(errno));
    if (st.st_size % (off_t)header.page_size != 0 ||
        st.st_size / (off_t)header.page_size > (off_t)UINT32_MAX - 1)
        return fail_set(f, STATUS_MISMATCH, "the database file is not a whole number of pages");
    s->page_size = header.page_size;
    s->page_count = (uint32_t)(st.st_size / (off_t)header.page_size);
    s->free_count = header.free_count;
    if (header.page_count != 0 && header.page_count != s->page_count)
        return fail_set(f, STATUS_MISMATCH, "the header says %u pages, the file has %u",
                        header.page_count, s->page_count);
    s->hash = mem_get((size_t)s->page_count * sizeof s->hash[0]);
    s->kind = mem_get((size_t)s->page_count + 1);
    struct source source = {fd, header.page_size};
    status = freelist_read(&header, s->page_count, read_page, &source, s->kind, f);
    if (status == 0)
        status = hash_pages(s, fd, f);
    if (status != 0)
        snapshot_free(s);
    return status;
}

void snapshot_free(struct snapshot *s)
{
    free(s->hash);
    free(s->kind);
    *s = (struct snapshot){0};
}

struct snapshot_change snapshot_compare(const struct snapshot *before,
                                        const struct snapshot *after)
{
    struct snapshot_change change = {0};
    for (uint32_t pgno = 1; pgno <= after->page_count; pgno++) {
        bool existed = pgno <= before->page_count;
        bool was_free = existed && before->kind[pgno] != PAGE_LIVE;
        bool is_free = after->kind[pgno] != PAGE_LIVE;
        bool same = existed && before->hash[pgno - 1] == after->hash[pgno - 1];
        change.needed += after->kind[pgno] != PAGE_LEAF && !same;
        change.freed += existed && !was_free && is_free;
        change.taken += was_free && !is_free;
        change.beyond += !existed;
    }
    return change;
}
