/* Softmax along one dim, as C.
 *
 * It walks its lines three times: the maximum (a nan makes the sum one, so it need not be one), the
 * exponentials with their sum, the quotient; where the lines are strided it takes a strip of
 * neighbouring lines at once. Long ones go block by block, so that memory is walked twice: the
 * exponentials of a block are relative to the maximum so far, and put right by the last walk
 * (online softmax: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). */
#include "compiled/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIP = 64, /* lines at once */
    SINGLE_STRIP = 1024,
    AHEAD = 64, /* elements of a line between fetches */
    BLOCK = 64, /* elements of long strided lines */
    MAX_BLOCKS = 64,
    MAX_KEPT =
        65536 /* exponentials that are kept between the walks: a stack frame that fits the cache */
};

/* Exponentials and their sum go in the `value` type; where there are many of them that is float,
 * and the sums are of four each before they go into a double. The exponentials wait where the
 * result goes (float), or in an array (double), or are computed again. */
typedef struct Softmax {
    Text *text;
    const Loop *loop;
    const char *type, *exp; /* of memory; the function */
    int strip, width; /* the dim of lines side by side, and how many go at once; -1: one line */
    bool single, kept;
    bool blocks; /* strips of long lines of floats */
    bool ahead;  /* one long contiguous line of floats: its exponentials wait in an array, and while
                    they are computed what comes next is fetched */
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

static void softmax_element_at(const Softmax *s, const char *name, const Access *a) {
    text_printf(s->text, "%s[", name);
    native_index(s->text, a->offset, a->stride, s->loop->size, s->loop->ndim);
    text_add(s->text, "]");
}

/* The element of x that lies n0 further along the line. */
static void element_further(const Softmax *s) {
    text_add(s->text, "x_[");
    native_index(s->text, s->loop->from.offset, s->loop->from.stride, s->loop->size, s->loop->ndim);
    text_printf(s->text, " + n0 * %lld]", (long long)s->loop->from.stride[s->loop->dim]);
}

static void softmax_line_of(Text *text, int depth, const char *line) {
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
static void declare_of_line(const Softmax *s, int depth, const char *type, const char *name,
                            const char *start) {
    native_indent(s->text, depth);
    if (s->strip < 0) {
        text_printf(s->text, "%s %s = %s;\n", type, name, start);
        return;
    }
    text_printf(s->text, "%s %s[%d];\n", type, name, s->width);
    native_for(s->text, depth, "k", s->width);
    native_indent(s->text, depth + 1);
    text_printf(s->text, "%s[k] = %s;\n", name, start);
    softmax_line_of(s->text, depth, "}\n");
}

/* exp(element - top) */
static void exponential(const Softmax *s) {
    text_printf(s->text, "%s(%s", s->exp, s->single ? "" : "(double)");
    softmax_element_at(s, "x_", &s->loop->from);
    text_printf(s->text, " - %s", s->single ? "" : "(double)");
    of_line(s, "top");
    text_add(s->text, ")");
}

/* Where the exponential waits; nothing if it does not. */
static void waiting(const Softmax *s) {
    if (s->single) {
        softmax_element_at(s, "y_", &s->loop->to);
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
        native_index(s->text, s->loop->from.offset + q * quarter, s->loop->from.stride,
                     s->loop->size, s->loop->ndim);
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
    int inside = native_squares(s->text, depth, d, loop->size[d], AHEAD, false);
    text_add(s->text, "#pragma omp simd\n");
    native_square(s->text, inside, d);
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

/* NAME becomes the larger of itself and the element, or the one further along. */
static void softmax_raise(const Softmax *s, int depth, const char *name, bool further) {
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

static void softmax_top(const Softmax *s, int depth) {
    int inside = depth;
    declare_of_line(s, depth, s->type, "top", "-INFINITY");
    depth = open_line(s, depth, "#pragma omp simd reduction(max : top)\n");
    softmax_raise(s, depth, "top", false);
    native_close_until(s->text, depth, inside);
}

/* Of strips: four elements of each line at once, of the whole line or of a block; there the maximum
 * of the block behind as well: it comes from memory while the exponentials are computed. */
static void sum_of_fours(const Softmax *s, int depth) {
    int d = s->loop->dim, inside = depth;
    native_indent(s->text, depth++);
    if (s->blocks) {
        text_printf(s->text, "for (int64_t k%d = j%d; k%d < e%d; k%d += 4) {\n", d, d, d, d, d);
    } else {
        text_printf(s->text, "for (int64_t k%d = 0; k%d < %lld; k%d += 4) {\n", d, d,
                    (long long)s->loop->size[d], d);
    }
    text_add(s->text, "#pragma omp simd\n");
    depth = native_square(s->text, depth, s->strip);
    softmax_line_of(s->text, depth, "float f[4];\n");
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
        if (s->blocks) {
            softmax_raise(s, depth + 1, "next", true);
        }
        softmax_line_of(s->text, depth, "}\n");
    }
    native_indent(s->text, depth);
    of_line(s, "sum");
    text_add(s->text, " += (double)((f[0] + f[1]) + (f[2] + f[3]));\n");
    native_close_until(s->text, depth, inside);
}

static void softmax_sum(const Softmax *s, int depth) {
    int inside = depth;
    declare_of_line(s, depth, "double", "sum", "0");
    if (s->kept && !s->single) {
        native_indent(s->text, depth);
        text_printf(s->text, s->strip >= 0 ? "double e[%lld][%d];\n" : "double e[%lld];\n",
                    (long long)s->loop->size[s->loop->dim], s->width);
    }
    if (s->single && s->strip >= 0 && s->loop->size[s->loop->dim] % 4 == 0) {
        sum_of_fours(s, depth);
        return;
    }
    depth = open_line(s, depth,
                      strcmp(s->exp, "exp") != 0 ? "#pragma omp simd reduction(+ : sum)\n" : NULL);
    native_indent(s->text, depth);
    text_printf(s->text, "const %s v1 = ", s->single ? "float" : "double");
    waiting(s);
    text_add(s->text, s->kept ? " = " : "");
    exponential(s);
    text_add(s->text, ";\n");
    native_indent(s->text, depth);
    of_line(s, "sum");
    text_add(s->text, " += v1;\n");
    native_close_until(s->text, depth, inside);
}

/* What comes over each line of the strip. */
static void each_line(const Softmax *s, int depth, const char *statement) {
    text_add(s->text, "#pragma omp simd\n");
    native_for(s->text, depth, "k", s->width);
    softmax_line_of(s->text, depth + 1, statement);
    softmax_line_of(s->text, depth, "}\n");
}

/* Strips of long lines, block by block. The maximum starts at the least finite float: of a block of
 * -inf all exponentials are 0. The last block looks at itself once more for the maximum of one
 * behind. */
static void softmax_blocks(const Softmax *s, int depth) {
    int d = s->loop->dim, inside;
    int64_t size = s->loop->size[d];
    declare_of_line(s, depth, "float", "top", "-0x1.fffffep127f");
    declare_of_line(s, depth, "float", "next", "-0x1.fffffep127f");
    declare_of_line(s, depth, "double", "sum", "0");
    native_indent(s->text, depth);
    text_printf(s->text, "float tops[%lld][%d];\n", (long long)size / BLOCK, s->width);
    native_for_dim(s->text, depth, d, BLOCK, false);
    text_add(s->text, "#pragma omp simd\n");
    inside = native_square(s->text, depth + 1, s->strip);
    softmax_raise(s, inside, "next", false);
    native_close_until(s->text, inside, depth);
    int block = native_squares(s->text, depth, d, size, BLOCK, false);
    native_indent(s->text, block);
    text_printf(s->text, "const int64_t n0 = e%d < %lld ? %d : 0;\n", d, (long long)size, BLOCK);
    native_indent(s->text, block);
    text_printf(s->text, "float *restrict until = tops[j%d / %d];\n", d, BLOCK);
    each_line(s, block, "sum[k] *= exp_single(top[k] - next[k]);\n");
    each_line(s, block, "until[k] = top[k] = next[k];\n");
    sum_of_fours(s, block);
    native_close_until(s->text, block, depth);
    native_indent(s->text, depth);
    text_printf(s->text, "for (int64_t j%d = %lld; j%d >= 0; j%d -= %d) {\n", d,
                (long long)(size - BLOCK), d, d, BLOCK);
    native_indent(s->text, block);
    text_printf(s->text, "const int64_t e%d = j%d + %d;\n", d, d, BLOCK);
    native_indent(s->text, block);
    text_printf(s->text, "float *restrict scale = tops[j%d / %d];\n", d, BLOCK);
    each_line(s, block, "scale[k] = exp_single(scale[k] - top[k]) * (float)(1 / sum[k]);\n");
    inside = native_square(s->text, block, d);
    text_add(s->text, "#pragma omp simd\n");
    inside = native_square(s->text, inside, s->strip);
    native_indent(s->text, inside);
    softmax_element_at(s, "y_", &s->loop->to);
    text_add(s->text, " *= ");
    of_line(s, "scale");
    text_add(s->text, ";\n");
    native_close_until(s->text, inside, depth);
}

static void softmax_quotient(const Softmax *s, int depth) {
    bool product = s->loop->to.dtype ==
                   DT_float32; /* cheaper than a quotient, and far inside of a float's rounding */
    int inside = depth;
    if (product && s->strip >= 0) {
        native_for(s->text, depth, "k", s->width);
        softmax_line_of(s->text, depth + 1, "sum[k] = 1 / sum[k];\n");
        softmax_line_of(s->text, depth, "}\n");
    } else if (product) {
        softmax_line_of(s->text, depth, "sum = 1 / sum;\n");
    }
    depth = open_line(s, depth, s->single ? "#pragma omp simd\n" : NULL);
    native_indent(s->text, depth);
    softmax_element_at(s, "y_", &s->loop->to);
    text_printf(s->text, " = (%s)(", s->type);
    if (s->kept) {
        waiting(s);
    } else {
        exponential(s);
    }
    text_printf(s->text, " %s %s", product ? "*" : "/", s->single ? "(float)" : "");
    of_line(s, "sum");
    text_add(s->text, ");\n");
    native_close_until(s->text, depth, inside);
}

void native_softmax(Text *text, const Loop *loop, NativeNeeds *needs) {
    int dim = loop->dim, depth = 1;
    bool is_float = loop->to.dtype == DT_float32;
    Softmax s = {.text = text,
                 .loop = loop,
                 .type = native_memory_type(loop->to.dtype),
                 .strip = -1,
                 .single = loop->single};
    s.exp = loop->single ? "exp_single" : is_float ? "exp_low" : "exp";
    if (is_float) {
        native_need(needs, s.exp);
    }
    for (int d = 0; d < loop->ndim && llabs(loop->from.stride[dim]) > 1; d++) {
        s.strip = d != dim && loop->from.stride[d] == 1 && loop->size[d] >= 8 ? d : s.strip;
    }
    s.width = loop->single
                  ? SINGLE_STRIP
                  : STRIP; /* whole rows, or what fits the cache together with its exponentials */
    s.ahead = loop->single && s.strip < 0 && loop->size[dim] % AHEAD == 0 &&
              loop->size[dim] <= MAX_KEPT && loop->from.stride[dim] == 1 &&
              loop->to.stride[dim] == 1;
    s.blocks = loop->single && s.strip >= 0 && loop->size[dim] % BLOCK == 0 &&
               loop->size[dim] >= 4 * BLOCK && loop->size[dim] <= MAX_BLOCKS * BLOCK;
    s.kept = loop->single ||
             (loop->size[dim] != 1 && loop->size[dim] <= MAX_KEPT / (s.strip >= 0 ? STRIP : 1));
    native_buffer(text, s.type, "y_", loop->to.buffer);
    native_buffer(text, s.type, "x_", loop->from.buffer);
    depth = native_open_but(text, loop, 1u << dim | (s.strip >= 0 ? 1u << s.strip : 0), depth);
    if (s.strip >= 0) {
        depth = native_squares(text, depth, s.strip, loop->size[s.strip], s.width, false);
    }
    if (s.ahead) {
        softmax_ahead(&s, depth);
    } else if (s.blocks) {
        softmax_blocks(&s, depth);
    } else {
        softmax_top(&s, depth);
        softmax_sum(&s, depth);
        softmax_quotient(&s, depth);
    }
    native_close_until(text, depth, 1);
}
