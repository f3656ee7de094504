/*
** log_map.h: what the frames of a WAL file hold, and where in it the newest committed
** version of each page is.
**
** With it a database can be seen as it is while a reader keeps the log from being
** checkpointed.
*/
#ifndef WALBENCH_LOG_MAP_H
#define WALBENCH_LOG_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"

struct log_map {
    int fd; /* of the log; stays the caller's */
    uint32_t page_size;
    uint32_t page_count; /* of the database after the last commit; 0: no commit in the log */
    uint64_t frames;     /* up to the last commit */
    uint64_t lost;       /* frames without the salt of the log: a recovery ends there */
    uint32_t *page;      /* by frame, from 0: the page that it holds */
    int64_t *at;         /* by page number: where its content is in the log; 0: not there */
};

/*
** `frames` is how many there are, the last one with a commit mark, as the checkpoint
** says. With -1 they count as far as they belong to this log, which their salt tells,
** and up to the last one with a commit mark: what follows has been rolled back or is of
** an older log. Checksums are not looked at: the log is one that this process has just
** written.
*/
int log_map_read(struct log_map *map, int fd, int64_t frames, struct fail *f);
/* Does frame number `frame`, from 0, hold the newest version of its page? */
bool log_map_newest(const struct log_map *map, uint64_t frame);
void log_map_free(struct log_map *map);

/* The same of the log beside a database, which is opened and closed as well. */
int log_map_open(struct log_map *map, const char *database, int64_t frames, struct fail *f);
void log_map_close(struct log_map *map);

#endif
