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
    const struct log_map *log; /* what is in it counts; NULL: there is none */
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

/* Where page pgno is: in the log if a version of it is there. */
static int read_page(void *context, uint32_t pgno, unsigned char *buffer, struct fail *f)
{
    const struct source *source = context;
    const struct log_map *log = source->log;
    if (log != NULL && pgno <= log->page_count && log->at[pgno] != 0)
        return read_all(log->fd, buffer, source->page_size, (off_t)log->at[pgno], f);
    return read_all(source->fd, buffer, source->page_size,
                    (off_t)(pgno - 1) * (off_t)source->page_size, f);
}

static int hash_blocks(struct snapshot *s, int fd, unsigned char *block, struct fail *f)
{
    uint32_t per_block = BLOCK / s->page_size;
    int status = 0;
    for (uint32_t first = 0; status == 0 && first < s->page_count; first += per_block) {
        uint32_t count = s->page_count - first < per_block ? s->page_count - first : per_block;
        status = read_all(fd, block, (size_t)count * s->page_size,
                          (off_t)first * (off_t)s->page_size, f);
        for (uint32_t i = 0; status == 0 && i < count; i++)
            s->hash[first + i] = hash_page(block + (size_t)i * s->page_size, s->page_size);
    }
    return status;
}

static int hash_pages(struct snapshot *s, struct source *source, struct fail *f)
{
    unsigned char *block = mem_get(BLOCK);
    int status = 0;
    if (source->log == NULL)
        status = hash_blocks(s, source->fd, block, f);
    for (uint32_t pgno = 1; source->log != NULL && status == 0 && pgno <= s->page_count;
         pgno++) {
        status = read_page(source, pgno, block, f);
        s->hash[pgno - 1] = hash_page(block, s->page_size);
    }
    free(block);
    return status;
}

/* The number of pages, and page 1's header. */
static int look(struct snapshot *s, struct source *source, struct db_header *header,
                struct fail *f)
{
    unsigned char bytes[DB_HEADER_SIZE];
    struct stat st;
    const struct log_map *log = source->log;
    off_t at = log != NULL && log->at[1] != 0 ? (off_t)log->at[1] : 0;
    if (read_all(at ? log->fd : source->fd, bytes, sizeof bytes, at, f) != 0 ||
        db_header_read(bytes, header, f) != 0)
        return f->status;
    if (fstat(source->fd, &st) != 0)
        return fail_set(f, STATUS_MISMATCH, "cannot stat the database file: %s",
                        strerror(errno));
    if (st.st_size % (off_t)header->page_size != 0 ||
        st.st_size / (off_t)header->page_size > (off_t)UINT32_MAX - 1)
        return fail_set(f, STATUS_MISMATCH, "the database file is not a whole number of pages");
    if (log != NULL && log->page_size != header->page_size)
        return fail_set(f, STATUS_MISMATCH, "the log has pages of %u bytes, the header says %u",
                        log->page_size, header->page_size);
    s->page_size = header->page_size;
    s->page_count =
        log != NULL ? log->page_count : (uint32_t)(st.st_size / (off_t)header->page_size);
    s->free_count = header->free_count;
    if (header->page_count != 0 && header->page_count != s->page_count)
        return fail_set(f, STATUS_MISMATCH, "the header says %u pages, the %s has %u",
                        header->page_count, log != NULL ? "log" : "file", s->page_count);
    source->page_size = header->page_size;
    return 0;
}

int snapshot_take(struct snapshot *s, int fd, struct fail *f)
{
    return snapshot_take_logged(s, fd, NULL, f);
}

int snapshot_take_logged(struct snapshot *s, int fd, const struct log_map *log, struct fail *f)
{
    struct db_header header;
    struct source source = {fd, 0, log != NULL && log->page_count > 0 ? log : NULL};
    *s = (struct snapshot){0};
    int status = look(s, &source, &header, f);
    if (status != 0)
        return status;
    s->hash = mem_get((size_t)s->page_count * sizeof s->hash[0]);
    s->kind = mem_get((size_t)s->page_count + 1);
    status = freelist_read(&header, s->page_count, read_page, &source, s->kind, f);
    if (status == 0)
        status = hash_pages(s, &source, f);
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
        change.needed += snapshot_use(before, after, pgno) == USE_NEEDED;
        change.freed += existed && !was_free && is_free;
        change.taken += was_free && !is_free;
        change.beyond += !existed;
    }
    return change;
}

enum page_use snapshot_use(const struct snapshot *before, const struct snapshot *after,
                           uint32_t pgno)
{
    bool existed = pgno <= before->page_count;
    if (pgno > after->page_count)
        return USE_CUT;
    if (after->kind[pgno] == PAGE_LEAF)
        return existed ? USE_OLD_LEAF : USE_NEW_LEAF;
    return existed && before->hash[pgno - 1] == after->hash[pgno - 1] ? USE_UNCHANGED
                                                                      : USE_NEEDED;
}

void snapshot_log_uses(const struct snapshot *before, const struct snapshot *after,
                       const struct log_map *map, uint64_t first, int64_t uses[PAGE_USES],
                       int64_t *superseded)
{
    memset(uses, 0, PAGE_USES * sizeof uses[0]);
    *superseded = 0;
    for (uint64_t i = first; i < map->frames; i++) {
        if (map->page[i] <= map->page_count && !log_map_newest(map, i))
            ++*superseded;
        else
            uses[snapshot_use(before, after, map->page[i])]++;
    }
}
