/*
** folder.c: scratch folders.
**
** The path is global because atexit() handlers take no argument, and such a
** handler is what makes every way out clean up.
*/
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[PATH_MAX];
static pid_t owner; /* a child process must not remove its parent's folder */

static void remove_tree(const char *path)
{
    DIR *d = opendir(path);
    if (d == NULL)
        return;
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char *name = mem_format("%s/%s", path, e->d_name);
        if (unlink(name) != 0)
            remove_tree(name);
        free(name);
    }
    (void)closedir(d);
    if (rmdir(path) != 0)
        fprintf(stderr, "fuzz: cannot remove '%s': %s\n", path, strerror(errno));
}

void folder_close(void)
{
    if (top[0] == 0 || owner != getpid())
        return;
    remove_tree(top);
    top[0] = 0;
}

int folder_open(const char *base, struct fail *f)
{
    if (base == NULL)
        base = getenv("TMPDIR");
    if (base == NULL || *base == 0)
        base = "/var/tmp";
    char *full = realpath(base, NULL);
    if (full == NULL)
        return fail_set(f, STATUS_UNUSABLE, "folder '%s': %s", base, strerror(errno));
    int n = snprintf(top, sizeof top, "%s/fuzz-XXXXXX", full);
    free(full);
    if (n < 0 || (size_t)n >= sizeof top - 64) {
        top[0] = 0;
        return fail_set(f, STATUS_UNUSABLE, "folder '%s': the path is too long", base);
    }
    if (mkdtemp(top) == NULL) {
        top[0] = 0;
        return fail_set(f, STATUS_UNUSABLE, "folder '%s': %s", base, strerror(errno));
    }
    owner = getpid();
    if (atexit(folder_close) != 0) {
        folder_close();
        return fail_set(f, STATUS_UNUSABLE, "cannot register the clean-up");
    }
    return 0;
}

const char *folder_path(void)
{
    return top;
}

char *folder_add(const char *name, struct fail *f)
{
    char *path = mem_format("%s/%s", top, name);
    if (mkdir(path, 0700) != 0) {
        fail_set(f, STATUS_UNUSABLE, "folder '%s': %s", path, strerror(errno));
        free(path);
        return NULL;
    }
    return path;
}

int folder_empty(const char *path, struct fail *f)
{
    DIR *d = opendir(path);
    if (d == NULL)
        return fail_set(f, STATUS_UNUSABLE, "folder '%s': %s", path, strerror(errno));
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void)unlinkat(dirfd(d), e->d_name, 0);
    (void)closedir(d);
    return 0;
}
