/* Inside this folder: a layout is built dim by dim, the outermost first. */
#ifndef COMPILED_VIEWS_LAYOUT_H
#define COMPILED_VIEWS_LAYOUT_H

#include "compiled/views/index.h"
#include "compiled/views/views.h"

/* One call of a view op. A function of an op fills in out[0..n) and returns true, or false if the
 * call is refused. */
typedef struct ViewCall {
    const Compile *c;
    Arena *arena;
    const Call *call;
    const Tensor *self;
    Tensor *out;
    int n;
} ViewCall;

/* No dims yet, self's offset. */
static inline void layout_begin(Tensor *t, const Tensor *self) {
    t->dtype = self->dtype;
    t->ndim = 0;
    t->offset = self->offset;
    t->storage = NULL;
}
static inline void layout_add(Tensor *t, int64_t size, int64_t stride) {
    t->size[t->ndim] = size;
    t->stride[t->ndim++] = stride;
}
/* Dims first..end - 1 of self, unchanged. */
static inline void layout_keep(Tensor *t, const Tensor *self, int first, int end) {
    for (int d = first; d < end; d++) {
        layout_add(t, self->size[d], self->stride[d]);
    }
}
/* The first of self's outputs, begun; only one. */
static inline Tensor *layout_only(ViewCall *v) {
    v->n = 1;
    v->out = arena_alloc_raw(v->arena, (int64_t)sizeof *v->out);
    layout_begin(v->out, v->self);
    return v->out;
}

/* Where a stride or an offset overflows, the dim has at most one element, and nothing is addressed
 * by it: the stride is 1, and the offset stays. */
static inline int64_t stride_times(int64_t stride, int64_t n) {
    int64_t product;
    return __builtin_mul_overflow(stride, n, &product) ? 1 : product;
}
static inline int64_t offset_along(int64_t offset, int64_t stride, int64_t n) {
    int64_t distance, sum;
    return __builtin_mul_overflow(stride, n, &distance) ||
                   __builtin_add_overflow(offset, distance, &sum)
               ? offset
               : sum;
}
/* Do the sizes multiply to an int64, empty dims counted as one? */
bool layout_countable(const Tensor *t);

/* ---- slices.c ---- */
bool layout_select(const Tensor *self, int64_t dim, int64_t index, Tensor *out);
/* arg: dim, start, end, step. */
bool layout_slice(const Tensor *self, const Arg *arg, Tensor *out);
bool layout_diagonal(const Tensor *self, int64_t offset, int64_t dim1, int64_t dim2, Tensor *out);
/* arg: size, stride, storage_offset. `numel` elements in the storage; -1: it is not known. */
bool layout_as_strided(const Tensor *self, const Arg *arg, int64_t numel, Tensor *out);

/* ---- by op ---- */
bool view_of_alias(ViewCall *v);
bool view_of_transpose(ViewCall *v);
bool view_of_t(ViewCall *v);
bool view_of_permute(ViewCall *v);
bool view_of_movedim(ViewCall *v);
bool view_of_unsqueeze(ViewCall *v);
bool view_of_squeeze(ViewCall *v);
bool view_of_select(ViewCall *v);
bool view_of_slice(ViewCall *v);
bool view_of_narrow(ViewCall *v);
bool view_of_diagonal(ViewCall *v);
bool view_of_unfold(ViewCall *v);
bool view_of_as_strided(ViewCall *v);
bool view_of_pieces(ViewCall *v);
bool view_of_unbind(ViewCall *v);
bool view_of_view(ViewCall *v);
bool view_of_expand(ViewCall *v);
/* ---- of rows of kind STORAGE ---- */
bool view_of_reading(ViewCall *v);
bool view_of_resized(ViewCall *v);
bool view_of_source(ViewCall *v);
bool view_of_window(ViewCall *v);

#endif
