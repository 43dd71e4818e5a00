/* Names of error codes, and the two ways to end the process. */
#include "tensor/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[ERR_COUNT] = {
#define ERROR(code, text) #code,
#include "tensor/errors.def"
#undef ERROR
};

const char *errcode_name(ErrCode code) {
    CHECK((unsigned)code < ERR_COUNT);
    return names[code];
}

bool errcode_parse(const char *name, ErrCode *code) {
    for (int i = 0; i < ERR_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            *code = (ErrCode)i;
            return true;
        }
    }
    return false;
}

ErrCode error_write(Error *err, ErrCode code, const char *format, ...) {
    CHECK(code != ERR_none);
    if (err->code != ERR_none) {
        return err->code;
    }
    err->code = code;
    if (err->quiet) {
        return code;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

void die(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("twingrad: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(3);
}

void check_failed(const char *file, int line, const char *condition) {
    fprintf(stderr, "twingrad: %s:%d: broken invariant: %s\n", file, line, condition);
    abort();
}
