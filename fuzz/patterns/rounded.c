/* Patterns for compilers that generate code: a choice that depends on the last bit of computed
 * values, and an input that is written in part and read again. */
#include "fuzz/patterns/dataflow.h"

/* One to three ops whose results are rounded. */
static GenVar *inexact_chain(Gen *g, GenVar *x) {
    static const OpId form[] = {OP_exp,  OP_sigmoid, OP_tanh,       OP_sin,
                                OP_sqrt, OP_softmax, OP_mul_Scalar, OP_div_Scalar,
                                OP_silu, OP_cumsum,  OP_div_Tensor, OP_add_Tensor};
    static const double odd[] = {0.1, 3, 0.7, -1.3, 1e-3};
    int n = 1 + draw_below(g, 3);
    GenVar *y = x;
    for (int i = 0; i < n && y != NULL; i++) {
        OpId id = form[draw_below(g, COUNT_OF(form))];
        GenVar *next = id == OP_mul_Scalar || id == OP_div_Scalar
                           ? say_scalar(g, id, y, scalar_float(odd[draw_below(g, COUNT_OF(odd))]))
                           : draw_this_op(g, id, y);
        y = next != NULL ? next : y;
    }
    return y;
}

/* The largest or smallest along a dim, which is kept. */
static GenVar *extreme_along(Gen *g, GenVar *y, int64_t dim) {
    Stmt *s = stmt_op(g, draw_chance(g, 50) ? OP_amax : OP_amin);
    set_tensor(s, 0, y);
    set_ints(g, s, 1, &dim, 1);
    set_bool(s, 2, true);
    return stmt_commit(g, s, NAME_NONE);
}

bool pattern_rounded_choice(Gen *g) {
    static const OpId rounding[] = {OP_floor, OP_ceil, OP_round, OP_trunc, OP_sign};
    static const OpId choosing[] = {OP_argmax, OP_argmin, OP_amax, OP_amin, OP_max_dim, OP_min_dim};
    static const OpId comparing[] = {OP_eq_Tensor, OP_ne_Tensor, OP_ge_Tensor, OP_lt_Tensor};
    GenVar *x = draw_with_dims(g, 1);
    x = x == NULL || !dtype_is_float(x->t->dtype) ? pattern_input(g, 1, draw_chance(g, 40)) : x;
    GenVar *y = x != NULL ? inexact_chain(g, x) : NULL, *z = NULL;
    if (y == NULL || y->t->ndim == 0) {
        return false;
    }
    int r = draw_below(g, 100);
    if (r < 35) {
        GenVar *end = extreme_along(g, y, draw_below(g, y->t->ndim));
        z = say2(g, comparing[draw_below(g, COUNT_OF(comparing))], y, end);
    } else if (r < 75) {
        z = draw_this_op(g, choosing[draw_below(g, COUNT_OF(choosing))], y);
    } else {
        z = say(g, rounding[draw_below(g, COUNT_OF(rounding))], y);
    }
    if (z != NULL && draw_chance(g, 30)) {
        z = draw_of_class(g, draw_chance(g, 50) ? CLASS_REDUCE : CLASS_BINARY, z);
    }
    want_return(g, z);
    if (draw_chance(g, 50)) {
        want_return(g, y);
    }
    return z != NULL;
}

bool pattern_written_input(Gen *g) {
    GenVar *x = pattern_input(g, 1, false);
    if (x == NULL) {
        return false;
    }
    GenVar *view = draw_chance(g, 50) ? draw_of_class(g, CLASS_VIEW, x) : NULL;
    GenVar *before = draw_chance(g, 40) ? draw_pointwise(g, view != NULL ? view : x) : NULL;
    bool written = false;
    int n = 1 + draw_below(g, 3);
    for (int i = 0; i < n; i++) {
        GenVar *to = view != NULL && draw_chance(g, 50) ? view : x;
        bool moves = draw_chance(g, 60) && var_writable(g, to, false);
        written |=
            moves ? draw_of_class(g, CLASS_WRITE_MOVE, to) != NULL : draw_partial_write(g, to);
        if (i + 1 < n && draw_chance(g, 40)) {
            want_return(g, draw_pointwise(g, draw_chance(g, 50) || view == NULL ? x : view));
        }
    }
    want_return(g, before);
    want_return(g, draw_chance(g, 50) ? draw_pointwise(g, x) : draw_of_class(g, CLASS_REDUCE, x));
    if (view != NULL && draw_chance(g, 50)) {
        want_return(g, draw_chance(g, 40) ? view : draw_pointwise(g, view));
    }
    return written;
}
