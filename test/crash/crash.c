/*
** crash.c: what a power failure may leave of a database, opened by stock SQLite.
**
** A library plays a random workload; everything that it writes is recorded
** (recorder.c). From the record follows what the disk may hold after a crash at
** any point (model.c, state.c). Each such state is written to files and opened
** (check.c): it must be in good order and hold what was committed.
*/
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "libraries.h"
#include "search_options.h"
#include "seeds.h"
#include "session.h"
#include "signals.h"

struct settings {
    struct text_list library;
    const char *reader, *other;
    int64_t seed; /* -1: none given */
    const char *seeds;
    int64_t first, last;
    int64_t ops, states;
    int64_t state; /* -1: all */
    int64_t minutes;
    const char *folder, *keep, *lie;
    bool print, all, strict;
};

struct libraries {
    char *name[2], *path[2]; /* stock and patched */
    char *work_name, *work;
    char *keep; /* absolute */
};

struct totals {
    uint64_t seeds, transactions, events, points, states, failures, stock_too;
    int64_t first_stock_too;
    bool lost;
};

enum { OPTIONS = 16 };

static void settings_table(struct settings *s, struct option table[OPTIONS])
{
    const struct option all[OPTIONS] = {
        {.name = "--lib",
         .kind = OPTION_LIST,
         .target = &s->library,
         .argument = "NAME=PATH",
         .standard = "patched, from the folder of this program",
         .help = "the libsqlite3 shared object that plays the workload"},
        {.name = "--reader",
         .kind = OPTION_TEXT,
         .target = &s->reader,
         .argument = "PATH",
         .standard = "stock, from the folder of this program",
         .help = "the library that opens the states, and whose results count"},
        {.name = "--other",
         .kind = OPTION_TEXT,
         .target = &s->other,
         .argument = "PATH",
         .standard = "patched, from the folder of this program",
         .help = "a library that opens every eighth state as well"},
        SEED_OPTION(s->seed, "play the one workload of this seed"),
        SEEDS_OPTION(s->seeds, "1..100", "play these workloads"),
        {.name = "--ops",
         .kind = OPTION_INT,
         .target = &s->ops,
         .least = 1,
         .most = 10000,
         .argument = "N",
         .standard = "150 operations",
         .help = "how long a workload is"},
        {.name = "--states",
         .kind = OPTION_INT,
         .target = &s->states,
         .least = 1,
         .most = 1000000,
         .argument = "N",
         .standard = "1000 states",
         .help = "about how many crash states to look at for each workload"},
        {.name = "--state",
         .kind = OPTION_INT,
         .target = &s->state,
         .most = INT64_MAX,
         .argument = "N",
         .help = "with --seed: look at this state only"},
        {.name = "--keep",
         .kind = OPTION_TEXT,
         .target = &s->keep,
         .argument = "DIR",
         .help = "with --state: leave the files of the state in this folder, not yet opened"},
        {.name = "--lie-sync",
         .kind = OPTION_CHOICE,
         .target = &s->lie,
         .choices = "none|database|log|journal|folder|all",
         .argument = "WHICH",
         .standard = "none",
         .help =
             "let syncs of the database, log, journal or folder do nothing, to see that it is\n"
             "found: none, database, log, journal, folder, all"},
        {.name = "--strict",
         .kind = OPTION_FLAG,
         .target = &s->strict,
         .help =
             "expect of every mode what only synchronous=FULL promises, to see that it is found"},
        MINUTES_OPTION(s->minutes, "begin no other workload after so many minutes"),
        DIR_OPTION(s->folder),
        {.name = "--all",
         .kind = OPTION_FLAG,
         .target = &s->all,
         .help = "go on after a failure, and count"},
        {.name = "--print",
         .kind = OPTION_FLAG,
         .target = &s->print,
         .help = "print each workload, what it did to the files, and each state"},
        {0},
    };
    memcpy(table, all, sizeof all);
}

static void usage(const struct option *table)
{
    fputs("usage: crash [OPTION...]\n"
          "\n"
          "Plays random workloads with a SQLite library, records what it writes, and opens\n"
          "with another one what a power failure or the end of the process may leave.\n"
          "\n",
          stdout);
    options_print(table, stdout);
    fputs("\n"
          "Exit status: 0 nothing lost; 1 something lost; 2 unusable arguments or a missing\n"
          "file.\n",
          stdout);
}

/* --- Arguments. */

static void replace_path(char **path, const char *given, struct fail *f)
{
    char *name = NULL, *text;
    if (given == NULL || f->status != 0)
        return;
    free(*path);
    *path = NULL;
    text = mem_format("library=%s", given);
    (void)library_take(text, &name, path, f);
    free(name);
    free(text);
}

static int take_libraries(const struct settings *s, struct libraries *l, struct fail *f)
{
    static const struct text_list none = {NULL, 0};
    bool standard = s->reader == NULL || s->other == NULL || s->library.count == 0;
    if (standard && libraries_take(&none, l->name, l->path, f) != 0)
        return f->status;
    replace_path(&l->path[0], s->reader, f);
    replace_path(&l->path[1], s->other, f);
    if (f->status != 0)
        return f->status;
    if (s->library.count > 1)
        return fail_set(f, STATUS_UNUSABLE, "--lib is to be given once");
    if (s->library.count == 1)
        return library_take(s->library.at[0], &l->work_name, &l->work, f);
    /* --other says who reads, not who writes. */
    char *names[2] = {NULL, NULL}, *paths[2] = {NULL, NULL};
    (void)libraries_take(&none, names, paths, f);
    l->work_name = names[1];
    l->work = paths[1];
    free(names[0]);
    free(paths[0]);
    return f->status;
}

static int take(struct settings *set, struct libraries *l, struct fail *f)
{
    struct stat st;
    if (seeds_take(set->seed, set->seeds, 100, set->minutes, &set->first, &set->last, f) != 0 ||
        take_libraries(set, l, f) != 0)
        return f->status;
    if (set->state >= 0 && set->seed < 0)
        return fail_set(f, STATUS_UNUSABLE, "--state needs --seed");
    if (set->keep != NULL && set->state < 0)
        return fail_set(f, STATUS_UNUSABLE, "--keep needs --state");
    if (set->keep == NULL)
        return 0;
    l->keep = realpath(set->keep, NULL);
    if (l->keep == NULL || stat(l->keep, &st) != 0 || !S_ISDIR(st.st_mode))
        return fail_set(f, STATUS_UNUSABLE, "--keep: '%s' is not a folder", set->keep);
    return 0;
}

static unsigned lies_of(const char *text, bool strict)
{
    static const char *const names[] = {"database", "log", "journal", "folder"};
    unsigned lies = strict ? LIE_PROMISE : 0;
    for (int i = 0; text != NULL && i < FILES + 1; i++)
        if (strcmp(text, names[i]) == 0 || strcmp(text, "all") == 0)
            lies |= 1u << i;
    return lies;
}

/* --- The run. */

static void progress(const struct settings *set, const struct totals *t,
                     const struct session *s, int64_t seed)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[Kseed %" PRId64, seed);
    if (set->last != INT64_MAX)
        fprintf(stderr, " of %" PRId64 "..%" PRId64, set->first, set->last);
    fprintf(stderr, ", %" PRIu64 " states, %" PRIu64 " distinct", t->states,
            s->verdicts->distinct);
    (void)fflush(stderr);
}

static void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static uint64_t transactions(const struct tape *t)
{
    uint64_t n = 0;
    for (size_t i = 1; i < t->states; i++)
        n += t->content[i].high != t->content[i - 1].high ||
             t->content[i].low != t->content[i - 1].low;
    return n;
}

static struct check_job check_of(const struct settings *set, const struct session *s,
                                 const struct libraries *l, int64_t seed)
{
    return (struct check_job){
        .reader = s->stock,
        .other = s->other,
        .folder = l->keep != NULL ? l->keep : s->states,
        .range = {.seed = (uint64_t)seed,
                  .about = (uint64_t)set->states,
                  .first = set->state >= 0 ? (uint64_t)set->state : 0,
                  .last = set->state >= 0 ? (uint64_t)set->state : UINT64_MAX - 1,
                  .lies = lies_of(set->lie, set->strict)},
        .keep = l->keep != NULL,
        .go_on = set->all,
        .describe = set->print || set->state >= 0,
    };
}

/* Does the workload lose something with stock as well? *lost: what. */
static int try_stock(struct session *s, const struct plan *plan, const struct check_job *check,
                     bool *lost, struct fail *f)
{
    struct check_job c = *check;
    c.go_on = c.describe = false;
    c.range.first = 0;
    c.range.last = UINT64_MAX - 1;
    c.range.lies = 0;
    if (session_record(s, plan, s->stock, c.range.seed, f) == 0)
        (void)session_check(s, &c, f);
    *lost = s->tape->wrong[0] != 0 || s->verdicts->failures > 0;
    return f->status;
}

static void replay_lines(const struct settings *set, const struct libraries *l, int64_t seed,
                         const struct verdicts *v, bool state)
{
    printf("replay: crash --seed %" PRId64, seed);
    if (state)
        printf(" --state %" PRIu64, v->failed);
    printf(" --ops %" PRId64 " --states %" PRId64 " --lib %s=%s", set->ops, set->states,
           l->work_name, l->work);
    if (set->reader != NULL)
        printf(" --reader %s", l->path[0]);
    if (set->other != NULL)
        printf(" --other %s", l->path[1]);
    if (set->lie != NULL)
        printf(" --lie-sync %s", set->lie);
    if (set->strict)
        fputs(" --strict", stdout);
    puts(state ? "\nwith --keep DIR it leaves the files of that state there, unopened" : "");
}

static int report(const struct settings *set, const struct libraries *l, struct session *s,
                  const struct plan *plan, const struct check_job *c, int64_t seed,
                  struct totals *t, struct fail *f)
{
    struct verdicts *v = s->verdicts;
    bool state = v->failures > 0;
    progress_end();
    printf("%s fails, seed %" PRId64, l->work_name, seed);
    if (state)
        printf(", state %" PRIu64 ", after %" PRIu64 " distinct states: %s\n", v->failed,
               v->distinct, v->text);
    else
        printf(", without a crash, after %" PRIu64 " distinct states: %s\n", v->distinct,
               s->tape->wrong);
    replay_lines(set, l, seed, v, state);
    (void)fflush(stdout);
    if (strcmp(l->work, s->stock) == 0 || set->state >= 0)
        return 0;
    struct verdicts before = *v;
    bool stock_too = false;
    if (try_stock(s, plan, c, &stock_too, f) != 0)
        return f->status;
    printf("stock as the workload library, same seed: %s%s\n",
           stock_too ? "fails as well, " : "nothing is lost",
           stock_too ? v->failures > 0 ? v->text : s->tape->wrong : "");
    if (stock_too && t->stock_too++ == 0)
        t->first_stock_too = seed;
    t->lost = t->lost || !stock_too;
    *v = before; /* what stock has been asked is not what this run is about */
    return 0;
}

static int one(const struct settings *set, const struct libraries *l, struct session *s,
               int64_t seed, struct totals *t, struct fail *f)
{
    struct plan plan;
    struct check_job c = check_of(set, s, l, seed);
    plan_make(&plan, (uint64_t)seed, (size_t)set->ops);
    if (set->print)
        plan_print(&plan, stdout);
    if (session_record(s, &plan, l->work, (uint64_t)seed, f) == 0) {
        t->seeds++;
        t->transactions += transactions(s->tape);
        t->events += s->tape->count;
        bool wrong = s->tape->wrong[0] != 0;
        if (set->print)
            tape_print(s->tape, stdout);
        /* Also of a workload that went wrong: up to there it is one like others. */
        if (session_check(s, &c, f) == 0) {
            t->points += s->verdicts->counts.points;
            t->states += s->verdicts->counts.states;
        }
        t->failures += s->verdicts->failures > 0 ? s->verdicts->failures : wrong;
        if (f->status == 0 && (wrong || s->verdicts->failures > 0)) {
            if (strcmp(l->work, s->stock) == 0 || set->state >= 0)
                t->lost = true;
            (void)report(set, l, s, &plan, &c, seed, t, f);
        }
    }
    plan_free(&plan);
    return f->status;
}

static void sum_up(const struct totals *t, const struct verdicts *v)
{
    if (t->stock_too > 0)
        printf("stock fails as well in %" PRIu64 " of the seeds, the first is %" PRId64 "\n",
               t->stock_too, t->first_stock_too);
    printf("found: the last committed state %" PRIu64 ", one under way %" PRIu64
           ", an older one not yet safe %" PRIu64 "; with the -shm %" PRIu64
           ", emptied into the file %" PRIu64 ", opened by the other library too %" PRIu64 "\n",
           v->last, v->newer, v->older, v->index, v->alone, v->other);
    printf("%" PRIu64 " seeds, %" PRIu64 " transactions, %" PRIu64 " events, %" PRIu64
           " crash points, %" PRIu64 " states, %" PRIu64 " distinct, %" PRIu64 " failures\n",
           t->seeds, t->transactions, t->events, t->points, t->states, v->distinct,
           t->failures);
}

static int run(const struct settings *set, const struct libraries *l, struct session *s,
               bool *lost, struct fail *f)
{
    struct totals t = {0};
    time_t limit = time(NULL) + (time_t)set->minutes * 60;
    for (int64_t seed = set->first;; seed++) {
        if (set->minutes > 0 && time(NULL) >= limit)
            break;
        progress(set, &t, s, seed);
        if (one(set, l, s, seed, &t, f) != 0 || seed == set->last || (t.lost && !set->all))
            break;
    }
    progress_end();
    *lost = t.lost;
    if (f->status != STATUS_UNUSABLE)
        sum_up(&t, s->verdicts);
    return f->status;
}

int main(int argc, char **argv)
{
    struct fail f = {0};
    struct settings set = {.seed = -1, .ops = 150, .states = 1000, .state = -1};
    struct libraries l = {0};
    struct session session = {0};
    struct option table[OPTIONS];
    bool help = false, lost = false;
    settings_table(&set, table);
    if (options_parse(table, argc - 1, argv + 1, &help, &f) == 0 && help) {
        usage(table);
        return 0;
    }
    signals_catch();
    if (f.status == 0 && take(&set, &l, &f) == 0 && folder_open(set.folder, &f) == 0) {
        session.stock = l.path[0];
        session.other = l.path[1];
        if (session_open(&session, &f) == 0)
            (void)run(&set, &l, &session, &lost, &f);
    }
    session_close(&session);
    for (int i = 0; i < 2; i++) {
        free(l.name[i]);
        free(l.path[i]);
    }
    free(l.work_name);
    free(l.work);
    free(l.keep);
    free(set.library.at);
    folder_close();
    if (fflush(stdout) != 0 || ferror(stdout))
        fail_set(&f, STATUS_UNUSABLE, "cannot write the report");
    if (f.status != 0)
        fprintf(stderr, "crash: %s\n", f.text);
    signals_repeat();
    return f.status ? f.status : lost ? STATUS_MISMATCH : STATUS_DONE;
}
