/*
** calls.c: records the system calls with which a library changes files.
**
** The unix VFS of SQLite lets a program replace most of its system calls
** (xSetSystemCall), but not fsync() and fdatasync(). These two are defined here instead:
** a library that is loaded into this program finds them before those of the C library,
** and this program's own use of them does not suffer from it.
**
** The recorder is global because a system call has no room for a context.
*/
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int open_call(const char *path, int flags, int mode);
typedef ssize_t write_call(int fd, const void *data, size_t size);
typedef ssize_t pwrite_call(int fd, const void *data, size_t size, off_t offset);
/* Where off_t has 32 bits this one is another. */
typedef ssize_t pwrite64_call(int fd, const void *data, size_t size, off64_t offset);
typedef int ftruncate_call(int fd, off_t size);
typedef int fallocate_call(int fd, off_t offset, off_t size);
typedef int unlink_call(const char *path);

static struct calls *recorder;
/* The calls that were there before: those of the library. */
static open_call *old_open;
static write_call *old_write;
static pwrite_call *old_pwrite;
static pwrite64_call *old_pwrite64;
static ftruncate_call *old_ftruncate;
static fallocate_call *old_fallocate;
static unlink_call *old_unlink;

enum call_file calls_classify(const char *path, const char *database)
{
    static const struct {
        const char *tail;
        enum call_file file;
    } tails[] = {{"", CALL_DATABASE},
                 {"-journal", CALL_JOURNAL},
                 {"-wal", CALL_WAL},
                 {"-shm", CALL_SHM}};
    size_t size = strlen(database);
    const char *slash = strrchr(database, '/');
    size_t directory = slash != NULL ? (size_t)(slash - database) : 0;
    if (strncmp(path, database, size) == 0)
        for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++)
            if (strcmp(path + size, tails[i].tail) == 0)
                return tails[i].file;
    if (strncmp(path, database, directory) != 0)
        return CALL_ELSEWHERE;
    if (path[directory] == 0)
        return CALL_DIRECTORY;
    return path[directory] == '/' ? CALL_OTHER : CALL_ELSEWHERE;
}

static void add(enum call_kind kind, const char *path, int64_t size, int64_t offset)
{
    enum call_file file = calls_classify(path, recorder->database);
    /* A directory is opened for nothing but the sync that follows. */
    if (file == CALL_ELSEWHERE || (kind == CALL_OPEN && file == CALL_DIRECTORY))
        return;
    recorder->at = mem_grow(recorder->at, recorder->count + 1, sizeof recorder->at[0]);
    recorder->at[recorder->count++] = (struct call){kind, file, size, offset};
}

static bool recording(void)
{
    return recorder != NULL && recorder->on;
}

static void add_open(enum call_kind kind, int fd, int64_t size, int64_t offset)
{
    char link[40], path[PATH_MAX];
    int error = errno;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n > 0) {
        path[n] = 0;
        add(kind, path, size, offset);
    } else {
        recorder->blind = true;
    }
    errno = error;
}

static int new_open(const char *path, int flags, int mode)
{
    int fd = old_open(path, flags, mode);
    if (fd >= 0 && recording())
        add(CALL_OPEN, path, 0, 0);
    return fd;
}

static ssize_t new_write(int fd, const void *data, size_t size)
{
    ssize_t n = old_write(fd, data, size);
    if (n >= 0 && recording())
        add_open(CALL_WRITE, fd, n, (int64_t)lseek(fd, 0, SEEK_CUR) - n);
    return n;
}

static ssize_t new_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    ssize_t n = old_pwrite(fd, data, size, offset);
    if (n >= 0 && recording())
        add_open(CALL_WRITE, fd, n, offset);
    return n;
}

static ssize_t new_pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    ssize_t n = old_pwrite64(fd, data, size, offset);
    if (n >= 0 && recording())
        add_open(CALL_WRITE, fd, n, offset);
    return n;
}

static int new_ftruncate(int fd, off_t size)
{
    int rc = old_ftruncate(fd, size);
    if (rc == 0 && recording())
        add_open(CALL_TRUNCATE, fd, size, 0);
    return rc;
}

static int new_fallocate(int fd, off_t offset, off_t size)
{
    int rc = old_fallocate(fd, offset, size);
    if (rc == 0 && recording())
        add_open(CALL_ALLOCATE, fd, offset + size, 0);
    return rc;
}

static int new_unlink(const char *path)
{
    int rc = old_unlink(path);
    if (rc == 0 && recording())
        add(CALL_UNLINK, path, 0, 0);
    return rc;
}

int fsync(int fd)
{
    int rc = (int)syscall(SYS_fsync, fd);
    if (rc == 0 && recording())
        add_open(CALL_FSYNC, fd, 0, 0);
    return rc;
}

int fdatasync(int fd)
{
    int rc = (int)syscall(SYS_fdatasync, fd);
    if (rc == 0 && recording())
        add_open(CALL_FDATASYNC, fd, 0, 0);
    return rc;
}

/* The names under which the VFS knows the calls. */
static const struct {
    const char *name;
    sqlite3_syscall_ptr call;
} replaced[] = {
    {"open", (sqlite3_syscall_ptr)new_open},
    {"write", (sqlite3_syscall_ptr)new_write},
    {"pwrite", (sqlite3_syscall_ptr)new_pwrite},
    {"pwrite64", (sqlite3_syscall_ptr)new_pwrite64},
    {"ftruncate", (sqlite3_syscall_ptr)new_ftruncate},
    {"fallocate", (sqlite3_syscall_ptr)new_fallocate},
    {"unlink", (sqlite3_syscall_ptr)new_unlink},
};

int calls_begin(struct calls *calls, const struct shim *shim, const char *database,
                struct fail *f)
{
    sqlite3_vfs *vfs = shim->below;
    *calls = (struct calls){.vfs = vfs, .database = database};
    if (vfs->iVersion < 3 || vfs->xSetSystemCall == NULL || vfs->xGetSystemCall == NULL)
        return fail_set(f, STATUS_UNUSABLE,
                        "the library's VFS '%s' does not let its system calls be seen",
                        vfs->zName);
    old_open = (open_call *)vfs->xGetSystemCall(vfs, "open");
    old_write = (write_call *)vfs->xGetSystemCall(vfs, "write");
    old_pwrite = (pwrite_call *)vfs->xGetSystemCall(vfs, "pwrite");
    old_pwrite64 = (pwrite64_call *)vfs->xGetSystemCall(vfs, "pwrite64");
    old_ftruncate = (ftruncate_call *)vfs->xGetSystemCall(vfs, "ftruncate");
    old_fallocate = (fallocate_call *)vfs->xGetSystemCall(vfs, "fallocate");
    old_unlink = (unlink_call *)vfs->xGetSystemCall(vfs, "unlink");
    recorder = calls;
    /* A call that the library was built without is replaced to no effect. */
    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++)
        if (vfs->xSetSystemCall(vfs, replaced[i].name, replaced[i].call) != SQLITE_OK)
            fail_set(f, STATUS_UNUSABLE,
                     "the library's VFS '%s' does not let its call of %s be seen", vfs->zName,
                     replaced[i].name);
    if (f->status != 0)
        calls_end(calls);
    return f->status;
}

void calls_end(struct calls *calls)
{
    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++)
        (void)calls->vfs->xSetSystemCall(calls->vfs, replaced[i].name, NULL);
    recorder = NULL;
}

void calls_free(struct calls *calls)
{
    free(calls->at);
    *calls = (struct calls){0};
}

int calls_match(const struct calls *calls, const struct shim *shim, enum shim_phase phase,
                struct fail *f)
{
    static const struct {
        enum call_file file;
        enum shim_class class;
    } pairs[] = {
        {CALL_DATABASE, SHIM_DATABASE}, {CALL_JOURNAL, SHIM_JOURNAL}, {CALL_WAL, SHIM_WAL}};
    if (calls->blind)
        return fail_set(f, STATUS_UNUSABLE, "cannot tell the files of calls: no /proc?");
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct shim_count *want = &shim->count[phase][pairs[i].class];
        struct shim_count have = {0};
        for (size_t k = 0; k < calls->count; k++) {
            const struct call *c = &calls->at[k];
            if (c->file != pairs[i].file)
                continue;
            have.writes += c->kind == CALL_WRITE;
            have.bytes += c->kind == CALL_WRITE ? (uint64_t)c->size : 0;
            have.syncs += c->kind == CALL_FDATASYNC || c->kind == CALL_FSYNC;
        }
        if (have.writes != want->writes || have.bytes != want->bytes ||
            have.syncs != want->syncs)
            return fail_set(f, STATUS_MISMATCH,
                            "%s: %" PRIu64 " writes, %" PRIu64 " bytes, %" PRIu64
                            " syncs were asked of the VFS; its system calls show %" PRIu64
                            ", %" PRIu64 ", %" PRIu64
                            " (a library that is linked with its own C library, or compiled "
                            "with SQLITE_NO_SYNC?)",
                            shim_class_name[pairs[i].class], want->writes, want->bytes,
                            want->syncs, have.writes, have.bytes, have.syncs);
    }
    return 0;
}

char *calls_print(const struct calls *calls)
{
    static const char *const kind[CALL_KINDS] = {"open",      "write", "ftruncate", "fallocate",
                                                 "fdatasync", "fsync", "unlink"};
    static const char *const file[CALL_FILES] = {"database",  "journal", "wal",      "shm",
                                                 "directory", "other",   "elsewhere"};
    char *text = mem_copy("");
    for (size_t i = 0; i < calls->count; i++) {
        const struct call *c = &calls->at[i];
        char detail[60] = "";
        if (c->kind == CALL_WRITE)
            (void)snprintf(detail, sizeof detail, " %" PRId64 "@%" PRId64, c->size, c->offset);
        else if (c->kind == CALL_TRUNCATE || c->kind == CALL_ALLOCATE)
            (void)snprintf(detail, sizeof detail, " %" PRId64, c->size);
        char *longer = mem_format("%s%s%s %s%s", text, i ? "; " : "", kind[c->kind],
                                  file[c->file], detail);
        free(text);
        text = longer;
    }
    return text;
}

int64_t calls_syncs(const struct calls *calls)
{
    int64_t n = 0;
    for (size_t i = 0; i < calls->count; i++)
        n += calls->at[i].kind == CALL_FDATASYNC || calls->at[i].kind == CALL_FSYNC;
    return n;
}

int64_t calls_bytes(const struct calls *calls)
{
    int64_t n = 0;
    for (size_t i = 0; i < calls->count; i++)
        n += calls->at[i].kind == CALL_WRITE ? calls->at[i].size : 0;
    return n;
}
