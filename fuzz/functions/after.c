/* Caller code behind the function (`after` in a program): gradients of what was returned, several
 * backwards, writes to arguments and returns between the function and a backward, and .grad: read,
 * set, cleared, accumulated into.
 *
 * It sees the arguments and the returns only; every other variable is out of sight from here on. */
#include "fuzz/generate/commit.h"
#include "fuzz/generate/draw.h"

#include <math.h>

enum { AFTER_TENSORS = 2 };

static bool is_passed(const Gen *g, const GenVar *v) {
    const Program *p = g->p;
    bool seen = false;
    for (int k = 0; k < p->nreturns; k++) {
        seen |= p->returns[k] == v->name;
    }
    for (int i = 0; i < program_nargs(p); i++) {
        seen |= program_arg(p, i) == v->name;
    }
    return seen;
}

static bool is_root(const Gen *g, const GenVar *v) {
    return gen_var_requires_grad(g, v) && (!g->base[v->base].leaf || v->view);
}
static bool may_have_a_grad(const Gen *g, const GenVar *v) {
    return gen_var_requires_grad(g, v) && !v->view;
}
static bool accepts_any(const Gen *g, const GenVar *v) {
    (void)g;
    return dtype_is_float(v->t->dtype);
}

/* Will the variable have a .grad, as far as the guesses tell? */
static bool likely_has_grad(const Gen *g, const GenVar *v) {
    return g->base[v->base].leaf && !v->view && g->accumulated >> (v->base % 64) & 1;
}

/* ---- backward ---- */

static void draw_backward_stmt(Gen *g) {
    GenVar *root[AFTER_TENSORS];
    GradStmt *grad = arena_new(g->arena, GradStmt);
    int n = draw_chance(g, 20) ? AFTER_TENSORS : 1;
    uint64_t from = 0;
    grad->accumulates = true;
    grad->ngrad_outputs = -1;
    grad->outputs = arena_array(g->arena, NameId, n);
    for (int i = 0; i < n; i++) {
        root[i] = draw_var(g, is_root);
        if (root[i] == NULL || root[i]->fuzzy) {
            return;
        }
        from |= g->base[root[i]->base].from;
        grad->outputs[grad->noutputs++] = root[i]->name;
    }
    if (!draw_tangents(g, grad, root, &(uint64_t){0}) || !gen_room(g)) {
        return;
    }
    grad->create_graph = draw_chance(g, 12);
    bool retain = draw_chance(g, g->w[W_caller_retains]);
    if (retain != grad->create_graph || draw_chance(g, 15)) {
        grad->retain_given = true;
        grad->retain_graph = retain;
    }
    Stmt *s = stmt_new(g, STMT_GRAD);
    s->grad = grad;
    stmt_append(g, s);
    g->accumulated |= from;
}

/* ---- .grad ---- */

static Stmt *dot_grad(Gen *g, NameId self, bool set, NameId value) {
    Stmt *s = stmt_new(g, STMT_DOT_GRAD);
    s->dot_grad = arena_new(g->arena, DotGradStmt);
    *s->dot_grad = (DotGradStmt){.self = self, .set = set, .value = value};
    return s;
}

static void draw_get_grad(Gen *g, const GenVar *self) {
    static const OpId written[] = {OP_zero_, OP_mul__Scalar, OP_add__Scalar, OP_neg_};
    if (self == NULL || self->fuzzy || !gen_room(g)) {
        return;
    }
    bool reached = likely_has_grad(g, self);
    if (!reached && !draw_chance(g, 15)) {
        return;
    }
    Stmt *s = dot_grad(g, self->name, false, NAME_NONE);
    Tensor *t = arena_copy(g->arena, self->t, (int64_t)sizeof *t);
    s->nout = 1;
    s->out = arena_array(g->arena, NameId, 1);
    s->out[0] = gen_fresh_name(g);
    int data = gen_data(g, -HUGE_VAL, HUGE_VAL, BITS_INEXACT, tensor_numel(t));
    int base = gen_base(g, false, true);
    g->data[data].gradient = true;
    GenVar *v = gen_var(g, s->out[0], t, data, base);
    stmt_append(g, s);
    v->dead = !reached; /* likely None */
    if (reached && gen_room(g) && draw_chance(g, 60)) {
        draw_this_op(g, written[draw_below(g, COUNT_OF(written))], v);
    }
}

static void draw_set_grad(Gen *g) {
    const GenVar *self = draw_var(g, draw_chance(g, 80) ? may_have_a_grad : accepts_any);
    if (self == NULL || self->fuzzy || !gen_room(g)) {
        return;
    }
    NameId value = NAME_NONE;
    if (draw_chance(g, 60)) {
        const Tensor *t = self->t;
        DType dtype = draw_chance(g, 4) ? draw_dtype(g) : t->dtype;
        GenVar *v = draw_need(
            g,
            (Need){.dtype = dtype, .ndim = t->ndim, .size = t->size, .plain = draw_chance(g, 50)});
        if (v == NULL || (v->name == self->name && !draw_chance(g, 10))) {
            return;
        }
        if (!draw_chance(g, g->w[W_caller_shares])) { /* one that nothing else refers to */
            v = draw_this_op(g, OP_clone, v);
        }
        if (v == NULL) {
            return;
        }
        value = v->name;
    }
    if (gen_room(g)) {
        stmt_append(g, dot_grad(g, self->name, true, value));
        uint64_t bit = (uint64_t)1 << (self->base % 64);
        g->accumulated = value == NAME_NONE ? g->accumulated & ~bit : g->accumulated | bit;
        if (value != NAME_NONE && draw_chance(g, 30)) {
            draw_get_grad(g, self);
        }
    }
}

/* ---- writes between the function and a backward ---- */

static void draw_caller_write(Gen *g) {
    static const OpId form[] = {OP_mul__Scalar, OP_add__Tensor, OP_add__Scalar, OP_copy_,
                                OP_zero_,       OP_neg_,        OP_setitem,     OP_sigmoid_};
    GenVar *v = draw_var(g, accepts_any);
    if (v == NULL || !gen_room(g)) {
        return;
    }
    bool leaf = gen_var_requires_grad(g, v) && g->base[v->base].leaf;
    if (!draw_chance(g, leaf ? 85 : 30)) {
        draw_this_op(g, form[draw_below(g, COUNT_OF(form))], v);
        return;
    }
    Stmt *s = stmt_new(g, STMT_WITH);
    s->grad_enabled = false;
    OpenBlock outer = block_open(g, &s->body);
    g->grad = false;
    draw_this_op(g, form[draw_below(g, COUNT_OF(form))], v);
    block_close(g, outer);
    if (s->body.count > 0) {
        stmt_append(g, s);
    }
}

/* ---- all of it ---- */

static void draw_caller_step(Gen *g) {
    switch (draw_share(g, W_caller_op, W_caller_set_grad)) {
    case W_caller_op - W_caller_op:
        draw_statement(g);
        break;
    case W_caller_grad - W_caller_op:
        draw_grad(g, (GradForm){NULL, NULL, 12, g->w[W_caller_retains]});
        break;
    case W_caller_backward - W_caller_op:
        draw_backward_stmt(g);
        break;
    case W_caller_write - W_caller_op:
        draw_caller_write(g);
        break;
    case W_caller_get_grad - W_caller_op:
        draw_get_grad(g, draw_var(g, draw_chance(g, 90) ? may_have_a_grad : accepts_any));
        break;
    default:
        draw_set_grad(g);
        break;
    }
}

void draw_after(Gen *g) {
    for (int i = 0; i < g->nvars; i++) {
        g->var[i].dead |= !is_passed(g, &g->var[i]);
    }
    g->block = &g->p->after;
    g->tail = NULL;
    g->grad = true;
    g->accumulated = 0;
    int n = 1 + draw_below(g, 6);
    for (int tries = 0; tries < 2 * n && g->p->after.count < n && gen_room(g); tries++) {
        draw_caller_step(g);
    }
    g->p->after_given = g->p->after.count > 0;
    g->block = &g->p->body;
    g->tail = NULL;
}
