/* A function of the program's own, and a statement that applies it.
 *
 * A forward, what it saves, a backward and the options are drawn apart from each other, so that the
 * backward seldom is the derivative: that is what such functions are for. Nothing in them is
 * inferred: their ops keep the size of the operands, which are all of one size and dtype. */
#include "fuzz/generate/draw.h"

#include <math.h>
#include <string.h>

typedef enum Forward {
    FORWARD_OPERAND, /* the operand as it is */
    FORWARD_UNARY,
    FORWARD_SCALE,
    FORWARD_CLAMP,
    FORWARD_PRODUCT,
    FORWARD_IN_PLACE,
    FORWARD_VIEW, /* with a new dim */
    FORWARD_SUM,
    FORWARD_CHOICE, /* by needs_input_grad */
    FORWARD_COUNT
} Forward;

/* The names inside of all functions. */
typedef enum Inner {
    OPERAND,
    OTHER,
    RESULT,
    SECOND,
    PART,
    GRADIENT,
    SECOND_GRADIENT,
    GRADIENT_OPERAND,
    GRADIENT_OTHER,
    INNER_COUNT
} Inner;

typedef struct Draft {
    Gen *g;
    Function *f;
    NameId name[INNER_COUNT];
    Forward forward;
    bool two;            /* operands */
    bool second_is_like; /* the second result is a float of the operand's size */
    bool saved[INNER_COUNT];
} Draft;

/* ---- building ---- */

static NameId inner_name(Gen *g, char prefix, int number) {
    for (int i = 0; i < g->nnames; i++) {
        if (g->names[i][0] == prefix && g->names[i][1] == '0' + number && !g->names[i][2]) {
            return i;
        }
    }
    return gen_name(g, prefix, number);
}

static void append(Block *block, Stmt *s) {
    Stmt *tail = NULL;
    block_append(block, s, &tail);
}

static Stmt *apply_op(Draft *d, Block *block, OpId id, Inner self, Inner out) {
    Stmt *s = stmt_op(d->g, id);
    s->arg[0] = (PArg){.given = true, .is_tensor = true, .tensor = d->name[self]};
    s->out = arena_array(d->g->arena, NameId, 1);
    s->out[0] = d->name[out];
    s->nout = 1;
    append(block, s);
    return s;
}

static void apply_op2(Draft *d, Block *block, OpId id, Inner self, Inner other, Inner out) {
    Stmt *s = apply_op(d, block, id, self, out);
    s->arg[1] = (PArg){.given = true, .is_tensor = true, .tensor = d->name[other]};
}

static NameId *name_array(Draft *d, Inner first, bool both, Inner second, int *n) {
    NameId *v = arena_array(d->g->arena, NameId, 2);
    v[0] = d->name[first];
    v[1] = d->name[second];
    *n = both ? 2 : 1;
    return v;
}

static void add_inner_name(Draft *d, NameId **names, int *n, Inner name) {
    NameId *more = arena_array(d->g->arena, NameId, *n + 1);
    if (*n > 0) {
        memcpy(more, *names, sizeof *more * (size_t)*n);
    }
    more[*n] = d->name[name];
    *names = more;
    ++*n;
}

/* ---- the forward ---- */

static const OpId unary[] = {OP_clone,  OP_neg,   OP_sin,  OP_tanh,
                             OP_square, OP_round, OP_sign, OP_abs};

static void draw_forward(Draft *d) {
    Gen *g = d->g;
    Block *to = &d->f->forward;
    if (draw_chance(g, 6)) { /* what is recorded there is lost */
        Stmt *with = stmt_new(g, STMT_WITH);
        with->grad_enabled = true;
        append(to, with);
        to = &with->body;
    }
    switch (d->forward) {
    case FORWARD_UNARY:
        apply_op(d, to, unary[draw_below(g, COUNT_OF(unary))], OPERAND, RESULT);
        break;
    case FORWARD_SCALE:
        set_scalar(apply_op(d, to, OP_mul_Scalar, OPERAND, RESULT), 1,
                   scalar_int(draw_between(g, 2, 3)));
        break;
    case FORWARD_CLAMP: {
        Stmt *s = apply_op(d, to, OP_clamp, OPERAND, RESULT);
        set_scalar(s, 1, scalar_int(-1));
        set_scalar(s, 2, scalar_int(1));
        break;
    }
    case FORWARD_PRODUCT:
        apply_op2(d, to, draw_chance(g, 70) ? OP_mul_Tensor : OP_sub_Tensor, OPERAND, OTHER,
                  RESULT);
        break;
    case FORWARD_IN_PLACE:
        if (d->two && draw_chance(g, 50)) {
            apply_op2(d, to, OP_add__Tensor, OPERAND, OTHER, RESULT);
        } else {
            set_scalar(apply_op(d, to, OP_mul__Scalar, OPERAND, RESULT), 1, scalar_int(2));
        }
        break;
    case FORWARD_VIEW:
        set_int(apply_op(d, to, OP_unsqueeze, OPERAND, RESULT), 1, 0);
        break;
    case FORWARD_SUM:
        apply_op(d, to, OP_sum, OPERAND, RESULT);
        break;
    case FORWARD_CHOICE: {
        Stmt *branch = stmt_new(g, STMT_IF);
        branch->predicate = (Predicate){.kind = PRED_needs_input_grad, .of = NAME_NONE, .dim = 0};
        branch->has_else = true;
        append(to, branch);
        apply_op(d, &branch->body, OP_neg, OPERAND, RESULT);
        apply_op(d, &branch->orelse, OP_clone, OPERAND, RESULT);
        break;
    }
    case FORWARD_OPERAND:
    case FORWARD_COUNT:
        break;
    }
}

/* The second result: another one of the operand, the same one, a view of it, a mask, the operand.
 */
static void draw_second(Draft *d) {
    Gen *g = d->g;
    Block *to = &d->f->forward;
    int which = draw_below(g, 5);
    d->second_is_like = which != 0;
    if (which == 0) {
        set_scalar(apply_op(d, to, OP_gt_Scalar, OPERAND, SECOND), 1, scalar_int(0));
    } else if (which == 1) {
        apply_op(d, to, OP_alias, OPERAND, SECOND);
    } else if (which == 2 && d->two) {
        d->name[SECOND] = d->name[OTHER];
    } else {
        set_scalar(apply_op(d, to, OP_mul_Scalar, OPERAND, SECOND), 1, scalar_int(3));
    }
}

static void draw_save(Draft *d) {
    static const struct {
        Inner name;
        int percent;
    } may[] = {{OPERAND, 45}, {OTHER, 45}, {RESULT, 35}, {SECOND, 15}};
    for (int i = 0; i < COUNT_OF(may); i++) {
        Inner name = may[i].name;
        bool there = name == OTHER ? d->two : name == SECOND ? d->f->nreturns > 1 : true;
        if (there && draw_chance(d->g, may[i].percent)) {
            d->saved[name] = true;
            add_inner_name(d, &d->f->save, &d->f->nsave, name);
        }
    }
}

/* ---- the backward ---- */

/* The gradient brought to the operand's size: under which name it is then. */
static Inner shape_gradient(Draft *d, Block *to, Inner gradient, const Tensor *like) {
    if (gradient == GRADIENT && d->forward == FORWARD_VIEW) {
        set_int(apply_op(d, to, OP_squeeze_dim, gradient, PART), 1, 0);
        return PART;
    }
    if (gradient == GRADIENT && d->forward == FORWARD_SUM) {
        set_ints(d->g, apply_op(d, to, OP_expand, gradient, PART), 1, like->size, like->ndim);
        return PART;
    }
    return gradient;
}

bool draw_grad_writes(Gen *g) {
    int chance = g->w[W_grad_writes];
    return chance == 100 || draw_chance(g, chance);
}

/* `out` becomes something made of the gradient. */
static void draw_gradient(Draft *d, Block *to, Inner gradient, Inner out) {
    Gen *g = d->g;
    bool elementwise = d->forward != FORWARD_VIEW && d->forward != FORWARD_SUM;
    int which = draw_below(g, 8);
    if (which < 2 && d->saved[OPERAND]) {
        apply_op2(d, to, OP_mul_Tensor, gradient, OPERAND, out);
    } else if (which < 4 && d->saved[OTHER]) {
        apply_op2(d, to, OP_mul_Tensor, OTHER, gradient, out);
    } else if (which < 5 && d->saved[RESULT] && elementwise) {
        apply_op2(d, to, OP_mul_Tensor, gradient, RESULT, out);
    } else if (which < 6) {
        apply_op(d, to, OP_neg, gradient, out);
    } else if (which == 6) {
        Stmt *s = apply_op(d, to, OP_clamp, gradient, out);
        set_scalar(s, 1, scalar_float(-0.5));
        set_scalar(s, 2, scalar_float(0.5));
    } else {
        bool writes = draw_chance(g, 40) && d->forward != FORWARD_SUM && draw_grad_writes(g);
        set_scalar(apply_op(d, to, writes ? OP_mul__Scalar : OP_mul_Scalar, gradient, out), 1,
                   scalar_int(2));
    }
}

/* A block that runs where the gradient is not None. */
static Block *guarded(Draft *d, Block *to, Inner gradient) {
    Stmt *branch = stmt_new(d->g, STMT_IF);
    Predicate *inner = arena_new(d->g->arena, Predicate);
    *inner = (Predicate){.kind = PRED_is_none, .of = d->name[gradient]};
    branch->predicate = (Predicate){.kind = PRED_not, .of = NAME_NONE, .inner = inner};
    append(to, branch);
    return &branch->body;
}

static NameId draw_operand_gradient(Draft *d, int operand, const Tensor *like) {
    Gen *g = d->g;
    Function *f = d->f;
    bool second = f->nreturns > 1 && d->second_is_like;
    Inner gradient = second && draw_chance(g, operand ? 60 : 25) ? SECOND_GRADIENT : GRADIENT;
    Inner out = operand ? GRADIENT_OTHER : GRADIENT_OPERAND;
    Block *to = &f->backward;
    if (draw_chance(g, operand ? 15 : 4) || (f->undefined_grads && operand && !second)) {
        return NAME_NONE;
    }
    if (f->undefined_grads && !draw_chance(g, 5)) {
        gradient = operand ? SECOND_GRADIENT : GRADIENT;
        out = gradient; /* stays None where it is */
        to = guarded(d, to, gradient);
    }
    if (draw_chance(g, 10)) { /* passed on */
        return d->name[shape_gradient(d, to, gradient, like)];
    }
    if (draw_chance(g, 12) && !f->undefined_grads) { /* where somebody wants it, else None */
        Stmt *branch = stmt_new(g, STMT_IF);
        branch->predicate =
            (Predicate){.kind = PRED_needs_input_grad, .of = NAME_NONE, .dim = operand};
        branch->has_else = true;
        append(to, branch);
        apply_op(d, &branch->orelse, OP_clone, gradient, out);
        to = &branch->body;
    }
    if (second && gradient == GRADIENT && draw_chance(g, 30) && !f->undefined_grads) {
        Inner part = shape_gradient(d, to, gradient, like);
        apply_op2(d, to, OP_add_Tensor, part, SECOND_GRADIENT, out);
        return d->name[out];
    }
    draw_gradient(d, to, shape_gradient(d, to, gradient, like), out);
    return d->name[out];
}

static void draw_backward(Draft *d, const Tensor *like) {
    Function *f = d->f;
    f->grad_inputs = arena_array(d->g->arena, NameId, f->nparams);
    for (int i = 0; i < f->nparams; i++) {
        f->grad_inputs[i] = draw_operand_gradient(d, i, like);
    }
}

/* ---- the function ---- */

static Function *new_function(Gen *g) {
    Program *p = g->p;
    Function *all = arena_array(g->arena, Function, p->nfunctions + 1);
    if (p->nfunctions > 0) {
        memcpy(all, p->functions, sizeof *all * (size_t)p->nfunctions);
    }
    p->functions = all;
    return &all[p->nfunctions++];
}

static void draw_options(Draft *d) {
    Gen *g = d->g;
    Function *f = d->f;
    if (draw_chance(g, d->forward == FORWARD_IN_PLACE ? 100 - g->w[W_unmarked] : 1)) {
        add_inner_name(d, &f->dirty, &f->ndirty, OPERAND);
    }
    if (f->nreturns > 1 && draw_chance(g, d->second_is_like ? 25 : 60)) {
        add_inner_name(d, &f->non_differentiable, &f->nnon_differentiable, SECOND);
    } else if (draw_chance(g, 4)) {
        add_inner_name(d, &f->non_differentiable, &f->nnon_differentiable, RESULT);
    }
    f->undefined_grads = draw_chance(g, 20);
    f->once_differentiable = draw_chance(g, 12);
}

/* Draws a function of `two` operands that are like `like`; what it does forward. */
static Draft draw_function(Gen *g, const Tensor *like, bool two) {
    static const char prefix[INNER_COUNT + 1] = "abyztghpq";
    static const int weight[FORWARD_COUNT] = {
        [FORWARD_OPERAND] = 14, [FORWARD_UNARY] = 22,   [FORWARD_SCALE] = 14,
        [FORWARD_CLAMP] = 8,    [FORWARD_PRODUCT] = 22, [FORWARD_IN_PLACE] = 14,
        [FORWARD_VIEW] = 6,     [FORWARD_SUM] = 6,      [FORWARD_CHOICE] = 5};
    Draft d = {.g = g, .two = two};
    for (int i = 0; i < INNER_COUNT; i++) {
        d.name[i] = inner_name(g, prefix[i], 0);
    }
    NameId name = inner_name(g, 'f', g->p->nfunctions);
    Function *f = d.f = new_function(g);
    f->name = name;
    f->params = name_array(&d, OPERAND, two, OTHER, &f->nparams);
    d.forward = (Forward)draw_weighted(g, weight, FORWARD_COUNT);
    d.forward = d.forward == FORWARD_PRODUCT && !two ? FORWARD_UNARY : d.forward;
    bool second = draw_chance(g, d.forward == FORWARD_IN_PLACE ? 10 : 30);
    draw_forward(&d);
    if (d.forward == FORWARD_OPERAND) {
        d.name[RESULT] = d.name[OPERAND];
    }
    if (second) {
        draw_second(&d);
    }
    f->returns = name_array(&d, RESULT, second, SECOND, &f->nreturns);
    f->grad_outputs = name_array(&d, GRADIENT, second, SECOND_GRADIENT, &f->nreturns);
    draw_save(&d);
    draw_options(&d);
    draw_backward(&d, like);
    return d;
}

/* ---- the statement ---- */

static bool takes_operand(const Gen *g, const GenVar *v) {
    (void)g;
    return !v->fuzzy && dtype_is_float(v->t->dtype);
}

/* The first result of a dirty function is its operand under another name. */
static void bind_dirty(Gen *g, NameId name, const GenVar *operand, bool recorded, uint64_t from) {
    GenVar copy = *operand;
    Data *data = &g->data[copy.data];
    data->lo = -HUGE_VAL;
    data->hi = HUGE_VAL;
    data->bits = BITS_INEXACT;
    if (recorded) {
        g->base[copy.base].requires_grad = true;
        g->base[copy.base].leaf = false;
        g->base[copy.base].from |= from;
    }
    GenVar *v = gen_var(g, name, copy.t, copy.data, copy.base);
    v->view = copy.view;
    v->multi = copy.multi;
    v->no_grad = copy.no_grad;
}

static void bind_result(Gen *g, NameId name, const Draft *d, int nr, const GenVar *operand,
                        bool recorded, uint64_t from) {
    Tensor *t = arena_copy(g->arena, operand->t, (int64_t)sizeof *operand->t);
    int64_t size[MAX_DIMS];
    bool mask = nr > 0 && !d->second_is_like;
    int ndim = 0;
    if (nr == 0 && d->forward == FORWARD_VIEW) {
        size[ndim++] = 1;
    }
    for (int i = 0; i < t->ndim && !(nr == 0 && d->forward == FORWARD_SUM); i++) {
        size[ndim++] = t->size[i];
    }
    tensor_set_contiguous(t, mask ? DT_bool : t->dtype, size, ndim);
    int data = mask ? gen_data(g, 0, 1, 0, tensor_numel(t))
                    : gen_data(g, -HUGE_VAL, HUGE_VAL, BITS_INEXACT, tensor_numel(t));
    bool differentiable = recorded && !mask && !(nr > 0 && d->f->nnon_differentiable > 0);
    GenVar *v = gen_var(g, name, t, data, gen_base(g, differentiable, !differentiable));
    g->base[v->base].from |= differentiable ? from : 0;
    v->multi = d->forward == FORWARD_OPERAND || d->forward == FORWARD_VIEW || nr > 0;
}

void draw_apply(Gen *g) {
    GenVar *a = draw_var(g, takes_operand), *b = NULL;
    if (a == NULL || !gen_room(g) || g->nnames + 30 > GEN_NAMES || g->p->nfunctions >= 8 ||
        a->t->ndim + 1 > MAX_DIMS) {
        return;
    }
    if (draw_chance(g, 50)) {
        b = draw_chance(g, 8)
                ? a
                : draw_need(g,
                            (Need){.dtype = a->t->dtype, .ndim = a->t->ndim, .size = a->t->size});
    }
    if (!gen_room(g)) {
        return;
    }
    Draft d = draw_function(g, a->t, b != NULL);
    const Function *f = d.f;
    bool writes = d.forward == FORWARD_IN_PLACE;
    bool requires_grad = gen_var_requires_grad(g, a) || (b != NULL && gen_var_requires_grad(g, b));
    if (writes && !var_writable(g, a, requires_grad) && !draw_chance(g, 8)) {
        g->p->nfunctions--;
        return;
    }
    bool recorded = g->grad && requires_grad;
    uint64_t from = g->base[a->base].from | (b != NULL ? g->base[b->base].from : 0);
    Stmt *s = stmt_new(g, STMT_APPLY);
    s->apply = arena_new(g->arena, ApplyStmt);
    s->apply->function = g->p->nfunctions - 1;
    s->apply->noperands = f->nparams;
    s->apply->operands = arena_array(g->arena, NameId, 2);
    s->apply->operands[0] = a->name;
    s->apply->operands[1] = b != NULL ? b->name : NAME_NONE;
    s->out_list = true;
    s->nout = f->nreturns;
    s->out = arena_array(g->arena, NameId, 2);
    a->spent = true;
    if (b != NULL) {
        b->spent = true;
    }
    g->data[a->data].saved |= recorded && d.saved[OPERAND];
    for (int i = 0; i < s->nout; i++) {
        s->out[i] = gen_fresh_name(g);
        if (i == 0 && writes) {
            bind_dirty(g, s->out[i], a, recorded, from);
        } else {
            bind_result(g, s->out[i], &d, i, a, recorded, from);
        }
    }
    stmt_append(g, s);
}
