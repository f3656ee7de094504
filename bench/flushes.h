/*
** flushes.h: how many flushes of its cache a disk has completed, by the kernel's own count.
*/
#ifndef WALBENCH_FLUSHES_H
#define WALBENCH_FLUSHES_H

#include <stdbool.h>
#include <stdint.h>

struct flush_disk {
    char name[80];     /* of the whole disk, as in /proc/diskstats; "": there is no count */
    char because[160]; /* why there is none */
};

/* The disk that holds a directory, and whether the kernel counts its flushes. */
struct flush_disk flushes_find(const char *directory);
/* Of all times; -1: cannot be read. */
int64_t flushes_read(const char *disk);

/* The count from a line of /proc/diskstats if it is about the disk, else -1; -2: about it, but
** without such a field, which came with Linux 5.5. */
int64_t flushes_parse(const char *line, const char *disk);

#endif
