/*
** texts.c: makes rows of text.
*/
#include "texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "random.h"
#include "signals.h"

const char *texts_table(const struct text_shape *shape)
{
    return shape->with_key ? "CREATE TABLE t(id INTEGER PRIMARY KEY, k TEXT, v TEXT)"
                           : "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)";
}

int texts_key(int64_t id, char key[TEXT_KEY_SIZE])
{
    return snprintf(key, TEXT_KEY_SIZE, "k%" PRId64, id);
}

void texts_value(const struct text_shape *shape, int64_t id, int64_t version, char *value)
{
    static const char letters[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
    uint64_t state = shape->seed * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)id;
    state ^= (uint64_t)version << 56;
    (void)random_next(&state);
    uint64_t word = 0;
    for (int64_t i = 0; i < shape->bytes; i++) {
        if (i % 10 == 0) /* six bits a letter */
            word = random_next(&state);
        value[i] = letters[word & 63];
        word >>= 6;
    }
}

struct hash_value texts_hash(const struct text_shape *shape, int64_t first, int64_t last,
                             int64_t updated)
{
    struct hash h;
    char key[TEXT_KEY_SIZE];
    char *value = mem_get((size_t)shape->bytes);
    const char *sql = texts_table(shape);
    hash_begin(&h);
    hash_text(&h, "table", 5);
    hash_text(&h, "t", 1);
    hash_text(&h, "t", 1);
    hash_text(&h, sql, strlen(sql));
    hash_row_end(&h);
    hash_text(&h, "t", 1);
    for (int64_t id = first; id <= last && !signals_caught(); id++) {
        hash_int(&h, id);
        if (shape->with_key) {
            int size = texts_key(id, key);
            hash_text(&h, key, (size_t)size);
        }
        texts_value(shape, id, id <= updated, value);
        hash_text(&h, value, (size_t)shape->bytes);
        hash_row_end(&h);
    }
    free(value);
    return hash_end(&h);
}
