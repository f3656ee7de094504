/*
** model.h: what may be on the disk after a power failure at a point of the tape.
**
** A file is what it was at its last sync, and any of the operations since then
** may have got to the disk or not, in any order, as a whole or sector by sector.
** Names are apart from files: one that was made or removed since the folder was
** last synced may have either state. A file that is removed and made again is
** another one. But no file gets shorter before a name changes that was changed first:
** in DELETE mode SQLite cuts the database file after it has removed the journal, and
** under synchronous=FULL it does not sync the folder in between.
*/
#ifndef CRASH_MODEL_H
#define CRASH_MODEL_H

#include "tape.h"

enum { SECTOR = 512, NOTHING = -1 };

struct blob {
    unsigned char *at;
    size_t size, room;
};

struct body { /* of a file */
    struct blob durable;
    size_t *pending; /* events since the last sync */
    size_t count;
};

struct name {
    int now;       /* the body, or NOTHING */
    int choice[8]; /* what the name may lead to: as of the last sync of the folder, and since */
    size_t since[8]; /* the event that made it so */
    int choices;
};

struct model {
    const struct tape *tape;
    size_t at; /* events before this one have happened */
    struct body *body;
    int bodies;
    struct name name[FILES];
    size_t low, high; /* states that the disk may have, after any crash here */
    size_t returned;  /* the last one that the application knows to be committed */
    size_t wait_folder, wait_log;
    unsigned lies;
    bool logging; /* there has been a log */
};

/* Lies: 1<<FILE_... is not synced whatever SQLite asks for, nor is the folder; or more
** is expected than has been promised. All but FILE_JOURNAL wait for the log to be there,
** as what is found before that is found too easily. */
enum { LIE_FOLDER = 1 << FILES, LIE_PROMISE = 2 << FILES };

void model_begin(struct model *m, const struct tape *tape, unsigned lies);
void model_step(struct model *m);
void model_end(struct model *m);

/* What becomes of one pending operation. */
enum fate_kind {
    FATE_LOST,
    FATE_KEPT,
    FATE_TORN, /* each sector of a write is kept or lost, by the dice */
    FATE_CUT,  /* a write is kept up to a sector */
    FATE_SIZE  /* only the file has got longer, by zeros */
};

struct fate {
    enum fate_kind kind;
    size_t event;
    uint64_t dice;
};

/* The file with some of its pending operations, in the order of the fates. */
void model_compose(const struct model *m, int body, const struct fate *fates, size_t count,
                   struct blob *out);
void blob_free(struct blob *i);

#endif
