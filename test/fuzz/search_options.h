/*
** search_options.h: options of the same name and meaning in more than one search.
*/
#ifndef FUZZ_SEARCH_OPTIONS_H
#define FUZZ_SEARCH_OPTIONS_H

#include "options.h"

#define SEED_OPTION(field, text)                                                     \
    {                                                                                \
        .name = "--seed", .kind = OPTION_INT, .target = &(field), .most = INT64_MAX, \
        .argument = "N", .help = text                                                \
    }

#define SEEDS_OPTION(field, first, text)                                                \
    {                                                                                   \
        .name = "--seeds", .kind = OPTION_TEXT, .target = &(field), .argument = "A..B", \
        .standard = first ", or without end if --minutes is given", .help = text        \
    }

#define MINUTES_OPTION(field, text)                                              \
    {                                                                            \
        .name = "--minutes", .kind = OPTION_INT, .target = &(field), .least = 1, \
        .most = 1000000, .argument = "N", .standard = "no limit", .help = text   \
    }

#define DIR_OPTION(field)                                                            \
    {                                                                                \
        .name = "--dir", .kind = OPTION_TEXT, .target = &(field), .argument = "DIR", \
        .standard = "$TMPDIR, else /var/tmp",                                        \
        .help = "where the databases go, and are removed again"                      \
    }

#endif
