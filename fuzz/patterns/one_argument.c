/* The deliberate errors of one wrong argument: an op that fits, but for one operand of another
 * dtype, size or rank, one number out of range, or the dtype of all operands; and a product of two
 * float dtypes. Rewrites that broadcast, promote or wrap where eager refuses accept them. */
#include "fuzz/patterns/one_argument.h"

/* Indices of the size of `t` that select below `end`, but for one of them or for any. */
static GenVar *index_beyond(Gen *g, const Tensor *t, int64_t end) {
    int64_t values[GEN_ELEMENTS], n = tensor_numel(t);
    if (n > GEN_ELEMENTS || t->dtype == DT_bool) {
        return NULL;
    }
    const int64_t beyond[] = {-1, -1, end, -end, -end - 1, end + 2};
    bool any = draw_chance(g, 50);
    int64_t lone = n > 0 ? draw_below(g, (int)n) : 0, least = t->dtype == DT_uint8 ? 0 : -3;
    for (int64_t i = 0; i < n; i++) {
        int64_t bad = beyond[draw_below(g, COUNT_OF(beyond))];
        values[i] = any           ? draw_between(g, (int)least, (int)end + 2)
                    : i != lone   ? draw_below(g, (int)max_i64(end, 1))
                    : bad < least ? end
                                  : bad;
    }
    return draw_input_values(g, t->dtype, t->size, t->ndim, values);
}

/* The size of the dim that the statement selects along, or of the first one. */
static int64_t indexed_size(const Stmt *s, const Tensor *self) {
    int k = op_param(s->op, "dim");
    int64_t dim =
        k >= 0 && s->arg[k].given && s->arg[k].i.size_of == NAME_NONE ? s->arg[k].i.value : 0;
    dim += dim < 0 ? self->ndim : 0;
    return dim >= 0 && dim < self->ndim ? self->size[dim] : 1;
}

/* Makes argument k wrong; false: it stays as it is. */
static bool disturb(Gen *g, Stmt *s, int k, int ndim) {
    PArg *a = &s->arg[k];
    const GenVar *v = arg_var(g, s, k);
    if (!a->given || a->is_none) {
        return false;
    }
    if (v != NULL) {
        const GenVar *self = arg_var(g, s, 0);
        bool beyond =
            !dtype_is_float(v->t->dtype) && self != NULL && self != v && draw_chance(g, 60);
        GenVar *other =
            beyond ? index_beyond(g, v->t, indexed_size(s, self->t)) : draw_unlike(g, v->t);
        if (other == NULL) {
            return false;
        }
        set_tensor(s, k, other);
        return true;
    }
    switch (s->op->param[k].type) {
    case ARG_TENSORS: {
        int n = a->tensors.n, at = n > 0 ? draw_below(g, n) : 0;
        const GenVar *old = n > 0 ? gen_find(g, a->tensors.v[at]) : NULL;
        GenVar *other = old != NULL ? draw_unlike(g, old->t) : NULL;
        if (other == NULL) {
            return false;
        }
        a->tensors.v[at] = other->name;
        return true;
    }
    case ARG_SCALAR:
    case ARG_SCALAR_OPT: {
        const GenVar *self = arg_var(g, s, 0);
        a->scalar = draw_chance(g, 50) /* in int64 it fits, and in nothing narrower */
                        ? scalar_int(draw_boundary(g, DT_int64))
                        : draw_extreme_scalar(g, self != NULL ? self->t->dtype : g->main);
        return true;
    }
    case ARG_INT:
    case ARG_INT_OPT:
        a->i = (PInt){NAME_NONE, draw_chance(g, 50) ? draw_between(g, ndim, ndim + 1)
                                                    : draw_between(g, -ndim - 2, -ndim - 1)};
        return true;
    case ARG_INTS:
    case ARG_INTS_OPT:
        if (a->ints.n == 0) {
            return false;
        }
        a->ints.v[draw_below(g, a->ints.n)] = (PInt){
            NAME_NONE, draw_between(g, s->op->draw == DRAW_REPETITIONS ? 0 : -ndim - 2, ndim + 1)};
        return true;
    default:
        return false;
    }
}

static bool multiplies(Gen *g, const OpInfo *op) {
    return op->range == RANGE_MATMUL && gen_draws(g, op) && gen_allows(g, op->id);
}

bool draw_two_float_dtypes(Gen *g) {
    static const DType dtypes[] = {DT_float32, DT_float64, DT_float16, DT_bfloat16};
    for (int i = 0; i < 60; i++) {
        const OpInfo *op = op_info(g->options->op[draw_below(g, g->options->nop)]);
        if (!multiplies(g, op)) {
            continue;
        }
        Stmt *s = stmt_op(g, op->id);
        if (!draw_arguments(g, s, NULL)) {
            return false;
        }
        int start = draw_below(g, op->nparam);
        for (int k = 0; k < op->nparam; k++) {
            int at = (start + k) % op->nparam;
            const GenVar *v = arg_var(g, s, at);
            DType dtype = dtypes[draw_below(g, COUNT_OF(dtypes))];
            if (v == NULL || v->t->dtype == dtype) {
                continue;
            }
            GenVar *other = draw_input(g, dtype, v->t->size, v->t->ndim, draw_chance(g, 50), 0);
            if (other == NULL) {
                return false;
            }
            set_tensor(s, at, other);
            stmt_force(g, s);
            return true;
        }
    }
    return false;
}

bool draw_wrong_argument(Gen *g) {
    const Situations *situation = &g->situation;
    for (int i = 0; i < 6; i++) {
        const OpInfo *op = situation->nfew > 0 && draw_chance(g, 60)
                               ? op_info(situation->few[draw_below(g, situation->nfew)])
                           : draw_chance(g, 30)
                               ? op_info(draw_common_op(g))
                               : op_info(g->options->op[draw_below(g, g->options->nop)]);
        if (!gen_draws(g, op) || op->nparam == 0 || op_param(op, "data") >= 0) {
            continue;
        }
        Stmt *s = stmt_op(g, op->id);
        if (!draw_arguments(g, s, NULL)) {
            continue;
        }
        if (draw_chance(g, 25) && unlike_dtypes(g, s) && draw_chance(g, 60)) {
            stmt_force(g, s);
            return true;
        }
        const GenVar *self = arg_var(g, s, 0);
        int start = draw_below(g, op->nparam), index = op_param(op, "index"),
            ndim = self != NULL ? self->t->ndim : 1;
        start = index >= 0 && draw_chance(g, 50) ? index : start;
        for (int k = 0; k < op->nparam; k++) {
            if (disturb(g, s, (start + k) % op->nparam, ndim)) {
                stmt_force(g, s);
                return true;
            }
        }
    }
    return false;
}
