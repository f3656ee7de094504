/*
** table.h: a table of text for people, columns as wide as they need to be.
*/
#ifndef WALBENCH_TABLE_H
#define WALBENCH_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "stats.h"

struct table {
    char **cells;
    size_t count; /* cells filled so far, row by row */
    size_t columns;
    size_t left; /* this many columns at the left edge, and the last, align left */
};

void table_begin(struct table *t, size_t columns, size_t left);
void table_cell(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `count` cells from doubles that lie `stride` bytes apart, in structures of some kind. */
void table_numbers(struct table *t, const void *first, size_t stride, size_t count,
                   double scale, int digits);
/* "12.3 ±4%": the median, and how far the 95 % interval reaches; "12.3 ±?" if not known. */
void table_estimate(struct table *t, const struct estimate *e, double scale, int digits);
/* "0.54 (0.52 to 0.57)", or "~ (0.97 to 1.04)" where it is not significant. */
void table_ratio(struct table *t, const struct estimate *ratio);
/* Prints the table, its first row as a heading, and frees it. */
void table_end(struct table *t, FILE *out);

enum { NUMBER_TEXT_SIZE = 48 };

/* 1234567 as "1,234,567"; fractions get `digits` decimals. */
const char *number_print(double value, int digits, char text[NUMBER_TEXT_SIZE]);

#endif
