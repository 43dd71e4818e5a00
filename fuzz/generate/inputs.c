/* Inputs: dtypes, sizes, layouts, fills, shared storage.
 *
 * Sizes come from a small palette drawn per program (so that tensors fit each other, and square
 * matrices occur) from sizes with and without vector paths. Layouts: contiguous, permuted, stepped,
 * stride 0, with an offset; a second input may share the storage of a first one, shifted (t0 and
 * t0[1:]), transposed or equal. */
#include "fuzz/generate/draw.h"
#include "fuzz/generate/tensors.h"

#include <math.h>

int64_t draw_extent(Gen *g) {
    int r = draw_below(g, 100);
    if (r < 82) {
        return g->palette[draw_below(g, 3)];
    }
    static const int64_t rest[] = {1, 1, 1, 1, 0, 2, 3, 4, 5, 7, 8, 9};
    return rest[draw_below(g, COUNT_OF(rest))];
}

/* A size of the palette, or a small one, that is at most `most`. */
static int64_t fitting_extent(Gen *g, int64_t most) {
    for (int i = 0; i < 3; i++) {
        int64_t n = g->palette[draw_below(g, 3)];
        if (n <= most) {
            return n;
        }
    }
    return draw_between(g, 1, min_i64(most, 33));
}

int draw_size(Gen *g, int64_t *size) {
    int n = draw_share(g, W_rank_0, W_rank_4);
    int64_t numel = 1;
    for (int d = 0; d < n; d++) {
        size[d] = draw_extent(g);
        if (numel * size[d] > g->most / 2) {
            size[d] =
                g->situation.vector ? fitting_extent(g, g->most / numel) : 1 + draw_below(g, 2);
        }
        size[d] = numel * size[d] > g->most ? 1 : size[d];
        numel *= size[d] > 0 ? size[d] : 1;
    }
    if (n > 2 && draw_chance(g, 12)) { /* a batch of one */
        size[0] = 1;
    }
    return n;
}

DType draw_dtype(Gen *g) {
    static const DType rest[] = {DT_float32, DT_float64, DT_float64, DT_int64,    DT_int64,
                                 DT_int64,   DT_int32,   DT_int32,   DT_bool,     DT_bool,
                                 DT_int16,   DT_int8,    DT_uint8,   DT_bfloat16, DT_float16};
    return !draw_chance(g, g->w[W_other_dtype]) ? g->main : rest[draw_below(g, COUNT_OF(rest))];
}

static Input *var_input(Gen *g, const GenVar *v) {
    for (int i = 0; i < g->p->ninputs; i++) {
        if (g->p->inputs[i].name == v->name) {
            return &g->p->inputs[i];
        }
    }
    return NULL;
}

/* ---- layouts ---- */

static void layout_permuted(Gen *g, Input *in) {
    int order[MAX_DIMS];
    for (int d = 0; d < in->ndim; d++) {
        order[d] = d;
    }
    for (int d = in->ndim - 1; d > 0; d--) {
        int other = draw_below(g, d + 1), keep = order[d];
        order[d] = order[other];
        order[other] = keep;
    }
    int64_t stride = 1;
    for (int d = in->ndim - 1; d >= 0; d--) {
        in->stride[order[d]] = stride;
        stride *= max_i64(in->size[order[d]], 1);
    }
    in->stride_given = true;
}

/* The first dim innermost: what a transpose gives. */
static void layout_by_columns(Input *in) {
    int64_t stride = 1;
    for (int d = 0; d < in->ndim; d++) {
        in->stride[d] = stride;
        stride *= max_i64(in->size[d], 1);
    }
    in->stride_given = true;
}

/* Row-major with gaps: as if every dim from `from` out had been sliced with a step or out of a
 * wider tensor. */
static void layout_stepped(Gen *g, Input *in) {
    int gap = draw_below(g, in->ndim);
    int64_t stride = 1;
    for (int d = in->ndim - 1; d >= 0; d--) {
        if (d == gap && draw_chance(g, 50)) {
            stride *= 2;
        }
        in->stride[d] = stride;
        stride *= max_i64(in->size[d], 1);
        if (d == gap) {
            stride += draw_below(g, 3);
        }
    }
    in->stride_given = true;
}

static void layout_expanded(Gen *g, Input *in) {
    int dim = draw_below(g, in->ndim);
    int64_t stride = 1;
    for (int d = in->ndim - 1; d >= 0; d--) {
        in->stride[d] = d == dim ? 0 : stride;
        stride *= d == dim ? 1 : max_i64(in->size[d], 1);
    }
    in->stride_given = true;
}

/* N, C, H, W with the channels innermost. */
static void layout_channels_last(Input *in) {
    static const int order[] = {1, 3, 2, 0};
    int64_t stride = 1;
    for (int i = 0; i < COUNT_OF(order); i++) {
        in->stride[order[i]] = stride;
        stride *= max_i64(in->size[order[i]], 1);
    }
    in->stride_given = true;
}

static void draw_layout(Gen *g, Input *in) {
    contiguous_strides(in->size, in->ndim, in->stride);
    const Situations *situation = &g->situation;
    Weight layout =
        (Weight)(W_layout_contiguous + (situation->nlayout > 0
                                            ? situation->layout[draw_below(g, situation->nlayout)]
                                            : draw_share(g, W_layout_contiguous, W_layout_offset)));
    if (in->ndim == 4 && draw_feature(g, g->w[W_channels_last])) {
        layout_channels_last(in);
        return;
    }
    if (in->ndim == 0 || layout == W_layout_contiguous) {
        return;
    }
    if (layout == W_layout_permuted && situation->nlayout > 0 && draw_chance(g, 60)) {
        layout_by_columns(in);
    } else if (layout == W_layout_permuted) {
        layout_permuted(g, in);
    } else if (layout == W_layout_stepped) {
        layout_stepped(g, in);
    } else if (layout == W_layout_expanded) {
        layout_expanded(g, in);
    }
    if (layout == W_layout_offset || draw_chance(g, 12)) {
        in->offset = 1 + draw_below(g, 5);
        in->offset_given = true;
    }
}

static void input_tensor(const Input *in, Tensor *t) {
    t->dtype = in->dtype;
    t->ndim = in->ndim;
    t->offset = in->offset;
    for (int d = 0; d < in->ndim; d++) {
        t->size[d] = in->size[d];
        t->stride[d] = in->stride[d];
    }
}

/* ---- data ---- */

static void draw_fill(Gen *g, Input *in) {
    in->data.given = true;
    in->data.is_fill = true;
    in->data.seed = (uint64_t)draw_below(g, 100000);
    int r = draw_below(g, 100);
    if (g->specials && dtype_is_float(in->dtype)) {
        in->data.fill = r < 60 ? FILL_special : r < 90 ? FILL_dyadic : FILL_uniform;
    } else if (g->specials) {
        in->data.fill = r < 25 ? FILL_special : FILL_dyadic;
    } else if (dtype_is_float(in->dtype) ? g->situation.limits : g->situation.whole_limits) {
        bool special = r < (dtype_is_float(in->dtype) ? 20 : 60);
        in->data.fill = special ? FILL_special : r < 70 ? FILL_arange : FILL_dyadic;
    } else {
        static const FillKind fill[] = {FILL_dyadic, FILL_uniform, FILL_arange,
                                        FILL_ones,   FILL_zeros,   FILL_decimal};
        _Static_assert(W_fill_decimal - W_fill_dyadic + 1 == COUNT_OF(fill), "a weight a fill");
        in->data.fill = fill[draw_share(g, W_fill_dyadic, W_fill_decimal)];
    }
}

static int fill_facts(Gen *g, const Input *in, int64_t numel) {
    double lo = -INFINITY, hi = INFINITY;
    int bits = 0;
    bool is_float = dtype_is_float(in->dtype);
    switch (in->data.fill) {
    case FILL_zeros:
        lo = hi = 0;
        break;
    case FILL_ones:
        lo = hi = 1;
        break;
    case FILL_arange:
        lo = 0;
        hi = in->dtype == DT_bool ? 1 : (double)max_i64(numel - 1, 0);
        break;
    case FILL_special:
        bits = is_float ? BITS_INEXACT : 0;
        if (!is_float) {
            lo = (double)dtype_min(in->dtype);
            hi = (double)dtype_max(in->dtype);
        }
        break;
    default:
        if (is_float) {
            lo = -2;
            hi = 2;
            bits = in->data.fill == FILL_dyadic ? 3 : BITS_INEXACT;
        } else {
            lo = in->dtype == DT_uint8 || in->dtype == DT_bool ? 0 : -16;
            hi = in->dtype == DT_uint8 ? 32 : in->dtype == DT_bool ? 1 : 16;
        }
        break;
    }
    int data = gen_data(g, lo, hi, bits, numel);
    g->data[data].unique = in->data.fill == FILL_arange && (double)numel - 1 <= hi;
    g->data[data].uniform = lo == hi;
    if (in->dtype == DT_bool && numel <= GEN_ELEMENTS) {
        unsigned char value[GEN_ELEMENTS];
        fill_buffer(value, DT_bool, numel, in->data.fill, in->data.seed);
        int64_t trues = 0;
        for (int64_t i = 0; i < numel; i++) {
            trues += value[i];
        }
        g->data[data].trues = trues;
    }
    return data;
}

/* ---- making inputs ---- */

static Input *input_new(Gen *g, DType dtype, const int64_t *size, int ndim) {
    int64_t numel;
    if (g->p->ninputs >= GEN_INPUTS || !gen_room(g) || !sizes_numel(size, ndim, &numel) ||
        numel > g->most) {
        return NULL;
    }
    Input *in = &g->p->inputs[g->p->ninputs++];
    *in = (Input){0};
    in->name = gen_name(g, 'x', g->next_input++);
    if (g->p->args_given) { /* the setup is over: it is an argument too */
        g->p->args[g->p->nargs++] = in->name;
    }
    in->dtype = dtype;
    in->ndim = ndim;
    in->storage = NAME_NONE;
    for (int d = 0; d < ndim; d++) {
        in->size[d] = size[d];
    }
    return in;
}

static GenVar *input_var(Gen *g, Input *in, int data) {
    Tensor *t = arena_new(g->arena, Tensor);
    input_tensor(in, t);
    int base = gen_base(g, in->requires_grad, true);
    g->base[base].input = true;
    return gen_var(g, in->name, t, data, base);
}

void gen_input(Gen *g, Input *in) {
    Tensor t;
    input_tensor(in, &t);
    int64_t extent = 0;
    if (!gen_takes(&t)) {
        return;
    }
    CHECK(tensor_extent(&t, &extent));
    int data = in->data.is_fill ? fill_facts(g, in, extent)
                                : gen_data(g, -INFINITY, INFINITY, BITS_INEXACT, extent);
    for (int i = 0; i < g->nvars; i++) {
        const Input *other = var_input(g, &g->var[i]);
        data = in->storage != NAME_NONE && other && other->storage == in->storage ? g->var[i].data
                                                                                  : data;
    }
    input_var(g, in, data);
}

/* An input of values at the boundaries of the integer dtypes; NULL: too many. */
static GenVar *draw_input_boundaries(Gen *g, DType dtype, const int64_t *size, int ndim) {
    int64_t values[GEN_ELEMENTS], numel;
    if (!sizes_numel(size, ndim, &numel) || numel > GEN_ELEMENTS) {
        return NULL;
    }
    for (int64_t i = 0; i < numel; i++) {
        values[i] =
            draw_chance(g, 60) ? draw_boundary(g, dtype) : draw_below(g, 4) - (dtype != DT_uint8);
    }
    return draw_input_values(g, dtype, size, ndim, values);
}

GenVar *draw_input(Gen *g, DType dtype, const int64_t *size, int ndim, bool plain,
                   int requires_grad_percent) {
    if (g->situation.whole_limits && dtype_category(dtype) == CAT_INT && draw_chance(g, 35)) {
        GenVar *v = draw_input_boundaries(g, dtype, size, ndim);
        if (v != NULL) {
            return v;
        }
    }
    Input *in = input_new(g, dtype, size, ndim);
    if (in == NULL) {
        return NULL;
    }
    if (plain) {
        contiguous_strides(in->size, ndim, in->stride);
    } else {
        draw_layout(g, in);
    }
    draw_fill(g, in);
    if (dtype_is_float(dtype) && draw_chance(g, requires_grad_percent)) {
        in->requires_grad = in->requires_grad_given = true;
    }
    Tensor t;
    input_tensor(in, &t);
    int64_t extent = 0;
    CHECK(tensor_extent(&t, &extent));
    return input_var(g, in, fill_facts(g, in, extent));
}

GenVar *draw_input_values(Gen *g, DType dtype, const int64_t *size, int ndim,
                          const int64_t *values) {
    Input *in = input_new(g, dtype, size, ndim);
    if (in == NULL) {
        return NULL;
    }
    contiguous_strides(in->size, ndim, in->stride);
    int64_t numel = 0, lo = INT64_MAX, hi = INT64_MIN;
    CHECK(sizes_numel(size, ndim, &numel));
    in->data.given = true;
    in->data.numel = numel;
    in->data.data = arena_alloc_raw(g->arena, numel * dtype_bytes(dtype));
    bool unique = true;
    for (int64_t i = 0; i < numel; i++) {
        element_store_int(in->data.data, dtype, i, values[i]);
        lo = min_i64(lo, values[i]);
        hi = max_i64(hi, values[i]);
        for (int64_t j = 0; j < i && unique && numel <= 12; j++) {
            unique = values[j] != values[i];
        }
    }
    int data = numel == 0 ? gen_data(g, 0, 0, 0, 0) : gen_data(g, (double)lo, (double)hi, 0, numel);
    g->data[data].unique = unique && numel <= 12 && lo >= 0;
    g->data[data].uniform = lo >= hi;
    return input_var(g, in, data);
}

GenVar *draw_input_shared(Gen *g, GenVar *of) {
    Input *first = var_input(g, of);
    if (first == NULL || g->p->ninputs >= GEN_INPUTS || !gen_room(g)) {
        return NULL;
    }
    Input *in = input_new(g, first->dtype, first->size, first->ndim);
    if (in == NULL) {
        return NULL;
    }
    if (first->storage == NAME_NONE) {
        first->storage = gen_name(g, 's', g->next_storage++);
    }
    in->storage = first->storage;
    in->offset = first->offset;
    in->offset_given = in->offset != 0;
    for (int d = 0; d < in->ndim; d++) {
        in->stride[d] = first->stride[d];
    }
    in->stride_given = true;
    if (in->ndim > 0) {
        int d = draw_below(g, in->ndim), r = draw_below(g, 100);
        if (r < 55 && in->size[d] > 1) { /* of[1:], of[:-1], of[k:] along d */
            int64_t cut = 1 + draw_below(g, (int)in->size[d] - 1);
            in->size[d] -= cut;
            if (draw_chance(g, 75)) {
                in->offset += cut * in->stride[d];
                in->offset_given = in->offset != 0;
            }
        } else if (r < 70 && in->size[d] > 1) { /* of.select(d, k) */
            in->offset += draw_below(g, (int)in->size[d]) * in->stride[d];
            in->offset_given = in->offset != 0;
            for (int k = d; k + 1 < in->ndim; k++) {
                in->size[k] = in->size[k + 1];
                in->stride[k] = in->stride[k + 1];
            }
            in->ndim--;
        } else if (r < 85 && in->ndim > 1) { /* transposed */
            int e = draw_below(g, in->ndim);
            int64_t size = in->size[d], stride = in->stride[d];
            in->size[d] = in->size[e];
            in->stride[d] = in->stride[e];
            in->size[e] = size;
            in->stride[e] = stride;
        }
    }
    if (dtype_is_float(in->dtype) && draw_chance(g, 35)) {
        in->requires_grad = in->requires_grad_given = true;
    }
    return input_var(g, in, of->data);
}
