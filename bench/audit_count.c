/*
** audit_count.c: puts each frame of a log into a class.
**
** How SQLite writes a log decides what can be known from it:
**
** - Taking or freeing a page changes page 1, which holds the length of the free-list. A
**   transaction that did not log page 1 has freed nothing.
** - Page 1 is never spilled. What a transaction logs at its commit goes in the order of
**   page numbers, so it begins with page 1. Frames before that were spilled by a full
**   cache. The page may have been in use then, and freed afterwards; the fix does not
**   save such a frame.
** - A page that is logged a second time in a transaction is written over its first frame,
**   except for the last frame of the commit. When the last page of a transaction that
**   spilled is a free one, the fix makes another page the last, which may then be logged
**   twice: one frame less is saved.
** - Pages past the end of the database as it was before the transaction are all logged,
**   with the fix, too.
*/
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "audit_free.h"
#include "signals.h"

/* The size of the database before a commit. */
struct old_size {
    uint32_t least; /* at least so many pages */
    bool exact;
};

struct view {
    struct audit *a;
    struct audit_free list;
    uint32_t k; /* number of the commit */
    bool has_page_1;
    uint32_t batch; /* frames from here on were written at the commit */
    struct old_size old;
};

uint32_t audit_count_frames(const struct audit_count *c)
{
    uint32_t n = 0;
    for (int i = 0; i < AUDIT_CLASSES; i++)
        n += c->of[i];
    return n;
}

uint32_t audit_count_vain(const struct audit_count *c)
{
    return audit_count_frames(c) - c->of[AUDIT_NEEDED] - c->of[AUDIT_UNKNOWN];
}

int audit_check_database(const struct audit_source *source, uint32_t log_page_size,
                         struct fail *f)
{
    unsigned char bytes[DB_HEADER_SIZE];
    struct db_header header;
    struct fail bad = {0};
    if (source->size[AUDIT_DATABASE] == 0)
        return 0; /* a database whose first commit is still in the log */
    if (source->size[AUDIT_DATABASE] < DB_HEADER_SIZE)
        return fail_set(f, STATUS_UNUSABLE, "not a database file: it is too short");
    if (source->read(source->context, AUDIT_DATABASE, 0, bytes, sizeof bytes, f) != 0)
        return f->status;
    if (memcmp(bytes, "SQLite format 3", 16) != 0)
        return fail_set(f, STATUS_UNUSABLE,
                        "not a database file, or an encrypted one: wrong first 16 bytes");
    if (db_header_read(bytes, &header, &bad) != 0)
        return fail_set(f, STATUS_UNUSABLE, "%s", bad.text);
    if (log_page_size != 0 && log_page_size != header.page_size)
        return fail_set(f, STATUS_UNUSABLE,
                        "the log has pages of %u bytes, the database of %u: it is not the log "
                        "of this database",
                        log_page_size, header.page_size);
    return 0;
}

/* The first commit follows the database file, if no checkpoint has changed that. */
static int first_old_size(struct view *v, struct fail *f)
{
    struct audit_state *s = &v->a->state;
    const struct audit_log *log = &v->a->log;
    const struct audit_commit before = {.least_later = 0};
    struct db_header header;
    bool known = false;
    v->old = (struct old_size){0, s->file_pages == 0 && log->commits > 0 &&
                                      s->source->size[AUDIT_DATABASE] == 0};
    if (log->commits == 0 || v->old.exact)
        return 0;
    unsigned char *page = mem_get(log->page_size);
    if (s->file_pages > 0 && audit_state_page(s, &before, 1, page, &known, f) == 0 && known &&
        db_header_read(page, &header, f) == 0 && header.page_count != 0)
        v->old = (struct old_size){header.page_count, true};
    free(page);
    if (f->status != 0 || v->old.exact)
        return f->status;
    /* A page that the first commit leaves in the database without logging it is old. */
    const struct audit_commit *c = &log->commit[0];
    uint32_t lock_page = UINT32_C(0x40000000) / log->page_size + 1;
    v->old.least = c->page_count;
    while (v->old.least > 0 && (v->old.least == lock_page ||
                                audit_log_find(log, v->old.least, c->end) != AUDIT_NO_FRAME))
        v->old.least--;
    return 0;
}

static enum audit_class classify(const struct view *v, uint32_t n)
{
    const struct audit_log *log = &v->a->log;
    uint32_t pgno = log->page[n];
    if (log->again[n])
        return AUDIT_SUPERSEDED;
    if (pgno > log->commit[v->k].page_count)
        return AUDIT_CUT;
    if (pgno == 1 || (!v->list.known && !v->has_page_1))
        return AUDIT_NEEDED;
    if (!v->list.known)
        return AUDIT_UNKNOWN;
    if (!page_set_has(&v->list.leaf, pgno))
        return AUDIT_NEEDED;
    if (log->zero[n])
        return AUDIT_ZEROED;
    if (pgno > v->old.least)
        return v->old.exact ? AUDIT_NEW : AUDIT_UNKNOWN;
    return n < v->batch ? AUDIT_EARLY : AUDIT_FREE;
}

/* Finds page 1, and whether all that follows is in order. */
static void find_batch(struct view *v)
{
    const struct audit_log *log = &v->a->log;
    const struct audit_commit *c = &log->commit[v->k];
    v->batch = c->end;
    v->has_page_1 = false;
    for (uint32_t n = c->first; n < c->end; n++) {
        if (log->page[n] == 1) {
            v->has_page_1 = true;
            v->batch = n;
        } else if (v->batch < n && log->page[n] <= log->page[n - 1]) {
            v->batch = c->end; /* not how SQLite does it */
            for (; n < c->end; n++)
                v->has_page_1 |= log->page[n] == 1;
        }
    }
}

/* Has the free-list changed? */
static bool touches_list(const struct view *v)
{
    const struct audit_log *log = &v->a->log;
    const struct audit_commit *c = &log->commit[v->k];
    if (v->k == 0 || v->has_page_1 || !v->list.known || c->page_count != v->list.page_count)
        return true;
    for (uint32_t n = c->first; n < c->end; n++)
        if (page_set_has(&v->list.trunk, log->page[n]))
            return true;
    return false;
}

static int count_commit(struct view *v, struct fail *f)
{
    struct audit *a = v->a;
    const struct audit_commit *c = &a->log.commit[v->k];
    struct audit_count *count = &a->commit[v->k];
    struct fail bad = {0};
    find_batch(v);
    if (touches_list(v) && audit_free_update(&v->list, &a->state, c, &bad) != 0)
        return fail_set(f, bad.status,
                        "commit %u of %u (frames %u to %u): %s; the database is damaged, or "
                        "this is not its log",
                        v->k + 1, a->log.commits, c->first + 1, c->end, bad.text);
    for (uint32_t n = c->first; n < c->end; n++) {
        a->class[n] = (unsigned char)classify(v, n);
        count->of[a->class[n]]++;
    }
    count->uncertain = v->batch > c->first && a->class[c->end - 1] == AUDIT_FREE;
    for (int i = 0; i < AUDIT_CLASSES; i++)
        a->total[i] += count->of[i];
    a->unknown_commits += count->of[AUDIT_UNKNOWN] > 0;
    a->saved_least += count->of[AUDIT_FREE] - (count->uncertain ? 1u : 0u);
    a->saved_most += count->of[AUDIT_FREE] + count->of[AUDIT_EARLY];
    v->old = (struct old_size){c->page_count, true};
    return 0;
}

/* A checkpoint copies the newest frame of each page that is in the database. */
static void count_pages(struct audit *a)
{
    const struct audit_log *log = &a->log;
    uint32_t page_count = log->commits ? log->commit[log->commits - 1].page_count : 0;
    for (uint32_t i = 0, next; i < log->frames; i = next) {
        uint32_t n[AUDIT_CLASSES] = {0};
        for (next = i; next < log->frames && log->by_page[next].pgno == log->by_page[i].pgno;
             next++)
            n[a->class[log->by_page[next].frame]]++;
        if (log->by_page[i].pgno > page_count)
            continue;
        a->pages++;
        uint32_t maybe = n[AUDIT_EARLY] + n[AUDIT_UNKNOWN];
        if (n[AUDIT_FREE] + maybe == next - i)
            *(maybe ? &a->pages_maybe : &a->pages_saved) += 1;
    }
}

int audit_begin(struct audit *a, const struct audit_source *source, struct fail *f)
{
    struct view v = {.a = a};
    *a = (struct audit){0};
    if (audit_log_read(&a->log, source, f) != 0 ||
        audit_check_database(source, a->log.page_size, f) != 0) {
        audit_log_free(&a->log);
        return f->status;
    }
    if (a->log.page_size == 0)
        return 0;
    audit_state_begin(&a->state, source, &a->log);
    a->commit = mem_get(a->log.commits * sizeof a->commit[0]);
    a->class = mem_get(a->log.frames);
    (void)first_old_size(&v, f);
    for (; f->status == 0 && v.k < a->log.commits; v.k++)
        if (signals_check(f) == 0)
            (void)count_commit(&v, f);
    audit_free_end(&v.list);
    if (f->status == 0)
        count_pages(a);
    else
        audit_end(a);
    return f->status;
}

void audit_end(struct audit *a)
{
    audit_state_end(&a->state);
    audit_log_free(&a->log);
    free(a->commit);
    free(a->class);
    *a = (struct audit){0};
}
