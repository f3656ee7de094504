/*
** seen.c: entries in the order in which they came, and an index over them by hash.
*/
#include "seen.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM = 1 << 23, ENTRIES_MOST = ROOM / 2 };

struct seen {
    uint32_t count;
    uint32_t index[ROOM]; /* 1 + the number of an entry */
    struct seen_state at[ENTRIES_MOST];
};

struct seen *seen_new(struct fail *f)
{
    /* Only what is used gets memory. */
    void *p = mmap(NULL, sizeof(struct seen), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        fail_set(f, STATUS_UNUSABLE, "no memory for the states: %s", strerror(errno));
        return NULL;
    }
    return p;
}

void seen_free(struct seen *s)
{
    if (s != NULL)
        (void)munmap(s, sizeof *s);
}

struct seen_state *seen_find(struct seen *s, struct hash_value files, bool *added)
{
    uint32_t i = (uint32_t)(files.high % ROOM);
    *added = false;
    for (; s->index[i] != 0; i = (i + 1) % ROOM) {
        struct seen_state *e = &s->at[s->index[i] - 1];
        if (e->files.high == files.high && e->files.low == files.low)
            return e;
    }
    if (s->count == ENTRIES_MOST)
        return NULL;
    struct seen_state *e = &s->at[s->count++];
    *e = (struct seen_state){.files = files};
    s->index[i] = s->count;
    *added = true;
    return e;
}
