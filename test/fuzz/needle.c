/*
** needle.c: searches a file for what should be gone.
*/
#include "needle.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"

/* The length of a whole marker, or 0. */
static size_t marker(const unsigned char *at, size_t room)
{
    size_t n = strlen(NEEDLE);
    if (room < n || memcmp(at, NEEDLE, n) != 0)
        return 0;
    for (const char *end = ":;"; *end; end++) {
        while (n < room && at[n] >= '0' && at[n] <= '9')
            n++;
        if (n >= room || at[n] != (unsigned char)*end)
            return 0;
        n++;
    }
    return n;
}

/* Is there no row that begins with it? */
static int is_stale(const struct api *api, sqlite3_stmt *stmt, const unsigned char *text,
                    size_t size, bool *stale)
{
    int rc = api->bind_text(stmt, 1, (const char *)text, (int)size, SQLITE_STATIC);
    if (rc != SQLITE_OK)
        return rc;
    rc = api->step(stmt);
    *stale = rc == SQLITE_DONE;
    (void)api->reset(stmt); /* repeats the code of the step */
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int needle_search(const struct api *api, sqlite3 *db, const char *path, int64_t *stale)
{
    unsigned char *bytes;
    size_t size;
    sqlite3_stmt *stmt = NULL;
    *stale = 0;
    if (!file_read(path, &bytes, &size))
        return SQLITE_IOERR;
    int rc = api->prepare_v2(db, "SELECT 1 FROM needles WHERE substr(v,1,length(?1))=?1", -1,
                             &stmt, NULL);
    for (size_t i = 0; i < size && rc == SQLITE_OK; i++) {
        const unsigned char *next = memchr(bytes + i, NEEDLE[0], size - i);
        if (next == NULL)
            break;
        i = (size_t)(next - bytes);
        size_t length = marker(next, size - i);
        bool gone = false;
        if (length > 0)
            rc = is_stale(api, stmt, next, length, &gone);
        *stale += gone;
    }
    (void)api->finalize(stmt); /* its error has been seen */
    free(bytes);
    return rc;
}
