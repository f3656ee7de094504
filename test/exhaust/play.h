/*
** play.h: plays one sequence with both libraries and compares.
*/
#ifndef EXHAUST_PLAY_H
#define EXHAUST_PLAY_H

#include "judge.h"

struct play {
    const struct config *config;
    char *opening;
    const unsigned char *bytes; /* the database to begin with */
    size_t size;
    struct side side[2];
    const char *name[2];
    struct judge judge;
    struct memory memory[2]; /* if the files are there */
    bool other_pages;        /* the libraries choose free pages otherwise */
    bool loud;               /* say what each letter gave */
};

struct finding {
    char sequence[DEPTH_MOST + 2]; /* with the letter that ends the transaction */
    int length;                    /* without it */
    char text[240];
};

enum outcome {
    PLAY_SAME,
    PLAY_DIFFERENT,  /* *finding says how */
    PLAY_STOCK_WRONG /* stock loses content by itself; nothing is said of the other */
};

/* The libraries are loaded; the current folder is for this process alone. With
** `in_memory`, files are in memory. */
int play_init(struct play *p, const struct config *c, const struct entry entries[2],
              char *const names[2], const unsigned char *bytes, size_t size, bool in_memory,
              struct fail *f);
void play_free(struct play *p);

/* A sequence that can be played; if it ends within a transaction, it is played with
** each way to end that. *runs is counted up. */
enum outcome play_sequence(struct play *p, const char *sequence, int length,
                           unsigned long *runs, struct finding *finding);

#endif
