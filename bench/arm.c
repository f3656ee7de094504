/*
** arm.c: the inside of an arm process.
*/
#include "arm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <signal.h>

#include "options.h"
#include "signals.h"

const char *arm_text(const struct arm *arm, const char *key, struct fail *f)
{
    const char *value = kv_find(&arm->args, key);
    if (value == NULL)
        fail_set(f, STATUS_MISMATCH, "the job was not told '%s'", key);
    return value ? value : "";
}

int64_t arm_int(const struct arm *arm, const char *key, struct fail *f)
{
    int64_t n = 0;
    if (!options_number(arm_text(arm, key, f), &n))
        fail_set(f, STATUS_MISMATCH, "the job was told no number for '%s'", key);
    return n;
}

void arm_say_int(struct arm *arm, const char *name, int64_t value)
{
    fprintf(arm->out, "n %s %" PRId64 "\n", name, value);
}

void arm_say_text(struct arm *arm, const char *name, const char *value)
{
    fprintf(arm->out, "t %s ", name);
    for (; *value; value++)
        fputc(*value == '\n' ? ' ' : *value, arm->out);
    fputc('\n', arm->out);
}

void arm_say_progress(struct arm *arm, int64_t done, int64_t total)
{
    fprintf(arm->out, "p %" PRId64 " %" PRId64 "\n", done, total);
    (void)fflush(arm->out);
}

void arm_say_counts(struct arm *arm, const char *prefix, enum shim_phase phase)
{
    for (int k = 0; k < SHIM_CLASSES; k++) {
        const struct shim_count *c = &arm->shim.count[phase][k];
        const struct {
            const char *what;
            uint64_t value;
        } say[] = {{"writes", c->writes}, {"bytes", c->bytes},
                   {"pages", c->pages},   {"rewritten", c->rewritten},
                   {"syncs", c->syncs},   {"truncates", c->truncates}};
        for (size_t i = 0; i < sizeof say / sizeof say[0]; i++)
            fprintf(arm->out, "n %s.%s.%s %" PRIu64 "\n", prefix, shim_class_name[k],
                    say[i].what, say[i].value);
    }
}

int arm_pragma(struct arm *arm, const struct db *db, const char *name, const char *value,
               const char *want, struct fail *f)
{
    char sql[100];
    char said[100];
    char *text = NULL;
    if (value != NULL && db_exec(db, f, "PRAGMA %s=%s", name, value) != 0)
        return f->status;
    (void)snprintf(sql, sizeof sql, "PRAGMA %s", name);
    if (db_text(db, sql, &text, f) != 0)
        return f->status;
    (void)snprintf(said, sizeof said, "pragma.%s", name);
    arm_say_text(arm, said, text);
    if (want != NULL && strcmp(text, want) != 0)
        fail_set(f, STATUS_MISMATCH, "the library does not take PRAGMA %s=%s: it says %s", name,
                 value ? value : want, text);
    free(text);
    return f->status;
}

int arm_pragmas(struct arm *arm, const struct db *db, const struct arm_setting *settings,
                struct fail *f)
{
    for (; f->status == 0 && settings->name != NULL; settings++)
        (void)arm_pragma(arm, db, settings->name, settings->value, settings->want, f);
    return f->status;
}

int arm_probe(struct arm *arm, struct fail *f)
{
    struct db db;
    const char *option;
    char *options = mem_copy("");
    for (int i = 0; (option = arm->api.compileoption_get(i)) != NULL; i++) {
        char *longer = mem_format("%s%s%s", options, i ? " " : "", option);
        free(options);
        options = longer;
    }
    arm_say_text(arm, "version", arm->api.libversion());
    arm_say_text(arm, "source_id", arm->api.sourceid());
    arm_say_text(arm, "compile_options", options);
    free(options);
    if (db_open(&db, &arm->api, ":memory:", f) != 0)
        return f->status;
    (void)arm_pragma(arm, &db, "secure_delete", NULL, NULL, f);
    (void)arm_pragma(arm, &db, "cache_size", NULL, NULL, f);
    return db_close(&db, f);
}

int arm_empty_log(struct arm *arm, const struct db *db, struct fail *f)
{
    int64_t busy;
    arm->shim.phase = SHIM_OUTSIDE;
    if (db_int(db, "PRAGMA wal_checkpoint(TRUNCATE)", &busy, f) == 0 && busy != 0)
        return fail_set(f, STATUS_MISMATCH, "the first checkpoint was refused");
    return f->status;
}

int arm_copy_log(struct arm *arm, const struct db *db, int *in_log, int *copied, struct fail *f)
{
    enum shim_phase phase = arm->shim.phase;
    arm->shim.phase = SHIM_CHECKPOINT;
    int rc =
        arm->api.wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, in_log, copied);
    arm->shim.phase = phase;
    return rc == SQLITE_OK ? 0 : db_failed(db, "checkpoint", f);
}

int arm_checkpoint(struct arm *arm, const struct db *db, int64_t *frames, struct fail *f)
{
    uint64_t counted, bytes;
    int in_log = -1, copied = -1;
    if (!shim_log(&arm->shim, &counted, &bytes))
        return fail_set(f, STATUS_MISMATCH, "the log was not begun under the counting VFS");
    uint64_t pages = arm->shim.count[SHIM_CHECKPOINT][SHIM_DATABASE].pages;
    if (arm_copy_log(arm, db, &in_log, &copied, f) != 0)
        return f->status;
    pages = arm->shim.count[SHIM_CHECKPOINT][SHIM_DATABASE].pages - pages;
    if (in_log < 0 || (uint64_t)in_log != counted)
        return fail_set(f, STATUS_MISMATCH,
                        "the counting VFS saw %" PRIu64 " frames, the checkpoint says %d",
                        counted, in_log);
    if (copied != in_log)
        return fail_set(f, STATUS_MISMATCH, "the checkpoint left %d of %d frames behind",
                        in_log - copied, in_log);
    if (pages > counted)
        return fail_set(f, STATUS_MISMATCH,
                        "the checkpoint wrote %" PRIu64 " pages from %" PRIu64 " frames", pages,
                        counted);
    *frames = (int64_t)counted;
    return 0;
}

int arm_checkpoint_cut(struct arm *arm, const struct db *db, uint64_t written, int64_t *frames,
                       struct fail *f)
{
    int in_log = -1, copied = -1;
    *frames = 0;
    if (written == 0)
        return 0; /* the log still has what was in it before */
    if (arm_copy_log(arm, db, &in_log, &copied, f) != 0)
        return f->status;
    if (in_log < 0 || copied != in_log || (uint64_t)in_log > written)
        return fail_set(f, STATUS_MISMATCH,
                        "the checkpoint copied %d of %d frames, %" PRIu64 " were written",
                        copied, in_log, written);
    *frames = in_log;
    return 0;
}

static int split_args(struct arm *arm, int argc, char **argv, struct fail *f)
{
    for (int i = 0; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (equals == NULL)
            return fail_set(f, STATUS_UNUSABLE, "'%s' is not KEY=VALUE", argv[i]);
        *equals = 0;
        kv_text(&arm->args, argv[i], equals + 1);
    }
    return 0;
}

static int run_job(struct arm *arm, const struct arm_job *job, const char *library,
                   struct fail *f)
{
    if (api_load(&arm->api, library, f) != 0)
        return f->status;
    /* Statement journals go to their files from the first byte on, or the shim would
    ** not see those that stay small. A job that takes times may want them as they are. */
    int rc = kv_find(&arm->args, "keep_stmtjrnl_spill") != NULL
                 ? SQLITE_OK
                 : arm->api.config(SQLITE_CONFIG_STMTJRNL_SPILL, 0);
    if (rc == SQLITE_OK)
        rc = arm->api.initialize();
    if (rc != SQLITE_OK)
        fail_set(f, STATUS_UNUSABLE, "cannot initialise the library: %s", arm->api.errstr(rc));
    else if (shim_install(&arm->shim, &arm->api, f) == 0) {
        (void)job->run(arm, f);
        shim_remove(&arm->shim);
    }
    if (f->status == 0 && (rc = arm->api.shutdown()) != SQLITE_OK)
        fail_set(f, STATUS_MISMATCH, "cannot shut the library down: %s", arm->api.errstr(rc));
    api_unload(&arm->api);
    return f->status;
}

int arm_main(const struct arm_job *jobs, int argc, char **argv)
{
    struct fail f = {0};
    struct arm *arm = mem_get(sizeof *arm);
    int64_t fd;
    if (argc < 4 || !options_number(argv[1], &fd) || fd < 3 || fd > 1000 ||
        (arm->out = fdopen((int)fd, "w")) == NULL) {
        fputs("walbench: '" ARM_COMMAND "' is for the program's own use\n", stderr);
        free(arm);
        return STATUS_UNUSABLE;
    }
#ifdef __linux__
    /* An arm whose parent was killed must not go on alone. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    while (jobs->name != NULL && strcmp(jobs->name, argv[3]) != 0)
        jobs++;
    if (jobs->name == NULL)
        fail_set(&f, STATUS_UNUSABLE, "no job '%s'", argv[3]);
    else if (split_args(arm, argc - 4, argv + 4, &f) == 0)
        (void)run_job(arm, jobs, argv[2], &f);
    if (f.status != 0)
        fprintf(arm->out, "e %d %s\n", f.status, f.text);
    else
        fputs(".\n", arm->out);
    if (fclose(arm->out) != 0 && f.status == 0)
        f.status = STATUS_MISMATCH;
    kv_free(&arm->args);
    free(arm);
    return f.status;
}
