/*
** oracle.c: plays a scenario without a fault and writes down each state.
*/
#include "oracle.h"

#include <string.h>

static int broken(const struct scenario *scenario, int i, struct fail *f)
{
    const char *text = scenario->step[i];
    return fail_set(f, STATUS_UNUSABLE,
                    "scenario %s: the first library cannot play it (%d: %s)", scenario->name, i,
                    text ? text : "the end");
}

static bool back_up(const struct session *s, const char *file)
{
    const struct entry *e = s->entry;
    sqlite3 *to = NULL;
    session_remove(file);
    int rc = e->api.open_v2(file, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    sqlite3_backup *backup = rc == SQLITE_OK ? e->backup_init(to, "main", s->db, "main") : NULL;
    bool done = backup != NULL && e->backup_step(backup, -1) == SQLITE_DONE;
    done = backup != NULL && e->backup_finish(backup) == SQLITE_OK && done;
    return e->api.close(to) == SQLITE_OK && done;
}

/* What is committed becomes this with more work. It is done on a backup: from a copy of the
** files releases up to 3.49 do not recover each commit. */
static bool look_at_work(struct oracle *o, int i, const struct session *original)
{
    struct session copy = *original;
    struct hash_value found;
    copy.db = NULL;
    copy.reader = NULL;
    copy.reading = false;
    copy.file = "oracle-copy.db";
    bool good = back_up(original, copy.file) && session_open(&copy) == SQLITE_OK &&
                session_content(&copy, &found) == SQLITE_OK &&
                hash_same(found, o->committed[i]) && session_work(&copy) == SQLITE_OK &&
                session_content(&copy, &o->work[i]) == SQLITE_OK && session_integrity(&copy);
    return session_close(&copy) == SQLITE_OK && good;
}

static bool write_down(struct oracle *o, int i, const struct session *s)
{
    o->open[i] = session_busy(s);
    if (session_content(s, &o->live[i]) != SQLITE_OK)
        return false;
    if (o->open[i]) {
        o->committed[i] = o->committed[i - 1];
        o->work[i] = o->work[i - 1];
        return true;
    }
    o->committed[i] = o->live[i];
    return look_at_work(o, i, s);
}

int oracle_make(struct oracle *o, const struct entry *entry, const struct scenario *scenario,
                const char *fixture, struct fail *f)
{
    struct session s = {.entry = entry, .scenario = scenario, .file = "oracle.db"};
    memset(o, 0, sizeof *o);
    if (!session_copy(fixture, s.file) || session_open(&s) != SQLITE_OK ||
        !write_down(o, 0, &s))
        broken(scenario, 0, f);
    int i = 0;
    for (; f->status == 0 && scenario->step[i] != NULL; i++) {
        o->rc[i] = session_step(&s, i);
        o->begin[i] = i > 0 && o->open[i] ? o->begin[i - 1] : i;
        int code = o->rc[i] & 0xff;
        if ((code != SQLITE_OK && code != SQLITE_CONSTRAINT) || !write_down(o, i + 1, &s) ||
            s.reader_wrong)
            broken(scenario, i, f);
    }
    o->count = i;
    if (f->status == 0 && o->open[i])
        broken(scenario, i, f);
    if (session_close(&s) != SQLITE_OK)
        broken(scenario, i, f);
    session_remove(s.file);
    session_remove("oracle-copy.db");
    return f->status;
}
