/*
** recorder.h: a VFS on top of a library's own one that notes what is done to the
** files of one database.
**
** It does not sync. What a sync is worth is for model.c to say; the process that
** works here never meets a power failure.
*/
#ifndef CRASH_RECORDER_H
#define CRASH_RECORDER_H

#include <stdint.h>

#include "api.h"
#include "tape.h"

struct recorder {
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    const struct api *api;
    struct tape *tape; /* NULL: notes nothing, but does not sync either */
    uint64_t random;   /* what xRandomness gives depends on the seed */
    uint64_t dice;     /* when to keep a copy of the -shm */
};

/* Registers it as the library's default VFS. It must stay where it is in memory. */
int recorder_install(struct recorder *r, const struct api *api, struct tape *tape,
                     uint64_t seed, struct fail *f);
void recorder_remove(struct recorder *r);
/* A copy of the -shm as it is now, in `percent` of the calls. */
void recorder_index(struct recorder *r, int percent);

#endif
