/*
** savepoint_plan.c: the databases of `walbench savepoint`, and the cases of each kind.
*/
#include <inttypes.h>
#include <stdlib.h>

#include "savepoint.h"

const char *const savepoint_kinds[KINDS] = {"update", "nested", "many-small", "many",
                                            "spilled"};

const char *const savepoint_counts[COUNTS] = {
    "needed",           "frames",     "frames_written",    "database_bytes",  "log_bytes",
    "subjournal_bytes", "temp_bytes", "frames_superseded", "frames_unchanged"};

/* The small file with which that of `many` is compared. */
enum { SMALL_MEGABYTES = 2, UPDATE_ROW_BYTES = 200 };

bool savepoint_is_grid(enum savepoint_kind kind)
{
    return kind == KIND_NESTED || kind == KIND_SPILLED;
}

bool savepoint_is_many(enum savepoint_kind kind)
{
    return kind == KIND_MANY || kind == KIND_MANY_SMALL;
}

int savepoint_counts_of(enum savepoint_kind kind)
{
    return savepoint_is_many(kind) ? COUNT_SUPERSEDED : COUNTS;
}

static void add(struct savepoint_cases *cases, int64_t depth, int64_t rolled_back,
                int64_t pages)
{
    cases->at = mem_grow(cases->at, cases->count + 1, sizeof cases->at[0]);
    cases->at[cases->count++] = (struct savepoint_case){depth, rolled_back, pages};
    if (SAVEPOINT_CHAINS * depth * pages > cases->pages)
        cases->pages = SAVEPOINT_CHAINS * depth * pages;
}

int savepoint_cases(const struct savepoint_plan *plan, enum savepoint_kind kind,
                    struct savepoint_cases *cases, struct fail *f)
{
    int64_t *depth = NULL, *back = NULL, *pages = NULL;
    size_t depths = 0, backs = 0, sizes = 0;
    *cases = (struct savepoint_cases){NULL, 0, 0};
    if (!savepoint_is_grid(kind)) {
        add(cases, 0, 0, 0);
        return 0;
    }
    if (options_number_list("--depths", plan->depths, 1, 1000, &depth, &depths, f) == 0 &&
        options_number_list("--rolled-back", plan->rolled_back, 0, SAVEPOINT_CHAINS, &back,
                            &backs, f) == 0)
        (void)options_number_list("--pages", plan->pages, 1, 100000, &pages, &sizes, f);
    for (size_t d = 0; f->status == 0 && d < depths; d++)
        for (size_t b = 0; b < backs; b++)
            for (size_t p = 0; p < sizes; p++)
                add(cases, depth[d], back[b], pages[p]);
    free(depth);
    free(back);
    free(pages);
    return f->status;
}

int64_t savepoint_spill_rows(const struct savepoint_plan *plan)
{
    return 2 * plan->cache;
}

int64_t savepoint_rows(const struct savepoint_plan *plan, enum savepoint_kind kind,
                       const struct savepoint_cases *cases)
{
    switch (kind) {
    case KIND_UPDATE:
        return plan->rows;
    case KIND_NESTED:
        return cases->pages;
    case KIND_SPILLED:
        return cases->pages + savepoint_spill_rows(plan);
    case KIND_MANY_SMALL:
        return SMALL_MEGABYTES * INT64_C(1000000) / plan->page_size;
    default:
        return plan->megabytes * INT64_C(1000000) / plan->page_size;
    }
}

double savepoint_size(const struct savepoint_plan *plan, enum savepoint_kind kind,
                      const struct savepoint_cases *cases)
{
    int64_t rows = savepoint_rows(plan, kind, cases);
    if (kind == KIND_UPDATE)
        return bench_table_size(rows, UPDATE_ROW_BYTES, plan->page_size);
    return (double)(rows + 64) * (double)plan->page_size * 1.05;
}

int savepoint_build(const struct observer *o, const char *path,
                    const struct savepoint_plan *plan, enum savepoint_kind kind, int64_t rows,
                    int64_t seed, struct fail *f)
{
    /* More than half of a page, so that a page has one row; never an overflow page. */
    int64_t body = kind == KIND_UPDATE ? UPDATE_ROW_BYTES : plan->page_size * 11 / 20;
    char *insert = mem_format(
        "INSERT INTO item VALUES(?1, 0, ?2, printf('%%.*c', %" PRId64 ", 'a'+?2%%26))", body);
    struct workload w = {
        .page_size = plan->page_size,
        .build = {
            {.sql = "CREATE TABLE item(id INTEGER PRIMARY KEY, n INT, at INT, body TEXT)"},
            {.sql = insert, .per = 1},
            {.sql = "CREATE TABLE tally(n INT)"},
            {.sql = "INSERT INTO tally VALUES(0)"}}};
    (void)observer_build_workload(o, path, &w, rows, seed, f);
    free(insert);
    return f->status;
}
