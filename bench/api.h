/*
** api.h: one SQLite library as a set of function pointers.
**
** An arm's library is loaded at run time and only ever reached through such a
** set. The observer's, linked into this program, is wrapped in the same way, so
** that helpers written on top serve both.
*/
#ifndef WALBENCH_API_H
#define WALBENCH_API_H

#include <sqlite3.h>

#include "fail.h"

#define API_FUNCTIONS(X)     \
    X(bind_blob)             \
    X(bind_double)           \
    X(bind_int64)            \
    X(bind_parameter_count)  \
    X(bind_parameter_name)   \
    X(bind_text)             \
    X(busy_timeout)          \
    X(changes)               \
    X(clear_bindings)        \
    X(close)                 \
    X(column_blob)           \
    X(column_bytes)          \
    X(column_count)          \
    X(column_double)         \
    X(column_int64)          \
    X(column_name)           \
    X(column_text)           \
    X(column_type)           \
    X(compileoption_get)     \
    X(complete)              \
    X(config)                \
    X(errmsg)                \
    X(errstr)                \
    X(extended_result_codes) \
    X(finalize)              \
    X(get_autocommit)        \
    X(initialize)            \
    X(libversion)            \
    X(open_v2)               \
    X(prepare_v2)            \
    X(progress_handler)      \
    X(reset)                 \
    X(shutdown)              \
    X(sourceid)              \
    X(step)                  \
    X(threadsafe)            \
    X(vfs_find)              \
    X(vfs_register)          \
    X(vfs_unregister)        \
    X(wal_checkpoint_v2)

struct api {
    void *handle; /* from dlopen; NULL for the observer */
#define API_FIELD(name) __typeof__(&sqlite3_##name) name;
    API_FUNCTIONS(API_FIELD)
#undef API_FIELD
    /* Where in its SQL the last error was, since 3.38; NULL: the library cannot tell. */
    int (*error_offset)(sqlite3 *);
};

/* path must be absolute. */
int api_load(struct api *api, const char *path, struct fail *f);
void api_unload(struct api *api);

/* api_linked.c: the library linked into this program. Never call it in an arm process. */
void api_linked(struct api *api);

#endif
