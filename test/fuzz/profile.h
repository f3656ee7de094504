/*
** profile.h: what a sequence keeps to from its first step to its last.
*/
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include "script.h"

struct profile {
    int page_size;
    int auto_vacuum;
    int cache_size;
    int rows;      /* how many at a time, at most */
    int pool_rows; /* in the table of ready-made values */
    int rows_kept; /* of each table, now and then */
    bool quiet;    /* reads little, so that the cache stays as the writes left it */
};

/* Rolls a profile and writes the steps that create the databases. */
void profile_begin(struct profile *p, struct script *s, uint64_t *dice);

enum { TABLES = 6 };
extern const char *const table_name[TABLES];
/* CREATE TABLE and, if it has some, its indexes and triggers. */
void table_create(struct script *s, int table, bool look);
void index_create(struct script *s, int table, bool look);
/* Only in main. */
bool table_is_main(int table);
/* Does INSERT choose the key itself if there is none given? */
bool table_has_rowid(int table);

#endif
