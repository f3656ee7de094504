/*
** audit_free.c: the free-list as it was at one commit after the other.
*/
#include "audit_free.h"

#include <stdlib.h>

/* Takes trunk pages off the front until `count` are left. */
static void unlink_front(struct audit_free *list, size_t count)
{
    while (list->count > count) {
        struct audit_trunk *t = &list->chain[--list->count];
        page_set_remove(&list->trunk, t->pgno);
        for (uint32_t i = 0; i < t->leaves; i++)
            page_set_remove(&list->leaf, t->leaf[i]);
        free(t->leaf);
    }
}

static int mark(struct audit_free *list, struct page_set *as, struct audit_trunk *t,
                uint32_t pgno, struct fail *f)
{
    if (freelist_check(&list->header, list->page_count, pgno, f) != 0)
        return f->status;
    if (page_set_has(&list->trunk, pgno) || page_set_has(&list->leaf, pgno))
        return fail_set(f, STATUS_MISMATCH, "free-list names page %u twice", pgno);
    page_set_add(as, pgno);
    t->greatest = pgno > t->greatest ? pgno : t->greatest;
    return 0;
}

/* Puts a trunk page in front, and owns its leaves from now on. */
static int link_front(struct audit_free *list, const struct audit_trunk *trunk, struct fail *f)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 4;
        list->chain = mem_grow(list->chain, list->room, sizeof list->chain[0]);
    }
    const struct audit_trunk *behind = list->count ? &list->chain[list->count - 1] : NULL;
    struct audit_trunk *t = &list->chain[list->count++];
    *t = *trunk;
    t->listed = (behind ? behind->listed : 0) + 1 + t->leaves;
    t->greatest = behind ? behind->greatest : 0;
    (void)mark(list, &list->trunk, t, t->pgno, f);
    for (uint32_t i = 0; f->status == 0 && i < t->leaves; i++)
        (void)mark(list, &list->leaf, t, t->leaf[i], f);
    return f->status;
}

/* How many trunk pages from the end of the list on are as they were. */
static size_t unchanged(const struct audit_free *list, const struct audit_state *s,
                        const struct audit_commit *commit)
{
    size_t n = 0;
    while (n < list->count && list->chain[n].greatest <= commit->page_count &&
           audit_state_version(s, commit, list->chain[n].pgno) == list->chain[n].version)
        n++;
    return n;
}

/* The front of the list, as far as it has to be read. */
struct front {
    struct audit_trunk *at;
    size_t count, room;
    uint64_t listed;
    struct page_set seen;
    size_t joins; /* so many trunk pages of the old list follow */
};

static int read_trunk(struct audit_free *list, struct audit_state *s,
                      const struct audit_commit *commit, uint32_t pgno, struct front *front,
                      bool *known, struct fail *f)
{
    struct audit_trunk t = {.pgno = pgno, .version = audit_state_version(s, commit, pgno)};
    unsigned char *page = mem_get(s->log->page_size);
    if (audit_state_page(s, commit, pgno, page, known, f) == 0 && *known &&
        freelist_trunk(&list->header, pgno, page, &t.next, &t.leaves, f) == 0) {
        t.leaf = mem_get(t.leaves * sizeof t.leaf[0]);
        for (uint32_t i = 0; i < t.leaves; i++)
            t.leaf[i] = freelist_leaf(page, i);
        if (front->count == front->room) {
            front->room = front->room ? 2 * front->room : 4;
            front->at = mem_grow(front->at, front->room, sizeof front->at[0]);
        }
        front->at[front->count++] = t;
        front->listed += 1 + (uint64_t)t.leaves;
    }
    free(page);
    return f->status;
}

static int read_front(struct audit_free *list, struct audit_state *s,
                      const struct audit_commit *commit, struct front *front, bool *known,
                      struct fail *f)
{
    size_t kept = unchanged(list, s, commit);
    uint32_t pgno = list->header.first_trunk;
    while (pgno != 0) {
        size_t i = page_set_has(&list->trunk, pgno) ? kept : 0;
        while (i > 0 && list->chain[i - 1].pgno != pgno)
            i--;
        if (i > 0) {
            front->joins = i;
            front->listed += list->chain[i - 1].listed;
            break;
        }
        if (freelist_check(&list->header, list->page_count, pgno, f) != 0)
            return f->status;
        if (page_set_has(&front->seen, pgno))
            return fail_set(f, STATUS_MISMATCH, "free-list names page %u twice", pgno);
        page_set_add(&front->seen, pgno);
        if (read_trunk(list, s, commit, pgno, front, known, f) != 0 || !*known)
            return f->status;
        if (front->listed > list->header.free_count)
            break;
        pgno = front->at[front->count - 1].next;
    }
    if (front->listed != list->header.free_count)
        return fail_set(f, STATUS_MISMATCH, "free-list holds %s%llu pages, the header says %u",
                        front->listed > list->header.free_count ? "at least " : "",
                        (unsigned long long)front->listed, list->header.free_count);
    return 0;
}

static int read_header(struct audit_free *list, struct audit_state *s,
                       const struct audit_commit *commit, bool *known, struct fail *f)
{
    int64_t version = audit_state_version(s, commit, 1);
    *known = true;
    if (!list->header_read || list->header_version != version) {
        list->header_read = false;
        unsigned char *page = mem_get(s->log->page_size);
        if (audit_state_page(s, commit, 1, page, known, f) == 0 && *known)
            list->header_read = db_header_read(page, &list->header, f) == 0;
        free(page);
        if (!list->header_read)
            return f->status;
        list->header_version = version;
    }
    if (list->header.page_size != s->log->page_size)
        return fail_set(f, STATUS_MISMATCH, "page 1 says pages of %u bytes, the log %u",
                        list->header.page_size, s->log->page_size);
    /* Page 1 says how large the database is, and changes when that does. */
    if (version == AUDIT_NO_FRAME && list->header.page_count != 0 &&
        list->header.page_count != commit->page_count)
        return fail_set(f, STATUS_MISMATCH,
                        "the database has %u pages by page 1, %u by the log",
                        list->header.page_count, commit->page_count);
    return 0;
}

int audit_free_update(struct audit_free *list, struct audit_state *s,
                      const struct audit_commit *commit, struct fail *f)
{
    struct front front = {0};
    bool known = false;
    list->page_count = commit->page_count;
    if (read_header(list, s, commit, &known, f) == 0 && known &&
        freelist_check_count(&list->header, list->page_count, f) == 0)
        (void)read_front(list, s, commit, &front, &known, f);
    list->known = f->status == 0 && known;
    unlink_front(list, list->known ? front.joins : 0);
    for (size_t i = front.count; i-- > 0;) {
        if (list->known && f->status == 0)
            (void)link_front(list, &front.at[i], f);
        else
            free(front.at[i].leaf);
    }
    if (f->status != 0)
        unlink_front(list, 0);
    free(front.at);
    page_set_free(&front.seen);
    return f->status;
}

void audit_free_end(struct audit_free *list)
{
    unlink_front(list, 0);
    free(list->chain);
    page_set_free(&list->leaf);
    page_set_free(&list->trunk);
    *list = (struct audit_free){0};
}
