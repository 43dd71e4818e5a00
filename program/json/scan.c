/* The first pass over a JSON text: checks that it is valid JSON and safe to give to cJSON.
 *
 * One pass with an explicit stack of open brackets, one byte each, so a million nested arrays do
 * not overflow the call stack. The state says which tokens may come next; numbers, strings and
 * literals have their own scan functions. Number tokens are recorded by position: their values are
 * read from the text later, never from a library's double. A long array of scalars is recorded as
 * one token: the scan looks ahead from every '[', so that each scalar is read at most twice. */
#include "program/json/tree.h"
#include "tensor/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum Next {
    NEXT_VALUE,
    NEXT_VALUE_OR_CLOSE,
    NEXT_KEY,
    NEXT_KEY_OR_CLOSE,
    NEXT_COMMA_OR_CLOSE,
    NEXT_END
} Next;

typedef struct JsonScanner {
    const unsigned char *text;
    size_t length, at;
    Arena *arena;
    JsonScan *out;
    int capacity;
    int values; /* seen so far */
    bool fold;
    bool quiet; /* looking ahead: errors are not described */
    char *message;
    size_t message_size;
} JsonScanner;

/* Reports an error at the byte at `at`. */
static bool bad_at(JsonScanner *s, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool bad_at(JsonScanner *s, size_t at, const char *format, ...) {
    size_t line = 1, column = 1;
    if (s->quiet) {
        return false;
    }
    for (size_t i = 0; i < at; i++) {
        column++;
        if (s->text[i] == '\n') {
            line++;
            column = 1;
        }
    }
    char what[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(s->message, s->message_size, "line %zu, column %zu: %s", line, column, what);
    return false;
}

/* Reports "expected X, found Y" at the next byte. */
static bool bad_expected(JsonScanner *s, const char *expected) {
    if (s->at >= s->length) {
        return bad_at(s, s->length, "expected %s, found the end of the text", expected);
    }
    unsigned char c = s->text[s->at];
    if (c == 0xEF && s->at == 0) {
        return bad_at(s, s->at, "expected %s, found a byte order mark or other non-ASCII text",
                      expected);
    }
    if (c < 0x20 || c >= 0x7F) {
        return bad_at(s, s->at, "expected %s, found the byte 0x%02X", expected, c);
    }
    return bad_at(s, s->at, "expected %s, found '%c'", expected, c);
}

static int peek(const JsonScanner *s) { return s->at < s->length ? s->text[s->at] : -1; }
static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static int hex_digit(int c) {
    if (is_digit(c)) {
        return c - '0';
    }
    int lower = c | 0x20;
    return c >= 0 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool scan_digits(JsonScanner *s, const char *where) {
    if (!is_digit(peek(s))) {
        return bad_expected(s, where);
    }
    while (is_digit(peek(s))) {
        s->at++;
    }
    return true;
}

static bool skip_number(JsonScanner *s) {
    if (peek(s) == '-') {
        s->at++;
    }
    if (peek(s) == '0') {
        s->at++;
        if (is_digit(peek(s))) {
            return bad_at(s, s->at, "a number may not begin with 0");
        }
    } else if (!scan_digits(s, "a digit")) {
        return false;
    }
    if (peek(s) == '.') {
        s->at++;
        if (!scan_digits(s, "a digit after the decimal point")) {
            return false;
        }
    }
    if (peek(s) == 'e' || peek(s) == 'E') {
        s->at++;
        if (peek(s) == '+' || peek(s) == '-') {
            s->at++;
        }
        if (!scan_digits(s, "a digit of the exponent")) {
            return false;
        }
    }
    return true;
}

static void record(JsonScanner *s, size_t start, int count) {
    s->out->token = array_reserve(s->arena, s->out->token, s->out->count, &s->capacity, 256,
                                  sizeof *s->out->token);
    s->out->token[s->out->count++] = (JsonToken){(int)start, (int)(s->at - start), count};
}

static bool scan_number(JsonScanner *s) {
    size_t start = s->at;
    if (!skip_number(s)) {
        return false;
    }
    record(s, start, 0);
    return true;
}

/* Bytes of the UTF-8 sequence at `at` (Unicode 15, table 3-7), or 0 if it is malformed. */
static size_t scan_utf8_length(const JsonScanner *s, size_t at) {
    const unsigned char *c = s->text + at;
    size_t left = s->length - at;
    size_t n = c[0] < 0x80   ? 1
               : c[0] < 0xC2 ? 0
               : c[0] < 0xE0 ? 2
               : c[0] < 0xF0 ? 3
               : c[0] < 0xF5 ? 4
                             : 0;
    if (n == 0 || n > left) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xED && c[1] >= 0xA0;
    bool beyond = c[0] == 0xF4 && c[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}

/* The four hex digits of \uXXXX, or -1. */
static int scan_hex4(const JsonScanner *s, size_t at) {
    int value = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = at + i < s->length ? hex_digit(s->text[at + i]) : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

/* Scans an escape; `at` is at the backslash. */
static bool scan_escape(JsonScanner *s) {
    int c = s->at + 1 < s->length ? s->text[s->at + 1] : -1;
    if (c != 'u') {
        if (c <= 0 || !strchr("\"\\/bfnrt", c)) {
            return bad_at(s, s->at, "not an escape that JSON knows");
        }
        s->at += 2;
        return true;
    }
    int unit = scan_hex4(s, s->at + 2);
    if (unit < 0) {
        return bad_at(s, s->at, "\\u needs four hexadecimal digits");
    }
    if (unit == 0) {
        return bad_at(s, s->at, "\\u0000 is not allowed");
    }
    bool high = unit >= 0xD800 && unit <= 0xDBFF, low = unit >= 0xDC00 && unit <= 0xDFFF;
    if (high && s->at + 7 < s->length && s->text[s->at + 6] == '\\' && s->text[s->at + 7] == 'u') {
        int second = scan_hex4(s, s->at + 8);
        if (second >= 0xDC00 && second <= 0xDFFF) {
            s->at += 12;
            return true;
        }
    }
    if (high || low) {
        return bad_at(s, s->at, "a lone surrogate is not allowed");
    }
    s->at += 6;
    return true;
}

static bool scan_string(JsonScanner *s) {
    size_t start = s->at++;
    for (;;) {
        int c = peek(s);
        if (c < 0) {
            return bad_at(s, start, "a string without end");
        }
        if (c == '"') {
            s->at++;
            return true;
        }
        if (c < 0x20) {
            return bad_at(s, s->at, "the control character 0x%02X in a string must be escaped",
                          (unsigned)c);
        }
        if (c == '\\') {
            if (!scan_escape(s)) {
                return false;
            }
            continue;
        }
        size_t n = scan_utf8_length(s, s->at);
        if (n == 0) {
            return bad_at(s, s->at, "not UTF-8: the byte 0x%02X", (unsigned)c);
        }
        s->at += n;
    }
}

static bool scan_literal(JsonScanner *s) {
    static const char *const literals[] = {"true", "false", "null"};
    for (int k = 0; k < COUNT_OF(literals); k++) {
        size_t n = strlen(literals[k]);
        if (s->length - s->at >= n && memcmp(s->text + s->at, literals[k], n) == 0) {
            s->at += n;
            return true;
        }
    }
    return bad_expected(s, "a value");
}

static void skip_space(JsonScanner *s) {
    for (int c = peek(s); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(s)) {
        s->at++;
    }
}

/* ---- folded arrays ---- */

/* A string that data may hold, "nan" or the digits of an integer: short, plain characters. */
static bool skip_short_string(JsonScanner *s) {
    size_t start = ++s->at;
    while (is_digit(peek(s)) || (peek(s) >= 'a' && peek(s) <= 'z') || peek(s) == '-' ||
           peek(s) == '.') {
        s->at++;
    }
    return s->at - start < JSON_SCALAR && peek(s) == '"' && s->at++ > 0;
}

/* The rest of an array behind its '[': true, with the number of its elements, if all are scalars
 * that a folded array holds. */
static bool skip_scalars(JsonScanner *s, int *count) {
    for (*count = 0;;) {
        skip_space(s);
        int c = peek(s);
        bool ok = c == '"'                  ? skip_short_string(s)
                  : c == '-' || is_digit(c) ? skip_number(s)
                  : c == 't' || c == 'f'    ? scan_literal(s)
                                            : false;
        if (!ok) {
            return false;
        }
        (*count)++;
        skip_space(s);
        c = peek(s);
        s->at++;
        if (c != ',') {
            return c == ']';
        }
    }
}

/* At a '[': records the array as one token, unless it is short or holds something else. */
static bool scan_folded(JsonScanner *s) {
    size_t start = s->at++;
    int count;
    s->quiet = true;
    bool folded = s->fold && skip_scalars(s, &count) && count > JSON_FOLD;
    s->quiet = false;
    if (folded) {
        record(s, start, count);
    } else {
        s->at = start;
    }
    return folded;
}

/* ---- the text ---- */

static bool scan_key(JsonScanner *s) {
    if (peek(s) != '"') {
        return bad_expected(s, "a key in double quotes");
    }
    if (!scan_string(s)) {
        return false;
    }
    skip_space(s);
    if (peek(s) != ':') {
        return bad_expected(s, "':' after a key");
    }
    s->at++;
    return true;
}

static bool scan_json_text(JsonScanner *s) {
    char open[JSON_MAX_DEPTH];
    int depth = 0;
    Next next = NEXT_VALUE;
    for (;;) {
        skip_space(s);
        int c = peek(s);
        bool may_close =
            next == NEXT_VALUE_OR_CLOSE || next == NEXT_KEY_OR_CLOSE || next == NEXT_COMMA_OR_CLOSE;
        if (next == NEXT_END) {
            return c < 0 || bad_expected(s, "the end of the text");
        }
        if (may_close && c == (open[depth - 1] == '[' ? ']' : '}')) {
            s->at++;
            next = --depth > 0 ? NEXT_COMMA_OR_CLOSE : NEXT_END;
        } else if (next == NEXT_COMMA_OR_CLOSE) {
            if (c != ',') {
                return bad_expected(s, open[depth - 1] == '[' ? "',' or ']'" : "',' or '}'");
            }
            s->at++;
            next = open[depth - 1] == '[' ? NEXT_VALUE : NEXT_KEY;
        } else if (next == NEXT_KEY || next == NEXT_KEY_OR_CLOSE) {
            if (!scan_key(s)) {
                return false;
            }
            next = NEXT_VALUE;
        } else if (++s->values > (s->fold ? JSON_MAX_VALUES : JSON_MAX_OWN_VALUES)) {
            return bad_at(s, s->at, "the text has more than %d values", s->values - 1);
        } else if (c == '[' && scan_folded(s)) {
            next = depth > 0 ? NEXT_COMMA_OR_CLOSE : NEXT_END;
        } else if (c == '[' || c == '{') {
            if (depth == JSON_MAX_DEPTH) {
                return bad_at(s, s->at, "nested deeper than %d", JSON_MAX_DEPTH);
            }
            open[depth++] = (char)c;
            s->at++;
            next = c == '[' ? NEXT_VALUE_OR_CLOSE : NEXT_KEY_OR_CLOSE;
        } else {
            bool ok = c == '"'                  ? scan_string(s)
                      : c == '-' || is_digit(c) ? scan_number(s)
                                                : scan_literal(s);
            if (!ok) {
                return false;
            }
            next = depth > 0 ? NEXT_COMMA_OR_CLOSE : NEXT_END;
        }
    }
}

bool json_scan(Arena *arena, const char *text, size_t length, bool fold, JsonScan *out,
               char *message, size_t message_size) {
    *out = (JsonScan){0};
    JsonScanner s = {.text = (const unsigned char *)text,
                     .length = length,
                     .arena = arena,
                     .fold = fold,
                     .out = out,
                     .message = message,
                     .message_size = message_size};
    return scan_json_text(&s);
}
