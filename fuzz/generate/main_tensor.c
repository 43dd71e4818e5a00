/* The main tensor of an op: of how many dims, floating or not, whether it may be written in
 * place. */
#include "fuzz/generate/args.h"

int main_param(const OpInfo *op) {
    int first = -1;
    for (int k = op->out_dtype != OUT_NOT; k < op->nparam; k++) {
        if (op->param[k].type == ARG_TENSOR) {
            if (param_is(&op->param[k], "self")) {
                return k;
            }
            if (first < 0 || param_is(&op->param[first], "condition")) {
                first = k;
            }
        }
    }
    return first;
}

/* How many dims the main tensor has: the row says it, or the names of the parameters do. */
static void dims_wanted(const OpInfo *op, int *least, int *most) {
    *least = 0;
    *most = MAX_DIMS;
    if (op->dims[1] > 0) {
        *least = op->dims[0];
        *most = op->dims[1];
    } else if (has(op, "mat1")) {
        *most = 2;
    } else if (has(op, "mat")) {
        *most = 1;
    } else if (has(op, "vec2")) {
        *least = *most = 1;
    } else if (has(op, "weight")) {
        *least = 1;
    } else if (has(op, "vec")) {
        *least = *most = 2;
    } else if (has(op, "tensor")) {
        *least = *most = 1;
    } else if (has(op, "diagonal") || has(op, "dim2")) {
        *least = 2;
    } else if (has(op, "index") || has(op, "indices") || has(op, "step") || has(op, "length") ||
               has(op, "sections") || has(op, "sizes") || has(op, "sorter") || has(op, "chunks") ||
               op->kind == KIND_MULTI_VIEW) {
        *least = 1;
    }
}

/* Does the result jump where the operands move a little? */
static bool makes_choice(const OpInfo *op) {
    const OpInfo *form = op_form(op);
    if (form->discrete) {
        return true;
    }
    switch (form->kind) {
    case KIND_POINTWISE:
        return pw_is_logic(form->pw) || pw_is_quotient(form->pw) || has(form, "rounding_mode");
    case KIND_COMPOSITE:
        return form->nreturn > 1;
    case KIND_FUNC:
        return form->propagation == PROPAGATION_EXTREME || form->propagation == PROPAGATION_NONE ||
               form->propagation == PROPAGATION_SEARCH || form->propagation == PROPAGATION_ORDER ||
               form->propagation == PROPAGATION_TRUTH;
    default:
        return false;
    }
}

/* Shifts by a negative number or by all bits are undefined. */
static bool counts_bits(const Gen *g, const GenVar *v) {
    const Data *data = &g->data[v->data];
    return data->lo >= 0 && data->hi < 8;
}

static bool main_fits(Gen *g, const OpInfo *op, const GenVar *v, int least, int most, int tensors) {
    if (op->kind == KIND_STORAGE && v->t->dtype == DT_bool && !draw_chance(g, 1)) {
        return false;
    }
    if (v->dead || v->t->ndim < least || v->t->ndim > most) {
        return false;
    }
    if (shifts(op) && op->param[0].type == ARG_SCALAR && !counts_bits(g, v) && !draw_chance(g, 3)) {
        return false;
    }
    if (v->fuzzy &&
        (tensors > 1 || (op->kind != KIND_POINTWISE && op->propagation != PROPAGATION_SUM))) {
        return false;
    }
    if (op->out_dtype != OUT_NOT) {
        if (g->grad && gen_var_requires_grad(g, v) && !draw_chance(g, 2)) {
            return false;
        }
    } else if (op->param[0].writes && op->kind != KIND_META) {
        if (!var_writable(g, v, false) ||
            (g->data[v->data].saved && g->grad && !draw_chance(g, 10))) {
            return false;
        }
        if (op_sets_storage(op) && g->grad && gen_var_requires_grad(g, v) && !draw_chance(g, 8)) {
            return false;
        }
        if (op->kind == KIND_INPLACE_VIEW || op_sets_storage(op)) {
            /* under no_grad the history does not follow: PyTorch refuses a backward through it, or
             * does not specify it */
            const Base *base = &g->base[v->base];
            if (!g->grad && base->requires_grad && (!base->leaf || v->spent) &&
                !draw_chance(g, 15)) {
                return false;
            }
        } else if (tensor_overlaps_itself(v->t)) {
            return false;
        }
        if (g->base[v->base].input && !draw_chance(g, 60)) {
            return false;
        }
    }
    if (op->kind == KIND_META && op->id != OP_detach) {
        const Base *base = &g->base[v->base];
        if (op->id == OP_retain_grad) {
            return (gen_var_requires_grad(g, v) && !v->no_grad &&
                    (!base->leaf || draw_chance(g, 10))) ||
                   draw_chance(g, 3);
        }
        if (op->id == OP_requires_grad_
                ? !base->leaf || !dtype_is_float(v->t->dtype) || g->data[v->data].saved
                : v->view || base->input || base->requires_grad) {
            return draw_chance(g, 3);
        }
    }
    if (op->id == OP_as_strided_scatter && g->grad && gen_var_requires_grad(g, v) &&
        !draw_chance(g, 10)) { /* PyTorch leaves parts of its gradient uninitialised */
        return false;
    }
    if (g->data[v->data].bits >= BITS_INEXACT && dtype_is_float(v->t->dtype) && makes_choice(op) &&
        !g->base[v->base].input && /* what nothing computed was not rounded */
        !draw_chance(g, g->w[W_inexact_choice])) {
        return false;
    }
    return true;
}

static int count_tensors(const OpInfo *op) {
    int tensors = 0;
    for (int k = 0; k < op->nparam; k++) {
        tensors += op->param[k].type <= ARG_TENSORS_OPT || op->param[k].type == ARG_INDEX;
    }
    return tensors;
}

bool main_has_dims(const OpInfo *op, const GenVar *v) {
    int least, most;
    dims_wanted(op, &least, &most);
    return v->t->ndim >= least && v->t->ndim <= most;
}

bool main_takes(Gen *g, const OpInfo *op, const GenVar *v) {
    int least, most;
    dims_wanted(op, &least, &most);
    return main_param(op) >= 0 && main_fits(g, op, v, least, most, count_tensors(op));
}

/* A view of v that did not exist before, or v. */
static GenVar *new_view(Gen *g, GenVar *v) {
    static const OpId form[] = {OP_t,      OP_transpose, OP_permute, OP_expand,
                                OP_expand, OP_slice,     OP_narrow,  OP_unsqueeze};
    if (!draw_feature(g, g->w[W_new_view]) || v->t->ndim == 0) {
        return v;
    }
    OpId id = form[draw_below(g, COUNT_OF(form))];
    GenVar *made = gen_allows(g, id) ? draw_this_op(g, id, v) : NULL;
    return made != NULL ? made : v;
}

GenVar *draw_main(Gen *g, const OpInfo *op) {
    int least, most, tensors = count_tensors(op);
    if (op->draw == DRAW_COUNTS) {
        int64_t length = draw_below(g, 5);
        return draw_index_tensor(g, draw_chance(g, 80) ? DT_int64 : DT_int32, &length, 1, 0, 3, -1);
    }
    if (op->draw == DRAW_BINCOUNT && draw_chance(g, 95)) {
        static const DType dtypes[] = {DT_int64, DT_int32, DT_int16, DT_int8, DT_uint8};
        int64_t length = draw_below(g, 7);
        int lowest = draw_chance(g, 2) ? -1 : 0;
        DType dtype = dtypes[draw_below(g, draw_chance(g, 60) ? 1 : 5)];
        return draw_index_tensor(g, dtype, &length, 1, lowest, 5, -1);
    }
    if (op->draw == DRAW_ONE_HOT && draw_chance(g, 90)) {
        int64_t size[2] = {draw_extent(g), draw_below(g, 4)};
        return draw_index_tensor(g, DT_int64, size, draw_below(g, 3), 0, 3, -1);
    }
    dims_wanted(op, &least, &most);
    if ((op->draw == DRAW_LOSS_OF_UNIT || op->draw == DRAW_PROBABILITIES) && draw_chance(g, 90)) {
        return draw_unit(g);
    }
    if (g->nvars > 0 && draw_feature(g, g->situation.chain)) {
        GenVar *last = &g->var[g->nvars - 1];
        if (main_fits(g, op, last, least, most, tensors)) {
            return last;
        }
    }
    for (int i = 0; i < 10 && g->nvars > 0; i++) {
        int recent = g->nvars < 5 ? g->nvars : 5;
        GenVar *v = &g->var[draw_chance(g, 60) ? g->nvars - 1 - draw_below(g, recent)
                                               : draw_below(g, g->nvars)];
        if (main_fits(g, op, v, least, most, tensors)) {
            GenVar *view = new_view(g, v);
            return view == v || main_fits(g, op, view, least, most, tensors) ? view : v;
        }
    }
    if (g->p->ninputs >= 6 || most < MAX_DIMS ? g->p->ninputs >= GEN_INPUTS : draw_chance(g, 60)) {
        return NULL;
    }
    int64_t size[MAX_DIMS];
    int n = draw_size(g, size);
    while (n < least) {
        size[n++] = draw_between(g, 1, 4);
    }
    n = n > most ? most : n;
    bool written = op->param[0].writes; /* or refused if it requires grad */
    if (shifts(op) && op->param[0].type == ARG_SCALAR) {
        return draw_index_tensor(g, draw_chance(g, 70) ? DT_int64 : DT_int32, size, n, 0, 6, -1);
    }
    return draw_input(g,
                      op_form(op)->kind == KIND_FUNC &&
                              op_form(op)->propagation == PROPAGATION_MATMUL
                          ? g->main
                          : draw_dtype(g),
                      size, n, false, written ? 0 : 60);
}
