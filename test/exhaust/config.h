/*
** config.h: the databases that sequences begin with.
*/
#ifndef EXHAUST_CONFIG_H
#define EXHAUST_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "entry.h"

enum { PAGE_SIZE = 512 };

struct config {
    const char *name;
    const char *help;
    const char *letters; /* its alphabet */
    int auto_vacuum;
    const char *secure_delete;
    int cache_size;
    int rows;       /* of t */
    int free_pages; /* rows of a table that is deleted again */
    bool wal;
};

extern const struct config configs[];
/* NULL: there is none of that name. */
const struct config *config_find(const char *name);

/* What every connection begins with. */
char *config_opening(const struct config *c);

/* Makes the database with a library, as the file `path` in the current folder, and
** reads it; the caller frees *bytes. */
int config_build(const struct config *c, const struct entry *entry, const char *path,
                 unsigned char **bytes, size_t *size, struct fail *f);

#endif
