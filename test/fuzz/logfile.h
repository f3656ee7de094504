/*
** logfile.h: reads the files of a database as they are, without any library.
*/
#ifndef FUZZ_LOGFILE_H
#define FUZZ_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"

/*
** Looks for a page of the last committed state that is neither in the log nor in
** the database file. The number of such pages; *pages is how many there are
** altogether. 0 if there is no log, or nothing committed in it.
**
** A checkpoint hides such a page only where the file system makes a file longer
** by ftruncate(), and someone who copies both files cannot read it at all.
*/
int64_t logfile_lost_pages(const char *database, const char *log, int64_t *pages);

/* Hash and size of a whole file. False: it cannot be read. */
bool file_hash(const char *path, struct hash_value *hash, int64_t *size);
/* Copies a file that may not be there; then there is no copy either. */
bool file_copy_if_any(const char *from, const char *to);

#endif
