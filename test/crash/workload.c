/*
** workload.c: plays a script and says on the tape when a transaction is about to
** commit and when it has.
**
** What was committed is known from another run of the same script, with stock. The
** library under test is never asked: what it believes is not what counts, and to
** read would change what is in its cache.
*/
#include "workload.h"

#include <stdio.h>
#include <string.h>

#include "content.h"
#include "dice.h"
#include "generate.h"

struct workload {
    const struct entry *entry;
    const struct api *api;
    const struct plan *plan;
    struct recorder *recorder;
    struct tape *tape;
    bool reference;
    const struct step *step;
    sqlite3 *connection[2];
    size_t state; /* of the last transaction */
    enum { MODE_DELETE, MODE_PERSIST, MODE_WAL } mode;
};

/* --- The plan. */

/*
** A transaction over two databases is not atomic in WAL mode. In rollback mode from
** the beginning, a reader meets locks that it cannot tell the content under.
*/
static bool unsuitable(const struct script *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].kind == STEP_PRAGMA &&
            strcmp(s->at[i].text, "PRAGMA main.journal_mode=DELETE") == 0)
            return true;
    return s->aux;
}

void plan_make(struct plan *p, uint64_t seed, size_t steps)
{
    uint64_t dice = seed ^ UINT64_C(0xc4a54);
    memset(p, 0, sizeof *p);
    static const int weights[] = {55, 10, 35};
    static const char *const modes[] = {"PRAGMA synchronous=FULL", "PRAGMA synchronous=EXTRA",
                                        "PRAGMA synchronous=NORMAL"};
    int mode = dice_weighted(&dice, weights, 3);
    p->synchronous = modes[mode];
    p->extra = mode == 1;
    p->normal = mode == 2;
    for (generate(&p->script, random_next(&dice), steps); unsuitable(&p->script);
         generate(&p->script, random_next(&dice), steps))
        script_free(&p->script);
}

void plan_free(struct plan *p)
{
    script_free(&p->script);
}

void plan_print(const struct plan *p, FILE *out)
{
    fprintf(out, "  once in WAL mode: %s\n", p->synchronous);
    script_print(&p->script, NULL, p->script.count, out);
}

/* --- Statements. */

static struct record run(struct workload *w, sqlite3 *db, const char *sql)
{
    struct record r;
    memset(&r, 0, sizeof r);
    content_statement(w->api, db, sql, true, &r);
    return r;
}

static struct hash_value content(struct workload *w, sqlite3 *db)
{
    struct record r;
    memset(&r, 0, sizeof r);
    content_read(w->api, db, false, &r);
    if (r.rc != SQLITE_OK && w->tape->wrong[0] == 0)
        (void)snprintf(w->tape->wrong, sizeof w->tape->wrong, "step %zu: reading gives %d, %s",
                       w->tape->step, r.rc, r.text);
    return r.hash;
}

static void mark_begin(struct workload *w, size_t state)
{
    if (!w->reference)
        tape_add(w->tape, TAPE_BEGIN, FILE_DATABASE, (int64_t)state, 0, NULL);
}

static void mark_end(struct workload *w, sqlite3 *db)
{
    struct tape *t = w->tape;
    size_t state = ++w->state;
    enum tape_promise promise = PROMISE_NOW;
    if (state >= STATES_MOST) {
        t->full = true;
        return;
    }
    if (w->reference) {
        t->content[state] = content(w, db);
        t->states = state + 1;
        return;
    }
    if (w->mode == MODE_WAL && w->plan->normal)
        promise = PROMISE_LOG;
    else if (w->mode == MODE_DELETE && !w->plan->extra)
        promise = PROMISE_FOLDER;
    tape_add(t, TAPE_END, FILE_DATABASE, (int64_t)state, (int64_t)promise, NULL);
    recorder_index(w->recorder, 10);
}

/* Does rollback mode promise anything under synchronous=NORMAL? Too little. */
static bool leave_out(const struct workload *w)
{
    const char *text = w->step->text;
    return w->plan->normal && (strcmp(text, "PRAGMA journal_mode=DELETE") == 0 ||
                               strcmp(text, "PRAGMA journal_mode=PERSIST") == 0);
}

static void mode_changed(struct workload *w, const char *mode)
{
    w->mode = strcmp(mode, "wal") == 0       ? MODE_WAL
              : strcmp(mode, "persist") == 0 ? MODE_PERSIST
                                             : MODE_DELETE;
    for (int i = 0; i < 2 && w->mode == MODE_WAL; i++)
        if (w->connection[i] != NULL)
            (void)run(w, w->connection[i], w->plan->synchronous);
}

static bool may_commit(const char *text)
{
    return strncmp(text, "COMMIT", 6) == 0 || strncmp(text, "RELEASE", 7) == 0;
}

static void statement(struct workload *w, sqlite3 *db, const char *sql)
{
    if (db == NULL)
        return;
    bool marked = w->api->get_autocommit(db) || may_commit(sql);
    if (marked)
        mark_begin(w, w->state + 1);
    struct record r = run(w, db, sql);
    bool idle = w->api->get_autocommit(db) != 0;
    if (idle)
        mark_end(w, db);
    else if (marked)
        mark_begin(w, w->state);
    if (strstr(sql, "journal_mode") != NULL && r.rc == SQLITE_OK)
        mode_changed(w, r.text);
}

/* --- Connections. */

static void open_connection(struct workload *w, int i)
{
    if (w->connection[i] != NULL || w->tape->fail.status != 0)
        return;
    int rc = w->api->open_v2("a.db", &w->connection[i],
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (rc != SQLITE_OK) {
        fail_set(&w->tape->fail, STATUS_UNUSABLE, "a workload cannot open its database: %s",
                 w->api->errstr(rc));
        return;
    }
    const struct script *s = &w->plan->script;
    for (size_t k = 0; k < s->openings; k++)
        if (strstr(s->opening[k], "synchronous") == NULL)
            (void)run(w, w->connection[i], s->opening[k]);
    (void)run(w, w->connection[i],
              w->mode == MODE_WAL ? w->plan->synchronous
              : w->plan->extra    ? "PRAGMA synchronous=EXTRA"
                                  : "PRAGMA synchronous=FULL");
    /* Any mode but WAL is one of the connection, not of the database. */
    if (w->mode == MODE_PERSIST)
        (void)run(w, w->connection[i], "PRAGMA journal_mode=PERSIST");
}

static void close_connection(struct workload *w, int i)
{
    if (w->connection[i] != NULL)
        (void)w->api->close(w->connection[i]);
    w->connection[i] = NULL;
}

static void reopen(struct workload *w)
{
    close_connection(w, 1);
    close_connection(w, 0);
    open_connection(w, 0);
    open_connection(w, 1);
}

static void play(struct workload *w)
{
    const struct step *s = w->step;
    switch (s->kind) {
    case STEP_FLUSH:
        (void)w->entry->db_cacheflush(w->connection[0]);
        break;
    case STEP_READER_BEGIN:
        statement(w, w->connection[1], "BEGIN");
        statement(w, w->connection[1], "SELECT count(*) FROM t0");
        break;
    case STEP_READER_END:
        statement(w, w->connection[1], "COMMIT");
        break;
    case STEP_READER_CLOSE:
        close_connection(w, 1);
        break;
    case STEP_READER_OPEN:
        open_connection(w, 1);
        break;
    case STEP_REOPEN:
    case STEP_SWAP:
    case STEP_CRASH:
        reopen(w);
        break;
    case STEP_LOOK:
    case STEP_READER_LOOK:
    case STEP_BACKUP_BEGIN:
    case STEP_BACKUP_PAGES:
    case STEP_BACKUP_END:
    case STEP_INTO:
    case STEP_COPY:
        break;
    default:
        if (!leave_out(w))
            statement(w, w->connection[s->connection], s->text);
    }
}

void workload_run(const struct entry *entry, const struct plan *plan, struct recorder *r,
                  struct tape *tape, bool reference)
{
    static const struct step none = {STEP_LOOK, 0, 0, false, NULL};
    struct workload w;
    memset(&w, 0, sizeof w);
    w.entry = entry;
    w.api = &entry->api;
    w.plan = plan;
    w.recorder = r;
    w.tape = tape;
    w.reference = reference;
    w.step = &none;
    open_connection(&w, 0);
    open_connection(&w, 1);
    if (reference && tape->fail.status == 0) {
        tape->content[0] = content(&w, w.connection[0]);
        tape->states = 1;
    }
    for (size_t i = 0; i < plan->script.count && tape->fail.status == 0 && !tape->full; i++) {
        tape->step = i;
        w.step = &plan->script.at[i];
        play(&w);
    }
    close_connection(&w, 1);
    close_connection(&w, 0);
    if (!reference && !tape->full && w.state + 1 != tape->states && tape->wrong[0] == 0)
        (void)snprintf(tape->wrong, sizeof tape->wrong,
                       "%zu transactions, %zu in the run of reference", w.state,
                       tape->states - 1);
}
