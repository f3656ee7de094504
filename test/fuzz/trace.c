/*
** trace.c: records in shared memory.
*/
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

static size_t bytes(size_t room)
{
    return sizeof(struct trace) + room * sizeof(struct record);
}

struct trace *trace_new(size_t room, struct fail *f)
{
    void *p =
        mmap(NULL, bytes(room), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        fail_set(f, STATUS_UNUSABLE, "no shared memory: %s", strerror(errno));
        return NULL;
    }
    struct trace *t = p;
    t->room = room;
    return t;
}

void trace_free(struct trace *t)
{
    if (t != NULL)
        (void)munmap(t, bytes(t->room));
}

void trace_add(struct trace *t, const struct record *r)
{
    t->added++;
    /* Both traces lose their ends alike, if they ever get that long. */
    if (t->count < t->room)
        t->at[t->count++] = *r;
}

static bool is_about_pages(enum check check)
{
    return check == CHECK_PAGES || check == CHECK_FILE || check == CHECK_LEAVES ||
           check == CHECK_NEEDLES || check == CHECK_FRAMES || check == CHECK_COUNTERS;
}

bool record_same(const struct record *a, const struct record *b, bool other_pages)
{
    if (other_pages && is_about_pages(a->check))
        return a->step == b->step && a->check == b->check && a->rc == b->rc && a->bad == b->bad;
    bool fewer = a->check == CHECK_FRAMES || a->check == CHECK_LEAVES;
    bool rows = fewer ? a->rows >= b->rows : a->rows == b->rows;
    return a->step == b->step && a->check == b->check && a->rc == b->rc && a->bad == b->bad &&
           rows && a->hash.high == b->hash.high && a->hash.low == b->hash.low &&
           strcmp(a->text, b->text) == 0;
}

void record_print(const struct record *r, FILE *out)
{
    if (r == NULL) {
        fputs("nothing, it ended before", out);
        return;
    }
    char hash[HASH_TEXT_SIZE];
    hash_print(r->hash, hash);
    fprintf(out, "%s: code %d, %" PRId64 " rows, %.16s%s%s%s", check_text(r->check), r->rc,
            r->rows, hash, r->text[0] ? ", " : "", r->text, r->bad ? " WRONG" : "");
}

const char *check_text(enum check check)
{
    static const char *const text[CHECKS] = {
        "result",
        "content",
        "integrity_check",
        "pages and free pages",
        "content after going back",
        "content from a new connection",
        "integrity_check from a new connection",
        "content of the reader's snapshot",
        "content of a copy, recovered",
        "integrity_check of a copy, recovered",
        "pages of a copy that are in the log or in the file",
        "a copy, recovered and checkpointed",
        "content of the output",
        "integrity_check of the output",
        "bytes of the pages in use in the database file",
        "free-list leaves in the database file that are not zero",
        "markers of deleted rows in the database file",
        "pages logged by the transaction",
        "pages written and spilled, as counted",
    };
    return text[check];
}
