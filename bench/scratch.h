/*
** scratch.h: the directory in which a run keeps its databases, and which is gone
** afterwards whatever happened.
*/
#ifndef WALBENCH_SCRATCH_H
#define WALBENCH_SCRATCH_H

#include <stdint.h>

#include "fail.h"

/*
** Makes a directory of its own inside `base` (NULL: $TMPDIR, else /var/tmp) after
** checking that `need` bytes are free there. It is removed when the process ends.
*/
int scratch_open(const char *base, double need, struct fail *f);
void scratch_close(void);
const char *scratch_path(void);
/* A path inside it; the caller frees it. */
char *scratch_file(const char *name);
/* Removes a database and what may lie beside it. */
void scratch_remove_database(const char *path);

/* Removes a directory and the files in it. */
void directory_remove(const char *path);

int file_copy(const char *from, const char *to, struct fail *f);
int64_t file_size(const char *path); /* -1: not there */

#endif
