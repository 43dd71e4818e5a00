#include "program/ops/missing.h"

#include <string.h>

#define BEGINNING "derivative for aten::"

ErrCode derivative_missing(const OpInfo *op, Error *err) {
    return error_set(err, ERR_invalid, BEGINNING "%s is not implemented", op->name);
}

bool says_derivative_missing(const char *message) {
    return strncmp(message, BEGINNING, strlen(BEGINNING)) == 0;
}
