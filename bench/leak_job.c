/*
** leak_job.c: what an arm process does for `walbench leak`. The search looks at
** the bytes of the files, without the library.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "marks.h"

static int set_up(struct arm *arm, const struct db *db, struct fail *f)
{
    const char *journal = arm_text(arm, "journal_mode", f);
    const char *secure = arm_text(arm, "secure_delete", f);
    const char *want = strcmp(secure, "off") == 0 ? "0" : strcmp(secure, "on") == 0 ? "1" : "2";
    if (f->status != 0 || arm_pragma(arm, db, "journal_mode", journal, journal, f) != 0 ||
        arm_pragma(arm, db, "secure_delete", secure, want, f) != 0 ||
        arm_pragma(arm, db, "wal_autocheckpoint", "0", "0", f) != 0 ||
        arm_pragma(arm, db, "cache_size", NULL, NULL, f) != 0 ||
        arm_pragma(arm, db, "auto_vacuum", NULL, "0", f) != 0 ||
        arm_pragma(arm, db, "locking_mode", NULL, "normal", f) != 0)
        return f->status;
    return arm_pragma(arm, db, "page_size", NULL, arm_text(arm, "page_size", f), f);
}

/* Marks in the database, in the log, and in at least one of them. */
static int search(struct arm *arm, struct marks *m, const char *path, const char *when,
                  struct fail *f)
{
    char *log = mem_format("%s-wal", path);
    const char *files[] = {path, log};
    static const char *const names[] = {"database", "wal"};
    char name[60];
    for (int i = 0; i < 2; i++) {
        marks_forget(m);
        if (marks_search_file(m, files[i], f) == 0) {
            (void)snprintf(name, sizeof name, "%s.%s", when, names[i]);
            arm_say_int(arm, name, (int64_t)marks_found(m));
        }
    }
    if (f->status == 0 && marks_search_file(m, path, f) == 0) {
        (void)snprintf(name, sizeof name, "%s.both", when);
        arm_say_int(arm, name, (int64_t)marks_found(m));
    }
    free(log);
    return f->status;
}

static int delete_rows(struct arm *arm, const struct db *db, const char *path, struct fail *f)
{
    struct marks m = {0};
    struct row_shape shape = {(uint64_t)arm_int(arm, "seed", f), arm_int(arm, "row_bytes", f),
                              arm_int(arm, "row_bytes", f)};
    int64_t victims = arm_int(arm, "delete", f), frames = 0;
    bool wal = strcmp(arm_text(arm, "journal_mode", f), "wal") == 0;
    if (f->status != 0)
        return f->status;
    marks_make(&m, &shape, 1, victims);
    if (search(arm, &m, path, "start", f) == 0)
        (void)db_exec(db, f, "DELETE FROM log WHERE id<=%" PRId64, victims);
    if (f->status == 0)
        (void)search(arm, &m, path, "before", f);
    if (f->status == 0 && wal)
        (void)arm_checkpoint(arm, db, &frames, f);
    if (f->status == 0)
        (void)search(arm, &m, path, "after", f);
    marks_free(&m);
    return f->status;
}

int job_leak(struct arm *arm, struct fail *f)
{
    struct db db;
    const char *path = arm_text(arm, "path", f);
    if (f->status != 0 || db_open(&db, &arm->api, path, f) != 0)
        return f->status;
    arm->shim.page_size = (uint32_t)arm_int(arm, "page_size", f);
    if (set_up(arm, &db, f) == 0 && (strcmp(arm_text(arm, "journal_mode", f), "wal") != 0 ||
                                     arm_empty_log(arm, &db, f) == 0))
        (void)delete_rows(arm, &db, path, f);
    (void)db_close(&db, f);
    return f->status;
}
