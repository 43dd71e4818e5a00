/* The project's error codes, and what every file needs.
 *
 * Three kinds of trouble are kept apart:
 *   - an error of the *program under test* is an ErrCode (errors.def) with a sentence in an Error:
 *     a result, not a failure;
 *   - a broken invariant of ours is CHECK(): it prints where and aborts, in every build;
 *   - the environment failing us (no memory) is die(): one sentence, exit code 3.
 * */
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

/* The first error of a run: code and a sentence for people. A zeroed Error is "no error". */
typedef struct Error {
    ErrCode code;
    bool quiet; /* set by who reads the code only: no sentence is made */
    char text[232];
} Error;

/* An error on the stack: none yet. Its text, which is not zeroed, is written with the first code;
 * not at all if only that is read. */
static inline void error_begin(Error *err, bool quiet) {
    err->code = ERR_none;
    err->quiet = quiet;
}

/* "leaf_inplace" and so on: the spelling of format.md. */
const char *errcode_name(ErrCode code);
/* Inverse of errcode_name; false if there is no such code. */
bool errcode_parse(const char *name, ErrCode *code);

/* error_set(err, code, format, ..): sets `err` (unless it already holds an error: the first one
 * stays) and returns its code, which is never ERR_none; the compiler is told this, and that errors
 * are rare. `err` may not be NULL. */
#define error_set(...) error_certain(error_write(__VA_ARGS__))
ErrCode error_write(Error *err, ErrCode code, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
static inline ErrCode error_certain(ErrCode code) {
    if (code == ERR_none) {
        __builtin_unreachable();
    }
    return code;
}

/* Ends the process with exit code 3 and one sentence on standard error: for the environment's
 * failures only. */
_Noreturn void die(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
_Noreturn void check_failed(const char *file, int line, const char *condition)
    __attribute__((cold));

/* An invariant of ours, on in every build. */
#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

/* Forwards an ErrCode that is not ERR_none to the caller. */
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

#endif
