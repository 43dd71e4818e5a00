/* Reducers of grad statements. */
#include "harness/reduce/edit.h"
#include "harness/reduce/reduce.h"

/* The grad statement in which candidate *k falls, of `count(statement)` candidates each; NULL past
 * the last. *k becomes its own. */
static Stmt *nth_grad(Program *p, int *k, int (*count)(const Stmt *s)) {
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        int n = s->kind == STMT_GRAD ? count(s) : 0;
        if (*k < n) {
            return s;
        }
        *k -= n;
    }
    return NULL;
}

static void drop_name(NameId *v, int *n, int k) {
    for (int i = k; i + 1 < *n; i++) {
        v[i] = v[i + 1];
    }
    --*n;
}

static int count_gradients(const Stmt *s) { return s->grad->ninputs + s->grad->noutputs; }

Step reduce_gradient(Program *p, int k) {
    Stmt *s = nth_grad(p, &k, count_gradients);
    if (!s) {
        return STEP_END;
    }
    GradStmt *g = s->grad;
    if (k < g->ninputs) {
        if (g->ninputs == 1 || s->nout != g->ninputs) {
            return STEP_NOTHING;
        }
        drop_name(g->inputs, &g->ninputs, k);
        drop_name(s->out, &s->nout, k);
        return STEP_MADE;
    }
    k -= g->ninputs;
    if (g->noutputs == 1) {
        return STEP_NOTHING;
    }
    drop_name(g->outputs, &g->noutputs, k);
    if (k < g->ngrad_outputs) {
        drop_name(g->grad_outputs, &g->ngrad_outputs, k);
    }
    return STEP_MADE;
}

enum { OPTION_CREATE, OPTION_RETAIN, OPTION_UNUSED, OPTION_FED, OPTION_COUNT };

static int count_options(const Stmt *s) {
    (void)s;
    return OPTION_COUNT;
}

Step reduce_gradient_option(Program *p, int k) {
    Stmt *s = nth_grad(p, &k, count_options);
    if (!s) {
        return STEP_END;
    }
    GradStmt *g = s->grad;
    bool *flag = k == OPTION_CREATE   ? &g->create_graph
                 : k == OPTION_RETAIN ? &g->retain_given
                                      : &g->allow_unused;
    if (k == OPTION_FED) {
        if (g->ngrad_outputs < 0) {
            return STEP_NOTHING;
        }
        g->ngrad_outputs = -1;
        return STEP_MADE;
    }
    if (!*flag) {
        return STEP_NOTHING;
    }
    *flag = false;
    return STEP_MADE;
}
