/* Storage and Tensor: (storage, sizes, strides, offset), PyTorch's model of strided memory.
 *
 *     storage   [ e0 e1 e2 e3 e4 e5 e6 ... ]        one dtype and one version counter, shared by
 * all views tensor    element (i0, i1, ..) is storage[offset + i0*stride[0] + i1*stride[1] + ..]
 *
 * A Tensor whose `storage` is NULL is metadata only; inference, the generator and capture use such
 * tensors. Executors embed Tensor as the first member of their own structures (a variable with
 * history, a graph node). Inference, derivative rules and kernels take plain Tensor pointers and do
 * not depend on those structures.
 *
 * Ownership: everything is allocated in the arena of the run. Sizes, strides and offsets are in
 * elements. */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H

#include "tensor/arena.h"
#include "tensor/dtype.h"

#include <string.h>

enum { MAX_DIMS = 16 };

/* Copies `ndim` sizes or strides between arrays of MAX_DIMS. Few tensors have more than 4 dims, and
 * 4 entries are two moves, so entries beyond the last dim may be copied too. */
static inline void dims_copy(int64_t *to, const int64_t *from, int ndim) {
    enum { USUAL = 4 };
    memcpy(to, from, USUAL * sizeof *to);
    if (ndim > USUAL) {
        memcpy(to + USUAL, from + USUAL, (MAX_DIMS - USUAL) * sizeof *to);
    }
}

typedef struct Storage {
    DType dtype;
    int64_t numel;
    void *data;      /* numel elements; never NULL, also for numel 0 */
    int64_t version; /* number of in-place writes; shared by all views, detach outputs and inputs on
                        one storage */
    int64_t writes;  /* compiled executor, of memory of its own: those of all counters */
    int64_t id;      /* order of creation in the run, for printing and deterministic order */
    double *value64; /* float64 shadow: the value in double (NULL: no shadow) */
    double *bound;   /* float64 shadow: error bound of each element; NaN: the value depends on an
                        inconclusive discrete choice */
    struct Storage
        *whole; /* this is the memory of that storage, read as another dtype (a view of
                   its bytes), or with another version counter; NULL: memory of its own */
    struct Storage *readings; /* of memory of its own: what reads it as other dtypes, or with other
                                 version counters, .. */
    struct Storage *next;     /* .. a list */
    struct Storage *counter;  /* of a tensor that set_ has put on this memory: the storage with its
                                 version counter; NULL: that of the memory */
} Storage;

/* The storage that owns the memory. */
static inline Storage *storage_whole(const Storage *s) {
    return s && s->whole ? s->whole : (Storage *)s;
}
/* Is it the same memory, perhaps read as another dtype? */
static inline bool storage_same(const Storage *a, const Storage *b) {
    return storage_whole(a) == storage_whole(b);
}

/* The storage that has the version counter of tensors on `s`. */
static inline Storage *storage_counter(const Storage *s) {
    return s && s->counter ? s->counter : storage_whole(s);
}
static inline int64_t *storage_version(const Storage *s) { return &storage_counter(s)->version; }

typedef struct Tensor {
    DType dtype;
    int ndim;
    int64_t offset;
    Storage *storage; /* NULL: metadata only */
    int64_t size[MAX_DIMS];
    int64_t stride[MAX_DIMS];
} Tensor;

/* Limits on what a program may allocate (format.md): elements of one tensor, live bytes in a
 * run. */
typedef struct Limits {
    int64_t max_elements;   /* 2^26 */
    int64_t max_bytes;      /* 2^28 */
    int64_t max_statements; /* 4096 */
} Limits;
#define LIMITS_DEFAULT ((Limits){(int64_t)1 << 26, (int64_t)1 << 28, 4096})

/* a*b and a+b with overflow detection: false and *out unchanged if the result does not fit. */
static inline bool checked_mul(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool checked_add(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

/* A new zeroed storage of numel elements in `arena`. */
Storage *storage_new(Arena *arena, DType dtype, int64_t numel);
/* The memory of `s` read as elements of `dtype` (as many whole ones as it has room for), with the
 * version counter of `s`: always the same one for a memory, a dtype and a counter. It has the
 * shadow of what reads the memory as this dtype already, or none yet. */
Storage *storage_as(Arena *arena, Storage *s, DType dtype);
/* The same, with the version counter of tensors on `counts`. */
Storage *storage_counted(Arena *arena, Storage *s, DType dtype, const Storage *counts);

/* Is no dim but perhaps `dim` empty? */
static inline bool tensor_has_slices(const Tensor *t, int dim) {
    for (int d = 0; d < t->ndim; d++) {
        if (d != dim && t->size[d] == 0) {
            return false;
        }
    }
    return true;
}

/* ---- geometry: metadata only ---- */
/* Product of sizes; 1 for a 0-dim tensor. The sizes were checked when the tensor was made. */
static inline int64_t tensor_numel(const Tensor *t) {
    int64_t numel = 1;
    for (int d = 0; d < t->ndim; d++) {
        numel *= t->size[d];
    }
    return numel;
}
/* As tensor_numel for unchecked sizes; false on a negative size or overflow. */
bool sizes_numel(const int64_t *size, int ndim, int64_t *numel);
/* Row-major strides (a size below 1 counts as 1, as in PyTorch). */
void contiguous_strides(const int64_t *size, int ndim, int64_t *stride);
/* Sets dtype, sizes, row-major strides, offset 0, no storage. */
void tensor_set_contiguous(Tensor *t, DType dtype, const int64_t *size, int ndim);
bool tensor_is_contiguous(const Tensor *t);
/* Is the tensor dense and without overlap: is some permutation of its dims contiguous (dims of size
 * 1 aside)? */
bool tensor_is_dense(const Tensor *t);
static inline bool sizes_equal(const int64_t *a, int na, const int64_t *b, int nb) {
    bool equal = na == nb;
    for (int d = 0; d < na && equal; d++) {
        equal = a[d] == b[d];
    }
    return equal;
}
static inline bool tensor_same_size(const Tensor *a, const Tensor *b) {
    return sizes_equal(a->size, a->ndim, b->size, b->ndim);
}
/* Do both have the same size, stride and offset? */
bool tensor_same_layout(const Tensor *a, const Tensor *b);
/* The same elements, read in the same way. */
static inline bool tensor_same_data(const Tensor *a, const Tensor *b) {
    return storage_same(a->storage, b->storage) && a->dtype == b->dtype && tensor_same_layout(a, b);
}
/* One past the furthest element that the tensor addresses in its storage: offset + sum
 * (size-1)*stride + 1, or 0 for an empty tensor. False on overflow. */
bool tensor_extent(const Tensor *t, int64_t *extent);
/* Can two index tuples address one location? As at::has_internal_overlap: YES only if some stride
 * is 0 with size > 1. */
typedef enum Overlap {
    OVERLAP_NO,
    OVERLAP_YES,
    OVERLAP_TOO_HARD,
    OVERLAP_PARTIAL,
    OVERLAP_FULL
} Overlap;
Overlap tensor_internal_overlap(const Tensor *t);
/* The exact answer: sorts strides, else enumerates; for tensors of up to several million
 * elements. */
bool tensor_overlaps_itself(const Tensor *t);
/* Is every location of `part` one of `whole`? Both in one storage, of one dtype. Enumerates. */
bool tensor_covers(const Tensor *whole, const Tensor *part);
/* As at::get_overlap_status between two tensors on storages: NO, FULL, PARTIAL or TOO_HARD. */
Overlap tensor_overlap_status(const Tensor *a, const Tensor *b);
/* Wraps a dim from [-n, n) to 0..n-1 (n is 1 for 0-dim tensors); ERR_index_range otherwise. */
ErrCode dim_wrap(int64_t dim, int ndim, int *wrapped, Error *err);
/* Broadcasts `size` with `other` into `size` in place (right-aligned); ERR_shape if they are
 * incompatible. */
ErrCode broadcast_into(int64_t *size, int *ndim, const int64_t *other, int other_ndim, Error *err);
/* Strides of `t` expanded to `size` (0 in broadcast dims); t must be expandable to it. */
void broadcast_strides(const Tensor *t, const int64_t *size, int ndim, int64_t *stride);
/* t.expand(size) as metadata on the same storage; ERR_shape if t is not expandable. -1 is not
 * supported. */
ErrCode tensor_expand(const Tensor *t, const int64_t *size, int ndim, Tensor *out, Error *err);

/* ---- the N-d walk ---- */
/* Visits all index tuples of `size` in row-major order and keeps one offset for each of up to
 * WALK_MAX tensors. Adjacent dims that are contiguous in all tensors are merged first, so most
 * walks are one or two loops. Element by element:
 *     for (Walk w = walk_start(..); walk_more(&w); walk_next(&w)) use(data, w.at[0], w.at[1]);
 * or a row at a time, where element i of the row is at w.at[k] + i * walk_steps(&w)[k]:
 *     for (Walk w = walk_start(..); walk_more(&w); walk_next_row(&w)) use_row(walk_row(&w), ..); */
enum { WALK_MAX = 6 };
typedef struct Walk {
    int count;              /* number of tensors; the other offsets stay 0 */
    int ndim;               /* merged dims; at least 1 */
    int64_t left;           /* tuples still to visit, including the current one */
    int64_t at[WALK_MAX];   /* offsets in elements of each storage */
    int64_t size[MAX_DIMS]; /* of merged dims, the row first */
    int64_t index[MAX_DIMS];
    int64_t stride[MAX_DIMS][WALK_MAX]; /* stride[0]: within a row; stride[d]: from the last row of
                                           the inner dims to the first row at the next index of d */
} Walk;
/* Initializes a walk over `size`; `tensors[k]` must be broadcastable to it. */
void walk_init(Walk *w, const int64_t *size, int ndim, const Tensor *const *tensors, int count);
/* The same by value: shorter, but copies a kilobyte. */
static inline Walk walk_start(const int64_t *size, int ndim, const Tensor *const *tensors,
                              int count) {
    Walk w;
    walk_init(&w, size, ndim, tensors, count);
    return w;
}
static inline bool walk_more(const Walk *w) { return w->left > 0; }
static inline int64_t walk_row(const Walk *w) { return w->size[0]; }
static inline const int64_t *walk_steps(const Walk *w) { return w->stride[0]; }
static inline void walk_add(Walk *w, int d, int64_t times) {
    int64_t *at = w->at;
    const int64_t *step = w->stride[d];
    int64_t at0 = at[0] + step[0] * times, at1 = at[1] + step[1] * times,
            at2 = at[2] + step[2] * times;
    int64_t at3 = at[3] + step[3] * times, at4 = at[4] + step[4] * times,
            at5 = at[5] + step[5] * times;
    at[0] = at0, at[1] = at1, at[2] = at2, at[3] = at3, at[4] = at4, at[5] = at5;
}
/* Advances from the start of a row to the start of the next. */
static inline void walk_next_row(Walk *w) {
    w->left -= walk_row(w);
    int d = 1;
    while (d < w->ndim && ++w->index[d] == w->size[d]) {
        w->index[d++] = 0;
    }
    if (d < w->ndim) {
        walk_add(w, d, 1);
    }
}
static inline void walk_next(Walk *w) {
    if (++w->index[0] < w->size[0]) {
        w->left--;
        walk_add(w, 0, 1);
        return;
    }
    w->index[0] = 0;
    walk_add(w, 0, 1 - w->size[0]);
    w->left += walk_row(w) - 1;
    walk_next_row(w);
}

/* ---- data ---- */
/* Allocates a zeroed storage for metadata `t` (as long as its extent) and attaches it with offset
 * 0. ERR_limit if `limits` (may be NULL) are exceeded. */
ErrCode tensor_allocate(Tensor *t, Arena *arena, const Limits *limits, Error *err);
/* to[...] = from[...], broadcasting `from` to `to`'s size and casting as torch does. They must not
 * overlap. `*out_of_range` (may be NULL) is set if a float to integer cast was undefined. */
void tensor_copy_data(const Tensor *to, const Tensor *from, bool *out_of_range);
/* Fills the addressed elements with a scalar converted to the dtype. */
void tensor_fill(const Tensor *t, Scalar value);
/* The single element of a one-element tensor. */
double tensor_item_double(const Tensor *t);
int64_t tensor_item_int(const Tensor *t);
/* Copies the elements in logical order to `out`, densely, in the tensor's dtype. */
void tensor_gather(const Tensor *t, void *out);
/* For a debugger: prints metadata and the first elements to standard error. */
void tensor_dump(const Tensor *t);

/* ---- fills (format.md) ---- */
typedef enum FillKind {
    FILL_zeros,
    FILL_ones,
    FILL_arange,
    FILL_dyadic,
    FILL_uniform,
    FILL_special,
    FILL_decimal,
    FILL_COUNT
} FillKind;
/* The name of a fill in the format, and its inverse (false if there is no such fill). */
const char *fill_name(FillKind kind);
bool fill_parse(const char *name, FillKind *kind);
/* Sets element i of the buffer to fill element i, for i in 0..numel-1. */
void fill_buffer(void *data, DType dtype, int64_t numel, FillKind kind, uint64_t seed);

#endif
