/*
** stats.c: sums, means and quantiles of a row of samples.
*/
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

void samples_add(struct samples *s, double value)
{
    /* Grow when the count reaches a power of two: no capacity field to keep. */
    if ((s->count & (s->count - 1)) == 0)
        s->at = mem_grow(s->at, s->count ? s->count * 2 : 1, sizeof s->at[0]);
    s->at[s->count++] = value;
}

void samples_append(struct samples *to, const struct samples *from)
{
    for (size_t i = 0; i < from->count; i++)
        samples_add(to, from->at[i]);
}

void samples_free(struct samples *s)
{
    free(s->at);
    *s = (struct samples){NULL, 0};
}

double stats_sum(const struct samples *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += s->at[i];
    return sum;
}

double stats_mean(const struct samples *s)
{
    return s->count ? stats_sum(s) / (double)s->count : 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const struct samples *s)
{
    double *sorted = mem_get(s->count * sizeof sorted[0]);
    memcpy(sorted, s->at, s->count * sizeof sorted[0]);
    qsort(sorted, s->count, sizeof sorted[0], ascending);
    return sorted;
}

double stats_quantile(const struct samples *s, double q)
{
    if (s->count == 0)
        return 0;
    double *sorted = sorted_copy(s);
    double position = q * (double)(s->count - 1);
    size_t below = (size_t)position;
    size_t above = below + 1 < s->count ? below + 1 : below;
    double value = sorted[below] + (sorted[above] - sorted[below]) * (position - (double)below);
    free(sorted);
    return value;
}

double stats_median(const struct samples *s)
{
    return stats_quantile(s, 0.5);
}

/* How many samples at either end lie outside of the interval. */
static size_t outside(size_t n)
{
    double tail = 0, count = (double)n;
    for (size_t k = 0; k < n; k++) {
        double i = (double)k;
        tail += exp(lgamma(count + 1) - lgamma(i + 1) - lgamma(count - i + 1) - count * log(2));
        if (2 * tail > 0.05)
            return k;
    }
    return 0;
}

struct estimate stats_estimate(const struct samples *s)
{
    struct estimate e = {.median = stats_median(s)};
    size_t k = outside(s->count);
    e.known = k > 0;
    e.low = e.high = e.median;
    if (e.known) {
        double *sorted = sorted_copy(s);
        e.low = sorted[k - 1];
        e.high = sorted[s->count - k];
        free(sorted);
    }
    return e;
}

struct estimate stats_ratio(const struct samples *of, const struct samples *to,
                            struct samples *ratios)
{
    struct samples own = {NULL, 0};
    struct samples *r = ratios != NULL ? ratios : &own;
    for (size_t i = 0; i < of->count && i < to->count; i++)
        samples_add(r, of->at[i] / to->at[i]);
    struct estimate e = stats_estimate(r);
    samples_free(&own);
    return e;
}

bool stats_differs(const struct estimate *ratio)
{
    return ratio->known && (ratio->low > 1 || ratio->high < 1);
}
