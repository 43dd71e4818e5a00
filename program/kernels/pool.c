/* Kernels of pooling. A window is walked row by row; nan is greater than any number, and the last
 * of several nans is selected (DilatedMaxPool2d.cpp). */
#include "program/kernels/kernels.h"
#include "program/infer/pool.h"

#include <math.h>

/* The start of each plane (`t` of 3 or 4 dims without its last two), and the window's strides in
 * the plane. */
typedef struct Planes {
    Tensor starts;
    int64_t row, column;
} Planes;

static Planes planes_of(const Tensor *t) {
    Planes p = {*t, t->stride[t->ndim - 2], t->stride[t->ndim - 1]};
    p.starts.ndim -= 2;
    return p;
}

/* A walk over planes and, in each, over `rows` by `columns` windows, row by row. */
typedef struct Windows {
    Walk planes; /* at[k]: offset of the plane of tensor k */
    int64_t i, j, rows, columns;
} Windows;

static Windows windows_of(const Planes *a, const Planes *b, const Planes *c, int64_t rows,
                          int64_t columns) {
    const Tensor *walked[3] = {&a->starts, &b->starts, c ? &c->starts : NULL};
    Windows v = {walk_start(a->starts.size, a->starts.ndim, walked, c ? 3 : 2), 0, 0, rows,
                 columns};
    v.planes.left = rows > 0 && columns > 0 ? v.planes.left : 0;
    return v;
}
static bool windows_more(const Windows *v) { return walk_more(&v->planes); }
static void windows_next(Windows *v) {
    if (++v->j == v->columns) {
        v->j = 0;
        if (++v->i == v->rows) {
            v->i = 0;
            walk_next(&v->planes);
        }
    }
}
/* Offset of the current window's element in tensor k. */
static int64_t windows_at(const Windows *v, int k, const Planes *p) {
    return v->planes.at[k] + v->i * p->row + v->j * p->column;
}

/* First and end index (exclusive) of window `o` of dim d inside the plane, without dilation;
 * `*full` is the size of the window including its padding. */
static void kernel_pool_window(const Pool *p, int d, int64_t o, int64_t *from, int64_t *to,
                               int64_t *full) {
    *from = o * p->stride[d] - p->padding[d];
    *to = min_i64(*from + p->kernel[d], p->in[d] + p->padding[d]);
    *full = *to - *from;
    *from = max_i64(*from, 0);
    *to = min_i64(*to, p->in[d]);
}

/* The divisor of the sum over a window. */
static int64_t divisor_of(const Call *call, int64_t all, int64_t inside) {
    const Arg *divisor = call_arg(call, "divisor_override");
    return !divisor->none ? divisor->i : call_arg(call, "count_include_pad")->b ? all : inside;
}

ErrCode kernel_avg_pool2d(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    Pool p;
    TRY(pool_read(call, self, &p, k->err));
    Planes from = planes_of(self), into = planes_of(to);
    bool floating = dtype_is_float(self->dtype);
    for (Windows v = windows_of(&from, &into, NULL, p.out[0], p.out[1]); windows_more(&v);
         windows_next(&v)) {
        int64_t i0, i1, j0, j1, rows, columns, int_sum = 0;
        double sum = 0;
        kernel_pool_window(&p, 0, v.i, &i0, &i1, &rows);
        kernel_pool_window(&p, 1, v.j, &j0, &j1, &columns);
        for (int64_t y = i0; y < i1; y++) {
            for (int64_t x = j0; x < j1; x++) {
                int64_t at = v.planes.at[0] + y * from.row + x * from.column;
                sum += floating ? element_double(self->storage->data, self->dtype, at) : 0;
                int_sum =
                    floating
                        ? 0
                        : wrapping_add(int_sum, element_int(self->storage->data, self->dtype, at));
            }
        }
        bool empty = i0 >= i1 || j0 >= j1;
        int64_t at = windows_at(&v, 1, &into),
                divisor = empty ? 1 : divisor_of(call, rows * columns, (i1 - i0) * (j1 - j0));
        if (floating) {
            element_store_double(to->storage->data, to->dtype, at, sum / (double)divisor);
        } else {
            element_store_int(to->storage->data, to->dtype, at,
                              divisor == -1 ? wrapping_mul(int_sum, -1) : int_sum / divisor);
        }
    }
    return ERR_none;
}

/* Adds every element of grad, divided, to all elements of its window. */
ErrCode kernel_avg_pool2d_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *to = out[0];
    Pool p;
    TRY(pool_read(call, to, &p, k->err));
    Planes from = planes_of(grad), into = planes_of(to);
    tensor_fill(to, scalar_int(0));
    Adder adder = adder_start(to, k->arena);
    for (Windows v = windows_of(&from, &into, NULL, p.out[0], p.out[1]); windows_more(&v);
         windows_next(&v)) {
        int64_t i0, i1, j0, j1, rows, columns;
        kernel_pool_window(&p, 0, v.i, &i0, &i1, &rows);
        kernel_pool_window(&p, 1, v.j, &j0, &j1, &columns);
        int64_t at = windows_at(&v, 0, &from),
                divisor = divisor_of(call, rows * columns, (i1 - i0) * (j1 - j0));
        for (int64_t y = i0; y < i1; y++) {
            for (int64_t x = j0; x < j1; x++) {
                adder_add(&adder, v.planes.at[1] + y * into.row + x * into.column, grad, at,
                          1 / (double)divisor, 1);
            }
        }
    }
    adder_finish(&adder);
    return ERR_none;
}

/* The greatest element so far: of a floating dtype in `value`, of an integer one in `whole`. */
typedef struct Greatest {
    double value;
    int64_t whole;
} Greatest;
#define GREATEST_START                                                                             \
    { -INFINITY, INT64_MIN }

/* The index of the last of `count` elements, `step` apart, that is greater than all before it, or
 * -1 if there is none. */
static int64_t greatest(const Tensor *t, int64_t at, int64_t count, int64_t step, Greatest *best) {
    bool floating = dtype_is_float(t->dtype);
    int64_t found = -1;
    for (int64_t n = 0; n < count; n++, at += step) {
        double value = floating ? element_double(t->storage->data, t->dtype, at) : 0;
        int64_t whole = floating ? 0 : element_int(t->storage->data, t->dtype, at);
        if (floating ? value > best->value || isnan(value) : whole > best->whole) {
            *best = (Greatest){value, whole};
            found = n;
        }
    }
    return found;
}

/* First index of window `o` of dim d inside the plane, and the number of its elements that are
 * inside. */
static int64_t kernel_pool_spread(const Pool *p, int d, int64_t o, int64_t *count) {
    int64_t from = o * p->stride[d] - p->padding[d],
            to = min_i64(from + (p->kernel[d] - 1) * p->dilation[d] + 1, p->in[d]);
    if (from < 0) {
        from += (p->dilation[d] - 1 - from) / p->dilation[d] * p->dilation[d];
    }
    *count = to > from ? (to - from + p->dilation[d] - 1) / p->dilation[d] : 0;
    return from;
}

ErrCode kernel_max_pool2d_indices(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    Pool p;
    TRY(pool_read(call, self, &p, k->err));
    Planes from = planes_of(self), into = planes_of(to);
    for (Windows v = windows_of(&from, &into, NULL, p.out[0], p.out[1]); windows_more(&v);
         windows_next(&v)) {
        int64_t rows, columns, y = kernel_pool_spread(&p, 0, v.i, &rows),
                               x = kernel_pool_spread(&p, 1, v.j, &columns),
                               found = y * p.in[1] + x;
        Greatest best = GREATEST_START; /* the first element is selected unless one is greater */
        for (int64_t n = 0; n < rows; n++) {
            int64_t line = y + n * p.dilation[0];
            int64_t m = greatest(self, v.planes.at[0] + line * from.row + x * from.column, columns,
                                 p.dilation[1] * from.column, &best);
            found = m >= 0 ? line * p.in[1] + x + m * p.dilation[1] : found;
        }
        if (rows == 0 || columns == 0) {
            k->undefined = "a window of max_pool2d that lies outside of its plane";
            found = 0;
        }
        element_store_int(to->storage->data, to->dtype, windows_at(&v, 1, &into), found);
    }
    return ERR_none;
}

/* Offset of the current index in the plane of tensor k. */
static int64_t chosen_at(const Windows *v, const Tensor *indices, const Planes *chosen, int k,
                         const Planes *p, int64_t columns) {
    int64_t n = element_int(indices->storage->data, indices->dtype, windows_at(v, 2, chosen));
    return v->planes.at[k] + n / columns * p->row + n % columns * p->column;
}

ErrCode kernel_take_plane(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *self = call->arg[0].tensor, *indices = call->arg[1].tensor, *to = out[0];
    Planes from = planes_of(self), into = planes_of(to), chosen = planes_of(indices);
    int64_t columns = self->size[self->ndim - 1];
    for (Windows v =
             windows_of(&from, &into, &chosen, to->size[to->ndim - 2], to->size[to->ndim - 1]);
         windows_more(&v); windows_next(&v)) {
        int64_t at = chosen_at(&v, indices, &chosen, 0, &from, columns);
        element_cast(to->storage->data, to->dtype, windows_at(&v, 1, &into), self->storage->data,
                     self->dtype, at);
    }
    return ERR_none;
}

/* Adds every element of grad at the offset that its index selects. */
ErrCode kernel_max_pool2d_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *indices = call->arg[2].tensor, *to = out[0];
    Planes from = planes_of(grad), into = planes_of(to), chosen = planes_of(indices);
    int64_t columns = to->size[to->ndim - 1];
    tensor_fill(to, scalar_int(0));
    Adder adder = adder_start(to, k->arena);
    for (Windows v = windows_of(&from, &into, &chosen, grad->size[grad->ndim - 2],
                                grad->size[grad->ndim - 1]);
         windows_more(&v); windows_next(&v)) {
        adder_add(&adder, chosen_at(&v, indices, &chosen, 1, &into, columns), grad,
                  windows_at(&v, 0, &from), 1, 1);
    }
    adder_finish(&adder);
    return ERR_none;
}

ErrCode kernel_max_pool1d(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    Pool p = {.kernel = {1, call->arg[1].i},
              .stride = {1, call->arg[2].i},
              .padding = {0, call->arg[3].i},
              .dilation = {1, call->arg[4].i}};
    p.in[1] = self->size[self->ndim - 1];
    Tensor lines = *to, from = *self; /* the first element of each line */
    lines.ndim = 2;
    from.ndim = 2;
    from.size[0] = to->size[0];
    from.size[1] = to->size[1];
    from.stride[0] = self->ndim == 3 ? self->stride[0] : 0;
    from.stride[1] = self->stride[self->ndim - 2];
    int64_t step = self->stride[self->ndim - 1];
    const Tensor *walked[2] = {&from, &lines};
    for (Walk w = walk_start(lines.size, 2, walked, 2); walk_more(&w); walk_next(&w)) {
        for (int64_t j = 0; j < to->size[2]; j++) {
            int64_t count, x = kernel_pool_spread(&p, 1, j, &count);
            Greatest best = GREATEST_START;
            (void)greatest(self, w.at[0] + x * step, count, p.dilation[1] * step, &best);
            k->undefined =
                count == 0 ? "a window of max_pool1d that lies outside of its line" : k->undefined;
            element_store_double(to->storage->data, to->dtype, w.at[1] + j * to->stride[2],
                                 best.value);
        }
    }
    return ERR_none;
}
