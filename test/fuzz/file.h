/*
** file.h: whole files.
*/
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* A file that is not there is empty; the caller frees *bytes. False: it cannot be read. */
bool file_read(const char *path, unsigned char **bytes, size_t *size);
/* Makes the file anew. */
bool file_write(const char *path, const unsigned char *bytes, size_t size);
/* Copies a file that may not be there; then there is no copy either. */
bool file_copy_if_any(const char *from, const char *to);

#endif
