/*
** workload.c: finds workloads and plays their steps.
*/
#include "workload.h"

#include <string.h>

#include "random.h"
#include "signals.h"

enum { PARAMETERS = 5, RANDOM_BITS = 40, ROWS_LEAST = 100 };

const struct workload *workload_at(size_t index)
{
    const struct workload *const files[] = {workload_daily, workload_geometry, workload_undone,
                                            workload_special, workload_null};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (const struct workload *w = files[i]; w->name != NULL; w++)
            if (index-- == 0)
                return w;
    return NULL;
}

const struct workload *workload_find(const char *name)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++)
        if (strcmp(w->name, name) == 0)
            return w;
    return NULL;
}

int64_t workload_rows(const struct workload *w, int64_t percent, bool full)
{
    int64_t rows = full && w->rows_in_full > 0 ? w->rows_in_full : w->rows;
    rows = rows * percent / 100;
    return rows < ROWS_LEAST ? ROWS_LEAST : rows;
}

int64_t workload_times(const struct step *step, int64_t rows)
{
    int64_t times = step->times > 0 ? step->times : 1;
    return step->per > 0 ? times * rows / step->per : times;
}

static int bind(struct workload_player *p, sqlite3_stmt *stmt, int64_t number, struct fail *f)
{
    int64_t value[PARAMETERS] = {
        number, (int64_t)(random_next(&p->random) >> (64 - RANDOM_BITS)), p->round,
        (int64_t)(random_next(&p->random) >> (64 - RANDOM_BITS)), p->rows};
    for (int i = 0; i < PARAMETERS; i++) {
        int rc = p->db->api->bind_int64(stmt, i + 1, value[i]);
        if (rc == SQLITE_RANGE)
            break; /* the statement does not use the others */
        if (rc != SQLITE_OK)
            return db_failed(p->db, "binding a parameter", f);
    }
    return 0;
}

static int run(struct workload_player *p, const struct step *step, sqlite3_stmt *stmt,
               struct fail *f)
{
    int rc;
    if (!step->fails)
        return db_run(p->db, stmt, f);
    do {
        rc = p->db->api->step(stmt);
    } while (rc == SQLITE_ROW);
    (void)p->db->api->reset(stmt); /* repeats the error */
    if ((rc & 0xff) != SQLITE_CONSTRAINT)
        return fail_set(f, STATUS_MISMATCH, "no constraint refused: %s", step->sql);
    return 0;
}

int workload_play(struct workload_player *p, const struct step *steps, struct fail *f)
{
    for (const struct step *step = steps; f->status == 0 && step->sql != NULL; step++) {
        int64_t times = workload_times(step, p->rows);
        sqlite3_stmt *stmt;
        if (db_prepare(p->db, step->sql, &stmt, f) != 0)
            return f->status;
        for (int64_t i = 0; f->status == 0 && i < times; i++) {
            if (bind(p, stmt, p->round * times + i + 1, f) == 0 && run(p, step, stmt, f) == 0 &&
                p->after != NULL)
                (void)p->after(p->context, f);
            (void)signals_check(f);
        }
        (void)p->db->api->finalize(stmt);
    }
    return f->status;
}
