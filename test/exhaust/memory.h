/*
** memory.h: a VFS that keeps files in memory, for one process.
**
** Two thirds of the time of a sequence goes to system calls. It has the locks that
** several connections of one process need, and the shared memory of WAL mode; and a
** file does not become longer by being truncated.
*/
#ifndef EXHAUST_MEMORY_H
#define EXHAUST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "entry.h"

enum { MEMORY_FILES = 16 };

struct memory_file;

struct memory {
    const struct api *api;
    sqlite3_vfs vfs;
    sqlite3_vfs *real; /* for time and random numbers */
    struct memory_file *file[MEMORY_FILES];
};

#define MEMORY_VFS "exhaust-memory"

/* Registers the VFS with a library. 0 or a status. */
int memory_open(struct memory *m, const struct api *api, struct fail *f);
void memory_close(struct memory *m);
/* Makes a file; bytes may be NULL if there are none. */
void memory_put(struct memory *m, const char *name, const unsigned char *bytes, size_t size);
void memory_remove(struct memory *m, const char *name);
/* A copy, which the caller frees; a file that is not there is empty. */
void memory_get(const struct memory *m, const char *name, unsigned char **bytes, size_t *size);

#endif
