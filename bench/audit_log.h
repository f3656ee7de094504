/*
** audit_log.h: a log that some application left, read frame by frame and checked as a
** recovery checks it, without SQLite.
**
** log_map.h reads a log that this process has just written, and trusts it. Here
** nothing is trusted: what counts is what a recovery would find.
*/
#ifndef WALBENCH_AUDIT_LOG_H
#define WALBENCH_AUDIT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fail.h"

enum audit_file { AUDIT_DATABASE, AUDIT_LOG };

/* Where the bytes come from: two files, or memory. */
struct audit_source {
    void *context;
    int (*read)(void *context, enum audit_file file, int64_t offset, unsigned char *buffer,
                size_t size, struct fail *f);
    int64_t size[2]; /* bytes; nothing past them is asked for */
};

enum { AUDIT_LOG_HEADER = 32, AUDIT_FRAME_HEADER = 24 };

enum { AUDIT_NO_FRAME = -1 };

struct audit_commit {
    uint32_t first, end;  /* its frames, from 0; end is the one behind the last */
    uint32_t page_count;  /* of the database after it */
    uint32_t least_later; /* the smallest such size among the commits that follow */
};

struct audit_slot {
    uint32_t pgno, frame;
};

/* Frames after the last commit. */
struct audit_tail {
    uint64_t uncommitted; /* sound, but no commit follows */
    uint64_t torn;        /* of this log by their salts, the checksum does not hold */
    uint64_t foreign;     /* other salts: left from an earlier log */
    uint64_t empty;       /* a header of zeros: nothing was ever written there */
    uint64_t unseen;      /* not looked at, since there are too many */
    uint64_t bytes;       /* of a part of a frame at the end */
};

struct audit_log {
    uint32_t page_size;
    bool big_endian; /* the order in which the checksums take words */
    uint32_t sequence, salt[2];
    uint32_t frames;            /* up to the last commit */
    uint32_t *page;             /* by frame, from 0 */
    bool *zero;                 /* by frame: is its content all zeros? */
    struct audit_slot *by_page; /* the frames sorted by page, and then as they stand */
    bool *again; /* by frame: does a later frame of its commit hold the same page? */
    struct audit_commit *commit;
    uint32_t commits;
    struct audit_tail tail;
};

/* Reads all of it. A log of 0 bytes has no frames and a page_size of 0. */
int audit_log_read(struct audit_log *log, const struct audit_source *source, struct fail *f);
void audit_log_free(struct audit_log *log);

/* Where in by_page the frames of a page begin; log->frames if it has none. */
uint32_t audit_log_page(const struct audit_log *log, uint32_t pgno);
/* The last frame of a page before frame `end`, or AUDIT_NO_FRAME. */
int64_t audit_log_find(const struct audit_log *log, uint32_t pgno, uint32_t end);
/* Where the content of a frame is in the file. */
int64_t audit_log_offset(const struct audit_log *log, uint32_t frame);

/* Adds `size` bytes, a multiple of 8, to a checksum. */
void audit_checksum(bool big_endian, const unsigned char *p, size_t size, uint32_t sum[2]);

#endif
