/* Kernels of indexing by tensors.
 *
 * index and _index_put first turn the index tensors into an array of distances in self, one for each broadcast index tuple; then
 * one Walk steps through the result, through self without its indexed dims, and through that array. gather, scatter,
 * index_select and index_add walk with stride 0 along `dim` and add the index read on the way. */
#include "program/kernels.h"

#include <math.h>

/* The plan that inference made for the call's self, if `t`, which has its size, has its strides too; else one made now. */
static ErrCode plan_for(const Call *call, const Tensor *t, const IndexPlan **plan, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    if (k->inferred && k->inferred->index && sizes_equal(t->stride, t->ndim, self->stride, self->ndim)) {
        *plan = k->inferred->index;
        return ERR_none;
    }
    IndexPlan *made = arena_alloc_raw(k->arena, (int64_t)sizeof *made);
    *plan = made;
    return index_plan(t, &call->arg[1], made, k->err);
}

/* Distances from self's first element for every tuple of the broadcast indices, row-major; indices may count from the end. */
static ErrCode index_distances(const IndexPlan *p, const Tensor *self, int64_t **distances, KernelCtx *k) {
    const int64_t *size = p->size + p->first;
    int64_t length = 1;
    for (int d = 0; d < p->nbroadcast; d++) {
        length *= size[d];
    }
    *distances = arena_array(k->arena, int64_t, length);
    for (int j = 0; j < p->nindex; j++) {
        const int64_t *index = p->index[j]->storage->data;
        int64_t n = self->size[p->dim[j]], stride = self->stride[p->dim[j]], *to = *distances;
        Walk w;
        walk_init(&w, size, p->nbroadcast, &p->index[j], 1);
        int64_t row = walk_row(&w), step = walk_steps(&w)[0];
        for (; walk_more(&w); walk_next_row(&w)) {
            const int64_t *from = index + w.at[0];
            for (int64_t i = 0; i < row; i++, from += step) {
                int64_t place = *from < 0 ? *from + n : *from;
                if ((uint64_t)place >= (uint64_t)n) {
                    return index_out_of_range(*from, n, k->err);
                }
                *to++ += place * stride;
            }
        }
    }
    return ERR_none;
}

/* The array of distances as the result's walk sees it: still outside the broadcast dims. */
static Tensor distances_seen(const IndexPlan *p) {
    unsigned inside = ((1u << p->nbroadcast) - 1) << p->first;
    return tensor_over_array(p->size, p->ndim, ~inside, NULL);
}

/* A row of a walk over the result, over what is still to be indexed and over the distances. */
typedef struct Row {
    int64_t n, at[3], step[3];
} Row;

static Row row_of(const Walk *w) {
    Row r;
    r.n = walk_row(w);
    memcpy(r.at, w->at, sizeof r.at);
    memcpy(r.step, walk_steps(w), sizeof r.step);
    return r;
}

/* Element by element for elements of as many bytes as the type has. */
#define EACH(type, statement)                        \
    for (int64_t i = 0; i < r.n; i++) {              \
        statement(type)                              \
        for (int k = 0; k < 3; k++) {                \
            r.at[k] += r.step[k];                    \
        }                                            \
    }                                                \
    break
#define BY_SIZE(dtype, statement)               \
    switch (dtype_bytes(dtype)) {               \
    case 1: EACH(uint8_t, statement);           \
    case 2: EACH(uint16_t, statement);          \
    case 4: EACH(uint32_t, statement);          \
    default: EACH(uint64_t, statement);         \
    }

/* to[..] = from[.. + distance]: at[] are places in to, from, distances. */
static void read_row(DType dtype, void *to, const void *from, const int64_t *distances, Row r) {
#define READ(type) ((type *)to)[r.at[0]] = ((const type *)from)[r.at[1] + distances[r.at[2]]];
    BY_SIZE(dtype, READ)
#undef READ
}

ErrCode kernel_index(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    const IndexPlan *p;
    TRY(plan_for(call, self, &p, k));
    if (tensor_numel(to) == 0) {
        return ERR_none;
    }
    int64_t *distances;
    TRY(index_distances(p, self, &distances, k));
    Tensor source = tensor_seen_as(self, p->ndim, p->size, p->source), places = distances_seen(p);
    const Tensor *walked[3] = {to, &source, &places};
    Walk w;
    walk_init(&w, p->size, p->ndim, walked, 3);
    for (; walk_more(&w); walk_next_row(&w)) {
        read_row(to->dtype, to->storage->data, self->storage->data, distances, row_of(&w));
    }
    return ERR_none;
}

/* w.out[.. + distance] = from[..], as writer_put does it: at[] are places in out, distances, from. */
static void write_row(Writer *w, const void *from, const int64_t *distances, Row r) {
    void *to = w->out->storage->data;
    unsigned char *written = w->written;
    int64_t offset = w->out->offset;
    bool conflict = false;
#define WRITE(type)                                                \
    int64_t at = r.at[0] + distances[r.at[1]];                     \
    type *cell = (type *)to + at, value = ((const type *)from)[r.at[2]]; \
    conflict |= written[at - offset] && *cell != value;            \
    written[at - offset] = 1;                                      \
    *cell = value;
    BY_SIZE(w->out->dtype, WRITE)
#undef WRITE
    w->conflict |= conflict;
}

static const char *const duplicates_undefined = "duplicate indices are given different values without accumulate";

ErrCode kernel_index_put(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *to = out[0], *values = call->arg[2].tensor;
    bool accumulate = call->arg[3].b;
    kernel_start_from(to, call->arg[0].tensor, k);
    const IndexPlan *p;
    TRY(plan_for(call, to, &p, k));
    int64_t numel;
    if (!sizes_numel(p->size, p->ndim, &numel) || numel == 0) {
        return ERR_none;
    }
    int64_t *distances;
    TRY(index_distances(p, to, &distances, k));
    Tensor target = tensor_seen_as(to, p->ndim, p->size, p->source), places = distances_seen(p);
    const Tensor *walked[3] = {&target, &places, values};
    Adder adder = {0};
    Writer writer = {0};
    if (accumulate) {
        adder = adder_start(to, k->arena);
    } else {
        writer = writer_start(to, k->arena);
    }
    Walk w;
    walk_init(&w, p->size, p->ndim, walked, 3);
    for (; walk_more(&w); walk_next_row(&w)) {
        Row r = row_of(&w);
        if (!accumulate) {
            write_row(&writer, values->storage->data, distances, r);
            continue;
        }
        for (int64_t i = 0; i < r.n; i++) {
            int64_t at = r.at[0] + i * r.step[0] + distances[r.at[1] + i * r.step[1]];
            adder_add(&adder, at, values, r.at[2] + i * r.step[2], 1, 1);
        }
    }
    if (accumulate) {
        adder_finish(&adder);
    } else if (writer.conflict) {
        k->undefined = duplicates_undefined;
    }
    return ERR_none;
}

/* ---- gather, scatter ---- */

/* `t` as gather and scatter see it: index's size, t's strides, but still along `dim`, whose length and stride come out apart. */
static Tensor seen_along(const Tensor *t, const Tensor *index, int dim, int64_t *size, int64_t *stride) {
    int64_t strides[MAX_DIMS];
    *size = t->ndim > 0 ? t->size[dim] : 1;
    *stride = t->ndim > 0 ? t->stride[dim] : 0;
    for (int d = 0; d < index->ndim; d++) {
        strides[d] = d == dim || t->ndim == 0 ? 0 : t->stride[d];
    }
    return tensor_seen_as(t, index->ndim, index->size, strides);
}

static ErrCode read_index(const Tensor *index, int64_t at, int64_t size, int64_t *i, Error *err) {
    *i = element_int(index->storage->data, index->dtype, at);
    return *i < 0 || *i >= size ? index_out_of_range(*i, size, err) : ERR_none;
}

ErrCode kernel_gather(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor, *to = out[0];
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    if (tensor_numel(index) == 0) {
        return ERR_none;
    }
    int64_t size, stride;
    Tensor source = seen_along(self, index, dim, &size, &stride);
    const Tensor *walked[3] = {to, &source, index};
    for (Walk w = walk_start(index->size, index->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        int64_t i;
        TRY(read_index(index, w.at[2], size, &i, k->err));
        element_cast(to->storage->data, to->dtype, w.at[0], self->storage->data, self->dtype, w.at[1] + i * stride);
    }
    return ERR_none;
}

/* The part of src that scatter reads: as much as index has. */
static Tensor source_part(const Tensor *src, const Tensor *index) {
    int64_t strides[MAX_DIMS];
    for (int d = 0; d < index->ndim; d++) {
        strides[d] = src->ndim > 0 ? src->stride[d] : 0;
    }
    return tensor_seen_as(src, index->ndim, index->size, strides);
}

/* scatter.src, scatter.value. */
ErrCode kernel_scatter(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor, *to = out[0];
    bool by_value = call->op->id == OP_scatter_value;
    const Tensor *src = by_value ? to : call->arg[3].tensor;
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    if (tensor_numel(index) == 0) {
        return ERR_none;
    }
    int64_t size, stride;
    Tensor target = seen_along(to, index, dim, &size, &stride), part = by_value ? target : source_part(src, index);
    const Tensor *walked[3] = {&target, index, &part};
    Writer writer = writer_start(to, k->arena);
    for (Walk w = walk_start(index->size, index->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        int64_t i;
        TRY(read_index(index, w.at[1], size, &i, k->err));
        int64_t at = w.at[0] + i * stride;
        if (!by_value) {
            writer_put(&writer, at, src, w.at[2]);
        } else if (dtype_is_float(to->dtype)) {
            element_store_double(to->storage->data, to->dtype, at, scalar_to_double(call->arg[3].scalar));
        } else {
            element_store_int(to->storage->data, to->dtype, at, scalar_as_int(call->arg[3].scalar, to->dtype));
        }
    }
    if (writer.conflict) {
        k->undefined = duplicates_undefined;
    }
    return ERR_none;
}

/* One step of scatter with `reduce`, in the dtype: at += or *= v. */
static void step_at(const Tensor *to, int64_t at, const Tensor *src, int64_t src_at, Scalar value, bool multiply) {
    void *data = to->storage->data;
    if (dtype_is_float(to->dtype)) {
        double own = element_double(data, to->dtype, at), v = src ? element_double(src->storage->data, src->dtype, src_at) : scalar_as_double(value, to->dtype);
        element_store_double(data, to->dtype, at, multiply ? own * v : own + v);
        return;
    }
    int64_t own = element_int(data, to->dtype, at), v = src ? element_int(src->storage->data, src->dtype, src_at) : scalar_as_int(value, to->dtype);
    int64_t result = multiply ? wrapping_mul(own, v) : wrapping_add(own, v);
    element_store_int(data, to->dtype, at, to->dtype == DT_bool ? result != 0 : result);
}

/* scatter.reduce, scatter.value_reduce: row by row of index, rounded at every step as PyTorch's loop does. */
ErrCode kernel_scatter_steps(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor, *to = out[0];
    bool by_value = call->op->param[3].type == ARG_SCALAR, multiply = call->arg[4].str[0] == 'm';
    const Tensor *src = by_value ? NULL : call->arg[3].tensor;
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    if (tensor_numel(index) == 0) {
        return ERR_none;
    }
    int64_t size, stride;
    Tensor target = seen_along(to, index, dim, &size, &stride), part = by_value ? target : source_part(src, index);
    const Tensor *walked[3] = {&target, index, &part};
    for (Walk w = walk_start(index->size, index->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        int64_t i;
        TRY(read_index(index, w.at[1], size, &i, k->err));
        step_at(to, w.at[0] + i * stride, src, w.at[2], by_value ? call->arg[3].scalar : scalar_int(0), multiply);
    }
    return ERR_none;
}

/* ---- scatter_reduce ---- */

typedef enum Reduce { REDUCE_SUM, REDUCE_PROD, REDUCE_MEAN, REDUCE_AMAX, REDUCE_AMIN } Reduce;

static Reduce reduce_of(const char *name) {
    return name[0] == 's' ? REDUCE_SUM : name[0] == 'p' ? REDUCE_PROD : name[0] == 'm' ? REDUCE_MEAN : name[2] == 'a' ? REDUCE_AMAX : REDUCE_AMIN;
}

/* What reduces to the other operand. */
static void store_neutral(const Tensor *to, int64_t at, Reduce how) {
    if (dtype_is_float(to->dtype)) {
        element_store_double(to->storage->data, to->dtype, at, how == REDUCE_PROD ? 1 : how == REDUCE_AMAX ? -INFINITY : how == REDUCE_AMIN ? INFINITY : 0);
    } else {
        int64_t least = to->dtype == DT_bool ? 0 : dtype_min(to->dtype), most = to->dtype == DT_bool ? 1 : dtype_max(to->dtype);
        element_store_int(to->storage->data, to->dtype, at, how == REDUCE_PROD ? 1 : how == REDUCE_AMAX ? least : how == REDUCE_AMIN ? most : 0);
    }
}

/* The greater or lesser of the element and src's, a nan above all. */
static void choose_at(const Tensor *to, int64_t at, const Tensor *src, int64_t src_at, bool greater) {
    void *data = to->storage->data;
    if (dtype_is_float(to->dtype)) {
        double own = element_double(data, to->dtype, at), v = element_double(src->storage->data, src->dtype, src_at);
        if (isnan(v) || (greater ? own < v : v < own)) {
            element_store_double(data, to->dtype, at, v);
        }
        return;
    }
    int64_t own = element_int(data, to->dtype, at), v = element_int(src->storage->data, src->dtype, src_at);
    element_store_int(data, to->dtype, at, greater ? max_i64(own, v) : min_i64(own, v));
}

/* Every element divided by how many it was summed from; integers round down. */
static void divide_counts(const Tensor *to, const int64_t *count, bool include_self) {
    const Tensor *walked[1] = {to};
    for (Walk w = walk_start(to->size, to->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        int64_t n = max_i64(count[w.at[0]] + include_self, 1);
        if (dtype_is_float(to->dtype)) {
            element_store_double(to->storage->data, to->dtype, w.at[0], element_double(to->storage->data, to->dtype, w.at[0]) / (double)n);
        } else {
            int64_t v = element_int(to->storage->data, to->dtype, w.at[0]), q = v / n;
            element_store_int(to->storage->data, to->dtype, w.at[0], q - (v % n != 0 && v < 0));
        }
    }
}

/* Without self, what an index names begins anew. All indices are read before. */
ErrCode kernel_scatter_reduce(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor, *src = call->arg[3].tensor, *to = out[0];
    Reduce how = reduce_of(call->arg[4].str);
    bool include_self = call->arg[5].b;
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    if (tensor_numel(index) == 0) {
        return ERR_none;
    }
    int64_t size, stride, *count = arena_array(k->arena, int64_t, to->offset + tensor_numel(to));
    Tensor target = seen_along(to, index, dim, &size, &stride), part = source_part(src, index);
    const Tensor *walked[3] = {&target, index, &part};
    for (Walk w = walk_start(index->size, index->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        int64_t i;
        TRY(read_index(index, w.at[1], size, &i, k->err));
        if (!include_self) {
            store_neutral(to, w.at[0] + i * stride, how);
        }
    }
    for (Walk w = walk_start(index->size, index->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        int64_t at = w.at[0] + element_int(index->storage->data, index->dtype, w.at[1]) * stride;
        count[at]++;
        if (how == REDUCE_AMAX || how == REDUCE_AMIN) {
            choose_at(to, at, src, w.at[2], how == REDUCE_AMAX);
        } else {
            step_at(to, at, src, w.at[2], scalar_int(0), how == REDUCE_PROD);
        }
    }
    if (how == REDUCE_MEAN) {
        divide_counts(to, count, include_self);
    }
    return ERR_none;
}

ErrCode kernel_scatter_add(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor, *src = call->arg[3].tensor, *to = out[0];
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    if (tensor_numel(index) == 0) {
        return ERR_none;
    }
    int64_t size, stride;
    Tensor target = seen_along(to, index, dim, &size, &stride), part = source_part(src, index);
    const Tensor *walked[3] = {&target, index, &part};
    Adder adder = adder_start(to, k->arena);
    for (Walk w = walk_start(index->size, index->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        int64_t i;
        TRY(read_index(index, w.at[1], size, &i, k->err));
        adder_add(&adder, w.at[0] + i * stride, src, w.at[2], 1, 1);
    }
    adder_finish(&adder);
    return ERR_none;
}

/* ---- a vector of indices along one dim ---- */

/* Reads the whole vector; `code` is the error of an index out of range. */
static ErrCode read_vector(const Tensor *index, int64_t size, ErrCode code, int64_t **v, int64_t *n, KernelCtx *k) {
    *n = tensor_numel(index);
    *v = arena_alloc_raw(k->arena, *n * (int64_t)sizeof **v);
    for (int64_t j = 0; j < *n; j++) {
        int64_t i = element_int(index->storage->data, index->dtype, index->offset + (index->ndim > 0 ? j * index->stride[0] : 0));
        if (i < 0 || i >= size) {
            return error_set(k->err, code, "index out of range in self: %lld for size %lld", (long long)i, (long long)size);
        }
        (*v)[j] = i;
    }
    return ERR_none;
}

ErrCode kernel_index_select(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    bool nothing = self->ndim > 1 && tensor_numel(self) == 0;
    int64_t n, *v;
    TRY(read_vector(call->arg[2].tensor, self->ndim > 0 ? self->size[dim] : 1, call_index_error(call), &v, &n, k));
    if (self->ndim == 0) {
        if (n == 0) {
            k->undefined = "index_select of a 0-dim tensor with no index leaves its result unwritten";
        }
        kernel_start_from(to, self, k);
        return ERR_none;
    }
    Tensor target = *to, source = *self;
    target.size[dim] = source.size[dim] = 1;
    for (int64_t j = 0; j < n && !nothing; j++) {
        source.offset = self->offset + v[j] * self->stride[dim];
        tensor_copy_data(&target, &source, NULL);
        target.offset += to->stride[dim];
    }
    return ERR_none;
}

/* source without `dim`, seen with the size of to without `dim`. Both have size 1 there. */
static Tensor slice_seen(const Tensor *source, const Tensor *to, int dim) {
    int64_t strides[MAX_DIMS], size[MAX_DIMS];
    int own = source->ndim; /* walk both from the last dim, passing over dim in each */
    for (int d = to->ndim - 1; d >= 0; d--) {
        size[d] = d == dim ? 1 : to->size[d];
        strides[d] = 0;
        if (d == dim) {
            continue;
        }
        own--;
        own -= own == dim;
        strides[d] = own >= 0 && source->size[own] != 1 ? source->stride[own] : 0;
    }
    return tensor_seen_as(source, to->ndim, size, strides);
}

ErrCode kernel_index_add(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *source = call->arg[3].tensor, *to = out[0];
    Scalar alpha = call->arg[4].scalar;
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    int64_t n, *v;
    TRY(read_vector(call->arg[2].tensor, to->ndim > 0 ? to->size[dim] : 1, ERR_index_range, &v, &n, k));
    bool floating = dtype_is_float(to->dtype);
    double factor = floating ? scalar_as_double(alpha, to->dtype) : 0;
    int64_t int_factor = floating ? 0 : scalar_as_int(alpha, to->dtype);
    Tensor target = *to, part = slice_seen(source, to, dim);
    if (to->ndim > 0) {
        target.size[dim] = 1;
    }
    Adder adder = adder_start(to, k->arena);
    for (int64_t j = 0; j < n; j++) {
        target.offset = to->offset + (to->ndim > 0 ? v[j] * to->stride[dim] : 0);
        part.offset = source->offset + (source->ndim > 0 ? j * source->stride[dim] : 0);
        const Tensor *walked[2] = {&target, &part};
        for (Walk w = walk_start(target.size, target.ndim, walked, 2); walk_more(&w); walk_next(&w)) {
            adder_add(&adder, w.at[0], source, w.at[1], factor, int_factor);
        }
    }
    adder_finish(&adder);
    return ERR_none;
}
