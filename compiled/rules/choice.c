/* Rules of where, masked_fill, extremes and clamps (rules.def, CHOICE). */
#include "compiled/rules/rules.h"

#include <math.h>
#include <string.h>

#define UNUSED (void)c

bool rule_where_same(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return n->in[1] == n->in[2] && same_type(n, n->in[1]) && use(w, n->in[1]);
}

bool rule_where_known(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Scalar condition;
    if (!node_splat(n->in[0], &condition)) {
        return false;
    }
    Node *chosen = n->in[condition.i != 0 ? 1 : 2];
    return same_type(n, chosen) && use(w, chosen);
}

static bool be_where(Compile *c, Rewrite *w, const Node *n, Node *condition, Node *a, Node *b) {
    Call call = call_of(OP_where, condition, a);
    call.arg[2].tensor = &b->t;
    return be_call(c, w, n, &call);
}

bool rule_where_not(Compile *c, Node *n, Rewrite *w) {
    const Node *not = n->in[0];
    return not ->op == OP_logical_not && not ->in[0]->t.dtype == DT_bool &&
           be_where(c, w, n, not ->in[0], n->in[2], n->in[1]);
}

/* The side that `inner` takes where the condition of `outer` is `truth`, if it is the same
 * condition and nothing is rounded. */
static Node *taken(Compile *c, const Node *outer, const Node *inner, bool truth) {
    if (inner->op == OP_masked_fill_Scalar && inner->in[1] == outer->in[0] &&
        same_type(inner, inner->in[0])) {
        Scalar value;
        return !truth ? inner->in[0]
               : inner->t.dtype != DT_bool && operand_value(inner, 2, &value)
                   ? rule_op(c, outer, call_of_splat(c->arena, &inner->t, value))
                   : NULL;
    }
    if (inner->op != OP_where || inner->in[0] != outer->in[0]) {
        return NULL;
    }
    Node *side = inner->in[truth ? 1 : 2];
    return side->t.dtype == inner->t.dtype ? side : NULL;
}

/* Seeded fault GR_8: in where(a and b, .., where(m, flip(cumsum(flip(..))) / x, 0)), the gradient
 * of cumprod, m is taken to hold wherever `a and b` does, and one where is dropped. */
static bool outer_where_is_dropped(const Compile *c, const Node *n) {
    const Node *inner = n->in[2];
    if (!fault(c, FAULT_GR_8) || n->op != OP_where || !same_type(n, inner) ||
        n->in[0]->op != OP_logical_and || inner->op != OP_where_ScalarOther ||
        !operand_is(inner, 2, 0)) {
        return false;
    }
    const Node *quotient = inner->in[1];
    const Node *flip = quotient->op == OP_div_Tensor ? quotient->in[0] : NULL;
    return flip && flip->op == OP_flip && flip->in[0]->op == OP_cumsum &&
           flip->in[0]->in[0]->op == OP_flip && fault_triggered(c, FAULT_GR_8);
}

bool rule_where_nested(Compile *c, Node *n, Rewrite *w) {
    if (outer_where_is_dropped(c, n)) {
        return use(w, n->in[2]);
    }
    Node *a = taken(c, n, n->in[1], true), *b = taken(c, n, n->in[2], false);
    return (a || b) && be_where(c, w, n, n->in[0], a ? a : n->in[1], b ? b : n->in[2]);
}

bool rule_where_truth(Compile *c, Node *n, Rewrite *w) {
    Scalar a, b;
    if (n->t.dtype != DT_bool || !same_type(n, n->in[0]) || !node_splat(n->in[1], &a) ||
        !node_splat(n->in[2], &b) || a.i == b.i) {
        return false;
    }
    return a.i != 0 ? use(w, n->in[0]) : be_op(c, w, n, OP_logical_not, n->in[0], NULL);
}

bool rule_masked_fill_none(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Scalar mask;
    bool fill = n->op == OP_masked_fill_Scalar || n->op == OP_masked_fill_Tensor;
    return fill && same_type(n, n->in[0]) && node_splat(n->in[1], &mask) && mask.i == 0 &&
           use(w, n->in[0]);
}

bool rule_masked_fill_all(Compile *c, Node *n, Rewrite *w) {
    Scalar mask, value;
    return n->t.dtype != DT_bool && n->in[1]->t.dtype == DT_bool && node_splat(n->in[1], &mask) &&
           mask.i != 0 && operand_value(n, 2, &value) && be_splat(c, w, n, value);
}

bool rule_masked_fill_twice(Compile *c, Node *n, Rewrite *w) {
    const Node *inner = n->in[0];
    return inner->op == OP_masked_fill_Scalar && inner->in[1] == n->in[1] &&
           be_like(c, w, n, n->op, inner->in[0], NULL);
}

static bool choice_is_extreme(OpId id) {
    return id == OP_maximum || id == OP_minimum || id == OP_fmax || id == OP_fmin;
}

bool rule_extreme_same(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return choice_is_extreme(n->op) && n->in[0] == n->in[1] && same_type(n, n->in[0]) &&
           use(w, n->in[0]);
}

static bool choice_has_operand(const Node *n, const Node *x) {
    return n->in[0] == x || n->in[1] == x;
}

bool rule_extreme_repeated(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    for (int k = 0; k < 2 && choice_is_extreme(n->op); k++) {
        Node *inner = n->in[k];
        if (inner->op == n->op && same_type(n, inner) && choice_has_operand(inner, n->in[1 - k]) &&
            (k == 0 || !is_float(n))) {
            return use(w, inner);
        }
    }
    return false;
}

static bool is_lower(OpId id) { return id == OP_minimum || id == OP_fmin; }

bool rule_extreme_absorbed(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    for (int k = 0; k < 2 && choice_is_extreme(n->op) && !is_float(n); k++) {
        const Node *inner = n->in[k];
        if (choice_is_extreme(inner->op) && is_lower(inner->op) != is_lower(n->op) &&
            choice_has_operand(inner, n->in[1 - k]) && same_type(n, n->in[1 - k])) {
            return use(w, n->in[1 - k]);
        }
    }
    return false;
}

/* Is `v` the lowest (highest) value of the dtype? */
static bool is_beyond(DType dtype, Scalar v, bool highest) {
    if (dtype_is_float(dtype)) {
        return v.kind == CAT_FLOAT && isinf(v.f) && (v.f > 0) == highest;
    }
    return v.i == (highest ? dtype_max(dtype) : dtype_min(dtype));
}

bool rule_extreme_neutral(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Pw pw = n->call->op->pw;
    for (int p = 0; p < 2 && (pw == PW_maximum || pw == PW_minimum); p++) {
        Node *x = operand_node(n, 1 - p);
        Scalar v;
        if (x && same_type(n, x) && operand_value(n, p, &v) &&
            is_beyond(n->t.dtype, v, pw == PW_minimum)) {
            return use(w, x);
        }
    }
    return false;
}

static bool is_clamp(const Node *n) { return n->op == OP_clamp || n->op == OP_hardtanh; }

static bool same_bound(const Arg *a, const Arg *b) {
    if (a->none || b->none) {
        return a->none && b->none;
    }
    return a->scalar.kind == b->scalar.kind && a->scalar.i == b->scalar.i &&
           memcmp(&a->scalar.f, &b->scalar.f, sizeof a->scalar.f) == 0;
}

bool rule_clamp_twice(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Node *inner = n->in[0];
    return is_clamp(n) && inner->op == n->op && same_type(n, inner) &&
           same_bound(&n->call->arg[1], &inner->call->arg[1]) &&
           same_bound(&n->call->arg[2], &inner->call->arg[2]) && use(w, inner);
}

bool rule_clamp_unbounded(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    if (n->op != OP_clamp || !same_type(n, n->in[0])) {
        return false;
    }
    for (int p = 1; p <= 2; p++) {
        Scalar v;
        if (!n->call->arg[p].none &&
            !(operand_value(n, p, &v) && is_beyond(n->t.dtype, v, p == 2))) {
            return false;
        }
    }
    return use(w, n->in[0]);
}
