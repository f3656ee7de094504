/*
** db.c: a thin layer over struct api.
*/
#include "db.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int db_failed(const struct db *db, const char *doing, struct fail *f)
{
    return fail_set(f, STATUS_MISMATCH, "%s: %s", doing, db->api->errmsg(db->handle));
}

int db_open_vfs(struct db *db, const struct api *api, const char *path, const char *vfs,
                struct fail *f)
{
    *db = (struct db){api, NULL};
    int rc = api->open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs);
    if (rc == SQLITE_OK)
        rc = api->extended_result_codes(db->handle, 1);
    if (rc == SQLITE_OK)
        return 0;
    fail_set(f, STATUS_MISMATCH, "cannot open the database: %s",
             db->handle ? api->errmsg(db->handle) : api->errstr(rc));
    (void)api->close(db->handle);
    db->handle = NULL;
    return f->status;
}

int db_open(struct db *db, const struct api *api, const char *path, struct fail *f)
{
    return db_open_vfs(db, api, path, NULL, f);
}

int db_close(struct db *db, struct fail *f)
{
    if (db->handle == NULL)
        return 0;
    int rc = db->api->close(db->handle);
    db->handle = NULL;
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_MISMATCH, "cannot close the database: %s",
                        db->api->errstr(rc));
    return 0;
}

int db_prepare(const struct db *db, const char *sql, sqlite3_stmt **statement, struct fail *f)
{
    *statement = NULL;
    if (db->api->prepare_v2(db->handle, sql, -1, statement, NULL) != SQLITE_OK)
        return db_failed(db, sql, f);
    return 0;
}

int db_run(const struct db *db, sqlite3_stmt *statement, struct fail *f)
{
    int rc;
    do {
        rc = db->api->step(statement);
    } while (rc == SQLITE_ROW);
    if (rc != SQLITE_DONE)
        db_failed(db, "statement", f);
    (void)db->api->reset(statement); /* repeats the error that step() reported */
    return f->status;
}

int db_exec(const struct db *db, struct fail *f, const char *format, ...)
{
    char sql[1000];
    sqlite3_stmt *statement;
    va_list ap;
    if (f->status != 0)
        return f->status;
    va_start(ap, format);
    int n = vsnprintf(sql, sizeof sql, format, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof sql)
        return fail_set(f, STATUS_MISMATCH, "statement too long");
    if (db_prepare(db, sql, &statement, f) != 0)
        return f->status;
    int rc;
    do {
        rc = db->api->step(statement);
    } while (rc == SQLITE_ROW);
    if (rc != SQLITE_DONE)
        db_failed(db, sql, f);
    (void)db->api->finalize(statement);
    return f->status;
}

int db_int(const struct db *db, const char *sql, int64_t *value, struct fail *f)
{
    sqlite3_stmt *statement;
    *value = 0;
    if (db_prepare(db, sql, &statement, f) != 0)
        return f->status;
    int rc = db->api->step(statement);
    if (rc == SQLITE_ROW)
        *value = db->api->column_int64(statement, 0);
    else if (rc == SQLITE_DONE)
        fail_set(f, STATUS_MISMATCH, "%s: no answer", sql);
    else
        db_failed(db, sql, f);
    (void)db->api->finalize(statement);
    return f->status;
}

int db_text(const struct db *db, const char *sql, char **value, struct fail *f)
{
    sqlite3_stmt *statement;
    *value = NULL;
    if (db_prepare(db, sql, &statement, f) != 0)
        return f->status;
    int rc = db->api->step(statement);
    if (rc == SQLITE_ROW) {
        const unsigned char *text = db->api->column_text(statement, 0);
        *value = mem_copy(text ? (const char *)text : "");
    } else if (rc == SQLITE_DONE) {
        fail_set(f, STATUS_MISMATCH, "%s: no answer", sql);
    } else {
        db_failed(db, sql, f);
    }
    (void)db->api->finalize(statement);
    return f->status;
}
