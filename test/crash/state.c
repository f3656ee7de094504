/*
** state.c: chooses crash points, and what is kept at each.
**
** Where few operations are pending every subset of them is tried; where many are,
** a few samples, most of which are not far from keeping all or nothing: what a
** protocol gets wrong, it gets wrong about one write or about one order.
*/
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "dice.h"

enum {
    SUBSETS_MOST = 64,    /* at one point */
    STATES_OF_POINT = 10, /* about */
    PERCENT_NAME_NOW = 60
};

enum how {
    HOW_ALL,
    HOW_INDEX,
    HOW_NONE,
    HOW_SUBSET,
    HOW_PREFIX,
    HOW_ALL_BUT_ONE,
    HOW_ONE,
    HOW_ONE_FILE,
    HOW_MOST,
    HOW_HALF,
    HOW_FEW,
    HOW_ORDER,
    HOWS
};

static const char *const how_text[HOWS] = {
    "everything kept",
    "everything kept, and the -shm",
    "nothing kept that was not synced",
    "a subset kept",
    "kept up to a write, which is torn",
    "all but one operation kept",
    "one operation kept",
    "one file kept",
    "most kept, some torn",
    "half kept, some torn",
    "few kept, some torn",
    "in another order",
};

struct generator {
    const struct state_range *range;
    struct model model;
    bool (*take)(void *, const struct state *);
    void *context;
    struct state_counts *counts;
    struct state state;
    uint64_t dice;
    bool over;
};

/* What is chosen for one state: a body for each name, a fate for each operation. */
struct choice {
    int body[FILES];
    struct fate *fate[FILES];
    size_t count[FILES];
    size_t total;
};

static const struct body *body_of(const struct generator *g, int body)
{
    return &g->model.body[body];
}

/* --- Choosing. */

static void choose_bodies(const struct generator *g, const int digit[FILES], struct choice *c)
{
    c->total = 0;
    for (int i = 0; i < FILES; i++) {
        c->body[i] = g->model.name[i].choice[digit[i]];
        c->count[i] = c->body[i] == NOTHING ? 0 : body_of(g, c->body[i])->count;
        c->total += c->count[i];
        c->fate[i] = mem_get(c->count[i] * sizeof c->fate[i][0]);
        for (size_t k = 0; k < c->count[i]; k++)
            c->fate[i][k] = (struct fate){FATE_KEPT, body_of(g, c->body[i])->pending[k], 0};
    }
}

static struct fate *fate_at(struct choice *c, size_t k)
{
    for (int i = 0; i < FILES; i++) {
        if (k < c->count[i])
            return &c->fate[i][k];
        k -= c->count[i];
    }
    return NULL;
}

static void set_all(struct choice *c, enum fate_kind kind)
{
    for (size_t k = 0; k < c->total; k++)
        fate_at(c, k)->kind = kind;
}

static void roll_each(struct generator *g, struct choice *c, int percent)
{
    for (size_t k = 0; k < c->total; k++) {
        struct fate *f = fate_at(c, k);
        f->dice = random_next(&g->dice);
        if (dice_percent(&g->dice, percent))
            f->kind = !dice_percent(&g->dice, 25)  ? FATE_KEPT
                      : dice_percent(&g->dice, 50) ? FATE_TORN
                                                   : FATE_CUT;
        else
            f->kind = dice_percent(&g->dice, 15) ? FATE_SIZE : FATE_LOST;
    }
}

static void keep_prefix(struct generator *g, struct choice *c)
{
    if (c->total == 0)
        return;
    size_t last = fate_at(c, (size_t)(random_next(&g->dice) % c->total))->event;
    for (size_t k = 0; k < c->total; k++) {
        struct fate *f = fate_at(c, k);
        f->dice = random_next(&g->dice);
        if (f->event > last)
            f->kind = FATE_LOST;
        else if (f->event == last)
            f->kind = dice_percent(&g->dice, 50) ? FATE_CUT : FATE_TORN;
    }
}

static void one_apart(struct generator *g, struct choice *c, enum fate_kind others,
                      enum fate_kind kind)
{
    set_all(c, others);
    if (c->total > 0)
        fate_at(c, (size_t)(random_next(&g->dice) % c->total))->kind = kind;
}

static void keep_file(struct generator *g, struct choice *c)
{
    int file = dice_between(&g->dice, 0, FILES - 1);
    bool lost = dice_percent(&g->dice, 50);
    for (int i = 0; i < FILES; i++)
        for (size_t k = 0; k < c->count[i]; k++)
            c->fate[i][k].kind = (i == file) == lost ? FATE_LOST : FATE_KEPT;
}

static void shuffle(struct generator *g, struct choice *c)
{
    for (int i = 0; i < FILES; i++)
        for (size_t k = c->count[i]; k > 1; k--) {
            size_t other = (size_t)(random_next(&g->dice) % k);
            struct fate f = c->fate[i][k - 1];
            c->fate[i][k - 1] = c->fate[i][other];
            c->fate[i][other] = f;
        }
}

static void choose(struct generator *g, enum how how, uint64_t subset, struct choice *c)
{
    switch (how) {
    case HOW_NONE:
        set_all(c, FATE_LOST);
        break;
    case HOW_SUBSET:
        for (size_t k = 0; k < c->total; k++)
            fate_at(c, k)->kind = (subset >> k & 1) != 0 ? FATE_KEPT : FATE_LOST;
        break;
    case HOW_PREFIX:
        keep_prefix(g, c);
        break;
    case HOW_ALL_BUT_ONE:
        one_apart(g, c, FATE_KEPT, FATE_LOST);
        break;
    case HOW_ONE:
        one_apart(g, c, FATE_LOST, FATE_KEPT);
        break;
    case HOW_ONE_FILE:
        keep_file(g, c);
        break;
    case HOW_MOST:
        roll_each(g, c, 90);
        break;
    case HOW_HALF:
        roll_each(g, c, 50);
        break;
    case HOW_FEW:
        roll_each(g, c, 10);
        break;
    case HOW_ORDER:
        if (dice_percent(&g->dice, 50))
            roll_each(g, c, 80);
        shuffle(g, c);
        break;
    default:
        break;
    }
}

/* A name that has not changed yet keeps files from getting shorter. */
static void keep_order(const struct generator *g, const int digit[FILES], struct choice *c)
{
    size_t first = SIZE_MAX;
    for (int i = 0; i < FILES; i++) {
        const struct name *n = &g->model.name[i];
        if (digit[i] + 1 < n->choices && n->since[digit[i] + 1] < first)
            first = n->since[digit[i] + 1];
    }
    for (size_t k = 0; k < c->total; k++) {
        struct fate *f = fate_at(c, k);
        if (f->event > first && g->model.tape->at[f->event].kind == TAPE_TRUNCATE)
            f->kind = FATE_LOST;
    }
}

/* --- Offering. */

static void hand_out(struct generator *g, enum how how, struct choice *c)
{
    struct state *s = &g->state;
    s->event = g->model.at;
    s->how = how_text[how];
    s->process = how <= HOW_INDEX;
    s->low = s->process ? g->model.returned : g->model.low;
    s->high = g->model.high;
    s->returned = g->model.returned;
    for (int i = 0; i < FILES; i++) {
        s->there[i] = c->body[i] != NOTHING;
        s->image[i].size = 0;
        if (s->there[i])
            model_compose(&g->model, c->body[i], c->fate[i], c->count[i], &s->image[i]);
    }
    if (!g->take(g->context, s))
        g->over = true;
}

/* index: the event that holds a -shm, or NULL. */
static void offer(struct generator *g, enum how how, const int digit[FILES], uint64_t subset,
                  const struct tape_event *index)
{
    struct choice c;
    uint64_t number = g->counts->states++;
    if (g->over || number < g->range->first)
        return;
    if (number > g->range->last) {
        g->over = true;
        return;
    }
    g->dice = g->range->seed + number * UINT64_C(0x9e3779b97f4a7c15);
    int rolled[FILES];
    for (int i = 0; i < FILES; i++) {
        const struct name *n = &g->model.name[i];
        rolled[i] = digit != NULL      ? digit[i]
                    : how <= HOW_INDEX ? n->choices - 1
                    : how == HOW_NONE  ? 0
                    : dice_percent(&g->dice, PERCENT_NAME_NOW)
                        ? n->choices - 1
                        : dice_between(&g->dice, 0, n->choices - 1);
    }
    choose_bodies(g, rolled, &c);
    choose(g, how, subset, &c);
    keep_order(g, rolled, &c);
    g->state.number = number;
    g->state.index = index != NULL ? g->model.tape->bytes + index->data : NULL;
    g->state.index_size = index != NULL ? (size_t)index->size : 0;
    hand_out(g, how, &c);
    for (int i = 0; i < FILES; i++)
        free(c.fate[i]);
}

/* The next combination of names; false after the last. */
static bool count_up(const struct generator *g, int digit[FILES])
{
    for (int i = 0; i < FILES; i++) {
        if (++digit[i] < g->model.name[i].choices)
            return true;
        digit[i] = 0;
    }
    return false;
}

static size_t pending(const struct generator *g, const int digit[FILES])
{
    size_t total = 0;
    for (int i = 0; i < FILES; i++) {
        int body = g->model.name[i].choice[digit[i]];
        total += body == NOTHING ? 0 : body_of(g, body)->count;
    }
    return total;
}

/* All subsets, if there are not too many. */
static bool enumerate(struct generator *g)
{
    int digit[FILES] = {0};
    uint64_t sum = 0;
    do {
        size_t n = pending(g, digit);
        sum += n < 8 ? UINT64_C(1) << n : 2 * SUBSETS_MOST;
    } while (sum <= SUBSETS_MOST && count_up(g, digit));
    if (sum > SUBSETS_MOST)
        return false;
    memset(digit, 0, sizeof digit);
    do {
        uint64_t subsets = UINT64_C(1) << pending(g, digit);
        for (uint64_t i = 0; i < subsets; i++)
            offer(g, HOW_SUBSET, digit, i, NULL);
    } while (count_up(g, digit));
    return true;
}

static void offer_extremes(struct generator *g)
{
    g->counts->points++;
    offer(g, HOW_ALL, NULL, 0, NULL);
    offer(g, HOW_NONE, NULL, 0, NULL);
}

static void at_point(struct generator *g)
{
    static const enum how torn[] = {HOW_PREFIX, HOW_MOST, HOW_ORDER};
    offer_extremes(g);
    if (enumerate(g)) {
        for (size_t i = 0; i < sizeof torn / sizeof torn[0]; i++)
            offer(g, torn[i], NULL, 0, NULL);
        return;
    }
    for (int how = HOW_PREFIX; how < HOWS; how++)
        offer(g, (enum how)how, NULL, 0, NULL);
}

/* Most is pending before a sync; what has been promised is new after a commit. */
static uint64_t weight(const struct tape *t, size_t at)
{
    if (t->at[at].kind == TAPE_SYNC || t->at[at].kind == TAPE_FOLDER)
        return 4;
    if (at > 0 && t->at[at - 1].kind == TAPE_END)
        return 2;
    return t->at[at].kind == TAPE_INDEX ? 0 : 1;
}

void state_each(const struct tape *tape, const struct state_range *range,
                bool (*take)(void *context, const struct state *state), void *context,
                struct state_counts *counts)
{
    struct generator g = {.range = range, .take = take, .context = context, .counts = counts};
    uint64_t sum = 0;
    uint64_t dice = range->seed ^ UINT64_C(0x57a7e);
    *counts = (struct state_counts){0};
    for (size_t i = 0; i < tape->count; i++)
        sum += weight(tape, i);
    model_begin(&g.model, tape, range->lies);
    for (size_t i = 0; i < tape->count && !g.over; i++) {
        uint64_t roll = random_next(&dice) % (sum + 1) * STATES_OF_POINT;
        if (roll < weight(tape, i) * range->about)
            at_point(&g);
        else if (i > 0 && tape->at[i - 1].kind == TAPE_END)
            offer_extremes(&g); /* no commit goes by without a look */
        if (tape->at[i].kind == TAPE_INDEX)
            offer(&g, HOW_INDEX, NULL, 0, &tape->at[i]);
        model_step(&g.model);
    }
    if (!g.over)
        at_point(&g);
    model_end(&g.model);
    for (int i = 0; i < FILES; i++)
        blob_free(&g.state.image[i]);
}
