/*
** texts.h: the rows of E4 and E6, which are text: t(id, k, v) and t(id, v). A row
** depends on the seed, its id and how often it was updated alone, so every arm, and
** the check afterwards, makes the same one.
*/
#ifndef WALBENCH_TEXTS_H
#define WALBENCH_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "hash.h"

enum { TEXT_BYTES_MOST = 60000, TEXT_KEY_SIZE = 24 };

struct text_shape {
    uint64_t seed;
    int64_t bytes; /* of v, all of them printable ASCII */
    bool with_key;
};

const char *texts_table(const struct text_shape *shape); /* the CREATE TABLE statement */

/* k of a row, such as "k42", which is the length that gives the published frames. Returns
** its length. */
int texts_key(int64_t id, char key[TEXT_KEY_SIZE]);

/* v of a row, without a 0 at its end; version 0 is what was inserted. */
void texts_value(const struct text_shape *shape, int64_t id, int64_t version, char *value);

/* The content hash that a database must have that holds rows first..last, of which those
** up to `updated` were updated once. A signal ends it early, with a value of no use. */
struct hash_value texts_hash(const struct text_shape *shape, int64_t first, int64_t last,
                             int64_t updated);

#endif
