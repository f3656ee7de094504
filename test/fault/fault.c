/*
** fault.c: lets every call of every kind fail, in every scenario, with each library.
**
** A scenario (scenario.c) is played over and over, each time with the next call
** failing (inject.c, vfs.c, memory.c). What an application can see afterwards has
** to be a state that it can be in (point.c). Which states there are is found by
** playing the scenario with the first library and no fault (oracle.c).
*/
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "search_options.h"
#include "signals.h"
#include "sweep.h"

enum { LIBRARIES_MOST = 8 };

struct library {
    char *name;
    char *path; /* absolute */
    char *folder;
    struct account *account;
    char ended[64];
    uint64_t wrong; /* points of all scenarios */
};

struct settings {
    struct text_list libraries;
    const char *scenario, *kind, *lasts, *then;
    int64_t at, every;
    const char *folder;
    bool kinds, list;
    struct library library[LIBRARIES_MOST];
    size_t count;
    struct selection what;
    uint64_t points;
};

static void settings_table(struct settings *s, struct option table[11])
{
    const struct option all[11] = {
        {.name = "--lib",
         .kind = OPTION_LIST,
         .target = &s->libraries,
         .argument = "NAME=PATH",
         .standard = "stock and patched, from the folder of this program",
         .help =
             "a libsqlite3 shared object; may be repeated. The first one says what is right,\n"
             "and reads the files that the others leave"},
        {.name = "--scenario",
         .kind = OPTION_TEXT,
         .target = &s->scenario,
         .argument = "NAME",
         .standard = "all",
         .help = "only this one"},
        {.name = "--fault",
         .kind = OPTION_CHOICE,
         .target = &s->kind,
         .choices = FAULT_NAMES,
         .argument = "KIND",
         .standard = "all of these",
         .help = "only calls of this kind fail:\n" FAULT_NAMES},
        {.name = "--lasts",
         .kind = OPTION_CHOICE,
         .target = &s->lasts,
         .choices = LASTS_NAMES,
         .argument = "HOW-LONG",
         .standard = "each in turn",
         .help =
             "one call fails, or every call until the statement has returned, or until the\n"
             "transaction is over: " LASTS_NAMES},
        {.name = "--then",
         .kind = OPTION_CHOICE,
         .target = &s->then,
         .choices = THEN_NAMES,
         .argument = "WHAT",
         .standard = "each in turn",
         .help = "what the application does after an error: " THEN_NAMES},
        {.name = "--at",
         .kind = OPTION_INT,
         .target = &s->at,
         .least = 1,
         .most = INT64_MAX,
         .argument = "N",
         .help = "let the N-th call fail, and tell what happens; needs the four options above"},
        {.name = "--every",
         .kind = OPTION_INT,
         .target = &s->every,
         .least = 1,
         .most = 1000000,
         .argument = "N",
         .standard = "1",
         .help = "let only every N-th call fail"},
        {.name = "--kinds",
         .kind = OPTION_FLAG,
         .target = &s->kinds,
         .help = "count for each kind of fault as well"},
        {.name = "--list",
         .kind = OPTION_FLAG,
         .target = &s->list,
         .help = "print the names of the scenarios and do nothing"},
        DIR_OPTION(s->folder),
        {0},
    };
    memcpy(table, all, sizeof all);
}

static void usage(const struct option *table)
{
    fputs(
        "usage: fault [OPTION...]\n"
        "\n"
        "Plays scenarios with SQLite libraries, and lets each of their calls to the operating\n"
        "system and to the allocator fail in turn. Afterwards the connection must have\n"
        "content that is right, or give errors until the transaction is over.\n"
        "\n",
        stdout);
    options_print(table, stdout);
    fputs(
        "\n"
        "Exit status: 0 nothing wrong; 1 a library is wrong, other than the first of several;\n"
        "2 unusable arguments or a missing file.\n",
        stdout);
}

/* --- Arguments. */

static int take_library(struct settings *s, const char *text, struct fail *f)
{
    struct stat st;
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == 0)
        return fail_set(f, STATUS_UNUSABLE, "--lib: '%s' is not NAME=PATH", text);
    if (s->count == LIBRARIES_MOST)
        return fail_set(f, STATUS_UNUSABLE, "--lib: more than %d libraries", LIBRARIES_MOST);
    char *full = realpath(equals + 1, NULL);
    if (full == NULL)
        return fail_set(f, STATUS_UNUSABLE, "library '%s': %s", equals + 1, strerror(errno));
    struct library *l = &s->library[s->count++];
    l->name = mem_copy(text);
    l->name[equals - text] = 0;
    l->path = full;
    if (stat(full, &st) != 0 || !S_ISREG(st.st_mode))
        return fail_set(f, STATUS_UNUSABLE, "library '%s' is not a file", full);
    for (size_t i = 0; i + 1 < s->count; i++)
        if (strcmp(s->library[i].name, l->name) == 0)
            return fail_set(f, STATUS_UNUSABLE, "--lib: '%s' is named twice", l->name);
    return 0;
}

static int take_libraries(struct settings *s, struct fail *f)
{
    static const char *const names[] = {"stock", "patched"};
    for (size_t i = 0; i < s->libraries.count && f->status == 0; i++)
        (void)take_library(s, s->libraries.at[i], f);
    if (s->libraries.count > 0 || f->status != 0)
        return f->status;
    char *self = realpath("/proc/self/exe", NULL);
    char *slash = self ? strrchr(self, '/') : NULL;
    if (slash == NULL)
        fail_set(f, STATUS_UNUSABLE, "cannot find this program in /proc/self/exe");
    for (int i = 0; i < 2 && f->status == 0; i++) {
        char *text = mem_format("%s=%.*s/%s/libsqlite3.so.0", names[i], (int)(slash - self),
                                self, names[i]);
        (void)take_library(s, text, f);
        free(text);
    }
    free(self);
    return f->status;
}

static bool chosen(const char *option, const char *name)
{
    return option == NULL || strcmp(option, name) == 0;
}

static int take(struct settings *s, struct fail *f)
{
    bool known = false;
    for (const struct scenario *c = scenarios; c->name != NULL; c++)
        known |= chosen(s->scenario, c->name);
    if (!known)
        return fail_set(f, STATUS_UNUSABLE, "--scenario: there is no '%s', see --list",
                        s->scenario);
    if (s->at > 0 && (!s->scenario || !s->kind || !s->lasts || !s->then))
        return fail_set(f, STATUS_UNUSABLE,
                        "--at needs --scenario, --fault, --lasts and --then");
    for (int i = 0; i < FAULT_KINDS; i++)
        s->what.kind[i] = chosen(s->kind, fault_name((enum fault_kind)i));
    for (int i = 0; i < LASTS; i++)
        s->what.lasts[i] = chosen(s->lasts, lasts_name((enum lasts)i));
    for (int i = 0; i < THENS; i++)
        s->what.then[i] = chosen(s->then, then_name((enum then)i));
    s->what.at = (uint64_t)s->at;
    s->what.every = (uint64_t)s->every;
    return take_libraries(s, f);
}

static int prepare(struct settings *s, struct fail *f)
{
    if (folder_open(s->folder, f) != 0)
        return f->status;
    for (size_t i = 0; i < s->count && f->status == 0; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%zu", i);
        s->library[i].folder = folder_add(name, f);
        s->library[i].account = account_new(f);
    }
    return f->status;
}

static void settings_free(struct settings *s)
{
    for (size_t i = 0; i < s->count; i++) {
        account_free(s->library[i].account);
        free(s->library[i].folder);
        free(s->library[i].path);
        free(s->library[i].name);
    }
    free(s->libraries.at);
}

/* --- Reports. */

static void add(struct tally *sum, const struct tally *t)
{
    if (t->wrong > 0 && sum->wrong == 0) {
        sum->first = t->first;
        sum->verdict = t->verdict;
    }
    sum->points += t->points;
    sum->errors += t->errors;
    sum->absorbed += t->absorbed;
    sum->wrong += t->wrong;
}

static struct tally sum_of_kind(const struct account *a, int kind)
{
    struct tally sum = {0};
    for (int lasts = 0; lasts < LASTS; lasts++)
        for (int then = 0; then < THENS; then++)
            add(&sum, &a->tally[kind][lasts][then]);
    return sum;
}

static void print_tally(const char *scenario, const struct library *l, const char *kind,
                        const struct tally *t)
{
    printf("%-22s %-10s %-9s %8" PRIu64 " points %8" PRIu64 " errors %8" PRIu64
           " absorbed %6" PRIu64 " wrong\n",
           scenario, l->name, kind, t->points, t->errors, t->absorbed, t->wrong);
}

static void print_point(const struct settings *s, const struct scenario *c,
                        const struct library *l, const struct point *p)
{
    printf("  replay: fault --scenario %s --fault %s --lasts %s --then %s --at %" PRIu64
           " --lib %s=%s",
           c->name, fault_name(p->kind), lasts_name(p->lasts), then_name(p->then), p->at,
           s->library[0].name, s->library[0].path);
    if (l != &s->library[0])
        printf(" --lib %s=%s", l->name, l->path);
    fputc('\n', stdout);
}

static void report(struct settings *s, const struct scenario *c, struct library *l)
{
    struct tally all = {0};
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        struct tally t = sum_of_kind(l->account, kind);
        if (s->kinds && t.points > 0)
            print_tally(c->name, l, fault_name((enum fault_kind)kind), &t);
        add(&all, &t);
    }
    print_tally(c->name, l, "all", &all);
    if (all.wrong > 0) {
        const char *step = c->step[all.verdict.step];
        printf("  first at step %d, %s: %s\n", all.verdict.step, step ? step : "the end",
               all.verdict.text);
        print_point(s, c, l, &all.first);
    }
    if (l->ended[0] != 0) {
        printf("  its process %s\n", l->ended);
        print_point(s, c, l, &l->account->doing);
        all.wrong++;
    }
    l->wrong += all.wrong;
    s->points += all.points;
}

/* --- The run. */

static void progress(const struct scenario *c, uint64_t points)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s, %" PRIu64 " points so far", c->name, points);
}

static void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* All libraries at once, unless they are to tell what happens. */
static int run_scenario(struct settings *s, const struct scenario *c, struct fail *f)
{
    pid_t child[LIBRARIES_MOST];
    for (size_t i = 0; i < s->count; i++) {
        struct library *l = &s->library[i];
        if (s->at > 0)
            printf("%s:\n", l->name);
        child[i] = f->status != 0 || folder_empty(l->folder, f) != 0
                       ? -1
                       : sweep_start(c, l->path, s->library[0].path, l->folder, &s->what,
                                     l->account, f);
        if (child[i] > 0 && s->at > 0)
            (void)sweep_wait(child[i], l->account, l->ended, sizeof l->ended, f);
    }
    for (size_t i = 0; i < s->count && s->at == 0; i++) {
        struct library *l = &s->library[i];
        if (child[i] > 0)
            (void)sweep_wait(child[i], l->account, l->ended, sizeof l->ended, f);
    }
    progress_end();
    for (size_t i = 0; i < s->count && f->status == 0; i++)
        report(s, c, &s->library[i]);
    return f->status;
}

static int run(struct settings *s, struct fail *f)
{
    for (const struct scenario *c = scenarios; c->name != NULL; c++) {
        if (!chosen(s->scenario, c->name))
            continue;
        progress(c, s->points);
        if (run_scenario(s, c, f) != 0)
            return f->status;
    }
    printf("%" PRIu64 " points of failure, wrong:", s->points);
    for (size_t i = 0; i < s->count; i++) {
        printf("%s %s %" PRIu64, i ? "," : "", s->library[i].name, s->library[i].wrong);
        if (s->library[i].wrong > 0 && (i > 0 || s->count == 1))
            f->status = STATUS_MISMATCH;
    }
    fputc('\n', stdout);
    return f->status;
}

int main(int argc, char **argv)
{
    struct fail f = {0};
    static struct settings set;
    struct option table[11];
    bool help = false;
    set.every = 1;
    settings_table(&set, table);
    if (options_parse(table, argc - 1, argv + 1, &help, &f) == 0 && help) {
        usage(table);
        return 0;
    }
    if (set.list) {
        for (const struct scenario *c = scenarios; c->name != NULL; c++)
            puts(c->name);
        return f.status;
    }
    signals_catch();
    if (f.status == 0 && take(&set, &f) == 0 && prepare(&set, &f) == 0)
        (void)run(&set, &f);
    settings_free(&set);
    folder_close();
    if (fflush(stdout) != 0 || ferror(stdout))
        fail_set(&f, STATUS_UNUSABLE, "cannot write the report");
    if (f.text[0] != 0)
        fprintf(stderr, "fault: %s\n", f.text);
    signals_repeat();
    return f.status;
}
