/* The order of a backward over the static tape, as torch/csrc/autograd/engine.cpp has it: the
 * graph's (joint.c) and those inside the program (capture/grad.c).
 *
 *   1. From the roots, count the edges into every node; with inputs, find the nodes that lead to
 *      one of them.
 *   2. A node is ready when all edges into it have delivered; the ready node with the highest
 *      sequence number runs first. Gradients that meet are added in order of arrival. NULL is an
 *      undefined gradient, which is not zeros: it is passed on, and what nobody reaches stays
 *      None. */
#include "compiled/capture/capture.h"

#include <limits.h>
#include <string.h>

/* ---- the heap ---- */

static void push_ready(BackwardEngine *x, GradNode *node) {
    if (x->nready == x->capacity) {
        int capacity = x->capacity ? x->capacity * 2 : 32;
        GradNode **grown = arena_array(x->e->arena, GradNode *, capacity);
        for (int i = 0; i < x->nready; i++) {
            grown[i] = x->ready[i];
        }
        x->ready = grown;
        x->capacity = capacity;
    }
    int at = x->nready++;
    while (at > 0 && x->ready[(at - 1) / 2]->sequence_nr < node->sequence_nr) {
        x->ready[at] = x->ready[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    x->ready[at] = node;
}

static GradNode *pop_ready(BackwardEngine *x) {
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
typedef struct Path {
    struct {
        GradNode *node;
        int next;
    } * v;
    int n, capacity;
} Path;

static void backward_meet(BackwardEngine *x, GradNode *node, Path *path) {
    if (node->walk == x->walk) {
        node->waits++;
        return;
    }
    node->walk = x->walk;
    node->topological_nr = node->beyond;
    node->met = x->met;
    x->met = node;
    node->waits = 1;
    node->needed = node->receiving = false;
    node->grad = arena_array(x->e->arena, Tensor *, node->nout);
    if (path->n == path->capacity) {
        int capacity = path->capacity ? path->capacity * 2 : 32;
        void *grown = arena_alloc_raw(x->e->arena, (int64_t)sizeof *path->v * capacity);
        if (path->n > 0) {
            memcpy(grown, path->v, sizeof *path->v * (size_t)path->n);
        }
        path->v = grown;
        path->capacity = capacity;
    }
    path->v[path->n].node = node;
    path->v[path->n++].next = 0;
}

bool tape_wants(const BackwardEngine *x, Edge edge) {
    const GradNode *to = edge.to;
    return to &&
           (x->ninputs == 0 || (to->walk == x->walk && (to->needed || to->captured == x->walk)));
}

static void backward_survey(BackwardEngine *x, GradNode *root, Path *path) {
    backward_meet(x, root, path);
    while (path->n > 0) {
        GradNode *node = path->v[path->n - 1].node;
        int next = path->v[path->n - 1].next++;
        if (next < node->nslot) {
            if (node->next[next].to) {
                backward_meet(x, node->next[next].to, path);
            }
            continue;
        }
        for (int i = 0; i < node->nslot && x->ninputs > 0; i++) {
            const GradNode *to = node->next[i].to;
            node->needed |= tape_wants(x, node->next[i]);
            node->topological_nr = to && to->topological_nr >= node->topological_nr
                                       ? to->topological_nr + 1
                                       : node->topological_nr;
        }
        path->n--;
    }
}

int topological_nr_of(Capture *cap, GradNode *node) {
    Path path = {0};
    const Edge none = {NULL, 0};
    BackwardEngine x = {.e = &cap->emit, .walk = ++cap->walks, .inputs = &none, .ninputs = 1};
    backward_survey(&x, node, &path);
    return node->topological_nr;
}

/* Edges of nodes that lie below all inputs do not count (topological_nr in
 * torch/csrc/autograd/engine.cpp). */
static void backward_exclude_nodes_below_inputs(const BackwardEngine *x) {
    int least = INT_MAX;
    for (int k = 0; k < x->ninputs; k++) {
        const GradNode *input = x->inputs[k].to;
        int topological_nr = input && input->walk == x->walk ? input->topological_nr : 0;
        least = topological_nr < least ? topological_nr : least;
    }
    for (GradNode *node = x->met; node; node = node->met) {
        for (int i = 0; i < node->nslot && node->topological_nr < least; i++) {
            if (node->next[i].to) {
                node->next[i].to->waits--;
            }
        }
    }
}

/* ---- the walk ---- */

void tape_deliver(BackwardEngine *x, Edge edge, Tensor *grad) {
    GradNode *to = edge.to;
    if (!to) {
        return;
    }
    if (to->waits == 0) { /* from a node whose edges did not count */
        error_set(x->e->err, ERR_invalid, "dependency not found");
        x->lost = to;
        return;
    }
    bool last = --to->waits == 0;
    if (!to->receiving && !tape_wants(x, edge)) {
        return;
    }
    x->waiting += to->receiving ? -last : !last;
    to->receiving = true;
    Tensor **slot = &to->grad[edge.nr];
    *slot = *slot && grad ? emit_add(x->e, *slot, grad) : grad ? grad : *slot;
    if (last) {
        push_ready(x, to);
    }
}

void tape_backward(BackwardEngine *x, const Edge *root, Tensor *const *tangent, int nroots) {
    Path path = {0};
    for (int k = 0; k < x->ninputs; k++) {
        if (x->inputs[k].to) {
            x->inputs[k].to->captured = x->walk;
        }
    }
    for (int i = 0; i < nroots; i++) {
        backward_survey(x, root[i].to, &path);
    }
    if (x->ninputs > 0) {
        backward_exclude_nodes_below_inputs(x);
    }
    for (int i = 0; i < nroots; i++) {
        tape_deliver(x, root[i], tangent[i]);
    }
    while (x->nready > 0 && x->e->err->code == ERR_none) {
        GradNode *node = pop_ready(x);
        for (int k = 0; k < x->ninputs; k++) {
            if (x->inputs[k].to == node) {
                x->captured[k] = node->grad[x->inputs[k].nr];
            }
        }
        if (x->ninputs == 0 || node->needed) {
            x->run(x, node);
        }
    }
    if (x->waiting > 0) { /* what only a CopySlices wanted may wait for nodes that nobody needs */
        error_set(x->e->err, ERR_invalid, "could not compute gradients for some functions");
    }
}

/* ---- what a node saved ---- */

ErrCode tape_ask(Capture *cap, Var *v, Error *err) {
    ErrCode code = cap_ask(cap, v, NULL);
    if (code != ERR_none && err != cap->emit.err) {
        error_set(err, code, "%s", cap->err.text);
        cap->err = (Error){0};
    }
    return code;
}

ErrCode tape_check(Capture *cap, const GradNode *node, Error *err) {
    if (node->freed) {
        bool need[MAX_SLOTS];
        if (op_saves_anything(node->call ? node->call : node->node->call, tape_needs(node, need))) {
            return error_set(err, ERR_graph_freed,
                             "trying to backward through the graph a second time");
        }
    }
    for (int i = 0; i < node->nsaved; i++) {
        const SavedVariable *saved = &node->saved[i];
        if (saved->operand) {
            TRY(tape_ask(cap, saved->operand, err));
            if (!saved->leaf && !saved->operand->history.to) {
                return error_set(err, ERR_invalid, "a saved operand has lost its history");
            }
        }
        if (saved->cls->storage.version != saved->version) {
            return error_set(err, ERR_saved_modified,
                             "a variable needed for gradient computation is at version %lld; "
                             "expected version %lld",
                             (long long)saved->cls->storage.version, (long long)saved->version);
        }
    }
    return ERR_none;
}
