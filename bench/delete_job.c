/*
** delete_job.c: what an arm process does for `walbench delete`.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "scratch.h"

static int set_up(struct arm *arm, const struct db *db, struct fail *f)
{
    const char *journal = arm_text(arm, "journal_mode", f);
    const char *secure = arm_text(arm, "secure_delete", f);
    const char *cache = arm_text(arm, "cache_size", f);
    bool secure_default = strcmp(secure, "default") == 0;
    static const char *const code[] = {"0", "1", "2"};
    const char *want = strcmp(secure, "off") == 0  ? code[0]
                       : strcmp(secure, "on") == 0 ? code[1]
                                                   : code[2];
    if (f->status != 0 || arm_pragma(arm, db, "journal_mode", journal, journal, f) != 0 ||
        arm_pragma(arm, db, "synchronous", arm_text(arm, "synchronous", f), NULL, f) != 0 ||
        arm_pragma(arm, db, "secure_delete", secure_default ? NULL : secure,
                   secure_default ? NULL : want, f) != 0 ||
        arm_pragma(arm, db, "cache_size", strcmp(cache, "default") == 0 ? NULL : cache, NULL,
                   f) != 0 ||
        arm_pragma(arm, db, "wal_autocheckpoint", "0", "0", f) != 0 ||
        arm_pragma(arm, db, "auto_vacuum", NULL, "0", f) != 0 ||
        arm_pragma(arm, db, "page_size", NULL, arm_text(arm, "page_size", f), f) != 0)
        return f->status;
    return arm_pragma(arm, db, "locking_mode", NULL, "normal", f);
}

static int check_log_size(const struct arm *arm, const char *path, struct fail *f)
{
    uint64_t frames, bytes;
    char *log = mem_format("%s-wal", path);
    int64_t size = file_size(log);
    free(log);
    if (!shim_log(&arm->shim, &frames, &bytes) || size < 0 || (uint64_t)size != bytes)
        return fail_set(f, STATUS_MISMATCH,
                        "the log has %" PRId64 " bytes, the counting VFS saw %" PRIu64, size,
                        bytes);
    return 0;
}

static int delete_rows(struct arm *arm, const struct db *db, const char *path, struct fail *f)
{
    int64_t victims = arm_int(arm, "delete", f), frames = 0;
    bool wal = strcmp(arm_text(arm, "journal_mode", f), "wal") == 0;
    if (f->status != 0)
        return f->status;
    arm->shim.phase = SHIM_COMMIT;
    (void)db_exec(db, f, "DELETE FROM log WHERE id<=%" PRId64, victims);
    arm->shim.phase = SHIM_OUTSIDE;
    if (f->status == 0 && arm->api.changes(db->handle) != victims)
        return fail_set(f, STATUS_MISMATCH, "%d rows deleted instead of %" PRId64,
                        arm->api.changes(db->handle), victims);
    if (f->status == 0 && wal) {
        (void)check_log_size(arm, path, f);
        if (f->status == 0 && arm_checkpoint(arm, db, &frames, f) == 0)
            arm_say_int(arm, "frames_in_log", frames);
    }
    return f->status;
}

int job_delete(struct arm *arm, struct fail *f)
{
    struct db db;
    const char *path = arm_text(arm, "path", f);
    if (f->status != 0 || db_open(&db, &arm->api, path, f) != 0)
        return f->status;
    arm->shim.page_size = (uint32_t)arm_int(arm, "page_size", f);
    if (set_up(arm, &db, f) == 0)
        (void)delete_rows(arm, &db, path, f);
    (void)db_close(&db, f);
    arm_say_counts(arm, "commit", SHIM_COMMIT);
    arm_say_counts(arm, "checkpoint", SHIM_CHECKPOINT);
    return f->status;
}
