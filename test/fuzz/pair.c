/*
** pair.c: two processes for each stretch of a script.
**
** A stretch ends where the libraries change places: each then goes on with the
** files that the other one has left. The processes end there, and new ones are
** forked, which have the script already and need to be told nothing. What they
** answer comes back through shared memory, also if they die.
*/
#include "pair.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "entry.h"
#include "folder.h"
#include "player.h"
#include "signals.h"

enum { RECORDS_PER_STEP = 24, SECONDS_MOST = 300 };

int pair_open(struct pair *p, size_t steps, struct fail *f)
{
    for (int i = 0; i < 2 && f->status == 0; i++) {
        p->trace[i] = trace_new((steps + 64) * RECORDS_PER_STEP, f);
        p->folder[i] = folder_add(i == 0 ? "0" : "1", f);
    }
    return f->status;
}

void pair_close(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        trace_free(p->trace[i]);
        free(p->folder[i]);
        free(p->name[i]);
        free(p->path[i]);
    }
}

/* In the child. */
static void become_player(const struct pair *p, int arm, int place, const struct script *s,
                          const bool *left_out, size_t from)
{
    struct fail f = {0};
    struct entry entry;
    signals_default();
    /* A library that hangs is a difference, too. */
    (void)alarm(SECONDS_MOST);
    if (chdir(p->folder[place]) != 0)
        _exit(3);
    if (entry_load(&entry, p->path[arm], &f) != 0) {
        p->trace[arm]->fail = f;
        _exit(STATUS_UNUSABLE);
    }
    player_run(&entry, s, left_out, from, p->trace[arm]);
    api_unload(&entry.api);
    _exit(0);
}

static int wait_for(pid_t child, const struct trace *t, char *ended, size_t size,
                    struct fail *f)
{
    int state;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return fail_set(f, STATUS_UNUSABLE, "waiting for a process: %s", strerror(errno));
        if (signals_caught())
            (void)kill(child, SIGKILL);
    }
    if (t->fail.status != 0)
        return fail_set(f, STATUS_UNUSABLE, "%s", t->fail.text);
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGALRM)
        (void)snprintf(ended, size, "was not done after %d seconds", SECONDS_MOST);
    else if (WIFSIGNALED(state))
        (void)snprintf(ended, size, "died of signal %d", WTERMSIG(state));
    else if (WEXITSTATUS(state) != 0)
        (void)snprintf(ended, size, "ended with status %d", WEXITSTATUS(state));
    return 0;
}

static int run_stretch(const struct pair *p, int swaps, const struct script *s,
                       const bool *left_out, size_t from, struct verdict *v, struct fail *f)
{
    pid_t child[2] = {-1, -1};
    (void)fflush(stdout);
    (void)fflush(stderr);
    for (int i = 0; i < 2 && f->status == 0; i++) {
        child[i] = fork();
        if (child[i] == 0)
            become_player(p, i, (i + swaps) % 2, s, left_out, from);
        if (child[i] < 0)
            fail_set(f, STATUS_UNUSABLE, "cannot start a process: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++)
        if (child[i] > 0)
            (void)wait_for(child[i], p->trace[i], v->ended[i], sizeof v->ended[i], f);
    (void)signals_check(f);
    return f->status;
}

static bool of_a_copy(const struct record *r)
{
    return r->check == CHECK_COPY || r->check == CHECK_COPY_INTEGRITY ||
           r->check == CHECK_COPY_COVERED || r->check == CHECK_COPY_CHECKPOINTED;
}

static size_t after_copy(const struct trace *t, size_t i, size_t step)
{
    while (i < t->count && t->at[i].step == step && of_a_copy(&t->at[i]))
        i++;
    return i;
}

static void disagree(const struct pair *p, size_t i, size_t k, struct verdict *v)
{
    const size_t at[2] = {i, k};
    for (int n = 0; n < 2; n++) {
        v->has[n] = at[n] < p->trace[n]->count;
        if (v->has[n])
            v->record[n] = p->trace[n]->at[at[n]];
    }
    v->step = v->has[0]   ? v->record[0].step
              : v->has[1] ? v->record[1].step
                          : p->trace[0]->doing;
    if (v->has[1] && v->record[1].step < v->step)
        v->step = v->record[1].step;
}

static bool compare(const struct pair *p, struct verdict *v)
{
    const struct trace *a = p->trace[0], *b = p->trace[1];
    bool died = v->ended[0][0] != 0 || v->ended[1][0] != 0;
    size_t i = 0, k = 0;
    while (i < a->count && k < b->count) {
        const struct record *r = &a->at[i];
        if (r->bad && of_a_copy(r) && of_a_copy(&b->at[k]) && b->at[k].step == r->step) {
            /* The connections may be right all the same: go on. */
            if (!v->excused)
                disagree(p, i, k, v);
            v->excused = true;
            size_t step = r->step;
            i = after_copy(a, i, step);
            k = after_copy(b, k, step);
        } else if (record_same(r, &b->at[k], p->other_pages) && !r->bad) {
            i++;
            k++;
        } else {
            break;
        }
    }
    if (i >= a->count && k >= b->count && !died)
        return true;
    disagree(p, i, k, v);
    if (v->has[0] && v->has[1] && record_same(&v->record[0], &v->record[1], p->other_pages))
        v->outcome = OUTCOME_BOTH;
    else
        v->outcome = OUTCOME_DIFFERENT;
    return false;
}

/* All stretches. */
static int play(const struct pair *p, const struct script *s, const bool *left_out,
                struct verdict *v, struct fail *f)
{
    memset(v, 0, sizeof *v);
    for (int i = 0; i < 2; i++) {
        if (folder_empty(p->folder[i], f) != 0)
            return f->status;
        p->trace[i]->steps_done = 0;
        p->trace[i]->transactions = 0;
        p->trace[i]->added = 0;
    }
    size_t from = 0;
    for (int swaps = 0; from < s->count; swaps++) {
        for (int i = 0; i < 2; i++) {
            p->trace[i]->count = 0;
            p->trace[i]->next = from;
        }
        if (run_stretch(p, swaps, s, left_out, from, v, f) != 0)
            return f->status;
        if (!compare(p, v))
            return 0;
        from = p->trace[0]->next;
    }
    return 0;
}

/* The library is its own opponent. */
static int play_alone(const struct pair *p, const struct script *s, const bool *left_out,
                      struct verdict *v, struct fail *f)
{
    struct pair same = *p;
    same.path[1] = same.path[0];
    return play(&same, s, left_out, v, f);
}

int pair_run(const struct pair *p, const struct script *s, const bool *left_out,
             struct verdict *v, struct fail *f)
{
    struct verdict alone;
    if (play(p, s, left_out, v, f) != 0)
        return f->status;
    if (v->outcome == OUTCOME_BOTH || (v->outcome == OUTCOME_SAME && !v->excused))
        return 0;
    bool soft = v->outcome == OUTCOME_SAME;
    v->outcome = OUTCOME_DIFFERENT;
    uint64_t added = p->trace[0]->added, steps = p->trace[0]->steps_done;
    uint64_t transactions = p->trace[0]->transactions;
    if (play_alone(p, s, left_out, &alone, f) != 0)
        return f->status;
    /* Where only copies were wrong, copies have to be wrong there, too, at the latest. */
    if ((alone.outcome != OUTCOME_SAME || (soft && alone.excused)) && alone.step <= v->step)
        v->outcome = OUTCOME_STOCK;
    p->trace[0]->added = added;
    p->trace[0]->steps_done = steps;
    p->trace[0]->transactions = transactions;
    return 0;
}
