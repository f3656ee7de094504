/*
** config.c: tiny databases.
**
** Rows fill a page each, so that each DELETE of a row empties a page. The page
** numbers in a free-list that is there from the beginning are below those of t,
** above those of u.
*/
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"

#define FULL_ALPHABET "bcksrlfyiwdexpamtoz"
#define SMALL_ALPHABET "bcksrlfyidexpa"

const struct config configs[] = {
    {"leaves", "a trunk and four leaves are free", FULL_ALPHABET, 0, "OFF", 100, 5, 5, true},
    {"nofree", "no page is free", FULL_ALPHABET, 0, "OFF", 100, 5, 0, true},
    {"tiny", "likewise, and a cache of few pages that spills by itself", FULL_ALPHABET, 0,
     "OFF", 3, 5, 0, true},
    {"trunk", "a trunk that has room for one leaf more", SMALL_ALPHABET "t", 0, "OFF", 200, 5,
     120, true},
    {"full", "auto_vacuum=FULL", FULL_ALPHABET, 1, "OFF", 100, 5, 0, true},
    {"incremental", "auto_vacuum=INCREMENTAL, a trunk and four leaves are free",
     FULL_ALPHABET "v", 2, "OFF", 100, 5, 5, true},
    {"fast", "secure_delete=FAST, a trunk and four leaves are free", FULL_ALPHABET, 0, "FAST",
     100, 5, 5, true},
    {"secure", "secure_delete=ON, a trunk and four leaves are free", FULL_ALPHABET, 0, "ON",
     100, 5, 5, true},
    {"rollback", "journal_mode=DELETE, a trunk and four leaves are free", SMALL_ALPHABET, 0,
     "OFF", 100, 5, 5, false},
    {NULL, NULL, NULL, 0, NULL, 0, 0, 0, false},
};

const struct config *config_find(const char *name)
{
    for (const struct config *c = configs; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

char *config_opening(const struct config *c)
{
    return mem_format("PRAGMA synchronous=OFF; PRAGMA cache_size=%d; PRAGMA secure_delete=%s;"
                      "PRAGMA wal_autocheckpoint=0",
                      c->cache_size, c->secure_delete);
}

int config_build(const struct config *c, const struct entry *entry, const char *path,
                 unsigned char **bytes, size_t *size, struct fail *f)
{
    sqlite3 *db = NULL;
    char *sql =
        mem_format("PRAGMA page_size=%d; PRAGMA auto_vacuum=%d; PRAGMA synchronous=OFF;"
                   "CREATE TABLE u(id INTEGER PRIMARY KEY, k INT, v);"
                   "CREATE TABLE t(id INTEGER PRIMARY KEY, k INT, v);"
                   "CREATE TABLE gone(v);"
                   "INSERT INTO u(k,v) VALUES(1,printf('%%0400d',1)),(2,printf('%%0400d',2)),"
                   "(3,printf('%%0400d',3));"
                   "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x<%d)"
                   "INSERT INTO gone SELECT printf('%%0400d',x) FROM c WHERE %d>0;"
                   "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x<%d)"
                   "INSERT INTO t SELECT x,x,printf('%%0400d',x*77) FROM c;"
                   "DELETE FROM gone; PRAGMA journal_mode=%s",
                   PAGE_SIZE, c->auto_vacuum, c->free_pages, c->free_pages, c->rows,
                   c->wal ? "WAL" : "DELETE");
    int rc = entry->api.open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (rc == SQLITE_OK)
        rc = entry->exec(db, sql, NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        fail_set(f, STATUS_UNUSABLE, "making the database: %s", entry->api.errmsg(db));
    (void)entry->api.close(db);
    free(sql);
    if (f->status == 0 && !file_read(path, bytes, size))
        fail_set(f, STATUS_UNUSABLE, "cannot read '%s'", path);
    return f->status;
}
