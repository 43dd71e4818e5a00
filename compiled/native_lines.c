/* The loops that are no tile nests, as C: fills, moves, products of small matrices, running sums, softmax.
 *
 * A move whose source lies the other way round (a transpose) goes by squares of SQUARE x SQUARE elements, so that both sides stay in
 * the cache. Softmax walks its lines three times: the maximum (a nan makes the sum one, so it need not be one), the exponentials with
 * their sum, the quotient; where the lines are strided it takes a strip of neighbouring lines at once. */
#include "compiled/native.h"

#include <stdio.h>
#include <stdlib.h>

enum { STRIP = 64 /* lines of a softmax */, SINGLE_STRIP = 1024, AHEAD = 64 /* elements of a line between fetches */, MAX_KEPT = 65536 /* exponentials that are kept between the walks: a stack frame that fits the cache */ };

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

/* Exponentials and their sum go in the `value` type; where there are many of them that is float, and the sums are of four each before they
 * go into a double. The exponentials wait where the result goes (float), or in an array (double), or are computed again. */
typedef struct Softmax {
    Text *text;
    const Loop *loop;
    const char *type, *exp; /* of memory; the function */
    int strip, width;       /* the dim of lines side by side, and how many go at once; -1: one line */
    bool single, kept;
    bool ahead; /* one long contiguous line of floats: its exponentials wait in an array, and while they are computed what comes next is fetched */
} Softmax;

/* `for` over the line, with the strip's `for` inside where there is one; the depth inside. */
static int open_line(const Softmax *s, int depth, const char *pragma) {
    if (s->loop->size[s->loop->dim] != 1) {
        if (s->strip < 0 && pragma) {
            text_add(s->text, pragma);
        }
        native_for_dim(s->text, depth++, s->loop->dim, s->loop->size[s->loop->dim], false);
    }
    if (s->strip >= 0) {
        text_add(s->text, s->single ? "#pragma omp simd\n" : "");
        depth = native_square(s->text, depth, s->strip);
    }
    return depth;
}

static void element_at(const Softmax *s, const char *name, const Access *a) {
    text_printf(s->text, "%s[", name);
    native_index(s->text, a->offset, a->stride, s->loop->size, s->loop->ndim);
    text_add(s->text, "]");
}

static void line_of(Text *text, int depth, const char *line) {
    native_indent(text, depth);
    text_add(text, line);
}

/* What belongs to a line: NAME, or NAME[its number in the strip]. */
static void of_line(const Softmax *s, const char *name) {
    text_add(s->text, name);
    if (s->strip >= 0) {
        text_printf(s->text, "[i%d - j%d]", s->strip, s->strip);
    }
}

/* `TYPE NAME = start;` or an array of the strip's lines. */
static void declare_of_line(const Softmax *s, int depth, const char *type, const char *name, const char *start) {
    native_indent(s->text, depth);
    if (s->strip < 0) {
        text_printf(s->text, "%s %s = %s;\n", type, name, start);
        return;
    }
    text_printf(s->text, "%s %s[%d];\n", type, name, s->width);
    native_for(s->text, depth, "k", s->width);
    native_indent(s->text, depth + 1);
    text_printf(s->text, "%s[k] = %s;\n", name, start);
    line_of(s->text, depth, "}\n");
}

/* exp(element - top) */
static void exponential(const Softmax *s) {
    text_printf(s->text, "%s(%s", s->exp, s->single ? "" : "(double)");
    element_at(s, "x_", &s->loop->from);
    text_printf(s->text, " - %s", s->single ? "" : "(double)");
    of_line(s, "top");
    text_add(s->text, ")");
}

/* Where the exponential waits; nothing if it does not. */
static void waiting(const Softmax *s) {
    if (s->single) {
        element_at(s, "y_", &s->loop->to);
    } else if (s->kept) {
        char e[16];
        snprintf(e, sizeof e, "e[i%d]", s->loop->dim);
        of_line(s, e);
    }
}

/* f0 .. f3: what `print` makes of four quarters of the line, inside of a loop over one. */
static void open_quarters(const Softmax *s, int depth, const char *pragma, const char *array) {
    int d = s->loop->dim;
    long long quarter = (long long)s->loop->size[d] / 4;
    text_printf(s->text, "%s", pragma);
    native_indent(s->text, depth);
    text_printf(s->text, "for (int64_t i%d = 0; i%d < %lld; i%d++) {\n", d, d, quarter, d);
    for (int q = 0; q < 4; q++) {
        native_indent(s->text, depth + 1);
        if (array) {
            text_printf(s->text, "const float f%d = %s[i%d + %lld];\n", q, array, d, q * quarter);
            continue;
        }
        text_printf(s->text, "const float f%d = x_[", q);
        native_index(s->text, s->loop->from.offset + q * quarter, s->loop->from.stride, s->loop->size, s->loop->ndim);
        text_add(s->text, "];\n");
    }
}

/* The same as the walks below, for a line of `ahead`. */
static void softmax_ahead(const Softmax *s, int depth) {
    const Loop *loop = s->loop;
    int d = loop->dim;
    int64_t next = 0; /* from one line to the next */
    for (int k = 0; k < loop->ndim; k++) {
        next = k != d && loop->size[k] != 1 ? loop->from.stride[k] : next;
    }
    line_of(s->text, depth, "float top = -INFINITY;\n");
    line_of(s->text, depth, "double sum = 0;\n");
    native_indent(s->text, depth);
    text_printf(s->text, "float e[%lld];\n", (long long)loop->size[d]);
    open_quarters(s, depth, "#pragma omp simd reduction(max : top)\n", NULL);
    line_of(s->text, depth + 1, "const float m0 = f1 > f0 ? f1 : f0, m1 = f3 > f2 ? f3 : f2, m2 = m1 > m0 ? m1 : m0;\n");
    line_of(s->text, depth + 1, "top = m2 > top ? m2 : top;\n");
    line_of(s->text, depth, "}\n");
    int inside = native_squares(s->text, depth, d, loop->size[d], AHEAD, false);
    text_add(s->text, "#pragma omp simd\n");
    native_square(s->text, inside, d);
    native_indent(s->text, inside + 1);
    text_printf(s->text, "e[i%d] = ", d);
    exponential(s);
    text_add(s->text, ";\n");
    line_of(s->text, inside, "}\n");
    native_indent(s->text, inside);
    text_printf(s->text, "for (int64_t i%d = j%d; i%d < e%d; i%d += 16) {\n", d, d, d, d, d);
    native_indent(s->text, inside + 1);
    text_add(s->text, "__builtin_prefetch(x_ + (");
    native_index(s->text, loop->from.offset + next, loop->from.stride, loop->size, loop->ndim);
    text_add(s->text, "), 0, 2);\n");
    native_indent(s->text, inside + 1);
    text_add(s->text, "__builtin_prefetch(y_ + (");
    native_index(s->text, loop->to.offset, loop->to.stride, loop->size, loop->ndim);
    text_add(s->text, "), 1, 2);\n");
    close_until(s->text, inside + 1, depth);
    open_quarters(s, depth, "#pragma omp simd reduction(+ : sum)\n", "e");
    line_of(s->text, depth + 1, "sum += (double)((f0 + f1) + (f2 + f3));\n");
    line_of(s->text, depth, "}\n");
    line_of(s->text, depth, "sum = 1 / sum;\n");
    text_add(s->text, "#pragma omp simd\n");
    native_for_dim(s->text, depth, d, loop->size[d], false);
    native_indent(s->text, depth + 1);
    element_at(s, "y_", &loop->to);
    text_printf(s->text, " = e[i%d] * (float)sum;\n", d);
    line_of(s->text, depth, "}\n");
}

static void softmax_top(const Softmax *s, int depth) {
    int inside = depth;
    declare_of_line(s, depth, s->type, "top", "-INFINITY");
    depth = open_line(s, depth, "#pragma omp simd reduction(max : top)\n");
    native_indent(s->text, depth);
    text_printf(s->text, "const %s v0 = ", s->type);
    element_at(s, "x_", &s->loop->from);
    text_add(s->text, ";\n");
    native_indent(s->text, depth);
    of_line(s, "top");
    text_add(s->text, " = v0 > ");
    of_line(s, "top");
    text_add(s->text, " ? v0 : ");
    of_line(s, "top");
    text_add(s->text, ";\n");
    close_until(s->text, depth, inside);
}

/* Of strips: four elements of each line at once. */
static void sum_of_fours(const Softmax *s, int depth) {
    int d = s->loop->dim, inside = depth;
    native_indent(s->text, depth++);
    text_printf(s->text, "for (int64_t k%d = 0; k%d < %lld; k%d += 4) {\n", d, d, (long long)s->loop->size[d], d);
    text_add(s->text, "#pragma omp simd\n");
    depth = native_square(s->text, depth, s->strip);
    line_of(s->text, depth, "float f[4];\n");
    for (int q = 0; q < 4; q++) {
        native_indent(s->text, depth);
        text_printf(s->text, "{\n");
        native_indent(s->text, depth + 1);
        text_printf(s->text, "const int64_t i%d = k%d + %d;\n", d, d, q);
        native_indent(s->text, depth + 1);
        text_printf(s->text, "f[%d] = ", q);
        waiting(s);
        text_add(s->text, " = ");
        exponential(s);
        text_add(s->text, ";\n");
        line_of(s->text, depth, "}\n");
    }
    native_indent(s->text, depth);
    of_line(s, "sum");
    text_add(s->text, " += (double)((f[0] + f[1]) + (f[2] + f[3]));\n");
    close_until(s->text, depth, inside);
}

static void softmax_sum(const Softmax *s, int depth) {
    int inside = depth;
    declare_of_line(s, depth, "double", "sum", "0");
    if (s->kept && !s->single) {
        native_indent(s->text, depth);
        text_printf(s->text, s->strip >= 0 ? "double e[%lld][%d];\n" : "double e[%lld];\n", (long long)s->loop->size[s->loop->dim], s->width);
    }
    if (s->single && s->strip >= 0 && s->loop->size[s->loop->dim] % 4 == 0) {
        sum_of_fours(s, depth);
        return;
    }
    depth = open_line(s, depth, strcmp(s->exp, "exp") != 0 ? "#pragma omp simd reduction(+ : sum)\n" : NULL);
    native_indent(s->text, depth);
    text_printf(s->text, "const %s v1 = ", s->single ? "float" : "double");
    waiting(s);
    text_add(s->text, s->kept ? " = " : "");
    exponential(s);
    text_add(s->text, ";\n");
    native_indent(s->text, depth);
    of_line(s, "sum");
    text_add(s->text, " += v1;\n");
    close_until(s->text, depth, inside);
}

static void softmax_quotient(const Softmax *s, int depth) {
    bool product = s->loop->to.dtype == DT_float32; /* cheaper than a quotient, and far inside of a float's rounding */
    int inside = depth;
    if (product && s->strip >= 0) {
        native_for(s->text, depth, "k", s->width);
        line_of(s->text, depth + 1, "sum[k] = 1 / sum[k];\n");
        line_of(s->text, depth, "}\n");
    } else if (product) {
        line_of(s->text, depth, "sum = 1 / sum;\n");
    }
    depth = open_line(s, depth, s->single ? "#pragma omp simd\n" : NULL);
    native_indent(s->text, depth);
    element_at(s, "y_", &s->loop->to);
    text_printf(s->text, " = (%s)(", s->type);
    if (s->kept) {
        waiting(s);
    } else {
        exponential(s);
    }
    text_printf(s->text, " %s %s", product ? "*" : "/", s->single ? "(float)" : "");
    of_line(s, "sum");
    text_add(s->text, ");\n");
    close_until(s->text, depth, inside);
}

static void print_softmax(Text *text, const Loop *loop, NativeNeeds *needs) {
    int dim = loop->dim, depth = 1;
    bool is_float = loop->to.dtype == DT_float32;
    Softmax s = {.text = text, .loop = loop, .type = native_memory_type(loop->to.dtype),  .strip = -1, .single = loop->single};
    s.exp = loop->single ? "exp_single" : is_float ? "exp_low" : "exp";
    if (is_float) {
        native_need(needs, s.exp);
    }
    for (int d = 0; d < loop->ndim && llabs(loop->from.stride[dim]) > 1; d++) {
        s.strip = d != dim && loop->from.stride[d] == 1 && loop->size[d] >= 8 ? d : s.strip;
    }
    s.width = loop->single ? SINGLE_STRIP : STRIP; /* whole rows, or what fits the cache together with its exponentials */
    s.ahead = loop->single && s.strip < 0 && loop->size[dim] % AHEAD == 0 && loop->size[dim] <= MAX_KEPT && loop->from.stride[dim] == 1 && loop->to.stride[dim] == 1;
    s.kept = loop->single || (loop->size[dim] != 1 && loop->size[dim] <= MAX_KEPT / (s.strip >= 0 ? STRIP : 1));
    buffer(text, s.type, "y_", loop->to.buffer);
    buffer(text, s.type, "x_", loop->from.buffer);
    depth = open_but(text, loop, 1u << dim | (s.strip >= 0 ? 1u << s.strip : 0), depth);
    if (s.strip >= 0) {
        depth = native_squares(text, depth, s.strip, loop->size[s.strip], s.width, false);
    }
    if (s.ahead) {
        softmax_ahead(&s, depth);
    } else {
        softmax_top(&s, depth);
        softmax_sum(&s, depth);
        softmax_quotient(&s, depth);
    }
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
