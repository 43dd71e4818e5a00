/* Kernels of adaptive pooling, of pooling over three dims, of im2col and of col2im. Nan is greater
 * than any number, and the last of several nans is selected. */
#include "program/infer/pool.h"
#include "program/kernels/kernels.h"

#include <math.h>

/* Counts through the indices below `size`; false behind the last. */
static bool space_next(const int64_t *size, int n, int64_t *at) {
    for (int d = n - 1; d >= 0; d--) {
        if (++at[d] < size[d]) {
            return true;
        }
        at[d] = 0;
    }
    return false;
}

/* `t` without its last `n` dims. */
static Tensor space_starts(const Tensor *t, int n) {
    Tensor starts = *t;
    starts.ndim -= n;
    return starts;
}

static int64_t space_offset(const Tensor *t, int n, const int64_t *at) {
    int64_t offset = 0;
    for (int d = 0; d < n; d++) {
        offset += at[d] * t->stride[t->ndim - n + d];
    }
    return offset;
}

/* The window of the output element `at`: first elements, counts, and the sizes with padding. */
typedef struct SpaceWindow {
    int64_t from[3], count[3], all[3];
    bool empty;
    int64_t inside, whole; /* elements */
} SpaceWindow;

static SpaceWindow space_window(const PoolSpace *p, const int64_t *at) {
    SpaceWindow w = {.inside = 1, .whole = 1};
    for (int d = 0; d < p->n; d++) {
        w.from[d] = pool_dim_window(&p->dim[d], at[d], &w.count[d], &w.all[d]);
        w.empty = w.empty || w.count[d] <= 0;
        w.inside *= w.count[d];
        w.whole *= w.all[d];
    }
    return w;
}

/* The offset of element `i` of a window in the plane of `t`. */
static int64_t space_at(const Tensor *t, const PoolSpace *p, const SpaceWindow *w,
                        const int64_t *i) {
    int64_t at[3] = {0};
    for (int d = 0; d < p->n; d++) {
        at[d] = w->from[d] + i[d] * (p->dim[d].adaptive ? 1 : p->dim[d].dilation);
    }
    return space_offset(t, p->n, at);
}

static int64_t space_divisor(const Call *call, const SpaceWindow *w) {
    const Arg *divisor = call_arg(call, "divisor_override"),
              *padded = call_arg(call, "count_include_pad");
    return divisor && !divisor->none ? divisor->i : !padded || padded->b ? w->whole : w->inside;
}

static void average_window(const Call *call, const PoolSpace *p, const SpaceWindow *w,
                           const Tensor *self, int64_t start, const Tensor *to, int64_t at) {
    int64_t i[3] = {0}, whole = 0, divisor = w->empty ? 1 : space_divisor(call, w);
    double sum = 0;
    bool floating = dtype_is_float(self->dtype), more = !w->empty;
    for (; more; more = space_next(w->count, p->n, i)) {
        int64_t from = start + space_at(self, p, w, i);
        if (floating) {
            sum += element_double(self->storage->data, self->dtype, from);
        } else {
            whole = wrapping_add(whole, element_int(self->storage->data, self->dtype, from));
        }
    }
    if (floating) {
        element_store_double(to->storage->data, to->dtype, at, sum / (double)divisor);
    } else {
        element_store_int(to->storage->data, to->dtype, at,
                          divisor == -1 ? wrapping_mul(whole, -1) : whole / divisor);
    }
}

static ErrCode space_average(const Call *call, const Tensor *to, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    PoolSpace p;
    TRY(pool_space_read(call, self, &p, k->err));
    Tensor from = space_starts(self, p.n), into = space_starts(to, p.n);
    const Tensor *walked[2] = {&from, &into};
    if (tensor_numel(to) == 0) {
        return ERR_none;
    }
    for (Walk v = walk_start(from.size, from.ndim, walked, 2); walk_more(&v); walk_next(&v)) {
        int64_t at[3] = {0};
        do {
            SpaceWindow w = space_window(&p, at);
            average_window(call, &p, &w, self, v.at[0], to, v.at[1] + space_offset(to, p.n, at));
        } while (space_next(&to->size[to->ndim - p.n], p.n, at));
    }
    return ERR_none;
}

ErrCode kernel_avg_pool3d(const Call *call, Tensor *const *out, KernelCtx *k) {
    return space_average(call, out[0], k);
}
ErrCode kernel_adaptive_avg_pool(const Call *call, Tensor *const *out, KernelCtx *k) {
    return space_average(call, out[0], k);
}

/* Adds every element of grad, divided, to all elements of its window. */
static ErrCode space_average_grad(const Call *call, const Tensor *to, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor;
    PoolSpace p;
    TRY(pool_space_read(call, to, &p, k->err));
    Tensor from = space_starts(grad, p.n), into = space_starts(to, p.n);
    const Tensor *walked[2] = {&from, &into};
    tensor_fill(to, scalar_int(0));
    if (tensor_numel(grad) == 0) {
        return ERR_none;
    }
    Adder adder = adder_start(to, k->arena);
    for (Walk v = walk_start(from.size, from.ndim, walked, 2); walk_more(&v); walk_next(&v)) {
        int64_t at[3] = {0};
        do {
            SpaceWindow w = space_window(&p, at);
            int64_t i[3] = {0}, own = v.at[0] + space_offset(grad, p.n, at);
            bool more = !w.empty;
            for (; more; more = space_next(w.count, p.n, i)) {
                adder_add(&adder, v.at[1] + space_at(to, &p, &w, i), grad, own,
                          1 / (double)space_divisor(call, &w), 1);
            }
        } while (space_next(&grad->size[grad->ndim - p.n], p.n, at));
    }
    adder_finish(&adder);
    return ERR_none;
}

ErrCode kernel_avg_pool3d_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    return space_average_grad(call, out[0], k);
}
ErrCode kernel_adaptive_avg_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    return space_average_grad(call, out[0], k);
}

/* Is element `a` of t greater than element `b`, or nan? */
static bool space_greater(const Tensor *t, int64_t a, int64_t b) {
    if (dtype_is_float(t->dtype)) {
        double x = element_double(t->storage->data, t->dtype, a),
               y = element_double(t->storage->data, t->dtype, b);
        return x > y || isnan(x);
    }
    return element_int(t->storage->data, t->dtype, a) > element_int(t->storage->data, t->dtype, b);
}

/* The index in the plane of the greatest element of a window. */
static int64_t space_greatest(const PoolSpace *p, const SpaceWindow *w, const Tensor *self,
                              int64_t start) {
    int64_t i[3] = {0}, best[3] = {0}, index = 0;
    bool more = true;
    for (; more; more = space_next(w->count, p->n, i)) {
        if (space_greater(self, start + space_at(self, p, w, i),
                          start + space_at(self, p, w, best))) {
            memcpy(best, i, sizeof best);
        }
    }
    for (int d = 0; d < p->n; d++) {
        int64_t step = p->dim[d].adaptive ? 1 : p->dim[d].dilation;
        index = index * p->dim[d].in + w->from[d] + best[d] * step;
    }
    return index;
}

static ErrCode space_indices(const Call *call, const Tensor *to, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    PoolSpace p;
    TRY(pool_space_read(call, self, &p, k->err));
    Tensor from = space_starts(self, p.n), into = space_starts(to, p.n);
    const Tensor *walked[2] = {&from, &into};
    if (tensor_numel(to) == 0) {
        return ERR_none;
    }
    for (Walk v = walk_start(from.size, from.ndim, walked, 2); walk_more(&v); walk_next(&v)) {
        int64_t at[3] = {0};
        do {
            SpaceWindow w = space_window(&p, at);
            if (w.empty) {
                k->undefined = "a window of max_pool3d that lies outside of the input";
            }
            element_store_int(to->storage->data, to->dtype, v.at[1] + space_offset(to, p.n, at),
                              w.empty ? 0 : space_greatest(&p, &w, self, v.at[0]));
        } while (space_next(&to->size[to->ndim - p.n], p.n, at));
    }
    return ERR_none;
}

ErrCode kernel_max_space_indices(const Call *call, Tensor *const *out, KernelCtx *k) {
    return space_indices(call, out[0], k);
}
ErrCode kernel_adaptive_max_indices(const Call *call, Tensor *const *out, KernelCtx *k) {
    return space_indices(call, out[0], k);
}

/* The offset that `index` has in the plane of the last `n` dims of t. */
static int64_t space_unflattened(const Tensor *t, int n, int64_t index) {
    int64_t offset = 0;
    for (int d = t->ndim - 1; d >= t->ndim - n; d--) {
        offset += index % t->size[d] * t->stride[d];
        index /= t->size[d];
    }
    return offset;
}

/* Copies the elements of `wide` at the indices to `narrow`; with an adder, adds narrow to wide. */
static void space_exchange(const Tensor *wide, const Tensor *narrow, const Tensor *indices, int n,
                           Adder *adder) {
    Tensor planes = space_starts(wide, n), small = space_starts(narrow, n),
           chosen = space_starts(indices, n);
    const Tensor *walked[3] = {&planes, &small, &chosen};
    if (tensor_numel(narrow) == 0) {
        return;
    }
    for (Walk v = walk_start(planes.size, planes.ndim, walked, 3); walk_more(&v); walk_next(&v)) {
        int64_t at[3] = {0};
        do {
            int64_t own = v.at[1] + space_offset(narrow, n, at),
                    index = element_int(indices->storage->data, indices->dtype,
                                        v.at[2] + space_offset(indices, n, at)),
                    there = v.at[0] + space_unflattened(wide, n, index);
            if (adder) {
                adder_add(adder, there, narrow, own, 1, 1);
            } else {
                element_cast(narrow->storage->data, narrow->dtype, own, wide->storage->data,
                             wide->dtype, there);
            }
        } while (space_next(&narrow->size[narrow->ndim - n], n, at));
    }
}

ErrCode kernel_take_space(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    space_exchange(call->arg[0].tensor, out[0], call->arg[1].tensor, (int)call->arg[2].i, NULL);
    return ERR_none;
}

ErrCode kernel_take_space_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    tensor_fill(out[0], scalar_int(0));
    Adder adder = adder_start(out[0], k->arena);
    space_exchange(out[0], call->arg[0].tensor, call->arg[2].tensor, (int)call->arg[3].i, &adder);
    adder_finish(&adder);
    return ERR_none;
}

/* ---- im2col, col2im ---- */

/* One channel's plane and its columns: copies, or with an adder adds columns to the plane. */
static void columns_exchange(const Columns *c, const Tensor *plane, int64_t start,
                             const Tensor *column, int64_t first, Adder *adder) {
    const int64_t size[4] = {c->kernel[0], c->kernel[1], c->blocks[0], c->blocks[1]};
    const int64_t *rows = &column->stride[column->ndim - 2],
                  *steps = &plane->stride[plane->ndim - 2];
    int64_t i[4] = {0};
    do {
        int64_t y = i[2] * c->stride[0] - c->padding[0] + i[0] * c->dilation[0],
                x = i[3] * c->stride[1] - c->padding[1] + i[1] * c->dilation[1],
                at = first + (i[0] * c->kernel[1] + i[1]) * rows[0] +
                     (i[2] * c->blocks[1] + i[3]) * rows[1];
        if (y < 0 || y >= c->plane[0] || x < 0 || x >= c->plane[1]) {
            continue; /* a zero */
        }
        int64_t there = start + y * steps[0] + x * steps[1];
        if (adder) {
            adder_add(adder, there, column, at, 1, 1);
        } else {
            element_cast(column->storage->data, column->dtype, at, plane->storage->data,
                         plane->dtype, there);
        }
    } while (space_next(size, 4, i));
}

static ErrCode columns_run(const Call *call, const Tensor *plane, const Tensor *column,
                           Adder *adder, KernelCtx *k) {
    Columns c;
    TRY(columns_read(call, &c, k->err));
    TRY(columns_count(&c, &plane->size[plane->ndim - 2], k->err));
    bool batched = plane->ndim == 4;
    int64_t area = c.kernel[0] * c.kernel[1];
    for (int64_t n = 0; n < (batched ? plane->size[0] : 1); n++) {
        for (int64_t channel = 0; channel < plane->size[plane->ndim - 3]; channel++) {
            columns_exchange(&c, plane,
                             plane->offset + (batched ? n * plane->stride[0] : 0) +
                                 channel * plane->stride[plane->ndim - 3],
                             column,
                             column->offset + (batched ? n * column->stride[0] : 0) +
                                 channel * area * column->stride[column->ndim - 2],
                             adder);
        }
    }
    return ERR_none;
}

ErrCode kernel_im2col(const Call *call, Tensor *const *out, KernelCtx *k) {
    tensor_fill(out[0], scalar_int(0));
    return columns_run(call, call->arg[0].tensor, out[0], NULL, k);
}

ErrCode kernel_col2im(const Call *call, Tensor *const *out, KernelCtx *k) {
    tensor_fill(out[0], scalar_int(0));
    Adder adder = adder_start(out[0], k->arena);
    TRY(columns_run(call, out[0], call->arg[0].tensor, &adder, k));
    adder_finish(&adder);
    return ERR_none;
}
