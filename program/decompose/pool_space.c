/* Adaptive pooling and max_pool3d in other ops (AdaptiveAveragePooling.cpp, Pooling.cpp): one
 * window for all is a mean, one dim is pooled as two, and max pooling gathers the maxima at their
 * indices. */
#include "program/infer/infer.h"

#include <string.h>

static ErrCode pool_space_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

static ErrCode check_line(const Call *call, Error *err) {
    const Tensor *self = call->arg[0].tensor;
    if (self->ndim != 2 && self->ndim != 3) {
        return error_set(err, ERR_invalid, "Expected 2 to 3 dimensions, but got %d-dimensional",
                         self->ndim);
    }
    for (int d = 1; d < self->ndim && call->op->id == OP_adaptive_max_pool1d; d++) {
        if (self->size[d] == 0) {
            return error_set(err, ERR_invalid,
                             "Expected input to have non-zero size for non-batch dimensions");
        }
    }
    return call->arg[1].ints.n != 1
               ? error_set(err, ERR_invalid, "argument 'output_size' should contain one int")
               : ERR_none;
}

/* The mean over the last dims, in channels-last strides if self has them. */
static Tensor *pool_of_all(Emit *e, Tensor *self, int n) {
    const int64_t dims[] = {-1, -2, -3};
    Tensor *mean = emit_op(e, OP_mean_dim, 3, self, dims, n, 1);
    if (mean && self->ndim == n + 2 && is_channels_last(self)) {
        int64_t c = self->size[1], stride[5] = {c, 1, c, c, c};
        mean = emit_op(e, OP_as_strided_, 3, mean, mean->size, n + 2, stride, n + 2);
    }
    return mean;
}

static Tensor *average_parts(Emit *e, Tensor *self, const Arg *size, int n) {
    bool all = true;
    if (size->ints.n != n) {
        error_set(e->err, ERR_invalid, "adaptive_avg_pool: output_size must be %d", n);
        return NULL;
    }
    for (int d = 0; d < n; d++) {
        all = all && size->ints.v[d] == 1;
    }
    return all ? pool_of_all(e, self, n)
               : emit_op(e, OP__adaptive_avg_pool, 2, self, size->ints.v, n);
}

ErrCode decompose_adaptive_avg_pool(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    const Arg *size = &call->arg[1];
    *nout = 0;
    if (call->op->id != OP_adaptive_avg_pool1d) {
        int n = call->op->id == OP_adaptive_avg_pool2d ? 2 : 3;
        return pool_space_answer(e, average_parts(e, self, size, n), out, nout);
    }
    TRY(check_line(call, e->err));
    int64_t pair[2] = {1, size->ints.v[0]};
    Arg plane = {.ints = {arena_copy(e->arena, pair, (int64_t)sizeof pair), 2}};
    Tensor *wide = emit_unsqueeze(e, self, -2);
    Tensor *pooled = wide ? average_parts(e, wide, &plane, 2) : NULL;
    pooled = pooled ? emit_op(e, OP_squeeze_dim, 2, pooled, (int64_t)-2) : NULL;
    return pool_space_answer(e, pooled, out, nout);
}

/* The values at the indices; `kept`: gradients are in self's memory format. */
static ErrCode space_pair(Emit *e, Tensor *self, Tensor *indices, int n, bool kept, Tensor **out) {
    out[1] = indices;
    out[0] = indices ? emit_op(e, OP__take_space, 4, self, indices, (int64_t)n, (int)kept) : NULL;
    return e->err->code;
}

ErrCode decompose_adaptive_max_pool(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *given = self;
    const Arg *size = &call->arg[1];
    bool line = call->op->id == OP_adaptive_max_pool1d;
    int n = call->op->id == OP_adaptive_max_pool3d ? 3 : 2;
    int64_t pair[2] = {1, 0};
    *nout = 0;
    if (line) {
        TRY(check_line(call, e->err));
        pair[1] = size->ints.v[0];
        given = emit_unsqueeze(e, self, -2);
    } else if (size->ints.n != n) {
        return error_set(e->err, ERR_invalid, "adaptive_max_pool: output_size.size() must be %d",
                         n);
    }
    if (!given) {
        return e->err->code;
    }
    Tensor *indices = emit_op(e, OP__adaptive_max_indices, 2, given, line ? pair : size->ints.v, n);
    TRY(space_pair(e, given, indices, n, n == 2, out));
    for (int k = 0; k < 2 && line; k++) {
        out[k] = emit_op(e, OP_squeeze_dim, 2, out[k], (int64_t)-2);
    }
    *nout = e->err->code == ERR_none ? 2 : 0;
    return e->err->code;
}

ErrCode decompose_max_pool3d(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call c;
    call_init(&c, OP__max_space_indices);
    memcpy(c.arg, call->arg, (size_t)call->op->nparam * sizeof *c.arg);
    Tensor *found[MAX_OUTPUTS];
    int n;
    *nout = 0;
    TRY(emit_call(e, &c, found, &n));
    TRY(space_pair(e, call->arg[0].tensor, found[0], 3, true, out));
    *nout = call->op->id == OP_max_pool3d ? 1 : 2;
    return ERR_none;
}
