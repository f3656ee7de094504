/*
** checkpoint_job.c: what an arm process does for `walbench checkpoint`: it fills a log and
** times the checkpoint of it. A log that is empty, or is in the database already, is not
** timed: that is a failure.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "clock.h"
#include "scratch.h"

static int set_up(struct arm *arm, const struct db *db, struct fail *f)
{
    static const char *const read_only[] = {"cache_size", "auto_vacuum", "locking_mode",
                                            "secure_delete"};
    const char *page_size = arm_text(arm, "page_size", f);
    const char *automatic = arm_text(arm, "autocheckpoint", f);
    if (f->status != 0 || arm_pragma(arm, db, "page_size", page_size, page_size, f) != 0 ||
        arm_pragma(arm, db, "journal_mode", "wal", "wal", f) != 0 ||
        arm_pragma(arm, db, "synchronous", arm_text(arm, "synchronous", f), NULL, f) != 0 ||
        arm_pragma(arm, db, "wal_autocheckpoint", automatic, automatic, f) != 0)
        return f->status;
    for (size_t i = 0; f->status == 0 && i < sizeof read_only / sizeof read_only[0]; i++)
        (void)arm_pragma(arm, db, read_only[i], NULL, NULL, f);
    return f->status;
}

static int insert_rows(const struct arm *arm, const struct db *db,
                       const struct text_shape *shape, int64_t rows, int64_t rows_per_commit,
                       struct fail *f)
{
    const struct api *api = &arm->api;
    char key[TEXT_KEY_SIZE];
    char *value = mem_get((size_t)shape->bytes);
    sqlite3_stmt *insert = NULL;
    if (db_exec(db, f, "%s", texts_table(shape)) == 0)
        (void)db_prepare(db, "INSERT INTO t(id, k, v) VALUES(?1, ?2, ?3)", &insert, f);
    for (int64_t id = 1; f->status == 0 && id <= rows; id++) {
        if ((id - 1) % rows_per_commit == 0 && db_exec(db, f, "BEGIN") != 0)
            break;
        int size = texts_key(id, key);
        texts_value(shape, id, 0, value);
        if (api->bind_int64(insert, 1, id) != SQLITE_OK ||
            api->bind_text(insert, 2, key, size, SQLITE_STATIC) != SQLITE_OK ||
            api->bind_text(insert, 3, value, (int)shape->bytes, SQLITE_STATIC) != SQLITE_OK)
            (void)db_failed(db, "binding a row", f);
        else if (db_run(db, insert, f) == 0 && (id % rows_per_commit == 0 || id == rows))
            (void)db_exec(db, f, "COMMIT");
    }
    (void)api->finalize(insert);
    free(value);
    return f->status;
}

static int fill_log(struct arm *arm, const struct db *db, struct fail *f)
{
    struct text_shape shape = {(uint64_t)arm_int(arm, "seed", f),
                               arm_int(arm, "value_bytes", f), true};
    int64_t rows = arm_int(arm, "rows", f), victims = arm_int(arm, "delete", f);
    int64_t rows_per_commit = arm_int(arm, "rows_per_commit", f);
    if (f->status != 0 || insert_rows(arm, db, &shape, rows, rows_per_commit, f) != 0)
        return f->status;
    if (victims > 0 && arm_empty_log(arm, db, f) == 0)
        (void)db_exec(db, f, "DELETE FROM t WHERE id<=%" PRId64, victims);
    return f->status;
}

static int64_t size_beside(const char *path, const char *suffix)
{
    char *file = mem_format("%s%s", path, suffix);
    int64_t size = file_size(file);
    free(file);
    return size < 0 ? 0 : size;
}

struct seen {
    int64_t at[CHECKPOINT_METRICS];
};

/* `left`: are there frames that the database does not have yet? */
static int judge(const struct seen *seen, int mode, bool left, struct fail *f)
{
    const int64_t *at = seen->at;
    bool truncated = mode == SQLITE_CHECKPOINT_TRUNCATE;
    int64_t want = truncated ? 0 : at[FRAMES_BEFORE];
    if (at[SAID_LOG] != want || at[SAID_COPIED] != want)
        return fail_set(f, STATUS_MISMATCH,
                        "a checkpoint of %" PRId64 " frames says %" PRId64 " and %" PRId64
                        ", expected %" PRId64,
                        at[FRAMES_BEFORE], at[SAID_LOG], at[SAID_COPIED], want);
    if (left && at[PAGES_COPIED] == 0)
        return fail_set(f, STATUS_MISMATCH,
                        "the checkpoint of %" PRId64
                        " frames copied nothing: they were in the database already",
                        at[FRAMES_BEFORE]);
    if (at[PAGES_COPIED] > at[FRAMES_BEFORE])
        return fail_set(f, STATUS_MISMATCH,
                        "the checkpoint wrote %" PRId64 " pages from %" PRId64 " frames",
                        at[PAGES_COPIED], at[FRAMES_BEFORE]);
    if (at[WAL_AFTER] != (truncated ? 0 : at[WAL_BEFORE]))
        return fail_set(f, STATUS_MISMATCH,
                        "the checkpoint left a log of %" PRId64 " of %" PRId64 " bytes",
                        at[WAL_AFTER], at[WAL_BEFORE]);
    return 0;
}

static int timed(struct arm *arm, const struct db *db, const char *path, int mode, bool left,
                 struct seen *seen, struct fail *f)
{
    uint64_t frames = 0, bytes;
    int in_log = -1, copied = -1;
    struct shim_count *database = &arm->shim.count[SHIM_CHECKPOINT][SHIM_DATABASE];
    struct shim_count *log = &arm->shim.count[SHIM_CHECKPOINT][SHIM_WAL];
    *seen = (struct seen){{0}};
    if (!shim_log(&arm->shim, &frames, &bytes))
        return fail_set(f, STATUS_MISMATCH, "the log was not begun under the counting VFS");
    if (frames == 0)
        return fail_set(f, STATUS_MISMATCH, "the log is empty: there is nothing to time");
    seen->at[FRAMES_BEFORE] = (int64_t)frames;
    seen->at[WAL_BEFORE] = size_beside(path, "-wal");
    *database = *log = (struct shim_count){0};
    arm->shim.phase = SHIM_CHECKPOINT;
    int64_t start = clock_now();
    int rc = arm->api.wal_checkpoint_v2(db->handle, NULL, mode, &in_log, &copied);
    seen->at[CHECKPOINT_TIME] = clock_now() - start;
    arm->shim.phase = SHIM_OUTSIDE;
    if (rc != SQLITE_OK) /* SQLITE_BUSY among them */
        return db_failed(db, "checkpoint", f);
    seen->at[SAID_LOG] = in_log;
    seen->at[SAID_COPIED] = copied;
    seen->at[PAGES_COPIED] = (int64_t)database->pages;
    seen->at[CHECKPOINT_SYNCS] = (int64_t)(database->syncs + log->syncs);
    seen->at[WAL_AFTER] = size_beside(path, "-wal");
    seen->at[SHM_AFTER] = size_beside(path, "-shm");
    return judge(seen, mode, left, f);
}

static int checkpoints(struct arm *arm, const struct db *db, const char *path, struct fail *f)
{
    static const int modes[CHECKPOINT_RUNS][2] = {
        {SQLITE_CHECKPOINT_PASSIVE, -1},
        {SQLITE_CHECKPOINT_FULL, -1},
        {SQLITE_CHECKPOINT_RESTART, -1},
        {SQLITE_CHECKPOINT_TRUNCATE, -1},
        {SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_TRUNCATE},
    };
    struct seen seen;
    char name[60];
    int64_t run = arm_int(arm, "run", f);
    if (f->status != 0 || run < 0 || run >= CHECKPOINT_RUNS)
        return fail_set(f, STATUS_MISMATCH, "no such run");
    for (int place = 0; f->status == 0 && place < 2 && modes[run][place] >= 0; place++) {
        if (timed(arm, db, path, modes[run][place], place == 0, &seen, f) != 0)
            break;
        for (int m = 0; m < CHECKPOINT_METRICS; m++) {
            (void)snprintf(name, sizeof name, "%d.%s", place, checkpoint_metrics[m]);
            arm_say_int(arm, name, seen.at[m]);
        }
    }
    return f->status;
}

int job_checkpoint(struct arm *arm, struct fail *f)
{
    struct db db;
    const char *path = arm_text(arm, "path", f);
    if (f->status != 0 || db_open(&db, &arm->api, path, f) != 0)
        return f->status;
    arm->shim.page_size = (uint32_t)arm_int(arm, "page_size", f);
    if (set_up(arm, &db, f) == 0 && fill_log(arm, &db, f) == 0)
        (void)checkpoints(arm, &db, path, f);
    (void)db_close(&db, f);
    return f->status;
}
