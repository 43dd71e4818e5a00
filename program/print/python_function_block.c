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

/* The names, each with `after` behind it. */
static void print_set(const Printer *pr, const bool *set, const char *between, const char *after) {
    int n = 0;
    for (NameId i = 0; i < pr->p->nnames; i++) {
        if (set[i]) {
            text_printf(pr->t, "%s%s%s", n++ ? between : "", print_name(pr, i), after);
        }
    }
}

void python_function_block(const Printer *pr, const Stmt *s, const char *path, int depth) {
    Arena *arena = pr->t->arena;
    BlockNames names = {arena_array(arena, bool, pr->p->nnames + 1),
                        arena_array(arena, bool, pr->p->nnames + 1)};
    bool ops = true;
    for (Stmt *one = s->body.first; one; one = one->next) {
        ops &= one->kind == STMT_OP;
        stmt_uses(one, note_block_use, &names);
    }
    if (!ops) {
        python_indent(pr, depth);
        text_printf(pr->t, "if True:  # %s\n", path);
        python_block(pr, &s->body, depth + 1);
        return;
    }
    Printer inside = *pr; /* an error in it is one of the statement: so traced code reports it */
    inside.within = s->context == CONTEXT_checkpoint ? NULL : path;
    python_indent(pr, depth);
    text_add(pr->t, "def _py_block(");
    print_set(pr, names.read, ", ", "");
    text_printf(pr->t, "):  # %s\n", path);
    python_block(&inside, &s->body, depth + 1);
    python_indent(pr, depth + 1);
    text_add(pr->t, "return ("); /* in a list, autograd.Function would not see them */
    print_set(pr, names.bound, " ", ",");
    text_printf(pr->t, ")  # %s\n", path);
    python_indent(pr, depth);
    text_add(pr->t, "[");
    print_set(pr, names.bound, ", ", "");
    const char *code;
    context_is_function(s->context, &code);
    text_printf(pr->t, "] = %s(_py_block, ", code);
    print_set(pr, names.read, "", ", ");
    text_printf(pr->t, "%s)  # %s\n",
                s->context != CONTEXT_checkpoint ? ""
                : s->reentrant                   ? "use_reentrant=True"
                                                 : "use_reentrant=False",
                path);
}
