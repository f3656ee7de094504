/*
** results.c: result files in a database in memory, and tables out of it.
*/
#include "results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

int results_open(struct results *r, struct fail *f)
{
    *r = (struct results){0};
    api_linked(&r->api);
    int rc = r->api.initialize();
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "cannot initialise SQLite: %s", r->api.errstr(rc));
    if (db_open(&r->db, &r->api, ":memory:", f) != 0)
        return f->status;
    return db_exec(&r->db, f,
                   "CREATE TABLE r(id INTEGER PRIMARY KEY, experiment, command, arm, metric, "
                   "unit, samples, n, sum, mean, median, low, high, p, pragmas, published, "
                   "version, source_id, compile_options, kernel, machine, line)");
}

/* The statistics of one line, in columns 7 to 12 of the statement. */
static int bind_statistics(const struct results *r, sqlite3_stmt *samples, sqlite3_stmt *insert,
                           const char *line, struct fail *f)
{
    const struct api *api = &r->api;
    struct samples s = {NULL, 0};
    int rc = api->bind_text(samples, 1, line, -1, SQLITE_TRANSIENT);
    while (rc == SQLITE_OK && api->step(samples) == SQLITE_ROW)
        samples_add(&s, api->column_double(samples, 0));
    rc = rc == SQLITE_OK ? api->reset(samples) : rc;
    struct estimate e = stats_estimate(&s);
    const double value[] = {(double)s.count, stats_sum(&s), stats_mean(&s),
                            e.median,        e.low,         e.high};
    for (int i = 0; rc == SQLITE_OK && i < (e.known ? 6 : 4); i++)
        rc = api->bind_double(insert, 2 + i, value[i]);
    samples_free(&s);
    if (rc != SQLITE_OK)
        return db_failed(&r->db, "samples", f);
    return 0;
}

static int load_line(const struct results *r, sqlite3_stmt *samples, sqlite3_stmt *insert,
                     const char *line, struct fail *f)
{
    int rc = r->api.clear_bindings(insert);
    if (rc == SQLITE_OK)
        rc = r->api.bind_text(insert, 1, line, -1, SQLITE_TRANSIENT);
    if (rc != SQLITE_OK)
        return db_failed(&r->db, "line", f);
    if (bind_statistics(r, samples, insert, line, f) != 0)
        return f->status;
    return db_run(&r->db, insert, f);
}

int results_load(struct results *r, const char *path, struct fail *f)
{
    static const char insert_sql[] =
        "INSERT INTO r SELECT NULL, j->>'experiment', j->>'command', j->>'arm', j->>'metric', "
        "j->>'unit', j->'samples', ?2, ?3, ?4, ?5, ?6, ?7, j->'parameters', j->'pragmas', "
        "j->>'published', j->>'version', j->>'source_id', j->'compile_options', j->>'kernel', "
        "j->'machine', j FROM (SELECT rtrim(?1, char(10)) AS j)";
    sqlite3_stmt *insert = NULL, *samples = NULL;
    char *line = NULL;
    size_t room = 0;
    long number = 0;
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return fail_set(f, STATUS_UNUSABLE, "cannot read '%s': %s", path, strerror(errno));
    if (db_exec(&r->db, f, "BEGIN") == 0 && db_prepare(&r->db, insert_sql, &insert, f) == 0 &&
        db_prepare(&r->db, "SELECT value FROM json_each(?1,'$.samples')", &samples, f) == 0)
        while (f->status == 0 && getline(&line, &room, in) > 0) {
            struct fail of_line = {0};
            number++;
            if (load_line(r, samples, insert, line, &of_line) != 0)
                fail_set(f, STATUS_UNUSABLE, "'%s', line %ld, is no result of walbench: %s",
                         path, number, of_line.text);
        }
    if (f->status == 0 && (ferror(in) || number == 0))
        fail_set(f, STATUS_UNUSABLE, "'%s' holds no results", path);
    free(line);
    (void)fclose(in); /* was only read */
    (void)r->api.finalize(insert);
    (void)r->api.finalize(samples);
    return db_exec(&r->db, f, "COMMIT");
}

int results_ready(struct results *r, struct fail *f)
{
    sqlite3_stmt *s;
    if (db_prepare(&r->db,
                   "SELECT arm FROM r WHERE arm IS NOT NULL AND arm<>'all' GROUP BY arm "
                   "ORDER BY min(id)",
                   &s, f) != 0)
        return f->status;
    while (r->api.step(s) == SQLITE_ROW && r->arms < RESULTS_ARMS_MOST)
        r->arm[r->arms++] = mem_copy((const char *)r->api.column_text(s, 0));
    (void)r->api.finalize(s);
    for (size_t i = 0; i < r->arms; i++)
        if (strpbrk(r->arm[i], "'\"\\") != NULL)
            return fail_set(f, STATUS_UNUSABLE, "the results have an arm named %s", r->arm[i]);
    return f->status;
}

void results_close(struct results *r)
{
    struct fail ignored = {0}; /* a database in memory that is thrown away */
    for (size_t i = 0; i < r->arms; i++)
        free(r->arm[i]);
    (void)db_close(&r->db, &ignored);
    (void)r->api.shutdown();
}

char *results_text(const struct results *r, const char *sql, struct fail *f)
{
    char *text = NULL;
    sqlite3_stmt *s;
    if (db_prepare(&r->db, sql, &s, f) == 0 && r->api.step(s) == SQLITE_ROW &&
        r->api.column_text(s, 0) != NULL)
        text = mem_copy((const char *)r->api.column_text(s, 0));
    (void)r->api.finalize(s);
    return text ? text : mem_copy("");
}

bool results_have(const struct results *r, const char *command)
{
    struct fail f = {0};
    char *sql = mem_format("SELECT count(*) FROM r WHERE command='%s'", command);
    char *count = results_text(r, sql, &f);
    bool have = f.status == 0 && strcmp(count, "0") != 0;
    free(sql);
    free(count);
    return have;
}

int results_keep(const struct results *r, FILE *out, const char *command, const char *condition,
                 struct fail *f)
{
    char *sql = mem_format(
        "SELECT iif(row_number() OVER (PARTITION BY arm ORDER BY id)=1, line, "
        "json_remove(line, iif(row_number() OVER (PARTITION BY arm, p ORDER BY id)=1, '$.none', "
        "'$.pragmas'), '$.compile_options', '$.version', '$.source_id', '$.kernel', "
        "'$.machine')) FROM r WHERE "
        "command='%s' AND (%s OR unit='bound holds') ORDER BY id",
        command, condition);
    sqlite3_stmt *s;
    int rc = SQLITE_DONE;
    if (f->status == 0 && db_prepare(&r->db, sql, &s, f) == 0) {
        while ((rc = r->api.step(s)) == SQLITE_ROW)
            fprintf(out, "%s\n", (const char *)r->api.column_text(s, 0));
        if (rc != SQLITE_DONE)
            db_failed(&r->db, sql, f);
        (void)r->api.finalize(s);
    }
    free(sql);
    return f->status;
}

int results_lines(const struct results *r, FILE *out, const char *sql, struct fail *f)
{
    const struct api *api = &r->api;
    sqlite3_stmt *s;
    int rc;
    if (f->status != 0 || db_prepare(&r->db, sql, &s, f) != 0)
        return f->status;
    while ((rc = api->step(s)) == SQLITE_ROW) {
        for (int i = 0; i < api->column_count(s); i++) {
            if (api->column_type(s, i) == SQLITE_TEXT)
                fprintf(out, "\"%s\" ", (const char *)api->column_text(s, i));
            else if (api->column_type(s, i) == SQLITE_NULL)
                fputs("? ", out);
            else
                fprintf(out, "%.9g ", api->column_double(s, i));
        }
        fputc('\n', out);
    }
    if (rc != SQLITE_DONE)
        db_failed(&r->db, sql, f);
    (void)api->finalize(s);
    return f->status;
}

int results_table(const struct results *r, struct document *d, const char *sql, struct fail *f)
{
    const struct api *api = &r->api;
    char **cells = NULL;
    size_t count = 0, columns;
    sqlite3_stmt *s;
    int rc;
    if (f->status != 0 || db_prepare(&r->db, sql, &s, f) != 0)
        return f->status;
    columns = (size_t)api->column_count(s);
    cells = mem_grow(cells, columns, sizeof cells[0]);
    for (; count < columns; count++)
        cells[count] = mem_copy(api->column_name(s, (int)count));
    while ((rc = api->step(s)) == SQLITE_ROW) {
        cells = mem_grow(cells, count + columns, sizeof cells[0]);
        for (size_t i = 0; i < columns; i++) {
            const char *text = (const char *)api->column_text(s, (int)i);
            cells[count++] = mem_copy(text ? text : "");
        }
    }
    if (rc != SQLITE_DONE)
        db_failed(&r->db, sql, f);
    else if (count > columns)
        document_table(d, cells, columns, count);
    for (size_t i = 0; i < count; i++)
        free(cells[i]);
    free(cells);
    (void)api->finalize(s);
    return f->status;
}
