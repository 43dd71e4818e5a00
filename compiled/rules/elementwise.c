/* Rules of all elementwise ops: a view of the operands becomes a view of the result (rules.def,
 * ELEMENTWISE). */
#include "compiled/rules/rules.h"

#include <string.h>

/* Operand read as if it had n's sizes: stride of dim d of n, 0 where it repeats. */
static int64_t stride_at(const Node *n, const Node *operand, int d) {
    int own = d - (n->t.ndim - operand->t.ndim);
    return own < 0 || operand->t.size[own] == 1 ? 0 : operand->t.stride[own];
}

/* n's call with operands replaced; NULL for those that stay. */
static Call call_with(const Node *n, Node *const *operand) {
    Call call = *n->call;
    int slot = 0;
    for (int p = 0; p < call.op->nparam; p++) {
        ArgType type = call.op->param[p].type;
        if (type == ARG_TENSOR || type == ARG_TENSOR_OPT) {
            if (operand[slot]) {
                call.arg[p].tensor = &operand[slot]->t;
            }
            slot++;
        }
    }
    return call;
}

/* Dims of size > 1 along which all operands repeat. */
static unsigned repeated_dims(const Node *n) {
    unsigned set = 0;
    for (int d = 0; d < n->t.ndim; d++) {
        bool all = n->t.size[d] > 1;
        for (int k = 0; k < n->nin && all; k++) {
            all = !n->in[k] || stride_at(n, n->in[k], d) == 0;
        }
        set |= (unsigned)all << d;
    }
    return set;
}

bool rule_expand_sink(Compile *c, Node *n, Rewrite *w) {
    unsigned set = n->nin <= PW_MAX_OPERANDS && read_by_value(n) && tensor_numel(&n->t) > 0
                       ? repeated_dims(n)
                       : 0;
    if (set == 0) {
        return false;
    }
    Node *operand[PW_MAX_OPERANDS] = {NULL};
    for (int k = 0; k < n->nin; k++) {
        if (!n->in[k]) {
            continue;
        }
        Tensor once = n->in[k]->t;
        for (int d = 0; d < once.ndim; d++) {
            if (set >> (d + n->t.ndim - once.ndim) & 1) {
                once.size[d] = 1;
            }
        }
        operand[k] = graph_view(c->graph, n->in[k], &once, n->sid);
    }
    Call call = call_with(n, operand);
    Node *made = rule_op(c, n, &call);
    if (!made || made->t.dtype != n->t.dtype || made->t.ndim != n->t.ndim) {
        return false;
    }
    Tensor expanded = made->t;
    for (int d = 0; d < n->t.ndim; d++) {
        if (set >> d & 1) {
            expanded.size[d] = n->t.size[d];
            expanded.stride[d] = 0;
        }
    }
    return tensor_same_size(&expanded, &n->t) && use_view(c, n, w, made, &expanded);
}

/* Does `view` read the whole of its buffer with permuted dims? from[d] is the buffer's dim that dim
 * d reads. */
static bool elementwise_is_permutation(const Node *view, int *from) {
    const Tensor *t = &view->t, *buffer = view->kind == NODE_VIEW ? &view->in[0]->t : NULL;
    unsigned taken = 0;
    if (!buffer || buffer->ndim != t->ndim || t->offset != 0) {
        return false;
    }
    for (int d = 0; d < t->ndim; d++) {
        int own = 0;
        while (own < t->ndim && (taken >> own & 1 || buffer->size[own] != t->size[d] ||
                                 buffer->stride[own] != t->stride[d])) {
            own++;
        }
        if (own == t->ndim) {
            return false;
        }
        taken |= 1u << own;
        from[d] = own;
    }
    return true;
}

static bool is_sorted(const int *from, int n) {
    for (int d = 0; d < n; d++) {
        if (from[d] != d) {
            return false;
        }
    }
    return true;
}

/* Is it computed by a loop that the op could share, given one iteration space? */
static bool is_computed(const Node *buffer) {
    return buffer->kind == NODE_OP &&
           (buffer->call->op->kind == KIND_POINTWISE || lower_class(buffer) == LOWER_REDUCE);
}

static bool permuted_alike(const int *from, const int *own, int ndim) {
    return memcmp(from, own, sizeof *from * (size_t)ndim) == 0;
}

/* Seeded fault SH-9: the permutations of two operands are not compared, so that any two match. */
static bool any_permutation(const Compile *c, const Node *n, const int *from, const int *own,
                            bool *differ) {
    for (int d = 0; d < n->t.ndim; d++) {
        *differ |= from[d] != own[d] && n->t.size[d] > 1;
    }
    return fault(c, FAULT_SH_9);
}

bool rule_transpose_sink(Compile *c, Node *n, Rewrite *w) {
    int from[MAX_DIMS], own[MAX_DIMS], views = 0;
    bool computed = false, differ = false;
    Node *operand[PW_MAX_OPERANDS] = {NULL};
    if (n->nin > PW_MAX_OPERANDS || n->t.ndim < 2 || !read_by_view(n)) {
        return false;
    }
    for (int k = 0; k < n->nin; k++) {
        Node *in = n->in[k];
        if (!in || in->t.ndim == 0) {
            continue;
        }
        if (!elementwise_is_permutation(in, own) || !tensor_same_size(&in->t, &n->t) ||
            (views > 0 && !permuted_alike(from, own, n->t.ndim) &&
             !any_permutation(c, n, from, own, &differ))) {
            return false;
        }
        memcpy(from, own, sizeof own);
        operand[k] = in->in[0];
        computed |= is_computed(in->in[0]);
        views++;
    }
    if (views == 0 || !computed || is_sorted(from, n->t.ndim)) {
        return false;
    }
    Call call = call_with(n, operand);
    Node *made = rule_op(c, n, &call);
    if (!made || made->t.dtype != n->t.dtype) {
        return false;
    }
    Tensor turned = made->t;
    for (int d = 0; d < n->t.ndim; d++) {
        turned.size[d] = made->t.size[from[d]];
        turned.stride[d] = made->t.stride[from[d]];
    }
    bool same_places =
        memcmp(turned.stride, n->t.stride, sizeof *turned.stride * (size_t)n->t.ndim) == 0;
    return tensor_same_size(&turned, &n->t) && (same_places || read_by_value(n)) &&
           (!differ || fault_triggered(c, FAULT_SH_9)) && use_view(c, n, w, made, &turned);
}
