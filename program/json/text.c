/* Writes JSON: a growable text, strings with their escapes, and the shortest digits that read back.
 *
 * The shortest digits are found by trying 1, 2, .. significant digits until the text, read as a
 * double and rounded to the dtype, gives the value again; 17 always suffice. The digits are printed
 * in the usual notation: 0.001, 1200, 1.5e-7. */
#include "program/json/tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const json_predicate_names[] = {
    "requires_grad",    "is_leaf", "has_grad_fn", "is_contiguous",
    "is_grad_enabled",  "dtype",   "dim",         "not",
    "needs_input_grad", "is_none", NULL}; /* ORDER PredicateKind */
const char *const json_wrap_names[] = {"function", "method", "module", NULL}; /* ORDER Wrap */
const char *const json_binding_names[] = {"arg",    "closure",   "global",   "attr",
                                          "buffer", "parameter", "constant", NULL}; /* ORDER Role */
const char *const json_call_style_names[] = {"method", "function",  "operator",
                                             "kwargs", "torch_ops", NULL}; /* ORDER Spelling */
const char *const json_form_names[] = {
#define FORM(name, needs, lines) #name,
#define LEAVE(name, before, each, between, after, results)
#include "program/lang/python_forms.def"
    NULL};
const char *const json_leave_names[] = {
#define FORM(name, needs, lines)
#define LEAVE(name, before, each, between, after, results) #name,
#include "program/lang/python_forms.def"
    NULL};

void text_addn(Text *text, const char *s, int64_t n) {
    CHECK(n >= 0 && text->n < INT64_MAX / 4 - n);
    if (text->n + n + 1 > text->capacity) {
        int64_t capacity = max_i64(text->capacity * 2, text->n + n + 64);
        char *v = arena_alloc_raw(text->arena, capacity);
        if (text->n > 0) {
            memcpy(v, text->v, (size_t)text->n);
        }
        text->v = v;
        text->capacity = capacity;
    }
    if (n > 0) {
        memcpy(text->v + text->n, s, (size_t)n);
    }
    text->n += n;
    text->v[text->n] = '\0';
}

void text_add(Text *text, const char *s) { text_addn(text, s, (int64_t)strlen(s)); }

void text_int(Text *text, int64_t v) {
    char digits[24];
    int at = COUNT_OF(digits);
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (v < 0) {
        digits[--at] = '-';
    }
    text_addn(text, digits + at, COUNT_OF(digits) - at);
}

void text_printf(Text *text, const char *format, ...) {
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    CHECK(n >= 0);
    if (n < (int)sizeof small) {
        text_addn(text, small, n);
    } else {
        char *large = arena_alloc_raw(text->arena, (int64_t)n + 1);
        vsnprintf(large, (size_t)n + 1, format, again);
        text_addn(text, large, n);
    }
    va_end(again);
}

/* ---- strings ---- */

/* Bytes of the UTF-8 sequence at `c` (a NUL-terminated string), or 0 if it is malformed. */
static int text_utf8_length(const unsigned char *c) {
    int n = c[0] < 0x80   ? 1
            : c[0] < 0xC2 ? 0
            : c[0] < 0xE0 ? 2
            : c[0] < 0xF0 ? 3
            : c[0] < 0xF5 ? 4
                          : 0;
    for (int i = 1; i < n; i++) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool bad = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90) ||
               (c[0] == 0xED && c[1] >= 0xA0) || (c[0] == 0xF4 && c[1] >= 0x90);
    return bad ? 0 : n;
}

void text_json_string(Text *text, const char *s) {
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    text_add(text, "\"");
    while (*s) {
        const unsigned char *c = (const unsigned char *)s;
        const char *escape = strchr(plain, *s);
        int n = text_utf8_length(c);
        if (escape) {
            text_printf(text, "\\%c", letters[escape - plain]);
        } else if (*c < 0x20 || *c == 0x7F) {
            text_printf(text, "\\u%04x", *c);
        } else if (n == 2 && c[0] == 0xC2 && c[1] < 0xA0) { /* C1 control characters */
            text_printf(text, "\\u%04x", c[1]);
        } else if (n == 0) {
            text_add(text, "\\ufffd"); /* messages of targets may hold invalid UTF-8 */
        } else {
            text_addn(text, s, n);
        }
        s += n > 0 ? n : 1;
    }
    text_add(text, "\"");
}

/* ---- numbers ---- */

static bool reads_back(const char *digits, DType dtype, double value) {
    double cell; /* room for one element of any floating dtype */
    element_store_double(&cell, dtype, 0, strtod(digits, NULL));
    return element_double(&cell, dtype, 0) == value;
}

/* A finite, nonzero value. */
static void text_finite(Text *text, DType dtype, double value) {
    char e[40]; /* d.ddde+xx */
    int p = 0;
    do {
        snprintf(e, sizeof e, "%.*e", p++, value);
    } while (p < 17 && !reads_back(e, dtype, value));
    char *mark = strchr(e, 'e');
    int exponent = atoi(mark + 1);
    char digits[24];
    int n = 0;
    for (const char *c = e; c < mark; c++) {
        if (*c >= '0' && *c <= '9') {
            digits[n++] = *c;
        }
    }
    digits[n] = '\0';
    if (value < 0) {
        text_add(text, "-");
    }
    if (exponent >= 17 || exponent < -5) {
        text_printf(text, "%c%s%se%d", digits[0], n > 1 ? "." : "", digits + 1, exponent);
    } else if (exponent < 0) {
        text_printf(text, "0.%.*s%s", -exponent - 1, "0000", digits);
    } else if (exponent >= n - 1) {
        text_printf(text, "%s%.*s", digits, exponent - (n - 1), "0000000000000000");
    } else {
        text_printf(text, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    }
}

/* A float; "nan" and similar values with quotes. */
static void text_double(Text *text, DType dtype, double value) {
    if (isnan(value)) {
        text_add(text, "\"nan\"");
    } else if (isinf(value)) {
        text_add(text, value < 0 ? "\"-inf\"" : "\"inf\"");
    } else if (value == 0) {
        text_add(text, signbit(value) ? "\"-0.0\"" : "0");
    } else {
        text_finite(text, dtype, value);
    }
}

/* Can every JSON tool hold it exactly in a number? */
static bool int_is_plain(int64_t value) {
    return value >= -((int64_t)1 << 53) && value <= (int64_t)1 << 53;
}

void text_number(Text *text, const void *data, DType dtype, int64_t i) {
    if (dtype == DT_bool) {
        text_add(text, element_int(data, dtype, i) ? "true" : "false");
    } else if (dtype_is_float(dtype)) {
        text_double(text, dtype, element_double(data, dtype, i));
    } else {
        int64_t value = element_int(data, dtype, i);
        text_printf(text, int_is_plain(value) ? "%lld" : "\"%lld\"", (long long)value);
    }
}

void text_scalar(Text *text, Scalar s) {
    if (s.kind == CAT_BOOL) {
        text_add(text, s.i ? "true" : "false");
    } else if (s.kind == CAT_INT) {
        text_printf(text, int_is_plain(s.i) ? "%lld" : "{\"int\": \"%lld\"}", (long long)s.i);
    } else if (s.f == trunc(s.f) || isnan(s.f)) { /* integral, infinite or nan */
        text_add(text, "{\"float\": ");
        text_double(text, DT_float64, s.f);
        text_add(text, "}");
    } else {
        text_double(text, DT_float64, s.f);
    }
}

void text_sizes(Text *text, const int64_t *v, int n) {
    text_add(text, "[");
    for (int i = 0; i < n; i++) {
        text_printf(text, int_is_plain(v[i]) ? "%s%lld" : "%s\"%lld\"", i ? ", " : "",
                    (long long)v[i]);
    }
    text_add(text, "]");
}

void text_data(Text *text, const void *data, DType dtype, int64_t n) {
    text_add(text, "[");
    for (int64_t i = 0; i < n; i++) {
        text_add(text, i ? ", " : "");
        text_number(text, data, dtype, i);
    }
    text_add(text, "]");
}

/* ---- JSON trees ---- */

void text_json(Text *text, const Json *j) {
    switch (j->kind) {
    case JSON_NULL:
        text_add(text, "null");
        return;
    case JSON_BOOL:
        text_add(text, j->boolean ? "true" : "false");
        return;
    case JSON_NUMBER:
        text_addn(text, j->text, j->length);
        return;
    case JSON_STRING:
        text_json_string(text, j->text);
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    text_add(text, j->kind == JSON_ARRAY ? "[" : "{");
    for (int i = 0, at = 1; j->kind == JSON_ARRAY && j->text && i < j->count; i++) {
        char buffer[JSON_SCALAR];
        const Json element = json_element(j, i, &at, buffer);
        text_add(text, i ? ", " : "");
        text_json(text, &element);
    }
    if (j->text) {
        text_add(text, "]");
        return;
    }
    for (const Json *c = j->child; c; c = c->next) {
        text_add(text, c->index ? ", " : "");
        if (c->key) {
            text_json_string(text, c->key);
            text_add(text, ": ");
        }
        text_json(text, c);
    }
    text_add(text, j->kind == JSON_ARRAY ? "]" : "}");
}
