/*
** options.h: command line options described by a table, from which both the
** parser and the help text are made, so that neither can forget one.
*/
#ifndef WALBENCH_OPTIONS_H
#define WALBENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fail.h"

enum option_kind { OPTION_FLAG, OPTION_INT, OPTION_TEXT, OPTION_CHOICE, OPTION_LIST };

struct text_list {
    const char **at;
    size_t count;
};

struct option {
    const char *name; /* with its dashes; NULL ends a table */
    enum option_kind kind;
    void *target; /* bool, int64_t, const char *, const char *, struct text_list */
    int64_t least, most;
    bool power_of_two;    /* OPTION_INT: nothing else will do */
    const char *choices;  /* OPTION_CHOICE: "one|two|three" */
    const char *argument; /* how the help calls the argument */
    const char *standard; /* the default with its unit, as the help shows it */
    const char *help;     /* lines separated by \n */
};

/* argv without the program and command names. Sets *help when --help or -h was met. */
int options_parse(const struct option *table, int argc, char **argv, bool *help,
                  struct fail *f);
void options_print(const struct option *table, FILE *out);

/* A whole decimal number and nothing else. */
bool options_number(const char *text, int64_t *value);

/* "1,2,5-7" to numbers from least to most; the caller frees *values. */
int options_number_list(const char *name, const char *text, int64_t least, int64_t most,
                        int64_t **values, size_t *count, struct fail *f);

/* "one,two" to flags of these names; the word `all` sets every flag. */
int options_choose(const char *option, const char *text, const char *all,
                   const char *const *names, bool *wanted, int count, struct fail *f);

/* Is word one of "one|two|three"? */
bool options_has_choice(const char *choices, const char *word, size_t size);

#endif
