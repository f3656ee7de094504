/*
** files.c: tests of what walbench counts and sees, on real databases: the
** counting VFS against the sizes of files, needed pages against sqlite_dbpage and
** dbstat, content hash and page order against databases made wrong on purpose.
**
** usage: files SCRATCH-DIRECTORY
*/
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db.h"
#include "observer.h"
#include "rows.h"
#include "scratch.h"
#include "shim.h"
#include "snapshot.h"
#include "tap.h"

struct test {
    struct tap tap;
    struct observer observer;
    const struct api *api;
    char *path, *log, *journal;
};

static void check(struct test *t, struct fail *f, bool ok, const char *name)
{
    if (f->status != 0)
        printf("# %s\n", f->text);
    tap_ok(&t->tap, ok && f->status == 0, name);
    *f = (struct fail){0};
}

static void make(struct test *t, int64_t rows, const char *auto_vacuum, bool index,
                 struct fail *f)
{
    struct build build = {.shape = {1, 150, 250},
                          .rows = rows,
                          .page_size = 1024,
                          .auto_vacuum = auto_vacuum,
                          .with_key = true,
                          .with_index = index};
    scratch_remove_database(t->path);
    (void)observer_build(&t->observer, t->path, &build, f);
}

static void test_wal_counts(struct test *t)
{
    struct fail f = {0};
    struct shim shim;
    struct db db;
    uint64_t frames = 0, bytes = 0;
    make(t, 2000, "none", false, &f);
    (void)shim_install(&shim, t->api, &f);
    shim.page_size = 1024;
    (void)db_open(&db, t->api, t->path, &f);
    (void)db_exec(&db, &f, "PRAGMA journal_mode=WAL");
    (void)db_exec(&db, &f, "PRAGMA wal_autocheckpoint=0");
    (void)db_exec(&db, &f, "PRAGMA cache_size=10");
    shim.phase = SHIM_COMMIT;
    (void)db_exec(&db, &f, "UPDATE log SET key=key+1 WHERE id%%7=0");
    const struct shim_count *wal = &shim.count[SHIM_COMMIT][SHIM_WAL];
    bool known = shim_log(&shim, &frames, &bytes);
    check(t, &f,
          known && (int64_t)bytes == file_size(t->log) && frames == wal->pages &&
              bytes == 32 + frames * (1024 + 24),
          "shim: size of a new log");
    /* Writes a page of the log again in one transaction that does not fit the cache. */
    uint64_t appended = wal->pages;
    (void)db_exec(&db, &f, "BEGIN");
    (void)db_exec(&db, &f, "UPDATE log SET key=key+1");
    (void)db_exec(&db, &f, "UPDATE log SET key=key+1");
    (void)db_exec(&db, &f, "COMMIT");
    known = shim_log(&shim, &frames, &bytes);
    check(t, &f, known && (int64_t)bytes == file_size(t->log), "shim: size of a longer log");
    check(t, &f, wal->rewritten > 100 && wal->pages - appended < wal->rewritten * 2,
          "shim: frames written over are told from frames appended");
    uint64_t in_log = frames;
    int said = 0, copied = 0;
    shim.phase = SHIM_CHECKPOINT;
    bool done = t->api->wal_checkpoint_v2(db.handle, NULL, SQLITE_CHECKPOINT_PASSIVE, &said,
                                          &copied) == SQLITE_OK;
    check(t, &f, done && said == (int)in_log && copied == said,
          "shim: the checkpoint agrees on the frames");
    const struct shim_count *copy = &shim.count[SHIM_CHECKPOINT][SHIM_DATABASE];
    check(t, &f,
          copy->bytes == copy->pages * 1024 && copy->pages > 0 && copy->pages < (uint64_t)said,
          "shim: the checkpoint writes a page once however many frames it has");
    shim.phase = SHIM_COMMIT;
    (void)db_exec(&db, &f, "DELETE FROM log WHERE id=1");
    known = shim_log(&shim, &frames, &bytes);
    check(t, &f, known && frames > 0 && frames < 10 && file_size(t->log) > (int64_t)bytes,
          "shim: a log begun again is counted from its start");
    shim.phase = SHIM_OUTSIDE;
    (void)db_close(&db, &f);
    shim_remove(&shim);
}

static void test_journal_counts(struct test *t)
{
    struct fail f = {0};
    struct shim shim;
    struct db db;
    int64_t changes = 0;
    make(t, 2000, "none", false, &f);
    (void)shim_install(&shim, t->api, &f);
    shim.page_size = 1024;
    (void)db_open(&db, t->api, t->path, &f);
    (void)db_exec(&db, &f, "PRAGMA journal_mode=PERSIST");
    (void)db_exec(&db, &f, "PRAGMA synchronous=NORMAL");
    shim.phase = SHIM_COMMIT;
    (void)db_exec(&db, &f, "UPDATE log SET key=key+1 WHERE id<100");
    (void)db_int(&db, "SELECT changes()", &changes, &f);
    const struct shim_count *journal = &shim.count[SHIM_COMMIT][SHIM_JOURNAL];
    const struct shim_count *database = &shim.count[SHIM_COMMIT][SHIM_DATABASE];
    /* The journal: a header of one sector of 512 bytes, then 4 + page + 4 for each. */
    check(t, &f,
          changes == 99 && journal->pages > 10 &&
              file_size(t->journal) == 512 + (int64_t)journal->pages * (1024 + 8),
          "shim: pages in the rollback journal");
    check(t, &f, database->pages == journal->pages && database->bytes == database->pages * 1024,
          "shim: pages written to the database");
    check(t, &f, journal->syncs >= 1 && database->syncs == 1, "shim: syncs");
    shim.phase = SHIM_OUTSIDE;
    (void)db_exec(&db, &f, "PRAGMA cache_size=5");
    (void)db_exec(&db, &f, "BEGIN");
    (void)db_exec(&db, &f, "UPDATE log SET key=key+1");
    (void)db_exec(&db, &f, "SAVEPOINT s");
    shim.phase = SHIM_COMMIT;
    (void)db_exec(&db, &f, "UPDATE log SET key=key+1");
    check(t, &f, shim.count[SHIM_COMMIT][SHIM_SUBJOURNAL].pages > 100,
          "shim: pages in the sub-journal");
    shim.phase = SHIM_OUTSIDE;
    (void)db_exec(&db, &f, "COMMIT");
    (void)db_close(&db, &f);
    shim_remove(&shim);
}

/* The pages that the file's own SQLite says are in use, and their bytes. */
struct pages {
    int64_t count;
    unsigned char *data; /* 1024 bytes each */
    bool *used;          /* on a b-tree, page 1, or the one trunk */
};

static void read_pages(struct test *t, struct pages *p, struct fail *f)
{
    struct db db;
    sqlite3_stmt *s;
    const struct api *api = t->api;
    *p = (struct pages){0};
    if (db_open(&db, api, t->path, f) != 0 ||
        db_int(&db, "PRAGMA page_count", &p->count, f) != 0)
        return;
    p->data = mem_get((size_t)p->count * 1024);
    p->used = mem_get((size_t)p->count * sizeof p->used[0]);
    if (db_prepare(&db, "SELECT pgno, data FROM sqlite_dbpage", &s, f) == 0)
        while (api->step(s) == SQLITE_ROW)
            memcpy(p->data + (size_t)(api->column_int64(s, 0) - 1) * 1024,
                   api->column_blob(s, 1), 1024);
    (void)api->finalize(s);
    if (db_prepare(&db, "SELECT pageno FROM dbstat", &s, f) == 0)
        while (api->step(s) == SQLITE_ROW)
            p->used[api->column_int64(s, 0) - 1] = true;
    (void)api->finalize(s);
    (void)db_close(&db, f);
    uint32_t trunk = (uint32_t)p->data[32] << 24 | (uint32_t)p->data[33] << 16 |
                     (uint32_t)p->data[34] << 8 | p->data[35];
    /* Every trunk: the lists of this test are read here once more, by other code. */
    while (trunk != 0 && trunk <= p->count && !p->used[trunk - 1]) {
        const unsigned char *bytes = p->data + (size_t)(trunk - 1) * 1024;
        p->used[trunk - 1] = true;
        trunk = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
                bytes[3];
    }
}

static int64_t needed_between(const struct pages *a, const struct pages *b)
{
    int64_t needed = 0;
    for (int64_t i = 0; i < b->count; i++)
        needed += b->used[i] &&
                  (i >= a->count || memcmp(a->data + i * 1024, b->data + i * 1024, 1024) != 0);
    return needed;
}

static void free_pages(struct pages *p)
{
    free(p->data);
    free(p->used);
}

/* Each statement is one transaction; after it both ways of counting must agree. */
static void test_needed(struct test *t)
{
    static const char *const work[] = {
        "DELETE FROM log WHERE id<=1500",
        "UPDATE log SET payload=zeroblob(5000) WHERE id%50=0",
        "INSERT INTO log SELECT id+10000, key, zeroblob(300) FROM log",
        "DELETE FROM log WHERE id%3=0",
        "CREATE TABLE more AS SELECT * FROM log LIMIT 50",
        "DELETE FROM log",
    };
    struct fail f = {0};
    bool trunks = false;
    int64_t freed = 0;
    make(t, 4000, "none", true, &f);
    for (size_t i = 0; i < sizeof work / sizeof work[0]; i++) {
        struct snapshot before = {0}, after = {0};
        struct pages a = {0}, b = {0};
        struct db db;
        char name[120];
        int file = open(t->path, O_RDONLY | O_CLOEXEC);
        read_pages(t, &a, &f);
        (void)snapshot_take(&before, file, &f);
        (void)db_open(&db, t->api, t->path, &f);
        (void)db_exec(&db, &f, "PRAGMA journal_mode=DELETE");
        (void)db_exec(&db, &f, "%s", work[i]);
        (void)db_close(&db, &f);
        (void)snapshot_take(&after, file, &f);
        read_pages(t, &b, &f);
        (void)close(file);
        int64_t want = f.status == 0 ? needed_between(&a, &b) : -1;
        struct snapshot_change change = {0};
        if (f.status == 0)
            change = snapshot_compare(&before, &after);
        freed += change.freed;
        trunks = trunks || after.free_count > 1024 / 4;
        (void)snprintf(name, sizeof name, "needed pages: %" PRId64 " after %s", want, work[i]);
        check(t, &f, want > 0 && (int64_t)change.needed == want, name);
        snapshot_free(&before);
        snapshot_free(&after);
        free_pages(&a);
        free_pages(&b);
    }
    check(t, &f, trunks && freed > 300, "needed pages: the list had more than one trunk");
}

static bool same_snapshot(const struct snapshot *a, const struct snapshot *b)
{
    return a->page_count == b->page_count && a->free_count == b->free_count &&
           memcmp(a->hash, b->hash, a->page_count * sizeof a->hash[0]) == 0 &&
           memcmp(a->kind, b->kind, a->page_count + 1) == 0;
}

/* Is what database and log say together what the database says after a checkpoint? */
static bool log_is_right(struct test *t, const struct db *db, int file, struct fail *f)
{
    struct log_map map;
    struct snapshot with = {0}, after = {0};
    int frames = -1, copied = -1;
    bool same = false;
    int log = open(t->log, O_RDONLY | O_CLOEXEC);
    if (log_map_read(&map, log, -1, f) == 0) {
        if (snapshot_take_logged(&with, file, &map, f) == 0 &&
            t->api->wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, &frames,
                                      &copied) == SQLITE_OK &&
            snapshot_take(&after, file, f) == 0)
            same =
                frames == (int)map.frames && copied == frames && same_snapshot(&with, &after);
        snapshot_free(&with);
        snapshot_free(&after);
        log_map_free(&map);
    }
    (void)close(log);
    return same;
}

static void test_log_map(struct test *t)
{
    static const char *const work[] = {
        "DELETE FROM log WHERE id<=1500",
        "INSERT INTO log SELECT id+10000, key, zeroblob(300) FROM log",
        "BEGIN",
        "UPDATE log SET key=key+1",
        "ROLLBACK", /* leaves frames that do not count */
        "UPDATE log SET key=key+1 WHERE id%7=0",
        "DELETE FROM log WHERE id>10000",
        "PRAGMA incremental_vacuum", /* the database gets smaller */
    };
    enum { WORK = sizeof work / sizeof work[0] };
    struct fail f = {0};
    struct db db;
    struct log_map map;
    make(t, 4000, "incremental", true, &f);
    int file = open(t->path, O_RDONLY | O_CLOEXEC);
    (void)db_open(&db, t->api, t->path, &f);
    (void)db_exec(&db, &f, "PRAGMA journal_mode=WAL");
    (void)db_exec(&db, &f, "PRAGMA wal_autocheckpoint=0");
    (void)db_exec(&db, &f, "PRAGMA cache_size=10");
    bool each = true;
    for (size_t i = 0; f.status == 0 && i < WORK; i++)
        if (db_exec(&db, &f, "%s", work[i]) == 0 && i != 2 && i != 3 && i != 4)
            each = log_is_right(t, &db, file, &f) && each;
    check(t, &f, each, "log: with the database, it is what each checkpoint makes of it");
    for (size_t i = 0; f.status == 0 && i < WORK; i++)
        (void)db_exec(&db, &f, "%s", work[i]);
    bool all = log_is_right(t, &db, file, &f);
    check(t, &f, all, "log: of many transactions, and one that was rolled back");
    (void)db_close(&db, &f);
    bool refused = log_map_read(&map, file, -1, &f) == STATUS_MISMATCH;
    f = (struct fail){0};
    check(t, &f, refused, "log: a database is not taken for a log");
    (void)close(file);
}

static void test_truncated(struct test *t)
{
    struct fail f = {0};
    struct snapshot s;
    make(t, 500, "none", false, &f);
    int64_t size = file_size(t->path);
    bool cut = truncate(t->path, (off_t)(size - 1024)) == 0;
    int file = open(t->path, O_RDONLY | O_CLOEXEC);
    bool refused = snapshot_take(&s, file, &f) == STATUS_MISMATCH;
    f = (struct fail){0};
    check(t, &f, cut && refused, "snapshot: a file that lost its last page is refused");
    cut = truncate(t->path, 50) == 0;
    refused = snapshot_take(&s, file, &f) == STATUS_MISMATCH;
    f = (struct fail){0};
    check(t, &f, cut && refused, "snapshot: a file without a whole header is refused");
    (void)close(file);
}

static void examine_after(struct test *t, const char *sql, struct observation *seen,
                          struct fail *f)
{
    struct db db;
    *seen = (struct observation){0};
    if (sql != NULL) {
        (void)db_open(&db, t->api, t->path, f);
        (void)db_exec(&db, f, "%s", sql);
        (void)db_close(&db, f);
    }
    if (f->status == 0)
        (void)observer_examine(&t->observer, t->path, seen, f);
}

static void test_content(struct test *t)
{
    static const char *const wrong[] = {
        "UPDATE log SET key=key+1 WHERE id=77",
        "DELETE FROM log WHERE id=300",
        "UPDATE log SET payload=CAST(payload AS TEXT) WHERE id=5",
        "INSERT INTO log(id) VALUES(301)",
        "CREATE TABLE other(x)",
        "DROP INDEX log_key",
    };
    struct fail f = {0};
    struct observation seen;
    const struct row_shape shape = {1, 150, 250};
    struct hash_value want = rows_hash(&shape, 1, 300, 1, 1);
    make(t, 300, "full", true, &f);
    examine_after(t, NULL, &seen, &f);
    bool ok = f.status == 0 && strcmp(seen.integrity, "ok") == 0 &&
              seen.content.high == want.high && seen.content.low == want.low;
    check(t, &f, ok, "content: the hash is that of the rows that were made");
    observation_free(&seen);
    examine_after(t, "VACUUM", &seen, &f);
    ok = f.status == 0 && seen.content.high == want.high && seen.content.low == want.low;
    check(t, &f, ok, "content: a VACUUM does not change it");
    observation_free(&seen);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char name[120];
        make(t, 300, "none", true, &f);
        examine_after(t, wrong[i], &seen, &f);
        ok = f.status == 0 && (seen.content.high != want.high || seen.content.low != want.low);
        (void)snprintf(name, sizeof name, "content: seen: %s", wrong[i]);
        check(t, &f, ok, name);
        observation_free(&seen);
    }
}

static void test_integrity(struct test *t)
{
    struct fail f = {0};
    struct observation seen;
    make(t, 3000, "none", true, &f);
    examine_after(t, "DELETE FROM log WHERE id<1000", &seen, &f);
    check(t, &f, f.status == 0 && seen.free_count > 0 && strcmp(seen.integrity, "ok") == 0,
          "integrity: free pages are counted");
    observation_free(&seen);
    /* A free-list that claims one page more. */
    int file = open(t->path, O_RDWR | O_CLOEXEC);
    unsigned char count[4];
    bool ok = pread(file, count, 4, 36) == 4;
    count[3]++;
    ok = ok && pwrite(file, count, 4, 36) == 4;
    (void)close(file);
    examine_after(t, NULL, &seen, &f);
    ok = ok && (f.status != 0 || strcmp(seen.integrity, "ok") != 0);
    f = (struct fail){0};
    check(t, &f, ok, "integrity: a damaged file is not called ok");
    observation_free(&seen);
}

static void test_order(struct test *t)
{
    struct fail f = {0};
    struct observation seen;
    make(t, 3000, "none", true, &f);
    examine_after(t, "VACUUM", &seen, &f);
    check(t, &f,
          seen.table.leaves > 500 && seen.table.next_share > 0.98 &&
              seen.index.next_share > 0.9 && seen.table.mean_run > 50,
          "order: after VACUUM leaves follow each other");
    observation_free(&seen);
    make(t, 3000, "none", true, &f);
    examine_after(t, NULL, &seen, &f);
    check(t, &f,
          seen.index.leaves > 30 && seen.index.next_share < 0.2 && seen.index.mean_run < 1.3,
          "order: leaves of an index on random keys do not");
    observation_free(&seen);
}

int main(int argc, char **argv)
{
    struct test t = {0};
    struct fail f = {0};
    if (argc != 2 || scratch_open(argv[1], 64e6, &f) != 0 ||
        observer_open(&t.observer, scratch_path(), &f) != 0) {
        fprintf(stderr, "files: %s\n", argc == 2 ? f.text : "usage: files SCRATCH-DIRECTORY");
        return 2;
    }
    t.api = &t.observer.api;
    if (t.api->shutdown() != SQLITE_OK ||
        t.api->config(SQLITE_CONFIG_STMTJRNL_SPILL, 0) != SQLITE_OK ||
        t.api->initialize() != SQLITE_OK)
        return 2;
    t.path = scratch_file("test.db");
    t.log = scratch_file("test.db-wal");
    t.journal = scratch_file("test.db-journal");
    test_wal_counts(&t);
    test_journal_counts(&t);
    test_needed(&t);
    test_log_map(&t);
    test_truncated(&t);
    test_content(&t);
    test_integrity(&t);
    test_order(&t);
    free(t.path);
    free(t.log);
    free(t.journal);
    observer_close(&t.observer);
    scratch_close();
    return tap_end(&t.tap);
}
