/* Geometry of STORAGE rows: memory read as another dtype, resize_ and set_; and of _bitcast. */
#include "program/infer/infer.h"

/* Adds the output, initialized with self's geometry. */
static Tensor *reading_of(Infer *r, const Tensor *self) {
    Tensor *t = infer_one(r, self->dtype, self->ndim);
    geometry_copy(t, self);
    return t;
}

/* view.dtype: the bytes of self as elements of another dtype, of which `ratio` or 1 / `ratio` make
 * one of self along the last dim (aten/src/ATen/native/TensorConversions.cpp, view_dtype). */
ErrCode infer_view_dtype(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    DType to = call->arg[1].dtype;
    int from_bytes = dtype_bytes(self->dtype), to_bytes = dtype_bytes(to), last = self->ndim - 1;
    Tensor *t = reading_of(r, self);
    t->dtype = to;
    if (from_bytes == to_bytes) {
        return ERR_none;
    }
    if (self->ndim == 0) {
        return error_set(r->err, ERR_invalid,
                         "self.dim() cannot be 0 to view %s as %s (different element sizes)",
                         dtype_name(self->dtype), dtype_name(to));
    }
    bool narrower = to_bytes < from_bytes;
    int64_t ratio = narrower ? from_bytes / to_bytes : to_bytes / from_bytes;
    if (!narrower && (self->size[last] % ratio != 0 || self->offset % ratio != 0)) {
        return error_set(r->err, ERR_invalid,
                         "self.size(-1) and self.storage_offset() must be divisible by %lld to "
                         "view %s as %s",
                         (long long)ratio, dtype_name(self->dtype), dtype_name(to));
    }
    if (self->stride[last] != 1) {
        return error_set(r->err, ERR_invalid, "self.stride(-1) must be 1 to view %s as %s",
                         dtype_name(self->dtype), dtype_name(to));
    }
    for (int d = 0; d < last; d++) {
        if (!narrower && self->stride[d] % ratio != 0) {
            return error_set(r->err, ERR_invalid,
                             "self.stride(%d) must be divisible by %lld to view %s as %s", d,
                             (long long)ratio, dtype_name(self->dtype), dtype_name(to));
        }
        t->stride[d] = narrower ? geometry_stride(self->stride[d], ratio) : self->stride[d] / ratio;
    }
    t->size[last] = narrower ? self->size[last] * ratio : self->size[last] / ratio;
    t->offset = narrower ? self->offset * ratio : self->offset / ratio;
    return ERR_none;
}

/* resize_: contiguous, from where self begins. */
ErrCode infer_resize_(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *size = &call->arg[1];
    if (sizes_equal(self->size, self->ndim, size->ints.v, size->ints.n)) {
        (void)reading_of(r, self);
        return ERR_none;
    }
    TRY(infer_contiguous(r, self->dtype, size->ints.v, size->ints.n));
    r->out[0].offset = self->offset;
    return ERR_none;
}

/* _resize_out: the sizes and strides of a result, for the tensor that it is written to. */
ErrCode infer_resize_out(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    TRY(infer_contiguous(r, self->dtype, call->arg[1].ints.v, call->arg[1].ints.n));
    r->out[0].offset = self->offset;
    const Arg *stride = &call->arg[2];
    memcpy(r->out[0].stride, stride->ints.v, (size_t)stride->ints.n * sizeof *stride->ints.v);
    return ERR_none;
}

/* set_: where the source lies. */
ErrCode infer_set_(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *source = call->arg[1].tensor;
    if (self->dtype != source->dtype) {
        return error_set(r->err, ERR_dtype, "set_ of a tensor of type %s to one of type %s",
                         dtype_name(self->dtype), dtype_name(source->dtype));
    }
    (void)reading_of(r, source);
    return ERR_none;
}

/* The same with sizes and strides, in elements of self, from the first element of the source on.
 * Without strides, self keeps those that it has, if it has the sizes (resize_impl_cpu_ in
 * aten/src/ATen/native/Resize.h). */
ErrCode infer_set_storage(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *source = call->arg[1].tensor;
    const Arg *size = &call->arg[3], *stride = &call->arg[4];
    int64_t numel, offset;
    if (!checked_add(source->offset, call->arg[2].i, &offset)) {
        return error_set(r->err, ERR_limit, "the offset overflows");
    }
    if (offset < 0) {
        return error_set(r->err, ERR_invalid, "set_ to a negative offset");
    }
    if (stride->ints.n > 0 && stride->ints.n != size->ints.n) {
        return error_set(r->err, ERR_invalid, "set_ with %d sizes and %d strides", size->ints.n,
                         stride->ints.n);
    }
    if (!sizes_numel(size->ints.v, size->ints.n, &numel)) {
        return error_set(r->err, ERR_invalid, "set_ to a negative size, or too many elements");
    }
    for (int d = 0; d < stride->ints.n; d++) {
        if (stride->ints.v[d] < 0) {
            return error_set(r->err, ERR_limit, "set_ with a negative stride");
        }
    }
    TRY(infer_contiguous(r, self->dtype, size->ints.v, size->ints.n));
    r->out[0].offset = offset;
    if (stride->ints.n > 0) {
        memcpy(r->out[0].stride, stride->ints.v, (size_t)stride->ints.n * sizeof *stride->ints.v);
    } else if (tensor_same_size(&r->out[0], self)) {
        dims_copy(r->out[0].stride, self->stride, self->ndim);
    }
    return ERR_none;
}

/* _bitcast: the elements of a dim as elements of another dtype, as many whole ones as they make. */
ErrCode infer_bitcast(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    DType to = call->arg[1].dtype;
    int64_t numel = 0;
    if (self->ndim != 1) {
        return error_set(r->err, ERR_invalid, "_bitcast expects one dim");
    }
    numel = self->size[0] * dtype_bytes(self->dtype) / dtype_bytes(to);
    return infer_contiguous(r, to, &numel, 1);
}
