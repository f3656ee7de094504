/*
** scan.h: what the files of `walbench scan` share: scan.c runs it, scan_layout.c makes
** the files that are scanned, scan_record.c and scan_print.c tell and judge the results,
** scan_job.c is the arm's side.
*/
#ifndef WALBENCH_SCAN_H
#define WALBENCH_SCAN_H

#include "command.h"
#include "page_order.h"

enum { SCAN_TABLE, SCAN_INDEX, SCANS };
enum { TIME_WARM, TIME_COLD, TIME_SORTED, TIME_ORDER, TIMES }; /* the last two: raw reads */
enum { SCAN_LAYOUTS_MOST = 2 * LIBRARIES_MOST + 1 };

/* Bits of a key that the index-only scan adds up: sums of whole keys would overflow. */
enum { SCAN_KEY_MASK = 0xfffff };

extern const char *const scan_names[SCANS]; /* in the result files */
extern const char *const scan_trees[SCANS];
extern const char *const scan_times[TIMES];

struct scan_settings {
    struct common common;
    int64_t rows, batch, turnovers, rounds, page_size, seed;
    const char *cache, *keep;
    bool full, no_index;
};

/* One scan of one layout. */
struct scan_cell {
    struct page_order order;
    struct page_visits visits;
    struct samples reads, bytes, jumps;     /* as the VFS saw them, a sample a scan */
    struct samples resident;                /* pages in memory before a warm scan */
    struct samples seconds[TIMES];          /* a sample a round */
    struct estimate to_vacuum[TIME_SORTED]; /* ratio of the seconds */
};

struct scan_layout {
    char name[40];
    bool vacuumed, full;
    size_t library; /* that made it and scans it */
    char *path;
    int64_t pages, free_pages;
    struct scan_cell cell[SCANS];
};

struct scan_run {
    struct scan_settings set;
    struct bench bench;
    struct progress progress;
    struct hash_value content;
    double answer[SCANS];
    int scans;                                    /* SCANS, or 1 where there is no index */
    struct scan_layout layout[SCAN_LAYOUTS_MOST]; /* the VACUUMed one is the last */
    size_t layouts;
    char *not_cold;     /* why there are no cold scans; NULL: there are */
    int64_t read_ahead; /* KiB; -1: unknown */
};

int64_t scan_commits(const struct scan_settings *set);
/* Is this the experiment that was published? */
bool scan_is_published(const struct scan_settings *set);

/* Makes every layout, and finds the page order of each. */
int scan_make_layouts(struct scan_run *run, struct fail *f);
/* Copies them to where the user wants them; none if one of them fails. */
int scan_keep_layouts(const struct scan_run *run, struct fail *f);
int scan_check_keep(const struct scan_run *run, struct fail *f);

/* The figures published for a scan of a layout, "" where there are none. */
const char *scan_published(const struct scan_layout *layout, int scan, int time);
/* Also finds the ratios to the VACUUMed layout. */
void scan_record(struct scan_run *run, struct scan_layout *layout,
                 const struct kv_list *pragmas);
void scan_print(struct scan_run *run);

#endif
