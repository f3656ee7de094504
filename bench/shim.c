/*
** shim.c: the counting VFS.
**
** Everything is handed down to the VFS below; only xOpen, xRead, xWrite,
** xTruncate, xSync and xClose do anything of their own.
*/
#include "shim.h"

#include <stdio.h>
#include <string.h>

enum { WAL_HEADER = 32, WAL_FRAME_HEADER = 24 };

struct shim_file {
    sqlite3_file base;
    sqlite3_io_methods methods; /* of this file: its version is that of the file below */
    sqlite3_file *real;
    struct shim *shim;
    enum shim_class class;
    sqlite3_int64 last_end; /* where the last write ended, and how much it wrote */
    int last_amount;
    sqlite3_int64 read_end; /* where the last read ended */
    bool known;             /* WAL: begun under this shim */
    uint32_t page_size;     /* WAL: from its header */
    sqlite3_int64 high;     /* WAL: end of the log since it was begun */
    struct shim_file *next;
};

const char *const shim_class_name[SHIM_CLASSES] = {"database", "journal", "wal", "subjournal",
                                                   "temp"};

static struct shim_file *mine(sqlite3_file *file)
{
    return (struct shim_file *)file;
}

static struct shim_count *counter(struct shim_file *file)
{
    return &file->shim->count[file->shim->phase][file->class];
}

static uint64_t frames_to(const struct shim_file *file, sqlite3_int64 end)
{
    if (end < WAL_HEADER || file->page_size == 0)
        return 0;
    return (uint64_t)(end - WAL_HEADER) / (file->page_size + WAL_FRAME_HEADER);
}

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void count_wal_write(struct shim_file *file, const void *data, int amount,
                            sqlite3_int64 offset)
{
    struct shim_count *c = counter(file);
    sqlite3_int64 end = offset + amount;
    /* The header is written when a log begins, also when an old file is used again. */
    if (offset == 0 && amount >= WAL_HEADER) {
        file->known = true;
        file->page_size = be32((const unsigned char *)data + 8);
        file->high = end;
    } else if (end > file->high) {
        c->pages += frames_to(file, end) - frames_to(file, file->high);
        file->high = end;
    } else if (amount == (int)file->page_size) {
        c->rewritten++;
    }
}

static void count_write(struct shim_file *file, const void *data, int amount,
                        sqlite3_int64 offset)
{
    struct shim_count *c = counter(file);
    int page_size = (int)file->shim->page_size;
    c->writes++;
    c->bytes += (uint64_t)amount;
    switch (file->class) {
    case SHIM_WAL:
        count_wal_write(file, data, amount, offset);
        break;
    case SHIM_JOURNAL:
    case SHIM_SUBJOURNAL:
        /* A journal record is a page number of 4 bytes, then the page: that tells it
        ** from a header, which may well be of the size of a page. */
        c->pages += amount == page_size && file->last_amount == 4 && file->last_end == offset;
        break;
    case SHIM_DATABASE:
        c->pages += amount == page_size;
        break;
    default:
        break;
    }
    file->last_end = offset + amount;
    file->last_amount = amount;
}

static int shim_close(sqlite3_file *base)
{
    struct shim_file *file = mine(base);
    for (struct shim_file **p = &file->shim->logs; *p != NULL; p = &(*p)->next) {
        if (*p == file) {
            *p = file->next;
            break;
        }
    }
    return file->real->pMethods->xClose(file->real);
}

static int shim_read(sqlite3_file *base, void *data, int amount, sqlite3_int64 offset)
{
    struct shim_file *file = mine(base);
    int rc = file->real->pMethods->xRead(file->real, data, amount, offset);
    if (file->shim->phase == SHIM_SCAN && (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ)) {
        struct shim_count *c = counter(file);
        c->reads++;
        c->bytes_read += (uint64_t)amount;
        c->read_jumps += offset != file->read_end;
        file->read_end = offset + amount;
    }
    return rc;
}

static int shim_write(sqlite3_file *base, const void *data, int amount, sqlite3_int64 offset)
{
    struct shim_file *file = mine(base);
    int rc = file->real->pMethods->xWrite(file->real, data, amount, offset);
    if (rc == SQLITE_OK)
        count_write(file, data, amount, offset);
    return rc;
}

static int shim_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    struct shim_file *file = mine(base);
    int rc = file->real->pMethods->xTruncate(file->real, size);
    if (rc == SQLITE_OK) {
        counter(file)->truncates++;
        if (file->class == SHIM_WAL && size < file->high)
            file->high = size;
    }
    return rc;
}

static int shim_sync(sqlite3_file *base, int flags)
{
    struct shim_file *file = mine(base);
    int rc = file->real->pMethods->xSync(file->real, flags);
    if (rc == SQLITE_OK)
        counter(file)->syncs++;
    return rc;
}

static int shim_file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xFileSize(real, size);
}

static int shim_lock(sqlite3_file *base, int level)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xLock(real, level);
}

static int shim_unlock(sqlite3_file *base, int level)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xUnlock(real, level);
}

static int shim_check_reserved(sqlite3_file *base, int *out)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xCheckReservedLock(real, out);
}

static int shim_control(sqlite3_file *base, int op, void *arg)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xFileControl(real, op, arg);
}

static int shim_sector_size(sqlite3_file *base)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xSectorSize(real);
}

static int shim_characteristics(sqlite3_file *base)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xDeviceCharacteristics(real);
}

static int shim_shm_map(sqlite3_file *base, int region, int size, int extend,
                        void volatile **out)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xShmMap(real, region, size, extend, out);
}

static int shim_shm_lock(sqlite3_file *base, int offset, int n, int flags)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xShmLock(real, offset, n, flags);
}

static void shim_shm_barrier(sqlite3_file *base)
{
    sqlite3_file *real = mine(base)->real;
    real->pMethods->xShmBarrier(real);
}

static int shim_shm_unmap(sqlite3_file *base, int remove)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xShmUnmap(real, remove);
}

static int shim_fetch(sqlite3_file *base, sqlite3_int64 offset, int amount, void **out)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xFetch(real, offset, amount, out);
}

static int shim_unfetch(sqlite3_file *base, sqlite3_int64 offset, void *page)
{
    sqlite3_file *real = mine(base)->real;
    return real->pMethods->xUnfetch(real, offset, page);
}

static const sqlite3_io_methods shim_methods = {
    3,
    shim_close,
    shim_read,
    shim_write,
    shim_truncate,
    shim_sync,
    shim_file_size,
    shim_lock,
    shim_unlock,
    shim_check_reserved,
    shim_control,
    shim_sector_size,
    shim_characteristics,
    shim_shm_map,
    shim_shm_lock,
    shim_shm_barrier,
    shim_shm_unmap,
    shim_fetch,
    shim_unfetch,
};

static enum shim_class class_of(int flags)
{
    if (flags & SQLITE_OPEN_MAIN_DB)
        return SHIM_DATABASE;
    if (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL))
        return SHIM_JOURNAL;
    if (flags & SQLITE_OPEN_WAL)
        return SHIM_WAL;
    if (flags & SQLITE_OPEN_SUBJOURNAL)
        return SHIM_SUBJOURNAL;
    return SHIM_TEMP;
}

static struct shim *shim_of(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags,
                     int *out_flags)
{
    struct shim *shim = shim_of(vfs);
    struct shim_file *file = mine(base);
    memset(file, 0, sizeof *file);
    file->real = (sqlite3_file *)(void *)(file + 1);
    file->shim = shim;
    file->class = class_of(flags);
    int rc = shim->below->xOpen(shim->below, name, file->real, flags, out_flags);
    /* The rule of the interface: methods set means that xClose must be called. */
    if (file->real->pMethods == NULL)
        return rc;
    file->methods = shim_methods;
    if (file->real->pMethods->iVersion < file->methods.iVersion)
        file->methods.iVersion = file->real->pMethods->iVersion;
    file->base.pMethods = &file->methods;
    if (file->class == SHIM_WAL) {
        file->next = shim->logs;
        shim->logs = file;
    }
    return rc;
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    sqlite3_vfs *below = shim_of(vfs)->below;
    return below->xDelete(below, name, sync);
}

static int shim_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    sqlite3_vfs *below = shim_of(vfs)->below;
    return below->xAccess(below, name, flags, out);
}

static int shim_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    sqlite3_vfs *below = shim_of(vfs)->below;
    return below->xFullPathname(below, name, size, out);
}

static int shim_randomness(sqlite3_vfs *vfs, int size, char *out)
{
    sqlite3_vfs *below = shim_of(vfs)->below;
    return below->xRandomness(below, size, out);
}

static int shim_sleep(sqlite3_vfs *vfs, int microseconds)
{
    sqlite3_vfs *below = shim_of(vfs)->below;
    return below->xSleep(below, microseconds);
}

static int shim_current_time(sqlite3_vfs *vfs, double *out)
{
    sqlite3_vfs *below = shim_of(vfs)->below;
    return below->xCurrentTime(below, out);
}

static int shim_last_error(sqlite3_vfs *vfs, int size, char *out)
{
    sqlite3_vfs *below = shim_of(vfs)->below;
    return below->xGetLastError ? below->xGetLastError(below, size, out) : 0;
}

static int shim_current_time64(sqlite3_vfs *vfs, sqlite3_int64 *out)
{
    sqlite3_vfs *below = shim_of(vfs)->below;
    return below->xCurrentTimeInt64(below, out);
}

int shim_install(struct shim *shim, const struct api *api, struct fail *f)
{
    memset(shim, 0, sizeof *shim);
    shim->api = api;
    shim->below = api->vfs_find(NULL);
    if (shim->below == NULL)
        return fail_set(f, STATUS_UNUSABLE, "the library has no default VFS");
    (void)snprintf(shim->name, sizeof shim->name, "walbench");
    shim->vfs.iVersion = shim->below->iVersion >= 2 ? 2 : 1;
    shim->vfs.szOsFile = (int)sizeof(struct shim_file) + shim->below->szOsFile;
    shim->vfs.mxPathname = shim->below->mxPathname;
    shim->vfs.zName = shim->name;
    shim->vfs.pAppData = shim;
    shim->vfs.xOpen = shim_open;
    shim->vfs.xDelete = shim_delete;
    shim->vfs.xAccess = shim_access;
    shim->vfs.xFullPathname = shim_full_pathname;
    /* Extensions are never loaded here: no xDlOpen and its relatives. */
    shim->vfs.xRandomness = shim_randomness;
    shim->vfs.xSleep = shim_sleep;
    shim->vfs.xCurrentTime = shim_current_time;
    shim->vfs.xGetLastError = shim_last_error;
    shim->vfs.xCurrentTimeInt64 = shim_current_time64;
    int rc = api->vfs_register(&shim->vfs, 1);
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "cannot register the counting VFS: %s",
                        api->errstr(rc));
    return 0;
}

void shim_remove(struct shim *shim)
{
    (void)shim->api->vfs_unregister(&shim->vfs);
}

uint64_t shim_frames(const struct shim *shim, enum shim_phase phase)
{
    const struct shim_count *c = &shim->count[phase][SHIM_WAL];
    return c->pages + c->rewritten;
}

bool shim_log(const struct shim *shim, uint64_t *frames, uint64_t *bytes)
{
    *frames = 0;
    *bytes = 0;
    for (const struct shim_file *file = shim->logs; file != NULL; file = file->next) {
        if (!file->known && file->high != 0)
            return false;
        *frames += frames_to(file, file->high);
        *bytes += (uint64_t)file->high;
    }
    return true;
}
