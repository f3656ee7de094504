/*
** audit_file.h: the database file and its log, opened to be read and nothing else, and
** whether anybody changes them meanwhile. Live: under a read transaction.
*/
#ifndef WALBENCH_AUDIT_FILE_H
#define WALBENCH_AUDIT_FILE_H

#include <sys/stat.h>

#include "audit.h"
#include "db.h"

struct audit_files {
    struct audit_source source;
    char *path[2];
    int fd[2]; /* -1: not open; of the log: it is not there */
    struct stat seen[2];
    unsigned char header[AUDIT_LOG_HEADER]; /* of the log, as far as there is one */
    bool live;
    struct api api;
    struct db reader; /* its transaction is open while a live database is read */
};

/* `log` is NULL for the one that SQLite would use, which need not be there. */
int audit_files_open(struct audit_files *files, const char *database, const char *log,
                     bool live, struct fail *f);
/* Has what was read stayed as it was? */
int audit_files_check(struct audit_files *files, struct audit *a, struct fail *f);
void audit_files_close(struct audit_files *files, struct fail *f);

/* audit_live.c: holds a read transaction, or says why that cannot be. */
int audit_live_begin(struct audit_files *files, struct fail *f);

#endif
