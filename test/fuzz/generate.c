/*
** generate.c: shapes of transactions, and what happens between them.
**
** Statements drawn one by one hardly ever do what a wrong build fails at: free
** whole pages, make them leave the cache or be used again, and then go back, all
** in one transaction and in this order. So most of a script is made of shapes
** that are such transactions with the details left open.
*/
#include "generate.h"

#include "dice.h"
#include "fail.h"
#include "statement.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

static bool chance(struct maker *m, int percent)
{
    return dice_percent(&m->dice, percent);
}

static void add(struct maker *m, enum step_kind kind, const char *text)
{
    script_add(m->script, kind, 0, 0, chance(m, m->profile.quiet ? 50 : 90),
               text ? mem_copy(text) : NULL);
}

static void second(struct maker *m, enum step_kind kind, const char *text)
{
    script_add(m->script, kind, 1, 0, chance(m, 70), text ? mem_copy(text) : NULL);
}

/* --- Transactions and savepoints. */

static void begin(struct maker *m)
{
    if (m->open)
        return;
    add(m, STEP_SQL, chance(m, 50) ? "BEGIN" : "BEGIN IMMEDIATE");
    m->open = true;
    m->depth = 0;
}

static void savepoint(struct maker *m, enum step_kind kind, int depth, const char *words)
{
    script_add(m->script, kind, 0, depth, chance(m, m->profile.quiet ? 40 : 75),
               mem_format("%s s%d", words, depth));
}

static void go_in(struct maker *m)
{
    if (m->depth < 8)
        savepoint(m, STEP_SAVEPOINT, m->depth++, "SAVEPOINT");
    m->open = true;
}

static void go_back(struct maker *m)
{
    if (m->depth == 0)
        return;
    int depth = dice_between(&m->dice, 0, m->depth - 1);
    if (chance(m, 70))
        depth = m->depth - 1;
    savepoint(m, STEP_ROLLBACK_TO, depth, "ROLLBACK TO");
    m->depth = depth + 1;
}

static void go_out(struct maker *m)
{
    if (m->depth == 0)
        return;
    int depth = m->depth - 1;
    savepoint(m, STEP_RELEASE, depth, "RELEASE");
    m->depth = depth;
}

static void end(struct maker *m, bool commit)
{
    if (!m->open)
        return;
    add(m, commit ? STEP_SQL : STEP_ROLLBACK, commit ? "COMMIT" : "ROLLBACK");
    m->open = false;
    m->depth = 0;
}

static void flush(struct maker *m, int percent)
{
    if (chance(m, percent))
        add(m, STEP_FLUSH, NULL);
}

/* --- Looking at what has become of it. */

static void checkpoint(struct maker *m)
{
    static const char *const modes[] = {"PASSIVE", "FULL", "RESTART", "TRUNCATE"};
    static const int weights[] = {30, 15, 15, 40};
    script_add(m->script, STEP_CHECKPOINT, chance(m, 15), 0, false,
               mem_format("PRAGMA wal_checkpoint(%s)",
                          modes[dice_weighted(&m->dice, weights, COUNT(weights))]));
}

static void afterwards(struct maker *m)
{
    if (chance(m, 25))
        add(m, STEP_COPY, NULL);
    if (chance(m, 22))
        checkpoint(m);
}

/* --- Shapes. */

/* Free pages, maybe use them again, maybe flush, and end or go back. */
static void shape_free(struct maker *m)
{
    int table = pick_table(m);
    begin(m);
    if (chance(m, 35))
        statement_touch(m, table);
    if (chance(m, 15))
        statement_use(m, pick_table(m));
    flush(m, 15);
    bool nested = chance(m, 35);
    if (nested)
        go_in(m);
    for (int n = dice_between(&m->dice, 1, 3); n > 0; n--)
        statement_free(m, chance(m, 75) ? table : pick_table(m));
    flush(m, 50);
    if (chance(m, 45)) {
        statement_use(m, chance(m, 60) ? table : pick_table(m));
        flush(m, 40);
    }
    if (nested) {
        if (chance(m, 65))
            go_back(m);
        else
            go_out(m);
        if (chance(m, 30))
            statement_free(m, table);
        flush(m, 25);
    }
    if (chance(m, 92))
        end(m, chance(m, 50));
    afterwards(m);
}

/* Rows that are changed, then freed in a savepoint that comes to nothing. */
static void shape_savepoint(struct maker *m)
{
    int table = pick_table(m);
    begin(m);
    statement_touch(m, table);
    flush(m, 30);
    for (int n = dice_between(&m->dice, 1, 3); n > 0; n--) {
        go_in(m);
        statement_free(m, chance(m, 80) ? table : pick_table(m));
        flush(m, 35);
        if (chance(m, 40))
            statement_use(m, pick_table(m));
    }
    for (int n = dice_between(&m->dice, 1, 3); n > 0; n--) {
        if (chance(m, 75))
            go_back(m);
        else
            go_out(m);
        if (chance(m, 20))
            statement_touch(m, table);
        flush(m, 15);
    }
    if (chance(m, 92))
        end(m, chance(m, 75));
    afterwards(m);
}

/* Pages that one transaction adds to the database and frees again. A page that is
** freed first, before a trunk of the free-list is there, would become the trunk. */
static void shape_new_pages(struct maker *m)
{
    int table = pick_table(m);
    if (!m->open && chance(m, 50))
        add(m, STEP_SQL, "VACUUM");
    if (chance(m, 35))
        checkpoint(m);
    begin(m);
    bool last = chance(m, 50);
    statement_use(m, table);
    if (chance(m, 40)) {
        statement_free(m, pick_table(m));
        statement_use(m, pick_table(m));
    }
    if (chance(m, 50))
        add_sql(m, mem_format("DELETE FROM %s WHERE id<(SELECT min(id) FROM %s)+%d",
                              table_name[(table + 1) % 4], table_name[(table + 1) % 4],
                              dice_between(&m->dice, 2, 12)));
    add_sql(m,
            mem_format("DELETE FROM %s WHERE id>(SELECT max(id) FROM %s)-%d", table_name[table],
                       table_name[table], dice_between(&m->dice, 2, m->profile.rows)));
    flush(m, 25);
    if (last)
        statement_use(m, pick_table(m));
    end(m, chance(m, 85));
    if (chance(m, 60))
        add(m, STEP_COPY, NULL);
    afterwards(m);
}

/* A statement that fails after much has been freed. */
static void shape_abort(struct maker *m)
{
    int table = pick_table(m);
    if (chance(m, 70))
        begin(m);
    if (chance(m, 50))
        statement_touch(m, table);
    if (chance(m, 60))
        statement_free(m, table);
    flush(m, 30);
    for (int n = dice_between(&m->dice, 1, 2); n > 0; n--)
        statement_abort(m, chance(m, 70) ? table : pick_table(m));
    flush(m, 20);
    if (chance(m, 90))
        end(m, chance(m, 60));
    afterwards(m);
}

static void shape_reader(struct maker *m)
{
    if (m->reads) {
        second(m, STEP_READER_LOOK, NULL);
        if (chance(m, 50)) {
            second(m, STEP_READER_END, NULL);
            m->reads = false;
        }
        return;
    }
    second(m, STEP_READER_BEGIN, NULL);
    m->reads = true;
    shape_free(m);
    if (chance(m, 60))
        script_add(m->script, STEP_CHECKPOINT, 0, 0, false,
                   mem_copy("PRAGMA wal_checkpoint(PASSIVE)"));
    second(m, STEP_READER_LOOK, NULL);
}

static void no_reader(struct maker *m)
{
    if (m->reads)
        second(m, STEP_READER_END, NULL);
    m->reads = false;
}

static void shape_backup(struct maker *m)
{
    add(m, STEP_BACKUP_BEGIN, NULL);
    for (int n = dice_between(&m->dice, 1, 4); n > 0; n--) {
        script_add(m->script, STEP_BACKUP_PAGES, 0, dice_between(&m->dice, 1, 25), false, NULL);
        if (chance(m, 60))
            shape_free(m);
        else
            statement_use(m, pick_table(m));
    }
    add(m, STEP_BACKUP_END, NULL);
}

/* In rollback mode for a while. */
static void shape_journal_mode(struct maker *m)
{
    end(m, chance(m, 50));
    no_reader(m);
    second(m, STEP_READER_CLOSE, NULL);
    add(m, STEP_PRAGMA,
        chance(m, 80) ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=PERSIST");
    for (int n = dice_between(&m->dice, 0, 2); n > 0; n--)
        shape_free(m);
    end(m, chance(m, 50));
    add(m, STEP_PRAGMA, "PRAGMA journal_mode=WAL");
    second(m, STEP_READER_OPEN, NULL);
}

static void shape_exclusive(struct maker *m)
{
    end(m, chance(m, 50));
    no_reader(m);
    second(m, STEP_READER_CLOSE, NULL);
    if (chance(m, 40)) /* then the log's index is in memory */
        add(m, STEP_REOPEN, NULL);
    second(m, STEP_READER_CLOSE, NULL);
    add(m, STEP_PRAGMA, "PRAGMA locking_mode=EXCLUSIVE");
    for (int n = dice_between(&m->dice, 1, 3); n > 0; n--)
        shape_free(m);
    end(m, chance(m, 50));
    add(m, STEP_PRAGMA, "PRAGMA locking_mode=NORMAL");
    add(m, STEP_LOOK, NULL);
    second(m, STEP_READER_OPEN, NULL);
}

static void shape_vacuum(struct maker *m)
{
    if (chance(m, 80))
        end(m, chance(m, 50));
    if (m->profile.auto_vacuum == 2 && chance(m, 70)) {
        for (int n = dice_between(&m->dice, 1, 3); n > 0; n--) {
            statement_free(m, pick_table(m));
            script_add(
                m->script, STEP_SQL, 0, 0, true,
                mem_format("PRAGMA incremental_vacuum(%d)", dice_between(&m->dice, 0, 12)));
        }
        return;
    }
    if (chance(m, 60))
        add(m, STEP_SQL, "VACUUM");
    else
        add(m, STEP_INTO, "VACUUM INTO 'into.db'");
    if (chance(m, 30))
        shape_free(m);
}

/* incremental_vacuum between freeing and using, in one transaction. */
static void shape_shrink(struct maker *m)
{
    begin(m);
    statement_free(m, pick_table(m));
    flush(m, 30);
    if (m->profile.auto_vacuum == 2)
        script_add(m->script, STEP_SQL, 0, 0, true,
                   mem_format("PRAGMA incremental_vacuum(%d)", dice_between(&m->dice, 0, 20)));
    if (chance(m, 50))
        statement_use(m, pick_table(m));
    flush(m, 30);
    end(m, chance(m, 50));
    afterwards(m);
}

static void shape_reopen(struct maker *m)
{
    static const enum step_kind kinds[] = {STEP_REOPEN, STEP_SWAP, STEP_CRASH};
    static const int weights[] = {35, 40, 25};
    enum step_kind kind = kinds[dice_weighted(&m->dice, weights, COUNT(weights))];
    /* A connection does not close while a statement or a backup is under way; what is
    ** open as a transaction is rolled back. */
    if (chance(m, 60))
        end(m, chance(m, 60));
    add(m, kind, NULL);
    m->open = false;
    m->depth = 0;
    m->reads = false;
}

static void shape_settings(struct maker *m)
{
    static const int weights[] = {50, 20, 12, 10, 8};
    switch (dice_weighted(&m->dice, weights, COUNT(weights))) {
    case 0:
        script_add(m->script, STEP_PRAGMA, 0, 0, false,
                   mem_format("PRAGMA cache_size=%d",
                              dice_between(&m->dice, 1, chance(m, 70) ? 20 : 300)));
        break;
    case 1:
        add(m, STEP_PRAGMA, chance(m, 30) ? "PRAGMA cache_spill=OFF" : "PRAGMA cache_spill=ON");
        break;
    case 2:
        if (!m->script->zeroed) {
            static const char *const modes[] = {
                "PRAGMA secure_delete=OFF", "PRAGMA secure_delete=OFF",
                "PRAGMA secure_delete=FAST", "PRAGMA secure_delete=ON"};
            add(m, STEP_PRAGMA, modes[dice_between(&m->dice, 0, 3)]);
        }
        break;
    case 3:
        add(m, STEP_PRAGMA, chance(m, 50) ? "PRAGMA mmap_size=0" : "PRAGMA mmap_size=1048576");
        break;
    default:
        add(m, STEP_PRAGMA, "PRAGMA shrink_memory");
    }
}

/* A statement or two, drawn one by one. */
static void shape_loose(struct maker *m)
{
    static const int weights[] = {20, 20, 12, 8, 10, 6, 6, 5, 5, 8};
    int table = pick_table(m);
    switch (dice_weighted(&m->dice, weights, COUNT(weights))) {
    case 0:
        statement_free(m, table);
        break;
    case 1:
        statement_use(m, table);
        break;
    case 2:
        statement_touch(m, table);
        break;
    case 3:
        statement_abort(m, table);
        break;
    case 4:
        if (m->open)
            end(m, chance(m, 55));
        else
            begin(m);
        break;
    case 5:
        go_in(m);
        break;
    case 6:
        if (chance(m, 65))
            go_back(m);
        else if (m->depth > 1)
            go_out(m);
        break;
    case 7:
        flush(m, 100);
        break;
    case 8: /* the second connection writes */
        if (!m->reads)
            script_add(m->script, STEP_SQL, 1, 0, chance(m, 50),
                       mem_format("DELETE FROM t0 WHERE id<(SELECT min(id) FROM t0)+%d",
                                  dice_between(&m->dice, 1, 9)));
        break;
    default:
        statement_other(m);
    }
}

/* With secure_delete=ON nothing of the deleted ones may be left in the end. */
static void shape_needles(struct maker *m)
{
    for (int n = dice_between(&m->dice, 1, 4); n > 0; n--)
        statement_needles(m);
    if (!m->script->zeroed)
        return;
    no_reader(m);
    end(m, chance(m, 80));
    script_add(m->script, STEP_CHECKPOINT, 0, 0, false,
               mem_copy("PRAGMA wal_checkpoint(TRUNCATE)"));
}

static void fill(struct maker *m)
{
    for (int t = 0; t < (m->script->aux ? TABLES : 4); t++)
        for (int n = dice_between(&m->dice, 1, 2); n > 0; n--)
            add_sql(m,
                    mem_format("INSERT INTO %s(id,k,u,v) SELECT x+%d,x,x+%d,v FROM pool WHERE"
                               " x<=%d",
                               table_name[t], n * m->profile.rows, n * m->profile.rows,
                               m->profile.rows));
}

void generate(struct script *s, uint64_t seed, size_t steps)
{
    static void (*const shapes[])(struct maker *) = {
        shape_free,   shape_savepoint, shape_new_pages,    shape_abort,     shape_reader,
        shape_backup, shape_vacuum,    shape_shrink,       shape_reopen,    shape_settings,
        shape_loose,  statement_trim,  shape_journal_mode, shape_exclusive, shape_needles,
    };
    static const int weights[] = {22, 12, 9, 6, 6, 2, 3, 4, 3, 5, 20, 8, 1, 1, 2};
    struct maker m = {.script = s};
    *s = (struct script){.seed = seed};
    m.dice = seed ^ UINT64_C(0x5eed0f5eed0f);
    profile_begin(&m.profile, s, &m.dice);
    fill(&m);
    while (s->count < steps)
        shapes[dice_weighted(&m.dice, weights, COUNT(weights))](&m);
    end(&m, true);
    add(&m, STEP_COPY, NULL);
}
