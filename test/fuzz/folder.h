/*
** folder.h: the folders in which the libraries work, and which are gone
** afterwards whatever happened.
*/
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H

#include "fail.h"

/* Makes a folder of its own in `base` (NULL: $TMPDIR, else /var/tmp), which is
** removed when the process ends. */
int folder_open(const char *base, struct fail *f);
const char *folder_path(void);
/* Makes a folder inside; its absolute path, which the caller frees, or NULL. */
char *folder_add(const char *name, struct fail *f);
/* Removes the files in a folder. */
int folder_empty(const char *path, struct fail *f);
void folder_close(void);

#endif
