/*
** trace_job.c: what an arm process does for `walbench trace`: two transactions whose
** calls are recorded, or many that are timed.
**
** Progress is said before, between and after the two, and nothing else: it shows where
** they are to whoever watches the calls of this process from outside.
*/
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "clock.h"
#include "command.h"
#include "flushes.h"
#include "trace.h"

static int set_up(struct arm *arm, const struct db *db, struct fail *f)
{
    static const char *const codes[] = {"off", "normal", "full", "extra"};
    const char *journal = arm_text(arm, "journal_mode", f);
    const char *synchronous = arm_text(arm, "synchronous", f);
    char want[2] = "";
    for (int i = 0; i < 4; i++)
        if (strcmp(codes[i], synchronous) == 0)
            want[0] = (char)('0' + i);
    if (f->status != 0 || arm_pragma(arm, db, "journal_mode", journal, journal, f) != 0 ||
        arm_pragma(arm, db, "synchronous", synchronous, want, f) != 0 ||
        arm_pragma(arm, db, "auto_vacuum", NULL, "0", f) != 0 ||
        arm_pragma(arm, db, "secure_delete", NULL, NULL, f) != 0 ||
        arm_pragma(arm, db, "cache_size", NULL, NULL, f) != 0 ||
        arm_pragma(arm, db, "wal_autocheckpoint", NULL, NULL, f) != 0 ||
        arm_pragma(arm, db, "locking_mode", NULL, "normal", f) != 0)
        return f->status;
    return arm_pragma(arm, db, "page_size", NULL, arm_text(arm, "page_size", f), f);
}

static void say(struct arm *arm, const char *which, const struct calls *calls)
{
    char name[40];
    char *text = calls_print(calls);
    (void)snprintf(name, sizeof name, "%s.calls", which);
    arm_say_text(arm, name, text);
    (void)snprintf(name, sizeof name, "%s.syncs", which);
    arm_say_int(arm, name, calls_syncs(calls));
    (void)snprintf(name, sizeof name, "%s.bytes", which);
    arm_say_int(arm, name, calls_bytes(calls));
    free(text);
}

static int insert(const struct db *db, int64_t number, struct fail *f)
{
    return db_exec(db, f, "INSERT INTO t(v) VALUES('row %d')", (int)number);
}

/* Opening the database belongs to the first transaction. */
static int record(struct arm *arm, struct db *db, const char *path, struct fail *f)
{
    struct calls calls;
    static const char *const which[TRACE_WHICH] = {"first", "next"};
    if (calls_begin(&calls, &arm->shim, path, f) != 0)
        return f->status;
    arm->shim.phase = SHIM_COMMIT;
    for (int i = 0; f->status == 0 && i < TRACE_WHICH; i++) {
        arm_say_progress(arm, i, TRACE_WHICH);
        calls.on = true;
        if (i > 0 || (db_open(db, &arm->api, path, f) == 0 && set_up(arm, db, f) == 0))
            (void)insert(db, i + 1, f);
        calls.on = false;
        arm_say_progress(arm, i + 1, TRACE_WHICH);
        if (f->status == 0 && calls_match(&calls, &arm->shim, SHIM_COMMIT, f) == 0)
            say(arm, which[i], &calls);
        memset(arm->shim.count, 0, sizeof arm->shim.count);
        calls.count = 0;
        (void)fflush(arm->out);
    }
    calls_end(&calls);
    calls_free(&calls);
    return f->status;
}

static int run_timed(struct arm *arm, const struct db *db, int64_t transactions, struct fail *f)
{
    sqlite3_stmt *stmt;
    int64_t rows = 0;
    const char *disk = arm_text(arm, "disk", f);
    if (f->status != 0 ||
        db_prepare(db, "INSERT INTO t(v) VALUES('a single row')", &stmt, f) != 0)
        return f->status;
    int64_t flushes = *disk ? flushes_read(disk) : -1, start = clock_now();
    for (int64_t i = 0; f->status == 0 && i < transactions; i++)
        (void)db_run(db, stmt, f);
    int64_t time = clock_now() - start, after = *disk ? flushes_read(disk) : -1;
    (void)arm->api.finalize(stmt);
    if (db_int(db, "SELECT count(*) FROM t", &rows, f) == 0 && rows != transactions)
        return fail_set(f, STATUS_MISMATCH, "not every transaction left a row");
    arm_say_int(arm, "nanoseconds", time);
    if (*disk && (flushes < 0 || after < flushes))
        return fail_set(f, STATUS_MISMATCH, "cannot read the flushes of %s", disk);
    arm_say_int(arm, "flushes", after - flushes);
    return f->status;
}

int job_trace(struct arm *arm, struct fail *f)
{
    struct db db = {NULL, NULL};
    const char *path = arm_text(arm, "path", f);
    int64_t transactions = arm_int(arm, "transactions", f);
    arm->shim.page_size = (uint32_t)arm_int(arm, "page_size", f);
    if (f->status != 0)
        return f->status;
    if (transactions == 0)
        (void)record(arm, &db, path, f);
    else if (db_open(&db, &arm->api, path, f) == 0 && set_up(arm, &db, f) == 0)
        (void)run_timed(arm, &db, transactions, f);
    if (db.handle != NULL)
        (void)db_close(&db, f);
    return f->status;
}
