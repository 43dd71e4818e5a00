/* What further calls change: one property of the inputs that a cache key must hold, or only the
 * data. Each changes `n` inputs in place, or nothing where it does not apply. */
#include "fuzz/generate/vary.h"

static int64_t input_extent(const Input *in) {
    Tensor t;
    t.ndim = in->ndim;
    t.offset = in->offset;
    t.dtype = in->dtype;
    for (int d = 0; d < in->ndim; d++) {
        t.size[d] = in->size[d];
        t.stride[d] = in->stride[d];
    }
    int64_t extent = 0;
    CHECK(tensor_extent(&t, &extent));
    return extent;
}

static void vary_flag(Gen *g, Input *in, int n) {
    int start = draw_below(g, n);
    for (int i = 0; i < n; i++) {
        Input *x = &in[(start + i) % n];
        if (dtype_is_float(x->dtype)) {
            x->requires_grad = !x->requires_grad;
            x->requires_grad_given = true;
            return;
        }
    }
}

/* Another layout of the same size; only for an input with a fill and a storage of its own. */
static void vary_layout(Gen *g, Input *in, int n) {
    Input *x = &in[draw_below(g, n)];
    if (x->storage != NAME_NONE || !x->data.is_fill || x->ndim < 1) {
        return;
    }
    if (draw_chance(g, 40) || x->ndim < 2) {
        x->offset = x->offset > 0 ? 0 : 1 + draw_below(g, 3);
        x->offset_given = true;
        return;
    }
    int64_t stride = 1;
    for (int d = 0; d < x->ndim; d++) { /* column-major */
        x->stride[d] = stride;
        stride *= max_i64(x->size[d], 1);
    }
    x->stride_given = true;
}

static void vary_dtype(Gen *g, Input *in, int n) {
    Input *x = &in[draw_below(g, n)];
    if (dtype_is_float(x->dtype) && x->storage == NAME_NONE && x->data.is_fill) {
        x->dtype = x->dtype == DT_float32 ? DT_float64 : DT_float32;
    }
}

/* All dims of one size, in all inputs, take another; only where every input is a dense fill of its
 * own. */
static void vary_size(Gen *g, Input *in, int n) {
    for (int i = 0; i < n; i++) {
        if (in[i].storage != NAME_NONE || !in[i].data.is_fill || in[i].stride_given) {
            return;
        }
    }
    Input *x = &in[draw_below(g, n)];
    if (x->ndim == 0) {
        return;
    }
    int64_t from = x->size[draw_below(g, x->ndim)],
            to = draw_chance(g, 20) ? draw_between(g, 0, 1) : draw_between(g, 1, 5);
    if (to > from && g->options->max_elements > 0) { /* results grow with them */
        return;
    }
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < in[i].ndim; d++) {
            in[i].size[d] = in[i].size[d] == from ? to : in[i].size[d];
        }
        contiguous_strides(in[i].size, in[i].ndim, in[i].stride);
    }
}

/* Two inputs of one dtype come to share a storage, or part ways. */
static void vary_sharing(Gen *g, Input *in, int n) {
    int a = draw_below(g, n), b = draw_below(g, n);
    if (a == b) {
        return;
    }
    if (a > b) {
        int keep = a;
        a = b;
        b = keep;
    }
    Input *x = &in[a], *y = &in[b];
    if (y->storage != NAME_NONE && x->storage == y->storage && !y->data.given) {
        y->storage = NAME_NONE;
        y->data = (InputData){.given = true,
                              .is_fill = true,
                              .fill = FILL_dyadic,
                              .seed = (uint64_t)draw_below(g, 1000)};
        return;
    }
    if (x->storage == NAME_NONE && y->storage == NAME_NONE && x->dtype == y->dtype &&
        x->data.is_fill && input_extent(y) <= input_extent(x)) {
        x->storage = y->storage = gen_name(g, 's', g->next_storage++);
        y->data = (InputData){.given = false};
    }
}

static void vary_data(Gen *g, Input *in, int n) {
    for (int i = 0; i < n; i++) {
        if (in[i].data.given && in[i].data.is_fill && dtype_is_float(in[i].dtype)) {
            in[i].data.seed = (uint64_t)draw_below(g, 100000);
        }
    }
}

/* A value that fits where `v` does, as an index at least, and is nearer to 0: the next one, or the
 * one that counts from the other end. Applied again and again it gives up to 2 v different ones. */
static int64_t nearer_value(Gen *g, int64_t v) {
    bool turns = draw_chance(g, 75);
    if (v >= 0) {
        return turns ? -v - 1 : max_i64(v - 1, 0);
    }
    return v == -1 ? v : turns ? -v - 2 : v + 1;
}

/* Indices and counts that are given by value: one element comes nearer to 0. */
static void vary_values(Gen *g, Input *in, int n) {
    int start = draw_below(g, n);
    for (int i = 0; i < n; i++) {
        Input *x = &in[(start + i) % n];
        if (!x->data.given || x->data.is_fill || dtype_is_float(x->dtype) || x->data.numel < 1) {
            continue;
        }
        x->data.data = arena_copy(g->arena, x->data.data, x->data.numel * dtype_bytes(x->dtype));
        int at = draw_below(g, (int)x->data.numel);
        int64_t v = nearer_value(g, element_int(x->data.data, x->dtype, at));
        element_store_int(x->data.data, x->dtype, at, x->dtype == DT_uint8 ? max_i64(v, 0) : v);
        return;
    }
}

/* Every input moves along its storage. */
static void vary_window(Gen *g, Input *in, int n) {
    int64_t step = draw_between(g, 1, 4);
    for (int i = 0; i < n; i++) {
        if (in[i].data.given && !in[i].data.is_fill) { /* its storage has the length of its data */
            return;
        }
    }
    for (int i = 0; i < n; i++) {
        in[i].offset += step;
        in[i].offset_given = true;
    }
}

/* Are the elements of the input's storage written out, so that it has their length? */
static bool has_elements(const Input *in, int n, const Input *x) {
    for (int i = 0; i < n; i++) {
        bool same = &in[i] == x || (x->storage != NAME_NONE && in[i].storage == x->storage);
        if (same && in[i].data.given && !in[i].data.is_fill) {
            return true;
        }
    }
    return false;
}

/* One of the inputs that share a storage comes to overlap another in part, in whole, or no more. */
static void vary_overlap(Gen *g, Input *in, int n) {
    int start = draw_below(g, n);
    for (int i = 0; i < n; i++) {
        Input *x = &in[(start + i) % n];
        for (int k = 0; k < n; k++) {
            const Input *y = &in[k];
            bool shared = y != x && x->storage != NAME_NONE && y->storage == x->storage;
            if (!shared || has_elements(in, n, x)) {
                continue;
            }
            int64_t length = input_extent(y) - y->offset, r = draw_below(g, 100);
            x->offset = y->offset + (r < 30   ? 0
                                     : r < 60 ? draw_between(g, 0, max_i64(length - 1, 0))
                                              : max_i64(length, 0));
            x->offset_given = x->offset != 0;
            return;
        }
    }
    vary_sharing(g, in, n);
}

void vary(Gen *g, Variation what, Input *in, int n) {
    static void (*const change[])(Gen * g, Input * in, int n) = {
        [VARY_FLAGS] = vary_flag,    [VARY_LAYOUT] = vary_layout,   [VARY_DTYPE] = vary_dtype,
        [VARY_SIZE] = vary_size,     [VARY_SHARING] = vary_sharing, [VARY_DATA] = vary_data,
        [VARY_VALUES] = vary_values, [VARY_WINDOW] = vary_window,   [VARY_OVERLAP] = vary_overlap};
    change[what](g, in, n);
}
