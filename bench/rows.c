/*
** rows.c: makes the rows that are measured.
*/
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "random.h"
#include "signals.h"

void row_make(const struct row_shape *shape, int64_t id, struct row *row)
{
    uint64_t state = shape->seed * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)id;
    uint64_t span = (uint64_t)(shape->most - shape->least) + 1;
    (void)random_next(&state);
    row->id = id;
    row->key = (int64_t)random_next(&state);
    row->size = (size_t)((uint64_t)shape->least + random_next(&state) % span);
    for (size_t i = 0; i < row->size; i += 8) {
        uint64_t word = random_next(&state);
        memcpy(row->payload + i, &word, 8);
    }
}

static void hash_schema_row(struct hash *h, const char *type, const char *name, const char *sql)
{
    hash_text(h, type, strlen(type));
    hash_text(h, name, strlen(name));
    hash_text(h, "log", 3);
    hash_text(h, sql, strlen(sql));
    hash_row_end(h);
}

struct hash_value rows_hash(const struct row_shape *shape, int64_t first, int64_t last,
                            int with_key, int with_index)
{
    struct hash h;
    struct row *row = mem_get(sizeof *row);
    hash_begin(&h);
    if (with_index)
        hash_schema_row(&h, "index", "log_key", ROWS_LOG_INDEX_SQL);
    hash_schema_row(&h, "table", "log", with_key ? ROWS_LOG_SQL : ROWS_PLAIN_SQL);
    hash_text(&h, "log", 3);
    for (int64_t id = first; id <= last && !signals_caught(); id++) {
        row_make(shape, id, row);
        hash_int(&h, row->id);
        if (with_key)
            hash_int(&h, row->key);
        hash_blob(&h, row->payload, row->size);
        hash_row_end(&h);
    }
    free(row);
    return hash_end(&h);
}
