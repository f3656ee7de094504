/*
** entry.c: loads a library.
*/
#include "entry.h"

#include <dlfcn.h>
#include <string.h>

int entry_load(struct entry *entry, const char *path, struct fail *f)
{
    if (api_load(&entry->api, path, f) != 0)
        return f->status;
#define ENTRY_RESOLVE(name)                                                              \
    {                                                                                    \
        void *symbol = dlsym(entry->api.handle, "sqlite3_" #name);                       \
        if (symbol == NULL) {                                                            \
            api_unload(&entry->api);                                                     \
            return fail_set(f, STATUS_UNUSABLE,                                          \
                            "'%s' is not a usable libsqlite3: it has no sqlite3_" #name, \
                            path);                                                       \
        }                                                                                \
        memcpy(&entry->name, &symbol, sizeof symbol); /* ISO C has no cast from void* */ \
    }
    ENTRY_FUNCTIONS(ENTRY_RESOLVE)
#undef ENTRY_RESOLVE
    return 0;
}
