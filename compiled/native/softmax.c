/* Softmax along one dim, as C.
 *
 * A line is read three times: for the maximum (a NaN makes the sum NaN, so the maximum may ignore
 * it), for the exponentials and their sum, and for the quotient. Where lines are strided, a block
 * of neighbouring lines is processed together, so that memory is read in order. Long strided lines
 * are processed block by block with running maxima, so that memory is read twice only: the
 * exponentials of a block are relative to the maximum so far, and the last pass rescales them
 * (online softmax: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). */
#include "compiled/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_BLOCK = 64, /* lines that are processed together */
    COLUMN_BLOCK_FLOAT32 = 1024,
    PREFETCH = 64,   /* elements of a contiguous line between two prefetches */
    LINE_BLOCK = 64, /* elements of a long strided line that share a running maximum */
    MAX_LINE_BLOCKS = 64,
    MAX_KEPT = 65536 /* exponentials that are kept between two passes: a stack frame that fits the
                        cache */
};

/* The exponentials and their sum are computed in double. For many elements the exponentials are
 * float, and four of them are added in float before the double sum takes them. The exponentials are
 * kept where the result goes (float), or in an array (double), or are computed again. */
typedef struct SoftmaxPrinter {
    Text *text;
    const Loop *loop;
    const char *type, *exp;  /* the type in memory; the name of the function */
    int column_dim, columns; /* the dim of neighbouring lines, and how many are processed together;
                                -1: one line at a time */
    bool float32_math, kept;
    bool online;   /* column blocks of long lines of floats: online softmax */
    bool prefetch; /* one long contiguous line of floats: the exponentials are kept in an array, and
                      while they are computed the next line is prefetched */
} SoftmaxPrinter;

/* Opens the loop over the line and, inside it, the one over the column block if there is one;
 * returns the depth inside. */
static int open_line(const SoftmaxPrinter *s, int depth, const char *pragma) {
    if (s->loop->size[s->loop->dim] != 1) {
        if (s->column_dim < 0 && pragma) {
            text_add(s->text, pragma);
        }
        native_for_dim(s->text, depth++, s->loop->dim, s->loop->size[s->loop->dim], false);
    }
    if (s->column_dim >= 0) {
        text_add(s->text, s->float32_math ? "#pragma omp simd\n" : "");
        depth = native_block(s->text, depth, s->column_dim);
    }
    return depth;
}

static void softmax_element_at(const SoftmaxPrinter *s, const char *name, const Access *a) {
    text_printf(s->text, "%s[", name);
    native_index(s->text, a->offset, a->stride, s->loop->size, s->loop->ndim);
    text_add(s->text, "]");
}

/* The element of x that is n0 elements further along the line. */
static void element_further(const SoftmaxPrinter *s) {
    text_add(s->text, "x_[");
    native_index(s->text, s->loop->from.offset, s->loop->from.stride, s->loop->size, s->loop->ndim);
    text_printf(s->text, " + n0 * %lld]", (long long)s->loop->from.stride[s->loop->dim]);
}

static void softmax_line_of(Text *text, int depth, const char *line) {
    native_indent(text, depth);
    text_add(text, line);
}

/* A variable that each line has: NAME, or NAME[index of the line in its block]. */
static void of_line(const SoftmaxPrinter *s, const char *name) {
    text_add(s->text, name);
    if (s->column_dim >= 0) {
        text_printf(s->text, "[i%d - j%d]", s->column_dim, s->column_dim);
    }
}

/* `TYPE NAME = start;`, or an array with an element for each line of the block. */
static void declare_of_line(const SoftmaxPrinter *s, int depth, const char *type, const char *name,
                            const char *start) {
    native_indent(s->text, depth);
    if (s->column_dim < 0) {
        text_printf(s->text, "%s %s = %s;\n", type, name, start);
        return;
    }
    text_printf(s->text, "%s %s[%d];\n", type, name, s->columns);
    native_for(s->text, depth, "k", s->columns);
    native_indent(s->text, depth + 1);
    text_printf(s->text, "%s[k] = %s;\n", name, start);
    softmax_line_of(s->text, depth, "}\n");
}

/* exp(element - top) */
static void exponential(const SoftmaxPrinter *s) {
    text_printf(s->text, "%s(%s", s->exp, s->float32_math ? "" : "(double)");
    softmax_element_at(s, "x_", &s->loop->from);
    text_printf(s->text, " - %s", s->float32_math ? "" : "(double)");
    of_line(s, "top");
    text_add(s->text, ")");
}

/* Where the exponential is kept; prints nothing if it is not. */
static void kept_exponential(const SoftmaxPrinter *s) {
    if (s->float32_math) {
        softmax_element_at(s, "y_", &s->loop->to);
    } else if (s->kept) {
        char e[16];
        snprintf(e, sizeof e, "e[i%d]", s->loop->dim);
        of_line(s, e);
    }
}

/* Opens a loop over a quarter of the line, with f0 .. f3 as the elements of the four quarters: of
 * `array`, or of x if that is NULL. */
static void open_quarters(const SoftmaxPrinter *s, int depth, const char *pragma,
                          const char *array) {
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
        native_index(s->text, s->loop->from.offset + q * quarter, s->loop->from.stride,
                     s->loop->size, s->loop->ndim);
        text_add(s->text, "];\n");
    }
}

/* All three passes over a line, where `prefetch` is set. */
static void softmax_prefetched(const SoftmaxPrinter *s, int depth) {
    const Loop *loop = s->loop;
    int d = loop->dim;
    int64_t next = 0; /* elements from one line to the next */
    for (int k = 0; k < loop->ndim; k++) {
        next = k != d && loop->size[k] != 1 ? loop->from.stride[k] : next;
    }
    softmax_line_of(s->text, depth, "float top = -INFINITY;\n");
    softmax_line_of(s->text, depth, "double sum = 0;\n");
    native_indent(s->text, depth);
    text_printf(s->text, "float e[%lld];\n", (long long)loop->size[d]);
    open_quarters(s, depth, "#pragma omp simd reduction(max : top)\n", NULL);
    softmax_line_of(
        s->text, depth + 1,
        "const float m0 = f1 > f0 ? f1 : f0, m1 = f3 > f2 ? f3 : f2, m2 = m1 > m0 ? m1 : m0;\n");
    softmax_line_of(s->text, depth + 1, "top = m2 > top ? m2 : top;\n");
    softmax_line_of(s->text, depth, "}\n");
    int inside = native_blocks(s->text, depth, d, loop->size[d], PREFETCH, false);
    text_add(s->text, "#pragma omp simd\n");
    native_block(s->text, inside, d);
    native_indent(s->text, inside + 1);
    text_printf(s->text, "e[i%d] = ", d);
    exponential(s);
    text_add(s->text, ";\n");
    softmax_line_of(s->text, inside, "}\n");
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
    native_close_until(s->text, inside + 1, depth);
    open_quarters(s, depth, "#pragma omp simd reduction(+ : sum)\n", "e");
    softmax_line_of(s->text, depth + 1, "sum += (double)((f0 + f1) + (f2 + f3));\n");
    softmax_line_of(s->text, depth, "}\n");
    softmax_line_of(s->text, depth, "sum = 1 / sum;\n");
    text_add(s->text, "#pragma omp simd\n");
    native_for_dim(s->text, depth, d, loop->size[d], false);
    native_indent(s->text, depth + 1);
    softmax_element_at(s, "y_", &loop->to);
    text_printf(s->text, " = e[i%d] * (float)sum;\n", d);
    softmax_line_of(s->text, depth, "}\n");
}

/* NAME = the larger of NAME and the element, or with `further` the element n0 further on. */
static void softmax_raise(const SoftmaxPrinter *s, int depth, const char *name, bool further) {
    native_indent(s->text, depth);
    text_printf(s->text, "const %s v0 = ", s->type);
    if (further) {
        element_further(s);
    } else {
        softmax_element_at(s, "x_", &s->loop->from);
    }
    text_add(s->text, ";\n");
    native_indent(s->text, depth);
    of_line(s, name);
    text_add(s->text, " = v0 > ");
    of_line(s, name);
    text_add(s->text, " ? v0 : ");
    of_line(s, name);
    text_add(s->text, ";\n");
}

static void softmax_top(const SoftmaxPrinter *s, int depth) {
    int inside = depth;
    declare_of_line(s, depth, s->type, "top", "-INFINITY");
    depth = open_line(s, depth, "#pragma omp simd reduction(max : top)\n");
    softmax_raise(s, depth, "top", false);
    native_close_until(s->text, depth, inside);
}

/* Exponentials and sums of a column block, four elements of each line at a time; over the whole
 * line, or over one block of it (online). Then the maximum of the next block is found as well:
 * memory is read while the exponentials are computed. */
static void softmax_partial4(const SoftmaxPrinter *s, int depth) {
    int d = s->loop->dim, inside = depth;
    native_indent(s->text, depth++);
    if (s->online) {
        text_printf(s->text, "for (int64_t k%d = j%d; k%d < e%d; k%d += 4) {\n", d, d, d, d, d);
    } else {
        text_printf(s->text, "for (int64_t k%d = 0; k%d < %lld; k%d += 4) {\n", d, d,
                    (long long)s->loop->size[d], d);
    }
    text_add(s->text, "#pragma omp simd\n");
    depth = native_block(s->text, depth, s->column_dim);
    softmax_line_of(s->text, depth, "float f[4];\n");
    for (int q = 0; q < 4; q++) {
        native_indent(s->text, depth);
        text_printf(s->text, "{\n");
        native_indent(s->text, depth + 1);
        text_printf(s->text, "const int64_t i%d = k%d + %d;\n", d, d, q);
        native_indent(s->text, depth + 1);
        text_printf(s->text, "f[%d] = ", q);
        kept_exponential(s);
        text_add(s->text, " = ");
        exponential(s);
        text_add(s->text, ";\n");
        if (s->online) {
            softmax_raise(s, depth + 1, "next", true);
        }
        softmax_line_of(s->text, depth, "}\n");
    }
    native_indent(s->text, depth);
    of_line(s, "sum");
    text_add(s->text, " += (double)((f[0] + f[1]) + (f[2] + f[3]));\n");
    native_close_until(s->text, depth, inside);
}

static void softmax_sum(const SoftmaxPrinter *s, int depth) {
    int inside = depth;
    declare_of_line(s, depth, "double", "sum", "0");
    if (s->kept && !s->float32_math) {
        native_indent(s->text, depth);
        text_printf(s->text, s->column_dim >= 0 ? "double e[%lld][%d];\n" : "double e[%lld];\n",
                    (long long)s->loop->size[s->loop->dim], s->columns);
    }
    if (s->float32_math && s->column_dim >= 0 && s->loop->size[s->loop->dim] % 4 == 0) {
        softmax_partial4(s, depth);
        return;
    }
    depth = open_line(s, depth,
                      strcmp(s->exp, "exp") != 0 ? "#pragma omp simd reduction(+ : sum)\n" : NULL);
    native_indent(s->text, depth);
    text_printf(s->text, "const %s v1 = ", s->float32_math ? "float" : "double");
    kept_exponential(s);
    text_add(s->text, s->kept ? " = " : "");
    exponential(s);
    text_add(s->text, ";\n");
    native_indent(s->text, depth);
    of_line(s, "sum");
    text_add(s->text, " += v1;\n");
    native_close_until(s->text, depth, inside);
}

/* One statement for each line of the column block, with k as its index. */
static void each_line(const SoftmaxPrinter *s, int depth, const char *statement) {
    text_add(s->text, "#pragma omp simd\n");
    native_for(s->text, depth, "k", s->columns);
    softmax_line_of(s->text, depth + 1, statement);
    softmax_line_of(s->text, depth, "}\n");
}

/* Column blocks of long lines, by online softmax. The maximum starts at the lowest finite float, so
 * that all exponentials of a block of -inf are 0. The last block, which has no next one, finds its
 * own maximum a second time. */
static void softmax_online(const SoftmaxPrinter *s, int depth) {
    int d = s->loop->dim, inside;
    int64_t size = s->loop->size[d];
    declare_of_line(s, depth, "float", "top", "-0x1.fffffep127f");
    declare_of_line(s, depth, "float", "next", "-0x1.fffffep127f");
    declare_of_line(s, depth, "double", "sum", "0");
    native_indent(s->text, depth);
    text_printf(s->text, "float tops[%lld][%d];\n", (long long)size / LINE_BLOCK, s->columns);
    native_for_dim(s->text, depth, d, LINE_BLOCK, false);
    text_add(s->text, "#pragma omp simd\n");
    inside = native_block(s->text, depth + 1, s->column_dim);
    softmax_raise(s, inside, "next", false);
    native_close_until(s->text, inside, depth);
    int block = native_blocks(s->text, depth, d, size, LINE_BLOCK, false);
    native_indent(s->text, block);
    text_printf(s->text, "const int64_t n0 = e%d < %lld ? %d : 0;\n", d, (long long)size,
                LINE_BLOCK);
    native_indent(s->text, block);
    text_printf(s->text, "float *restrict until = tops[j%d / %d];\n", d, LINE_BLOCK);
    each_line(s, block, "sum[k] *= exp_single(top[k] - next[k]);\n");
    each_line(s, block, "until[k] = top[k] = next[k];\n");
    softmax_partial4(s, block);
    native_close_until(s->text, block, depth);
    native_indent(s->text, depth);
    text_printf(s->text, "for (int64_t j%d = %lld; j%d >= 0; j%d -= %d) {\n", d,
                (long long)(size - LINE_BLOCK), d, d, LINE_BLOCK);
    native_indent(s->text, block);
    text_printf(s->text, "const int64_t e%d = j%d + %d;\n", d, d, LINE_BLOCK);
    native_indent(s->text, block);
    text_printf(s->text, "float *restrict scale = tops[j%d / %d];\n", d, LINE_BLOCK);
    each_line(s, block, "scale[k] = exp_single(scale[k] - top[k]) * (float)(1 / sum[k]);\n");
    inside = native_block(s->text, block, d);
    text_add(s->text, "#pragma omp simd\n");
    inside = native_block(s->text, inside, s->column_dim);
    native_indent(s->text, inside);
    softmax_element_at(s, "y_", &s->loop->to);
    text_add(s->text, " *= ");
    of_line(s, "scale");
    text_add(s->text, ";\n");
    native_close_until(s->text, inside, depth);
}

static void softmax_quotient(const SoftmaxPrinter *s, int depth) {
    /* a product with the reciprocal is cheaper than a quotient, with an error far below a float's
     * rounding */
    bool product = s->loop->to.dtype == DT_float32;
    int inside = depth;
    if (product && s->column_dim >= 0) {
        native_for(s->text, depth, "k", s->columns);
        softmax_line_of(s->text, depth + 1, "sum[k] = 1 / sum[k];\n");
        softmax_line_of(s->text, depth, "}\n");
    } else if (product) {
        softmax_line_of(s->text, depth, "sum = 1 / sum;\n");
    }
    depth = open_line(s, depth, s->float32_math ? "#pragma omp simd\n" : NULL);
    native_indent(s->text, depth);
    softmax_element_at(s, "y_", &s->loop->to);
    text_printf(s->text, " = (%s)(", s->type);
    if (s->kept) {
        kept_exponential(s);
    } else {
        exponential(s);
    }
    text_printf(s->text, " %s %s", product ? "*" : "/", s->float32_math ? "(float)" : "");
    of_line(s, "sum");
    text_add(s->text, ");\n");
    native_close_until(s->text, depth, inside);
}

void native_softmax(Text *text, const Loop *loop, NativeNeeds *needs) {
    int dim = loop->dim, depth = 1;
    bool is_float = loop->to.dtype == DT_float32;
    SoftmaxPrinter s = {.text = text,
                        .loop = loop,
                        .type = native_memory_type(loop->to.dtype),
                        .column_dim = -1,
                        .float32_math = loop->float32_math};
    s.exp = loop->float32_math ? "exp_single" : is_float ? "exp_low" : "exp";
    if (is_float) {
        native_need(needs, s.exp);
    }
    for (int d = 0; d < loop->ndim && llabs(loop->from.stride[dim]) > 1; d++) {
        s.column_dim =
            d != dim && loop->from.stride[d] == 1 && loop->size[d] >= 8 ? d : s.column_dim;
    }
    /* whole rows in float; in double what fits the cache together with its exponentials */
    s.columns = loop->float32_math ? COLUMN_BLOCK_FLOAT32 : COLUMN_BLOCK;
    s.prefetch = loop->float32_math && s.column_dim < 0 && loop->size[dim] % PREFETCH == 0 &&
                 loop->size[dim] <= MAX_KEPT && loop->from.stride[dim] == 1 &&
                 loop->to.stride[dim] == 1;
    s.online = loop->float32_math && s.column_dim >= 0 && loop->size[dim] % LINE_BLOCK == 0 &&
               loop->size[dim] >= 4 * LINE_BLOCK && loop->size[dim] <= MAX_LINE_BLOCKS * LINE_BLOCK;
    s.kept = loop->float32_math ||
             (loop->size[dim] != 1 &&
              loop->size[dim] <= MAX_KEPT / (s.column_dim >= 0 ? COLUMN_BLOCK : 1));
    native_buffer(text, s.type, "y_", loop->to.buffer);
    native_buffer(text, s.type, "x_", loop->from.buffer);
    depth = native_open_but(text, loop, 1u << dim | (s.column_dim >= 0 ? 1u << s.column_dim : 0),
                            depth);
    if (s.column_dim >= 0) {
        depth =
            native_blocks(text, depth, s.column_dim, loop->size[s.column_dim], s.columns, false);
    }
    if (s.prefetch) {
        softmax_prefetched(&s, depth);
    } else if (s.online) {
        softmax_online(&s, depth);
    } else {
        softmax_top(&s, depth);
        softmax_sum(&s, depth);
        softmax_quotient(&s, depth);
    }
    native_close_until(text, depth, 1);
}
