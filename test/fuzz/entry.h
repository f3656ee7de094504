/*
** entry.h: a library with the functions that the fuzzer needs besides those of
** the benchmark.
*/
#ifndef FUZZ_ENTRY_H
#define FUZZ_ENTRY_H

#include "api.h"

#define ENTRY_FUNCTIONS(X) \
    X(backup_finish)       \
    X(backup_init)         \
    X(backup_step)         \
    X(db_cacheflush)       \
    X(db_status)           \
    X(exec)

struct entry {
    struct api api;
#define ENTRY_FIELD(name) __typeof__(&sqlite3_##name) name;
    ENTRY_FUNCTIONS(ENTRY_FIELD)
#undef ENTRY_FIELD
};

/* path must be absolute. The library is unloaded with api_unload(&entry->api). */
int entry_load(struct entry *entry, const char *path, struct fail *f);

#endif
