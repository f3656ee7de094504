/*
** shim.h: a VFS on top of a library's own one that counts what is written to and
** read from which kind of file, in phases which the driver names.
**
** One shim serves one process and is not locked: only one thread may write, or read in
** phase SHIM_SCAN. A job with threads opens its databases through the VFS below.
*/
#ifndef WALBENCH_SHIM_H
#define WALBENCH_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"

enum shim_class {
    SHIM_DATABASE,
    SHIM_JOURNAL, /* rollback journal */
    SHIM_WAL,
    SHIM_SUBJOURNAL, /* statement and savepoint journals */
    SHIM_TEMP,       /* every other temporary file */
    SHIM_CLASSES
};

enum shim_phase { SHIM_OUTSIDE, SHIM_COMMIT, SHIM_CHECKPOINT, SHIM_SCAN, SHIM_PHASES };

struct shim_count {
    uint64_t writes;
    uint64_t bytes;
    uint64_t pages;     /* whole pages: of the database, old content in a journal, frames
                           appended to the WAL */
    uint64_t rewritten; /* WAL: pages written over a frame that was already in the log */
    uint64_t syncs;
    uint64_t truncates;
    /* In phase SHIM_SCAN alone, and not said by arm_say_counts(). */
    uint64_t reads;
    uint64_t bytes_read;
    uint64_t read_jumps; /* reads that do not start where the last one of the file ended */
};

struct shim_file;

struct shim {
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    const struct api *api;
    char name[32];
    enum shim_phase phase;
    uint32_t page_size; /* of the database: the driver says it */
    struct shim_count count[SHIM_PHASES][SHIM_CLASSES];
    struct shim_file *logs; /* open WAL files */
};

extern const char *const shim_class_name[SHIM_CLASSES];

/* Registers the shim as the library's default VFS. It must stay where it is in memory. */
int shim_install(struct shim *shim, const struct api *api, struct fail *f);
void shim_remove(struct shim *shim);

/* Frames written to logs in a phase, those written over earlier ones included. */
uint64_t shim_frames(const struct shim *shim, enum shim_phase phase);

/*
** Frames in the logs that are open now, and their bytes including the log header,
** counted from where each log was last begun. False: a log was not begun under
** this shim, so that nothing can be said.
*/
bool shim_log(const struct shim *shim, uint64_t *frames, uint64_t *bytes);

#endif
