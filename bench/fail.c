/*
** fail.c: error messages and the allocations that must not fail.
*/
#include "fail.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fail_set(struct fail *f, int status, const char *format, ...)
{
    va_list ap;
    if (f->status != 0)
        return f->status;
    f->status = status;
    va_start(ap, format);
    if (vsnprintf(f->text, sizeof f->text, format, ap) < 0)
        f->text[0] = 0;
    va_end(ap);
    /* "One clear line": a message that carries foreign text must not break it. */
    for (char *c = f->text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return status;
}

static void *must(void *p)
{
    if (p == NULL) {
        fputs("walbench: out of memory\n", stderr);
        exit(STATUS_UNUSABLE); /* the scratch directory is removed by its atexit handler */
    }
    return p;
}

void *mem_get(size_t size)
{
    return must(calloc(1, size ? size : 1));
}

void *mem_grow(void *old, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return must(NULL);
    size_t bytes = count * size;
    return must(realloc(old, bytes > 0 ? bytes : 1));
}

char *mem_copy(const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(mem_get(n), text, n);
}

char *mem_format(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *text = must(n < 0 ? NULL : malloc((size_t)n + 1));
    va_start(ap, format);
    (void)vsnprintf(text, (size_t)n + 1, format, ap);
    va_end(ap);
    return text;
}
