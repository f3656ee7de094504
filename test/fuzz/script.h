/*
** script.h: one random sequence, as a list of steps that both libraries play.
**
** A script is made from its seed alone, before anything runs. So both libraries
** are asked the same, any step can be left out to find a shorter script with
** the same outcome, and nothing has to be recorded for a replay.
*/
#ifndef FUZZ_SCRIPT_H
#define FUZZ_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum step_kind {
    STEP_SQL,          /* run it, compare result code and rows */
    STEP_PRAGMA,       /* the same, but no transaction that ends is looked at */
    STEP_ROLLBACK,     /* the content must be that before the transaction */
    STEP_SAVEPOINT,    /* number: depth; look: remember the content */
    STEP_ROLLBACK_TO,  /* the content must be the one remembered */
    STEP_RELEASE,      /* number: depth */
    STEP_CHECKPOINT,   /* how many frames there were may differ */
    STEP_FLUSH,        /* sqlite3_db_cacheflush() */
    STEP_LOOK,         /* content in the middle of a transaction */
    STEP_READER_BEGIN, /* the second connection takes a snapshot */
    STEP_READER_LOOK,  /* and must find it unchanged */
    STEP_READER_END,
    STEP_READER_CLOSE, /* the second connection is closed */
    STEP_READER_OPEN,
    STEP_BACKUP_BEGIN,
    STEP_BACKUP_PAGES, /* number: pages to copy */
    STEP_BACKUP_END,   /* copy the rest and look at the result */
    STEP_INTO,         /* VACUUM INTO a file, look at that */
    STEP_COPY,         /* copy the files without the shm, recover the copy */
    STEP_REOPEN,       /* close all connections and open them again */
    STEP_SWAP,         /* the same, and go on with the other library */
    STEP_CRASH         /* the process ends as it is, the other library goes on */
};

struct step {
    enum step_kind kind;
    int connection; /* 0: the main one, 1: the second one */
    int number;
    bool look;  /* look at the content through the connection itself, too */
    char *text; /* SQL; NULL where the kind says it all */
};

struct script {
    uint64_t seed;
    bool aux;         /* a second database is attached */
    bool shared;      /* both connections share a cache */
    bool zeroed;      /* secure_delete is ON from the first to the last step */
    char *opening[8]; /* SQL that every new connection begins with */
    size_t openings;
    struct step *at;
    size_t count;
};

/* Takes over text. */
void script_add(struct script *s, enum step_kind kind, int connection, int number, bool look,
                char *text);
void script_free(struct script *s);
/* One line that tells what a step does. */
void step_print(const struct step *step, FILE *out);
/* Those steps that are not left out; left_out may be NULL. */
void script_print(const struct script *s, const bool *left_out, size_t end, FILE *out);

#endif
