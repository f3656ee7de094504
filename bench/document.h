/*
** document.h: one text written twice, as a self-contained HTML page and as Markdown
** with its pictures in files beside it.
*/
#ifndef WALBENCH_DOCUMENT_H
#define WALBENCH_DOCUMENT_H

#include <stddef.h>
#include <stdio.h>

#include "fail.h"

struct document {
    const char *directory;
    FILE *html, *markdown;
    int sections;
};

/* report.html and report.md in `directory`, which exists and is empty. */
int document_open(struct document *d, const char *directory, const char *title, struct fail *f);
int document_close(struct document *d, struct fail *f);

/* A section gets an anchor and stands in the list at the top, which comes first. */
struct document_section {
    const char *anchor, *title;
};
void document_contents(struct document *d, const struct document_section *list, size_t count);
void document_section(struct document *d, const struct document_section *section);

/* `code` stands out in both if it is between backquotes; nothing else is special. */
void document_text(struct document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* cells: the headings, then row by row; a column that holds only numbers is set right. */
void document_table(struct document *d, char *const *cells, size_t columns, size_t count);

/* The picture NAME.svg in the directory; what it shows, for those who cannot see it, too. */
int document_picture(struct document *d, const char *name, const char *caption, struct fail *f);

#endif
