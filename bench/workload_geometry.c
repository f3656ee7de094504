/*
** workload_geometry.c: one mixed workload on pages of 512, 1024 and 65536 bytes,
** in caches of 2, 10 and 50 pages that may spill or not.
*/
#include "workload.h"

static const char spilled[] =
    "the cache thrashes: pages are logged to make room while the DELETE has not yet emptied "
    "them, and that frame cannot be taken back when they become free. With cache_spill=OFF "
    "there is none of these.";

#define GEOMETRY(size, cache, spill, thrashes)                                                \
    {                                                                                         \
        .name = "geometry-" #size "-" #cache "-" spill, .group = "geometry", .pattern = "8",  \
        .what = "pages of " #size ", cache of " #cache ", spill " spill, .rows = 20000,       \
        .rounds = 4, .page_size = size, .cache_size = cache, .spill_off = spill[1] == 'f',    \
        .lean = !(thrashes), .reason = (thrashes) ? spilled : NULL,                           \
        .build = {{.sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, n INT, body TEXT)"},        \
                  {.sql = "CREATE INDEX t_n ON t(n)"},                                        \
                  {.sql =                                                                     \
                       "INSERT INTO t VALUES(?1, ?1, printf('%x %.*c', ?2, 50+?4%100, 'g'))", \
                   .per = 1}},                                                                \
        .steps = {                                                                            \
            {.sql = "BEGIN"},                                                                 \
            {.sql =                                                                           \
                 "INSERT INTO t VALUES(?5+?1, ?5+?1, printf('%x %.*c', ?2, 50+?4%100, 'g'))", \
             .per = 40},                                                                      \
            {.sql = "DELETE FROM t WHERE id<=abs((?3+1)*?5/8)"},                              \
            {.sql = "UPDATE t SET body=body||'+' WHERE id BETWEEN ?5*3/4 AND ?5*3/4+?5/100"}, \
            {.sql = "COMMIT"},                                                                \
        }                                                                                     \
    }

#define CACHES(size, ten_thrashes)                                                \
    GEOMETRY(size, 2, "on", true), GEOMETRY(size, 2, "off", false),               \
        GEOMETRY(size, 10, "on", ten_thrashes), GEOMETRY(size, 10, "off", false), \
        GEOMETRY(size, 50, "on", false), GEOMETRY(size, 50, "off", false)

const struct workload workload_geometry[] = {
    CACHES(512, true),
    CACHES(1024, true),
    CACHES(65536, false),
    {.name = NULL},
};
