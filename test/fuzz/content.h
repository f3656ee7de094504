/*
** content.h: what a connection finds in its databases, as one hash.
*/
#ifndef FUZZ_CONTENT_H
#define FUZZ_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "trace.h"

/*
** These fill in rc, rows, hash and text of a record. Full scans of all tables,
** in the order of the schema, which is part of the hash.
*/
void content_read(const struct api *api, sqlite3 *db, bool aux, struct record *r);
/* Sets bad as well. */
void content_integrity(const struct api *api, sqlite3 *db, struct record *r);
void content_pages(const struct api *api, sqlite3 *db, bool aux, struct record *r);
/* One statement and its rows; with first_column the others do not count. */
void content_statement(const struct api *api, sqlite3 *db, const char *sql, bool first_column,
                       struct record *r);

#endif
