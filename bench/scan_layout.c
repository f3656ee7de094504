/*
** scan_layout.c: makes the files that `walbench scan` scans: a rolling log (E2) churned by
** each library, and what a VACUUM makes of the first.
**
** Each is copied into a new file at the end, so that all of them lie on the disk as a file
** lies that was written in one go: only the order of pages inside differs.
*/
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"
#include "scan.h"
#include "scratch.h"
#include "signals.h"

enum { ROW_LEAST = 150, ROW_MOST = 250 }; /* bytes of payload, as in E2 */

struct maker {
    struct scan_run *run;
    char *pristine, *work;
    struct row_shape shape;
};

/* What the scans must find: content, and the answers of the two queries. */
static int expect(struct maker *m, struct fail *f)
{
    const struct scan_settings *set = &m->run->set;
    int64_t moved = scan_commits(set) * set->batch;
    struct row *row = mem_get(sizeof *row);
    m->run->content = rows_hash(&m->shape, moved + 1, moved + set->rows, 1, !set->no_index);
    for (int64_t id = moved + 1; id <= moved + set->rows; id++) {
        row_make(&m->shape, id, row);
        m->run->answer[SCAN_TABLE] += (double)row->size;
        m->run->answer[SCAN_INDEX] += (double)(row->key & SCAN_KEY_MASK);
        if (signals_check(f) != 0)
            break;
    }
    free(row);
    return f->status;
}

static int churn(struct maker *m, const struct scan_layout *layout, const char *job,
                 struct fail *f)
{
    const struct scan_settings *set = &m->run->set;
    struct kv_list args = {NULL, 0};
    struct result result;
    kv_text(&args, "path", m->work);
    kv_int(&args, "page_size", set->page_size);
    kv_int(&args, "seed", set->seed);
    kv_int(&args, "least_bytes", ROW_LEAST);
    kv_int(&args, "most_bytes", ROW_MOST);
    kv_int(&args, "rows", set->rows);
    kv_int(&args, "batch", set->batch);
    kv_int(&args, "commits", scan_commits(set));
    kv_int(&args, "sample", 0);
    kv_int(&args, "vacuum_every", 0);
    kv_text(&args, "auto_vacuum", layout->full ? "full" : "none");
    kv_text(&args, "order", "insert-delete");
    kv_text(&args, "synchronous", "off"); /* the layout does not depend on it */
    kv_text(&args, "secure_delete", "off");
    kv_text(&args, "cache_size", "default");
    if (proc_run(m->run->bench.libraries.at[layout->library].path, job, &args,
                 &m->run->progress, &result, f) == 0)
        result_free(&result);
    kv_free(&args);
    return f->status;
}

/* A file without a log: what a scan reads is the file, and dropping it makes it cold. */
static int settle(const struct db *db, struct fail *f)
{
    char *mode = NULL;
    if (db_text(db, "PRAGMA journal_mode=DELETE", &mode, f) == 0 && strcmp(mode, "delete") != 0)
        fail_set(f, STATUS_MISMATCH, "the log could not be given up: journal_mode %s", mode);
    free(mode);
    return f->status;
}

static int read_orders(struct maker *m, struct scan_layout *layout, struct fail *f)
{
    struct db db;
    if (db_open(&db, &m->run->bench.observer.api, m->work, f) != 0)
        return f->status;
    (void)settle(&db, f);
    for (int s = 0; f->status == 0 && s < m->run->scans; s++)
        (void)page_order_read(&db, scan_trees[s], &layout->cell[s].order,
                              &layout->cell[s].visits, f);
    (void)db_close(&db, f);
    return f->status;
}

static int finish_layout(struct maker *m, struct scan_layout *layout, struct fail *f)
{
    struct scan_run *run = m->run;
    struct observation seen;
    progress_show(&run->progress, "examining the layout", 0, 0);
    if (observer_examine(&run->bench.observer, m->work, &seen, f) != 0)
        return f->status;
    layout->pages = seen.page_count;
    layout->free_pages = seen.free_count;
    (void)bench_judge(&seen, run->content, run->bench.libraries.at[layout->library].name,
                      layout->name, f);
    observation_free(&seen);
    if (f->status == 0 && read_orders(m, layout, f) == 0)
        (void)file_copy(m->work, layout->path, f);
    run->progress.steps_done++;
    return f->status;
}

static struct scan_layout *add_layout(struct scan_run *run, size_t library, bool full,
                                      bool vacuumed)
{
    struct scan_layout *layout = &run->layout[run->layouts++];
    const char *name = run->bench.libraries.at[library].name;
    *layout = (struct scan_layout){.library = library, .full = full, .vacuumed = vacuumed};
    if (vacuumed)
        (void)snprintf(layout->name, sizeof layout->name, "VACUUM");
    else
        (void)snprintf(layout->name, sizeof layout->name, "%s%s", name, full ? ", FULL" : "");
    char *file = vacuumed ? mem_copy("vacuum.db")
                          : mem_format("churned-%s%s.db", name, full ? "-full" : "");
    layout->path = scratch_file(file);
    free(file);
    return layout;
}

static int make_all(struct maker *m, struct fail *f)
{
    struct scan_run *run = m->run;
    struct build build = {.shape = m->shape,
                          .rows = run->set.rows,
                          .page_size = run->set.page_size,
                          .with_key = true,
                          .with_index = !run->set.no_index};
    char *first = NULL; /* the layout that is vacuumed in the end */
    for (int full = 0; full <= (int)run->set.full && f->status == 0; full++) {
        build.auto_vacuum = full ? "full" : "none";
        scratch_remove_database(m->pristine);
        progress_show(&run->progress, "building the table", 0, 0);
        (void)observer_build(&run->bench.observer, m->pristine, &build, f);
        for (size_t k = 0; f->status == 0 && k < run->bench.libraries.count; k++) {
            struct scan_layout *layout = add_layout(run, k, full == 1, false);
            if (file_copy(m->pristine, m->work, f) == 0 && churn(m, layout, "rolling", f) == 0)
                (void)finish_layout(m, layout, f);
            if (first == NULL)
                first = layout->path;
            scratch_remove_database(m->work);
        }
    }
    if (f->status == 0) {
        struct scan_layout *layout = add_layout(run, 0, false, true);
        if (file_copy(first, m->work, f) == 0 && churn(m, layout, "vacuum", f) == 0)
            (void)finish_layout(m, layout, f);
        scratch_remove_database(m->work);
    }
    scratch_remove_database(m->pristine);
    return f->status;
}

int scan_make_layouts(struct scan_run *run, struct fail *f)
{
    struct maker m = {.run = run,
                      .pristine = scratch_file("pristine.db"),
                      .work = scratch_file("work.db"),
                      .shape = {(uint64_t)run->set.seed, ROW_LEAST, ROW_MOST}};
    if (expect(&m, f) == 0)
        (void)make_all(&m, f);
    free(m.pristine);
    free(m.work);
    return f->status;
}

static char *kept_path(const struct scan_run *run, const struct scan_layout *layout)
{
    return mem_format("%s/%s", run->set.keep, strrchr(layout->path, '/') + 1);
}

int scan_check_keep(const struct scan_run *run, struct fail *f)
{
    struct stat st;
    const char *dir = run->set.keep;
    if (dir == NULL)
        return 0;
    if (stat(dir, &st) != 0)
        return fail_set(f, STATUS_UNUSABLE, "--keep: '%s': %s", dir, strerror(errno));
    if (!S_ISDIR(st.st_mode) || access(dir, W_OK | X_OK) != 0)
        return fail_set(f, STATUS_UNUSABLE, "--keep: cannot write in '%s'", dir);
    return 0;
}

int scan_keep_layouts(const struct scan_run *run, struct fail *f)
{
    size_t done = 0;
    if (run->set.keep == NULL)
        return 0;
    for (size_t i = 0; f->status == 0 && i < run->layouts; i++) {
        char *path = kept_path(run, &run->layout[i]);
        if (access(path, F_OK) == 0) {
            fail_set(f, STATUS_UNUSABLE, "--keep: '%s' exists already", path);
        } else {
            done = i + 1;
            (void)file_copy(run->layout[i].path, path, f);
        }
        free(path);
    }
    for (size_t i = 0; f->status != 0 && i < done; i++) {
        char *path = kept_path(run, &run->layout[i]);
        (void)unlink(path);
        free(path);
    }
    return f->status;
}
