/*
** savepoint_play.c: the transactions of `walbench savepoint`.
*/
#include <inttypes.h>

#include "clock.h"
#include "random.h"
#include "savepoint.h"
#include "signals.h"

static int commit(struct savepoint_player *p, int64_t begun, struct fail *f)
{
    int64_t middle = clock_now();
    p->statements += middle - begun;
    (void)db_exec(p->db, f, "COMMIT");
    p->commits += clock_now() - middle;
    return f->status;
}

/* A function may fail, so the statement must be able to undo what it has done: it opens a
** statement journal. */
int savepoint_play_update(struct savepoint_player *p, struct fail *f)
{
    int64_t begun = clock_now();
    (void)db_exec(p->db, f, "BEGIN");
    (void)db_exec(p->db, f,
                  "UPDATE item SET n=n+1 WHERE datetime(at, 'unixepoch')>='1970-01-01'");
    return commit(p, begun, f);
}

/* Which of the chains, spread over all of them. */
static bool is_undone(const struct savepoint_case *c, int64_t chain)
{
    return chain * c->rolled_back % SAVEPOINT_CHAINS + c->rolled_back >= SAVEPOINT_CHAINS;
}

/* Each savepoint changes pages of its own, and one that all of them change. */
static int play_chain(struct savepoint_player *p, const struct savepoint_case *c, int64_t chain,
                      struct fail *f)
{
    for (int64_t level = 1; f->status == 0 && level <= c->depth; level++) {
        int64_t before = (chain * c->depth + level - 1) * c->pages;
        (void)db_exec(p->db, f, "SAVEPOINT s%" PRId64, level);
        (void)db_exec(p->db, f, "UPDATE item SET n=n+1 WHERE id>%" PRId64 " AND id<=%" PRId64,
                      before, before + c->pages);
        (void)db_exec(p->db, f, "UPDATE tally SET n=n+1");
    }
    if (is_undone(c, chain))
        (void)db_exec(p->db, f, "ROLLBACK TO s1");
    return db_exec(p->db, f, "RELEASE s1");
}

int savepoint_play_chains(struct savepoint_player *p, const struct savepoint_case *c,
                          int64_t spill_from, struct fail *f)
{
    int64_t begun = clock_now();
    (void)db_exec(p->db, f, "BEGIN");
    /* Every second page that the savepoints will change has been changed before, and most
    ** of these are in the log by then. */
    if (spill_from > 0) {
        (void)db_exec(p->db, f, "UPDATE item SET n=n+1 WHERE id<=%" PRId64 " AND id%%2=0",
                      SAVEPOINT_CHAINS * c->depth * c->pages);
        (void)db_exec(p->db, f, "UPDATE item SET n=n+1 WHERE id>=%" PRId64, spill_from);
    }
    for (int64_t chain = 0; f->status == 0 && chain < SAVEPOINT_CHAINS; chain++)
        (void)play_chain(p, c, chain, f);
    return commit(p, begun, f);
}

enum { BEGIN, SAVEPOINT, CHANGE, ROLLBACK_TO, RELEASE, COMMIT, SMALL_STEPS };

static int play_one(struct savepoint_player *p, sqlite3_stmt *const *step, bool undo,
                    struct fail *f)
{
    for (int i = BEGIN; f->status == 0 && i < COMMIT; i++)
        if (i != ROLLBACK_TO || undo)
            (void)db_run(p->db, step[i], f);
    return f->status;
}

int savepoint_play_small(struct savepoint_player *p, int64_t rows, int64_t count, int64_t *kept,
                         struct fail *f)
{
    static const char *const sql[SMALL_STEPS] = {
        "BEGIN",         "SAVEPOINT a", "UPDATE item SET n=n+1 WHERE id=?1",
        "ROLLBACK TO a", "RELEASE a",   "COMMIT"};
    sqlite3_stmt *step[SMALL_STEPS] = {NULL};
    for (int i = 0; f->status == 0 && i < SMALL_STEPS; i++)
        (void)db_prepare(p->db, sql[i], &step[i], f);
    for (int64_t i = 0; f->status == 0 && i < count; i++) {
        int64_t id = (int64_t)(random_next(&p->random) % (uint64_t)rows) + 1;
        bool undo = random_next(&p->random) >> 63;
        int64_t begun = clock_now();
        if (p->db->api->bind_int64(step[CHANGE], 1, id) != SQLITE_OK)
            (void)db_failed(p->db, "binding a row", f);
        (void)play_one(p, step, undo, f);
        int64_t middle = clock_now();
        if (f->status == 0)
            (void)db_run(p->db, step[COMMIT], f);
        p->statements += middle - begun;
        p->commits += clock_now() - middle;
        *kept += !undo;
        (void)signals_check(f);
    }
    for (int i = 0; i < SMALL_STEPS; i++)
        (void)p->db->api->finalize(step[i]);
    return f->status;
}
