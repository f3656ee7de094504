/*
** trace_facts.c: the file operations of one commit as they were published for SQLite 3.51.2:
** a database with one empty table, one INSERT in a transaction of its own, page size 4096.
*/
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#define OPENED "open database; open journal; "
#define JOURNALLED                                                          \
    "write journal 512@0; write journal 4@512; write journal 4096@516; "    \
    "write journal 4@4612; write journal 4@4616; write journal 4096@4620; " \
    "write journal 4@8716"
#define COUNTED "write journal 12@0"
#define STORED "write database 4096@0; write database 4096@4096"

static const struct trace_fact facts[] = {
    {.journal = "delete",
     .synchronous = "full",
     .calls = OPENED JOURNALLED "; fdatasync journal; fdatasync directory; " COUNTED
                                "; fdatasync journal; " STORED
                                "; fdatasync database; unlink journal",
     .syncs = 4,
     .flushes = "3.02",
     .rate = "302"},
    {.journal = "delete",
     .synchronous = "extra",
     .calls = OPENED JOURNALLED "; fdatasync journal; fdatasync directory; " COUNTED
                                "; fdatasync journal; " STORED
                                "; fdatasync database; unlink journal; fdatasync directory",
     .syncs = 5,
     .flushes = "4.02",
     .rate = "240"},
    {.journal = "delete",
     .synchronous = "normal",
     .calls = OPENED JOURNALLED "; " COUNTED "; fdatasync journal; fdatasync directory; " STORED
                                "; fdatasync database; unlink journal",
     .syncs = 3,
     .flushes = "2.01",
     .rate = "680"},
    {.journal = "delete",
     .synchronous = "off",
     .calls = OPENED JOURNALLED "; " COUNTED "; " STORED "; unlink journal",
     .but = COUNTED "; ",
     .why = "the journal is never synced, so its first header already says \"as many records "
            "as there are\" and the count is not written later (writeJournalHdr() in pager.c)",
     .syncs = 0,
     .flushes = NULL,
     .rate = "33,436"},
};

const struct trace_fact *trace_fact(const char *journal, const char *synchronous)
{
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (strcmp(facts[i].journal, journal) == 0 &&
            strcmp(facts[i].synchronous, synchronous) == 0)
            return &facts[i];
    return NULL;
}

bool trace_rate_published(const char *synchronous, int64_t transactions)
{
    return transactions == (strcmp(synchronous, "off") == 0 ? 5000 : 500);
}

char *trace_expected(const struct trace_fact *fact)
{
    char *text = mem_copy(fact->calls);
    char *at = fact->but != NULL ? strstr(text, fact->but) : NULL;
    if (at != NULL)
        memmove(at, at + strlen(fact->but), strlen(at + strlen(fact->but)) + 1);
    return text;
}
