/* pad in its four modes (aten/src/ATen/native/PadNd.cpp). */
#include "program/infer/infer.h"

#include <string.h>

/* Slices dim `d` as [start, end). */
static Tensor *pad_part(Emit *e, Tensor *t, int d, int64_t start, int64_t end) {
    return t ? emit_op(e, OP_slice, 5, t, (int64_t)d, start, end, (int64_t)1) : NULL;
}

static int64_t pad_positive(int64_t pad) { return pad > 0 ? pad : 0; }

static ErrCode check_circular(const Tensor *self, const Arg *pad, int64_t *size, Error *err) {
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    for (int k = 0; k < pad->ints.n / 2; k++) {
        int d = self->ndim - 1 - k;
        const int64_t *at = &pad->ints.v[2 * k];
        if (at[0] > size[d] || at[1] > size[d]) {
            return error_set(err, ERR_invalid,
                             "Padding value causes wrapping around more than once.");
        }
        if (!checked_add(size[d], at[0], &size[d]) || !checked_add(size[d], at[1], &size[d])) {
            return error_set(err, ERR_limit, "a tensor's size overflows");
        }
        if (size[d] < 0) {
            return error_set(err, ERR_invalid,
                             "Negative padding value is resulting in an empty dimension");
        }
    }
    return ERR_none;
}

/* A new tensor, into which self is copied; then each dim's ends are copied from its other end. */
static Tensor *pad_circular(Emit *e, Tensor *self, const Arg *pad) {
    int64_t size[MAX_DIMS];
    if (check_circular(self, pad, size, e->err) != ERR_none) {
        return NULL;
    }
    int n = pad->ints.n / 2;
    Tensor *out = emit_op(e, OP_new_zeros, 2, self, size, self->ndim), *to = out, *from = self;
    for (int d = self->ndim - n; d < self->ndim; d++) {
        const int64_t *at = &pad->ints.v[2 * (self->ndim - 1 - d)];
        to = pad_part(e, to, d, pad_positive(at[0]), size[d] - pad_positive(at[1]));
        from = pad_part(e, from, d, pad_positive(-at[0]), self->size[d] - pad_positive(-at[1]));
    }
    emit_binary(e, OP_copy_, to, from);
    for (int d = self->ndim - n; d < self->ndim && e->err->code == ERR_none; d++) {
        const int64_t *at = &pad->ints.v[2 * (self->ndim - 1 - d)];
        int64_t left = pad_positive(at[0]), right = pad_positive(at[1]);
        if (left > 0) {
            to = pad_part(e, out, d, 0, left);
            from = pad_part(e, out, d, size[d] - left - right, size[d] - right);
            emit_binary(e, OP_copy_, to, from);
        }
        if (right > 0) {
            to = pad_part(e, out, d, size[d] - right, size[d]);
            from = pad_part(e, out, d, left, left + right);
            emit_binary(e, OP_copy_, to, from);
        }
    }
    return out;
}

ErrCode decompose_pad(Emit *e, const Call *call, Tensor **out, int *nout) {
    static const char *const modes[] = {"constant", "reflect", "replicate", "circular"};
    static const OpId copying[2][3] = {
        {OP_reflection_pad1d, OP_reflection_pad2d, OP_reflection_pad3d},
        {OP_replication_pad1d, OP_replication_pad2d, OP_replication_pad3d}};
    Tensor *self = call->arg[0].tensor;
    const Arg *pad = &call->arg[1], *value = &call->arg[3];
    int mode = 0, n = pad->ints.n / 2;
    *nout = 0;
    while (mode < COUNT_OF(modes) && strcmp(call->arg[2].str, modes[mode]) != 0) {
        mode++;
    }
    if (mode == COUNT_OF(modes)) {
        return error_set(e->err, ERR_unsupported, "Unrecognised padding mode %s", call->arg[2].str);
    }
    if (pad->ints.n % 2 != 0 || n > self->ndim) {
        return error_set(e->err, ERR_invalid,
                         n > self->ndim ? "Padding length should be at most twice the number of "
                                          "dimensions of the input"
                                        : "Padding length must be divisible by 2");
    }
    if (mode == 0) {
        out[0] = emit_op(e, OP_constant_pad_nd, 3, self, pad->ints.v, pad->ints.n,
                         scalar_float(value->none ? 0 : value->f));
    } else if (!value->none) {
        return error_set(e->err, ERR_invalid, "Padding mode \"%s\" doesn't take in value argument",
                         modes[mode]);
    } else if (n < 1 || n > 3 || (self->ndim != n + 1 && self->ndim != n + 2)) {
        return error_set(e->err, ERR_unsupported,
                         "Padding size %d is not supported for %dD input tensor.", pad->ints.n,
                         self->ndim);
    } else {
        out[0] = mode == 3
                     ? pad_circular(e, self, pad)
                     : emit_op(e, copying[mode - 1][n - 1], 2, self, pad->ints.v, pad->ints.n);
    }
    *nout = out[0] != NULL;
    return e->err->code;
}
