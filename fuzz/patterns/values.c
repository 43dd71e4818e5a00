/* Patterns about values: scatters, aliased storage, gapped views, duplicates, signed zeros, returns
 * that alias. Their fault families in compiled/core/faults.def are AL (aliases of inputs and
 * outputs), MU (mutation through views), GR (gradients), IX (indexing), NU (numbers: constants and
 * rounding) and FU (fusion and reinplacing). */
#include "fuzz/patterns/pattern.h"

#include <math.h>

static int64_t full_slice(void) { return INT64_MIN; }

/* A functional scatter of `x` along a random dim; the source requires grad or not. NULL: did not
 * fit. */
static GenVar *some_scatter(Gen *g, GenVar *x, bool requires_grad) {
    if (x == NULL || x->t->ndim < 1) {
        return NULL;
    }
    int ndim = x->t->ndim, d = draw_below(g, ndim);
    int64_t size[MAX_DIMS];
    for (int i = 0; i < ndim; i++) {
        size[i] = x->t->size[i];
    }
    int64_t n = size[d];
    int r = draw_below(g, 100);
    if (r < 55 || (r >= 75 && ndim < 2)) {
        int64_t start = draw_chance(g, 40) ? 0 : draw_below(g, (int)n),
                end = draw_between(g, start + 1, n);
        int64_t step = draw_chance(g, 75) ? 1 : 2;
        size[d] = (end - start + step - 1) / step;
        GenVar *src = requires_grad
                          ? pattern_source(g, x->t->dtype, size, ndim)
                          : draw_need(g, (Need){.dtype = x->t->dtype, .ndim = ndim, .size = size});
        if (src == NULL) {
            return NULL;
        }
        Stmt *s = stmt_op(g, OP_slice_scatter);
        set_tensor(s, 0, x);
        set_tensor(s, 1, src);
        set_int(s, 2, d);
        set_int(s, 3, start);
        set_int(s, 4, end);
        if (step != 1) {
            set_int(s, 5, step);
        }
        return stmt_commit(g, s, NAME_NONE);
    }
    if (r < 75) {
        for (int i = d; i + 1 < ndim; i++) {
            size[i] = size[i + 1];
        }
        GenVar *src =
            requires_grad
                ? pattern_source(g, x->t->dtype, size, ndim - 1)
                : draw_need(g, (Need){.dtype = x->t->dtype, .ndim = ndim - 1, .size = size});
        if (src == NULL) {
            return NULL;
        }
        Stmt *s = stmt_op(g, OP_select_scatter);
        set_tensor(s, 0, x);
        set_tensor(s, 1, src);
        set_int(s, 2, d);
        set_int(s, 3, draw_between(g, -n, n - 1));
        return stmt_commit(g, s, NAME_NONE);
    }
    return draw_this_op(g, r < 88 ? OP_diagonal_scatter : OP_as_strided_scatter, x);
}

static GenVar *sum_over(Gen *g, GenVar *v, int64_t dim) {
    if (v == NULL) {
        return NULL;
    }
    Stmt *s = stmt_op(g, OP_sum_dim);
    set_tensor(s, 0, v);
    set_ints(g, s, 1, &dim, 1);
    if (draw_chance(g, 15)) {
        set_bool(s, 2, true);
    }
    return stmt_commit(g, s, NAME_NONE);
}

bool pattern_scatter_sum(Gen *g) {
    GenVar *x = pattern_input(g, 1, true);
    GenVar *y = some_scatter(g, x, true);
    if (y == NULL) {
        return false;
    }
    GenVar *z = draw_chance(g, 20) ? say(g, OP_sum, y)
                                   : sum_over(g, y, draw_below(g, y->t->ndim > 0 ? y->t->ndim : 1));
    if (z != NULL && draw_chance(g, 15)) {
        z = say_scalar(g, OP_mul_Scalar, z, scalar_int(2));
    }
    want_return(g, z);
    g->want_backward = true;
    return z != NULL;
}

bool pattern_partial_roots(Gen *g) {
    static const OpId form[] = {OP_sin, OP_neg,  OP_mul_Scalar, OP_square,
                                OP_exp, OP_relu, OP_clone,      OP_sum};
    int n = 2 + draw_below(g, 2);
    bool made = false;
    for (int i = 0; i < n; i++) {
        GenVar *x = pattern_input(g, 0, draw_chance(g, 90));
        OpId id = form[draw_below(g, COUNT_OF(form))];
        GenVar *y = op_info(id)->nparam > 1 && op_info(id)->param[1].type == ARG_SCALAR
                        ? say_scalar(g, id, x, scalar_int(2))
                        : say(g, id, x);
        want_return(g, y);
        made = made || y != NULL;
    }
    g->want_partial = g->want_backward = true;
    return made;
}

/* An in-place op on `v` with existing operands. */
static bool values_some_write(Gen *g, GenVar *v) {
    static const OpId form[] = {OP_add__Scalar, OP_mul__Scalar, OP_fill__Scalar, OP_zero_,
                                OP_neg_,        OP_sub__Scalar, OP_copy_,        OP_add__Tensor};
    if (v == NULL || !var_writable(g, v, false)) {
        return false;
    }
    return draw_this_op(g, form[draw_below(g, COUNT_OF(form))], v) != NULL;
}

static GenVar *some_read(Gen *g, GenVar *v) {
    static const OpId form[] = {OP_select, OP_slice,  OP_getitem, OP_transpose, OP_unsqueeze,
                                OP_view,   OP_narrow, OP_alias,   OP_reshape,   OP_permute};
    for (int i = 0; i < 4; i++) {
        OpId id = form[draw_below(g, COUNT_OF(form))];
        if (v == NULL || (v->t->ndim < 1 && id != OP_unsqueeze && id != OP_alias)) {
            continue;
        }
        GenVar *w = draw_this_op(g, id, v);
        if (w != NULL) {
            return w;
        }
    }
    return NULL;
}

bool pattern_shared_inputs(Gen *g) {
    GenVar *a = pattern_input(g, 1, draw_chance(g, 10));
    GenVar *b = a == NULL ? NULL : draw_input_shared(g, a);
    if (b == NULL) {
        return false;
    }
    if (draw_chance(g, 20)) {
        draw_input_shared(g, a);
    }
    GenVar *written = draw_chance(g, 70) ? a : b, *other = written == a ? b : a;
    GenVar *early = draw_chance(g, 25) ? some_read(g, other) : NULL;
    bool made = values_some_write(g, draw_chance(g, 80) ? written : some_read(g, written));
    want_return(g, early);
    want_return(g, draw_chance(g, 15) ? other : some_read(g, other));
    if (draw_chance(g, 30)) {
        want_return(g, some_read(g, written));
    }
    return made;
}

bool pattern_gapped_write(Gen *g) {
    int64_t size[MAX_DIMS];
    int n = pattern_size(g, 1, 2, size);
    if (draw_chance(g, 60)) {
        size[n - 1] = draw_between(g, 3, 7);
    }
    DType dtype = draw_chance(g, 85) ? g->main : DT_int64;
    GenVar *x = draw_chance(g, 50) ? draw_input(g, dtype, size, n, draw_chance(g, 70), 0)
                                   : pattern_buffer(g, g->main, size, n);
    if (x == NULL) {
        return false;
    }
    static const OpId form[] = {OP_as_strided, OP_as_strided, OP_diagonal, OP_unfold, OP_slice,
                                OP_select,     OP_transpose,  OP_narrow,   OP_getitem};
    GenVar *v = NULL;
    for (int i = 0; i < 4 && v == NULL; i++) {
        OpId id = form[draw_below(g, COUNT_OF(form))];
        v = id == OP_diagonal && n < 2 ? NULL : draw_this_op(g, id, x);
        if (v != NULL && (tensor_numel(v->t) == 0 || tensor_overlaps_itself(v->t) || !v->view)) {
            v = NULL;
        }
    }
    if (v == NULL) {
        return false;
    }
    bool made;
    if (draw_chance(g, 35)) {
        made = say2(g, draw_chance(g, 50) ? OP_add__Tensor : OP_mul__Tensor, v, v) != NULL;
    } else if (draw_chance(g, 40)) {
        made = say2(g, OP_copy_, v, pattern_source(g, v->t->dtype, v->t->size, v->t->ndim)) != NULL;
    } else {
        made = values_some_write(g, v);
    }
    want_return(g, x);
    if (draw_chance(g, 25)) {
        want_return(g, v);
    }
    return made;
}

bool pattern_gather_scatter(Gen *g) {
    int64_t size[MAX_DIMS];
    int n = pattern_size(g, 1, 2, size);
    DType dtype = draw_chance(g, 85) ? g->main : DT_int64;
    GenVar *x = draw_chance(g, 55) ? draw_input(g, dtype, size, n, draw_chance(g, 60), 0)
                                   : say(g, OP_clone, draw_input(g, g->main, size, n, false, 50));
    if (x == NULL) {
        return false;
    }
    int64_t v[4];
    int length = 2 + draw_below(g, 2);
    int64_t narrow = draw_chance(g, 60) ? 1 : min_i64(size[0], 2);
    int64_t base = draw_below(g, (int)size[0]);
    for (int i = 0; i < length; i++) {
        v[i] = (base + draw_below(g, (int)narrow)) % size[0];
    }
    PIndexItem items[2];
    int nitems = 0;
    if (n > 1 && draw_chance(g, 25)) {
        for (int i = 0; i < length; i++) {
            v[i] %= size[1];
        }
        items[nitems++] = index_slice(full_slice(), full_slice(), full_slice());
    }
    if (draw_chance(g, 65)) {
        items[nitems++] = index_list(g, v, length);
    } else {
        int64_t count = length;
        bool computed = draw_chance(g, 35);
        for (int i = 0; i < length; i++) {
            v[i] -= computed;
        }
        GenVar *index = draw_chance(g, 50) ? draw_literal(g, DT_int64, &count, 1, v)
                                           : draw_input_values(g, DT_int64, &count, 1, v);
        index = computed ? say_scalar(g, OP_add_Scalar, index, scalar_int(1)) : index;
        if (index == NULL) {
            return false;
        }
        items[nitems++] = index_var(index);
    }
    GenVar *y = say_getitem(g, x, items, nitems);
    GenVar *z;
    int r = draw_below(g, 100);
    if (r < 35) {
        z = say2(g, OP_add_Tensor, y, draw_chance(g, 50) ? y : say_getitem(g, x, items, nitems));
    } else if (r < 60) {
        z = say_scalar(g, OP_add_Scalar, y, scalar_int(1));
    } else {
        z = say_scalar(g, OP_mul_Scalar, y, scalar_int(2));
    }
    if (!say_setitem(g, x, items, nitems, z)) {
        return false;
    }
    want_return(g, x);
    return true;
}

bool pattern_signed_zeros(Gen *g) {
    GenVar *x = pattern_input(g, 0, draw_chance(g, 30));
    static const OpId form[] = {OP_mul_Scalar, OP_mul_Scalar, OP_add_Scalar, OP_sub_Scalar,
                                OP_div_Scalar};
    OpId id = form[draw_below(g, 4)];
    bool first = draw_chance(g, 50);
    GenVar *a = say_scalar(g, id, x, scalar_float(first ? 0.0 : -0.0));
    GenVar *b = say_scalar(g, id, x, scalar_float(first ? -0.0 : 0.0));
    if (a == NULL || b == NULL) {
        return false;
    }
    int r = draw_below(g, 100);
    GenVar *c, *d;
    if (r < 75) {
        c = say(g, OP_reciprocal, a);
        d = say(g, OP_reciprocal, b);
    } else {
        c = a;
        d = b;
    }
    if (c == NULL || d == NULL) {
        return false;
    }
    if (draw_chance(g, 50)) {
        want_return(g, say2(g, OP_add_Tensor, c, d));
    } else {
        want_return(g, c);
        want_return(g, d);
    }
    return true;
}

bool pattern_scatter_overwrite(Gen *g) {
    GenVar *x = pattern_input(g, 1, false);
    GenVar *y = some_scatter(g, x, draw_chance(g, 40));
    if (y == NULL) {
        return false;
    }
    static const OpId form[] = {OP_zero_, OP_fill__Scalar, OP_copy_, OP_mul__Scalar,
                                OP_add__Scalar};
    if (draw_this_op(g, form[draw_below(g, COUNT_OF(form))], x) == NULL) {
        return false;
    }
    want_return(g, draw_chance(g, 75) ? y : say_scalar(g, OP_mul_Scalar, y, scalar_int(2)));
    return true;
}

bool pattern_aliased_returns(Gen *g) {
    GenVar *x = pattern_input(g, 1, draw_chance(g, 60));
    GenVar *y = draw_chance(g, 60) ? say_scalar(g, OP_mul_Scalar, x, scalar_int(2)) : x;
    if (y == NULL) {
        return false;
    }
    want_return(g, draw_chance(g, 50) ? y : some_read(g, y));
    if (draw_chance(g, 40)) {
        values_some_write(g, y);
    }
    want_return(g, draw_chance(g, 40) ? y : some_read(g, y));
    if (draw_chance(g, 40)) {
        want_return(g, draw_chance(g, 50) ? x : some_read(g, x));
    }
    return true;
}

bool pattern_silent_write(Gen *g) {
    GenVar *x = pattern_input(g, 1, true);
    GenVar *b = say_scalar(g, OP_mul_Scalar, x, scalar_int(2));
    GenVar *old = draw_chance(g, 40) ? some_read(g, b) : NULL;
    if (b == NULL) {
        return false;
    }
    Stmt *s = stmt_new(g, STMT_WITH);
    OpenBlock outer = block_open(g, &s->body);
    g->grad = false;
    GenVar *w = draw_chance(g, 30) ? some_read(g, b) : b;
    bool made = w != NULL && say_scalar(g, draw_chance(g, 60) ? OP_mul__Scalar : OP_add__Scalar, w,
                                        scalar_int(10)) != NULL;
    block_close(g, outer);
    if (s->body.count > 0) {
        stmt_append(g, s);
    }
    draw_flag_check(g, old != NULL && draw_chance(g, 60) ? old : b);
    want_return(g, draw_chance(g, 50)
                       ? b
                       : say_scalar(g, OP_mul_Scalar, old != NULL ? old : b, scalar_int(3)));
    return made;
}

bool pattern_view_chain(Gen *g) {
    int64_t size[MAX_DIMS];
    int n = pattern_size(g, 2, 3, size);
    GenVar *base =
        draw_chance(g, 40)
            ? pattern_buffer(g, g->main, size, n)
            : say_scalar(g, OP_mul_Scalar, pattern_source(g, g->main, size, n), scalar_int(2));
    GenVar *a = some_read(g, base);
    GenVar *b = some_read(g, a);
    GenVar *sibling = some_read(g, base);
    if (a == NULL) {
        return false;
    }
    GenVar *target = b != NULL && draw_chance(g, 70) ? b : a;
    if (!var_writable(g, target, true) || tensor_overlaps_itself(target->t)) {
        return false;
    }
    OpId write = draw_chance(g, 50) ? OP_copy_ : OP_mul__Tensor;
    bool made =
        draw_chance(g, 50)
            ? say2(g, write, target,
                   pattern_source(g, target->t->dtype, target->t->size, target->t->ndim)) != NULL
            : values_some_write(g, target);
    GenVar *read[3] = {base, sibling, a};
    for (int i = 0; i < 3; i++) {
        if (read[i] != NULL && draw_chance(g, 60)) {
            want_return(g, draw_chance(g, 50)
                               ? read[i]
                               : say_scalar(g, OP_mul_Scalar, read[i], scalar_int(2)));
        }
    }
    return made;
}

bool pattern_detached_write(Gen *g) {
    GenVar *x = pattern_input(g, 1, true);
    GenVar *y = draw_chance(g, 75) ? say_scalar(g, OP_mul_Scalar, x, scalar_int(2)) : x;
    GenVar *d = say(g, OP_detach, y);
    if (d == NULL) {
        return false;
    }
    if (draw_chance(g, 40)) {
        d = some_read(g, d);
    }
    bool made = values_some_write(g, d);
    if (d != NULL && draw_chance(g, 40)) {
        draw_flag_check(g, draw_chance(g, 50) ? y : d);
    }
    want_return(g, draw_chance(g, 50) ? y : say_scalar(g, OP_mul_Scalar, y, scalar_int(3)));
    return made;
}

bool pattern_computed_index(Gen *g) {
    int64_t n = draw_between(g, 2, 5), inner = draw_between(g, 1, 4);
    int64_t size[2] = {n, inner};
    int ndim = draw_chance(g, 60) ? 1 : 2;
    GenVar *x = draw_chance(g, 50)
                    ? draw_input(g, g->main, size, ndim, draw_chance(g, 60), 0)
                    : say(g, OP_clone, draw_input(g, g->main, size, ndim, false, 60));
    Stmt *s = stmt_op(g, OP_arange);
    set_scalar(s, 0, scalar_int(draw_between(g, 2, 6)));
    GenVar *i = stmt_commit(g, s, NAME_NONE);
    i = say_scalar(g, OP_remainder_Scalar, i, scalar_int(draw_between(g, 1, n)));
    if (x == NULL || i == NULL) {
        return false;
    }
    if (draw_chance(g, 20)) {
        i = say_scalar(g, OP_sub_Scalar, i, scalar_int(1)); /* negative ones too */
    }
    if (i == NULL) {
        return false;
    }
    PIndexItem items[1] = {index_var(i)};
    GenVar *y = say_getitem(g, x, items, 1);
    GenVar *z = say_scalar(g, draw_chance(g, 50) ? OP_add_Scalar : OP_mul_Scalar, y, scalar_int(2));
    if (draw_chance(g, 75) && !say_setitem(g, x, items, 1, z)) {
        return false;
    }
    want_return(g, x);
    want_return(g, z);
    return z != NULL;
}

bool pattern_late_write(Gen *g) {
    static const OpId form[] = {OP_exp,  OP_sin,     OP_square, OP_tanh,
                                OP_sqrt, OP_sigmoid, OP_relu,   OP_abs};
    GenVar *x = pattern_input(g, 1, true);
    GenVar *y = say_scalar(g, OP_mul_Scalar, x, scalar_int(2));
    GenVar *z = say(g, form[draw_below(g, COUNT_OF(form))], y);
    if (z == NULL) {
        return false;
    }
    GenVar *w = draw_chance(g, 50) ? y : z;
    if (draw_chance(g, 40)) {
        w = draw_chance(g, 50) ? some_read(g, w) : say(g, OP_detach, w);
    }
    bool made = w != NULL && say_scalar(g, OP_add__Scalar, w, scalar_int(1)) != NULL;
    want_return(g, z);
    if (draw_chance(g, 50)) {
        want_return(g, y);
    }
    g->want_backward = true;
    return made;
}
