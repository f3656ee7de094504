/*
** sql_script.c: SQL of the user's, from a file.
*/
#include "sql_script.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "random.h"

static int complain(const struct script *s, size_t offset, const char *what, struct fail *f)
{
    int line = 1;
    for (size_t i = 0; i < offset; i++)
        line += s->text[i] == '\n';
    return fail_set(f, STATUS_UNUSABLE, "%.300s:%d: %.400s", s->path, line, what);
}

int script_read(struct script *s, const char *path, struct fail *f)
{
    size_t size = 0, got;
    *s = (struct script){.path = path};
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return fail_set(f, STATUS_UNUSABLE, "%.300s: %s", path, strerror(errno));
    do {
        s->text = mem_grow(s->text, size + 65536 + 1, 1);
        errno = 0;
        got = fread(s->text + size, 1, 65536, in);
        size += got;
    } while (got > 0);
    if (ferror(in))
        fail_set(f, STATUS_UNUSABLE, "%.300s: %s", path, strerror(errno));
    (void)fclose(in);
    s->text[size] = 0;
    if (f->status == 0 && strlen(s->text) != size)
        complain(s, strlen(s->text), "a byte 0 in the SQL", f);
    return f->status;
}

/* Where the next statement has its first word, past blanks, comments and empty statements. */
static size_t first_word(const char *text, size_t at)
{
    for (;;) {
        const char *end;
        at += strspn(text + at, " \t\r\n\f;");
        if (strncmp(text + at, "--", 2) == 0)
            at += strcspn(text + at, "\n");
        else if (strncmp(text + at, "/*", 2) == 0 &&
                 (end = strstr(text + at + 2, "*/")) != NULL)
            at = (size_t)(end - text) + 2;
        else
            return at;
    }
}

static int fail_at(const struct script *s, const struct db *db, size_t offset, struct fail *f)
{
    return complain(s, offset, db->api->errmsg(db->handle), f);
}

/* False: there is no further statement. */
static bool prepare_next(struct script *s, const struct db *db, struct fail *f)
{
    size_t offset = first_word(s->text, s->prepared_to);
    const char *tail = NULL;
    sqlite3_stmt *stmt = NULL;
    if (s->text[offset] == 0)
        return false;
    int rc = db->api->prepare_v2(db->handle, s->text + offset, -1, &stmt, &tail);
    if (rc != SQLITE_OK) {
        int in = db->api->error_offset != NULL ? db->api->error_offset(db->handle) : -1;
        (void)fail_at(s, db, offset + (in > 0 ? (size_t)in : 0), f);
        return false;
    }
    if (stmt == NULL) /* an unfinished comment */
        return false;
    s->at = mem_grow(s->at, s->count + 1, sizeof s->at[0]);
    s->at[s->count++] = (struct script_statement){stmt, offset};
    s->prepared_to = (size_t)(tail - s->text);
    return true;
}

static void draw_text(struct script_values *v)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    for (int64_t i = 0; i < v->bytes; i++)
        v->text[i] = letters[random_next(&v->random) >> 58];
}

static void draw_blob(struct script_values *v)
{
    for (int64_t i = 0; i < v->bytes; i++)
        v->blob[i] = (char)(random_next(&v->random) >> 56);
}

static int bind_one(const struct api *api, sqlite3_stmt *stmt, int i, const char *name,
                    struct script_values *v)
{
    if (strcmp(name, ":n") == 0)
        return api->bind_int64(stmt, i, v->n);
    if (strcmp(name, ":random") == 0)
        return api->bind_int64(stmt, i, (int64_t)random_next(&v->random));
    if (strcmp(name, ":text") == 0) {
        draw_text(v);
        return api->bind_text(stmt, i, v->text, (int)v->bytes, SQLITE_STATIC);
    }
    if (strcmp(name, ":blob") == 0) {
        draw_blob(v);
        return api->bind_blob(stmt, i, v->blob, (int)v->bytes, SQLITE_STATIC);
    }
    return SQLITE_NOTFOUND;
}

static int bind(const struct script *s, const struct db *db,
                const struct script_statement *statement, struct script_values *v,
                struct fail *f)
{
    int count = db->api->bind_parameter_count(statement->stmt);
    for (int i = 1; i <= count; i++) {
        char what[200];
        const char *name = db->api->bind_parameter_name(statement->stmt, i);
        int rc = name != NULL && v != NULL ? bind_one(db->api, statement->stmt, i, name, v)
                                           : SQLITE_NOTFOUND;
        if (rc == SQLITE_NOTFOUND) {
            (void)snprintf(
                what, sizeof what,
                v != NULL ? "parameter %.60s: there are :n, :random, :text and :blob"
                          : "parameter %.60s: there are none here, only in each transaction",
                name != NULL ? name : "?");
            return complain(s, statement->offset, what, f);
        }
        if (rc != SQLITE_OK)
            return fail_at(s, db, statement->offset, f);
    }
    return 0;
}

int script_run(struct script *s, const struct db *db, struct script_values *values,
               struct fail *f)
{
    for (size_t i = 0; i < s->count || prepare_next(s, db, f); i++) {
        const struct script_statement *statement = &s->at[i];
        int rc;
        if (bind(s, db, statement, values, f) != 0)
            break;
        do {
            rc = db->api->step(statement->stmt);
        } while (rc == SQLITE_ROW);
        if (rc != SQLITE_DONE)
            (void)fail_at(s, db, statement->offset, f);
        (void)db->api->reset(statement->stmt); /* repeats the error that step() reported */
        if (f->status != 0)
            break;
    }
    return f->status;
}

void script_release(struct script *s, const struct db *db)
{
    for (size_t i = 0; i < s->count; i++)
        (void)db->api->finalize(s->at[i].stmt);
    free(s->at);
    s->at = NULL;
    s->count = s->prepared_to = 0;
}

void script_free(struct script *s)
{
    free(s->text);
    s->text = NULL;
}

static bool is_begin(const char *word)
{
    return strncasecmp(word, "begin", 5) == 0 && !isalnum((unsigned char)word[5]) &&
           word[5] != '_';
}

bool script_is_empty(const struct script *s)
{
    return s->text[first_word(s->text, 0)] == 0;
}

bool script_begins(const struct script *s, const struct api *api)
{
    size_t start = first_word(s->text, 0);
    while (s->text[start] != 0) {
        if (is_begin(s->text + start))
            return true;
        /* The statement ends with the first semicolon at which SQLite finds it complete. */
        size_t end = start;
        bool complete = false;
        while (!complete && s->text[end] != 0) {
            end += strcspn(s->text + end, ";");
            end += s->text[end] == ';';
            char *part = mem_get(end - start + 1);
            memcpy(part, s->text + start, end - start);
            complete = api->complete(part) == 1;
            free(part);
        }
        start = first_word(s->text, end);
    }
    return false;
}

struct hash_value script_hash(const struct script *s)
{
    struct hash h;
    hash_begin(&h);
    hash_bytes(&h, s->text, strlen(s->text));
    return hash_end(&h);
}

void script_values_init(struct script_values *v, int64_t seed, int64_t bytes)
{
    *v = (struct script_values){.random = ~(uint64_t)seed, .bytes = bytes};
    v->text = mem_get((size_t)bytes + 1);
    v->blob = mem_get((size_t)bytes + 1);
}

void script_values_free(struct script_values *v)
{
    free(v->text);
    free(v->blob);
    *v = (struct script_values){0};
}
