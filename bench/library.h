/*
** library.h: the arms of a run: which libraries, and what each says it is.
*/
#ifndef WALBENCH_LIBRARY_H
#define WALBENCH_LIBRARY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

struct library {
    char *name;
    char *path; /* absolute */
    char *version;
    char *source_id;
    char *compile_options; /* separated by blanks */
    int64_t secure_delete; /* the default: 0 off, 1 on, 2 fast */
};

struct libraries {
    struct library *at;
    size_t count;
};

enum { LIBRARIES_MOST = 8 };

/*
** Takes the --lib options, or when there are none stock and patched beside this
** program and the further arms that are configured there, and asks each library in a
** process of its own what it is.
*/
int libraries_open(struct libraries *set, const struct text_list *options, struct fail *f);
void libraries_print(const struct libraries *set, FILE *out);
void libraries_free(struct libraries *set);
/* NULL: there is no arm of that name. */
const struct library *libraries_find(const struct libraries *set, const char *name);
/* Does it record unmodified pages for savepoints by their numbers? The name of the arm says
** so: subjournal or full. */
bool library_by_numbers(const struct library *library);

const char *secure_delete_name(int64_t value);

#endif
