/* Deliberate errors: well-formed statements that eager refuses. */
#include "fuzz/patterns/one_argument.h"

#define DELIBERATE_ERROR(name, weight) static bool deliberate_error_##name(Gen *g);
#include "fuzz/patterns/deliberate_errors.def"
#undef DELIBERATE_ERROR

static const struct {
    const char *name;
    bool (*draw)(Gen *g);
} DELIBERATE_ERRORS[] = {
#define DELIBERATE_ERROR(name, weight) {#name, deliberate_error_##name},
#include "fuzz/patterns/deliberate_errors.def"
#undef DELIBERATE_ERROR
};

const char *deliberate_error_name(int deliberate_error) {
    return deliberate_error >= 0 && deliberate_error < COUNT_OF(DELIBERATE_ERRORS)
               ? DELIBERATE_ERRORS[deliberate_error].name
               : NULL;
}

int deliberate_error_draw(Gen *g) {
    int i = draw_share(g, FIRST_DELIBERATE_ERROR, WEIGHT_COUNT - 1);
    return DELIBERATE_ERRORS[i].draw(g) ? i : -1;
}

static bool deliberate_errors_any(const Gen *g, const GenVar *v) {
    (void)g;
    return !v->fuzzy;
}

static bool has_dims(const Gen *g, const GenVar *v) {
    (void)g;
    return !v->fuzzy && v->t->ndim > 0;
}

static Stmt *force(Gen *g, OpId id, const GenVar *self) {
    Stmt *s = stmt_op(g, id);
    set_tensor(s, 0, self);
    return s;
}

static bool deliberate_error_dim(Gen *g) {
    GenVar *v = draw_var(g, deliberate_errors_any);
    if (v == NULL) {
        return false;
    }
    int64_t bad = draw_chance(g, 50) ? v->t->ndim + (v->t->ndim == 0) + draw_below(g, 2)
                                     : -v->t->ndim - 1 - (v->t->ndim == 0) - draw_below(g, 2);
    static const OpId form[] = {OP_transpose, OP_cumsum,  OP_select, OP_softmax,
                                OP_unbind,    OP_flatten, OP_sum_dim};
    OpId id = form[draw_below(g, COUNT_OF(form))];
    Stmt *s = force(g, id, v);
    if (id == OP_sum_dim) {
        set_ints(g, s, 1, &bad, 1);
    } else {
        set_int(s, 1, bad);
        if (id == OP_transpose || id == OP_select) {
            set_int(s, 2, 0);
        }
    }
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_sizes(Gen *g) {
    GenVar *a = draw_var(g, has_dims);
    if (a == NULL) {
        return false;
    }
    int64_t size[MAX_DIMS];
    for (int d = 0; d < a->t->ndim; d++) {
        size[d] = a->t->size[d];
    }
    int last = a->t->ndim - 1;
    size[last] = size[last] == 1 ? 0 : size[last] + 1;
    GenVar *b = a->t->size[last] == 1
                    ? NULL
                    : draw_need(g, (Need){.dtype = a->t->dtype, .ndim = a->t->ndim, .size = size});
    if (b == NULL) {
        return false;
    }
    static const OpId form[] = {OP_add_Tensor,  OP_mul_Tensor, OP_maximum, OP_mm,
                                OP_sub__Tensor, OP_copy_,      OP_dot};
    OpId id = form[draw_below(g, COUNT_OF(form))];
    Stmt *s = force(g, id, a);
    set_tensor(s, 1, b);
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_view_size(Gen *g) {
    GenVar *v = draw_var(g, deliberate_errors_any);
    if (v == NULL) {
        return false;
    }
    int64_t size[2] = {tensor_numel(v->t) + 1, draw_chance(g, 50) ? 2 : 1};
    if (draw_chance(g, 20)) {
        size[0] = size[1] = -1;
    }
    Stmt *s = force(g, draw_chance(g, 50) ? OP_view : OP_reshape, v);
    set_ints(g, s, 1, size, 2);
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_dtype(Gen *g) {
    int64_t size[MAX_DIMS];
    int n = pattern_size(g, 1, 2, size);
    DType dtype = draw_chance(g, 60) ? DT_int64 : DT_bool;
    GenVar *v = draw_need(g, (Need){.dtype = dtype, .ndim = n, .size = size});
    if (v == NULL) {
        return false;
    }
    int r = draw_below(g, 5);
    Stmt *s;
    if (r == 0) {
        s = force(g, OP_mean, v);
    } else if (r == 1) {
        s = force(g, OP_mul__Scalar, v);
        set_scalar(s, 1, scalar_float(0.5));
    } else if (r == 2) {
        s = force(g, OP_exp_, v);
    } else if (r == 3) {
        s = force(g, OP_softmax, v);
        set_int(s, 1, 0);
    } else {
        GenVar *w = draw_need(g, (Need){.dtype = g->main, .ndim = n, .size = size});
        if (w == NULL) {
            return false;
        }
        s = force(g, draw_chance(g, 50) ? OP_add__Tensor : OP_mm, v);
        set_tensor(s, 1, w);
    }
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_index_value(Gen *g) {
    GenVar *v = draw_var(g, has_dims);
    if (v == NULL) {
        return false;
    }
    int64_t n = v->t->size[0];
    int64_t bad = draw_chance(g, 60) ? n + draw_below(g, 3) : -n - 1;
    int r = draw_below(g, 100);
    if (r < 35) {
        PIndexItem *item = arena_alloc(g->arena, sizeof *item);
        *item = draw_chance(g, 50) ? index_int(bad) : index_list(g, (int64_t[]){0, bad}, 2);
        Stmt *s = force(g, draw_chance(g, 60) ? OP_getitem : OP_setitem, v);
        set_index(s, 1, item, 1);
        if (s->op->id == OP_setitem) {
            s->arg[2] = (PArg){.given = true, .scalar = scalar_int(1)};
        }
        stmt_force(g, s);
        return true;
    }
    int64_t values[2] = {draw_chance(g, 50) ? 0 : bad, bad}, count = 2;
    GenVar *index = draw_chance(g, 50) ? draw_input_values(g, DT_int64, &count, 1, values)
                                       : draw_literal(g, DT_int64, &count, 1, values);
    if (index == NULL) {
        return false;
    }
    Stmt *s;
    if (r < 65) {
        s = force(g, OP_index_select, v);
        set_int(s, 1, 0);
        set_tensor(s, 2, index);
    } else {
        PIndexItem *item = arena_alloc(g->arena, sizeof *item);
        *item = index_var(index);
        s = force(g, r < 85 ? OP_getitem : OP_setitem, v);
        set_index(s, 1, item, 1);
        if (r >= 85) {
            s->arg[2] = (PArg){.given = true, .scalar = scalar_int(1)};
        }
    }
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_index_dtype(Gen *g) {
    GenVar *v = draw_var(g, has_dims);
    int64_t values[2] = {0, 0}, count = 2;
    GenVar *index =
        v == NULL ? NULL
                  : draw_literal(g, draw_chance(g, 60) ? DT_int32 : DT_float32, &count, 1, values);
    if (index == NULL) {
        return false;
    }
    Stmt *s;
    if (draw_chance(g, 50)) {
        PIndexItem *item = arena_alloc(g->arena, sizeof *item);
        *item = index_var(index);
        s = force(g, OP_getitem, v);
        set_index(s, 1, item, 1);
    } else {
        s = force(g, OP_gather, v);
        set_int(s, 1, 0);
        set_tensor(s, 2, index);
    }
    stmt_force(g, s);
    return true;
}

static bool leaf_requires_grad(const Gen *g, const GenVar *v) {
    return gen_var_requires_grad(g, v) && g->base[v->base].leaf && !v->view;
}
static bool inner_requires_grad(const Gen *g, const GenVar *v) {
    return gen_var_requires_grad(g, v) && !g->base[v->base].leaf && !v->fuzzy && v->t->ndim > 0 &&
           v->t->size[0] > 0;
}

static Stmt *deliberate_errors_some_write(Gen *g, const GenVar *v) {
    static const OpId form[] = {OP_add__Scalar, OP_mul__Scalar, OP_zero_, OP_fill__Scalar, OP_neg_};
    Stmt *s = force(g, form[draw_below(g, COUNT_OF(form))], v);
    if (s->op->nparam > 1) {
        set_scalar(s, 1, scalar_int(2));
    }
    return s;
}

static bool deliberate_error_leaf_write(Gen *g) {
    GenVar *v = draw_var(g, leaf_requires_grad);
    v = v == NULL && !draw_chance(g, 40) ? pattern_input(g, 1, true) : v;
    if (v == NULL) {
        return false;
    }
    stmt_force(g, deliberate_errors_some_write(g, v));
    return true;
}

static bool deliberate_error_leaf_view_write(Gen *g) {
    GenVar *v = pattern_input(g, 1, true);
    if (v == NULL) {
        return false;
    }
    if (draw_chance(g, 50)) {
        PIndexItem *item = arena_alloc(g->arena, sizeof *item);
        *item = index_slice(INT64_MIN, INT64_MIN, INT64_MIN);
        Stmt *s = force(g, OP_setitem, v);
        set_index(s, 1, item, 1);
        s->arg[2] = (PArg){.given = true, .scalar = scalar_int(1)};
        stmt_force(g, s);
        return true;
    }
    GenVar *w = say_int(g, OP_unsqueeze, v, 0);
    if (w == NULL) {
        return false;
    }
    stmt_force(g, deliberate_errors_some_write(g, w));
    return true;
}

static bool deliberate_error_multi_view_write(Gen *g) {
    GenVar *v = draw_var(g, inner_requires_grad);
    v = v == NULL ? say_scalar(g, OP_mul_Scalar, pattern_input(g, 1, true), scalar_int(2)) : v;
    GenVar *w = v == NULL || v->t->ndim == 0 ? NULL : say(g, OP_unbind, v);
    if (w == NULL) {
        return false;
    }
    if (draw_chance(g, 30)) { /* a view of one */
        w = say_int(g, OP_unsqueeze, w, 0);
    }
    if (w == NULL) {
        return false;
    }
    stmt_force(g, deliberate_errors_some_write(g, w));
    return true;
}

static bool deliberate_error_no_grad_view_write(Gen *g) {
    GenVar *v = draw_var(g, inner_requires_grad);
    v = v == NULL ? say_scalar(g, OP_mul_Scalar, pattern_input(g, 1, true), scalar_int(2)) : v;
    if (v == NULL || !g->grad) {
        return false;
    }
    Stmt *s = stmt_new(g, STMT_WITH);
    OpenBlock outer = block_open(g, &s->body);
    g->grad = false;
    GenVar *w = say_int(g, OP_unsqueeze, v, 0);
    block_close(g, outer);
    if (w == NULL) {
        return false;
    }
    stmt_append(g, s);
    stmt_force(g, deliberate_errors_some_write(g, w));
    return true;
}

static bool deliberate_error_overlap(Gen *g) {
    int64_t size[1] = {draw_between(g, 2, 4)}, wide[2] = {draw_between(g, 2, 3), size[0]};
    GenVar *v = pattern_buffer(g, g->main, size, 1);
    if (v == NULL) {
        return false;
    }
    Stmt *s = force(g, OP_expand, v);
    set_ints(g, s, 1, wide, 2);
    GenVar *w = stmt_commit(g, s, NAME_NONE);
    if (w == NULL) {
        return false;
    }
    s = force(g, draw_chance(g, 50) ? OP_add__Scalar : OP_mul__Scalar, w);
    set_scalar(s, 1, scalar_int(2));
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_assertion(Gen *g) {
    static const PredicateKind kind[] = {PRED_requires_grad, PRED_is_leaf, PRED_has_grad_fn,
                                         PRED_is_contiguous};
    GenVar *v = draw_var(g, deliberate_errors_any);
    if (v == NULL) {
        return false;
    }
    draw_assert(g, flag_predicate(g, kind[draw_below(g, COUNT_OF(kind))], v), true);
    return true;
}

static bool deliberate_error_unbound(Gen *g) {
    GenVar *v = draw_var(g, deliberate_errors_any);
    if (v == NULL) {
        return false;
    }
    Stmt *s = force(g, OP_add_Tensor, v);
    s->arg[1] = (PArg){.given = true, .is_tensor = true, .tensor = gen_name(g, 'u', 0)};
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_flag(Gen *g) {
    GenVar *v;
    bool on = draw_chance(g, 50);
    if (on) {
        int64_t size[1] = {2};
        v = draw_need(g, (Need){.dtype = DT_int64, .ndim = 1, .size = size});
    } else {
        v = draw_var(g, inner_requires_grad);
    }
    if (v == NULL) {
        return false;
    }
    Stmt *s = force(g, OP_requires_grad_, v);
    set_bool(s, 1, on);
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_unpack(Gen *g) {
    GenVar *v = draw_var(g, has_dims);
    if (v == NULL) {
        return false;
    }
    Stmt *s = force(g, OP_unbind, v);
    stmt_force(g, s);
    s->nout = 2 + (v->t->size[0] == 2);
    s->out = arena_array(g->arena, NameId, s->nout);
    for (int i = 0; i < s->nout; i++) {
        s->out[i] = gen_fresh_name(g);
    }
    return true;
}

static bool deliberate_error_zero_divisor(Gen *g) {
    int64_t size[1] = {3};
    GenVar *v = draw_need(g, (Need){.dtype = DT_int64, .ndim = 1, .size = size});
    if (v == NULL) {
        return false;
    }
    Stmt *s = force(g, draw_chance(g, 50) ? OP_remainder_Scalar : OP_fmod__Scalar, v);
    set_scalar(s, 1, scalar_int(0));
    stmt_force(g, s);
    return true;
}

static bool deliberate_error_view_stride(Gen *g) {
    int64_t size[2] = {3, 2}, flat[1] = {6};
    GenVar *v = draw_input(g, draw_dtype(g), size, 2, true, 50);
    GenVar *w = v == NULL ? NULL : say(g, OP_t, v);
    if (w == NULL) {
        return false;
    }
    Stmt *s = force(g, OP_view, w);
    set_ints(g, s, 1, flat, 1);
    stmt_force(g, s);
    return true;
}

/* Any op with arguments that need not fit. */
static bool deliberate_error_arguments(Gen *g) {
    for (int i = 0; i < 4; i++) {
        const OpInfo *op = op_info(g->options->op[draw_below(g, g->options->nop)]);
        if (!gen_draws(g, op) || op->id == OP_tensor) { /* a literal's size is part of the form */
            continue;
        }
        Stmt *s = stmt_op(g, op->id);
        if (!draw_arguments(g, s, NULL)) {
            continue;
        }
        for (int k = 0; k < op->nparam; k++) { /* disturb one integer */
            PArg *a = &s->arg[k];
            if ((op->param[k].type == ARG_INT || op->param[k].type == ARG_INT_OPT) && a->given &&
                !a->is_none && draw_chance(g, 60)) {
                a->i.value += draw_chance(g, 50) ? 4 : -5;
            } else if (op->param[k].type == ARG_INTS && a->given && a->ints.n > 0 &&
                       draw_chance(g, 60)) {
                int at = draw_below(g, a->ints.n);
                a->ints.v[at].value = draw_between(g, -3, 9);
            } else if (op->param[k].type == ARG_TENSOR && k > 0 && draw_chance(g, 40)) {
                GenVar *v = draw_var(g, deliberate_errors_any);
                if (v != NULL) {
                    set_tensor(s, k, v);
                }
            }
        }
        stmt_force(g, s);
        return true;
    }
    return false;
}

static bool deliberate_error_one_argument(Gen *g) { return draw_wrong_argument(g); }

static bool deliberate_error_two_float_dtypes(Gen *g) { return draw_two_float_dtypes(g); }
