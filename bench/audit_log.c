/*
** audit_log.c: reads a log as a recovery does: up to the last commit before the first
** frame whose salts or checksum are wrong. What follows is counted by what it is.
*/
#include "audit_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "signals.h"

enum { TAIL_MOST = 1 << 20 }; /* a file with holes can claim any number of frames */

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t le32(const unsigned char *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

void audit_checksum(bool big_endian, const unsigned char *p, size_t size, uint32_t sum[2])
{
    uint32_t a = sum[0], b = sum[1];
    if (big_endian)
        for (size_t i = 0; i + 8 <= size; i += 8) {
            a += be32(p + i) + b;
            b += be32(p + i + 4) + a;
        }
    else
        for (size_t i = 0; i + 8 <= size; i += 8) {
            a += le32(p + i) + b;
            b += le32(p + i + 4) + a;
        }
    sum[0] = a;
    sum[1] = b;
}

int64_t audit_log_offset(const struct audit_log *log, uint32_t frame)
{
    return AUDIT_LOG_HEADER + frame * (AUDIT_FRAME_HEADER + (int64_t)log->page_size) +
           AUDIT_FRAME_HEADER;
}

static bool all_zero(const unsigned char *p, size_t size)
{
    return p[0] == 0 && memcmp(p, p + 1, size - 1) == 0;
}

static int read_header(struct audit_log *log, const struct audit_source *source,
                       uint32_t sum[2], struct fail *f)
{
    unsigned char h[AUDIT_LOG_HEADER];
    if (source->size[AUDIT_LOG] < AUDIT_LOG_HEADER)
        return fail_set(f, STATUS_UNUSABLE,
                        "the log has %" PRId64 " bytes: too short for its header of %d",
                        source->size[AUDIT_LOG], AUDIT_LOG_HEADER);
    if (source->read(source->context, AUDIT_LOG, 0, h, sizeof h, f) != 0)
        return f->status;
    uint32_t size = be32(h + 8);
    if ((be32(h) & ~UINT32_C(1)) != UINT32_C(0x377f0682))
        return fail_set(f, STATUS_UNUSABLE, "the log does not begin as a WAL file does");
    if (be32(h + 4) != 3007000)
        return fail_set(f, STATUS_UNUSABLE,
                        "the log is of format version %u; only 3007000 is known", be32(h + 4));
    if (size < 512 || size > 65536 || (size & (size - 1)) != 0)
        return fail_set(f, STATUS_UNUSABLE, "impossible page size %u in the header of the log",
                        size);
    log->big_endian = (h[3] & 1) != 0;
    log->page_size = size;
    log->sequence = be32(h + 12);
    log->salt[0] = be32(h + 16);
    log->salt[1] = be32(h + 20);
    sum[0] = sum[1] = 0;
    audit_checksum(log->big_endian, h, 24, sum);
    if (sum[0] != be32(h + 24) || sum[1] != be32(h + 28))
        return fail_set(f, STATUS_UNUSABLE,
                        "the header of the log is damaged: its checksum does not hold");
    return 0;
}

static bool has_salts(const struct audit_log *log, const unsigned char *header)
{
    return be32(header + 8) == log->salt[0] && be32(header + 12) == log->salt[1];
}

/* Room for one more, in steps that double. */
static void *room(void *at, uint32_t count, size_t size)
{
    if ((count & (count - 1)) == 0)
        at = mem_grow(at, count ? 2 * (size_t)count : 1, size);
    return at;
}

static void add_commit(struct audit_log *log, uint32_t end, uint32_t page_count)
{
    log->commit = room(log->commit, log->commits, sizeof log->commit[0]);
    log->commit[log->commits++] = (struct audit_commit){log->frames, end, page_count, 0};
    log->frames = end;
}

/* Returns through *count how many frames are sound, with or without a commit. */
static int read_frames(struct audit_log *log, const struct audit_source *source,
                       uint64_t frames, uint32_t sum[2], uint32_t *count, struct fail *f)
{
    size_t size = AUDIT_FRAME_HEADER + (size_t)log->page_size;
    unsigned char *frame = mem_get(size);
    uint32_t n = 0;
    for (; n < frames; n++) {
        if (n == INT32_MAX || signals_check(f) != 0)
            break;
        if (source->read(source->context, AUDIT_LOG,
                         audit_log_offset(log, n) - AUDIT_FRAME_HEADER, frame, size, f) != 0)
            break;
        if (!has_salts(log, frame) || be32(frame) == 0)
            break;
        audit_checksum(log->big_endian, frame, 8, sum);
        audit_checksum(log->big_endian, frame + AUDIT_FRAME_HEADER, log->page_size, sum);
        if (sum[0] != be32(frame + 16) || sum[1] != be32(frame + 20))
            break;
        log->page = room(log->page, n, sizeof log->page[0]);
        log->zero = room(log->zero, n, sizeof log->zero[0]);
        log->page[n] = be32(frame);
        log->zero[n] = all_zero(frame + AUDIT_FRAME_HEADER, log->page_size);
        if (be32(frame + 4) != 0)
            add_commit(log, n + 1, be32(frame + 4));
    }
    free(frame);
    if (n == INT32_MAX)
        fail_set(f, STATUS_UNUSABLE, "the log has more frames than SQLite can make");
    *count = n;
    return f->status;
}

static int read_tail(struct audit_log *log, const struct audit_source *source, uint64_t frames,
                     uint32_t sound, struct fail *f)
{
    unsigned char header[AUDIT_FRAME_HEADER];
    struct audit_tail *tail = &log->tail;
    int64_t size = AUDIT_FRAME_HEADER + (int64_t)log->page_size;
    tail->uncommitted = sound - log->frames;
    tail->bytes = (uint64_t)((source->size[AUDIT_LOG] - AUDIT_LOG_HEADER) % size);
    for (uint64_t n = sound; n < frames; n++) {
        if (n - sound == TAIL_MOST) {
            tail->unseen = frames - n;
            break;
        }
        if (signals_check(f) != 0 ||
            source->read(source->context, AUDIT_LOG, AUDIT_LOG_HEADER + (int64_t)n * size,
                         header, sizeof header, f) != 0)
            break;
        if (all_zero(header, sizeof header))
            tail->empty++;
        else if (has_salts(log, header))
            tail->torn++;
        else
            tail->foreign++;
    }
    return f->status;
}

static int by_page_and_frame(const void *a, const void *b)
{
    const struct audit_slot *x = a, *y = b;
    if (x->pgno != y->pgno)
        return x->pgno < y->pgno ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static void make_index(struct audit_log *log)
{
    log->by_page = mem_get(log->frames * sizeof log->by_page[0]);
    log->again = mem_get(log->frames * sizeof log->again[0]);
    for (uint32_t n = 0; n < log->frames; n++)
        log->by_page[n] = (struct audit_slot){log->page[n], n};
    qsort(log->by_page, log->frames, sizeof log->by_page[0], by_page_and_frame);
    uint32_t *next = mem_get(log->frames * sizeof next[0]); /* frame of the same page */
    for (uint32_t i = 0; i + 1 < log->frames; i++)
        if (log->by_page[i].pgno == log->by_page[i + 1].pgno)
            next[log->by_page[i].frame] = log->by_page[i + 1].frame;
    uint32_t least = UINT32_MAX;
    for (uint32_t k = log->commits; k-- > 0;) {
        struct audit_commit *c = &log->commit[k];
        c->least_later = least;
        least = c->page_count < least ? c->page_count : least;
        for (uint32_t n = c->first; n < c->end; n++)
            log->again[n] = next[n] != 0 && next[n] < c->end;
    }
    free(next);
}

int audit_log_read(struct audit_log *log, const struct audit_source *source, struct fail *f)
{
    uint32_t sum[2], sound = 0;
    *log = (struct audit_log){0};
    if (source->size[AUDIT_LOG] == 0)
        return 0;
    if (read_header(log, source, sum, f) != 0)
        return f->status;
    uint64_t frames = (uint64_t)(source->size[AUDIT_LOG] - AUDIT_LOG_HEADER) /
                      (AUDIT_FRAME_HEADER + (uint64_t)log->page_size);
    if (read_frames(log, source, frames, sum, &sound, f) == 0 &&
        read_tail(log, source, frames, sound, f) == 0)
        make_index(log);
    else
        audit_log_free(log);
    return f->status;
}

void audit_log_free(struct audit_log *log)
{
    free(log->page);
    free(log->zero);
    free(log->by_page);
    free(log->again);
    free(log->commit);
    *log = (struct audit_log){0};
}

/* The first slot that is not before (pgno, frame). */
static uint32_t lower_bound(const struct audit_log *log, uint32_t pgno, uint32_t frame)
{
    uint32_t low = 0, high = log->frames;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct audit_slot *s = &log->by_page[middle];
        if (s->pgno < pgno || (s->pgno == pgno && s->frame < frame))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t audit_log_page(const struct audit_log *log, uint32_t pgno)
{
    uint32_t i = lower_bound(log, pgno, 0);
    return i < log->frames && log->by_page[i].pgno == pgno ? i : log->frames;
}

int64_t audit_log_find(const struct audit_log *log, uint32_t pgno, uint32_t end)
{
    uint32_t i = lower_bound(log, pgno, end);
    return i > 0 && log->by_page[i - 1].pgno == pgno ? (int64_t)log->by_page[i - 1].frame
                                                     : AUDIT_NO_FRAME;
}
