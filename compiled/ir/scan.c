/* The tokens of a graph's text: numbers, dtypes, layouts, references to nodes, arguments of
 * calls. */
#include "compiled/ir/scan.h"
#include "tensor/array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool scan_bad(Scanner *p, const char *format, ...) {
    if (!p->failed) {
        char text[120];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        snprintf(p->message, p->message_size, "line %d, column %d: %s", p->line,
                 (int)(p->at - p->line_start) + 1, text);
        p->failed = true;
    }
    return false;
}

/* Consumes `word` if it is next. */
bool scan_take(Scanner *p, const char *word) {
    size_t n = strlen(word);
    if (strncmp(p->at, word, n) != 0) {
        return false;
    }
    p->at += n;
    return true;
}

bool scan_need(Scanner *p, const char *word) {
    return scan_take(p, word) || scan_bad(p, "expected '%s'", word);
}

bool scan_int(Scanner *p, int64_t *out) {
    char *end;
    errno = 0;
    long long value = strtoll(p->at, &end, 10);
    if (end == p->at || errno != 0) {
        return scan_bad(p, "expected a whole number");
    }
    p->at = end;
    *out = value;
    return true;
}

bool scan_small(Scanner *p, int *out, int limit) {
    int64_t value;
    if (!scan_int(p, &value)) {
        return false;
    }
    if (value < 0 || value >= limit) {
        return scan_bad(p, "the number must be from 0 to %d", limit - 1);
    }
    *out = (int)value;
    return true;
}

/* Letters, digits and underscores. */
bool scan_word(Scanner *p, char *out, size_t size) {
    size_t n = strspn(p->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (n == 0 || n >= size) {
        return scan_bad(p, "expected a name");
    }
    memcpy(out, p->at, n);
    out[n] = '\0';
    p->at += n;
    return true;
}

static bool scan_ints(Scanner *p, const int64_t **out, int *count) {
    int64_t v[64];
    int n = 0;
    while (*p->at == '-' || (*p->at >= '0' && *p->at <= '9')) {
        if (n == COUNT_OF(v)) {
            return scan_bad(p, "more than %d numbers", n);
        }
        if (!scan_int(p, &v[n++])) {
            return false;
        }
        scan_take(p, ", ");
    }
    *out = arena_copy(p->arena, v, (int64_t)sizeof *v * max_i64(n, 1));
    *count = n;
    return true;
}

static bool read_dtype(Scanner *p, DType *out) {
    for (int d = 0; d < DT_COUNT; d++) {
        const char *name = dtype_short_name((DType)d);
        size_t n = strlen(name);
        if (strncmp(p->at, name, n) == 0 && p->at[n] == '[') {
            p->at += n;
            *out = (DType)d;
            return true;
        }
    }
    return scan_bad(p, "expected a dtype");
}

/* f32[2, 3; 3, 1]+4 */
bool scan_layout(Scanner *p, Tensor *t) {
    const int64_t *size, *stride;
    int ndim, nstride;
    memset(t, 0, sizeof *t);
    if (!read_dtype(p, &t->dtype) || !scan_need(p, "[") || !scan_ints(p, &size, &ndim) ||
        !scan_need(p, "; ") || !scan_ints(p, &stride, &nstride) || !scan_need(p, "]")) {
        return false;
    }
    if (ndim != nstride || ndim > MAX_DIMS) {
        return scan_bad(p, "%d sizes with %d strides", ndim, nstride);
    }
    t->ndim = ndim;
    memcpy(t->size, size, sizeof *size * (size_t)ndim);
    memcpy(t->stride, stride, sizeof *stride * (size_t)ndim);
    return !scan_take(p, "+") || scan_int(p, &t->offset);
}

/* %5, or None where `optional`. */
bool scan_ref(Scanner *p, Node **out, bool optional) {
    int id = 0;
    *out = NULL;
    if (optional && scan_take(p, "None")) {
        return true;
    }
    if (!scan_need(p, "%") || !scan_small(p, &id, MAX_IDS)) {
        return false;
    }
    *out = id < p->ids ? p->by_id[id] : NULL;
    return *out || scan_bad(p, "%%%d is not defined above", id);
}

/* ---- arguments ---- */

/* A number as text_number writes it: 1, 0.5, "nan", "-0.0", "9007199254740993", true. */
static bool read_number(Scanner *p, bool is_float, Scalar *out) {
    if (scan_take(p, "true") || scan_take(p, "false")) {
        *out = scalar_bool(p->at[-2] == 'u');
        return true;
    }
    bool quoted = scan_take(p, "\"");
    if (is_float) {
        char *end;
        double value = strtod(p->at, &end);
        if (end == p->at) {
            return scan_bad(p, "expected a number");
        }
        p->at = end;
        *out = scalar_float(value);
    } else {
        out->kind = CAT_INT;
        out->f = 0;
        if (!scan_int(p, &out->i)) {
            return false;
        }
    }
    return !quoted || scan_need(p, "\"");
}

/* A Python scalar as text_scalar writes it: an integer is an int, {"float": 1} and 0.5 are
 * floats. */
static bool read_ir_scalar(Scanner *p, Scalar *out) {
    if (scan_take(p, "{\"float\": ")) {
        return read_number(p, true, out) && scan_need(p, "}");
    }
    if (scan_take(p, "{\"int\": ")) {
        return read_number(p, false, out) && scan_need(p, "}");
    }
    size_t n = strspn(p->at, "-0123456789");
    bool fraction = p->at[n] == '.' || p->at[n] == 'e';
    return read_number(p, fraction, out);
}

static bool read_string(Scanner *p, const char **out) {
    const char *from = p->at;
    size_t n = 0;
    if (!scan_need(p, "\"")) {
        return false;
    }
    while (p->at[n] && p->at[n] != '"' && p->at[n] != '\n' && p->at[n] != '\\') {
        n++;
    }
    if (p->at[n] != '"') {
        p->at = from;
        return scan_bad(p, "expected a plain string");
    }
    char *text = arena_alloc(p->arena, (int64_t)n + 1);
    memcpy(text, p->at, n);
    p->at += n + 1;
    *out = text;
    return true;
}

static bool read_refs(Scanner *p, Arg *arg) {
    Tensor *list[MAX_SLOTS];
    int n = 0;
    if (!scan_need(p, "[")) {
        return false;
    }
    while (*p->at == '%' || *p->at == 'N') {
        Node *node;
        if (n == MAX_SLOTS) {
            return scan_bad(p, "more than %d tensors", n);
        }
        if (!scan_ref(p, &node, true)) {
            return false;
        }
        list[n++] = node ? &node->t : NULL;
        scan_take(p, ", ");
    }
    arg->tensors.v = arena_copy(p->arena, list, (int64_t)sizeof *list * max_i64(n, 1));
    arg->tensors.n = n;
    return scan_need(p, "]");
}

/* {1, 2, 3}: elements of the node's dtype. */
static bool read_data(Scanner *p, DType dtype, Arg *arg) {
    int capacity = 16, n = 0, bytes = dtype_bytes(dtype);
    char *data = arena_alloc(p->arena, (int64_t)capacity * bytes);
    if (!scan_need(p, "{")) {
        return false;
    }
    while (*p->at != '}') {
        Scalar value;
        if ((n > 0 && !scan_need(p, ", ")) || !read_number(p, dtype_is_float(dtype), &value)) {
            return false;
        }
        data = array_reserve(p->arena, data, n, &capacity, 16, (size_t)bytes);
        if (value.kind == CAT_FLOAT) {
            element_store_double(data, dtype, n++, value.f);
        } else {
            element_store_int(data, dtype, n++, value.i);
        }
    }
    arg->data.data = data;
    arg->data.n = n;
    return scan_need(p, "}");
}

static bool read_dtype_name(Scanner *p, DType *out) {
    char name[32];
    return scan_word(p, name, sizeof name) &&
           (dtype_parse(name, out) || scan_bad(p, "expected a dtype"));
}

bool scan_arg(Scanner *p, ArgType type, DType dtype, Arg *arg) {
    Node *node;
    Scalar number;
    arg->none = false;
    if (type == ARG_TENSOR || type == ARG_TENSOR_OPT) {
        if (!scan_ref(p, &node, true)) {
            return false;
        }
        arg->none = !node;
        arg->tensor = node ? &node->t : NULL;
        return true;
    }
    if (scan_take(p, "None")) {
        arg->none = true;
        return true;
    }
    switch (type) {
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        return read_refs(p, arg);
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return read_ir_scalar(p, &arg->scalar);
    case ARG_INT:
    case ARG_INT_OPT:
        return scan_int(p, &arg->i);
    case ARG_INTS:
    case ARG_INTS_OPT:
        return scan_need(p, "[") && scan_ints(p, &arg->ints.v, &arg->ints.n) && scan_need(p, "]");
    case ARG_BOOL:
        arg->b = scan_take(p, "true");
        return arg->b || scan_need(p, "false");
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        if (!read_ir_scalar(p, &number)) {
            return false;
        }
        arg->f = scalar_to_double(number);
        return true;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        return read_dtype_name(p, &arg->dtype);
    case ARG_STR:
    case ARG_STR_OPT:
        return read_string(p, &arg->str);
    case ARG_DATA:
        return read_data(p, dtype, arg);
    default:
        return scan_bad(p, "an argument that no graph holds");
    }
}
