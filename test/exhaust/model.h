/*
** model.h: the letters, and what is known of a sequence of them without running
** it: which letters make sense next, and what an oracle needs to know about the
** transaction that was committed last.
*/
#ifndef EXHAUST_MODEL_H
#define EXHAUST_MODEL_H

#include <stdbool.h>

enum { DEPTH_MOST = 32, NEST_MOST = 2 };

/* Rows of t have the keys from low to high. u has its rows or none. */
struct content_model {
    int low, high;
    bool u;
};

struct model {
    bool wal;
    bool open;  /* between BEGIN and its end */
    int nested; /* savepoints */
    struct content_model now, begin, savepoint[NEST_MOST];
    bool since[NEST_MOST]; /* changed since the savepoint was opened or gone back to */
    bool wrote;            /* in this transaction */
    bool dirty;            /* changed since the last flush */
    bool unread;           /* changed since the last look */
    int copied;            /* what a checkpoint can still do: 0 all, 1 truncate, 2 nothing */
    bool reader;           /* has a snapshot */
    bool reader_useful;    /* something has happened since it began */
    /* Of the transaction: */
    bool flushed, freed_after_flush, undone;
    bool vacuumed; /* which may have had nothing to do */
    /* Of the last letter: it has committed a transaction that wrote. */
    bool committed;
    bool committed_undone; /* and in which something was undone */
    bool committed_simple; /* and each free page in it was free before it could leave the
                              cache, and nothing was undone */
    bool committed_quiet;  /* and nothing was flushed or undone */
};

/* All letters, with what each does. */
struct letter {
    char name;
    const char *text;
};
extern const struct letter letters[];

bool letter_known(char letter);
const char *letter_text(char letter);

void model_begin(struct model *m, bool wal, int rows);
bool model_enabled(const struct model *m, char letter);
/* Does a sequence that ends with it show anything that a shorter one does not? */
bool model_can_end(const struct model *m, char letter);
void model_step(struct model *m, char letter);

#endif
