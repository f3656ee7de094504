/*
** page_order.c: in which order the pages of a b-tree lie in the file.
*/
#include "page_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "signals.h"

void page_order_begin(struct page_order *o)
{
    *o = (struct page_order){.last_leaf = -1, .last_read = -1};
}

void page_order_add(struct page_order *o, enum page_role role, int64_t page, int64_t unused)
{
    o->unused += unused;
    if (role == ROLE_OVERFLOW) {
        o->overflow++;
        return;
    }
    o->reads++;
    o->read_jumps += page != o->last_read + 1;
    o->last_read = page;
    if (role == ROLE_INTERIOR) {
        o->interior++;
        return;
    }
    bool follows = o->leaves > 0 && page == o->last_leaf + 1;
    o->jumps += o->leaves > 0 && !follows;
    o->run = follows ? o->run + 1 : 1;
    if (o->run > o->longest_run)
        o->longest_run = o->run;
    o->leaves++;
    o->last_leaf = page;
}

void page_order_end(struct page_order *o)
{
    if (o->leaves > 0)
        o->mean_run = (double)o->leaves / (double)(o->jumps + 1);
    if (o->leaves > 1)
        o->next_share = (double)(o->leaves - 1 - o->jumps) / (double)(o->leaves - 1);
}

static void visit(struct page_visits *visits, uint32_t page, bool leaf)
{
    /* Grow when the count reaches a power of two, as samples do. */
    if ((visits->count & (visits->count - 1)) == 0)
        visits->at =
            mem_grow(visits->at, visits->count ? visits->count * 2 : 1, sizeof visits->at[0]);
    visits->at[visits->count++] = (struct page_visit){page, leaf};
}

void page_visits_free(struct page_visits *visits)
{
    free(visits->at);
    *visits = (struct page_visits){NULL, 0};
}

/* One line of dbstat. */
static int add_line(const struct db *db, sqlite3_stmt *s, const char *tree, int64_t most,
                    struct page_order *o, struct page_visits *visits, struct fail *f)
{
    int64_t page = db->api->column_int64(s, 0);
    const char *type = (const char *)db->api->column_text(s, 1);
    int64_t unused = db->api->column_int64(s, 2);
    enum page_role role;
    if (type == NULL)
        return db_failed(db, "dbstat", f);
    if (strcmp(type, "leaf") == 0)
        role = ROLE_LEAF;
    else if (strcmp(type, "internal") == 0)
        role = ROLE_INTERIOR;
    else if (strcmp(type, "overflow") == 0)
        role = ROLE_OVERFLOW;
    else
        return fail_set(f, STATUS_MISMATCH,
                        "b-tree %s: page %" PRId64 " is no page of a b-tree", tree, page);
    if (page < 1 || page > most)
        return fail_set(f, STATUS_MISMATCH,
                        "b-tree %s: page %" PRId64 " is not one of the %" PRId64
                        " pages of the database",
                        tree, page, most);
    /* Pages that are reached on many ways can make the walk as good as endless. */
    if (o->reads + o->overflow >= most)
        return fail_set(f, STATUS_MISMATCH,
                        "b-tree %s: more pages than the %" PRId64 " of the database", tree,
                        most);
    page_order_add(o, role, page, unused);
    if (visits != NULL && role != ROLE_OVERFLOW)
        visit(visits, (uint32_t)page, role == ROLE_LEAF);
    return signals_check(f);
}

/* dbstat walks a b-tree depth first in key order, which is the order of its paths. */
int page_order_read(const struct db *db, const char *tree, struct page_order *o,
                    struct page_visits *visits, struct fail *f)
{
    sqlite3_stmt *s;
    int64_t most;
    int rc = SQLITE_DONE;
    page_order_begin(o);
    if (visits != NULL)
        *visits = (struct page_visits){NULL, 0};
    if (db_int(db, "PRAGMA page_count", &most, f) != 0 ||
        db_prepare(db, "SELECT pageno, pagetype, unused FROM dbstat WHERE name=?1", &s, f) != 0)
        return f->status;
    if (db->api->bind_text(s, 1, tree, -1, SQLITE_STATIC) != SQLITE_OK)
        db_failed(db, "binding a name", f);
    while (f->status == 0 && (rc = db->api->step(s)) == SQLITE_ROW)
        (void)add_line(db, s, tree, most, o, visits, f);
    if (f->status == 0 && rc != SQLITE_DONE)
        fail_set(f, STATUS_MISMATCH, "b-tree %s: %s", tree, db->api->errmsg(db->handle));
    (void)db->api->finalize(s);
    page_order_end(o);
    return f->status;
}
