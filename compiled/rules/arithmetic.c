/* Rules of sums, products, quotients and powers (rules.def, ARITHMETIC). */
#include "compiled/rules/rules.h"

#include <math.h>

#define UNUSED (void)c

static bool is_mul(const Node *n) { return n->op == OP_mul_Tensor || n->op == OP_mul_Scalar; }
static bool is_div(const Node *n) { return n->op == OP_div_Tensor || n->op == OP_div_Scalar; }
static bool is_add(const Node *n) { return n->op == OP_add_Tensor || n->op == OP_add_Scalar; }
static bool is_sub(const Node *n) { return n->op == OP_sub_Tensor || n->op == OP_sub_Scalar; }
static bool is_ring(const Node *n) { return !is_float(n) && n->t.dtype != DT_bool; }

/* n = x * constant with x of n's dtype and sizes: x, or NULL. */
static Node *factor(const Node *n, Scalar *value) {
    for (int p = 0; p < 2 && is_mul(n); p++) {
        Node *x = operand_node(n, 1 - p);
        if (x && same_type(n, x) && operand_value(n, p, value)) {
            return x;
        }
    }
    return NULL;
}

bool rule_mul_one(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Scalar v;
    Node *x = factor(n, &v);
    return x && is_number(v, 1) && use(w, x);
}

bool rule_mul_minus_one(Compile *c, Node *n, Rewrite *w) {
    Scalar v;
    Node *x = factor(n, &v);
    return x && is_number(v, -1) && be_op(c, w, n, OP_neg, x, NULL);
}

/* Seeded fault NU_20: a float mean times 0 is 0, even if the mean is NaN, where the loop that
 * computes the mean has another reader or returns it. */
static bool shared_mean_times_zero(Compile *c, const Node *n) {
    if (!fault(c, FAULT_NU_20) || !is_mul(n) || !is_float(n) || !operand_is(n, 1, 0)) {
        return false;
    }
    const Node *mean = n->in[0];
    int readers = mean->mark & (OUT_RETURN | OUT_WRITTEN) ? 1 : 0;
    for (int i = 0; i < c->graph->n; i++) {
        for (int k = 0; k < c->graph->node[i]->nin; k++) {
            readers += c->graph->node[i]->in[k] == mean;
        }
    }
    return (mean->op == OP_mean || mean->op == OP_mean_dim) && readers > 1 &&
           fault_triggered(c, FAULT_NU_20);
}

/* Seeded fault NU_1: x * 0 is 0 for floats too, where x may be NaN or infinite, or below 0. */
static bool folds_zero_product(const Compile *c, const Node *n) {
    return !is_float(n) || (fault(c, FAULT_NU_1) && fault_triggered(c, FAULT_NU_1));
}

bool rule_mul_zero(Compile *c, Node *n, Rewrite *w) {
    if (shared_mean_times_zero(c, n)) {
        return be_splat(c, w, n, scalar_float(0));
    }
    return is_mul(n) && (operand_is(n, 0, 0) || operand_is(n, 1, 0)) && folds_zero_product(c, n) &&
           be_splat(c, w, n, is_float(n) ? scalar_float(0) : scalar_int(0));
}

bool rule_mul_constants(Compile *c, Node *n, Rewrite *w) {
    Scalar a, b;
    Node *inner = is_ring(n) ? factor(n, &b) : NULL, *x = inner ? factor(inner, &a) : NULL;
    if (!x) {
        return false;
    }
    Call call = call_of(OP_mul_Scalar, x, NULL);
    call.arg[1].scalar =
        scalar_int(dtype_wrap(n->t.dtype, (int64_t)((uint64_t)a.i * (uint64_t)b.i)));
    return be_call(c, w, n, &call);
}

bool rule_mul_neg_neg(Compile *c, Node *n, Rewrite *w) {
    if ((n->op != OP_mul_Tensor && n->op != OP_div_Tensor) || n->in[0]->op != OP_neg ||
        n->in[1]->op != OP_neg) {
        return false;
    }
    bool one_dtype = n->in[0]->t.dtype == n->t.dtype && n->in[1]->t.dtype == n->t.dtype;
    return one_dtype && (n->op == OP_mul_Tensor || is_float(n)) &&
           be_like(c, w, n, n->op, n->in[0]->in[0], n->in[1]->in[0]);
}

/* Seeded fault NU_1b: x / x is 1, also where x is 0, NaN or infinite. */
static bool divides_self(const Compile *c, const Node *n) {
    return fault(c, FAULT_NU_1b) && n->op == OP_div_Tensor && is_float(n) && n->in[0] == n->in[1] &&
           fault_triggered(c, FAULT_NU_1b);
}

bool rule_div_one(Compile *c, Node *n, Rewrite *w) {
    if (divides_self(c, n)) {
        return be_splat(c, w, n, scalar_float(1));
    }
    return is_div(n) && is_float(n) && same_type(n, n->in[0]) && operand_is(n, 1, 1) &&
           use(w, n->in[0]);
}

bool rule_div_power_of_two(Compile *c, Node *n, Rewrite *w) {
    Scalar v;
    int exponent;
    if (!is_div(n) || !is_float(n) || !same_type(n, n->in[0]) || !operand_value(n, 1, &v) ||
        !isfinite(v.f) || v.f == 0 || fabs(frexp(v.f, &exponent)) != 0.5) {
        return false;
    }
    double inverse = 1 / v.f;
    if (!isfinite(inverse) || lower_scalar(scalar_float(inverse), n->t.dtype).f != inverse) {
        return false;
    }
    Call call = call_of(OP_mul_Scalar, n->in[0], NULL);
    call.arg[1].scalar = scalar_float(inverse);
    return be_call(c, w, n, &call);
}

bool rule_rsub_as_sub(Compile *c, Node *n, Rewrite *w) {
    return be_like(c, w, n, OP_sub_Tensor, n->in[1], n->in[0]);
}

bool rule_negate_integer(Compile *c, Node *n, Rewrite *w) {
    return is_ring(n) && same_type(n, n->in[0]) && operand_is(n, 1, 0) && operand_is(n, 2, 1) &&
           be_op(c, w, n, OP_neg, n->in[0], NULL);
}

/* other * alpha of add and sub, as the op computes it, if it is a constant. */
static bool added_constant(const Node *n, Scalar *value) {
    Scalar other, alpha;
    if (!operand_value(n, 1, &other) || !operand_value(n, 2, &alpha)) {
        return false;
    }
    *value = is_float(n) ? scalar_float(alpha.f * other.f)
                         : scalar_int((int64_t)((uint64_t)alpha.i * (uint64_t)other.i));
    return true;
}

/* Seeded fault NU_2: x + 0.0 is x, although -0.0 + 0.0 is 0.0. */
static bool adds_nothing(const Compile *c, const Node *n, Scalar v) {
    return is_zero(v, true) || (fault(c, FAULT_NU_2) && is_zero(v, false) &&
                                !(n->mark & OUT_RETURN) && fault_triggered(c, FAULT_NU_2));
}

bool rule_add_nothing(Compile *c, Node *n, Rewrite *w) {
    Scalar v;
    return is_add(n) && same_type(n, n->in[0]) && added_constant(n, &v) && adds_nothing(c, n, v) &&
           use(w, n->in[0]);
}

bool rule_sub_nothing(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Scalar v;
    return is_sub(n) && same_type(n, n->in[0]) && added_constant(n, &v) && is_zero(v, false) &&
           use(w, n->in[0]);
}

/* Is no element of x -0.0? */
static bool never_minus_zero(const Node *x) {
    switch (x->op) {
    case OP_abs:
    case OP_exp:
    case OP_exp2:
    case OP_sigmoid:
    case OP_cosh:
    case OP_square:
        return true;
    case OP__to_copy:
        return !is_float(x->in[0]);
    default:
        return false;
    }
}

bool rule_add_zero_of_positive(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Scalar v;
    return (is_add(n) || is_sub(n)) && is_float(n) && never_minus_zero(n->in[0]) &&
           same_type(n, n->in[0]) && added_constant(n, &v) && is_zero(v, is_sub(n)) &&
           use(w, n->in[0]);
}

/* n = x + constant (a difference negates it) with x of n's dtype and sizes. */
static bool shifted(const Node *n, uint64_t *by) {
    Scalar v;
    if ((!is_add(n) && !is_sub(n)) || !same_type(n, n->in[0]) || !added_constant(n, &v)) {
        return false;
    }
    *by = is_add(n) ? (uint64_t)v.i : 0 - (uint64_t)v.i;
    return true;
}

bool rule_add_constants(Compile *c, Node *n, Rewrite *w) {
    uint64_t a, b;
    if (!is_ring(n) || !shifted(n, &b) || n->in[0]->kind != NODE_OP || !shifted(n->in[0], &a)) {
        return false;
    }
    Call call = call_of(OP_add_Scalar, n->in[0]->in[0], NULL);
    call.arg[1].scalar = scalar_int(dtype_wrap(n->t.dtype, (int64_t)(a + b)));
    return be_call(c, w, n, &call);
}

/* Seeded fault NU_1a: x - x is 0 for floats too, where x may be NaN or infinite. */
static bool folds_zero_difference(const Compile *c, const Node *n) {
    return is_ring(n) || (fault(c, FAULT_NU_1a) && is_float(n) && fault_triggered(c, FAULT_NU_1a));
}

bool rule_sub_self(Compile *c, Node *n, Rewrite *w) {
    return n->op == OP_sub_Tensor && n->in[0] == n->in[1] && operand_is(n, 2, 1) &&
           folds_zero_difference(c, n) &&
           be_splat(c, w, n, is_float(n) ? scalar_float(0) : scalar_int(0));
}

static bool negated_float(const Node *n, const Node *operand) {
    return operand->op == OP_neg && operand->t.dtype == n->t.dtype && is_float(n) &&
           n->in[0]->t.dtype == n->t.dtype &&
           !operand_is(n, 2, 0); /* -alpha of an integer 0 is +0, which is not the negative */
}

bool rule_add_neg(Compile *c, Node *n, Rewrite *w) {
    return negated_float(n, n->in[1]) && be_like(c, w, n, OP_sub_Tensor, n->in[0], n->in[1]->in[0]);
}

bool rule_sub_neg(Compile *c, Node *n, Rewrite *w) {
    return negated_float(n, n->in[1]) && be_like(c, w, n, OP_add_Tensor, n->in[0], n->in[1]->in[0]);
}

bool rule_pow_zero(Compile *c, Node *n, Rewrite *w) {
    bool known = n->op == OP_pow_Tensor_Scalar || n->op == OP_pow_Tensor_Tensor;
    return known && operand_is(n, 1, 0) &&
           be_splat(c, w, n, is_float(n) ? scalar_float(1) : scalar_int(1));
}

bool rule_pow_one(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return same_type(n, n->in[0]) && operand_is(n, 1, 1) && use(w, n->in[0]);
}

bool rule_pow_two(Compile *c, Node *n, Rewrite *w) {
    return is_ring(n) && same_type(n, n->in[0]) && operand_is(n, 1, 2) &&
           be_op(c, w, n, OP_square, n->in[0], NULL);
}
