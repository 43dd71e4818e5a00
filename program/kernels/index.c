/* Kernels of indexing by tensors: index and _index_put.
 *
 * The index tensors are converted to an array of offsets into self, one for each tuple of broadcast
 * indices. One Walk then steps through the result, through self without its indexed dims, and
 * through that array. */
#include "program/kernels/kernels.h"
#include "tensor/walk.h"

/* The plan that inference made for the call's self, if `t` (of the same size) has the same strides;
 * otherwise a new plan. */
static ErrCode plan_for(const Call *call, const Tensor *t, const IndexPlan **plan, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    if (k->inferred && k->inferred->index &&
        sizes_equal(t->stride, t->ndim, self->stride, self->ndim)) {
        *plan = k->inferred->index;
        return ERR_none;
    }
    IndexPlan *made = arena_alloc_raw(k->arena, (int64_t)sizeof *made);
    *plan = made;
    return index_plan(t, &call->arg[1], made, k->err);
}

/* Adds the offsets of `count` indices into a dim; the first index tensor sets them instead. False
 * for an index out of range, which is stored in *bad. */
__attribute__((always_inline)) static inline bool add_distances(int64_t *to, const int64_t *index,
                                                                int64_t step, int64_t count,
                                                                int64_t size, int64_t stride,
                                                                bool first, int64_t *bad) {
    for (int64_t i = 0; i < count; i++) {
        int64_t given = index[i * step], wrapped = given < 0 ? given + size : given;
        if (__builtin_expect((uint64_t)wrapped >= (uint64_t)size, 0)) {
            *bad = given;
            return false;
        }
        to[i] = (first ? 0 : to[i]) + wrapped * stride;
    }
    return true;
}

/* An int32 index as int64. */
static void widen_index(const Tensor *t, Tensor *wide, Arena *arena) {
    tensor_set_contiguous(wide, DT_int64, t->size, t->ndim);
    wide->storage = storage_new(arena, DT_int64, tensor_numel(t));
    tensor_copy_data(wide, t, NULL);
}

/* Offsets from self's first element for every tuple of the broadcast indices, row-major; negative
 * indices count from the end. */
static ErrCode index_distances(const IndexPlan *p, const Tensor *self, int64_t **distances,
                               KernelCtx *k) {
    const int64_t *size = p->size + p->first;
    int64_t length = 1, bad;
    for (int d = 0; d < p->nbroadcast; d++) {
        length *= size[d];
    }
    *distances = arena_alloc_raw(k->arena, (int64_t)sizeof(int64_t) * length);
    if (p->nindex == 0) {
        memset(*distances, 0, sizeof(int64_t) * (size_t)length);
    }
    for (int j = 0; j < p->nindex; j++) {
        Tensor wide;
        const Tensor *t = p->index[j];
        if (t->dtype != DT_int64) {
            widen_index(t, &wide, k->arena);
            t = &wide;
        }
        const int64_t *index = t->storage->data;
        int64_t n = self->size[p->dim[j]], stride = self->stride[p->dim[j]], *to = *distances;
        if (p->nbroadcast == 1 && t->ndim == 1) { /* the common case */
            int64_t step = t->size[0] == 1 ? 0 : t->stride[0];
            index += t->offset;
            if (!(j == 0 ? add_distances(to, index, step, length, n, stride, true, &bad)
                         : add_distances(to, index, step, length, n, stride, false, &bad))) {
                return index_out_of_range(bad, n, k->err);
            }
            continue;
        }
        Walk w;
        walk_init(&w, size, p->nbroadcast, &t, 1);
        int64_t row = walk_row(&w), step = walk_steps(&w)[0];
        for (; walk_more(&w); walk_next_row(&w), to += row) {
            if (!add_distances(to, index + w.at[0], step, row, n, stride, j == 0, &bad)) {
                return index_out_of_range(bad, n, k->err);
            }
        }
    }
    return ERR_none;
}

/* Strides of the offset array along the result's dims: 0 outside the broadcast dims. */
static void distance_strides(const IndexPlan *p, int64_t *stride) {
    int64_t step = 1;
    for (int d = p->ndim - 1; d >= 0; d--) {
        bool own = d >= p->first && d < p->first + p->nbroadcast;
        stride[d] = own ? step : 0;
        step *= own ? p->size[d] : 1;
    }
}

/* One loop over elements of sizeof(type) bytes. */
#define EACH(type, statement)                                                                      \
    for (int64_t i = 0; i < walk_row(w); i++) {                                                    \
        statement(type)                                                                            \
    }                                                                                              \
    break
#define BY_SIZE(dtype, statement)                                                                  \
    switch (dtype_bytes(dtype)) {                                                                  \
    case 1:                                                                                        \
        EACH(uint8_t, statement);                                                                  \
    case 2:                                                                                        \
        EACH(uint16_t, statement);                                                                 \
    case 4:                                                                                        \
        EACH(uint32_t, statement);                                                                 \
    default:                                                                                       \
        EACH(uint64_t, statement);                                                                 \
    }

/* Reads one row: to[..] = from[.. + offset], in a walk over to, from, offsets. */
static void kernel_index_read_row(DType dtype, void *to, const void *from, const int64_t *distances,
                                  const Walk *w) {
    int64_t at = w->at[0], start = w->at[1], step = walk_steps(w)[0], from_step = walk_steps(w)[1],
            shift_step = walk_steps(w)[2];
    const int64_t *shift = distances + w->at[2];
#define READ(type)                                                                                 \
    ((type *)to)[at + i * step] =                                                                  \
        ((const type *)from)[start + i * from_step + shift[i * shift_step]];
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
    int64_t *distances, shift_strides[MAX_DIMS];
    TRY(index_distances(p, self, &distances, k));
    distance_strides(p, shift_strides);
    Walk w;
    walk_init_strided(&w, p->size, p->ndim,
                      (const int64_t *[]){to->stride, p->source, shift_strides},
                      (const int64_t[]){to->offset, self->offset, 0}, 3);
    for (; walk_more(&w); walk_next_row(&w)) {
        kernel_index_read_row(to->dtype, to->storage->data, self->storage->data, distances, &w);
    }
    return ERR_none;
}

/* Writes one row: out[.. + offset] = from[..], as writer_put does, in a walk over out, offsets,
 * from. */
static void write_row(Writer *writer, const void *from, const int64_t *distances, const Walk *w) {
    void *to = writer->out->storage->data;
    unsigned char *written = writer->written;
    int64_t offset = writer->out->offset, start = w->at[0], step = walk_steps(w)[0],
            shift_step = walk_steps(w)[1];
    int64_t from_start = w->at[2], from_step = walk_steps(w)[2];
    const int64_t *shift = distances + w->at[1];
    bool conflict = false;
#define WRITE(type)                                                                                \
    int64_t at = start + i * step + shift[i * shift_step];                                         \
    type *cell = (type *)to + at, value = ((const type *)from)[from_start + i * from_step];        \
    unsigned char *mark = &written[at - offset];                                                   \
    conflict |= *mark & (*cell != value);                                                          \
    *mark = 1;                                                                                     \
    *cell = value;
    BY_SIZE(writer->out->dtype, WRITE)
#undef WRITE
    writer->conflict |= conflict;
}

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
    int64_t *distances, shift_strides[MAX_DIMS], value_strides[MAX_DIMS];
    TRY(index_distances(p, to, &distances, k));
    distance_strides(p, shift_strides);
    broadcast_strides(values, p->size, p->ndim, value_strides);
    Walk w;
    walk_init_strided(&w, p->size, p->ndim,
                      (const int64_t *[]){p->source, shift_strides, value_strides},
                      (const int64_t[]){to->offset, 0, values->offset}, 3);
    if (!accumulate) {
        Writer writer = writer_start(to, k->arena);
        for (; walk_more(&w); walk_next_row(&w)) {
            write_row(&writer, values->storage->data, distances, &w);
        }
        if (writer.conflict) {
            k->undefined = "duplicate indices are given different values without accumulate";
        }
        return ERR_none;
    }
    Adder adder = adder_start(to, k->arena);
    for (; walk_more(&w); walk_next_row(&w)) {
        const int64_t *step = walk_steps(&w);
        for (int64_t i = 0; i < walk_row(&w); i++) {
            int64_t at = w.at[0] + i * step[0] + distances[w.at[1] + i * step[1]];
            adder_add(&adder, at, values, w.at[2] + i * step[2], 1, 1);
        }
    }
    adder_finish(&adder);
    return ERR_none;
}
