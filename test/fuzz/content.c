/*
** content.c: full scans, hashed.
*/
#include "content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES_MOST = 32 };

static void hash_column(const struct api *api, sqlite3_stmt *stmt, int i, struct hash *h)
{
    const void *data;
    switch (api->column_type(stmt, i)) {
    case SQLITE_INTEGER:
        hash_int(h, api->column_int64(stmt, i));
        break;
    case SQLITE_FLOAT:
        hash_real(h, api->column_double(stmt, i));
        break;
    case SQLITE_TEXT:
        data = api->column_text(stmt, i);
        /* NULL: out of memory, which the next step will say. */
        hash_text(h, data ? data : "", data ? (size_t)api->column_bytes(stmt, i) : 0);
        break;
    case SQLITE_BLOB:
        data = api->column_blob(stmt, i);
        hash_blob(h, data ? data : "", (size_t)api->column_bytes(stmt, i));
        break;
    default:
        hash_null(h);
    }
}

/* Steps through to the end. The first column of the first row goes to text. */
static int scan(const struct api *api, sqlite3 *db, const char *sql, bool first_column,
                struct hash *h, int64_t *rows, char *text, size_t size)
{
    sqlite3_stmt *stmt = NULL;
    int rc = api->prepare_v2(db, sql, -1, &stmt, NULL);
    if (rc != SQLITE_OK)
        return rc;
    int columns = first_column ? 1 : api->column_count(stmt);
    while ((rc = api->step(stmt)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++)
            hash_column(api, stmt, i, h);
        hash_row_end(h);
        if (text != NULL && (*rows)++ == 0) {
            const char *value = (const char *)api->column_text(stmt, 0);
            (void)snprintf(text, size, "%s", value ? value : "NULL");
        } else if (text == NULL) {
            (*rows)++;
        }
    }
    (void)api->finalize(stmt); /* repeats the code of the step */
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

void content_statement(const struct api *api, sqlite3 *db, const char *sql, bool first_column,
                       struct record *r)
{
    struct hash h;
    hash_begin(&h);
    r->rc = scan(api, db, sql, first_column, &h, &r->rows, r->text, sizeof r->text);
    r->hash = hash_end(&h);
    if (r->rc != SQLITE_OK)
        (void)snprintf(r->text, sizeof r->text, "%s", api->errmsg(db));
}

/* The names of the tables; their number, or -1 with *rc set. */
static int tables(const struct api *api, sqlite3 *db, const char *schema,
                  char *names[TABLES_MOST], struct hash *h, int *rc)
{
    char sql[128];
    int count = 0;
    sqlite3_stmt *stmt = NULL;
    (void)snprintf(sql, sizeof sql,
                   "SELECT name, type, rootpage>0, sql FROM %s.sqlite_schema ORDER BY rowid",
                   schema);
    *rc = api->prepare_v2(db, sql, -1, &stmt, NULL);
    if (*rc != SQLITE_OK)
        return 0;
    while ((*rc = api->step(stmt)) == SQLITE_ROW) {
        for (int i = 0; i < 4; i++)
            hash_column(api, stmt, i, h);
        hash_row_end(h);
        const char *type = (const char *)api->column_text(stmt, 1);
        const char *name = (const char *)api->column_text(stmt, 0);
        if (type != NULL && name != NULL && strcmp(type, "table") == 0 && count < TABLES_MOST)
            names[count++] = mem_format("SELECT * FROM %s.\"%s\"", schema, name);
    }
    (void)api->finalize(stmt);
    if (*rc == SQLITE_DONE)
        *rc = SQLITE_OK;
    return count;
}

void content_read(const struct api *api, sqlite3 *db, bool aux, struct record *r)
{
    static const char *const schemas[] = {"main", "b"};
    struct hash h;
    hash_begin(&h);
    for (int i = 0; i < (aux ? 2 : 1) && r->rc == SQLITE_OK; i++) {
        char *names[TABLES_MOST];
        int count = tables(api, db, schemas[i], names, &h, &r->rc);
        for (int t = 0; t < count; t++) {
            if (r->rc == SQLITE_OK)
                r->rc = scan(api, db, names[t], false, &h, &r->rows, NULL, 0);
            free(names[t]);
        }
    }
    r->hash = hash_end(&h);
    if (r->rc != SQLITE_OK)
        (void)snprintf(r->text, sizeof r->text, "%s", api->errmsg(db));
}

void content_integrity(const struct api *api, sqlite3 *db, struct record *r)
{
    content_statement(api, db, "PRAGMA integrity_check(5)", false, r);
    /* A lock that is held elsewhere says nothing about the content. */
    int code = r->rc & 0xff;
    r->bad = r->rc == SQLITE_OK ? strcmp(r->text, "ok") != 0
                                : code != SQLITE_BUSY && code != SQLITE_LOCKED;
}

void content_pages(const struct api *api, sqlite3 *db, bool aux, struct record *r)
{
    static const char *const sql[] = {"PRAGMA main.page_count", "PRAGMA main.freelist_count",
                                      "PRAGMA b.page_count", "PRAGMA b.freelist_count"};
    struct hash h;
    hash_begin(&h);
    size_t fill = 0;
    for (int i = 0; i < (aux ? 4 : 2) && r->rc == SQLITE_OK; i++) {
        char text[24];
        int64_t rows = 0;
        text[0] = 0;
        r->rc = scan(api, db, sql[i], false, &h, &rows, text, sizeof text);
        int n = snprintf(r->text + fill, sizeof r->text - fill, "%s%s", i ? " " : "", text);
        if (n > 0 && (size_t)n < sizeof r->text - fill)
            fill += (size_t)n;
    }
    r->hash = hash_end(&h);
}
