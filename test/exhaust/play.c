/*
** play.c: the comparison.
**
** Content is read at the end only. Reading earlier would change what is in the
** cache, which is half of what this is about; so it is a letter of its own, and
** each beginning of a sequence is a sequence itself.
*/
#include "play.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

int play_init(struct play *p, const struct config *c, const struct entry entries[2],
              char *const names[2], const unsigned char *bytes, size_t size, bool in_memory,
              struct fail *f)
{
    static const char *const files[2] = {"0.db", "1.db"};
    static const char *const logs[2] = {"0.db-wal", "1.db-wal"};
    memset(p, 0, sizeof *p);
    p->config = c;
    p->opening = config_opening(c);
    p->bytes = bytes;
    p->size = size;
    for (int i = 0; i < 2; i++) {
        if (in_memory && memory_open(&p->memory[i], &entries[i].api, f) != 0)
            return f->status;
        p->side[i] = (struct side){
            &entries[i], in_memory ? &p->memory[i] : NULL, files[i], logs[i], NULL, NULL};
        p->name[i] = names[i];
    }
    judge_init(&p->judge, &entries[0], p->side[0].memory);
    return 0;
}

void play_free(struct play *p)
{
    free(p->opening);
    judge_free(&p->judge);
    for (int i = 0; i < 2; i++)
        memory_close(&p->memory[i]);
}

static enum outcome different(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum outcome different(struct finding *finding, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(finding->text, sizeof finding->text, format, ap);
    va_end(ap);
    return PLAY_DIFFERENT;
}

static enum outcome compare(const struct play *p, const char *what, const struct answer a[2],
                            struct finding *finding)
{
    if (p->loud)
        printf("  %s: code %d, %d rows, %016" PRIx64 "\n", what, a[1].rc, a[1].rows,
               a[1].hash.high);
    if (answer_same(&a[0], &a[1]))
        return PLAY_SAME;
    return different(
        finding, "%s: %s code %d, %d rows, %016" PRIx64 "; %s code %d, %d rows, %016" PRIx64,
        what, p->name[0], a[0].rc, a[0].rows, a[0].hash.high, p->name[1], a[1].rc, a[1].rows,
        a[1].hash.high);
}

/* --- The letters. */

/* In WAL mode a page leaves the cache, in the middle of a transaction, as a frame. In
** rollback mode both libraries do the same. */
static enum outcome count(const struct play *p, const struct model *m, const char *what,
                          const struct counters written[2], struct finding *finding)
{
    for (int i = 0; i < 2 && m->wal && m->open; i++)
        if (written[i].written != written[i].spilled)
            return different(finding, "%s: %s counts %d pages as spilled, %d as written", what,
                             p->name[i], written[i].spilled, written[i].written);
    if (!m->wal && !p->other_pages &&
        (written[0].written != written[1].written || written[0].spilled != written[1].spilled))
        return different(finding,
                         "%s: %s counts %d pages as written and %d as spilled, %s %d and %d",
                         what, p->name[0], written[0].written, written[0].spilled, p->name[1],
                         written[1].written, written[1].spilled);
    return PLAY_SAME;
}

static enum outcome one_letter(struct play *p, struct model *m, char letter, int position,
                               struct counters written[2], struct finding *finding)
{
    struct answer a[2];
    struct model before = *m;
    enum outcome outcome = PLAY_SAME;
    char what[64];
    model_step(m, letter);
    for (int i = 0; i < 2; i++) {
        struct counters start = side_counters(&p->side[i]);
        a[i] = side_letter(&p->side[i], &before, letter, position);
        struct counters end = side_counters(&p->side[i]);
        written[i] =
            (struct counters){end.written - start.written, end.spilled - start.spilled};
    }
    (void)snprintf(what, sizeof what, "letter %d, %s", position + 1, letter_text(letter));
    outcome = compare(p, what, a, finding);
    return outcome == PLAY_SAME ? count(p, m, what, written, finding) : outcome;
}

/* --- The end. */

static enum outcome look_live(struct play *p, const struct model *m, struct answer live[2],
                              struct finding *finding)
{
    struct answer other[2];
    for (int i = 0; i < 2; i++)
        live[i] = side_look(&p->side[i], false);
    enum outcome outcome = compare(p, "content at the end", live, finding);
    if (outcome != PLAY_SAME || !m->reader)
        return outcome;
    for (int i = 0; i < 2; i++)
        other[i] = side_letter(&p->side[i], m, 'z', 0);
    return compare(p, "the reader's snapshot at the end", other, finding);
}

/* Through the -shm, which depends on what is in the log. */
static enum outcome look_from_outside(struct play *p, const struct answer live[2],
                                      struct finding *finding)
{
    for (int i = 0; i < 2; i++) {
        struct answer other = side_look(&p->side[i], true);
        if (!answer_same(&other, &live[i]))
            return different(finding, "%s: another connection sees other content at the end",
                             p->name[i]);
    }
    return PLAY_SAME;
}

/* One image, judged by stock. NULL: it is right. */
static const char *wrong_with(struct play *p, const struct image *image,
                              const struct answer *live, bool *first)
{
    struct judgement v = judge_image(&p->judge, image);
    *first |= v.first;
    if (image_lost_pages(image) != 0)
        return "a page is neither in the log nor in the database file";
    if (!answer_same(&v.content, live))
        return "stock recovers other content from a copy";
    return v.sound ? NULL : "integrity_check of a copy";
}

/* *first: there was an image that had not been seen before. */
static enum outcome look_at_images(struct play *p, const struct image image[2],
                                   const struct answer live[2], const char *when, bool *first,
                                   struct finding *finding)
{
    const char *wrong[2];
    *first = false;
    for (int i = 0; i < 2; i++)
        wrong[i] = wrong_with(p, &image[i], &live[i], first);
    if (wrong[0] != NULL)
        return PLAY_STOCK_WRONG;
    if (wrong[1] != NULL)
        return different(finding, "%s, %s: %s", p->name[1], when, wrong[1]);
    return PLAY_SAME;
}

static enum outcome after_checkpoint(struct play *p, const struct answer live[2],
                                     struct finding *finding)
{
    struct image image[2];
    struct answer a[2];
    enum outcome outcome = PLAY_SAME;
    bool first;
    for (int i = 0; i < 2; i++)
        a[i] = side_letter(&p->side[i], NULL, 't', 0);
    outcome = compare(p, "checkpoint at the end", a, finding);
    for (int i = 0; i < 2; i++)
        if (!side_image(&p->side[i], &image[i]))
            outcome = different(finding, "the files cannot be read");
    if (outcome == PLAY_SAME)
        outcome =
            look_at_images(p, image, live, "after the checkpoint at the end", &first, finding);
    if (outcome == PLAY_SAME)
        outcome =
            oracle_files(p->config, image, p->other_pages, finding->text, sizeof finding->text)
                ? PLAY_SAME
                : PLAY_DIFFERENT;
    for (int i = 0; i < 2; i++)
        image_free(&image[i]);
    return outcome;
}

static enum outcome finish(struct play *p, const struct model *m,
                           const struct counters written[2], struct finding *finding)
{
    struct image image[2];
    struct answer live[2];
    bool first = false;
    enum outcome outcome = look_live(p, m, live, finding);
    if (outcome != PLAY_SAME)
        return outcome;
    for (int i = 0; i < 2; i++)
        if (!side_image(&p->side[i], &image[i]))
            outcome = different(finding, "the files cannot be read");
    if (outcome == PLAY_SAME)
        outcome = look_at_images(p, image, live, "at the end", &first, finding);
    if (outcome == PLAY_SAME && m->wal && (first || p->loud))
        outcome = look_from_outside(p, live, finding);
    if (outcome == PLAY_SAME && m->wal &&
        !oracle_transaction(p->config, m, image, written, p->other_pages, finding->text,
                            sizeof finding->text))
        outcome = PLAY_DIFFERENT;
    for (int i = 0; i < 2; i++)
        image_free(&image[i]);
    return outcome == PLAY_SAME ? after_checkpoint(p, live, finding) : outcome;
}

/* --- */

static enum outcome play(struct play *p, const char *sequence, int length,
                         struct finding *finding)
{
    struct model m;
    struct answer a[2];
    struct counters written[2] = {{0, 0}, {0, 0}};
    model_begin(&m, p->config->wal, p->config->rows);
    for (int i = 0; i < 2; i++)
        a[i] = side_open(&p->side[i], p->opening, p->bytes, p->size);
    enum outcome outcome = compare(p, "open", a, finding);
    for (int i = 0; i < length && outcome == PLAY_SAME; i++)
        outcome = one_letter(p, &m, sequence[i], i, written, finding);
    if (outcome == PLAY_SAME)
        outcome = finish(p, &m, written, finding);
    for (int i = 0; i < 2; i++)
        a[i] = side_close(&p->side[i]);
    return outcome == PLAY_SAME ? compare(p, "close", a, finding) : outcome;
}

enum outcome play_sequence(struct play *p, const char *sequence, int length,
                           unsigned long *runs, struct finding *finding)
{
    struct model m;
    enum outcome outcome = PLAY_SAME;
    model_begin(&m, p->config->wal, p->config->rows);
    for (int i = 0; i < length; i++)
        model_step(&m, sequence[i]);
    memset(finding, 0, sizeof *finding);
    memcpy(finding->sequence, sequence, (size_t)length);
    finding->length = length;
    for (const char *end = m.open ? "ck" : "-"; *end && outcome == PLAY_SAME; end++) {
        finding->sequence[length] = *end == '-' ? 0 : *end;
        if (p->loud)
            printf("%s\n", finding->sequence);
        (*runs)++;
        outcome = play(p, finding->sequence, length + (*end != '-'), finding);
    }
    return outcome;
}
