/*
** side.c: what the letters do.
**
** Values depend on the position in the sequence, so that a row that comes back
** from the dead is never equal to the one that should be there.
*/
#include "side.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

static struct answer run(struct side *s, const char *sql)
{
    struct answer a = {0};
    a.rc = s->entry->exec(s->db, sql, NULL, NULL, NULL);
    if (a.rc == SQLITE_OK)
        a.rows = s->entry->api.changes(s->db);
    return a;
}

static int open_one(struct side *s, const char *opening, sqlite3 **db)
{
    int rc = s->entry->api.open_v2(s->file, db, SQLITE_OPEN_READWRITE,
                                   s->memory ? MEMORY_VFS : NULL);
    if (rc == SQLITE_OK)
        rc = s->entry->exec(*db, opening, NULL, NULL, NULL);
    return rc;
}

struct answer side_open(struct side *s, const char *opening, const unsigned char *bytes,
                        size_t size)
{
    struct answer a = {0};
    s->db = s->reader = NULL;
    if (s->memory != NULL) {
        memory_put(s->memory, s->file, bytes, size);
        memory_remove(s->memory, s->log);
    } else {
        (void)unlink(s->log); /* only there if a sequence did not get to its end */
        if (!file_write(s->file, bytes, size))
            a.rc = SQLITE_CANTOPEN;
    }
    if (a.rc == SQLITE_OK)
        a.rc = open_one(s, opening, &s->db);
    return a;
}

bool side_image(const struct side *s, struct image *image)
{
    unsigned char *db, *log;
    size_t db_size, log_size;
    if (s->memory == NULL)
        return image_read(image, s->file, s->log);
    memory_get(s->memory, s->file, &db, &db_size);
    memory_get(s->memory, s->log, &log, &log_size);
    image_take(image, db, db_size, log, log_size);
    return true;
}

/* --- Looking. */

static void hash_value(const struct api *api, sqlite3_stmt *stmt, int i, struct hash *h)
{
    if (api->column_type(stmt, i) == SQLITE_INTEGER) {
        hash_int(h, api->column_int64(stmt, i));
    } else {
        const void *text = api->column_text(stmt, i);
        hash_text(h, text ? text : "", (size_t)api->column_bytes(stmt, i));
    }
}

struct answer content_of(const struct api *api, sqlite3 *db)
{
    static const char sql[] = "SELECT id,k,v FROM t UNION ALL SELECT id+1000,k,v FROM u";
    struct answer a = {0};
    struct hash h;
    sqlite3_stmt *stmt = NULL;
    hash_begin(&h);
    a.rc = api->prepare_v2(db, sql, (int)sizeof sql, &stmt, NULL);
    if (a.rc == SQLITE_OK) {
        while ((a.rc = api->step(stmt)) == SQLITE_ROW) {
            for (int i = 0; i < 3; i++)
                hash_value(api, stmt, i, &h);
            hash_row_end(&h);
            a.rows++;
        }
        if (a.rc == SQLITE_DONE)
            a.rc = SQLITE_OK;
        (void)api->finalize(stmt); /* repeats the code of the step */
    }
    a.hash = hash_end(&h);
    return a;
}

struct answer side_look(struct side *s, bool reader)
{
    struct answer a = {0};
    if (reader && s->reader == NULL)
        a.rc = open_one(s, "PRAGMA cache_size=100", &s->reader);
    return a.rc == SQLITE_OK ? content_of(&s->entry->api, reader ? s->reader : s->db) : a;
}

static struct answer reader_begin(struct side *s)
{
    struct answer a = {0};
    if (s->reader == NULL)
        a.rc = open_one(s, "PRAGMA cache_size=100", &s->reader);
    if (a.rc == SQLITE_OK)
        a.rc = s->entry->exec(s->reader, "BEGIN", NULL, NULL, NULL);
    return a.rc == SQLITE_OK ? content_of(&s->entry->api, s->reader) : a;
}

static struct answer reader_end(struct side *s)
{
    struct answer a = content_of(&s->entry->api, s->reader);
    if (a.rc == SQLITE_OK)
        a.rc = s->entry->exec(s->reader, "COMMIT", NULL, NULL, NULL);
    return a;
}

/* --- Letters. */

static struct answer savepoint(struct side *s, const char *words, int depth)
{
    char sql[64];
    (void)snprintf(sql, sizeof sql, "%s s%d", words, depth);
    return run(s, sql);
}

static struct answer insert(struct side *s, int position, int bytes)
{
    char sql[128];
    (void)snprintf(sql, sizeof sql, "INSERT INTO t(k,v) VALUES(%d,printf('%%0%dd',%d))",
                   position, bytes, position * 1000003 + 1);
    return run(s, sql);
}

static struct answer abort_midway(struct side *s, int high)
{
    char sql[160];
    /* The sum overflows, and abs() cannot be computed ahead since it needs the row. */
    (void)snprintf(sql, sizeof sql,
                   "DELETE FROM t WHERE CASE WHEN id<%d THEN 1 ELSE"
                   " abs(-9223372036854775807-1-0*id) END",
                   high);
    return run(s, sql);
}

static struct answer checkpoint(struct side *s, int mode)
{
    struct answer a = {0};
    a.rc = s->entry->api.wal_checkpoint_v2(s->db, NULL, mode, NULL, NULL);
    return a;
}

struct answer side_letter(struct side *s, const struct model *m, char letter, int position)
{
    struct answer a = {0};
    switch (letter) {
    case 'b':
        return run(s, "BEGIN");
    case 'c':
        return run(s, "COMMIT");
    case 'k':
        return run(s, "ROLLBACK");
    case 's':
        return savepoint(s, "SAVEPOINT", m->nested);
    case 'r':
        return savepoint(s, "ROLLBACK TO", m->nested - 1);
    case 'l':
        return savepoint(s, "RELEASE", m->nested - 1);
    case 'f':
        a.rc = s->entry->db_cacheflush(s->db);
        return a;
    case 'y':
        return side_look(s, false);
    case 'i':
        return insert(s, position, 400);
    case 'w':
        return insert(s, position, 2400);
    case 'd':
        return run(s, "DELETE FROM t WHERE id=(SELECT min(id) FROM t)");
    case 'e':
        return run(s, "DELETE FROM t WHERE id=(SELECT max(id) FROM t)");
    case 'x':
        return run(s, "DELETE FROM u");
    case 'p':
        return run(s, "UPDATE t SET k=k+1; UPDATE u SET k=k+1");
    case 'a':
        return abort_midway(s, m->now.high);
    case 'v':
        return run(s, "PRAGMA incremental_vacuum(2)");
    case 'm':
        return checkpoint(s, SQLITE_CHECKPOINT_PASSIVE);
    case 't':
        return checkpoint(s, SQLITE_CHECKPOINT_TRUNCATE);
    case 'o':
        return reader_begin(s);
    case 'z':
        return reader_end(s);
    default:
        a.rc = SQLITE_MISUSE;
        return a;
    }
}

struct answer side_close(struct side *s)
{
    const struct api *api = &s->entry->api;
    struct answer a = {0};
    if (s->reader != NULL)
        a.rc = api->close(s->reader);
    if (a.rc == SQLITE_OK && s->db != NULL)
        a.rc = api->close(s->db);
    s->db = s->reader = NULL;
    return a;
}

struct counters side_counters(const struct side *s)
{
    struct counters c = {0, 0};
    int high;
    (void)s->entry->db_status(s->db, SQLITE_DBSTATUS_CACHE_WRITE, &c.written, &high, 0);
    (void)s->entry->db_status(s->db, SQLITE_DBSTATUS_CACHE_SPILL, &c.spilled, &high, 0);
    return c;
}

bool answer_same(const struct answer *a, const struct answer *b)
{
    return a->rc == b->rc && a->rows == b->rows && a->hash.high == b->hash.high &&
           a->hash.low == b->hash.low;
}
