/* Pooling expressed in other ops, as in aten/src/ATen/native/Pooling.cpp, MaxPooling.cpp and
 * AdaptiveAveragePooling.cpp: 1-d pooling is 2-d pooling with a first dim of size 1, one window for
 * all is a mean, and max pooling gathers the maxima at their indices. */
#include "program/infer/pool.h"
#include "program/semantics/semantics.h"

#include <string.h>

static ErrCode decompose_pool_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

static ErrCode refuse_length(const Call *call, const char *name, int least, Error *err) {
    int n = call_arg(call, name)->ints.n;
    return n < least || n > 1
               ? error_set(err, ERR_invalid, "%s() argument '%s' should contain one int (got %d)",
                           call->op->name, name, n)
               : ERR_none;
}

/* `first`, then the single int of parameter `name` (`otherwise` if its list is empty). */
static Arg pair(Emit *e, int64_t first, const Call *call, const char *name, int64_t otherwise) {
    const Arg *a = call_arg(call, name);
    int64_t v[2] = {first, a->ints.n > 0 ? a->ints.v[0] : otherwise};
    return (Arg){.ints = {arena_copy(e->arena, v, (int64_t)sizeof v), 2}};
}

/* avg_pool1d: squeeze(avg_pool2d(unsqueeze(self, -2), [1, k], [1, s], [0, p]), -2) */
ErrCode decompose_avg_pool1d(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    *nout = 0;
    if (self->ndim != 2 && self->ndim != 3) {
        return error_set(e->err, ERR_invalid,
                         "Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument "
                         "#1 'self' (while checking arguments for avg_pool1d)",
                         self->ndim);
    }
    TRY(refuse_length(call, "kernel_size", 1, e->err));
    TRY(refuse_length(call, "stride", 0, e->err));
    TRY(refuse_length(call, "padding", 1, e->err));
    Call c;
    call_init(&c, OP_avg_pool2d);
    c.arg[0].tensor = emit_unsqueeze(e, self, -2);
    c.arg[1] = pair(e, 1, call, "kernel_size", 0);
    c.arg[2] = pair(e, 1, call, "stride", c.arg[1].ints.v[1]);
    c.arg[3] = pair(e, 0, call, "padding", 0);
    c.arg[4] = call->arg[4];
    c.arg[5] = call->arg[5];
    Tensor *pooled[MAX_OUTPUTS];
    int n;
    TRY(emit_call(e, &c, pooled, &n));
    return decompose_pool_answer(e, emit_op(e, OP_squeeze_dim, 2, pooled[0], (int64_t)-2), out,
                                 nout);
}

/* The indices of the maxima, then the values gathered at them. */
static ErrCode pool_pair(Emit *e, const Call *call, Tensor **values, Tensor **indices) {
    Call c;
    call_init(&c, OP__max_pool2d_indices);
    memcpy(c.arg, call->arg, (size_t)call->op->nparam * sizeof *c.arg);
    Tensor *out[MAX_OUTPUTS];
    int n;
    TRY(emit_call(e, &c, out, &n));
    *indices = out[0];
    *values = emit_binary(e, OP__take_plane, call->arg[0].tensor, out[0]);
    return e->err->code;
}

ErrCode decompose_max_pool2d(Emit *e, const Call *call, Tensor **out, int *nout) {
    *nout = 0;
    TRY(pool_pair(e, call, &out[0], &out[1]));
    *nout = call->op->id == OP_max_pool2d ? 1 : 2;
    return ERR_none;
}

static ErrCode check_max_pool1d(const Call *call, int64_t *kernel, int64_t *stride,
                                int64_t *padding, int64_t *dilation, Error *err) {
    const Tensor *self = call->arg[0].tensor;
    if (self->ndim != 2 && self->ndim != 3) {
        return error_set(err, ERR_invalid,
                         "max_pool1d() Expected 2D or 3D input tensor, but got %d dims",
                         self->ndim);
    }
    for (int d = self->ndim == 3; d < self->ndim; d++) {
        if (self->size[d] == 0) {
            return error_set(err, ERR_invalid,
                             "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 "
                             "dim batch size for input");
        }
    }
    TRY(refuse_length(call, "kernel_size", 1, err));
    TRY(refuse_length(call, "stride", 0, err));
    TRY(refuse_length(call, "padding", 1, err));
    TRY(refuse_length(call, "dilation", 1, err));
    *kernel = call->arg[1].ints.v[0];
    *stride = call->arg[2].ints.n > 0 ? call->arg[2].ints.v[0] : *kernel;
    *padding = call->arg[3].ints.v[0];
    *dilation = call->arg[4].ints.v[0];
    if (*kernel <= 0 || *stride <= 0 || *padding < 0 || *padding > *kernel / 2 || *dilation <= 0) {
        return error_set(err, ERR_invalid,
                         "max_pool1d() kernel_size, stride and dilation must be greater than zero, "
                         "padding at most half of kernel_size");
    }
    int64_t length;
    TRY(pool_output(self->size[self->ndim - 1], *kernel, *padding, *stride, *dilation,
                    call->arg[5].b, &length, err));
    return length < (since(max_pool1d_of_nothing) ? 1 : 0)
               ? error_set(err, ERR_invalid, "max_pool1d() Invalid computed output size: %lld",
                           (long long)length)
               : ERR_none;
}

/* max_pool1d: squeeze(max_pool2d(unsqueeze(self, -2), ...), -2) if the op is recorded. Otherwise a
 * kernel of its own, whose batch dim of size 1 is squeezed in place if self has none. */
ErrCode decompose_max_pool1d(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int64_t kernel = 0, stride = 0, padding = 0, dilation = 0;
    *nout = 0;
    if (!since(max_pool1d_of_nothing)) { /* where gradients are recorded, it is unsqueezed first */
        TRY(emit_read_history(e, self));
    }
    TRY(check_max_pool1d(call, &kernel, &stride, &padding, &dilation, e->err));
    if (!e->records || !e->records(e, self)) {
        Tensor *pooled = emit_op(e, OP__max_pool1d, 6, self, kernel, stride, padding, dilation,
                                 (int)call->arg[5].b);
        return decompose_pool_answer(
            e, self->ndim == 2 ? emit_op(e, OP_squeeze__dim, 2, pooled, (int64_t)0) : pooled, out,
            nout);
    }
    Call c;
    call_init(&c, OP_max_pool2d);
    c.arg[0].tensor = emit_unsqueeze(e, self, -2);
    c.arg[1] = pair(e, 1, call, "kernel_size", 0);
    c.arg[2] = pair(e, 1, call, "stride", kernel);
    c.arg[3] = pair(e, 0, call, "padding", 0);
    c.arg[4] = pair(e, 1, call, "dilation", 1);
    c.arg[5] = call->arg[5];
    Tensor *values, *indices;
    if (e->err->code != ERR_none) {
        return e->err->code;
    }
    TRY(pool_pair(e, &c, &values, &indices));
    return decompose_pool_answer(e, emit_op(e, OP_squeeze_dim, 2, values, (int64_t)-2), out, nout);
}

/* ---- adaptive pooling and max_pool3d ---- */

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
        return decompose_pool_answer(e, average_parts(e, self, size, n), out, nout);
    }
    TRY(check_line(call, e->err));
    int64_t pair[2] = {1, size->ints.v[0]};
    Arg plane = {.ints = {arena_copy(e->arena, pair, (int64_t)sizeof pair), 2}};
    Tensor *wide = emit_unsqueeze(e, self, -2);
    Tensor *pooled = wide ? average_parts(e, wide, &plane, 2) : NULL;
    pooled = pooled ? emit_op(e, OP_squeeze_dim, 2, pooled, (int64_t)-2) : NULL;
    return decompose_pool_answer(e, pooled, out, nout);
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
