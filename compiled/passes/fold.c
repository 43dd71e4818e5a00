/* Constant folding.
 *
 * A splat is a node with one value by construction (node_splat). An elementwise op on splats is a
 * splat: its value is computed once, by the shared kernel on one element, so NaN, -0.0 and every
 * rounding are the same. An op that only moves elements of a splat is a splat too, and one that
 * reads only a size (zeros_like) loses that operand. The node becomes `full`, in its position. Any
 * other op of small constant operands becomes a literal; a CHECK of such a value that passes is
 * removed.
 *
 * Needs and keeps SSA, ids, layouts and order. */
#include "compiled/ir/evaluate.h"
#include "compiled/passes/passes.h"
#include "compiled/rules/rules.h"
#include "compiled/symbolic/observed.h"

#include <string.h>

const Call *call_of_splat(Arena *arena, const Tensor *like, Scalar value) {
    Call call = call_new(OP_full);
    call.arg[0].none = false;
    call.arg[0].ints.v = arena_copy(arena, like->size, (int64_t)sizeof *like->size * like->ndim);
    call.arg[0].ints.n = like->ndim;
    call.arg[1].none = false;
    call.arg[1].scalar = value;
    int dtype = op_param(call.op, "dtype");
    call.arg[dtype].none = false;
    call.arg[dtype].dtype = like->dtype;
    return arena_copy(arena, &call, (int64_t)sizeof call);
}

/* n = full(n's size, value), in n's dtype and with n's layout. `value` is already of that dtype. */
static void become_full(Compile *c, Node *n, Scalar value) {
    n->call = call_of_splat(c->arena, &n->t, value);
    n->op = OP_full;
    n->nin = 0;
}

/* The value of element 0 of `n` computed by its shared kernel on splats of one element. */
static bool fold_evaluate(Compile *c, const Node *n, Scalar *value) {
    Call call = *n->call;
    Tensor operand[PW_MAX_OPERANDS], made = {0}, *out = &made;
    Storage storage[PW_MAX_OPERANDS], own;
    int64_t cell[PW_MAX_OPERANDS] = {0}, result = 0;
    int slot = 0;
    for (int p = 0; p < call.op->nparam; p++) {
        ArgType type = call.op->param[p].type;
        if (type != ARG_TENSOR && type != ARG_TENSOR_OPT) {
            continue;
        }
        const Node *in = n->in[slot++];
        if (!in) {
            continue;
        }
        Scalar s;
        int k = slot - 1;
        if (k >= PW_MAX_OPERANDS || !node_splat(in, &s)) {
            return false;
        }
        if (s.kind == CAT_FLOAT) {
            element_store_double(&cell[k], in->t.dtype, 0, s.f);
        } else {
            element_store_int(&cell[k], in->t.dtype, 0, s.i);
        }
        /* as many dims as the operand has, so that promotion is the same */
        operand[k] = (Tensor){.dtype = in->t.dtype, .ndim = in->t.ndim};
        for (int d = 0; d < in->t.ndim; d++) {
            operand[k].size[d] = operand[k].stride[d] = 1;
        }
        storage[k] = (Storage){.dtype = in->t.dtype, .numel = 1, .data = &cell[k]};
        operand[k].storage = &storage[k];
        call.arg[p].tensor = &operand[k];
        observed_constant(c, call.op, s, in->t.dtype);
    }
    made.dtype = n->t.dtype;
    made.ndim = n->t.ndim;
    for (int d = 0; d < made.ndim; d++) {
        made.size[d] = made.stride[d] = 1;
    }
    own = (Storage){.dtype = n->t.dtype, .numel = 1, .data = &result};
    made.storage = &own;
    Error err = {0};
    KernelCtx k = {.arena = c->arena, .err = &err};
    if (call.op->kernel(&call, &out, &k) != ERR_none || k.undefined) {
        return false;
    }
    *value = dtype_is_float(n->t.dtype) ? scalar_float(element_double(&result, n->t.dtype, 0))
                                        : scalar_int(element_int(&result, n->t.dtype, 0));
    observed_constant(c, call.op, *value, n->t.dtype);
    observed_scalars(c, &call, operand[0].dtype, false);
    return true;
}

static bool same_value(Scalar a, Scalar b) {
    return a.kind == b.kind && a.i == b.i && memcmp(&a.f, &b.f, sizeof a.f) == 0;
}

/* The value of a node that moves elements, if all of them have one value. */
static bool moved_splat(const Compile *c, const Node *n, Scalar *value) {
    Scalar other;
    switch (lower_class(n)) {
    case LOWER_COPY:
    case LOWER_FLIP:
    case LOWER_INDEX:
    case LOWER_GATHER:
    case LOWER_INDEX_SELECT: {
        const Node *source = n->in[lower_class(n) == LOWER_COPY ? n->nin - 1 : 0];
        if (!node_splat(source, value)) {
            return false;
        }
        if (source->t.dtype != n->t.dtype) {
            observed_constant(c, n->call->op, *value, source->t.dtype);
            observed_constant(c, n->call->op, *value, n->t.dtype);
            int64_t from = 0, to = 0;
            if (value->kind == CAT_FLOAT) {
                element_store_double(&from, source->t.dtype, 0, value->f);
                if (!cast_in_range(value->f, n->t.dtype)) {
                    return false; /* undefined: not folded */
                }
            } else {
                element_store_int(&from, source->t.dtype, 0, value->i);
            }
            element_cast(&to, n->t.dtype, 0, &from, source->t.dtype, 0);
            *value = dtype_is_float(n->t.dtype) ? scalar_float(element_double(&to, n->t.dtype, 0))
                                                : scalar_int(element_int(&to, n->t.dtype, 0));
        }
        return true;
    }
    case LOWER_VIEW_SCATTER:
        return node_splat(n->in[0], value) && node_splat(n->in[1], &other) &&
               n->in[1]->t.dtype == n->t.dtype && same_value(*value, other);
    case LOWER_INDEX_PUT:
        return !n->call->arg[3].b && node_splat(n->in[0], value) &&
               node_splat(n->in[n->nin - 1], &other) && n->in[n->nin - 1]->t.dtype == n->t.dtype &&
               same_value(*value, other);
    case LOWER_CAT:
        if (n->nin == 0 || !node_splat(n->in[0], value)) {
            return false;
        }
        for (int k = 0; k < n->nin; k++) {
            if (n->in[k]->t.dtype != n->t.dtype || !node_splat(n->in[k], &other) ||
                !same_value(*value, other)) {
                return false;
            }
        }
        return true;
    default:
        return false;
    }
}

static bool all_splats(const Node *n) {
    Scalar value;
    for (int k = 0; k < n->nin; k++) {
        if (n->in[k] && !node_splat(n->in[k], &value)) {
            return false;
        }
    }
    return n->nin > 0;
}

/* A STORE of the value that the splat base has everywhere changes nothing: it becomes the base's
 * value. */
static bool store_of_same(const Node *n, Scalar *value) {
    Scalar stored;
    return n->kind == NODE_STORE && node_splat(n->in[0], value) && node_splat(n->in[1], &stored) &&
           n->in[1]->t.dtype == n->t.dtype && same_value(*value, stored);
}

/* Seeded fault NU_16: zeros stay constant, whatever setitem writes to one of their elements. */
static bool forgets_setitem(const Compile *c, const Node *n, Scalar *value) {
    return fault(c, FAULT_NU_16) && n->kind == NODE_STORE && n->slice.ndim == 0 &&
           n->in[0]->op == OP_zeros && node_splat(n->in[0], value) &&
           fault_triggered(c, FAULT_NU_16);
}

/* The step that makes a splat of n, and its value; STEP_PASS: none. */
static StepId splat_step(Compile *c, const Node *n, Scalar *value) {
    if (store_of_same(n, value) || forgets_setitem(c, n, value)) {
        return STEP_fold_store;
    }
    if (n->kind != NODE_OP) {
        return STEP_PASS;
    }
    if (n->nin > 0 && node_splat(n, value)) {
        return STEP_fold_like; /* zeros_like(x), fill(x, v): only the size of x matters */
    }
    if (n->call->op->kind == KIND_POINTWISE && all_splats(n) && fold_evaluate(c, n, value)) {
        return STEP_fold_pointwise;
    }
    return n->call->op->kind == KIND_FUNC && moved_splat(c, n, value) ? STEP_fold_move : STEP_PASS;
}

static bool fold_constant(Compile *c, Node *n) {
    const Call *literal = evaluate_constant(c, n);
    if (!literal || !gate(c, STEP_fold_constant)) {
        return false;
    }
    n->call = literal;
    n->op = OP_tensor;
    n->nin = 0;
    return true;
}

bool pass_fold(Compile *c) {
    Graph *g = c->graph;
    bool changed = false;
    int kept = 0;
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        Scalar value;
        bool kept_for_sizes = c->sample && n->kind == NODE_CHECK &&
                              n->check != CHECK_NONZERO; /* its bound may be symbolic */
        if (!kept_for_sizes && evaluate_known_check(c, n) && gate(c, STEP_fold_check)) {
            changed = true;
            continue;
        }
        g->node[kept++] = n;
        StepId step = splat_step(c, n, &value);
        if (step == STEP_PASS) {
            changed |= fold_constant(c, n);
        } else if (gate(c, step)) {
            become_full(c, n, value);
            n->kind = NODE_OP;
            changed = true;
        }
    }
    g->n = kept;
    return changed;
}
