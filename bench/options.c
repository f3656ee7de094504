/*
** options.c: the option parser and the help text it is described by.
*/
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool options_number(const char *text, int64_t *value)
{
    char *end;
    if (!((*text >= '0' && *text <= '9') || (*text == '-' && text[1] >= '0' && text[1] <= '9')))
        return false;
    errno = 0;
    intmax_t n = strtoimax(text, &end, 10);
    if (errno != 0 || *end != 0 || n < INT64_MIN || n > INT64_MAX)
        return false;
    *value = n;
    return true;
}

bool options_has_choice(const char *choices, const char *word, size_t size)
{
    for (const char *c = choices; c != NULL; c = strchr(c, '|')) {
        c += *c == '|';
        size_t n = strcspn(c, "|");
        if (n == size && memcmp(c, word, size) == 0)
            return true;
    }
    return false;
}

static int check_range(const char *name, int64_t n, int64_t least, int64_t most, struct fail *f)
{
    if (n < least || n > most)
        return fail_set(f, STATUS_UNUSABLE,
                        "%s: %" PRId64 " is out of range (%" PRId64 " to %" PRId64 ")", name, n,
                        least, most);
    return 0;
}

static int store(const struct option *o, const char *text, struct fail *f)
{
    int64_t n;
    struct text_list *list;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->target = true;
        return 0;
    case OPTION_INT:
        if (!options_number(text, &n))
            return fail_set(f, STATUS_UNUSABLE, "%s: '%s' is not a whole number", o->name,
                            text);
        if (check_range(o->name, n, o->least, o->most, f) != 0)
            return f->status;
        if (o->power_of_two && (n & (n - 1)) != 0)
            return fail_set(f, STATUS_UNUSABLE, "%s: %" PRId64 " is not a power of two",
                            o->name, n);
        *(int64_t *)o->target = n;
        return 0;
    case OPTION_CHOICE:
        if (!options_has_choice(o->choices, text, strlen(text)))
            return fail_set(f, STATUS_UNUSABLE, "%s: '%s' is none of %s", o->name, text,
                            o->choices);
        *(const char **)o->target = text;
        return 0;
    case OPTION_TEXT:
        if (*text == 0)
            return fail_set(f, STATUS_UNUSABLE, "%s: an empty value", o->name);
        *(const char **)o->target = text;
        return 0;
    case OPTION_LIST:
        list = o->target;
        list->at = mem_grow(list->at, list->count + 1, sizeof list->at[0]);
        list->at[list->count++] = text;
        return 0;
    }
    return 0;
}

int options_parse(const struct option *table, int argc, char **argv, bool *help, struct fail *f)
{
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        size_t size = strcspn(word, "=");
        const struct option *o = table;
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            *help = true;
            return 0;
        }
        while (o->name != NULL &&
               !(strlen(o->name) == size && memcmp(o->name, word, size) == 0))
            o++;
        if (o->name == NULL)
            return fail_set(f, STATUS_UNUSABLE,
                            word[0] == '-' ? "unknown option '%s'" : "unexpected argument '%s'",
                            word);
        const char *value = word[size] == '=' ? word + size + 1 : NULL;
        if (o->kind == OPTION_FLAG && value != NULL)
            return fail_set(f, STATUS_UNUSABLE, "%s takes no value", o->name);
        if (o->kind != OPTION_FLAG && value == NULL) {
            if (i + 1 >= argc)
                return fail_set(f, STATUS_UNUSABLE, "%s needs a value", o->name);
            value = argv[++i];
        }
        if (store(o, value, f) != 0)
            return f->status;
    }
    return 0;
}

void options_print(const struct option *table, FILE *out)
{
    for (const struct option *o = table; o->name != NULL; o++) {
        fprintf(out, "  %s%s%s\n", o->name, o->argument ? " " : "",
                o->argument ? o->argument : "");
        for (const char *line = o->help; *line;) {
            int n = (int)strcspn(line, "\n");
            fprintf(out, "        %.*s\n", n, line);
            line += n + (line[n] == '\n');
        }
        if (o->standard != NULL)
            fprintf(out, "        Default: %s.\n", o->standard);
    }
    fputs("  --help\n        This text.\n", out);
}

static int list_add(const char *name, int64_t n, int64_t least, int64_t most, int64_t **values,
                    size_t *count, struct fail *f)
{
    if (check_range(name, n, least, most, f) != 0)
        return f->status;
    for (size_t i = 0; i < *count; i++)
        if ((*values)[i] == n)
            return fail_set(f, STATUS_UNUSABLE, "%s: %" PRId64 " is named twice", name, n);
    *values = mem_grow(*values, *count + 1, sizeof **values);
    (*values)[(*count)++] = n;
    return 0;
}

int options_number_list(const char *name, const char *text, int64_t least, int64_t most,
                        int64_t **values, size_t *count, struct fail *f)
{
    char *copy = mem_copy(text);
    char *rest = copy;
    int status = 0;
    *values = NULL;
    *count = 0;
    while (status == 0 && rest != NULL) {
        char *word = rest;
        char *comma = strchr(rest, ',');
        rest = comma ? comma + 1 : NULL;
        if (comma)
            *comma = 0;
        int64_t first, last;
        char *dash = *word ? strchr(word + 1, '-') : NULL;
        if (dash)
            *dash = 0;
        if (!options_number(word, &first) || !options_number(dash ? dash + 1 : word, &last) ||
            first > last || last - first >= 1000) {
            status =
                fail_set(f, STATUS_UNUSABLE, "%s: '%s' is not a list like 1,2,5-7", name, text);
            break;
        }
        for (int64_t n = first; status == 0 && n <= last; n++)
            status = list_add(name, n, least, most, values, count, f);
    }
    free(copy);
    if (status != 0) {
        free(*values);
        *values = NULL;
        *count = 0;
    }
    return status;
}

int options_choose(const char *option, const char *text, const char *all,
                   const char *const *names, bool *wanted, int count, struct fail *f)
{
    if (strcmp(text, all) == 0) {
        for (int i = 0; i < count; i++)
            wanted[i] = true;
        return 0;
    }
    while (f->status == 0) {
        size_t size = strcspn(text, ",");
        int found = -1;
        for (int i = 0; i < count; i++)
            if (strlen(names[i]) == size && memcmp(names[i], text, size) == 0)
                found = i;
        if (found < 0)
            return fail_set(f, STATUS_UNUSABLE, "%s: '%.*s' is not known (see --help)", option,
                            (int)size, text);
        wanted[found] = true;
        if (text[size] == 0)
            break;
        text += size + 1;
    }
    return f->status;
}
