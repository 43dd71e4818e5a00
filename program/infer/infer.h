/* What inference functions (infer_*.c) share. Inference answers metadata only and reports every
 * refusal that does not depend on values; the order of its checks is PyTorch's, because the first
 * refusal is the program's error. */
#ifndef PROGRAM_INFER_H
#define PROGRAM_INFER_H

#include "program/ops/functions.h"

/* The call's one output: dtype, ndim, offset 0, no storage; sizes and strides are for the caller to
 * fill (they are indeterminate). */
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

/* `n` outputs, contents indeterminate; ERR_limit over MAX_OUTPUTS. */
ErrCode infer_many(Infer *r, int64_t n);
/* A row-major output of these sizes: a negative size is `invalid`, an overflow or too many dims
 * `limit`. */
ErrCode infer_contiguous(Infer *r, DType dtype, const int64_t *size, int ndim);
/* An output of `self`'s size with the strides of clone(self): kept if dense, else self's order of
 * dims, densely. */
ErrCode infer_cloned(Infer *r, const Tensor *self, DType dtype);
/* `limit` unless the product of max(size, 1) fits and the dims are at most MAX_DIMS; sizes are not
 * negative. */
ErrCode sizes_fit(const int64_t *size, int ndim, Error *err);
/* Dense strides for `size` in TensorIterator's order of dims (semantics.md 7.1): operands give
 * `strides[k]`, already brought to `size` with 0 on broadcast dims; the first operand with an
 * opinion decides. */
void ordered_strides(const int64_t *size, int ndim, const int64_t *const *strides, int n,
                     int64_t *out);

/* The argument of a parameter that not every row has; NULL if this one lacks it. */
static inline const Arg *call_arg(const Call *call, const char *name) {
    int k = op_param(call->op, name);
    return k < 0 ? NULL : &call->arg[k];
}
/* The dtype argument `name`, or `otherwise` where it is absent or None. */
static inline DType call_dtype(const Call *call, const char *name, DType otherwise) {
    const Arg *a = call_arg(call, name);
    return a && !a->none ? a->dtype : otherwise;
}

/* c10::Scalar::to<T>: true if it raises "value cannot be converted to type T without overflow". */
bool scalar_overflows(Scalar s, DType dtype);
ErrCode scalar_check(Scalar s, DType dtype, Error *err);
/* ERR_dtype where PyTorch's CPU has no kernel of this op for a half type (ops.def, NO_KERNEL). */
ErrCode half_check(const Call *call, DType dtype, Error *err);

/* searchsorted: the dtype in which sequence and values are compared. */
DType search_dtype(const Call *call);

/* Dims to reduce as a bit set: wrapped, without duplicates (`invalid`), none given = all. */
ErrCode reduced_dims(const Call *call, int ndim, unsigned *set, Error *err);

/* The output over the kept dims of a reduction of self; reduced ones stay with size 1 if `keepdim`
 * is requested. */
ErrCode infer_reduced(const Call *call, Infer *r, DType dtype);

/* Strides with which `self`, of `numel` elements, can be seen as `size`, of as many
 * (at::detail::computeStride); false if it can not. */
bool view_strides(const Tensor *self, int64_t numel, const int64_t *size, int n, int64_t *stride);

/* ---- geometry of views ---- */

/* `limit` over MAX_DIMS. */
ErrCode dims_fit(int ndim, Error *err);
/* Dtype, sizes, strides and offset of self; no storage. */
void geometry_copy(Tensor *t, const Tensor *self);
void geometry_remove_dim(Tensor *t, int dim);
/* A product of strides, an offset `steps` along a dim. Where they overflow nothing is addressed
 * (the dim has size 0 or 1), and the result is some number. */
int64_t geometry_stride(int64_t a, int64_t b);
int64_t geometry_offset(int64_t offset, int64_t steps, int64_t stride);

/* Geometry that both a view and a *_scatter row use; `out` gets dtype, size, stride, offset in
 * self's storage. */
ErrCode geometry_slice(const Tensor *self, int64_t dim, const Arg *start, const Arg *end,
                       int64_t step, Tensor *out, Error *err);
ErrCode geometry_select(const Tensor *self, int64_t dim, int64_t index, Tensor *out, Error *err);
ErrCode geometry_diagonal(const Tensor *self, int64_t offset, int64_t dim1, int64_t dim2,
                          Tensor *out, Error *err);
/* `numel` is the length of the storage, or -1 if it is not known (then the end is not checked). */
ErrCode geometry_as_strided(const Tensor *self, int64_t numel, const Arg *size, const Arg *stride,
                            int64_t offset, Tensor *out, Error *err);
/* Where the elements of an operand of a cat or stack lie in its result: *part has the operand's
 * sizes. *at is 0 for the first operand and goes on from one to the next. False for an empty
 * operand that cat passes over. */
bool geometry_joined(const Call *call, const Tensor *result, const Tensor *operand, int64_t *at,
                     Tensor *part);
/* c10::is_channels_last_strides_2d and _3d: of 4 or 5 dims, channels (dim 1) are the fastest but
 * the batch the slowest. */
bool is_channels_last(const Tensor *t);
/* Dense strides in that order for the sizes of t. */
void channels_last_strides(Tensor *t);

/* Where a roll by `shift` begins to read a dim of `size` > 0 elements: in [0, size). */
int64_t roll_start(int64_t size, int64_t shift);
/* self as rot90 reads it: flipped (strides may be negative) and transposed. `turns` in 0..3; `dims`
 * were checked. */
void geometry_rotated(const Tensor *self, int turns, const int64_t *dims, Tensor *out);
int rot90_turns(int64_t k);
/* The part of self that constant_pad_nd keeps: negative pads cut. `*grows`: some pad is
 * positive. */
ErrCode geometry_cropped(const Tensor *self, const Arg *pad, Tensor *out, bool *grows, Error *err);
/* The view that a *_scatter row writes, in the storage of a clone with self's inferred layout
 * `like`. */
ErrCode geometry_scattered(const Call *call, const Tensor *like, Tensor *out, Error *err);

/* How tensor indices meet a tensor (semantics.md 6.3): the one analysis behind index, _index_put
 * and their kernels. */
typedef struct IndexPlan {
    int ndim;                 /* of the indexed result */
    int64_t size[MAX_DIMS];   /* of the indexed result */
    int64_t source[MAX_DIMS]; /* strides of self for each result dim; 0 on the index dims */
    int nindex;               /* defined index tensors */
    const Tensor *index[MAX_DIMS];
    int dim[MAX_DIMS]; /* the dim of self that each indexes */
    int first,
        nbroadcast; /* result dims [first, first + nbroadcast) are those of the broadcast indices */
} IndexPlan;
/* Plans `self` indexed by the list (one entry a dim, NULL for None); refuses as index does. */
ErrCode index_plan(const Tensor *self, const Arg *list, IndexPlan *p, Error *err);

#endif
