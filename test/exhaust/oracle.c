/*
** oracle.c: counts, and bytes where they must not differ.
**
** A build that logs what it need not, or counts what it does not write, loses no
** content. The frames of a transaction and the free-list as it is afterwards
** show it. (That no frame is missing shows in the content.)
*/
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pages that a transaction has frames for, each once; the caller frees them. */
static bool *pages_of(const struct image *image, size_t *frames)
{
    bool *logged = mem_get((size_t)image->pages + 1);
    *frames = 0;
    for (size_t i = image->last; i < image->frames; i++) {
        uint32_t number = image_frame_page(image, i);
        if (number <= image->pages)
            logged[number] = true;
        ++*frames;
    }
    return logged;
}

/* A page that the patched library logs is logged by stock, too. */
static bool no_more_than_stock(const struct image image[2], bool *const logged[2], char *text,
                               size_t size)
{
    uint32_t most = image[0].pages < image[1].pages ? image[0].pages : image[1].pages;
    for (uint32_t n = 1; n <= most; n++)
        if (logged[1][n] && !logged[0][n]) {
            (void)snprintf(text, size, "page %u is logged, and not by stock", n);
            return false;
        }
    return true;
}

static bool no_leaf(const struct image *image, const bool *logged, char *text, size_t size)
{
    struct fail f = {0};
    unsigned char *kind = image_kinds(image, &f);
    bool good = kind != NULL;
    if (!good)
        (void)snprintf(text, size, "%s", f.text);
    for (uint32_t n = 1; good && n <= image->pages && n <= image->before; n++)
        if (logged[n] && kind[n] == PAGE_LEAF) {
            (void)snprintf(text, size, "page %u is logged, which is a leaf of the free-list",
                           n);
            good = false;
        }
    free(kind);
    return good;
}

bool oracle_transaction(const struct config *c, const struct model *m,
                        const struct image image[2], const struct counters written[2],
                        bool other_pages, char *text, size_t size)
{
    size_t frames[2];
    bool good = true;
    if (!m->committed || image[0].frames == 0 || image[1].frames == 0)
        return true;
    bool *const logged[2] = {pages_of(&image[0], &frames[0]), pages_of(&image[1], &frames[1])};
    /* After a ROLLBACK TO a page may come back unmarked that is none of the database. */
    good = other_pages || m->committed_undone || no_more_than_stock(image, logged, text, size);
    for (int i = 0; i < 2 && good && m->committed_quiet; i++)
        if (written[i].spilled == 0 && c->cache_size >= 100 &&
            (size_t)written[i].written != frames[i]) {
            (void)snprintf(text, size, "%d pages count as written, %zu frames are",
                           written[i].written, frames[i]);
            good = false;
        }
    bool omits = strcmp(c->secure_delete, "ON") != 0;
    if (good && omits && m->committed_simple && c->cache_size >= 100)
        good = no_leaf(&image[1], logged[1], text, size);
    free(logged[0]);
    free(logged[1]);
    return good;
}

/* Zeroed pages have to get there. Stock leaves on free ones what was rolled back to a
** savepoint, so there may be fewer that hold anything, but not more. */
static bool zeroed_alike(const struct image image[2], char *text, size_t size)
{
    struct hash_value used[2];
    int64_t leaves[2];
    struct fail f = {0};
    for (int i = 0; i < 2; i++)
        if (!image_hash_used(&image[i], &used[i], &leaves[i], &f)) {
            (void)snprintf(text, size, "%s", f.text);
            return false;
        }
    bool same = used[0].high == used[1].high && used[0].low == used[1].low;
    if (same && leaves[1] <= leaves[0])
        return true;
    (void)snprintf(text, size, "%s",
                   same ? "more free pages that are not zero"
                        : "the bytes of the pages in use in the database file");
    return false;
}

bool oracle_files(const struct config *c, const struct image image[2], bool other_pages,
                  char *text, size_t size)
{
    for (int i = 0; i < 2; i++) {
        struct db_header header = {0};
        struct fail f = {0};
        if (image[i].db_size < DB_HEADER_SIZE ||
            db_header_read(image[i].db, &header, &f) != 0 ||
            image[i].db_size != (size_t)header.page_size * header.page_count ||
            image[i].log_size != 0) {
            (void)snprintf(text, size, "%zu bytes in the database file, %u pages in its header",
                           image[i].db_size, header.page_count);
            return false;
        }
    }
    if (other_pages)
        return true;
    if (c->wal)
        return strcmp(c->secure_delete, "ON") != 0 || zeroed_alike(image, text, size);
    /* Rollback mode is none of the series' business. */
    if (image[0].db_size == image[1].db_size &&
        memcmp(image[0].db, image[1].db, image[0].db_size) == 0)
        return true;
    (void)snprintf(text, size, "the bytes of the database file");
    return false;
}
