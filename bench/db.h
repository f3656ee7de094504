/*
** db.h: a thin layer over struct api: open, execute, ask for one value.
*/
#ifndef WALBENCH_DB_H
#define WALBENCH_DB_H

#include <stdint.h>

#include "api.h"

struct db {
    const struct api *api;
    sqlite3 *handle;
};

int db_open(struct db *db, const struct api *api, const char *path, struct fail *f);
/* Through the VFS of this name, not the default one. */
int db_open_vfs(struct db *db, const struct api *api, const char *path, const char *vfs,
                struct fail *f);
int db_close(struct db *db, struct fail *f);
int db_failed(const struct db *db, const char *doing, struct fail *f);
/* All rows are stepped through and thrown away. */
int db_exec(const struct db *db, struct fail *f, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int db_prepare(const struct db *db, const char *sql, sqlite3_stmt **statement, struct fail *f);
/* Runs a prepared statement that returns nothing, and resets it. */
int db_run(const struct db *db, sqlite3_stmt *statement, struct fail *f);
int db_int(const struct db *db, const char *sql, int64_t *value, struct fail *f);
/* The first column of the first row as text; the caller frees it. */
int db_text(const struct db *db, const char *sql, char **value, struct fail *f);

#endif
