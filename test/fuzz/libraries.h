/*
** libraries.h: the libraries that a command line names.
*/
#ifndef FUZZ_LIBRARIES_H
#define FUZZ_LIBRARIES_H

#include "options.h"

/* From NAME=PATH, given twice; or stock and patched from the folder of this program.
** The caller frees both names and both paths, which are absolute, also after a failure. */
int libraries_take(const struct text_list *given, char *name[2], char *path[2], struct fail *f);
/* One of them, likewise. */
int library_take(const char *text, char **name, char **path, struct fail *f);

#endif
