/*
** point.c: plays a scenario, lets one call fail, does what an application would,
** and looks at the content from all sides.
**
** The connection itself is asked first, before its cache has lost anything: stale
** pages are seen by nobody else. So its cache is made large then. integrity_check
** alone is no judge, since content that is stale as a whole is in good order.
**
** While nothing has failed nothing is looked at, since that would change what is
** in the cache.
*/
#include "point.h"

#include <inttypes.h>
#include <string.h>

struct player {
    const struct stage *stage;
    const struct oracle *o;
    const struct point *point;
    struct fault *fault;
    struct verdict *v;
    struct session s;
    bool dealt_with; /* the fault is over and the application has reacted */
    int state;       /* what is committed is that before this step, */
    int maybe;       /* or after a power failure that before this one */
};

const char *lasts_name(enum lasts lasts)
{
    static const char *const name[LASTS] = {"once", "statement", "transaction"};
    return name[lasts];
}

const char *then_name(enum then then)
{
    return then == THEN_ROLLBACK ? "rollback" : "retry";
}

static void wrong(struct player *p, int step, const char *what)
{
    if (p->v->wrong)
        return;
    p->v->wrong = true;
    p->v->step = step;
    (void)snprintf(p->v->text, sizeof p->v->text, "%s", what);
    if (p->stage->log != NULL)
        fprintf(p->stage->log, "  WRONG: %s\n", what);
}

static bool fault_is_on(const struct player *p)
{
    return p->fault->at != 0 && (p->fault->lasting || p->fault->fired == 0);
}

static void set_cache(struct player *p, int step, int size)
{
    char sql[64];
    (void)snprintf(sql, sizeof sql, "PRAGMA cache_size = %d", size);
    if (session_sql(&p->s, sql) != SQLITE_OK)
        wrong(p, step, "cannot set the size of the cache");
}

/*
** The content must be one of those that are legal, as far as it can be read. Returns
** the index of it, or -1.
*/
static int look(struct player *p, int step, const struct hash_value *legal, int count,
                bool may_refuse, const char *what)
{
    struct hash_value now;
    if (p->v->wrong)
        return -1;
    if (!fault_is_on(p))
        set_cache(p, step, 5000);
    int rc = session_content(&p->s, &now);
    if (p->stage->log != NULL)
        fprintf(p->stage->log, "  %s: code %d, %016" PRIx64 "\n", what, rc,
                rc == SQLITE_OK ? now.high : 0);
    if (rc != SQLITE_OK) {
        if (!may_refuse)
            wrong(p, step, "content cannot be read although the fault is over");
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (hash_same(now, legal[i]))
            return i;
    wrong(p, step, what);
    return -1;
}

static void look_for(struct player *p, int step, struct hash_value legal, const char *what)
{
    (void)look(p, step, &legal, 1, false, what);
}

static int do_step(struct player *p, int i)
{
    const struct scenario *scenario = p->stage->scenario;
    p->fault->counting = !scenario_is_narrow(scenario) || scenario->step[i][0] == '!';
    int rc = session_step(&p->s, i);
    p->fault->counting = false;
    if (p->fault->fired > 0 && p->point->lasts == LASTS_STATEMENT)
        fault_end(p->fault);
    if (p->stage->log != NULL)
        fprintf(p->stage->log, "%2d %s: code %d, transaction %s, %" PRIu64 " calls failed\n", i,
                scenario->step[i], rc, session_busy(&p->s) ? "open" : "closed",
                p->fault->fired);
    if (p->s.reader_wrong)
        wrong(p, i, "the snapshot of the reader has changed");
    return rc;
}

static bool as_planned(const struct player *p, int i, int rc)
{
    return rc == p->o->rc[i] && session_busy(&p->s) == p->o->open[i + 1];
}

/* The fault is over when the application has rolled back. */
static void roll_back(struct player *p, int i)
{
    int rc = SQLITE_OK;
    for (int attempt = 0; attempt < 2 && session_busy(&p->s); attempt++) {
        rc = session_sql(&p->s, "ROLLBACK");
        if (p->stage->log != NULL)
            fprintf(p->stage->log, "  ROLLBACK: code %d\n", rc);
        fault_end(p->fault);
    }
    fault_end(p->fault);
    if (session_busy(&p->s))
        wrong(p, i, "ROLLBACK fails although the fault is over");
    if (p->s.db == NULL && session_open(&p->s) != SQLITE_OK)
        wrong(p, i, "the database cannot be opened although the fault is over");
}

/* Step i has failed. True: the step has been done after all. */
static bool try_again(struct player *p, int i)
{
    const struct oracle *o = p->o;
    const struct hash_value legal[] = {o->live[i + 1], o->committed[i]};
    if (!as_planned(p, i, do_step(p, i)))
        return false;
    fault_end(p->fault);
    /* The first attempt may have rolled back, and the second one done nothing. */
    int found =
        look(p, i, legal, o->open[i + 1] ? 1 : 2, false, "content after the second attempt");
    return found == 0;
}

/* Step i has failed. Returns the step to go on with, or -1: go no further. */
static int react(struct player *p, int i, int rc)
{
    const struct oracle *o = p->o;
    p->v->error = true;
    bool lost = !session_busy(&p->s); /* the transaction, if there was any */
    /* Of the errors that a VFS causes, this one alone leaves a statement that has no
    ** statement journal half done, in stock as well. All that helps is ROLLBACK. */
    bool half_done = rc == SQLITE_PROTOCOL && !lost;
    int found = -1;
    if (p->s.db != NULL && !half_done) {
        /* After a RELEASE that should have committed and has failed, the content is
        ** rolled back, but a transaction is still open. */
        const struct hash_value kept[] = {o->live[i], o->live[i + 1], o->committed[i]};
        const struct hash_value gone[] = {o->committed[i], o->committed[i + 1]};
        found =
            lost ? look(p, i, gone, 2, fault_is_on(p), "content after the failure")
                 : look(p, i, kept, o->open[i + 1] ? 2 : 3, true, "content after the failure");
    }
    if (p->point->then == THEN_RETRY && !lost && !half_done && found != 2) {
        if (try_again(p, i)) {
            p->dealt_with = true;
            set_cache(p, i, p->stage->scenario->cache_size);
            return i + 1;
        }
        lost = !session_busy(&p->s);
    }
    roll_back(p, i);
    p->dealt_with = true;
    /* A COMMIT that has failed may have been one. If its frames are in the log, then
    ** after a power failure it is one, whatever the connection says. */
    const struct hash_value legal[] = {o->committed[i], o->committed[i + 1]};
    p->maybe = i + 1;
    p->state = i + look(p, i, legal, lost ? 2 : 1, false, "content after ROLLBACK");
    if (p->v->wrong || p->point->then == THEN_ROLLBACK)
        return -1;
    int next = p->state == i ? o->begin[i] : i + 1;
    p->state = p->maybe = o->count;
    set_cache(p, i, p->stage->scenario->cache_size);
    return next;
}

static void play(struct player *p)
{
    const struct oracle *o = p->o;
    int i = 0;
    p->state = p->maybe = o->count;
    while (i >= 0 && i < o->count && !p->v->wrong) {
        int rc = do_step(p, i);
        bool fired = p->fault->fired > 0;
        const char *text = p->stage->scenario->step[i];
        text += text[0] == '!';
        if (as_planned(p, i, rc)) {
            bool over = !session_busy(&p->s);
            if (fired && over)
                fault_end(p->fault);
            if (fired && (over || strncmp(text, "ROLLBACK", 8) == 0)) {
                (void)look(p, i, &o->live[i + 1], 1, fault_is_on(p),
                           "content after a step that went well");
                if (!p->v->wrong && !fault_is_on(p))
                    set_cache(p, i, p->stage->scenario->cache_size);
            }
            i++;
        } else if (!fired) {
            wrong(p, i, "a step goes wrong although nothing has failed");
        } else if (p->dealt_with) {
            wrong(p, i, "a step goes wrong although the fault is over");
        } else {
            i = react(p, i, rc);
        }
    }
}

/* What the reference library finds in a database file. */
static void look_at_file(struct player *p, const char *file, struct hash_value a,
                         struct hash_value b, const char *what)
{
    struct session s = {
        .entry = p->stage->reference, .scenario = p->stage->scenario, .file = file};
    struct hash_value now;
    char text[96];
    int rc = session_open(&s);
    if (rc == SQLITE_OK)
        rc = session_content(&s, &now);
    if (rc != SQLITE_OK) {
        (void)snprintf(text, sizeof text, "%s cannot be read, code %d", what, rc);
        wrong(p, p->o->count, text);
    } else if (!hash_same(now, a) && !hash_same(now, b)) {
        (void)snprintf(text, sizeof text, "content of %s", what);
        wrong(p, p->o->count, text);
    } else if (!session_integrity(&s)) {
        (void)snprintf(text, sizeof text, "integrity of %s", what);
        wrong(p, p->o->count, text);
    }
    (void)session_close(&s); /* it was opened to read */
}

static void look_at_copy(struct player *p, struct hash_value a, struct hash_value b,
                         const char *what)
{
    if (p->v->wrong)
        return;
    if (!session_copy(p->s.file, "copy.db"))
        wrong(p, p->o->count, "the files cannot be copied");
    else
        look_at_file(p, "copy.db", a, b, what);
}

static void finish(struct player *p)
{
    const struct oracle *o = p->o;
    int end = o->count;
    fault_end(p->fault);
    if (session_end_reading(&p->s) != SQLITE_OK)
        wrong(p, end, "the reader cannot be closed");
    look_for(p, end, o->committed[p->state], "content at the end");
    look_at_copy(p, o->committed[p->state], o->committed[p->maybe], "a copy, recovered");
    if (p->v->wrong)
        return;
    int rc = session_work(&p->s);
    if (p->stage->log != NULL)
        fprintf(p->stage->log, "  more work: code %d\n", rc);
    if (rc != SQLITE_OK)
        wrong(p, end, "more work on the connection fails");
    look_for(p, end, o->work[p->state], "content after more work");
    if (!p->v->wrong && !session_integrity(&p->s))
        wrong(p, end, "integrity after more work");
    look_at_copy(p, o->work[p->state], o->work[p->state], "a copy after more work, recovered");
}

void point_run(const struct stage *stage, const struct point *point, struct verdict *v)
{
    struct player p = {
        .stage = stage, .o = stage->oracle, .point = point, .fault = stage->fault, .v = v};
    memset(v, 0, sizeof *v);
    p.s = (struct session){
        .entry = stage->tested, .scenario = stage->scenario, .file = "test.db"};
    fault_begin(p.fault, point->kind, point->lasts != LASTS_ONCE, 0);
    if (!session_copy(stage->fixture, p.s.file) || session_open(&p.s) != SQLITE_OK) {
        wrong(&p, 0, "cannot open the database");
        return;
    }
    p.fault->at = point->at;
    play(&p);
    if (!v->wrong)
        finish(&p);
    fault_end(p.fault);
    v->fired = p.fault->fired > 0;
    if (session_close(&p.s) != SQLITE_OK)
        wrong(&p, stage->oracle->count, "the connection cannot be closed");
    if (!v->wrong)
        look_at_file(&p, p.s.file, p.o->work[p.state], p.o->work[p.state],
                     "the database, reopened");
}
