/*
** proc.h: starts arm processes and collects what they say.
*/
#ifndef WALBENCH_PROC_H
#define WALBENCH_PROC_H

#include <stdbool.h>
#include <stdint.h>

#include "kv.h"
#include "stats.h"

#include "fail.h"

struct series {
    char *name;
    struct samples samples;
};

struct result {
    struct kv_list text;
    struct series *at;
    size_t count;
};

/* Shows on stderr, when that is a terminal, how far a long run is. */
struct progress {
    const char *what;          /* NULL: show nothing */
    int64_t steps_done, steps; /* whole arm runs */
};

void progress_show(const struct progress *p, const char *detail, int64_t done, int64_t total);
void progress_clear(const struct progress *p);

int proc_run(const char *library, const char *job, const struct kv_list *args,
             const struct progress *progress, struct result *result, struct fail *f);

/* What was not said is a failure. */
const struct samples *result_samples(const struct result *r, const char *name, struct fail *f);
double result_number(const struct result *r, const char *name, struct fail *f);
const char *result_text(const struct result *r, const char *name, struct fail *f);
void result_free(struct result *r);

/* proc.c fills it from one line of an arm; public for its test. */
int result_line(struct result *r, char *line, bool *done, struct fail *f);

/* The absolute path of this program; the caller frees it. NULL: not to be had. */
char *proc_self(void);

#endif
