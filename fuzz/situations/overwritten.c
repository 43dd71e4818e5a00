/* Overwritten operands (write after read): right after an op that writes nothing, all of one of its
 * operands is written anew, without being read. A result that was put into the operand's memory, is
 * computed late, or is taken for a view, shows the new values. */
#include "fuzz/generate/args.h"

enum { MOST_OPERANDS = 16 };

static int note_overwritable(Gen *g, NameId name, GenVar **operand, int n) {
    GenVar *v = n < MOST_OPERANDS && name != NAME_NONE ? gen_find(g, name) : NULL;
    if (v != NULL && !v->dead && var_writable(g, v, false)) {
        operand[n++] = v;
    }
    return n;
}

/* The operands, without and in lists, that may be written. */
static int writable_operands(Gen *g, const Stmt *s, GenVar **operand) {
    int n = 0;
    for (int k = 0; k < s->op->nparam; k++) {
        const PArg *a = &s->arg[k];
        if (!a->given || a->is_none) {
            continue;
        }
        if (a->is_tensor) {
            n = note_overwritable(g, a->tensor, operand, n);
        } else if (s->op->param[k].type == ARG_TENSORS) {
            for (int i = 0; i < a->tensors.n; i++) {
                n = note_overwritable(g, a->tensors.v[i], operand, n);
            }
        }
    }
    return n;
}

void draw_overwrite(Gen *g, const Stmt *s) {
    static const OpId form[] = {OP_zero_, OP_fill__Scalar, OP_copy_};
    GenVar *operand[MOST_OPERANDS];
    if (s == NULL || s->kind != STMT_OP || s->op->nparam == 0 || s->nout == 0 || g->pure ||
        !gen_room(g)) {
        return;
    }
    for (int k = 0; k < s->op->nparam; k++) {
        if (s->op->param[k].writes) {
            return;
        }
    }
    NameId result = s->out[0];
    int n = writable_operands(g, s, operand);
    if (n == 0) {
        return;
    }
    OpId id = form[draw_below(g, COUNT_OF(form))];
    GenVar *overwritten = operand[draw_below(g, n)];
    if (gen_allows(g, id) && draw_this_op(g, id, overwritten) != NULL && g->depth == 0) {
        want_return(g, gen_find(g, result));
    }
}
