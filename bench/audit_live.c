/*
** audit_live.c: the read transaction that keeps a log from being begun again while it is
** read. It goes through the SQLite that is linked into this program.
**
** An ordinary reader may have to make the -shm file, to recover the log into it, or to
** move a read mark in it. This one may not: readonly_shm makes SQLite open that file for
** reading alone. It then takes the newest of the marks that are there.
*/
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit_file.h"

/* The byte of the -shm file on which each connection to a database holds a lock. */
enum { LIVE_BYTE = 128 };

/*
** Without another process that has the database open, SQLite would read the log into
** memory of its own, and hold no lock on it at all. This asks, and takes no lock. The
** descriptor is closed before SQLite opens the file, or the lock would be lost.
*/
static int check_in_use(const char *database, struct fail *f)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LIVE_BYTE, .l_len = 1};
    char *path = mem_format("%s-shm", database);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno != ENOENT)
        fail_set(f, STATUS_UNUSABLE, "cannot open '%s': %s", path, strerror(errno));
    else if (fd < 0 || fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        fail_set(f, STATUS_UNUSABLE,
                 "--live: no process shares the log of '%s'; leave the option out", database);
    if (fd >= 0)
        (void)close(fd);
    free(path);
    return f->status;
}

/* file:PATH?mode=ro&readonly_shm=1 */
static char *make_uri(const char *path)
{
    static const char hex[] = "0123456789ABCDEF";
    char *escaped = mem_get(3 * strlen(path) + 1), *to = escaped;
    for (; *path; path++) {
        if (strchr("%?#", *path) == NULL) {
            *to++ = *path;
            continue;
        }
        *to++ = '%';
        *to++ = hex[(unsigned char)*path >> 4];
        *to++ = hex[(unsigned char)*path & 15];
    }
    char *uri = mem_format("file:%s?mode=ro&readonly_shm=1", escaped);
    free(escaped);
    return uri;
}

int audit_live_begin(struct audit_files *files, struct fail *f)
{
    const char *path = files->path[AUDIT_DATABASE];
    struct db *db = &files->reader;
    if (check_in_use(path, f) != 0)
        return f->status;
    api_linked(&files->api);
    db->api = &files->api;
    char *uri = make_uri(path);
    int rc = db->api->open_v2(uri, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    free(uri);
    if (rc == SQLITE_OK) /* the log must stay even if all others leave meanwhile */
        rc = sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (rc == SQLITE_OK)
        rc = db->api->busy_timeout(db->handle, 5000);
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "--live: cannot open '%s': %s", path,
                        db->handle ? db->api->errmsg(db->handle) : db->api->errstr(rc));
    struct fail bad = {0};
    int64_t unused;
    (void)db_exec(db, &bad, "BEGIN");
    if (bad.status == 0)
        (void)db_int(db, "SELECT count(*) FROM sqlite_schema", &unused, &bad);
    if (bad.status != 0)
        return fail_set(f, bad.status, "--live: cannot begin a read transaction on '%s': %s",
                        path, bad.text);
    return 0;
}
