/* Loops along lines of one dim (running sums and products, softmax), and the list of places that are not zero.
 *
 * Every line is walked with the line's own strides; sums run in double (integers: int64, wrapping) and are rounded where they are
 * written. Softmax subtracts the line's maximum, so that no exponential overflows. */
#include "compiled/lower.h"

#include <math.h>

typedef struct Line {
    int64_t n, to, from, to_step, from_step;
} Line;

/* Calls `run` for every line of the loop's space. */
static void for_lines(const Loop *loop, void *const *data, void (*run)(const Loop *loop, void *to, const void *from, Line line)) {
    if (loop->numel == 0) {
        return;
    }
    int64_t index[MAX_DIMS] = {0};
    Line line = {1, loop->to.offset, loop->from.offset, 0, 0};
    int64_t lines = loop->numel;
    if (loop->dim >= 0) {
        line.n = loop->size[loop->dim];
        line.to_step = loop->to.stride[loop->dim];
        line.from_step = loop->from.stride[loop->dim];
        lines /= line.n;
    }
    for (; lines > 0; lines--) {
        run(loop, data[loop->to.buffer], data[loop->from.buffer], line);
        for (int d = loop->ndim - 1; d >= 0; d--) {
            if (d == loop->dim) {
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

static void scan_line(const Loop *loop, void *to, const void *from, Line line) {
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
        element_cast(&cell, loop->to.dtype, 0, from, loop->from.dtype, line.from + i * line.from_step);
        uint64_t v = (uint64_t)element_int(&cell, loop->to.dtype, 0);
        acc = loop->product ? acc * v : acc + v;
        element_store_int(to, loop->to.dtype, line.to + i * line.to_step, (int64_t)acc);
    }
}

static void softmax_line(const Loop *loop, void *to, const void *from, Line line) {
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

void loop_scan(const Loop *loop, void *const *data) { for_lines(loop, data, scan_line); }
void loop_softmax(const Loop *loop, void *const *data) { for_lines(loop, data, softmax_line); }

/* A row of coordinates for every element that is not zero, in row-major order. The count of rows was found before (question.c). */
void loop_nonzero(const Loop *loop, void *const *data) {
    int64_t index[MAX_DIMS] = {0}, at = loop->from.offset, row = 0;
    int64_t *to = data[loop->to.buffer];
    for (int64_t left = loop->numel; left > 0; left--) {
        if (element_double(data[loop->from.buffer], loop->from.dtype, at) != 0 && row < loop->bytes) {
            for (int d = 0; d < loop->ndim; d++) {
                to[row * loop->to.stride[0] + d * loop->to.stride[1]] = index[d];
            }
            row++;
        }
        for (int d = loop->ndim - 1; d >= 0; d--) {
            at += loop->from.stride[d];
            if (++index[d] < loop->size[d]) {
                break;
            }
            at -= loop->from.stride[d] * loop->size[d];
            index[d] = 0;
        }
    }
}
