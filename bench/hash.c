/*
** hash.c: two multiply-and-rotate lanes over 64-bit words.
**
** A run hashes hundreds of megabytes several times, so it goes by words; each
** lane sees every word and lane b also sees lane a, which makes the pair differ
** when words change places.
*/
#include "hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PRIME_A UINT64_C(0x9e3779b97f4a7c15)
#define PRIME_B UINT64_C(0xc2b2ae3d27d4eb4f)

static uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static uint64_t finish(uint64_t x)
{
    x ^= x >> 32;
    x *= PRIME_A;
    x ^= x >> 29;
    x *= PRIME_B;
    return x ^ x >> 32;
}

/* The result must not depend on the machine's byte order. */
static uint64_t word_at(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

static void mix(struct hash *h, uint64_t word)
{
    h->a = rotate((h->a ^ word) * PRIME_A, 29);
    h->b = rotate((h->b + word) * PRIME_B, 31) ^ h->a;
}

void hash_begin(struct hash *h)
{
    memset(h, 0, sizeof *h);
    h->a = PRIME_B;
    h->b = PRIME_A;
}

void hash_bytes(struct hash *h, const void *data, size_t size)
{
    const unsigned char *p = data;
    h->length += size;
    while (size > 0 && h->tail_count > 0) {
        h->tail[h->tail_count++] = *p++;
        size--;
        if (h->tail_count == sizeof h->tail) {
            mix(h, word_at(h->tail));
            h->tail_count = 0;
        }
    }
    for (; size >= 8; p += 8, size -= 8)
        mix(h, word_at(p));
    while (size-- > 0)
        h->tail[h->tail_count++] = *p++;
}

struct hash_value hash_end(struct hash *h)
{
    memset(h->tail + h->tail_count, 0, sizeof h->tail - h->tail_count);
    mix(h, word_at(h->tail));
    mix(h, h->length);
    return (struct hash_value){finish(h->a + h->b), finish(h->b ^ rotate(h->a, 17))};
}

static void tagged(struct hash *h, unsigned char tag, const void *data, size_t size)
{
    unsigned char head[9];
    head[0] = tag;
    for (unsigned i = 0; i < 8; i++)
        head[1 + i] = (unsigned char)((uint64_t)size >> (8 * i));
    hash_bytes(h, head, sizeof head);
    hash_bytes(h, data, size);
}

void hash_null(struct hash *h)
{
    tagged(h, 'n', "", 0);
}

void hash_int(struct hash *h, int64_t value)
{
    unsigned char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((uint64_t)value >> (8 * i));
    tagged(h, 'i', bytes, sizeof bytes);
}

void hash_real(struct hash *h, double value)
{
    tagged(h, 'r', &value, sizeof value);
}

void hash_text(struct hash *h, const void *text, size_t size)
{
    tagged(h, 't', text, size);
}

void hash_blob(struct hash *h, const void *blob, size_t size)
{
    tagged(h, 'b', blob, size);
}

void hash_row_end(struct hash *h)
{
    tagged(h, '.', "", 0);
}

void hash_print(struct hash_value v, char text[HASH_TEXT_SIZE])
{
    (void)snprintf(text, HASH_TEXT_SIZE, "%016" PRIx64 "%016" PRIx64, v.high, v.low);
}

uint64_t hash_page(const unsigned char *page, size_t size)
{
    /* Four independent lanes: page comparison is bound by the multiply otherwise. */
    uint64_t lane[4] = {PRIME_A, PRIME_B, ~PRIME_A, ~PRIME_B};
    size_t i = 0;
    for (; i + 32 <= size; i += 32)
        for (size_t k = 0; k < 4; k++)
            lane[k] = rotate((lane[k] ^ word_at(page + i + 8 * k)) * PRIME_A, 29);
    struct hash h;
    hash_begin(&h);
    for (size_t k = 0; k < 4; k++)
        mix(&h, lane[k]);
    hash_bytes(&h, page + i, size - i);
    return hash_end(&h).high;
}
