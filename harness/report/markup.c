/* A thin layer over xmlTextWriter into memory: formatted text and attributes, illegal bytes
 * replaced, one buffer at the end. */
#include "harness/report/markup.h"

#include <libxml/xmlwriter.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MemorySanitizer does not see the writes of libxml2, which is not instrumented: its checks of C
 * library calls are off until the text is complete. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define UNINSTRUMENTED
#endif
#endif
#ifdef UNINSTRUMENTED
#include <sanitizer/msan_interface.h>

static void library_begins(void) { __msan_scoped_disable_interceptor_checks(); }

static void library_ended(const char *bytes, int n) {
    __msan_scoped_enable_interceptor_checks();
    __msan_unpoison(bytes, (size_t)n);
}
#else
static void library_begins(void) {}
static void library_ended(const char *bytes, int n) { (void)bytes, (void)n; }
#endif

/* The calls of libxml2 fail only when the system has no memory, or for text that is not UTF-8,
 * which none of ours is. */
static void written(int status) {
    if (status < 0) {
        die("out of memory: a report could not be written");
    }
}

struct Markup {
    xmlBufferPtr buffer;
    xmlTextWriterPtr writer;
};

Markup *markup_begin(bool document) {
    Markup *m = malloc(sizeof *m);
    written(m ? 0 : -1);
    library_begins();
    m->buffer = xmlBufferCreate();
    m->writer = m->buffer ? xmlNewTextWriterMemory(m->buffer, 0) : NULL;
    written(m->writer ? 0 : -1);
    if (document) {
        written(xmlTextWriterSetIndent(m->writer, 1));
        written(xmlTextWriterStartDocument(m->writer, NULL, "UTF-8", NULL));
    }
    return m;
}

void markup_end(Markup *m, Text *out) {
    written(xmlTextWriterEndDocument(m->writer));
    written(xmlTextWriterFlush(m->writer));
    xmlFreeTextWriter(m->writer);
    const char *bytes = (const char *)xmlBufferContent(m->buffer);
    written(bytes ? 0 : -1);
    int n = xmlBufferLength(m->buffer);
    library_ended(bytes, n);
    text_addn(out, bytes, n);
    xmlBufferFree(m->buffer);
    free(m);
}

/* Replaces, in place, control characters but tab and line ends, U+FFFE and U+FFFF, and invalid
 * UTF-8. */
static const xmlChar *legal(char *s) {
    for (char *at = s; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\r') {
            *at = '?';
        } else if (memcmp(at, "\xEF\xBF", 2) == 0 && (at[2] == '\xBE' || at[2] == '\xBF')) {
            at[2] = '\xBD'; /* U+FFFD, the replacement character */
        }
    }
    if (!xmlCheckUTF8((const xmlChar *)s)) {
        for (char *at = s; *at; at++) {
            *at = (unsigned char)*at >= 0x80 ? '?' : *at;
        }
    }
    return (const xmlChar *)s;
}

static char *format_text(const char *format, va_list list) {
    char *s = NULL;
    written(vasprintf(&s, format, list));
    return s;
}

void markup_text(Markup *m, const char *format, ...) {
    va_list list;
    va_start(list, format);
    char *s = format_text(format, list);
    va_end(list);
    written(xmlTextWriterWriteString(m->writer, legal(s)));
    free(s);
}

void markup_attribute(Markup *m, const char *name, const char *format, ...) {
    va_list list;
    va_start(list, format);
    char *s = format_text(format, list);
    va_end(list);
    written(xmlTextWriterWriteAttribute(m->writer, (const xmlChar *)name, legal(s)));
    free(s);
}

void markup_open(Markup *m, const char *tag, ...) {
    written(xmlTextWriterStartElement(m->writer, (const xmlChar *)tag));
    va_list list;
    va_start(list, tag);
    for (const char *name = va_arg(list, const char *); name; name = va_arg(list, const char *)) {
        const char *value = va_arg(list, const char *);
        if (value) {
            markup_attribute(m, name, "%s", value);
        }
    }
    va_end(list);
}

void markup_close(Markup *m) { written(xmlTextWriterEndElement(m->writer)); }

void markup_close_full(Markup *m) { written(xmlTextWriterFullEndElement(m->writer)); }

void markup_raw(Markup *m, const char *text) {
    written(xmlTextWriterWriteRaw(m->writer, (const xmlChar *)text));
}

void markup_element(Markup *m, const char *tag, const char *attribute, const char *value,
                    const char *text) {
    markup_open(m, tag, attribute, value, NULL);
    markup_text(m, "%s", text);
    markup_close_full(m);
}
