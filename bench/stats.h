/*
** stats.h: a growing row of samples and what is said about it.
*/
#ifndef WALBENCH_STATS_H
#define WALBENCH_STATS_H

#include <stdbool.h>
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

/*
** The median and the interval that holds the true one with a probability of at least
** 95 %, from the order of the samples alone, whatever their distribution: the
** narrowest pair of ranks k and n+1-k for which a binomial(n, 1/2) falls outside with
** 5 % or less. It takes six samples; with fewer, known is false.
*/
struct estimate {
    double median, low, high;
    bool known;
};

struct estimate stats_estimate(const struct samples *s);

/*
** The same of the ratios of->at[i] / to->at[i], which must have been measured in turns:
** what disturbs both of a pair falls out. Both have the same number of samples, and
** none is 0. With `ratios` they are kept there.
*/
struct estimate stats_ratio(const struct samples *of, const struct samples *to,
                            struct samples *ratios);

/* Is the ratio another than 1, at 95 %? */
bool stats_differs(const struct estimate *ratio);

#endif
