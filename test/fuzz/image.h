/*
** image.h: the files of a database as they are, read without any library.
**
** What is committed follows from the checksums in the log and from the database
** file, as the documentation of the file format has it: what a process would
** recover that finds these files without the -shm.
*/
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "freelist.h"
#include "hash.h"

struct image {
    unsigned char *db, *log;
    size_t db_size, log_size;
    size_t page;      /* bytes of one; 0: the database file holds none */
    size_t frames;    /* of the log that are committed */
    size_t last;      /* the first of them that the last transaction has written */
    uint32_t pages;   /* of the database, as committed */
    uint32_t before;  /* and before that transaction */
    uint32_t *newest; /* of each page: 1 + its newest frame; 0: it has none */
};

/* Files that are not there are empty. False: one cannot be read. */
bool image_read(struct image *image, const char *db, const char *log);
/* The same from bytes, which it takes over. */
void image_take(struct image *image, unsigned char *db, size_t db_size, unsigned char *log,
                size_t log_size);
void image_free(struct image *image);
/* As committed; NULL: it is neither in the log nor in the database file. */
const unsigned char *image_page(const struct image *image, uint32_t number);
/* The page that a frame, counted from 0, is for. */
uint32_t image_frame_page(const struct image *image, size_t frame);
/* The number of pages that are nowhere. */
int64_t image_lost_pages(const struct image *image);
/* Of each page what it is, by number; the caller frees it. NULL: *f says why. */
unsigned char *image_kinds(const struct image *image, struct fail *f);
/* Of the pages that are not free, without the change counter, which counts the
** transactions that have logged page 1. *leaves: how many free-list leaves hold anything but
** zeros. False: *f says why. */
bool image_hash_used(const struct image *image, struct hash_value *hash, int64_t *leaves,
                     struct fail *f);
/* Equal for equal files, but for the salts in the log and what follows from them,
** and for frames that are not committed. */
struct hash_value image_hash(const struct image *image);

#endif
