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

/* Seeded fault AL_5: a class made by x + 0, which is x to the faulty pass. */
typedef struct NoOp {
    int of;     /* the class of x; meaningful if `writes` > 0 */
    int writes; /* how often x was written before, plus 1; 0: the class is not made by x + 0 */
} NoOp;

typedef struct Functionalizer {
    Compile *c;
    Graph *g;
    Node **value; /* by class: the node whose buffer holds what the storage holds now */
    int *writes;  /* by class: how many WRITEs so far */
    /* for seeded faults */
    Node **old; /* the captured graph: the pass is at old[at] */
    int at, n, ncls;
    Node **copied; /* by class: the copy that made it and is taken for its operand, or NULL */
    Node **source; /* ... and that operand, as captured */
    int *merged;   /* by class: the class whose storage it shares */
    NoOp *no_op;   /* by class; NULL unless AL-5 is seeded */
} Functionalizer;

static void functionalize_keep(Graph *g, Node *n) {
    g->node = array_reserve(g->arena, g->node, g->n, &g->capacity, 64, sizeof *g->node);
    g->node[g->n++] = n;
}

/* Seeded fault AL_5: no-ops are removed before writes are. A reader of x + 0 reads x, which may
 * have been written since. Only for an x that is the whole of an input with the strides of the sum.
 */
static void note_no_op(const Functionalizer *f, const Node *n) {
    const Node *x = n->op == OP_add_Scalar && n->nin == 1 ? n->in[0] : NULL;
    if (!f->no_op || !x || n->cls < 0 || x->cls < 0 || x->t.dtype != n->t.dtype ||
        n->call->arg[1].scalar.i != 0 || n->call->arg[1].scalar.f != 0 || x->t.offset != 0 ||
        !tensor_same_layout(&x->t, &n->t) || !tensor_is_dense(&x->t)) {
        return;
    }
    const Node *input = f->value[x->cls];
    if (node_buffer((Node *)x)->kind == NODE_INPUT &&
        tensor_numel(&input->t) == tensor_numel(&n->t)) {
        f->no_op[n->cls] = (NoOp){x->cls, f->writes[x->cls] + 1};
    }
}

/* What the class holds now. */
static Node *value_now(const Functionalizer *f, int cls) {
    const NoOp *made = f->no_op ? &f->no_op[cls] : NULL;
    if (made && made->writes > 0 && f->writes[cls] == 0 &&
        made->writes != f->writes[made->of] + 1 && fault_triggered(f->c, FAULT_AL_5)) {
        return f->value[made->of];
    }
    return f->value[cls];
}

/* What a reader of `n` reads at this point. A VIEW enters the list when it is first read; n->map is
 * valid until the class is written again (n->mark = writes + 1). */
static Node *read_now(Functionalizer *f, Node *n, int sid) {
    if (!n || n->cls < 0) {
        return n;
    }
    Node *value = value_now(f, n->cls), *now = n;
    if (value != f->value[n->cls]) {
        return graph_view(f->g, value, &n->t, sid);
    }
    if (n->map && n->mark == f->writes[n->cls] + 1) {
        return n->map;
    }
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

/* ---- seeded faults ---- */

static void functionalize_track(Functionalizer *f) {
    Arena *arena = f->c->arena;
    f->copied = arena_array(arena, Node *, f->ncls);
    f->source = arena_array(arena, Node *, f->ncls);
    f->merged = arena_array(arena, int, f->ncls);
    for (int i = 0; i < f->ncls; i++) {
        f->merged[i] = i;
    }
}

/* The first WRITE of the captured graph to a class, or NULL. */
static const Node *first_write(const Functionalizer *f, int cls) {
    for (int i = 0; i < f->n; i++) {
        if (f->old[i]->kind == NODE_WRITE && f->old[i]->cls == cls) {
            return f->old[i];
        }
    }
    return NULL;
}

static bool is_returned(const Functionalizer *f, int cls) {
    for (int k = 0; k < f->g->nret; k++) {
        if (f->g->ret[k].cls == cls) {
            return true;
        }
    }
    return false;
}

/* Does a node behind this point, or a return, read the class? */
static bool read_later(const Functionalizer *f, int cls) {
    for (int i = f->at + 1; i < f->n; i++) {
        const Node *n = f->old[i];
        for (int k = n->kind == NODE_WRITE ? 1 : 0; k < n->nin && n->kind != NODE_VIEW; k++) {
            if (n->in[k] && n->in[k]->cls == cls) {
                return true;
            }
        }
    }
    return is_returned(f, cls);
}

/* Is the class a reading of memory as a dtype of another size? */
static bool is_reading(const Functionalizer *f, int cls) {
    const Capture *cap = f->c->capture;
    const Storage *s = cap && cls < cap->ncls ? &cap->cls[cls]->storage : NULL;
    return s && s->whole && dtype_bytes(s->whole->dtype) != dtype_bytes(s->dtype);
}

/* The fault that takes the op for a view of its operand, which is of that class; or computes it
 * late (MU_17). */
static FaultId copy_taken_for_view(const Functionalizer *f, const Node *n, int operand_cls) {
    const Arg *arg = n->call->arg;
    if (fault(f->c, FAULT_MU_17)) {
        return n->call->op->kind == KIND_POINTWISE && n->nin == 1 &&
                       n->call->op->param[0].type == ARG_TENSOR && is_reading(f, operand_cls)
                   ? FAULT_MU_17
                   : FAULT_NONE;
    }
    switch (n->op) {
    case OP_cat:
    case OP_stack:
        return n->nin == 1 ? FAULT_AL_1 : FAULT_NONE;
    case OP_mul_Scalar:
        return arg[1].scalar.kind == CAT_INT && arg[1].scalar.i == 1 ? FAULT_AL_5a : FAULT_NONE;
    case OP_clone:
        return FAULT_AL_6;
    default:
        return FAULT_NONE;
    }
}

/* Seeded faults AL_1, AL_5a, AL_6: an op that only copies is taken for its operand if nobody writes
 * to the result; whether somebody writes to the operand is not asked. */
static void note_copy(Functionalizer *f, Node *n) {
    FaultId by = n->in[0]->cls >= 0 ? copy_taken_for_view(f, n, n->in[0]->cls) : FAULT_NONE;
    if (by != FAULT_NONE && fault(f->c, by) && n->cls >= 0 && n->in[0]->cls != n->cls &&
        n->in[0]->t.dtype == n->t.dtype && !first_write(f, n->cls)) {
        f->copied[n->cls] = n;
        f->source[n->cls] = n->in[0];
    }
}

/* Does the write reach the reading only through its memory? MU_17 is about these. */
static bool written_as_memory(const Node *write) { return write->in[1]->op == OP__bitcast; }

/* ... so that a write to the operand shows in the result, too. Seeded fault MU_17: what is computed
 * from a view with another dtype is not realized before its memory is written. */
static void write_shows_in_copies(Functionalizer *f, const Node *write) {
    int cls = write->cls, sid = write->sid;
    for (int k = 0; k < f->ncls; k++) {
        Node *n = f->copied[k];
        FaultId by = n && f->source[k]->cls == cls ? copy_taken_for_view(f, n, cls) : FAULT_NONE;
        if (by == FAULT_NONE || (by == FAULT_MU_17 && !written_as_memory(write)) ||
            !read_later(f, k) || !fault_triggered(f->c, by)) {
            continue;
        }
        Call call = *n->call;
        Tensor *now = &read_now(f, f->source[k], sid)->t;
        if (call.op->param[0].type == ARG_TENSORS) {
            call.arg[0].tensors.v = arena_copy(f->c->arena, &now, sizeof now);
        } else {
            call.arg[0].tensor = now;
        }
        f->value[k] = graph_op(f->g, &call, &n->t, sid);
        f->writes[k]++;
    }
}

/* Seeded fault NU_14: equal zeros are one value, although index_put_ writes to each of them. */
static bool merges_zeros(Functionalizer *f, Node *n) {
    const Node *write = first_write(f, n->cls);
    if (!fault(f->c, FAULT_NU_14) || n->op != OP_zeros || !write ||
        write->in[1]->op != OP__index_put) {
        return false;
    }
    for (int i = 0; i < f->at; i++) {
        const Node *same = f->old[i];
        const Node *other = same->op == OP_zeros ? first_write(f, same->cls) : NULL;
        if (other && same->cls != n->cls && f->writes[same->cls] == 0 &&
            other->in[1]->op == OP__index_put && same->t.dtype == n->t.dtype &&
            tensor_same_layout(&same->t, &n->t) && fault_triggered(f->c, FAULT_NU_14)) {
            int from = n->cls;
            f->merged[from] = same->cls;
            for (int k = 0; k < f->n; k++) {
                f->old[k]->cls = f->old[k]->cls == from ? same->cls : f->old[k]->cls;
            }
            return true;
        }
    }
    return false;
}

/* Seeded fault NU_15: a write is dead if nobody uses what the in-place op returns, here a view that
 * is not used again. */
static bool seems_dead(const Functionalizer *f, const Node *write) {
    const Node *view = write->in[0], *value = write->in[1];
    if (!fault(f->c, FAULT_NU_15) || view->kind != NODE_VIEW || view->sid < 0 ||
        value->kind != NODE_OP || value->call->op->kind != KIND_POINTWISE || value->nin == 0 ||
        value->in[0] != view) {
        return false;
    }
    for (int i = f->at + 1; i < f->n; i++) {
        for (int k = 0; k < f->old[i]->nin; k++) {
            if (f->old[i]->in[k] == view) {
                return false;
            }
        }
    }
    for (int k = 0; k < f->g->nret; k++) {
        const ReturnPlan *r = &f->g->ret[k];
        if (r->cls == write->cls && tensor_same_layout(&r->layout, &write->t)) {
            return false;
        }
    }
    return fault_triggered(f->c, FAULT_NU_15);
}

/* ---- the walk ---- */

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
    if (f->copied) {
        write_shows_in_copies(f, write);
    }
}

static void functionalize_visit(Functionalizer *f, Node *n) {
    switch (n->kind) {
    case NODE_VIEW:
        if (n->cls >= 0) {
            return; /* enters when it is first read */
        }
        break; /* of a value, not of a storage */
    case NODE_WRITE:
        if (!f->copied || !seems_dead(f, n)) {
            write_now(f, n);
        }
        return;
    case NODE_OP:
        if (f->copied && n->cls >= 0 && merges_zeros(f, n)) {
            return;
        }
        if (f->copied && n->nin > 0 && n->in[0]) {
            note_copy(f, n);
        }
        /* fall through */
    case NODE_CHECK:
        note_no_op(f, n);
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
    if (n->cls >= 0) { /* the class begins, or its memory has grown */
        f->writes[n->cls] += f->value[n->cls] != NULL;
        f->value[n->cls] = n;
    }
}

/* A data-dependent value (a graph without a capture, runtime/data_dependent.c) and a resumed
 * backward have no epilogue: nothing is written back, so nothing may be written in place. */
static void finish_outputs(Functionalizer *f, bool writes_back) {
    Graph *g = f->g;
    for (int k = 0; k < g->nret; k++) {
        int cls = f->merged ? f->merged[g->ret[k].cls] : g->ret[k].cls;
        g->ret[k].value = value_now(f, cls);
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
    Functionalizer f = {.c = c,
                        .g = g,
                        .value = arena_array(c->arena, Node *, ncls),
                        .writes = arena_array(c->arena, int, ncls),
                        .old = old,
                        .n = n,
                        .ncls = ncls};
    if (c->options->fault != FAULT_NONE) {
        functionalize_track(&f);
    }
    f.no_op = fault(c, FAULT_AL_5) ? arena_array(c->arena, NoOp, ncls) : NULL;
    g->capacity = n + 32;
    g->node = arena_alloc_raw(g->arena, (int64_t)sizeof *g->node * g->capacity);
    g->n = 0;
    for (int i = 0; i < n; i++) {
        f.at = i;
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
