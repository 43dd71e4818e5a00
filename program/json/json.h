/* Programs and results as JSON (docs/reference/format.md): the only reader of cJSON in program/.
 *
 * cJSON is used carefully: the text is first checked whole (size, UTF-8, number grammar, nesting,
 * control characters), duplicate and unknown keys are refused, integers beyond 2^53 and doubles are
 * read from the text, never from cJSON's double, and every number is printed by us. */
#ifndef PROGRAM_JSON_H
#define PROGRAM_JSON_H

#include "program/lang/program.h"
#include "program/lang/result.h"

typedef enum ParseStatus {
    PARSE_OK,
    PARSE_BAD,       /* bad input: `message` says where and why */
    PARSE_UNKNOWN_OP /* well-formed, but names an op (or overload) that the table does not have:
                        `message` names it */
} ParseStatus;

/* Parses one program. `message` (for PARSE_BAD) reads "body[3].dim: expected an integer".
 * Everything lives in `arena`. */
ParseStatus program_parse(Arena *arena, const char *text, size_t length, Program **out,
                          char *message, size_t message_size);

/* As program_parse, with other limits than LIMITS_DEFAULT on what inputs and statements may request
 * for. */
ParseStatus program_parse_within(Arena *arena, const char *text, size_t length,
                                 const Limits *limits, Program **out, char *message,
                                 size_t message_size);

/* A growing text in an arena. */
typedef struct Text {
    Arena *arena;
    char *v; /* NUL-terminated */
    int64_t n, capacity;
} Text;
void text_add(Text *text, const char *s);
void text_addn(Text *text, const char *s, int64_t n);
/* In decimal digits; what text_printf does in twenty times the time. */
void text_int(Text *text, int64_t v);
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A JSON string literal, quotes included. */
void text_json_string(Text *text, const char *s);
/* The shortest digits that read back to the same value of the dtype; "nan", "inf", "-0.0" as
 * format.md writes them in `data`. */
void text_number(Text *text, const void *data, DType dtype, int64_t i);
void text_scalar(Text *text, Scalar s);

/* Canonical text of a program (keys in the order of format.md, arguments in schema order, one
 * statement a line, LF at the end), or, with `line`, the same on one line. */
void program_print(Text *text, const Program *p, bool line);

/* A result as JSON on one line, no newline. Data of a non-compared storage etc. is printed as
 * recorded. */
void result_print(Text *text, const Result *r, const Program *p);
/* Reads a result: `expect` of a program, or a target's answer. Unknown keys other than x- are
 * errors. */
ParseStatus result_parse(Arena *arena, const char *text, size_t length, const Program *p,
                         Result **out, char *message, size_t message_size);

#endif
