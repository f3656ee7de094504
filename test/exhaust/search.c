/*
** search.c: processes that share the work.
**
** Each walks the whole tree, which costs nothing, and takes a block of sequences
** when it gets to one that nobody has taken. A library that dies takes its process
** with it, but not the name of the sequence, which is in shared memory.
*/
#include "search.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "signals.h"
#include "tree.h"

enum { JOBS_MOST = 64, BLOCK = 64, SECONDS_PER_BLOCK = 300 };

struct slot {
    char at[DEPTH_MOST + 2]; /* the sequence that is being played */
    uint64_t sequences, runs, stock_wrong, judged, recovered;
    char stock_wrong_first[DEPTH_MOST + 2];
    bool found;
    struct finding finding;
    struct fail fail;
};

struct shared {
    atomic_ullong next; /* block that nobody has taken */
    atomic_bool stop;
    atomic_bool late; /* stopped because the time was up */
    struct slot slot[JOBS_MOST];
};

struct worker {
    const struct search *search;
    struct shared *shared;
    struct slot *slot;
    struct play play;
    uint64_t index; /* of the sequence, in the walk */
    uint64_t block; /* that is this worker's */
};

static struct tree tree_of(const struct search *s, int depth)
{
    return (struct tree){s->letters, s->prefix, s->config->wal, s->config->rows, depth};
}

static bool count_one(void *context, const char *sequence, int length)
{
    (void)sequence;
    (void)length;
    ++*(uint64_t *)context;
    return true;
}

uint64_t search_count(const struct search *s, int depth)
{
    struct tree t = tree_of(s, depth);
    uint64_t count = 0;
    (void)tree_walk(&t, count_one, &count);
    return count;
}

/* --- In a worker. */

static bool play_one(struct worker *w, const char *sequence, int length)
{
    struct slot *slot = w->slot;
    struct finding finding;
    unsigned long runs = 0;
    memcpy(slot->at, sequence, (size_t)length);
    slot->at[length] = 0;
    enum outcome outcome = play_sequence(&w->play, sequence, length, &runs, &finding);
    slot->sequences++;
    slot->runs += runs;
    slot->judged = w->play.judge.asked;
    slot->recovered = w->play.judge.looked;
    if (outcome == PLAY_STOCK_WRONG && slot->stock_wrong++ == 0)
        memcpy(slot->stock_wrong_first, finding.sequence, sizeof finding.sequence);
    if (outcome == PLAY_DIFFERENT) {
        slot->finding = finding;
        slot->found = true;
        atomic_store(&w->shared->stop, true);
        return false;
    }
    return true;
}

static bool go_on(const struct worker *w)
{
    (void)alarm(SECONDS_PER_BLOCK); /* a library that hangs is a finding, too */
    if (w->search->limit != 0 && time(NULL) >= w->search->limit) {
        atomic_store(&w->shared->late, true);
        atomic_store(&w->shared->stop, true);
    }
    return !atomic_load(&w->shared->stop);
}

static void take_block(struct worker *w)
{
    uint64_t n = atomic_fetch_add(&w->shared->next, 1);
    w->block = n * (uint64_t)w->search->parts + (uint64_t)w->search->part - 1;
}

static bool visit(void *context, const char *sequence, int length)
{
    struct worker *w = context;
    uint64_t block = w->index / BLOCK;
    if (block > w->block)
        take_block(w);
    bool mine = block == w->block;
    if (w->index++ % BLOCK == 0 && mine && !go_on(w))
        return false;
    return !mine || play_one(w, sequence, length);
}

static void play_some(struct worker *w, const struct tree *t, int job)
{
    uint64_t random = w->search->seed * 1000 + (uint64_t)job * 64 + (uint64_t)w->search->part;
    char sequence[DEPTH_MOST];
    for (int i = 0;; i++) {
        if (i % BLOCK == 0 && !go_on(w))
            return;
        if (tree_draw(t, &random, sequence) && !play_one(w, sequence, t->depth))
            return;
    }
}

static void work(const struct search *s, struct shared *shared, int job, int depth, bool some)
{
    struct worker w = {.search = s, .shared = shared, .slot = &shared->slot[job]};
    struct tree t = tree_of(s, depth);
    char name[16];
    signals_default();
    (void)snprintf(name, sizeof name, "%d", job);
    if (chdir(folder_path()) != 0 || chdir(name) != 0) {
        fail_set(&w.slot->fail, STATUS_UNUSABLE, "scratch folder: %s", strerror(errno));
        _exit(STATUS_UNUSABLE);
    }
    if (play_init(&w.play, s->config, s->entries, s->names, s->bytes, s->size, s->in_memory,
                  &w.slot->fail) != 0)
        _exit(STATUS_UNUSABLE);
    w.play.other_pages = s->other_pages;
    if (some) {
        play_some(&w, &t, job);
    } else {
        take_block(&w);
        (void)tree_walk(&t, visit, &w);
    }
    play_free(&w.play);
    _exit(0);
}

/* --- In the process that waits. */

static void progress(const struct search *s, const struct shared *shared, int depth,
                     uint64_t total)
{
    uint64_t done = 0;
    if (!isatty(STDERR_FILENO))
        return;
    for (int i = 0; i < s->jobs; i++)
        done += shared->slot[i].sequences;
    fprintf(stderr, "\r\033[K%s, depth %d: %" PRIu64 " of %" PRIu64 " sequences",
            s->config->name, depth, done, total);
    (void)fflush(stderr);
}

static void ended(const struct search *s, struct slot *slot, int state, struct fail *f)
{
    if (slot->fail.status != 0) {
        fail_set(f, slot->fail.status, "%s", slot->fail.text);
    } else if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
        size_t length = strlen(slot->at);
        memcpy(slot->finding.sequence, slot->at, length + 1);
        slot->finding.length = (int)length;
        if (WIFSIGNALED(state) && WTERMSIG(state) == SIGALRM)
            (void)snprintf(slot->finding.text, sizeof slot->finding.text,
                           "was not done after %d seconds", SECONDS_PER_BLOCK);
        else
            (void)snprintf(slot->finding.text, sizeof slot->finding.text,
                           "%s or %s died: %s %d", s->names[0], s->names[1],
                           WIFSIGNALED(state) ? "signal" : "exit status",
                           WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state));
        slot->found = true;
    }
}

static void wait_for_all(const struct search *s, struct shared *shared, pid_t child[JOBS_MOST],
                         int depth, uint64_t total, struct fail *f)
{
    for (int left = s->jobs; left > 0;) {
        const struct timespec moment = {0, 50000000};
        left = 0;
        for (int i = 0; i < s->jobs; i++) {
            int state;
            if (child[i] <= 0)
                continue;
            pid_t done = waitpid(child[i], &state, WNOHANG);
            if (done == child[i]) {
                child[i] = 0;
                ended(s, &shared->slot[i], state, f);
                if (shared->slot[i].found || f->status != 0)
                    atomic_store(&shared->stop, true);
            } else {
                left++;
                if (signals_caught())
                    (void)kill(child[i], SIGKILL);
            }
        }
        if (left > 0) {
            progress(s, shared, depth, total);
            (void)nanosleep(&moment, NULL);
        }
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    (void)signals_check(f);
}

static void add_up(const struct search *s, const struct shared *shared, struct result *r)
{
    memset(r, 0, sizeof *r);
    for (int i = 0; i < s->jobs; i++) {
        const struct slot *slot = &shared->slot[i];
        r->sequences += slot->sequences;
        r->runs += slot->runs;
        r->judged += slot->judged;
        r->recovered += slot->recovered;
        if (r->stock_wrong == 0)
            memcpy(r->stock_wrong_first, slot->stock_wrong_first, sizeof r->stock_wrong_first);
        r->stock_wrong += slot->stock_wrong;
        if (slot->found && !r->found) {
            r->found = true;
            r->finding = slot->finding;
        }
    }
    r->complete = !r->found && !atomic_load(&shared->late);
}

int search_run(const struct search *s, int depth, uint64_t total, bool some,
               struct result *result, struct fail *f)
{
    pid_t child[JOBS_MOST] = {0};
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return fail_set(f, STATUS_UNUSABLE, "no shared memory: %s", strerror(errno));
    (void)fflush(stdout);
    (void)fflush(stderr);
    for (int i = 0; i < s->jobs; i++) {
        child[i] = fork();
        if (child[i] == 0)
            work(s, shared, i, depth, some);
        if (child[i] < 0) {
            fail_set(f, STATUS_UNUSABLE, "cannot start a process: %s", strerror(errno));
            atomic_store(&shared->stop, true);
        }
    }
    wait_for_all(s, shared, child, depth, total, f);
    add_up(s, shared, result);
    (void)munmap(shared, sizeof *shared);
    return f->status;
}
