/* A block in a context that is a function: of what it reads, which returns what it binds.
 *
 *     def _py_block(x, y):
 *         z = x.mul(y)
 *         return (z,)
 *     [z] = _py_vmap(_py_block, x, y)
 */
#include "program/print/python.h"

#include "program/lang/uses.h"

void python_need_contexts(const Program *p, bool *needed) {
    const char *code;
    for (int i = 0; i < CONTEXT_COUNT; i++) {
        if (program_has_context(p, (BlockContext)i)) {
            context_is_function((BlockContext)i, &code);
            python_need_definitions(code ? code : "", needed);
        }
    }
}

/* The names, each with `after` behind it. */
static void print_each(const Printer *pr, const NameId *names, int n, const char *between,
                       const char *after) {
    for (int i = 0; i < n; i++) {
        text_printf(pr->t, "%s%s%s", i ? between : "", print_name(pr, names[i]), after);
    }
}

void python_function_block(const Printer *pr, const Stmt *s, const char *path, int depth) {
    BlockFunction f;
    if (!block_function(pr->p, &s->body, pr->t->arena, &f)) {
        python_indent(pr, depth);
        text_printf(pr->t, "if True:  # %s\n", path);
        python_block(pr, &s->body, depth + 1);
        return;
    }
    Printer inside = *pr; /* an error in it is one of the statement: so traced code reports it */
    inside.within = s->context == CONTEXT_checkpoint ? NULL : path;
    python_indent(pr, depth);
    text_add(pr->t, "def _py_block(");
    print_each(pr, f.reads, f.nreads, ", ", "");
    text_printf(pr->t, "):  # %s\n", path);
    python_block(&inside, &s->body, depth + 1);
    python_indent(pr, depth + 1);
    text_add(pr->t, "return ("); /* in a list, autograd.Function would not see them */
    print_each(pr, f.binds, f.nbinds, " ", ",");
    text_printf(pr->t, ")  # %s\n", path);
    python_indent(pr, depth);
    text_add(pr->t, "[");
    print_each(pr, f.binds, f.nbinds, ", ", "");
    const char *code;
    context_is_function(s->context, &code);
    text_printf(pr->t, "] = %s(_py_block, ", code);
    print_each(pr, f.reads, f.nreads, "", ", ");
    text_printf(pr->t, "%s)  # %s\n",
                s->context != CONTEXT_checkpoint ? ""
                : s->reentrant                   ? "use_reentrant=True"
                                                 : "use_reentrant=False",
                path);
}
