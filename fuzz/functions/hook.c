/* Hooks: functions that are called with the gradient of a tensor, and may replace it. */
#include "fuzz/generate/draw.h"

#include <string.h>

/* A name inside of functions: it is made once. */
static NameId hook_inside(Gen *g, char prefix, int number) {
    for (int i = 0; i < g->nnames; i++) {
        if (g->names[i][0] == prefix && g->names[i][1] == '0' + number && !g->names[i][2]) {
            return i;
        }
    }
    return gen_name(g, prefix, number);
}

/* What a hook does with the gradient. */
static const struct {
    OpId op;
    int weight;
} FORM[] = {{OP_mul_Scalar, 24}, {OP_neg, 16},        {OP_clone, 10}, {OP_sign, 6},
            {OP_abs, 6},         {OP_square, 6},      {OP_detach, 5}, {OP_alias, 5},
            {OP_sin, 5},         {OP_mul__Scalar, 8}, {OP_neg_, 3},   {OP_zero_, 3},
            {OP_sum, 1},         {OP_gt_Scalar, 1}};

static Stmt *draw_form(Gen *g, NameId gradient, NameId out, bool writes) {
    int weight[COUNT_OF(FORM)];
    for (int i = 0; i < COUNT_OF(FORM); i++) {
        weight[i] = writes || op_info(FORM[i].op)->kind != KIND_INPLACE ? FORM[i].weight : 0;
    }
    Stmt *s = stmt_op(g, FORM[draw_weighted(g, weight, COUNT_OF(FORM))].op);
    s->arg[0] = (PArg){.given = true, .is_tensor = true, .tensor = gradient};
    if (s->op->nparam > 1 && s->op->param[1].type == ARG_SCALAR) {
        set_scalar(s, 1, scalar_int(2));
    }
    s->out = arena_array(g->arena, NameId, 1);
    s->out[0] = out;
    s->nout = 1;
    return s;
}

/* `if name is not None` */
static Stmt *unless_none(Gen *g, NameId name) {
    Stmt *branch = stmt_new(g, STMT_IF);
    Predicate *inner = arena_new(g->arena, Predicate);
    *inner = (Predicate){.kind = PRED_is_none, .of = name};
    branch->predicate = (Predicate){.kind = PRED_not, .of = NAME_NONE, .inner = inner};
    return branch;
}

/* A post-accumulate hook that changes the tensor, as an optimizer does. */
static Stmt *hook_draw_step(Gen *g, const Function *f) {
    Stmt *s = stmt_op(g, draw_chance(g, 70) ? OP_sub__Tensor : OP_mul__Tensor);
    for (int i = 0; i < 2; i++) {
        s->arg[i] = (PArg){.given = true, .is_tensor = true, .tensor = f->params[i]};
    }
    return s;
}

static void draw_hook_body(Gen *g, Function *f) {
    NameId gradient = f->params[f->nparams - 1], out = hook_inside(g, 'p', 0);
    Block *to = &f->forward;
    Stmt *tail = NULL;
    if (f->nparams == 1 && draw_chance(g, 35)) { /* stays None where it is */
        Stmt *branch = unless_none(g, gradient);
        block_append(to, branch, &tail);
        to = &branch->body;
        tail = NULL;
        out = gradient;
    }
    if (draw_chance(g, 12)) {
        Stmt *with = stmt_new(g, STMT_WITH);
        with->grad_enabled = draw_chance(g, 50);
        block_append(to, with, &tail);
        to = &with->body;
        tail = NULL;
    }
    bool steps = f->nparams == 2 && draw_chance(g, 35);
    if (steps) {
        block_append(to, hook_draw_step(g, f), &tail);
    }
    f->nreturns = !steps && draw_chance(g, 80);
    f->returns = arena_array(g->arena, NameId, 1);
    f->returns[0] = draw_chance(g, 92) ? out : gradient;
    if (!steps || draw_chance(g, 30)) {
        bool writes = f->nparams == 2 || draw_grad_writes(g); /* .grad may be written */
        block_append(to, draw_form(g, gradient, out, writes), &tail);
    }
}

/* A new hook, or one that there is. */
static int draw_hook_function(Gen *g, bool post) {
    Program *p = g->p;
    for (int i = 0; i < p->nfunctions; i++) {
        if (p->functions[i].plain && p->functions[i].nparams == 1 + post && draw_chance(g, 40)) {
            return i;
        }
    }
    Function *all = arena_array(g->arena, Function, p->nfunctions + 1);
    if (p->nfunctions > 0) {
        memcpy(all, p->functions, sizeof *all * (size_t)p->nfunctions);
    }
    Function *f = &all[p->nfunctions];
    f->name = hook_inside(g, 'h', p->nfunctions);
    f->plain = true;
    f->nparams = 1 + post;
    f->params = arena_array(g->arena, NameId, 2);
    f->params[0] = post ? hook_inside(g, 'a', 0) : hook_inside(g, 'g', 0);
    f->params[1] = hook_inside(g, 'g', 0);
    draw_hook_body(g, f);
    p->functions = all;
    return p->nfunctions++;
}

static bool takes_hook(const Gen *g, const GenVar *v) { return gen_var_requires_grad(g, v); }
static bool refuses_hook(const Gen *g, const GenVar *v) { return !gen_var_requires_grad(g, v); }
static bool takes_post_hook(const Gen *g, const GenVar *v) {
    return gen_var_requires_grad(g, v) && g->base[v->base].leaf && !v->view;
}

static void append_hook(Gen *g, NameId self, int function, bool remove) {
    Stmt *s = stmt_new(g, STMT_HOOK);
    s->hook = arena_new(g->arena, HookStmt);
    *s->hook = (HookStmt){self, function, remove};
    stmt_append(g, s);
}

void draw_hook(Gen *g) {
    bool post = draw_chance(g, 20);
    bool refused = draw_chance(g, 1);
    const GenVar *v = draw_var(g, refused                      ? refuses_hook
                                  : post && draw_chance(g, 97) ? takes_post_hook
                                                               : takes_hook);
    if (v == NULL || !gen_room(g) || g->nnames + 30 > GEN_NAMES || g->p->nfunctions >= 8) {
        return;
    }
    NameId self = v->name;
    int function = draw_hook_function(g, post);
    append_hook(g, self, function, false);
    if (draw_chance(g, 15) && gen_room(g)) {
        append_hook(g, self, draw_chance(g, 50) ? function : draw_hook_function(g, post), false);
    }
    if (draw_chance(g, 30) && gen_room(g)) {
        draw_op(g);
    }
    if (draw_chance(g, 15) && gen_room(g)) {
        append_hook(g, self, function, true);
    }
}
