/* Forward and backward: which values are saved between them, and which are recomputed.
 *
 * As functorch's min_cut_rematerialization_partition (torch/_functorch/partitioners.py), on the
 * joint graph:
 *
 *   1. The forward is what returns, write-backs and CHECKs need; the backward is what depends on a
 *      tangent, gradients, and products, reductions and similar costly nodes that only the
 *      backward uses. Moves and elementwise nodes that only the backward uses, but that depend on
 *      no tangent, may be on either side.
 *   2. A node is an edge of a network from the inputs to the backward; its capacity is its size in
 *      bytes. Moves and elementwise nodes may be recomputed if the value can be a register where it
 *      is read. The other nodes of the forward (inputs, products, reductions, scatters) are
 *      connected to the source, so that the cut is after them. A VIEW is only addressing and cannot
 *      be saved. What lives to the end anyway costs nothing, nor does an input, unless it is
 *      written: a read by the backward would prevent the write in place.
 *   3. The values on the minimum cut nearest to the backward are saved: among equal cuts it
 *      recomputes least. A value that only the backward uses is computed by the forward if the cut
 *      is after it (a mask is smaller than its operands). What is beyond the cut is recomputed for
 *      each reader in the backward, right before it, so that both are in one loop nest and the
 *      value is a register. If a nest would compute a value twice, passes/fuse.c merges the two.
 *
 * An input keeps its value until the epilogue, so the backward reads what the forward read (except
 * with fault GR-12).
 *
 * A random op may be recomputed as well: its number says what it draws.
 *
 * No choice changes a value: a refused step leaves a value saved, or where it was. Needs the
 * final set of nodes (a CSE after it would undo it); keeps SSA and the order of CHECKs; sets
 * `recomputes`. */
#include "compiled/loops/lower.h"
#include "compiled/passes/mincut.h"
#include "compiled/passes/passes.h"
#include "compiled/rules/rules.h"
#include "tensor/array.h"

#include <string.h>

enum {
    FORWARD = 1,  /* returns, write-backs or CHECKs need it; later: it is in the forward */
    BACKWARD = 2, /* the backward's own: depends on a tangent, or is costly, or a gradient, and the
                     forward does not need it */
    NEEDED = 4,   /* the backward needs it, and it depends on no tangent */
    FREE = 8,     /* its memory lives to the end in any case */
    BEYOND = 16,  /* after the cut */
    SAVED = 32,   /* on the cut */
    EARLY = 64,   /* is in the forward */
    WANTED = 128, /* something in the backward reads it; while the sides are determined: depends on
                     a tangent */
    RECOMPUTED = 256,
    APPENDED = 512,
    COUNTED = 1024 /* counted as saved */
};

/* Seeded fault GR_30: numbers of the stream that the forward has not drawn. */
enum { DRAWN_AGAIN = 1 << 20 };

/* The last copy made of a node of the forward, and the reader it was made for. */
typedef struct Twin {
    Node *node;
    int reader;
} Twin;

typedef struct Partition {
    Compile *c;
    Graph *g;
    int n;      /* nodes before */
    int *flags; /* by index; a node's `mark` is its index */
    Twin *twin; /* by index */
    int reader; /* index of the node of the backward that is being scheduled */
    int budget; /* copies that may still be made for a single reader; then readers share them */
    Node **out; /* the new order */
    int nout, capacity;
    int64_t saved, bytes;
} Partition;

static int *flags_of(const Partition *p, const Node *n) { return &p->flags[n->mark]; }

static void add_flag(const Partition *p, const Node *n, int flag) {
    if (n) {
        *flags_of(p, n) |= flag;
    }
}

/* ---- the two sides ---- */

static void flag_outputs(const Partition *p) {
    const Graph *g = p->g;
    for (int i = 0; i < g->nret; i++) {
        if (!g->ret[i].aliases_input) {
            add_flag(p, g->ret[i].value, FORWARD | FREE);
        }
        add_flag(p, g->ret[i].before, FORWARD | FREE);
        add_flag(p, g->ret[i].grad, BACKWARD | FREE);
    }
    for (int i = 0; i < g->ninp; i++) {
        add_flag(p, g->inp[i].grad, BACKWARD | FREE);
    }
    for (int k = 0; g->written && k < g->ninputs; k++) {
        add_flag(p, g->written[k], FORWARD | FREE);
    }
}

/* Seeded fault GR_16: a gradient that depends on no tangent is assigned to the forward, whose
 * outputs do not include gradients. */
static void lose_constant_gradients(const Partition *p) {
    Graph *g = p->g;
    for (int i = 0; i < g->ninp; i++) {
        InputPlan *plan = &g->inp[i];
        if (plan->grad && !(*flags_of(p, plan->grad) & WANTED)) {
            (void)fault_triggered(p->c, FAULT_GR_16);
            plan->grad = NULL;
            plan->grad_state = GRAD_ABSENT;
        }
    }
}

static bool may_be_repeated(const Node *n) {
    switch (lower_class(n)) {
    case LOWER_POINTWISE:
    case LOWER_COPY:
    case LOWER_SPLAT:
    case LOWER_FLIP:
    case LOWER_TRIANGLE:
    case LOWER_INDEX:
    case LOWER_GATHER:
    case LOWER_INDEX_SELECT:
        return true;
    default:
        return n->kind == NODE_VIEW || (n->kind == NODE_OP && n->call->op->random);
    }
}

/* False if the forward depends on a tangent: then there is nothing to divide. */
static bool partition_divide(const Partition *p) {
    bool tangents = false;
    for (int i = 0; i < p->n; i++) { /* CHECKs of the backward are its own */
        const Node *n = p->g->node[i];
        bool depends = n->kind == NODE_TANGENT;
        for (int k = 0; k < n->nin && !depends; k++) {
            depends = n->in[k] && p->flags[n->in[k]->mark] & WANTED;
        }
        p->flags[i] |= depends ? WANTED : 0;
        p->flags[i] |= n->kind == NODE_INPUT || (n->kind == NODE_CHECK && !depends) ? FORWARD : 0;
        tangents |= depends;
    }
    if (fault(p->c, FAULT_GR_16)) {
        lose_constant_gradients(p);
    }
    for (int i = p->n - 1; i >= 0; i--) {
        const Node *n = p->g->node[i];
        for (int k = 0; k < n->nin; k++) {
            add_flag(p, n->in[k], p->flags[i] & FORWARD);
        }
        if (p->flags[i] & FORWARD && p->flags[i] & WANTED) {
            return false;
        }
    }
    for (int i = 0; i < p->n; i++) {
        int *f = &p->flags[i];
        const Node *n = p->g->node[i];
        if (*f & FREE && n->kind == NODE_VIEW) {
            add_flag(p, n->in[0], FREE);
        }
        *f &= *f & FORWARD ? ~BACKWARD : ~0;
        *f |= *f & WANTED || !(*f & FORWARD || may_be_repeated(n)) ? BACKWARD : 0;
        *f &= ~WANTED;
        for (int k = 0; k < n->nin && !(*f & FORWARD); k++) {
            *f |= n->in[k] ? p->flags[n->in[k]->mark] & BACKWARD : 0;
        }
    }
    for (int i = p->n - 1; i >= 0; i--) {
        const Node *n = p->g->node[i];
        for (int k = 0; k < n->nin && p->flags[i] & (BACKWARD | NEEDED); k++) {
            if (n->in[k] && !(*flags_of(p, n->in[k]) & BACKWARD)) {
                add_flag(p, n->in[k], NEEDED);
            }
        }
    }
    return tangents;
}

/* ---- the network ---- */

/* Can a nest pass the value of operand k to `n` in a register? Otherwise it needs memory again. */
static bool takes_register(const Node *n, int k) {
    LowerClass cls = lower_class(n);
    bool elementwise = (cls == LOWER_POINTWISE || cls == LOWER_COPY || cls == LOWER_TRIANGLE) &&
                       tensor_same_size(&n->t, &n->in[k]->t);
    return elementwise || (cls == LOWER_REDUCE && k == 0);
}

static bool is_overwritten(const Graph *g, const Node *n) {
    return n->kind == NODE_INPUT && g->written && g->written[n->number] &&
           g->written[n->number] != n;
}

/* Bytes that saving it costs. */
static int64_t cost_of(const Partition *p, const Node *n) {
    Scalar splat;
    if (p->flags[n->mark] & FREE ||
        (n->kind == NODE_INPUT && (!is_overwritten(p->g, n) || fault(p->c, FAULT_GR_12))) ||
        node_splat(n, &splat)) {
        return 0;
    }
    return tensor_numel(&n->t) * dtype_bytes(n->t.dtype);
}

/* The same as a capacity. Between equal sizes, a value that the forward computes anyway is cheaper
 * than one that it would compute for the backward only. */
static int64_t capacity_of(const Partition *p, const Node *n) {
    return n->kind == NODE_VIEW          ? CUT_NEVER
           : p->flags[n->mark] & FORWARD ? 2 * cost_of(p, n)
                                         : 2 * max_i64(cost_of(p, n), 1) + 1;
}

enum { SOURCE = 0, SINK = 1 };
static int vertex_in(const Node *n) { return 2 * n->mark + 2; }
static int vertex_out(const Node *n) { return 2 * n->mark + 3; }

static void cut(const Partition *p) {
    Arena *arena = p->c->arena;
    Cut *net = cut_new(arena, 2 * p->n + 2);
    for (int i = 0; i < p->n; i++) {
        const Node *n = p->g->node[i];
        if (p->flags[i] & NEEDED) {
            cut_edge(net, vertex_in(n), vertex_out(n), capacity_of(p, n));
            if (p->flags[i] & FORWARD && !may_be_repeated(n)) {
                cut_edge(net, SOURCE, vertex_in(n), CUT_NEVER);
            }
        } else if (!(p->flags[i] & BACKWARD)) {
            continue;
        }
        for (int k = 0; k < n->nin; k++) {
            if (n->in[k] && *flags_of(p, n->in[k]) & NEEDED && node_reads_slot(n, k)) {
                cut_edge(net, vertex_out(n->in[k]), p->flags[i] & NEEDED ? vertex_in(n) : SINK,
                         CUT_NEVER);
                if (*flags_of(p, n->in[k]) & FORWARD && !takes_register(n, k)) {
                    cut_edge(net, SOURCE, vertex_in(n->in[k]), CUT_NEVER);
                }
            }
        }
    }
    bool *far = arena_array(arena, bool, 2 * p->n + 2);
    cut_run(net, SOURCE, SINK, far);
    for (int i = 0; i < p->n; i++) {
        const Node *n = p->g->node[i];
        if (p->flags[i] & NEEDED && far[vertex_out(n)]) {
            p->flags[i] |= far[vertex_in(n)] ? BEYOND : SAVED;
        }
    }
}

/* Which nodes are in the forward; and which of them are recomputed. */
static void partition_choose(const Partition *p) {
    for (int i = p->n - 1; i >= 0; i--) {
        int *f = &p->flags[i];
        const Node *n = p->g->node[i];
        bool early = *f & (FORWARD | EARLY) || (*f & SAVED && gate(p->c, STEP_save_early));
        *f |= early ? EARLY : 0;
        for (int k = 0; early && k < n->nin; k++) {
            add_flag(p, n->in[k], EARLY);
        }
    }
    for (int i = p->n - 1; i >= 0; i--) {
        int *f = &p->flags[i];
        const Node *n = p->g->node[i];
        bool recomputed = (*f & (EARLY | WANTED | BEYOND)) == (EARLY | WANTED | BEYOND) &&
                          n->kind != NODE_VIEW && gate(p->c, STEP_recompute);
        *f |= recomputed ? RECOMPUTED : 0;
        for (int k = 0; (recomputed || !(*f & EARLY)) && k < n->nin; k++) {
            if (n->in[k] && node_reads_slot(n, k)) {
                add_flag(p, n->in[k], WANTED);
            }
        }
    }
}

/* ---- the new order ---- */

static void append_node(Partition *p, Node *n) {
    p->out = array_reserve(p->c->arena, p->out, p->nout, &p->capacity, 64, sizeof *p->out);
    p->out[p->nout++] = n;
}

/* The backward reads the memory of n's buffer: counts what is saved. */
static void count_saved(Partition *p, const Node *n) {
    const Node *buffer = node_buffer((Node *)n);
    if (buffer->mark < p->n && (p->flags[buffer->mark] & (EARLY | COUNTED)) == EARLY) {
        p->flags[buffer->mark] |= COUNTED;
        p->saved += cost_of(p, buffer) > 0;
        p->bytes += cost_of(p, buffer);
    }
}

/* Seeded fault GR_12: what an input holds after its write-back, in the layout of `in`, or NULL. */
static Node *written_instead(Partition *p, Node *in) {
    Node *input = node_buffer(in);
    if (!fault(p->c, FAULT_GR_12) || !is_overwritten(p->g, input)) {
        return NULL;
    }
    (void)fault_triggered(p->c, FAULT_GR_12);
    int next_id = p->g->next_id;
    Node *written = graph_view(p->g, p->g->written[input->number], &in->t, AT_BACKWARD);
    if (written->id >= next_id) {
        written->mark = p->n;
        append_node(p, written);
    }
    return written;
}

static Node *repeat(Partition *p, Node *n);

/* Seeded fault GR_6: the float32 quotient whose saved amin or amax `reader` compares with the
 * quotient is recomputed by another kernel, one that multiplies by the reciprocal. It rounds twice,
 * so it may equal none of the saved results. */
static Node *recompute_otherwise(Partition *p, const Node *reader, int k, Node *copy) {
    if (!fault(p->c, FAULT_GR_6) || reader->op != OP_eq_Tensor || copy->op != OP_div_Tensor ||
        copy->t.dtype != DT_float32 || copy->in[1]->t.dtype != DT_float32) {
        return copy;
    }
    const Node *saved = node_buffer(reader->in[1 - k]);
    if (saved->op != OP_amin && saved->op != OP_amax) {
        return copy;
    }
    Call inverse = call_of(OP_reciprocal, copy->in[1], NULL);
    Node *factor = rule_op(p->c, reader, &inverse);
    Call product = call_of(OP_mul_Tensor, copy->in[0], factor);
    Node *other = factor ? rule_op(p->c, reader, &product) : NULL;
    if (!other || other->t.dtype != copy->t.dtype || !tensor_same_layout(&other->t, &copy->t) ||
        !fault_triggered(p->c, FAULT_GR_6)) {
        return copy;
    }
    factor->mark = other->mark = p->n;
    append_node(p, factor);
    append_node(p, other);
    return other;
}

/* Makes a node of the backward read the copies of its operands. It can form a nest with all that is
 * recomputed for it, since nothing else reads those copies. */
static void read_late(Partition *p, Node *n) {
    bool changed = false;
    for (int k = 0; k < n->nin && n->kind != NODE_VIEW; k++) {
        Node *in = n->in[k], *by = NULL;
        if (!in || in->mark == p->n) {
            continue;
        }
        by = p->flags[in->mark] & RECOMPUTED ? recompute_otherwise(p, n, k, repeat(p, in))
                                             : written_instead(p, in);
        if (by) {
            n->in[k] = by;
            changed = true;
        }
        if (node_reads_slot(n, k)) {
            count_saved(p, n->in[k]);
        }
    }
    if (changed && n->kind == NODE_OP) {
        node_sync_call(n);
    }
}

/* The copy of a recomputed node, for the reader that is being scheduled. */
static Node *repeat(Partition *p, Node *n) {
    Twin *twin = &p->twin[n->mark];
    if (twin->node && (twin->reader == p->reader || p->budget <= 0)) {
        return twin->node;
    }
    p->budget--;
    Node *copy = graph_op(p->g, n->call, &n->t, AT_BACKWARD);
    if (n->call->op->random && fault(p->c, FAULT_GR_30) && fault_triggered(p->c, FAULT_GR_30)) {
        ((Call *)copy->call)->number += DRAWN_AGAIN;
    }
    copy->mark = p->n;
    copy->recomputes = fault(p->c, FAULT_GR_12) ? NULL : n;
    *twin = (Twin){copy, p->reader};
    read_late(p, copy);
    append_node(p, copy);
    return copy;
}

/* Appends a node to the backward, after what it reads there. `stack` has room for every node. */
static void append_to_backward(Partition *p, Node *root, Node **stack) {
    int depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        Node *n = stack[depth - 1], *before = NULL;
        for (int k = 0; k < n->nin && !before; k++) {
            before = n->in[k] && !(p->flags[n->in[k]->mark] & (EARLY | APPENDED)) ? n->in[k] : NULL;
        }
        if (before) {
            stack[depth++] = before;
            continue;
        }
        depth--;
        p->flags[n->mark] |= APPENDED;
        p->reader = n->mark;
        read_late(p, n);
        append_node(p, n);
    }
}

static bool reorder(Partition *p) {
    Graph *g = p->g;
    Arena *arena = p->c->arena;
    Node **stack = arena_alloc_raw(arena, (int64_t)sizeof(Node *) * p->n);
    p->twin = arena_array(arena, Twin, p->n);
    p->budget = 2 * p->n;
    p->capacity = 2 * p->n;
    p->out = arena_alloc_raw(arena, (int64_t)sizeof(Node *) * p->capacity);
    Node **before = g->node;
    for (int i = 0; i < p->n; i++) {
        if (p->flags[i] & EARLY) {
            append_node(p, before[i]);
        }
    }
    for (int turn = 0; turn < 2; turn++) { /* statements that only the backward needs come when a
                                              reader needs them; those without readers, last */
        for (int i = 0; i < p->n; i++) {
            if (!(p->flags[i] & (EARLY | APPENDED)) &&
                (turn == 1 || before[i]->sid == AT_BACKWARD)) {
                append_to_backward(p, before[i], stack);
            }
        }
    }
    bool changed = p->nout != p->n;
    for (int i = 0; i < p->n && !changed; i++) {
        changed = p->out[i] != before[i];
    }
    g->node = p->out;
    g->n = p->nout;
    g->capacity = p->capacity;
    return changed;
}

/* ---- the pass ---- */

/* Bytes that the backward keeps of the forward if nothing is recomputed. */
static int64_t cost_of_everything(const Partition *p) {
    int64_t bytes = 0;
    for (int i = 0; i < p->n; i++) {
        const Node *n = p->g->node[i];
        for (int k = 0; k < n->nin && !(p->flags[i] & FORWARD) && n->kind != NODE_VIEW; k++) {
            Node *buffer = n->in[k] && node_reads_slot(n, k) ? node_buffer(n->in[k]) : NULL;
            if (buffer && (*flags_of(p, buffer) & (FORWARD | COUNTED)) == FORWARD) {
                add_flag(p, buffer, COUNTED);
                bytes += cost_of(p, buffer);
            }
        }
    }
    for (int i = 0; i < p->n; i++) {
        p->flags[i] &= ~COUNTED;
    }
    return bytes;
}

bool pass_partition(Compile *c) {
    Graph *g = c->graph;
    if (!g->backward_runs || g->backward_error != ERR_none) {
        return false;
    }
    Partition p = {.c = c, .g = g, .n = g->n};
    p.flags = arena_array(c->arena, int, p.n);
    for (int i = 0; i < p.n; i++) {
        g->node[i]->mark = i;
    }
    flag_outputs(&p);
    if (!partition_divide(&p)) {
        return false;
    }
    int64_t everything = cost_of_everything(&p);
    c->counters->unsaved_bytes += everything;
    if (everything == 0) {
        return false; /* inputs and outputs exist anyway */
    }
    cut(&p);
    partition_choose(&p);
    bool changed = reorder(&p);
    c->counters->saved += p.saved;
    c->counters->saved_bytes += p.bytes;
    return changed;
}
