/*
** marks.c: the search for marks.
*/
#include "marks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first bytes are random, so they are their own hash. */
static size_t place(const struct marks *m, const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return (size_t)word & (m->size - 1);
}

static void add(struct marks *m, const unsigned char *bytes)
{
    size_t i = place(m, bytes);
    while (m->table[i].used)
        i = (i + 1) & (m->size - 1);
    memcpy(m->table[i].bytes, bytes, MARK_SIZE);
    m->table[i].used = true;
}

void marks_make(struct marks *m, const struct row_shape *shape, int64_t first, int64_t last)
{
    struct row *row = mem_get(sizeof *row);
    *m = (struct marks){.size = 16, .count = (size_t)(last - first + 1)};
    while (m->size < 4 * m->count)
        m->size *= 2;
    m->table = mem_get(m->size * sizeof m->table[0]);
    for (int64_t id = first; id <= last; id++) {
        row_make(shape, id, row);
        add(m, row->payload + (row->size - MARK_SIZE) / 2);
    }
    free(row);
}

void marks_free(struct marks *m)
{
    free(m->table);
    *m = (struct marks){0};
}

void marks_search(struct marks *m, const unsigned char *data, size_t size)
{
    for (size_t at = 0; at + MARK_SIZE <= size; at++)
        for (size_t i = place(m, data + at); m->table[i].used; i = (i + 1) & (m->size - 1))
            if (memcmp(m->table[i].bytes, data + at, MARK_SIZE) == 0)
                m->table[i].found = true;
}

size_t marks_found(const struct marks *m)
{
    size_t found = 0;
    for (size_t i = 0; i < m->size; i++)
        found += m->table[i].found;
    return found;
}

void marks_forget(struct marks *m)
{
    for (size_t i = 0; i < m->size; i++)
        m->table[i].found = false;
}

int marks_search_file(struct marks *m, const char *path, struct fail *f)
{
    enum { BLOCK = 1 << 20 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return fail_set(f, STATUS_MISMATCH, "cannot open '%s': %s", path, strerror(errno));
    unsigned char *block = mem_get(BLOCK);
    size_t kept = 0; /* the end of one block, where a mark may begin that the next one ends */
    ssize_t n;
    while ((n = read(fd, block + kept, BLOCK - kept)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            fail_set(f, STATUS_MISMATCH, "cannot read '%s': %s", path, strerror(errno));
            break;
        }
        size_t fill = kept + (size_t)n;
        marks_search(m, block, fill);
        kept = fill < MARK_SIZE - 1 ? fill : MARK_SIZE - 1;
        memmove(block, block + fill - kept, kept);
    }
    free(block);
    (void)close(fd);
    return f->status;
}
