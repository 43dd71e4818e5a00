/* Which variable becomes an argument: existing ones that fit (recent ones more often), else new
 * inputs, else small factories.
 *
 * Since an input can be added at any time, an argument of a given size and dtype is nearly always
 * available. */
#include "fuzz/generate/tensors.h"

#include <math.h>

static bool tensor_expands(const Tensor *t, const int64_t *size, int ndim) {
    if (t->ndim > ndim) {
        return false;
    }
    for (int d = 0; d < t->ndim; d++) {
        int64_t have = t->size[t->ndim - 1 - d];
        if (have != 1 && have != size[ndim - 1 - d]) {
            return false;
        }
    }
    return true;
}

GenVar *draw_var(Gen *g, bool (*accept)(const Gen *g, const GenVar *v)) {
    for (int i = 0; i < 8 && g->nvars > 0; i++) {
        int recent = g->nvars < 5 ? g->nvars : 5;
        int at =
            draw_chance(g, 55) ? g->nvars - 1 - draw_below(g, recent) : draw_below(g, g->nvars);
        GenVar *v = &g->var[at];
        if (!v->dead && (v->fuzzy ? draw_chance(g, 10) : true) && accept(g, v)) {
            return v;
        }
    }
    return NULL;
}

static bool need_met(const Gen *g, const Need *need, const GenVar *v) {
    if (v->dead || v->fuzzy || v->t->dtype != need->dtype) {
        return false;
    }
    const Data *data = &g->data[v->data];
    if (need->nonzero && !(data->lo > 0 || data->hi < 0)) {
        return false;
    }
    if (need->uniform && !data->uniform && tensor_numel(v->t) > 1) {
        return false;
    }
    return need->broadcast ? tensor_expands(v->t, need->size, need->ndim)
                           : sizes_equal(v->t->size, v->t->ndim, need->size, need->ndim);
}

/* Sizes that broadcast to `size`: mostly itself, else with dims of 1 or leading dims left out. */
static int broadcast_from(Gen *g, const int64_t *size, int ndim, int64_t *out) {
    int skip = ndim > 0 && draw_chance(g, 15) ? 1 + draw_below(g, ndim) : 0;
    for (int d = skip; d < ndim; d++) {
        out[d - skip] = draw_chance(g, 10) ? 1 : size[d];
    }
    return ndim - skip;
}

static GenVar *need_factory(Gen *g, const Need *need, const int64_t *size, int ndim) {
    bool ones = need->nonzero || draw_chance(g, 70);
    Stmt *s = stmt_op(g, ones ? OP_ones : OP_zeros);
    set_ints(g, s, 0, size, ndim);
    set_dtype(s, 1, need->dtype);
    return stmt_commit(g, s, NAME_NONE);
}

/* 0, 1, 2, .. along the last dim: index arithmetic, which compilers do not store. */
static GenVar *need_positions(Gen *g, const Need *need) {
    Stmt *s = stmt_op(g, OP_arange);
    set_scalar(s, 0, scalar_int(need->size[need->ndim - 1]));
    set_dtype(s, 1, need->dtype);
    return stmt_commit(g, s, NAME_NONE);
}

GenVar *draw_need(Gen *g, Need need) {
    if (need.broadcast && !need.nonzero && !need.uniform && need.ndim > 0 &&
        need.dtype != DT_bool && draw_chance(g, 4)) {
        GenVar *v = need_positions(g, &need);
        if (v != NULL) {
            return v;
        }
    }
    bool fresh = g->p->ninputs < 4 ? draw_chance(g, 20) : draw_chance(g, 4);
    if (!fresh && g->nvars > 0) {
        int start = draw_below(g, g->nvars);
        for (int i = 0; i < g->nvars; i++) {
            int at = start + i < g->nvars ? start + i : start + i - g->nvars;
            if (need_met(g, &need, &g->var[at])) {
                return &g->var[at];
            }
        }
    }
    int64_t size[MAX_DIMS];
    int ndim = need.ndim;
    if (need.broadcast) {
        ndim = broadcast_from(g, need.size, need.ndim, size);
    } else {
        for (int d = 0; d < ndim; d++) {
            size[d] = need.size[d];
        }
    }
    if (need.uniform && draw_chance(g, 60)) {
        if (need.broadcast) {
            ndim = 0;
        }
        return need_factory(g, &need, size, ndim);
    }
    if (need.uniform && need.broadcast) {
        ndim = 0;
    }
    int64_t numel = 0;
    if (!sizes_numel(size, ndim, &numel) || numel > g->most ||
        (need.nonzero && numel > GEN_ELEMENTS)) {
        return NULL;
    }
    if (g->p->ninputs >= GEN_INPUTS || (need.uniform && ndim > 0)) {
        return need_factory(g, &need, size, ndim);
    }
    if (need.nonzero) {
        int64_t values[GEN_ELEMENTS];
        for (int64_t i = 0; i < numel; i++) {
            values[i] = dtype_category(need.dtype) == CAT_BOOL ? 1 : 1 + draw_below(g, 5);
            if (g->situation.whole_limits && dtype_category(need.dtype) == CAT_INT &&
                draw_chance(g, 50)) {
                values[i] = need.dtype == DT_uint8 ? 255 : -values[i] / 2 - (values[i] < 2);
            }
        }
        return draw_input_values(g, need.dtype, size, ndim, values);
    }
    return draw_input(g, need.dtype, size, ndim, need.plain, 60);
}

/* Of another dtype, of one element with or without dims, or both: what type promotion tells
 * apart. */
static GenVar *mixed_operand(Gen *g, DType dtype, const int64_t *size, int ndim) {
    static const DType floats[] = {DT_float32, DT_float64, DT_float16, DT_bfloat16};
    static const DType rest[] = {DT_int64, DT_int32, DT_int8, DT_uint8, DT_bool, DT_float32};
    static const int64_t ones[MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    if (draw_chance(g, 75)) {
        dtype = draw_chance(g, 70) ? floats[draw_below(g, COUNT_OF(floats))]
                                   : rest[draw_below(g, COUNT_OF(rest))];
    }
    int r = draw_below(g, 100);
    if (r < 70) {
        ndim = r < 40 ? 0 : r < 60 ? 1 : ndim;
        size = ones;
    }
    return draw_need(g, (Need){.dtype = dtype, .ndim = ndim, .size = size});
}

GenVar *draw_operand(Gen *g, DType dtype, const int64_t *size, int ndim) {
    static const DType lower[] = {DT_bool,    DT_uint8,    DT_int8,   DT_int16,
                                  DT_int32,   DT_int64,    DT_int64,  DT_float32,
                                  DT_float64, DT_bfloat16, DT_float16};
    if (g->situation.mixed && draw_chance(g, 50)) {
        return mixed_operand(g, dtype, size, ndim);
    }
    if (draw_chance(g, 10)) {
        DType other = lower[draw_below(g, COUNT_OF(lower))];
        if (dtype_category(other) <= dtype_category(dtype) || draw_chance(g, 10)) {
            dtype = other;
        }
    }
    return draw_need(g, (Need){.dtype = dtype, .ndim = ndim, .size = size, .broadcast = true});
}

GenVar *draw_literal(Gen *g, DType dtype, const int64_t *size, int ndim, const int64_t *values) {
    int64_t numel = 0;
    CHECK(sizes_numel(size, ndim, &numel));
    Stmt *s = stmt_op(g, OP_tensor);
    void *data = arena_alloc_raw(g->arena, numel * dtype_bytes(dtype));
    bool unique = numel <= 12;
    for (int64_t i = 0; i < numel; i++) {
        element_store_int(data, dtype, i, values[i]);
        for (int64_t j = 0; j < i && unique; j++) {
            unique = values[j] != values[i] && values[i] >= 0;
        }
    }
    s->arg[0] = (PArg){.given = true, .data = {data, numel}};
    set_ints(g, s, 1, size, ndim);
    set_dtype(s, 2, dtype);
    GenVar *v = stmt_commit(g, s, NAME_NONE);
    if (v != NULL) {
        var_data(g, v)->unique = unique;
    }
    return v;
}

/* An existing integer tensor of this size whose values are known to fit. */
static GenVar *existing_index(Gen *g, DType dtype, const int64_t *size, int ndim, int64_t lo,
                              int64_t hi, bool distinct) {
    int start = g->nvars > 0 ? draw_below(g, g->nvars) : 0;
    for (int i = 0; i < g->nvars; i++) {
        GenVar *v = &g->var[start + i < g->nvars ? start + i : start + i - g->nvars];
        const Data *data = &g->data[v->data];
        if (!v->dead && !v->fuzzy && v->t->dtype == dtype &&
            sizes_equal(v->t->size, v->t->ndim, size, ndim) && data->lo >= (double)lo &&
            data->hi <= (double)hi &&
            (!distinct || (data->unique && tensor_internal_overlap(v->t) == OVERLAP_NO))) {
            return v;
        }
    }
    return NULL;
}

GenVar *draw_index_tensor(Gen *g, DType dtype, const int64_t *size, int ndim, int64_t lo,
                          int64_t hi, int distinct_dim) {
    int64_t numel = 0;
    if (!sizes_numel(size, ndim, &numel) || numel > GEN_ELEMENTS || (numel > 0 && hi < lo)) {
        return NULL;
    }
    if (draw_chance(g, 60)) {
        GenVar *v = existing_index(g, dtype, size, ndim, lo, hi, distinct_dim >= 0);
        if (v != NULL) {
            return v;
        }
    }
    int64_t values[GEN_ELEMENTS];
    int64_t span = hi - lo + 1;
    if (distinct_dim >= 0 && ndim > 0) {
        if (size[distinct_dim] > span) {
            return NULL;
        }
        int64_t inner = 1;
        for (int d = distinct_dim + 1; d < ndim; d++) {
            inner *= size[d];
        }
        int64_t shift = numel > 0 ? draw_below(g, (int)span) : 0;
        int64_t turn = draw_below(g, 3);
        for (int64_t i = 0; i < numel; i++) {
            int64_t along = i / inner % size[distinct_dim],
                    line = i % inner + i / (inner * size[distinct_dim]);
            values[i] = lo + (along + shift + turn * line) % span;
        }
    } else {
        int64_t narrow = draw_chance(g, 30) ? min_i64(span, 2) : span; /* more duplicates */
        for (int64_t i = 0; i < numel; i++) {
            values[i] = lo + draw_below(g, (int)narrow);
        }
    }
    if (draw_chance(g, 50)) {
        GenVar *v = draw_input_values(g, dtype, size, ndim, values);
        if (v != NULL) {
            return v;
        }
    }
    return draw_literal(g, dtype, size, ndim, values);
}
