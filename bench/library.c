/*
** library.c: the arms of a run.
*/
#include "library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc.h"

const char *secure_delete_name(int64_t value)
{
    return value == 0 ? "off" : value == 1 ? "on" : value == 2 ? "fast" : "unknown";
}

const struct library *libraries_find(const struct libraries *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->at[i].name, name) == 0)
            return &set->at[i];
    return NULL;
}

bool library_by_numbers(const struct library *library)
{
    return strcmp(library->name, "subjournal") == 0 || strcmp(library->name, "full") == 0;
}

static int name_check(const char *name, struct fail *f)
{
    size_t good =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    if (*name == 0 || name[good] != 0 || good > 20)
        return fail_set(f, STATUS_UNUSABLE,
                        "--lib: '%s' is not a name of 1 to 20 letters, digits, '_', '.', '-'",
                        name);
    return 0;
}

static int add(struct libraries *set, const char *name, const char *path, struct fail *f)
{
    struct stat st;
    if (name_check(name, f) != 0)
        return f->status;
    if (libraries_find(set, name) != NULL)
        return fail_set(f, STATUS_UNUSABLE, "--lib: '%s' is named twice", name);
    if (set->count == LIBRARIES_MOST)
        return fail_set(f, STATUS_UNUSABLE, "--lib: more than %d libraries", LIBRARIES_MOST);
    char *full = realpath(path, NULL);
    if (full == NULL)
        return fail_set(f, STATUS_UNUSABLE, "library '%s' (%s): %s", path, name,
                        strerror(errno));
    if (stat(full, &st) != 0 || !S_ISREG(st.st_mode)) {
        free(full);
        return fail_set(f, STATUS_UNUSABLE, "library '%s' (%s) is not a file", path, name);
    }
    set->at = mem_grow(set->at, set->count + 1, sizeof set->at[0]);
    set->at[set->count++] = (struct library){mem_copy(name), full, NULL, NULL, NULL, 0};
    return 0;
}

static int add_option(struct libraries *set, const char *text, struct fail *f)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals[1] == 0)
        return fail_set(f, STATUS_UNUSABLE, "--lib: '%s' is not NAME=PATH", text);
    char *name = mem_copy(text);
    name[equals - text] = 0;
    (void)add(set, name, equals + 1, f);
    free(name);
    return f->status;
}

/*
** The further arms are those that the file "arms" names, which configure writes, and
** that are built. Others may have a folder, too, from when they were configured.
*/
static void add_further(struct libraries *set, const char *folder, struct fail *f)
{
    char *path = mem_format("%s/arms", folder);
    FILE *arms = fopen(path, "r");
    free(path);
    char name[32];
    while (arms != NULL && f->status == 0 && fscanf(arms, "%31s", name) == 1) {
        if (libraries_find(set, name) != NULL)
            continue;
        path = mem_format("%s/%s/libsqlite3.so.0", folder, name);
        if (access(path, F_OK) == 0)
            (void)add(set, name, path, f);
        free(path);
    }
    if (arms != NULL)
        (void)fclose(arms);
}

static int add_standard(struct libraries *set, struct fail *f)
{
    static const char *const names[] = {"stock", "patched"};
    char *self = proc_self();
    char *slash = self ? strrchr(self, '/') : NULL;
    if (slash == NULL) {
        free(self);
        return fail_set(f, STATUS_UNUSABLE, "cannot find this program in /proc/self/exe");
    }
    *slash = 0;
    for (size_t i = 0; i < 2; i++) {
        char *path = mem_format("%s/%s/libsqlite3.so.0", self, names[i]);
        (void)add(set, names[i], path, f);
        free(path);
    }
    if (f->status == 0)
        add_further(set, self, f);
    free(self);
    return f->status;
}

static int probe(struct library *library, struct fail *f)
{
    struct kv_list none = {NULL, 0};
    struct result r;
    if (proc_run(library->path, "probe", &none, NULL, &r, f) != 0)
        return f->status;
    library->version = mem_copy(result_text(&r, "version", f));
    library->source_id = mem_copy(result_text(&r, "source_id", f));
    library->compile_options = mem_copy(result_text(&r, "compile_options", f));
    if (!options_number(result_text(&r, "pragma.secure_delete", f), &library->secure_delete))
        fail_set(f, STATUS_UNUSABLE, "library '%s' has no PRAGMA secure_delete", library->name);
    result_free(&r);
    return f->status;
}

int libraries_open(struct libraries *set, const struct text_list *options, struct fail *f)
{
    *set = (struct libraries){NULL, 0};
    if (options->count == 0)
        (void)add_standard(set, f);
    for (size_t i = 0; f->status == 0 && i < options->count; i++)
        (void)add_option(set, options->at[i], f);
    for (size_t i = 0; f->status == 0 && i < set->count; i++)
        (void)probe(&set->at[i], f);
    return f->status;
}

void libraries_print(const struct libraries *set, FILE *out)
{
    size_t widest = 0;
    for (size_t i = 0; i < set->count; i++)
        if (strlen(set->at[i].name) > widest)
            widest = strlen(set->at[i].name);
    for (size_t i = 0; i < set->count; i++) {
        const struct library *l = &set->at[i];
        fprintf(out, "%-*s  SQLite %s, secure_delete %s by default, %s\n", (int)widest, l->name,
                l->version, secure_delete_name(l->secure_delete), l->source_id);
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct library *l = &set->at[i];
        if (l->secure_delete == 1)
            fprintf(
                out,
                "WARNING: %s is compiled with secure_delete on: unless the application says\n"
                "PRAGMA secure_delete=OFF (or FAST), freed pages are zeroed and must be\n"
                "written, and this fix saves nothing.\n",
                l->name);
    }
}

void libraries_free(struct libraries *set)
{
    for (size_t i = 0; i < set->count; i++) {
        free(set->at[i].name);
        free(set->at[i].path);
        free(set->at[i].version);
        free(set->at[i].source_id);
        free(set->at[i].compile_options);
    }
    free(set->at);
    *set = (struct libraries){NULL, 0};
}
