/*
** fail.h: how a function says what went wrong, and the memory and string
** helpers that need nothing more than that.
**
** A function that can fail takes a struct fail and returns 0 or the exit
** status that the whole program should end with. The first message wins: it is
** the cause, later ones are consequences.
*/
#ifndef WALBENCH_FAIL_H
#define WALBENCH_FAIL_H

#include <stddef.h>

enum {
    STATUS_DONE = 0,     /* everything held */
    STATUS_MISMATCH = 1, /* a bound or a comparison failed, or a run broke */
    STATUS_UNUSABLE = 2  /* arguments, files or surroundings not usable */
};

struct fail {
    int status;
    char text[800];
};

int fail_set(struct fail *f, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Memory that is needed to go on at all: without it the program ends with status 2. */
void *mem_get(size_t size);
void *mem_grow(void *old, size_t count, size_t size);
char *mem_copy(const char *text);
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
