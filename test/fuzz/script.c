/*
** script.c: the list of steps, and how a report shows it.
*/
#include "script.h"

#include <stdlib.h>

#include "fail.h"

void script_add(struct script *s, enum step_kind kind, int connection, int number, bool look,
                char *text)
{
    if ((s->count & (s->count - 1)) == 0) /* the room doubles */
        s->at = mem_grow(s->at, s->count ? 2 * s->count : 1, sizeof s->at[0]);
    s->at[s->count++] = (struct step){kind, connection, number, look, text};
}

void script_free(struct script *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->at[i].text);
    for (size_t i = 0; i < s->openings; i++)
        free(s->opening[i]);
    free(s->at);
    *s = (struct script){0};
}

static const char *kind_text(enum step_kind kind)
{
    switch (kind) {
    case STEP_FLUSH:
        return "sqlite3_db_cacheflush()";
    case STEP_LOOK:
        return "read everything";
    case STEP_READER_BEGIN:
        return "BEGIN, read everything";
    case STEP_READER_LOOK:
        return "read everything again";
    case STEP_READER_END:
        return "COMMIT";
    case STEP_READER_CLOSE:
        return "close";
    case STEP_READER_OPEN:
        return "open";
    case STEP_BACKUP_BEGIN:
        return "sqlite3_backup_init() to backup.db";
    case STEP_BACKUP_PAGES:
        return "sqlite3_backup_step()";
    case STEP_BACKUP_END:
        return "sqlite3_backup_step(-1), sqlite3_backup_finish()";
    case STEP_COPY:
        return "copy the files without the -shm, open the copy";
    case STEP_REOPEN:
        return "close all connections, open them again";
    case STEP_SWAP:
        return "close all connections, go on with the other library";
    case STEP_CRASH:
        return "the process ends, go on with the other library";
    default:
        return "";
    }
}

void step_print(const struct step *step, FILE *out)
{
    fprintf(out, "%s: ", step->connection ? "second" : "first");
    fputs(step->text ? step->text : kind_text(step->kind), out);
    if (step->kind == STEP_BACKUP_PAGES)
        fprintf(out, " of %d pages", step->number);
    if (step->kind == STEP_SAVEPOINT && step->look)
        fputs(", read everything", out);
}

void script_print(const struct script *s, const bool *left_out, size_t end, FILE *out)
{
    if (s->shared)
        fputs("  open  each: with SQLITE_OPEN_SHAREDCACHE\n", out);
    for (size_t i = 0; i < s->openings; i++)
        fprintf(out, "  open  each: %s\n", s->opening[i]);
    for (size_t i = 0; i < end && i < s->count; i++) {
        if (left_out != NULL && left_out[i])
            continue;
        fprintf(out, "  %4zu  ", i);
        step_print(&s->at[i], out);
        fputc('\n', out);
    }
}
