/*
** count.c: frames and counters.
**
** A build that logs what it need not, or counts what it does not write, loses no
** content. What it should have logged is known where nothing was freed after a
** page had left the cache, and nothing was undone: no page then that is a leaf of
** the free-list, apart from those that the transaction has added.
*/
#include "count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image.h"

/* A longer log takes too long to read after each transaction. */
enum { LOG_MOST = 1 << 20 };

static bool count_omits(const struct api *api)
{
    const char *option;
    for (int i = 0; (option = api->compileoption_get(i)) != NULL; i++)
        if (strcmp(option, "WAL_DONTWRITE") == 0)
            return true;
    return false;
}

static void counters(const struct entry *entry, sqlite3 *db, int *written, int *spilled)
{
    int high;
    *written = *spilled = 0;
    if (db == NULL)
        return;
    (void)entry->db_status(db, SQLITE_DBSTATUS_CACHE_WRITE, written, &high, 0);
    (void)entry->db_status(db, SQLITE_DBSTATUS_CACHE_SPILL, spilled, &high, 0);
}

void count_before(struct count *c, const struct entry *entry, sqlite3 *db)
{
    int written, spilled;
    counters(entry, db, &written, &spilled);
    /* To look at the content between two steps needs room in the cache, too. */
    if (db != NULL && entry->api.get_autocommit(db) == 0) {
        c->transaction_written += written - c->written;
        if (spilled > c->spilled)
            c->spilled_before = true;
    }
    c->written = written;
    c->spilled = spilled;
}

static bool starts(const char *text, const char *word)
{
    return text != NULL && strncmp(text, word, strlen(word)) == 0;
}

/* May the step have freed pages, or put back others? */
static bool may_free(const struct step *step)
{
    switch (step->kind) {
    case STEP_SQL:
        return !starts(step->text, "BEGIN") && !starts(step->text, "COMMIT") &&
               !starts(step->text, "SELECT");
    case STEP_FLUSH:
    case STEP_LOOK:
    case STEP_SAVEPOINT:
    case STEP_RELEASE:
    case STEP_READER_LOOK:
    case STEP_COPY:
        return false;
    default:
        return true;
    }
}

static struct record new_record(const struct trace *t, enum check check)
{
    struct record r;
    memset(&r, 0, sizeof r);
    r.step = t->doing;
    r.check = check;
    return r;
}

/* Has the log grown since it was looked at last? */
static bool is_new(struct count *c, const struct image *image)
{
    bool same = image->frames == c->frames &&
                (c->frames == 0 || memcmp(c->log, image->log, sizeof c->log) == 0);
    c->frames = image->frames;
    c->pages = image->pages;
    if (image->frames > 0)
        memcpy(c->log, image->log, sizeof c->log);
    return !same && image->frames > 0;
}

/* Takes the log as one that was looked at. */
static void take_as_seen(struct count *c)
{
    struct image image;
    c->pages = 0;
    if (!image_read(&image, "a.db", "a.db-wal"))
        return;
    (void)is_new(c, &image);
    image_free(&image);
}

void count_begin(struct count *c, const struct api *api)
{
    *c = (struct count){.omits = count_omits(api)};
    take_as_seen(c);
}

/* How many different pages the last transaction in the log has frames for; of them the
** leaves of the free-list among the `before` pages that were there before it. */
static int64_t pages_logged(const struct image *image, uint32_t before, int64_t *leaves)
{
    struct fail f = {0};
    unsigned char *kind = image_kinds(image, &f);
    bool *logged = mem_get((size_t)image->pages + 1);
    int64_t pages = 0;
    *leaves = 0;
    for (size_t i = image->last; i < image->frames; i++) {
        uint32_t n = image_frame_page(image, i);
        if (n > image->pages || logged[n])
            continue;
        logged[n] = true;
        pages++;
        if (kind != NULL && n <= before && kind[n] == PAGE_LEAF)
            ++*leaves;
    }
    free(logged);
    free(kind);
    return pages;
}

static bool zeroes(const struct entry *entry, sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    bool on = true;
    if (entry->api.prepare_v2(db, "PRAGMA secure_delete", -1, &stmt, NULL) == SQLITE_OK &&
        entry->api.step(stmt) == SQLITE_ROW)
        on = entry->api.column_int64(stmt, 0) == 1;
    (void)entry->api.finalize(stmt); /* an error would have been one of the step */
    return on;
}

/* What the log says of the last transaction. */
static void look_at_frames(struct count *c, const struct image *image, uint32_t before,
                           bool exact, bool may_omit, struct record *r)
{
    int64_t leaves;
    r->rows = pages_logged(image, before, &leaves);
    if (may_omit && leaves > 0) {
        (void)snprintf(r->text, sizeof r->text, "%d of them free pages", (int)leaves);
        r->bad = true;
    } else if (exact && (size_t)c->transaction_written != image->frames - image->last) {
        (void)snprintf(r->text, sizeof r->text, "%zu frames, counted as %d",
                       image->frames - image->last, c->transaction_written);
        r->bad = true;
    }
}

static void look_at_log(struct count *c, const struct entry *entry, sqlite3 *db, bool exact,
                        struct trace *t)
{
    struct stat st;
    struct image image;
    struct record r = new_record(t, CHECK_FRAMES);
    uint32_t before = c->pages;
    c->pages = 0; /* not known, for the next time */
    if (stat("a.db-wal", &st) != 0)
        return;
    /* Where it is not known, the library that omits none may have logged anything. */
    r.rows = c->omits ? 0 : INT64_MAX;
    if (st.st_size <= LOG_MOST && image_read(&image, "a.db", "a.db-wal")) {
        bool may_omit = c->omits && !c->unknown && !zeroes(entry, db);
        if (is_new(c, &image))
            look_at_frames(c, &image, before, exact, may_omit, &r);
        image_free(&image);
    }
    if (c->undone) /* see count.h */
        r.rows = 0;
    trace_add(t, &r);
}

void count_after(struct count *c, const struct entry *entry, sqlite3 *db,
                 const struct script *s, const struct step *step, int rc, struct trace *t)
{
    struct stat st;
    int now_written, now_spilled;
    bool vacuum = starts(step->text, "VACUUM");
    if (db == NULL || step->connection != 0) {
        /* What the other one writes is not told from what this one does. */
        c->unknown = true;
        if (step->kind == STEP_SQL)
            take_as_seen(c);
        return;
    }
    counters(entry, db, &now_written, &now_spilled);
    int written = now_written - c->written;
    int spilled = now_spilled - c->spilled;
    c->written = now_written;
    c->spilled = now_spilled;
    bool open = entry->api.get_autocommit(db) == 0;
    bool wal = stat("a.db-wal", &st) == 0;
    if (!wal || (step->kind == STEP_FLUSH && !s->aux)) {
        /* In rollback mode both libraries do the same. A flush writes what it spills. */
        struct record r = new_record(t, CHECK_COUNTERS);
        if (!wal)
            (void)snprintf(r.text, sizeof r.text, "%d written, %d spilled", written, spilled);
        else
            r.bad = written != spilled;
        trace_add(t, &r);
    }
    c->transaction_written += written;
    if (rc != SQLITE_OK || (c->spilled_before && may_free(step)) ||
        (spilled > 0 && may_free(step)) || step->kind == STEP_ROLLBACK_TO ||
        step->kind == STEP_PRAGMA)
        c->unknown = true;
    if (rc != SQLITE_OK || step->kind == STEP_ROLLBACK_TO)
        c->undone = true;
    if (spilled > 0 || step->kind == STEP_FLUSH)
        c->spilled_before = true;
    if (open)
        return;
    look_at_log(c, entry, db, !c->unknown && !c->spilled_before && !s->aux && !vacuum, t);
    c->transaction_written = 0;
    c->spilled_before = c->unknown = c->undone = false;
}
