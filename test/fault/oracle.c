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

/* What is committed, and what it becomes with more work, from a copy. */
static bool look_at_copy(struct oracle *o, int i, const struct session *original)
{
    struct session copy = *original;
    copy.db = NULL;
    copy.reader = NULL;
    copy.reading = false;
    copy.file = "oracle-copy.db";
    bool good = session_copy(original->file, copy.file) && session_open(&copy) == SQLITE_OK &&
                session_content(&copy, &o->committed[i]) == SQLITE_OK &&
                session_work(&copy) == SQLITE_OK &&
                session_content(&copy, &o->work[i]) == SQLITE_OK && session_integrity(&copy);
    return session_close(&copy) == SQLITE_OK && good;
}

static bool write_down(struct oracle *o, int i, const struct session *s)
{
    o->open[i] = session_busy(s);
    return session_content(s, &o->live[i]) == SQLITE_OK && look_at_copy(o, i, s);
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
