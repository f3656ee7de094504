/*
** image.c: the log and the database file, from the documentation of the format.
*/
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"

enum { LOG_HEADER = 32, FRAME_HEADER = 24 };

static uint32_t big(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t little(const unsigned char *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* The checksum of the log, carried on over size bytes, a multiple of 8. */
static void checksum(bool big_endian, const unsigned char *p, size_t size, uint32_t sum[2])
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        sum[0] += (big_endian ? big(p + i) : little(p + i)) + sum[1];
        sum[1] += (big_endian ? big(p + i + 4) : little(p + i + 4)) + sum[0];
    }
}

static const unsigned char *frame_at(const struct image *image, size_t frame)
{
    return image->log + LOG_HEADER + frame * (image->page + FRAME_HEADER);
}

static void find_committed(struct image *image)
{
    const unsigned char *log = image->log;
    bool big_endian = (big(log) & 1) != 0;
    uint32_t sum[2] = {0, 0};
    checksum(big_endian, log, 24, sum);
    if (sum[0] != big(log + 24) || sum[1] != big(log + 28))
        return;
    size_t room = (image->log_size - LOG_HEADER) / (image->page + FRAME_HEADER);
    for (size_t i = 0; i < room; i++) {
        const unsigned char *frame = frame_at(image, i);
        if (memcmp(frame + 8, log + 16, 8) != 0) /* salt */
            break;
        checksum(big_endian, frame, 8, sum);
        checksum(big_endian, frame + FRAME_HEADER, image->page, sum);
        if (sum[0] != big(frame + 16) || sum[1] != big(frame + 20))
            break;
        if (big(frame + 4) != 0) {
            image->last = image->frames;
            image->frames = i + 1;
            image->before = image->pages;
            image->pages = big(frame + 4);
        }
    }
}

static void interpret(struct image *image)
{
    struct fail none = {0};
    struct db_header header;
    if (image->log_size > LOG_HEADER) {
        image->page = big(image->log + 8);
    } else if (image->db_size >= DB_HEADER_SIZE &&
               db_header_read(image->db, &header, &none) == 0) {
        image->page = header.page_size;
    }
    if (image->page < 512 || image->page > 65536) {
        image->page = 0;
        return;
    }
    image->pages = image->before = (uint32_t)(image->db_size / image->page);
    if (image->log_size > LOG_HEADER)
        find_committed(image);
    image->newest = mem_get(((size_t)image->pages + 1) * sizeof image->newest[0]);
    for (size_t i = 0; i < image->frames; i++) {
        uint32_t number = image_frame_page(image, i);
        if (number <= image->pages)
            image->newest[number] = (uint32_t)i + 1;
    }
}

bool image_read(struct image *image, const char *db, const char *log)
{
    memset(image, 0, sizeof *image);
    if (!file_read(db, &image->db, &image->db_size) ||
        !file_read(log, &image->log, &image->log_size)) {
        image_free(image);
        return false;
    }
    interpret(image);
    return true;
}

void image_take(struct image *image, unsigned char *db, size_t db_size, unsigned char *log,
                size_t log_size)
{
    memset(image, 0, sizeof *image);
    image->db = db;
    image->db_size = db_size;
    image->log = log;
    image->log_size = log_size;
    interpret(image);
}

void image_free(struct image *image)
{
    free(image->db);
    free(image->log);
    free(image->newest);
    memset(image, 0, sizeof *image);
}

uint32_t image_frame_page(const struct image *image, size_t frame)
{
    return big(frame_at(image, frame));
}

const unsigned char *image_page(const struct image *image, uint32_t number)
{
    if (number == 0 || number > image->pages)
        return NULL;
    if (image->newest[number] != 0)
        return frame_at(image, image->newest[number] - 1) + FRAME_HEADER;
    size_t end = (size_t)number * image->page;
    return end <= image->db_size ? image->db + end - image->page : NULL;
}

int64_t image_lost_pages(const struct image *image)
{
    int64_t missing = 0;
    for (uint32_t n = 1; n <= image->pages; n++)
        missing += image_page(image, n) == NULL;
    return missing;
}

static int put_page(void *context, uint32_t number, unsigned char *buffer, struct fail *f)
{
    const struct image *image = context;
    const unsigned char *page = image_page(image, number);
    if (page == NULL)
        return fail_set(f, STATUS_MISMATCH, "page %u is nowhere", number);
    memcpy(buffer, page, image->page);
    return 0;
}

unsigned char *image_kinds(const struct image *image, struct fail *f)
{
    struct db_header header;
    const unsigned char *first = image_page(image, 1);
    if (first == NULL) {
        fail_set(f, STATUS_MISMATCH, "page 1 is nowhere");
        return NULL;
    }
    if (db_header_read(first, &header, f) != 0)
        return NULL;
    unsigned char *kind = mem_get((size_t)image->pages + 1);
    struct image copy = *image; /* page_reader's context is not const */
    if (freelist_read(&header, image->pages, put_page, &copy, kind, f) != 0) {
        free(kind);
        return NULL;
    }
    return kind;
}

bool image_hash_used(const struct image *image, struct hash_value *hash, int64_t *leaves,
                     struct fail *f)
{
    struct hash h;
    unsigned char *kind = image_kinds(image, f);
    if (kind == NULL)
        return false;
    hash_begin(&h);
    *leaves = 0;
    for (uint32_t n = 1; n <= image->pages; n++) {
        const unsigned char *page = image_page(image, n);
        if (page == NULL)
            continue;
        if (n == 1) {
            hash_bytes(&h, page, 24);
            hash_bytes(&h, page + 28, 92 - 28);
            hash_bytes(&h, page + 96, image->page - 96);
        } else if (kind[n] == PAGE_LIVE)
            hash_bytes(&h, page, image->page);
        else if (kind[n] == PAGE_LEAF &&
                 (page[0] != 0 || memcmp(page, page + 1, image->page - 1) != 0))
            ++*leaves;
    }
    free(kind);
    *hash = hash_end(&h);
    return true;
}

struct hash_value image_hash(const struct image *image)
{
    struct hash h;
    hash_begin(&h);
    hash_blob(&h, image->db ? image->db : (const unsigned char *)"", image->db_size);
    for (size_t i = 0; i < image->frames; i++) {
        const unsigned char *frame = frame_at(image, i);
        hash_bytes(&h, frame, 8);
        hash_bytes(&h, frame + FRAME_HEADER, image->page);
    }
    return hash_end(&h);
}
