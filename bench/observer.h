/*
** observer.h: builds the databases that arms start from, and examines what they
** leave. It uses the SQLite that is linked into this program, the same for every
** arm, so no arm judges its own work.
*/
#ifndef WALBENCH_OBSERVER_H
#define WALBENCH_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "db.h"
#include "hash.h"
#include "page_order.h"
#include "rows.h"
#include "workload.h"

struct observation {
    struct hash_value content; /* schema and every row of every table */
    char *integrity;           /* "ok", or the first complaint; free with observation_free */
    int64_t page_size, page_count, free_count;
    struct page_order table, index; /* of "log" and "log_key"; no leaves: not there */
};

struct observer {
    struct api api;
};

int observer_open(struct observer *o, const char *temp_directory, struct fail *f);
void observer_close(struct observer *o);

/* A connection whose statements end when a signal comes, which is then the failure. */
int observer_connect(struct db *db, const struct observer *o, const char *path, struct fail *f);
int observer_disconnect(struct db *db, struct fail *f);

struct build {
    struct row_shape shape;
    int64_t rows, page_size;
    const char *auto_vacuum; /* none, full or incremental */
    bool with_key, with_index;
    bool secure; /* with secure_delete=ON, so that there is no row but in its place */
};

int observer_build(const struct observer *o, const char *path, const struct build *build,
                   struct fail *f);
/* A database from a workload's first steps. */
int observer_build_workload(const struct observer *o, const char *path,
                            const struct workload *w, int64_t rows, int64_t seed,
                            struct fail *f);
int observer_examine(const struct observer *o, const char *path, struct observation *out,
                     struct fail *f);
void observation_free(struct observation *o);

#endif
