/*
** proc.c: starts arm processes and collects what they say.
*/
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arm.h"
#include "options.h"
#include "scratch.h"
#include "signals.h"

enum { PIPE_FD = 3, LINE_MOST = 1 << 16 };

void progress_show(const struct progress *p, const char *detail, int64_t done, int64_t total)
{
    if (p == NULL || p->what == NULL || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%s: run %" PRId64 " of %" PRId64 ", %s", p->what,
            p->steps_done + 1, p->steps, detail);
    if (total > 0)
        fprintf(stderr, " %d %%", (int)(100.0 * (double)done / (double)total));
    (void)fflush(stderr);
}

void progress_clear(const struct progress *p)
{
    if (p != NULL && p->what != NULL && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

char *proc_self(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return NULL;
    path[n] = 0;
    return mem_copy(path);
}

static struct series *find(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->at[i].name, name) == 0)
            return &r->at[i];
    return NULL;
}

static void add_number(struct result *r, const char *name, double value)
{
    struct series *s = find(r, name);
    if (s == NULL) {
        r->at = mem_grow(r->at, r->count + 1, sizeof r->at[0]);
        s = &r->at[r->count++];
        *s = (struct series){mem_copy(name), {NULL, 0}};
    }
    samples_add(&s->samples, value);
}

int result_line(struct result *r, char *line, bool *done, struct fail *f)
{
    char *name = line + 2;
    int64_t number;
    if (strcmp(line, ".") == 0) {
        *done = true;
        return 0;
    }
    if (strlen(line) < 4 || line[1] != ' ' || *done)
        return fail_set(f, STATUS_MISMATCH, "an arm process said something unexpected");
    char *value = strchr(name, ' ');
    if (value == NULL)
        return fail_set(f, STATUS_MISMATCH, "an arm process said something unexpected");
    *value++ = 0;
    if (line[0] == 't') {
        kv_text(&r->text, name, value);
    } else if (line[0] == 'n' && options_number(value, &number)) {
        add_number(r, name, (double)number);
    } else if (line[0] == 'e' && options_number(name, &number)) {
        return fail_set(f, number == STATUS_UNUSABLE ? STATUS_UNUSABLE : STATUS_MISMATCH, "%s",
                        value);
    } else if (line[0] != 'p') {
        return fail_set(f, STATUS_MISMATCH, "an arm process said something unexpected");
    }
    return 0;
}

static void show_progress(const struct progress *p, const char *detail, const char *line)
{
    int64_t done, total;
    if (sscanf(line, "p %" SCNd64 " %" SCNd64, &done, &total) == 2)
        progress_show(p, detail, done, total);
}

static int collect(int fd, const struct progress *p, const char *detail, struct result *r,
                   struct fail *f)
{
    char *buffer = mem_get(LINE_MOST);
    size_t fill = 0;
    bool done = false;
    while (f->status == 0) {
        ssize_t n = read(fd, buffer + fill, LINE_MOST - fill);
        if (signals_check(f) != 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            fail_set(f, STATUS_MISMATCH, "reading from an arm process: %s", strerror(errno));
        if (n <= 0)
            break;
        fill += (size_t)n;
        char *start = buffer, *end;
        while (f->status == 0 &&
               (end = memchr(start, '\n', fill - (size_t)(start - buffer))) != NULL) {
            *end = 0;
            if (start[0] == 'p')
                show_progress(p, detail, start);
            (void)result_line(r, start, &done, f);
            start = end + 1;
        }
        fill -= (size_t)(start - buffer);
        memmove(buffer, start, fill);
        if (fill == LINE_MOST)
            fail_set(f, STATUS_MISMATCH, "an arm process said too long a line");
    }
    free(buffer);
    if (f->status == 0 && !done)
        fail_set(f, STATUS_MISMATCH, "an arm process ended before its job was done");
    return f->status;
}

static char **make_argv(const char *self, const char *library, const char *job,
                        const struct kv_list *args)
{
    char **argv = mem_get((args->count + 6) * sizeof argv[0]);
    size_t n = 0;
    argv[n++] = mem_copy(self);
    argv[n++] = mem_copy(ARM_COMMAND);
    argv[n++] = mem_format("%d", PIPE_FD);
    argv[n++] = mem_copy(library);
    argv[n++] = mem_copy(job);
    for (size_t i = 0; i < args->count; i++)
        argv[n++] = mem_format("%s=%s", args->at[i].key, args->at[i].value);
    return argv;
}

/*
** A clean environment, the same for every arm: no variable of the user's may change what
** a library does. What a loader or a sanitizer needs to be told is kept. Temporary files
** of the library go where the run keeps its others.
*/
static char **make_environment(void)
{
    static const char *const kept[] = {
        "LD_", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS="};
    char **env = mem_get(3 * sizeof env[0]);
    size_t n = 0;
    env[n++] = mem_copy("LC_ALL=C");
    env[n++] = mem_format("TMPDIR=%s", scratch_path());
    for (char **e = environ; *e != NULL; e++)
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
            if (strncmp(*e, kept[i], strlen(kept[i])) == 0) {
                env = mem_grow(env, n + 2, sizeof env[0]);
                env[n++] = mem_copy(*e);
            }
    env[n] = NULL;
    return env;
}

static void free_list(char **list)
{
    for (size_t i = 0; list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

/* In the child, between fork and exec. */
static void become_arm(int write_fd, char **argv, char **env)
{
    signals_default();
    /* dup2 onto itself would leave close-on-exec set. */
    int ok = write_fd == PIPE_FD ? fcntl(write_fd, F_SETFD, 0) : dup2(write_fd, PIPE_FD);
    if (ok >= 0)
        execve(argv[0], argv, env);
    _exit(127);
}

static int wait_for(pid_t child, struct fail *f)
{
    int state;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return fail_set(f, STATUS_MISMATCH, "waiting for an arm process: %s",
                            strerror(errno));
    if (f->status == 0 && WIFSIGNALED(state))
        return fail_set(f, STATUS_MISMATCH, "an arm process died of signal %d",
                        WTERMSIG(state));
    if (f->status == 0 && WEXITSTATUS(state) != 0)
        return fail_set(f, STATUS_MISMATCH, "an arm process ended with status %d",
                        WEXITSTATUS(state));
    return f->status;
}

int proc_run(const char *library, const char *job, const struct kv_list *args,
             const struct progress *progress, struct result *result, struct fail *f)
{
    int ends[2];
    *result = (struct result){0};
    if (signals_check(f) != 0)
        return f->status;
    char *self = proc_self();
    if (self == NULL)
        return fail_set(f, STATUS_UNUSABLE, "cannot find this program in /proc/self/exe");
    if (pipe2(ends, O_CLOEXEC) != 0) {
        free(self);
        return fail_set(f, STATUS_UNUSABLE, "cannot make a pipe: %s", strerror(errno));
    }
    char **argv = make_argv(self, library, job, args);
    char **env = make_environment();
    pid_t child = fork();
    if (child == 0)
        become_arm(ends[1], argv, env);
    (void)close(ends[1]);
    if (child < 0) {
        fail_set(f, STATUS_UNUSABLE, "cannot start a process: %s", strerror(errno));
    } else {
        if (collect(ends[0], progress, job, result, f) != 0)
            (void)kill(child, SIGKILL);
        (void)wait_for(child, f);
    }
    (void)close(ends[0]);
    free_list(argv);
    free_list(env);
    free(self);
    if (f->status != 0)
        result_free(result);
    return f->status;
}

const struct samples *result_samples(const struct result *r, const char *name, struct fail *f)
{
    static const struct samples none = {NULL, 0};
    const struct series *s = find(r, name);
    if (s == NULL) {
        fail_set(f, STATUS_MISMATCH, "an arm process did not say '%s'", name);
        return &none;
    }
    return &s->samples;
}

double result_number(const struct result *r, const char *name, struct fail *f)
{
    const struct samples *s = result_samples(r, name, f);
    return s->count ? s->at[s->count - 1] : 0;
}

const char *result_text(const struct result *r, const char *name, struct fail *f)
{
    const char *text = kv_find(&r->text, name);
    if (text == NULL)
        fail_set(f, STATUS_MISMATCH, "an arm process did not say '%s'", name);
    return text ? text : "";
}

void result_free(struct result *r)
{
    kv_free(&r->text);
    for (size_t i = 0; i < r->count; i++) {
        free(r->at[i].name);
        samples_free(&r->at[i].samples);
    }
    free(r->at);
    *r = (struct result){0};
}
