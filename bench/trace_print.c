/*
** trace_print.c: shows the calls of each transaction, the table, and the verdict.
*/
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 90, INDENT = 12 };

/* Where the next call of a list begins, and how long this one is. */
static const char *next_call(const char *at, size_t *size)
{
    const char *end = strstr(at, "; ");
    *size = end != NULL ? (size_t)(end - at) : strlen(at);
    return end != NULL ? end + 2 : at + *size;
}

/* How much of a call names what is done to which file. */
static size_t naming(const char *call, size_t size)
{
    size_t verb = strcspn(call, " ");
    size_t whole = verb + 1 + strcspn(call + verb + 1, " ;");
    return whole < size ? whole : size;
}

/* The calls, broken into lines; writes to one file stand behind its name. */
static void print_calls(const char *label, const char *calls)
{
    size_t column = INDENT, size;
    const char *before = NULL, *next;
    size_t before_named = 0;
    printf("%-*s", INDENT, label);
    if (*calls == 0)
        printf("nothing");
    for (const char *at = calls; *at; at = next) {
        next = next_call(at, &size);
        size_t named = naming(at, size);
        bool same = before != NULL && named < size && named == before_named &&
                    memcmp(at, before, named) == 0;
        const char *word = same ? at + named + 1 : at;
        size_t word_size = same ? size - named - 1 : size;
        if (before != NULL && column + word_size + 3 > WIDTH) {
            printf("%s\n%*s", same ? "," : ";", INDENT, "");
            column = INDENT;
        } else if (before != NULL) {
            fputs(same ? ", " : "; ", stdout);
            column += 2;
        }
        printf("%.*s", (int)word_size, word);
        column += word_size;
        before = at;
        before_named = named;
    }
    putchar('\n');
}

static bool same_calls(const struct trace_cell *a, const struct trace_cell *b)
{
    return strcmp(a->calls[TRACE_FIRST], b->calls[TRACE_FIRST]) == 0 &&
           strcmp(a->calls[TRACE_NEXT], b->calls[TRACE_NEXT]) == 0;
}

/* Are two modes the same for every library? */
static bool same_case(const struct trace_run *run, const struct trace_case *a,
                      const struct trace_case *b)
{
    for (size_t k = 0; k < run->bench.libraries.count; k++)
        if (!same_calls(&a->cell[k], &b->cell[k]))
            return false;
    return strcmp(a->journal, b->journal) == 0;
}

static void print_next(const struct trace_cell *cell)
{
    const char *first = cell->calls[TRACE_FIRST], *rest;
    size_t size;
    while (strncmp(first, "open ", 5) == 0) {
        rest = next_call(first, &size);
        if (strcmp(first, cell->calls[TRACE_NEXT]) == 0)
            break;
        first = rest;
    }
    if (strcmp(first, cell->calls[TRACE_NEXT]) == 0)
        printf("%-*s%s\n", INDENT, "  next", "the same, with the database open already");
    else
        print_calls("  next", cell->calls[TRACE_NEXT]);
}

static void print_case(const struct trace_run *run, size_t i)
{
    const struct libraries *set = &run->bench.libraries;
    const struct trace_case *c = &run->cases[i];
    for (size_t k = 0; k < i; k++)
        if (same_case(run, &run->cases[k], c))
            return;
    printf("journal_mode=%s, synchronous=%s", c->journal, c->synchronous);
    for (size_t k = i + 1; k < run->count; k++)
        if (same_case(run, c, &run->cases[k]))
            printf(",%s", run->cases[k].synchronous);
    putchar('\n');
    for (size_t a = 0; a < set->count; a++) {
        size_t like = 0;
        while (like < a && !same_calls(&c->cell[like], &c->cell[a]))
            like++;
        if (like < a) {
            printf("  %s: as %s\n", set->at[a].name, set->at[like].name);
            continue;
        }
        printf("  %s\n", set->at[a].name);
        print_calls("  first", c->cell[a].calls[TRACE_FIRST]);
        print_next(&c->cell[a]);
    }
    putchar('\n');
}

static void add_times(const struct trace_run *run, const struct trace_case *c, size_t arm,
                      struct table *t)
{
    const struct trace_cell *cell = &c->cell[arm];
    struct estimate rate = stats_estimate(&cell->rate);
    struct estimate flushes = stats_estimate(&cell->flushes);
    struct estimate ratio = stats_ratio(&cell->rate, &c->cell[0].rate, NULL);
    bool disk = run->disk.name[0] != 0;
    if (!c->timed) {
        for (int i = 0; i < (disk ? 4 : 2); i++)
            table_cell(t, "%s", "");
        return;
    }
    table_estimate(t, &rate, 1, 0);
    if (arm == 0)
        table_cell(t, "%s", "");
    else
        table_ratio(t, &ratio);
    if (!disk)
        return;
    table_cell(t, flushes.known ? "%.2f (%.2f to %.2f)" : "%.2f (?)", flushes.median,
               flushes.low, flushes.high);
    table_cell(t, "%.2f", stats_quantile(&cell->counted, 0) / (double)c->transactions);
}

static bool is_timed(const struct trace_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->cases[i].timed)
            return true;
    return false;
}

static void print_fact(struct table *t, const struct trace_case *c,
                       const struct trace_fact *fact)
{
    bool rate = trace_rate_published(c->synchronous, c->transactions);
    table_cell(t, "%d syncs%s%s%s%s%s", fact->syncs, rate ? ", " : "", rate ? fact->rate : "",
               rate ? " a second" : "", fact->flushes ? ", flushes " : "",
               fact->flushes ? fact->flushes : "");
}

static void print_table(const struct trace_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    bool timed = is_timed(run), flushes = timed && run->disk.name[0] != 0;
    struct table t;
    table_begin(&t, 6 + (timed ? 2u : 0u) + (flushes ? 2u : 0u), 3);
    table_cell(&t, "journal_mode");
    table_cell(&t, "synchronous");
    table_cell(&t, "library");
    table_cell(&t, "syncs first");
    table_cell(&t, "next");
    if (timed) {
        table_cell(&t, "a second");
        table_cell(&t, "to %s", set->at[0].name);
    }
    if (flushes) {
        table_cell(&t, "flushes");
        table_cell(&t, "least");
    }
    table_cell(&t, "published");
    for (size_t i = 0; i < run->count; i++)
        for (size_t a = 0; a < set->count; a++) {
            const struct trace_case *c = &run->cases[i];
            const struct trace_fact *fact =
                run->set.page_size == 4096 ? trace_fact(c->journal, c->synchronous) : NULL;
            table_cell(&t, "%s", c->journal);
            table_cell(&t, "%s", c->synchronous);
            table_cell(&t, "%s", set->at[a].name);
            table_cell(&t, "%d", (int)c->cell[a].syncs[TRACE_FIRST]);
            table_cell(&t, "%d", (int)c->cell[a].syncs[TRACE_NEXT]);
            if (timed)
                add_times(run, c, a, &t);
            if (fact == NULL)
                table_cell(&t, "%s", "");
            else
                print_fact(&t, c, fact);
        }
    table_end(&t, stdout);
}

/* What the two columns of flushes are. */
static void print_disk(const struct trace_run *run)
{
    if (!is_timed(run))
        return;
    if (run->disk.name[0] == 0) {
        printf("Flushes of the disk are not counted: %s.\n\n", run->disk.because);
        return;
    }
    printf("flushes: of %s, a transaction", run->disk.name);
    if (run->idle.count > 0)
        printf(", less those that came while nothing was done, %.1f a\nsecond (%.1f to %.1f)",
               stats_mean(&run->idle), stats_quantile(&run->idle, 0),
               stats_quantile(&run->idle, 1));
    puts(". least: in the trial with the fewest, nothing taken off.\n");
}

void trace_print(struct trace_run *run)
{
    printf(
        "The calls of a transaction that inserts one row into an empty table, and of the next\n"
        "(page size %d)\n\n",
        (int)run->set.page_size);
    libraries_print(&run->bench.libraries, stdout);
    putchar('\n');
    for (size_t i = 0; i < run->count; i++)
        print_case(run, i);
    print_table(run);
    putchar('\n');
    print_disk(run);
    puts("Content and integrity of every result were the same for every library.");
}

static void judge_published(struct trace_run *run, const struct trace_case *c,
                            const struct trace_cell *stock)
{
    const struct trace_fact *fact = trace_fact(c->journal, c->synchronous);
    if (fact == NULL)
        return;
    char *expected = trace_expected(fact);
    bool equal = stock != NULL && strcmp(stock->calls[TRACE_FIRST], expected) == 0 &&
                 stock->syncs[TRACE_FIRST] == fact->syncs;
    size_t but = fact->but != NULL ? strlen(fact->but) - 2 : 0;
    report_bound(&run->bench.report, stock != NULL && run->set.page_size == 4096, equal,
                 "trace stock, journal_mode=%s, synchronous=%s: the published calls%s%.*s%s%s",
                 c->journal, c->synchronous, but ? ", but no '" : "", (int)but,
                 but ? fact->but : "", but ? "': " : "", but ? fact->why : "");
    free(expected);
}

void trace_judge(struct trace_run *run)
{
    const struct libraries *set = &run->bench.libraries;
    const struct library *stock = libraries_find(set, "stock");
    const struct library *patched = libraries_find(set, "patched");
    for (size_t i = 0; i < run->count; i++) {
        const struct trace_case *c = &run->cases[i];
        judge_published(run, c, stock != NULL ? &c->cell[stock - set->at] : NULL);
    }
    for (size_t i = 0; i < run->count; i++) {
        const struct trace_case *c = &run->cases[i];
        report_bound(&run->bench.report, stock && patched,
                     stock && patched &&
                         same_calls(&c->cell[stock - set->at], &c->cell[patched - set->at]),
                     "trace patched, journal_mode=%s, synchronous=%s: the calls of stock",
                     c->journal, c->synchronous);
    }
}
