/*
** side.h: one library with its files and connections, playing a sequence.
*/
#ifndef EXHAUST_SIDE_H
#define EXHAUST_SIDE_H

#include "config.h"
#include "image.h"
#include "memory.h"
#include "model.h"

struct side {
    const struct entry *entry;
    struct memory *memory; /* NULL: files in the current folder */
    const char *file, *log;
    sqlite3 *db, *reader;
};

/* What there is to compare after a letter. */
struct answer {
    int rc;
    int rows; /* that were changed, or read */
    struct hash_value hash;
};

/* Statistics of the connection, as sqlite3_db_status() has them. */
struct counters {
    int written, spilled;
};

/* Puts the database there and opens it. */
struct answer side_open(struct side *s, const char *opening, const unsigned char *bytes,
                        size_t size);
/* One letter, which is number `position` of the sequence. m is as of before it. */
struct answer side_letter(struct side *s, const struct model *m, char letter, int position);
/* The files as they are. False: they cannot be read. */
bool side_image(const struct side *s, struct image *image);
/* All rows, as the connection sees them, or as the other one does. */
struct answer side_look(struct side *s, bool reader);
/* The last connection removes the log. */
struct answer side_close(struct side *s);
struct counters side_counters(const struct side *s);
/* All rows of any database of this kind, with any library. */
struct answer content_of(const struct api *api, sqlite3 *db);

bool answer_same(const struct answer *a, const struct answer *b);

#endif
