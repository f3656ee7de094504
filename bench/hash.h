/*
** hash.h: a 128-bit hash for comparing content, not for resisting forgery.
**
** Values of a row go in with a type tag and a length, so that two different rows
** cannot run together into the same bytes.
*/
#ifndef WALBENCH_HASH_H
#define WALBENCH_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t a, b;
    uint64_t length;
    unsigned char tail[8];
    unsigned tail_count;
};

struct hash_value {
    uint64_t high, low;
};

enum { HASH_TEXT_SIZE = 33 };

void hash_begin(struct hash *h);
void hash_bytes(struct hash *h, const void *data, size_t size);
struct hash_value hash_end(struct hash *h);

/* The canonical encoding of SQL values. */
void hash_null(struct hash *h);
void hash_int(struct hash *h, int64_t value);
void hash_real(struct hash *h, double value);
void hash_text(struct hash *h, const void *text, size_t size);
void hash_blob(struct hash *h, const void *blob, size_t size);
void hash_row_end(struct hash *h);

void hash_print(struct hash_value v, char text[HASH_TEXT_SIZE]);
uint64_t hash_page(const unsigned char *page, size_t size);

#endif
