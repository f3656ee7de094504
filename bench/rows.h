/*
** rows.h: the rows of the tables that are measured. A row depends on the seed and
** its rowid alone, so every arm, and the check afterwards, makes the same one.
*/
#ifndef WALBENCH_ROWS_H
#define WALBENCH_ROWS_H

#include <stdint.h>

#include "hash.h"

enum { ROW_PAYLOAD_MOST = 60000 };

struct row_shape {
    uint64_t seed;
    int64_t least, most; /* bytes of payload */
};

struct row {
    int64_t id;
    int64_t key; /* random over all of 64 bits: an index on it has no order at all */
    size_t size;
    unsigned char payload[ROW_PAYLOAD_MOST + 8];
};

/* The table of E2; E1's has no key column, so that 19 rows fill a page of 4,096 bytes. */
#define ROWS_LOG_SQL "CREATE TABLE log(id INTEGER PRIMARY KEY, key INTEGER, payload BLOB)"
#define ROWS_LOG_INDEX_SQL "CREATE INDEX log_key ON log(key)"
#define ROWS_PLAIN_SQL "CREATE TABLE log(id INTEGER PRIMARY KEY, payload BLOB)"

void row_make(const struct row_shape *shape, int64_t id, struct row *row);

/* The content hash that a database with rows first..last of this shape must have. A signal
** ends it early, with a value of no use. */
struct hash_value rows_hash(const struct row_shape *shape, int64_t first, int64_t last,
                            int with_key, int with_index);

#endif
