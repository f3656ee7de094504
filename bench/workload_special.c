/*
** workload_special.c: other kinds of tables, a reader that stays, and one very
** large DELETE.
*/
#include "workload.h"

const struct workload workload_special[] = {
    {.name = "without-rowid",
     .pattern = "11",
     .what = "WITHOUT ROWID table keyed by time, the oldest deleted",
     .rows = 20000,
     .rounds = 10,
     .lean = true,
     .build = {{.sql =
                    "CREATE TABLE event(time INT, seq INT, body TEXT, PRIMARY KEY(time, seq)) "
                    "WITHOUT ROWID"},
               {.sql =
                    "INSERT INTO event VALUES(?1/10, ?1%10, printf('%x %.*c', ?2, 50+?4%100, "
                    "'e'))",
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "INSERT INTO event VALUES((?5+?1)/10, (?5+?1)%10, printf('%x %.*c', ?2, "
                       "50+?4%100, 'e'))",
                .per = 20},
               {.sql = "DELETE FROM event WHERE time<abs((?3+1)*?5/200)"},
               {.sql = "COMMIT"}}},

    {.name = "fts5",
     .pattern = "11",
     .what = "full-text index: the oldest documents deleted, then optimize",
     .rows = 3000,
     .rounds = 5,
     .needs = "ENABLE_FTS5",
     .lean = true,
     .build = {{.sql = "CREATE VIRTUAL TABLE doc USING fts5(title, body)"},
               {.sql = "INSERT INTO doc(rowid, title, body) VALUES(?1, printf('t%d', ?1), "
                       "printf('w%d w%d w%d w%d w%d w%d w%d w%d', ?2%997, ?2%1009, ?2%1013, "
                       "?2%1019, ?4%997, ?4%1009, ?4%1013, ?4%1019))",
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "DELETE FROM doc WHERE rowid<=(?3+1)*?5/20"},
               {.sql = "COMMIT"},
               {.sql = "INSERT INTO doc(doc) VALUES('optimize')"}}},

    {.name = "old-reader",
     .pattern = "12",
     .what = "rolling log beside a reader on an old snapshot; no checkpoint can finish",
     .rows = 10000,
     .rounds = 20,
     .reader = "SELECT count(*)||' '||sum(id)||' '||sum(length(body)) FROM log",
     .lean = true,
     .build = {{.sql = "CREATE TABLE log(id INTEGER PRIMARY KEY, body TEXT)"},
               {.sql = "INSERT INTO log VALUES(?1, printf('%x %.*c', ?2, 100+?4%100, 'l'))",
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "INSERT INTO log VALUES(?5+?1, printf('%x %.*c', ?2, 100+?4%100, 'l'))",
                .per = 50},
               {.sql = "DELETE FROM log WHERE id<=abs((?3+1)*?5/50)"},
               {.sql = "COMMIT"}}},

    {.name = "big-delete",
     .pattern = "13",
     .what = "one DELETE of 25 in 26 log rows (2.5 million with --full)",
     .rows = 260000,
     .rows_in_full = 2600000,
     .rounds = 1,
     .lean = true,
     .build = {{.sql = "CREATE TABLE log(id INTEGER PRIMARY KEY, time INT, msg TEXT)"},
               {.sql = "INSERT INTO log VALUES(?1, ?1, printf('%x %.*c', ?2, 30+?4%100, 'm'))",
                .per = 1}},
     .steps = {{.sql = "DELETE FROM log WHERE id<=?5/26*25"}}},
    {.name = NULL},
};
