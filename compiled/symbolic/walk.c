/* The numbers of a compilation, met in a fixed order: collected from every specimen, or written for
 * the sizes of a call.
 *
 * One walk serves both directions, so a number that is compared is a number that is written. All
 * else (kinds, ops, operands, flags, tape, data of literals) goes into a hash: two specimens with
 * one hash have one graph. A walk for facts also meets what the numbers make: lengths of buffers,
 * ends of regions, steps from one row to the next. */
#include "compiled/symbolic/symbol.h"
#include "tensor/array.h"

#include <math.h>
#include <string.h>

typedef struct WalkVisit {
    Numbers *out;       /* NULL: numbers are written */
    const Place *place; /* the next one */
    Arena *arena;
    bool facts, stale_strides;
} WalkVisit;

/* ---- one number ---- */

void numbers_mix(Numbers *out, uint64_t x) {
    out->shape = (out->shape ^ x) * 0x9E3779B97F4A7C15u;
    out->shape ^= out->shape >> 29;
}

static void fixed(WalkVisit *w, int64_t x) {
    if (w->out) {
        numbers_mix(w->out, (uint64_t)x);
    }
}

static void fixed_bytes(WalkVisit *w, const void *v, int64_t n) {
    for (int64_t i = 0; w->out && i < n; i++) {
        fixed(w, ((const unsigned char *)v)[i]);
    }
    fixed(w, n);
}

__attribute__((noinline)) static void make_room(Numbers *out) {
    out->kind = array_reserve(out->arena, out->kind, out->n, &(int){out->capacity}, 256, 1);
    out->v = array_reserve(out->arena, out->v, out->n, &out->capacity, 256, sizeof *out->v);
}

static inline void walk_collect(Numbers *out, int64_t v, int kind) {
    if (out->n == out->capacity) {
        make_room(out);
    }
    out->kind[out->n] = (unsigned char)kind;
    out->v[out->n++] = v;
}

void numbers_fact(Numbers *out, int64_t v, int kind) { walk_collect(out, v, kind); }

/* What the number is now. */
static int64_t walk_number(WalkVisit *w, int64_t v) {
    if (w->out) {
        walk_collect(w->out, v, w->facts ? NUMBER_FACT : NUMBER_INT);
        return v;
    }
    const Expr *e = (w->place++)->expr;
    return e ? e->value : v;
}

static double real(WalkVisit *w, double v) {
    if (w->out) {
        int64_t bits;
        memcpy(&bits, &v, sizeof bits);
        if (!w->facts) {
            walk_collect(w->out, bits, NUMBER_REAL);
        } else {
            bool in_range = v > -1e15 && v < 1e15;
            walk_collect(w->out, in_range ? (int64_t)floor(v) : 0, NUMBER_FACT);
            walk_collect(w->out, in_range ? (int64_t)ceil(v) : 0, NUMBER_FACT);
        }
        return v;
    }
    const Place *p = w->place++;
    if (!p->expr) {
        return v;
    }
    return p->numerator != 0 ? p->numerator / (double)p->expr->value : (double)p->expr->value;
}

static void fact(WalkVisit *w, int64_t v) {
    if (w->facts) {
        walk_collect(w->out, v, NUMBER_FACT);
    }
}

/* ---- what holds numbers ---- */

/* How far the dims that step less than dim d reach: what an element of d steps over if the layout
 * does not overlap itself. */
static int64_t reach_below(const Tensor *t, int d) {
    int64_t sum = 0, reach;
    for (int k = 0; k < t->ndim; k++) {
        if (t->stride[k] < t->stride[d] && (!checked_mul(t->size[k] - 1, t->stride[k], &reach) ||
                                            !checked_add(sum, reach, &sum))) {
            return 0;
        }
    }
    return sum;
}

static void place_layout(WalkVisit *w, Tensor *t, bool is_view) {
    fixed(w, t->dtype);
    fixed(w, t->ndim);
    for (int d = 0; d < t->ndim; d++) {
        t->size[d] = walk_number(w, t->size[d]);
        int64_t stride = walk_number(w, t->stride[d]);
        t->stride[d] = w->stale_strides && is_view ? min_i64(stride, t->stride[d])
                                                   : stride; /* GU-10, inside the buffer */
        int64_t step;
        fact(w, w->facts && checked_mul(t->size[d], t->stride[d], &step) ? step : 0);
        if (w->facts) {
            walk_collect(w->out, reach_below(t, d), NUMBER_ORDER);
        }
    }
    t->offset = walk_number(w, t->offset);
    int64_t extent = 0;
    if (w->facts && tensor_extent(t, &extent)) {
        fact(w, extent);
        fact(w, tensor_numel(t));
    }
}

static void layout(WalkVisit *w, Tensor *t) { place_layout(w, t, false); }

/* Metadata that others keep: written anew. */
static const Tensor *kept_layout(WalkVisit *w, const Tensor *t) {
    fixed(w, t != NULL);
    if (!t) {
        return NULL;
    }
    Tensor copy = *t;
    layout(w, &copy);
    return w->out ? t : arena_copy(w->arena, &copy, (int64_t)sizeof copy);
}

static void integer(WalkVisit *w, int64_t *v) {
    *v = walk_number(w, *v);
    fact(w, *v >= 0 ? *v : *v > INT64_MIN ? -*v : INT64_MAX);
}

static void scalar(WalkVisit *w, Scalar *s) {
    fixed(w, s->kind);
    s->i = s->kind == CAT_INT ? walk_number(w, s->i) : s->i;
    fixed(w, s->kind == CAT_INT ? 0 : s->i);
    s->f = s->kind == CAT_FLOAT ? real(w, s->f) : s->f;
}

static void walk_argument(WalkVisit *w, ArgType type, Arg *arg) {
    bool tensors = type == ARG_TENSOR || type == ARG_TENSOR_OPT || type == ARG_TENSORS ||
                   type == ARG_TENSORS_OPT;
    fixed(w, arg->none);
    if (tensors || arg->none) {
        return; /* operands are met as such */
    }
    switch (type) {
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        scalar(w, &arg->scalar);
        break;
    case ARG_INT:
    case ARG_INT_OPT:
        integer(w, &arg->i);
        break;
    case ARG_INTS:
    case ARG_INTS_OPT: {
        int64_t *v = arena_copy(w->arena, arg->ints.v, (int64_t)sizeof *v * arg->ints.n);
        fixed(w, arg->ints.n);
        for (int i = 0; i < arg->ints.n; i++) {
            integer(w, &v[i]);
        }
        arg->ints.v = v;
        break;
    }
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        arg->f = real(w, arg->f);
        break;
    case ARG_BOOL:
        fixed(w, arg->b);
        break;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        fixed(w, arg->dtype);
        break;
    case ARG_STR:
    case ARG_STR_OPT:
        fixed_bytes(w, arg->str, (int64_t)strlen(arg->str));
        break;
    default: /* Python indices and data: met by the node */
        break;
    }
}

static void call(WalkVisit *w, const Node *n) {
    Call *c = (Call *)n->call; /* our own copy (graph_op) */
    for (int p = 0; p < c->op->nparam; p++) {
        ArgType type = c->op->param[p].type;
        walk_argument(w, type, &c->arg[p]);
        if (type == ARG_DATA && w->out) {
            fixed_bytes(w, c->arg[p].data.data, c->arg[p].data.n * dtype_bytes(n->t.dtype));
        }
    }
}

static void reference(WalkVisit *w, const Node *n) { fixed(w, n ? n->id : -1); }

static void node(WalkVisit *w, Node *n) {
    fixed(w, n->kind);
    fixed(w, n->id);
    fixed(w, n->sid);
    fixed(w, n->op);
    fixed(w, n->number);
    fixed(w, n->replaced);
    fixed(w, n->again ? n->again->id : -1);
    fixed(w, n->nin);
    for (int k = 0; k < n->nin; k++) {
        reference(w, n->in[k]);
    }
    place_layout(w, &n->t, n->kind == NODE_VIEW);
    if (n->kind == NODE_STORE) {
        layout(w, &n->region);
    } else if (n->kind == NODE_CHECK) {
        fixed(w, n->check);
        fixed(w, n->check_code);
        integer(w, &n->bound);
    } else if (n->kind == NODE_OP) {
        call(w, n);
    }
}

static void nodes(WalkVisit *w, const Graph *g) {
    fixed(w, g->n);
    for (int i = 0; i < g->n; i++) {
        node(w, g->node[i]);
    }
}

static void tape(WalkVisit *w, const Capture *cap) {
    for (const GradNode *t = cap->tape; t; t = t->older) {
        fixed(w, t->kind);
        fixed(w, t->sequence_nr);
        fixed(w, t->number);
        fixed(w, t->nslot);
        fixed(w, t->nsaved);
        fixed(w, t->freed);
    }
}

void walk_facts(Numbers *out, const Compile *c) {
    WalkVisit w = {.out = out, .arena = out->arena, .facts = true};
    nodes(&w, c->graph);
    tape(&w, c->capture);
}

void walk_node_facts(Numbers *out, const Node *n) {
    WalkVisit w = {.out = out, .arena = out->arena, .facts = true};
    node(&w, (Node *)n);
}

void walk_layout_facts(Numbers *out, const Tensor *t) {
    WalkVisit w = {.out = out, .arena = out->arena, .facts = true};
    layout(&w, (Tensor *)t);
}

void walk_nodes(Numbers *out, const Graph *g) {
    WalkVisit w = {.out = out, .arena = out->arena};
    nodes(&w, g);
}

void walk_write_nodes(const Place *place, const Graph *g, Arena *arena) {
    WalkVisit w = {.place = place, .arena = arena};
    nodes(&w, g);
}

/* ---- the epilogue ---- */

static void returns(WalkVisit *w, const Graph *g) {
    fixed(w, g->nret);
    for (int k = 0; k < g->nret; k++) {
        ReturnPlan *r = &g->ret[k];
        fixed(w, r->aliases_input);
        fixed(w, r->storage);
        fixed(w, r->cls);
        fixed(w, r->requires_grad);
        fixed(w, r->is_leaf);
        reference(w, r->aliases_input ? NULL : r->value);
        reference(w, r->grad);
        layout(w, &r->layout);
    }
}

static void inputs(WalkVisit *w, const Graph *g) {
    fixed(w, g->ninputs);
    for (int k = 0; k < g->ninputs; k++) {
        reference(w, g->input[k]);
        reference(w, g->written ? g->written[k] : NULL);
        fixed(w, g->version[k]);
    }
    fixed(w, g->ninp);
    for (int k = 0; k < g->ninp; k++) {
        fixed(w, g->inp[k].outer);
        fixed(w, g->inp[k].grad_state);
        reference(w, g->inp[k].grad);
    }
    fixed(w, g->backward_runs);
    fixed(w, g->backward_error);
}

static void exits(WalkVisit *w, const Capture *cap, ExitTensor *exit) {
    for (int i = 0; i < cap->nobject; i++) {
        ExitTensor *e = &exit[i];
        layout(w, &e->layout);
        fixed(w, e->requires_grad);
        fixed(w, e->history);
        fixed(w, e->number);
        fixed(w, e->nr);
        fixed(w, e->base);
        fixed(w, e->creation_meta);
        fixed(w, e->attr_version);
        fixed(w, e->topological_nr);
        fixed(w, e->version);
        e->history_meta = kept_layout(w, e->history_meta);
        e->leaf_meta = kept_layout(w, e->leaf_meta);
    }
}

static void trace(WalkVisit *w, Capture *cap) {
    fixed(w, cap->ntrace);
    if (!w->out) {
        cap->trace = arena_copy(w->arena, cap->trace, (int64_t)sizeof *cap->trace * cap->ntrace);
    }
    for (int i = 0; i < cap->ntrace; i++) {
        TraceEntry *e = &cap->trace[i];
        bool numbers =
            e->probe == PROBE_size || e->probe == PROBE_stride || e->probe == PROBE_storage_offset;
        fixed(w, e->sid);
        fixed(w, e->probe);
        fixed(w, e->n);
        for (int k = 0; k < e->n; k++) {
            e->v[k] = numbers ? walk_number(w, e->v[k]) : e->v[k];
            fixed(w, numbers ? 0 : e->v[k]);
        }
    }
}

static void symbolic_walk_places(WalkVisit *w, const Compile *c, ExitTensor *exit) {
    Capture *cap = c->capture;
    nodes(w, c->graph);
    returns(w, c->graph);
    inputs(w, c->graph);
    fixed(w, cap->end);
    fixed(w, cap->at);
    fixed(w, cap->made);
    fixed(w, cap->nobject);
    fixed(w, cap->nexported);
    for (int k = 0; k < cap->nexported; k++) {
        fixed(w, cap->exported[k]);
        fixed(w, cap->exported_as[k]);
    }
    tape(w, cap);
    exits(w, cap, exit);
    trace(w, cap);
}

void walk_places(Numbers *out, const Compile *c, ExitTensor *exit) {
    WalkVisit w = {.out = out, .arena = out->arena};
    symbolic_walk_places(&w, c, exit);
}

void walk_write(const Place *place, const Compile *c, ExitTensor *exit, Arena *arena) {
    WalkVisit w = {.place = place, .arena = arena, .stale_strides = fault(c, FAULT_GU_10)};
    symbolic_walk_places(&w, c, exit);
}
