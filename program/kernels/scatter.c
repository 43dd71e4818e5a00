/* Kernels of gather and of the scatter ops. A Walk steps over the index tensor, over the indexed
 * tensor with stride 0 along `dim`, and over the other tensor. The index read at each step is added
 * to the offset in the indexed tensor. */
#include "program/kernels/kernels.h"

#include <math.h>

/* The walk over index; at[] are offsets in the indexed tensor (its first along `dim`), in index,
 * and in the other tensor. */
typedef struct Along {
    const Tensor *index;
    int64_t size, stride; /* of the indexed tensor along `dim` */
    Walk w;
} Along;

/* `t` viewed with index's size and t's strides, but with stride 0 along dim `fixed_dim` (-1: none).
 */
static Tensor index_view(const Tensor *t, const Tensor *index, int fixed_dim) {
    int64_t strides[MAX_DIMS];
    for (int d = 0; d < index->ndim; d++) {
        strides[d] = d == fixed_dim || t->ndim == 0 ? 0 : t->stride[d];
    }
    return tensor_viewed_as(t, index->ndim, index->size, strides);
}

/* `t` is the indexed tensor; the walk covers as many elements of `other` as index has. */
static ErrCode along_start(const Call *call, const Tensor *t, const Tensor *other, Along *a,
                           KernelCtx *k) {
    int dim;
    TRY(dim_wrap(call->arg[1].i, t->ndim, &dim, k->err));
    a->index = call->arg[2].tensor;
    a->size = t->ndim > 0 ? t->size[dim] : 1;
    a->stride = t->ndim > 0 ? t->stride[dim] : 0;
    a->w.left = 0; /* an empty index may have other dims */
    if (tensor_numel(a->index) > 0) {
        Tensor target = index_view(t, a->index, dim), part = index_view(other, a->index, -1);
        const Tensor *walked[3] = {&target, a->index, &part};
        walk_init(&a->w, a->index->size, a->index->ndim, walked, 3);
    }
    return ERR_none;
}

/* The offset that the current index selects. */
static ErrCode along_offset(const Along *a, int64_t *at, Error *err) {
    int64_t i = element_int(a->index->storage->data, a->index->dtype, a->w.at[1]);
    bool inside = i >= 0 && i < a->size;
    *at = inside ? a->w.at[0] + i * a->stride : 0;
    return inside ? ERR_none : index_out_of_range(i, a->size, err);
}

ErrCode kernel_gather(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    Along a;
    TRY(along_start(call, self, to, &a, k));
    for (; walk_more(&a.w); walk_next(&a.w)) {
        int64_t at;
        TRY(along_offset(&a, &at, k->err));
        element_cast(to->storage->data, to->dtype, a.w.at[2], self->storage->data, self->dtype, at);
    }
    return ERR_none;
}

/* scatter.src, scatter.value. */
ErrCode kernel_scatter(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *to = out[0];
    bool by_value = call->op->param[3].type == ARG_SCALAR;
    const Tensor *src = by_value ? to : call->arg[3].tensor;
    Along a;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(along_start(call, to, src, &a, k));
    Writer writer = writer_start(to, k->arena);
    for (; walk_more(&a.w); walk_next(&a.w)) {
        int64_t at;
        TRY(along_offset(&a, &at, k->err));
        TRY(by_value ? scalar_check(call->arg[3].scalar, to->dtype, k->err) : ERR_none);
        if (!by_value) {
            writer_put(&writer, at, src, a.w.at[2]);
        } else if (dtype_is_float(to->dtype)) {
            element_store_double(to->storage->data, to->dtype, at,
                                 scalar_to_double(call->arg[3].scalar));
        } else {
            element_store_int(to->storage->data, to->dtype, at,
                              scalar_as_int(call->arg[3].scalar, to->dtype));
        }
    }
    if (writer.conflict) {
        k->undefined = "duplicate indices are given different values without accumulate";
    }
    return ERR_none;
}

ErrCode kernel_scatter_add(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *src = call->arg[3].tensor, *to = out[0];
    Along a;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(along_start(call, to, src, &a, k));
    Adder adder = adder_start(to, k->arena);
    for (; walk_more(&a.w); walk_next(&a.w)) {
        int64_t at;
        TRY(along_offset(&a, &at, k->err));
        adder_add(&adder, at, src, a.w.at[2], 1, 1);
    }
    adder_finish(&adder);
    return ERR_none;
}

/* A half dtype's elements as float32, in which its steps are computed (create_acc_buffer of
 * aten/src/ATen/native/cpu/ScatterGatherKernel.cpp); NULL where the dtype itself will do. */
static float *wide_start(const Tensor *to, Arena *arena) {
    if (!dtype_is_float(to->dtype) || dtype_bytes(to->dtype) >= 4 || !since(scatter_wide)) {
        return NULL;
    }
    float *wide = arena_array(arena, float, to->offset + tensor_numel(to));
    const Tensor *walked[1] = {to};
    for (Walk w = walk_start(to->size, to->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        wide[w.at[0]] = (float)element_double(to->storage->data, to->dtype, w.at[0]);
    }
    return wide;
}

static void wide_finish(const Tensor *to, const float *wide) {
    const Tensor *walked[1] = {to};
    for (Walk w = walk_start(to->size, to->ndim, walked, 1); wide && walk_more(&w); walk_next(&w)) {
        element_store_double(to->storage->data, to->dtype, w.at[0], (double)wide[w.at[0]]);
    }
}

/* One step of scatter with `reduce`, in `wide` or in the dtype: at += v or at *= v. */
static void step_at(const Tensor *to, float *wide, int64_t at, const Tensor *src, int64_t src_at,
                    Scalar value, bool multiply) {
    void *data = to->storage->data;
    if (dtype_is_float(to->dtype)) {
        double own = wide ? (double)wide[at] : element_double(data, to->dtype, at),
               v = src ? element_double(src->storage->data, src->dtype, src_at)
                       : scalar_as_double(value, to->dtype);
        double result = multiply ? own * v : own + v;
        if (wide) {
            wide[at] = (float)result;
        } else {
            element_store_double(data, to->dtype, at, result);
        }
        return;
    }
    int64_t own = element_int(data, to->dtype, at),
            v = src ? element_int(src->storage->data, src->dtype, src_at)
                    : scalar_as_int(value, to->dtype);
    int64_t result = multiply ? wrapping_mul(own, v) : wrapping_add(own, v);
    element_store_int(data, to->dtype, at, to->dtype == DT_bool ? result != 0 : result);
}

/* scatter.reduce, scatter.value_reduce: row by row of index, rounded at every step as in PyTorch's
 * loop; half dtypes only at the end. */
ErrCode kernel_scatter_steps(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *to = out[0];
    bool by_value = call->op->param[3].type == ARG_SCALAR, multiply = call->arg[4].str[0] == 'm';
    const Tensor *src = by_value ? NULL : call->arg[3].tensor;
    Along a;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(along_start(call, to, by_value ? to : src, &a, k));
    float *wide = wide_start(to, k->arena);
    for (; walk_more(&a.w); walk_next(&a.w)) {
        int64_t at;
        TRY(along_offset(&a, &at, k->err));
        TRY(by_value ? scalar_check(call->arg[3].scalar, to->dtype, k->err) : ERR_none);
        step_at(to, wide, at, src, a.w.at[2], by_value ? call->arg[3].scalar : scalar_int(0),
                multiply);
    }
    wide_finish(to, wide);
    return ERR_none;
}

/* ---- scatter_reduce ---- */

typedef enum Reduce { REDUCE_SUM, REDUCE_PROD, REDUCE_MEAN, REDUCE_AMAX, REDUCE_AMIN } Reduce;

static Reduce reduce_of(const char *name) {
    return name[0] == 's'   ? REDUCE_SUM
           : name[0] == 'p' ? REDUCE_PROD
           : name[0] == 'm' ? REDUCE_MEAN
           : name[2] == 'a' ? REDUCE_AMAX
                            : REDUCE_AMIN;
}

/* Stores the neutral element of the reduction. */
static void store_neutral(const Tensor *to, int64_t at, Reduce how) {
    if (dtype_is_float(to->dtype)) {
        element_store_double(to->storage->data, to->dtype, at,
                             how == REDUCE_PROD   ? 1
                             : how == REDUCE_AMAX ? -INFINITY
                             : how == REDUCE_AMIN ? INFINITY
                                                  : 0);
    } else {
        int64_t least = to->dtype == DT_bool ? 0 : dtype_min(to->dtype),
                most = to->dtype == DT_bool ? 1 : dtype_max(to->dtype);
        element_store_int(to->storage->data, to->dtype, at,
                          how == REDUCE_PROD   ? 1
                          : how == REDUCE_AMAX ? least
                          : how == REDUCE_AMIN ? most
                                               : 0);
    }
}

/* Stores the greater or lesser of the element and src's element; nan wins. */
static void choose_at(const Tensor *to, int64_t at, const Tensor *src, int64_t src_at,
                      bool greater) {
    void *data = to->storage->data;
    if (dtype_is_float(to->dtype)) {
        double own = element_double(data, to->dtype, at),
               v = element_double(src->storage->data, src->dtype, src_at);
        if (isnan(v) || (greater ? own < v : v < own)) {
            element_store_double(data, to->dtype, at, v);
        }
        return;
    }
    int64_t own = element_int(data, to->dtype, at),
            v = element_int(src->storage->data, src->dtype, src_at);
    element_store_int(data, to->dtype, at, greater ? max_i64(own, v) : min_i64(own, v));
}

/* Divides every element by the number of its summands; integers round down. */
static void divide_counts(const Tensor *to, const int64_t *count, bool include_self) {
    const Tensor *walked[1] = {to};
    for (Walk w = walk_start(to->size, to->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        int64_t n = max_i64(count[w.at[0]] + include_self, 1);
        if (dtype_is_float(to->dtype)) {
            element_store_double(to->storage->data, to->dtype, w.at[0],
                                 element_double(to->storage->data, to->dtype, w.at[0]) / (double)n);
        } else {
            int64_t v = element_int(to->storage->data, to->dtype, w.at[0]), q = v / n;
            element_store_int(to->storage->data, to->dtype, w.at[0], q - (v % n != 0 && v < 0));
        }
    }
}

/* Without include_self, the elements that an index selects are initialized first. All indices are
 * checked before that. */
ErrCode kernel_reduce_into(const Call *call, Tensor *const *out, KernelCtx *k, bool widens) {
    const Tensor *src = call->arg[3].tensor, *to = out[0];
    Reduce how = reduce_of(call->arg[4].str);
    bool include_self = call->arg[5].b;
    Along a;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(along_start(call, to, src, &a, k));
    int64_t at, *count = arena_array(k->arena, int64_t, to->offset + tensor_numel(to));
    for (Along first = a; walk_more(&first.w); walk_next(&first.w)) {
        TRY(along_offset(&first, &at, k->err));
        if (!include_self) {
            store_neutral(to, at, how);
        }
    }
    bool chooses = how == REDUCE_AMAX || how == REDUCE_AMIN;
    float *wide = chooses || !widens ? NULL : wide_start(to, k->arena);
    for (; walk_more(&a.w); walk_next(&a.w)) {
        TRY(along_offset(&a, &at, k->err));
        count[at]++;
        if (chooses) {
            choose_at(to, at, src, a.w.at[2], how == REDUCE_AMAX);
        } else {
            step_at(to, wide, at, src, a.w.at[2], scalar_int(0), how == REDUCE_PROD);
        }
    }
    wide_finish(to, wide);
    if (how == REDUCE_MEAN) {
        divide_counts(to, count, include_self);
    }
    return ERR_none;
}

ErrCode kernel_scatter_reduce(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_into(call, out, k, true);
}
