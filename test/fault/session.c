/*
** session.c: plays the steps of a scenario.
*/
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "content.h"
#include "file.h"

static int run(const struct entry *entry, sqlite3 *db, const char *sql)
{
    struct record r;
    memset(&r, 0, sizeof r);
    content_statement(&entry->api, db, sql, false, &r);
    return r.rc;
}

static int run_all(const struct entry *entry, sqlite3 *db, const char *const *sql)
{
    int rc = SQLITE_OK;
    for (int i = 0; sql[i] != NULL && rc == SQLITE_OK; i++)
        rc = run(entry, db, sql[i]);
    return rc;
}

static int content(const struct entry *entry, sqlite3 *db, struct hash_value *hash)
{
    struct record r;
    memset(&r, 0, sizeof r);
    content_read(&entry->api, db, false, &r);
    *hash = r.hash;
    return r.rc;
}

static int open_one(const struct session *s, sqlite3 **db)
{
    static const char *const opening[] = {"PRAGMA wal_autocheckpoint = 0",
                                          "PRAGMA synchronous = FULL",
                                          "PRAGMA secure_delete = OFF", NULL};
    const struct api *api = &s->entry->api;
    char cache[64];
    (void)snprintf(cache, sizeof cache, "PRAGMA cache_size = %d", s->scenario->cache_size);
    int rc = api->open_v2(s->file, db, SQLITE_OPEN_READWRITE, NULL);
    if (rc == SQLITE_OK)
        rc = api->extended_result_codes(*db, 1);
    if (rc == SQLITE_OK)
        rc = run_all(s->entry, *db, opening);
    if (rc == SQLITE_OK)
        rc = run(s->entry, *db, cache);
    if (rc != SQLITE_OK) {
        (void)api->close(*db); /* rc says what is wrong */
        *db = NULL;
    }
    return rc;
}

int session_open(struct session *s)
{
    return open_one(s, &s->db);
}

int session_sql(const struct session *s, const char *sql)
{
    return run(s->entry, s->db, sql);
}

int session_content(const struct session *s, struct hash_value *hash)
{
    return content(s->entry, s->db, hash);
}

bool session_busy(const struct session *s)
{
    return s->db != NULL && s->entry->api.get_autocommit(s->db) == 0;
}

bool session_integrity(const struct session *s)
{
    struct record r;
    memset(&r, 0, sizeof r);
    content_integrity(&s->entry->api, s->db, &r);
    return r.rc == SQLITE_OK && !r.bad;
}

static int close_reader(struct session *s)
{
    int rc = s->entry->api.close(s->reader);
    s->reader = NULL;
    s->reading = false;
    return rc;
}

static int reader_begin(struct session *s)
{
    if (s->reading)
        return SQLITE_OK;
    int rc = open_one(s, &s->reader);
    if (rc != SQLITE_OK)
        return rc;
    rc = run(s->entry, s->reader, "BEGIN");
    if (rc == SQLITE_OK)
        rc = content(s->entry, s->reader, &s->snapshot);
    s->reading = rc == SQLITE_OK;
    if (rc != SQLITE_OK)
        (void)close_reader(s);
    return rc;
}

static int reader_look(struct session *s)
{
    struct hash_value now;
    if (!s->reading)
        return SQLITE_OK;
    int rc = content(s->entry, s->reader, &now);
    if (rc == SQLITE_OK && !hash_same(now, s->snapshot))
        s->reader_wrong = true;
    /* An error may have ended its transaction. */
    if (rc != SQLITE_OK && s->entry->api.get_autocommit(s->reader) != 0)
        (void)close_reader(s);
    return rc;
}

int session_end_reading(struct session *s)
{
    return s->reading ? close_reader(s) : SQLITE_OK;
}

int session_step(struct session *s, int i)
{
    const char *text = s->scenario->step[i];
    text += text[0] == '!';
    if (s->db == NULL || strcmp(text, ".reopen") == 0) {
        int closed = s->entry->api.close(s->db);
        s->db = NULL;
        int opened = closed == SQLITE_OK ? session_open(s) : closed;
        if (opened != SQLITE_OK || strcmp(text, ".reopen") == 0)
            return opened;
    }
    if (strcmp(text, ".flush") == 0)
        return s->entry->db_cacheflush(s->db);
    if (strcmp(text, ".begin") == 0)
        return reader_begin(s);
    if (strcmp(text, ".look") == 0)
        return reader_look(s);
    if (strcmp(text, ".end") == 0)
        return session_end_reading(s);
    return session_sql(s, text);
}

int session_work(const struct session *s)
{
    static const char *const work[] = {
        "BEGIN",
        "DELETE FROM t1 WHERE a%5=2 AND a<>110",
        "INSERT INTO t1(a,b) SELECT a+100000, 'w'||b FROM t1 WHERE a%5=3",
        "SAVEPOINT work",
        "UPDATE t1 SET b = b||'w' WHERE a%3=0",
        "ROLLBACK TO work",
        "COMMIT",
        NULL};
    return run_all(s->entry, s->db, work);
}

int session_close(struct session *s)
{
    int rc = s->reader != NULL ? close_reader(s) : SQLITE_OK;
    int closed = s->entry->api.close(s->db);
    s->db = NULL;
    return rc != SQLITE_OK ? rc : closed;
}

int session_build(const struct entry *entry, const struct scenario *scenario, const char *file)
{
    const struct api *api = &entry->api;
    sqlite3 *db = NULL;
    char *fill = mem_format(
        "WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<%d)"
        " INSERT INTO t1 SELECT i, substr(printf('%%d-%%.*c', i, %d, 'x'), 1, %d), i*7 FROM s",
        scenario->rows, scenario->width, scenario->width);
    char *settings = mem_copy(scenario->settings);
    session_remove(file);
    int rc = api->open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    for (char *one = strtok(settings, ";"); one != NULL && rc == SQLITE_OK;
         one = strtok(NULL, ";"))
        rc = run(entry, db, one);
    const char *const rest[] = {
        "PRAGMA journal_mode = wal",
        "CREATE TABLE t1(a INTEGER PRIMARY KEY, b TEXT, c INT UNIQUE CHECK(c>0))", fill,
        scenario->setup ? scenario->setup : "PRAGMA wal_checkpoint(TRUNCATE)", NULL};
    if (rc == SQLITE_OK)
        rc = run_all(entry, db, rest);
    int closed = api->close(db);
    free(settings);
    free(fill);
    return rc != SQLITE_OK ? rc : closed;
}

static void beside(char path[64], const char *file, const char *tail)
{
    (void)snprintf(path, 64, "%s%s", file, tail);
}

bool session_copy(const char *from, const char *to)
{
    char a[64], b[64];
    session_remove(to);
    beside(a, from, "-wal");
    beside(b, to, "-wal");
    return file_copy_if_any(from, to) && file_copy_if_any(a, b);
}

void session_remove(const char *file)
{
    static const char *const tail[] = {"", "-wal", "-shm", "-journal"};
    char path[64];
    for (size_t i = 0; i < sizeof tail / sizeof tail[0]; i++) {
        beside(path, file, tail[i]);
        (void)unlink(path); /* most of them do not exist */
    }
}

bool hash_same(struct hash_value a, struct hash_value b)
{
    return a.high == b.high && a.low == b.low;
}
