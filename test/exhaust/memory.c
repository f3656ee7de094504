/*
** memory.c: files, locks and shared memory.
*/
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 4, LOCKS = 8, NAME_SIZE = 32 };

struct handle;

struct memory_file {
    char name[NAME_SIZE];
    bool exists;
    unsigned char *bytes;
    size_t size, room;
    int readers;                   /* handles with a SHARED lock or more */
    const struct handle *reserved; /* the one with a RESERVED lock or more */
    const struct handle *pending;  /* the one that waits for the readers, or has it all */
    void *region[REGIONS];         /* shared memory */
    int users;                     /* handles that have mapped it */
    int shared[LOCKS];
    const struct handle *exclusive[LOCKS];
};

struct handle {
    sqlite3_file base;
    struct memory_file *file;
    bool temporary;
    bool mapped;
    int lock;
    unsigned shared; /* locks of the shared memory that it has, one bit each */
};

/* --- Files by name. */

static struct memory_file *find(const struct memory *m, const char *name)
{
    for (int i = 0; i < MEMORY_FILES && m->file[i] != NULL; i++)
        if (strcmp(m->file[i]->name, name) == 0)
            return m->file[i];
    return NULL;
}

static struct memory_file *find_or_make(struct memory *m, const char *name)
{
    struct memory_file *file = find(m, name);
    int i = 0;
    if (file != NULL || strlen(name) >= NAME_SIZE)
        return file;
    while (i < MEMORY_FILES && m->file[i] != NULL)
        i++;
    if (i == MEMORY_FILES)
        return NULL;
    file = mem_get(sizeof *file);
    memcpy(file->name, name, strlen(name));
    m->file[i] = file;
    return file;
}

static void need(struct memory_file *file, size_t size)
{
    if (size > file->room) {
        size_t room = size < 32768 ? 32768 : 2 * size;
        file->bytes = mem_grow(file->bytes, room, 1);
        file->room = room;
    }
}

static void drop_regions(struct memory_file *file)
{
    for (int i = 0; i < REGIONS; i++) {
        free(file->region[i]);
        file->region[i] = NULL;
    }
}

static void file_free(struct memory_file *file)
{
    if (file == NULL)
        return;
    drop_regions(file);
    free(file->bytes);
    free(file);
}

void memory_put(struct memory *m, const char *name, const unsigned char *bytes, size_t size)
{
    struct memory_file *file = find_or_make(m, name);
    if (file == NULL)
        return; /* the library will not find it */
    need(file, size);
    if (size > 0)
        memcpy(file->bytes, bytes, size);
    file->size = size;
    file->exists = true;
}

void memory_remove(struct memory *m, const char *name)
{
    struct memory_file *file = find(m, name);
    if (file != NULL) {
        file->exists = false;
        file->size = 0;
    }
}

void memory_get(const struct memory *m, const char *name, unsigned char **bytes, size_t *size)
{
    const struct memory_file *file = find(m, name);
    *size = file != NULL && file->exists ? file->size : 0;
    *bytes = mem_get(*size);
    if (*size > 0)
        memcpy(*bytes, file->bytes, *size);
}

/* --- Reading and writing. */

static struct memory_file *file_of(sqlite3_file *base)
{
    return ((struct handle *)(void *)base)->file;
}

static int x_close(sqlite3_file *base)
{
    struct handle *h = (struct handle *)(void *)base;
    if (h->temporary)
        file_free(h->file);
    return SQLITE_OK;
}

static int x_read(sqlite3_file *base, void *buffer, int amount, sqlite3_int64 offset)
{
    const struct memory_file *file = file_of(base);
    size_t from = (size_t)offset, want = (size_t)amount;
    size_t have = from >= file->size ? 0 : file->size - from;
    if (have > want)
        have = want;
    if (have > 0)
        memcpy(buffer, file->bytes + from, have);
    if (have == want)
        return SQLITE_OK;
    memset((unsigned char *)buffer + have, 0, want - have);
    return SQLITE_IOERR_SHORT_READ;
}

static int x_write(sqlite3_file *base, const void *buffer, int amount, sqlite3_int64 offset)
{
    struct memory_file *file = file_of(base);
    size_t from = (size_t)offset, end = from + (size_t)amount;
    need(file, end);
    if (from > file->size)
        memset(file->bytes + file->size, 0, from - file->size);
    memcpy(file->bytes + from, buffer, (size_t)amount);
    if (end > file->size)
        file->size = end;
    return SQLITE_OK;
}

static int x_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    struct memory_file *file = file_of(base);
    if ((size_t)size < file->size)
        file->size = (size_t)size;
    return SQLITE_OK;
}

static int x_sync(sqlite3_file *base, int flags)
{
    (void)base;
    (void)flags;
    return SQLITE_OK;
}

static int x_size(sqlite3_file *base, sqlite3_int64 *size)
{
    *size = (sqlite3_int64)file_of(base)->size;
    return SQLITE_OK;
}

/* --- Locks of the database file. */

static int x_lock(sqlite3_file *base, int level)
{
    struct handle *h = (struct handle *)(void *)base;
    struct memory_file *file = h->file;
    if (h->lock >= level)
        return SQLITE_OK;
    if (h->lock == SQLITE_LOCK_NONE) {
        if (file->pending != NULL)
            return SQLITE_BUSY;
        file->readers++;
        h->lock = SQLITE_LOCK_SHARED;
    }
    if (level == SQLITE_LOCK_SHARED)
        return SQLITE_OK;
    if (file->reserved != NULL && file->reserved != h)
        return SQLITE_BUSY;
    file->reserved = h;
    if (h->lock < SQLITE_LOCK_RESERVED)
        h->lock = SQLITE_LOCK_RESERVED;
    if (level == SQLITE_LOCK_RESERVED)
        return SQLITE_OK;
    file->pending = h;
    h->lock = SQLITE_LOCK_PENDING;
    if (file->readers > 1)
        return SQLITE_BUSY;
    h->lock = SQLITE_LOCK_EXCLUSIVE;
    return SQLITE_OK;
}

static int x_unlock(sqlite3_file *base, int level)
{
    struct handle *h = (struct handle *)(void *)base;
    struct memory_file *file = h->file;
    if (h->lock <= level)
        return SQLITE_OK;
    if (file->reserved == h)
        file->reserved = NULL;
    if (file->pending == h)
        file->pending = NULL;
    if (level == SQLITE_LOCK_NONE)
        file->readers--;
    h->lock = level;
    return SQLITE_OK;
}

static int x_check(sqlite3_file *base, int *reserved)
{
    *reserved = file_of(base)->reserved != NULL;
    return SQLITE_OK;
}

static int x_control(sqlite3_file *base, int operation, void *argument)
{
    (void)base;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int x_sector(sqlite3_file *base)
{
    (void)base;
    return 4096;
}

static int x_characteristics(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

/* --- Shared memory. */

static int x_shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **out)
{
    struct handle *h = (struct handle *)(void *)base;
    *out = NULL;
    if (region >= REGIONS)
        return SQLITE_FULL;
    if (!h->mapped) {
        h->mapped = true;
        h->file->users++;
    }
    if (h->file->region[region] == NULL && extend)
        h->file->region[region] = mem_get((size_t)size);
    *out = h->file->region[region];
    return SQLITE_OK;
}

static int shm_unlock(struct handle *h, int i)
{
    if (h->shared & 1u << i) {
        h->shared &= ~(1u << i);
        h->file->shared[i]--;
    } else if (h->file->exclusive[i] == h) {
        h->file->exclusive[i] = NULL;
    }
    return SQLITE_OK;
}

static int x_shm_lock(sqlite3_file *base, int offset, int n, int flags)
{
    struct handle *h = (struct handle *)(void *)base;
    struct memory_file *file = h->file;
    for (int i = offset; i < offset + n; i++) {
        bool own = (h->shared & 1u << i) != 0;
        if (flags & SQLITE_SHM_UNLOCK)
            (void)shm_unlock(h, i);
        else if (file->exclusive[i] != NULL && file->exclusive[i] != h)
            return SQLITE_BUSY;
        else if ((flags & SQLITE_SHM_EXCLUSIVE) && file->shared[i] > 0)
            return SQLITE_BUSY;
        else if ((flags & SQLITE_SHM_SHARED) && !own) {
            h->shared |= 1u << i;
            file->shared[i]++;
        }
    }
    for (int i = offset; i < offset + n && flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
         i++)
        file->exclusive[i] = h;
    return SQLITE_OK;
}

static void x_shm_barrier(sqlite3_file *base)
{
    (void)base;
}

static int x_shm_unmap(sqlite3_file *base, int remove)
{
    struct handle *h = (struct handle *)(void *)base;
    (void)remove; /* what is left of it counts for nothing when the next one comes */
    if (!h->mapped)
        return SQLITE_OK;
    for (int i = 0; i < LOCKS; i++)
        (void)shm_unlock(h, i);
    h->mapped = false;
    if (--h->file->users == 0)
        drop_regions(h->file);
    return SQLITE_OK;
}

/* --- The VFS. */

static const sqlite3_io_methods methods = {
    2,
    x_close,
    x_read,
    x_write,
    x_truncate,
    x_sync,
    x_size,
    x_lock,
    x_unlock,
    x_check,
    x_control,
    x_sector,
    x_characteristics,
    x_shm_map,
    x_shm_lock,
    x_shm_barrier,
    x_shm_unmap,
    NULL,
    NULL,
};

static int x_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags,
                  int *out)
{
    struct memory *m = vfs->pAppData;
    struct handle *h = (struct handle *)(void *)base;
    memset(h, 0, sizeof *h);
    h->temporary = name == NULL;
    h->file = name ? find_or_make(m, name) : mem_get(sizeof *h->file);
    if (h->file == NULL || (!h->temporary && !h->file->exists && !(flags & SQLITE_OPEN_CREATE)))
        return SQLITE_CANTOPEN;
    h->file->exists = true;
    h->base.pMethods = &methods;
    if (out != NULL)
        *out = flags;
    return SQLITE_OK;
}

static int x_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)sync;
    memory_remove(vfs->pAppData, name);
    return SQLITE_OK;
}

static int x_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    const struct memory_file *file = find(vfs->pAppData, name);
    /* SQLite takes an empty file for none where it asks for existence. */
    *out = file != NULL && file->exists && (flags != SQLITE_ACCESS_EXISTS || file->size > 0);
    return SQLITE_OK;
}

static int x_full_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    (void)vfs;
    size_t n = strlen(name) + 1;
    if (n > (size_t)size)
        return SQLITE_CANTOPEN;
    memcpy(out, name, n);
    return SQLITE_OK;
}

static int x_random(sqlite3_vfs *vfs, int size, char *out)
{
    sqlite3_vfs *real = ((struct memory *)vfs->pAppData)->real;
    return real->xRandomness(real, size, out);
}

static int x_sleep(sqlite3_vfs *vfs, int microseconds)
{
    sqlite3_vfs *real = ((struct memory *)vfs->pAppData)->real;
    return real->xSleep(real, microseconds);
}

static int x_time(sqlite3_vfs *vfs, double *out)
{
    sqlite3_vfs *real = ((struct memory *)vfs->pAppData)->real;
    return real->xCurrentTime(real, out);
}

static int x_error(sqlite3_vfs *vfs, int size, char *out)
{
    (void)vfs;
    if (size > 0)
        *out = 0;
    return 0;
}

int memory_open(struct memory *m, const struct api *api, struct fail *f)
{
    memset(m, 0, sizeof *m);
    m->api = api;
    m->real = api->vfs_find(NULL);
    m->vfs.iVersion = 1;
    m->vfs.szOsFile = (int)sizeof(struct handle);
    m->vfs.mxPathname = 512;
    m->vfs.zName = MEMORY_VFS;
    m->vfs.pAppData = m;
    m->vfs.xOpen = x_open;
    m->vfs.xDelete = x_delete;
    m->vfs.xAccess = x_access;
    m->vfs.xFullPathname = x_full_name;
    m->vfs.xRandomness = x_random;
    m->vfs.xSleep = x_sleep;
    m->vfs.xCurrentTime = x_time;
    m->vfs.xGetLastError = x_error;
    if (m->real == NULL || api->vfs_register(&m->vfs, 0) != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "cannot register a VFS");
    return 0;
}

void memory_close(struct memory *m)
{
    if (m->api == NULL)
        return;
    (void)m->api->vfs_unregister(&m->vfs);
    for (int i = 0; i < MEMORY_FILES; i++)
        file_free(m->file[i]);
    memset(m, 0, sizeof *m);
}
