/* A tile nest as C: one loop for each dim, around the statements of the bytecode (native/inst.c).
 *
 * Each iteration does what a tile of one element does: loads, then arithmetic, then stores. So what
 * a nest may do in place in the tile machine, it may do here. Reductions accumulate in double
 * (integers: int64, wrapping) and are written when their loop ends:
 *
 *   rows      the reduced dims are inside; sums of floats are independent lanes (omp simd), as
 *             their order is free
 *   columns   where the elements of neighbouring results are contiguous and those of one result
 *             are not: COLUMN_BLOCK results are accumulated together, so that memory is read in
 *             order */
#include "compiled/native/nest.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN_BLOCK = 1024 /* results that are accumulated together */ };

static void open_dims(Nest *w, int from, int to) {
    for (int d = from; d < to; d++) {
        if (w->n->size[d] != 1) {
            native_for_dim(w->text, w->depth++, d, w->n->size[d],
                           d == w->n->outer && w->n->tile_size > 1);
        }
    }
}

static void close_dims(Nest *w, int until) {
    while (w->depth > until) {
        native_indent(w->text, --w->depth);
        text_add(w->text, "}\n");
    }
}

/* `#pragma omp simd ..` before the innermost loop. `own`: its iterations do not share
 * accumulators. */
static void print_simd(const Nest *w, bool own) {
    const TileNest *n = w->n;
    const char *separator = "#pragma omp simd reduction(+ : ";
    for (int k = 0; k < n->ninst && n->vectors && !own; k++) {
        if (n->inst[k].op == TILE_REDUCE) {
            text_printf(w->text, "%ss%d", separator, n->inst[k].dst);
            separator = ", ";
        }
    }
    if (n->vectors) {
        text_add(w->text, separator[0] == ',' ? ")\n" : "#pragma omp simd\n");
    }
}

/* Where the parts of the nest share sums: opens `if (from == 0)` or `if (to == size)`. Returns the
 * depth to close to. */
static int open_if(Nest *w, const char *condition) {
    int depth = w->depth;
    if (w->n->scratch >= 0) {
        native_indent(w->text, w->depth++);
        text_printf(w->text, "if (%s%lld) {\n", condition,
                    strncmp(condition, "to", 2) == 0 ? (long long)w->n->size[w->n->outer] : 0);
    }
    return depth;
}

/* The arrays that keep sums between parts, `results` elements each. */
static void declare_kept(const Nest *w, int64_t results) {
    int sums = 0;
    for (int k = 0; k < w->n->ninst && w->n->scratch >= 0; k++) {
        if (w->n->inst[k].op == TILE_REDUCE) {
            const char *type = native_accumulator_type(w, &w->n->inst[k]);
            text_printf(w->text, "    %s *restrict kept_%d = (%s *)data[%d] + %lld;\n", type,
                        w->n->inst[k].dst, type, w->n->scratch, (long long)(results * sums++));
        }
    }
}

/* No reduction, and a read whose contiguous dim d is not the last one: cache blocks of dim d and
 * the last one. */
static void print_cache_blocks(Nest *w, int d) {
    const TileNest *n = w->n;
    int last = n->ndim - 1, pair[2] = {d, last};
    for (int k = 0; k < last; k++) {
        if (k != d) {
            open_dims(w, k, k + 1);
        }
    }
    for (int k = 0; k < 2; k++) {
        w->depth = native_blocks(w->text, w->depth, pair[k], n->size[pair[k]], CACHE_BLOCK,
                                 pair[k] == n->outer && n->tile_size > 1);
    }
    w->depth = native_block(w->text, native_block(w->text, w->depth, d), last);
    native_statements(w, false);
    close_dims(w, 1);
}

/* ---- four iterations at once: their values are added in float, then to the accumulator ---- */

/* Iterations k, k + step, k + 2 * step and k + 3 * step of dim d, each in a scope of its own. */
static void print_partial4(Nest *w, int d, int64_t step) {
    const TileNest *n = w->n;
    for (int k = 0; k < n->ninst; k++) {
        int dst = n->inst[k].dst;
        if (n->inst[k].op == TILE_REDUCE) {
            native_indent(w->text, w->depth);
            text_printf(w->text, "float f%d_0, f%d_1, f%d_2, f%d_3;\n", dst, dst, dst, dst);
        }
    }
    for (w->lane = 0; w->lane < 4; w->lane++) {
        native_indent(w->text, w->depth++);
        text_add(w->text, "{\n");
        native_indent(w->text, w->depth);
        text_printf(w->text, "const int64_t i%d = k%d + %lld;\n", d, d,
                    (long long)(w->lane * step));
        native_statements(w, false);
        close_dims(w, w->depth - 1);
    }
    w->lane = -1;
    for (int k = 0; k < n->ninst; k++) {
        int dst = n->inst[k].dst;
        if (n->inst[k].op == TILE_REDUCE) {
            native_indent(w->text, w->depth);
            native_accumulator(w, &n->inst[k]);
            text_printf(w->text, " += (double)((f%d_0 + f%d_1) + (f%d_2 + f%d_3));\n", dst, dst,
                        dst, dst);
        }
    }
}

/* The last dim: a loop over a quarter of the row that takes one element of each quarter. */
static void print_row_partial4(Nest *w) {
    int d = w->n->ndim - 1;
    print_simd(w, false);
    native_indent(w->text, w->depth++);
    text_printf(w->text, "for (int64_t k%d = 0; k%d < %lld; k%d++) {\n", d, d,
                (long long)(w->n->size[d] / 4), d);
    print_partial4(w, d, w->n->size[d] / 4);
}

/* Column blocks: four rows at a time, then the rows that are left. */
static void print_column_partial4(Nest *w) {
    const TileNest *n = w->n;
    int d = n->ndim - 1, depth = w->depth;
    bool outer = d == n->outer;
    char end[24];
    snprintf(end, sizeof end, "%lld", (long long)n->size[d]);
    const char *from = outer ? "from" : "0", *to = outer ? "to" : end;
    native_indent(w->text, w->depth++);
    text_printf(w->text, "for (int64_t k%d = %s; k%d + 4 <= %s; k%d += 4) {\n", d, from, d, to, d);
    print_simd(w, true);
    w->depth = native_block(w->text, w->depth, w->column);
    print_partial4(w, d, 1);
    close_dims(w, depth);
    native_indent(w->text, w->depth++);
    text_printf(w->text, "for (int64_t i%d = %s + (%s - %s) / 4 * 4; i%d < %s; i%d++) {\n", d, from,
                to, from, d, to, d);
}

static void print_rows(Nest *w) {
    const TileNest *n = w->n;
    declare_kept(w, 1);
    int nopen = n->kept - (n->kept == n->ndim);
    open_dims(w, 0, nopen);
    native_statements(w, true);
    if (nopen < n->kept && n->size[nopen] != 1) {
        print_simd(w, true); /* segments of one point */
    }
    open_dims(w, nopen, n->kept);
    int inside = w->depth;
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op == TILE_REDUCE) {
            native_indent(w->text, w->depth);
            text_printf(w->text, "%s s%d = ", native_accumulator_type(w, &n->inst[k]),
                        n->inst[k].dst);
            if (n->scratch >= 0) {
                text_printf(w->text, "from > 0 ? kept_%d[0] : ", n->inst[k].dst);
            }
            native_start_value(w, &n->inst[k]);
            text_add(w->text, ";\n");
        }
    }
    if (n->kept < n->ndim) { /* otherwise each segment is one point */
        open_dims(w, n->kept, n->ndim - 1);
        if (n->partial4) {
            print_row_partial4(w);
        } else {
            if (n->size[n->ndim - 1] != 1) {
                print_simd(w, false);
            }
            open_dims(w, n->ndim - 1, n->ndim);
        }
    }
    if (!n->partial4) {
        native_statements(w, false);
    }
    close_dims(w, inside);
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op == TILE_REDUCE && n->scratch >= 0) {
            native_indent(w->text, w->depth);
            text_printf(w->text, "kept_%d[0] = s%d;\n", n->inst[k].dst, n->inst[k].dst);
        }
    }
    inside = open_if(w, "to == ");
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op == TILE_REDUCE) {
            native_result(w, &n->inst[k]);
        }
    }
    close_dims(w, inside);
    close_dims(w, 1);
}

/* For every result of the column block: starts its accumulators, or writes its results. */
static void over_column_block(Nest *w, bool start) {
    const TileNest *n = w->n;
    int c = w->column;
    native_indent(w->text, w->depth++);
    text_printf(w->text, "for (int64_t i%d = j%d; i%d < e%d; i%d++) {\n", c, c, c, c, c);
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op != TILE_REDUCE) {
            continue;
        }
        if (!start) {
            native_result(w, &n->inst[k]);
            continue;
        }
        native_indent(w->text, w->depth);
        native_accumulator(w, &n->inst[k]);
        text_add(w->text, " = ");
        native_start_value(w, &n->inst[k]);
        text_add(w->text, ";\n");
    }
    close_dims(w, w->depth - 1);
}

static void print_columns(Nest *w) {
    const TileNest *n = w->n;
    int c = w->column;
    declare_kept(w, n->size[c]);
    open_dims(w, 0, c);
    w->depth = native_blocks(w->text, w->depth, c, n->size[c], COLUMN_BLOCK, false);
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op == TILE_REDUCE) {
            native_indent(w->text, w->depth);
            if (n->scratch >= 0) {
                text_printf(w->text, "%s *restrict s%d = kept_%d + j%d;\n",
                            native_accumulator_type(w, &n->inst[k]), n->inst[k].dst, n->inst[k].dst,
                            c);
            } else {
                text_printf(w->text, "%s s%d[%d];\n", native_accumulator_type(w, &n->inst[k]),
                            n->inst[k].dst, COLUMN_BLOCK);
            }
        }
    }
    int inside = open_if(w, "from == ");
    over_column_block(w, true);
    close_dims(w, inside);
    inside = w->depth;
    open_dims(w, n->kept, n->ndim - n->partial4);
    if (n->partial4) {
        print_column_partial4(w);
    }
    print_simd(w, true);
    w->depth = native_block(w->text, w->depth, c);
    native_statements(w, false);
    close_dims(w, inside);
    inside = open_if(w, "to == ");
    over_column_block(w, false);
    close_dims(w, inside);
    close_dims(w, 1);
}

bool native_nest(Text *text, const TileNest *nest, NativeNeeds *needs) {
    Nest w = {.text = text, .n = nest, .needs = needs, .depth = 1, .column = -1, .lane = -1};
    if (nest->numel == 0) {
        return false;
    }
    native_declare_buffers(&w);
    w.column = nest->column;
    if (w.column >= 0) {
        print_columns(&w);
    } else if (nest->blocked_dim >= 0) {
        print_cache_blocks(&w, nest->blocked_dim);
    } else {
        print_rows(&w);
    }
    return true;
}
