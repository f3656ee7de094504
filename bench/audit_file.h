/*
** audit_file.h: the database file and its log, opened to be read and nothing else, and
** whether anybody changes them meanwhile. Live: under a read transaction.
*/
#ifndef WALBENCH_AUDIT_FILE_H
#define WALBENCH_AUDIT_FILE_H

#include <sys/stat.h>

#include "audit.h"

struct audit_files {
    struct audit_source source;
    char *path[2];
    int fd[2]; /* -1: not open; of the log: it is not there */
    struct stat seen[2];
    unsigned char header[AUDIT_LOG_HEADER]; /* of the log, as far as there is one */
    bool live;
    int shm; /* live: the file with the lock on the log; -1: not open */
};

/* `log` is NULL for the one that SQLite would use, which need not be there. */
int audit_files_open(struct audit_files *files, const char *database, const char *log,
                     bool live, struct fail *f);
/* Has what was read stayed as it was? */
int audit_files_check(struct audit_files *files, struct audit *a, struct fail *f);
void audit_files_close(struct audit_files *files);

/* audit_live.c: takes the locks, which go when the files are closed. */
int audit_live_begin(struct audit_files *files, struct fail *f);

#endif
