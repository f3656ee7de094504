/*
** exhaust.c: plays every sequence over a small alphabet with two SQLite libraries.
**
** A sequence is a word. It begins with one of a few tiny databases (config.c);
** each letter is an operation (model.c); both libraries play it in one process, on
** files of their own, and must answer the same and leave the same (play.c).
*/
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "folder.h"
#include "libraries.h"
#include "search.h"
#include "search_options.h"
#include "signals.h"
#include "tree.h"

struct settings {
    struct text_list libraries;
    const char *config;
    const char *letters;
    const char *prefix;
    const char *sequence;
    const char *part;
    const char *folder;
    int64_t depth;
    int64_t minutes;
    int64_t seed;
    int64_t jobs;
    bool in_memory;
    bool other_pages;
    bool list;
};

struct loaded {
    char *name[2];
    char *path[2];
    struct entry entries[2];
    unsigned char *bytes;
    size_t size;
};

enum { OPTIONS = 15 };

static void settings_table(struct settings *s, struct option table[OPTIONS])
{
    const struct option all[OPTIONS] = {
        {.name = "--lib",
         .kind = OPTION_LIST,
         .target = &s->libraries,
         .argument = "NAME=PATH",
         .standard = "stock and patched, from the folder of this program",
         .help = "a libsqlite3 shared object; to be given twice; the first one is the judge"},
        {.name = "--config",
         .kind = OPTION_TEXT,
         .target = &s->config,
         .argument = "NAME",
         .standard = "leaves",
         .help = "the database to begin with; --list shows them"},
        {.name = "--depth",
         .kind = OPTION_INT,
         .target = &s->depth,
         .least = 1,
         .most = DEPTH_MOST - 1,
         .argument = "N",
         .standard = "4 letters",
         .help = "play all sequences of up to so many letters"},
        {.name = "--letters",
         .kind = OPTION_TEXT,
         .target = &s->letters,
         .argument = "LETTERS",
         .standard = "the alphabet of the configuration",
         .help = "use only these"},
        {.name = "--from",
         .kind = OPTION_TEXT,
         .target = &s->prefix,
         .argument = "LETTERS",
         .help = "only sequences that begin with these"},
        {.name = "--sequence",
         .kind = OPTION_TEXT,
         .target = &s->sequence,
         .argument = "LETTERS",
         .help = "play this one and say what each letter gives"},
        MINUTES_OPTION(
            s->minutes,
            "go on after --depth, depth by depth, for so many minutes; a depth that is\n"
            "too much for what is left of them is played at random"),
        {.name = "--seed",
         .kind = OPTION_INT,
         .target = &s->seed,
         .most = INT64_MAX,
         .argument = "N",
         .standard = "1",
         .help = "of that random choice"},
        {.name = "--part",
         .kind = OPTION_TEXT,
         .target = &s->part,
         .argument = "I/N",
         .standard = "1/1",
         .help = "play the I-th of N parts of the sequences"},
        {.name = "--jobs",
         .kind = OPTION_INT,
         .target = &s->jobs,
         .least = 1,
         .most = 64,
         .argument = "N",
         .standard = "one for each processor",
         .help = "how many processes share the work"},
        DIR_OPTION(s->folder),
        {.name = "--memory",
         .kind = OPTION_FLAG,
         .target = &s->in_memory,
         .help = "keep the databases in memory instead, which is faster"},
        {.name = "--other-pages",
         .kind = OPTION_FLAG,
         .target = &s->other_pages,
         .help = "the libraries choose free pages otherwise: do not compare which pages are\n"
                 "logged, nor the bytes of the files"},
        {.name = "--list",
         .kind = OPTION_FLAG,
         .target = &s->list,
         .help = "print configurations and letters"},
        {0},
    };
    memcpy(table, all, sizeof all);
}

static void usage(const struct option *table)
{
    fputs("usage: exhaust [OPTION...]\n"
          "\n"
          "Plays all sequences of a few operations, on a tiny database, with two SQLite\n"
          "libraries, and compares results, content and files.\n"
          "\n",
          stdout);
    options_print(table, stdout);
    fputs("\n"
          "Exit status: 0 no difference; 1 a difference; 2 unusable arguments or a missing\n"
          "file.\n",
          stdout);
}

static void list(void)
{
    for (const struct config *c = configs; c->name; c++)
        printf("%-12s %s\n%-12s letters %s\n", c->name, c->help, "", c->letters);
    fputc('\n', stdout);
    for (const struct letter *l = letters; l->name; l++)
        printf("%c  %s\n", l->name, l->text);
}

/* --- Arguments. */

static int take_part(const char *text, struct search *s, struct fail *f)
{
    s->part = s->parts = 1;
    if (text == NULL)
        return 0;
    char *copy = mem_copy(text);
    char *slash = strchr(copy, '/');
    if (slash != NULL)
        *slash = 0;
    bool good = slash != NULL && options_number(copy, &s->part) &&
                options_number(slash + 1, &s->parts) && s->part >= 1 && s->part <= s->parts &&
                s->parts <= 1000000;
    free(copy);
    if (!good)
        return fail_set(f, STATUS_UNUSABLE, "--part: '%s' is not like 1/2", text);
    return 0;
}

static int take_word(const struct search *s, const char *option, const char *word,
                     struct fail *f)
{
    struct tree t = {s->letters, "", s->config->wal, s->config->rows, DEPTH_MOST};
    int at;
    if (strlen(word) >= DEPTH_MOST)
        return fail_set(f, STATUS_UNUSABLE, "%s: more than %d letters", option, DEPTH_MOST - 1);
    if (!tree_has(&t, word, &at))
        return fail_set(f, STATUS_UNUSABLE,
                        "%s: letter %d of '%s' is not in the alphabet or has nothing to do"
                        " there",
                        option, at + 1, word);
    return 0;
}

static int take(const struct settings *set, struct search *s, struct fail *f)
{
    s->config = config_find(set->config);
    if (s->config == NULL)
        return fail_set(f, STATUS_UNUSABLE, "--config: there is no '%s'; see --list",
                        set->config);
    s->letters = set->letters ? set->letters : s->config->letters;
    for (const char *l = s->letters; *l; l++)
        if (strchr(s->config->letters, *l) == NULL || strchr(l + 1, *l) != NULL)
            return fail_set(f, STATUS_UNUSABLE,
                            "--letters: '%c' is not a letter of '%s', or is there twice", *l,
                            set->config);
    s->prefix = set->prefix ? set->prefix : "";
    s->seed = (uint64_t)set->seed;
    s->jobs = (int)set->jobs;
    s->in_memory = set->in_memory;
    s->other_pages = set->other_pages;
    if (s->jobs == 0) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        s->jobs = n < 1 ? 1 : n > 64 ? 64 : (int)n;
    }
    if (set->minutes > 0)
        s->limit = time(NULL) + (time_t)set->minutes * 60;
    if (take_part(set->part, s, f) != 0 || take_word(s, "--from", s->prefix, f) != 0)
        return f->status;
    return set->sequence ? take_word(s, "--sequence", set->sequence, f) : 0;
}

static int load(struct loaded *l, struct search *s, struct fail *f)
{
    for (int i = 0; i < 2; i++)
        if (entry_load(&l->entries[i], l->path[i], f) != 0)
            return f->status;
    for (int i = 0; i < s->jobs; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%d", i);
        char *path = folder_add(name, f);
        free(path);
        if (path == NULL)
            return f->status;
    }
    char *path = mem_format("%s/template.db", folder_path());
    (void)config_build(s->config, &l->entries[0], path, &l->bytes, &l->size, f);
    free(path);
    s->entries = l->entries;
    s->names = l->name;
    s->bytes = l->bytes;
    s->size = l->size;
    return f->status;
}

/* --- Reports. */

static void report(const struct search *s, const struct loaded *l,
                   const struct finding *finding)
{
    printf("A difference after \"%s\":\n", finding->sequence);
    for (const char *c = finding->sequence; *c; c++)
        printf("  %c  %s\n", *c, letter_text(*c));
    printf("  %s\n", finding->text);
    printf("replay: exhaust --config %s --sequence %.*s%s --lib %s=%s --lib %s=%s\n",
           s->config->name, finding->length, finding->sequence,
           s->other_pages ? " --other-pages" : "", l->name[0], l->path[0], l->name[1],
           l->path[1]);
}

static void report_stock(const struct result *r)
{
    if (r->stock_wrong > 0)
        printf("stock alone is wrong in %" PRIu64 " sequences, such as \"%s\"\n",
               r->stock_wrong, r->stock_wrong_first);
}

/* --- The run. */

static int one(const struct settings *set, const struct search *s, const struct loaded *l,
               bool *different, struct fail *f)
{
    struct play p;
    struct finding finding;
    unsigned long runs = 0;
    if (chdir(folder_path()) != 0 || chdir("0") != 0)
        return fail_set(f, STATUS_UNUSABLE, "cannot enter the scratch folder");
    if (play_init(&p, s->config, s->entries, s->names, s->bytes, s->size, s->in_memory, f) != 0)
        return f->status;
    p.loud = true;
    p.other_pages = s->other_pages;
    enum outcome outcome =
        play_sequence(&p, set->sequence, (int)strlen(set->sequence), &runs, &finding);
    play_free(&p);
    *different = outcome == PLAY_DIFFERENT;
    if (*different)
        report(s, l, &finding);
    else
        puts(outcome == PLAY_SAME ? "no difference" : "stock alone is wrong");
    return 0;
}

static int every(const struct settings *set, const struct search *s, const struct loaded *l,
                 bool *different, struct fail *f)
{
    uint64_t sequences = 0;
    double pace = 0; /* sequences in a second */
    int complete = 0;
    for (int depth = (int)strlen(s->prefix) + 1; depth < DEPTH_MOST && !*different; depth++) {
        struct result r;
        bool beyond = depth > set->depth;
        if (beyond && (s->limit == 0 || time(NULL) >= s->limit))
            break;
        uint64_t total = search_count(s, depth) / (uint64_t)s->parts;
        double left = difftime(s->limit, time(NULL));
        bool some = beyond && pace > 0 && (double)total / pace > left;
        struct timespec start, end;
        (void)clock_gettime(CLOCK_MONOTONIC, &start);
        if (search_run(s, depth, total, some, &r, f) != 0)
            return f->status;
        (void)clock_gettime(CLOCK_MONOTONIC, &end);
        double seconds =
            difftime(end.tv_sec, start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
        sequences += r.sequences;
        pace = seconds > 0.5 ? (double)r.sequences / seconds : pace;
        printf("depth %d: %" PRIu64 "%s sequences, %" PRIu64 " runs, %" PRIu64 " of %" PRIu64
               " images recovered, %.1f s\n",
               depth, r.sequences, some ? " random" : "", r.runs, r.recovered, r.judged,
               seconds);
        report_stock(&r);
        if (r.complete && !some)
            complete = depth;
        *different = r.found;
        if (r.found) {
            report(s, l, &r.finding);
            printf("depth %d, ", depth);
        }
        (void)fflush(stdout);
        if (some || !r.complete)
            break;
    }
    if (!*different)
        printf("depth %d, ", complete);
    printf("alphabet of %zu, %" PRIu64 " sequences, %s\n", strlen(s->letters), sequences,
           *different ? "the last one differs" : "no difference");
    return 0;
}

int main(int argc, char **argv)
{
    struct fail f = {0};
    struct settings set = {.config = "leaves", .depth = 4, .seed = 1};
    struct search search = {0};
    struct loaded loaded = {0};
    struct option table[OPTIONS];
    bool help = false, different = false;
    settings_table(&set, table);
    if (options_parse(table, argc - 1, argv + 1, &help, &f) == 0 && (help || set.list)) {
        if (help)
            usage(table);
        else
            list();
        return 0;
    }
    signals_catch();
    if (f.status == 0 && take(&set, &search, &f) == 0 &&
        libraries_take(&set.libraries, loaded.name, loaded.path, &f) == 0 &&
        folder_open(set.folder, &f) == 0 && load(&loaded, &search, &f) == 0)
        (void)(set.sequence ? one : every)(&set, &search, &loaded, &different, &f);
    for (int i = 0; i < 2; i++) {
        api_unload(&loaded.entries[i].api);
        free(loaded.name[i]);
        free(loaded.path[i]);
    }
    free(loaded.bytes);
    free(set.libraries.at);
    folder_close();
    if (fflush(stdout) != 0 || ferror(stdout))
        fail_set(&f, STATUS_UNUSABLE, "cannot write the report");
    if (f.status != 0)
        fprintf(stderr, "exhaust: %s\n", f.text);
    signals_repeat();
    return f.status ? f.status : different ? STATUS_MISMATCH : STATUS_DONE;
}
