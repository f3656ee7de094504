/*
** logfile.c: the log, from the documentation of the file format.
*/
#include "logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

enum { LOG_HEADER = 32, FRAME_HEADER = 24 };

struct bytes {
    unsigned char *at;
    size_t count;
};

static bool slurp(const char *path, struct bytes *b)
{
    struct stat st;
    *b = (struct bytes){NULL, 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) != 0) {
        (void)close(fd);
        return false;
    }
    size_t size = (size_t)st.st_size;
    b->at = mem_get(size);
    while (b->count < size) {
        ssize_t n = read(fd, b->at + b->count, size - b->count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        b->count += (size_t)n;
    }
    (void)close(fd);
    return b->count == size;
}

static uint32_t big(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t little(const unsigned char *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* The checksum of the log, carried on over size bytes, a multiple of 8. */
static void checksum(bool big_endian, const unsigned char *p, size_t size, uint32_t sum[2])
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        sum[0] += (big_endian ? big(p + i) : little(p + i)) + sum[1];
        sum[1] += (big_endian ? big(p + i + 4) : little(p + i + 4)) + sum[0];
    }
}

/* How many frames make up the committed part of the log, and the size of the
** database in pages after the last of them. */
static size_t committed(const struct bytes *log, size_t page, uint32_t *pages)
{
    bool big_endian = (big(log->at) & 1) != 0;
    uint32_t sum[2] = {0, 0};
    size_t frames = 0;
    checksum(big_endian, log->at, 24, sum);
    if (sum[0] != big(log->at + 24) || sum[1] != big(log->at + 28))
        return 0;
    size_t stride = page + FRAME_HEADER;
    for (size_t i = 0; LOG_HEADER + (i + 1) * stride <= log->count; i++) {
        const unsigned char *frame = log->at + LOG_HEADER + i * stride;
        if (memcmp(frame + 8, log->at + 16, 8) != 0) /* salt */
            break;
        checksum(big_endian, frame, 8, sum);
        checksum(big_endian, frame + FRAME_HEADER, page, sum);
        if (sum[0] != big(frame + 16) || sum[1] != big(frame + 20))
            break;
        if (big(frame + 4) != 0) {
            frames = i + 1;
            *pages = big(frame + 4);
        }
    }
    return frames;
}

static int64_t lost(const struct bytes *log, size_t page, int64_t file_size, int64_t *pages)
{
    uint32_t count = 0;
    size_t frames = committed(log, page, &count);
    if (frames == 0)
        return 0;
    bool *logged = mem_get((size_t)count + 1);
    for (size_t i = 0; i < frames; i++) {
        uint32_t number = big(log->at + LOG_HEADER + i * (page + FRAME_HEADER));
        if (number <= count)
            logged[number] = true;
    }
    int64_t missing = 0;
    for (uint32_t n = 1; n <= count; n++)
        if (!logged[n] && (int64_t)n * (int64_t)page > file_size)
            missing++;
    free(logged);
    *pages = count;
    return missing;
}

int64_t logfile_lost_pages(const char *database, const char *log_path, int64_t *pages)
{
    struct stat st;
    struct bytes log;
    int64_t missing = 0;
    *pages = 0;
    if (stat(database, &st) != 0)
        return 0;
    if (slurp(log_path, &log) && log.count > LOG_HEADER) {
        size_t page = big(log.at + 8);
        if (page >= 512 && page <= 65536)
            missing = lost(&log, page, (int64_t)st.st_size, pages);
    }
    free(log.at);
    return missing;
}

bool file_hash(const char *path, struct hash_value *hash, int64_t *size)
{
    struct bytes b;
    struct hash h;
    bool read = slurp(path, &b);
    hash_begin(&h);
    if (read)
        hash_bytes(&h, b.at, b.count);
    *hash = hash_end(&h);
    *size = (int64_t)b.count;
    free(b.at);
    return read;
}

bool file_copy_if_any(const char *from, const char *to)
{
    struct bytes b;
    struct stat st;
    if (unlink(to) != 0 && errno != ENOENT)
        return false;
    if (stat(from, &st) != 0)
        return errno == ENOENT;
    bool good = slurp(from, &b);
    int fd = good ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    good = fd >= 0;
    for (size_t done = 0; good && done < b.count;) {
        ssize_t n = write(fd, b.at + done, b.count - done);
        if (n < 0 && errno == EINTR)
            continue;
        good = n > 0;
        done += good ? (size_t)n : 0;
    }
    if (fd >= 0 && close(fd) != 0)
        good = false;
    free(b.at);
    return good;
}
