/* JSON text as a tree whose nodes keep their source text: for program/json, and for the other JSON
 * that harness/targets reads.
 *
 *     text ──json_scan──> number tokens ──json_tree (cJSON)──> Json nodes ──json_read_*──> Program
 *
 * A number keeps its source text and json/number.c reads it exactly. Every node knows its parent,
 * so an error message can name the path `body[3].dim`. All reading functions return false after the
 * first error, which the Reader holds. */
#ifndef PROGRAM_JSON_TREE_H
#define PROGRAM_JSON_TREE_H

#include "program/json/json.h"

/* Limits on text size, on nesting (64 nested statements are 129 levels, 64 nested `not` another
 * 64) and on the values of a text, where a folded array counts as one. */
enum {
    JSON_MAX_BYTES = 16 * 1024 * 1024,
    JSON_MAX_DEPTH = 256,
    JSON_MAX_VALUES = 1 << 18,
    JSON_MAX_OWN_VALUES = 1 << 22, /* of a file that twingrad wrote: results.json */
    JSON_FOLD = 64,      /* longer arrays of numbers, booleans and short strings are folded */
    JSON_MAX_LIST = 4096 /* entries of a list that is not data: sizes, names, indices */
};

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;
typedef struct Json Json;
struct Json {
    JsonKind kind;
    bool boolean;
    int index;        /* index among its siblings */
    int count;        /* ARRAY, OBJECT: number of members */
    int length;       /* NUMBER and folded ARRAY: bytes of text */
    const char *key;  /* in an object; else NULL */
    const char *text; /* STRING: the value; NUMBER: its token, not NUL-terminated but followed by a
                         byte that ends it; folded ARRAY: its source, from '[' to ']'; other ARRAYs:
                         NULL */
    Json *parent, *child, *next; /* a folded array has no child: json_items, json_element */
};

typedef struct Reader {
    Arena *arena;
    Names names;
    bool failed; /* `message` holds the first error */
    char *message;
    size_t message_size;
    bool fold; /* see json_parse */
    const char
        *unknown_op; /* message about the first op or overload that the table lacks, or NULL */
    int depth;       /* blocks open around the statement being read */
    int format;      /* the version that the file states */
    Function *functions;
    int nfunctions;   /* those read so far */
    bool in_function; /* while they are read */
} Reader;

/* ---- json/scan.c ---- */
typedef struct JsonToken {
    int at, length;
    int count; /* of a folded array: its elements; of a number: 0 */
} JsonToken;
typedef struct JsonScan {
    JsonToken *token; /* every number and every folded array of the text, in order */
    int count;
} JsonScan;
/* Checks that text[0..length) is one JSON value: UTF-8, grammar, nesting, control characters,
 * surrogates, no \u0000, at most JSON_MAX_VALUES values. False with "line 3, column 7: ..." in
 * `message`. With `fold`, arrays of more than JSON_FOLD scalars become one token each. */
bool json_scan(Arena *arena, const char *text, size_t length, bool fold, JsonScan *out,
               char *message, size_t message_size);

/* ---- json/tree.c ---- */
/* Parses text into a tree in r->arena; duplicate keys are errors. NULL after an error. Exits with
 * code 3 if the system has no memory. If r->fold is set, long arrays of scalars are kept as text,
 * because a tree of them would take 70 times the memory of the text. */
Json *json_parse(Reader *r, const char *source, size_t length);
/* The first member of an array or object. The members of a folded array are made, JSON_MAX_LIST at
 * most: a longer one is refused by json_limit, or because its members are scalars. */
const Json *json_items(Reader *r, const Json *j);
/* The scalar at `*at`, a position in the text of a folded array `j` (1 at first), which moves on to
 * the next one. A string is copied to `buffer`, which has JSON_SCALAR bytes. */
enum { JSON_SCALAR = 32 };
Json json_element(const Json *j, int index, int *at, char *buffer);
/* Reports a list of more than `limit` entries; false then. */
bool json_limit(Reader *r, const Json *j, int limit, const char *entries);
/* Records "PATH: message" as the error unless there is one already; returns false. */
bool json_bad(Reader *r, const Json *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "body[3].dim"; "top level" for the root. */
const char *json_path(Reader *r, const Json *j);
/* "a number", "an array", .. */
const char *json_kind_name(const Json *j);
/* Member of an object by key, or NULL. */
const Json *json_get(const Json *object, const char *key);
/* As json_get; a missing member is an error. */
const Json *json_need(Reader *r, const Json *object, const char *key);
/* Reports "expected EXPECTED" unless the node has this kind. */
bool json_want(Reader *r, const Json *j, JsonKind kind, const char *expected);
/* The members whose keys begin with x-, as canonical JSON: "\"x-a\": 1, \"x-b\": []"; NULL if there
 * are none. The key `but` (may be NULL) is skipped. */
const char *json_extra(Reader *r, const Json *object, const char *but);
/* Reports an error for keys that are neither in the NULL-terminated list nor begin with x-; *extra
 * (may be NULL) = json_extra. */
bool json_keys(Reader *r, const Json *object, const char *const *allowed, const char **extra);
/* True for an object with the single key `key`: the notations {"float": ..}, {"int": ..},
 * {"size_of": ..}, {"list": ..}. */
bool json_is_wrapped(const Json *j, const char *key);

/* ---- json/number.c ---- */
typedef enum Integrality {
    NUMBER_INTEGER,
    NUMBER_FRACTION,
    NUMBER_HUGE /* an integer that int64 does not hold */
} Integrality;
/* The value of a number, rounded to double. */
double json_double(const Json *number);
/* A plain decimal integer in a string: an optional '-', digits without a leading zero; false if it
 * does not fit int64. */
bool json_decimal(const char *text, int64_t *value);
/* An integer of at most 2^53 in magnitude, written as a number. */
bool json_read_int(Reader *r, const Json *j, int64_t *value);
/* As json_read_int, and in [low, high]. */
bool json_read_int_in(Reader *r, const Json *j, int64_t low, int64_t high, int64_t *value);
bool json_read_bool(Reader *r, const Json *j, bool *value);
/* A version of versions.def; `j` may be NULL: SEMANTICS_NONE. */
bool json_read_semantics(Reader *r, const Json *j, Semantics *out);
/* An integral number, or {"int": "..."}. */
bool json_read_wide_int(Reader *r, const Json *j, int64_t *value);
/* A number, a bool, {"int": ..} or {"float": ..}; the notation determines the kind of the
 * scalar. */
bool json_read_scalar(Reader *r, const Json *j, Scalar *out);
bool json_read_seed(Reader *r, const Json *j, uint64_t *seed);
/* The elements of an array as a dense buffer of `dtype`. `rounding`: values outside the dtype are
 * rounded (results), otherwise they are errors (programs). */
bool json_read_data(Reader *r, const Json *j, DType dtype, bool rounding, void **data, int64_t *n);

/* ---- json/read_value.c ---- */
/* Reads a name and interns it. */
bool json_read_name(Reader *r, const Json *j, NameId *out);
/* An array of names; with `nulls`, null entries are NAME_NONE. */
bool json_read_names(Reader *r, const Json *j, bool nulls, NameId **out, int *n);
bool json_read_dtype(Reader *r, const Json *j, DType *out);
/* {"fill": KIND, "seed": N}; the caller reads the keys in `also` (NULL-terminated). */
bool json_read_fill(Reader *r, const Json *j, const char *const *allowed, FillKind *fill,
                    uint64_t *seed, const char **extra);
/* Can this JSON value, by its kind alone, be an argument of the type? */
bool json_arg_fits(const Param *param, const Json *j);
/* What json_arg_fits expects, for error messages: "an integer or {\"size_of\": ..}". */
const char *json_arg_expected(const Param *param);
/* Reads an argument for which json_arg_fits is true. */
bool json_read_arg(Reader *r, const Param *param, const Json *j, PArg *out);
/* The data of a tensor literal, whose size and dtype have been read. */
bool json_read_literal(Reader *r, const Json *j, DType dtype, const PArg *size, PArg *out);

/* ---- json/read_stmt.c ---- */
/* Reads an array of statements. */
bool json_read_block(Reader *r, const Json *j, Block *out);

/* ---- json/compile.c ---- */
bool json_read_compile(Reader *r, const Json *j, CompileSettings **out);

/* ---- json/functions.c ---- */
/* The functions of a program, into r->functions; `j` may be NULL. */
bool json_read_functions(Reader *r, const Json *j);
bool json_read_apply(Reader *r, const Json *j, Stmt *s);
/* Has the file at least this format version? `what`: the part that needs it. */
bool json_needs_format(Reader *r, const Json *j, int format, const char *what);
/* Is it the name of a statement that version 2 adds about .grad (accumulate.c)? */
bool json_is_about_grad(const char *op);
bool json_read_about_grad(Reader *r, const Json *j, const char *op, Stmt *s);
/* Is it the name of a statement about a hook? */
bool json_is_hook(const char *op);
bool json_read_hook(Reader *r, const Json *j, const char *op, Stmt *s);

/* ---- json/result_read.c ---- */
/* Reads a result; statement paths and input names are those of `p`. NULL after an error. */
Result *json_read_result(Reader *r, const Json *j, const Program *p);

/* ---- json/write_stmt.c ---- */
typedef struct JsonWriter {
    Text *text;
    const Program *p;
    bool line;  /* everything on one line */
    int indent; /* in steps of two spaces */
} JsonWriter;
/* A line break in the indented layout, `in_line` in the one-line layout. */
void json_page_break(const JsonWriter *w, const char *in_line);
/* Opens an array with one item on each line. */
void json_open_array(JsonWriter *w);
void json_array_item(const JsonWriter *w, int index);
void json_close_array(JsonWriter *w, int count);
void json_write_name(const JsonWriter *w, NameId name);
/* Writes an array of names; NAME_NONE is null. */
void json_write_names(const JsonWriter *w, const NameId *names, int n);
/* Writes `, "key": `, `, "key": true` or `, "x-a": 1` inside an object that already has members. */
void json_write_key(const JsonWriter *w, const char *key);
void json_write_flag(const JsonWriter *w, const char *key, bool value);
void json_write_extra(const JsonWriter *w, const char *extra);
void json_write_block(JsonWriter *w, const Block *block);
/* json/functions.c; of a statement all but its x- keys and the closing brace. */
void json_write_functions(JsonWriter *w, const Program *p);
void json_write_apply(const JsonWriter *w, const Stmt *s);
/* Without the closing brace. */
void json_write_backward(const JsonWriter *w, const GradStmt *g);
void json_write_dot_grad(const JsonWriter *w, const Stmt *s);
void json_write_hook(const JsonWriter *w, const HookStmt *h);

/* ---- json/text.c ---- */
/* Names by enum value, NULL-terminated. */
extern const char *const json_predicate_names[];
extern const char *const json_wrap_names[];
extern const char *const json_binding_names[];
extern const char *const json_call_style_names[];
extern const char *const json_form_names[];
extern const char *const json_leave_names[];
/* Appends the node as canonical JSON on one line. */
void text_json(Text *text, const Json *j);
/* Appends a list of integers: "[2, 3]". */
void text_sizes(Text *text, const int64_t *v, int n);
/* Appends an array of n elements of the dtype. */
void text_data(Text *text, const void *data, DType dtype, int64_t n);

#endif
