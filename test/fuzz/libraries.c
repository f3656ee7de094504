/*
** libraries.c: finds the libraries.
*/
#include "libraries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int library_take(const char *text, char **name, char **path, struct fail *f)
{
    struct stat st;
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == 0)
        return fail_set(f, STATUS_UNUSABLE, "--lib: '%s' is not NAME=PATH", text);
    char *full = realpath(equals + 1, NULL);
    if (full == NULL)
        return fail_set(f, STATUS_UNUSABLE, "library '%s': %s", equals + 1, strerror(errno));
    *name = mem_copy(text);
    (*name)[equals - text] = 0;
    *path = full;
    if (stat(full, &st) != 0 || !S_ISREG(st.st_mode))
        return fail_set(f, STATUS_UNUSABLE, "library '%s' is not a file", full);
    return 0;
}

static int take_standard(char *name[2], char *path[2], struct fail *f)
{
    static const char *const names[] = {"stock", "patched"};
    char *self = realpath("/proc/self/exe", NULL);
    char *slash = self ? strrchr(self, '/') : NULL;
    if (slash == NULL) {
        free(self);
        return fail_set(f, STATUS_UNUSABLE, "cannot find this program in /proc/self/exe");
    }
    *slash = 0;
    for (int i = 0; i < 2 && f->status == 0; i++) {
        char *text = mem_format("%s=%s/%s/libsqlite3.so.0", names[i], self, names[i]);
        (void)library_take(text, &name[i], &path[i], f);
        free(text);
    }
    free(self);
    return f->status;
}

int libraries_take(const struct text_list *given, char *name[2], char *path[2], struct fail *f)
{
    if (given->count == 0)
        return take_standard(name, path, f);
    if (given->count != 2)
        return fail_set(f, STATUS_UNUSABLE, "--lib is to be given twice");
    for (int i = 0; i < 2 && f->status == 0; i++)
        (void)library_take(given->at[i], &name[i], &path[i], f);
    return f->status;
}
