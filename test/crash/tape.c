/*
** tape.c: events in one shared mapping, their data in another.
*/
#include "tape.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES_MOST = 1 << 28 };

const char *const tape_tail[FILES] = {"", "-wal", "-journal"};

static void *shared(size_t size)
{
    /* Only what is used gets memory. */
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

struct tape *tape_new(struct fail *f)
{
    struct tape *t = shared(sizeof *t);
    if (t != NULL) {
        t->bytes = shared(BYTES_MOST);
        t->room = BYTES_MOST;
        if (t->bytes != NULL)
            return t;
        (void)munmap(t, sizeof *t);
    }
    fail_set(f, STATUS_UNUSABLE, "no memory for the record of a workload: %s", strerror(errno));
    return NULL;
}

void tape_free(struct tape *t)
{
    if (t == NULL)
        return;
    (void)munmap(t->bytes, t->room);
    (void)munmap(t, sizeof *t);
}

void tape_clear(struct tape *t)
{
    t->count = 0;
    t->fill = 0;
    t->full = false;
    t->states = 0;
    t->step = 0;
    t->wrong[0] = 0;
    t->fail = (struct fail){0};
}

void tape_add(struct tape *t, enum tape_kind kind, enum tape_file file, int64_t offset,
              int64_t size, const void *data)
{
    size_t bytes = data != NULL ? (size_t)size : 0;
    if (t->count == EVENTS_MOST || bytes > t->room - t->fill)
        t->full = true;
    if (t->full)
        return;
    if (bytes > 0)
        memcpy(t->bytes + t->fill, data, bytes);
    t->at[t->count++] = (struct tape_event){kind, file, offset, size, t->fill};
    t->fill += bytes;
}

void tape_print(const struct tape *t, FILE *out)
{
    static const char *const kinds[] = {"create",    "delete",        "sync the folder",
                                        "write",     "truncate",      "sync",
                                        "may be in", "returned from", "-shm"};
    static const char *const files[] = {"database", "log", "journal"};
    for (size_t i = 0; i < t->count; i++) {
        const struct tape_event *e = &t->at[i];
        fprintf(out, "  event %zu: %s", i, kinds[e->kind]);
        if (e->kind == TAPE_BEGIN || e->kind == TAPE_END)
            fprintf(out, " state %" PRId64, e->offset);
        else if (e->kind != TAPE_FOLDER && e->kind != TAPE_INDEX)
            fprintf(out, " %s", files[e->file]);
        if (e->kind == TAPE_WRITE)
            fprintf(out, ", %" PRId64 " bytes at %" PRId64, e->size, e->offset);
        else if (e->kind == TAPE_TRUNCATE)
            fprintf(out, " to %" PRId64 " bytes", e->size);
        fputc('\n', out);
    }
}
