/*
** residency.h: which pages of a file the system holds in memory. They are counted with
** mincore(2), brought in by reading, and dropped with posix_fadvise(2).
*/
#ifndef WALBENCH_RESIDENCY_H
#define WALBENCH_RESIDENCY_H

#include <stdint.h>

#include "fail.h"

struct residency {
    int64_t pages; /* of the system's, that the file has */
    int64_t resident;
};

/* Both look at the whole file; fd may be open for reading alone. */
int residency_count(int fd, struct residency *r, struct fail *f);
int residency_fill(int fd, struct residency *r, struct fail *f);
/* Writes back what is dirty, drops everything, and counts what is still there: 0 pages
** unless the file system, or somebody who uses the file, keeps them. */
int residency_drop(int fd, struct residency *r, struct fail *f);

/*
** Can a file be made cold here, and would that be seen? It is filled and must be resident,
** it is dropped and must not be. NULL: yes; else why not, for the caller to free.
*/
char *residency_probe(const char *path, struct fail *f);

/* How far the system reads ahead on the device of a file, in KiB; -1: not to be had. */
int64_t residency_read_ahead(const char *path);

#endif
