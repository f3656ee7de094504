/*
** session.c: a process for each library that plays a workload, and one that opens
** the states.
**
** A library that crashes or hangs takes only its own process with it. What has
** been found by then is in shared memory.
*/
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "signals.h"

enum { SECONDS_MOST = 300 };

int session_open(struct session *s, struct fail *f)
{
    s->work = folder_add("work", f);
    if (f->status == 0)
        s->states = folder_add("states", f);
    if (f->status == 0)
        s->tape = tape_new(f);
    if (f->status == 0)
        s->verdicts = verdicts_new(f);
    return f->status;
}

void session_close(struct session *s)
{
    verdicts_free(s->verdicts);
    tape_free(s->tape);
    free(s->work);
    free(s->states);
}

/* Forks; the child gets 0. */
static pid_t start(struct fail *f)
{
    (void)fflush(stdout);
    (void)fflush(stderr);
    pid_t child = fork();
    if (child < 0)
        fail_set(f, STATUS_UNUSABLE, "cannot start a process: %s", strerror(errno));
    if (child == 0)
        signals_default();
    return child;
}

/* Waits for a child. ended: empty if it is well. */
static int wait_for(pid_t child, char *ended, size_t size, struct fail *f)
{
    int state;
    ended[0] = 0;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return fail_set(f, STATUS_UNUSABLE, "waiting for a process: %s", strerror(errno));
        if (signals_caught())
            (void)kill(child, SIGKILL);
    }
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGALRM)
        (void)snprintf(ended, size, "was not done in time");
    else if (WIFSIGNALED(state))
        (void)snprintf(ended, size, "died of signal %d", WTERMSIG(state));
    else if (WEXITSTATUS(state) != 0)
        (void)snprintf(ended, size, "ended with status %d", WEXITSTATUS(state));
    return signals_check(f);
}

/* In the child. */
static void become_workload(struct session *s, const struct plan *plan, const char *library,
                            bool reference, uint64_t seed)
{
    struct entry entry;
    struct recorder recorder;
    struct tape *t = s->tape;
    (void)alarm(SECONDS_MOST);
    if (chdir(s->work) != 0)
        _exit(3);
    if (entry_load(&entry, library, &t->fail) != 0 ||
        recorder_install(&recorder, &entry.api, reference ? NULL : t, seed, &t->fail) != 0)
        _exit(0);
    workload_run(&entry, plan, &recorder, t, reference);
    recorder_remove(&recorder);
    api_unload(&entry.api);
    _exit(0);
}

static int run_workload(struct session *s, const struct plan *plan, const char *library,
                        bool reference, uint64_t seed, struct fail *f)
{
    char ended[64];
    struct tape *t = s->tape;
    if (folder_empty(s->work, f) != 0)
        return f->status;
    pid_t child = start(f);
    if (child == 0)
        become_workload(s, plan, library, reference, seed);
    if (child < 0 || wait_for(child, ended, sizeof ended, f) != 0)
        return f->status;
    if (t->fail.status != 0)
        return fail_set(f, STATUS_UNUSABLE, "%s", t->fail.text);
    if (ended[0] != 0 && t->wrong[0] == 0)
        (void)snprintf(t->wrong, sizeof t->wrong, "step %zu: its process %s", t->step, ended);
    return 0;
}

int session_record(struct session *s, const struct plan *plan, const char *library,
                   uint64_t seed, struct fail *f)
{
    struct tape *t = s->tape;
    tape_clear(t);
    if (run_workload(s, plan, s->stock, true, seed, f) != 0)
        return f->status;
    if (t->wrong[0] != 0)
        return fail_set(f, STATUS_MISMATCH, "seed %" PRIu64 ", the run of reference: %s", seed,
                        t->wrong);
    t->full = false;
    (void)run_workload(s, plan, library, false, seed, f);
    return f->status;
}

int session_check(struct session *s, const struct check_job *check, struct fail *f)
{
    struct check_job c = *check;
    struct verdicts *v = s->verdicts;
    char ended[64];
    v->failures = 0;
    c.tape = s->tape;
    c.run = ++s->runs;
    do {
        if (!c.keep && folder_empty(s->states, f) != 0)
            return f->status;
        v->number = c.range.first;
        pid_t child = start(f);
        if (child == 0) {
            check_run(&c, v);
            _exit(0);
        }
        if (child < 0 || wait_for(child, ended, sizeof ended, f) != 0)
            return f->status;
        if (ended[0] != 0) {
            if (v->failures++ == 0) {
                v->failed = v->number;
                (void)snprintf(v->text, sizeof v->text, "the process that opens it %s", ended);
            }
            c.range.first = v->number + 1;
        }
    } while (ended[0] != 0 && c.go_on && v->fail.status == 0);
    if (v->fail.status != 0)
        return fail_set(f, v->fail.status, "%s", v->fail.text);
    return 0;
}
