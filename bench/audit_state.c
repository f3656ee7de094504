/*
** audit_state.c: pages as they were at a commit.
*/
#include "audit_state.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum { NOT_ASKED, ORIGINAL, COPIED };

void audit_state_begin(struct audit_state *s, const struct audit_source *source,
                       const struct audit_log *log)
{
    int64_t pages = source->size[AUDIT_DATABASE] / (int64_t)log->page_size;
    *s = (struct audit_state){.source = source, .log = log};
    s->file_pages = pages < (int64_t)UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
    s->verdict = mem_get(log->frames);
    s->frame = mem_get(log->page_size);
}

void audit_state_end(struct audit_state *s)
{
    free(s->verdict);
    free(s->frame);
    free(s->used);
    *s = (struct audit_state){0};
}

int64_t audit_state_version(const struct audit_state *s, const struct audit_commit *commit,
                            uint32_t pgno)
{
    return audit_log_find(s->log, pgno, commit->end);
}

static int read_file(const struct audit_state *s, uint32_t pgno, unsigned char *buffer,
                     struct fail *f)
{
    return s->source->read(s->source->context, AUDIT_DATABASE,
                           (int64_t)(pgno - 1) * (int64_t)s->log->page_size, buffer,
                           s->log->page_size, f);
}

static int read_frame(const struct audit_state *s, uint32_t frame, unsigned char *buffer,
                      struct fail *f)
{
    return s->source->read(s->source->context, AUDIT_LOG, audit_log_offset(s->log, frame),
                           buffer, s->log->page_size, f);
}

/* Compares what the file holds with each frame of the page, once for every page. */
static int judge(struct audit_state *s, uint32_t place, const unsigned char *page,
                 struct fail *f)
{
    const struct audit_slot *slot = s->log->by_page;
    uint32_t pgno = slot[place].pgno;
    if (s->verdict[place] != NOT_ASKED)
        return 0;
    s->verdict[place] = ORIGINAL;
    for (uint32_t i = place; i < s->log->frames && slot[i].pgno == pgno; i++) {
        if (read_frame(s, slot[i].frame, s->frame, f) != 0)
            return f->status;
        if (memcmp(s->frame, page, s->log->page_size) == 0) {
            s->verdict[place] = COPIED;
            return 0;
        }
    }
    if ((s->used_count & (s->used_count - 1)) == 0)
        s->used = mem_grow(s->used, s->used_count ? 2 * s->used_count : 1, sizeof s->used[0]);
    s->used[s->used_count++] = (struct audit_used){pgno, hash_page(page, s->log->page_size)};
    return 0;
}

int audit_state_page(struct audit_state *s, const struct audit_commit *commit, uint32_t pgno,
                     unsigned char *buffer, bool *known, struct fail *f)
{
    int64_t frame = audit_state_version(s, commit, pgno);
    *known = true;
    if (frame != AUDIT_NO_FRAME)
        return read_frame(s, (uint32_t)frame, buffer, f);
    if (pgno > s->file_pages) {
        /* The checkpoint of a later commit may have cut the file. */
        *known = false;
        if (commit->least_later >= pgno)
            return fail_set(f, STATUS_MISMATCH,
                            "page %u is neither in the log nor in the database file", pgno);
        return 0;
    }
    if (read_file(s, pgno, buffer, f) != 0)
        return f->status;
    uint32_t place = audit_log_page(s->log, pgno);
    if (place == s->log->frames)
        return 0;
    if (judge(s, place, buffer, f) == 0)
        *known = s->verdict[place] == ORIGINAL;
    return f->status;
}

int audit_state_verify(struct audit_state *s, bool *same, struct fail *f)
{
    *same = true;
    for (size_t i = 0; *same && i < s->used_count; i++) {
        if (read_file(s, s->used[i].pgno, s->frame, f) != 0)
            return f->status;
        *same = hash_page(s->frame, s->log->page_size) == s->used[i].hash;
    }
    return 0;
}
