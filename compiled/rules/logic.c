/* Rules of bits, truth values and comparisons (rules.def, LOGIC). */
#include "compiled/rules/rules.h"

#define UNUSED (void)c

static bool is_and(const Node *n) { return n->call->op->pw == PW_bitwise_and; }
static bool is_or(const Node *n) { return n->call->op->pw == PW_bitwise_or; }
static bool is_xor(const Node *n) { return n->call->op->pw == PW_bitwise_xor; }

/* Both operands are one node of n's dtype and sizes. */
static bool twice(const Node *n) {
    return n->nin == 2 && n->in[0] == n->in[1] && same_type(n, n->in[0]);
}

/* n = x op constant (either side) with x of n's dtype and sizes: x, or NULL. */
static Node *beside_constant(const Node *n, Scalar *value) {
    for (int p = 0; p < 2; p++) {
        Node *x = operand_node(n, 1 - p);
        if (x && same_type(n, x) && operand_value(n, p, value)) {
            return x;
        }
    }
    return NULL;
}

bool rule_bits_same(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return (is_and(n) || is_or(n)) && twice(n) && use(w, n->in[0]);
}

bool rule_xor_same(Compile *c, Node *n, Rewrite *w) {
    return is_xor(n) && twice(n) && be_splat(c, w, n, scalar_int(0));
}

bool rule_bits_zero(Compile *c, Node *n, Rewrite *w) {
    Scalar v;
    Node *x = is_and(n) || is_or(n) || is_xor(n) ? beside_constant(n, &v) : NULL;
    if (!x || v.i != 0) {
        return false;
    }
    return is_and(n) ? be_splat(c, w, n, scalar_int(0)) : use(w, x);
}

bool rule_bits_ones(Compile *c, Node *n, Rewrite *w) {
    Scalar v;
    Node *x = is_and(n) || is_or(n) || is_xor(n) ? beside_constant(n, &v) : NULL;
    int64_t ones = n->t.dtype == DT_bool ? 1 : dtype_wrap(n->t.dtype, -1);
    if (!x || v.i != ones) {
        return false;
    }
    return is_and(n)  ? use(w, x)
           : is_or(n) ? be_splat(c, w, n, scalar_int(ones))
                      : be_op(c, w, n, OP_bitwise_not, x, NULL);
}

bool rule_shift_nothing(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Pw pw = n->call->op->pw;
    Node *x =
        pw == PW_bitwise_left_shift || pw == PW_bitwise_right_shift ? operand_node(n, 0) : NULL;
    return x && same_type(n, x) && operand_is(n, 1, 0) && use(w, x);
}

static bool is_truth(const Node *n) {
    return n->op == OP_logical_and || n->op == OP_logical_or || n->op == OP_logical_xor;
}

bool rule_truth_same(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return is_truth(n) && n->op != OP_logical_xor && twice(n) && use(w, n->in[0]);
}

static bool logic_truth(Scalar v) { return v.kind == CAT_FLOAT ? v.f != 0 : v.i != 0; }

bool rule_truth_known(Compile *c, Node *n, Rewrite *w) {
    for (int p = 0; is_truth(n) && p < 2; p++) {
        Scalar v;
        Node *x = n->in[1 - p];
        if (!node_splat(n->in[p], &v)) {
            continue;
        }
        bool known = logic_truth(v);
        if (n->op != OP_logical_xor && known == (n->op == OP_logical_or)) {
            return be_splat(c, w, n, scalar_bool(known));
        }
        if (same_type(n, x)) {
            return n->op == OP_logical_xor && known ? be_op(c, w, n, OP_logical_not, x, NULL)
                                                    : use(w, x);
        }
    }
    return false;
}

bool rule_compare_same(Compile *c, Node *n, Rewrite *w) {
    if (n->nin != 2 || n->in[0] != n->in[1]) {
        return false;
    }
    switch (n->op) {
    case OP_lt_Tensor:
    case OP_gt_Tensor:
        return be_splat(c, w, n, scalar_bool(false));
    case OP_ne_Tensor:
        return !is_float(n->in[0]) && be_splat(c, w, n, scalar_bool(false));
    case OP_eq_Tensor:
    case OP_le_Tensor:
    case OP_ge_Tensor:
        return !is_float(n->in[0]) && be_splat(c, w, n, scalar_bool(true));
    default:
        return false;
    }
}

bool rule_truth_of_cast(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Scalar zero;
    if (n->op != OP_ne_Scalar && n->op != OP_ne_Tensor) {
        return false;
    }
    if (n->op == OP_ne_Scalar) {
        zero = n->call->arg[1].scalar;
    } else if (!node_splat(n->in[1], &zero)) {
        return false;
    }
    const Node *cast = n->in[0];
    return !logic_truth(zero) && cast->op == OP__to_copy && cast->in[0]->t.dtype == DT_bool &&
           same_type(n, cast->in[0]) && use(w, cast->in[0]);
}
