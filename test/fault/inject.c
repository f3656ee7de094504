/*
** inject.c: counts calls, and says which one fails.
*/
#include "inject.h"

#include <string.h>

const char *fault_name(enum fault_kind kind)
{
    static const char *const name[FAULT_KINDS] = {
        "read",   "write",  "full", "sync", "truncate", "size",  "open",
        "delete", "access", "lock", "busy", "shm",      "memory"};
    return name[kind];
}

bool fault_strikes(struct fault *fault, enum fault_kind kind)
{
    if (fault->kind != kind || fault->at == 0)
        return false;
    if (fault->fired == 0) {
        if (!fault->counting || ++fault->calls < fault->at)
            return false;
    } else if (!fault->lasting) {
        return false;
    }
    fault->fired++;
    return true;
}

void fault_begin(struct fault *fault, enum fault_kind kind, bool lasting, uint64_t at)
{
    *fault = (struct fault){kind, lasting, at, true, 0, 0};
}

void fault_end(struct fault *fault)
{
    fault->at = 0;
}
