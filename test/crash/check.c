/*
** check.c: what a library finds in the files of a crash.
*/
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content.h"
#include "image.h"
#include "recorder.h"
#include "seen.h"

enum { SECONDS_MOST = 30 };

struct library {
    struct api api;
    struct recorder recorder;
};

struct checker {
    const struct check_job *c;
    struct verdicts *v;
    struct library reader, other;
};

struct verdicts *verdicts_new(struct fail *f)
{
    void *p = mmap(NULL, sizeof(struct verdicts), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        fail_set(f, STATUS_UNUSABLE, "no memory: %s", strerror(errno));
        return NULL;
    }
    struct verdicts *v = p;
    v->seen = seen_new(f);
    if (v->seen != NULL)
        return v;
    (void)munmap(v, sizeof *v);
    return NULL;
}

void verdicts_free(struct verdicts *v)
{
    if (v == NULL)
        return;
    seen_free(v->seen);
    (void)munmap(v, sizeof *v);
}

/* --- Files. */

static bool write_file(const char *path, const unsigned char *data, size_t size)
{
    /* Not O_TRUNC: some file systems wait for the disk then. */
    if (unlink(path) != 0 && errno != ENOENT)
        return false;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool good = true;
    while (good && size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        good = n > 0;
        data += good ? n : 0;
        size -= good ? (size_t)n : 0;
    }
    return close(fd) == 0 && good;
}

bool check_write(const char *folder, const struct state *s)
{
    bool good = true;
    for (int i = 0; i < FILES; i++) {
        char *path = mem_format("%s/a.db%s", folder, tape_tail[i]);
        if (s->there[i])
            good = write_file(path, s->image[i].at, s->image[i].size) && good;
        else
            good = (unlink(path) == 0 || errno == ENOENT) && good;
        free(path);
    }
    char *path = mem_format("%s/a.db-shm", folder);
    if (s->index != NULL)
        good = write_file(path, s->index, s->index_size) && good;
    else
        good = (unlink(path) == 0 || errno == ENOENT) && good;
    free(path);
    return good;
}

static struct hash_value hash_state(const struct state *s)
{
    struct hash h;
    hash_begin(&h);
    for (int i = 0; i < FILES; i++) {
        if (s->there[i])
            hash_blob(&h, s->image[i].size ? s->image[i].at : (const unsigned char *)"",
                      s->image[i].size);
        else
            hash_null(&h);
    }
    if (s->index != NULL)
        hash_blob(&h, s->index, s->index_size);
    return hash_end(&h);
}

/* --- Judging. */

static void failed(struct checker *k, const struct state *s, const char *text)
{
    if (k->v->failures++ == 0) {
        k->v->failed = s->number;
        (void)snprintf(k->v->text, sizeof k->v->text, "%s", text);
        for (char *c = k->v->text; *c != 0; c++) /* integrity_check says it in lines */
            if (*c == '\n')
                *c = ' ';
    }
    if (k->c->describe)
        printf("    fails: %s\n", k->v->failures == 1 ? k->v->text : text);
}

static bool same(struct hash_value a, struct hash_value b)
{
    return a.high == b.high && a.low == b.low;
}

/* Is the content that of a state that may be found here? */
static bool judge(struct checker *k, const struct state *s, struct hash_value content,
                  const char *who)
{
    const struct tape *t = k->c->tape;
    char text[160];
    for (size_t i = s->low; i <= s->high && i < t->states; i++)
        if (same(content, t->content[i]))
            return true;
    size_t other = t->states;
    while (other > 0 && !same(content, t->content[other - 1]))
        other--;
    if (other > 0)
        (void)snprintf(text, sizeof text, "%s finds state %zu, and it should be %zu%s%.0zu",
                       who, other - 1, s->low, s->high > s->low ? " to " : "",
                       s->high > s->low ? s->high : 0);
    else
        (void)snprintf(text, sizeof text, "%s finds content that was never committed", who);
    failed(k, s, text);
    return false;
}

static bool bad_record(struct checker *k, const struct state *s, const char *who,
                       const char *what, const struct record *r, bool wrong)
{
    char text[160];
    if (r->rc == SQLITE_OK && !wrong)
        return false;
    (void)snprintf(text, sizeof text, "%s, %s: %d, %s", who, what, r->rc, r->text);
    failed(k, s, text);
    return true;
}

/* Only of states that have passed. */
static void count(struct checker *k, const struct state *s, struct hash_value content)
{
    const struct hash_value *known = k->c->tape->content;
    size_t i = s->high;
    while (i > s->low && !same(content, known[i]))
        i--;
    k->v->index += s->index != NULL;
    if (same(content, known[s->returned]))
        k->v->last++;
    else if (i > s->returned)
        k->v->newer++;
    else
        k->v->older++;
}

static char *database_path(const struct checker *k)
{
    return mem_format("%s/a.db", k->c->folder);
}

static int open_state(struct checker *k, const struct library *l, sqlite3 **db)
{
    char *path = database_path(k);
    int rc = l->api.open_v2(path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    free(path);
    return rc;
}

/*
** The database file must be as long as it says. It may be longer where nothing was
** checkpointed: in rollback mode it is cut last, and not synced after that.
*/
static bool check_size(struct checker *k, const struct state *s, int64_t pages, int64_t page)
{
    enum { LOG_HEADER = 32 };
    struct stat st;
    char *path = database_path(k);
    int rc = stat(path, &st);
    free(path);
    bool logged = s->there[FILE_LOG] && s->image[FILE_LOG].size > LOG_HEADER;
    int64_t size = rc == 0 ? (int64_t)st.st_size : -1;
    if (size == pages * page || (size > pages * page && !logged))
        return true;
    char text[160];
    (void)snprintf(text, sizeof text,
                   "after a checkpoint the file has %" PRId64 " bytes, for %" PRId64
                   " pages of %" PRId64,
                   size, pages, page);
    failed(k, s, text);
    return false;
}

static int64_t number_of(struct checker *k, sqlite3 *db, const struct library *l,
                         const char *sql)
{
    struct record r;
    memset(&r, 0, sizeof r);
    (void)k;
    content_statement(&l->api, db, sql, true, &r);
    return r.rc == SQLITE_OK ? strtoll(r.text, NULL, 10) : -1;
}

/* Reads all and checks it. *content only if true. With `empty_log` all is then
** copied into the database file. */
static bool look(struct checker *k, const struct state *s, const struct library *l,
                 const char *who, bool empty_log, struct hash_value *content)
{
    sqlite3 *db = NULL;
    struct record r, integrity, checkpoint;
    memset(&r, 0, sizeof r);
    integrity = checkpoint = r;
    int64_t pages = -1, page = -1;
    r.rc = open_state(k, l, &db);
    if (r.rc == SQLITE_OK)
        content_read(&l->api, db, false, &r);
    bool good = !bad_record(k, s, who, "reading", &r, false);
    if (good) {
        content_statement(&l->api, db, "PRAGMA integrity_check", true, &integrity);
        good = !bad_record(k, s, who, "integrity_check", &integrity,
                           strcmp(integrity.text, "ok") != 0);
    }
    if (good && empty_log) {
        content_statement(&l->api, db, "PRAGMA wal_checkpoint(TRUNCATE)", true, &checkpoint);
        good = !bad_record(k, s, who, "checkpoint", &checkpoint,
                           strcmp(checkpoint.text, "0") != 0);
        pages = number_of(k, db, l, "PRAGMA page_count");
        page = number_of(k, db, l, "PRAGMA page_size");
    }
    (void)l->api.close(db);
    if (good && empty_log)
        good = check_size(k, s, pages, page);
    *content = r.hash;
    return good;
}

/* Pages that are nowhere; a checkpoint would hide it where ftruncate() extends. */
static bool check_covered(struct checker *k, const struct state *s)
{
    if (!s->there[FILE_DATABASE] || !s->there[FILE_LOG] || s->there[FILE_JOURNAL])
        return true;
    struct image image;
    char *database = database_path(k);
    char *log = mem_format("%s-wal", database);
    bool read = image_read(&image, database, log);
    free(log);
    free(database);
    int64_t lost = read ? image_lost_pages(&image) : 0;
    uint32_t pages = image.pages;
    image_free(&image);
    if (read && lost == 0)
        return true;
    char text[160];
    (void)snprintf(text, sizeof text,
                   "%" PRId64 " of %" PRIu32 " pages are neither in the log nor in the file",
                   lost, pages);
    failed(k, s, read ? text : "the files cannot be read");
    return false;
}

static bool write_state(struct checker *k, const struct state *s)
{
    if (check_write(k->c->folder, s))
        return true;
    fail_set(&k->v->fail, STATUS_UNUSABLE, "writing a state to '%s': %s", k->c->folder,
             strerror(errno));
    return false;
}

static void open_and_judge(struct checker *k, const struct state *s, struct seen_state *e)
{
    struct hash_value again;
    bool alone = s->number % ALONE_EVERY == 0;
    e->run = k->c->run;
    e->bad = true;
    e->bad = !check_covered(k, s) || !look(k, s, &k->reader, "stock", alone, &e->content);
    if (e->bad || !judge(k, s, e->content, "stock"))
        return;
    count(k, s, e->content);
    if (alone) {
        k->v->alone++;
        if (!look(k, s, &k->reader, "stock from the file alone", false, &again) ||
            !judge(k, s, again, "stock from the file alone"))
            return;
    }
    if (s->number % OTHER_EVERY == 1) {
        k->v->other++;
        if (!write_state(k, s) || !look(k, s, &k->other, "patched", false, &again))
            return;
        (void)judge(k, s, again, "patched");
    }
}

static bool take(void *context, const struct state *s)
{
    struct checker *k = context;
    bool added;
    k->v->number = s->number;
    struct seen_state *e = seen_find(k->v->seen, hash_state(s), &added);
    if (e == NULL) {
        fail_set(&k->v->fail, STATUS_UNUSABLE, "more states than can be told apart");
        return false;
    }
    k->v->distinct += added;
    if (k->c->describe)
        printf("  state %" PRIu64 ", before event %zu of %zu: %s; %zu to %zu%s\n", s->number,
               s->event, k->c->tape->count, s->how, s->low, s->high,
               added ? "" : "; seen before");
    if (k->c->keep) {
        (void)write_state(k, s);
        return true;
    }
    if (!added && e->run == k->c->run && e->bad) {
        failed(k, s, "the same files as in a state before, which failed");
    } else if (!added && e->run == k->c->run) {
        (void)judge(k, s, e->content, "stock");
    } else {
        (void)alarm(SECONDS_MOST);
        if (write_state(k, s))
            open_and_judge(k, s, e);
        (void)alarm(0);
    }
    return k->v->fail.status == 0 && (k->v->failures == 0 || k->c->go_on);
}

static bool load(struct library *l, const char *path, uint64_t seed, struct fail *f)
{
    return api_load(&l->api, path, f) == 0 &&
           recorder_install(&l->recorder, &l->api, NULL, seed, f) == 0;
}

void check_run(const struct check_job *c, struct verdicts *v)
{
    struct checker *k = mem_get(sizeof *k);
    *k = (struct checker){.c = c, .v = v};
    if (load(&k->reader, c->reader, c->range.seed, &v->fail) &&
        load(&k->other, c->other, c->range.seed, &v->fail))
        state_each(c->tape, &c->range, take, k, &v->counts);
    api_unload(&k->other.api);
    api_unload(&k->reader.api);
    free(k);
    (void)fflush(stdout);
}
