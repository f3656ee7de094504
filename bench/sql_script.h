/*
** sql_script.h: SQL of the user's, from a file, played on a connection again and again.
*/
#ifndef WALBENCH_SQL_SCRIPT_H
#define WALBENCH_SQL_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "db.h"
#include "hash.h"

struct script_statement {
    sqlite3_stmt *stmt;
    size_t offset; /* of its first word */
};

struct script {
    const char *path;
    char *text;
    struct script_statement *at; /* as far as prepared: each is when its turn first comes, */
    size_t count, prepared_to;   /* since it may need what the ones before it make */
};

/* What the parameters :n, :random, :text and :blob are bound to. The last three are drawn
** anew for every statement that uses them. */
struct script_values {
    int64_t n;
    uint64_t random; /* state of the generator */
    int64_t bytes;   /* of :text and :blob */
    char *text, *blob;
};

/* What goes wrong is "FILE: ..." or "FILE:LINE: ..." with status 2. */
int script_read(struct script *s, const char *path, struct fail *f);
/* All statements in turn, on one and the same connection until script_release(). Without
** `values` no parameter may be used. */
int script_run(struct script *s, const struct db *db, struct script_values *values,
               struct fail *f);
void script_release(struct script *s, const struct db *db);
void script_free(struct script *s);

/* Is the first word of a statement BEGIN? That of a trigger is not. */
bool script_begins(const struct script *s, const struct api *api);
/* Nothing but blanks and comments. */
bool script_is_empty(const struct script *s);
struct hash_value script_hash(const struct script *s);

void script_values_init(struct script_values *v, int64_t seed, int64_t bytes);
void script_values_free(struct script_values *v);

#endif
