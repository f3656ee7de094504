/*
** file.c: reads and writes whole files.
*/
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

bool file_read(const char *path, unsigned char **bytes, size_t *size)
{
    struct stat st;
    *bytes = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    bool good = fstat(fd, &st) == 0;
    size_t want = good ? (size_t)st.st_size : 0;
    unsigned char *at = mem_get(want);
    while (good && *size < want) {
        ssize_t n = read(fd, at + *size, want - *size);
        if (n < 0 && errno == EINTR)
            continue;
        good = n > 0;
        *size += good ? (size_t)n : 0;
    }
    (void)close(fd);
    if (good)
        *bytes = at;
    else
        free(at);
    return good;
}

bool file_write(const char *path, const unsigned char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = fd >= 0;
    for (size_t done = 0; good && done < size;) {
        ssize_t n = write(fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        good = n > 0;
        done += good ? (size_t)n : 0;
    }
    if (fd >= 0 && close(fd) != 0)
        good = false;
    return good;
}

bool file_copy_if_any(const char *from, const char *to)
{
    unsigned char *bytes;
    size_t size;
    struct stat st;
    if (unlink(to) != 0 && errno != ENOENT)
        return false;
    if (stat(from, &st) != 0)
        return errno == ENOENT;
    bool good = file_read(from, &bytes, &size) && file_write(to, bytes, size);
    free(bytes);
    return good;
}
