/* The invariants of statements: kinds of arguments, names in range, nesting, numbers in preorder.
 */
#include "program/lang/verify.h"

#include <string.h>

static bool pint_ok(const ProgramVerifier *v, const PInt *i) {
    return i->size_of == NAME_NONE || verify_name(v, i->size_of);
}

static bool index_ok(const ProgramVerifier *v, const PIndexItem *item) {
    switch (item->kind) {
    case INDEX_INT:
    case INDEX_BOOL:
        return pint_ok(v, &item->start);
    case INDEX_SLICE:
        return (!item->has_start || pint_ok(v, &item->start)) &&
               (!item->has_stop || pint_ok(v, &item->stop)) &&
               (!item->has_step || pint_ok(v, &item->step));
    case INDEX_TENSOR:
        return verify_name(v, item->tensor);
    case INDEX_LIST:
        return item->count >= 0 && (item->list || item->count == 0);
    case INDEX_NEWAXIS:
    case INDEX_ELLIPSIS:
        return true;
    }
    return false;
}

static bool ints_ok(const ProgramVerifier *v, const Param *param, const PArg *a) {
    int n = a->ints.single ? 1 : a->ints.n;
    bool ok = n >= 0 && (!a->ints.single || param->list_size > 0);
    for (int i = 0; i < n && ok; i++) {
        ok = pint_ok(v, &a->ints.v[i]);
    }
    return ok;
}

static bool arg_ok(const ProgramVerifier *v, const Param *param, const PArg *a) {
    if (!a->given) {
        return param->has_default;
    }
    bool optional = param->type == ARG_TENSOR_OPT || param->type == ARG_SCALAR_OPT ||
                    param->type == ARG_INT_OPT || param->type == ARG_INTS_OPT ||
                    param->type == ARG_FLOAT_OPT || param->type == ARG_DTYPE_OPT ||
                    param->type == ARG_STR_OPT;
    if (a->is_none) {
        return optional;
    }
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        return verify_name(v, a->tensor);
    case ARG_TENSORS:
        return a->tensors.n >= 0 && verify_names(v, a->tensors.v, a->tensors.n, false);
    case ARG_TENSORS_OPT:
        return a->tensors.n >= 0 && verify_names(v, a->tensors.v, a->tensors.n, true);
    case ARG_VALUE:
        return a->is_tensor ? verify_name(v, a->tensor) : (unsigned)a->scalar.kind <= CAT_FLOAT;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return (unsigned)a->scalar.kind <= CAT_FLOAT;
    case ARG_INT:
    case ARG_INT_OPT:
        return pint_ok(v, &a->i);
    case ARG_INTS:
    case ARG_INTS_OPT:
        return ints_ok(v, param, a);
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        return (unsigned)a->dtype < DT_COUNT;
    case ARG_STR:
    case ARG_STR_OPT:
        return a->str != NULL;
    case ARG_DATA:
        return a->data.n >= 0 && (a->data.data || a->data.n == 0);
    case ARG_INDEX:
        for (int i = 0; i < a->index.n; i++) {
            if (!index_ok(v, &a->index.v[i])) {
                return false;
            }
        }
        return a->index.n >= 0;
    case ARG_BOOL:
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        return true;
    }
    return false;
}

/* Has a tensor literal as many elements as its size says? */
static bool literal_ok(const Stmt *s) {
    const PArg *data = &s->arg[op_param(s->op, "data")], *size = &s->arg[op_param(s->op, "size")];
    int64_t numel = 1;
    for (int i = 0; i < size->ints.n; i++) {
        const PInt *d = &size->ints.v[i];
        if (d->size_of != NAME_NONE || d->value < 0 || !checked_mul(numel, d->value, &numel)) {
            return false;
        }
    }
    return numel == data->data.n;
}

static bool verify_lang_op(ProgramVerifier *v, const Stmt *s) {
    if (!s->op || op_name_is_internal(s->op->name)) {
        return verify_fail_stmt(v, "no op that a program can name");
    }
    bool writes = false;
    for (int i = 0; i < s->op->nparam; i++) {
        writes |= s->op->param[i].writes;
        if (!arg_ok(v, &s->op->param[i], &s->arg[i])) {
            return verify_fail_stmt(v, "the argument \"%s\" of %s is malformed",
                                    s->op->param[i].name, s->op->name);
        }
    }
    if (s->op->id == OP_tensor && !literal_ok(s)) {
        return verify_fail_stmt(v, "the literal's data does not fill its size");
    }
    if ((s->requires_grad || s->requires_grad_given) && s->op->kind != KIND_FACTORY) {
        return verify_fail_stmt(v, "only a factory takes requires_grad");
    }
    if (s->nout < 0 || (s->nout > 1 && !s->out_list) || !verify_names(v, s->out, s->nout, false)) {
        return verify_fail_stmt(v, "out is malformed");
    }
    return s->nout > 0 || s->out_list || writes ||
           verify_fail_stmt(v, "only an in-place op can do without out");
}

static bool verify_predicate(ProgramVerifier *v, const Predicate *p) {
    for (int depth = 0; p->kind == PRED_not; depth++) {
        if (depth == MAX_NESTING || !p->inner) {
            return verify_fail_stmt(v, "a predicate nested deeper than %d, or cut off",
                                    MAX_NESTING);
        }
        p = p->inner;
    }
    bool known = (unsigned)p->kind < PRED_COUNT &&
                 (p->kind != PRED_dtype || (unsigned)p->dtype < DT_COUNT) &&
                 (p->kind < PRED_not || v->function) &&
                 (p->kind != PRED_needs_input_grad ||
                  (!v->function->plain && p->dim >= 0 && p->dim < v->function->nparams));
    return (known && (!predicate_names(p->kind) || verify_name(v, p->of))) ||
           verify_fail_stmt(v, "the predicate is malformed");
}

static bool verify_grad(ProgramVerifier *v, const GradStmt *g, const Stmt *s) {
    bool kind =
        g && (g->accumulates ? g->ninputs == 0 && s->nout == 0 && !s->out_list && !g->allow_unused
                             : s->out_list);
    bool ok = kind && g->noutputs >= 0 && g->ninputs >= 0 && g->ngrad_outputs >= -1 &&
              verify_names(v, g->outputs, g->noutputs, false) &&
              verify_names(v, g->inputs, g->ninputs, false) &&
              verify_names(v, g->grad_outputs, g->ngrad_outputs, true) &&
              verify_names(v, s->out, s->nout, false);
    return ok || verify_fail_stmt(v, "the grad statement is malformed");
}

static bool verify_apply(ProgramVerifier *v, const Stmt *s) {
    const ApplyStmt *a = s->apply;
    bool ok = a && a->function >= 0 && a->function < v->p->nfunctions && s->out_list &&
              !v->p->functions[a->function].plain &&
              a->noperands == v->p->functions[a->function].nparams &&
              s->nout == v->p->functions[a->function].nreturns &&
              verify_names(v, a->operands, a->noperands, false) &&
              verify_names(v, s->out, s->nout, false);
    return ok || verify_fail_stmt(v, "the apply statement is malformed");
}

static bool verify_hook(ProgramVerifier *v, const HookStmt *h) {
    bool ok = h && verify_name(v, h->self) && h->function >= 0 && h->function < v->p->nfunctions &&
              v->p->functions[h->function].plain;
    return ok || verify_fail_stmt(v, "the hook is malformed");
}

static bool verify_dot_grad(ProgramVerifier *v, const Stmt *s) {
    const DotGradStmt *d = s->dot_grad;
    bool ok = d && verify_name(v, d->self) && s->nout == !d->set && !s->out_list &&
              verify_names(v, s->out, s->nout, false) &&
              (d->value == NAME_NONE || (d->set && verify_name(v, d->value)));
    return ok || verify_fail_stmt(v, "the statement on .grad is malformed");
}

/* May the statement stand in a function? What changes a tensor's autograd record or its sizes in
 * place may not. */
static bool verify_inside(ProgramVerifier *v, const Stmt *s) {
    bool op = s->kind == STMT_OP && s->op && function_takes(s->op) && !s->requires_grad;
    return op || s->kind == STMT_WITH || s->kind == STMT_IF || s->kind == STMT_ASSERT ||
           verify_fail_stmt(v, "a function may not contain this statement");
}

static bool verify_stmt(ProgramVerifier *v, const Stmt *s, int depth) {
    if (v->function && !verify_inside(v, s)) {
        return false;
    }
    switch (s->kind) {
    case STMT_OP:
        return verify_lang_op(v, s);
    case STMT_WITH:
        if ((unsigned)s->context >= CONTEXT_COUNT ||
            (s->context == CONTEXT_autocast && s->autocast != DT_bfloat16 &&
             s->autocast != DT_float16)) {
            return verify_fail_stmt(v, "malformed");
        }
        return verify_block(v, &s->body, depth + 1);
    case STMT_IF:
        if (!s->has_else && s->orelse.first) {
            return verify_fail_stmt(v, "an else that is not there has statements");
        }
        return verify_predicate(v, &s->predicate) && verify_block(v, &s->body, depth + 1) &&
               verify_block(v, &s->orelse, depth + 1);
    case STMT_ASSERT:
        return verify_predicate(v, &s->predicate);
    case STMT_PROBE:
        return ((unsigned)s->probe < PROBE_COUNT &&
                (s->probe == PROBE_is_grad_enabled || verify_name(v, s->of))) ||
               verify_fail_stmt(v, "the probe is malformed");
    case STMT_GRAD:
        return verify_grad(v, s->grad, s);
    case STMT_GRAPH_BREAK:
        return true;
    case STMT_APPLY:
        return verify_apply(v, s);
    case STMT_HOOK:
        return verify_hook(v, s->hook);
    case STMT_DOT_GRAD:
        return verify_dot_grad(v, s);
    case STMT_COUNT:
        break;
    }
    return verify_fail_stmt(v, "a statement of no kind");
}

bool verify_block(ProgramVerifier *v, const Block *block, int depth) {
    int n = 0;
    if (depth > MAX_NESTING) {
        return verify_fail_stmt(v, "nested deeper than %d", MAX_NESTING);
    }
    for (const Stmt *s = block->first; s; s = s->next) {
        v->stmts += !v->function;
        v->inside += v->function != NULL;
        if (v->function ? s->sid != -1 : s->sid != v->stmts - 1 || s->sid >= v->p->nstmts) {
            return verify_fail(v, "the statements are not numbered");
        }
        if (v->stmts + v->inside > v->limits->max_statements) {
            return verify_fail(v, "body: more than %lld statements",
                               (long long)v->limits->max_statements);
        }
        n++;
        v->sid = s->sid;
        if (!verify_stmt(v, s, depth)) {
            return false;
        }
    }
    return n == block->count || verify_fail(v, "a block of %d statements says %d", n, block->count);
}

static bool verify_contains(const NameId *names, int n, NameId name) {
    for (int i = 0; i < n; i++) {
        if (names[i] == name) {
            return true;
        }
    }
    return false;
}

static bool verify_plain(ProgramVerifier *v, const Function *f) {
    bool ok = verify_name(v, f->name) && (f->nparams == 1 || f->nparams == 2) &&
              (unsigned)f->nreturns <= 1 && verify_names(v, f->params, f->nparams, false) &&
              !verify_contains(f->params, f->nparams - 1, f->params[f->nparams - 1]) &&
              verify_names(v, f->returns, f->nreturns, false) &&
              f->nsave + f->ndirty + f->nnon_differentiable == 0 && !f->undefined_grads &&
              !f->once_differentiable && !f->backward.first;
    return ok ? verify_block(v, &f->forward, 1)
              : verify_fail_stmt(v, "a function without a backward has one parameter or two, one "
                                    "return or none, and no options");
}

static bool verify_function(ProgramVerifier *v, const Function *f) {
    if (f->plain) {
        return verify_plain(v, f);
    }
    if (!verify_name(v, f->name) || f->nparams < 1 || f->nparams > MAX_FUNCTION_NAMES ||
        f->nreturns < 1 || f->nreturns > MAX_FUNCTION_NAMES ||
        !verify_names(v, f->params, f->nparams, false) ||
        !verify_names(v, f->returns, f->nreturns, false) ||
        !verify_names(v, f->save, f->nsave, false) ||
        !verify_names(v, f->dirty, f->ndirty, false) ||
        !verify_names(v, f->non_differentiable, f->nnon_differentiable, false) ||
        !verify_names(v, f->grad_outputs, f->nreturns, false) ||
        !verify_names(v, f->grad_inputs, f->nparams, true)) {
        return verify_fail(v, "functions[%d]: malformed: 1 to %d parameters and returns",
                           (int)(f - v->p->functions), MAX_FUNCTION_NAMES);
    }
    for (int i = 0; i < f->nparams; i++) {
        if (verify_contains(f->params, i, f->params[i])) {
            return verify_fail_stmt(v, "a parameter stands twice");
        }
    }
    for (int i = 0; i < f->nreturns; i++) {
        if (verify_contains(f->grad_outputs, i, f->grad_outputs[i])) {
            return verify_fail_stmt(v, "a name stands twice in grad_outputs");
        }
    }
    return verify_block(v, &f->forward, 1) && verify_block(v, &f->backward, 1);
}

bool verify_functions(ProgramVerifier *v) {
    if (v->p->nfunctions < 0 || v->p->nfunctions > MAX_FUNCTIONS) {
        return verify_fail(v, "functions: %d pass the limit of %d", v->p->nfunctions,
                           MAX_FUNCTIONS);
    }
    for (int i = 0; i < v->p->nfunctions; i++) {
        v->function = &v->p->functions[i];
        if (!verify_function(v, v->function)) {
            return false;
        }
    }
    v->function = NULL;
    return true;
}
