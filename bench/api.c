/*
** api.c: loads an arm's library.
*/
#include "api.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Is the function really the one in that file, and not a namesake that got in between? */
static int check_origin(void *symbol, const char *path, struct fail *f)
{
    Dl_info info;
    char *want = realpath(path, NULL);
    char *have = dladdr(symbol, &info) != 0 ? realpath(info.dli_fname, NULL) : NULL;
    int same = want != NULL && have != NULL && strcmp(want, have) == 0;
    free(want);
    free(have);
    if (!same)
        return fail_set(f, STATUS_UNUSABLE, "'%s': its functions come from another library",
                        path);
    return 0;
}

int api_load(struct api *api, const char *path, struct fail *f)
{
    *api = (struct api){0};
    /* A preloaded SQLite would take over the calls that the library makes to itself. */
    if (dlsym(RTLD_DEFAULT, "sqlite3_libversion") != NULL)
        return fail_set(f, STATUS_UNUSABLE,
                        "another SQLite library is in the way (LD_PRELOAD?)");
    api->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (api->handle == NULL)
        return fail_set(f, STATUS_UNUSABLE, "cannot load the library: %s", dlerror());
#define API_RESOLVE(name)                                                                \
    {                                                                                    \
        void *symbol = dlsym(api->handle, "sqlite3_" #name);                             \
        if (symbol == NULL) {                                                            \
            api_unload(api);                                                             \
            return fail_set(f, STATUS_UNUSABLE,                                          \
                            "'%s' is not a usable libsqlite3: it has no sqlite3_" #name, \
                            path);                                                       \
        }                                                                                \
        memcpy(&api->name, &symbol, sizeof symbol); /* ISO C has no cast from void* */   \
        if (check_origin(symbol, path, f) != 0) {                                        \
            api_unload(api);                                                             \
            return f->status;                                                            \
        }                                                                                \
    }
    API_FUNCTIONS(API_RESOLVE)
#undef API_RESOLVE
    void *offset = dlsym(api->handle, "sqlite3_error_offset");
    memcpy(&api->error_offset, &offset, sizeof offset);
    return 0;
}

void api_unload(struct api *api)
{
    if (api->handle != NULL)
        (void)dlclose(api->handle);
    *api = (struct api){0};
}
