/*
** player.c: plays a script and looks at the content from all sides.
**
** Where something is compared matters as much as what. The wrong content that a
** connection may hold in its cache is only seen by that connection, and only
** until the page has been read again from the file; what is missing in the file
** is only seen by others. So after a transaction the connection itself is asked
** first, then a new one. integrity_check alone is no judge: content that is
** stale as a whole is in good order.
*/
#include "player.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "content.h"
#include "count.h"
#include "file.h"
#include "image.h"
#include "needle.h"

enum { DEPTH_MOST = 16 };

struct remembered {
    bool set;
    struct hash_value hash;
};

struct player {
    const struct entry *entry;
    const struct api *api;
    const struct script *script;
    struct trace *trace;
    bool taken_over; /* part of the files is the work of the other library */
    const struct step *step;
    sqlite3 *connection[2];
    sqlite3_backup *backup;
    sqlite3 *backup_to;
    struct remembered committed; /* as of the end of the last transaction */
    struct remembered savepoint[DEPTH_MOST];
    struct remembered snapshot; /* of the reader */
    struct count count;
};

static struct record new_record(const struct player *p, enum check check)
{
    struct record r;
    memset(&r, 0, sizeof r);
    r.step = p->trace->doing;
    r.check = check;
    return r;
}

static bool differs(const struct record *r, const struct remembered *m)
{
    return m->set && r->rc == SQLITE_OK &&
           (r->hash.high != m->hash.high || r->hash.low != m->hash.low);
}

static struct remembered remember(const struct record *r)
{
    return (struct remembered){r->rc == SQLITE_OK, r->hash};
}

static void remove_database(const char *name)
{
    static const char *const tail[] = {"", "-wal", "-shm", "-journal"};
    char path[64];
    for (size_t i = 0; i < sizeof tail / sizeof tail[0]; i++) {
        (void)snprintf(path, sizeof path, "%s%s", name, tail[i]);
        (void)unlink(path); /* most of them do not exist */
    }
}

/* --- Looking. */

static struct record look(struct player *p, int connection, enum check check,
                          const struct remembered *expected)
{
    struct record r = new_record(p, check);
    if (p->connection[connection] == NULL)
        return r;
    content_read(p->api, p->connection[connection], p->script->aux, &r);
    if (expected != NULL)
        r.bad = differs(&r, expected);
    trace_add(p->trace, &r);
    return r;
}

static void look_at_integrity(struct player *p, int connection)
{
    struct record r = new_record(p, CHECK_INTEGRITY);
    content_integrity(p->api, p->connection[connection], &r);
    trace_add(p->trace, &r);
}

/* Opens a database anew, hashes and checks it. */
static void look_at_files(struct player *p, const char *name, const char *aux_name,
                          enum check check, enum check integrity, bool checkpoint,
                          const struct remembered *expected)
{
    struct record r = new_record(p, check);
    sqlite3 *db = NULL;
    const struct api *api = p->api;
    r.rc = api->open_v2(name, &db, SQLITE_OPEN_READWRITE, NULL);
    if (r.rc == SQLITE_OK)
        r.rc = api->extended_result_codes(db, 1);
    if (r.rc == SQLITE_OK && aux_name != NULL) {
        char sql[64];
        (void)snprintf(sql, sizeof sql, "ATTACH '%s' AS b", aux_name);
        content_statement(api, db, sql, false, &r);
        r.rows = 0;
    }
    if (r.rc == SQLITE_OK)
        content_read(api, db, aux_name != NULL, &r);
    r.bad = differs(&r, expected) || r.rc == SQLITE_CORRUPT || r.rc == SQLITE_NOTADB;
    trace_add(p->trace, &r);
    if (r.rc == SQLITE_OK) {
        r = new_record(p, integrity);
        content_integrity(api, db, &r);
        trace_add(p->trace, &r);
    }
    if (checkpoint) {
        r = new_record(p, CHECK_COPY_CHECKPOINTED);
        content_statement(api, db, "PRAGMA wal_checkpoint(TRUNCATE)", true, &r);
        r.bad = r.rc != SQLITE_OK;
        trace_add(p->trace, &r);
        r = new_record(p, CHECK_COPY_CHECKPOINTED);
        content_integrity(api, db, &r);
        trace_add(p->trace, &r);
    }
    (void)api->close(db);
}

static void look_from_outside(struct player *p)
{
    struct remembered before = p->committed;
    size_t at = p->trace->count;
    look_at_files(p, "a.db", p->script->aux ? "b.db" : NULL, CHECK_FRESH, CHECK_FRESH_INTEGRITY,
                  false, &before);
    if (!before.set && at < p->trace->count)
        p->committed = remember(&p->trace->at[at]);
}

/* After a transaction. */
static void look_around(struct player *p, int connection)
{
    p->trace->transactions++;
    for (int i = 0; i < DEPTH_MOST; i++)
        p->savepoint[i].set = false;
    bool undone = p->step->kind == STEP_ROLLBACK;
    if (undone || p->step->look) {
        struct record r = look(p, connection, undone ? CHECK_UNDONE : CHECK_LIVE,
                               undone ? &p->committed : NULL);
        p->committed = remember(&r);
        struct record pages = new_record(p, CHECK_PAGES);
        content_pages(p->api, p->connection[connection], p->script->aux, &pages);
        trace_add(p->trace, &pages);
    } else {
        p->committed.set = false;
    }
    look_from_outside(p);
    /* Its pages may be stale where none of a table's are. */
    if (p->step->look && p->trace->transactions % 4 == 0)
        look_at_integrity(p, connection);
}

/* --- Connections. */

static void open_connection(struct player *p, int i)
{
    const struct api *api = p->api;
    struct record r = new_record(p, CHECK_RESULT);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (p->script->shared)
        flags |= SQLITE_OPEN_SHAREDCACHE;
    r.rc = api->open_v2("a.db", &p->connection[i], flags, NULL);
    if (r.rc == SQLITE_OK)
        r.rc = api->extended_result_codes(p->connection[i], 1);
    for (size_t k = 0; k < p->script->openings && r.rc == SQLITE_OK; k++) {
        struct record one = new_record(p, CHECK_RESULT);
        content_statement(api, p->connection[i], p->script->opening[k], false, &one);
        trace_add(p->trace, &one);
    }
    trace_add(p->trace, &r);
}

static void close_connection(struct player *p, int i)
{
    if (p->connection[i] == NULL)
        return;
    struct record r = new_record(p, CHECK_RESULT);
    r.rc = p->api->close(p->connection[i]);
    p->connection[i] = NULL;
    trace_add(p->trace, &r);
    if (i == 1)
        p->snapshot.set = false;
}

static void end_backup(struct player *p)
{
    if (p->backup == NULL)
        return;
    (void)p->entry->backup_finish(p->backup); /* the code of the step before it */
    (void)p->api->close(p->backup_to);
    p->backup = NULL;
    p->backup_to = NULL;
}

static void close_all(struct player *p)
{
    end_backup(p);
    close_connection(p, 1);
    close_connection(p, 0);
    for (int i = 0; i < DEPTH_MOST; i++)
        p->savepoint[i].set = false;
}

static void open_all(struct player *p)
{
    count_begin(&p->count, p->api);
    open_connection(p, 0);
    open_connection(p, 1);
    struct record r = look(p, 0, CHECK_LIVE, &p->committed);
    p->committed = remember(&r);
    look_from_outside(p);
}

/* --- Steps. */

static void look_at_copy(struct player *p)
{
    static const char *const tail[] = {"", "-wal", "-journal"};
    remove_database("copy.db");
    remove_database("copyb.db");
    for (int d = 0; d < (p->script->aux ? 2 : 1); d++) {
        struct record r = new_record(p, CHECK_COPY_COVERED);
        for (size_t i = 0; i < sizeof tail / sizeof tail[0]; i++) {
            char from[32], to[32];
            (void)snprintf(from, sizeof from, "%s%s", d ? "b.db" : "a.db", tail[i]);
            (void)snprintf(to, sizeof to, "%s%s", d ? "copyb.db" : "copy.db", tail[i]);
            if (!file_copy_if_any(from, to))
                r.rc = SQLITE_IOERR;
        }
        struct image image;
        if (image_read(&image, d ? "copyb.db" : "copy.db",
                       d ? "copyb.db-wal" : "copy.db-wal")) {
            r.rows = image_lost_pages(&image);
            image_free(&image);
        } else {
            r.rc = SQLITE_IOERR;
        }
        r.bad = r.rows > 0;
        trace_add(p->trace, &r);
    }
    look_at_files(p, "copy.db", p->script->aux ? "copyb.db" : NULL, CHECK_COPY,
                  CHECK_COPY_INTEGRITY, true, &p->committed);
}

static int look_at_pages(const char *db, const char *log, struct record *used,
                         struct record *leaves)
{
    struct image image;
    struct fail f = {0};
    if (!image_read(&image, db, log))
        return SQLITE_IOERR;
    used->rows = (int64_t)image.db_size;
    bool good = image_hash_used(&image, &used->hash, &leaves->rows, &f);
    image_free(&image);
    return good ? SQLITE_OK : SQLITE_CORRUPT;
}

/*
** With secure_delete=ON free pages hold zeros, which must get into the file. Once
** everything has been copied both libraries must have the same bytes in the pages
** that are in use. Free pages are counted that hold anything: stock leaves there
** what was rolled back to a savepoint.
*/
static void look_at_bytes(struct player *p)
{
    for (int d = 0; d < (p->script->aux ? 2 : 1); d++) {
        struct record r = new_record(p, CHECK_FILE), leaves = new_record(p, CHECK_LEAVES);
        r.rc = look_at_pages(d ? "b.db" : "a.db", d ? "b.db-wal" : "a.db-wal", &r, &leaves);
        trace_add(p->trace, &r);
        if (!p->taken_over)
            trace_add(p->trace, &leaves);
    }
    struct record r = new_record(p, CHECK_NEEDLES);
    r.rc = needle_search(p->api, p->connection[0], "a.db", &r.rows);
    trace_add(p->trace, &r);
}

static void checkpoint(struct player *p, struct record *r)
{
    sqlite3 *db = p->connection[p->step->connection];
    content_statement(p->api, db, p->step->text, true, r);
    if (p->snapshot.set || !p->api->get_autocommit(p->connection[0])) {
        /* Whether a reader is in the way depends on how much of the log had been copied
        ** before, and so on when the log got long enough for that. */
        r->hash = (struct hash_value){0, 0};
        r->text[0] = 0;
    }
    bool all = r->rc == SQLITE_OK && strcmp(r->text, "0") == 0 &&
               strstr(p->step->text, "TRUNCATE") != NULL;
    trace_add(p->trace, r);
    if (all && p->script->zeroed && p->api->get_autocommit(p->connection[0]))
        look_at_bytes(p);
}

static void backup_begin(struct player *p, struct record *r)
{
    end_backup(p);
    remove_database("backup.db");
    r->rc = p->api->open_v2("backup.db", &p->backup_to,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (r->rc == SQLITE_OK) {
        p->backup = p->entry->backup_init(p->backup_to, "main", p->connection[0], "main");
        if (p->backup == NULL)
            r->rc = SQLITE_ERROR;
    }
    trace_add(p->trace, r);
    if (p->backup == NULL) {
        (void)p->api->close(p->backup_to);
        p->backup_to = NULL;
    }
}

static void backup_go_on(struct player *p, struct record *r, int pages)
{
    r->rc = p->backup ? p->entry->backup_step(p->backup, pages) : SQLITE_MISUSE;
    trace_add(p->trace, r);
}

static void look_at_output(struct player *p, const char *name)
{
    static const struct remembered none = {false, {0, 0}};
    look_at_files(p, name, NULL, CHECK_OUTPUT, CHECK_OUTPUT_INTEGRITY, false, &none);
    remove_database(name);
}

static void reader(struct player *p, struct record *r)
{
    sqlite3 *db = p->connection[1];
    if (db == NULL) {
        trace_add(p->trace, r);
        return;
    }
    bool begin = p->step->kind == STEP_READER_BEGIN;
    if (p->step->kind == STEP_READER_END) {
        content_statement(p->api, db, "COMMIT", false, r);
        trace_add(p->trace, r);
        p->snapshot.set = false;
        (void)look(p, 1, CHECK_LIVE, NULL);
        return;
    }
    if (begin) {
        content_statement(p->api, db, "BEGIN", false, r);
        trace_add(p->trace, r);
    }
    struct record seen = look(p, 1, CHECK_SNAPSHOT, &p->snapshot);
    if (begin && r->rc == SQLITE_OK)
        p->snapshot = remember(&seen);
}

static void forget_savepoints(struct player *p, int from)
{
    for (int i = from; i < DEPTH_MOST; i++)
        p->savepoint[i].set = false;
}

static void savepoint(struct player *p, int rc)
{
    const struct step *s = p->step;
    if (rc != SQLITE_OK || s->number >= DEPTH_MOST)
        return;
    struct remembered *m = &p->savepoint[s->number];
    struct record r;
    switch (s->kind) {
    case STEP_SAVEPOINT:
        forget_savepoints(p, s->number);
        if (s->look) {
            r = look(p, 0, CHECK_LIVE, NULL);
            *m = remember(&r);
        }
        break;
    case STEP_ROLLBACK_TO:
        forget_savepoints(p, s->number + 1);
        if (s->look)
            (void)look(p, 0, CHECK_UNDONE, m);
        break;
    default:
        forget_savepoints(p, s->number);
    }
}

static void statement(struct player *p, struct record *r)
{
    const struct step *s = p->step;
    sqlite3 *db = p->connection[s->connection];
    if (db == NULL) {
        trace_add(p->trace, r);
        return;
    }
    int idle_before = p->api->get_autocommit(db);
    count_before(&p->count, p->entry, p->connection[0]);
    if (s->kind == STEP_CHECKPOINT) {
        checkpoint(p, r);
    } else {
        content_statement(p->api, db, s->text, false, r);
        trace_add(p->trace, r);
    }
    if (!p->script->shared)
        count_after(&p->count, p->entry, p->connection[0], p->script, s, r->rc, p->trace);
    int idle = p->api->get_autocommit(db);
    if (!idle &&
        (s->kind == STEP_SAVEPOINT || s->kind == STEP_ROLLBACK_TO || s->kind == STEP_RELEASE))
        savepoint(p, r->rc);
    if (idle && (!idle_before || ((r->rc & 0xff) != SQLITE_BUSY && s->kind == STEP_SQL)))
        look_around(p, s->connection);
    else if (idle && s->kind == STEP_CHECKPOINT)
        look_from_outside(p);
}

/* For the process that goes on. */
static void hand_over(struct player *p, size_t next)
{
    p->trace->next = next;
    p->trace->committed_set = p->committed.set;
    p->trace->committed = p->committed.hash;
}

/* True: the other library goes on from here. */
static bool play(struct player *p)
{
    const struct step *s = p->step;
    struct record r = new_record(p, CHECK_RESULT);
    switch (s->kind) {
    case STEP_FLUSH:
        count_before(&p->count, p->entry, p->connection[0]);
        r.rc = p->entry->db_cacheflush(p->connection[0]);
        trace_add(p->trace, &r);
        if (!p->script->shared)
            count_after(&p->count, p->entry, p->connection[0], p->script, s, r.rc, p->trace);
        break;
    case STEP_LOOK:
        (void)look(p, s->connection, CHECK_LIVE, NULL);
        break;
    case STEP_READER_BEGIN:
    case STEP_READER_LOOK:
    case STEP_READER_END:
        reader(p, &r);
        break;
    case STEP_READER_CLOSE:
        close_connection(p, 1);
        break;
    case STEP_READER_OPEN:
        if (p->connection[1] == NULL)
            open_connection(p, 1);
        break;
    case STEP_BACKUP_BEGIN:
        backup_begin(p, &r);
        break;
    case STEP_BACKUP_PAGES:
        backup_go_on(p, &r, s->number);
        break;
    case STEP_BACKUP_END:
        if (p->backup == NULL)
            break;
        backup_go_on(p, &r, -1);
        end_backup(p);
        look_at_output(p, "backup.db");
        break;
    case STEP_INTO:
        remove_database("into.db");
        statement(p, &r);
        look_at_output(p, "into.db");
        break;
    case STEP_COPY:
        look_at_copy(p);
        break;
    case STEP_REOPEN:
        close_all(p);
        open_all(p);
        break;
    case STEP_SWAP:
        close_all(p);
        return true;
    case STEP_CRASH:
        hand_over(p, p->trace->doing + 1);
        _exit(0);
    default:
        statement(p, &r);
    }
    return false;
}

void player_run(const struct entry *entry, const struct script *script, const bool *left_out,
                size_t from, struct trace *trace)
{
    static const struct step none = {STEP_LOOK, 0, 0, false, NULL};
    struct player p;
    memset(&p, 0, sizeof p);
    p.entry = entry;
    p.api = &entry->api;
    p.script = script;
    p.trace = trace;
    p.step = &none;
    trace->doing = from;
    p.taken_over = from > 0;
    if (p.taken_over)
        p.committed = (struct remembered){trace->committed_set, trace->committed};
    open_all(&p);
    size_t i = from;
    bool swap = false;
    for (; i < script->count && !swap; i++) {
        if (left_out != NULL && left_out[i])
            continue;
        trace->doing = i;
        p.step = &script->at[i];
        trace->steps_done++;
        swap = play(&p);
    }
    if (!swap)
        close_all(&p);
    hand_over(&p, i);
}
