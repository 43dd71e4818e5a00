/* Numbers as arguments: scalars, integers, lists of integers, by the names of their parameters and
 * the size of the main tensor. */
#include "fuzz/generate/args.h"

#include <math.h>

/* ---- scalars ---- */

Scalar draw_scalar(Gen *g, DType dtype) {
    static const double dyadic[] = {0.5, -0.5, 1.5, -1.5, 0.25, 2.5, 0.125, -0.75};
    static const double special[] = {INFINITY, -INFINITY, NAN, -0.0, 1e30, 0.0};
    if (g->situation.extremes && draw_chance(g, 15)) {
        return draw_extreme_scalar(g, dtype);
    }
    if (g->situation.neutral && draw_chance(g, 50)) {
        int64_t i = draw_below(g, 5) / 2;
        i -= draw_chance(g, 20) ? 1 : 0;
        return dtype_is_float(dtype) && draw_chance(g, 60) ? scalar_float((double)i)
                                                           : scalar_int(i > 1 ? 1 : i);
    }
    int r = draw_below(g, 100);
    if (dtype == DT_bool && r < 70) {
        return scalar_bool(draw_chance(g, 50));
    }
    if (dtype_is_float(dtype)) {
        if (g->specials && r < 25) {
            return scalar_float(special[draw_below(g, COUNT_OF(special))]);
        }
        if (r < 45) {
            return scalar_float(dyadic[draw_below(g, COUNT_OF(dyadic))]);
        }
        if (r < 60) {
            return scalar_float((double)draw_between(g, -3, 3));
        }
        if (r < 64) {
            return scalar_float(draw_chance(g, 50) ? -0.0 : 0.0);
        }
        if (r < 68) {
            return scalar_bool(draw_chance(g, 50));
        }
    } else if (r < 6) {
        return scalar_float(dyadic[draw_below(g, COUNT_OF(dyadic))]);
    } else if (r < 10) {
        return scalar_bool(draw_chance(g, 50));
    }
    return scalar_int(dtype == DT_uint8 ? draw_below(g, 6) : draw_between(g, -4, 5));
}

/* A scalar that the op may divide by. */
static Scalar nonzero_scalar(Draw *x) {
    for (int i = 0; i < 4; i++) {
        Scalar s = draw_scalar(x->g, x->t->dtype);
        if (scalar_to_double(s) != 0 && (s.kind != CAT_FLOAT || dtype_is_float(x->t->dtype))) {
            return s;
        }
    }
    return scalar_int(2);
}

/* Does the number bound values, or is it compared with them? */
static bool is_bound(const Draw *x, const Param *p) {
    return named(p, "min") || named(p, "max") || named(p, "threshold") || named(p, "value") ||
           (x->op->kind == KIND_POINTWISE && pw_is_logic(x->op->pw));
}

bool scalar_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    DType dtype = x->t != NULL ? x->t->dtype : g->main;
    bool is_float = dtype_is_float(dtype);
    Scalar v;
    if (x->t != NULL && is_bound(x, p) && draw_feature(g, g->w[W_beyond])) {
        v = draw_extreme_scalar(g, dtype);
        x->optional = true;
    } else if (named(p, "alpha") || named(p, "beta")) {
        if (draw_chance(g, 70)) {
            return true;
        }
        v = is_float && draw_chance(g, 50) ? scalar_float(draw_chance(g, 50) ? 0.5 : -2)
                                           : scalar_int(draw_between(g, -1, 2));
    } else if (named(p, "p")) {
        static const double power[] = {2, 2, 1, 3, 0, INFINITY, -INFINITY, 0.5, 1.5};
        v = scalar_float(power[draw_below(g, COUNT_OF(power))]);
    } else if (named(p, "exponent")) {
        static const double power[] = {2, 3, 0.5, 0, 1, -1, 1.5, -2};
        double e = power[draw_below(g, is_float ? COUNT_OF(power) : 2)];
        v = e == floor(e) && draw_chance(g, 60) ? scalar_int((int64_t)e) : scalar_float(e);
        if (!is_float) {
            v = scalar_int(draw_below(g, 4));
        }
    } else if (x->op->kind == KIND_FACTORY &&
               (named(p, "end") || named(p, "start") || named(p, "step"))) {
        bool real = draw_chance(g, 12);
        int64_t i = named(p, "end")     ? draw_extent(g) + (has(x->op, "start") ? x->first : 0)
                    : named(p, "start") ? draw_between(g, -3, 3)
                                        : draw_between(g, 1, 3);
        x->first = named(p, "start") ? i : x->first;
        v = real ? scalar_float((double)i + 0.5) : scalar_int(i);
    } else if (named(p, "min") || named(p, "max")) {
        if (x->op->param[k].type == ARG_SCALAR_OPT && draw_chance(g, 30) &&
            (x->optional || k + 1 < x->op->nparam)) {
            return true;
        }
        v = draw_scalar(g, dtype);
        if (named(p, "max") && x->optional && draw_chance(g, 85)) {
            v = is_float ? scalar_float(0.5 + draw_below(g, 2)) : scalar_int(4 + draw_below(g, 3));
        }
        x->optional = true;
    } else if (shifts(x->op)) {
        v = scalar_int(draw_below(g, 7));
    } else if (x->divides) {
        v = nonzero_scalar(x);
    } else if (x->op->kind == KIND_FACTORY && dtype == DT_bool) {
        v = scalar_bool(draw_chance(g, 50));
    } else {
        v = draw_scalar(g, dtype);
    }
    set_scalar(x->s, k, v);
    return true;
}

/* ---- single integers ---- */

/* Either way to name the same dim. */
static int64_t signed_dim(Draw *x, int64_t dim) {
    int64_t n = x->t != NULL ? max_i64(x->t->ndim, 1) : 1;
    return draw_chance(x->g, x->g->situation.extremes ? 60 : 30) ? dim - n : dim;
}

/* A slice bound, a diagonal, a count of turns, the size of a piece: any value is one. */
static bool counts_freely(const Param *p) {
    bool bound = (named(p, "start") || named(p, "end") || named(p, "step")) && p->has_default;
    return bound || named(p, "diagonal") || named(p, "offset") || named(p, "split_size") ||
           named(p, "chunks") || (named(p, "k") && p->has_default);
}

bool int_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    int64_t n = size_along(x);
    int ndim = x->t != NULL ? x->t->ndim : 1;
    bool optional = p->has_default;
    int64_t v;
    if (named(p, "dim") || named(p, "dimension") || named(p, "dim0") || named(p, "axis0") ||
        named(p, "start_dim")) {
        if (optional && x->dim == 0 && draw_chance(g, 50)) {
            return true;
        }
        if (x->op->draw == DRAW_NEW_DIM) {
            v = draw_between(g, -ndim - 1, ndim);
        } else {
            v = signed_dim(x, x->dim);
        }
    } else if (named(p, "reduction")) {
        if (optional && draw_chance(g, 40)) {
            return true;
        }
        v = draw_below(g, 3);
    } else if (named(p, "correction")) {
        v = draw_between(g, 0, 2);
    } else if (named(p, "dim1") || named(p, "axis1") || named(p, "dim2")) {
        int64_t other = ndim > 1 ? (x->dim + 1 + draw_below(g, ndim - 1)) % ndim : 0;
        if (named(p, "dim2")) {
            other =
                ndim > 1 && x->s->arg[k - 1].given
                    ? (((x->s->arg[k - 1].i.value + ndim) % ndim) + 1 + draw_below(g, ndim - 1)) %
                          ndim
                    : 1;
            if (!x->s->arg[k - 1].given && (other == 0 || draw_chance(g, 50))) {
                return true;
            }
        } else if (optional && draw_chance(g, 55)) {
            return true;
        }
        v = signed_dim(x, other);
    } else if (named(p, "end_dim")) {
        if (draw_chance(g, 60)) {
            return true;
        }
        v = ndim > 0 ? draw_between(g, x->dim, ndim - 1) : 0;
    } else if (named(p, "index")) {
        v = n > 0 ? draw_between(g, -n, n - 1) : 0;
    } else if (named(p, "start")) {
        if (optional && draw_chance(g, 30)) {
            return true;
        }
        v = optional ? draw_between(g, -n, n) : draw_between(g, 0, n);
        x->first = v < 0 ? v + n : v;
    } else if (named(p, "end")) {
        if (optional && draw_chance(g, 30)) {
            return true;
        }
        v = draw_between(g, min_i64(x->first, n), n + 1);
        v = v > 0 && v < n && draw_chance(g, 20) ? v - n : v;
    } else if (named(p, "length")) {
        v = draw_between(g, 0, max_i64(n - x->first, 0));
    } else if (named(p, "step")) {
        if (optional && draw_chance(g, 60)) {
            return true;
        }
        v = draw_between(g, 1, 3);
    } else if (named(p, "size")) { /* unfold */
        v = draw_between(g, n > 0 ? 1 : 0, n);
    } else if (named(p, "diagonal") || named(p, "offset")) {
        if (optional && draw_chance(g, 40)) {
            return true;
        }
        v = draw_between(g, -2, 2);
    } else if (named(p, "storage_offset")) {
        return true; /* with the strides */
    } else if (named(p, "split_size") || named(p, "chunks") || named(p, "sections")) {
        v = draw_between(g, 1, max_i64(n, 1));
    } else if (named(p, "output_size")) {
        return true;
    } else if (named(p, "repeats")) {
        v = draw_below(g, 4);
    } else if (named(p, "k") && has(x->op, "dim")) { /* topk, along a dim that is chosen with it */
        v = draw_between(g, 0, n);
        set_int(x->s, op_param(x->op, "dim"), signed_dim(x, x->dim));
    } else if (named(p, "k")) {
        v = draw_between(g, -3, 5);
    } else if ((named(p, "source") || named(p, "destination")) && ndim > 0) {
        v = signed_dim(x, draw_below(g, ndim));
    } else {
        v = draw_extent(g);
    }
    if (g->situation.extremes && counts_freely(p) && draw_chance(g, 40)) {
        v = draw_extreme(g, n);
        bool positive = named(p, "step") || named(p, "split_size") || named(p, "chunks");
        v = positive ? 1 + (v < 0 ? -1 - v : v) % 1000 : v;
        x->first = named(p, "start") ? max_i64(0, min_i64(v < 0 ? v + n : v, n)) : x->first;
    }
    set_int(x->s, k, v);
    return true;
}

/* ---- lists of integers ---- */

static void maybe_size_of(Gen *g, PInt *v) {
    if (!draw_chance(g, g->want_sizes ? 90 : 4) || g->nvars == 0) {
        return;
    }
    for (int tries = g->want_sizes ? 4 : 1; tries > 0; tries--) {
        const GenVar *var = &g->var[draw_below(g, g->nvars)];
        for (int d = 0; d < var->t->ndim && !var->dead && !var->fuzzy; d++) {
            if (var->t->size[d] == v->value) {
                *v = (PInt){var->name, d};
                return;
            }
        }
    }
}

/* Another size with as many elements. */
int refactored_size(Gen *g, const Tensor *t, int64_t *size) {
    int64_t left = tensor_numel(t);
    if (left == 0) {
        int n = 1 + draw_below(g, 2);
        for (int d = 0; d < n; d++) {
            size[d] = d == 0 ? 0 : draw_extent(g);
        }
        return n;
    }
    if (draw_chance(g, 15)) {
        size[0] = draw_chance(g, 60) ? -1 : left;
        return 1;
    }
    int n = 0;
    if (draw_chance(g, 40)) { /* split or join neighbours of the old size: often a view */
        for (int d = 0; d < t->ndim && n < 5; d++) {
            if (n > 0 && draw_chance(g, 40)) {
                size[n - 1] *= t->size[d];
            } else {
                size[n++] = t->size[d];
            }
        }
        return n;
    }
    while (left > 1 && n < 3) {
        static const int64_t factors[] = {2, 3, 4, 5, 7, 8, 9, 6};
        int64_t f = factors[draw_below(g, COUNT_OF(factors))];
        if (left % f == 0) {
            size[n++] = f;
            left /= f;
        } else if (draw_chance(g, 30)) {
            break;
        }
    }
    if (left > 1 || draw_chance(g, 20)) {
        size[n++] = left;
    }
    if (n > 0 && draw_chance(g, 15)) {
        size[draw_below(g, n)] = -1;
    }
    return n;
}

int expanded_size(Gen *g, const Tensor *t, int64_t *size) {
    int extra = t->ndim < 3 && draw_chance(g, 40) ? 1 : 0;
    for (int d = 0; d < extra; d++) {
        size[d] = draw_between(g, 1, 3);
    }
    for (int d = 0; d < t->ndim; d++) {
        int64_t s = t->size[d] == 1 ? draw_extent(g) : t->size[d];
        size[extra + d] = s == t->size[d] && draw_chance(g, 30) ? -1 : s;
    }
    return extra + t->ndim;
}

/* A rectangle of the storage: with random gaps, overlaps and transpositions. */
static bool strided_argument(Draw *x, int k) {
    Gen *g = x->g;
    int64_t length = var_data(g, x->self)->numel;
    int ks = op_param(x->op, "stride"), ko = op_param(x->op, "storage_offset");
    int64_t size[3], stride[3];
    int n = 1 + draw_below(g, 2);
    int64_t last = 0;
    int64_t offset = length > 0 && draw_chance(g, 40) ? draw_below(g, (int)min_i64(length, 4)) : 0;
    bool overlap = draw_chance(g, 12);
    int64_t step = 1;
    for (int d = n - 1; d >= 0; d--) {
        stride[d] = overlap && draw_chance(g, 50)
                        ? draw_below(g, 2)
                        : step + (draw_chance(g, 45) ? 1 + draw_below(g, 4) : 0);
        int64_t room = length - offset - last;
        if (room < 1) {
            return false;
        }
        int64_t most = stride[d] == 0 ? 3 : 1 + (room - 1) / stride[d];
        size[d] = draw_between(g, 1, min_i64(most, 4));
        last += (size[d] - 1) * stride[d];
        step = (size[d] - 1) * stride[d] + (d < n - 1 ? step : 1);
    }
    if (n == 2 && draw_chance(g, 25)) {
        int64_t a = size[0], b = stride[0];
        size[0] = size[1];
        stride[0] = stride[1];
        size[1] = a;
        stride[1] = b;
    }
    set_ints(g, x->s, k, size, n);
    set_ints(g, x->s, ks, stride, n);
    if (ko >= 0 && (offset > 0 || x->t->offset > 0 || draw_chance(g, 30))) {
        set_int(x->s, ko, offset);
    }
    return true;
}

static int permutation(Gen *g, int n, int64_t *v) {
    for (int d = 0; d < n; d++) {
        int at = draw_below(g, d + 1);
        v[d] = v[at];
        v[at] = d;
    }
    return n;
}

bool ints_argument(Draw *x, int k) {
    Gen *g = x->g;
    const OpInfo *op = x->op;
    const Param *p = &op->param[k];
    int64_t v[MAX_DIMS] = {0};
    int n = 0;
    int ndim = x->t != NULL ? x->t->ndim : 0;
    if (x->s->arg[k].given) {
        return true;
    }
    if (op->kind == KIND_FACTORY) {
        n = draw_size(g, v);
    } else if (has(op, "stride")) {
        return named(p, "size") ? strided_argument(x, k) : true;
    } else if (named(p, "size") && op->draw == DRAW_EXPANSION) {
        n = expanded_size(g, x->t, v);
    } else if (named(p, "sizes")) { /* unflatten */
        Tensor line = {.ndim = 1, .size = {size_along(x)}};
        n = refactored_size(g, &line, v);
    } else if (named(p, "size") || named(p, "shape")) {
        n = refactored_size(g, x->t, v);
    } else if (named(p, "source")) {
        int64_t order[MAX_DIMS];
        permutation(g, ndim, order);
        n = ndim > 0 ? 1 + draw_below(g, ndim) : 0;
        int other = op_param(op, "destination");
        for (int d = 0; d < n; d++) {
            v[d] = signed_dim(x, order[d]);
        }
        if (other >= 0) {
            int64_t to[MAX_DIMS];
            permutation(g, ndim, to);
            set_ints(g, x->s, other, to, n);
        }
    } else if (named(p, "pad")) {
        n = 2 * (ndim > 0 ? draw_between(g, 0, draw_chance(g, 80) ? 1 : ndim) : 0);
        for (int d = 0; d < n; d++) {
            int64_t length = x->t->size[ndim - 1 - d / 2];
            v[d] = length > 1 && draw_chance(g, 25) ? -1 : draw_below(g, 3);
        }
    } else if (named(p, "repeats") || op->draw == DRAW_REPETITIONS) {
        n = named(p, "dims") ? draw_below(g, ndim + 2) : ndim + draw_below(g, 2);
        for (int d = 0; d < n; d++) {
            v[d] = draw_chance(g, 5) ? 0 : draw_between(g, 1, draw_chance(g, 60) ? 1 : 3);
        }
    } else if (named(p, "shifts")) { /* and the dims to roll */
        n = ndim == 0 || draw_chance(g, 15) ? 1 : 1 + draw_below(g, ndim < 3 ? ndim : 3);
        bool flat = n == 1 && (ndim == 0 || draw_chance(g, 20));
        int64_t along[3];
        for (int d = 0; d < n; d++) {
            v[d] = draw_between(g, -4, 4);
            if (g->situation.extremes && draw_chance(g, 40)) {
                v[d] = draw_extreme(g, ndim > 0 ? x->t->size[0] : 1);
            }
            along[d] = flat ? 0 : signed_dim(x, draw_below(g, ndim));
        }
        if (!flat) {
            set_ints(g, x->s, op_param(op, "dims"), along, n);
        }
        x->s->arg[k].given = true;
    } else if (named(p, "dims") && has(op, "shifts")) {
        return true;
    } else if (op->draw == DRAW_PLANE) {
        int64_t order[MAX_DIMS];
        n = permutation(g, ndim, order) < 2 ? 0 : 2;
        for (int d = 0; d < n; d++) {
            v[d] = signed_dim(x, order[d]);
        }
        if (n == 0 || draw_chance(g, 30)) {
            return true;
        }
    } else if (named(p, "dims") && op->kind == KIND_VIEW) {
        n = permutation(g, ndim, v);
        for (int d = 0; d < n; d++) {
            v[d] = signed_dim(x, v[d]);
        }
    } else if (named(p, "indices")) {
        n = draw_below(g, 3);
        int64_t at = 0;
        for (int d = 0; d < n; d++) {
            v[d] = at = draw_between(g, min_i64(at, size_along(x)), size_along(x));
        }
    } else if (named(p, "split_sizes")) {
        int64_t left = size_along(x);
        while (n < 3 && left > 0 && draw_chance(g, 70)) {
            v[n] = draw_between(g, 0, left);
            left -= v[n++];
        }
        v[n++] = left;
    } else { /* dims in any order */
        int64_t order[MAX_DIMS];
        permutation(g, ndim, order);
        if ((p->has_default || p->type == ARG_INTS_OPT) && draw_chance(g, 12)) {
            if (!p->has_default) {
                x->s->arg[k] = (PArg){.given = true, .is_none = true};
            }
            return true;
        }
        n = ndim > 0 ? (draw_chance(g, 75) ? 1 : 1 + draw_below(g, ndim)) : 0;
        for (int d = 0; d < n; d++) {
            v[d] = signed_dim(x, order[d]);
        }
    }
    set_ints(g, x->s, k, v, n);
    if (named(p, "size") || named(p, "shape")) {
        for (int d = 0; d < n; d++) {
            maybe_size_of(g, &x->s->arg[k].ints.v[d]);
        }
    }
    if (n == 1 && p->list_size == 1 && draw_chance(g, 50)) {
        x->s->arg[k].ints.single = true;
    }
    return true;
}
