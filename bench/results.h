/*
** results.h: result files of walbench in a database in memory, to be asked by SQL.
**
** Table r has a row for each line of the files: id, experiment, command, arm, metric,
** unit, samples (JSON), n, sum, mean, median, low, high (of the 95 % interval, or NULL),
** p (the parameters, JSON), pragmas (JSON), published, version, source_id,
** compile_options (JSON), kernel, machine (JSON), line (all of it).
*/
#ifndef WALBENCH_RESULTS_H
#define WALBENCH_RESULTS_H

#include <stdbool.h>

#include "db.h"
#include "document.h"

enum { RESULTS_ARMS_MOST = 16 };

/* SQL: a column of the published figures of a group, each once. */
#define RESULTS_PUBLISHED                                                               \
    "trim(replace(json_group_array(DISTINCT published) FILTER (WHERE published IS NOT " \
    "NULL), '\",\"', '; '), '[]\"') AS published"

struct results {
    struct api api;
    struct db db;
    char *arm[RESULTS_ARMS_MOST]; /* in the order in which they were measured */
    size_t arms;
};

int results_open(struct results *r, struct fail *f);
int results_load(struct results *r, const char *path, struct fail *f);
/* To be called when everything is loaded. */
int results_ready(struct results *r, struct fail *f);
void results_close(struct results *r);

/* Has the command left anything? */
bool results_have(const struct results *r, const char *command);

/*
** Writes the lines of a command that meet a condition in SQL. What the lines of an arm
** have in common, such as the library's compile options, stands in its first one only, and
** the pragmas in the first one of each set of parameters.
*/
int results_keep(const struct results *r, FILE *out, const char *command, const char *condition,
                 struct fail *f);

/* One value as text, "" for NULL; the caller frees it. */
char *results_text(const struct results *r, const char *sql, struct fail *f);

/* What a query answers, as lines for gnuplot: text in quotes, NULL as a question mark. */
int results_lines(const struct results *r, FILE *out, const char *sql, struct fail *f);

/* A table of what a query answers, its column names the headings. No rows: no table. */
int results_table(const struct results *r, struct document *d, const char *sql, struct fail *f);

/* A row for each combination of the keys, and figures of every arm side by side. */
enum pivot_kind {
    PIVOT_MEAN,     /* of all samples of the records of the metric */
    PIVOT_SUM,      /* of all samples */
    PIVOT_ESTIMATE, /* the median of the one record, and how far its interval reaches */
};

struct pivot_cell {
    const char *heading, *metric;
    enum pivot_kind kind;
    double scale;
    int digits;
    bool ratio; /* also of each arm but the first to the first */
};

struct pivot {
    const char *keys; /* SQL, such as "p->>'mode' AS mode"; what is NULL falls out */
    int key_count;
    const char *where;
    const struct pivot_cell *cells;
    size_t cell_count;
    bool published; /* the published figure in a last column */
};

int results_pivot(const struct results *r, struct document *d, const struct pivot *pivot,
                  struct fail *f);

#endif
