/* Kernels of ops with a vector of indices along one dim, which process one slice at a time:
 * index_select, index_add, index_copy, index_fill. */
#include "program/kernels/kernels.h"

/* Element j of a 1-d or 0-dim index tensor. */
static int64_t vector_at(const Tensor *index, int64_t j) {
    return element_int(index->storage->data, index->dtype,
                       index->offset + (index->ndim > 0 ? j * index->stride[0] : 0));
}

/* Reads all indices along `dim` of t. */
static ErrCode read_vector(const Call *call, const Tensor *t, int dim, int64_t **v, int64_t *n,
                           KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor;
    int64_t size = t->ndim > 0 ? t->size[dim] : 1;
    *n = tensor_numel(index);
    *v = arena_alloc_raw(k->arena, *n * (int64_t)sizeof **v);
    for (int64_t j = 0; j < *n; j++) {
        int64_t i = (*v)[j] = vector_at(index, j);
        if (i < 0 || i >= size) {
            return call->op->value_checks == VALUE_CHECK_VECTOR
                       ? index_out_of_range(i, size, k->err)
                       : error_set(k->err, call_index_error(call),
                                   "index out of range in self: %lld for size %lld", (long long)i,
                                   (long long)size);
        }
    }
    return ERR_none;
}

ErrCode kernel_index_select(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    bool nothing = self->ndim > 1 && tensor_numel(self) == 0;
    int64_t n, *v;
    TRY(read_vector(call, self, dim, &v, &n, k));
    if (self->ndim == 0) {
        if (n == 0) {
            k->undefined =
                "index_select of a 0-dim tensor with no index leaves its result unwritten";
        }
        kernel_start_from(to, self, k);
        return ERR_none;
    }
    Tensor target = *to, source = *self;
    target.size[dim] = source.size[dim] = 1;
    for (int64_t j = 0; j < n && !nothing; j++) {
        source.offset = self->offset + v[j] * self->stride[dim];
        tensor_copy_data(&target, &source, NULL);
        target.offset += to->stride[dim];
    }
    return ERR_none;
}

/* Views source with the size of `to`, where both have size 1 in `dim`. */
static Tensor slice_view(const Tensor *source, const Tensor *to, int dim) {
    int64_t strides[MAX_DIMS], size[MAX_DIMS];
    int own = source->ndim; /* walk both from the last dim and skip dim in each */
    for (int d = to->ndim - 1; d >= 0; d--) {
        size[d] = d == dim ? 1 : to->size[d];
        strides[d] = 0;
        if (d == dim) {
            continue;
        }
        own--;
        own -= own == dim;
        strides[d] = own >= 0 && source->size[own] != 1 ? source->stride[own] : 0;
    }
    return tensor_viewed_as(source, to->ndim, size, strides);
}

/* Slices of the result and of source, both with size 1 in dim. */
typedef struct Slices {
    Tensor to, from;
    int64_t to_step, from_step; /* distance between adjacent slices */
} Slices;

static Slices slices_of(const Tensor *to, const Tensor *source, int dim) {
    Slices s = {*to, slice_view(source, to, dim), to->ndim > 0 ? to->stride[dim] : 0,
                source->ndim > 0 ? source->stride[dim] : 0};
    if (to->ndim > 0) {
        s.to.size[dim] = 1;
    }
    return s;
}

/* A walk over slice `i` of the result and slice `j` of source. */
static Walk slices_walk(const Slices *s, int64_t i, int64_t j) {
    Tensor to = s->to, from = s->from;
    to.offset += i * s->to_step;
    from.offset += j * s->from_step;
    const Tensor *walked[2] = {&to, &from};
    return walk_start(to.size, to.ndim, walked, 2);
}

ErrCode kernel_index_add(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *source = call->arg[3].tensor, *to = out[0];
    Scalar alpha = call->arg[4].scalar;
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    if (tensor_numel(to) == 0 && to->ndim > 1 && since(index_add_of_nothing)) {
        return ERR_none;
    }
    int64_t n, *v;
    TRY(read_vector(call, to, dim, &v, &n, k));
    bool floating = dtype_is_float(to->dtype);
    double factor = floating ? scalar_as_double(alpha, to->dtype) : 0;
    int64_t int_factor = floating ? 0 : scalar_as_int(alpha, to->dtype);
    Slices s = slices_of(to, source, dim);
    Adder adder = adder_start(to, k->arena);
    for (int64_t j = 0; j < n; j++) {
        for (Walk w = slices_walk(&s, v[j], j); walk_more(&w); walk_next(&w)) {
            adder_add(&adder, w.at[0], source, w.at[1], factor, int_factor);
        }
    }
    adder_finish(&adder);
    return ERR_none;
}

ErrCode kernel_index_copy(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *source = call->arg[3].tensor, *to = out[0];
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    if (!tensor_has_slices(to, dim)) {
        return ERR_none; /* PyTorch does not check the index */
    }
    int64_t n, *v;
    TRY(read_vector(call, to, dim, &v, &n, k));
    Slices s = slices_of(to, source, dim);
    Writer writer = writer_start(to, k->arena);
    for (int64_t j = 0; j < n; j++) {
        for (Walk w = slices_walk(&s, v[j], j); walk_more(&w); walk_next(&w)) {
            writer_put(&writer, w.at[0], source, w.at[1]);
        }
    }
    if (writer.conflict) {
        k->undefined = "duplicate indices are given different values";
    }
    return ERR_none;
}

ErrCode kernel_index_fill(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor, *to = out[0];
    Scalar value;
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    if (call->op->param[3].type == ARG_TENSOR) {
        value = tensor_item(call->arg[3].tensor);
        TRY(scalar_check(value, to->dtype, k->err));
    } else {
        value = call->arg[3].scalar;
    }
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    int64_t size = to->ndim > 0 ? to->size[dim] : 1;
    bool visited = tensor_has_slices(to, dim);
    for (int64_t j = 0; j < tensor_numel(index); j++) {
        int64_t i = vector_at(index, j);
        bool outside = i < 0 || i >= size;
        if (visited && (i < -size || i >= size)) {
            return index_out_of_range(i, size, k->err);
        }
        if (outside && size > 0 &&
            call->op->param[3].type ==
                ARG_TENSOR) { /* the gradient of the value uses index_select */
            k->undefined = "an index that index_fill by a tensor takes, or does not look at, and "
                           "PyTorch's own derivative refuses";
        }
        if (!visited) {
            continue;
        }
        Tensor slice = *to;
        if (to->ndim > 0) {
            slice.size[dim] = 1;
            slice.offset += (i < 0 ? i + size : i) * to->stride[dim];
        }
        tensor_fill(&slice, value);
    }
    return ERR_none;
}
