/* Sentences and results are formatted whole before they are sent, so that a sink never sees a part
 * of one. */
#include "harness/util/output.h"

#include "tensor/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *output_format(const char *format, va_list args) {
    char *text;
    if (vasprintf(&text, format, args) < 0) {
        die("out of memory");
    }
    return text;
}

int output_problem(const Output *out, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *sentence = output_format(format, args);
    va_end(args);
    out->problem(out->user, sentence);
    free(sentence);
    return code;
}

void output_printf(const Output *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = output_format(format, args);
    va_end(args);
    out->text(out->user, text, (int64_t)strlen(text));
    free(text);
}

void output_clear(const Output *out) {
    if (out->progress) {
        out->progress(out->user, "");
    }
}
