/*
** audit_file.c: the database file and its log, opened to be read and nothing else.
*/
#include "audit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_at(void *context, enum audit_file file, int64_t offset, unsigned char *buffer,
                   size_t size, struct fail *f)
{
    const struct audit_files *files = context;
    while (size > 0) {
        ssize_t n = pread(files->fd[file], buffer, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_set(f, STATUS_UNUSABLE, "cannot read '%s': %s", files->path[file],
                            strerror(errno));
        if (n == 0)
            return fail_set(f, STATUS_MISMATCH, "'%s' became shorter while it was read",
                            files->path[file]);
        buffer += n;
        size -= (size_t)n;
        offset += n;
    }
    return 0;
}

static int open_file(struct audit_files *files, enum audit_file file, bool optional,
                     struct fail *f)
{
    const char *path = files->path[file];
    struct stat st;
    /* A named pipe must not keep us waiting for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT && optional)
        return 0;
    if (fd < 0)
        return fail_set(f, STATUS_UNUSABLE, "cannot open '%s': %s", path, strerror(errno));
    files->fd[file] = fd;
    if (fstat(fd, &st) != 0)
        return fail_set(f, STATUS_UNUSABLE, "cannot stat '%s': %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return fail_set(f, STATUS_UNUSABLE, "'%s' is not a file", path);
    return 0;
}

/* Size and date, and the beginning of the log. */
static int look(struct audit_files *files, struct fail *f)
{
    for (int i = 0; i < 2; i++) {
        if (files->fd[i] < 0)
            continue;
        if (fstat(files->fd[i], &files->seen[i]) != 0)
            return fail_set(f, STATUS_UNUSABLE, "cannot stat '%s': %s", files->path[i],
                            strerror(errno));
        files->source.size[i] = (int64_t)files->seen[i].st_size;
    }
    if (files->source.size[AUDIT_LOG] < AUDIT_LOG_HEADER)
        return 0;
    return read_at(files, AUDIT_LOG, 0, files->header, sizeof files->header, f);
}

int audit_files_open(struct audit_files *files, const char *database, const char *log,
                     bool live, struct fail *f)
{
    *files = (struct audit_files){.fd = {-1, -1}, .live = live, .shm = -1};
    files->source = (struct audit_source){.context = files, .read = read_at};
    /* SQLite puts the log beside the file that a link leads to. */
    char *real = realpath(database, NULL);
    if (real == NULL)
        return fail_set(f, STATUS_UNUSABLE, "cannot open '%s': %s", database, strerror(errno));
    files->path[AUDIT_DATABASE] = mem_copy(real);
    files->path[AUDIT_LOG] = log ? mem_copy(log) : mem_format("%s-wal", real);
    free(real);
    if (open_file(files, AUDIT_DATABASE, false, f) != 0 ||
        open_file(files, AUDIT_LOG, log == NULL, f) != 0)
        return f->status;
    if (files->fd[AUDIT_LOG] >= 0 && live && audit_live_begin(files, f) != 0)
        return f->status;
    return look(files, f);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool same_content(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int audit_files_check(struct audit_files *files, struct audit *a, struct fail *f)
{
    static const char *const name[] = {"database", "log"};
    const char *advice = files->live ? "try again" : "audit a copy, or use --live";
    unsigned char header[AUDIT_LOG_HEADER];
    struct stat now;
    for (int i = 0; i < 2; i++) {
        bool same = true;
        if (files->fd[i] < 0)
            same = stat(files->path[i], &now) != 0;
        else if (stat(files->path[i], &now) != 0 || !same_file(&now, &files->seen[i]))
            same = false;
        else if (!files->live)
            same = same_content(&now, &files->seen[i]);
        if (!same)
            return fail_set(f, STATUS_MISMATCH, "the %s changed while it was read: %s", name[i],
                            advice);
    }
    if (files->source.size[AUDIT_LOG] < AUDIT_LOG_HEADER)
        return 0;
    if (read_at(files, AUDIT_LOG, 0, header, sizeof header, f) != 0)
        return f->status;
    if (memcmp(header, files->header, sizeof header) != 0)
        return fail_set(f, STATUS_MISMATCH, "the log was begun again while it was read: %s",
                        advice);
    bool same = true;
    if (a->log.page_size != 0 && audit_state_verify(&a->state, &same, f) == 0 && !same)
        fail_set(f, STATUS_MISMATCH, "a checkpoint ran while the database was read: %s",
                 advice);
    return f->status;
}

void audit_files_close(struct audit_files *files)
{
    for (int i = 0; i < 2; i++) {
        if (files->fd[i] >= 0)
            (void)close(files->fd[i]); /* nothing was written */
        free(files->path[i]);
    }
    if (files->shm >= 0)
        (void)close(files->shm);
}
