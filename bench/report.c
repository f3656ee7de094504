/*
** report.c: the result files and the verdict.
*/
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Length of the UTF-8 sequence at p, or 0 if it is not one. */
static size_t utf8_length(const unsigned char *p)
{
    size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : 0;
    if (*p >= 0xf0 && *p < 0xf5)
        n = 4;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms, surrogates and numbers past the last one. */
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

void json_string(FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    fputc('"', out);
    while (*p) {
        size_t n = utf8_length(p);
        if (n == 0) {
            fputs("\\ufffd", out);
            n = 1;
        } else if (*p == '"' || *p == '\\') {
            fprintf(out, "\\%c", *p);
        } else if (*p < 0x20) {
            fprintf(out, "\\u%04x", *p);
        } else {
            (void)fwrite(p, 1, n, out);
        }
        p += n;
    }
    fputc('"', out);
}

void json_number(FILE *out, double value)
{
    if (!isfinite(value))
        fputs("null", out);
    else if (value == floor(value) && fabs(value) < 9e15)
        fprintf(out, "%" PRId64, (int64_t)value);
    else
        fprintf(out, "%.9g", value);
}

void csv_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

int report_file_open(struct report_file *file, const char *path, struct fail *f)
{
    struct stat st;
    *file = (struct report_file){.path = path};
    if (path == NULL)
        return 0;
    if (path[0] == '\0' || path[strlen(path) - 1] == '/')
        return fail_set(f, STATUS_UNUSABLE, "result file '%s' is no name of a file", path);
    if (lstat(path, &st) == 0)
        return fail_set(f, STATUS_UNUSABLE, "result file '%s' exists already", path);
    char *copy = mem_copy(path);
    const char *parent = dirname(copy);
    if (stat(parent, &st) != 0 || !S_ISDIR(st.st_mode) || access(parent, W_OK | X_OK) != 0)
        fail_set(f, STATUS_UNUSABLE, "result file '%s': cannot write in its directory", path);
    free(copy);
    if (f->status != 0)
        return f->status;
    file->memory = open_memstream(&file->text, &file->size);
    if (file->memory == NULL)
        return fail_set(f, STATUS_UNUSABLE, "out of memory");
    return 0;
}

int report_open(struct report *r, const char *json_path, const char *csv_path, struct fail *f)
{
    struct utsname name;
    r->kernel = uname(&name) == 0
                    ? mem_format("%s %s %s", name.sysname, name.release, name.machine)
                    : mem_copy("unknown");
    if (json_path != NULL && csv_path != NULL && strcmp(json_path, csv_path) == 0)
        return fail_set(f, STATUS_UNUSABLE, "--json and --csv name the same file");
    if (report_file_open(&r->json, json_path, f) != 0 ||
        report_file_open(&r->csv, csv_path, f) != 0)
        return f->status;
    if (r->csv.memory != NULL)
        fputs("experiment,command,arm,version,source_id,metric,unit,n,mean,median,least,most,"
              "parameters,pragmas,published\n",
              r->csv.memory);
    return 0;
}

static void json_members(FILE *out, const struct kv_list *list, bool *first)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        fputs(*first ? "" : ",", out);
        *first = false;
        json_string(out, list->at[i].key);
        fputc(':', out);
        if (list->at[i].number)
            fputs(list->at[i].value, out);
        else
            json_string(out, list->at[i].value);
    }
}

static void json_pair(FILE *out, const char *key, const char *value)
{
    fputc(',', out);
    json_string(out, key);
    fputc(':', out);
    json_string(out, value);
}

static void json_options(FILE *out, const char *options)
{
    char *copy = mem_copy(options), *rest = NULL;
    const char *separator = "";
    fputs(",\"compile_options\":[", out);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        fputs(separator, out);
        json_string(out, word);
        separator = ",";
    }
    fputc(']', out);
    free(copy);
}

static void json_record(const struct report *r, const struct record *record,
                        const struct samples *samples)
{
    FILE *out = r->json.memory;
    struct estimate estimate = stats_estimate(samples);
    bool first = true;
    fputs("{\"experiment\":", out);
    json_string(out, r->experiment);
    json_pair(out, "command", r->command);
    json_pair(out, "arm", record->arm ? record->arm->name : "all");
    json_pair(out, "metric", record->metric);
    json_pair(out, "unit", record->unit);
    fputs(",\"samples\":[", out);
    for (size_t i = 0; i < samples->count; i++) {
        fputs(i ? "," : "", out);
        json_number(out, samples->at[i]);
    }
    fputc(']', out);
    if (estimate.known) {
        fputs(",\"median\":", out);
        json_number(out, estimate.median);
        fputs(",\"interval\":[", out);
        json_number(out, estimate.low);
        fputc(',', out);
        json_number(out, estimate.high);
        fputc(']', out);
    }
    fputs(",\"parameters\":{", out);
    json_members(out, &r->common, &first);
    json_members(out, record->parameters, &first);
    first = true;
    fputs("},\"pragmas\":{", out);
    json_members(out, record->pragmas, &first);
    fputc('}', out);
    if (record->published != NULL)
        json_pair(out, "published", record->published);
    if (record->arm != NULL) {
        json_pair(out, "version", record->arm->version);
        json_pair(out, "source_id", record->arm->source_id);
        json_options(out, record->arm->compile_options);
    }
    json_pair(out, "kernel", r->kernel);
    fputs(",\"machine\":{", out);
    first = true;
    json_members(out, &r->machine, &first);
    fputs("}}\n", out);
}

static void csv_list(FILE *out, const struct kv_list *a, const struct kv_list *b)
{
    char *text = mem_copy("");
    const struct kv_list *both[] = {a, b};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; both[k] != NULL && i < both[k]->count; i++) {
            char *longer = mem_format("%s%s%s=%s", text, *text ? ";" : "", both[k]->at[i].key,
                                      both[k]->at[i].value);
            free(text);
            text = longer;
        }
    }
    csv_field(out, text);
    free(text);
}

static void csv_record(const struct report *r, const struct record *record,
                       const struct samples *samples)
{
    FILE *out = r->csv.memory;
    const char *words[] = {r->experiment,
                           r->command,
                           record->arm ? record->arm->name : "all",
                           record->arm ? record->arm->version : "",
                           record->arm ? record->arm->source_id : "",
                           record->metric,
                           record->unit};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        csv_field(out, words[i]);
        fputc(',', out);
    }
    fprintf(out, "%zu,%.9g,%.9g,%.9g,%.9g,", samples->count, stats_mean(samples),
            stats_median(samples), stats_quantile(samples, 0), stats_quantile(samples, 1));
    csv_list(out, &r->common, record->parameters);
    fputc(',', out);
    csv_list(out, record->pragmas, NULL);
    fputc(',', out);
    csv_field(out, record->published ? record->published : "");
    fputc('\n', out);
}

void report_add(struct report *r, const struct record *record, const struct samples *samples)
{
    if (r->json.memory != NULL)
        json_record(r, record, samples);
    if (r->csv.memory != NULL)
        csv_record(r, record, samples);
}

void report_add_number(struct report *r, const struct record *record, double value)
{
    struct samples one = {&value, 1};
    report_add(r, record, &one);
}

struct estimate report_add_ratio(struct report *r, const struct record *record,
                                 const struct library *base, const struct samples *of,
                                 const struct samples *to)
{
    struct samples ratios = {NULL, 0};
    struct estimate e = stats_ratio(of, to, &ratios);
    struct record one = *record;
    char *metric = mem_format("%s.ratio", record->metric);
    char *unit = mem_format("of %s", base->name);
    one.metric = metric;
    one.unit = unit;
    report_add(r, &one, &ratios);
    samples_free(&ratios);
    free(metric);
    free(unit);
    return e;
}

void report_bound(struct report *r, bool applicable, bool held, const char *format, ...)
{
    char text[300];
    va_list ap;
    if (!r->check)
        return;
    va_start(ap, format);
    if (vsnprintf(text, sizeof text, format, ap) < 0)
        text[0] = 0;
    va_end(ap);
    *(!applicable ? &r->skipped : held ? &r->held : &r->failed) += 1;
    printf("%-14s  %s\n", !applicable ? "not applicable" : held ? "holds" : "FAILS", text);
    if (applicable) {
        struct record record = {.metric = text, .unit = "bound holds"};
        report_add_number(r, &record, held);
    }
}

/* A link refuses an existing name, which a rename would replace. */
static int publish(const char *temporary, const char *path)
{
    if (link(temporary, path) == 0)
        return unlink(temporary);
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
        return -1;
    if (access(path, F_OK) == 0) { /* a file system without links */
        errno = EEXIST;
        return -1;
    }
    return rename(temporary, path);
}

int report_file_finish(struct report_file *file, struct fail *f)
{
    if (file->path == NULL)
        return 0;
    int bad = fclose(file->memory) != 0;
    file->memory = NULL;
    if (bad)
        return fail_set(f, STATUS_UNUSABLE, "out of memory for '%s'", file->path);
    char *temporary = mem_format("%s.%ld.tmp", file->path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    bad = out == NULL;
    if (out != NULL) {
        bad = fwrite(file->text, 1, file->size, out) != file->size;
        bad = fclose(out) != 0 || bad;
        bad = bad || publish(temporary, file->path) != 0;
    }
    if (bad) {
        fail_set(f, STATUS_UNUSABLE, "cannot write result file '%s': %s", file->path,
                 strerror(errno));
        (void)unlink(temporary);
    }
    free(temporary);
    return f->status;
}

void report_file_free(struct report_file *file)
{
    if (file->memory != NULL)
        (void)fclose(file->memory);
    free(file->text);
    *file = (struct report_file){0};
}

int report_finish(struct report *r, struct fail *f)
{
    if (report_file_finish(&r->json, f) == 0)
        (void)report_file_finish(&r->csv, f);
    if (f->status == 0 && r->failed > 0)
        return fail_set(f, STATUS_MISMATCH, "%d of %d bounds do not hold", r->failed,
                        r->failed + r->held);
    return f->status;
}

void report_free(struct report *r)
{
    report_file_free(&r->json);
    report_file_free(&r->csv);
    free(r->kernel);
    kv_free(&r->common);
    kv_free(&r->machine);
}
