/*
** memory.c: the allocator that can fail.
**
** The state is global because the functions of sqlite3_mem_methods are not told
** whom they work for. A process uses it for one library.
*/
#include "memory.h"

static struct {
    sqlite3_mem_methods below;
    struct fault *fault;
    int64_t held;
} heap;

static void *memory_malloc(int size)
{
    if (fault_strikes(heap.fault, FAULT_MEMORY))
        return NULL;
    void *p = heap.below.xMalloc(size);
    heap.held += p != NULL;
    return p;
}

static void memory_free(void *p)
{
    heap.held -= p != NULL;
    heap.below.xFree(p);
}

static void *memory_realloc(void *p, int size)
{
    return fault_strikes(heap.fault, FAULT_MEMORY) ? NULL : heap.below.xRealloc(p, size);
}

int64_t memory_held(void)
{
    return heap.held;
}

int memory_install(const struct api *api, struct fault *fault, struct fail *f)
{
    int rc = api->config(SQLITE_CONFIG_GETMALLOC, &heap.below);
    if (rc == SQLITE_OK) {
        sqlite3_mem_methods mine = heap.below;
        heap.fault = fault;
        mine.xMalloc = memory_malloc;
        mine.xFree = memory_free;
        mine.xRealloc = memory_realloc;
        rc = api->config(SQLITE_CONFIG_MALLOC, &mine);
    }
    if (rc == SQLITE_OK)
        rc = api->config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    if (rc == SQLITE_OK)
        rc = api->config(SQLITE_CONFIG_PAGECACHE, (void *)NULL, 0, 0);
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "cannot configure the library: %s",
                        api->errstr(rc));
    return 0;
}
