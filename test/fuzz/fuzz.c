/*
** fuzz.c: plays random sequences with two SQLite libraries and compares.
**
** A sequence depends on its seed and length alone (generate.c). Each library plays
** it in processes of its own (player.c), and every answer and everything that can
** be read afterwards has to be the same (pair.c).
*/
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "generate.h"
#include "libraries.h"
#include "pair.h"
#include "search_options.h"
#include "seeds.h"
#include "shrink.h"
#include "signals.h"

struct settings {
    struct text_list libraries;
    int64_t seed; /* -1: none given */
    const char *seeds;
    int64_t first, last;
    int64_t ops;
    int64_t minutes;
    const char *folder;
    bool print;
    bool keep_long;
    bool other_pages;
};

struct totals {
    uint64_t sequences, steps, transactions, checks, both, stock;
    int64_t first_both, first_stock;
};

static void settings_table(struct settings *s, struct option table[10])
{
    const struct option all[10] = {
        {.name = "--lib",
         .kind = OPTION_LIST,
         .target = &s->libraries,
         .argument = "NAME=PATH",
         .standard = "stock and patched, from the folder of this program",
         .help = "a libsqlite3 shared object; to be given twice"},
        SEED_OPTION(s->seed, "play the one sequence of this seed"),
        SEEDS_OPTION(s->seeds, "1..200", "play these sequences"),
        {.name = "--ops",
         .kind = OPTION_INT,
         .target = &s->ops,
         .least = 1,
         .most = 100000,
         .argument = "N",
         .standard = "300 operations",
         .help = "how long a sequence is"},
        MINUTES_OPTION(s->minutes, "begin no other sequence after so many minutes"),
        DIR_OPTION(s->folder),
        {.name = "--print",
         .kind = OPTION_FLAG,
         .target = &s->print,
         .help = "print the steps of each sequence before it is played"},
        {.name = "--no-shrink",
         .kind = OPTION_FLAG,
         .target = &s->keep_long,
         .help = "do not look for a shorter sequence after a difference"},
        {.name = "--other-pages",
         .kind = OPTION_FLAG,
         .target = &s->other_pages,
         .help = "the libraries choose free pages otherwise: do not compare how many pages\n"
                 "are used or written, nor the bytes of the file"},
        {0},
    };
    memcpy(table, all, sizeof all);
}

static void usage(const struct option *table)
{
    fputs("usage: fuzz [OPTION...]\n"
          "\n"
          "Plays random sequences of operations with two SQLite libraries, each in a process\n"
          "of its own, and compares results and content step by step.\n"
          "\n",
          stdout);
    options_print(table, stdout);
    fputs("\n"
          "Exit status: 0 no difference; 1 a difference; 2 unusable arguments or a missing\n"
          "file.\n",
          stdout);
}

/* --- Arguments. */

static int take(struct settings *s, struct pair *p, struct fail *f)
{
    if (seeds_take(s->seed, s->seeds, 200, s->minutes, &s->first, &s->last, f) != 0)
        return f->status;
    p->other_pages = s->other_pages;
    return libraries_take(&s->libraries, p->name, p->path, f);
}

/* --- Reports. */

static void report_step(const struct pair *p, const struct script *s, const struct verdict *v)
{
    printf("  step %zu, ", v->step);
    if (v->step < s->count)
        step_print(&s->at[v->step], stdout);
    else
        fputs("at the end", stdout);
    fputc('\n', stdout);
    for (int i = 0; i < 2; i++) {
        printf("  %s: ", p->name[i]);
        record_print(v->has[i] ? &v->record[i] : NULL, stdout);
        printf("%s%s\n", v->ended[i][0] ? "; its process " : "", v->ended[i]);
    }
}

static int report(const struct settings *set, const struct pair *p, const struct script *s,
                  struct verdict *v, struct fail *f)
{
    printf("%s in the sequence of seed %" PRIu64 ":\n",
           v->outcome == OUTCOME_BOTH    ? "Both are wrong"
           : v->outcome == OUTCOME_STOCK ? "The first library alone is wrong"
                                         : "A difference",
           s->seed);
    report_step(p, s, v);
    printf("replay: fuzz --seed %" PRIu64 " --ops %" PRId64 "%s --lib %s=%s --lib %s=%s\n",
           s->seed, set->ops, set->other_pages ? " --other-pages" : "", p->name[0], p->path[0],
           p->name[1], p->path[1]);
    (void)fflush(stdout);
    if (set->keep_long)
        return 0;
    bool *left_out = mem_get(s->count);
    if (shrink(p, s, left_out, v, f) == 0) {
        fputs("What it takes:\n", stdout);
        script_print(s, left_out, v->step + 1, stdout);
        report_step(p, s, v);
    }
    free(left_out);
    return f->status;
}

static void progress(const struct settings *set, const struct totals *t, int64_t seed)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[Kseed %" PRId64, seed);
    if (set->last != INT64_MAX)
        fprintf(stderr, " of %" PRId64 "..%" PRId64, set->first, set->last);
    fprintf(stderr, ", %" PRIu64 " operations", t->steps);
    (void)fflush(stderr);
}

static void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* --- The run. */

/* *different: go no further. */
static int one(const struct settings *set, const struct pair *p, int64_t seed, struct totals *t,
               bool *different, struct fail *f)
{
    struct script s;
    struct verdict v;
    generate(&s, (uint64_t)seed, (size_t)set->ops);
    if (set->print)
        script_print(&s, NULL, s.count, stdout);
    if (pair_run(p, &s, NULL, &v, f) == 0) {
        t->sequences++;
        t->steps += p->trace[0]->steps_done;
        t->transactions += p->trace[0]->transactions;
        t->checks += p->trace[0]->added;
        *different = v.outcome == OUTCOME_DIFFERENT;
        if (v.outcome == OUTCOME_BOTH && t->both++ == 0)
            t->first_both = seed;
        if (v.outcome == OUTCOME_STOCK && t->stock++ == 0)
            t->first_stock = seed;
        if (*different || (v.outcome >= OUTCOME_BOTH && set->first == set->last)) {
            progress_end();
            (void)report(set, p, &s, &v, f);
        }
    }
    script_free(&s);
    return f->status;
}

static int run(const struct settings *set, const struct pair *p, bool *different,
               struct fail *f)
{
    struct totals t = {0};
    time_t limit = time(NULL) + (time_t)set->minutes * 60;
    for (int64_t seed = set->first; !*different; seed++) {
        if (set->minutes > 0 && time(NULL) >= limit)
            break;
        progress(set, &t, seed);
        if (one(set, p, seed, &t, different, f) != 0 || seed == set->last)
            break;
    }
    progress_end();
    if (f->status == STATUS_UNUSABLE)
        return f->status;
    printf("%" PRIu64 " sequences, %" PRIu64 " operations, %" PRIu64 " transactions, %" PRIu64
           " comparisons: %s\n",
           t.sequences, t.steps, t.transactions, t.checks,
           *different ? "the last one differs" : "no difference");
    if (t.both > 0)
        printf("both wrong in the same way in %" PRIu64
               " sequences, first in that of seed %" PRId64 "\n",
               t.both, t.first_both);
    if (t.stock > 0)
        printf("%s alone is wrong in %" PRIu64 " sequences, first in that of seed %" PRId64
               "\n",
               p->name[0], t.stock, t.first_stock);
    return f->status;
}

int main(int argc, char **argv)
{
    struct fail f = {0};
    struct settings set = {.seed = -1, .ops = 300};
    struct pair pair = {0};
    struct option table[10];
    bool help = false, different = false;
    settings_table(&set, table);
    if (options_parse(table, argc - 1, argv + 1, &help, &f) == 0 && help) {
        usage(table);
        return 0;
    }
    signals_catch();
    if (f.status == 0 && take(&set, &pair, &f) == 0 && folder_open(set.folder, &f) == 0 &&
        pair_open(&pair, (size_t)set.ops, &f) == 0)
        (void)run(&set, &pair, &different, &f);
    pair_close(&pair);
    free(set.libraries.at);
    folder_close();
    if (fflush(stdout) != 0 || ferror(stdout))
        fail_set(&f, STATUS_UNUSABLE, "cannot write the report");
    if (f.status != 0)
        fprintf(stderr, "fuzz: %s\n", f.text);
    signals_repeat();
    return f.status ? f.status : different ? STATUS_MISMATCH : STATUS_DONE;
}
