/* Kernels of indexing by tensors: index and _index_put.
 *
 * The index tensors are turned into an array of distances in self, one for each broadcast index tuple; then one Walk steps through
 * the result, through self without its indexed dims, and through that array. */
#include "program/kernels.h"

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
        k->undefined = "duplicate indices are given different values without accumulate";
    }
    return ERR_none;
}
