/* Loops along lines of one dim (running sums and products, softmax), and nonzero.
 *
 * Each line is processed with its own strides. Sums are accumulated in double (integers: int64,
 * wrapping) and rounded when they are written. Softmax subtracts the maximum of the line, so that
 * no exponential overflows. */
#include "compiled/loops/run.h"
#include "compiled/tile/isa.h"

#include <math.h>

typedef struct ScanLine {
    int64_t n, to, from, to_step, from_step;
} ScanLine;

/* The lines of a loop along its dim. With column_dim >= 0 all lines that are neighbours along that
 * dim count as one. */
typedef struct Lines {
    const Loop *loop;
    const TileIsa *isa;
    void *to;
    const void *from;
    int column_dim;
    int64_t first, end; /* iterations of the outer dim, unless the lines run along it */
} Lines;

static void for_lines(const Lines *s, void (*run)(const Lines *s, ScanLine line)) {
    const Loop *loop = s->loop;
    if (loop->numel == 0) {
        return;
    }
    int64_t index[MAX_DIMS] = {0};
    ScanLine line = {1, loop->to.offset, loop->from.offset, 0, 0};
    int64_t lines = loop->numel / (s->column_dim >= 0 ? loop->size[s->column_dim] : 1);
    if (s->end - s->first < loop_trips(loop)) {
        index[0] = s->first;
        line.to += s->first * loop->to.stride[0];
        line.from += s->first * loop->from.stride[0];
        lines = lines / loop->size[0] * (s->end - s->first);
    }
    if (loop->dim >= 0) {
        line.n = loop->size[loop->dim];
        line.to_step = loop->to.stride[loop->dim];
        line.from_step = loop->from.stride[loop->dim];
        lines /= line.n;
    }
    for (; lines > 0; lines--) {
        run(s, line);
        for (int d = loop->ndim - 1; d >= 0; d--) {
            if (d == loop->dim || d == s->column_dim) {
                continue;
            }
            line.to += loop->to.stride[d];
            line.from += loop->from.stride[d];
            if (++index[d] < loop->size[d]) {
                break;
            }
            line.to -= loop->to.stride[d] * loop->size[d];
            line.from -= loop->from.stride[d] * loop->size[d];
            index[d] = 0;
        }
    }
}

/* The operand's element as the result's dtype has it. */
static double float_element(const Loop *loop, const void *from, int64_t at) {
    if (loop->from.dtype == loop->to.dtype) {
        return element_double(from, loop->from.dtype, at);
    }
    int64_t cell;
    element_cast(&cell, loop->to.dtype, 0, from, loop->from.dtype, at);
    return element_double(&cell, loop->to.dtype, 0);
}

static void scan_line(const Lines *s, ScanLine line) {
    const Loop *loop = s->loop;
    void *to = s->to;
    const void *from = s->from;
    if (dtype_is_float(loop->to.dtype)) {
        double acc = loop->product ? 1 : 0;
        for (int64_t i = 0; i < line.n; i++) {
            double v = float_element(loop, from, line.from + i * line.from_step);
            acc = loop->product ? acc * v : acc + v;
            element_store_double(to, loop->to.dtype, line.to + i * line.to_step, acc);
        }
        return;
    }
    uint64_t acc = loop->product;
    for (int64_t i = 0; i < line.n; i++) {
        int64_t cell = 0;
        element_cast(&cell, loop->to.dtype, 0, from, loop->from.dtype,
                     line.from + i * line.from_step);
        uint64_t v = (uint64_t)element_int(&cell, loop->to.dtype, 0);
        acc = loop->product ? acc * v : acc + v;
        element_store_int(to, loop->to.dtype, line.to + i * line.to_step, (int64_t)acc);
    }
}

static void softmax_line(const Lines *s, ScanLine line) {
    const Loop *loop = s->loop;
    void *to = s->to;
    const void *from = s->from;
    double top = (double)-INFINITY, sum = 0;
    for (int64_t i = 0; i < line.n; i++) {
        double v = float_element(loop, from, line.from + i * line.from_step);
        top = isnan(top) || v <= top ? top : v;
    }
    for (int64_t i = 0; i < line.n; i++) {
        sum += exp(float_element(loop, from, line.from + i * line.from_step) - top);
    }
    for (int64_t i = 0; i < line.n; i++) {
        double v = exp(float_element(loop, from, line.from + i * line.from_step) - top);
        element_store_double(to, loop->to.dtype, line.to + i * line.to_step, v / sum);
    }
}

static Lines scan_lines_of(const Loop *loop, const TileIsa *isa, void *const *data, int column_dim,
                           int64_t from, int64_t to) {
    return (Lines){loop, isa, data[loop->to.buffer], data[loop->from.buffer], column_dim, from, to};
}

void loop_scan(const Loop *loop, void *const *data, int64_t from, int64_t to) {
    Lines s = scan_lines_of(loop, NULL, data, -1, from, to);
    for_lines(&s, scan_line);
}

/* The dim along which neighbouring lines are contiguous, or -1. */
static int contiguous_lines_dim(const Loop *loop) {
    for (int d = 0; d < loop->ndim; d++) {
        if (d != loop->dim && loop->size[d] >= 8 && loop->from.stride[d] == 1 &&
            loop->to.stride[d] == 1) {
            return d;
        }
    }
    return -1;
}

static bool lines_take_float32_math(const Loop *loop) {
    return loop->float32_math && loop->numel >= LARGE_NUMEL;
}

static void softmax_contiguous_line(const Lines *s, ScanLine line) {
    (lines_take_float32_math(s->loop) ? s->isa->softmax_row_float32 : s->isa->softmax_row)(
        (float *)s->to + line.to, (const float *)s->from + line.from, line.n);
}

static void softmax_column_block(const Lines *s, ScanLine line) {
    bool in_float32 = lines_take_float32_math(s->loop);
    int64_t block = in_float32 ? SOFTMAX_COLUMNS_FLOAT32 : SOFTMAX_COLUMNS;
    for (int64_t k = 0, n = s->loop->size[s->column_dim]; k < n; k += block) {
        int w = (int)min_i64(block, n - k);
        (in_float32 ? s->isa->softmax_columns_float32 : s->isa->softmax_columns)(
            (float *)s->to + line.to + k, line.to_step, (const float *)s->from + line.from + k,
            line.from_step, line.n, w);
    }
}

/* float32 uses the kernels of the tile machine if lines are contiguous, or if neighbouring lines
 * are; everything else is computed element by element. */
void loop_softmax(const Loop *loop, const TileIsa *isa, void *const *data, int64_t from,
                  int64_t to) {
    bool is_f32 = loop->to.dtype == DT_float32 && loop->from.dtype == DT_float32 && loop->dim >= 0;
    bool rows = is_f32 && loop->to.stride[loop->dim] == 1 && loop->from.stride[loop->dim] == 1;
    rows |= is_f32 && loop->size[loop->dim] == 1 && contiguous_lines_dim(loop) < 0;
    Lines s =
        scan_lines_of(loop, isa, data, is_f32 && !rows ? contiguous_lines_dim(loop) : -1, from, to);
    for_lines(&s, rows                ? softmax_contiguous_line
                  : s.column_dim >= 0 ? softmax_column_block
                                      : softmax_line);
}

/* One row of coordinates for every nonzero element, in row-major order. The number of rows is known
 * already (runtime/data_dependent.c). */
void loop_nonzero(const Loop *loop, void *const *data) {
    int64_t index[MAX_DIMS] = {0}, at = loop->from.offset, row = 0;
    int64_t *to = data[loop->to.buffer];
    for (int64_t left = loop->numel; left > 0; left--) {
        if (element_double(data[loop->from.buffer], loop->from.dtype, at) != 0 &&
            row < loop->bytes) {
            for (int d = 0; d < loop->ndim; d++) {
                to[row * loop->to.stride[0] + d * loop->to.stride[1]] = index[d];
            }
            row++;
        }
        loop_next_from(loop, index, &at);
    }
}
