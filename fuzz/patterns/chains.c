/* Patterns that compilers simplify: an op on its own result, an operand used again, known masks and
 * matrices. They are drawn whether or not the compiled executor has a rule for them. */
#include "fuzz/patterns/pattern.h"

#include <string.h>

static GenVar *some_factory(Gen *g, OpId id, int64_t n, DType dtype) {
    Stmt *s = stmt_op(g, id);
    set_int(s, 0, n);
    set_dtype(s, 1, dtype);
    return stmt_commit(g, s, NAME_NONE);
}

/* A new operand: mostly of a dtype that `dtypes` holds, sizes small. */
static GenVar *some_operand(Gen *g, int least, int most, const DType *dtypes, int n) {
    int64_t size[MAX_DIMS];
    int ndim = pattern_size(g, least, most, size);
    DType dtype = n > 0 && draw_chance(g, 80) ? dtypes[draw_below(g, n)] : g->main;
    return draw_input(g, dtype, size, ndim, draw_chance(g, 40), 50);
}

static const DType INTEGERS[] = {DT_int64, DT_int64, DT_int32, DT_int8, DT_uint8, DT_bool};

bool pattern_same_again(Gen *g) {
    static const OpId form[] = {OP_logical_not,
                                OP_bitwise_not,
                                OP_neg,
                                OP_clamp,
                                OP_clamp_min,
                                OP_clamp_max,
                                OP_constant_pad_nd,
                                OP_roll,
                                OP_flip,
                                OP_tril,
                                OP_triu,
                                OP_cat,
                                OP_repeat,
                                OP_mul_Scalar,
                                OP_add_Scalar,
                                OP_index_select,
                                OP_transpose,
                                OP_to,
                                OP_abs,
                                OP_relu,
                                OP_where,
                                OP_unsqueeze,
                                OP_masked_fill_Scalar,
                                OP_sum_dim};
    OpId id = form[draw_below(g, COUNT_OF(form))];
    GenVar *x = draw_chance(g, 75)
                    ? some_operand(g, 1, 3, INTEGERS, draw_chance(g, 60) ? COUNT_OF(INTEGERS) : 0)
                    : NULL;
    bool on_tensor = op_info(id)->param[0].type == ARG_TENSOR && id != OP_where;
    GenVar *y = draw_this_op(g, id, on_tensor ? x : NULL);
    if (y == NULL) {
        return false;
    }
    const Stmt *first = g->tail;
    for (int turn = 0; turn < 2; turn++) {
        if (draw_chance(g, 60) && on_tensor && first->op->id == id) { /* the same other arguments */
            Stmt *s = stmt_op(g, id);
            memcpy(s->arg, first->arg, sizeof *s->arg * (size_t)s->op->nparam);
            set_tensor(s, 0, y);
            GenVar *z = stmt_commit(g, s, NAME_NONE);
            y = z != NULL ? z : y;
        } else {
            GenVar *z = draw_this_op(g, id, on_tensor ? y : NULL);
            y = z != NULL ? z : y;
        }
        if (draw_chance(g, 60)) {
            break;
        }
    }
    want_return(g, y);
    return true;
}

bool pattern_shared_operand(Gen *g) {
    static const OpId form[] = {OP_maximum,
                                OP_minimum,
                                OP_maximum,
                                OP_minimum,
                                OP_fmax,
                                OP_fmin,
                                OP_bitwise_and_Tensor,
                                OP_bitwise_or_Tensor,
                                OP_bitwise_xor_Tensor,
                                OP_logical_and,
                                OP_logical_or,
                                OP_add_Tensor,
                                OP_sub_Tensor,
                                OP_mul_Tensor};
    GenVar *a = some_operand(g, 1, 2, INTEGERS, COUNT_OF(INTEGERS));
    GenVar *b =
        a == NULL
            ? NULL
            : draw_need(g, (Need){.dtype = a->t->dtype, .ndim = a->t->ndim, .size = a->t->size});
    bool extreme = draw_chance(g, 50); /* two of one family have more to say to each other */
    OpId first = form[draw_below(g, extreme ? 4 : COUNT_OF(form))],
         second = form[draw_below(g, extreme ? 4 : COUNT_OF(form))];
    GenVar *c = say2(g, first, a, b), *shared = draw_chance(g, 60) ? a : b;
    bool left = draw_chance(g, 50);
    GenVar *d = left ? say2(g, second, c, shared) : say2(g, second, shared, c);
    want_return(g, d);
    return d != NULL;
}

bool pattern_masks(Gen *g) {
    static const DType boolean[] = {DT_bool};
    GenVar *x = some_operand(g, 1, 2, INTEGERS, COUNT_OF(INTEGERS));
    GenVar *mask = x == NULL            ? NULL
                   : draw_chance(g, 50) ? say_scalar(g, OP_gt_Scalar, x, scalar_int(0))
                                        : draw_input(g, DT_bool, x->t->size, x->t->ndim, true, 0);
    if (mask == NULL || draw_chance(g, 10)) {
        mask = some_operand(g, 1, 2, boolean, 1);
    }
    GenVar *not = draw_chance(g, 60) ? say(g, OP_logical_not, mask) : mask;
    if (not == NULL || x == NULL) {
        return false;
    }
    Stmt *s;
    int r = draw_below(g, 100);
    if (r < 30) {
        s = stmt_op(g, OP_to);
        set_tensor(s, 0, not );
        set_dtype(s, 1, draw_chance(g, 50) ? g->main : DT_int64);
        GenVar *number = stmt_commit(g, s, NAME_NONE);
        OpId id = draw_chance(g, 70) ? OP_ne_Scalar : OP_mul_Scalar;
        want_return(g, say_scalar(g, id, number, scalar_int(0)));
        return true;
    }
    GenVar *side[2];
    for (int k = 0; k < 2; k++) {
        if (r < 65) { /* true or false everywhere */
            s = stmt_op(g, draw_chance(g, 50) ? OP_ones_like : OP_zeros_like);
            set_tensor(s, 0, not );
            side[k] = stmt_commit(g, s, NAME_NONE);
        } else {
            side[k] =
                k == 0
                    ? x
                    : draw_need(
                          g, (Need){.dtype = x->t->dtype, .ndim = x->t->ndim, .size = x->t->size});
        }
    }
    for (int turn = 0; turn < 2 && side[0] != NULL && side[1] != NULL; turn++) {
        s = stmt_op(g, OP_where);
        set_tensor(s, 0, not );
        set_tensor(s, 1, side[0]);
        set_tensor(s, 2, side[1]);
        GenVar *chosen = stmt_commit(g, s, NAME_NONE);
        want_return(g, chosen);
        if (chosen == NULL || draw_chance(g, 60)) {
            break;
        }
        side[draw_below(g, 2)] = chosen; /* a choice in a choice */
    }
    return true;
}

bool pattern_known_matrix(Gen *g) {
    static const OpId form[] = {OP_mm, OP_mm, OP_matmul, OP_mul_Tensor, OP_add_Tensor};
    GenVar *x = some_operand(g, 2, 2, INTEGERS, COUNT_OF(INTEGERS) - 1);
    if (x == NULL) {
        return false;
    }
    bool left = draw_chance(g, 50);
    GenVar *known = some_factory(g, OP_eye, x->t->size[left ? 0 : 1],
                                 draw_chance(g, 90) ? x->t->dtype : g->main);
    OpId id = form[draw_below(g, COUNT_OF(form))];
    GenVar *y = left ? say2(g, id, known, x) : say2(g, id, x, known);
    want_return(g, y);
    return y != NULL;
}
