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
    bool writes, overwritten; /* of the statement */
} Operands;

static void note_overwritten_operand(void *user, NameId *name, Use use) {
    Operands *o = user;
    if (use == USE_WRITE && *name != NAME_NONE) {
        o->writes = true;
        o->overwritten |= o->read[o->root[*name]];
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

bool program_overwrites_operand(const Program *p, const char *pattern) {
    Arena arena = ARENA_EMPTY;
    Operands o = {.root = arena_array(&arena, NameId, p->nnames + 1),
                  .read = arena_array(&arena, bool, p->nnames + 1)};
    bool found = false;
    for (int i = 0; i < p->nnames; i++) {
        o.root[i] = i;
    }
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        Stmt *s = program_stmt(p, sid);
        found = s->kind == STMT_OP && see_operands(s, pattern, &o);
    }
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
