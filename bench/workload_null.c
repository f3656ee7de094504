/*
** workload_null.c: the null controls, in which nothing can be saved and nothing
** may be lost.
*/
#include "workload.h"

const struct workload workload_null[] = {
    {.name = "null-every-second",
     .pattern = "null",
     .what = "every second row deleted",
     .rows = 10000,
     .rounds = 1,
     .null_share = 1,
     .lean = true,
     .build = {{.sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)"},
               {.sql = "INSERT INTO t VALUES(?1, printf('%010x %.*c', ?2, 150, 'n'))",
                .per = 1}},
     .steps = {{.sql = "DELETE FROM t WHERE id%2=0"}}},

    {.name = "null-random-eviction",
     .pattern = "null",
     .what = "rows deleted at random",
     .rows = 10000,
     .rounds = 4,
     .null_share = 1,
     .lean = true,
     .build = {{.sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)"},
               {.sql = "INSERT INTO t VALUES(?1, printf('%x %.*c', ?2, 100+?4%100, 'n'))",
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "DELETE FROM t WHERE id=?2%?5+1", .per = 20},
               {.sql = "COMMIT"}}},

    {.name = "null-delete-then-insert",
     .pattern = "null",
     .what = "the oldest rows deleted, then as many inserted, in one transaction",
     .rows = 30000,
     .rounds = 10,
     .null_share = 1,
     .lean = true,
     .reason = "what is free is used again at once. The frames not needed are those of page 1, "
               "when its free-list count has come back to what it was.",
     .build = {{.sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)"},
               {.sql = "INSERT INTO t VALUES(?1, printf('%010x %.*c', ?2, 150, 'n'))",
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "DELETE FROM t WHERE id<=(?3+1)*?5/20"},
               {.sql = "INSERT INTO t VALUES(?5+?1, printf('%010x %.*c', ?2, 150, 'n'))",
                .per = 20},
               {.sql = "COMMIT"}}},

    {.name = "null-uuid",
     .pattern = "null",
     .what = "WITHOUT ROWID table keyed by random UUIDs, the oldest deleted",
     .rows = 10000,
     .rounds = 4,
     .null_share = 0.99,
     .reason =
         "now and then a page has so few rows left that it is merged with its neighbours, "
         "and then it is free.",
     .lean = true,
     .build = {{.sql = "CREATE TABLE t(uuid TEXT PRIMARY KEY, made INT, body TEXT) WITHOUT "
                       "ROWID"},
               {.sql = "INSERT INTO t VALUES(printf('%010x%010x', ?2, ?4), ?1, "
                       "printf('%.*c', 100+?4%100, 'n'))",
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "DELETE FROM t WHERE made<=(?3+1)*?5/20"},
               {.sql = "COMMIT"}}},

    {.name = "null-secure-delete",
     .pattern = "null",
     .what = "secure_delete=ON: the oldest rows deleted, free pages hold zeros",
     .rows = 10000,
     .rounds = 5,
     .secure_delete = "on",
     .null_share = 1,
     .reason =
         "the zeros on free pages are meant to be written, but are not counted as needed.",
     .build = {{.sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)"},
               {.sql = "INSERT INTO t VALUES(?1, printf('%x %.*c', ?2, 100+?4%100, 'n'))",
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "DELETE FROM t WHERE id<=abs((?3+1)*?5/20)"},
               {.sql = "COMMIT"}}},
    {.name = NULL},
};
