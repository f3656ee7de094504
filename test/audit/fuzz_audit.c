/*
** fuzz_audit.c: gives walbench's audit a database and a log out of one input, in
** memory, and holds what it finds against naive.c. For libFuzzer, and for replay.c,
** which plays inputs from files.
**
** An input: one byte of flags; the size of the database in four bytes, the least
** significant first; the database; the rest is the log. The flags mend what a random
** change would otherwise always be found out by:
**
**   1   the header of the log, the salts of its frames and all checksums
**   2   numbers and sizes in the headers of frames, so that they fit a small database
**   4   the beginning of page 1, wherever it is
**   8   every commit is printed (not by replay.c)
**   16  with 1: the log once more with checksums of the other byte order, which must
**       make no difference
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_print.h"
#include "naive.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum {
    MEND_CHECKSUMS = 1,
    MEND_NUMBERS = 2,
    MEND_PAGE_1 = 4,
    PRINT_ALL = 8,
    OTHER_ORDER = 16,
    HEAD = 5
};

/* libFuzzer calls with nothing but an input. */
static bool with_print;

struct memory {
    unsigned char *at[2];
    size_t size[2];
};

static int read_memory(void *context, enum audit_file file, int64_t offset,
                       unsigned char *buffer, size_t size, struct fail *f)
{
    const struct memory *m = context;
    (void)f;
    if (offset < 0 || (uint64_t)offset > m->size[file] || size > m->size[file] - (size_t)offset)
        abort(); /* nothing past the end may be asked for */
    memcpy(buffer, m->at[file] + offset, size);
    return 0;
}

static uint32_t get32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put32(unsigned char *p, uint32_t v)
{
    p[0] = (unsigned char)(v >> 24);
    p[1] = (unsigned char)(v >> 16);
    p[2] = (unsigned char)(v >> 8);
    p[3] = (unsigned char)v;
}

static void mend_page_1(unsigned char *page, size_t size, uint32_t page_size)
{
    if (size < 100)
        return;
    memcpy(page, "SQLite format 3", 16);
    page[16] = (unsigned char)(page_size >> 8); /* 65536 is 1: the other byte is that */
    page[17] = page_size == 65536;
    page[20] = (unsigned char)(page[20] & 15);
}

static void mend(struct memory *m, int flags)
{
    unsigned char *log = m->at[AUDIT_LOG];
    size_t size = m->size[AUDIT_LOG];
    uint32_t sum[2] = {0, 0};
    if (size < AUDIT_LOG_HEADER)
        return;
    bool big = log[3] & 1;
    if (flags & MEND_CHECKSUMS) {
        uint32_t page_size = get32(log + 8);
        put32(log, UINT32_C(0x377f0682) | big);
        put32(log + 4, 3007000);
        if (page_size < 512 || page_size > 65536 || (page_size & (page_size - 1)) != 0)
            put32(log + 8, 512);
        audit_checksum(big, log, 24, sum);
        put32(log + 24, sum[0]);
        put32(log + 28, sum[1]);
    }
    size_t page_size = get32(log + 8);
    if (page_size < 512 || page_size > 65536)
        return;
    if (flags & MEND_PAGE_1)
        mend_page_1(m->at[AUDIT_DATABASE], m->size[AUDIT_DATABASE], (uint32_t)page_size);
    for (size_t at = AUDIT_LOG_HEADER; at + AUDIT_FRAME_HEADER + page_size <= size;
         at += AUDIT_FRAME_HEADER + page_size) {
        unsigned char *frame = log + at;
        if (flags & MEND_NUMBERS) {
            put32(frame, get32(frame) % 300);
            put32(frame + 4, get32(frame + 4) % 300);
        }
        if ((flags & MEND_PAGE_1) && get32(frame) == 1)
            mend_page_1(frame + AUDIT_FRAME_HEADER, page_size, (uint32_t)page_size);
        if (flags & MEND_CHECKSUMS) {
            memcpy(frame + 8, log + 16, 8);
            audit_checksum(big, frame, 8, sum);
            audit_checksum(big, frame + AUDIT_FRAME_HEADER, page_size, sum);
            put32(frame + 16, sum[0]);
            put32(frame + 20, sum[1]);
        }
    }
}

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void check_sums(const struct audit *a)
{
    uint64_t total[AUDIT_CLASSES] = {0}, all = 0, frames = 0;
    for (uint32_t k = 0; k < a->log.commits; k++) {
        const struct audit_commit *c = &a->log.commit[k];
        require(c->first == (k ? a->log.commit[k - 1].end : 0) && c->end > c->first,
                "commits follow each other");
        require(audit_count_frames(&a->commit[k]) == c->end - c->first,
                "each frame is counted once");
        frames += c->end - c->first;
        for (int i = 0; i < AUDIT_CLASSES; i++)
            total[i] += a->commit[k].of[i];
    }
    for (int i = 0; i < AUDIT_CLASSES; i++) {
        require(total[i] == a->total[i], "the totals are sums");
        all += total[i];
    }
    require(all == a->log.frames && frames == all, "all frames are counted");
    require(a->saved_least <= a->saved_most &&
                a->saved_most <= a->total[AUDIT_FREE] + a->total[AUDIT_EARLY],
            "no more is saved than is free");
    require(a->pages_saved + a->pages_maybe <= a->pages && a->pages <= a->log.frames,
            "no more pages are saved than are copied");
}

static void check_other_order(struct memory *m, const struct audit_source *source,
                              const struct audit *a)
{
    struct audit other;
    struct fail f = {0};
    m->at[AUDIT_LOG][3] ^= 1;
    mend(m, MEND_CHECKSUMS);
    require(audit_begin(&other, source, &f) == 0, "the other byte order is as good");
    require(other.log.big_endian != a->log.big_endian, "it is the other byte order");
    require(other.log.frames == a->log.frames &&
                memcmp(other.total, a->total, sizeof a->total) == 0,
            "the byte order makes no difference");
    audit_end(&other);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    with_print = freopen("/dev/null", "w", stdout) != NULL;
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct memory m = {0};
    struct audit a;
    struct fail f = {0}, unused = {0};
    bool same = false;
    if (size < HEAD)
        return 0;
    size_t rest = size - HEAD;
    size_t database =
        (size_t)data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16 | (size_t)data[4] << 24;
    m.size[AUDIT_DATABASE] = database < rest ? database : rest;
    m.size[AUDIT_LOG] = rest - m.size[AUDIT_DATABASE];
    /* Buffers of exactly that size, so that a sanitizer sees what is read past their end. */
    for (int i = 0; i < 2; i++) {
        m.at[i] = mem_get(m.size[i]);
        memcpy(m.at[i], data + HEAD + (i ? m.size[0] : 0), m.size[i]);
    }
    mend(&m, data[0]);
    struct audit_source source = {&m, read_memory, {(int64_t)m.size[0], (int64_t)m.size[1]}};
    int status = audit_begin(&a, &source, &f);
    require(status == f.status && status >= 0 && status <= STATUS_UNUSABLE, "a status");
    require((status == 0) == (f.text[0] == 0), "a message for each failure");
    struct audit_log log;
    if (audit_log_read(&log, &source, &unused) == 0) {
        naive_check(m.at[0], m.size[0], &log, m.at[1], &a, &f);
        audit_log_free(&log);
    }
    if (status == 0) {
        check_sums(&a);
        require(a.log.page_size == 0 ||
                    (audit_state_verify(&a.state, &same, &unused) == 0 && same),
                "memory does not change");
        if (with_print)
            audit_print(&a, data[0] & PRINT_ALL);
        if ((data[0] & MEND_CHECKSUMS) && (data[0] & OTHER_ORDER) && a.log.page_size != 0)
            check_other_order(&m, &source, &a);
        audit_end(&a);
    }
    free(m.at[0]);
    free(m.at[1]);
    return 0;
}
