/*
** naive.c: the classes of the frames of a log once more. Each commit is looked at by
** itself: all frames before it are searched for each page, and the free-list is walked
** from its start into an array of all pages.
*/
#include "naive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "freelist.h"

enum { PAGES_MOST = 1 << 16 };

/* Apart from the statuses of walbench. */
enum { NAIVE_UNKNOWN = 99 };

struct naive {
    const unsigned char *database, *log_bytes;
    size_t database_size;
    const struct audit_log *log;
    const struct audit_commit *commit;
};

static const unsigned char *frame_content(const struct naive *v, uint32_t n)
{
    size_t size = v->log->page_size;
    return v->log_bytes + AUDIT_LOG_HEADER + n * (AUDIT_FRAME_HEADER + size) +
           AUDIT_FRAME_HEADER;
}

/* A page_reader. */
static int read_page(void *context, uint32_t pgno, unsigned char *buffer, struct fail *f)
{
    const struct naive *v = context;
    const struct audit_log *log = v->log;
    size_t size = log->page_size;
    for (uint32_t n = v->commit->end; n-- > 0;)
        if (log->page[n] == pgno) {
            memcpy(buffer, frame_content(v, n), size);
            return 0;
        }
    if (pgno > v->database_size / size) {
        for (const struct audit_commit *c = v->commit + 1; c < log->commit + log->commits; c++)
            if (c->page_count < pgno)
                return fail_set(f, NAIVE_UNKNOWN, "cut");
        return fail_set(f, STATUS_MISMATCH, "nowhere");
    }
    memcpy(buffer, v->database + (pgno - 1) * size, size);
    for (uint32_t n = v->commit->end; n < log->frames; n++)
        if (log->page[n] == pgno && memcmp(buffer, frame_content(v, n), size) == 0)
            return fail_set(f, NAIVE_UNKNOWN, "copied");
    return 0;
}

static bool in_log(const struct naive *v, uint32_t pgno)
{
    for (uint32_t n = 0; n < v->commit->end; n++)
        if (v->log->page[n] == pgno)
            return true;
    return false;
}

/* Follows the trunk pages alone: a page that is not known comes before what is wrong with
** the leaves of those in front of it. */
static void follow(struct naive *v, const struct db_header *header, unsigned char *seen,
                   struct fail *f)
{
    uint32_t page_count = v->commit->page_count, next = 0, leaves = 0;
    uint64_t listed = 0;
    unsigned char *page = mem_get(v->log->page_size);
    memset(seen, 0, (size_t)page_count + 1);
    (void)freelist_check_count(header, page_count, f);
    for (uint32_t pgno = header->first_trunk; f->status == 0 && pgno != 0; pgno = next) {
        if (freelist_check(header, page_count, pgno, f) != 0)
            break;
        if (seen[pgno]++)
            fail_set(f, STATUS_MISMATCH, "cycle");
        else if (read_page(v, pgno, page, f) == 0)
            (void)freelist_trunk(header, pgno, page, &next, &leaves, f);
        listed += 1 + (uint64_t)leaves;
        if (f->status == 0 && listed > header->free_count)
            fail_set(f, STATUS_MISMATCH, "too long");
    }
    free(page);
}

static int walk(struct naive *v, unsigned char *kind)
{
    struct fail f = {0};
    struct db_header header = {0};
    uint32_t page_count = v->commit->page_count;
    unsigned char *page = mem_get(v->log->page_size);
    if (read_page(v, 1, page, &f) == 0 && db_header_read(page, &header, &f) == 0) {
        if (header.page_size != v->log->page_size ||
            (!in_log(v, 1) && header.page_count != 0 && header.page_count != page_count))
            fail_set(&f, STATUS_MISMATCH, "page 1");
        follow(v, &header, kind, &f);
        if (f.status == 0)
            (void)freelist_read(&header, page_count, read_page, v, kind, &f);
    }
    free(page);
    return f.status;
}

static void differ(const struct naive *v, uint32_t n, int class, const char *want)
{
    fprintf(stderr, "commit %u, frame %u of page %u: class %d, but %s\n",
            (unsigned)(v->commit - v->log->commit) + 1, n + 1, v->log->page[n], class, want);
    abort();
}

static bool all_zero(const unsigned char *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static void check_frame(const struct naive *v, const unsigned char *kind, int status,
                        uint32_t n, int class)
{
    const struct audit_commit *c = v->commit;
    uint32_t pgno = v->log->page[n];
    bool again = false, has_page_1 = false;
    for (uint32_t i = c->first; i < c->end; i++) {
        again |= i > n && v->log->page[i] == pgno;
        has_page_1 |= v->log->page[i] == 1;
    }
    if (again || class == AUDIT_SUPERSEDED) {
        if (!again || class != AUDIT_SUPERSEDED)
            differ(v, n, class, "logged again or not");
    } else if (pgno > c->page_count || class == AUDIT_CUT) {
        if (pgno <= c->page_count || class != AUDIT_CUT)
            differ(v, n, class, "past the end or not");
    } else if (status != 0) {
        if (class != (pgno == 1 || !has_page_1 ? AUDIT_NEEDED : AUDIT_UNKNOWN))
            differ(v, n, class, "the free-list is not known");
    } else if (kind[pgno] != PAGE_LEAF) {
        if (class != AUDIT_NEEDED)
            differ(v, n, class, "in use");
    } else if (all_zero(frame_content(v, n), v->log->page_size)) {
        if (class != AUDIT_ZEROED)
            differ(v, n, class, "free and zeroed");
    } else if (class == AUDIT_UNKNOWN) {
        if (c != v->log->commit)
            differ(v, n, class, "known");
    } else if (class != AUDIT_FREE && class != AUDIT_EARLY && class != AUDIT_NEW) {
        differ(v, n, class, "free");
    }
}

void naive_check(const unsigned char *database, size_t database_size,
                 const struct audit_log *log, const unsigned char *log_bytes,
                 const struct audit *a, const struct fail *bad)
{
    struct naive v = {database, log_bytes, database_size, log, NULL};
    unsigned broken = 0; /* the commit at which the audit gave up */
    if (bad->status != 0 && sscanf(bad->text, "commit %u of", &broken) != 1)
        return;
    for (uint32_t k = 0; k < log->commits; k++)
        if (log->commit[k].page_count > PAGES_MOST)
            return;
    unsigned char *kind = mem_get(PAGES_MOST + 1);
    for (uint32_t k = 0; k < (broken ? broken : log->commits); k++) {
        v.commit = &log->commit[k];
        int status = walk(&v, kind);
        if ((k + 1 == broken) != (status == STATUS_MISMATCH)) {
            fprintf(stderr, "commit %u is %s, but the audit says: %s\n", k + 1,
                    status == STATUS_MISMATCH ? "damaged" : "sound",
                    broken ? bad->text : "sound");
            abort();
        }
        for (uint32_t n = v.commit->first; !broken && n < v.commit->end; n++)
            check_frame(&v, kind, status, n, a->class[n]);
    }
    free(kind);
}
