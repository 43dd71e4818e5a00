/* The loops that are no tile nests, as C: fills, moves, products of small matrices, running sums, softmax.
 *
 * A move whose source lies the other way round (a transpose) goes by squares of SQUARE x SQUARE elements, so that both sides stay in
 * the cache. Softmax walks its lines three times: the maximum (a nan makes the sum one, so it need not be one), the exponentials with
 * their sum, the quotient; where the lines are strided it takes a strip of neighbouring lines at once. */
#include "compiled/native.h"

#include <stdio.h>
#include <stdlib.h>

enum { STRIP = 64 /* lines of a softmax */, MAX_KEPT = 65536 /* exponentials that are kept between the walks: a stack frame that fits the cache */ };

static bool whole(DType dtype) { return dtype == DT_float32 || dtype == DT_float64 || dtype == DT_int64; }

static void buffer(Text *text, const char *type, const char *name, int number) {
    text_printf(text, "    %s *restrict %s = data[%d];\n", type, name, number);
}

static void close_until(Text *text, int depth, int until) {
    while (depth > until) {
        native_indent(text, --depth);
        text_add(text, "}\n");
    }
}

/* Is d the dim along which parts of the loop run? */
static bool is_outer(const Loop *loop, int d) { return d == 0 && loop_trips(loop) > 1; }

/* Loops over all dims but those of `skip` (a bit set); the depth after. */
static int open_but(Text *text, const Loop *loop, unsigned skip, int depth) {
    for (int d = 0; d < loop->ndim; d++) {
        if (loop->size[d] != 1 && !(skip >> d & 1)) {
            native_for_dim(text, depth++, d, loop->size[d], is_outer(loop, d));
        }
    }
    return depth;
}

/* ---- fill, move ---- */

static void print_fill(Text *text, const Loop *loop, NativeNeeds *needs) {
    Kind kind = dtype_kind(loop->to.dtype);
    buffer(text, native_memory_type(loop->to.dtype), "y_", loop->to.buffer);
    text_printf(text, "    const %s c0 = ", native_value_type(kind));
    native_constant(text, loop->value, kind);
    text_add(text, ";\n");
    native_for_dim(text, 1, 0, loop->numel, loop->numel > 1);
    text_printf(text, "        y_[i0] = %sc0%s;\n    }\n", native_put(loop->to.dtype, needs), native_end(loop->to.dtype));
}

static const char *word_of(DType dtype) {
    switch (dtype_bytes(dtype)) {
    case 1:
        return "uint8_t";
    case 2:
        return "uint16_t";
    case 4:
        return "uint32_t";
    default:
        return "uint64_t";
    }
}

/* The dim along which the source is contiguous, if the last one is not it: what to walk together with the last one. */
static int crossing_dim(const Loop *loop) {
    int last = loop->ndim - 1;
    if (llabs(loop->from.stride[last]) <= 1 || loop->size[last] < 8) {
        return -1;
    }
    for (int d = 0; d < last; d++) {
        if (loop->from.stride[d] == 1 && loop->size[d] >= 8) {
            return d;
        }
    }
    return -1;
}

static void print_move(Text *text, const Loop *loop) {
    int depth, cross = crossing_dim(loop), last = loop->ndim - 1;
    buffer(text, word_of(loop->to.dtype), "y_", loop->to.buffer);
    buffer(text, word_of(loop->to.dtype), "x_", loop->from.buffer);
    if (cross < 0) {
        depth = open_but(text, loop, 0, 1);
    } else {
        depth = open_but(text, loop, 1u << cross | 1u << last, 1);
        depth = native_squares(text, depth, cross, loop->size[cross], SQUARE, is_outer(loop, cross));
        depth = native_squares(text, depth, last, loop->size[last], SQUARE, is_outer(loop, last));
        depth = native_square(text, native_square(text, depth, cross), last);
    }
    native_indent(text, depth);
    text_add(text, "y_[");
    native_index(text, loop->to.offset, loop->to.stride, loop->size, loop->ndim);
    text_add(text, "] = x_[");
    native_index(text, loop->from.offset, loop->from.stride, loop->size, loop->ndim);
    text_add(text, "];\n");
    close_until(text, depth, 1);
}

/* ---- running sums and products ---- */

static void print_scan(Text *text, const Loop *loop) {
    DType dtype = loop->to.dtype;
    const char *type = native_memory_type(dtype), *sum = dtype == DT_int64 ? "uint64_t" : "double";
    buffer(text, type, "y_", loop->to.buffer);
    buffer(text, type, "x_", loop->from.buffer);
    int outside = open_but(text, loop, 1u << loop->dim, 1), depth = outside;
    native_indent(text, depth);
    text_printf(text, "%s s0 = %d;\n", sum, loop->product);
    if (loop->size[loop->dim] != 1) {
        native_for_dim(text, depth++, loop->dim, loop->size[loop->dim], false);
    }
    native_indent(text, depth);
    text_printf(text, "s0 %s= (%s)x_[", loop->product ? "*" : "+", sum);
    native_index(text, loop->from.offset, loop->from.stride, loop->size, loop->ndim);
    text_add(text, "];\n");
    native_indent(text, depth);
    text_add(text, "y_[");
    native_index(text, loop->to.offset, loop->to.stride, loop->size, loop->ndim);
    text_printf(text, "] = (%s)s0;\n", type);
    close_until(text, depth, 1);
}

/* ---- softmax ---- */

/* `for` over the line, with the strip's `for` inside where there is one. */
static int open_line(Text *text, const Loop *loop, int depth, int strip, const char *pragma) {
    if (loop->size[loop->dim] != 1) {
        if (strip < 0 && pragma) {
            text_add(text, pragma);
        }
        native_for_dim(text, depth++, loop->dim, loop->size[loop->dim], false);
    }
    if (strip >= 0) {
        depth = native_square(text, depth, strip);
    }
    return depth;
}

static void from_element(Text *text, const Loop *loop) {
    text_add(text, "x_[");
    native_index(text, loop->from.offset, loop->from.stride, loop->size, loop->ndim);
    text_add(text, "]");
}

static void line_of(Text *text, int depth, const char *line) {
    native_indent(text, depth);
    text_add(text, line);
}

static void print_softmax(Text *text, const Loop *loop, NativeNeeds *needs) {
    bool single = loop->to.dtype == DT_float32;
    const char *type = native_memory_type(loop->to.dtype), *exp = single ? "exp_low" : "exp";
    int dim = loop->dim, strip = -1, depth = 1;
    if (single) {
        native_need(needs, "exp_low");
    }
    for (int d = 0; d < loop->ndim && llabs(loop->from.stride[dim]) > 1; d++) {
        strip = d != dim && loop->from.stride[d] == 1 && loop->size[d] >= 8 ? d : strip;
    }
    buffer(text, type, "y_", loop->to.buffer);
    buffer(text, type, "x_", loop->from.buffer);
    depth = open_but(text, loop, 1u << dim | (strip >= 0 ? 1u << strip : 0), depth);
    char at[32] = "", keep[80] = "";
    if (strip >= 0) {
        snprintf(at, sizeof at, "[i%d - j%d]", strip, strip);
        depth = native_squares(text, depth, strip, loop->size[strip], STRIP, false);
        native_indent(text, depth);
        text_printf(text, "%s top[%d];\n", type, STRIP);
        native_indent(text, depth);
        text_printf(text, "double sum[%d];\n", STRIP);
        native_for(text, depth, "k", STRIP);
        line_of(text, depth + 1, "top[k] = -INFINITY;\n");
        line_of(text, depth + 1, "sum[k] = 0;\n");
        line_of(text, depth, "}\n");
    } else {
        native_indent(text, depth);
        text_printf(text, "%s top = -INFINITY;\n", type);
        line_of(text, depth, "double sum = 0;\n");
    }
    bool kept = loop->size[dim] != 1 && loop->size[dim] <= MAX_KEPT / (strip >= 0 ? STRIP : 1);
    if (kept) {
        native_indent(text, depth);
        if (strip >= 0) {
            text_printf(text, "double e[%lld][%d];\n", (long long)loop->size[dim], STRIP);
        } else {
            text_printf(text, "double e[%lld];\n", (long long)loop->size[dim]);
        }
        snprintf(keep, sizeof keep, "e[i%d]%s", dim, at);
    }
    int inside = depth;
    depth = open_line(text, loop, depth, strip, "#pragma omp simd reduction(max : top)\n");
    native_indent(text, depth);
    text_printf(text, "const %s v0 = ", type);
    from_element(text, loop);
    text_add(text, ";\n");
    native_indent(text, depth);
    text_printf(text, "top%s = v0 > top%s ? v0 : top%s;\n", at, at, at);
    close_until(text, depth, inside);
    depth = open_line(text, loop, inside, strip, single ? "#pragma omp simd reduction(+ : sum)\n" : NULL);
    native_indent(text, depth);
    text_printf(text, "const double v1 = %s%s%s((double)", keep, kept ? " = " : "", exp);
    from_element(text, loop);
    text_printf(text, " - (double)top%s);\n", at);
    native_indent(text, depth);
    text_printf(text, "sum%s += v1;\n", at);
    close_until(text, depth, inside);
    if (single && strip >= 0) { /* a product is cheaper than a quotient, and far inside of a float's rounding */
        native_for(text, inside, "k", STRIP);
        line_of(text, inside + 1, "sum[k] = 1 / sum[k];\n");
        line_of(text, inside, "}\n");
    } else if (single) {
        line_of(text, inside, "sum = 1 / sum;\n");
    }
    depth = open_line(text, loop, inside, strip, NULL);
    native_indent(text, depth);
    text_add(text, "y_[");
    native_index(text, loop->to.offset, loop->to.stride, loop->size, loop->ndim);
    text_printf(text, "] = (%s)(", type);
    if (kept) {
        text_add(text, keep);
    } else {
        text_printf(text, "%s((double)", exp);
        from_element(text, loop);
        text_printf(text, " - (double)top%s)", at);
    }
    text_printf(text, " %s sum%s);\n", single ? "*" : "/", at);
    close_until(text, depth, 1);
}

/* ---- products of matrices that are too small for BLAS ---- */

static void matrix_index(Text *text, int64_t offset, const int64_t *stride, const char *row, const char *column) {
    text_printf(text, "[%lld + b * %lld + %s * %lld + %s * %lld]", (long long)offset, (long long)stride[0], row, (long long)stride[1], column,
                (long long)stride[2]);
}

static void print_matmul(Text *text, const MatmulLoop *m) {
    const char *type = native_memory_type(m->dtype);
    bool is_int = !dtype_is_float(m->dtype);
    Kind kind = is_int ? KIND_I64 : KIND_F64;
    const char *wide = is_int ? "uint64_t" : "double";
    bool plain = is_int ? m->alpha.i == 1 : m->alpha.f == 1 || m->k == 0;
    buffer(text, type, "a_", m->a.buffer);
    buffer(text, type, "b_", m->b.buffer);
    buffer(text, type, "c_", m->c.buffer);
    if (m->has_d) {
        buffer(text, type, "d_", m->d.buffer);
    }
    text_add(text, "    for (int64_t b = from; b < to; b++) {\n");
    native_for(text, 2, "i", m->m);
    native_for(text, 3, "j", m->n);
    text_printf(text, "                %s s0 = 0;\n", wide);
    native_for(text, 4, "k", m->k);
    text_printf(text, "                    s0 += (%s)a_", wide);
    matrix_index(text, m->a.offset, m->astride, "i", "k");
    text_printf(text, " * (%s)b_", wide);
    matrix_index(text, m->b.offset, m->bstride, "k", "j");
    text_add(text, ";\n                }\n                c_");
    matrix_index(text, m->c.offset, m->cstride, "i", "j");
    text_printf(text, " = (%s)(", type);
    if (!(m->k == 0 && m->has_d && !is_int)) { /* an empty sum leaves beta * d alone: -0.0 stays */
        if (!plain) {
            native_constant(text, m->alpha, kind);
            text_add(text, " * ");
        }
        text_add(text, m->has_d ? "s0 + " : "s0");
    }
    if (m->has_d) {
        native_constant(text, m->beta, kind);
        text_printf(text, " * (%s)d_", wide);
        matrix_index(text, m->d.offset, m->dstride, "i", "j");
    }
    text_add(text, ");\n            }\n        }\n    }\n");
}

bool native_lines(Text *text, const Loop *loop, NativeNeeds *needs) {
    switch (loop->kind) {
    case LOOP_FILL:
        if (loop->numel == 0) {
            return false;
        }
        print_fill(text, loop, needs);
        return true;
    case LOOP_MOVE:
        if (loop->numel == 0) {
            return false;
        }
        print_move(text, loop);
        return true;
    case LOOP_SCAN:
    case LOOP_SOFTMAX:
        if (loop->numel == 0 || loop->dim < 0 || loop->to.dtype != loop->from.dtype || !whole(loop->to.dtype)) {
            return false;
        }
        if (loop->kind == LOOP_SCAN) {
            print_scan(text, loop);
        } else {
            print_softmax(text, loop, needs);
        }
        return true;
    case LOOP_MATMUL: {
        const MatmulLoop *m = loop->matmul;
        if (m->blas || m->batch * m->m * m->n == 0 || dtype_bytes(m->dtype) < 4) {
            return false;
        }
        print_matmul(text, m);
        return true;
    }
    default:
        return false;
    }
}
