/*
** session.h: the connections that play a scenario, and what they find.
*/
#ifndef FAULT_SESSION_H
#define FAULT_SESSION_H

#include <stdbool.h>

#include "entry.h"
#include "hash.h"
#include "scenario.h"

struct session {
    const struct entry *entry;
    const struct scenario *scenario;
    const char *file;
    sqlite3 *db; /* NULL after an opening that failed */
    sqlite3 *reader;
    bool reading;
    bool reader_wrong; /* its snapshot has changed */
    struct hash_value snapshot;
};

/* These return result codes of SQLite. */
int session_open(struct session *s);
int session_sql(const struct session *s, const char *sql);
int session_step(struct session *s, int i);
int session_content(const struct session *s, struct hash_value *hash);
int session_end_reading(struct session *s);
/* A transaction more, which depends on nothing but the rows that are there. */
int session_work(const struct session *s);
int session_close(struct session *s);

/* True: a transaction is open. */
bool session_busy(const struct session *s);
bool session_integrity(const struct session *s);

/* Makes the database that a scenario begins with. */
int session_build(const struct entry *entry, const struct scenario *scenario, const char *file);
/* Copies a database and its log, but not the -shm. */
bool session_copy(const char *from, const char *to);
/* Removes a database with all that lies beside it. */
void session_remove(const char *file);

bool hash_same(struct hash_value a, struct hash_value b);

#endif
