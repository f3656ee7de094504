/*
** seeds.c: reads --seed and --seeds.
*/
#include "seeds.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"

int seeds_take(int64_t seed, const char *range, int64_t standard_last, int64_t minutes,
               int64_t *first, int64_t *last, struct fail *f)
{
    *first = 1;
    *last = minutes > 0 ? INT64_MAX : standard_last;
    if (seed >= 0 && range != NULL)
        return fail_set(f, STATUS_UNUSABLE, "--seed and --seeds exclude each other");
    if (seed >= 0) {
        *first = *last = seed;
    } else if (range != NULL) {
        char *text = mem_copy(range);
        char *dots = strstr(text, "..");
        if (dots != NULL)
            *dots = 0;
        bool good = dots != NULL && options_number(text, first) &&
                    options_number(dots + 2, last) && *first >= 0 && *first <= *last;
        free(text);
        if (!good)
            return fail_set(f, STATUS_UNUSABLE, "--seeds: '%s' is not a range like 1..200",
                            range);
    }
    return 0;
}
