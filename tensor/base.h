/* The error codes of the project, and definitions that every file needs.
 *
 * Three kinds of errors are distinguished:
 *   - an error of the program under test is an ErrCode (errors.def) with a sentence in an Error:
 *     a result, not a failure;
 *   - a violated invariant is a CHECK(), which prints its location and aborts in every build;
 *   - a failure of the environment (no memory) is a die(): one sentence, exit code 3. */
#ifndef TENSOR_BASE_H
#define TENSOR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ErrCode {
#define ERROR(code, text) ERR_##code,
#include "tensor/errors.def"
#undef ERROR
    ERR_COUNT
} ErrCode;

/* The first error of a run: code and message. A zeroed Error means "no error". */
typedef struct Error {
    ErrCode code;
    bool quiet; /* set by callers that read only the code: no message is formatted */
    char text[232];
} Error;

/* Initializes an Error on the stack to "no error". Its text is not cleared; it is written together
 * with the first code, unless `quiet` is set. */
static inline void error_begin(Error *err, bool quiet) {
    err->code = ERR_none;
    err->quiet = quiet;
}

/* The name of a code in format.md, such as "leaf_inplace". */
const char *errcode_name(ErrCode code);
/* Inverse of errcode_name; false if there is no such code. */
bool errcode_parse(const char *name, ErrCode *code);

/* error_set(err, code, format, ..): sets `err` unless it already holds an error, and returns its
 * code, which is never ERR_none. The compiler is informed of this, and that errors are unlikely.
 * `err` must not be NULL. */
#define error_set(...) error_certain(error_write(__VA_ARGS__))
ErrCode error_write(Error *err, ErrCode code, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
static inline ErrCode error_certain(ErrCode code) {
    if (code == ERR_none) {
        __builtin_unreachable();
    }
    return code;
}

/* Ends the process with exit code 3 and one sentence on standard error; only for failures of the
 * environment. */
_Noreturn void die(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
_Noreturn void check_failed(const char *file, int line, const char *condition)
    __attribute__((cold));

/* Checks an invariant, in every build. */
#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

/* Returns an ErrCode other than ERR_none to the caller. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        ErrCode try_code_ = (expression);                                                          \
        if (try_code_ != ERR_none) {                                                               \
            return try_code_;                                                                      \
        }                                                                                          \
    } while (0)

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
/* The greatest common divisor: not negative, 0 of two zeros. Neither may be INT64_MIN. */
static inline int64_t gcd_i64(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

#endif
