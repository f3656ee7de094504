/*
** stats.h: a growing row of samples and what is said about it.
*/
#ifndef WALBENCH_STATS_H
#define WALBENCH_STATS_H

#include <stddef.h>

struct samples {
    double *at;
    size_t count;
};

void samples_add(struct samples *s, double value);
void samples_append(struct samples *to, const struct samples *from);
void samples_free(struct samples *s);

/* Of no samples at all each of these is 0. */
double stats_sum(const struct samples *s);
double stats_mean(const struct samples *s);
double stats_quantile(const struct samples *s, double q); /* linear between neighbours */
double stats_median(const struct samples *s);

#endif
