/*
** sweep.c: n = 1, 2, 3 and so on, until nothing fails any more.
*/
#include "sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "signals.h"
#include "vfs.h"

enum { SECONDS_MOST = 300 }; /* for one point: a library that hangs is wrong, too */

struct account *account_new(struct fail *f)
{
    void *p = mmap(NULL, sizeof(struct account), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        fail_set(f, STATUS_UNUSABLE, "no shared memory: %s", strerror(errno));
        return NULL;
    }
    return p;
}

void account_free(struct account *a)
{
    if (a != NULL)
        (void)munmap(a, sizeof *a);
}

static bool one(const struct stage *stage, const struct point *point, int64_t held,
                struct account *account)
{
    struct tally *t = &account->tally[point->kind][point->lasts][point->then];
    struct verdict v;
    account->doing = *point;
    (void)alarm(SECONDS_MOST);
    point_run(stage, point, &v);
    account->done++;
    if (!v.wrong && memory_held() != held) {
        v.wrong = true;
        (void)snprintf(v.text, sizeof v.text, "memory is not given back");
    }
    if (!v.fired && !v.wrong)
        return false;
    t->points++;
    t->errors += v.error;
    t->absorbed += !v.error;
    if (v.wrong && t->wrong++ == 0) {
        t->first = *point;
        t->verdict = v;
    }
    return v.fired;
}

static void sweep(const struct stage *stage, const struct selection *what, int64_t held,
                  struct account *account)
{
    struct point p = {0};
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (int lasts = 0; lasts < LASTS; lasts++)
            for (int then = 0; then < THENS; then++) {
                if (!what->kind[kind] || !what->lasts[lasts] || !what->then[then])
                    continue;
                p.kind = (enum fault_kind)kind;
                p.lasts = (enum lasts)lasts;
                p.then = (enum then)then;
                p.at = what->at > 0 ? what->at : 1;
                while (one(stage, &p, held, account) && what->at == 0)
                    p.at += what->every;
            }
}

static int load(struct entry *tested, struct entry *reference, const char *library,
                const char *reference_path, struct faulty_vfs vfs[2], struct fault fault[2],
                struct fail *f)
{
    if (entry_load(tested, library, f) != 0)
        return f->status;
    const struct api *api = &tested->api;
    if (memory_install(api, fault, f) != 0)
        return f->status;
    /* Savepoints go to a file at once, so that their reads and writes can fail. */
    int rc = api->config(SQLITE_CONFIG_STMTJRNL_SPILL, 0);
    if (rc == SQLITE_OK)
        rc = api->initialize();
    if (rc != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "cannot initialize the library: %s",
                        api->errstr(rc));
    if (vfs_install(vfs, api, fault, f) != 0)
        return f->status;
    if (strcmp(library, reference_path) == 0)
        *reference = *tested;
    else if (entry_load(reference, reference_path, f) == 0)
        (void)vfs_install(&vfs[1], &reference->api, &fault[1], f); /* spares the syncs */
    return f->status;
}

static int work(const struct scenario *scenario, const char *library,
                const char *reference_path, const struct selection *what,
                struct account *account, struct fail *f)
{
    /* Static: the library keeps pointers to these for as long as it is there. */
    static struct faulty_vfs vfs[2];
    static struct fault fault[2];
    struct entry tested, reference;
    struct oracle oracle;
    struct verdict v;
    if (load(&tested, &reference, library, reference_path, vfs, fault, f) != 0)
        return f->status;
    if (session_build(&reference, scenario, "fixture.db") != SQLITE_OK)
        return fail_set(f, STATUS_UNUSABLE, "scenario %s: its database cannot be made",
                        scenario->name);
    if (oracle_make(&oracle, &reference, scenario, "fixture.db", f) != 0)
        return f->status;
    struct stage stage = {&tested, &reference, scenario, &oracle, "fixture.db", fault, NULL};
    const struct point none = {FAULT_READ, LASTS_ONCE, THEN_ROLLBACK, 0};
    point_run(&stage, &none, &v); /* what it allocates once and for all */
    int64_t held = memory_held();
    if (what->at > 0)
        stage.log = stdout;
    sweep(&stage, what, held, account);
    if (fflush(stdout) != 0)
        return fail_set(f, STATUS_UNUSABLE, "cannot write the report");
    api_unload(&tested.api);
    if (strcmp(library, reference_path) != 0)
        api_unload(&reference.api);
    return f->status;
}

pid_t sweep_start(const struct scenario *scenario, const char *library, const char *reference,
                  const char *folder, const struct selection *what, struct account *account,
                  struct fail *f)
{
    memset(account, 0, sizeof *account);
    (void)fflush(stdout);
    (void)fflush(stderr);
    pid_t child = fork();
    if (child < 0) {
        fail_set(f, STATUS_UNUSABLE, "cannot start a process: %s", strerror(errno));
    } else if (child == 0) {
        signals_default();
        /* Temporary files, too, so that processes do not compete for their names. */
        if (chdir(folder) != 0 || setenv("SQLITE_TMPDIR", folder, 1) != 0)
            _exit(3);
        struct fail own = {0};
        (void)work(scenario, library, reference, what, account, &own);
        account->fail = own;
        _exit(own.status);
    }
    return child;
}

int sweep_wait(pid_t child, const struct account *account, char *ended, size_t size,
               struct fail *f)
{
    int state;
    ended[0] = 0;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return fail_set(f, STATUS_UNUSABLE, "waiting for a process: %s", strerror(errno));
        if (signals_caught())
            (void)kill(child, SIGKILL);
    }
    if (account->fail.status != 0)
        return fail_set(f, STATUS_UNUSABLE, "%s", account->fail.text);
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGALRM)
        (void)snprintf(ended, size, "was not done after %d seconds", SECONDS_MOST);
    else if (WIFSIGNALED(state))
        (void)snprintf(ended, size, "died of signal %d", WTERMSIG(state));
    else if (WEXITSTATUS(state) != 0)
        (void)snprintf(ended, size, "ended with status %d", WEXITSTATUS(state));
    return signals_check(f);
}
