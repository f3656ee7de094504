/*
** order.c: `walbench order`. The page order of every b-tree of a database file, read
** with dbstat.
*/
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "machine.h"
#include "order_source.h"
#include "page_order.h"
#include "random.h"
#include "scratch.h"
#include "signals.h"

struct settings {
    struct common common;
    struct text_list trees;
    const char *file, *map;
    int64_t points;
};

struct tree {
    char *name, *shown; /* shown: without control characters */
    char *kind;         /* table or index */
    struct page_order order;
};

struct run {
    struct settings set;
    struct bench bench;
    struct order_source source;
    struct report_file map;
    struct tree *trees;
    size_t count;
    int64_t page_size, page_count, free_count;
};

static char *without_controls(const char *text)
{
    char *copy = mem_copy(text);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return copy;
}

static bool is_wanted(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->set.trees.count; i++)
        if (strcasecmp(run->set.trees.at[i], name) == 0)
            return true;
    return run->set.trees.count == 0;
}

static int list_trees(struct run *run, struct fail *f)
{
    static const char sql[] =
        "SELECT 'sqlite_schema', 'table' UNION ALL "
        "SELECT name, type FROM sqlite_schema WHERE rootpage>0 AND name IS NOT NULL";
    const struct db *db = &run->source.db;
    sqlite3_stmt *s;
    int rc = SQLITE_DONE;
    if (db_prepare(db, sql, &s, f) != 0)
        return f->status;
    while (f->status == 0 && (rc = db->api->step(s)) == SQLITE_ROW) {
        const char *name = (const char *)db->api->column_text(s, 0);
        const char *kind = (const char *)db->api->column_text(s, 1);
        if (name == NULL || !is_wanted(run, name))
            continue;
        run->trees = mem_grow(run->trees, run->count + 1, sizeof run->trees[0]);
        run->trees[run->count++] = (struct tree){.name = mem_copy(name),
                                                 .shown = without_controls(name),
                                                 .kind = mem_copy(kind ? kind : "")};
    }
    if (f->status == 0 && rc != SQLITE_DONE)
        db_failed(db, "list of b-trees", f);
    (void)db->api->finalize(s);
    for (size_t i = 0; f->status == 0 && i < run->set.trees.count; i++) {
        size_t k = 0;
        while (k < run->count && strcasecmp(run->trees[k].name, run->set.trees.at[i]) != 0)
            k++;
        if (k == run->count)
            fail_set(f, STATUS_UNUSABLE, "--tree: '%s' has no table or index '%s'",
                     run->set.file, run->set.trees.at[i]);
    }
    return f->status;
}

/*
** Where there are more leaves than points, one of each of as many equal stretches of the
** scan: chosen at random, because a fixed step would draw patterns of its own when it
** falls into beat with those of the file.
*/
static void draw(struct run *run, const struct tree *tree, const struct page_visits *visits)
{
    FILE *out = run->map.memory;
    uint64_t random = 1;
    int64_t leaves = tree->order.leaves, position = 0, chosen = -1, stretch = 0, last = -1;
    int64_t points = leaves < run->set.points ? leaves : run->set.points;
    /* The comment just above the data gives them their name. */
    fprintf(out,
            "# %" PRId64 " leaves, %" PRId64 " of them shown: position in the scan, page "
            "number,\n# 1 if it follows the page before it in the scan\n# %s\n",
            leaves, points, tree->shown);
    for (size_t i = 0; i < visits->count; i++) {
        if (!visits->at[i].leaf)
            continue;
        int64_t page = visits->at[i].page;
        if (stretch < points && chosen < 0) {
            int64_t first = leaves * stretch / points;
            int64_t size = leaves * (stretch + 1) / points - first;
            chosen = first + (int64_t)(random_next(&random) % (uint64_t)size);
        }
        if (position == chosen) {
            fprintf(out, "%" PRId64 " %" PRId64 " %d\n", position, page, page == last + 1);
            stretch++;
            chosen = -1;
        }
        last = page;
        position++;
    }
    fputs("\n\n", out);
}

static int read_trees(struct run *run, struct fail *f)
{
    const struct db *db = &run->source.db;
    int64_t used = 0;
    if (db_int(db, "PRAGMA page_size", &run->page_size, f) != 0 ||
        db_int(db, "PRAGMA page_count", &run->page_count, f) != 0 ||
        db_int(db, "PRAGMA freelist_count", &run->free_count, f) != 0 ||
        list_trees(run, f) != 0)
        return f->status;
    for (size_t i = 0; i < run->count; i++) {
        struct tree *tree = &run->trees[i];
        struct page_visits visits;
        bool mapped = run->map.memory != NULL;
        if (page_order_read(db, tree->name, &tree->order, mapped ? &visits : NULL, f) == 0 &&
            mapped)
            draw(run, tree, &visits);
        if (mapped)
            page_visits_free(&visits);
        if (f->status != 0)
            return f->status;
        used += tree->order.reads + tree->order.overflow;
    }
    if (used + run->free_count > run->page_count)
        return fail_set(f, STATUS_MISMATCH,
                        "the b-trees have %" PRId64 " pages and the free-list %" PRId64
                        ", but the database has %" PRId64,
                        used, run->free_count, run->page_count);
    return 0;
}

static void record(struct run *run)
{
    struct report *report = &run->bench.report;
    kv_text(&report->common, "file", run->source.path[0]);
    kv_int(&report->common, "page_size", run->page_size);
    struct record whole = {.metric = "pages", .unit = "pages"};
    report_add_number(report, &whole, (double)run->page_count);
    whole.metric = "free_pages";
    report_add_number(report, &whole, (double)run->free_count);
    for (size_t i = 0; i < run->count; i++) {
        const struct page_order *o = &run->trees[i].order;
        const struct {
            const char *metric, *unit;
            double value;
        } say[] = {{"pages", "pages", (double)(o->reads + o->overflow)},
                   {"leaves", "pages", (double)o->leaves},
                   {"interior", "pages", (double)o->interior},
                   {"overflow", "pages", (double)o->overflow},
                   {"mean_run", "pages", o->mean_run},
                   {"longest_run", "pages", (double)o->longest_run},
                   {"next_share", "share", o->next_share},
                   {"jumps", "steps", (double)o->jumps},
                   {"reads", "pages", (double)o->reads},
                   {"read_jumps", "reads", (double)o->read_jumps},
                   {"unused", "bytes", (double)o->unused}};
        struct kv_list parameters = {NULL, 0};
        kv_text(&parameters, "tree", run->trees[i].name);
        kv_text(&parameters, "kind", run->trees[i].kind);
        for (size_t k = 0; k < sizeof say / sizeof say[0]; k++) {
            struct record one = {
                .parameters = &parameters, .metric = say[k].metric, .unit = say[k].unit};
            report_add_number(report, &one, say[k].value);
        }
        kv_free(&parameters);
    }
}

static void print(const struct run *run)
{
    static const char *const heading[] = {"b-tree",   "pages",        "leaves",  "interior",
                                          "overflow", "mean run",     "longest", "next %",
                                          "jumps",    "unused bytes", "kind"};
    enum { COLUMNS = sizeof heading / sizeof heading[0] };
    struct table t;
    char text[2][NUMBER_TEXT_SIZE];
    printf("%s: %s pages of %" PRId64 " bytes, %s of them free%s\n\n", run->set.file,
           number_print((double)run->page_count, 0, text[0]), run->page_size,
           number_print((double)run->free_count, 0, text[1]),
           run->source.copy ? "; with what its log holds" : "");
    table_begin(&t, COLUMNS, 1);
    for (size_t i = 0; i < COLUMNS; i++)
        table_cell(&t, "%s", heading[i]);
    for (size_t i = 0; i < run->count; i++) {
        const struct page_order *o = &run->trees[i].order;
        const double counts[] = {(double)(o->reads + o->overflow), (double)o->leaves,
                                 (double)o->interior, (double)o->overflow};
        table_cell(&t, "%s", run->trees[i].shown);
        table_numbers(&t, counts, sizeof counts[0], 4, 1, 0);
        table_cell(&t, "%s", number_print(o->mean_run, 1, text[0]));
        table_cell(&t, "%s", number_print((double)o->longest_run, 0, text[0]));
        if (o->leaves > 1)
            table_cell(&t, "%.2f", 100 * o->next_share);
        else
            table_cell(&t, "-");
        table_cell(&t, "%s", number_print((double)o->jumps, 0, text[0]));
        table_cell(&t, "%s", number_print((double)o->unused, 0, text[0]));
        table_cell(&t, "%s", run->trees[i].kind);
    }
    puts(
        "Leaves in the order in which a scan visits them: mean and longest run of leaves on\n"
        "consecutive page numbers; share of steps that go to the page that follows; jumps: the\n"
        "number of the other steps.");
    table_end(&t, stdout);
}

static int look(struct run *run, struct fail *f)
{
    struct bench *bench = &run->bench;
    bench->report.experiment = "order";
    bench->report.command = "order";
    const struct settings *set = &run->set;
    const char *const files[] = {set->common.json, set->common.csv};
    for (size_t i = 0; set->map != NULL && i < 2; i++)
        if (files[i] != NULL && strcmp(files[i], set->map) == 0)
            fail_set(f, STATUS_UNUSABLE, "--map names the same file as another option");
    if (f->status != 0 || order_source_find(&run->source, set->file, f) != 0 ||
        report_open(&bench->report, set->common.json, set->common.csv, f) != 0 ||
        report_file_open(&run->map, set->map, f) != 0 ||
        scratch_open(set->common.directory, order_source_space(&run->source), f) != 0)
        return f->status;
    machine_describe(&bench->report.machine, scratch_path());
    bench->observing = true;
    if (observer_open(&bench->observer, scratch_path(), f) == 0) {
        if (order_source_open(&run->source, &bench->observer.api, f) == 0)
            (void)read_trees(run, f);
        (void)order_source_close(&run->source, f);
    }
    if (f->status == STATUS_MISMATCH) {
        struct fail inner = *f;
        f->status = 0;
        return fail_set(f, STATUS_MISMATCH, "'%s': %.700s", set->file, inner.text);
    }
    if (f->status == 0) {
        record(run);
        print(run);
        (void)report_file_finish(&run->map, f);
    }
    return f->status;
}

static void help(const struct option *options)
{
    puts(
        "usage: walbench order FILE [OPTION...]\n"
        "\n"
        "The page order of a SQLite database file: for every table and index how many pages\n"
        "it has, and how far a scan of it reads the file from front to back. Read with the\n"
        "SQLite that is part of this program. A WITHOUT ROWID table is listed like any table;\n"
        "rows on interior pages of it, and of indexes, are not part of the order of leaves.\n"
        "\n"
        "FILE is not changed, nothing is made beside it, and no locks are taken. If it has a\n"
        "log (FILE-wal) that is not empty, both are copied and the copy is looked at, so that\n"
        "what has been committed to the log counts. A database that is written to meanwhile\n"
        "is a failure (status 1), and one with a rollback journal that is not finished is not\n"
        "usable (status 2), nor is a file that is no database; a malformed database is a\n"
        "failure (status 1).\n");
    options_print(options, stdout);
}

static void free_run(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        free(run->trees[i].name);
        free(run->trees[i].shown);
        free(run->trees[i].kind);
    }
    free(run->trees);
    report_file_free(&run->map);
    order_source_free(&run->source);
    free(run->set.trees.at);
    free(run);
}

int command_order(int argc, char **argv, struct fail *f)
{
    struct run *run = mem_get(sizeof *run);
    struct settings *set = &run->set;
    set->points = 20000;
    const struct option options[] = {
        {.name = "--tree",
         .kind = OPTION_LIST,
         .target = &set->trees,
         .argument = "NAME",
         .standard = "all of them",
         .help = "A table or index to look at, or sqlite_schema. May be repeated. Large and\n"
                 "small letters are the same. A name that FILE does not have is an error."},
        {.name = "--map",
         .kind = OPTION_TEXT,
         .target = &set->map,
         .argument = "MAP",
         .standard = "none",
         .help =
             "Write the order of leaves as text, a line a leaf: position in the scan from 0,\n"
             "page number, and 1 if the page follows the one before it in the scan, else 0.\n"
             "Each b-tree is a data set of gnuplot's, below a comment with its name:\n"
             "plot 'MAP' index 'NAME' using 1:2 with dots. MAP must not exist."},
        {.name = "--points",
         .kind = OPTION_INT,
         .target = &set->points,
         .least = 1,
         .most = 1000000000,
         .argument = "N",
         .standard = "20000 leaves",
         .help = "At most so many lines a b-tree in the map. Where it has more leaves, one is\n"
                 "taken from each of N equal stretches of the scan, at random, the same ones\n"
                 "each time."},
        {.name = "--dir",
         .kind = OPTION_TEXT,
         .target = &set->common.directory,
         .argument = "DIR",
         .standard = "$TMPDIR, else /var/tmp",
         .help =
             "Where a copy of a database with a log is made, in a directory of its own that\n"
             "is removed at the end."},
        {.name = "--json",
         .kind = OPTION_TEXT,
         .target = &set->common.json,
         .argument = "RESULT",
         .standard = "none",
         .help =
             "Write every number, one JSON object a line; reads and read_jumps are those of\n"
             "a scan with its interior pages. RESULT must not exist."},
        {.name = "--csv",
         .kind = OPTION_TEXT,
         .target = &set->common.csv,
         .argument = "RESULT",
         .standard = "none",
         .help = "Write a summary, one line a number. RESULT must not exist."},
        {.name = NULL},
    };
    if (argc > 0 && argv[0][0] != '-') {
        set->file = argv[0];
        argc--;
        argv++;
    }
    if (options_parse(options, argc, argv, &set->common.help, f) != 0)
        ;
    else if (set->common.help)
        help(options);
    else if (set->file == NULL || *set->file == 0)
        fail_set(f, STATUS_UNUSABLE, "no database given: walbench order FILE [OPTION...]");
    else
        (void)look(run, f);
    (void)signals_check(f);
    (void)bench_close(&run->bench, f);
    free_run(run);
    return f->status;
}
