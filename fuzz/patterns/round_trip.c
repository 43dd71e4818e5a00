/* An op, then the one that undoes it: what compilers cancel, and must not where the way through the
 * other value loses something (a range, a dtype, a layout, a history). */
#include "fuzz/patterns/dataflow.h"

typedef struct Undo {
    OpId op, undo;
} Undo;

/* Of x alone. */
static const Undo ALONE[] = {
    {OP_exp, OP_log},     {OP_log, OP_exp},
    {OP_expm1, OP_log1p}, {OP_log1p, OP_expm1},
    {OP_sqrt, OP_square}, {OP_square, OP_sqrt},
    {OP_neg, OP_neg},     {OP_reciprocal, OP_reciprocal},
    {OP_exp2, OP_log2},   {OP_sin, OP_asin},
    {OP_tan, OP_atan},    {OP_logical_not, OP_logical_not},
    {OP_t, OP_t},         {OP_bitwise_not, OP_bitwise_not},
};
/* Of x and a second operand, tensor or number. */
static const Undo WITH[] = {
    {OP_add_Tensor, OP_sub_Tensor},
    {OP_sub_Tensor, OP_add_Tensor},
    {OP_mul_Tensor, OP_div_Tensor},
    {OP_div_Tensor, OP_mul_Tensor},
    {OP_bitwise_xor_Tensor, OP_bitwise_xor_Tensor},
};
static const Undo WITH_NUMBER[] = {
    {OP_add_Scalar, OP_sub_Scalar},
    {OP_sub_Scalar, OP_add_Scalar},
    {OP_mul_Scalar, OP_div_Scalar},
    {OP_div_Scalar, OP_mul_Scalar},
};

static GenVar *between(Gen *g, GenVar *y) {
    GenVar *z = y != NULL && draw_chance(g, 15) ? draw_pointwise(g, y) : y;
    return z != NULL ? z : y;
}

static GenVar *there_and_back(Gen *g, GenVar *x, GenVar **middle) {
    const Undo *u = &ALONE[draw_below(g, COUNT_OF(ALONE))];
    *middle = say(g, u->op, x);
    return say(g, u->undo, between(g, *middle));
}

static GenVar *with_operand(Gen *g, GenVar *x, GenVar **middle) {
    if (draw_chance(g, 50)) {
        const Undo *u = &WITH_NUMBER[draw_below(g, COUNT_OF(WITH_NUMBER))];
        Scalar number = draw_scalar(g, x->t->dtype);
        if (scalar_to_double(number) == 0) {
            number = scalar_int(2);
        }
        *middle = say_scalar(g, u->op, x, number);
        return say_scalar(g, u->undo, between(g, *middle), number);
    }
    const Undo *u = &WITH[draw_below(g, COUNT_OF(WITH))];
    GenVar *other = draw_operand(g, x->t->dtype, x->t->size, x->t->ndim);
    *middle = say2(g, u->op, x, other);
    return say2(g, u->undo, between(g, *middle), other);
}

static GenVar *cast_to(Gen *g, GenVar *x, DType dtype) {
    if (x == NULL) {
        return NULL;
    }
    Stmt *s = stmt_op(g, OP_to);
    set_tensor(s, 0, x);
    set_dtype(s, 1, dtype);
    return stmt_commit(g, s, NAME_NONE);
}

static GenVar *say_list(Gen *g, OpId id, GenVar *x, const int64_t *v, int n) {
    if (x == NULL) {
        return NULL;
    }
    Stmt *s = stmt_op(g, id);
    set_tensor(s, 0, x);
    set_ints(g, s, 1, v, n);
    return stmt_commit(g, s, NAME_NONE);
}

static GenVar *other_shape(Gen *g, GenVar *x, GenVar **middle) {
    int64_t n = x->t->ndim, d = draw_below(g, (int)n), e = draw_below(g, (int)n);
    switch (draw_below(g, 5)) {
    case 0:
        *middle = say_ints(g, OP_transpose, x, d, e);
        d -= draw_chance(g, 50) ? 0 : n;
        return say_ints(g, OP_transpose, between(g, *middle), d, e);
    case 1:
        *middle = say_int(g, OP_unsqueeze, x, d);
        return say_int(g, OP_squeeze_dim, between(g, *middle), d);
    case 2: {
        *middle = say(g, OP_flatten, x);
        GenVar *last = between(g, *middle);
        OpId id = draw_chance(g, 50) ? OP_view : OP_reshape;
        return say_list(g, id, last, x->t->size, (int)n);
    }
    default:
        *middle = say_list(g, OP_flip, x, &d, 1);
        return say_list(g, OP_flip, between(g, *middle), &d, 1);
    }
}

bool pattern_round_trip(Gen *g) {
    bool specials = g->specials; /* the ends of the range are where the way back fails */
    g->specials = specials || draw_chance(g, 15);
    GenVar *x = draw_with_dims(g, 1), *middle = NULL, *z;
    g->specials = specials;
    if (x == NULL) {
        return false;
    }
    int r = draw_below(g, 100);
    if (r < 40) {
        z = there_and_back(g, x, &middle);
    } else if (r < 60) {
        z = with_operand(g, x, &middle);
    } else if (r < 75) {
        DType from = x->t->dtype;
        middle = cast_to(g, x, (DType)draw_below(g, DT_COUNT));
        z = cast_to(g, between(g, middle), from);
    } else {
        z = other_shape(g, x, &middle);
    }
    if (z == NULL) {
        return middle != NULL;
    }
    if (draw_chance(g, 50)) {
        want_return(g, draw_pointwise(g, z));
    } else {
        want_return(g, z);
    }
    if (draw_chance(g, 30)) {
        want_return(g, middle);
    }
    return true;
}
