/*
** signals.c: the one flag that a signal handler sets.
*/
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static volatile sig_atomic_t caught;
static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
enum { WATCHED = sizeof watched / sizeof watched[0] };

static void handler(int number)
{
    caught = number;
}

void signals_catch(void)
{
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler; /* no SA_RESTART: a blocked read must return */
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < WATCHED; i++) {
        /* What nohup or a shell's background job ignores stays ignored. */
        if (sigaction(watched[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(watched[i], &action, NULL);
    }
    /* A reader of the output that goes away is a failed write, not a sudden end. */
    (void)signal(SIGPIPE, SIG_IGN);
}

void signals_default(void)
{
    struct sigaction old;
    (void)signal(SIGPIPE, SIG_DFL);
    for (size_t i = 0; i < WATCHED; i++)
        if (sigaction(watched[i], NULL, &old) == 0 && old.sa_handler == handler)
            (void)signal(watched[i], SIG_DFL);
}

int signals_caught(void)
{
    return caught;
}

int signals_check(struct fail *f)
{
    if (caught)
        return fail_set(f, 128 + (int)caught, "interrupted");
    return 0;
}

void signals_repeat(void)
{
    if (!caught)
        return;
    (void)signal((int)caught, SIG_DFL);
    (void)raise((int)caught);
}
