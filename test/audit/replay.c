/*
** replay.c: plays inputs of the audit's fuzzer from files, with any compiler.
**
** usage: audit_replay FILE...
**
** Reports in the Test Anything Protocol. An input that the audit cannot stand ends the
** program.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "tap.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* The whole of a file, in a buffer of just its size. */
static unsigned char *read_whole(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    unsigned char *data = NULL, block[4096];
    size_t n;
    *size = 0;
    if (in == NULL)
        return NULL;
    while ((n = fread(block, 1, sizeof block, in)) > 0) {
        data = mem_grow(data, *size + n, 1);
        for (size_t i = 0; i < n; i++)
            data[(*size)++] = block[i];
    }
    int bad = ferror(in);
    bad |= fclose(in);
    if (bad) {
        free(data);
        return NULL;
    }
    return data ? data : mem_get(1);
}

int main(int argc, char **argv)
{
    struct tap t = {0, 0};
    for (int i = 1; i < argc; i++) {
        size_t size;
        unsigned char *data = read_whole(argv[i], &size);
        if (data != NULL)
            (void)LLVMFuzzerTestOneInput(data, size);
        const char *name = strrchr(argv[i], '/');
        tap_ok(&t, data != NULL, name ? name + 1 : argv[i]);
        free(data);
    }
    return tap_end(&t);
}
