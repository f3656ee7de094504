/*
** workload_daily.c: workloads of applications that keep what is recent.
*/
#include "workload.h"

const struct workload workload_daily[] = {
    {.name = "retention",
     .pattern = "1",
     .what = "heartbeats; each night those older than 14 days go, in BEGIN ... COMMIT",
     .rows = 28000,
     .rounds = 10,
     .lean = true,
     .build =
         {{.sql = "CREATE TABLE heartbeat(id INTEGER PRIMARY KEY, monitor INT, status INT, "
                  "msg TEXT, time DATETIME NOT NULL, ping INT)"},
          {.sql = "CREATE INDEX heartbeat_time ON heartbeat(time)"},
          {.sql =
               "INSERT INTO heartbeat VALUES(?1, ?2%40, 1, printf('200 OK %.*c', ?4%80, 'm'), "
               "datetime('2026-01-01', (?1*1209600/?5)||' seconds'), ?4%500)",
           .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "INSERT INTO heartbeat VALUES(?5+?1, ?2%40, 1, "
                       "printf('200 OK %.*c', ?4%80, 'm'), "
                       "datetime('2026-01-01', ((?5+?1)*1209600/?5)||' seconds'), ?4%500)",
                .per = 14},
               {.sql = "COMMIT"},
               {.sql = "BEGIN"},
               {.sql = "DELETE FROM heartbeat WHERE time < "
                       "datetime('2026-01-16', ?3||' days', '-14 days')"},
               {.sql = "COMMIT"}}},

    {.name = "partitions",
     .pattern = "2",
     .what = "log with AUTOINCREMENT and three indexes; 128 rows in, the oldest of the "
             "partition out",
     .rows = 20480,
     .rounds = 60,
     .auto_vacuum = "incremental",
     .lean = true,
     .build =
         {{.sql = "CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT, part INT, time INT, "
                  "level INT, size INT, msg TEXT)"},
          {.sql = "CREATE INDEX log_part ON log(part, id)"},
          {.sql = "CREATE INDEX log_time ON log(time)"},
          {.sql = "CREATE INDEX log_bad ON log(level, id) WHERE level>=3"},
          {.sql = "INSERT INTO log SELECT NULL, (?1-1)/128%8, ?1, ?2%5, n, "
                  "printf('%.*c', n, 'm') FROM (SELECT 100+?4%100 AS n)",
           .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "INSERT INTO log SELECT NULL, ?3%8, ?5+?1, ?2%5, n, "
                       "printf('%.*c', n, 'm') FROM (SELECT 100+?4%100 AS n)",
                .times = 128},
               {.sql = "DELETE FROM log WHERE id IN (SELECT id FROM (SELECT id, sum(size) OVER "
                       "(ORDER BY id DESC) AS total FROM log WHERE part=?3%8) "
                       "WHERE total>?5/8*150)"},
               {.sql = "COMMIT"}}},

    {.name = "trigger-cache",
     .pattern = "3",
     .what = "cache with a size cap that AFTER INSERT triggers keep",
     .rows = 4000,
     .rounds = 40,
     .lean = true,
     .subjournal_differs = true,
     .reason =
         "when the rows of neighbouring pages are moved together, the page that is left over "
         "is freed as it is. If it was modified earlier in the transaction, but not by this "
         "statement, it has to be copied to the sub-journal before it can be left out.",
     .build =
         {{.sql = "CREATE TABLE cache(id INTEGER PRIMARY KEY, key TEXT, value TEXT)"},
          {.sql = "CREATE TABLE total(bytes INT, cap INT)"},
          {.sql = "INSERT INTO cache VALUES(?1, printf('%x', ?2), printf('%.*c', "
                  "200+?4%800, 'v'))",
           .per = 1},
          {.sql = "INSERT INTO total SELECT sum(length(value)), sum(length(value)) FROM cache"},
          {.sql = "CREATE TRIGGER cache_out AFTER DELETE ON cache BEGIN "
                  "UPDATE total SET bytes=bytes-length(old.value); END"},
          {.sql = "CREATE TRIGGER cache_in AFTER INSERT ON cache BEGIN "
                  "UPDATE total SET bytes=bytes+length(new.value); "
                  "DELETE FROM cache WHERE id IN (SELECT id FROM cache ORDER BY id LIMIT "
                  "(SELECT CASE WHEN bytes>cap THEN 3 ELSE 0 END FROM total)); END"}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "INSERT INTO cache VALUES(?5+?1, printf('%x', ?2), "
                       "printf('%.*c', 200+?4%800, 'v'))",
                .times = 100},
               {.sql = "COMMIT"}}},

    {.name = "cascade",
     .pattern = "4",
     .what = "parent rows deleted with ON DELETE CASCADE over an indexed child table",
     .rows = 2000,
     .rounds = 10,
     .lean = true,
     .build = {{.sql = "CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT)"},
               {.sql =
                    "CREATE TABLE child(id INTEGER PRIMARY KEY, parent INT REFERENCES parent "
                    "ON DELETE CASCADE, body TEXT)"},
               {.sql = "CREATE INDEX child_parent ON child(parent)"},
               {.sql = "INSERT INTO parent VALUES(?1, printf('%x', ?2))", .per = 1},
               {.sql =
                    "INSERT INTO child VALUES(?1, (?1-1)/20+1, printf('%.*c', 50+?4%100, 'c'))",
                .times = 20,
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "DELETE FROM parent WHERE id<=(?3+1)*?5/20"},
               {.sql = "COMMIT"},
               {.sql = "DELETE FROM parent WHERE id BETWEEN ?5-?3*?5/40-?5/40+1 AND "
                       "?5-?3*?5/40"}}},

    {.name = "queue",
     .pattern = "5",
     .what = "work queue: DELETE of the n oldest with RETURNING, many small transactions",
     .rows = 8000,
     .rounds = 50,
     .lean = true,
     .build = {{.sql = "CREATE TABLE job(id INTEGER PRIMARY KEY, state INT, payload TEXT)"},
               {.sql = "INSERT INTO job VALUES(?1, 0, printf('%x %.*c', ?2, 100+?4%200, 'j'))",
                .per = 1}},
     .steps = {{.sql = "DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY id LIMIT 20) "
                       "RETURNING id, payload"},
               {.sql = "BEGIN IMMEDIATE"},
               {.sql = "DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY id LIMIT 50) "
                       "RETURNING id, payload"},
               {.sql = "COMMIT"},
               {.sql =
                    "INSERT INTO job VALUES(?5+?1, 0, printf('%x %.*c', ?2, 100+?4%200, 'j'))",
                .times = 2}}},

    {.name = "purge",
     .pattern = "6",
     .what = "ids purged 500 at a time after an UPDATE nulls a column that refers to them",
     .rows = 20000,
     .rounds = 4,
     .lean = true,
     .subjournal_differs = true,
     .reason =
         "when the rows of neighbouring pages are moved together, the page that is left over "
         "is freed as it is. If it was modified earlier in the transaction, but not by this "
         "statement, it has to be copied to the sub-journal before it can be left out.",
     .build =
         {{.sql = "CREATE TABLE event(id INTEGER PRIMARY KEY, old INT REFERENCES event, "
                  "data TEXT)"},
          {.sql = "CREATE INDEX event_old ON event(old)"},
          {.sql = "INSERT INTO event VALUES(?1, nullif(max(?1-5, 0), 0), printf('%x %.*c', ?2, "
                  "100+?4%100, 'e'))",
           .per = 1}},
     .steps =
         {{.sql = "BEGIN"},
          {.sql = "UPDATE event SET old=NULL WHERE old IN "
                  "(SELECT id FROM event ORDER BY id LIMIT ?5/10)"},
          {.sql = "DELETE FROM event WHERE id IN (SELECT id FROM event ORDER BY id LIMIT 500)",
           .times = 1,
           .per = 5000},
          {.sql = "COMMIT"}}},

    {.name = "orm",
     .pattern = "7",
     .what = "nested savepoints, all of them released, one COMMIT",
     .rows = 10000,
     .rounds = 10,
     .lean = true,
     .build = {{.sql = "CREATE TABLE item(id INTEGER PRIMARY KEY, n INT, body TEXT)"},
               {.sql = "INSERT INTO item VALUES(?1, 0, printf('%x %.*c', ?2, 100+?4%100, 'i'))",
                .per = 1}},
     .steps = {{.sql = "BEGIN"},
               {.sql = "SAVEPOINT a"},
               {.sql = "DELETE FROM item WHERE id<=(?3+1)*?5/20"},
               {.sql = "SAVEPOINT b"},
               {.sql = "INSERT INTO item VALUES(?5+?1, 1, printf('%x %.*c', ?2, 100+?4%100, "
                       "'i'))",
                .per = 100},
               {.sql = "RELEASE b"},
               {.sql = "SAVEPOINT c"},
               {.sql = "UPDATE item SET n=n+1 WHERE id>?5-?5/100"},
               {.sql = "RELEASE c"},
               {.sql = "DELETE FROM item WHERE id BETWEEN ?5/2+?3*?5/40 AND "
                       "?5/2+(?3+1)*?5/40"},
               {.sql = "RELEASE a"},
               {.sql = "COMMIT"}}},
    {.name = NULL},
};
