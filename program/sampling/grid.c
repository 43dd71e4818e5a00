#include "program/sampling/grid.h"

#include "program/infer/infer.h"

static Tensor *grid_plus(Emit *e, Tensor *t, double x) {
    return x == 0 ? t : emit_scalar(e, OP_add_Scalar, t, scalar_float(x));
}
static Tensor *grid_times(Emit *e, Tensor *t, double x) {
    return x == 1 ? t : emit_scalar(e, OP_mul_Scalar, t, scalar_float(x));
}
static Tensor *compared(Emit *e, OpId op, Tensor *t, double x) {
    return emit_scalar(e, op, t, scalar_float(x));
}
/* t without a history: floors, masks and slopes are constants. */
static Tensor *grid_constant(Emit *e, Tensor *t) {
    return t && e->create_graph ? emit_unary(e, OP_detach, t) : t;
}

/* ---- positions ---- */

/* From 0 to size - 1; `*inside` learns where the position was strictly between. */
static Tensor *clipped(Emit *e, Tensor *x, int64_t size, Tensor **inside) {
    double last = (double)(size - 1);
    Tensor *fixed = grid_constant(e, x);
    *inside = emit_binary(e, OP_logical_and, compared(e, OP_gt_Scalar, fixed, 0),
                          compared(e, OP_lt_Scalar, fixed, last));
    return x ? emit_op(e, OP_clamp, 3, x, scalar_int(0), scalar_float(last)) : NULL;
}

/* Reflected at both ends of the dim; `*turned` learns where it runs backwards. NULL: everything is
 * reflected to 0. */
static Tensor *reflected(Emit *e, Tensor *x, int64_t size, bool align, Tensor **turned) {
    double low = align ? 0 : -0.5, twice = 2.0 * (double)(align ? size - 1 : size);
    Tensor *apart = grid_plus(e, x, -low), *length = emit_unary(e, OP_abs, apart);
    Tensor *turns = emit_scalar(e, OP_div_Scalar, grid_constant(e, length), scalar_float(twice));
    turns = grid_times(e, emit_unary(e, OP_trunc, turns), twice);
    Tensor *extra = emit_sub(e, length, turns);
    Tensor *other = extra ? emit_scalar(e, OP_rsub_Scalar, extra, scalar_float(twice)) : NULL;
    Tensor *back = emit_binary(e, OP_gt_Tensor, grid_constant(e, extra), grid_constant(e, other));
    Tensor *negative = compared(e, OP_lt_Scalar, grid_constant(e, apart), 0);
    *turned = emit_binary(e, OP_logical_xor, back, negative);
    return grid_plus(e, emit_binary(e, OP_minimum, extra, other), low);
}

static Tensor *zeros_as(Emit *e, const Tensor *t) { return t ? emit_zeros_like(e, t) : NULL; }

/* Where position x lies after padding. */
static Tensor *padded(const GridPlan *p, Tensor *x, GridAxis *axis, bool slopes) {
    Emit *e = p->e;
    Tensor *inside = NULL, *turned = NULL;
    if (p->padding == GRID_ZEROS) {
        return x;
    }
    if (p->padding == GRID_REFLECTION) {
        if (p->align && axis->size <= 1) {
            axis->slope = slopes ? zeros_as(e, x) : NULL;
            return zeros_as(e, x);
        }
        x = reflected(e, x, axis->size, p->align, &turned);
    }
    x = clipped(e, x, axis->size, &inside);
    if (slopes && inside) {
        Tensor *slope = zeros_as(e, x);
        slope = grid_plus(e, slope, axis->scale);
        slope = turned ? emit_where(e, turned, emit_neg(e, slope), slope) : slope;
        axis->slope = p->n == 3 ? emit_mul(e, slope, emit_cast(e, inside, p->dtype)) /* -0, too */
                                : emit_where_zero(e, inside, slope);
    }
    return x;
}

/* ---- elements around a position ---- */

/* The elements at the whole positions `at`. */
static void set_index(const GridPlan *p, GridTap *tap, Tensor *at, int64_t size) {
    Emit *e = p->e;
    double last = (double)(size - 1);
    tap->inside = emit_binary(e, OP_logical_and, compared(e, OP_ge_Scalar, at, 0),
                              compared(e, OP_le_Scalar, at, last));
    Tensor *within = at ? emit_op(e, OP_clamp, 3, at, scalar_int(0), scalar_float(last)) : NULL;
    tap->index = emit_cast(e, within, DT_int64);
}

static void set_constant(GridTap *tap, int order, double value) {
    tap->weight[order] = NULL;
    tap->constant[order] = value;
}

/* The cubic kernel at x from its middle and its derivatives by x; `outer`: for 1 < x < 2. */
static Tensor *cubic(Emit *e, Tensor *x, bool outer, int order) {
    const double a = -0.75;
    static const double zero = 0;
    Tensor *t;
    if (order == 2) {
        return outer ? grid_plus(e, grid_times(e, x, 6 * a), -10 * a)
                     : grid_plus(e, grid_times(e, x, 6 * (a + 2)), -2 * (a + 3));
    }
    if (order == 1) {
        t = outer ? grid_plus(e, grid_times(e, x, 3 * a), -10 * a)
                  : grid_plus(e, grid_times(e, x, 3 * (a + 2)), -2 * (a + 3));
        return grid_plus(e, emit_mul(e, t, x), outer ? 8 * a : zero);
    }
    if (outer) {
        t = grid_plus(e, grid_times(e, x, a), -5 * a);
        t = grid_plus(e, emit_mul(e, t, x), 8 * a);
        return grid_plus(e, emit_mul(e, t, x), -4 * a);
    }
    t = grid_plus(e, grid_times(e, x, a + 2), -(a + 3));
    return grid_plus(e, emit_mul(e, emit_mul(e, t, x), x), 1);
}

static void set_cubic_taps(const GridPlan *p, GridAxis *axis, Tensor *x) {
    Emit *e = p->e;
    Tensor *first = emit_unary(e, OP_floor, grid_constant(e, x)), *t = emit_sub(e, x, first);
    axis->ntap = 4;
    for (int k = 0; k < 4; k++) {
        Tensor *at = grid_plus(e, first, k - 1);
        set_index(p, &axis->tap[k], padded(p, at, axis, false), axis->size);
        bool outer = k == 0 || k == 3, before = k < 2;
        Tensor *apart = k == 0   ? grid_plus(e, t, 1)
                        : k == 1 ? t
                        : t      ? emit_scalar(e, OP_rsub_Scalar, t, scalar_float(k - 1))
                                 : NULL;
        for (int order = 0; order < 3; order++) {
            Tensor *weight = cubic(e, apart, outer, order);
            axis->tap[k].weight[order] = order == 1 && !before ? emit_neg(e, weight) : weight;
        }
    }
}

static void set_taps(const GridPlan *p, GridAxis *axis, Tensor *x) {
    Emit *e = p->e;
    if (p->mode == GRID_CUBIC) {
        set_cubic_taps(p, axis, x);
        return;
    }
    x = padded(p, x, axis, true);
    if (p->mode == GRID_NEAREST) {
        axis->ntap = 1;
        set_index(p, &axis->tap[0], emit_unary(e, OP_round, grid_constant(e, x)), axis->size);
        for (int order = 0; order < 3; order++) {
            set_constant(&axis->tap[0], order, order == 0);
        }
        return;
    }
    Tensor *first = emit_unary(e, OP_floor, grid_constant(e, x)), *t = emit_sub(e, x, first);
    axis->ntap = 2;
    for (int k = 0; k < 2; k++) {
        GridTap *tap = &axis->tap[k];
        set_index(p, tap, grid_plus(e, first, k), axis->size);
        tap->weight[0] = k == 1 ? t : t ? emit_scalar(e, OP_rsub_Scalar, t, scalar_int(1)) : NULL;
        set_constant(tap, 1, k == 1 ? 1 : -1);
        set_constant(tap, 2, 0);
    }
}

GridPlan grid_plan(Emit *e, const Tensor *input, Tensor *grid, int mode, int padding, bool align) {
    GridPlan p = {.e = e,
                  .mode = mode,
                  .padding = padding,
                  .n = input->ndim - 2,
                  .align = align,
                  .dtype = input->dtype,
                  .batch = input->size[0],
                  .channels = input->size[1],
                  .points = 1,
                  .cells = 1,
                  .input = input};
    if (!grid) { /* the error is in e */
        p.points = 0;
        return p;
    }
    for (int d = 0; d < p.n; d++) {
        p.out[d] = grid->size[1 + d];
        p.points *= p.out[d];
        p.cells *= input->size[2 + d];
    }
    if (grid_is_empty(&p)) {
        return p;
    }
    int64_t size[3] = {p.batch, 1, p.points};
    for (int k = 0; k < p.n; k++) {
        GridAxis *axis = &p.axis[k];
        axis->size = input->size[input->ndim - 1 - k];
        axis->scale = (double)(align ? axis->size - 1 : axis->size) / 2;
        Tensor *x = emit_reshape(e, emit_select(e, grid, -1, k), size, 3);
        x = emit_scalar(e, OP_mul_Scalar, grid_plus(e, x, 1), scalar_float(axis->scale));
        set_taps(&p, axis, grid_plus(e, x, align ? 0 : -0.5));
    }
    return p;
}

bool grid_is_empty(const GridPlan *p) {
    return p->batch == 0 || p->channels == 0 || p->points == 0;
}

/* ---- sums ---- */

enum { GRID_TERMS = 64 /* 4 in each of 3 dims */ };

/* One element around each position: its index among all of the channel, whether it exists, its
 * weight. */
typedef struct GridTerm {
    Tensor *index, *inside, *weight; /* weight NULL: `constant` */
    double constant;
} GridTerm;

static GridTerm term_of(const GridPlan *p, int number, const int *order) {
    Emit *e = p->e;
    GridTerm term = {.constant = 1};
    int64_t stride = 1;
    for (int k = 0; k < p->n; k++) {
        const GridAxis *axis = &p->axis[k];
        const GridTap *tap = &axis->tap[number % axis->ntap];
        number /= axis->ntap;
        Tensor *index = stride == 1 ? tap->index
                                    : emit_scalar(e, OP_mul_Scalar, tap->index, scalar_int(stride)),
               *weight = tap->weight[order[k]];
        term.index = term.index ? emit_add(e, term.index, index) : index;
        term.inside =
            term.inside ? emit_binary(e, OP_logical_and, term.inside, tap->inside) : tap->inside;
        if (weight) {
            term.weight = term.weight ? emit_mul(e, term.weight, weight) : weight;
        } else {
            term.constant *= tap->constant[order[k]];
        }
        stride *= axis->size;
    }
    return term;
}

static int term_count(const GridPlan *p) {
    int count = 1;
    for (int k = 0; k < p->n; k++) {
        count *= p->axis[k].ntap;
    }
    return count;
}

static Tensor *weighted(const GridPlan *p, const GridTerm *term, Tensor *t) {
    t = term->weight ? emit_mul(p->e, t, term->weight) : t;
    return grid_times(p->e, t, term->constant);
}

/* cat of the pieces; NULL if one is missing. */
static Tensor *pieces_joined(Emit *e, Tensor **piece, int n, int64_t dim) {
    enum { GROUP = 16 };
    while (n > 1) {
        int joined = 0;
        for (int i = 0; i < n; i += GROUP) {
            int count = n - i < GROUP ? n - i : GROUP;
            for (int k = 0; k < count; k++) {
                if (!piece[i + k]) {
                    return NULL;
                }
            }
            piece[joined++] = emit_op(e, OP_cat, 2, piece + i, count, dim);
        }
        n = joined;
    }
    return piece[0];
}

/* Each term is multiplied by `factor`, unless that is NULL (PyTorch multiplies differences for 2D
 * bilinear). The terms are summed by one op, because PyTorch adds them in orders of its own. */
static Tensor *gathered(const GridPlan *p, Tensor *input, const int *order, Tensor *factor) {
    Emit *e = p->e;
    int64_t flat[3] = {p->batch, p->channels, p->cells},
            wide[3] = {p->batch, p->channels, p->points}, first = 0;
    Tensor *piece[GRID_TERMS];
    int n = 0;
    bool skips = p->n == 3 && p->mode != GRID_CUBIC; /* what is outside, instead of a term of 0 */
    input = emit_reshape(e, input, flat, 3);
    for (int i = 0; i < term_count(p); i++) {
        GridTerm term = term_of(p, i, order);
        if (term.constant == 0 || e->err->code != ERR_none) {
            continue;
        }
        Tensor *t =
            emit_op(e, OP_gather, 3, input, (int64_t)2, emit_expand(e, term.index, wide, 3));
        t = weighted(p, &term, skips ? t : emit_where_zero(e, term.inside, t));
        t = factor ? emit_mul(e, t, factor) : t;
        t = skips ? emit_where_zero(e, term.inside, t) : t;
        piece[n++] = term_count(p) > 1 ? emit_unsqueeze(e, t, 0) : t;
    }
    if (n == 0) {
        return NULL;
    }
    Tensor *all = pieces_joined(e, piece, n, 0);
    return term_count(p) > 1 ? emit_sum_dims(e, all, &first, 1, false) : all;
}

Tensor *grid_gather(const GridPlan *p, Tensor *input, const int order[GRID_DIMS]) {
    return gathered(p, input, order, NULL);
}

Tensor *grid_scatter(const GridPlan *p, Tensor *values, const int order[GRID_DIMS]) {
    Emit *e = p->e;
    int64_t flat[3] = {p->batch, p->channels, p->cells},
            wide[3] = {p->batch, p->channels, p->points};
    Tensor *piece[GRID_TERMS], *index[GRID_TERMS];
    int n = 0;
    for (int i = 0; i < term_count(p); i++) {
        GridTerm term = term_of(p, i, order);
        if (term.constant == 0 || e->err->code != ERR_none) {
            continue;
        }
        index[n] = emit_expand(e, term.index, wide, 3);
        piece[n++] = emit_where_zero(e, term.inside, weighted(p, &term, values));
    }
    if (n == 0) {
        return NULL;
    }
    Tensor *at = pieces_joined(e, index, n, 2), *all = pieces_joined(e, piece, n, 2);
    Tensor *zeros = emit_full(e, flat, 3, scalar_int(0), p->dtype);
    return at && all && zeros ? emit_op(e, OP_scatter_add, 4, zeros, (int64_t)2, at, all) : NULL;
}

Tensor *grid_scaled(const GridPlan *p, Tensor *t, int k) {
    const GridAxis *axis = &p->axis[k];
    return axis->slope ? emit_mul(p->e, t, axis->slope) : grid_times(p->e, t, axis->scale);
}

Tensor *grid_flat(const GridPlan *p, Tensor *t) {
    int64_t flat[3] = {p->batch, p->channels, p->points};
    return emit_reshape(p->e, t, flat, 3);
}

Tensor *grid_joined(const GridPlan *p, Tensor *const *part) {
    Emit *e = p->e;
    int64_t size[GRID_DIMS + 2] = {p->batch}, column[3] = {p->batch, p->points, 1};
    Tensor *joined[GRID_DIMS];
    for (int k = 0; k < p->n; k++) {
        size[1 + k] = p->out[k];
        joined[k] = part[k] ? emit_reshape(e, part[k], column, 3)
                            : emit_full(e, column, 3, scalar_int(0), p->dtype);
        if (!joined[k]) {
            return NULL;
        }
    }
    size[1 + p->n] = p->n;
    return emit_reshape(e, emit_op(e, OP_cat, 2, joined, p->n, (int64_t)2), size, p->n + 2);
}

Tensor *grid_gradient(const GridPlan *p, Tensor *values, Tensor *input) {
    Tensor *part[GRID_DIMS] = {NULL};
    int64_t channel = 1;
    for (int k = 0; k < p->n && p->mode != GRID_NEAREST; k++) {
        int order[GRID_DIMS] = {0};
        order[k] = 1;
        Tensor *products = p->mode == GRID_CUBIC || p->n == 3
                               ? gathered(p, input, order, values)
                               : emit_mul(p->e, grid_gather(p, input, order), values);
        part[k] = grid_scaled(p, emit_sum_dims(p->e, products, &channel, 1, true), k);
    }
    return grid_joined(p, part);
}
