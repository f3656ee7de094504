/*
** pivot.c: the SQL for a table in which every arm has columns of its own.
*/
#include <stdlib.h>

#include "results.h"

/* The figure of one arm, as a number. */
static void put_value(FILE *sql, const struct pivot_cell *cell, const char *arm)
{
    const char *what = cell->kind == PIVOT_SUM        ? "sum(%s sum END)"
                       : cell->kind == PIVOT_ESTIMATE ? "max(%s median END)"
                                                      : "avg(%s mean END)";
    char *when = mem_format("CASE WHEN arm='%s' AND metric='%s' THEN ", arm, cell->metric);
    for (; *what; what++) {
        if (*what == '%') {
            fputs(when, sql);
            what++;
        } else {
            fputc(*what, sql);
        }
    }
    free(when);
}

/* A value as text with so many decimals; NULL stays NULL. */
static void put_number(FILE *sql, const char *value, double scale, int digits)
{
    if (digits == 0)
        fprintf(sql, "iif((%s) IS NULL, NULL, printf('%%,d', round((%s)*%.9g)))", value, value,
                scale);
    else
        fprintf(sql, "iif((%s) IS NULL, NULL, printf('%%.%df', (%s)*%.9g))", value, digits,
                value, scale);
}

static void put_cell(FILE *sql, const struct pivot_cell *cell, const char *arm)
{
    char *value = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&value, &size);
    if (out == NULL)
        return;
    put_value(out, cell, arm);
    if (fclose(out) == 0) {
        fputs(", ", sql);
        put_number(sql, value, cell->scale, cell->digits);
        if (cell->kind == PIVOT_ESTIMATE)
            fprintf(
                sql,
                " || max(CASE WHEN arm='%s' AND metric='%s' AND median>0 AND low IS NOT "
                "NULL THEN printf(' ±%%s%%%%', iif(max(high-median, median-low)>10*median, '>999', "
                "printf('%%.0f', 100*max(high-median, median-low)/median))) "
                "WHEN arm='%s' AND metric='%s' THEN '' END)",
                arm, cell->metric, arm, cell->metric);
        fprintf(sql, " AS \"%s %s\"", arm, cell->heading);
    }
    free(value);
}

static void put_ratio(FILE *sql, const struct pivot_cell *cell, const char *arm,
                      const char *base)
{
    fputs(", ", sql);
    if (cell->kind == PIVOT_ESTIMATE) {
        fprintf(
            sql,
            "max(CASE WHEN arm='%s' AND metric='%s.ratio' THEN CASE WHEN low>1 OR high<1 "
            "THEN printf('%%.3f (%%.3f to %%.3f)', median, low, high) WHEN low IS NULL THEN "
            "printf('%%.3f', median) ELSE printf('~ (%%.3f to %%.3f)', low, high) END END)",
            arm, cell->metric);
    } else {
        fputs("iif(", sql);
        put_value(sql, cell, base);
        fputs(">0, printf('%.3f', ", sql);
        put_value(sql, cell, arm);
        fputs(" / ", sql);
        put_value(sql, cell, base);
        fputs("), '')", sql);
    }
    fprintf(sql, " AS \"%s/%s\"", arm, base);
}

int results_pivot(const struct results *r, struct document *d, const struct pivot *pivot,
                  struct fail *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *sql = open_memstream(&text, &size);
    if (sql == NULL)
        return fail_set(f, STATUS_UNUSABLE, "out of memory");
    fprintf(sql, "SELECT %s", pivot->keys);
    for (size_t c = 0; c < pivot->cell_count; c++) {
        for (size_t a = 0; a < r->arms; a++)
            put_cell(sql, &pivot->cells[c], r->arm[a]);
        for (size_t a = 1; pivot->cells[c].ratio && a < r->arms; a++)
            put_ratio(sql, &pivot->cells[c], r->arm[a], r->arm[0]);
    }
    if (pivot->published)
        fputs(", " RESULTS_PUBLISHED, sql);
    fprintf(sql, " FROM r WHERE arm<>'all' AND (%s) GROUP BY ", pivot->where);
    for (int k = 1; k <= pivot->key_count; k++)
        fprintf(sql, "%s%d", k > 1 ? "," : "", k);
    fputs(" ORDER BY min(id)", sql);
    if (fclose(sql) != 0)
        fail_set(f, STATUS_UNUSABLE, "out of memory");
    else
        (void)results_table(r, d, text, f);
    free(text);
    return f->status;
}
