/* The order of a backward over the static tape, as in torch/csrc/autograd/engine.cpp: the graph's
 * (passes/joint.c) and those inside the program (capture/grad.c).
 *
 *   1. From the roots, count the edges into every node; with inputs, find the nodes that lead to
 *      one of them.
 *   2. A node is ready when all edges into it have delivered; the ready node with the highest
 *      sequence number runs first. Gradients at one output are added in order of arrival. NULL is
 *      an undefined gradient, which is not zeros: it is passed on, and what no gradient reaches
 *      stays None. */
#include "compiled/capture/capture.h"
#include "program/ops/missing.h"
#include "tensor/array.h"

#include <limits.h>

/* ---- the heap ---- */

static void backward_push_ready(BackwardEngine *x, GradNode *node) {
    x->ready =
        array_reserve(x->emit->arena, x->ready, x->nready, &x->capacity, 32, sizeof *x->ready);
    int at = x->nready++;
    while (at > 0 && x->ready[(at - 1) / 2]->sequence_nr < node->sequence_nr) {
        x->ready[at] = x->ready[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    x->ready[at] = node;
}

static GradNode *backward_pop_ready(BackwardEngine *x) {
    GradNode *top = x->ready[0], *last = x->ready[--x->nready];
    int at = 0;
    for (int child = 1; child < x->nready; child = 2 * at + 1) {
        if (child + 1 < x->nready &&
            x->ready[child + 1]->sequence_nr > x->ready[child]->sequence_nr) {
            child++;
        }
        if (x->ready[child]->sequence_nr <= last->sequence_nr) {
            break;
        }
        x->ready[at] = x->ready[child];
        at = child;
    }
    x->ready[at] = last;
    return top;
}

/* ---- the survey ---- */

/* A path from a root, as a stack: the node and the edge to follow next. */
typedef struct BackwardPath {
    struct {
        GradNode *node;
        int next;
    } * v;
    int n, capacity;
} BackwardPath;

static void backward_visit(BackwardEngine *x, GradNode *node, BackwardPath *path) {
    if (node->visit == x->visit) {
        node->dependencies++;
        return;
    }
    node->visit = x->visit;
    node->topological_nr = node->external_topological_nr;
    node->prev_visited = x->visited;
    x->visited = node;
    node->dependencies = 1;
    node->needed = node->receiving = false;
    node->owned = NULL;
    node->grad = arena_array(x->emit->arena, Tensor *, node->nout);
    path->v = array_reserve(x->emit->arena, path->v, path->n, &path->capacity, 32, sizeof *path->v);
    path->v[path->n].node = node;
    path->v[path->n++].next = 0;
}

bool backward_wants(const BackwardEngine *x, Edge edge) {
    const GradNode *to = edge.node;
    return to &&
           (x->ninputs == 0 || (to->visit == x->visit && (to->needed || to->captured == x->visit)));
}

static void backward_survey(BackwardEngine *x, GradNode *root, BackwardPath *path) {
    backward_visit(x, root, path);
    while (path->n > 0) {
        GradNode *node = path->v[path->n - 1].node;
        int next = path->v[path->n - 1].next++;
        if (next < node->nslot) {
            if (node->next_edges[next].node) {
                backward_visit(x, node->next_edges[next].node, path);
            }
            continue;
        }
        for (int i = 0; i < node->nslot && x->ninputs > 0; i++) {
            const GradNode *to = node->next_edges[i].node;
            node->needed |= backward_wants(x, node->next_edges[i]);
            node->topological_nr = to && to->topological_nr >= node->topological_nr
                                       ? to->topological_nr + 1
                                       : node->topological_nr;
        }
        path->n--;
    }
}

int backward_topological_nr(Capture *cap, GradNode *node) {
    BackwardPath path = {0};
    const Edge none = {NULL, 0};
    BackwardEngine x = {.emit = &cap->emit, .visit = ++cap->visits, .inputs = &none, .ninputs = 1};
    backward_survey(&x, node, &path);
    return node->topological_nr;
}

/* Edges of nodes that are topologically below all inputs are not counted (topological_nr in
 * torch/csrc/autograd/engine.cpp). */
static void backward_exclude_nodes_below_inputs(const BackwardEngine *x) {
    int least = INT_MAX;
    for (int k = 0; k < x->ninputs; k++) {
        const GradNode *input = x->inputs[k].node;
        int topological_nr = input && input->visit == x->visit ? input->topological_nr : 0;
        least = topological_nr < least ? topological_nr : least;
    }
    for (GradNode *node = x->visited; node; node = node->prev_visited) {
        for (int i = 0; i < node->nslot && node->topological_nr < least; i++) {
            if (node->next_edges[i].node) {
                node->next_edges[i].node->dependencies--;
            }
        }
    }
}

/* ---- the walk ---- */

/* `only_root`: the walk starts at this one node, also if no input lies behind it. `owned`: nobody
 * else holds the gradient. */
static void backward_receive(BackwardEngine *x, Edge edge, Tensor *grad, bool only_root,
                             bool owned) {
    GradNode *to = edge.node;
    if (!to) {
        return;
    }
    if (to->dependencies == 0) { /* from a node whose edges did not count */
        error_set(x->emit->err, ERR_invalid, "dependency not found");
        x->missing_dependency = to;
        return;
    }
    bool last = --to->dependencies == 0;
    if (!to->receiving && !only_root && !backward_wants(x, edge)) {
        return;
    }
    x->waiting += to->receiving ? -last : !last;
    to->receiving = true;
    Tensor **slot = &to->grad[edge.nr];
    if (*slot && grad) {
        *slot = emit_accumulate(x->emit, *slot, grad, *slot == to->owned);
    } else if (grad) {
        *slot = grad;
        to->owned = owned ? grad : to->owned;
    }
    if (last) {
        backward_push_ready(x, to);
    }
}

void backward_deliver(BackwardEngine *x, Edge edge, Tensor *grad, bool owned) {
    backward_receive(x, edge, grad, false, owned);
}

void backward_run(BackwardEngine *x, const Edge *root, Tensor *const *tangent, int nroots) {
    BackwardPath path = {0};
    for (int k = 0; k < x->ninputs; k++) {
        GradNode *node = x->inputs[k].node;
        for (GradNode *half = node; half;
             half = half->other_half == node ? NULL : half->other_half) {
            half->captured = x->visit; /* the walk looks for the node, not for its output */
        }
    }
    for (int i = 0; i < nroots; i++) {
        backward_survey(x, root[i].node, &path);
    }
    if (x->ninputs > 0) {
        backward_exclude_nodes_below_inputs(x);
    }
    for (int i = 0; i < nroots; i++) {
        backward_receive(x, root[i], tangent[i], nroots == 1, false);
    }
    while (x->nready > 0 && x->emit->err->code == ERR_none) {
        GradNode *node = backward_pop_ready(x);
        bool runs = x->ninputs == 0 || node->needed;
        node->ran = x->visit;
        if (!runs) {
            x->before_capture(x, node);
        }
        for (int k = 0; k < x->ninputs; k++) {
            if (x->inputs[k].node == node) {
                x->captured[k] = node->grad[x->inputs[k].nr];
            }
        }
        if (runs) {
            x->run(x, node);
        } else {
            x->capture(x, node);
        }
    }
    if (x->waiting >
        0) { /* a node that only a CopySlices needs may depend on nodes that do not run */
        error_set(x->emit->err, ERR_invalid, "could not compute gradients for some functions");
    }
}

ErrCode backward_check_resumed(Edge edge, const Tensor *grad, Error *err) {
    const Tensor *meta = grad && edge.node ? cap_edge_meta(edge) : NULL;
    return !meta || tensor_same_size(meta, grad)
               ? ERR_none
               : error_set(err, ERR_unsupported, "the gradient of a leaf that had another size");
}

Edge backward_resumed_edge(const Capture *cap, const ResumedRoot *root) {
    switch (root->kind) {
    case ROOT_ACCUMULATE_GRAD:
        return (Edge){cap->live[root->number]->accumulator, 0};
    case ROOT_EXTERNAL:
        return (Edge){cap->external[root->number], 0};
    case ROOT_TAPE:
        break;
    }
    GradNode *node = cap->tape;
    while (node && node->number != root->number) {
        node = node->older;
    }
    return (Edge){node, root->nr};
}

ErrCode backward_refuse_root(const Capture *cap, Error *err) {
    return cap->err.code == ERR_unsupported
               ? error_set(err, ERR_unsupported, "%s", cap->err.text)
               : error_set(err, ERR_internal, "the region captured again has another tape");
}

bool backward_hides_pass(const Capture *cap, const GradNode *node) {
    const Call *call = node->call ? node->call : node->node ? node->node->call : NULL;
    if (!call || !cap->sees_grads || !node->grad[0]) {
        return false;
    }
    switch (call->op->id) {
    case OP__take_scan: /* cummax, cummin: of no elements, the operand */
        return tensor_numel(call->arg[0].tensor) == 0;
    case OP_prod:
    case OP_prod_dim: /* of one element each, where one is 0 */
        return tensor_numel(call->arg[0].tensor) == tensor_numel(node->grad[0]);
    default:
        return false;
    }
}

ErrCode backward_external(const Capture *cap, const GradNode *node, int *entry, Error *err) {
    int i = 0;
    while (cap->external[i] != node) {
        i++;
    }
    *entry = i;
    bool waits = cap->in.resumed && cap->in.resumed->earlier_roots;
    return cap->in.entry[i].refuses_at_once && !waits
               ? derivative_missing(cap->in.entry[i].refuses, err)
               : ERR_none;
}

void backward_settle_error(const Capture *cap, int64_t visit, Error *err) {
    for (int i = 0; i < cap->in.n && err->code != ERR_none && err->code != ERR_unsupported; i++) {
        const EntryTensor *entry = &cap->in.entry[i];
        if (entry->refuses && !entry->refuses_at_once && cap->external[i] &&
            cap->external[i]->visit == visit) {
            *err = (Error){0};
            error_set(err, ERR_unsupported,
                      "an error beside %s, which has no derivative, in an earlier region",
                      entry->refuses->name);
        }
    }
}

/* ---- what a node saved ---- */

ErrCode backward_grad_fn(Capture *cap, Var *v, Error *err) {
    ErrCode code = cap_grad_fn(cap, v);
    if (code != ERR_none && err != cap->emit.err) {
        error_set(err, code, "%s", cap->err.text);
        cap->err = (Error){0};
    }
    return code;
}

/* Seeded fault ER_10: mm saves its operands transposed, and the view of an argument is saved as raw
 * memory, without the argument's version. */
static bool is_unversioned(const Capture *cap, const GradNode *node, const SavedVariable *saved) {
    return fault(cap->c, FAULT_ER_10) && node->kind == GRAD_NODE_OP && node->node &&
           node->node->op == OP_mm && saved->operand && saved->operand->entry >= 0 &&
           fault_triggered(cap->c, FAULT_ER_10);
}

/* Seeded fault ER_24: a region is one node, which its first backward frees, unbind and split as
 * well, although they save nothing. */
static bool is_freed_with_region(const Capture *cap, const GradNode *node) {
    return fault(cap->c, FAULT_ER_24) && node->call && node->call->op->kind == KIND_MULTI_VIEW &&
           fault_triggered(cap->c, FAULT_ER_24);
}

/* Seeded fault ER_11: an error because of what the node has saved is the fault's, as mean saves
 * nothing. */
static void note_saved_for_sizes(const Capture *cap, const GradNode *node) {
    if (fault(cap->c, FAULT_ER_11) && node->node && node->node->op == OP_mean_dim &&
        node->nsaved > 0) {
        (void)fault_triggered(cap->c, FAULT_ER_11);
    }
}

ErrCode backward_check_value(Capture *cap, const GradNode *node, const SavedVariable *saved,
                             Error *err) {
    if (saved->operand) {
        TRY(backward_grad_fn(cap, saved->operand, err));
        if (!saved->was_leaf && !saved->operand->grad_fn.node) {
            return error_set(err, ERR_invalid, "a saved operand has lost its history");
        }
    }
    if (*storage_version(saved->storage) == saved->version || is_unversioned(cap, node, saved)) {
        return ERR_none;
    }
    note_saved_for_sizes(cap, node);
    return error_set(err, ERR_saved_modified,
                     "a variable needed for gradient computation is at version %lld; expected "
                     "version %lld",
                     (long long)*storage_version(saved->storage), (long long)saved->version);
}

bool backward_reads_uncounted(const GradNode *node) {
    for (int i = 0; i < node->nsaved; i++) {
        const SavedVariable *saved = &node->saved[i];
        if (storage_whole(saved->storage)->writes != saved->writes &&
            *storage_version(saved->storage) == saved->version) {
            return true;
        }
    }
    return false;
}

bool backward_leaf_waits(const Capture *cap, int64_t visit, const Var *leaf) {
    for (int j = 0; j < cap->in.n && leaf->entry >= 0; j++) {
        if (cap->external[j] && cap->external[j]->visit == visit &&
            (j >= REACHED_BY_MOST || (cap->in.entry[leaf->entry].reached_by >> j & 1))) {
            return true;
        }
    }
    return false;
}

/* Do the derivative's ops read indices without a check of their own, because the op has checked
 * them? */
static bool derivative_trusts_indices(const GradNode *node) {
    const Call *call = node->call ? node->call : node->node ? node->node->call : NULL;
    ValueChecks checks = call ? call->op->value_checks : VALUE_CHECK_NONE;
    return checks == VALUE_CHECK_CLASSES || checks == VALUE_CHECK_ROWS ||
           checks == VALUE_CHECK_BAGS;
}

ErrCode backward_check_saved(Capture *cap, const GradNode *node, Error *err) {
    if (node->freed || (node->other_half_freed && node->other_half_freed != node->visit)) {
        bool need[MAX_SLOTS];
        if (node->nsaved > 0 || is_freed_with_region(cap, node) ||
            op_saves_anything(node->call ? node->call : node->node->call,
                              cap_edges_needed(node, need), node->in_formula)) {
            note_saved_for_sizes(cap, node);
            return error_set(err, ERR_graph_freed,
                             "trying to backward through the graph a second time");
        }
    }
    for (int i = 0; i < node->nsaved && !node->checkpoint; i++) {
        TRY(backward_check_value(cap, node, &node->saved[i], err));
    }
    cap->reads_uncounted = backward_reads_uncounted(node);
    /* a resumed region has no graph of what later regions wrote */
    return cap->reads_uncounted && (cap->in.resumed || derivative_trusts_indices(node))
               ? error_set(err, ERR_unsupported, UNCOUNTED)
               : ERR_none;
}

ErrCode backward_check_recomputed(Capture *cap, const GradNode *node, const GradNode *copy,
                                  Error *err) {
    bool written = false;
    for (int i = 0; i < copy->nsaved; i++) {
        written |= storage_whole(copy->saved[i].storage)->writes != copy->saved[i].writes;
    }
    cap->reads_uncounted |= written;
    return written && derivative_trusts_indices(node) ? error_set(err, ERR_unsupported, UNCOUNTED)
                                                      : ERR_none;
}
