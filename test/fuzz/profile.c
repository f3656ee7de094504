/*
** profile.c: page size, modes, tables and first rows of a sequence.
**
** Rows are large beside the page, from a twelfth of it to several pages, so that
** deleting a few of them leaves pages empty, which is what it is all about.
*/
#include "profile.h"

#include "dice.h"
#include "fail.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

const char *const table_name[TABLES] = {"t0", "t1", "t2", "t3", "b.b0", "b.b1"};

static const char *const create[TABLES] = {
    /* Nothing but rows. */
    "CREATE TABLE IF NOT EXISTS t0(id INTEGER PRIMARY KEY, k INT, u INT, v)",
    /* Constraints that can fail in the middle of a statement. */
    "CREATE TABLE IF NOT EXISTS t1(id INTEGER PRIMARY KEY, k INT CHECK(k<>666), u INT UNIQUE, v)",
    "CREATE TABLE IF NOT EXISTS t2(id INTEGER PRIMARY KEY, k INT CHECK(k<>666), u, v) WITHOUT ROWID",
    /* The parent of a foreign key. */
    "CREATE TABLE IF NOT EXISTS t3(id INTEGER PRIMARY KEY, k INT, u INT, v)",
    "CREATE TABLE IF NOT EXISTS b.b0(id INTEGER PRIMARY KEY, k INT, u INT, v)",
    "CREATE TABLE IF NOT EXISTS b.b1(id INTEGER PRIMARY KEY, k INT CHECK(k<>666), u INT, v)",
};

static const char *const create_index[TABLES] = {
    "CREATE INDEX IF NOT EXISTS t0k ON t0(k)",
    "CREATE INDEX IF NOT EXISTS t1k ON t1(k, id)",
    "CREATE INDEX IF NOT EXISTS t2v ON t2(v, k)",
    "CREATE INDEX IF NOT EXISTS t3v ON t3(v)",
    "CREATE INDEX IF NOT EXISTS b.b0k ON b0(k, v)",
    "CREATE INDEX IF NOT EXISTS b.b1k ON b1(k)",
};

bool table_is_main(int table)
{
    return table < 4;
}

bool table_has_rowid(int table)
{
    return table != 2;
}

void table_create(struct script *s, int table, bool look)
{
    script_add(s, STEP_SQL, 0, 0, look, mem_copy(create[table]));
}

void index_create(struct script *s, int table, bool look)
{
    script_add(s, STEP_SQL, 0, 0, look, mem_copy(create_index[table]));
}

static void opening(struct script *s, char *text)
{
    s->opening[s->openings++] = text;
}

static void sizes(struct profile *p, uint64_t *dice)
{
    static const int page_sizes[] = {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
    static const int weights[] = {30, 30, 10, 18, 4, 3, 2, 3};
    p->page_size = page_sizes[dice_weighted(dice, weights, COUNT(weights))];
    p->rows = p->page_size <= 4096 ? 20 : 8;
    /* Now and then enough to fill a trunk of the free-list. */
    if (p->page_size <= 1024 && dice_percent(dice, 12))
        p->rows = 55;
    p->pool_rows = p->rows + 5;
    p->rows_kept = p->rows + p->rows / 2;
}

static void modes(struct profile *p, struct script *s, uint64_t *dice)
{
    static const char *const synchronous[] = {"OFF", "NORMAL", "FULL"};
    static const int synchronous_weights[] = {70, 20, 10};
    static const int cache_weights[] = {60, 25, 15};
    static const char *const secure[] = {"OFF", "FAST", "ON"};
    static const int secure_weights[] = {68, 14, 18};
    if (s->aux)
        opening(s, mem_copy("ATTACH 'b.db' AS b"));
    switch (dice_weighted(dice, cache_weights, COUNT(cache_weights))) {
    case 0:
        p->cache_size = dice_between(dice, 1, 20);
        break;
    case 1:
        p->cache_size = dice_between(dice, 21, 200);
        break;
    default:
        p->cache_size = 2000;
    }
    opening(s, mem_format("PRAGMA cache_size=%d", p->cache_size));
    opening(s, mem_format("PRAGMA synchronous=%s",
                          synchronous[dice_weighted(dice, synchronous_weights, 3)]));
    int zeroes = dice_weighted(dice, secure_weights, 3);
    s->zeroed = zeroes == 2;
    opening(s, mem_format("PRAGMA secure_delete=%s", secure[zeroes]));
    opening(s, mem_format("PRAGMA foreign_keys=%d", dice_percent(dice, 70)));
    if (dice_percent(dice, 20))
        opening(s, mem_format("PRAGMA mmap_size=%d", dice_percent(dice, 50) ? 65536 : 4194304));
    static const int checkpoints[] = {0, 5, 40, 1000};
    opening(s,
            mem_format("PRAGMA wal_autocheckpoint=%d", checkpoints[dice_between(dice, 0, 3)]));
    static const int vacuum_weights[] = {66, 16, 18};
    p->auto_vacuum = dice_weighted(dice, vacuum_weights, 3);
    p->quiet = dice_percent(dice, 30);
}

/* Ready-made values: a statement that takes them from there calls no function, and
** one that calls none can do without a statement journal. */
static void pool(const struct profile *p, struct script *s, uint64_t *dice)
{
    int page = p->page_size;
    int longest = page <= 4096 ? dice_between(dice, 3, 10) * page / 2 : page + page / 2;
    script_add(s, STEP_SQL, 0, 0, false,
               mem_copy("CREATE TABLE pool(x INTEGER PRIMARY KEY, v)"));
    script_add(s, STEP_SQL, 0, 0, false,
               mem_format("INSERT INTO pool WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL"
                          " SELECT x+1 FROM c WHERE x<%d) SELECT x,"
                          " substr(replace(hex(zeroblob(l/8+1)),'00',printf('%%07d;',x)),1,l)"
                          " FROM (SELECT x, CASE x%%8 WHEN 0 THEN %d WHEN 1 THEN %d WHEN 2"
                          " THEN %d ELSE %d END AS l FROM c)",
                          p->pool_rows, longest, page + page / 3, page / 12, page / 3));
}

void profile_begin(struct profile *p, struct script *s, uint64_t *dice)
{
    s->aux = dice_percent(dice, 25);
    s->shared = dice_percent(dice, 8);
    const char *journal = dice_percent(dice, 8) ? "DELETE" : "WAL";
    sizes(p, dice);
    modes(p, s, dice);
    for (int d = 0; d < (s->aux ? 2 : 1); d++) {
        const char *schema = d ? "b" : "main";
        script_add(s, STEP_PRAGMA, 0, 0, false,
                   mem_format("PRAGMA %s.page_size=%d", schema, p->page_size));
        script_add(s, STEP_PRAGMA, 0, 0, false,
                   mem_format("PRAGMA %s.auto_vacuum=%d", schema, p->auto_vacuum));
        script_add(s, STEP_PRAGMA, 0, 0, false,
                   mem_format("PRAGMA %s.journal_mode=%s", schema, journal));
    }
    pool(p, s, dice);
    for (int t = 0; t < TABLES; t++) {
        if (!table_is_main(t) && !s->aux)
            continue;
        table_create(s, t, false);
        if (t != 0 && dice_percent(dice, 40))
            index_create(s, t, false);
    }
    script_add(
        s, STEP_SQL, 0, 0, false,
        mem_format("CREATE TABLE child(id INTEGER PRIMARY KEY, p INTEGER REFERENCES t3(id)"
                   " ON DELETE %s, v)",
                   dice_percent(dice, 50)   ? "CASCADE"
                   : dice_percent(dice, 50) ? "SET NULL"
                                            : "NO ACTION"));
    script_add(s, STEP_SQL, 0, 0, false,
               mem_copy("CREATE TABLE notes(id INTEGER PRIMARY KEY, v)"));
    script_add(s, STEP_SQL, 0, 0, false,
               mem_copy("CREATE TABLE needles(id INTEGER PRIMARY KEY, v)"));
}
