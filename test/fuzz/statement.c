/*
** statement.c: random statements.
**
** SQLite marks free pages only while no savepoint is open, and a statement that
** changes many rows and can fail is a savepoint of its own inside a transaction.
** A function in it is enough for that. So most statements here do without: values
** come from the table `pool`, ranges from scalar subqueries.
*/
#include "statement.h"

#include <stdlib.h>

#include "dice.h"
#include "fail.h"
#include "needle.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

void add_sql(struct maker *m, char *text)
{
    bool look = dice_percent(&m->dice, m->profile.quiet ? 30 : 80);
    script_add(m->script, STEP_SQL, 0, 0, look, text);
}

int pick_table(struct maker *m)
{
    static const int weights[TABLES] = {34, 18, 14, 14, 12, 8};
    return dice_weighted(&m->dice, weights, m->script->aux ? TABLES : 4);
}

static int some_rows(struct maker *m)
{
    return dice_between(&m->dice, 1, m->profile.rows);
}

static int many_rows(struct maker *m)
{
    return dice_between(&m->dice, m->profile.rows / 2, m->profile.rows);
}

/* A condition on id; the caller frees it. */
static char *range(struct maker *m, const char *t)
{
    static const int weights[] = {30, 25, 20, 12, 13};
    int n = dice_percent(&m->dice, 60) ? many_rows(m) : some_rows(m);
    switch (dice_weighted(&m->dice, weights, COUNT(weights))) {
    case 0: /* the oldest */
        return mem_format("id<(SELECT min(id) FROM %s)+%d", t, n);
    case 1: /* the newest */
        return mem_format("id>(SELECT max(id) FROM %s)-%d", t, n);
    case 2: /* the middle */
        return mem_format("id BETWEEN (SELECT (min(id)+max(id))/2 FROM %s)-%d AND"
                          " (SELECT (min(id)+max(id))/2 FROM %s)+%d",
                          t, n / 2, t, n - n / 2);
    case 3: /* all but a few */
        return mem_format("id>(SELECT min(id) FROM %s)+%d", t, dice_between(&m->dice, 0, 4));
    default:
        return mem_copy("1");
    }
}

void statement_free(struct maker *m, int table)
{
    static const int weights[] = {55, 8, 6, 6, 5, 7, 9, 4};
    const char *t = table_name[table];
    char *where = range(m, t);
    switch (dice_weighted(&m->dice, weights, COUNT(weights))) {
    case 0:
        add_sql(m, mem_format("DELETE FROM %s WHERE %s", t, where));
        break;
    case 1:
        add_sql(m, mem_format("DELETE FROM %s", t));
        break;
    case 2: /* opens a statement journal */
        add_sql(m, mem_format("DELETE FROM %s WHERE %s AND abs(k)>=0", t, where));
        break;
    case 3:
        add_sql(m, mem_format("DELETE FROM %s WHERE %s RETURNING id, k", t, where));
        break;
    case 4:
        add_sql(m, mem_format("REPLACE INTO %s(id,k,u,v) SELECT id,k+1,u,NULL FROM %s WHERE %s",
                              t, t, where));
        break;
    case 5: /* frees overflow pages */
        add_sql(m, mem_format("UPDATE %s SET v=NULL WHERE %s", t, where));
        break;
    case 6:
        add_sql(m, mem_format("DROP TABLE IF EXISTS %s", t));
        if (dice_percent(&m->dice, 70))
            table_create(m->script, table, dice_percent(&m->dice, 50));
        break;
    default:
        add_sql(m, mem_format("DROP INDEX IF EXISTS %s",
                              ((const char *const[]){"t0k", "t1k", "t2v", "t3v", "b.b0k",
                                                     "b.b1k"})[table]));
    }
    free(where);
}

static void insert_newest(struct maker *m, int table, int rows)
{
    const char *t = table_name[table];
    int first = dice_between(&m->dice, 1, m->profile.pool_rows - rows + 1);
    int salt = dice_between(&m->dice, 1000, 999999);
    if (table_has_rowid(table) && dice_percent(&m->dice, 80))
        add_sql(m, mem_format("INSERT INTO %s(k,u,v) SELECT x+%d,NULL,v FROM pool"
                              " WHERE x BETWEEN %d AND %d",
                              t, salt, first, first + rows - 1));
    else
        add_sql(m, mem_format("INSERT INTO %s(id,k,u,v) SELECT ifnull((SELECT max(id) FROM %s)"
                              ",0)+x,x+%d,NULL,v FROM pool WHERE x BETWEEN %d AND %d",
                              t, t, salt, first, first + rows - 1));
}

void statement_use(struct maker *m, int table)
{
    static const int weights[] = {60, 10, 8, 8, 8, 6};
    const char *t = table_name[table];
    char *where = range(m, t);
    switch (dice_weighted(&m->dice, weights, COUNT(weights))) {
    case 0:
        insert_newest(m, table, dice_percent(&m->dice, 70) ? many_rows(m) : some_rows(m));
        break;
    case 1: /* before the oldest */
        add_sql(m,
                mem_format("INSERT OR REPLACE INTO %s(id,k,u,v) SELECT (SELECT min(id) FROM %s)"
                           "-x,x+%d,x+%d,v FROM pool WHERE x<=%d",
                           t, t, dice_between(&m->dice, 1000, 9999),
                           dice_between(&m->dice, 1, 200), some_rows(m)));
        break;
    case 2:
        add_sql(m, mem_format("UPDATE %s SET k=k+1, v=(SELECT v FROM pool WHERE x=%d) WHERE %s",
                              t, dice_between(&m->dice, 1, m->profile.pool_rows), where));
        break;
    case 3: /* into gaps */
        add_sql(m,
                mem_format("INSERT OR IGNORE INTO %s(id,k,u,v) SELECT x*2,x+%d,NULL,v FROM pool"
                           " WHERE x<=%d",
                           t, dice_between(&m->dice, 1000, 9999), some_rows(m)));
        break;
    case 4:
        table_create(m->script, table, dice_percent(&m->dice, 50));
        insert_newest(m, table, many_rows(m));
        break;
    default:
        if (m->profile.page_size <= 4096 || dice_percent(&m->dice, 30))
            index_create(m->script, table, dice_percent(&m->dice, 50));
        else
            insert_newest(m, table, some_rows(m));
    }
    free(where);
}

void statement_touch(struct maker *m, int table)
{
    const char *t = table_name[table];
    char *where = range(m, t);
    if (dice_percent(&m->dice, 60))
        add_sql(m, mem_format("UPDATE %s SET k=k+%d", t, dice_between(&m->dice, 1000, 9999)));
    else if (dice_percent(&m->dice, 50))
        add_sql(m, mem_format("UPDATE %s SET k=k+%d WHERE %s", t,
                              dice_between(&m->dice, 1000, 9999), where));
    else
        add_sql(m, mem_format("UPDATE %s SET v=printf('%%d-%%s',id,substr(v,1,%d)) WHERE %s", t,
                              m->profile.page_size / dice_between(&m->dice, 1, 6), where));
    free(where);
}

void statement_abort(struct maker *m, int table)
{
    static const int weights[] = {25, 15, 15, 15, 15, 15};
    const char *t = table_name[table];
    char *where = range(m, t);
    int n = some_rows(m);
    switch (dice_weighted(&m->dice, weights, COUNT(weights))) {
    case 0: /* backwards into a key that is taken */
        add_sql(
            m, mem_format("INSERT INTO %s(id,k,u,v) SELECT (SELECT max(id) FROM %s)+%d-x,x,NULL"
                          ",v FROM pool WHERE x<=%d",
                          t, t, n, n + 3));
        break;
    case 1: /* CHECK, at the last row */
        add_sql(m,
                mem_format("UPDATE %s SET v=NULL, k=CASE WHEN id=(SELECT max(id) FROM %s) THEN"
                           " 666 ELSE k+1 END",
                           t, t));
        break;
    case 2: /* UNIQUE, with what OR does */
        add_sql(m,
                mem_format("INSERT %sINTO t1(k,u,v) SELECT x,x%%%d,v FROM pool WHERE x<=%d",
                           ((const char *const[]){"", "OR FAIL ", "OR ROLLBACK ", "OR REPLACE ",
                                                  "OR ABORT "})[dice_between(&m->dice, 0, 4)],
                           dice_between(&m->dice, 3, 30), n));
        break;
    case 3: /* a foreign key that may be violated */
        add_sql(m, mem_format("DELETE FROM t3 WHERE %s AND id IN (SELECT id FROM t3)",
                              table == 3 ? where : "id<(SELECT min(id) FROM t3)+10"));
        break;
    case 4: /* RAISE in a trigger, if there is one */
        add_sql(m, mem_format("DELETE FROM t0 WHERE id>%d", dice_between(&m->dice, 0, 30)));
        break;
    default:
        add_sql(m, mem_format("UPDATE %s SET id=id+%d WHERE %s", t,
                              dice_between(&m->dice, 1, 9), where));
    }
    free(where);
}

static void trigger(struct maker *m)
{
    static const char *const events[] = {"BEFORE DELETE", "AFTER DELETE", "AFTER UPDATE"};
    int t = dice_between(&m->dice, 0, 2);
    if (dice_percent(&m->dice, 65)) {
        add_sql(m, mem_format("DROP TRIGGER IF EXISTS tr%d", t));
        return;
    }
    char *body = dice_percent(&m->dice, 50)
                     ? mem_format("INSERT INTO notes(v) VALUES(old.v)")
                     : mem_format("SELECT RAISE(%s,'no') WHERE old.id%%%d=3",
                                  dice_percent(&m->dice, 60)   ? "ABORT"
                                  : dice_percent(&m->dice, 50) ? "FAIL"
                                                               : "ROLLBACK",
                                  dice_between(&m->dice, 5, 60));
    add_sql(m, mem_format("CREATE TRIGGER IF NOT EXISTS tr%d %s ON %s BEGIN %s; END", t,
                          events[dice_between(&m->dice, 0, 2)], table_name[t], body));
    free(body);
}

void statement_needles(struct maker *m)
{
    if (dice_percent(&m->dice, 50))
        add_sql(m, mem_format("DELETE FROM needles WHERE id<=(SELECT max(id) FROM needles)-%d",
                              dice_between(&m->dice, 0, m->profile.rows)));
    else
        add_sql(m,
                mem_format("INSERT INTO needles(v) SELECT '" NEEDLE "%d:'||x||';'"
                           "||substr(v,1,%d) FROM pool WHERE x<=%d",
                           dice_between(&m->dice, 1, 999999999),
                           m->profile.page_size / dice_between(&m->dice, 1, 4), some_rows(m)));
}

void statement_other(struct maker *m)
{
    static const int weights[] = {25, 25, 15, 20, 15, 20};
    int t = pick_table(m);
    switch (dice_weighted(&m->dice, weights, COUNT(weights))) {
    case 0:
        trigger(m);
        break;
    case 5:
        statement_needles(m);
        break;
    case 1:
        add_sql(m, mem_format("INSERT INTO child(p,v) SELECT id,v FROM t3 ORDER BY id LIMIT %d",
                              some_rows(m)));
        break;
    case 2:
        add_sql(m, mem_copy("DELETE FROM child"));
        break;
    case 3:
        add_sql(m, mem_format("SELECT id, k FROM %s ORDER BY id DESC LIMIT %d", table_name[t],
                              some_rows(m)));
        break;
    default:
        add_sql(m, mem_copy("DELETE FROM notes"));
    }
}

void statement_trim(struct maker *m)
{
    int t = pick_table(m);
    add_sql(m, mem_format("DELETE FROM %s WHERE id<=(SELECT max(id) FROM %s)-%d", table_name[t],
                          table_name[t], m->profile.rows_kept));
    if (dice_percent(&m->dice, 30))
        add_sql(m, mem_format("DELETE FROM %s", t == 3 ? "child" : "notes"));
}
