/* The loops that are no tile nests, as C: fills, moves, products of small matrices, running sums.
 * Softmax is in native/softmax.c.
 *
 * A move whose source is contiguous along another dim than its target (a transpose) is
 * cache-blocked in both dims: CACHE_BLOCK x CACHE_BLOCK elements at a time. */
#include "compiled/native/native.h"

#include <stdio.h>
#include <stdlib.h>

static bool whole(DType dtype) {
    return dtype == DT_float32 || dtype == DT_float64 || dtype == DT_int64;
}

/* ---- fill, move ---- */

static void print_fill(Text *text, const Loop *loop, NativeNeeds *needs) {
    RegisterKind kind = register_kind(loop->to.dtype);
    native_buffer(text, native_memory_type(loop->to.dtype), "y_", loop->to.buffer);
    text_printf(text, "    const %s c0 = ", native_value_type(kind));
    native_constant(text, loop->value, kind);
    text_add(text, ";\n");
    native_for_dim(text, 1, 0, loop->numel, loop->numel > 1);
    text_printf(text, "        y_[i0] = %sc0%s;\n    }\n", native_put(loop->to.dtype, needs),
                native_end(loop->to.dtype));
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

/* The dim along which the source is contiguous, if that is not the last one: the dim to block
 * together with the last one. Otherwise -1. */
static int move_blocked_dim(const Loop *loop) {
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
    int depth, blocked = move_blocked_dim(loop), last = loop->ndim - 1;
    native_buffer(text, word_of(loop->to.dtype), "y_", loop->to.buffer);
    native_buffer(text, word_of(loop->to.dtype), "x_", loop->from.buffer);
    if (blocked < 0) {
        depth = native_open_but(text, loop, 0, 1);
    } else {
        depth = native_open_but(text, loop, 1u << blocked | 1u << last, 1);
        depth = native_blocks(text, depth, blocked, loop->size[blocked], CACHE_BLOCK,
                              native_is_outer(loop, blocked));
        depth = native_blocks(text, depth, last, loop->size[last], CACHE_BLOCK,
                              native_is_outer(loop, last));
        depth = native_block(text, native_block(text, depth, blocked), last);
    }
    native_indent(text, depth);
    text_add(text, "y_[");
    native_index(text, loop->to.offset, loop->to.stride, loop->size, loop->ndim);
    text_add(text, "] = x_[");
    native_index(text, loop->from.offset, loop->from.stride, loop->size, loop->ndim);
    text_add(text, "];\n");
    native_close_until(text, depth, 1);
}

/* ---- running sums and products ---- */

static void print_scan(Text *text, const Loop *loop) {
    DType dtype = loop->to.dtype;
    const char *type = native_memory_type(dtype), *sum = dtype == DT_int64 ? "uint64_t" : "double";
    native_buffer(text, type, "y_", loop->to.buffer);
    native_buffer(text, type, "x_", loop->from.buffer);
    int depth_before = native_open_but(text, loop, 1u << loop->dim, 1), depth = depth_before;
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
    native_close_until(text, depth, 1);
}

/* ---- products of matrices that are too small for BLAS ---- */

static void matrix_index(Text *text, int64_t offset, const int64_t *stride, const char *row,
                         const char *column) {
    text_printf(text, "[%lld + b * %lld + %s * %lld + %s * %lld]", (long long)offset,
                (long long)stride[0], row, (long long)stride[1], column, (long long)stride[2]);
}

static void print_matmul(Text *text, const MatmulLoop *m) {
    const char *type = native_memory_type(m->dtype);
    bool is_int = !dtype_is_float(m->dtype);
    RegisterKind kind = is_int ? REGISTER_I64 : REGISTER_F64;
    const char *wide = is_int ? "uint64_t" : "double";
    bool plain = is_int ? m->alpha.i == 1 : m->alpha.f == 1 || m->k == 0;
    native_buffer(text, type, "a_", m->a.buffer);
    native_buffer(text, type, "b_", m->b.buffer);
    native_buffer(text, type, "c_", m->c.buffer);
    if (m->has_d) {
        native_buffer(text, type, "d_", m->d.buffer);
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
        if (loop->numel == 0 || loop->dim < 0 || loop->to.dtype != loop->from.dtype ||
            !whole(loop->to.dtype)) {
            return false;
        }
        if (loop->kind == LOOP_SCAN) {
            print_scan(text, loop);
        } else {
            native_softmax(text, loop, needs);
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
