/*
** residency.c: which pages of a file the system holds in memory.
*/
#include "residency.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"

static int failed(const char *what, struct fail *f)
{
    return fail_set(f, STATUS_MISMATCH, "%s: %s", what, strerror(errno));
}

int residency_count(int fd, struct residency *r, struct fail *f)
{
    struct stat st;
    long page = sysconf(_SC_PAGESIZE);
    *r = (struct residency){0, 0};
    if (fstat(fd, &st) != 0 || page <= 0)
        return failed("fstat", f);
    if (st.st_size == 0)
        return 0;
    size_t size = (size_t)st.st_size;
    size_t pages = (size + (size_t)page - 1) / (size_t)page;
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0); /* touches no page */
    if (map == MAP_FAILED)
        return failed("mmap", f);
    unsigned char *state = mem_get(pages);
    if (mincore(map, size, state) != 0)
        failed("mincore", f);
    for (size_t i = 0; f->status == 0 && i < pages; i++)
        r->resident += state[i] & 1;
    r->pages = (int64_t)pages;
    free(state);
    if (munmap(map, size) != 0)
        failed("munmap", f);
    return f->status;
}

int residency_fill(int fd, struct residency *r, struct fail *f)
{
    enum { BLOCK = 1 << 20 };
    char *block = mem_get(BLOCK);
    off_t at = 0;
    ssize_t n = 1;
    while (n != 0 && signals_check(f) == 0) {
        n = pread(fd, block, BLOCK, at);
        if (n < 0 && errno != EINTR)
            failed("reading a file into memory", f);
        at += n > 0 ? n : 0;
    }
    free(block);
    return f->status == 0 ? residency_count(fd, r, f) : f->status;
}

int residency_drop(int fd, struct residency *r, struct fail *f)
{
    /* A page that somebody has just touched may escape the first time. */
    enum { TRIES = 20, WAIT_NS = 10000000 };
    const struct timespec wait = {0, WAIT_NS};
    if (fsync(fd) != 0)
        return failed("fsync", f);
    for (int i = 0; i < TRIES; i++) {
        if (i > 0)
            (void)nanosleep(&wait, NULL);
        int rc = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (rc != 0)
            return fail_set(f, STATUS_MISMATCH, "posix_fadvise: %s", strerror(rc));
        if (residency_count(fd, r, f) != 0 || r->resident == 0)
            break;
    }
    return f->status;
}

char *residency_probe(const char *path, struct fail *f)
{
    struct fail inner = {0};
    struct residency warm = {0, 0}, cold = {0, 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fail_set(f, STATUS_MISMATCH, "cannot open '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (residency_fill(fd, &warm, &inner) == 0)
        (void)residency_drop(fd, &cold, &inner);
    (void)close(fd);
    if (signals_check(f) != 0)
        return NULL;
    if (inner.status != 0)
        return mem_copy(inner.text);
    if (warm.resident < warm.pages)
        return mem_format("of %" PRId64
                          " pages that have just been read mincore sees only %" PRId64
                          " in memory, so it would not see whether they are gone",
                          warm.pages, warm.resident);
    if (cold.resident > 0)
        return mem_format("%" PRId64 " of %" PRId64 " pages stay in memory", cold.resident,
                          cold.pages);
    return NULL;
}

int64_t residency_read_ahead(const char *path)
{
    static const struct {
        const char *before, *after;
    } places[] = {{"class/bdi", ""}, {"dev/block", "queue/"}, {"dev/block", "../queue/"}};
    struct stat st;
    if (stat(path, &st) != 0)
        return -1;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char name[80];
        int64_t kb = -1;
        (void)snprintf(name, sizeof name, "/sys/%s/%u:%u/%sread_ahead_kb", places[i].before,
                       major(st.st_dev), minor(st.st_dev), places[i].after);
        FILE *in = fopen(name, "r");
        if (in == NULL)
            continue;
        int n = fscanf(in, "%" SCNd64, &kb);
        (void)fclose(in);
        if (n == 1 && kb >= 0)
            return kb;
    }
    return -1;
}
