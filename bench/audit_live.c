/*
** audit_live.c: keeps the log of a database that others work on from being begun again,
** cut or removed while it is read.
**
** A read transaction of SQLite would do that, but opens the log for writing, makes it if
** it is gone by then, and leaves a log alone that has been copied as a whole. What holds
** the log are two of the locks that a reader takes, and they can be had without SQLite,
** on files that are opened for reading alone. They are part of the file format: see "File
** Locking And Concurrency" and "The WAL-Index File Format" in its documentation.
*/
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit_file.h"
#include "signals.h"

enum {
    PENDING_BYTE = 0x40000000, /* of the database file */
    SHARED_FIRST = 0x40000002,
    SHARED_SIZE = 510,
    LAST_READ_MARK = 127, /* of the -shm file */
    IN_USE_BYTE = 128,
    TRIES = 500 /* with 10 ms between them */
};

static struct flock lock_of(short type, off_t start, off_t size)
{
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = size};
}

static int lock_shared(int fd, const char *path, off_t start, off_t size, struct fail *f)
{
    const struct timespec pause = {0, 10000000};
    struct flock lock = lock_of(F_RDLCK, start, size);
    for (int i = 0; i < TRIES; i++) {
        if (fcntl(fd, F_SETLK, &lock) == 0)
            return 0;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return fail_set(f, STATUS_UNUSABLE, "--live: cannot lock '%s': %s", path,
                            strerror(errno));
        if (signals_check(f) != 0)
            return f->status;
        (void)nanosleep(&pause, NULL);
    }
    return fail_set(f, STATUS_UNUSABLE,
                    "--live: '%s' has been locked by another process for 5 seconds", path);
}

int audit_live_begin(struct audit_files *files, struct fail *f)
{
    const char *path = files->path[AUDIT_DATABASE];
    int database = files->fd[AUDIT_DATABASE];
    char *shm = mem_format("%s-shm", path);
    /* Each process that shares the log holds a lock on this byte. This one only asks. */
    struct flock in_use = lock_of(F_WRLCK, IN_USE_BYTE, 1);
    files->shm = open(shm, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (files->shm < 0 && errno != ENOENT)
        fail_set(f, STATUS_UNUSABLE, "cannot open '%s': %s", shm, strerror(errno));
    else if (files->shm < 0 || fcntl(files->shm, F_GETLK, &in_use) != 0 ||
             in_use.l_type == F_UNLCK)
        fail_set(f, STATUS_UNUSABLE,
                 "--live: no process shares the log of '%s'; leave the option out", path);
    /* As SQLite does it: the pending byte lets nobody in while somebody waits to have the
    ** file for itself. */
    else if (lock_shared(database, path, PENDING_BYTE, 1, f) == 0 &&
             lock_shared(database, path, SHARED_FIRST, SHARED_SIZE, f) == 0 &&
             lock_shared(files->shm, shm, LAST_READ_MARK, 1, f) == 0) {
        struct flock pending = lock_of(F_UNLCK, PENDING_BYTE, 1);
        if (fcntl(database, F_SETLK, &pending) != 0)
            fail_set(f, STATUS_UNUSABLE, "--live: cannot unlock '%s': %s", path,
                     strerror(errno));
    }
    free(shm);
    return f->status;
}
