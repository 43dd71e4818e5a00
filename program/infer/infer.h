/* Helpers that the inference functions share. Inference computes metadata only and reports every
 * error that does not depend on data. It makes its checks in PyTorch's order, because the first
 * error is the error of the program. */
#ifndef PROGRAM_INFER_H
#define PROGRAM_INFER_H

#include "program/ops/functions.h"

/* The call's single output: dtype, ndim, offset 0, no storage. The caller fills in sizes and
 * strides, which are indeterminate. */
static inline Tensor *infer_one(Infer *r, DType dtype, int ndim) {
    Tensor *t = arena_alloc_raw(r->arena, (int64_t)sizeof *t);
    t->dtype = dtype;
    t->ndim = ndim;
    t->offset = 0;
    t->storage = NULL;
    r->out = t;
    r->n = 1;
    return t;
}

/* Adds `n` outputs with indeterminate contents; ERR_limit above MAX_OUTPUTS. */
ErrCode infer_many(Infer *r, int64_t n);
/* Adds a row-major output of these sizes: ERR_invalid for a negative size, ERR_limit for an
 * overflow or too many dims. */
ErrCode infer_contiguous(Infer *r, DType dtype, const int64_t *size, int ndim);
/* Adds an output of `self`'s size with the strides of clone(self): self's strides if it is dense,
 * else dense strides in self's order of dims. */
ErrCode infer_cloned(Infer *r, const Tensor *self, DType dtype);
/* The index_* ops view self with index's length `n` and stride 0 along `dim`. If self has size 0
 * there, its storage may be too small for that view (ERR_invalid); that of the copy that a
 * functional op writes to is empty. A node of a graph has no storage: the write was checked when it
 * was captured. */
ErrCode infer_refuse_empty_dim(const Infer *r, const Tensor *self, int dim, int64_t n);
/* ERR_limit unless the product of max(size, 1) fits into int64 and ndim <= MAX_DIMS. Sizes must not
 * be negative. */
ErrCode sizes_fit(const int64_t *size, int ndim, Error *err);
/* Dense strides for `size` in TensorIterator's order of dims (semantics.md 7.1). `strides[k]` are
 * the strides of operand k, expanded to `size` with 0 in broadcast dims; the first operand for
 * which two dims differ decides their order. */
void ordered_strides(const int64_t *size, int ndim, const int64_t *const *strides, int n,
                     int64_t *out);

/* The argument for a parameter that only some ops have; NULL if this op has none of that name. */
static inline const Arg *call_arg(const Call *call, const char *name) {
    int k = op_param(call->op, name);
    return k < 0 ? NULL : &call->arg[k];
}
/* The dtype argument `name`, or `otherwise` if it is absent or None. */
static inline DType call_dtype(const Call *call, const char *name, DType otherwise) {
    const Arg *a = call_arg(call, name);
    return a && !a->none ? a->dtype : otherwise;
}

/* Does c10::Scalar::to<T> raise "value cannot be converted to type T without overflow"? */
bool scalar_overflows(Scalar s, DType dtype);
/* Reports scalar_overflows for a number that fills a tensor of `numel` elements. Since
 * half_overflow a single element of a half dtype is stored without that check. */
ErrCode filled_check(Scalar s, DType dtype, int64_t numel, Error *err);
/* Reports that error if scalar_overflows. */
ErrCode scalar_check(Scalar s, DType dtype, Error *err);
/* Has PyTorch's CPU build no kernel of this op for a half type (ops.def, NO_KERNEL)? */
bool half_missing(const Call *call, DType dtype);
/* ERR_dtype if so. */
ErrCode half_check(const Call *call, DType dtype, Error *err);

/* Are both operands of addcdiv's quotient integers? */
bool divides_integers(const Call *call);

/* searchsorted: the dtype in which the sequence and the values are compared. */
DType search_dtype(const Call *call);
/* ERR_dtype if they are compared as bools and there are any. */
ErrCode search_has_kernel(const Call *call, Error *err);

/* Dims to reduce as a bit set: wrapped, without duplicates (else ERR_invalid); no dims means
 * all. */
ErrCode reduced_dims(const Call *call, int ndim, unsigned *set, Error *err);

/* Adds the output of a reduction of self over the dims of the call; reduced dims stay with size 1
 * if `keepdim` is set. */
ErrCode infer_reduced(const Call *call, Infer *r, DType dtype);

/* Strides with which the `numel` elements of `self` can be viewed as `size`
 * (at::detail::computeStride); false if no view exists. */
bool view_strides(const Tensor *self, int64_t numel, const int64_t *size, int n, int64_t *stride);

/* ---- geometry of views ---- */

/* ERR_limit above MAX_DIMS. */
ErrCode dims_fit(int ndim, Error *err);
/* Copies dtype, sizes, strides and offset of self; no storage. */
void geometry_copy(Tensor *t, const Tensor *self);
/* Removes `dim` from sizes and strides. */
void geometry_remove_dim(Tensor *t, int dim);
/* A product of strides, and an offset `steps` along a dim. If one overflows, the dim has size 0 or
 * 1 and nothing is addressed; the result is then 1, or `offset` unchanged. */
int64_t geometry_stride(int64_t a, int64_t b);
int64_t geometry_offset(int64_t offset, int64_t steps, int64_t stride);

/* Geometry that both a view op and a *_scatter op use. `out` gets dtype, sizes, strides and offset
 * in self's storage. */
ErrCode geometry_select(const Tensor *self, int64_t dim, int64_t index, Tensor *out, Error *err);
ErrCode geometry_diagonal(const Tensor *self, int64_t offset, int64_t dim1, int64_t dim2,
                          Tensor *out, Error *err);
/* The position of one operand of cat or stack in the result: *part is a view of the result with the
 * operand's sizes. *at is 0 for the first operand and is advanced by each call. False for an empty
 * operand that cat skips. */
bool geometry_joined(const Call *call, const Tensor *result, const Tensor *operand, int64_t *at,
                     Tensor *part);
/* c10::is_channels_last_strides_2d and _3d, for 4 or 5 dims: channels (dim 1) vary fastest, the
 * batch slowest. */
bool is_channels_last(const Tensor *t);
/* Does a call of _take_space_grad refuse a gradient for its strides? */
bool take_space_grad_reads_layout(const Call *call);
/* Sets dense channels-last strides for the sizes of t. */
void channels_last_strides(Tensor *t);

/* The index in a dim of `size` > 0 elements from which a roll by `shift` starts to read: in [0,
 * size). */
int64_t roll_start(int64_t size, int64_t shift);
/* self as rot90 reads it: flipped (strides may be negative) and transposed. `turns` is in 0..3;
 * `dims` are valid. */
void geometry_rotated(const Tensor *self, int turns, const int64_t *dims, Tensor *out);
/* The number of quarter turns in 0..3 for any k. */
int rot90_turns(int64_t k);
/* The slice of self that constant_pad_nd keeps: negative pads crop. `*grows`: some pad is
 * positive. */
ErrCode geometry_cropped(const Tensor *self, const Arg *pad, Tensor *out, bool *grows, Error *err);
/* Is the result of a *_scatter op placed as self is, in a copy of all of its storage? (Not a node
 * of a graph, which has no storage.) */
bool scatter_keeps_layout(const Call *call);
/* Does a *_scatter op of eager PyTorch write some elements of its result more than once, because it
 * keeps a layout of self in which they share memory? Also asked of nodes of a graph. */
bool scatter_writes_overlap(const Call *call);
/* The view that a *_scatter op writes to, in the storage of a clone of self with the inferred
 * layout `like`. */
ErrCode geometry_scattered(const Call *call, const Tensor *like, Tensor *out, Error *err);

/* The call of the view that a call of a copy stands for (transpose of transpose_copy), of a
 * row-major self where view_copy reshapes. */
Call copied_view_call(const Call *call, Arena *arena);

/* How index tensors apply to a tensor (semantics.md 6.3): the analysis that index, _index_put and
 * their kernels share. */
typedef struct IndexPlan {
    int ndim;                 /* of the indexed result */
    int64_t size[MAX_DIMS];   /* of the indexed result */
    int64_t source[MAX_DIMS]; /* strides of self for each result dim; 0 on the index dims */
    int nindex;               /* defined index tensors */
    const Tensor *index[MAX_DIMS];
    int dim[MAX_DIMS]; /* the dim of self that each one indexes */
    int first,
        nbroadcast; /* result dims [first, first + nbroadcast) come from the broadcast indices */
} IndexPlan;
/* Plans indexing `self` by the list (one entry for each dim, NULL for None). Reports the errors of
 * at::index. */
ErrCode index_plan(const Tensor *self, const Arg *list, IndexPlan *p, Error *err);

#endif
