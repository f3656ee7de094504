/*
** plot.c: hands scripts to gnuplot, and makes what it draws follow the colour of the
** text around it.
*/
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const plot_colour[PLOT_COLOURS] = {"#d0683c", "#2f86c8", "#4c9a52", "#a06cc0",
                                               "#b8922e", "#c2527c", "#3f9c9c", "#808890"};

/* Runs gnuplot with a script as its input, or for nothing but an argument. */
static int run(const char *script, size_t size, const char *argument, struct fail *f)
{
    int ends[2], state = 0;
    if (pipe(ends) != 0)
        return fail_set(f, STATUS_UNUSABLE, "cannot make a pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        if (dup2(ends[0], STDIN_FILENO) >= 0) {
            (void)close(ends[0]);
            (void)close(ends[1]);
            int quiet = argument != NULL ? open("/dev/null", O_WRONLY) : -1;
            if (argument == NULL)
                execlp("gnuplot", "gnuplot", (char *)NULL);
            else if (dup2(quiet, STDOUT_FILENO) >= 0)
                execlp("gnuplot", "gnuplot", argument, (char *)NULL);
        }
        _exit(127);
    }
    (void)close(ends[0]);
    if (child < 0) {
        (void)close(ends[1]);
        return fail_set(f, STATUS_UNUSABLE, "cannot start gnuplot: %s", strerror(errno));
    }
    while (size > 0) {
        ssize_t n = write(ends[1], script, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break; /* gnuplot is gone: its status tells */
        script += n;
        size -= (size_t)n;
    }
    (void)close(ends[1]);
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return fail_set(f, STATUS_UNUSABLE, "waiting for gnuplot: %s", strerror(errno));
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
        return fail_set(f, STATUS_UNUSABLE, "gnuplot, which draws the plots, is not installed");
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return fail_set(f, STATUS_MISMATCH, "gnuplot could not draw a plot");
    return 0;
}

int plot_check(struct fail *f)
{
    return run("", 0, "--version", f);
}

int plot_begin(struct plot *p, int height, struct fail *f)
{
    *p = (struct plot){0};
    p->script = open_memstream(&p->text, &p->size);
    if (p->script == NULL)
        return fail_set(f, STATUS_UNUSABLE, "out of memory");
    fprintf(p->script,
            "set encoding utf8\n"
            "set terminal svg size 760,%d dynamic font 'sans-serif,13' linewidth 1\n"
            "set border 3 linewidth 0.8\nset tics nomirror scale 0.6\n"
            "set grid ytics linewidth 0.4 dashtype (2,4)\nset key outside top center "
            "horizontal samplen 2\n",
            height);
    for (int i = 0; i < PLOT_COLOURS; i++)
        fprintf(p->script, "set linetype %d linecolor rgb '%s' linewidth 1.6\n", i + 1,
                plot_colour[i]);
    return 0;
}

/* gnuplot draws axes and letters in black, which nobody sees on a dark page. */
static int follow_text_colour(const char *path, struct fail *f)
{
    static const char *const black[] = {"'black'", "\"black\"", "rgb(  0,   0,   0)"};
    static const char *const instead[] = {"'currentColor'", "\"currentColor\"", "currentColor"};
    char line[8192];
    char *text = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "re"), *out = open_memstream(&text, &size);
    while (in != NULL && out != NULL && fgets(line, sizeof line, in) != NULL) {
        for (char *p = line; *p;) {
            size_t k = 0;
            while (k < 3 && strncmp(p, black[k], strlen(black[k])) != 0)
                k++;
            if (k < 3) {
                fputs(instead[k], out);
                p += strlen(black[k]);
            } else {
                fputc(*p++, out);
            }
        }
    }
    int bad = in == NULL || out == NULL;
    bad = (in != NULL && (ferror(in) | fclose(in)) != 0) || bad;
    bad = (out != NULL && fclose(out) != 0) || bad;
    out = bad ? NULL : fopen(path, "we");
    bad = out == NULL || fwrite(text, 1, size, out) != size;
    bad = (out != NULL && fclose(out) != 0) || bad;
    free(text);
    if (bad)
        return fail_set(f, STATUS_UNUSABLE, "cannot rewrite '%s'", path);
    return 0;
}

int plot_end(struct plot *p, const char *directory, const char *name, struct fail *f)
{
    char *path = mem_format("%s/%s.svg", directory, name);
    int bad = fclose(p->script) != 0;
    p->script = NULL;
    /* The name of the file goes in front, as gnuplot opens it at the first plot. */
    char *script = mem_format("set output '%s'\n%s", path, p->text);
    if (bad)
        fail_set(f, STATUS_UNUSABLE, "out of memory");
    else if (run(script, strlen(script), NULL, f) == 0)
        (void)follow_text_colour(path, f);
    free(script);
    free(path);
    free(p->text);
    return f->status;
}
