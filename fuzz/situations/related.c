/* Related calls: an op again on the same operands, with an argument that is equal but not identical
 * (1, 1.0 and True; dim -1 and n - 1; a default given or left out), with another dtype, or with the
 * same arguments. Keys that merge or separate too much (CSE, constants, caches) show here. */
#include "fuzz/generate/args.h"

#include <math.h>

/* An equal number of another type; false: there is none. Only what may be a truth value becomes a
 * bool: not the p of a norm. */
static bool respell_scalar(Gen *g, const Param *p, Scalar *s) {
    double v = scalar_to_double(*s);
    if (!isfinite(v) || v != floor(v) || fabs(v) > 1e6 || (v == 0 && signbit(v))) {
        return false;
    }
    bool truth = (v == 0 || v == 1) && !named(p, "p") && draw_chance(g, 40);
    if (truth && s->kind != CAT_BOOL) {
        *s = scalar_bool(v == 1);
    } else if (s->kind == CAT_FLOAT || (s->kind == CAT_BOOL && draw_chance(g, 50))) {
        *s = scalar_int((int64_t)v);
    } else {
        *s = scalar_float(v);
    }
    return true;
}

static bool names_dim(const Param *p) {
    static const char *const names[] = {"dim",   "dim0",  "dim1",      "dim2",    "dims",
                                        "axis0", "axis1", "start_dim", "end_dim", "dimension"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        if (named(p, names[i])) {
            return true;
        }
    }
    return false;
}

static void respell_dim(PInt *i, int ndim) {
    if (i->size_of == NAME_NONE && i->value >= -ndim && i->value < ndim) {
        i->value += i->value < 0 ? ndim : -ndim;
    }
}

/* The default, written out; false: it cannot be. */
static bool spell_default(Stmt *s, int k) {
    const Param *p = &s->op->param[k];
    if (!p->has_default || p->def.none) {
        return false;
    }
    switch (p->type) {
    case ARG_BOOL:
        set_bool(s, k, p->def.b);
        return true;
    case ARG_INT:
    case ARG_INT_OPT:
        set_int(s, k, p->def.i);
        return true;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        set_scalar(s, k, p->def.scalar);
        return true;
    default:
        return false;
    }
}

/* Writes argument k in another way; false: there is none. */
static bool respell(Gen *g, Stmt *s, int k, int ndim) {
    static const DType dtypes[] = {DT_float32, DT_float64, DT_float16, DT_int64,
                                   DT_int32,   DT_int8,    DT_bool,    DT_bfloat16};
    const Param *p = &s->op->param[k];
    PArg *a = &s->arg[k];
    if (!a->given) {
        if (p->type == ARG_DTYPE_OPT && draw_chance(g, 50)) {
            set_dtype(s, k, dtypes[draw_below(g, COUNT_OF(dtypes))]);
            return true;
        }
        return spell_default(s, k);
    }
    if (a->is_none) {
        return false;
    }
    if (argument_is_default(p, a) && draw_chance(g, 50)) {
        *a = (PArg){.given = false};
        return true;
    }
    switch (p->type) {
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return respell_scalar(g, p, &a->scalar);
    case ARG_VALUE:
        return !a->is_tensor && respell_scalar(g, p, &a->scalar);
    case ARG_INT:
    case ARG_INT_OPT:
        if (names_dim(p) && s->op->draw != DRAW_NEW_DIM) {
            respell_dim(&a->i, ndim);
            return true;
        }
        return false;
    case ARG_INTS:
    case ARG_INTS_OPT:
        if (names_dim(p) && a->ints.n > 0) {
            PInt *v = arena_copy(g->arena, a->ints.v, (int64_t)sizeof *v * a->ints.n);
            respell_dim(&v[draw_below(g, a->ints.n)], ndim);
            a->ints.v = v;
            return true;
        }
        return false;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        set_dtype(s, k, dtypes[draw_below(g, COUNT_OF(dtypes))]);
        return true;
    default:
        return false;
    }
}

void draw_related(Gen *g, const Stmt *s) {
    if (s == NULL || s->kind != STMT_OP || s->op->nparam == 0 || !gen_room(g) ||
        op_param(s->op, "data") >= 0) {
        return;
    }
    Stmt *again = stmt_op(g, s->op->id);
    for (int k = 0; k < s->op->nparam; k++) {
        again->arg[k] = s->arg[k];
    }
    again->requires_grad = s->requires_grad;
    again->requires_grad_given = s->requires_grad_given;
    int main = main_param(s->op);
    const GenVar *self = main >= 0 ? arg_var(g, s, main) : NULL;
    int start = draw_below(g, s->op->nparam);
    bool same = draw_chance(g, 25);
    for (int i = 0; i < s->op->nparam && !same; i++) {
        same = respell(g, again, (start + i) % s->op->nparam, self != NULL ? self->t->ndim : 1);
    }
    GenVar *second = stmt_commit(g, again, NAME_NONE);
    GenVar *first = s->nout > 0 ? gen_find(g, s->out[0]) : NULL;
    if (second != NULL && g->depth == 0) {
        want_return(g, first);
        want_return(g, second);
    }
}
