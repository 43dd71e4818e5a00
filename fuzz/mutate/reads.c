/* The names that a statement reads. */
#include "fuzz/mutate/mutant.h"

static void mutant_read_pint(PInt *i, void (*visit)(void *user, NameId *name), void *user) {
    if (i->size_of != NAME_NONE) {
        visit(user, &i->size_of);
    }
}

static void read_arg(const Param *param, PArg *a, void (*visit)(void *user, NameId *name),
                     void *user) {
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        visit(user, &a->tensor);
        break;
    case ARG_VALUE:
        if (a->is_tensor) {
            visit(user, &a->tensor);
        }
        break;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        for (int i = 0; i < a->tensors.n; i++) {
            if (a->tensors.v[i] != NAME_NONE) {
                visit(user, &a->tensors.v[i]);
            }
        }
        break;
    case ARG_INT:
    case ARG_INT_OPT:
        mutant_read_pint(&a->i, visit, user);
        break;
    case ARG_INTS:
    case ARG_INTS_OPT:
        for (int i = 0; i < (a->ints.single ? 1 : a->ints.n); i++) {
            mutant_read_pint(&a->ints.v[i], visit, user);
        }
        break;
    case ARG_INDEX:
        for (int i = 0; i < a->index.n; i++) {
            PIndexItem *item = &a->index.v[i];
            if (item->kind == INDEX_TENSOR) {
                visit(user, &item->tensor);
            } else if (item->kind == INDEX_INT || item->kind == INDEX_SLICE) {
                PInt *bounds[] = {&item->start, &item->stop, &item->step};
                bool has[] = {item->kind == INDEX_INT || item->has_start, item->has_stop,
                              item->has_step};
                for (int k = 0; k < 3; k++) {
                    if (has[k]) {
                        mutant_read_pint(bounds[k], visit, user);
                    }
                }
            }
        }
        break;
    default:
        break;
    }
}

static void read_names(NameId *names, int n, void (*visit)(void *user, NameId *name), void *user) {
    for (int i = 0; i < n; i++) {
        if (names[i] != NAME_NONE) {
            visit(user, &names[i]);
        }
    }
}

void stmt_reads(Stmt *s, void (*visit)(void *user, NameId *name), void *user) {
    switch (s->kind) {
    case STMT_OP:
        for (int i = 0; i < s->op->nparam; i++) {
            if (s->arg[i].given && !s->arg[i].is_none) {
                read_arg(&s->op->param[i], &s->arg[i], visit, user);
            }
        }
        break;
    case STMT_IF:
    case STMT_ASSERT: {
        Predicate *p = &s->predicate;
        while (p->kind == PRED_not) {
            p = p->inner;
        }
        if (predicate_names(p->kind)) {
            visit(user, &p->of);
        }
        break;
    }
    case STMT_PROBE:
        if (s->probe != PROBE_is_grad_enabled) {
            visit(user, &s->of);
        }
        break;
    case STMT_GRAD:
        read_names(s->grad->outputs, s->grad->noutputs, visit, user);
        read_names(s->grad->inputs, s->grad->ninputs, visit, user);
        read_names(s->grad->grad_outputs, s->grad->ngrad_outputs, visit, user);
        break;
    case STMT_APPLY:
        read_names(s->apply->operands, s->apply->noperands, visit, user);
        break;
    case STMT_HOOK:
        visit(user, &s->hook->self);
        break;
    case STMT_DOT_GRAD:
        visit(user, &s->dot_grad->self);
        read_names(&s->dot_grad->value, 1, visit, user);
        break;
    case STMT_WITH:
    case STMT_GRAPH_BREAK:
    case STMT_COUNT:
        break;
    }
}
