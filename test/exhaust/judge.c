/*
** judge.c: recovers copies, and remembers the outcome.
**
** Many sequences end with the same files. Once the checksums have been followed
** (image.c), what is recovered from files depends on what is committed in them
** alone, so that equal ones are recovered once.
*/
#include "judge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

enum { ROOM_MOST = 1 << 21 };

struct judge_entry {
    struct hash_value hash;
    struct judgement judgement;
    bool used;
};

void judge_init(struct judge *j, const struct entry *stock, struct memory *memory)
{
    memset(j, 0, sizeof *j);
    j->stock = stock;
    j->memory = memory;
    j->room = 1024;
    j->entries = mem_get(j->room * sizeof j->entries[0]);
}

void judge_free(struct judge *j)
{
    free(j->entries);
    memset(j, 0, sizeof *j);
}

/* Where it is, or where it belongs. */
static struct judge_entry *find(const struct judge *j, struct hash_value hash)
{
    size_t i = (size_t)hash.high & (j->room - 1);
    while (j->entries[i].used &&
           (j->entries[i].hash.high != hash.high || j->entries[i].hash.low != hash.low))
        i = (i + 1) & (j->room - 1);
    return &j->entries[i];
}

static void make_room(struct judge *j)
{
    struct judge_entry *old = j->entries;
    size_t old_room = j->room;
    if (j->count < j->room / 2)
        return;
    if (j->room >= ROOM_MOST) { /* begin anew rather than take ever more memory */
        memset(j->entries, 0, j->room * sizeof j->entries[0]);
        j->count = 0;
        return;
    }
    j->room *= 2;
    j->entries = mem_get(j->room * sizeof j->entries[0]);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].used)
            *find(j, old[i].hash) = old[i];
    free(old);
}

static bool sound(const struct api *api, sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    bool good = false;
    if (api->prepare_v2(db, "PRAGMA integrity_check(1)", -1, &stmt, NULL) == SQLITE_OK &&
        api->step(stmt) == SQLITE_ROW) {
        const char *text = (const char *)api->column_text(stmt, 0);
        good = text != NULL && strcmp(text, "ok") == 0;
    }
    return api->finalize(stmt) == SQLITE_OK && good;
}

static bool put_copy(const struct judge *j, const struct image *image)
{
    if (j->memory != NULL) {
        memory_put(j->memory, "copy.db", image->db, image->db_size);
        memory_put(j->memory, "copy.db-wal", image->log, image->log_size);
        return true;
    }
    (void)unlink("copy.db-shm");
    return file_write("copy.db", image->db, image->db_size) &&
           file_write("copy.db-wal", image->log, image->log_size);
}

static struct judgement look(const struct judge *j, const struct image *image)
{
    const struct api *api = &j->stock->api;
    struct judgement v = {{0}, false, true};
    sqlite3 *db = NULL;
    if (!put_copy(j, image)) {
        v.content.rc = SQLITE_IOERR;
        return v;
    }
    v.content.rc =
        api->open_v2("copy.db", &db, SQLITE_OPEN_READWRITE, j->memory ? MEMORY_VFS : NULL);
    if (v.content.rc == SQLITE_OK)
        v.content.rc = j->stock->exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
    if (v.content.rc == SQLITE_OK)
        v.content = content_of(api, db);
    v.sound = v.content.rc == SQLITE_OK && sound(api, db);
    (void)api->close(db);
    return v;
}

struct judgement judge_image(struct judge *j, const struct image *image)
{
    make_room(j);
    struct hash_value hash = image_hash(image);
    struct judge_entry *e = find(j, hash);
    j->asked++;
    if (e->used) {
        e->judgement.first = false;
        return e->judgement;
    }
    *e = (struct judge_entry){hash, look(j, image), true};
    j->count++;
    j->looked++;
    return e->judgement;
}
