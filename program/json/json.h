/* Programs and results as JSON (docs/reference/format.md). Only program/json uses cJSON.
 *
 * cJSON's weaknesses are guarded against. The text is checked first (size, UTF-8, number grammar,
 * nesting, control characters), and duplicate and unknown keys are errors. Integers beyond 2^53 and
 * doubles are read from the text, never from cJSON's double. Numbers are printed by our own
 * code. */
#ifndef PROGRAM_JSON_H
#define PROGRAM_JSON_H

#include "program/lang/program.h"
#include "program/lang/result.h"

typedef enum ParseStatus {
    PARSE_OK,
    PARSE_BAD,       /* bad input: `message` says where and why */
    PARSE_UNKNOWN_OP /* well-formed, but uses an op or overload that the op table lacks: `message`
                        names it */
} ParseStatus;

/* Parses one program of `length` bytes; the result is allocated in `arena`. On PARSE_BAD, `message`
 * reads like "body[3].dim: expected an integer". */
ParseStatus program_parse(Arena *arena, const char *text, size_t length, Program **out,
                          char *message, size_t message_size);

/* As program_parse, but with `limits` instead of LIMITS_DEFAULT for inputs and statements. */
ParseStatus program_parse_within(Arena *arena, const char *text, size_t length,
                                 const Limits *limits, Program **out, char *message,
                                 size_t message_size);

/* A growable string in an arena. */
typedef struct Text {
    Arena *arena;
    char *v; /* NUL-terminated */
    int64_t n, capacity;
} Text;
/* Append a NUL-terminated string, n bytes, or formatted text. */
void text_add(Text *text, const char *s);
void text_addn(Text *text, const char *s, int64_t n);
/* Appends decimal digits; about twenty times faster than text_printf. */
void text_int(Text *text, int64_t v);
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a JSON string literal with its quotes. */
void text_json_string(Text *text, const char *s);
/* Appends element i of `data`: the shortest digits that read back to the same value of the dtype;
 * "nan", "inf", "-0.0" as format.md writes them in `data`. */
void text_number(Text *text, const void *data, DType dtype, int64_t i);
/* Appends a scalar so that reading it gives the same kind and value. */
void text_scalar(Text *text, Scalar s);

/* Appends the canonical text of a program: keys in the order of format.md, arguments in schema
 * order, one statement on each line, LF at the end. With `line`, everything on one line. */
void program_print(Text *text, const Program *p, bool line);

/* The value of the key "compile" on one line, and its inverse: NULL if it is malformed. */
void compile_print(Text *text, const CompileSettings *c);
/* "[0, 2]" of the bits 0 and 2. */
void compile_print_dims(Text *text, uint32_t dims);
CompileSettings *compile_parse(Arena *arena, const char *text, size_t length);

/* Appends a result as JSON on one line, without a newline. Data that is not compared is printed as
 * recorded. */
void result_print(Text *text, const Result *r, const Program *p);
/* Parses a result: the `expect` of a program, or a target's answer. Unknown keys are errors unless
 * they begin with x-. */
ParseStatus result_parse(Arena *arena, const char *text, size_t length, const Program *p,
                         Result **out, char *message, size_t message_size);

#endif
