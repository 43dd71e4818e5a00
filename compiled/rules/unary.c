/* Rules of elementwise ops with one operand: signs, roundings, tests (rules.def, UNARY). */
#include "compiled/rules/rules.h"

#define UNUSED (void)c

bool rule_neg_neg(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return n->in[0]->op == OP_neg && use(w, n->in[0]->in[0]);
}

/* Seeded fault NU_18: log(exp(x)) is x, although exp(x) may be infinite, or 0. */
static bool cancels_exp(const Compile *c, const Node *n) {
    return fault(c, FAULT_NU_18) && n->op == OP_log && n->in[0]->op == OP_exp &&
           same_type(n, n->in[0]->in[0]) && !(n->mark & OUT_RETURN) &&
           fault_triggered(c, FAULT_NU_18);
}

bool rule_idempotent(Compile *c, Node *n, Rewrite *w) {
    if (cancels_exp(c, n)) {
        return use(w, n->in[0]->in[0]);
    }
    switch (n->op) {
    case OP_abs:
    case OP_relu:
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_round:
    case OP_sign:
        return n->in[0]->op == n->op && use(w, n->in[0]);
    default:
        return false;
    }
}

static bool is_rounding(OpId id) {
    return id == OP_floor || id == OP_ceil || id == OP_trunc || id == OP_round;
}

bool rule_rounding_of_rounded(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return is_rounding(n->op) && is_rounding(n->in[0]->op) && use(w, n->in[0]);
}

bool rule_rounding_of_integer(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return is_rounding(n->op) && !is_float(n) && same_type(n, n->in[0]) && use(w, n->in[0]);
}

bool rule_abs_neg(Compile *c, Node *n, Rewrite *w) {
    return n->in[0]->op == OP_neg && n->t.dtype != DT_uint8 &&
           be_like(c, w, n, OP_abs, n->in[0]->in[0], NULL);
}

/* Is x's sign bit never set, unless it is NaN? */
static bool never_negative(const Node *x) {
    switch (x->op) {
    case OP_exp:
    case OP_exp2:
    case OP_sigmoid:
    case OP_cosh:
    case OP_hypot:
        return true;
    case OP_square:
        return is_float(x);
    default:
        return x->t.dtype == DT_uint8;
    }
}

bool rule_abs_of_nonnegative(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return never_negative(n->in[0]) && same_type(n, n->in[0]) && use(w, n->in[0]);
}

bool rule_relu_of_nonnegative(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    const Node *x = n->in[0];
    return (never_negative(x) || (x->op == OP_abs && is_float(x))) && same_type(n, x) &&
           use(w, n->in[0]);
}

static bool changes_sign_only(const Node *x) {
    return (x->op == OP_neg || x->op == OP_abs) && is_float(x);
}

/* Seeded fault NU_19: sqrt(x * x) is abs(x), although x * x may be infinite, or 0. */
static bool cancels_square(const Compile *c, const Node *n) {
    const Node *x = n->in[0];
    return fault(c, FAULT_NU_19) && n->op == OP_sqrt &&
           (x->op == OP_square || (x->op == OP_mul_Tensor && x->in[0] == x->in[1])) &&
           same_type(n, x->in[0]) && fault_triggered(c, FAULT_NU_19);
}

bool rule_even_function(Compile *c, Node *n, Rewrite *w) {
    if (cancels_square(c, n)) {
        return be_op(c, w, n, OP_abs, n->in[0]->in[0], NULL);
    }
    bool even = n->op == OP_cos || n->op == OP_cosh;
    return even && changes_sign_only(n->in[0]) && be_op(c, w, n, n->op, n->in[0]->in[0], NULL);
}

static bool is_class_test(OpId id) { return id == OP_isnan || id == OP_isinf || id == OP_isfinite; }

bool rule_class_of_integer(Compile *c, Node *n, Rewrite *w) {
    return is_class_test(n->op) && !is_float(n->in[0]) &&
           be_splat(c, w, n, scalar_bool(n->op == OP_isfinite));
}

bool rule_class_of_sign(Compile *c, Node *n, Rewrite *w) {
    return is_class_test(n->op) && changes_sign_only(n->in[0]) &&
           be_op(c, w, n, n->op, n->in[0]->in[0], NULL);
}

bool rule_square_sign(Compile *c, Node *n, Rewrite *w) {
    OpId inner = n->in[0]->op;
    return (inner == OP_neg || inner == OP_abs) &&
           be_like(c, w, n, OP_square, n->in[0]->in[0], NULL);
}

bool rule_not_not(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return n->in[0]->op == OP_logical_not && n->in[0]->in[0]->t.dtype == DT_bool &&
           use(w, n->in[0]->in[0]);
}

bool rule_bits_not_not(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return n->in[0]->op == OP_bitwise_not && use(w, n->in[0]->in[0]);
}

static OpId complement(OpId id, bool *ordered) {
    static const OpId pairs[][2] = {{OP_eq_Tensor, OP_ne_Tensor}, {OP_eq_Scalar, OP_ne_Scalar},
                                    {OP_lt_Tensor, OP_ge_Tensor}, {OP_lt_Scalar, OP_ge_Scalar},
                                    {OP_le_Tensor, OP_gt_Tensor}, {OP_le_Scalar, OP_gt_Scalar}};
    for (int k = 0; k < COUNT_OF(pairs); k++) {
        *ordered = k >= 2;
        if (pairs[k][0] == id || pairs[k][1] == id) {
            return pairs[k][pairs[k][0] == id];
        }
    }
    return OP_NONE;
}

/* Can no operand of the comparison be NaN? */
static bool compares_integers(const Node *n) {
    if (n->nin == 1 && n->call->arg[1].scalar.kind == CAT_FLOAT) {
        return false;
    }
    return !is_float(n->in[0]) && (n->nin == 1 || !is_float(n->in[1]));
}

bool rule_not_compare(Compile *c, Node *n, Rewrite *w) {
    const Node *test = n->in[0];
    bool ordered;
    OpId id = test->kind == NODE_OP ? complement(test->op, &ordered) : OP_NONE;
    if (id == OP_NONE || (ordered && !compares_integers(test))) {
        return false;
    }
    Call call = *test->call;
    call.op = op_info(id);
    return be_call(c, w, n, &call);
}
