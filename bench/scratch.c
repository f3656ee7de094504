/*
** scratch.c: the scratch directory.
**
** Its path is global because atexit() handlers take no argument, and an atexit()
** handler is what makes every way out clean up.
*/
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "signals.h"

static char directory[PATH_MAX];
static pid_t owner; /* a child process must not remove its parent's directory */

enum { TMPFS = 0x01021994 };

static void remove_at_exit(void)
{
    scratch_close();
}

int scratch_open(const char *base, double need, struct fail *f)
{
    struct stat st;
    struct statvfs space;
    struct statfs kind;
    if (base == NULL)
        base = getenv("TMPDIR");
    if (base == NULL || *base == 0)
        base = "/var/tmp";
    if (stat(base, &st) != 0)
        return fail_set(f, STATUS_UNUSABLE, "scratch directory '%s': %s", base,
                        strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return fail_set(f, STATUS_UNUSABLE, "scratch directory '%s' is not a directory", base);
    if (statvfs(base, &space) != 0)
        return fail_set(f, STATUS_UNUSABLE, "scratch directory '%s': %s", base,
                        strerror(errno));
    double have = (double)space.f_bavail * (double)space.f_frsize;
    if (have < need)
        return fail_set(f, STATUS_UNUSABLE,
                        "scratch directory '%s' has %.0f MB free, the run needs about %.0f MB "
                        "(choose another with --dir)",
                        base, have / 1e6, need / 1e6);
    if (statfs(base, &kind) == 0 && kind.f_type == TMPFS)
        fprintf(stderr,
                "walbench: warning: '%s' is in memory (tmpfs): counts hold, but nothing is "
                "written to a disk; choose another with --dir\n",
                base);
    int n = snprintf(directory, sizeof directory, "%s/walbench-XXXXXX", base);
    if (n < 0 || (size_t)n >= sizeof directory - 64) {
        directory[0] = 0;
        return fail_set(f, STATUS_UNUSABLE, "scratch directory '%s': the path is too long",
                        base);
    }
    if (mkdtemp(directory) == NULL) {
        directory[0] = 0;
        return fail_set(f, STATUS_UNUSABLE, "scratch directory '%s': %s", base,
                        strerror(errno));
    }
    char *full = realpath(directory, NULL);
    if (full != NULL && strlen(full) < sizeof directory - 64)
        memcpy(directory, full, strlen(full) + 1);
    free(full);
    owner = getpid();
    if (atexit(remove_at_exit) != 0) {
        scratch_close();
        return fail_set(f, STATUS_UNUSABLE, "cannot register the clean-up");
    }
    return 0;
}

void directory_remove(const char *path)
{
    DIR *d = opendir(path);
    if (d != NULL) {
        for (struct dirent *e = readdir(d); e != NULL; e = readdir(d))
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
                (void)unlinkat(dirfd(d), e->d_name, 0);
        (void)closedir(d);
    }
    if (rmdir(path) != 0)
        fprintf(stderr, "walbench: cannot remove '%s': %s\n", path, strerror(errno));
}

void scratch_close(void)
{
    if (directory[0] == 0 || owner != getpid())
        return;
    directory_remove(directory);
    directory[0] = 0;
}

const char *scratch_path(void)
{
    return directory;
}

char *scratch_file(const char *name)
{
    return mem_format("%s/%s", directory, name);
}

void scratch_remove_database(const char *path)
{
    static const char *const tail[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof tail / sizeof tail[0]; i++) {
        char *name = mem_format("%s%s", path, tail[i]);
        (void)unlink(name); /* most of them do not exist */
        free(name);
    }
}

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

static int copy_content(int in, int out, struct fail *f)
{
    enum { BLOCK = 1 << 20 };
    char *block = mem_get(BLOCK);
    ssize_t n;
    while (signals_check(f) == 0 && (n = read(in, block, BLOCK)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || write_all(out, block, (size_t)n) != 0) {
            fail_set(f, STATUS_UNUSABLE, "copying a database: %s", strerror(errno));
            break;
        }
    }
    free(block);
    return f->status;
}

int file_copy(const char *from, const char *to, struct fail *f)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return fail_set(f, STATUS_UNUSABLE, "cannot open '%s': %s", from, strerror(errno));
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out < 0) {
        fail_set(f, STATUS_UNUSABLE, "cannot create '%s': %s", to, strerror(errno));
    } else {
        (void)copy_content(in, out, f);
        if (close(out) != 0)
            fail_set(f, STATUS_UNUSABLE, "writing '%s': %s", to, strerror(errno));
    }
    (void)close(in);
    return f->status;
}

int64_t file_size(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}
