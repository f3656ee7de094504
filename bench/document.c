/*
** document.c: one text written twice, as HTML and as Markdown.
*/
#include "document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Colours follow the reader's; a table or picture that is too wide scrolls by itself. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c2024;--soft:#5c6670;--line:#d5dae0;"
    "--ground:#fdfdfc;--band:#f1f3f5}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e4e7ea;--soft:#9aa5b1;--line:#3a424b;"
    "--ground:#16191d;--band:#20252b}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem 1rem 4rem;max-width:64rem;background:var(--ground);"
    "color:var(--ink);font:1rem/1.55 system-ui,sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.25;margin:1.2rem 0 .6rem}\n"
    "h2{font-size:1.25rem;line-height:1.3;margin:2.6rem 0 .5rem;padding-top:.8rem;"
    "border-top:1px solid var(--line)}\n"
    "p{margin:.7rem 0;max-width:46rem}\n"
    "nav ol{padding-left:1.4rem;margin:.5rem 0}\n"
    "a{color:inherit;text-decoration-color:var(--soft)}\n"
    "code{font:.9em ui-monospace,monospace;background:var(--band);padding:.1em .3em;"
    "border-radius:.2em;overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto;margin:.9rem 0}\n"
    "table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.22rem .55rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}\n"
    "th{color:var(--soft);font-weight:600;vertical-align:bottom}\n"
    "td.n,td:first-child{white-space:nowrap}\n"
    "td.n,th.n{text-align:right}\n"
    "td.t{min-width:20rem}\n"
    "figure{margin:1.1rem 0}\n"
    "figure svg{display:block;width:100%;min-width:36rem;max-width:52rem;height:auto}\n"
    "figcaption{color:var(--soft);font-size:.88rem;max-width:46rem}\n";

/* Text in HTML, with `code`. */
static void put_html(FILE *out, const char *text)
{
    bool code = false;
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '`':
            code = !code;
            fputs(code ? "<code>" : "</code>", out);
            break;
        default:
            fputc(*text, out);
        }
    }
    fputs(code ? "</code>" : "", out);
}

/* Text in Markdown, where more characters would mean something; not inside of `code`. */
static void put_markdown(FILE *out, const char *text)
{
    bool code = false;
    for (; *text; text++) {
        if (*text == '`')
            code = !code;
        else if (*text == '|' || (!code && strchr("\\*_<>[]~", *text) != NULL))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static FILE *create(const char *directory, const char *name, struct fail *f)
{
    char *path = mem_format("%s/%s", directory, name);
    FILE *out = fopen(path, "wxe");
    if (out == NULL)
        fail_set(f, STATUS_UNUSABLE, "cannot make '%s': %s", path, strerror(errno));
    free(path);
    return out;
}

int document_open(struct document *d, const char *directory, const char *title, struct fail *f)
{
    *d = (struct document){.directory = directory};
    d->html = create(directory, "report.html", f);
    d->markdown = create(directory, "report.md", f);
    if (f->status != 0)
        return f->status;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          d->html);
    put_html(d->html, title);
    fprintf(d->html, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
    put_html(d->html, title);
    fputs("</h1>\n", d->html);
    fputs("# ", d->markdown);
    put_markdown(d->markdown, title);
    fputs("\n\n", d->markdown);
    return 0;
}

int document_close(struct document *d, struct fail *f)
{
    if (d->html != NULL) {
        fputs("</main>\n</body>\n</html>\n", d->html);
        if ((ferror(d->html) | fclose(d->html)) != 0)
            fail_set(f, STATUS_UNUSABLE, "cannot write '%s/report.html'", d->directory);
    }
    if (d->markdown != NULL && (ferror(d->markdown) | fclose(d->markdown)) != 0)
        fail_set(f, STATUS_UNUSABLE, "cannot write '%s/report.md'", d->directory);
    d->html = d->markdown = NULL;
    return f->status;
}

void document_contents(struct document *d, const struct document_section *list, size_t count)
{
    fputs("<nav><ol>\n", d->html);
    for (size_t i = 0; i < count; i++) {
        fprintf(d->html, "<li><a href=\"#%s\">", list[i].anchor);
        put_html(d->html, list[i].title);
        fputs("</a></li>\n", d->html);
    }
    fputs("</ol></nav>\n", d->html);
}

void document_section(struct document *d, const struct document_section *section)
{
    d->sections++;
    fprintf(d->html, "<h2 id=\"%s\">%d. ", section->anchor, d->sections);
    put_html(d->html, section->title);
    fputs("</h2>\n", d->html);
    fprintf(d->markdown, "## %d. ", d->sections);
    put_markdown(d->markdown, section->title);
    fputs("\n\n", d->markdown);
}

void document_text(struct document *d, const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    if (n < 0)
        return;
    fputs("<p>", d->html);
    put_html(d->html, text);
    fputs("</p>\n", d->html);
    put_markdown(d->markdown, text);
    fputs("\n\n", d->markdown);
    free(text);
}

static bool is_number(const char *cell)
{
    const char *point = strchr(cell, '.');
    if (point != NULL && strchr(point + 1, '.') != NULL && *cell != '~' &&
        strchr(cell, '(') == NULL)
        return false; /* a version */
    return *cell == 0 || *cell == '~' || *cell == '-' || (*cell >= '0' && *cell <= '9');
}

/* A column of texts that begin with digits is one of texts, if one of them is long. */
static bool is_numeric(char *const *cells, size_t column, size_t columns, size_t count)
{
    for (size_t i = columns + column; i < count; i += columns)
        if (!is_number(cells[i]) || strlen(cells[i]) > 28)
            return false;
    return true;
}

/* Characters from which on a text is not squeezed into a narrow column. */
enum { LONG = 40 };

static void html_row(FILE *out, char *const *row, const bool *numeric, size_t columns,
                     const char *tag)
{
    fputs("<tr>", out);
    for (size_t c = 0; c < columns; c++) {
        const char *class = numeric[c]              ? " class=\"n\""
                            : strlen(row[c]) > LONG ? " class=\"t\""
                                                    : "";
        fprintf(out, "<%s%s>", tag, class);
        put_html(out, row[c]);
        fprintf(out, "</%s>", tag);
    }
    fputs("</tr>\n", out);
}

static void markdown_row(FILE *out, char *const *row, size_t columns)
{
    for (size_t c = 0; c < columns; c++) {
        fputs(*row[c] ? "| " : "|", out);
        put_markdown(out, row[c]);
        fputs(" ", out);
    }
    fputs("|\n", out);
}

void document_table(struct document *d, char *const *cells, size_t columns, size_t count)
{
    bool *numeric = mem_get(columns * sizeof numeric[0]);
    for (size_t c = 0; c < columns; c++)
        numeric[c] = is_numeric(cells, c, columns, count);
    fputs("<div class=\"wide\"><table>\n<thead>", d->html);
    html_row(d->html, cells, numeric, columns, "th");
    fputs("</thead>\n<tbody>\n", d->html);
    markdown_row(d->markdown, cells, columns);
    for (size_t c = 0; c < columns; c++)
        fputs(numeric[c] ? "|---:" : "|---", d->markdown);
    fputs("|\n", d->markdown);
    for (size_t i = columns; i + columns <= count; i += columns) {
        html_row(d->html, cells + i, numeric, columns, "td");
        markdown_row(d->markdown, cells + i, columns);
    }
    fputs("</tbody></table></div>\n", d->html);
    fputs("\n", d->markdown);
    free(numeric);
}

int document_picture(struct document *d, const char *name, const char *caption, struct fail *f)
{
    char *path = mem_format("%s/%s.svg", d->directory, name);
    FILE *in = fopen(path, "re");
    char block[4096];
    size_t n;
    bool begun = false;
    if (in == NULL) {
        fail_set(f, STATUS_UNUSABLE, "cannot read '%s': %s", path, strerror(errno));
        free(path);
        return f->status;
    }
    fputs("<figure><div class=\"wide\" tabindex=\"0\" role=\"img\" aria-label=\"", d->html);
    put_html(d->html, caption);
    fputs("\">\n", d->html);
    /* What stands before <svg> is the declaration of an XML file, wrong inside of HTML. */
    while ((n = fread(block, 1, sizeof block - 1, in)) > 0) {
        const char *from = block;
        block[n] = 0;
        if (!begun && (from = strstr(block, "<svg")) == NULL)
            continue;
        begun = true;
        (void)fwrite(from, 1, n - (size_t)(from - block), d->html);
    }
    if (ferror(in) | fclose(in) || !begun)
        fail_set(f, STATUS_UNUSABLE, "'%s' is no picture", path);
    free(path);
    fputs("</div><figcaption>", d->html);
    put_html(d->html, caption);
    fputs("</figcaption></figure>\n", d->html);
    fputs("![", d->markdown);
    put_markdown(d->markdown, caption);
    fprintf(d->markdown, "](%s.svg)\n\n", name);
    put_markdown(d->markdown, caption);
    fputs("\n\n", d->markdown);
    return f->status;
}
