/* The setup: statements that run before the function and make its arguments.
 *
 * A function depends on where an argument comes from: a non-leaf, a view (of another
 * argument, of a tensor that is not passed, of a leaf; made under no_grad; one of several), one
 * whose base was written since. So a setup makes results that require grad, views of those, and
 * writes to either; the arguments are taken from all of them, sometimes without the inputs. */
#include "fuzz/generate/draw.h"

static bool passed(const Gen *g, const GenVar *v) {
    for (int i = 0; i < g->p->nargs; i++) {
        if (g->p->args[i] == v->name) {
            return true;
        }
    }
    return !g->p->args_given;
}

static bool accepts_float(const Gen *g, const GenVar *v) {
    return dtype_is_float(v->t->dtype) && !g->base[v->base].requires_grad;
}
static bool accepts_grad(const Gen *g, const GenVar *v) { return gen_var_requires_grad(g, v); }
static bool accepts_result(const Gen *g, const GenVar *v) {
    return !g->base[v->base].input && dtype_is_float(v->t->dtype) && passed(g, v);
}

/* A result of something that requires grad: an argument that is no leaf. */
static void draw_result(Gen *g) {
    static const OpId form[] = {OP_mul_Scalar, OP_add_Scalar, OP_clone, OP_neg, OP_mul_Tensor,
                                OP_sin,        OP_relu,       OP_sum,   OP_exp};
    GenVar *v = draw_var(g, accepts_grad);
    if (v == NULL) {
        v = draw_var(g, accepts_float);
    }
    draw_this_op(g, form[draw_below(g, COUNT_OF(form))], v);
}

static void draw_view(Gen *g) {
    static const OpId form[] = {OP_select, OP_slice,  OP_alias, OP_transpose, OP_unsqueeze,
                                OP_expand, OP_unbind, OP_split, OP_detach,    OP_as_strided};
    GenVar *v = draw_chance(g, 70) ? draw_var(g, accepts_result) : NULL;
    draw_this_op(g, form[draw_below(g, COUNT_OF(form))], v);
}

static void draw_write(Gen *g) {
    static const OpId form[] = {OP_mul__Scalar, OP_add__Tensor, OP_add__Scalar, OP_copy_,
                                OP_zero_,       OP_mul__Tensor, OP_sigmoid_};
    GenVar *v = draw_chance(g, 80) ? draw_var(g, accepts_result) : NULL;
    draw_this_op(g, form[draw_below(g, COUNT_OF(form))], v);
}

static void draw_step(Gen *g) {
    int r = draw_below(g, 100);
    if (r < 35) {
        draw_result(g);
    } else if (r < 65) {
        draw_view(g);
    } else if (r < 80) {
        draw_write(g);
    } else {
        draw_statement(g);
    }
}

/* A view or a write under no_grad. */
static void draw_without_grad(Gen *g) {
    Stmt *s = stmt_new(g, STMT_WITH);
    s->grad_enabled = false;
    OpenBlock outer = block_open(g, &s->body);
    g->grad = false;
    if (draw_chance(g, 60)) {
        draw_view(g);
    } else {
        draw_write(g);
    }
    block_close(g, outer);
    if (s->body.count > 0) {
        stmt_append(g, s);
    }
}

/* Passes some of the variables; the others are out of sight. */
static void choose_arguments(Gen *g) {
    Program *p = g->p;
    p->args = arena_alloc_raw(g->arena, (int64_t)sizeof(NameId) * (g->nvars + GEN_INPUTS + 1));
    p->args_given = true;
    bool passed = false;
    for (int i = g->nvars - 1; i >= 0; i--) {
        GenVar *v = &g->var[i];
        bool made = !g->base[v->base].input || v->view, last = i == 0 && !passed;
        if (v->dead || (!draw_chance(g, made ? 75 : 45) && !last)) {
            v->dead = true;
            continue;
        }
        passed = true;
        p->args[p->nargs++] = v->name;
    }
    for (int i = 0, j = p->nargs - 1; i < j && draw_chance(g, 50); i++, j--) {
        NameId name = p->args[i];
        p->args[i] = p->args[j];
        p->args[j] = name;
    }
}

void draw_setup(Gen *g) {
    g->block = &g->p->setup;
    g->tail = NULL;
    g->grad = true;
    int n = 1 + draw_below(g, 4);
    draw_result(g);
    for (int i = 0; i < n && gen_room(g); i++) {
        if (draw_chance(g, 12)) {
            draw_without_grad(g);
        } else {
            draw_step(g);
        }
    }
    g->p->setup_given = true;
    choose_arguments(g);
    g->block = &g->p->body;
    g->tail = NULL;
    g->nstmts = 0;
}

void draw_setup_write(Gen *g) {
    if (draw_chance(g, 30)) {
        draw_view(g);
    }
    draw_write(g);
}

/* The flags of one or two tensors that the next call is passed again. */
void draw_set(Gen *g, Recall *r) {
    Program *p = g->p;
    r->set = arena_alloc(g->arena, (int64_t)sizeof r->set[0] * 2);
    int n = draw_below(g, 3);
    for (int i = 0; i < n; i++) {
        bool of_args = p->nargs > 0 && draw_chance(g, 60);
        NameId name =
            of_args ? p->args[draw_below(g, p->nargs)] : p->inputs[draw_below(g, p->ninputs)].name;
        if (r->nset == 1 && r->set[0].name == name) {
            continue;
        }
        r->set[r->nset].name = name;
        r->set[r->nset++].requires_grad = draw_chance(g, 60);
    }
}
