/* What the rule files share: constant operands, and the construction of rewrites. */
#include "compiled/rules/rules.h"
#include "program/ops/functions.h"

#include <math.h>
#include <string.h>

bool is_zero(Scalar v, bool negative) {
    return v.kind == CAT_FLOAT ? v.f == 0 && (signbit(v.f) != 0) == negative : v.i == 0;
}

bool operand_value(const Node *n, int p, Scalar *value) {
    const Param *param = &n->call->op->param[p];
    const Arg *arg = &n->call->arg[p];
    if (arg->none) {
        return false;
    }
    if (param->type == ARG_TENSOR || param->type == ARG_TENSOR_OPT) {
        if (!node_splat((const Node *)arg->tensor, value)) {
            return false;
        }
    } else {
        *value = call_scalar(n->call, p, n->t.dtype);
    }
    *value = lower_scalar(*value, n->t.dtype);
    return true;
}

bool operand_is(const Node *n, int p, int number) {
    Scalar v;
    return operand_value(n, p, &v) && is_number(v, number);
}

Node *operand_node(const Node *n, int p) {
    const Param *param = &n->call->op->param[p];
    bool tensor = param->type == ARG_TENSOR || param->type == ARG_TENSOR_OPT;
    return tensor && !n->call->arg[p].none ? (Node *)n->call->arg[p].tensor : NULL;
}

int rule_dim(const Node *n, int p, int ndim) {
    int64_t dim = n->call->arg[p].i;
    return (int)(dim < 0 ? dim + max_i64(ndim, 1) : dim);
}

bool use_view(Compile *c, const Node *n, Rewrite *w, Node *of, const Tensor *layout) {
    w->by = graph_view(c->graph, of, layout, n->sid);
    return true;
}

static bool infers(Compile *c, const Call *call, Tensor *out) {
    Error err;
    error_begin(&err, true);
    Infer r = {.arena = c->arena, .err = &err};
    if (call->op->infer(call, &r) != ERR_none || r.n != 1) {
        return false;
    }
    *out = r.out[0];
    return true;
}

bool be_call(Compile *c, Rewrite *w, const Node *n, const Call *call) {
    Tensor meta;
    if (!infers(c, call, &meta) || meta.dtype != n->t.dtype || !tensor_same_size(&meta, &n->t)) {
        return false;
    }
    w->be = arena_copy(c->arena, call, (int64_t)sizeof *call);
    return true;
}

Call call_of(OpId id, Node *a, Node *b) {
    Call call = call_new(id);
    call.arg[0].tensor = &a->t;
    if (b) {
        call.arg[1].tensor = &b->t;
    }
    return call;
}

bool be_op(Compile *c, Rewrite *w, const Node *n, OpId id, Node *a, Node *b) {
    Call call = call_of(id, a, b);
    return be_call(c, w, n, &call);
}

bool be_like(Compile *c, Rewrite *w, const Node *n, OpId id, Node *a, Node *b) {
    Call call = *n->call;
    call.op = op_info(id);
    call.arg[0].tensor = &a->t;
    if (b) {
        call.arg[1].tensor = &b->t;
    }
    return be_call(c, w, n, &call);
}

bool be_splat(Compile *c, Rewrite *w, const Node *n, Scalar value) {
    w->be = call_of_splat(c->arena, &n->t, value);
    return true;
}

Node *rule_op(Compile *c, const Node *n, const Call *call) {
    Tensor meta;
    return infers(c, call, &meta) ? graph_op(c->graph, call, &meta, n->sid) : NULL;
}
