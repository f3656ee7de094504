/*
** unit.c: tests of the parts of walbench that need no SQLite: the free-list reader
** on sound and on hostile files, statistics, hash, options, JSON, the lines that
** arm processes say.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "flushes.h"
#include "freelist.h"
#include "hash.h"
#include "kv.h"
#include "marks.h"
#include "options.h"
#include "page_order.h"
#include "proc.h"
#include "report.h"
#include "rows.h"
#include "sql_script.h"
#include "snapshot.h"
#include "stats.h"
#include "table.h"
#include "tap.h"
#include "trace.h"
#include "workload.h"
#include "workloads.h"

/* A database of pages of 512 bytes, as far as a free-list needs one. */
enum { SIZE = 512, PAGES = 20 };

struct image {
    int reads;
    unsigned char page[PAGES][SIZE];
};

static void put32(unsigned char *p, uint32_t v)
{
    p[0] = (unsigned char)(v >> 24);
    p[1] = (unsigned char)(v >> 16);
    p[2] = (unsigned char)(v >> 8);
    p[3] = (unsigned char)v;
}

static int read_image(void *context, uint32_t pgno, unsigned char *buffer, struct fail *f)
{
    struct image *image = context;
    if (pgno < 1 || pgno > PAGES || ++image->reads > 100) /* an endless walk ends here */
        return fail_set(f, STATUS_MISMATCH, "read outside of the file");
    memcpy(buffer, image->page[pgno - 1], SIZE);
    return 0;
}

/* Two trunks: page 5 with leaves 6 and 7, page 9 with leaf 3. */
static void sound_image(struct image *image)
{
    memset(image, 0, sizeof *image);
    memcpy(image->page[0], "SQLite format 3", 16);
    image->page[0][16] = SIZE >> 8;
    put32(image->page[0] + 24, 7);
    put32(image->page[0] + 28, PAGES);
    put32(image->page[0] + 32, 5);
    put32(image->page[0] + 36, 5);
    put32(image->page[0] + 92, 7);
    put32(image->page[4], 9);
    put32(image->page[4] + 4, 2);
    put32(image->page[4] + 8, 6);
    put32(image->page[4] + 12, 7);
    put32(image->page[8], 0);
    put32(image->page[8] + 4, 1);
    put32(image->page[8] + 8, 3);
}

static int walk(struct image *image, unsigned char *kind, struct fail *f)
{
    struct db_header header;
    *f = (struct fail){0};
    if (db_header_read(image->page[0], &header, f) != 0)
        return f->status;
    return freelist_read(&header, PAGES, read_image, image, kind, f);
}

/* Is the image refused with a message that contains `word`? */
static bool refused(struct image *image, const char *word)
{
    unsigned char kind[PAGES + 1];
    struct fail f;
    return walk(image, kind, &f) == STATUS_MISMATCH && strstr(f.text, word) != NULL;
}

static void test_freelist(struct tap *t)
{
    struct image image;
    unsigned char kind[PAGES + 1];
    struct fail f;
    sound_image(&image);
    bool ok = walk(&image, kind, &f) == 0;
    for (uint32_t p = 1; p <= PAGES; p++) {
        enum page_kind want = p == 5 || p == 9             ? PAGE_TRUNK
                              : p == 3 || p == 6 || p == 7 ? PAGE_LEAF
                                                           : PAGE_LIVE;
        ok = ok && kind[p] == want;
    }
    tap_ok(t, ok, "freelist: trunks and leaves are told apart");
    put32(image.page[0] + 32, 0);
    put32(image.page[0] + 36, 0);
    ok = walk(&image, kind, &f) == 0;
    for (uint32_t p = 1; p <= PAGES; p++)
        ok = ok && kind[p] == PAGE_LIVE;
    tap_ok(t, ok, "freelist: an empty list");
    sound_image(&image);
    put32(image.page[8], 5);
    tap_ok(t, refused(&image, "twice"), "freelist: a cycle of trunks ends");
    sound_image(&image);
    put32(image.page[4], 5);
    tap_ok(t, refused(&image, "twice"), "freelist: a trunk that follows itself ends");
    sound_image(&image);
    put32(image.page[4] + 12, 6);
    tap_ok(t, refused(&image, "twice"), "freelist: a leaf named twice");
    sound_image(&image);
    put32(image.page[4] + 12, PAGES + 1);
    tap_ok(t, refused(&image, "21"), "freelist: a leaf past the end");
    sound_image(&image);
    put32(image.page[4] + 12, 1);
    tap_ok(t, refused(&image, "page 1 "), "freelist: page 1 as a leaf");
    sound_image(&image);
    put32(image.page[4] + 12, 0);
    tap_ok(t, refused(&image, "page 0 "), "freelist: page 0 as a leaf");
    sound_image(&image);
    put32(image.page[0] + 32, UINT32_MAX);
    tap_ok(t, refused(&image, "4294967295"), "freelist: a first trunk out of range");
    sound_image(&image);
    put32(image.page[4] + 4, SIZE / 4 - 1);
    tap_ok(t, refused(&image, "claims"), "freelist: more leaves than fit on a trunk");
    sound_image(&image);
    put32(image.page[4] + 4, UINT32_MAX);
    tap_ok(t, refused(&image, "claims"), "freelist: an absurd number of leaves");
    sound_image(&image);
    put32(image.page[0] + 36, 6);
    tap_ok(t, refused(&image, "the header says 6"), "freelist: a wrong count in the header");
    sound_image(&image);
    put32(image.page[0] + 36, UINT32_MAX);
    tap_ok(t, refused(&image, "in a file of"), "freelist: an absurd count in the header");
}

static void test_header(struct tap *t)
{
    struct image image;
    struct db_header header;
    struct fail f = {0};
    sound_image(&image);
    bool ok = db_header_read(image.page[0], &header, &f) == 0 && header.page_size == SIZE &&
              header.usable_size == SIZE && header.page_count == PAGES &&
              header.first_trunk == 5 && header.free_count == 5;
    tap_ok(t, ok, "header: fields");
    put32(image.page[0] + 92, 6);
    ok = db_header_read(image.page[0], &header, &f) == 0 && header.page_count == 0;
    tap_ok(t, ok, "header: a page count written by an old library is not trusted");
    image.page[0][16] = 0;
    image.page[0][17] = 1;
    ok = db_header_read(image.page[0], &header, &f) == 0 && header.page_size == 65536;
    tap_ok(t, ok, "header: page size 65536");
    image.page[0][16] = 3;
    ok = db_header_read(image.page[0], &header, &f) != 0;
    tap_ok(t, ok, "header: a page size that is no power of two");
    f = (struct fail){0};
    sound_image(&image);
    image.page[0][20] = 40;
    tap_ok(t, db_header_read(image.page[0], &header, &f) != 0, "header: too much reserved");
    f = (struct fail){0};
    sound_image(&image);
    image.page[0][0] = 's';
    tap_ok(t, db_header_read(image.page[0], &header, &f) != 0, "header: another magic");
}

static void test_compare(struct tap *t)
{
    uint64_t old_hash[] = {1, 2, 3, 4, 5, 6}, new_hash[] = {9, 2, 8, 8, 8, 6, 7};
    unsigned char old_kind[] = {0, 0, 0, 0, PAGE_LEAF, PAGE_LEAF, 0};
    unsigned char new_kind[] = {0, 0, 0, PAGE_LEAF, 0, PAGE_TRUNK, PAGE_LEAF, 0};
    struct snapshot before = {.page_count = 6, .hash = old_hash, .kind = old_kind};
    struct snapshot after = {.page_count = 7, .hash = new_hash, .kind = new_kind};
    struct snapshot_change c = snapshot_compare(&before, &after);
    /* 1 changed; 2 same; 3 freed; 4 taken and changed; 5 became a trunk; 6 freed; 7 new. */
    tap_ok(t, c.needed == 4, "compare: leaves are left out, trunks and new pages are needed");
    tap_ok(t, c.freed == 2 && c.taken == 1 && c.beyond == 1, "compare: freed, taken, beyond");
    c = snapshot_compare(&after, &after);
    tap_ok(t, c.needed == 0 && c.freed == 0 && c.taken == 0 && c.beyond == 0,
           "compare: nothing changed");
    static const enum page_use want[] = {USE_NEEDED, USE_UNCHANGED, USE_OLD_LEAF, USE_NEEDED,
                                         USE_NEEDED, USE_OLD_LEAF,  USE_NEEDED,   USE_CUT};
    bool ok = true;
    after.kind[6] = PAGE_LEAF;
    for (uint32_t i = 0; i < 8; i++)
        ok = ok && snapshot_use(&before, &after, i + 1) == want[i];
    tap_ok(t, ok, "use: what a version of each page is good for");
    after.kind[7] = PAGE_LEAF;
    tap_ok(t, snapshot_use(&before, &after, 7) == USE_NEW_LEAF, "use: a leaf past the old end");
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* The ranks are those of the tables for the sign test: 5 samples give no interval at
** 95 %, 6 the whole range, 10 the second to the ninth, 100 the 40th to the 61st. */
static void check_estimates(struct tap *t)
{
    struct samples s = {NULL, 0}, base = {NULL, 0};
    for (int i = 1; i <= 5; i++)
        samples_add(&s, i);
    tap_ok(t, !stats_estimate(&s).known, "stats: five samples give no interval");
    samples_add(&s, 6);
    struct estimate e = stats_estimate(&s);
    tap_ok(t, e.known && near(e.low, 1) && near(e.high, 6), "stats: interval of six samples");
    for (int i = 10; i >= 7; i--)
        samples_add(&s, i);
    e = stats_estimate(&s);
    tap_ok(t, near(e.median, 5.5) && near(e.low, 2) && near(e.high, 9),
           "stats: interval of ten samples");
    for (int i = 0; i < 10; i++)
        samples_add(&base, 2 * s.at[i]);
    e = stats_ratio(&s, &base, NULL);
    tap_ok(t, near(e.median, 0.5) && near(e.low, 0.5) && near(e.high, 0.5) && stats_differs(&e),
           "stats: what disturbs both of a pair falls out of the ratio");
    for (int i = 0; i < 10; i++)
        base.at[i] = s.at[i] * (i % 2 ? 1.5 : 0.5);
    e = stats_ratio(&s, &base, NULL);
    tap_ok(t, !stats_differs(&e), "stats: ratios on both sides of 1 are no difference");
    for (int i = 11; i <= 100; i++)
        samples_add(&s, i);
    e = stats_estimate(&s);
    tap_ok(t, near(e.low, 40) && near(e.high, 61), "stats: interval of a hundred samples");
    samples_free(&s);
    for (int i = 1; i <= 4000; i++)
        samples_add(&s, i);
    e = stats_estimate(&s);
    tap_ok(t, e.known && e.low > 1930 && e.low < 1950 && near(e.low + e.high, 4001),
           "stats: interval of thousands of samples");
    samples_free(&s);
    samples_free(&base);
}

static void test_stats(struct tap *t)
{
    struct samples s = {NULL, 0};
    tap_ok(t, near(stats_mean(&s), 0) && near(stats_median(&s), 0), "stats: no samples");
    for (int i = 9; i >= 1; i--)
        samples_add(&s, i == 9 ? 90 : i);
    tap_ok(t, near(stats_median(&s), 5), "stats: median of an odd number");
    tap_ok(t, near(stats_mean(&s), 14), "stats: mean");
    tap_ok(t, near(stats_quantile(&s, 0), 1) && near(stats_quantile(&s, 1), 90),
           "stats: least and most");
    tap_ok(t, near(stats_quantile(&s, 0.3), 3.4), "stats: between two samples");
    tap_ok(t, near(s.at[0], 90), "stats: the order of samples is kept");
    samples_add(&s, 100);
    tap_ok(t, near(stats_median(&s), 5.5), "stats: median of an even number");
    samples_free(&s);
    check_estimates(t);
}

static bool same_hash(struct hash_value a, struct hash_value b)
{
    return a.high == b.high && a.low == b.low;
}

static void test_hash(struct tap *t)
{
    unsigned char data[1000];
    struct hash h, pieces;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7 + i / 256);
    hash_begin(&h);
    hash_bytes(&h, data, sizeof data);
    struct hash_value whole = hash_end(&h);
    bool ok = true;
    for (size_t step = 1; step < 40; step++) {
        hash_begin(&pieces);
        for (size_t i = 0; i < sizeof data; i += step)
            hash_bytes(&pieces, data + i, sizeof data - i < step ? sizeof data - i : step);
        ok = ok && same_hash(hash_end(&pieces), whole);
    }
    tap_ok(t, ok, "hash: pieces of any size give the same");
    ok = true;
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] ^= 1;
        hash_begin(&h);
        hash_bytes(&h, data, sizeof data);
        ok = ok && !same_hash(hash_end(&h), whole);
        data[i] ^= 1;
    }
    tap_ok(t, ok, "hash: every byte counts");
    struct hash a, b;
    hash_begin(&a);
    hash_text(&a, "ab", 2);
    hash_text(&a, "c", 1);
    hash_begin(&b);
    hash_text(&b, "a", 1);
    hash_text(&b, "bc", 2);
    tap_ok(t, !same_hash(hash_end(&a), hash_end(&b)), "hash: values do not run together");
    hash_begin(&a);
    hash_text(&a, "ab", 2);
    hash_begin(&b);
    hash_blob(&b, "ab", 2);
    tap_ok(t, !same_hash(hash_end(&a), hash_end(&b)), "hash: types are told apart");
    ok = true;
    uint64_t page = hash_page(data, 512);
    for (size_t i = 0; i < 512; i++) {
        data[i] ^= 0x80;
        ok = ok && hash_page(data, 512) != page;
        data[i] ^= 0x80;
    }
    tap_ok(t, ok, "hash: every byte of a page counts");
}

static void test_rows(struct tap *t)
{
    struct row_shape shape = {1, 150, 250};
    struct row *a = mem_get(sizeof *a), *b = mem_get(sizeof *b);
    size_t least = SIZE_MAX, most = 0;
    bool same = true, keys = true;
    for (int64_t id = 1; id <= 5000; id++) {
        row_make(&shape, id, a);
        row_make(&shape, id, b);
        same = same && a->size == b->size && memcmp(a->payload, b->payload, a->size) == 0;
        least = a->size < least ? a->size : least;
        most = a->size > most ? a->size : most;
        row_make(&shape, id + 1, b);
        keys = keys && a->key != b->key;
    }
    tap_ok(t, same, "rows: the same seed and id give the same row");
    tap_ok(t, keys, "rows: keys differ");
    tap_ok(t, least == 150 && most == 250, "rows: sizes fill the range");
    struct hash_value one = rows_hash(&shape, 1, 100, 1, 0);
    shape.seed = 2;
    tap_ok(t, !same_hash(one, rows_hash(&shape, 1, 100, 1, 0)), "rows: the seed counts");
    shape.seed = 1;
    tap_ok(t, !same_hash(one, rows_hash(&shape, 1, 99, 1, 0)), "rows: a missing row is seen");
    free(a);
    free(b);
}

static int parse(const struct option *table, struct fail *f, const char *a, const char *b)
{
    static char first[100], second[100]; /* options keep pointers into them */
    char *argv[] = {first, second, NULL};
    bool help = false;
    *f = (struct fail){0};
    (void)snprintf(first, sizeof first, "%s", a);
    (void)snprintf(second, sizeof second, "%s", b ? b : "");
    int status = options_parse(table, b ? 2 : 1, argv, &help, f);
    return help ? -1 : status;
}

static void test_marks(struct tap *t)
{
    struct row_shape shape = {7, 64, 64};
    struct row *row = mem_get(sizeof *row);
    struct marks m;
    unsigned char text[300];
    memset(text, 'x', sizeof text);
    marks_make(&m, &shape, 1, 50);
    marks_search(&m, text, sizeof text);
    tap_ok(t, marks_found(&m) == 0, "marks: none where there are none");
    row_make(&shape, 10, row);
    memcpy(text + 3, row->payload, row->size);
    row_make(&shape, 51, row); /* not one of them */
    memcpy(text + 100, row->payload, row->size);
    row_make(&shape, 20, row);
    memcpy(text + 201, row->payload, row->size);
    marks_search(&m, text, sizeof text);
    marks_search(&m, text, sizeof text);
    tap_ok(t, marks_found(&m) == 2, "marks: each is found once, and no others");
    marks_forget(&m);
    text[3 + 31] ^= 1;
    marks_search(&m, text, 201 + 24 + MARK_SIZE - 1);
    tap_ok(t, marks_found(&m) == 0, "marks: neither damaged nor cut off at the end");
    marks_search(&m, text, 201 + 24 + MARK_SIZE);
    tap_ok(t, marks_found(&m) == 1, "marks: the last bytes are looked at");
    marks_free(&m);
    free(row);
}

static void test_workloads(struct tap *t)
{
    const struct workload *w;
    const struct step step[] = {{.sql = ""},
                                {.sql = "", .times = 3},
                                {.sql = "", .per = 10},
                                {.sql = "", .times = 3, .per = 10}};
    bool unique = true, reasons = true;
    size_t count = 0;
    for (; (w = workload_at(count)) != NULL; count++) {
        unique = unique && workload_find(w->name) == w;
        /* Whatever is exempt from a bound has to say why. */
        reasons =
            reasons && (w->reason != NULL || (w->lean && !w->subjournal_differs &&
                                              (w->null_share <= 0 || w->null_share >= 1)));
    }
    tap_ok(t, count > 30 && unique, "workloads: every name is there once");
    tap_ok(t, reasons, "workloads: exceptions are given a reason");
    tap_ok(t,
           workload_times(&step[0], 500) == 1 && workload_times(&step[1], 500) == 3 &&
               workload_times(&step[2], 500) == 50 && workload_times(&step[3], 500) == 150,
           "workloads: how often a step runs");
    w = workload_find("big-delete");
    tap_ok(t,
           workload_rows(w, 100, false) == 260000 && workload_rows(w, 100, true) == 2600000 &&
               workload_rows(w, 50, false) == 130000 &&
               workload_rows(workload_find("retention"), 1, true) == 280 &&
               workload_rows(workload_find("cascade"), 1, true) == 100,
           "workloads: rows by size");
    struct workloads_cell a = {.frames = 30, .needed = 20, .subjournal = 10}, b = {.frames = 5};
    tap_ok(t, near(workloads_waste(&a), 1.5) && near(workloads_waste(&b), 0),
           "workloads: waste is frames for each needed page");
    tap_ok(t,
           near(workloads_ratio(&b, &b), 1) && near(workloads_ratio(&b, &a), 0) &&
               near(workloads_ratio(&a, &a), 1) && isinf(workloads_ratio(&a, &b)),
           "workloads: sub-journals where there is none, in one or in both");
}

static void test_options(struct tap *t)
{
    int64_t number = 5;
    bool flag = false;
    const char *word = "x";
    struct fail f;
    const struct option table[] = {
        {.name = "--number", .kind = OPTION_INT, .target = &number, .least = 1, .most = 9},
        {.name = "--flag", .kind = OPTION_FLAG, .target = &flag},
        {.name = "--word", .kind = OPTION_CHOICE, .target = &word, .choices = "one|two"},
        {.name = NULL},
    };
    tap_ok(t, parse(table, &f, "--number", "7") == 0 && number == 7, "options: a number");
    tap_ok(t, parse(table, &f, "--number=8", NULL) == 0 && number == 8, "options: with =");
    static const char *const bad[] = {"",    "x", "7x", "0x7", " 7", "+7",
                                      "1.5", "-", "10", "0",   "-1", "99999999999999999999"};
    bool ok = true;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ok = ok && parse(table, &f, "--number", bad[i]) == STATUS_UNUSABLE && f.text[0] != 0;
    tap_ok(t, ok && number == 8, "options: twelve bad numbers");
    tap_ok(t, parse(table, &f, "--number", NULL) == STATUS_UNUSABLE, "options: no value");
    tap_ok(t, parse(table, &f, "--numbe", "7") == STATUS_UNUSABLE, "options: no abbreviation");
    tap_ok(t, parse(table, &f, "--flag", NULL) == 0 && flag, "options: a flag");
    tap_ok(t, parse(table, &f, "--flag=1", NULL) == STATUS_UNUSABLE,
           "options: flag with value");
    tap_ok(t, parse(table, &f, "extra", NULL) == STATUS_UNUSABLE, "options: a stray word");
    tap_ok(t, parse(table, &f, "--word", "two") == 0 && strcmp(word, "one") > 0,
           "options: a choice");
    tap_ok(t, parse(table, &f, "--word", "tw") == STATUS_UNUSABLE, "options: no such choice");
    tap_ok(t, parse(table, &f, "--word", "one|two") == STATUS_UNUSABLE,
           "options: not the list");
    tap_ok(t, parse(table, &f, "--help", NULL) == -1, "options: help");
    int64_t *list;
    size_t count;
    f = (struct fail){0};
    ok = options_number_list("--seeds", "3,5-7", 0, 9, &list, &count, &f) == 0 && count == 4 &&
         list[0] == 3 && list[1] == 5 && list[3] == 7;
    free(list);
    tap_ok(t, ok, "options: a list with a range");
    static const char *const lists[] = {"",      ",",  "1,", "3-1",  "1,1",
                                        "1-3,2", "10", "a",  "1--2", "0-999999999"};
    ok = true;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        f = (struct fail){0};
        ok = ok && options_number_list("--seeds", lists[i], 0, 9, &list, &count, &f) ==
                       STATUS_UNUSABLE;
    }
    tap_ok(t, ok, "options: ten bad lists");
}

static bool json_is(const char *text, const char *want)
{
    char *out = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&out, &size);
    json_string(memory, text);
    bool ok = fclose(memory) == 0 && strcmp(out, want) == 0;
    free(out);
    return ok;
}

static bool number_is(double value, const char *want)
{
    char *out = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&out, &size);
    json_number(memory, value);
    bool ok = fclose(memory) == 0 && strcmp(out, want) == 0;
    free(out);
    return ok;
}

static void test_json(struct tap *t)
{
    tap_ok(t, json_is("plain", "\"plain\""), "json: plain text");
    tap_ok(t, json_is("a\"b\\c", "\"a\\\"b\\\\c\""), "json: quote and backslash");
    tap_ok(t, json_is("\n\t\x01", "\"\\u000a\\u0009\\u0001\""), "json: control characters");
    tap_ok(t, json_is("\xc3\xa4", "\"\xc3\xa4\""), "json: UTF-8 goes through");
    tap_ok(t, json_is("\xff\xc3", "\"\\ufffd\\ufffd\""), "json: what is not UTF-8 does not");
    tap_ok(t, json_is("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""), "json: nor a surrogate");
    tap_ok(t, number_is(42, "42") && number_is(0.5, "0.5") && number_is(-3, "-3"),
           "json: numbers");
    tap_ok(t, number_is((double)NAN, "null") && number_is((double)INFINITY, "null"),
           "json: what is no number");
}

static int say(struct result *r, const char *text, bool *done, struct fail *f)
{
    char line[200];
    *f = (struct fail){0};
    (void)snprintf(line, sizeof line, "%s", text);
    return result_line(r, line, done, f);
}

static void test_lines(struct tap *t)
{
    struct result r = {0};
    struct fail f;
    bool done = false;
    bool ok = say(&r, "n frames 5", &done, &f) == 0 && say(&r, "n frames 7", &done, &f) == 0 &&
              say(&r, "t name two words", &done, &f) == 0;
    f = (struct fail){0};
    ok = ok && result_samples(&r, "frames", &f)->count == 2 &&
         near(result_number(&r, "frames", &f), 7) &&
         strcmp(result_text(&r, "name", &f), "two words") == 0 && f.status == 0;
    tap_ok(t, ok, "lines: numbers and texts");
    (void)result_number(&r, "absent", &f);
    tap_ok(t, f.status == STATUS_MISMATCH, "lines: what was not said is a failure");
    tap_ok(t,
           say(&r, "e 2 no such library", &done, &f) == 2 &&
               strcmp(f.text, "no such library") == 0,
           "lines: an error keeps its status and text");
    static const char *const bad[] = {"",           "n",          "n frames",
                                      "n frames x", "x frames 1", "nframes 1"};
    ok = true;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ok = ok && say(&r, bad[i], &done, &f) == STATUS_MISMATCH;
    tap_ok(t, ok, "lines: six bad ones");
    ok = !done && say(&r, ".", &done, &f) == 0 && done;
    tap_ok(t, ok && say(&r, "n frames 1", &done, &f) != 0, "lines: nothing after the end");
    result_free(&r);
}

static void test_numbers(struct tap *t)
{
    char a[NUMBER_TEXT_SIZE];
    tap_ok(t, strcmp(number_print(1234567, 0, a), "1,234,567") == 0, "table: thousands");
    tap_ok(t, strcmp(number_print(-1234.5, 1, a), "-1,234.5") == 0, "table: below nought");
    tap_ok(t, strcmp(number_print(999.996, 2, a), "1,000.00") == 0, "table: rounded up");
}

/* Leaves 2-3-4, then 9, then 7-8, as a scan meets them, below the interior page 5. */
static void test_page_order(struct tap *t)
{
    struct page_order o;
    page_order_begin(&o);
    page_order_end(&o);
    tap_ok(t, o.leaves == 0 && o.mean_run <= 0 && o.next_share <= 0 && o.longest_run == 0,
           "page order: of nothing");
    page_order_begin(&o);
    page_order_add(&o, ROLE_LEAF, 2, 10);
    page_order_end(&o);
    tap_ok(t, o.leaves == 1 && o.mean_run == 1 && o.jumps == 0 && o.read_jumps == 1,
           "page order: one leaf, to which a jump leads");
    page_order_begin(&o);
    page_order_add(&o, ROLE_INTERIOR, 5, 100);
    static const int64_t leaves[] = {2, 3, 4, 9, 7, 8};
    for (size_t i = 0; i < 6; i++) {
        page_order_add(&o, ROLE_LEAF, leaves[i], 1);
        page_order_add(&o, ROLE_OVERFLOW, 20, 2); /* in nobody's way */
    }
    page_order_end(&o);
    tap_ok(t, o.leaves == 6 && o.interior == 1 && o.overflow == 6 && o.unused == 118,
           "page order: pages and unused bytes");
    tap_ok(t, o.jumps == 2 && o.longest_run == 3 && o.mean_run == 2,
           "page order: runs of leaves");
    tap_ok(t, fabs(o.next_share - 0.6) < 1e-12, "page order: share of steps to the next page");
    /* To 5, to 2, to 9, to 7. */
    tap_ok(t, o.reads == 7 && o.read_jumps == 4, "page order: reads with interior pages");
}

static void test_calls(struct tap *t)
{
    static const char db[] = "/tmp/x/a.db";
    bool ok = calls_classify("/tmp/x/a.db", db) == CALL_DATABASE &&
              calls_classify("/tmp/x/a.db-journal", db) == CALL_JOURNAL &&
              calls_classify("/tmp/x/a.db-wal", db) == CALL_WAL &&
              calls_classify("/tmp/x/a.db-shm", db) == CALL_SHM;
    tap_ok(t, ok, "calls: the files of a database");
    ok = calls_classify("/tmp/x", db) == CALL_DIRECTORY &&
         calls_classify("/tmp/x/a.db-walx", db) == CALL_OTHER &&
         calls_classify("/tmp/x2", db) == CALL_ELSEWHERE &&
         calls_classify("/dev/urandom", db) == CALL_ELSEWHERE;
    tap_ok(t, ok, "calls: the directory, and what is not of the database");
    char *expected = trace_expected(trace_fact("delete", "off"));
    ok =
        strstr(expected, " 12@0") == NULL && strstr(expected, "4@8716; write database") != NULL;
    tap_ok(t, ok, "trace: the published call that there is not is left out");
    free(expected);
}

static void test_flushes(struct tap *t)
{
    static const char line[] =
        " 254 1 vda1 9 5 40 35 91 92 95 10 0 11 14 11 24 56 31 1067220 218407\n";
    tap_ok(t, flushes_parse(line, "vda1") == 1067220, "flushes: the field");
    tap_ok(t, flushes_parse(line, "vda") == -1, "flushes: another disk");
    tap_ok(t, flushes_parse(" 254 1 vda1 9 5 40 35 91 92 95 10 0 11 14\n", "vda1") == -2,
           "flushes: an old kernel");
    tap_ok(t, flushes_parse("", "vda1") == -1, "flushes: no line");
}

static void test_script(struct tap *t)
{
    static const struct {
        const char *sql;
        bool begins;
    } cases[] = {
        {"BEGIN; SELECT 1; COMMIT", true},
        {" -- x\n/* ; */ ;; begin immediate;", true},
        {"SELECT 1; BEGIN", true},
        {"", false},
        {"-- BEGIN;\nSELECT 1;", false},
        {"SELECT ';BEGIN;';", false},
        {"beginning; SELECT 1", false},
        {"CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; BEGIN; END; SELECT 1;", false},
        {"/* BEGIN", false},
    };
    struct api api;
    bool ok = true;
    api_linked(&api);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct script s = {.path = "x", .text = mem_copy(cases[i].sql)};
        ok = ok && script_begins(&s, &api) == cases[i].begins;
        script_free(&s);
    }
    tap_ok(t, ok, "script: whether a statement is BEGIN");
}

int main(void)
{
    struct tap t = {0, 0};
    test_freelist(&t);
    test_header(&t);
    test_compare(&t);
    test_stats(&t);
    test_hash(&t);
    test_rows(&t);
    test_marks(&t);
    test_workloads(&t);
    test_options(&t);
    test_json(&t);
    test_lines(&t);
    test_numbers(&t);
    test_page_order(&t);
    test_calls(&t);
    test_flushes(&t);
    test_script(&t);
    return tap_end(&t);
}
