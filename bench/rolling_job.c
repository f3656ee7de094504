/*
** rolling_job.c: what an arm process does for `walbench rolling`.
*/
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "rows.h"
#include "snapshot.h"

struct rolling {
    struct arm *arm;
    struct db db;
    sqlite3_stmt *insert, *remove, *begin, *commit, *vacuum;
    struct row_shape shape;
    struct row row;
    int64_t rows, batch, commits, sample, vacuum_every;
    bool delete_first;
    int file; /* the database, for snapshots; open as long as the connection is */
};

static int set_up(struct arm *arm, const struct db *db, const char *auto_vacuum, struct fail *f)
{
    const char *secure = arm_text(arm, "secure_delete", f);
    const char *cache = arm_text(arm, "cache_size", f);
    static const struct {
        const char *word, *code;
    } modes[] = {{"none", "0"}, {"full", "1"}, {"incremental", "2"},
                 {"off", "0"},  {"on", "1"},   {"fast", "2"}};
    const char *want_vacuum = NULL, *want_secure = NULL;
    for (size_t i = 0; i < 6; i++) {
        if (i < 3 && strcmp(modes[i].word, auto_vacuum) == 0)
            want_vacuum = modes[i].code;
        if (i >= 3 && strcmp(modes[i].word, secure) == 0)
            want_secure = modes[i].code;
    }
    if (f->status != 0 || arm_pragma(arm, db, "journal_mode", "wal", "wal", f) != 0 ||
        arm_pragma(arm, db, "synchronous", arm_text(arm, "synchronous", f), NULL, f) != 0 ||
        arm_pragma(arm, db, "secure_delete", want_secure ? secure : NULL, want_secure, f) !=
            0 ||
        arm_pragma(arm, db, "cache_size", strcmp(cache, "default") == 0 ? NULL : cache, NULL,
                   f) != 0 ||
        arm_pragma(arm, db, "wal_autocheckpoint", "0", "0", f) != 0 ||
        arm_pragma(arm, db, "auto_vacuum", auto_vacuum, want_vacuum, f) != 0 ||
        arm_pragma(arm, db, "page_size", NULL, arm_text(arm, "page_size", f), f) != 0)
        return f->status;
    return arm_pragma(arm, db, "locking_mode", NULL, "normal", f);
}

static int insert_batch(struct rolling *r, int64_t number, struct fail *f)
{
    const struct api *api = &r->arm->api;
    int64_t first = r->rows + number * r->batch + 1;
    for (int64_t id = first; f->status == 0 && id < first + r->batch; id++) {
        row_make(&r->shape, id, &r->row);
        if (api->bind_int64(r->insert, 1, r->row.id) != SQLITE_OK ||
            api->bind_int64(r->insert, 2, r->row.key) != SQLITE_OK ||
            api->bind_blob(r->insert, 3, r->row.payload, (int)r->row.size, SQLITE_STATIC) !=
                SQLITE_OK)
            return db_failed(&r->db, "binding a row", f);
        (void)db_run(&r->db, r->insert, f);
    }
    return f->status;
}

static int remove_batch(struct rolling *r, int64_t number, struct fail *f)
{
    const struct api *api = &r->arm->api;
    if (api->bind_int64(r->remove, 1, (number + 1) * r->batch) != SQLITE_OK)
        return db_failed(&r->db, "binding a limit", f);
    if (db_run(&r->db, r->remove, f) == 0 && api->changes(r->db.handle) != r->batch)
        return fail_set(f, STATUS_MISMATCH, "%d rows deleted instead of %" PRId64,
                        api->changes(r->db.handle), r->batch);
    return f->status;
}

static int transaction(struct rolling *r, int64_t number, struct fail *f)
{
    if (db_run(&r->db, r->begin, f) != 0)
        return f->status;
    if (r->delete_first)
        (void)remove_batch(r, number, f);
    if (f->status == 0)
        (void)insert_batch(r, number, f);
    if (f->status == 0 && !r->delete_first)
        (void)remove_batch(r, number, f);
    if (f->status == 0)
        (void)db_run(&r->db, r->commit, f);
    if (f->status == 0 && r->vacuum_every > 0 && (number + 1) % r->vacuum_every == 0)
        (void)db_run(&r->db, r->vacuum, f);
    return f->status;
}

static int say_needed(struct rolling *r, const struct snapshot *before, int64_t frames,
                      struct fail *f)
{
    struct snapshot after;
    if (snapshot_take(&after, r->file, f) != 0)
        return f->status;
    struct snapshot_change change = snapshot_compare(before, &after);
    arm_say_int(r->arm, "needed", change.needed);
    arm_say_int(r->arm, "frames_where_needed", frames);
    arm_say_int(r->arm, "pages_freed", change.freed);
    arm_say_int(r->arm, "pages_taken", change.taken);
    snapshot_free(&after);
    return 0;
}

static int one_commit(struct rolling *r, int64_t number, struct fail *f)
{
    struct shim *shim = &r->arm->shim;
    struct snapshot before = {0};
    bool sampled = r->sample > 0 && (number + 1) % r->sample == 0;
    int64_t frames = 0;
    if (sampled && snapshot_take(&before, r->file, f) != 0)
        return f->status;
    const struct shim_count wal = shim->count[SHIM_COMMIT][SHIM_WAL];
    const struct shim_count copied = shim->count[SHIM_CHECKPOINT][SHIM_DATABASE];
    shim->phase = SHIM_COMMIT;
    (void)transaction(r, number, f);
    shim->phase = SHIM_OUTSIDE;
    if (f->status == 0 && arm_checkpoint(r->arm, &r->db, &frames, f) == 0) {
        const struct shim_count *w = &shim->count[SHIM_COMMIT][SHIM_WAL];
        const struct shim_count *c = &shim->count[SHIM_CHECKPOINT][SHIM_DATABASE];
        if (w->pages - wal.pages != (uint64_t)frames)
            fail_set(f, STATUS_MISMATCH,
                     "commit %" PRId64 " appended %" PRIu64 " frames, the log has %" PRId64,
                     number + 1, w->pages - wal.pages, frames);
        arm_say_int(r->arm, "frames", frames);
        arm_say_int(r->arm, "frames_rewritten", (int64_t)(w->rewritten - wal.rewritten));
        arm_say_int(r->arm, "wal_bytes", (int64_t)(w->bytes - wal.bytes));
        arm_say_int(r->arm, "checkpoint_pages", (int64_t)(c->pages - copied.pages));
        arm_say_int(r->arm, "checkpoint_bytes", (int64_t)(c->bytes - copied.bytes));
        if (f->status == 0 && sampled)
            (void)say_needed(r, &before, frames, f);
    }
    snapshot_free(&before);
    return f->status;
}

static int prepare(struct rolling *r, struct fail *f)
{
    struct arm *arm = r->arm;
    r->shape =
        (struct row_shape){(uint64_t)arm_int(arm, "seed", f), arm_int(arm, "least_bytes", f),
                           arm_int(arm, "most_bytes", f)};
    r->rows = arm_int(arm, "rows", f);
    r->batch = arm_int(arm, "batch", f);
    r->commits = arm_int(arm, "commits", f);
    r->sample = arm_int(arm, "sample", f);
    r->vacuum_every = arm_int(arm, "vacuum_every", f);
    r->delete_first = strcmp(arm_text(arm, "order", f), "delete-insert") == 0;
    if (f->status != 0 || set_up(arm, &r->db, arm_text(arm, "auto_vacuum", f), f) != 0 ||
        arm_empty_log(arm, &r->db, f) != 0)
        return f->status;
    (void)db_prepare(&r->db, "INSERT INTO log(id, key, payload) VALUES(?1, ?2, ?3)", &r->insert,
                     f);
    if (f->status == 0)
        (void)db_prepare(&r->db, "DELETE FROM log WHERE id<=?1", &r->remove, f);
    if (f->status == 0)
        (void)db_prepare(&r->db, "BEGIN", &r->begin, f);
    if (f->status == 0)
        (void)db_prepare(&r->db, "COMMIT", &r->commit, f);
    if (f->status == 0)
        (void)db_prepare(&r->db, "PRAGMA incremental_vacuum", &r->vacuum, f);
    return f->status;
}

static void say_all_counts(struct arm *arm)
{
    arm_say_counts(arm, "commit", SHIM_COMMIT);
    arm_say_counts(arm, "checkpoint", SHIM_CHECKPOINT);
}

int job_rolling(struct arm *arm, struct fail *f)
{
    const char *path = arm_text(arm, "path", f);
    struct rolling *r = mem_get(sizeof *r);
    r->arm = arm;
    r->file = open(path, O_RDONLY | O_CLOEXEC);
    if (r->file < 0) {
        fail_set(f, STATUS_MISMATCH, "cannot open the database: %s", strerror(errno));
        free(r);
        return f->status;
    }
    arm->shim.page_size = (uint32_t)arm_int(arm, "page_size", f);
    if (f->status == 0 && db_open(&r->db, &arm->api, path, f) == 0) {
        (void)prepare(r, f);
        for (int64_t n = 0; f->status == 0 && n < r->commits; n++) {
            if (n % 20 == 0)
                arm_say_progress(arm, n, r->commits);
            (void)one_commit(r, n, f);
        }
        sqlite3_stmt *all[] = {r->insert, r->remove, r->begin, r->commit, r->vacuum};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            (void)arm->api.finalize(all[i]);
        (void)db_close(&r->db, f);
        say_all_counts(arm);
    }
    (void)close(r->file);
    free(r);
    return f->status;
}

int job_vacuum(struct arm *arm, struct fail *f)
{
    struct db db;
    int64_t frames = 0;
    const char *path = arm_text(arm, "path", f);
    arm->shim.page_size = (uint32_t)arm_int(arm, "page_size", f);
    if (f->status != 0 || db_open(&db, &arm->api, path, f) != 0)
        return f->status;
    if (set_up(arm, &db, "none", f) == 0 && arm_empty_log(arm, &db, f) == 0) {
        arm->shim.phase = SHIM_COMMIT;
        (void)db_exec(&db, f, "VACUUM");
        arm->shim.phase = SHIM_OUTSIDE;
        if (f->status == 0 && arm_checkpoint(arm, &db, &frames, f) == 0)
            arm_say_int(arm, "frames", frames);
    }
    (void)db_close(&db, f);
    say_all_counts(arm);
    return f->status;
}
