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

void table_estimate(struct table *t, const struct estimate *e, double scale, int digits)
{
    char text[NUMBER_TEXT_SIZE];
    double reach = fmax(e->high - e->median, e->median - e->low);
    (void)number_print(e->median * scale, digits, text);
    if (!e->known)
        table_cell(t, "%s ±?", text);
    else if (e->median <= 0)
        table_cell(t, "%s", text);
    else
        table_cell(t, "%s ±%.0f%%", text, 100 * reach / e->median);
}

void table_ratio(struct table *t, const struct estimate *ratio)
{
    if (!ratio->known)
        table_cell(t, "%.3f (?)", ratio->median);
    else if (stats_differs(ratio))
        table_cell(t, "%.3f (%.3f to %.3f)", ratio->median, ratio->low, ratio->high);
    else
        table_cell(t, "~ (%.3f to %.3f)", ratio->low, ratio->high);
}

/* Columns that a text takes, which is fewer than its bytes in UTF-8. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
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
        fprintf(out, "%s%*s", text, (int)(width - width_of(text)), "");
    else
        fprintf(out, "%*s%s", (int)(width - width_of(text)), "", text);
}

void table_end(struct table *t, FILE *out)
{
    size_t *width = mem_get(t->columns * sizeof width[0]);
    for (size_t i = 0; i < t->count; i++)
        if (width_of(t->cells[i]) > width[i % t->columns])
            width[i % t->columns] = width_of(t->cells[i]);
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
