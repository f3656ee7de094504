/*
** contention_job.c: what an arm process does for `walbench contention`: threads that write
** and read one database at once, each through a connection of its own.
**
** The counting VFS serves one thread, so the connections go through the one below it.
** A thread touches nothing of another but the gate; what it counted is read once it has
** been joined.
*/
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "contention.h"
#include "random.h"

/* Threads wait until it opens, and work until it is shut. */
struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    bool open; /* under the mutex */
    atomic_bool shut;
};

struct worker {
    struct gate *gate;
    struct db db;
    struct text_shape shape;
    const char *seeded; /* v of the rows that are there from the start, one after another */
    int64_t rows;       /* how many those are */
    int64_t number, retry_pause;
    uint64_t random;
    bool writer, started;
    pthread_t thread;
    char *value;
    int64_t done, busy;
    struct samples latency; /* nanoseconds, of what was done */
    struct fail fail;
};

static void pause_for(int64_t nanoseconds)
{
    struct timespec t = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    while (nanosleep(&t, &t) != 0 && errno == EINTR) {
    }
}

static int write_once(struct worker *w, sqlite3_stmt *s)
{
    const struct api *api = w->db.api;
    texts_value(&w->shape, contention_row(w->number, w->done), 0, w->value);
    int rc = api->bind_text(s, 1, w->value, (int)w->shape.bytes, SQLITE_STATIC);
    return rc != SQLITE_OK ? rc : api->step(s);
}

/* Rows that were inserted meanwhile may be among the last. */
static bool is_right(const struct worker *w, sqlite3_stmt *s, int64_t id)
{
    const struct api *api = w->db.api;
    const unsigned char *v = api->column_text(s, 1);
    return v != NULL && api->column_int64(s, 0) == id &&
           api->column_bytes(s, 1) == w->shape.bytes &&
           (id > w->rows ||
            memcmp(v, w->seeded + (id - 1) * w->shape.bytes, (size_t)w->shape.bytes) == 0);
}

static int read_once(struct worker *w, sqlite3_stmt *s)
{
    const struct api *api = w->db.api;
    int64_t start = 1 + (int64_t)(random_next(&w->random) % (uint64_t)w->rows), found = 0;
    int64_t sure = w->rows - start + 1 < READ_ROWS ? w->rows - start + 1 : READ_ROWS;
    int rc = api->bind_int64(s, 1, start);
    if (rc != SQLITE_OK)
        return rc;
    while ((rc = api->step(s)) == SQLITE_ROW) {
        if (!is_right(w, s, start + found))
            fail_set(&w->fail, STATUS_MISMATCH, "a reader found row %" PRId64 " to be wrong",
                     start + found);
        found++;
    }
    if (rc == SQLITE_DONE && (found < sure || found > READ_ROWS))
        fail_set(&w->fail, STATUS_MISMATCH,
                 "a reader found %" PRId64 " rows from %" PRId64 " on", found, start);
    return rc;
}

static void work(struct worker *w, sqlite3_stmt *s)
{
    while (w->fail.status == 0 && !atomic_load(&w->gate->shut)) {
        int64_t start = clock_now();
        int rc = w->writer ? write_once(w, s) : read_once(w, s);
        (void)w->db.api->reset(s); /* repeats the error that step() reported */
        if (rc == SQLITE_DONE) {
            samples_add(&w->latency, (double)(clock_now() - start));
            w->done++;
        } else if ((rc & 0xff) == SQLITE_BUSY) {
            w->busy++;
            if (w->retry_pause > 0)
                pause_for(w->retry_pause);
        } else {
            fail_set(&w->fail, STATUS_MISMATCH, "a %s failed: %s",
                     w->writer ? "writer" : "reader", w->db.api->errstr(rc));
        }
    }
}

static void *thread_main(void *argument)
{
    struct worker *w = argument;
    sqlite3_stmt *s;
    (void)pthread_mutex_lock(&w->gate->mutex);
    while (!w->gate->open)
        (void)pthread_cond_wait(&w->gate->opened, &w->gate->mutex);
    (void)pthread_mutex_unlock(&w->gate->mutex);
    if (db_prepare(&w->db,
                   w->writer ? "INSERT INTO t(v) VALUES(?1)"
                             : "SELECT id, v FROM t WHERE id BETWEEN ?1 AND ?1+50",
                   &s, &w->fail) == 0) {
        work(w, s);
        (void)w->db.api->finalize(s);
    }
    if (w->fail.status != 0)
        atomic_store(&w->gate->shut, true);
    return NULL;
}

/* Starts all, lets them work, and waits for their end. */
static int64_t let_work(struct worker *workers, size_t count, struct gate *gate,
                        int64_t nanoseconds, struct fail *f)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        rc = pthread_create(&workers[i].thread, NULL, thread_main, &workers[i]);
        workers[i].started = rc == 0;
    }
    if (rc != 0) {
        fail_set(f, STATUS_UNUSABLE, "cannot start a thread: %s", strerror(rc));
        atomic_store(&gate->shut, true);
    }
    (void)pthread_mutex_lock(&gate->mutex);
    gate->open = true;
    (void)pthread_cond_broadcast(&gate->opened);
    (void)pthread_mutex_unlock(&gate->mutex);
    int64_t start = clock_now(), left;
    /* In slices, as a thread that fails shuts the gate early. */
    while (!atomic_load(&gate->shut) && (left = start + nanoseconds - clock_now()) > 0)
        pause_for(left < 20000000 ? left : 20000000);
    atomic_store(&gate->shut, true);
    for (size_t i = 0; i < count; i++)
        if (workers[i].started)
            (void)pthread_join(workers[i].thread, NULL);
    return clock_now() - start;
}

static int configure(struct arm *arm, const struct db *db, struct fail *f)
{
    static const char *const read_only[] = {"wal_autocheckpoint", "cache_size", "auto_vacuum",
                                            "locking_mode", "secure_delete"};
    const char *page_size = arm_text(arm, "page_size", f);
    const char *journal = arm_text(arm, "journal_mode", f);
    const char *timeout = arm_text(arm, "busy_timeout", f);
    const char *synchronous = arm_text(arm, "synchronous", f);
    const char *number = strcmp(synchronous, "off") == 0      ? "0"
                         : strcmp(synchronous, "normal") == 0 ? "1"
                         : strcmp(synchronous, "full") == 0   ? "2"
                                                              : "3";
    if (f->status != 0 || arm_pragma(arm, db, "busy_timeout", timeout, timeout, f) != 0 ||
        arm_pragma(arm, db, "page_size", page_size, page_size, f) != 0 ||
        arm_pragma(arm, db, "journal_mode", journal, journal, f) != 0 ||
        arm_pragma(arm, db, "synchronous", synchronous, number, f) != 0)
        return f->status;
    for (size_t i = 0; f->status == 0 && i < sizeof read_only / sizeof read_only[0]; i++)
        (void)arm_pragma(arm, db, read_only[i], NULL, NULL, f);
    return f->status;
}

static int seed_table(struct arm *arm, const struct db *db, const struct text_shape *shape,
                      const char *seeded, int64_t rows, struct fail *f)
{
    const struct api *api = db->api;
    sqlite3_stmt *insert = NULL;
    if (configure(arm, db, f) != 0 || db_exec(db, f, "%s", texts_table(shape)) != 0 ||
        db_exec(db, f, "BEGIN") != 0 ||
        db_prepare(db, "INSERT INTO t(v) VALUES(?1)", &insert, f) != 0)
        return f->status;
    for (int64_t i = 0; f->status == 0 && i < rows; i++) {
        if (api->bind_text(insert, 1, seeded + i * shape->bytes, (int)shape->bytes,
                           SQLITE_STATIC) != SQLITE_OK)
            (void)db_failed(db, "binding a row", f);
        else
            (void)db_run(db, insert, f);
    }
    (void)api->finalize(insert);
    return db_exec(db, f, "COMMIT");
}

/* What the writers, or the readers, say together, and the writers one by one as well. */
static void say_role(struct arm *arm, const struct worker *workers, size_t count, bool writer)
{
    static const int percent[] = {50, 95, 99};
    const char *role = writer ? "write" : "read";
    struct samples all = {NULL, 0};
    int64_t done = 0, busy = 0;
    char name[40];
    for (size_t i = 0; i < count; i++) {
        const struct worker *w = &workers[i];
        if (w->writer != writer)
            continue;
        done += w->done;
        busy += w->busy;
        samples_append(&all, &w->latency);
        if (writer)
            arm_say_int(arm, "writer", w->done);
    }
    (void)snprintf(name, sizeof name, "%s.done", role);
    arm_say_int(arm, name, done);
    (void)snprintf(name, sizeof name, "%s.busy", role);
    arm_say_int(arm, name, busy);
    for (size_t i = 0; i < sizeof percent / sizeof percent[0]; i++) {
        (void)snprintf(name, sizeof name, "%s.p%d", role, percent[i]);
        arm_say_int(arm, name, (int64_t)stats_quantile(&all, percent[i] / 100.0));
    }
    samples_free(&all);
}

static int prepare(struct arm *arm, struct worker *workers, size_t count, const char *path,
                   struct fail *f)
{
    const char *vfs = arm->shim.below->zName;
    const struct worker *first = &workers[0];
    struct db setup;
    if (db_open_vfs(&setup, &arm->api, path, vfs, f) != 0)
        return f->status;
    (void)seed_table(arm, &setup, &first->shape, first->seeded, first->rows, f);
    for (size_t i = 0; f->status == 0 && i < count; i++)
        if (db_open_vfs(&workers[i].db, &arm->api, path, vfs, f) == 0)
            (void)configure(arm, &workers[i].db, f);
    (void)db_close(&setup, f);
    return f->status;
}

static int run_crew(struct arm *arm, struct worker *workers, size_t count, struct fail *f)
{
    struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};
    const char *path = arm_text(arm, "path", f);
    int64_t milliseconds = arm_int(arm, "milliseconds", f);
    for (size_t i = 0; i < count; i++)
        workers[i].gate = &gate;
    if (f->status == 0 && prepare(arm, workers, count, path, f) == 0) {
        int64_t elapsed = let_work(workers, count, &gate, milliseconds * 1000000, f);
        arm_say_int(arm, "elapsed", elapsed);
    }
    for (size_t i = 0; i < count; i++) {
        if (workers[i].fail.status != 0)
            fail_set(f, workers[i].fail.status, "%s", workers[i].fail.text);
        (void)db_close(&workers[i].db, f);
    }
    if (f->status == 0) {
        say_role(arm, workers, count, true);
        say_role(arm, workers, count, false);
    }
    (void)pthread_cond_destroy(&gate.opened);
    (void)pthread_mutex_destroy(&gate.mutex);
    return f->status;
}

int job_contention(struct arm *arm, struct fail *f)
{
    struct text_shape shape = {(uint64_t)arm_int(arm, "seed", f),
                               arm_int(arm, "value_bytes", f), false};
    int64_t writers = arm_int(arm, "writers", f), readers = arm_int(arm, "readers", f);
    int64_t rows = arm_int(arm, "rows", f), pause = arm_int(arm, "retry_pause", f);
    size_t count = (size_t)(writers + readers);
    if (f->status == 0 && arm->api.threadsafe() == 0)
        return fail_set(f, STATUS_UNUSABLE,
                        "the library '%s' is compiled for one thread alone "
                        "(SQLITE_THREADSAFE=0): contention needs threads",
                        arm_text(arm, "library", f));
    if (f->status != 0)
        return f->status;
    char *seeded = mem_get((size_t)(rows * shape.bytes));
    struct worker *workers = mem_get(count * sizeof workers[0]);
    for (int64_t id = 1; id <= rows; id++)
        texts_value(&shape, id, 0, seeded + (id - 1) * shape.bytes);
    for (size_t i = 0; i < count; i++) {
        workers[i] = (struct worker){.shape = shape,
                                     .seeded = seeded,
                                     .rows = rows,
                                     .number = (int64_t)i,
                                     .retry_pause = pause * 1000,
                                     .random = shape.seed + i,
                                     .writer = (int64_t)i < writers,
                                     .value = mem_get((size_t)shape.bytes)};
    }
    (void)run_crew(arm, workers, count, f);
    for (size_t i = 0; i < count; i++) {
        samples_free(&workers[i].latency);
        free(workers[i].value);
    }
    free(workers);
    free(seeded);
    return f->status;
}
