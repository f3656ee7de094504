/*
** recorder.c: the recording VFS.
**
** A file of it is a file of the VFS below with a tail. Only the table of methods
** is replaced, by one in the tail that has four methods of its own, so that all
** others go straight to the VFS below and need no wrapper.
*/
#include "recorder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dice.h"

enum { INDEX_MOST = 1 << 16, INDEX_PERCENT = 2 };

struct tail {
    sqlite3_io_methods methods; /* first: a file leads to its tail through pMethods */
    const sqlite3_io_methods *below;
    struct recorder *recorder;
    enum tape_file file;
    bool folder; /* the first sync syncs the folder as well */
};

static const char base_name[] = "a.db";

static struct tail *tail_of(const sqlite3_file *file)
{
    return (struct tail *)(uintptr_t)file->pMethods;
}

/* FILES: none of those that are watched. */
static enum tape_file file_of(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : path;
    size_t n = sizeof base_name - 1;
    enum tape_file file = FILES;
    if (name != NULL && strncmp(name, base_name, n) == 0)
        for (int i = 0; i < FILES; i++)
            if (strcmp(name + n, tape_tail[i]) == 0)
                file = (enum tape_file)i;
    return file;
}

static void note(struct recorder *r, enum tape_kind kind, enum tape_file file, int64_t offset,
                 int64_t size, const void *data)
{
    tape_add(r->tape, kind, file, offset, size, data);
    recorder_index(r, INDEX_PERCENT);
}

static int record_write(sqlite3_file *file, const void *data, int amount, sqlite3_int64 offset)
{
    struct tail *t = tail_of(file);
    int rc = t->below->xWrite(file, data, amount, offset);
    if (rc == SQLITE_OK)
        note(t->recorder, TAPE_WRITE, t->file, offset, amount, data);
    return rc;
}

static int record_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct tail *t = tail_of(file);
    int rc = t->below->xTruncate(file, size);
    if (rc == SQLITE_OK)
        note(t->recorder, TAPE_TRUNCATE, t->file, 0, size, NULL);
    return rc;
}

/* What SQLite's unix VFS would do: fsync() on the file, and the first time that a
** journal or log is synced which this open may have created, on the folder. */
static int record_sync(sqlite3_file *file, int flags)
{
    struct tail *t = tail_of(file);
    note(t->recorder, TAPE_SYNC, t->file, 0, flags, NULL);
    if (t->folder)
        note(t->recorder, TAPE_FOLDER, t->file, 0, 0, NULL);
    t->folder = false;
    return SQLITE_OK;
}

static int record_control(sqlite3_file *file, int op, void *arg)
{
    struct tail *t = tail_of(file);
    sqlite3_int64 before = 0, after = 0;
    if (op != SQLITE_FCNTL_SIZE_HINT)
        return t->below->xFileControl(file, op, arg);
    /* With memory mapping this makes the file longer. */
    int rc = t->below->xFileSize(file, &before);
    if (rc == SQLITE_OK)
        rc = t->below->xFileControl(file, op, arg);
    if (rc == SQLITE_OK)
        rc = t->below->xFileSize(file, &after);
    if (rc == SQLITE_OK && before != after)
        note(t->recorder, TAPE_TRUNCATE, t->file, 0, after, NULL);
    return rc;
}

static int mute_sync(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return SQLITE_OK;
}

static struct recorder *recorder_of(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

static size_t tail_offset(const struct recorder *r)
{
    size_t align = _Alignof(struct tail);
    return ((size_t)r->below->szOsFile + align - 1) / align * align;
}

static int record_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                       int *out_flags)
{
    struct recorder *r = recorder_of(vfs);
    enum tape_file which = file_of(name);
    bool there = name != NULL && access(name, F_OK) == 0;
    int rc = r->below->xOpen(r->below, name, file, flags, out_flags);
    if (file->pMethods == NULL)
        return rc;
    struct tail *t = (struct tail *)(void *)((char *)file + tail_offset(r));
    memset(t, 0, sizeof *t);
    t->methods = *file->pMethods;
    t->below = file->pMethods;
    t->recorder = r;
    t->file = which;
    t->methods.xSync = mute_sync;
    if (r->tape != NULL && which != FILES) {
        t->methods.xWrite = record_write;
        t->methods.xTruncate = record_truncate;
        t->methods.xSync = record_sync;
        t->methods.xFileControl = record_control;
        t->folder = (flags & SQLITE_OPEN_CREATE) != 0 && which != FILE_DATABASE;
        if (rc == SQLITE_OK && !there)
            note(r, TAPE_CREATE, which, 0, 0, NULL);
    }
    file->pMethods = &t->methods;
    return rc;
}

static int record_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    struct recorder *r = recorder_of(vfs);
    enum tape_file which = file_of(name);
    int rc = r->below->xDelete(r->below, name, 0);
    if (rc == SQLITE_OK && r->tape != NULL && which != FILES) {
        note(r, TAPE_DELETE, which, 0, 0, NULL);
        if (sync)
            note(r, TAPE_FOLDER, which, 0, 0, NULL);
    }
    return rc;
}

static int record_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    sqlite3_vfs *below = recorder_of(vfs)->below;
    return below->xAccess(below, name, flags, out);
}

static int record_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    sqlite3_vfs *below = recorder_of(vfs)->below;
    return below->xFullPathname(below, name, size, out);
}

/* The salts of the log are on the tape, which must not differ from run to run. */
static int record_randomness(sqlite3_vfs *vfs, int size, char *out)
{
    for (int i = 0; i < size; i++)
        out[i] = (char)(random_next(&recorder_of(vfs)->random) & 0x7f);
    return size;
}

static int record_sleep(sqlite3_vfs *vfs, int microseconds)
{
    sqlite3_vfs *below = recorder_of(vfs)->below;
    return below->xSleep(below, microseconds);
}

static int record_current_time(sqlite3_vfs *vfs, double *out)
{
    sqlite3_vfs *below = recorder_of(vfs)->below;
    return below->xCurrentTime(below, out);
}

void recorder_index(struct recorder *r, int percent)
{
    static const char path[] = "a.db-shm"; /* the workload works in its own folder */
    if (!dice_percent(&r->dice, percent))
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    unsigned char *data = mem_get(INDEX_MOST);
    ssize_t n = read(fd, data, INDEX_MOST);
    (void)close(fd);
    if (n > 0)
        tape_add(r->tape, TAPE_INDEX, FILE_DATABASE, 0, n, data);
    free(data);
}

int recorder_install(struct recorder *r, const struct api *api, struct tape *tape,
                     uint64_t seed, struct fail *f)
{
    memset(r, 0, sizeof *r);
    r->api = api;
    r->tape = tape;
    r->random = seed;
    r->dice = ~seed;
    r->below = api->vfs_find(NULL);
    if (r->below == NULL)
        return fail_set(f, STATUS_UNUSABLE, "the library has no default VFS");
    r->vfs.iVersion = 1;
    r->vfs.szOsFile = (int)(tail_offset(r) + sizeof(struct tail));
    r->vfs.mxPathname = r->below->mxPathname;
    r->vfs.zName = "recorder";
    r->vfs.pAppData = r;
    r->vfs.xOpen = record_open;
    r->vfs.xDelete = record_delete;
    r->vfs.xAccess = record_access;
    r->vfs.xFullPathname = record_full_pathname;
    r->vfs.xRandomness = record_randomness;
    r->vfs.xSleep = record_sleep;
    r->vfs.xCurrentTime = record_current_time;
    int rc = api->vfs_register(&r->vfs, 1);
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "cannot register the recording VFS: %s",
                        api->errstr(rc));
    return 0;
}

void recorder_remove(struct recorder *r)
{
    (void)r->api->vfs_unregister(&r->vfs);
}
