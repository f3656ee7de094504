/*
** search.h: all sequences of one length, or some at random, over some processes.
*/
#ifndef EXHAUST_SEARCH_H
#define EXHAUST_SEARCH_H

#include <time.h>

#include "play.h"

struct search {
    const struct config *config;
    const char *letters; /* those to use */
    const char *prefix;  /* that each sequence begins with */
    const struct entry *entries;
    char *const *names;
    const unsigned char *bytes;
    size_t size;
    int jobs;
    bool in_memory;   /* the files */
    bool other_pages; /* the libraries choose free pages otherwise */
    int64_t part, parts;
    uint64_t seed; /* of a random search */
    time_t limit;  /* 0: none */
};

struct result {
    uint64_t sequences, runs, stock_wrong;
    uint64_t judged, recovered; /* images, and those that had not been seen before */
    bool complete;
    bool found;
    struct finding finding; /* if found */
    char stock_wrong_first[DEPTH_MOST + 2];
};

/* How many sequences of this length there are, in all parts. */
uint64_t search_count(const struct search *s, int depth);
/* Plays them; of this part. With `some`, plays random ones until the time is up. */
int search_run(const struct search *s, int depth, uint64_t total, bool some,
               struct result *result, struct fail *f);

#endif
