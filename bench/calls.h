/*
** calls.h: records the system calls with which a library changes files, in order.
**
** It looks between the library's unix VFS and the system, so that it also sees what a VFS
** on top cannot: the syncs of a directory, and whether a sync is fsync or fdatasync. What
** is written through a memory map, as the content of the -shm file is, no call shows.
*/
#ifndef WALBENCH_CALLS_H
#define WALBENCH_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "shim.h"

enum call_kind {
    CALL_OPEN,
    CALL_WRITE,
    CALL_TRUNCATE,
    CALL_ALLOCATE,
    CALL_FDATASYNC,
    CALL_FSYNC,
    CALL_UNLINK,
    CALL_KINDS
};

enum call_file {
    CALL_DATABASE,
    CALL_JOURNAL,
    CALL_WAL,
    CALL_SHM,
    CALL_DIRECTORY, /* the one that holds the database */
    CALL_OTHER,     /* another file of that directory */
    CALL_ELSEWHERE, /* not recorded */
    CALL_FILES
};

struct call {
    enum call_kind kind;
    enum call_file file;
    int64_t size, offset; /* of a write; of a truncation and an allocation `size` alone */
};

struct calls {
    struct call *at;
    size_t count;
    sqlite3_vfs *vfs; /* whose calls are recorded */
    const char *database;
    bool on;
    bool blind; /* a file that a call was about could not be told */
};

/*
** Takes over the calls of the VFS below the shim; recording begins with `on`. One process
** records one database at a time. `calls` must stay where it is until calls_end(), and
** `database` is an absolute path without symbolic links.
*/
int calls_begin(struct calls *calls, const struct shim *shim, const char *database,
                struct fail *f);
void calls_end(struct calls *calls); /* gives the VFS its own calls back; keeps the list */
void calls_free(struct calls *calls);

/* What the calls say must be what the shim counted in the phase. */
int calls_match(const struct calls *calls, const struct shim *shim, enum shim_phase phase,
                struct fail *f);

/* "open database; write journal 512@0; fdatasync directory"; the caller frees it. A write
** is SIZE@OFFSET, a truncation the size that is left. */
char *calls_print(const struct calls *calls);
int64_t calls_syncs(const struct calls *calls);
int64_t calls_bytes(const struct calls *calls);

/* What a path is, seen from the database. */
enum call_file calls_classify(const char *path, const char *database);

#endif
