/*
** throughput_job.c: what an arm process does for `walbench throughput`: one trial, on a
** database that it makes.
*/
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "command.h"
#include "scratch.h"
#include "texts.h"

struct trial {
    struct arm *arm;
    struct db db;
    struct text_shape shape;
    int64_t rows_per_commit;
    sqlite3_stmt *begin, *commit;
    char *value;
};

static int set_up(struct trial *t, struct fail *f)
{
    static const char *const read_only[] = {"wal_autocheckpoint", "cache_size", "auto_vacuum",
                                            "locking_mode", "secure_delete"};
    struct arm *arm = t->arm;
    const char *page_size = arm_text(arm, "page_size", f);
    const char *journal = arm_text(arm, "journal_mode", f);
    const char *synchronous = arm_text(arm, "synchronous", f);
    const char *number = strcmp(synchronous, "off") == 0      ? "0"
                         : strcmp(synchronous, "normal") == 0 ? "1"
                         : strcmp(synchronous, "full") == 0   ? "2"
                                                              : "3";
    if (f->status != 0 || arm_pragma(arm, &t->db, "page_size", page_size, page_size, f) != 0 ||
        arm_pragma(arm, &t->db, "journal_mode", journal, journal, f) != 0 ||
        arm_pragma(arm, &t->db, "synchronous", synchronous, number, f) != 0)
        return f->status;
    for (size_t i = 0; f->status == 0 && i < sizeof read_only / sizeof read_only[0]; i++)
        (void)arm_pragma(arm, &t->db, read_only[i], NULL, NULL, f);
    (void)db_exec(&t->db, f, "%s", texts_table(&t->shape));
    if (f->status == 0)
        (void)db_prepare(&t->db, "BEGIN", &t->begin, f);
    if (f->status == 0)
        (void)db_prepare(&t->db, "COMMIT", &t->commit, f);
    return f->status;
}

/* Runs a statement that commits, and keeps how long that took. */
static int timed(const struct trial *t, sqlite3_stmt *s, struct samples *commits,
                 struct fail *f)
{
    int64_t start = clock_now();
    if (db_run(&t->db, s, f) == 0)
        samples_add(commits, (double)(clock_now() - start));
    return f->status;
}

/* Making the content is timed, too: a tenth of a microsecond a row, in every arm. */
static int bind(const struct trial *t, sqlite3_stmt *change, int64_t id, int64_t version,
                char *key, struct fail *f)
{
    const struct api *api = &t->arm->api;
    texts_value(&t->shape, id, version, t->value);
    int size = texts_key(id, key);
    if (api->bind_int64(change, 1, id) != SQLITE_OK ||
        (t->shape.with_key && version == 0 &&
         api->bind_text(change, 2, key, size, SQLITE_STATIC) != SQLITE_OK) ||
        api->bind_text(change, 3, t->value, (int)t->shape.bytes, SQLITE_STATIC) != SQLITE_OK)
        return db_failed(&t->db, "binding a row", f);
    return 0;
}

static int change_rows(const struct trial *t, sqlite3_stmt *change, int64_t rows,
                       int64_t version, struct samples *commits, struct fail *f)
{
    char key[TEXT_KEY_SIZE];
    for (int64_t id = 1; f->status == 0 && id <= rows; id++) {
        if (bind(t, change, id, version, key, f) != 0)
            break;
        if (t->rows_per_commit == 1) {
            (void)timed(t, change, commits, f);
            continue;
        }
        if ((id - 1) % t->rows_per_commit == 0 && db_run(&t->db, t->begin, f) != 0)
            break;
        if (db_run(&t->db, change, f) == 0 && (id % t->rows_per_commit == 0 || id == rows))
            (void)timed(t, t->commit, commits, f);
    }
    return f->status;
}

static void say(struct trial *t, const char *phase, int64_t elapsed, const struct samples *s)
{
    static const enum shim_class classes[] = {SHIM_DATABASE, SHIM_JOURNAL, SHIM_WAL};
    char name[60];
    (void)snprintf(name, sizeof name, "%s.batch", phase);
    arm_say_int(t->arm, name, elapsed);
    (void)snprintf(name, sizeof name, "%s.commit", phase);
    for (size_t i = 0; i < s->count; i++)
        arm_say_int(t->arm, name, (int64_t)s->at[i]);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const struct shim_count *c = &t->arm->shim.count[SHIM_COMMIT][classes[i]];
        (void)snprintf(name, sizeof name, "%s.%s.bytes", phase, shim_class_name[classes[i]]);
        arm_say_int(t->arm, name, (int64_t)c->bytes);
        (void)snprintf(name, sizeof name, "%s.%s.syncs", phase, shim_class_name[classes[i]]);
        arm_say_int(t->arm, name, (int64_t)c->syncs);
    }
}

static int batch(struct trial *t, const char *phase, const char *sql, int64_t rows,
                 int64_t version, struct fail *f)
{
    struct samples commits = {NULL, 0};
    sqlite3_stmt *change;
    if (f->status != 0 || rows == 0 || db_prepare(&t->db, sql, &change, f) != 0)
        return f->status;
    memset(t->arm->shim.count, 0, sizeof t->arm->shim.count);
    t->arm->shim.phase = SHIM_COMMIT;
    int64_t start = clock_now();
    (void)change_rows(t, change, rows, version, &commits, f);
    int64_t elapsed = clock_now() - start;
    t->arm->shim.phase = SHIM_OUTSIDE;
    if (f->status == 0)
        say(t, phase, elapsed, &commits);
    (void)t->arm->api.finalize(change);
    samples_free(&commits);
    return f->status;
}

static void say_sizes(struct arm *arm, const char *path)
{
    static const char *const files[][2] = {
        {"database", ""}, {"wal", "-wal"}, {"shm", "-shm"}, {"journal", "-journal"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *name = mem_format("size.%s", files[i][0]);
        char *file = mem_format("%s%s", path, files[i][1]);
        int64_t size = file_size(file);
        arm_say_int(arm, name, size < 0 ? 0 : size);
        free(name);
        free(file);
    }
}

int job_throughput(struct arm *arm, struct fail *f)
{
    const char *path = arm_text(arm, "path", f);
    struct trial t = {.arm = arm};
    t.shape = (struct text_shape){(uint64_t)arm_int(arm, "seed", f),
                                  arm_int(arm, "value_bytes", f), arm_int(arm, "with_key", f)};
    t.rows_per_commit = arm_int(arm, "rows_per_commit", f);
    int64_t inserts = arm_int(arm, "inserts", f), updates = arm_int(arm, "updates", f);
    if (f->status != 0 || db_open(&t.db, &arm->api, path, f) != 0)
        return f->status;
    arm->shim.page_size = (uint32_t)arm_int(arm, "page_size", f);
    t.value = mem_get((size_t)t.shape.bytes);
    if (set_up(&t, f) == 0) {
        (void)batch(&t, "insert",
                    t.shape.with_key ? "INSERT INTO t(id, k, v) VALUES(?1, ?2, ?3)"
                                     : "INSERT INTO t(id, v) VALUES(?1, ?3)",
                    inserts, 0, f);
        (void)batch(&t, "update", "UPDATE t SET v=?3 WHERE id=?1", updates, 1, f);
        say_sizes(arm, path);
    }
    (void)arm->api.finalize(t.begin);
    (void)arm->api.finalize(t.commit);
    (void)db_close(&t.db, f);
    free(t.value);
    return f->status;
}
