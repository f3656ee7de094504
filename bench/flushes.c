/*
** flushes.c: reads the flush counters of /proc/diskstats.
*/
#include "flushes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { NAME_FIELD = 3, FLUSH_FIELD = 19 };

int64_t flushes_parse(const char *line, const char *disk)
{
    const char *at = line;
    for (int field = 1;; field++) {
        at += strspn(at, " \t");
        size_t size = strcspn(at, " \t\n");
        if (size == 0)
            return field > NAME_FIELD ? -2 : -1;
        if (field == NAME_FIELD && (strlen(disk) != size || memcmp(at, disk, size) != 0))
            return -1;
        if (field == FLUSH_FIELD)
            return (int64_t)strtoll(at, NULL, 10);
        at += size;
    }
}

static int64_t read_count(const char *disk)
{
    char line[500];
    int64_t count = -1;
    FILE *in = fopen("/proc/diskstats", "r");
    while (in != NULL && count == -1 && fgets(line, sizeof line, in) != NULL)
        count = flushes_parse(line, disk);
    if (in != NULL)
        (void)fclose(in);
    return count;
}

int64_t flushes_read(const char *disk)
{
    int64_t count = read_count(disk);
    return count < 0 ? -1 : count;
}

struct flush_disk flushes_find(const char *directory)
{
    struct flush_disk disk = {"", ""};
    struct stat st;
    char link[80], partition[120], path[PATH_MAX];
    if (stat(directory, &st) != 0) {
        (void)snprintf(disk.because, sizeof disk.because, "%.100s", strerror(errno));
        return disk;
    }
    (void)snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(st.st_dev),
                   minor(st.st_dev));
    char *full = realpath(link, NULL);
    if (full == NULL) {
        (void)snprintf(disk.because, sizeof disk.because,
                       "the file system is not on one block device (device %u:%u)",
                       major(st.st_dev), minor(st.st_dev));
        return disk;
    }
    /* A partition lies below its disk, and the flushes are the disk's. */
    (void)snprintf(partition, sizeof partition, "%s/partition", link);
    (void)snprintf(path, sizeof path, "%s", full);
    free(full);
    char *slash = strrchr(path, '/');
    if (access(partition, F_OK) == 0 && slash != NULL) {
        *slash = 0;
        slash = strrchr(path, '/');
    }
    const char *name = slash != NULL ? slash + 1 : path;
    int64_t count = read_count(name);
    if (count >= 0 && strlen(name) < sizeof disk.name)
        (void)snprintf(disk.name, sizeof disk.name, "%.79s", name);
    else
        (void)snprintf(disk.because, sizeof disk.because,
                       count == -2 ? "this kernel does not count the flushes of %.60s"
                                   : "/proc/diskstats does not have %.60s",
                       name);
    return disk;
}
