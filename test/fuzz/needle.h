/*
** needle.h: markers that a search finds in a file.
*/
#ifndef FUZZ_NEEDLE_H
#define FUZZ_NEEDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"

/* Values in the table `needles` begin with needleNUMBER:NUMBER; and no two alike. */
#define NEEDLE "needle"

/* Counts the markers in a file that no row of the table has. A result code. */
int needle_search(const struct api *api, sqlite3 *db, const char *path, int64_t *stale);

#endif
