/* The numbers of a graph, visited in a fixed order: collected from every sample compilation, or
 * written for the sizes of a call.
 *
 * One walk serves both directions, so a number that is compared is a number that is written. All
 * else (kinds, ops, operands, flags, data of literals) goes into a hash: two samples with one hash
 * have one graph. A walk of observed values also visits what is derived from the numbers: lengths
 * of buffers, ends of slices, steps from one row to the next. */
#include "compiled/symbolic/walk.h"
#include "tensor/array.h"

#include <math.h>
#include <string.h>

/* ---- one number ---- */

void numbers_mix(Numbers *out, uint64_t x) {
    out->shape = (out->shape ^ x) * 0x9E3779B97F4A7C15u;
    out->shape ^= out->shape >> 29;
}

void walk_fixed(WalkVisit *w, int64_t x) {
    if (w->out) {
        numbers_mix(w->out, (uint64_t)x);
    }
}

static void walk_fixed_bytes(WalkVisit *w, const void *v, int64_t n) {
    for (int64_t i = 0; w->out && i < n; i++) {
        walk_fixed(w, ((const unsigned char *)v)[i]);
    }
    walk_fixed(w, n);
}

__attribute__((noinline)) static void numbers_grow(Numbers *out) {
    out->kind = array_reserve(out->arena, out->kind, out->n, &(int){out->capacity}, 256, 1);
    out->v = array_reserve(out->arena, out->v, out->n, &out->capacity, 256, sizeof *out->v);
}

static inline void numbers_collect(Numbers *out, int64_t v, int kind) {
    if (out->n == out->capacity) {
        numbers_grow(out);
    }
    out->kind[out->n] = (unsigned char)kind;
    out->v[out->n++] = v;
}

void numbers_observed(Numbers *out, int64_t v, int kind) { numbers_collect(out, v, kind); }

/* Returns what the number is now. */
int64_t walk_number(WalkVisit *w, int64_t v) {
    if (w->out) {
        numbers_collect(w->out, v, w->observed ? NUMBER_OBSERVED : NUMBER_INT);
        return v;
    }
    const Expr *e = (w->next++)->expr;
    return e ? e->value : v;
}

static double walk_real(WalkVisit *w, double v) {
    if (w->out) {
        int64_t bits;
        memcpy(&bits, &v, sizeof bits);
        if (!w->observed) {
            numbers_collect(w->out, bits, NUMBER_REAL);
        } else {
            bool in_range = v > -1e15 && v < 1e15;
            numbers_collect(w->out, in_range ? (int64_t)floor(v) : 0, NUMBER_OBSERVED);
            numbers_collect(w->out, in_range ? (int64_t)ceil(v) : 0, NUMBER_OBSERVED);
        }
        return v;
    }
    const SymbolicNumber *p = w->next++;
    if (!p->expr) {
        return v;
    }
    return p->numerator != 0 ? p->numerator / (double)p->expr->value : (double)p->expr->value;
}

static void walk_derived(WalkVisit *w, int64_t v) {
    if (w->observed) {
        numbers_collect(w->out, v, NUMBER_OBSERVED);
    }
}

/* ---- layouts, arguments, nodes ---- */

/* How far the dims with a smaller stride than dim d reach: what one element of d steps over if the
 * layout does not overlap itself. */
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

static void walk_layout_of(WalkVisit *w, Tensor *t, bool is_view) {
    walk_fixed(w, t->dtype);
    walk_fixed(w, t->ndim);
    for (int d = 0; d < t->ndim; d++) {
        t->size[d] = walk_number(w, t->size[d]);
        int64_t stride = walk_number(w, t->stride[d]);
        bool stale = w->stale_strides && is_view && t->stride[d] < stride && /* inside the buffer */
                     fault_triggered(w->stale_strides, FAULT_GU_10);
        t->stride[d] = stale ? t->stride[d] : stride;
        int64_t step;
        walk_derived(w, w->observed && checked_mul(t->size[d], t->stride[d], &step) ? step : 0);
        if (w->observed) {
            numbers_collect(w->out, reach_below(t, d), NUMBER_ORDER);
        }
    }
    t->offset = walk_number(w, t->offset);
    int64_t extent = 0;
    if (w->observed && tensor_extent(t, &extent)) {
        walk_derived(w, extent);
        walk_derived(w, tensor_numel(t));
    }
}

void walk_layout(WalkVisit *w, Tensor *t) { walk_layout_of(w, t, false); }

/* Metadata that others hold as well: written as a copy. */
const Tensor *walk_copied_layout(WalkVisit *w, const Tensor *t) {
    walk_fixed(w, t != NULL);
    if (!t) {
        return NULL;
    }
    Tensor copy = *t;
    walk_layout(w, &copy);
    return w->out ? t : arena_copy(w->arena, &copy, (int64_t)sizeof copy);
}

static void walk_integer(WalkVisit *w, int64_t *v) {
    *v = walk_number(w, *v);
    walk_derived(w, *v >= 0 ? *v : *v > INT64_MIN ? -*v : INT64_MAX);
}

static void walk_scalar(WalkVisit *w, Scalar *s) {
    walk_fixed(w, s->kind);
    s->i = s->kind == CAT_INT ? walk_number(w, s->i) : s->i;
    walk_fixed(w, s->kind == CAT_INT ? 0 : s->i);
    s->f = s->kind == CAT_FLOAT ? walk_real(w, s->f) : s->f;
}

static void walk_argument(WalkVisit *w, ArgType type, Arg *arg) {
    bool tensors = type == ARG_TENSOR || type == ARG_TENSOR_OPT || type == ARG_TENSORS ||
                   type == ARG_TENSORS_OPT;
    walk_fixed(w, arg->none);
    if (tensors || arg->none) {
        return; /* operands are visited by the node */
    }
    switch (type) {
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        walk_scalar(w, &arg->scalar);
        break;
    case ARG_INT:
    case ARG_INT_OPT:
        walk_integer(w, &arg->i);
        break;
    case ARG_INTS:
    case ARG_INTS_OPT: {
        int64_t *v = arena_copy(w->arena, arg->ints.v, (int64_t)sizeof *v * arg->ints.n);
        walk_fixed(w, arg->ints.n);
        for (int i = 0; i < arg->ints.n; i++) {
            walk_integer(w, &v[i]);
        }
        arg->ints.v = v;
        break;
    }
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        arg->f = walk_real(w, arg->f);
        break;
    case ARG_BOOL:
        walk_fixed(w, arg->b);
        break;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        walk_fixed(w, arg->dtype);
        break;
    case ARG_STR:
    case ARG_STR_OPT:
        walk_fixed_bytes(w, arg->str, (int64_t)strlen(arg->str));
        break;
    default: /* Python indices and data: visited by the node */
        break;
    }
}

static void walk_call(WalkVisit *w, const Node *n) {
    Call *c = (Call *)n->call; /* our own copy (graph_op) */
    walk_fixed(w, c->op->random ? c->number : 0);
    for (int p = 0; p < c->op->nparam; p++) {
        ArgType type = c->op->param[p].type;
        walk_argument(w, type, &c->arg[p]);
        if (type == ARG_DATA && w->out) {
            walk_fixed_bytes(w, c->arg[p].data.data, c->arg[p].data.n * dtype_bytes(n->t.dtype));
        }
    }
}

void walk_reference(WalkVisit *w, const Node *n) { walk_fixed(w, n ? n->id : -1); }

static void walk_node(WalkVisit *w, Node *n) {
    walk_fixed(w, n->kind);
    walk_fixed(w, n->id);
    walk_fixed(w, n->sid);
    walk_fixed(w, n->op);
    walk_fixed(w, n->number);
    walk_fixed(w, n->replaced);
    walk_fixed(w, n->recomputes ? n->recomputes->id : -1);
    walk_fixed(w, n->nin);
    for (int k = 0; k < n->nin; k++) {
        walk_reference(w, n->in[k]);
    }
    walk_layout_of(w, &n->t, n->kind == NODE_VIEW);
    if (n->kind == NODE_STORE) {
        walk_layout(w, &n->slice);
    } else if (n->kind == NODE_CHECK) {
        walk_fixed(w, n->check);
        walk_fixed(w, n->check_code);
        walk_integer(w, &n->bound);
    } else if (n->kind == NODE_OP) {
        walk_call(w, n);
    }
}

void walk_graph(WalkVisit *w, const Graph *g) {
    walk_fixed(w, g->n);
    for (int i = 0; i < g->n; i++) {
        walk_node(w, g->node[i]);
    }
}

void walk_observed_node(Numbers *out, const Node *n) {
    WalkVisit w = {.out = out, .arena = out->arena, .observed = true};
    walk_node(&w, (Node *)n);
}

void walk_observed_layout(Numbers *out, const Tensor *t) {
    WalkVisit w = {.out = out, .arena = out->arena, .observed = true};
    walk_layout(&w, (Tensor *)t);
}

void walk_graph_numbers(Numbers *out, const Graph *g) {
    WalkVisit w = {.out = out, .arena = out->arena};
    walk_graph(&w, g);
}

void write_graph_numbers(const SymbolicNumber *place, const Graph *g, Arena *arena) {
    WalkVisit w = {.next = place, .arena = arena};
    walk_graph(&w, g);
}
