/*
** sql_prepare.c: makes the database that the arms of `walbench sql` start from, with the
** SQLite that is linked into this program, and tries everything of the user's once, so that
** a mistake is found before anything is measured.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "scratch.h"
#include "sql.h"

static size_t name_size(const char *pragma)
{
    return strcspn(pragma, "=");
}

const char *sql_pragma_find(const struct text_list *pragmas, const char *name)
{
    for (size_t i = 0; i < pragmas->count; i++)
        if (name_size(pragmas->at[i]) == strlen(name) &&
            strncasecmp(pragmas->at[i], name, strlen(name)) == 0)
            return pragmas->at[i] + strlen(name) + 1;
    return NULL;
}

int sql_pragmas_check(const struct text_list *pragmas, struct fail *f)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char value_letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.";
    for (size_t i = 0; i < pragmas->count; i++) {
        const char *text = pragmas->at[i];
        size_t size = name_size(text);
        if (size == 0 || size > 60 || strspn(text, letters) != size || text[size] != '=' ||
            text[size + 1] == 0 || strlen(text) > 120 ||
            text[size + 1 + strspn(text + size + 1, value_letters)] != 0)
            return fail_set(f, STATUS_UNUSABLE,
                            "--pragma: '%.100s' is not NAME=VALUE of letters, digits, '_', '-' "
                            "and '.'",
                            text);
        for (size_t k = 0; k < i; k++)
            if (name_size(pragmas->at[k]) == size &&
                strncasecmp(pragmas->at[k], text, size) == 0)
                return fail_set(f, STATUS_UNUSABLE, "--pragma: '%.*s' is named twice",
                                (int)size, text);
    }
    return 0;
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcasecmp(word, *words) == 0)
            return true;
    return false;
}

/* Can `said` be what a pragma that was set to `value` gives back? */
static bool is_taken(const char *value, const char *said)
{
    static const char *const on[] = {"on", "yes", "true", NULL};
    static const char *const off[] = {"off", "no", "false", "none", NULL};
    int64_t wanted, number;
    bool is_number = options_number(said, &number);
    if (options_number(value, &wanted))
        return !is_number || wanted == number;
    if (is_number && (is_one_of(value, on) || is_one_of(value, off)))
        return (number != 0) == is_one_of(value, on);
    return is_number || strcasecmp(value, said) == 0;
}

int sql_pragma(const struct db *db, const char *text, char **said, struct fail *f)
{
    struct fail cause = {0};
    size_t size = name_size(text);
    const char *value = text + size + 1;
    char ask[100];
    *said = NULL;
    (void)snprintf(ask, sizeof ask, "PRAGMA %.*s", (int)size, text);
    (void)db_exec(db, &cause, "PRAGMA %.*s='%s'", (int)size, text, value);
    if (cause.status == 0)
        (void)db_text(db, ask, said, &cause);
    if (cause.status != 0)
        return fail_set(f, STATUS_UNUSABLE, "--pragma %.100s: %.400s", text, cause.text);
    if (!is_taken(value, *said)) {
        fail_set(f, STATUS_UNUSABLE, "--pragma %.100s: the database has %.100s", text, *said);
        free(*said);
        *said = NULL;
    }
    return f->status;
}

int sql_transaction(struct script *txn, const struct db *db, bool wrap,
                    struct script_values *values, struct fail *f)
{
    if (wrap && db_exec(db, f, "BEGIN") != 0)
        return f->status;
    if (script_run(txn, db, values, f) == 0 && wrap) {
        struct fail cause = {0};
        if (db_exec(db, &cause, "COMMIT") != 0)
            fail_set(f, STATUS_UNUSABLE, "%.300s: the COMMIT at the end: %.400s", txn->path,
                     cause.text);
    } else if (f->status == 0 && db->api->get_autocommit(db->handle) == 0) {
        fail_set(f, STATUS_UNUSABLE, "%.300s: a transaction is still open at the end",
                 txn->path);
    }
    if (f->status != 0) {
        struct fail cause = *f;
        *f = (struct fail){0};
        fail_set(f, cause.status, "%.700s (transaction %" PRId64 ")", cause.text, values->n);
    }
    return f->status;
}

static int copy_database(struct sql_run *run, struct fail *f)
{
    static const char *const tails[] = {"", "-wal", "-journal"};
    struct stat st;
    const char *path = run->set.database;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return fail_set(f, STATUS_UNUSABLE, "--database: '%s' is not a file", path);
    for (size_t i = 0; i < 3 && f->status == 0; i++) {
        char *from = mem_format("%s%s", path, tails[i]);
        char *to = mem_format("%s%s", run->pristine, tails[i]);
        if (i == 0 || stat(from, &st) == 0)
            (void)file_copy(from, to, f);
        free(from);
        free(to);
    }
    return f->status;
}

/* What is to be read from a file of the user's. */
static int open_copy(struct sql_run *run, const struct db *db, struct fail *f)
{
    struct fail cause = {0};
    char *text = NULL;
    if (db_text(db, "PRAGMA integrity_check(1)", &text, &cause) != 0)
        fail_set(f, STATUS_UNUSABLE, "--database %.300s: %.400s", run->set.database,
                 cause.text);
    else if (strcmp(text, "ok") != 0)
        fail_set(f, STATUS_UNUSABLE, "--database %.300s: integrity_check says: %.300s",
                 run->set.database, text);
    free(text);
    return f->status;
}

/* A file has some properties from its first page on. */
static int shape_new(struct sql_run *run, const struct db *db, struct fail *f)
{
    static const char *const names[] = {"page_size", "auto_vacuum", "encoding"};
    for (size_t i = 0; i < 3 && f->status == 0; i++) {
        const char *value = sql_pragma_find(&run->set.pragmas, names[i]);
        if (value != NULL)
            (void)db_exec(db, f, "PRAGMA %s='%s'", names[i], value);
    }
    return f->status;
}

static int build(struct sql_run *run, struct fail *f)
{
    struct db db;
    char *mode = NULL;
    bool copied = run->set.database != NULL;
    progress_show(&run->progress, "setting up", 0, 0);
    if ((copied && copy_database(run, f) != 0) ||
        observer_connect(&db, &run->bench.observer, run->pristine, f) != 0)
        return f->status;
    if (copied ? open_copy(run, &db, f) == 0 : shape_new(run, &db, f) == 0)
        (void)db_exec(&db, f, "PRAGMA synchronous=OFF");
    if (f->status == 0 && run->set.setup != NULL) {
        if (script_run(&run->setup, &db, NULL, f) == 0 &&
            db.api->get_autocommit(db.handle) == 0)
            fail_set(f, STATUS_UNUSABLE, "%.300s: a transaction is still open at the end",
                     run->set.setup);
        script_release(&run->setup, &db);
    }
    /* All of it in one file. */
    if (f->status == 0 && db_text(&db, "PRAGMA journal_mode=DELETE", &mode, f) == 0 &&
        strcmp(mode, "delete") != 0)
        fail_set(f, STATUS_MISMATCH, "the database stays in journal mode %s", mode);
    free(mode);
    return observer_disconnect(&db, f);
}

static int rehearse(struct sql_run *run, struct fail *f)
{
    struct db db;
    struct script_values values;
    char *said = NULL;
    progress_show(&run->progress, "trying the transaction", 0, 0);
    if (file_copy(run->pristine, run->work, f) != 0 ||
        observer_connect(&db, &run->bench.observer, run->work, f) != 0)
        return f->status;
    script_values_init(&values, run->set.seed, run->set.value_bytes);
    values.n = 1;
    for (size_t i = 0; i < run->set.pragmas.count && f->status == 0; i++) {
        (void)sql_pragma(&db, run->set.pragmas.at[i], &said, f);
        free(said);
    }
    if (f->status == 0)
        (void)sql_transaction(&run->txn, &db, run->wrap, &values, f);
    script_release(&run->txn, &db);
    script_values_free(&values);
    (void)observer_disconnect(&db, f);
    scratch_remove_database(run->work);
    return f->status;
}

int sql_prepare(struct sql_run *run, struct fail *f)
{
    run->wrap = !run->set.no_wrap && !script_begins(&run->txn, &run->bench.observer.api);
    if (build(run, f) == 0)
        (void)rehearse(run, f);
    return f->status;
}
