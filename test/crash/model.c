/*
** model.c: follows a tape.
*/
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "dice.h"

/* --- Images. */

static void blob_resize(struct blob *i, size_t size)
{
    if (size > i->room) {
        i->room = size * 2;
        i->at = mem_grow(i->at, i->room, 1);
    }
    if (size > i->size)
        memset(i->at + i->size, 0, size - i->size);
    i->size = size;
}

void blob_free(struct blob *i)
{
    free(i->at);
    *i = (struct blob){0};
}

static void write_range(struct blob *i, const struct tape *t, const struct tape_event *e,
                        size_t from, size_t to)
{
    if (i->size < to)
        blob_resize(i, to);
    memcpy(i->at + from, t->bytes + e->data + (from - (size_t)e->offset), to - from);
}

static void write_some(struct blob *i, const struct tape *t, const struct tape_event *e,
                       const struct fate *fate)
{
    uint64_t dice = fate->dice;
    size_t from = (size_t)e->offset, end = from + (size_t)e->size;
    size_t sectors = (end + SECTOR - 1) / SECTOR - from / SECTOR;
    size_t kept = (size_t)(random_next(&dice) % (sectors + 1));
    for (size_t s = 0; s < sectors; s++) {
        size_t a = (from / SECTOR + s) * SECTOR;
        size_t b = a + SECTOR;
        bool keep = fate->kind == FATE_CUT ? s < kept : dice_percent(&dice, 50);
        if (keep)
            write_range(i, t, e, a < from ? from : a, b > end ? end : b);
    }
}

static void apply(struct blob *i, const struct tape *t, const struct fate *fate)
{
    const struct tape_event *e = &t->at[fate->event];
    size_t end = (size_t)(e->offset + e->size);
    if (fate->kind == FATE_LOST)
        return;
    if (e->kind == TAPE_TRUNCATE)
        blob_resize(i, (size_t)e->size);
    else if (fate->kind == FATE_KEPT)
        write_range(i, t, e, (size_t)e->offset, end);
    else if (fate->kind != FATE_SIZE)
        write_some(i, t, e, fate);
    else if (end > i->size)
        blob_resize(i, end);
}

void model_compose(const struct model *m, int body, const struct fate *fates, size_t count,
                   struct blob *out)
{
    const struct blob *durable = &m->body[body].durable;
    out->size = 0;
    blob_resize(out, durable->size);
    if (durable->size > 0)
        memcpy(out->at, durable->at, durable->size);
    for (size_t i = 0; i < count; i++)
        apply(out, m->tape, &fates[i]);
}

/* --- Following the tape. */

void model_begin(struct model *m, const struct tape *tape, unsigned lies)
{
    memset(m, 0, sizeof *m);
    m->tape = tape;
    m->lies = lies;
    for (int i = 0; i < FILES; i++)
        m->name[i] = (struct name){.now = NOTHING, .choice = {NOTHING}, .choices = 1};
}

void model_end(struct model *m)
{
    for (int i = 0; i < m->bodies; i++) {
        blob_free(&m->body[i].durable);
        free(m->body[i].pending);
    }
    free(m->body);
    memset(m, 0, sizeof *m);
}

static void rename_to(struct name *n, int body, size_t event)
{
    enum { MOST = sizeof n->choice / sizeof n->choice[0] };
    n->now = body;
    if (n->choices == MOST) { /* forget one in the middle */
        memmove(n->choice + 1, n->choice + 2, (MOST - 2) * sizeof n->choice[0]);
        memmove(n->since + 1, n->since + 2, (MOST - 2) * sizeof n->since[0]);
    } else {
        n->choices++;
    }
    n->since[n->choices - 1] = event;
    n->choice[n->choices - 1] = body;
}

static void create(struct model *m, struct name *n)
{
    m->body = mem_grow(m->body, (size_t)m->bodies + 1, sizeof m->body[0]);
    m->body[m->bodies] = (struct body){0};
    rename_to(n, m->bodies++, m->at);
}

static bool lied(const struct model *m, unsigned lie)
{
    return (m->lies & lie) != 0 && (m->logging || lie == 1u << FILE_JOURNAL);
}

static void sync_folder(struct model *m)
{
    for (int i = 0; i < FILES; i++) {
        struct name *n = &m->name[i];
        if (!lied(m, LIE_FOLDER)) {
            n->choice[0] = n->now;
            n->choices = 1;
        }
    }
    if (m->wait_folder > m->low)
        m->low = m->wait_folder;
}

static void sync_file(struct model *m, enum tape_file file)
{
    int body = m->name[file].now;
    if (file == FILE_LOG && m->wait_log > m->low)
        m->low = m->wait_log;
    if (body == NOTHING || lied(m, 1u << file))
        return;
    struct body *b = &m->body[body];
    for (size_t i = 0; i < b->count; i++)
        apply(&b->durable, m->tape, &(struct fate){FATE_KEPT, b->pending[i], 0});
    b->count = 0;
}

static void add_pending(struct model *m, enum tape_file file)
{
    int body = m->name[file].now;
    if (body == NOTHING) /* somebody still has it open, nobody will see it again */
        return;
    struct body *b = &m->body[body];
    if ((b->count & (b->count - 1)) == 0)
        b->pending = mem_grow(b->pending, b->count ? 2 * b->count : 1, sizeof b->pending[0]);
    b->pending[b->count++] = m->at;
}

static void committed(struct model *m, const struct tape_event *e)
{
    const struct hash_value *content = m->tape->content;
    size_t state = (size_t)e->offset;
    m->high = m->returned = state;
    if (state >= m->tape->states || (content[state].high == content[state - 1].high &&
                                     content[state].low == content[state - 1].low))
        return; /* nothing has changed, so nothing has been promised */
    if (lied(m, LIE_PROMISE))
        m->low = state;
    switch ((enum tape_promise)e->size) {
    case PROMISE_NOW:
        m->low = state;
        break;
    case PROMISE_FOLDER:
        m->wait_folder = state;
        break;
    case PROMISE_LOG:
        m->wait_log = state;
        break;
    }
}

void model_step(struct model *m)
{
    const struct tape_event *e = &m->tape->at[m->at];
    switch (e->kind) {
    case TAPE_CREATE:
        create(m, &m->name[e->file]);
        m->logging = m->logging || e->file == FILE_LOG;
        break;
    case TAPE_DELETE:
        rename_to(&m->name[e->file], NOTHING, m->at);
        break;
    case TAPE_FOLDER:
        sync_folder(m);
        break;
    case TAPE_WRITE:
    case TAPE_TRUNCATE:
        add_pending(m, e->file);
        break;
    case TAPE_SYNC:
        sync_file(m, e->file);
        break;
    case TAPE_BEGIN:
        m->high = (size_t)e->offset;
        break;
    case TAPE_END:
        committed(m, e);
        break;
    case TAPE_INDEX:
        break;
    }
    m->at++;
}
