/* Walks over the statements that note by name what goes through which memory. */
#include "harness/triage/needs.h"

#include "program/lang/uses.h"

#include <fnmatch.h>

/* Is what the statement binds memory of its first operand, or may it be? */
static bool may_return_view(const OpInfo *op) {
    return op->kind == KIND_VIEW || op->kind == KIND_MULTI_VIEW || op->kind == KIND_INPLACE ||
           op->kind == KIND_INPLACE_VIEW || op->kind == KIND_META || op->kind == KIND_STORAGE ||
           op->kind == KIND_COMPOSITE;
}

static bool any_through(const Param *param, const PArg *arg, const bool *through) {
    if (!arg->given || !arg->is_tensor) {
        return false;
    }
    if (param->type != ARG_TENSORS && param->type != ARG_TENSORS_OPT) {
        return through[arg->tensor];
    }
    bool any = false;
    for (int i = 0; i < arg->tensors.n; i++) {
        any |= arg->tensors.v[i] != NAME_NONE && through[arg->tensors.v[i]];
    }
    return any;
}

/* Notes by name which results go through such an op. Is something written that does? */
static bool see_through(const Stmt *s, const char *pattern, bool *through) {
    bool written = false, of_view = false;
    for (int k = 0; k < s->op->nparam; k++) {
        bool view = any_through(&s->op->param[k], &s->arg[k], through);
        written |= view && s->op->param[k].writes && s->op->kind != KIND_META;
        of_view |= view && k == 0;
    }
    bool own = fnmatch(pattern, s->op->name, 0) == 0;
    for (int i = 0; i < s->nout; i++) {
        through[s->out[i]] = may_return_view(s->op) && (own || of_view);
    }
    return written;
}

bool program_writes_through(const Program *p, const char *pattern) {
    Arena arena = ARENA_EMPTY;
    bool *through = arena_array(&arena, bool, p->nnames + 1), found = false;
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        const Stmt *s = program_stmt(p, sid);
        found = s->kind == STMT_OP && see_through(s, pattern, through);
    }
    arena_destroy(&arena);
    return found;
}

/* By name: the tensor whose memory it is, and whether such an op has read that tensor. */
typedef struct Operands {
    NameId *root;
    bool *read;
    bool *counts;             /* whether it matters that the tensor is overwritten */
    bool writes, overwritten; /* of the statement */
} Operands;

static void note_overwritten_operand(void *user, NameId *name, Use use) {
    Operands *o = user;
    if (use == USE_WRITE && *name != NAME_NONE) {
        o->writes = true;
        o->overwritten |= o->read[o->root[*name]] && o->counts[o->root[*name]];
    }
}

static void note_read_operand(void *user, NameId *name, Use use) {
    Operands *o = user;
    if (use == USE_READ && *name != NAME_NONE) {
        o->read[o->root[*name]] = true;
    }
}

/* Is an operand written that such an op has read? Notes what the statement reads, and what its
 * results are views of. */
static bool see_operands(Stmt *s, const char *pattern, Operands *o) {
    o->writes = o->overwritten = false;
    stmt_uses(s, note_overwritten_operand, o);
    bool view = s->op->returns_alias && s->arg[0].given && s->arg[0].is_tensor &&
                s->op->param[0].type == ARG_TENSOR;
    if (!view && !o->writes && fnmatch(pattern, s->op->name, 0) == 0) {
        stmt_uses(s, note_read_operand, o);
    }
    for (int i = 0; i < s->nout; i++) {
        NameId self = s->out[i];
        o->root[self] = view ? o->root[s->arg[0].tensor] : self;
        o->read[self] &= view;
    }
    return o->overwritten && s->op->kind != KIND_META && s->op->kind != KIND_INPLACE_VIEW;
}

static bool overwrites_one(const Program *p, const char *pattern, Operands *o, Arena *arena) {
    o->root = arena_array(arena, NameId, p->nnames + 1);
    o->read = arena_array(arena, bool, p->nnames + 1);
    bool found = false;
    for (int i = 0; i < p->nnames; i++) {
        o->root[i] = i;
    }
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        Stmt *s = program_stmt(p, sid);
        found = s->kind == STMT_OP && see_operands(s, pattern, o);
    }
    return found;
}

bool program_overwrites_operand(const Program *p, const char *pattern, bool argument) {
    Arena arena = ARENA_EMPTY;
    Operands o = {.counts = arena_array(&arena, bool, p->nnames + 1)};
    for (int i = 0; i < p->nnames; i++) {
        o.counts[i] = !argument;
    }
    for (int i = 0; i < p->ninputs; i++) {
        o.counts[p->inputs[i].name] = true;
    }
    for (int i = 0; i < p->nargs; i++) {
        o.counts[p->args[i]] = true;
    }
    bool found = overwrites_one(p, pattern, &o, &arena);
    arena_destroy(&arena);
    return found;
}

static bool share_memory(const Input *a, const Input *b) {
    return a->storage != NAME_NONE && a->storage == b->storage;
}

/* Do two inputs lie otherwise to each other in this call than in the first? */
static bool is_shared_otherwise(const Input *first, const Input *later, int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            bool shared = share_memory(&later[i], &later[k]);
            int64_t before = first[i].offset - first[k].offset,
                    after = later[i].offset - later[k].offset;
            if (shared != share_memory(&first[i], &first[k]) || (shared && before != after)) {
                return true;
            }
        }
    }
    return false;
}

bool program_changes_sharing(const Program *p) {
    int nfirst, nlater;
    bool grad_mode, found = false;
    const Input *first = program_call_inputs(p, 0, &nfirst, &grad_mode);
    for (int call = 1; call <= p->nrecalls && !found; call++) {
        const Input *later = program_call_inputs(p, call, &nlater, &grad_mode);
        found = is_shared_otherwise(first, later, nlater < nfirst ? nlater : nfirst);
    }
    return found;
}

bool program_shares_memory(const Program *p) {
    bool any = false, grad_mode;
    for (int call = 0; call <= p->nrecalls && !any; call++) {
        int n;
        const Input *inputs = program_call_inputs(p, call, &n, &grad_mode);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++) {
                any |= share_memory(&inputs[i], &inputs[k]);
            }
        }
    }
    return any;
}

/* By name: the tensor whose memory it is; whether the function has made it; and, for the former,
 * whether the function has written it. */
typedef struct ResultNames {
    NameId *root;
    bool *made, *written;
} ResultNames;

static void note_result_name(void *user, NameId *name, Use use) {
    ResultNames *o = user;
    if (*name == NAME_NONE) {
        return;
    }
    o->written[o->root[*name]] |= use == USE_WRITE;
    if (use == USE_BIND) {
        o->root[*name] = *name;
        o->made[*name] = true;
    }
}

/* Is one of the inputs of torch.autograd.grad a result? */
static bool wants_grad_of_result(const GradStmt *g, const ResultNames *o) {
    bool any = false;
    for (int i = 0; i < g->ninputs && !g->accumulates; i++) {
        any |= o->made[g->inputs[i]] || o->written[o->root[g->inputs[i]]];
    }
    return any;
}

bool program_differentiates_results(const Program *p) {
    Arena arena = ARENA_EMPTY;
    ResultNames o = {.root = arena_array(&arena, NameId, p->nnames + 1),
                     .made = arena_array(&arena, bool, p->nnames + 1),
                     .written = arena_array(&arena, bool, p->nnames + 1)};
    bool found = false;
    for (int i = 0; i < p->nnames; i++) {
        o.root[i] = i;
    }
    for (int sid = p->body.count > 0 ? p->body.first->sid : p->nstmts; sid < p->nstmts; sid++) {
        Stmt *s = program_stmt(p, sid);
        const bool view = s->kind == STMT_OP && may_return_view(s->op) && s->arg[0].given &&
                          s->arg[0].is_tensor && s->op->param[0].type == ARG_TENSOR;
        const NameId of = view ? o.root[s->arg[0].tensor] : NAME_NONE;
        found |= s->kind == STMT_GRAD && wants_grad_of_result(s->grad, &o);
        stmt_uses(s, note_result_name, &o);
        for (int i = 0; i < s->nout && view; i++) {
            o.root[s->out[i]] = of;
        }
    }
    arena_destroy(&arena);
    return found;
}

/* By name: the tensor whose memory it is, and whether a gradient can flow from it to the input. */
typedef struct Flow {
    NameId *root;
    bool *from;
    bool reads;     /* the statement: something that the gradient flows through */
    NameId written; /* .. and what it writes, or NAME_NONE */
} Flow;

static void note_flow(void *user, NameId *name, Use use) {
    Flow *o = user;
    if (*name != NAME_NONE && use != USE_BIND) {
        o->reads |= o->from[*name];
        o->written = use == USE_WRITE ? *name : o->written;
    }
}

/* Is there no derivative from what the op reads to what it returns? */
static bool stops_gradients(const OpInfo *op) {
    bool computes = op->kind == KIND_FUNC || op->kind == KIND_POINTWISE;
    return op->id == OP_detach || (computes && !op->grad);
}

/* Notes what the gradient flows through behind the statement. Is an argument written with it? */
static bool see_flow(const Program *p, Stmt *s, Flow *o) {
    o->reads = false;
    o->written = NAME_NONE;
    stmt_uses(s, note_flow, o);
    const bool view = may_return_view(s->op) && s->arg[0].given && s->arg[0].is_tensor &&
                      s->op->param[0].type == ARG_TENSOR;
    const NameId of = view ? o->root[s->arg[0].tensor] : NAME_NONE;
    const bool flows = o->reads && !stops_gradients(s->op);
    for (int i = 0; i < s->nout; i++) {
        o->root[s->out[i]] = view ? of : s->out[i];
        o->from[s->out[i]] = flows;
    }
    bool argument = false;
    for (int i = 0; i < p->nnames && flows && o->written != NAME_NONE; i++) {
        o->from[i] |= o->root[i] == o->root[o->written];
    }
    for (int i = 0; i < p->ninputs && flows && o->written != NAME_NONE; i++) {
        argument |= o->root[p->inputs[i].name] == o->root[o->written];
    }
    for (int i = 0; i < p->nargs && flows && o->written != NAME_NONE; i++) {
        argument |= o->root[p->args[i]] == o->root[o->written];
    }
    return argument;
}

static bool is_differentiated(const Backward *b, int i) {
    bool of = b->nof < 0;
    for (int k = 0; k < b->nof; k++) {
        of |= b->of[k] == i;
    }
    return of;
}

/* Does the size of its result depend on values? Dynamo breaks the graph there. */
static bool may_break_graph(const OpInfo *op) {
    static const OpId of_values[] = {OP_nonzero,
                                     OP_argwhere,
                                     OP_masked_select,
                                     OP_bincount,
                                     OP_repeat_interleave_Tensor,
                                     OP_repeat_interleave_self_Tensor};
    bool found = false;
    for (int i = 0; i < COUNT_OF(of_values); i++) {
        found |= op->id == of_values[i];
    }
    return found;
}

bool program_reaches_undifferentiated(const Program *p, NameId input) {
    Arena arena = ARENA_EMPTY;
    Flow o = {.root = arena_array(&arena, NameId, p->nnames + 1),
              .from = arena_array(&arena, bool, p->nnames + 1)};
    bool found = !p->backward.given || p->surface || program_shares_memory(p);
    for (int i = 0; i < p->nnames; i++) {
        o.root[i] = i;
        o.from[i] = i == input;
    }
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        Stmt *s = program_stmt(p, sid);
        found = s->kind != STMT_OP || may_break_graph(s->op) || see_flow(p, s, &o);
    }
    for (int i = 0; i < p->nreturns && !found; i++) {
        found = o.from[p->returns[i]] && !is_differentiated(&p->backward, i);
    }
    arena_destroy(&arena);
    return found;
}

static void note_any_write(void *user, NameId *name, Use use) {
    bool *writes = user;
    *writes |= use == USE_WRITE && *name != NAME_NONE;
}

bool program_writes(const Program *p) {
    bool writes = false;
    for (int sid = 0; sid < p->nstmts; sid++) {
        stmt_uses(program_stmt(p, sid), note_any_write, &writes);
    }
    return writes;
}

bool program_uses(const Program *p, const char *pattern) {
    bool found = false;
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        const Stmt *s = program_stmt(p, sid);
        found = s->kind == STMT_OP && fnmatch(pattern, s->op->name, 0) == 0;
    }
    return found;
}

bool program_computes_into(const Program *p, const char *pattern) {
    bool found = false;
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        const Stmt *s = program_stmt(p, sid);
        const bool own = s->kind == STMT_OP && fnmatch(pattern, s->op->name, 0) == 0;
        for (int k = 0; own && k < s->op->nparam; k++) {
            found |= s->arg[k].given && strcmp(s->op->param[k].name, "into") == 0;
        }
    }
    return found;
}

bool program_has_hook(const Program *p) {
    bool found = false;
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        const Stmt *s = program_stmt(p, sid);
        found = s->kind == STMT_HOOK && !s->hook->remove;
    }
    return found;
}

bool program_returns_hooked(const Program *p) {
    Arena arena = ARENA_EMPTY;
    NameId *base = arena_array(&arena, NameId, p->nnames + 1); /* of which it is a view */
    bool *hooked = arena_array(&arena, bool, p->nnames + 1), found = false;
    for (int i = 0; i < p->nnames; i++) {
        base[i] = NAME_NONE;
    }
    for (int sid = 0; sid < p->nstmts; sid++) {
        const Stmt *s = program_stmt(p, sid);
        if (s->kind == STMT_HOOK && !s->hook->remove) {
            hooked[s->hook->self] = true;
        }
        for (int i = 0; s->kind == STMT_OP && may_return_view(s->op) && i < s->nout; i++) {
            base[s->out[i]] =
                s->arg[0].is_tensor && s->arg[0].tensor != s->out[i] ? s->arg[0].tensor : NAME_NONE;
        }
    }
    for (int i = 0; i < p->nreturns && !found; i++) {
        int steps = p->nnames; /* a name may be bound again: to a view of itself, in the end */
        for (NameId at = p->returns[i]; at != NAME_NONE && !found && steps-- > 0; at = base[at]) {
            found = hooked[at];
        }
    }
    arena_destroy(&arena);
    return found;
}

/* ---- functions of the program ---- */

static bool names_meet(const NameId *a, int na, const NameId *b, int nb) {
    bool meet = false;
    for (int i = 0; i < na; i++) {
        for (int k = 0; k < nb; k++) {
            meet |= a[i] == b[k];
        }
    }
    return meet;
}

static bool saves_result(const Program *p, const Function *f) {
    (void)p;
    return names_meet(f->save, f->nsave, f->returns, f->nreturns);
}

static bool saves_operand(const Program *p, const Function *f) {
    (void)p;
    return names_meet(f->save, f->nsave, f->params, f->nparams);
}

static bool block_enables_grad(const Block *block) {
    bool enables = false;
    for (const Stmt *s = block->first; s && !enables; s = s->next) {
        enables = (s->kind == STMT_WITH && s->context == CONTEXT_grad_mode && s->grad_enabled) ||
                  block_enables_grad(&s->body) || block_enables_grad(&s->orelse);
    }
    return enables;
}

static bool enables_grad(const Program *p, const Function *f) {
    (void)p;
    return block_enables_grad(&f->forward);
}

static bool non_differentiable(const Program *p, const Function *f) {
    (void)p;
    return f->nnon_differentiable > 0;
}

static bool returns_operand(const Program *p, const Function *f) {
    (void)p;
    return names_meet(f->params, f->nparams, f->returns, f->nreturns);
}

static bool second_gradient(const Program *p, const Function *f) {
    (void)f;
    bool found = false;
    for (int sid = 0; sid < p->nstmts; sid++) {
        const Stmt *s = program_stmt(p, sid);
        found |= s->kind == STMT_GRAD && s->grad->create_graph;
    }
    return found;
}

static const struct {
    const char *name;
    bool (*holds)(const Program *p, const Function *f);
} function_features[] = {
    {"saves_result", saves_result},       {"saves_operand", saves_operand},
    {"enables_grad", enables_grad},       {"non_differentiable", non_differentiable},
    {"returns_operand", returns_operand}, {"second_gradient", second_gradient}};

bool is_function_feature(const char *name) {
    bool found = false;
    for (int i = 0; i < COUNT_OF(function_features); i++) {
        found |= strcmp(name, function_features[i].name) == 0;
    }
    return found;
}

bool program_function_has(const Program *p, const char *feature) {
    bool found = false;
    for (int sid = 0; sid < p->nstmts; sid++) {
        const Stmt *s = program_stmt(p, sid);
        for (int i = 0; s->kind == STMT_APPLY && i < COUNT_OF(function_features); i++) {
            found |= strcmp(feature, function_features[i].name) == 0 &&
                     function_features[i].holds(p, &p->functions[s->apply->function]);
        }
    }
    return found;
}
