/*
** savepoint_job.c: what an arm process does for `walbench savepoint`: the cases of one
** kind, one after the other on the same database, either counted or timed.
*/
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "savepoint.h"
#include "snapshot.h"

/* The log is checkpointed after so many transactions. */
enum { BATCH = 1000 };

struct job {
    struct arm *arm;
    struct db db;
    const char *path;
    enum savepoint_kind kind;
    struct savepoint_plan plan;
    struct savepoint_cases cases;
    int64_t rows;
    bool timed;
    struct savepoint_player player;
    int64_t kept;
    int file;               /* the database, for snapshots; open as long as the connection is */
    struct snapshot before; /* while counting, but not of small transactions */
};

static int set_up(struct job *job, struct fail *f)
{
    char cache[24], page[24];
    /* nested: what a transaction changes stays in the cache. */
    int64_t pages = job->kind == KIND_SPILLED ? job->plan.cache : 2 * job->cases.pages + 1000;
    (void)snprintf(cache, sizeof cache, "%" PRId64, pages);
    (void)snprintf(page, sizeof page, "%" PRId64, job->plan.page_size);
    bool own_cache = !savepoint_is_grid(job->kind);
    const struct arm_setting pragmas[] = {
        {"journal_mode", "wal", "wal"},
        {"synchronous", arm_text(job->arm, "synchronous", f), NULL},
        {"cache_size", own_cache ? NULL : cache, own_cache ? NULL : cache},
        {"wal_autocheckpoint", "0", "0"},
        /* Where bytes are counted, sub-journals are in files; see run_job() in arm.c. */
        {"temp_store", job->timed ? NULL : "1", job->timed ? NULL : "1"},
        {"secure_delete", NULL, NULL},
        {"page_size", NULL, page},
        {"locking_mode", NULL, "normal"},
        {.name = NULL},
    };
    if (arm_pragmas(job->arm, &job->db, pragmas, f) != 0)
        return f->status;
    return arm_empty_log(job->arm, &job->db, f);
}

/* A batch of transactions, and all of the log into the database. */
static int play(struct job *job, const struct savepoint_case *c, int64_t batch, int64_t *frames,
                struct fail *f)
{
    struct shim *shim = &job->arm->shim;
    uint64_t written = shim_frames(shim, SHIM_COMMIT);
    int64_t spill_from =
        job->kind == KIND_SPILLED ? job->rows - savepoint_spill_rows(&job->plan) + 1 : 0;
    shim->phase = SHIM_COMMIT;
    if (savepoint_is_many(job->kind))
        (void)savepoint_play_small(&job->player, job->rows, batch, &job->kept, f);
    else
        for (int64_t i = 0; f->status == 0 && i < batch; i++)
            (void)(job->kind == KIND_UPDATE
                       ? savepoint_play_update(&job->player, f)
                       : savepoint_play_chains(&job->player, c, spill_from, f));
    shim->phase = SHIM_OUTSIDE;
    if (f->status != 0)
        return f->status;
    written = shim_frames(shim, SHIM_COMMIT) - written;
    return arm_checkpoint_cut(job->arm, &job->db, written, frames, f);
}

static int64_t transactions_of(const struct job *job, const struct savepoint_case *c)
{
    if (savepoint_is_many(job->kind))
        return job->plan.transactions;
    if (!job->timed || job->kind == KIND_UPDATE)
        return 1;
    /* Short ones are timed often enough to be seen. */
    int64_t pages = SAVEPOINT_CHAINS * c->depth * c->pages;
    if (job->kind == KIND_SPILLED)
        pages += savepoint_spill_rows(&job->plan);
    return 1 + 500 / pages;
}

static int play_all(struct job *job, const struct savepoint_case *c, int64_t *frames,
                    struct fail *f)
{
    int64_t left = transactions_of(job, c);
    while (f->status == 0 && left > 0) {
        int64_t batch = left < BATCH ? left : BATCH, more = 0;
        (void)play(job, c, batch, &more, f);
        *frames += more;
        left -= batch;
    }
    return f->status;
}

static int time_case(struct job *job, const struct savepoint_case *c, struct fail *f)
{
    int64_t frames = 0, times = transactions_of(job, c);
    job->player.statements = 0;
    job->player.commits = 0;
    if (play_all(job, c, &frames, f) == 0) {
        arm_say_int(job->arm, "statements", job->player.statements / times);
        arm_say_int(job->arm, "commit", job->player.commits / times);
    }
    return f->status;
}

/* The pages that have really changed, and what the other frames hold. */
static int compare(struct job *job, int64_t frames, int64_t count[COUNTS], struct fail *f)
{
    struct log_map map;
    struct snapshot after;
    int64_t uses[PAGE_USES];
    if (snapshot_take(&after, job->file, f) != 0)
        return f->status;
    count[COUNT_NEEDED] = snapshot_compare(&job->before, &after).needed;
    if (frames > 0 && log_map_open(&map, job->path, frames, f) == 0) {
        snapshot_log_uses(&job->before, &after, &map, 0, uses, &count[COUNT_SUPERSEDED]);
        count[COUNT_UNCHANGED] = uses[USE_UNCHANGED];
        log_map_close(&map);
    }
    snapshot_free(&job->before);
    job->before = after;
    return f->status;
}

static int64_t bytes(const struct job *job, enum shim_class class)
{
    const struct shim *shim = &job->arm->shim;
    return (int64_t)(shim->count[SHIM_COMMIT][class].bytes +
                     shim->count[SHIM_CHECKPOINT][class].bytes);
}

static int count_case(struct job *job, const struct savepoint_case *c, struct fail *f)
{
    static const enum shim_class class[COUNTS] = {[COUNT_DATABASE] = SHIM_DATABASE,
                                                  [COUNT_LOG] = SHIM_WAL,
                                                  [COUNT_SUBJOURNAL] = SHIM_SUBJOURNAL,
                                                  [COUNT_TEMP] = SHIM_TEMP};
    int64_t count[COUNTS] = {0};
    uint64_t written = shim_frames(&job->arm->shim, SHIM_COMMIT);
    for (int i = COUNT_DATABASE; i <= COUNT_TEMP; i++)
        count[i] = -bytes(job, class[i]);
    if (play_all(job, c, &count[COUNT_FRAMES], f) != 0)
        return f->status;
    for (int i = COUNT_DATABASE; i <= COUNT_TEMP; i++)
        count[i] += bytes(job, class[i]);
    count[COUNT_WRITTEN] = (int64_t)(shim_frames(&job->arm->shim, SHIM_COMMIT) - written);
    /* A small transaction changes the page of its row, unless it is rolled back. */
    if (savepoint_is_many(job->kind))
        count[COUNT_NEEDED] = job->kept;
    else if (compare(job, count[COUNT_FRAMES], count, f) != 0)
        return f->status;
    for (int i = 0; i < savepoint_counts_of(job->kind); i++)
        arm_say_int(job->arm, savepoint_counts[i], count[i]);
    return 0;
}

static int run_cases(struct job *job, struct fail *f)
{
    if (!job->timed && !savepoint_is_many(job->kind))
        (void)snapshot_take(&job->before, job->file, f);
    for (size_t i = 0; f->status == 0 && i < job->cases.count; i++) {
        arm_say_progress(job->arm, (int64_t)i, (int64_t)job->cases.count);
        (void)(job->timed ? time_case : count_case)(job, &job->cases.at[i], f);
    }
    snapshot_free(&job->before);
    return f->status;
}

static int read_args(struct job *job, struct fail *f)
{
    struct arm *arm = job->arm;
    job->path = arm_text(arm, "path", f);
    int64_t kind = arm_int(arm, "kind", f);
    job->timed = arm_int(arm, "timed", f) != 0;
    job->player = (struct savepoint_player){.db = &job->db,
                                            .random = (uint64_t)arm_int(arm, "random", f)};
    job->plan = (struct savepoint_plan){
        .depths = arm_text(arm, "depths", f),
        .rolled_back = arm_text(arm, "rolled_back", f),
        .pages = arm_text(arm, "pages", f),
        .rows = arm_int(arm, "rows", f),
        .cache = arm_int(arm, "cache", f),
        .transactions = arm_int(arm, "transactions", f),
        .megabytes = arm_int(arm, "megabytes", f),
        .page_size = arm_int(arm, "page_size", f),
    };
    if (f->status == 0 && (kind < 0 || kind >= KINDS))
        return fail_set(f, STATUS_MISMATCH, "no such kind");
    job->kind = (enum savepoint_kind)kind;
    if (f->status == 0 && savepoint_cases(&job->plan, job->kind, &job->cases, f) == 0)
        job->rows = savepoint_rows(&job->plan, job->kind, &job->cases);
    return f->status;
}

int job_savepoint(struct arm *arm, struct fail *f)
{
    struct job job = {.arm = arm, .file = -1};
    if (read_args(&job, f) == 0 && (job.file = open(job.path, O_RDONLY | O_CLOEXEC)) < 0)
        fail_set(f, STATUS_MISMATCH, "cannot open the database: %s", strerror(errno));
    arm->shim.page_size = (uint32_t)job.plan.page_size;
    if (f->status == 0 && db_open(&job.db, &arm->api, job.path, f) == 0) {
        if (set_up(&job, f) == 0)
            (void)run_cases(&job, f);
        (void)db_close(&job.db, f);
        if (!job.timed) {
            arm_say_counts(arm, "commit", SHIM_COMMIT);
            arm_say_counts(arm, "checkpoint", SHIM_CHECKPOINT);
        }
    }
    if (job.file >= 0)
        (void)close(job.file);
    free(job.cases.at);
    return f->status;
}
