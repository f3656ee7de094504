/*
** scan_job.c: what an arm process does for `walbench scan`: one scan, warm or cold, with
** nothing but page 1 and the schema in the library's own cache.
*/
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "residency.h"
#include "scan.h"

static int set_up(struct arm *arm, const struct db *db, struct fail *f)
{
    const char *cache = arm_text(arm, "cache_size", f);
    if (f->status != 0 || arm_pragma(arm, db, "journal_mode", NULL, "delete", f) != 0 ||
        arm_pragma(arm, db, "mmap_size", "0", "0", f) != 0 ||
        arm_pragma(arm, db, "cache_size", strcmp(cache, "default") == 0 ? NULL : cache, NULL,
                   f) != 0 ||
        arm_pragma(arm, db, "auto_vacuum", NULL, NULL, f) != 0)
        return f->status;
    return arm_pragma(arm, db, "page_size", NULL, arm_text(arm, "page_size", f), f);
}

/* A plan of one step, which is the scan that is meant. */
static int check_plan(const struct db *db, const char *sql, const char *want, struct fail *f)
{
    sqlite3_stmt *s;
    char *explain = mem_format("EXPLAIN QUERY PLAN %s", sql);
    if (db_prepare(db, explain, &s, f) == 0) {
        int steps = 0, right = 0, rc;
        while ((rc = db->api->step(s)) == SQLITE_ROW) {
            const char *detail = (const char *)db->api->column_text(s, 3);
            steps++;
            /* Older releases say SCAN TABLE log. */
            right += detail != NULL && strncmp(detail, "SCAN ", 5) == 0 &&
                     strlen(detail) >= strlen(want) &&
                     strcmp(detail + strlen(detail) - strlen(want), want) == 0;
        }
        if (rc != SQLITE_DONE)
            db_failed(db, explain, f);
        else if (steps != 1 || right != 1)
            fail_set(f, STATUS_MISMATCH, "the library does not plan '%s' as a scan of %s", sql,
                     want);
        (void)db->api->finalize(s);
    }
    free(explain);
    return f->status;
}

/* Brings the file into memory or out of it, and makes sure. */
static int prime(struct arm *arm, int fd, bool cold, struct fail *f)
{
    struct residency r;
    if ((cold ? residency_drop(fd, &r, f) : residency_fill(fd, &r, f)) != 0)
        return f->status;
    arm_say_int(arm, "resident", r.resident);
    if (cold && r.resident > 0)
        return fail_set(f, STATUS_MISMATCH,
                        "%" PRId64 " of %" PRId64 " pages stayed in memory: no cold scan",
                        r.resident, r.pages);
    return 0;
}

static int scan(struct arm *arm, const struct db *db, int fd, struct fail *f)
{
    static const struct {
        const char *sql, *plan;
    } scans[SCANS] = {{"SELECT sum(length(payload)) FROM log", " log"},
                      {"SELECT sum(key & 1048575) FROM log INDEXED BY log_key",
                       "log USING COVERING INDEX log_key"}};
    _Static_assert(SCAN_KEY_MASK == 1048575, "the query has the mask in decimal");
    bool cold = strcmp(arm_text(arm, "memory", f), "cold") == 0;
    int which = strcmp(arm_text(arm, "scan", f), scan_names[SCAN_INDEX]) == 0;
    int64_t tables;
    sqlite3_stmt *s;
    if (f->status != 0 || db_exec(db, f, "BEGIN") != 0 ||
        db_int(db, "SELECT count(*) FROM sqlite_schema", &tables, f) != 0 ||
        check_plan(db, scans[which].sql, scans[which].plan, f) != 0 ||
        db_prepare(db, scans[which].sql, &s, f) != 0)
        return f->status;
    const struct shim_count *now = &arm->shim.count[SHIM_SCAN][SHIM_DATABASE];
    if (prime(arm, fd, cold, f) == 0) {
        const struct shim_count before = *now;
        int64_t start = clock_now();
        int rc = arm->api.step(s);
        int64_t end = clock_now();
        if (rc != SQLITE_ROW) {
            db_failed(db, scans[which].sql, f);
        } else {
            arm_say_int(arm, "answer", arm->api.column_int64(s, 0));
            arm_say_int(arm, "nanoseconds", end - start);
            arm_say_int(arm, "reads", (int64_t)(now->reads - before.reads));
            arm_say_int(arm, "bytes_read", (int64_t)(now->bytes_read - before.bytes_read));
            arm_say_int(arm, "read_jumps", (int64_t)(now->read_jumps - before.read_jumps));
        }
    }
    (void)arm->api.finalize(s);
    return db_exec(db, f, "COMMIT");
}

int job_scan(struct arm *arm, struct fail *f)
{
    struct db db;
    const char *path = arm_text(arm, "path", f);
    /* Closed after the connection: closing it drops the locks that the process has. */
    int fd = f->status == 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return fail_set(f, STATUS_MISMATCH, "cannot open the database: %s", strerror(errno));
    arm->shim.phase = SHIM_SCAN;
    if (db_open(&db, &arm->api, path, f) == 0) {
        if (set_up(arm, &db, f) == 0)
            (void)scan(arm, &db, fd, f);
        (void)db_close(&db, f);
    }
    (void)close(fd);
    return f->status;
}
