/* Helpers that the kernels share. Kernels are plain loops over arbitrary strides in one of two
 * computation types, double and int64_t. A result element is accumulated in row-major order of the
 * operands and rounded once, so the result is the same on every machine. */
#ifndef PROGRAM_KERNELS_H
#define PROGRAM_KERNELS_H

#include "program/infer/infer.h"

static inline int64_t wrapping_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t wrapping_mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* The element at offset `at` of t's storage after a cast to the floating `dtype`. */
static inline double cast_double(const Tensor *t, int64_t at, DType dtype) {
    if (t->dtype != dtype && dtype != DT_float64) {
        double cell; /* room for one element of any dtype */
        element_cast(&cell, dtype, 0, t->storage->data, t->dtype, at);
        return element_double(&cell, dtype, 0);
    }
    return element_double(t->storage->data, t->dtype, at);
}
/* The same for an integer or bool dtype; an out-of-range float sets k->undefined. */
int64_t cast_int(const Tensor *t, int64_t at, DType dtype, KernelCtx *k);
/* A Scalar in the dtype's computation type, rounded or wrapped into the dtype. */
double scalar_as_double(Scalar s, DType dtype);
int64_t scalar_as_int(Scalar s, DType dtype);
/* The single element of a one-element tensor as a Scalar. */
Scalar tensor_item(const Tensor *t);

/* Is there room for element number `n` in a result whose first size was counted before?
 * ERR_internal if not: the values are others than those that were counted. */
ErrCode kernel_counted(const Tensor *out, int64_t n, Error *err);

/* `t` viewed with other sizes and strides (both of `ndim` entries); same storage and offset. */
Tensor tensor_viewed_as(const Tensor *t, int ndim, const int64_t *size, const int64_t *stride);
/* A dense array of `size` elements as a Tensor that a Walk can step through, with stride 0 along
 * the dims in `fixed` (bit set). It has no storage: walk offsets are indices into the array.
 * Returns the array's length in *length (may be NULL). */
Tensor tensor_over_array(const int64_t *size, int ndim, unsigned fixed, int64_t *length);

/* Adds into a dense `out`: in double for floating dtypes, rounded once by adder_finish; integers
 * wrap at each addition. */
typedef struct Adder {
    const Tensor *out;
    double *sum; /* by offset in out's storage relative to out's offset; NULL for integers */
    int64_t length;
} Adder;
/* adder_start begins with the current elements of out. adder_add adds factor * from[from_at]
 * (int_factor for integers) to out[at]; both are storage offsets. adder_finish must follow the
 * last adder_add. */
Adder adder_start(const Tensor *out, Arena *arena);
void adder_add(Adder *a, int64_t at, const Tensor *from, int64_t from_at, double factor,
               int64_t int_factor);
void adder_finish(Adder *a);

/* Overwrites elements of a dense `out` and detects elements that are written with two different
 * values. */
typedef struct Writer {
    const Tensor *out;
    unsigned char *written;
    bool conflict;
} Writer;
/* A writer of the dense tensor `out`; its marks are allocated in `arena`. */
Writer writer_start(const Tensor *out, Arena *arena);
/* out's element `at` = element `from_at` of `from`, which has the dtype of out. */
static inline void writer_put(Writer *w, int64_t at, const Tensor *from, int64_t from_at) {
    DType dtype = w->out->dtype;
    void *to = w->out->storage->data, *value = from->storage->data;
    unsigned char *mark = &w->written[at - w->out->offset];
    w->conflict = w->conflict || (*mark && !element_same(dtype, to, at, value, from_at));
    *mark = 1;
    element_copy(dtype, to, at, value, from_at);
}

/* out = self (cast), for ops that then write a part of out. */
void kernel_start_from(const Tensor *out, const Tensor *self, KernelCtx *k);
/* scatter_reduce.two; a half dtype is added and multiplied in float32 and rounded at the end if
 * `widens`, else after each step. */
ErrCode kernel_reduce_into(const Call *call, Tensor *const *out, KernelCtx *k, bool widens);
/* Reports ERR_index_range for an index into a dim of `size` elements. */
ErrCode index_out_of_range(int64_t index, int64_t size, Error *err);

#endif
