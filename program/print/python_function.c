/* Functions (format version 2) as classes. Their lines have no path: what they raise is raised by
 * the statement that applies the function, or by the backward. */
#include "program/print/python.h"

static void print_call(const Printer *pr, const char *head, const NameId *v, int n) {
    if (n > 0) {
        python_indent(pr, 2);
        text_add(pr->t, head);
        print_names(pr, v, n);
        text_add(pr->t, "\n");
    }
}

/* "a, b"; None where there is no name. */
static void print_bare(const Printer *pr, const NameId *v, int n) {
    for (int i = 0; i < n; i++) {
        text_printf(pr->t, i ? ", %s" : "%s", v[i] == NAME_NONE ? "None" : print_name(pr, v[i]));
    }
}

static void print_def(const Printer *pr, const char *name, const NameId *v, int n) {
    text_printf(pr->t, "    def %s(ctx, ", name);
    print_bare(pr, v, n);
    text_add(pr->t, "):\n");
}

static void print_return(const Printer *pr, const NameId *v, int n) {
    python_indent(pr, 2);
    text_add(pr->t, "return ");
    print_bare(pr, v, n);
    text_add(pr->t, "\n");
}

/* With two parameters, the second one is .grad of the first, and what is returned replaces it. */
static void print_hook_function(const Printer *pr, const Function *f) {
    Text *t = pr->t;
    const char *name = pr->p->names[f->name], *first = print_name(pr, f->params[0]);
    if (f->nparams == 1) {
        text_printf(t, "def _fn_%s(%s):\n", name, first);
    } else {
        text_printf(t, "def _fn_%s(_hooked):\n    %s, %s = _hooked, _hooked.grad\n", name, first,
                    print_name(pr, f->params[1]));
    }
    if (f->forward.first) {
        python_block(pr, &f->forward, 1);
    }
    const char *result = f->nreturns ? print_name(pr, f->returns[0]) : NULL;
    if (f->nparams == 1) {
        text_printf(t, "    return %s\n", result ? result : "None");
    } else if (result) {
        text_printf(t, "    _hooked.grad = %s\n", result);
    }
    text_add(t, "\n\n");
}

void python_function(const Printer *pr, const Function *f) {
    Text *t = pr->t;
    if (f->plain) {
        print_hook_function(pr, f);
        return;
    }
    text_printf(t, "class _fn_%s(torch.autograd.Function):\n    @staticmethod\n",
                pr->p->names[f->name]);
    print_def(pr, "forward", f->params, f->nparams);
    if (f->forward.first) {
        python_block(pr, &f->forward, 2);
    }
    print_call(pr, "ctx.mark_dirty", f->dirty, f->ndirty);
    print_call(pr, "ctx.mark_non_differentiable", f->non_differentiable, f->nnon_differentiable);
    text_add(t, f->undefined_grads ? "        ctx.set_materialize_grads(False)\n" : "");
    print_call(pr, "ctx.save_for_backward", f->save, f->nsave);
    print_return(pr, f->returns, f->nreturns);
    text_add(t, "\n    @staticmethod\n");
    text_add(t, f->once_differentiable ? "    @torch.autograd.function.once_differentiable\n" : "");
    print_def(pr, "backward", f->grad_outputs, f->nreturns);
    if (f->nsave > 0) {
        text_add(t, "        [");
        print_bare(pr, f->save, f->nsave);
        text_add(t, "] = ctx.saved_tensors\n");
    }
    if (f->backward.first) {
        python_block(pr, &f->backward, 2);
    }
    print_return(pr, f->grad_inputs, f->nparams);
    text_add(t, "\n\n");
}
