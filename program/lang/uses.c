/* One walk over the arguments of a statement by the types of its op's parameters. */
#include "program/lang/uses.h"

static void use_int(PInt *i, UseFn visit, void *user) {
    if (i->size_of != NAME_NONE) {
        visit(user, &i->size_of, USE_READ);
    }
}

static void use_index(PArg *arg, UseFn visit, void *user) {
    for (int i = 0; i < arg->index.n; i++) {
        PIndexItem *item = &arg->index.v[i];
        if (item->kind == INDEX_TENSOR) {
            visit(user, &item->tensor, USE_READ);
        } else if (item->kind == INDEX_INT) {
            use_int(&item->start, visit, user);
        } else if (item->kind == INDEX_SLICE) {
            PInt *bound[3] = {&item->start, &item->stop, &item->step};
            bool has[3] = {item->has_start, item->has_stop, item->has_step};
            for (int k = 0; k < 3; k++) {
                if (has[k]) {
                    use_int(bound[k], visit, user);
                }
            }
        }
    }
}

static void use_arg(PArg *arg, const Param *param, UseFn visit, void *user) {
    if (!arg->given || arg->is_none) {
        return;
    }
    Use use = param->writes ? USE_WRITE : USE_READ;
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        visit(user, &arg->tensor, use);
        break;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        for (int i = 0; i < arg->tensors.n; i++) {
            if (arg->tensors.v[i] != NAME_NONE) {
                visit(user, &arg->tensors.v[i], use);
            }
        }
        break;
    case ARG_VALUE:
        if (arg->is_tensor) {
            visit(user, &arg->tensor, use);
        }
        break;
    case ARG_INT:
    case ARG_INT_OPT:
        use_int(&arg->i, visit, user);
        break;
    case ARG_INTS:
    case ARG_INTS_OPT:
        for (int i = 0; i < arg->ints.n; i++) {
            use_int(&arg->ints.v[i], visit, user);
        }
        break;
    case ARG_INDEX:
        use_index(arg, visit, user);
        break;
    default:
        break;
    }
}

static void use_predicate(Predicate *p, UseFn visit, void *user) {
    while (p->kind == PRED_not) {
        p = p->inner;
    }
    if (predicate_names(p->kind)) {
        visit(user, &p->of, USE_READ);
    }
}

static void use_grad(GradStmt *g, UseFn visit, void *user) {
    for (int i = 0; i < g->noutputs; i++) {
        visit(user, &g->outputs[i], USE_READ);
    }
    for (int i = 0; i < g->ninputs; i++) {
        visit(user, &g->inputs[i], USE_READ);
    }
    for (int i = 0; i < g->ngrad_outputs; i++) {
        if (g->grad_outputs[i] != NAME_NONE) {
            visit(user, &g->grad_outputs[i], USE_READ);
        }
    }
}

void stmt_uses(Stmt *s, UseFn visit, void *user) {
    switch (s->kind) {
    case STMT_OP:
        for (int i = 0; i < s->op->nparam; i++) {
            use_arg(&s->arg[i], &s->op->param[i], visit, user);
        }
        break;
    case STMT_IF:
    case STMT_ASSERT:
        use_predicate(&s->predicate, visit, user);
        break;
    case STMT_PROBE:
        if (s->probe != PROBE_is_grad_enabled) {
            visit(user, &s->of, USE_READ);
        }
        break;
    case STMT_GRAD:
        use_grad(s->grad, visit, user);
        break;
    case STMT_APPLY: /* a function may write to its operands */
        for (int i = 0; i < s->apply->noperands; i++) {
            visit(user, &s->apply->operands[i], USE_WRITE);
        }
        break;
    case STMT_HOOK:
        visit(user, &s->hook->self, USE_READ);
        break;
    case STMT_DOT_GRAD:
        visit(user, &s->dot_grad->self, USE_READ);
        if (s->dot_grad->value != NAME_NONE) {
            visit(user, &s->dot_grad->value, USE_READ);
        }
        break;
    case STMT_WITH:
    case STMT_GRAPH_BREAK:
    case STMT_COUNT:
        break;
    }
    for (int i = 0; i < s->nout; i++) {
        visit(user, &s->out[i], USE_BIND);
    }
}

/* ---- a block as a function ---- */

typedef struct BlockNames {
    bool *read, *bound; /* by NameId */
} BlockNames;

static void note_block_use(void *user, NameId *name, Use use) {
    BlockNames *names = user;
    if (use == USE_BIND) {
        names->bound[*name] = true;
    } else {
        names->read[*name] |= !names->bound[*name];
    }
}

static NameId *names_of_set(Arena *arena, const bool *set, int n, int *count) {
    NameId *names = arena_array(arena, NameId, n);
    *count = 0;
    for (NameId i = 0; i < n; i++) {
        if (set[i]) {
            names[(*count)++] = i;
        }
    }
    return names;
}

bool block_function(const Program *p, const Block *block, Arena *arena, BlockFunction *out) {
    BlockNames names = {arena_array(arena, bool, p->nnames + 1),
                        arena_array(arena, bool, p->nnames + 1)};
    for (Stmt *s = block->first; s; s = s->next) {
        if (s->kind != STMT_OP) {
            return false;
        }
        stmt_uses(s, note_block_use, &names);
    }
    out->reads = names_of_set(arena, names.read, p->nnames, &out->nreads);
    out->binds = names_of_set(arena, names.bound, p->nnames, &out->nbinds);
    return true;
}
