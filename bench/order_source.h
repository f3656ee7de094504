/*
** order_source.h: opens a database file of somebody else's to look at it, without
** changing the file or leaving anything beside it.
*/
#ifndef WALBENCH_ORDER_SOURCE_H
#define WALBENCH_ORDER_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "db.h"

enum { SOURCE_FILES = 3 }; /* the database, its log, its rollback journal */

struct order_source {
    char *path[SOURCE_FILES];
    struct stat before[SOURCE_FILES]; /* st_mode 0: not there */
    char *copy;                       /* in the scratch directory; NULL: none was needed */
    struct db db;
};

/* Is it a database, and how does it lie there? Free it, also after a failure. */
int order_source_find(struct order_source *s, const char *path, struct fail *f);
/* Does it have a log with something in it, so that a copy is needed? */
bool order_source_has_log(const struct order_source *s);
/* Bytes of the copy. */
double order_source_space(const struct order_source *s);
int order_source_open(struct order_source *s, const struct api *api, struct fail *f);
/* Closes it. A file that has changed since it was found is a failure: what was seen
** may be of two different moments. */
int order_source_close(struct order_source *s, struct fail *f);
void order_source_free(struct order_source *s);

#endif
