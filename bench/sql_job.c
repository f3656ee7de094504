/*
** sql_job.c: what an arm process does for `walbench sql`: all transactions, either counted
** one by one or timed together.
*/
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "snapshot.h"
#include "sql.h"

struct job {
    struct arm *arm;
    struct db db;
    const char *path;
    struct script txn;
    struct script_values values;
    bool wrap, wal, autocheckpoint;
    int64_t commits, sample;
    int file;               /* the database, for snapshots; open as long as the connection is */
    struct snapshot before; /* no hashes: not taken */
};

static int set_pragmas(struct job *job, bool counted, struct fail *f)
{
    static const char *const shown[] = {"page_size",   "auto_vacuum",   "cache_size",
                                        "temp_store",  "secure_delete", "locking_mode",
                                        "foreign_keys"};
    struct arm *arm = job->arm;
    char key[30];
    const char *text;
    struct text_list given = {NULL, 0};
    for (int i = 0; (void)snprintf(key, sizeof key, "pragma%d", i),
             (text = kv_find(&arm->args, key)) != NULL;
         i++) {
        given.at = mem_grow(given.at, given.count + 1, sizeof given.at[0]);
        given.at[given.count++] = text;
    }
    /* The journal mode comes first: it decides what others mean. */
    if (sql_pragma_find(&given, "journal_mode") == NULL)
        (void)arm_pragma(arm, &job->db, "journal_mode", "wal", "wal", f);
    if (f->status == 0 && sql_pragma_find(&given, "synchronous") == NULL)
        (void)arm_pragma(arm, &job->db, "synchronous", "normal", "1", f);
    for (size_t i = 0; f->status == 0 && i < given.count; i++) {
        char *said = NULL, *name = mem_format("pragma.%s", given.at[i]);
        name[strcspn(name, "=")] = 0;
        if (sql_pragma(&job->db, given.at[i], &said, f) == 0)
            arm_say_text(arm, name, said);
        free(said);
        free(name);
    }
    for (size_t i = 0; f->status == 0 && i < sizeof shown / sizeof shown[0]; i++)
        if (sql_pragma_find(&given, shown[i]) == NULL)
            (void)arm_pragma(arm, &job->db, shown[i], NULL, NULL, f);
    if (f->status == 0 && counted && !job->autocheckpoint)
        (void)arm_pragma(arm, &job->db, "wal_autocheckpoint", "0", "0", f);
    else if (f->status == 0 && sql_pragma_find(&given, "wal_autocheckpoint") == NULL)
        (void)arm_pragma(arm, &job->db, "wal_autocheckpoint", NULL, NULL, f);
    free(given.at);
    return f->status;
}

static int set_up(struct job *job, bool counted, struct fail *f)
{
    char *mode = NULL;
    int64_t page_size = 0;
    if (set_pragmas(job, counted, f) != 0 ||
        db_int(&job->db, "PRAGMA page_size", &page_size, f) != 0 ||
        db_text(&job->db, "PRAGMA journal_mode", &mode, f) != 0)
        return f->status;
    job->arm->shim.page_size = (uint32_t)page_size;
    job->wal = strcmp(mode, "wal") == 0;
    arm_say_int(job->arm, "wal", job->wal);
    free(mode);
    return job->wal ? arm_empty_log(job->arm, &job->db, f) : f->status;
}

static int take(struct job *job, struct snapshot *s, struct fail *f)
{
    struct log_map map;
    if (!job->wal || !job->autocheckpoint)
        return snapshot_take(s, job->file, f);
    if (log_map_open(&map, job->path, -1, f) != 0)
        return f->status;
    (void)snapshot_take_logged(s, job->file, &map, f);
    log_map_close(&map);
    return f->status;
}

static int say_uses(struct job *job, const struct snapshot *after, int64_t frames,
                    struct fail *f)
{
    struct log_map map;
    int64_t uses[PAGE_USES] = {0}, superseded = 0;
    if (frames > 0) {
        if (log_map_open(&map, job->path, frames, f) != 0)
            return f->status;
        snapshot_log_uses(&job->before, after, &map, 0, uses, &superseded);
        log_map_close(&map);
    }
    arm_say_int(job->arm, "frames_superseded", superseded);
    arm_say_int(job->arm, "frames_unchanged", uses[USE_UNCHANGED]);
    arm_say_int(job->arm, "frames_free", uses[USE_OLD_LEAF] + uses[USE_NEW_LEAF]);
    arm_say_int(job->arm, "frames_cut", uses[USE_CUT]);
    return 0;
}

/* What is now is what was before the next one, if that is sampled as well. */
static int say_needed(struct job *job, int64_t written, bool next_too, struct fail *f)
{
    struct snapshot after;
    if (take(job, &after, f) != 0)
        return f->status;
    struct snapshot_change change = snapshot_compare(&job->before, &after);
    arm_say_int(job->arm, "needed", change.needed);
    arm_say_int(job->arm, "written_where_needed", written);
    arm_say_int(job->arm, "pages_freed", change.freed);
    arm_say_int(job->arm, "pages_taken", change.taken);
    if (job->wal && !job->autocheckpoint)
        (void)say_uses(job, &after, written, f);
    snapshot_free(&job->before);
    job->before = after;
    if (!next_too)
        snapshot_free(&job->before);
    return f->status;
}

static bool is_sampled(const struct job *job, int64_t number)
{
    return job->sample > 0 && number % job->sample == 0 && number <= job->commits;
}

static int count_one(struct job *job, int64_t number, struct fail *f)
{
    struct shim *shim = &job->arm->shim;
    const struct shim_count *pages = &shim->count[SHIM_COMMIT][SHIM_DATABASE];
    uint64_t frames_before = shim_frames(&job->arm->shim, SHIM_COMMIT),
             pages_before = pages->pages;
    if (is_sampled(job, number) && job->before.hash == NULL && take(job, &job->before, f) != 0)
        return f->status;
    job->values.n = number;
    shim->phase = SHIM_COMMIT;
    (void)sql_transaction(&job->txn, &job->db, job->wrap, &job->values, f);
    shim->phase = SHIM_OUTSIDE;
    if (f->status != 0)
        return f->status;
    uint64_t frames = shim_frames(&job->arm->shim, SHIM_COMMIT) - frames_before;
    int64_t written = (int64_t)(job->wal ? frames : pages->pages - pages_before);
    if (job->wal && !job->autocheckpoint &&
        arm_checkpoint_cut(job->arm, &job->db, frames, &written, f) != 0)
        return f->status;
    arm_say_int(job->arm, "written", written);
    if (is_sampled(job, number))
        (void)say_needed(job, written, is_sampled(job, number + 1), f);
    return f->status;
}

static int count_all(struct job *job, struct fail *f)
{
    for (int64_t i = 1; f->status == 0 && i <= job->commits; i++) {
        arm_say_progress(job->arm, i - 1, job->commits);
        (void)count_one(job, i, f);
    }
    snapshot_free(&job->before);
    return f->status;
}

static int time_all(struct job *job, struct fail *f)
{
    int64_t start = clock_now();
    for (int64_t i = 1; f->status == 0 && i <= job->commits; i++) {
        job->values.n = i;
        (void)sql_transaction(&job->txn, &job->db, job->wrap, &job->values, f);
    }
    arm_say_int(job->arm, "nanoseconds", clock_now() - start);
    return f->status;
}

int job_sql(struct arm *arm, struct fail *f)
{
    struct job job = {.arm = arm};
    bool counted = arm_int(arm, "timed", f) == 0;
    job.path = arm_text(arm, "path", f);
    job.commits = arm_int(arm, "commits", f);
    job.sample = arm_int(arm, "sample", f);
    job.wrap = arm_int(arm, "wrap", f) != 0;
    job.autocheckpoint = arm_int(arm, "autocheckpoint", f) != 0;
    int64_t seed = arm_int(arm, "seed", f), bytes = arm_int(arm, "value_bytes", f);
    if (f->status != 0 || script_read(&job.txn, arm_text(arm, "txn", f), f) != 0) {
        script_free(&job.txn);
        return f->status;
    }
    script_values_init(&job.values, seed, bytes);
    job.file = open(job.path, O_RDONLY | O_CLOEXEC);
    if (job.file < 0)
        fail_set(f, STATUS_MISMATCH, "cannot open the database: %s", strerror(errno));
    else if (db_open(&job.db, &arm->api, job.path, f) == 0) {
        if (set_up(&job, counted, f) == 0)
            (void)(counted ? count_all(&job, f) : time_all(&job, f));
        script_release(&job.txn, &job.db);
        (void)db_close(&job.db, f);
        if (counted) {
            arm_say_counts(arm, "commit", SHIM_COMMIT);
            arm_say_counts(arm, "checkpoint", SHIM_CHECKPOINT);
        }
    }
    if (job.file >= 0)
        (void)close(job.file);
    script_values_free(&job.values);
    script_free(&job.txn);
    return f->status;
}
