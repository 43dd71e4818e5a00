/* The engine: backward over the tape in PyTorch's order (torch/csrc/autograd/engine.cpp).
 *
 *   1. From the roots, count for each reachable node how many edges lead to it.
 *   2. Of the nodes with no edge left, run the one made last (highest sequence number; accumulators before all); what it answers
 *      is added up at its edges' ends, in order of arrival, and those nodes lose an edge each.
 * Terminates: edges lead from later nodes to earlier ones, and every node runs once.
 *
 * A node checks the versions of what it saved even when no gradient arrived, as PyTorch's unpacking does. */
#include "reference/shadow.h"

/* ---- the queue: a binary heap, highest sequence number first ---- */

typedef struct Queue {
    Node **v;
    int n;
} Queue;

static void queue_push(Queue *q, Node *node) {
    int at = q->n++;
    while (at > 0 && q->v[(at - 1) / 2]->sequence < node->sequence) {
        q->v[at] = q->v[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->v[at] = node;
}

static Node *queue_pop(Queue *q) {
    Node *top = q->v[0], *last = q->v[--q->n];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= q->n) {
            break;
        }
        if (child + 1 < q->n && q->v[child + 1]->sequence > q->v[child]->sequence) {
            child++;
        }
        if (q->v[child]->sequence <= last->sequence) {
            break;
        }
        q->v[at] = q->v[child];
        at = child;
    }
    q->v[at] = last;
    return top;
}

/* ---- one node ---- */

/* Errors of saved values: a stale view that may not be remade first (unpacking asks the history), an operand that detach_ cut off
 * (an assertion in SavedVariable::unpack), then the version. */
static ErrCode check_saved(Session *s, const Node *node) {
    for (int i = 0; i < node->nsaved; i++) {
        const Saved *saved = &node->saved[i];
        if (saved->asks) {
            const Node *grad_fn = var_grad_fn(s, var_of(saved->value));
            TRY(s->err->code);
            if (!saved->leaf && !grad_fn) {
                return error_set(s->err, ERR_invalid, "No grad_fn for non-leaf saved tensor");
            }
        }
        int64_t version = saved->value->storage->version;
        if (version != saved->version) {
            return error_set(s->err, ERR_saved_modified, "a value needed by %s's gradient is at version %lld, saved at version %lld",
                             node->call.op->name, (long long)version, (long long)saved->version);
        }
    }
    return ERR_none;
}

/* Rules for ops: out[slot] as the rule leaves it, not yet brought to the operand's size. */
static ErrCode run_op(Session *s, const Node *node, Tensor *const *grad, Tensor **out) {
    TRY(check_saved(s, node));
    bool defined = false, need[MAX_SLOTS];
    for (int i = 0; i < node->ninput; i++) {
        defined |= grad[i] != NULL;
    }
    if (!defined) {
        return ERR_none;
    }
    for (int i = 0; i < node->nnext; i++) {
        need[i] = node->next[i].node != NULL;
    }
    if (node->kind == NODE_ZERO) {
        for (int i = 0; i < node->nnext; i++) {
            out[i] = need[i] ? emit_zeros_like(&s->emit, node->slot[i]) : NULL;
        }
        return s->err->code;
    }
    Grad g = {.e = &s->emit, .call = &node->call, .result = node->result, .nresult = node->ninput, .grad = grad, .need = need, .out = out,
              .nslot = node->nnext};
    node->call.op->grad(&g);
    return s->err->code;
}

/* Refusals of copy_ into a fresh tensor of this geometry. */
static ErrCode refuse_overlap(Session *s, const Tensor *t) {
    return tensor_internal_overlap(t) == OVERLAP_YES
               ? error_set(s->err, ERR_overlap, "more than one element of the written-to tensor refers to a single memory location")
               : ERR_none;
}

static void copy_into(Session *s, const Tensor *to, const Tensor *from) {
    tensor_copy_data(to, from, NULL);
    if (s->shadow) {
        shadow_copy(to, from);
    }
}

/* CopySlices: the base's gradient, with the view's region replaced by what the written op answers for it. */
static ErrCode run_copy_slices(Session *s, const Node *node, Tensor *grad, Tensor **out) {
    if (!grad) {
        return ERR_none;
    }
    Tensor *result = tensor_meta(s, node->base);
    result->offset = 0;
    TRY(refuse_overlap(s, result));
    TRY(tensor_allocate(result, s->arena, s->limits, s->err));
    shadow_allocate(s, result);
    copy_into(s, result, grad);
    int64_t extent;
    Tensor *region = tensor_meta(s, node->view);
    region->offset = node->view->offset - node->base->offset;
    region->storage = result->storage;
    if (region->offset < 0 || !tensor_extent(region, &extent) || extent > result->storage->numel) {
        return error_set(s->err, ERR_invalid, "the written view lies outside of its base's storage");
    }
    Tensor *slice = tensor_meta(s, region);
    tensor_set_contiguous(slice, region->dtype, region->size, region->ndim);
    TRY(tensor_allocate(slice, s->arena, s->limits, s->err));
    shadow_allocate(s, slice);
    copy_into(s, slice, region);
    TRY(run_op(s, node->fn, &slice, out));
    if (out[0] && node->next[0].node) {
        TRY(refuse_overlap(s, region));
        Tensor *cast = emit_cast(&s->emit, out[0], region->dtype);
        TRY(s->err->code);
        copy_into(s, region, cast);
        out[0] = result;
    }
    return ERR_none;
}

static ErrCode run_accumulate(Session *s, Node *node, Tensor *grad) {
    Var *leaf = node->leaf;
    if (!grad) {
        return ERR_none;
    }
    if (var_grad_fn(s, leaf)) {
        return error_set(s->err, ERR_invalid, "leaf variable has been moved into the graph interior");
    }
    TRY(s->err->code);
    if (var_requires_grad(leaf)) {
        leaf->grad = leaf->grad ? emit_add(&s->emit, leaf->grad, grad) : grad;
    }
    return s->err->code;
}

/* A gradient as the node at its edge wants it. Of a leaf whose sizes changed after it was used, PyTorch asks for those of then or of now:
 * as its accumulator lives on in some graph or does not. */
static Tensor *finish(Session *s, Tensor *grad, Edge edge) {
    const Node *node = edge.node;
    if (!node || !grad) {
        return NULL;
    }
    if (node->leaf && node->base && !tensor_same_size(node->base, &node->leaf->tensor) && !s->undefined) {
        s->undefined = "the gradient of a leaf whose sizes changed after it was used";
    }
    return grad_finish(&s->emit, grad, edge_meta(edge));
}

/* Runs `node`; out[i] = gradient for edge i, put right, NULL where undefined. */
static ErrCode node_run(Session *s, Node *node, Tensor **out) {
    switch (node->kind) {
    case NODE_OP:
    case NODE_ZERO: TRY(run_op(s, node, node->grad, out)); break;
    case NODE_COPY_SLICES: TRY(run_copy_slices(s, node, node->grad[0], out)); break;
    case NODE_AS_STRIDED:
        if (node->grad[0]) {
            out[0] = emit_as_strided_grad(&s->emit, node->grad[0], node->base, node->view);
        }
        break;
    case NODE_ACCUMULATE: TRY(run_accumulate(s, node, node->grad[0])); break;
    }
    for (int i = 0; i < node->nnext; i++) {
        out[i] = finish(s, out[i], node->next[i]);
    }
    return s->err->code;
}

/* ---- the walk ---- */

static void node_meet(Session *s, Node *node, Node **stack, int *depth) {
    if (node->visit != s->visit) {
        node->visit = s->visit;
        node->dependencies = 0;
        node->grad = arena_array(s->arena, Tensor *, node->ninput);
        stack[(*depth)++] = node;
    }
    node->dependencies++;
}

static ErrCode node_receive(Session *s, Edge edge, Tensor *grad, Queue *ready) {
    Node *node = edge.node;
    if (grad) {
        Tensor **at = &node->grad[edge.nr];
        *at = *at ? emit_add(&s->emit, *at, grad) : grad;
    }
    if (--node->dependencies == 0) {
        queue_push(ready, node);
    }
    return s->err->code;
}

ErrCode engine_run(Session *s, const Edge *roots, Tensor *const *tangents, int nroots) {
    s->visit++;
    int capacity = (int)s->sequence + 1, depth = 0; /* every node has taken a number */
    Node **stack = arena_array(s->arena, Node *, capacity);
    Queue ready = {arena_array(s->arena, Node *, capacity), 0};
    for (int k = 0; k < nroots; k++) {
        node_meet(s, roots[k].node, stack, &depth);
    }
    while (depth > 0) {
        Node *node = stack[--depth];
        for (int i = 0; i < node->nnext; i++) {
            if (node->next[i].node) {
                node_meet(s, node->next[i].node, stack, &depth);
            }
        }
    }
    for (int k = 0; k < nroots; k++) {
        TRY(node_receive(s, roots[k], finish(s, tangents[k], roots[k]), &ready));
    }
    while (ready.n > 0) {
        Node *node = queue_pop(&ready);
        Tensor *out[MAX_SLOTS];
        for (int i = 0; i < node->nnext; i++) {
            out[i] = NULL;
        }
        TRY(node_run(s, node, out));
        for (int i = 0; i < node->nnext; i++) {
            if (node->next[i].node) {
                TRY(node_receive(s, node->next[i], out[i], &ready));
            }
        }
    }
    return ERR_none;
}
