/*
** log_map.c: reads the frame headers of a WAL file.
*/
#include "log_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 32, FRAME_HEADER = 24, SALT_SIZE = 8, SALT_IN_HEADER = 16, SALT_IN_FRAME = 8 };

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* 1: read; 0: the file ends before; -1: an error. */
static int read_at(int fd, unsigned char *buffer, size_t size, int64_t offset)
{
    ssize_t n;
    do {
        n = pread(fd, buffer, size, (off_t)offset);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -1 : (size_t)n == size;
}

static int64_t content_of(const struct log_map *map, uint64_t frame)
{
    return HEADER + (int64_t)frame * (FRAME_HEADER + (int64_t)map->page_size) + FRAME_HEADER;
}

/* All frames up to `end` are committed. */
static int take_commit(struct log_map *map, uint64_t end, uint32_t page_count, struct fail *f)
{
    uint32_t old = map->page_count;
    if (page_count > old) {
        /* Entry 0 is unused; pages that were cut off have no version any more. */
        uint32_t first = old > 0 ? old + 1 : 0;
        map->at = mem_grow(map->at, (size_t)page_count + 1, sizeof map->at[0]);
        memset(map->at + first, 0, ((size_t)page_count + 1 - first) * sizeof map->at[0]);
    }
    for (; map->frames < end; map->frames++) {
        uint32_t pgno = map->page[map->frames];
        if (pgno == 0)
            return fail_set(f, STATUS_MISMATCH, "a frame of page 0 in the log");
        if (pgno <= page_count)
            map->at[pgno] = content_of(map, map->frames);
    }
    map->page_count = page_count;
    return 0;
}

static int read_frames(struct log_map *map, const unsigned char *salt, int64_t frames,
                       struct fail *f)
{
    unsigned char header[FRAME_HEADER];
    uint64_t count = 0;
    int got = 1;
    while (frames < 0 || count < (uint64_t)frames) {
        got = read_at(map->fd, header, sizeof header, content_of(map, count) - FRAME_HEADER);
        bool same = got > 0 && memcmp(header + SALT_IN_FRAME, salt, SALT_SIZE) == 0;
        if (got <= 0 || (frames < 0 && !same))
            break;
        map->lost += !same;
        uint32_t commit = be32(header + 4);
        map->page = mem_grow(map->page, (size_t)count + 1, sizeof map->page[0]);
        map->page[count++] = be32(header);
        if (commit != 0 && take_commit(map, count, commit, f) != 0)
            return f->status;
    }
    if (got < 0)
        return fail_set(f, STATUS_MISMATCH, "cannot read the log: %s", strerror(errno));
    if (frames >= 0 && map->frames != (uint64_t)frames)
        return fail_set(f, STATUS_MISMATCH,
                        "the log has %" PRIu64 " frames up to its last commit, not %" PRId64,
                        map->frames, frames);
    return 0;
}

bool log_map_newest(const struct log_map *map, uint64_t frame)
{
    uint32_t pgno = map->page[frame];
    return pgno <= map->page_count && map->at[pgno] == content_of(map, frame);
}

int log_map_read(struct log_map *map, int fd, int64_t frames, struct fail *f)
{
    unsigned char header[HEADER];
    *map = (struct log_map){.fd = fd};
    int got = read_at(fd, header, sizeof header, 0);
    if (got < 0)
        return fail_set(f, STATUS_MISMATCH, "cannot read the log: %s", strerror(errno));
    if (got == 0)
        return 0;
    map->page_size = be32(header + 8);
    if ((be32(header) & ~UINT32_C(1)) != UINT32_C(0x377f0682) || map->page_size < 512 ||
        map->page_size > 65536 || (map->page_size & (map->page_size - 1)) != 0)
        return fail_set(f, STATUS_MISMATCH, "not a log: impossible header");
    if (read_frames(map, header + SALT_IN_HEADER, frames, f) != 0)
        log_map_free(map);
    return f->status;
}

void log_map_free(struct log_map *map)
{
    free(map->page);
    free(map->at);
    *map = (struct log_map){.fd = -1};
}

int log_map_open(struct log_map *map, const char *database, int64_t frames, struct fail *f)
{
    char *name = mem_format("%s-wal", database);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    free(name);
    if (fd < 0)
        return fail_set(f, STATUS_MISMATCH, "cannot open the log: %s", strerror(errno));
    if (log_map_read(map, fd, frames, f) != 0)
        (void)close(fd);
    return f->status;
}

void log_map_close(struct log_map *map)
{
    int fd = map->fd;
    log_map_free(map);
    (void)close(fd);
}
