/*
** model.c: which letters make sense when.
**
** A letter is left out where it does nothing, or nothing that the same sequence
** without it would not show: that keeps the tree small and loses no case.
*/
#include "model.h"

#include <stddef.h>
#include <string.h>

const struct letter letters[] = {
    {'b', "BEGIN"},
    {'c', "COMMIT"},
    {'k', "ROLLBACK"},
    {'s', "SAVEPOINT"},
    {'r', "ROLLBACK TO the innermost savepoint"},
    {'l', "RELEASE the innermost savepoint"},
    {'f', "sqlite3_db_cacheflush()"},
    {'y', "read everything"},
    {'i', "insert a row that fills a page, with the next key, into t"},
    {'w', "insert a row with overflow pages, likewise"},
    {'d', "delete the row with the lowest key from t"},
    {'e', "delete the row with the highest key from t"},
    {'x', "DELETE FROM u, all of it without a look"},
    {'p', "update every row of t and u"},
    {'a', "delete all rows of t, fail at the last one"},
    {'v', "PRAGMA incremental_vacuum(2)"},
    {'m', "checkpoint, PASSIVE"},
    {'t', "checkpoint, TRUNCATE"},
    {'o', "the other connection begins to read"},
    {'z', "the other connection reads again and ends"},
    {0, NULL},
};

const char *letter_text(char letter)
{
    for (const struct letter *l = letters; l->name; l++)
        if (l->name == letter)
            return l->text;
    return NULL;
}

bool letter_known(char letter)
{
    return letter != 0 && letter_text(letter) != NULL;
}

void model_begin(struct model *m, bool wal, int rows)
{
    memset(m, 0, sizeof *m);
    m->wal = wal;
    m->now = (struct content_model){1, rows, true};
    m->copied = 2;
}

static int rows(const struct model *m)
{
    return m->now.high - m->now.low + 1;
}

bool model_enabled(const struct model *m, char letter)
{
    bool since = m->nested > 0 && m->since[m->nested - 1];
    switch (letter) {
    case 'b':
        return !m->open;
    case 'c':
    case 'k':
        return m->open && m->wrote;
    case 's':
        return m->open && m->nested < NEST_MOST && (m->nested == 0 || since);
    case 'r':
        return since;
    case 'l':
        return since || m->nested > 1;
    case 'f':
        return m->open && m->dirty;
    case 'y':
        return m->open && m->unread;
    case 'd':
    case 'e':
        return rows(m) > 0;
    case 'a':
        return rows(m) > 1;
    case 'x':
        return m->now.u;
    case 'p':
        return rows(m) > 0 || m->now.u;
    case 'm':
        return m->wal && !m->open && m->copied < 1;
    case 't':
        return m->wal && !m->open && m->copied < 2;
    case 'o':
        return m->wal && !m->reader;
    case 'z':
        return m->reader && m->reader_useful;
    default:
        return true;
    }
}

bool model_can_end(const struct model *m, char letter)
{
    /* Every sequence is committed, rolled back, read and checkpointed at its end. */
    if (letter == 'm')
        return m->reader;
    return strchr("bckslotz", letter) == NULL;
}

static void ended(struct model *m, bool commit)
{
    m->committed = commit && m->wrote && !m->vacuumed;
    m->committed_undone = m->committed && m->undone;
    m->committed_simple = m->committed && !m->undone && !m->freed_after_flush;
    m->committed_quiet = m->committed && !m->undone && !m->flushed;
    if (commit && m->wrote) {
        m->copied = 0;
        m->reader_useful = true;
    }
    m->open = false;
    m->nested = 0;
    m->wrote = m->dirty = m->unread = false;
    m->flushed = m->freed_after_flush = m->undone = m->vacuumed = false;
}

static void write(struct model *m, char letter)
{
    if (!m->open)
        m->begin = m->now;
    m->wrote = m->dirty = m->unread = true;
    for (int i = 0; i < m->nested; i++)
        m->since[i] = true;
    if (m->flushed && strchr("dexavp", letter) != NULL)
        m->freed_after_flush = true;
    if (letter == 'i' || letter == 'w')
        m->now.high++;
    else if (letter == 'd')
        m->now.low++;
    else if (letter == 'e')
        m->now.high--;
    else if (letter == 'x')
        m->now.u = false;
    else if (letter == 'v')
        m->vacuumed = true;
    else if (letter == 'a')
        m->undone = true;
    if (m->now.low > m->now.high) { /* the next key in an empty table is 1 */
        m->now.low = 1;
        m->now.high = 0;
    }
    if (!m->open) {
        ended(m, letter != 'a');
        if (letter == 'p') /* which is two transactions */
            m->committed_quiet = false;
    }
}

void model_step(struct model *m, char letter)
{
    m->committed = m->committed_undone = m->committed_simple = m->committed_quiet = false;
    switch (letter) {
    case 'b':
        m->open = true;
        m->begin = m->now;
        break;
    case 'k':
        m->now = m->begin;
        ended(m, false);
        break;
    case 'c':
        ended(m, true);
        break;
    case 's':
        m->savepoint[m->nested] = m->now;
        m->since[m->nested++] = false;
        break;
    case 'r':
        m->now = m->savepoint[m->nested - 1];
        m->since[m->nested - 1] = false;
        m->undone = m->unread = true;
        break;
    case 'l':
        m->nested--;
        break;
    case 'f':
        m->dirty = false;
        m->flushed = true;
        break;
    case 'y':
        m->unread = false;
        break;
    case 'm':
        m->copied = 1;
        m->reader_useful = true;
        break;
    case 't':
        m->copied = m->reader ? 1 : 2;
        m->reader_useful = true;
        break;
    case 'o':
        m->reader = true;
        m->reader_useful = false;
        break;
    case 'z':
        m->reader = false;
        if (m->copied == 1)
            m->copied = 0;
        break;
    default:
        write(m, letter);
    }
}
