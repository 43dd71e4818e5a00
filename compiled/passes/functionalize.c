/* functionalize: a graph of reads and writes of storages becomes one of values.
 *
 * Before, a node on an alias class means "the storage at this point of the order": the class's own
 * node, or a VIEW of it. The pass walks the nodes in order and keeps the current value of each
 * class. A WRITE makes a new one: a STORE of the slice into the value before, or the written value
 * itself where it is the whole buffer in the same layout. Every read becomes a VIEW of the value
 * that is current at that point. At the end an input storage's current value is its write-back, and
 * a return refers to its storage's current value.
 *
 * Operands are replaced in the nodes, so that the tape, which points to OP nodes, finds in them the
 * values that the ops saw. */
#include "compiled/capture/capture.h"
#include "compiled/passes/passes.h"
#include "tensor/array.h"

#include <string.h>

typedef struct Functionalizer {
    Compile *c;
    Graph *g;
    Node **value; /* by class: the node whose buffer holds what the storage holds now */
    int *writes;  /* by class: how many WRITEs so far */
} Functionalizer;

static void functionalize_keep(Graph *g, Node *n) {
    g->node = array_reserve(g->arena, g->node, g->n, &g->capacity, 64, sizeof *g->node);
    g->node[g->n++] = n;
}

/* What a reader of `n` reads at this point. A VIEW enters the list when it is first read; n->map is
 * valid until the class is written again (n->mark = writes + 1). */
static Node *read_now(Functionalizer *f, Node *n, int sid) {
    if (!n || n->cls < 0) {
        return n;
    }
    if (n->map && n->mark == f->writes[n->cls] + 1) {
        return n->map;
    }
    Node *value = f->value[n->cls], *now = n;
    if (n->kind == NODE_VIEW && value == n->in[0]) {
        functionalize_keep(f->g, n);
    } else if (n != value) {
        now = graph_view(f->g, value, &n->t, sid);
    }
    n->map = now;
    n->mark = f->writes[n->cls] + 1;
    return now;
}

/* Is `value` (a buffer of its own) all of `slice` in a buffer of `numel` elements, address by
 * address? */
static bool is_whole(const Node *value, const Tensor *slice, int64_t numel) {
    if (value->kind != NODE_OP || value->t.dtype != slice->dtype || slice->offset != 0 ||
        tensor_numel(slice) != numel || !tensor_is_dense(slice)) {
        return false;
    }
    for (int d = 0; d < slice->ndim; d++) {
        if (slice->size[d] != 1 && value->t.stride[d] != slice->stride[d]) {
            return false;
        }
    }
    return true;
}

static int64_t functionalize_buffer_numel(const Node *n) {
    int64_t extent = 0;
    CHECK(tensor_extent(&n->t, &extent));
    return extent;
}

static Node *flat_zeros(Functionalizer *f, const Node *like, int sid) {
    Call call = call_new(OP_zeros);
    int64_t numel = functionalize_buffer_numel(like);
    call.arg[0].ints.v = arena_copy(f->c->arena, &numel, sizeof numel);
    call.arg[0].ints.n = 1;
    call.arg[1].none = false;
    call.arg[1].dtype = like->t.dtype;
    Tensor meta;
    tensor_set_contiguous(&meta, like->t.dtype, &numel, 1);
    return graph_op(f->g, &call, &meta, sid);
}

static void write_now(Functionalizer *f, const Node *write) {
    int cls = write->cls;
    Node *base = f->value[cls], *value = read_now(f, write->in[1], write->sid);
    if (is_whole(value, &write->t, functionalize_buffer_numel(base))) {
        f->value[cls] = value;
    } else {
        if (fault(f->c, FAULT_MU_7) && !tensor_is_dense(&write->t) &&
            fault_triggered(f->c, FAULT_MU_7)) {
            base = flat_zeros(f, base, write->sid);
        }
        f->value[cls] = graph_store(f->g, base, value, &write->t, write->sid);
    }
    f->writes[cls]++;
}

static void functionalize_visit(Functionalizer *f, Node *n) {
    switch (n->kind) {
    case NODE_VIEW:
        if (n->cls >= 0) {
            return; /* enters when it is first read */
        }
        break; /* of a value, not of a storage */
    case NODE_WRITE:
        write_now(f, n);
        return;
    case NODE_OP:
    case NODE_CHECK:
        for (int k = 0; k < n->nin; k++) {
            n->in[k] = read_now(f, n->in[k], n->sid);
        }
        if (n->kind == NODE_OP) {
            node_sync_call(n);
        }
        break;
    case NODE_INPUT:
    case NODE_TANGENT:
    case NODE_STORE:
        break;
    }
    functionalize_keep(f->g, n);
    if (n->cls >= 0) {
        f->value[n->cls] = n;
    }
}

/* A data-dependent value (a graph without a capture, runtime/data_dependent.c) and a resumed
 * backward have no epilogue: nothing is written back, so nothing may be written in place. */
static void finish_outputs(Functionalizer *f, bool writes_back) {
    Graph *g = f->g;
    for (int k = 0; k < g->nret; k++) {
        g->ret[k].value = f->value[g->ret[k].cls];
    }
    for (int s = 0; s < g->ninputs; s++) {
        Node *now = f->value[g->input[s]->cls];
        g->written[s] = now == g->input[s] || !writes_back ? NULL : now;
    }
}

bool pass_functionalize(Compile *c) {
    Graph *g = c->graph;
    Node **old = g->node;
    int n = g->n, ncls = 0;
    for (int i = 0; i < n; i++) {
        old[i]->map = NULL;
        old[i]->mark = 0;
        ncls = old[i]->cls >= ncls ? old[i]->cls + 1 : ncls;
    }
    Functionalizer f = {c, g, arena_array(c->arena, Node *, ncls),
                        arena_array(c->arena, int, ncls)};
    g->capacity = n + 32;
    g->node = arena_alloc_raw(g->arena, (int64_t)sizeof *g->node * g->capacity);
    g->n = 0;
    for (int i = 0; i < n; i++) {
        functionalize_visit(&f, old[i]);
    }
    finish_outputs(&f, c->capture != NULL && !c->capture->in.resumed);
    for (int i = 0; i < n; i++) {
        old[i]->map = NULL;
        old[i]->cls = -1;
    }
    for (int i = 0; i < g->n; i++) {
        g->node[i]->map = NULL;
        g->node[i]->mark = 0;
        g->node[i]->cls = -1;
    }
    return true;
}
