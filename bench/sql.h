/*
** sql.h: what the files of `walbench sql` share: sql.c runs it, sql_prepare.c makes the
** database and tries the SQL, sql_print.c shows and judges the results, sql_job.c is the
** arm's side.
*/
#ifndef WALBENCH_SQL_H
#define WALBENCH_SQL_H

#include "command.h"
#include "sql_script.h"

struct sql_settings {
    struct common common;
    const char *setup, *txn, *database;
    struct text_list pragmas; /* "NAME=VALUE" */
    int64_t commits, value_bytes, seed, sample, trials;
    bool no_wrap, autocheckpoint;
};

enum sql_file { SQL_WAL, SQL_DATABASE, SQL_JOURNAL, SQL_SUBJOURNAL, SQL_FILES };

struct sql_cell {
    double written;         /* frames, or pages of the database in rollback mode */
    double sampled, needed; /* written where needed pages were counted, and these */
    double superseded, unchanged, free, cut; /* of `sampled`, why not needed */
    double bytes[SQL_FILES];
    struct samples seconds; /* a transaction, of each trial */
};

struct sql_run {
    struct sql_settings set;
    struct bench bench;
    struct progress progress;
    struct script setup, txn;
    bool wrap;
    bool wal; /* the journal mode that the database came to have */
    char *pristine, *work;
    struct hash_value expected;
    struct sql_cell cell[LIBRARIES_MOST];
};

/* Sets a pragma of the user's, "NAME=VALUE", and reads it back into *said, which the caller
** frees. One that is not taken is a mistake of the user's. */
int sql_pragma(const struct db *db, const char *text, char **said, struct fail *f);
/* The value of a pragma in the list; NULL: it is not there. */
const char *sql_pragma_find(const struct text_list *pragmas, const char *name);
int sql_pragmas_check(const struct text_list *pragmas, struct fail *f);

/* Makes the database that arms start from, and plays the transaction once on a copy. */
int sql_prepare(struct sql_run *run, struct fail *f);
/* One transaction; `number` is for the message. */
int sql_transaction(struct script *txn, const struct db *db, bool wrap,
                    struct script_values *values, struct fail *f);

void sql_print(const struct sql_run *run);
void sql_judge(struct sql_run *run);

#endif
