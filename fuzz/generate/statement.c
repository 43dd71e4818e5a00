/* Statement kinds: ops, probes, assertions, branches on metadata, grad-mode blocks, graph breaks.
 *
 * A branch is drawn with the arm that the guesses say is not taken first, whose effects on the
 * guesses are then undone. */
#include "fuzz/generate/draw.h"

#include <string.h>

/* ---- probes and predicates ---- */

static void append_probe(Gen *g, ProbeKind kind, const GenVar *v) {
    Stmt *s = stmt_new(g, STMT_PROBE);
    s->probe = kind;
    s->of = kind == PROBE_is_grad_enabled ? NAME_NONE : v->name;
    stmt_append(g, s);
}

void draw_probe(Gen *g, ProbeKind kind, const GenVar *v) {
    if (!g->situation.late_probes) {
        append_probe(g, kind, v);
    } else if (g->nlate < GEN_LATE && g->depth == 0) { /* the guesses of a block may not hold */
        g->late[g->nlate].kind = kind;
        g->late[g->nlate++].of = v;
    }
}

void draw_late_probes(Gen *g) {
    for (int i = 0; i < g->nlate; i++) {
        if (!g->late[i].of->dead) {
            append_probe(g, g->late[i].kind, g->late[i].of);
        }
    }
}

static bool statement_accept_any(const Gen *g, const GenVar *v) {
    (void)g;
    (void)v;
    return true;
}

static void random_probe(Gen *g) {
    static const int weight[PROBE_COUNT] = {
        [PROBE_requires_grad] = 22, [PROBE_is_leaf] = 14, [PROBE_has_grad_fn] = 14,
        [PROBE_is_contiguous] = 8,  [PROBE_size] = 4,     [PROBE_stride] = 10,
        [PROBE_storage_offset] = 7, [PROBE_dtype] = 5,    [PROBE_version] = 12,
        [PROBE_is_grad_enabled] = 4};
    GenVar *v = draw_var(g, statement_accept_any);
    if (v != NULL) {
        ProbeKind kind = (ProbeKind)draw_weighted(g, weight, PROBE_COUNT);
        draw_probe(g, kind == PROBE_version && g->data[v->data].gradient ? PROBE_stride : kind, v);
    }
}

Predicate flag_predicate(Gen *g, PredicateKind kind, const GenVar *v) {
    Predicate p = {.kind = kind, .of = v->name};
    if (draw_chance(g, 25)) {
        Predicate *inner = arena_new(g->arena, Predicate);
        *inner = p;
        p = (Predicate){.kind = PRED_not, .of = NAME_NONE, .inner = inner};
    }
    return p;
}

static bool guess_has_grad_fn(const Gen *g, const GenVar *v) {
    const Base *base = &g->base[v->base];
    if (!dtype_is_float(v->t->dtype)) {
        return false;
    }
    return v->view ? base->requires_grad && !v->no_grad : !base->leaf;
}

bool predicate_guess(const Gen *g, const Predicate *p) {
    if (p->kind == PRED_not) {
        return !predicate_guess(g, p->inner);
    }
    if (p->kind == PRED_is_grad_enabled) {
        return g->grad;
    }
    const GenVar *v = NULL;
    for (int i = g->nvars - 1; i >= 0 && v == NULL; i--) {
        v = g->var[i].name == p->of && !g->var[i].dead ? &g->var[i] : NULL;
    }
    if (v == NULL) {
        return false;
    }
    switch (p->kind) {
    case PRED_requires_grad:
        return gen_var_requires_grad(g, v);
    case PRED_is_leaf:
        return !guess_has_grad_fn(g, v);
    case PRED_has_grad_fn:
        return guess_has_grad_fn(g, v);
    case PRED_is_contiguous:
        return tensor_is_contiguous(v->t);
    case PRED_dtype:
        return v->t->dtype == p->dtype;
    case PRED_dim:
        return v->t->ndim == p->dim;
    default:
        return false;
    }
}

static Predicate random_predicate(Gen *g, const GenVar *v) {
    static const int weight[] = {[PRED_requires_grad] = 40,
                                 [PRED_is_leaf] = 14,
                                 [PRED_has_grad_fn] = 14,
                                 [PRED_is_contiguous] = 12,
                                 [PRED_is_grad_enabled] = 8,
                                 [PRED_dtype] = 6,
                                 [PRED_dim] = 6};
    Predicate p = flag_predicate(g, (PredicateKind)draw_weighted(g, weight, COUNT_OF(weight)), v);
    Predicate *at = p.kind == PRED_not ? p.inner : &p;
    if (at->kind == PRED_dtype) {
        at->dtype = draw_chance(g, 60) ? v->t->dtype : draw_dtype(g);
    } else if (at->kind == PRED_dim) {
        at->dim = draw_chance(g, 60) ? v->t->ndim : draw_below(g, 4);
    } else if (at->kind == PRED_is_grad_enabled) {
        at->of = NAME_NONE;
    }
    return p;
}

void draw_assert(Gen *g, Predicate predicate, bool wrong) {
    if (predicate_guess(g, &predicate) == wrong) {
        if (predicate.kind == PRED_not) {
            predicate = *predicate.inner;
        } else {
            Predicate *inner = arena_new(g->arena, Predicate);
            *inner = predicate;
            predicate = (Predicate){.kind = PRED_not, .of = NAME_NONE, .inner = inner};
        }
    }
    Stmt *s = stmt_new(g, STMT_ASSERT);
    s->predicate = predicate;
    stmt_append(g, s);
}

void draw_flag_check(Gen *g, GenVar *v) {
    static const PredicateKind kind[] = {PRED_requires_grad, PRED_requires_grad, PRED_is_leaf,
                                         PRED_has_grad_fn};
    static const ProbeKind probe[] = {PROBE_requires_grad, PROBE_requires_grad, PROBE_is_leaf,
                                      PROBE_has_grad_fn};
    int which = draw_below(g, COUNT_OF(kind));
    int r = draw_below(g, 100);
    if (r < 55) {
        draw_probe(g, probe[which], v);
    } else if (r < 80) {
        draw_assert(g, flag_predicate(g, kind[which], v), false);
    } else {
        Predicate p = flag_predicate(g, kind[which], v);
        GenVar *made = draw_branch(g, &p, v);
        if (made != NULL && draw_chance(g, 60)) {
            want_return(g, made);
        }
    }
}

/* ---- blocks ---- */

/* Binds `out` to something made of `self`, in one or two statements. */
static GenVar *arm_value(Gen *g, GenVar *self, NameId out) {
    static const OpId form[] = {OP_mul_Scalar, OP_neg, OP_clone, OP_add_Scalar, OP_detach};
    GenVar *from = self;
    if (draw_chance(g, 30)) {
        Stmt *s = stmt_op(g, OP_detach);
        set_tensor(s, 0, self);
        from = stmt_commit(g, s, NAME_NONE);
        if (from == NULL) {
            return NULL;
        }
    }
    Stmt *s = stmt_op(g, form[draw_below(g, COUNT_OF(form))]);
    set_tensor(s, 0, from);
    if (s->op->nparam > 1 && s->op->param[1].type == ARG_SCALAR) {
        set_scalar(s, 1, scalar_int(draw_between(g, 2, 4)));
    }
    GenVar *v = stmt_commit(g, s, out);
    if (v == NULL) { /* neg of bool */
        s = stmt_op(g, OP_clone);
        set_tensor(s, 0, from);
        v = stmt_commit(g, s, out);
    }
    return v;
}

static void retire(Gen *g, int from, NameId keep) {
    for (int i = from; i < g->nvars; i++) {
        if (g->var[i].name != keep && !g->base[g->var[i].base].input) {
            g->var[i].dead = true;
        }
    }
}

static GenVar *draw_arm(Gen *g, Block *block, GenVar *self, NameId out) {
    OpenBlock outer = block_open(g, block);
    GenVar *v = NULL;
    int n = self != NULL ? draw_below(g, 2) : 1 + draw_below(g, 2);
    for (int i = 0; i < n; i++) {
        draw_op(g);
    }
    if (self != NULL) {
        v = arm_value(g, self, out);
    }
    block_close(g, outer);
    return v;
}

GenVar *draw_branch(Gen *g, const Predicate *predicate, GenVar *self) {
    if (!gen_room(g) || g->depth > 2) {
        return NULL;
    }
    Stmt *s = stmt_new(g, STMT_IF);
    s->predicate = *predicate;
    bool taken = predicate_guess(g, predicate);
    NameId out = self != NULL ? gen_fresh_name(g) : NAME_NONE;
    s->has_else = self != NULL || draw_chance(g, 60);
    if (!taken || s->has_else) {
        int nvars = g->nvars, ndata = g->ndata, nbases = g->nbases;
        Data data[GEN_GUESSES];
        Base base[GEN_GUESSES];
        memcpy(data, g->data, sizeof data[0] * (size_t)ndata);
        memcpy(base, g->base, sizeof base[0] * (size_t)nbases);
        bool outer = g->untaken;
        g->untaken = true;
        draw_arm(g, taken ? &s->orelse : &s->body, self, out);
        g->untaken = outer;
        memcpy(g->data, data, sizeof data[0] * (size_t)ndata);
        memcpy(g->base, base, sizeof base[0] * (size_t)nbases);
        g->nvars = nvars;
        g->ndata = ndata;
        g->nbases = nbases;
    }
    GenVar *v = NULL;
    if (taken || s->has_else) {
        int first = g->nvars;
        v = draw_arm(g, taken ? &s->body : &s->orelse, self, out);
        retire(g, first, v != NULL ? out : NAME_NONE);
    }
    if (s->body.count == 0 && s->orelse.count == 0) {
        return NULL;
    }
    stmt_append(g, s);
    return v;
}

/* An op; if it wrote, perhaps a flag check right after it. */
static void draw_written_op(Gen *g) {
    GenVar *v = draw_op(g);
    if (v != NULL && g->situation.related && draw_chance(g, 40)) {
        draw_related(g, g->tail);
        return;
    }
    if (v != NULL && g->situation.overwrite && draw_chance(g, 30)) {
        draw_overwrite(g, g->tail);
        return;
    }
    if (v != NULL && g->tail->op->param[0].writes && gen_room(g) &&
        draw_chance(g, g->w[W_question])) {
        draw_flag_check(g, v);
    }
}

/* Are all statements ops, and, unless `writes`, ops that write nothing? */
static bool is_function_block(const Block *block, bool writes) {
    for (const Stmt *s = block->first; s != NULL; s = s->next) {
        for (int i = 0; s->kind == STMT_OP && i < s->op->nparam; i++) {
            if (s->op->param[i].writes && !writes) {
                return false;
            }
        }
        if (s->kind != STMT_OP) {
            return false;
        }
    }
    return true;
}

/* The contexts of contexts.def, and the weight that draws each. */
static const struct {
    BlockContext context;
    Weight weight;
} GROUPED[] = {
#define CONTEXT(name, group, kind, values, code) {CONTEXT_##name, W_##group},
#include "program/lang/contexts.def"
};

/* One of the contexts of a weight. */
static BlockContext draw_of_group(Gen *g, Weight weight) {
    BlockContext of[COUNT_OF(GROUPED)];
    int n = 0;
    for (int i = 0; i < COUNT_OF(GROUPED); i++) {
        if (GROUPED[i].weight == weight) {
            of[n++] = GROUPED[i].context;
        }
    }
    return of[draw_below(g, n)];
}

static BlockContext draw_context(Gen *g) {
    static const Weight groups[] = {W_transform, W_complex, W_item, W_training, W_region};
    if (draw_feature(g, g->w[W_autocast])) {
        return CONTEXT_autocast;
    }
    if (draw_feature(g, g->w[W_checkpoint])) {
        return CONTEXT_checkpoint;
    }
    for (int i = 0; i < COUNT_OF(groups); i++) {
        if (draw_feature(g, g->w[groups[i]])) {
            return draw_of_group(g, groups[i]);
        }
    }
    return CONTEXT_grad_mode;
}

static void draw_context_block(Gen *g) {
    Stmt *s = stmt_new(g, STMT_WITH);
    bool pure = g->pure, is_complex = g->complex;
    s->context = draw_context(g);
    if (s->context == CONTEXT_autocast) {
        s->autocast = draw_chance(g, 75) ? DT_bfloat16 : DT_float16;
    } else if (s->context == CONTEXT_checkpoint) {
        s->reentrant = draw_chance(g, 30);
    } else if (s->context == CONTEXT_grad_mode) {
        s->grad_enabled = draw_chance(g, g->grad ? 20 : 75);
    }
    OpenBlock outer = block_open(g, &s->body);
    g->grad = s->context == CONTEXT_grad_mode ? s->grad_enabled : g->grad;
    bool ops = context_is_function(s->context, NULL); /* otherwise it is run in place */
    bool writes = s->context == CONTEXT_checkpoint && draw_feature(g, g->w[W_checkpoint_writes]);
    g->pure |= ops && !writes;
    g->complex |= s->context == CONTEXT_complex || s->context == CONTEXT_conjugate;
    int n = 1 + draw_below(g, 3);
    for (int i = 0; i < n; i++) {
        if (!ops && draw_chance(g, 15)) {
            random_probe(g);
        } else if (!ops && g->depth < 3 && draw_chance(g, g->w[W_nest])) {
            draw_context_block(g);
        } else {
            draw_written_op(g);
        }
    }
    block_close(g, outer);
    g->pure = pure;
    g->complex = is_complex;
    if (ops && !is_function_block(&s->body, writes)) {
        s->context = CONTEXT_grad_mode;
        s->grad_enabled = g->grad;
        s->reentrant = false;
    }
    if (s->body.count > 0) {
        stmt_append(g, s);
    }
}

void draw_statement(Gen *g) {
    Weight kind = (Weight)(W_stmt_op + draw_share(g, W_stmt_op, W_stmt_hook));
    if (kind == W_stmt_op || g->depth > 2) {
        draw_written_op(g);
    } else if (kind == W_stmt_probe) {
        random_probe(g);
    } else if (kind == W_stmt_assert) {
        GenVar *v = draw_var(g, statement_accept_any);
        if (v != NULL) {
            Predicate predicate = random_predicate(g, v);
            draw_assert(g, predicate, draw_chance(g, 1));
        }
    } else if (kind == W_stmt_branch) {
        GenVar *v = draw_var(g, statement_accept_any);
        if (v != NULL) {
            Predicate p = random_predicate(g, v);
            draw_branch(g, &p, draw_chance(g, 50) && !v->fuzzy ? v : NULL);
        }
    } else if (kind == W_stmt_grad_mode) {
        draw_context_block(g);
    } else if (kind == W_stmt_grad) {
        draw_grad(g, (GradForm){NULL, NULL, 60, 88});
    } else if (kind == W_stmt_apply) {
        draw_apply(g);
    } else if (kind == W_stmt_hook) {
        draw_hook(g);
    } else {
        stmt_append(g, stmt_new(g, STMT_GRAPH_BREAK));
    }
}
