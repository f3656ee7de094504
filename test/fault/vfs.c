/*
** vfs.c: the VFS that can fail.
*/
#include "vfs.h"

#include <string.h>

struct file {
    sqlite3_file base;
    sqlite3_file *real;
    struct fault *fault;
};

static struct file *mine(sqlite3_file *base)
{
    return (struct file *)base;
}

static const sqlite3_io_methods *below(sqlite3_file *base)
{
    return mine(base)->real->pMethods;
}

static bool strikes(sqlite3_file *base, enum fault_kind kind)
{
    return fault_strikes(mine(base)->fault, kind);
}

static int file_close(sqlite3_file *base)
{
    return below(base)->xClose(mine(base)->real);
}

static int file_read(sqlite3_file *base, void *data, int amount, sqlite3_int64 offset)
{
    int rc = below(base)->xRead(mine(base)->real, data, amount, offset);
    if (!strikes(base, FAULT_READ))
        return rc;
    /* Nobody may look at what is in the buffer now. */
    memset(data, 0xa5, (size_t)amount);
    return SQLITE_IOERR_READ;
}

static int file_write(sqlite3_file *base, const void *data, int amount, sqlite3_int64 offset)
{
    bool error = strikes(base, FAULT_WRITE);
    bool full = strikes(base, FAULT_FULL);
    int part = error || full ? amount / 2 : amount;
    int rc = part > 0 ? below(base)->xWrite(mine(base)->real, data, part, offset) : SQLITE_OK;
    return error ? SQLITE_IOERR_WRITE : full ? SQLITE_FULL : rc;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    return strikes(base, FAULT_TRUNCATE) ? SQLITE_IOERR_TRUNCATE
                                         : below(base)->xTruncate(mine(base)->real, size);
}

static int file_sync(sqlite3_file *base, int flags)
{
    (void)flags;
    return strikes(base, FAULT_SYNC) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    return strikes(base, FAULT_SIZE) ? SQLITE_IOERR_FSTAT
                                     : below(base)->xFileSize(mine(base)->real, size);
}

static int file_lock(sqlite3_file *base, int level)
{
    if (strikes(base, FAULT_LOCK))
        return SQLITE_IOERR_LOCK;
    return strikes(base, FAULT_BUSY) ? SQLITE_BUSY
                                     : below(base)->xLock(mine(base)->real, level);
}

static int file_unlock(sqlite3_file *base, int level)
{
    return below(base)->xUnlock(mine(base)->real, level);
}

static int file_check_reserved(sqlite3_file *base, int *out)
{
    return below(base)->xCheckReservedLock(mine(base)->real, out);
}

static int file_control(sqlite3_file *base, int op, void *argument)
{
    return below(base)->xFileControl(mine(base)->real, op, argument);
}

static int file_sector_size(sqlite3_file *base)
{
    return below(base)->xSectorSize(mine(base)->real);
}

static int file_characteristics(sqlite3_file *base)
{
    return below(base)->xDeviceCharacteristics(mine(base)->real);
}

static int file_shm_map(sqlite3_file *base, int region, int size, int extend,
                        void volatile **out)
{
    if (strikes(base, FAULT_SHM)) {
        *out = NULL;
        return SQLITE_IOERR_SHMMAP;
    }
    return below(base)->xShmMap(mine(base)->real, region, size, extend, out);
}

static int file_shm_lock(sqlite3_file *base, int offset, int n, int flags)
{
    if ((flags & SQLITE_SHM_LOCK) != 0 && strikes(base, FAULT_LOCK))
        return SQLITE_IOERR_SHMLOCK;
    if ((flags & SQLITE_SHM_LOCK) != 0 && strikes(base, FAULT_BUSY))
        return SQLITE_BUSY;
    return below(base)->xShmLock(mine(base)->real, offset, n, flags);
}

static void file_shm_barrier(sqlite3_file *base)
{
    below(base)->xShmBarrier(mine(base)->real);
}

static int file_shm_unmap(sqlite3_file *base, int remove)
{
    return below(base)->xShmUnmap(mine(base)->real, remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

static struct faulty_vfs *whose(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags,
                    int *out_flags)
{
    struct faulty_vfs *v = whose(vfs);
    struct file *file = mine(base);
    memset(file, 0, sizeof *file);
    if (fault_strikes(v->fault, FAULT_OPEN))
        return SQLITE_CANTOPEN;
    file->fault = v->fault;
    file->real = (sqlite3_file *)&file[1];
    int rc = v->below->xOpen(v->below, name, file->real, flags, out_flags);
    /* A rule of the interface: methods set means that xClose must be called. */
    if (file->real->pMethods != NULL)
        base->pMethods = &methods;
    return rc;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    struct faulty_vfs *v = whose(vfs);
    (void)sync;
    return fault_strikes(v->fault, FAULT_DELETE) ? SQLITE_IOERR_DELETE
                                                 : v->below->xDelete(v->below, name, 0);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    struct faulty_vfs *v = whose(vfs);
    return fault_strikes(v->fault, FAULT_ACCESS)
               ? SQLITE_IOERR_ACCESS
               : v->below->xAccess(v->below, name, flags, out);
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    sqlite3_vfs *lower = whose(vfs)->below;
    return lower->xFullPathname(lower, name, size, out);
}

static int vfs_randomness(sqlite3_vfs *vfs, int size, char *out)
{
    sqlite3_vfs *lower = whose(vfs)->below;
    return lower->xRandomness(lower, size, out);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs; /* nobody else is there to wait for */
    return microseconds;
}

static int vfs_current_time(sqlite3_vfs *vfs, double *out)
{
    sqlite3_vfs *lower = whose(vfs)->below;
    return lower->xCurrentTime(lower, out);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out)
{
    sqlite3_vfs *lower = whose(vfs)->below;
    return lower->xGetLastError ? lower->xGetLastError(lower, size, out) : 0;
}

int vfs_install(struct faulty_vfs *v, const struct api *api, struct fault *fault,
                struct fail *f)
{
    memset(v, 0, sizeof *v);
    v->fault = fault;
    v->below = api->vfs_find(NULL);
    if (v->below == NULL)
        return fail_set(f, STATUS_UNUSABLE, "the library has no default VFS");
    v->vfs.iVersion = 1;
    v->vfs.szOsFile = (int)sizeof(struct file) + v->below->szOsFile;
    v->vfs.mxPathname = v->below->mxPathname;
    v->vfs.zName = "faulty";
    v->vfs.pAppData = v;
    v->vfs.xOpen = vfs_open;
    v->vfs.xDelete = vfs_delete;
    v->vfs.xAccess = vfs_access;
    v->vfs.xFullPathname = vfs_full_pathname;
    /* Extensions are never loaded here: no xDlOpen and its relatives. */
    v->vfs.xRandomness = vfs_randomness;
    v->vfs.xSleep = vfs_sleep;
    v->vfs.xCurrentTime = vfs_current_time;
    v->vfs.xGetLastError = vfs_last_error;
    int rc = api->vfs_register(&v->vfs, 1);
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "cannot register the VFS: %s", api->errstr(rc));
    return 0;
}
