/* Inference of indexing by tensors: index, index_put, gather, scatter, index_select, index_add,
 * nonzero, and the *_scatter ops. Kernels check whether indices are in range; everything else is
 * checked here. */
#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

#include <string.h>

/* ---- index and _index_put (aten/src/ATen/native/TensorAdvancedIndexing.cpp) ---- */

/* Are the indexed dims adjacent? */
static bool indices_adjacent(const IndexPlan *p) {
    return p->nindex == 0 || p->dim[p->nindex - 1] - p->dim[0] == p->nindex - 1;
}

/* Broadcasts the index tensors to their common size. */
static ErrCode broadcast_indices(const IndexPlan *p, int64_t *size, int *ndim, Error *err) {
    *ndim = 0;
    for (int k = 0; k < p->nindex; k++) {
        Error shape;
        error_begin(&shape, true);
        if (broadcast_into(size, ndim, p->index[k]->size, p->index[k]->ndim, &shape) != ERR_none) {
            return error_set(err, ERR_shape,
                             "shape mismatch: indexing tensors could not be broadcast together");
        }
    }
    return ERR_none;
}

/* Collects the index tensors and the dims they index. */
static ErrCode collect_indices(const Tensor *self, const Arg *list, IndexPlan *p, Error *err) {
    if (list->tensors.n > self->ndim) {
        return error_set(err, ERR_index_range,
                         "too many indices for tensor of dimension %d (got %d)", self->ndim,
                         list->tensors.n);
    }
    p->nindex = 0;
    for (int d = 0; d < list->tensors.n; d++) {
        const Tensor *t = list->tensors.v[d];
        if (!t) {
            continue;
        }
        if (t->dtype != DT_int64 && !(t->dtype == DT_int32 && since(index_int32))) {
            return error_set(err, ERR_index_dtype,
                             "tensors used as indices must be long, byte or bool tensors");
        }
        p->dim[p->nindex] = d;
        p->index[p->nindex++] = t;
    }
    return ERR_none;
}

static void add_dim(IndexPlan *p, int64_t size, int64_t stride) {
    p->size[p->ndim] = size;
    p->source[p->ndim++] = stride;
}

ErrCode index_plan(const Tensor *self, const Arg *list, IndexPlan *p, Error *err) {
    TRY(collect_indices(self, list, p, err));
    int64_t size[MAX_DIMS];
    TRY(broadcast_indices(p, size, &p->nbroadcast, err));
    if (self->ndim - p->nindex + p->nbroadcast > MAX_DIMS) {
        return error_set(err, ERR_limit, "a tensor of %d dims is over the limit of %d",
                         self->ndim - p->nindex + p->nbroadcast, MAX_DIMS);
    }
    unsigned indexed = 0;
    for (int k = 0; k < p->nindex; k++) {
        indexed |= 1u << p->dim[k];
    }
    p->first = p->nindex > 0 && indices_adjacent(p) ? p->dim[0] : 0;
    p->ndim = 0;
    for (int d = 0; d < p->first; d++) {
        add_dim(p, self->size[d], self->stride[d]);
    }
    bool selects = true; /* do the indices select any element? */
    for (int d = 0; d < p->nbroadcast; d++) {
        add_dim(p, size[d], 0);
        selects = selects && size[d] != 0;
    }
    for (int d = p->first; d < self->ndim; d++) {
        if (!(indexed >> d & 1)) {
            add_dim(p, self->size[d], self->stride[d]);
        } else if (selects && self->size[d] == 0) {
            return error_set(err, ERR_index_range,
                             "index is out of bounds for dimension with size 0");
        }
    }
    return sizes_fit(p->size, p->ndim, err);
}

static ErrCode no_indices(Error *err) {
    return error_set(err, ERR_invalid, "an index needs at least one tensor");
}

/* Strides of an index tensor for computing the order of the result's dims: the tensor is expanded
 * to the broadcast size, then viewed with a dim of size 1 for every other dim of the result. */
static void index_strides(const IndexPlan *p, const Tensor *index, int64_t *stride) {
    Tensor expanded;
    expanded.ndim = p->nbroadcast;
    int64_t numel = 1, size[MAX_DIMS];
    for (int d = 0; d < p->ndim; d++) {
        bool own = d >= p->first && d < p->first + p->nbroadcast;
        size[d] = own ? p->size[d] : 1;
        numel *= size[d];
        if (own) {
            expanded.size[d - p->first] = size[d];
        }
    }
    broadcast_strides(index, expanded.size, expanded.ndim, expanded.stride);
    CHECK(view_strides(&expanded, numel, size, p->ndim, stride));
    for (int d = 0; d < p->ndim; d++) {
        stride[d] = size[d] == p->size[d] ? stride[d] : 0;
    }
}

/* Is the result empty, and do all operands of the TensorIterator have its size? They all count as
 * contiguous then (TensorIterator::fast_set_up). */
static bool indices_have_result_size(const IndexPlan *p) {
    bool empty = false, same = true;
    for (int d = 0; d < p->ndim; d++) {
        empty |= p->size[d] == 0;
        same &= p->size[d] == 1 || (d >= p->first && d < p->first + p->nbroadcast);
    }
    return empty && same;
}

/* The order of dims is that of a TensorIterator over self, with stride 0 in its indexed dims, and
 * the index tensors. */
ErrCode infer_index(const Call *call, Infer *r) {
    IndexPlan *p = arena_alloc_raw(r->arena, (int64_t)sizeof *p);
    TRY(index_plan(call->arg[0].tensor, &call->arg[1], p, r->err));
    r->index = p;
    if (p->nindex == 0 && tensor_numel(call->arg[0].tensor) > 0) {
        return no_indices(r->err);
    }
    int64_t buffer[MAX_DIMS][MAX_DIMS];
    const int64_t *strides[MAX_DIMS + 1];
    strides[0] = p->source;
    for (int k = 0; k < p->nindex; k++) {
        index_strides(p, p->index[k], buffer[k]);
        strides[k + 1] = buffer[k];
    }
    if (indices_have_result_size(p)) {
        return infer_contiguous(r, call->arg[0].tensor->dtype, p->size, p->ndim);
    }
    Tensor *t = infer_one(r, call->arg[0].tensor->dtype, p->ndim);
    dims_copy(t->size, p->size, p->ndim);
    ordered_strides(p->size, p->ndim, strides, p->nindex + 1, t->stride);
    return ERR_none;
}

static bool expands_to(const Tensor *t, const int64_t *size, int ndim) {
    int shift = ndim - t->ndim;
    for (int d = 0; d < t->ndim && shift >= 0; d++) {
        if (t->size[d] != 1 && t->size[d] != size[d + shift]) {
            return false;
        }
    }
    return shift >= 0;
}

ErrCode infer_index_put(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *values = call->arg[2].tensor;
    IndexPlan *p = arena_alloc_raw(r->arena, (int64_t)sizeof *p);
    TRY(index_plan(self, &call->arg[1], p, r->err));
    r->index = p;
    if (!expands_to(values, p->size, p->ndim)) {
        return error_set(r->err, ERR_shape,
                         "shape mismatch: value tensor cannot be broadcast to indexing result");
    }
    if (values->dtype != self->dtype) {
        return error_set(r->err, ERR_dtype,
                         "Index put requires the source and destination dtypes match, got %s for "
                         "the destination and %s for the source.",
                         dtype_name(self->dtype), dtype_name(values->dtype));
    }
    return p->nindex == 0 && tensor_numel(self) > 0 ? no_indices(r->err)
                                                    : infer_cloned(r, self, self->dtype);
}

/* ---- gather and scatter (ScatterGatherChecks.h) ---- */

/* ndim and size, with a 0-dim tensor treated as having one dim of size 1. */
static int dims_at_least_1(const Tensor *t) { return t->ndim > 0 ? t->ndim : 1; }
static int64_t size_at(const Tensor *t, int d) { return t->ndim > 0 ? t->size[d] : 1; }

static ErrCode check_index_dtype(const Call *call, const Tensor *index, Error *err) {
    if (index->dtype != DT_int64 && !(index->dtype == DT_int32 && since(gather_int32))) {
        return error_set(err, ERR_index_dtype, "%s(): Expected dtype int64 for index",
                         call->op->name);
    }
    return ERR_none;
}

static ErrCode check_index_dims(const Tensor *self, const Tensor *index, Error *err) {
    if (dims_at_least_1(self) != dims_at_least_1(index)) {
        return error_set(err, ERR_shape,
                         "Index tensor must have the same number of dimensions as self tensor");
    }
    return ERR_none;
}

ErrCode infer_gather(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor;
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, r->err));
    if (tensor_numel(index) > 0) {
        TRY(check_index_dtype(call, index, r->err));
        TRY(check_index_dims(self, index, r->err));
        for (int d = 0; d < dims_at_least_1(self); d++) {
            if (d != dim && size_at(index, d) > size_at(self, d)) {
                return error_set(r->err, ERR_shape,
                                 "Size does not match at dimension %d: expected index to be "
                                 "smaller than self apart from dimension %d",
                                 d, dim);
            }
        }
    }
    return infer_contiguous(r, self->dtype, index->size, index->ndim);
}

static ErrCode check_scatter_shape(const Tensor *self, const Tensor *index, const Tensor *src,
                                   int dim, Error *err) {
    TRY(check_index_dims(self, index, err));
    bool wrong = false;
    int n = dims_at_least_1(self);
    for (int d = 0; d < n; d++) {
        wrong = wrong || (d != dim && size_at(index, d) > size_at(self, d));
    }
    for (int d = 0; src && d < n && !wrong; d++) {
        if (src->ndim > 0 && d >= src->ndim) {
            return error_set(
                err, ERR_index_range,
                "Dimension out of range (expected to be in range of [%d, %d], but got %d)",
                -src->ndim, src->ndim - 1, d);
        }
        wrong = size_at(index, d) > size_at(src, d);
    }
    if (src && dims_at_least_1(src) != dims_at_least_1(index)) {
        return error_set(err, ERR_shape,
                         "Index tensor must have the same number of dimensions as src tensor");
    }
    if (wrong) {
        return error_set(err, ERR_shape,
                         "Expected index to be smaller than self apart from dimension %d%s", dim,
                         src ? " and to be smaller size than src" : "");
    }
    return ERR_none;
}

/* scatter in all its forms, scatter_add. */
ErrCode infer_scatter(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor;
    const Tensor *src = call->op->param[3].type == ARG_SCALAR ? NULL : call->arg[3].tensor;
    const Arg *reduce = call_arg(call, "reduce");
    bool some = tensor_numel(index) > 0;
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, r->err));
    if (some) {
        TRY(check_index_dtype(call, index, r->err));
    }
    if (src && src->dtype != self->dtype) {
        return error_set(r->err, ERR_dtype, "%s(): Expected self.dtype to be equal to src.dtype",
                         call->op->name);
    }
    if (some) {
        TRY(check_scatter_shape(self, index, src, dim, r->err));
    }
    if (reduce && call->op->id == OP_scatter_reduce_two) {
        static const char *const names[] = {"sum", "prod", "mean", "amax", "amin"};
        bool known = false;
        for (int k = 0; k < COUNT_OF(names); k++) {
            known |= strcmp(reduce->str, names[k]) == 0;
        }
        if (!known) {
            return error_set(r->err, ERR_invalid,
                             "reduce argument must be either sum, prod, mean, amax or amin.");
        }
        if (self->dtype == DT_bool &&
            strcmp(reduce->str, "mean") == 0) { /* PyTorch divides even if nothing was scattered */
            return error_set(r->err, ERR_dtype, "%s not implemented for 'Bool'",
                             some ? "\"scatter_gather_tensor_cpu_reduce_mean\""
                                  : "\"div_floor_cpu\"");
        }
    } else if (reduce && strcmp(reduce->str, "add") != 0 && strcmp(reduce->str, "multiply") != 0) {
        return error_set(r->err, ERR_invalid, "reduce argument must be either add or multiply.");
    }
    return infer_contiguous(r, self->dtype, self->size, self->ndim);
}

/* ---- a vector of indices along one dim ---- */

static ErrCode refuse_matrix(const Call *call, const Tensor *index, Error *err) {
    if (index->ndim > 1) {
        return error_set(err, ERR_invalid, "%s(): Index is supposed to be a vector",
                         call->op->name);
    }
    return ERR_none;
}

/* For dim 1 and for an empty self, index_select takes a path that reports another error than an
 * index error. */
ErrCode call_index_error(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    if (call->op->id == OP_embedding) { /* index_select along dim 0 */
        return tensor_numel(self) == 0 ? ERR_invalid : ERR_index_range;
    }
    if (call->op->id != OP_index_select || self->ndim < 2) {
        return ERR_index_range;
    }
    int64_t dim = call->arg[1].i;
    return dim == 1 || dim + self->ndim == 1 || tensor_numel(self) == 0 ? ERR_invalid
                                                                        : ERR_index_range;
}

static bool is_index_dtype(DType dtype) { return dtype == DT_int64 || dtype == DT_int32; }

ErrCode infer_index_select(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor;
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, r->err));
    TRY(refuse_matrix(call, index, r->err));
    if (!is_index_dtype(index->dtype)) {
        return error_set(r->err, ERR_index_dtype,
                         "index_select(): Expected dtype int32 or int64 for index");
    }
    int64_t size[MAX_DIMS], n = tensor_numel(index);
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    if (self->ndim > 0) {
        size[dim] = n;
    } else if (n != 1 && since(index_select_of_scalar)) {
        return error_set(r->err, ERR_invalid,
                         "index_select(): Index to scalar can have only 1 value, got %lld value(s)",
                         (long long)n);
    }
    if (self->ndim > 1 && n > 0 && self->size[dim] == 0) {
        return error_set(r->err, ERR_invalid,
                         "index_select(): self indexing axis dim should be positive");
    }
    return infer_contiguous(r, self->dtype, size, self->ndim);
}

/* source.select(dim, 0) must broadcast into self.select(dim, 0) without enlarging it. */
static ErrCode check_slices(const Tensor *self, const Tensor *source, int dim, Error *err) {
    Tensor own, other;
    TRY(geometry_select(self, dim, 0, &own, err));
    TRY(geometry_select(source, dim, 0, &other, err));
    int64_t size[MAX_DIMS];
    int ndim = own.ndim;
    memcpy(size, own.size, (size_t)ndim * sizeof *size);
    TRY(broadcast_into(size, &ndim, other.size, other.ndim, err));
    if (!sizes_equal(size, ndim, own.size, own.ndim)) {
        return error_set(
            err, ERR_shape,
            "output with the shape of a slice of self doesn't match the broadcast shape");
    }
    return ERR_none;
}

/* Self and source have the same sizes apart from `dim`. */
static ErrCode check_equal_slices(const Tensor *self, const Tensor *source, int dim, Error *err) {
    bool whole = self->ndim == 0 || source->ndim == 0, same = self->ndim == source->ndim;
    for (int d = 0; d < self->ndim && same; d++) {
        same = (d == dim && !whole) || self->size[d] == source->size[d];
    }
    return same ? ERR_none
                : error_set(err, ERR_shape,
                            "source tensor shape must match self tensor shape, excluding the "
                            "specified dimension");
}

ErrCode infer_index_add(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor,
                 *source = call->arg[3].tensor;
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, r->err));
    TRY(refuse_matrix(call, index, r->err));
    if (!is_index_dtype(index->dtype)) {
        return error_set(r->err, ERR_index_dtype,
                         "index_add_(): Expected dtype int32/int64 for index but got: %s",
                         dtype_name(index->dtype));
    }
    if (self->dtype != source->dtype) {
        return error_set(r->err, ERR_dtype,
                         "index_add_(): self (%s) and source (%s) must have the same scalar type",
                         dtype_name(self->dtype), dtype_name(source->dtype));
    }
    if (dim != 0 && dim >= source->ndim) {
        return error_set(
            r->err, ERR_index_range,
            "index_add_(): Indexing dim %d is out of bounds of the source tensor with dim %d", dim,
            source->ndim);
    }
    int64_t n = tensor_numel(index);
    if (source->ndim == 0 && n != 1) {
        return error_set(r->err, ERR_index_range,
                         "Dimension specified as 0 but tensor has no dimensions");
    }
    if (n != size_at(source, dim)) {
        return error_set(r->err, ERR_shape,
                         "index_add_(): Number of indices (%lld) should be equal to "
                         "source.size(dim): (%lld), for dim: %d",
                         (long long)n, (long long)size_at(source, dim), dim);
    }
    bool refused_later = r->in_place && tensor_internal_overlap(self) == OVERLAP_YES;
    if (since(index_add_slices)) {
        TRY(check_equal_slices(self, source, dim, r->err));
    } else if (refused_later) { /* before the kernel looks at slices */
    } else if (self->ndim > 1) {
        if (n > 0) {
            TRY(check_slices(self, source, dim, r->err));
        }
    } else if (source->ndim > 1) {
        return error_set(r->err, ERR_invalid,
                         "source.dim() (%d) must be one or zero for given self.dim() (%d)",
                         source->ndim, self->ndim);
    }
    if ((self->ndim <= 1 || n > 0) && !refused_later) {
        TRY(scalar_check(call->arg[4].scalar, self->dtype, r->err));
    }
    return infer_contiguous(r, self->dtype, self->size, self->ndim);
}

/* ---- nonzero ---- */

/* size [-1, self.ndim] and stride [1, 0]: the row count n is data-dependent. The caller that counts
 * sets size[0] = stride[1] = n. */
ErrCode infer_nonzero(const Call *call, Infer *r) {
    Tensor *t = infer_one(r, DT_int64, 2);
    t->size[0] = -1;
    t->size[1] = call->arg[0].tensor->ndim;
    t->stride[0] = 1;
    t->stride[1] = 0;
    return ERR_none;
}

/* ---- writing to a view of a copy ---- */

static bool scatters_into_layout(OpId id) {
    switch (id) {
    case OP_slice_scatter:
        return since(slice_scatter_keeps_layout);
    case OP_diagonal_scatter:
        return since(diagonal_scatter_keeps_offset);
    case OP_as_strided_scatter:
        return since(as_strided_scatter_offset);
    default:
        return since(scatter_keeps_layout);
    }
}

bool scatter_keeps_layout(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    Overlap overlap = tensor_internal_overlap(self);
    return scatters_into_layout(call->op->id) && self->storage && overlap != OVERLAP_YES &&
           (overlap == OVERLAP_NO || since(scatter_into_overlap) || !tensor_overlaps_itself(self));
}

bool scatter_writes_overlap(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    return since(scatter_into_overlap) && scatters_into_layout(call->op->id) &&
           tensor_internal_overlap(self) == OVERLAP_TOO_HARD && tensor_overlaps_itself(self);
}

ErrCode infer_view_scatter(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *src = call->arg[1].tensor;
    Tensor like, view;
    if (scatter_keeps_layout(call)) {
        TRY(sizes_fit(self->size, self->ndim, r->err));
        Tensor *t = infer_one(r, self->dtype, self->ndim);
        dims_copy(t->size, self->size, self->ndim);
        dims_copy(t->stride, self->stride, self->ndim);
        t->offset = self->offset;
        like = *self;
    } else {
        TRY(infer_cloned(r, self, self->dtype));
        like = *r->out;
    }
    TRY(geometry_scattered(call, &like, &view, r->err));
    if (!tensor_same_size(&view, src)) {
        return error_set(r->err, ERR_invalid,
                         "expected src to have a size equal to the slice of self");
    }
    if (tensor_internal_overlap(&view) == OVERLAP_YES) {
        return error_set(r->err, ERR_overlap,
                         "unsupported operation: more than one element of the written-to tensor "
                         "refers to a single memory location.");
    }
    return ERR_none;
}

/* The gradient of as_strided and of unfold: row-major, with the size of the input. */
ErrCode infer_as_strided_grad(const Call *call, Infer *r) {
    return infer_contiguous(r, call->arg[0].tensor->dtype, call->arg[1].ints.v,
                            call->arg[1].ints.n);
}
ErrCode infer_unfold_grad(const Call *call, Infer *r) { return infer_as_strided_grad(call, r); }
