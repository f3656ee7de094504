/*
** order_source.c: opens a database file of somebody else's.
**
** A connection with immutable=1 takes no locks and makes no files, but it does not see a
** log. A connection that does would make a -shm beside it and, being the last one to
** close, might even delete the log. So a database with a log is copied together with it,
** and the copy is opened. Neither way is protected by locks: that nobody wrote is told
** from the files being as they were.
*/
#include "order_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "freelist.h"
#include "scratch.h"

enum { DATABASE, LOG, JOURNAL };

static const char *const tails[SOURCE_FILES] = {"", "-wal", "-journal"};

static void look(const char *path, struct stat *st)
{
    if (stat(path, st) != 0)
        *st = (struct stat){0};
}

/* The first bytes of a file; fewer where it is shorter, -1 if it cannot be read. */
static ssize_t first_bytes(const char *path, unsigned char *bytes, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = pread(fd, bytes, size, 0);
    int error = errno;
    (void)close(fd);
    errno = error;
    return n;
}

static int check_header(const char *path, struct fail *f)
{
    unsigned char bytes[DB_HEADER_SIZE];
    struct db_header header;
    struct fail inner = {0};
    ssize_t n = first_bytes(path, bytes, sizeof bytes);
    if (n < 0)
        return fail_set(f, STATUS_UNUSABLE, "'%s': %s", path, strerror(errno));
    if (n < DB_HEADER_SIZE)
        return fail_set(f, STATUS_UNUSABLE, "'%s' is not a database file: too short", path);
    if (db_header_read(bytes, &header, &inner) != 0)
        return fail_set(f, STATUS_UNUSABLE, "'%s': %s", path, inner.text);
    return 0;
}

int order_source_find(struct order_source *s, const char *path, struct fail *f)
{
    static const unsigned char ended[8]; /* what begins a journal that counts no more */
    unsigned char magic[8];
    *s = (struct order_source){0};
    /* SQLite looks for a log where the file really is. */
    s->path[DATABASE] = realpath(path, NULL);
    if (s->path[DATABASE] == NULL)
        return fail_set(f, STATUS_UNUSABLE, "'%s': %s", path, strerror(errno));
    for (int i = 0; i < SOURCE_FILES; i++) {
        if (i != DATABASE)
            s->path[i] = mem_format("%s%s", s->path[DATABASE], tails[i]);
        look(s->path[i], &s->before[i]);
        if (s->before[i].st_mode != 0 && !S_ISREG(s->before[i].st_mode))
            return fail_set(f, STATUS_UNUSABLE, "'%s' is not a file", s->path[i]);
    }
    if (check_header(s->path[DATABASE], f) != 0)
        return f->status;
    if (s->before[JOURNAL].st_size > 0 &&
        (first_bytes(s->path[JOURNAL], magic, sizeof magic) != (ssize_t)sizeof magic ||
         memcmp(magic, ended, sizeof ended) != 0))
        return fail_set(f, STATUS_UNUSABLE,
                        "'%s' has a rollback journal: a transaction is under way, or was "
                        "interrupted and waits to be rolled back",
                        path);
    return 0;
}

bool order_source_has_log(const struct order_source *s)
{
    return s->before[LOG].st_size > 0;
}

double order_source_space(const struct order_source *s)
{
    /* Closing the copy runs a checkpoint, which may make it longer. */
    return order_source_has_log(s)
               ? (double)s->before[DATABASE].st_size + 2 * (double)s->before[LOG].st_size
               : 0;
}

/* A path as the URI that opens it. */
static char *make_uri(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789/._-";
    static const char hex[] = "0123456789ABCDEF";
    char *escaped = mem_get(3 * strlen(path) + 1), *out = escaped;
    for (const char *p = path; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (strchr(plain, *p) != NULL) {
            *out++ = *p;
        } else {
            *out++ = '%';
            *out++ = hex[c >> 4];
            *out++ = hex[c & 15];
        }
    }
    *out = 0;
    char *uri = mem_format("file:%s?immutable=1", escaped);
    free(escaped);
    return uri;
}

static int open_copy(struct order_source *s, const struct api *api, struct fail *f)
{
    s->copy = scratch_file("copy.db");
    char *log = mem_format("%s%s", s->copy, tails[LOG]);
    if (file_copy(s->path[LOG], log, f) == 0 && file_copy(s->path[DATABASE], s->copy, f) == 0)
        (void)db_open(&s->db, api, s->copy, f);
    free(log);
    return f->status;
}

static int open_itself(struct order_source *s, const struct api *api, struct fail *f)
{
    char *uri = make_uri(s->path[DATABASE]);
    s->db.api = api;
    int rc = api->open_v2(uri, &s->db.handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    if (rc == SQLITE_OK)
        rc = api->extended_result_codes(s->db.handle, 1);
    if (rc != SQLITE_OK)
        fail_set(f, STATUS_UNUSABLE, "cannot open '%s': %s", s->path[DATABASE],
                 s->db.handle ? api->errmsg(s->db.handle) : api->errstr(rc));
    free(uri);
    return f->status;
}

int order_source_open(struct order_source *s, const struct api *api, struct fail *f)
{
    if ((order_source_has_log(s) ? open_copy(s, api, f) : open_itself(s, api, f)) != 0)
        return f->status;
    /* The schema is not ours: nothing in it may run. */
    return db_exec(&s->db, f, "PRAGMA trusted_schema=OFF");
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_mode == b->st_mode && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int order_source_close(struct order_source *s, struct fail *f)
{
    struct fail closing = {0};
    struct stat now;
    if (s->db.handle != NULL)
        (void)db_close(&s->db, &closing);
    for (int i = 0; i < SOURCE_FILES; i++) {
        look(s->path[i], &now);
        if (same(&now, &s->before[i]))
            continue;
        /* This explains whatever else was found to be wrong. */
        if (f->status == 0 || f->status == STATUS_MISMATCH)
            *f = (struct fail){0};
        return fail_set(f, STATUS_MISMATCH, "was written to while it was looked at");
    }
    if (f->status == 0 && closing.status != 0)
        *f = closing;
    return f->status;
}

void order_source_free(struct order_source *s)
{
    for (int i = 0; i < SOURCE_FILES; i++)
        free(s->path[i]);
    free(s->copy);
    *s = (struct order_source){0};
}
