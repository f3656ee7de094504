/*
** oracle.h: which frames a transaction must not have, and which bytes a file.
**
** Both return whether all is well; if not, text says what is not. With `other_pages` the
** libraries choose free pages otherwise: which pages are logged is not compared then, nor
** the bytes of the files.
*/
#ifndef EXHAUST_ORACLE_H
#define EXHAUST_ORACLE_H

#include "image.h"
#include "side.h"

/* The transaction that the last letter has committed, if it has. image[0] is of stock,
** image[1] of the other library; written is what the last letter has added. */
bool oracle_transaction(const struct config *c, const struct model *m,
                        const struct image image[2], const struct counters written[2],
                        bool other_pages, char *text, size_t size);
/* The database files, with nothing in the log. */
bool oracle_files(const struct config *c, const struct image image[2], bool other_pages,
                  char *text, size_t size);

#endif
