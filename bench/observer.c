/*
** observer.c: builds and examines databases.
*/
#include "observer.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "signals.h"

/* Called by SQLite every so often: nonzero ends the statement. */
static int stop_when_signalled(void *unused)
{
    (void)unused;
    return signals_caught();
}

int observer_open(struct observer *o, const char *temp_directory, struct fail *f)
{
    api_linked(&o->api);
    int rc = o->api.initialize();
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "cannot initialise SQLite: %s", o->api.errstr(rc));
    /* No temporary file may lie outside the scratch directory. Arms are told by proc.c. */
    if (setenv("SQLITE_TMPDIR", temp_directory, 1) != 0)
        return fail_set(f, STATUS_UNUSABLE, "cannot set SQLITE_TMPDIR");
    return 0;
}

void observer_close(struct observer *o)
{
    (void)o->api.shutdown();
}

int observer_connect(struct db *db, const struct observer *o, const char *path, struct fail *f)
{
    if (db_open(db, &o->api, path, f) == 0)
        o->api.progress_handler(db->handle, 10000, stop_when_signalled, NULL);
    return f->status;
}

/* The message of an interrupted statement is of no interest. */
int observer_disconnect(struct db *db, struct fail *f)
{
    struct fail closing = {0};
    int status = db_close(db, &closing);
    if (signals_caught()) {
        f->status = 0;
        return signals_check(f);
    }
    if (f->status == 0 && status != 0)
        *f = closing;
    return f->status;
}

static int insert_rows(const struct db *db, const struct build *build, struct fail *f)
{
    sqlite3_stmt *insert;
    struct row *row = mem_get(sizeof *row);
    const struct api *api = db->api;
    (void)db_prepare(db,
                     build->with_key ? "INSERT INTO log(id, key, payload) VALUES(?1, ?2, ?3)"
                                     : "INSERT INTO log(id, payload) VALUES(?1, ?3)",
                     &insert, f);
    for (int64_t id = 1; f->status == 0 && id <= build->rows; id++) {
        row_make(&build->shape, id, row);
        if (api->bind_int64(insert, 1, row->id) != SQLITE_OK ||
            (build->with_key && api->bind_int64(insert, 2, row->key) != SQLITE_OK) ||
            api->bind_blob(insert, 3, row->payload, (int)row->size, SQLITE_STATIC) != SQLITE_OK)
            db_failed(db, "binding a row", f);
        else
            (void)db_run(db, insert, f);
        (void)signals_check(f);
    }
    (void)api->finalize(insert);
    free(row);
    return f->status;
}

static int begin_build(const struct db *db, int64_t page_size, const char *auto_vacuum,
                       struct fail *f)
{
    (void)db_exec(db, f, "PRAGMA page_size=%d", (int)page_size);
    (void)db_exec(db, f, "PRAGMA auto_vacuum=%s", auto_vacuum);
    (void)db_exec(db, f, "PRAGMA journal_mode=OFF");
    (void)db_exec(db, f, "PRAGMA synchronous=OFF");
    (void)db_exec(db, f, "PRAGMA cache_size=-65536");
    return db_exec(db, f, "BEGIN");
}

int observer_build_workload(const struct observer *o, const char *path,
                            const struct workload *w, int64_t rows, int64_t seed,
                            struct fail *f)
{
    struct db db;
    struct workload_player player = {.db = &db, .rows = rows, .random = (uint64_t)seed};
    if (observer_connect(&db, o, path, f) != 0)
        return f->status;
    (void)begin_build(&db, w->page_size ? w->page_size : 4096,
                      w->auto_vacuum ? w->auto_vacuum : "none", f);
    if (f->status == 0)
        (void)workload_play(&player, w->build, f);
    (void)db_exec(&db, f, "COMMIT");
    return observer_disconnect(&db, f);
}

int observer_build(const struct observer *o, const char *path, const struct build *build,
                   struct fail *f)
{
    struct db db;
    if (observer_connect(&db, o, path, f) != 0)
        return f->status;
    (void)db_exec(&db, f, "PRAGMA secure_delete=%s", build->secure ? "on" : "off");
    (void)begin_build(&db, build->page_size, build->auto_vacuum, f);
    (void)db_exec(&db, f, "%s", build->with_key ? ROWS_LOG_SQL : ROWS_PLAIN_SQL);
    /* The index grows with the rows, as it would have in real use. */
    if (build->with_index)
        (void)db_exec(&db, f, "%s", ROWS_LOG_INDEX_SQL);
    if (f->status == 0)
        (void)insert_rows(&db, build, f);
    (void)db_exec(&db, f, "COMMIT");
    return observer_disconnect(&db, f);
}

static void hash_column(const struct api *api, sqlite3_stmt *s, int column, struct hash *h)
{
    switch (api->column_type(s, column)) {
    case SQLITE_INTEGER:
        hash_int(h, api->column_int64(s, column));
        break;
    case SQLITE_FLOAT:
        hash_real(h, api->column_double(s, column));
        break;
    case SQLITE_TEXT:
        hash_text(h, api->column_text(s, column), (size_t)api->column_bytes(s, column));
        break;
    case SQLITE_BLOB: {
        const void *blob = api->column_blob(s, column);
        hash_blob(h, blob ? blob : "", (size_t)api->column_bytes(s, column));
        break;
    }
    default:
        hash_null(h);
    }
}

static int hash_query(const struct db *db, const char *sql, struct hash *h, struct fail *f)
{
    sqlite3_stmt *s;
    int rc = SQLITE_DONE;
    if (db_prepare(db, sql, &s, f) != 0)
        return f->status;
    while ((rc = db->api->step(s)) == SQLITE_ROW) {
        for (int i = 0; i < db->api->column_count(s); i++)
            hash_column(db->api, s, i, h);
        hash_row_end(h);
    }
    if (rc != SQLITE_DONE)
        db_failed(db, sql, f);
    (void)db->api->finalize(s);
    return f->status;
}

/*
** Schema first, then each table by name. A scan in key order with the index
** switched off ("NOT INDEXED") reads the table itself; integrity_check compares
** the index with it.
*/
static int hash_content(const struct db *db, struct hash_value *value, struct fail *f)
{
    struct hash h;
    sqlite3_stmt *tables;
    int rc = SQLITE_DONE;
    hash_begin(&h);
    if (hash_query(db,
                   "SELECT type, name, tbl_name, sql FROM sqlite_schema "
                   "ORDER BY type, name",
                   &h, f) != 0)
        return f->status;
    if (db_prepare(db,
                   "SELECT name, replace(name, '\"', '\"\"') FROM sqlite_schema "
                   "WHERE type='table' AND rootpage>0 ORDER BY name",
                   &tables, f) != 0)
        return f->status;
    while (f->status == 0 && (rc = db->api->step(tables)) == SQLITE_ROW) {
        const char *name = (const char *)db->api->column_text(tables, 0);
        hash_text(&h, name, strlen(name));
        char *sql = mem_format("SELECT * FROM \"%s\" NOT INDEXED ORDER BY 1",
                               (const char *)db->api->column_text(tables, 1));
        (void)hash_query(db, sql, &h, f);
        free(sql);
    }
    if (f->status == 0 && rc != SQLITE_DONE)
        db_failed(db, "list of tables", f);
    (void)db->api->finalize(tables);
    *value = hash_end(&h);
    return f->status;
}

int observer_examine(const struct observer *o, const char *path, struct observation *out,
                     struct fail *f)
{
    struct db db;
    *out = (struct observation){0};
    if (observer_connect(&db, o, path, f) != 0)
        return f->status;
    (void)db_exec(&db, f, "PRAGMA cache_size=-65536");
    if (f->status == 0)
        (void)db_text(&db, "PRAGMA integrity_check(1)", &out->integrity, f);
    if (f->status == 0)
        (void)db_int(&db, "PRAGMA page_size", &out->page_size, f);
    if (f->status == 0)
        (void)db_int(&db, "PRAGMA page_count", &out->page_count, f);
    if (f->status == 0)
        (void)db_int(&db, "PRAGMA freelist_count", &out->free_count, f);
    if (f->status == 0)
        (void)hash_content(&db, &out->content, f);
    /* In a broken database there is no order, and the complaint above tells more. */
    bool sound = f->status == 0 && strcmp(out->integrity, "ok") == 0;
    if (sound && page_order_read(&db, "log", &out->table, NULL, f) == 0)
        (void)page_order_read(&db, "log_key", &out->index, NULL, f);
    if (observer_disconnect(&db, f) != 0)
        observation_free(out);
    return f->status;
}

void observation_free(struct observation *o)
{
    free(o->integrity);
    *o = (struct observation){0};
}
