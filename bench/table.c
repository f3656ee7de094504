/*
** table.c: a table of text for people.
*/
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

void table_begin(struct table *t, size_t columns, size_t left)
{
    *t = (struct table){NULL, 0, columns, left};
}

void table_cell(struct table *t, const char *format, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, format);
    if (vsnprintf(text, sizeof text, format, ap) < 0)
        text[0] = 0;
    va_end(ap);
    t->cells = mem_grow(t->cells, t->count + 1, sizeof t->cells[0]);
    t->cells[t->count++] = mem_copy(text);
}

void table_numbers(struct table *t, const void *first, size_t stride, size_t count,
                   double scale, int digits)
{
    char text[NUMBER_TEXT_SIZE];
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, (const char *)first + i * stride, sizeof value);
        table_cell(t, "%s", number_print(value * scale, digits, text));
    }
}

static void print_cell(const struct table *t, size_t column, const char *text, size_t width,
                       FILE *out)
{
    if (column + 1 == t->columns && *text == 0)
        return; /* no blanks at the end of a line */
    fputs(column ? "  " : "", out);
    if (column + 1 == t->columns)
        fprintf(out, "%s", text);
    else if (column < t->left)
        fprintf(out, "%-*s", (int)width, text);
    else
        fprintf(out, "%*s", (int)width, text);
}

void table_end(struct table *t, FILE *out)
{
    size_t *width = mem_get(t->columns * sizeof width[0]);
    for (size_t i = 0; i < t->count; i++)
        if (strlen(t->cells[i]) > width[i % t->columns])
            width[i % t->columns] = strlen(t->cells[i]);
    for (size_t i = 0; i < t->count; i++) {
        size_t column = i % t->columns;
        print_cell(t, column, t->cells[i], width[column], out);
        if (column + 1 < t->columns)
            continue;
        fputc('\n', out);
        if (i + 1 != t->columns)
            continue;
        for (size_t c = 0; c < t->columns; c++) {
            fputs(c ? "  " : "", out);
            for (size_t k = 0; k < width[c]; k++)
                fputc('-', out);
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < t->count; i++)
        free(t->cells[i]);
    free(t->cells);
    free(width);
    *t = (struct table){NULL, 0, 0, 0};
}

const char *number_print(double value, int digits, char text[NUMBER_TEXT_SIZE])
{
    char plain[NUMBER_TEXT_SIZE];
    if (!isfinite(value) || fabs(value) > 1e18) {
        (void)snprintf(text, NUMBER_TEXT_SIZE, "%g", value);
        return text;
    }
    (void)snprintf(plain, sizeof plain, "%.*f", digits, value);
    size_t whole = strcspn(plain, "."), out = 0;
    for (size_t i = 0; plain[i] && out + 2 < NUMBER_TEXT_SIZE; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && plain[i - 1] != '-')
            text[out++] = ',';
        text[out++] = plain[i];
    }
    text[out] = 0;
    return text;
}
