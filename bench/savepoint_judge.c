/*
** savepoint_judge.c: the bounds of `walbench savepoint`, on counts alone. Those of a library
** that records pages by their numbers are applied to arms called subjournal and full.
*/
#include <math.h>

#include "savepoint.h"

#define SUBJOURNAL_MOST 1.01
#define SPILLED_MOST 1.05

/* Pages copied to sub-journals that cannot be told by their numbers: page 1 of each
** statement; the page that all savepoints of a transaction change. */
static double copies_most(const struct savepoint_run *run, enum savepoint_kind kind)
{
    const struct savepoint_cases *cases = &run->row[kind].cases;
    double most = 0;
    if (!savepoint_is_grid(kind))
        return savepoint_is_many(kind) ? 0 : 1;
    for (size_t c = 0; c < cases->count; c++)
        most += (double)(SAVEPOINT_CHAINS * cases->at[c].depth);
    return most;
}

static void bound_subjournal(struct savepoint_run *run, enum savepoint_kind kind, size_t arm)
{
    struct savepoint_cell sum = savepoint_sum(run, kind, arm);
    double record = (double)run->set.plan.page_size + 4;
    double most = copies_most(run, kind) * record;
    report_bound(&run->bench.report, true, sum.count[COUNT_SUBJOURNAL] <= most,
                 "savepoint %s, %s: %.0f bytes of sub-journals, at most %.0f",
                 run->bench.libraries.at[arm].name, savepoint_kinds[kind],
                 sum.count[COUNT_SUBJOURNAL], most);
    savepoint_cell_free(&sum);
}

/* A COMMIT after which nothing has changed writes a frame all the same. In `spilled` a page
** that is in the log may have to be written again. */
static void bound_frames(struct savepoint_run *run, enum savepoint_kind kind, size_t arm)
{
    const struct savepoint_cases *cases = &run->row[kind].cases;
    size_t bad = 0;
    double frames = 0, most = 0;
    for (size_t c = 0; c < cases->count; c++) {
        const double *count = savepoint_cell(run, kind, c, arm)->count;
        double allowed = kind == KIND_SPILLED ? SPILLED_MOST * count[COUNT_NEEDED] + 1
                                              : fmax(count[COUNT_NEEDED], 1);
        if (cases->at[c].rolled_back == 0)
            continue;
        bad += count[COUNT_FRAMES] > allowed;
        frames += count[COUNT_FRAMES];
        most += allowed;
    }
    report_bound(&run->bench.report, true, bad == 0,
                 "savepoint %s, %s with chains rolled back: %.0f frames, at most %.0f in all, "
                 "and too many in %zu cases",
                 run->bench.libraries.at[arm].name, savepoint_kinds[kind], frames, most, bad);
}

static void bound_patched(struct savepoint_run *run, enum savepoint_kind kind)
{
    const struct libraries *set = &run->bench.libraries;
    const struct library *stock = libraries_find(set, "stock"),
                         *patched = libraries_find(set, "patched");
    if (stock == NULL || patched == NULL)
        return;
    struct savepoint_cell s = savepoint_sum(run, kind, (size_t)(stock - set->at));
    struct savepoint_cell p = savepoint_sum(run, kind, (size_t)(patched - set->at));
    report_bound(&run->bench.report, true,
                 p.count[COUNT_SUBJOURNAL] <= SUBJOURNAL_MOST * s.count[COUNT_SUBJOURNAL],
                 "savepoint patched, %s: %.0f bytes of sub-journals, not more than the %.0f of "
                 "stock and 1 %%",
                 savepoint_kinds[kind], p.count[COUNT_SUBJOURNAL], s.count[COUNT_SUBJOURNAL]);
    savepoint_cell_free(&s);
    savepoint_cell_free(&p);
}

void savepoint_judge(struct savepoint_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    for (int k = 0; k < KINDS; k++) {
        enum savepoint_kind kind = (enum savepoint_kind)k;
        if (!run->row[k].wanted)
            continue;
        bound_patched(run, kind);
        for (size_t a = 0; a < set->count; a++) {
            if (!library_by_numbers(&set->at[a]))
                continue;
            if (kind != KIND_SPILLED)
                bound_subjournal(run, kind, a);
            if (savepoint_is_grid(kind))
                bound_frames(run, kind, a);
        }
    }
    /* Other content would have ended the run. */
    for (size_t a = 1; a < set->count; a++)
        report_bound(&run->bench.report, true, true, "savepoint %s: the content that %s leaves",
                     set->at[a].name, set->at[0].name);
}
