/*
** workload_job.c: what an arm process does for `walbench workloads`. After each
** transaction the log is checkpointed, as far as that goes, and the database is
** compared with what it was before.
*/
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "snapshot.h"
#include "workload.h"

struct job {
    struct arm *arm;
    const struct workload *w;
    const char *path;
    struct db db, reader;
    char *read_first; /* what the reader was told at first; NULL: there is no reader yet */
    int file;         /* the database, for snapshots; open as long as the connection is */
    struct snapshot before;
    uint64_t seen[2]; /* pages written to the log, bytes to sub-journals, by now */
    uint64_t copied;
    int64_t in_log; /* frames that earlier transactions left in the log */
};

static int set_up(struct job *job, struct fail *f)
{
    const struct workload *w = job->w;
    char cache[24], page[24];
    const char *secure = w->secure_delete ? w->secure_delete : "off";
    const char *vacuum = w->auto_vacuum ? w->auto_vacuum : "none";
    int64_t pages = arm_int(job->arm, "cache", f);
    if (pages == 0)
        pages = w->cache_size;
    (void)snprintf(cache, sizeof cache, "%" PRId64, pages);
    (void)snprintf(page, sizeof page, "%" PRId64, w->page_size ? w->page_size : 4096);
    const struct arm_setting pragmas[] = {
        {"journal_mode", "wal", "wal"},
        {"synchronous", arm_text(job->arm, "synchronous", f), NULL},
        {"secure_delete", secure, strcmp(secure, "on") == 0 ? "1" : "0"},
        {"cache_size", pages ? cache : NULL, pages ? cache : NULL},
        {"cache_spill", w->spill_off ? "off" : NULL, w->spill_off ? "0" : NULL},
        {"wal_autocheckpoint", "0", "0"},
        /* Sub-journals in files, where the shim sees every byte; see run_job() in arm.c. */
        {"temp_store", "1", "1"},
        {"foreign_keys", "1", "1"},
        {"auto_vacuum", NULL, strcmp(vacuum, "incremental") == 0 ? "2" : "0"},
        {"page_size", NULL, page},
        {"locking_mode", NULL, "normal"},
        {.name = NULL},
    };
    if (arm_pragmas(job->arm, &job->db, pragmas, f) != 0)
        return f->status;
    return arm_empty_log(job->arm, &job->db, f);
}

static uint64_t written(const struct job *job)
{
    return shim_frames(&job->arm->shim, SHIM_COMMIT);
}

/* The frames in the log, checkpointed as far as the reader lets it. */
static int checkpoint(struct job *job, int64_t *frames, struct fail *f)
{
    int in_log = -1, copied = -1;
    /* Where nothing is rolled back the frames are counted in three ways. */
    if (job->w->lean && job->read_first == NULL)
        return arm_checkpoint(job->arm, &job->db, frames, f);
    if (arm_copy_log(job->arm, &job->db, &in_log, &copied, f) != 0)
        return f->status;
    /* The reader began in the last frame of the first transaction. */
    bool held_up = job->read_first != NULL && job->in_log > 0;
    if (in_log < 0 || (held_up ? copied >= in_log : copied != in_log))
        return fail_set(f, STATUS_MISMATCH, "the checkpoint copied %d of %d frames", copied,
                        in_log);
    *frames = in_log;
    return 0;
}

/* What the frames from `first` on were good for. */
static void say_uses(struct job *job, const struct log_map *map, uint64_t first,
                     const struct snapshot *after)
{
    static const char *const name[PAGE_USES] = {"frames_needed", "frames_unchanged",
                                                "frames_old_leaf", "frames_new_leaf",
                                                "frames_cut"};
    int64_t uses[PAGE_USES], superseded;
    snapshot_log_uses(&job->before, after, map, first, uses, &superseded);
    for (int i = 0; i < PAGE_USES; i++)
        arm_say_int(job->arm, name[i], uses[i]);
    arm_say_int(job->arm, "frames_superseded", superseded);
    arm_say_int(job->arm, "lost_to_recovery", (int64_t)map->lost);
}

/* Compares the database with what it was before, and that becomes what it is now. */
static int compare(struct job *job, int64_t earlier, struct fail *f)
{
    struct log_map map;
    struct snapshot after;
    if (log_map_open(&map, job->path, job->in_log, f) != 0)
        return f->status;
    if (snapshot_take_logged(&after, job->file, job->read_first ? &map : NULL, f) == 0) {
        struct snapshot_change change = snapshot_compare(&job->before, &after);
        arm_say_int(job->arm, "needed", change.needed);
        arm_say_int(job->arm, "pages_freed", change.freed);
        arm_say_int(job->arm, "pages_taken", change.taken);
        arm_say_int(job->arm, "pages_beyond", change.beyond);
        say_uses(job, &map, (uint64_t)earlier, &after);
        snapshot_free(&job->before);
        job->before = after;
    }
    log_map_close(&map);
    return f->status;
}

/* The first answer, or one that must be like it. */
static int read_again(struct job *job, struct fail *f)
{
    char *text;
    if (job->read_first == NULL) {
        if (db_open(&job->reader, &job->arm->api, job->path, f) == 0 &&
            db_exec(&job->reader, f, "BEGIN") == 0)
            (void)db_text(&job->reader, job->w->reader, &job->read_first, f);
        return f->status;
    }
    if (db_text(&job->reader, job->w->reader, &text, f) != 0)
        return f->status;
    if (strcmp(text, job->read_first) != 0)
        fail_set(f, STATUS_MISMATCH, "the reader's snapshot has changed: '%s' was '%s'", text,
                 job->read_first);
    free(text);
    return f->status;
}

static int one_commit(struct job *job, struct fail *f)
{
    struct arm *arm = job->arm;
    int64_t frames = 0;
    uint64_t pages = written(job);
    uint64_t bytes = arm->shim.count[SHIM_COMMIT][SHIM_SUBJOURNAL].bytes;
    int64_t earlier = job->read_first != NULL ? job->in_log : 0;
    /* The reader begins before the first checkpoint: after it the log would be of no use
    ** to the reader, and could begin again in spite of it. */
    if (job->w->reader != NULL && read_again(job, f) != 0)
        return f->status;
    if (checkpoint(job, &frames, f) != 0)
        return f->status;
    job->in_log = frames;
    if (frames == earlier)
        return 0; /* rolled back */
    if (compare(job, earlier, f) != 0)
        return f->status;
    uint64_t copied = arm->shim.count[SHIM_CHECKPOINT][SHIM_DATABASE].pages;
    arm_say_int(arm, "frames", frames - earlier);
    arm_say_int(arm, "frames_written", (int64_t)(pages - job->seen[0]));
    arm_say_int(arm, "subjournal_bytes", (int64_t)(bytes - job->seen[1]));
    arm_say_int(arm, "checkpoint_pages", (int64_t)(copied - job->copied));
    job->seen[0] = pages;
    job->seen[1] = bytes;
    job->copied = copied;
    return 0;
}

/* After each statement. Outside of a transaction one has just ended. */
static int after_statement(void *context, struct fail *f)
{
    struct job *job = context;
    if (job->db.api->get_autocommit(job->db.handle) == 0 || written(job) == job->seen[0])
        return 0;
    job->arm->shim.phase = SHIM_OUTSIDE;
    (void)one_commit(job, f);
    job->arm->shim.phase = SHIM_COMMIT;
    return f->status;
}

static int play(struct job *job, struct fail *f)
{
    struct shim *shim = &job->arm->shim;
    struct workload_player player = {.db = &job->db,
                                     .rows = arm_int(job->arm, "rows", f),
                                     .random = ~(uint64_t)arm_int(job->arm, "seed", f),
                                     .after = after_statement,
                                     .context = job};
    if (f->status == 0)
        (void)snapshot_take(&job->before, job->file, f);
    for (; f->status == 0 && player.round < job->w->rounds; player.round++) {
        arm_say_progress(job->arm, player.round, job->w->rounds);
        shim->phase = SHIM_COMMIT;
        (void)workload_play(&player, job->w->steps, f);
        shim->phase = SHIM_OUTSIDE;
    }
    snapshot_free(&job->before);
    return f->status;
}

/* The checkpoint that the reader has held up. */
static int end_reading(struct job *job, struct fail *f)
{
    int64_t frames;
    if (job->w->reader == NULL)
        return 0;
    if (job->reader.handle != NULL)
        (void)db_exec(&job->reader, f, "COMMIT");
    (void)db_close(&job->reader, f);
    if (f->status == 0)
        (void)arm_checkpoint(job->arm, &job->db, &frames, f);
    free(job->read_first);
    return f->status;
}

int job_workload(struct arm *arm, struct fail *f)
{
    struct job job = {.arm = arm};
    job.path = arm_text(arm, "path", f);
    job.w = workload_find(arm_text(arm, "workload", f));
    if (job.w == NULL)
        return fail_set(f, STATUS_UNUSABLE, "no such workload");
    arm->shim.page_size = (uint32_t)(job.w->page_size ? job.w->page_size : 4096);
    job.file = open(job.path, O_RDONLY | O_CLOEXEC);
    if (job.file < 0)
        return fail_set(f, STATUS_MISMATCH, "cannot open the database: %s", strerror(errno));
    if (db_open(&job.db, &arm->api, job.path, f) == 0) {
        if (set_up(&job, f) == 0)
            (void)play(&job, f);
        (void)end_reading(&job, f);
        (void)db_close(&job.db, f);
        arm_say_counts(arm, "commit", SHIM_COMMIT);
        arm_say_counts(arm, "checkpoint", SHIM_CHECKPOINT);
    }
    (void)close(job.file);
    return f->status;
}
