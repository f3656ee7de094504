/*
** judge.h: what stock SQLite finds in copies of the files, without the -shm.
*/
#ifndef EXHAUST_JUDGE_H
#define EXHAUST_JUDGE_H

#include "image.h"
#include "side.h"

struct judgement {
    struct answer content;
    bool sound; /* integrity_check */
    bool first; /* no such image was seen before */
};

struct judge_entry;

struct judge {
    const struct entry *stock;
    struct memory *memory;       /* NULL: files in the current folder */
    struct judge_entry *entries; /* those of images that were seen before */
    size_t count, room;
    unsigned long asked, looked;
};

void judge_init(struct judge *j, const struct entry *stock, struct memory *memory);
void judge_free(struct judge *j);
struct judgement judge_image(struct judge *j, const struct image *image);

#endif
