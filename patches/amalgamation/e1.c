/*
** e1.c: one big DELETE in WAL mode, for patches/apply-amalgamation. To be
** compiled with -include sqlite3.c, so that it needs nothing but that file.
**
**   e1 DATABASE
**
** DATABASE must not exist. Prints the number of frames that the DELETE of the
** oldest 10,000 of 200,000 rows leaves in the log, and a checksum of the rows
** that are left. Exit status: 0 done, 1 an error, which is told.
*/
#include <stdio.h>

static int failed(sqlite3 *db, const char *what)
{
    fprintf(stderr, "e1: %s: %s\n", what, sqlite3_errmsg(db));
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const make =
        "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA secure_delete=OFF;"
        "PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE t(id INTEGER PRIMARY KEY, v);"
        "WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<200000)"
        "  INSERT INTO t SELECT i, printf('%0200d', i) FROM s;"
        "PRAGMA wal_checkpoint=TRUNCATE;"
        "DELETE FROM t WHERE id<=10000;";
    sqlite3 *db = 0;
    sqlite3_stmt *stmt = 0;
    int frames = 0, copied = 0, rc;
    unsigned long long sum = 1469598103934665603u;

    if (argc != 2) {
        fprintf(stderr, "usage: e1 DATABASE\n");
        return 1;
    }
    if (sqlite3_open(argv[1], &db) != SQLITE_OK)
        return failed(db, "open");
    if (sqlite3_exec(db, make, 0, 0, 0) != SQLITE_OK)
        return failed(db, "DELETE");
    if (sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_FULL, &frames, &copied) !=
        SQLITE_OK) {
        return failed(db, "checkpoint");
    }
    if (sqlite3_prepare_v2(db,
                           "SELECT id||v FROM t UNION ALL "
                           "SELECT integrity_check FROM pragma_integrity_check",
                           -1, &stmt, 0) != SQLITE_OK) {
        return failed(db, "SELECT");
    }
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const unsigned char *z = sqlite3_column_text(stmt, 0);
        for (; z && *z; z++)
            sum = (sum ^ *z) * 1099511628211u;
    }
    if (rc != SQLITE_DONE || sqlite3_finalize(stmt) != SQLITE_OK) {
        return failed(db, "SELECT");
    }
    if (sqlite3_close(db) != SQLITE_OK)
        return failed(db, "close");
    printf("%d %016llx\n", frames, sum);
    return 0;
}
