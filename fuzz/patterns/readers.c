/* Write then read, several readers of one operand, chains: what buffer planning, fusion and
 * in-place rewrites have to order. */
#include "fuzz/patterns/dataflow.h"

#include <string.h>

bool pattern_written_buffer(Gen *g) {
    int64_t size[MAX_DIMS];
    GenVar *x;
    int r = draw_below(g, 100);
    if (r < 60) {
        int n = pattern_size(g, 1, 3, size);
        x = pattern_buffer(g, draw_dtype(g), size, n);
    } else {
        x = draw_with_dims(g, 1);
        x = x == NULL || r < 80 ? draw_pointwise(g, x) : draw_of_class(g, CLASS_MOVE, x);
    }
    if (x == NULL || x->t->ndim == 0) {
        return false;
    }
    const Stmt *made = g->tail;
    if (r < 60 && made != NULL && made->kind == STMT_OP && draw_chance(g, 25)) {
        draw_related(g, made); /* an equal buffer, which is written, too */
        GenVar *twin = &g->var[g->nvars - 1];
        if (g->tail != made && var_writable(g, twin, false) && twin->t->ndim > 0) {
            draw_partial_write(g, twin);
        }
    }
    GenVar *before = draw_chance(g, 25) ? draw_pointwise(g, x) : NULL;
    if (!draw_partial_write(g, x)) {
        return false;
    }
    if (draw_chance(g, 25)) {
        draw_partial_write(g, x);
    }
    GenVar *y = draw_pointwise(g, x);
    GenVar *z =
        draw_chance(g, 70) ? draw_of_class(g, CLASS_REDUCE, draw_chance(g, 50) ? x : y) : NULL;
    if (draw_chance(g, 20)) {
        draw_partial_write(g, x);
    }
    want_return(g, before);
    want_return(g, y);
    want_return(g, z);
    if (draw_chance(g, 50)) {
        want_return(g, x);
    }
    return y != NULL || z != NULL;
}

bool pattern_read_again(Gen *g) {
    GenVar *x = draw_with_dims(g, 1);
    if (x == NULL) {
        return false;
    }
    GenVar *from = draw_chance(g, 50) ? draw_pointwise(g, x) : x;
    from = from == NULL ? x : from;
    GenVar *y;
    int r = draw_below(g, 100);
    if (r < 70) { /* with other tensors of its size, or itself */
        GenVar *list[4];
        int n = 1 + draw_below(g, 4), at = draw_below(g, n);
        for (int i = 0; i < n; i++) {
            list[i] = i == at || draw_chance(g, 25) ? from
                                                    : draw_need(g, (Need){.dtype = from->t->dtype,
                                                                          .ndim = from->t->ndim,
                                                                          .size = from->t->size});
            if (list[i] == NULL) {
                return false;
            }
        }
        y = draw_join(g, r < 45 ? OP_cat : OP_stack, list, n, draw_below(g, from->t->ndim));
    } else if (r < 85) {
        y = say(g, draw_chance(g, 70) ? OP_clone : OP_contiguous, from);
    } else {
        y = draw_of_class(g, CLASS_MOVE, from);
    }
    if (y == NULL) {
        return false;
    }
    if (draw_chance(g, 35)) {
        GenVar *written = draw_chance(g, 50) ? from : y;
        if (var_writable(g, written, false)) {
            draw_partial_write(g, written);
        }
    }
    GenVar *z = draw_pointwise(g, y), *again = draw_pointwise(g, from);
    if (draw_chance(g, 40)) {
        GenVar *sum = draw_of_class(g, CLASS_REDUCE, draw_chance(g, 50) ? z : again);
        want_return(g, sum);
    }
    want_return(g, z);
    want_return(g, again);
    if (draw_chance(g, 40)) {
        want_return(g, y);
    }
    return z != NULL || again != NULL;
}

/* ---- several readers ---- */

/* The op of `s` on its operand again, with the dims of `like`; NULL: one of them names none. */
static GenVar *along_the_same_dim(Gen *g, const Stmt *like, const Stmt *s) {
    static const char *const names[] = {"dim", "keepdim"};
    if (like->kind != STMT_OP || s->kind != STMT_OP || op_param(s->op, "dim") < 0) {
        return NULL;
    }
    Stmt *again = stmt_op(g, s->op->id);
    memcpy(again->arg, s->arg, sizeof *s->arg * (size_t)s->op->nparam);
    for (int i = 0; i < COUNT_OF(names); i++) {
        int from = op_param(like->op, names[i]), to = op_param(s->op, names[i]);
        if (from >= 0 && to >= 0 && like->arg[from].given &&
            like->op->param[from].type == s->op->param[to].type) {
            again->arg[to] = like->arg[from];
        }
    }
    return stmt_commit(g, again, NAME_NONE);
}

bool pattern_same_operand(Gen *g) {
    static const OpClass reads[] = {CLASS_REDUCE, CLASS_REDUCE, CLASS_UNARY,  CLASS_BINARY,
                                    CLASS_MOVE,   CLASS_VIEW,   CLASS_MATMUL, CLASS_COMPOSITE};
    GenVar *x = draw_with_dims(g, 1);
    if (x != NULL && draw_chance(g, 60)) {
        GenVar *made = draw_of_class(g, reads[draw_below(g, COUNT_OF(reads))], x);
        x = made != NULL ? made : x;
    }
    if (x == NULL) {
        return false;
    }
    GenVar *y[3] = {NULL};
    int n = 2 + draw_below(g, 2);
    OpClass first = reads[draw_below(g, COUNT_OF(reads))];
    bool alike = draw_chance(g, 50), joined = draw_chance(g, 30);
    bool kept = !joined || draw_chance(g, 50); /* else only the list is returned */
    const Stmt *before = NULL;
    for (int i = 0; i < n; i++) {
        y[i] = draw_of_class(g, alike ? first : reads[draw_below(g, COUNT_OF(reads))], x);
        if (alike && i > 0 && before != NULL && g->tail != before && draw_chance(g, 60)) {
            GenVar *same = along_the_same_dim(g, before, g->tail);
            y[i] = same != NULL ? same : y[i];
        }
        before = g->tail;
        want_return(g, kept ? y[i] : NULL);
    }
    if (joined && y[0] != NULL && y[1] != NULL) {
        want_return(g, draw_join(g, draw_chance(g, 50) ? OP_stack : OP_cat, y, 2, 0));
    } else if (draw_chance(g, 40)) {
        static const OpId form[] = {OP_add_Tensor, OP_mul_Tensor, OP_sub_Tensor, OP_maximum,
                                    OP_eq_Tensor};
        want_return(g, say2(g, form[draw_below(g, COUNT_OF(form))], y[0], y[1]));
    }
    return y[0] != NULL || y[1] != NULL;
}

/* ---- chains ---- */

/* Views and pointwise ops in any order, then an op that reads in another order than they write. */
bool pattern_pipeline(Gen *g) {
    static const OpClass consumers[] = {CLASS_REDUCE, CLASS_REDUCE, CLASS_MATMUL,    CLASS_MOVE,
                                        CLASS_MOVE,   CLASS_VIEW,   CLASS_COMPOSITE, CLASS_BINARY};
    GenVar *x = draw_with_dims(g, 1);
    if (x == NULL) {
        return false;
    }
    bool made = false;
    for (int left = 1 + draw_below(g, 3); left >= 0; left--) {
        int r = draw_below(g, 100);
        GenVar *y = left > 0 && r < 35 ? draw_of_class(g, CLASS_VIEW, x)
                    : left > 0 && r < 85
                        ? draw_pointwise(g, x)
                        : draw_of_class(g, consumers[draw_below(g, COUNT_OF(consumers))], x);
        made = made || y != NULL;
        x = y != NULL ? y : x;
        if (draw_chance(g, 12)) {
            want_return(g, y);
        }
    }
    want_return(g, x);
    g->want_backward = g->want_backward || draw_chance(g, 50);
    return made;
}
