/*
** chapter_delete.c: what the report says of `walbench delete`, and of `walbench leak`.
*/
#include "chapter.h"

#include <stdlib.h>

#define KEYS                                                                       \
    "p->>'case_secure_delete' AS secure_delete, replace(p->>'case_cache', 'all', " \
    "'holds all') AS cache"

static int plot_bytes(const struct results *r, struct document *d, struct fail *f)
{
    struct plot p;
    if (plot_begin(&p, 300, f) != 0)
        return f->status;
    fputs("$bytes << EOD\n", p.script);
    (void)results_lines(
        r, p.script,
        "SELECT iif(p->>'case_journal_mode'='wal','WAL, ','DELETE, ') || 'secure\\\\_delete ' || "
        "(p->>'case_secure_delete') || ': ' || arm, "
        "1e-6*total(iif(metric LIKE '%.wal.bytes',sum,0)), "
        "1e-6*total(iif(metric LIKE '%.journal.bytes',sum,0)), "
        "1e-6*total(iif(metric LIKE '%.database.bytes',sum,0)) FROM r WHERE command='delete' "
        "AND p->>'case_cache'='default' AND p->>'case_secure_delete' IN ('off','on') AND "
        "arm<>'all' GROUP BY p->>'case_journal_mode', p->>'case_secure_delete', arm "
        "ORDER BY min(id)",
        f);
    fputs("EOD\nstats $bytes using 2 nooutput\nset yrange [STATS_records-0.5:-0.5]\n"
          "set xrange [0:*]\nset xlabel 'megabytes written'\nset grid noytics xtics "
          "linewidth 0.4 dashtype (2,4)\nset style fill solid 0.85 noborder\n"
          "plot $bytes using (0):0:(0):2:($0-0.35):($0+0.35):ytic(1) with boxxyerror "
          "linetype 2 title 'WAL', '' using 2:0:2:($2+$3):($0-0.35):($0+0.35) with boxxyerror "
          "linetype 5 title 'journal', '' using ($2+$3):0:($2+$3):($2+$3+$4):"
          "($0-0.35):($0+0.35) with boxxyerror linetype 8 title 'database'\n",
          p.script);
    return chapter_picture(&p, d, "delete-bytes",
                           "Bytes written per class of file by the DELETE and the checkpoint "
                           "that follows, default cache.",
                           f);
}

int chapter_delete(const struct results *r, struct document *d, struct fail *f)
{
    static const struct pivot_cell wal[] = {
        {"frames", "frames", PIVOT_MEAN, 1, 0, true},
        {"copied", "pages_copied_by_checkpoint", PIVOT_MEAN, 1, 0, false},
        {"WAL KB", "commit.wal.bytes", PIVOT_MEAN, 1e-3, 0, false},
    };
    static const struct pivot_cell rollback[] = {
        {"database pages", "commit.database.pages", PIVOT_MEAN, 1, 0, false},
        {"journal pages", "commit.journal.pages", PIVOT_MEAN, 1, 0, false},
        {"database KB", "commit.database.bytes", PIVOT_MEAN, 1e-3, 0, true},
    };
    char *rows = chapter_parameter(r, "delete", "rows", f);
    char *victims = chapter_parameter(r, "delete", "delete", f);
    char *size = chapter_parameter(r, "delete", "row_bytes", f);
    document_text(d,
                  "One statement deletes the oldest %s of %s rows of %s bytes. In WAL mode the "
                  "pages that it empties need not reach the log, nor the database by the next "
                  "checkpoint; with `secure_delete=ON` they hold zeros, which have to. "
                  "`build/walbench delete`",
                  victims, rows, size);
    free(rows);
    free(victims);
    free(size);
    document_text(d, "`journal_mode=WAL`:");
    (void)results_pivot(r, d,
                        &(struct pivot){KEYS, 2,
                                        "command='delete' AND p->>'case_journal_mode'='wal'",
                                        wal, 3, true},
                        f);
    document_text(d, "`journal_mode=DELETE`, which the patches leave as it is:");
    (void)results_pivot(r, d,
                        &(struct pivot){KEYS, 2,
                                        "command='delete' AND p->>'case_journal_mode'='delete'",
                                        rollback, 3, false},
                        f);
    return plot_bytes(r, d, f);
}

int chapter_leak(const struct results *r, struct document *d, struct fail *f)
{
    static const struct pivot_cell cells[] = {
        {"in the WAL before", "before.wal", PIVOT_MEAN, 1, 0, false},
        {"left after", "after.both", PIVOT_MEAN, 1, 0, false},
    };
    char *victims = chapter_parameter(r, "leak", "delete", f);
    document_text(
        d,
        "A table loses its oldest %s rows; then the files are searched for what the "
        "rows held: the WAL before the checkpoint, the database and the WAL after it. "
        "With `secure_delete=FAST` a free page keeps its old content, as it always "
        "has in rollback mode. `build/walbench leak`",
        victims);
    free(victims);
    return results_pivot(r, d,
                         &(struct pivot){"p->>'case_journal_mode' AS journal_mode, "
                                         "p->>'case_secure_delete' AS secure_delete",
                                         2, "command='leak'", cells, 2, true},
                         f);
}
