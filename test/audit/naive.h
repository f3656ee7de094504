/*
** naive.h: the classes of the frames of a log once more, in the plainest way, to hold
** walbench's audit against. Quadratic, and for small inputs alone.
*/
#ifndef WALBENCH_NAIVE_H
#define WALBENCH_NAIVE_H

#include "audit.h"

/*
** Ends the program with a message and abort() where the audit and this differ. `bad` is
** how the audit ended, and `a` what it found, if it ended well.
*/
void naive_check(const unsigned char *database, size_t database_size,
                 const struct audit_log *log, const unsigned char *log_bytes,
                 const struct audit *a, const struct fail *bad);

#endif
