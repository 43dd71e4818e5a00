/* What kernels (kernels_*.c) share. Kernels are naive loops over any strides in one of two
 * computation types, double and int64_t; a result element is accumulated in row-major order of the
 * operands and rounded once, so its bits are the same everywhere. */
#ifndef PROGRAM_KERNELS_H
#define PROGRAM_KERNELS_H

#include "program/infer/infer.h"

static inline int64_t wrapping_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t wrapping_mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Element `at` of t's storage after a cast to `dtype`, a floating one. */
static inline double cast_double(const Tensor *t, int64_t at, DType dtype) {
    if (t->dtype != dtype && dtype != DT_float64) {
        double cell; /* room for one element of any dtype */
        element_cast(&cell, dtype, 0, t->storage->data, t->dtype, at);
        return element_double(&cell, dtype, 0);
    }
    return element_double(t->storage->data, t->dtype, at);
}
/* The same for an integer or bool dtype; a float out of its range sets k->undefined. */
int64_t cast_int(const Tensor *t, int64_t at, DType dtype, KernelCtx *k);
/* A Scalar in the dtype's computation type, rounded or wrapped into the dtype. */
double scalar_as_double(Scalar s, DType dtype);
int64_t scalar_as_int(Scalar s, DType dtype);
/* The single element of a one-element tensor as a Scalar. */
Scalar tensor_item(const Tensor *t);

/* `t` seen with other sizes and strides (both of `ndim`); same storage and offset. */
Tensor tensor_seen_as(const Tensor *t, int ndim, const int64_t *size, const int64_t *stride);
/* A dense array of `size` elements as something a Walk can step through, with stride 0 along the
 * dims in `fixed`. No storage: walk positions are indices into the array. Returns the array's
 * length in *length (may be NULL). */
Tensor tensor_over_array(const int64_t *size, int ndim, unsigned fixed, int64_t *length);

/* Adds into a dense `out`, in double for floating dtypes with one rounding at adder_finish;
 * integers wrap at once. */
typedef struct Adder {
    const Tensor *out;
    double *sum; /* by position in out's storage minus out's offset; NULL for integers */
    int64_t length;
} Adder;
Adder adder_start(const Tensor *out, Arena *arena);
void adder_add(Adder *a, int64_t at, const Tensor *from, int64_t from_at, double factor,
               int64_t int_factor);
void adder_finish(Adder *a);

/* Overwrites elements of a dense `out`, noticing an element that is given two different values. */
typedef struct Writer {
    const Tensor *out;
    unsigned char *written;
    bool conflict;
} Writer;
Writer writer_start(const Tensor *out, Arena *arena);
/* out's element `at` = element `from_at` of `from`, which has out's dtype. */
static inline void writer_put(Writer *w, int64_t at, const Tensor *from, int64_t from_at) {
    DType dtype = w->out->dtype;
    void *to = w->out->storage->data, *value = from->storage->data;
    unsigned char *mark = &w->written[at - w->out->offset];
    w->conflict = w->conflict || (*mark && !element_same(dtype, to, at, value, from_at));
    *mark = 1;
    element_copy(dtype, to, at, value, from_at);
}

/* out = self (cast), for ops that then write a part of it. */
void kernel_start_from(const Tensor *out, const Tensor *self, KernelCtx *k);
ErrCode index_out_of_range(int64_t index, int64_t size, Error *err);

#endif
