/*
** marks.h: finds which of many short byte strings stand in a file.
**
** A row's mark is taken from the middle of its payload, which is random: it stands
** nowhere but where that row's content is.
*/
#ifndef WALBENCH_MARKS_H
#define WALBENCH_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fail.h"
#include "rows.h"

enum { MARK_SIZE = 16 };

struct mark {
    unsigned char bytes[MARK_SIZE];
    bool used; /* a place in the table that holds a mark */
    bool found;
};

struct marks {
    struct mark *table; /* open addressing */
    size_t size;        /* a power of two */
    size_t count;
};

/* The marks of rows first to last. */
void marks_make(struct marks *m, const struct row_shape *shape, int64_t first, int64_t last);
void marks_free(struct marks *m);

/* Notes the marks that stand in data, in addition to those that were found before. */
void marks_search(struct marks *m, const unsigned char *data, size_t size);
size_t marks_found(const struct marks *m);
void marks_forget(struct marks *m);

/* Searches a whole file; one that is not there holds nothing. */
int marks_search_file(struct marks *m, const char *path, struct fail *f);

#endif
