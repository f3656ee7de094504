/*
** inject.h: makes the n-th call of one kind fail.
*/
#ifndef FAULT_INJECT_H
#define FAULT_INJECT_H

#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
    FAULT_READ,
    FAULT_WRITE, /* after half of the bytes have been written */
    FAULT_FULL,  /* xWrite says SQLITE_FULL, and has written half of them as well */
    FAULT_SYNC,
    FAULT_TRUNCATE,
    FAULT_SIZE,
    FAULT_OPEN,
    FAULT_DELETE,
    FAULT_ACCESS,
    FAULT_LOCK,
    FAULT_BUSY, /* a lock is not to be had */
    FAULT_SHM,  /* xShmMap */
    FAULT_MEMORY,
    FAULT_KINDS
};

/* The names, for an option: "one|two|three". */
#define FAULT_NAMES "read|write|full|sync|truncate|size|open|delete|access|lock|busy|shm|memory"
const char *fault_name(enum fault_kind kind);

struct fault {
    enum fault_kind kind;
    bool lasting;   /* every call after the n-th one fails as well */
    uint64_t at;    /* n; 0: nothing fails (any more) */
    bool counting;  /* calls count now */
    uint64_t calls; /* that have counted */
    uint64_t fired; /* calls that failed */
};

/* Called for each call of that kind. True: it has to fail. */
bool fault_strikes(struct fault *fault, enum fault_kind kind);
void fault_begin(struct fault *fault, enum fault_kind kind, bool lasting, uint64_t at);
void fault_end(struct fault *fault);

#endif
