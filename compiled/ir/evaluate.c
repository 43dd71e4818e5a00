/* Evaluates one node with its op's shared kernel on real tensors. Constant folding and the
 * interpretation of stages use it. */
#include "compiled/ir/evaluate.h"
#include "compiled/symbolic/observed.h"

bool evaluate_node(const Node *n, Tensor *const *operand, Tensor *out, KernelCtx *k) {
    Call call = *n->call;
    int slot = 0;
    for (int p = 0; p < call.op->nparam; p++) {
        Arg *arg = &call.arg[p];
        switch (call.op->param[p].type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT:
            arg->tensor = operand[slot++];
            break;
        case ARG_TENSORS:
        case ARG_TENSORS_OPT:
            if (!arg->none) {
                arg->tensors.v =
                    arena_copy(k->arena, operand + slot, (int64_t)sizeof *operand * arg->tensors.n);
                slot += arg->tensors.n;
            }
            break;
        default:
            break;
        }
    }
    return tensor_allocate(out, k->arena, NULL, k->err) == ERR_none &&
           call.op->kernel(&call, &out, k) == ERR_none;
}

bool evaluate_check(const Node *check, const Tensor *value) {
    const Tensor *list[1] = {value};
    for (Walk w = walk_start(value->size, value->ndim, list, 1); walk_more(&w); walk_next(&w)) {
        int64_t v = element_int(value->storage->data, value->dtype, w.at[0]);
        bool good =
            check->check == CHECK_NONZERO
                ? v != 0
                : v < check->bound && v >= (check->check == CHECK_INDEX ? 0 : -check->bound);
        if (!good) {
            return false;
        }
    }
    return true;
}

/* ---- constants ---- */

enum { MAX_CONSTANT = 256 /* elements of an operand or a result */ };

static bool evaluate_is_constant(const Node *n) {
    const Node *buffer = node_buffer((Node *)n);
    return buffer->kind == NODE_OP && buffer->nin == 0 && !buffer->call->op->random &&
           tensor_numel(&buffer->t) <= MAX_CONSTANT;
}

/* The value of a constant node (or a VIEW of one). */
static bool constant_value(Compile *c, Node *n, Tensor *out) {
    Node *buffer = node_buffer(n);
    Error err = {0};
    KernelCtx k = {.arena = c->arena, .err = &err};
    Tensor whole = buffer->t;
    if (!evaluate_is_constant(n) || !evaluate_node(buffer, NULL, &whole, &k) || k.undefined) {
        return false;
    }
    *out = n->t;
    out->storage = whole.storage;
    return true;
}

static bool all_constant(const Node *n) {
    for (int k = 0; k < n->nin; k++) {
        if (n->in[k] && !evaluate_is_constant(n->in[k])) {
            return false;
        }
    }
    return n->nin > 0;
}

const Call *evaluate_constant(Compile *c, const Node *n) {
    if (n->kind != NODE_OP || n->op == OP_nonzero || n->call->op->random || !all_constant(n) ||
        tensor_numel(&n->t) > MAX_CONSTANT || !tensor_is_contiguous(&n->t)) {
        return NULL;
    }
    Tensor value[MAX_SLOTS], *operand[MAX_SLOTS], made = n->t;
    for (int k = 0; k < n->nin; k++) {
        operand[k] = n->in[k] ? &value[k] : NULL;
        if (n->in[k] && !constant_value(c, n->in[k], &value[k])) {
            return NULL;
        }
    }
    Error err = {0};
    KernelCtx k = {.arena = c->arena, .err = &err};
    if (!evaluate_node(n, operand, &made, &k) || k.undefined) {
        return NULL;
    }
    Call call = call_new(OP_tensor);
    call.arg[0].data.data = made.storage->data;
    call.arg[0].data.n = tensor_numel(&made);
    call.arg[1].ints.v = arena_copy(c->arena, made.size, (int64_t)sizeof *made.size * made.ndim);
    call.arg[1].ints.n = made.ndim;
    call.arg[2].dtype = made.dtype;
    for (int i = 0; i < n->nin; i++) {
        if (n->in[i]) {
            observed_literal(c, &value[i]);
        }
    }
    observed_scalars(c, n->call, made.dtype, true);
    return arena_copy(c->arena, &call, (int64_t)sizeof call);
}

bool evaluate_known_check(Compile *c, const Node *check) {
    Tensor value;
    if (check->kind != NODE_CHECK || !constant_value(c, check->in[0], &value) ||
        !evaluate_check(check, &value)) {
        return false;
    }
    observed_literal(c, &value);
    return true;
}
