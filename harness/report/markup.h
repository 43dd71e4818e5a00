/* Markup: XML and XHTML through libxml2's writer, which escapes and keeps tags paired. Bytes that
 * XML 1.0 forbids become '?', and its two forbidden characters beyond ASCII U+FFFD. */
#ifndef HARNESS_MARKUP_H
#define HARNESS_MARKUP_H

#include "program/json/json.h"

typedef struct Markup Markup;

/* A document that markup_end appends to `out`. NULL (out of memory) is a failed CHECK. `document`:
 * for machines, begins with <?xml ...?> and is indented. */
Markup *markup_begin(bool document);
void markup_end(Markup *m, Text *out);

/* <tag attr="value" ...>: attributes are pairs of name and value (NULL values are left out), ended
 * by a NULL name. */
void markup_open(Markup *m, const char *tag, ...);
void markup_close(Markup *m);
/* Closes with </tag> even if nothing is inside: HTML has no <div/>. */
void markup_close_full(Markup *m);
void markup_text(Markup *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Text that is markup already: constants of the program only. */
void markup_raw(Markup *m, const char *text);
/* <tag attr...>text</tag>, with one attribute (NULL: none). */
void markup_element(Markup *m, const char *tag, const char *attribute, const char *value,
                    const char *text);
/* An attribute of the tag that was opened last. */
void markup_attribute(Markup *m, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
