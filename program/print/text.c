/* A program for people: a header of inputs, one Python-like line for each statement, then the
 * returns. */
#include "program/print/args.h"

#include <inttypes.h>

static void print_text_op(const Printer *pr, const Stmt *s) {
    const char *name = s->op->name;
    int self = op_param(s->op, "self"), index = op_param(s->op, "index"),
        value = op_param(s->op, "value");
    if (s->op->id == OP_setitem) {
        text_printf(pr->t, "%s[", print_name(pr, s->arg[self].tensor));
        print_index(pr, &s->arg[index]);
        text_add(pr->t, "] = ");
        print_arg(pr, &s->arg[value], ARG_VALUE);
        return;
    }
    if (s->nout > 0 || s->out_list) {
        print_out(pr, s);
        text_add(pr->t, " = ");
    }
    if (s->op->id == OP_getitem) {
        text_printf(pr->t, "%s[", print_name(pr, s->arg[self].tensor));
        print_index(pr, &s->arg[index]);
        text_add(pr->t, "]");
        return;
    }
    text_add(pr->t, name);
    print_arguments(pr, s, 0, false);
}

static void print_head(const Printer *pr, const Stmt *s) {
    switch (s->kind) {
    case STMT_OP:
        print_text_op(pr, s);
        break;
    case STMT_WITH:
        if (s->context == CONTEXT_autocast) {
            text_printf(pr->t, "with autocast(%s):", dtype_name(s->autocast));
        } else if (s->context == CONTEXT_checkpoint) {
            text_add(pr->t, s->reentrant ? "with checkpoint(reentrant):" : "with checkpoint:");
        } else if (s->context != CONTEXT_grad_mode) {
            text_printf(pr->t, "with %s:", context_name(s->context));
        } else {
            text_add(pr->t, s->grad_enabled ? "with enable_grad:" : "with no_grad:");
        }
        break;
    case STMT_IF:
        text_add(pr->t, "if ");
        print_predicate(pr, &s->predicate);
        text_add(pr->t, ":");
        break;
    case STMT_ASSERT:
        text_add(pr->t, "assert ");
        print_predicate(pr, &s->predicate);
        break;
    case STMT_PROBE:
        text_add(pr->t, "probe ");
        print_probe(pr, s->probe, s->of);
        break;
    case STMT_GRAD:
        if (!s->grad->accumulates) {
            print_out(pr, s);
        }
        text_add(pr->t, s->grad->accumulates ? "backward" : " = grad");
        print_grad_arguments(pr, s->grad);
        break;
    case STMT_GRAPH_BREAK:
        text_add(pr->t, "graph_break");
        break;
    case STMT_APPLY:
        print_out(pr, s);
        text_printf(pr->t, " = %s", print_name(pr, pr->p->functions[s->apply->function].name));
        print_names(pr, s->apply->operands, s->apply->noperands);
        break;
    case STMT_HOOK:
        text_printf(pr->t, "%s(%s, %s)", program_hook_name(pr->p, s->hook),
                    print_name(pr, s->hook->self),
                    print_name(pr, pr->p->functions[s->hook->function].name));
        break;
    case STMT_DOT_GRAD:
        print_dot_grad(pr, s);
        break;
    case STMT_COUNT:
        break;
    }
}

void stmt_print_text(Text *text, const Program *p, const Stmt *s) {
    Printer pr = {text, p, p->names, false, NULL};
    print_head(&pr, s);
}

static void indent(Text *t, int depth) {
    for (int i = 0; i < depth; i++) {
        text_add(t, "    ");
    }
}

static void print_block(const Printer *pr, const Block *block, int depth) {
    for (const Stmt *s = block->first; s; s = s->next) {
        indent(pr->t, depth);
        print_head(pr, s);
        text_add(pr->t, "\n");
        print_block(pr, &s->body, depth + 1);
        if (s->kind == STMT_IF && s->has_else) {
            indent(pr->t, depth);
            text_add(pr->t, "else:\n");
            print_block(pr, &s->orelse, depth + 1);
        }
    }
}

static void print_text_ints(Text *t, const int64_t *v, int n) {
    text_add(t, "[");
    for (int i = 0; i < n; i++) {
        text_printf(t, i ? ", %" PRId64 : "%" PRId64, v[i]);
    }
    text_add(t, "]");
}

static void print_text_input(const Printer *pr, const Input *in) {
    Text *t = pr->t;
    text_printf(t, "%s: %s", print_name(pr, in->name), dtype_name(in->dtype));
    print_text_ints(t, in->size, in->ndim);
    if (in->stride_given) {
        text_add(t, " stride ");
        print_text_ints(t, in->stride, in->ndim);
    }
    if (in->offset_given) {
        text_printf(t, " offset %" PRId64, in->offset);
    }
    if (in->storage != NAME_NONE) {
        text_printf(t, " storage %s", print_name(pr, in->storage));
    }
    text_add(t, in->requires_grad ? " requires_grad" : "");
    if (in->data.given && in->data.is_fill) {
        text_printf(t, " = %s(%" PRIu64 ")", fill_name(in->data.fill), in->data.seed);
    } else if (in->data.given) {
        text_add(t, " = [");
        for (int64_t i = 0; i < in->data.numel && i < 8; i++) {
            text_add(t, i ? ", " : "");
            text_number(t, in->data.data, in->dtype, i);
        }
        text_add(t, in->data.numel > 8 ? ", ..]" : "]");
    }
    text_add(t, "\n");
}

static void print_text_names(const Printer *pr, const char *head, const NameId *v, int n) {
    text_add(pr->t, head);
    for (int i = 0; i < n; i++) {
        text_printf(pr->t, i ? ", %s" : " %s", print_name(pr, v[i]));
    }
    text_add(pr->t, "\n");
}

static void print_settings(Text *t, const CompileSettings *c) {
    text_add(t, "compile with");
    for (int i = 0; i < c->nconfig; i++) {
        text_printf(t, " %s=%s", c->config[i].name, c->config[i].value);
    }
    for (int i = 0; i < c->nmarks; i++) {
        text_printf(t, " mark_dynamic(%s, ", c->marks[i].name);
        compile_print_dims(t, c->marks[i].dims);
        text_add(t, ")");
    }
    if (c->dynamic_given) {
        text_printf(t, " dynamic=%s", c->dynamic ? "true" : "false");
    }
    if (c->fullgraph_given) {
        text_printf(t, " fullgraph=%s", c->fullgraph ? "true" : "false");
    }
    text_add(t, "\n");
}

static void print_list(const Printer *pr, const char *head, const NameId *v, int n) {
    if (n > 0) {
        text_add(pr->t, "    ");
        print_text_names(pr, head, v, n);
    }
}

static void print_function(const Printer *pr, const Function *f) {
    text_printf(pr->t, "function %s", print_name(pr, f->name));
    print_names(pr, f->params, f->nparams);
    text_add(pr->t, ":\n");
    print_block(pr, &f->forward, 1);
    print_list(pr, "dirty", f->dirty, f->ndirty);
    print_list(pr, "non_differentiable", f->non_differentiable, f->nnon_differentiable);
    text_add(pr->t, f->undefined_grads ? "    undefined gradients stay None\n" : "");
    print_list(pr, "save", f->save, f->nsave);
    print_list(pr, "return", f->returns, f->nreturns);
    if (f->plain) {
        return;
    }
    text_add(pr->t, f->once_differentiable ? "backward, once differentiable, " : "backward");
    print_names(pr, f->grad_outputs, f->nreturns);
    text_add(pr->t, ":\n");
    print_block(pr, &f->backward, 1);
    text_add(pr->t, "    return ");
    print_names(pr, f->grad_inputs, f->nparams);
    text_add(pr->t, "\n");
}

void program_print_text(Text *text, const Program *p) {
    Printer pr = {text, p, p->names, false, NULL};
    for (int i = 0; i < p->nfunctions; i++) {
        print_function(&pr, &p->functions[i]);
    }
    for (int i = 0; i < p->ninputs; i++) {
        text_add(text, "input ");
        print_text_input(&pr, &p->inputs[i]);
    }
    if (p->setup.count > 0) {
        text_add(text, "setup:\n");
        print_block(&pr, &p->setup, 1);
    }
    if (p->compile) {
        print_settings(text, p->compile);
    }
    if (p->args_given) {
        print_text_names(&pr, "args", p->args, p->nargs);
    }
    if (p->seed_given) {
        text_printf(text, "seed %" PRIu64 "\n", p->seed);
    }
    if (!p->grad_mode) {
        text_add(text, "called under no_grad\n");
    }
    text_add(text, "body:\n");
    print_block(&pr, &p->body, 1);
    print_text_names(&pr, "return", p->returns, p->nreturns);
    if (p->after.count > 0) {
        text_add(text, "after:\n");
        print_block(&pr, &p->after, 1);
    }
    if (p->backward.given) {
        text_printf(text, "backward %s(%" PRIu64 ")", fill_name(p->backward.fill),
                    p->backward.seed);
        for (int i = 0; i < p->backward.nof; i++) {
            text_printf(text, i ? ", %d" : " of returns %d", p->backward.of[i]);
        }
        text_add(text, p->backward.nof == 0 ? " of no return" : "");
        text_add(text, "\n");
    }
    for (int k = 0; k < p->nrecalls; k++) {
        const Recall *r = &p->recalls[k];
        int ninputs;
        bool grad_mode;
        program_call_inputs(p, k + 1, &ninputs, &grad_mode);
        text_printf(text, "call again%s%s\n", r->keep ? " with the same tensors" : "",
                    grad_mode ? "" : " under no_grad");
        for (int i = 0; i < r->ninputs; i++) {
            text_add(text, "    input ");
            print_text_input(&pr, &r->inputs[i]);
        }
        for (int i = 0; i < r->nset; i++) {
            text_printf(text, "    %s.requires_grad = %s\n", print_name(&pr, r->set[i].name),
                        r->set[i].requires_grad ? "True" : "False");
        }
    }
}
