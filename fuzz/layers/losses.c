/* Arguments of losses: targets of self's size, weights without a history, numbers. */
#include "fuzz/layers/layers.h"

#include "fuzz/generate/draw.h"

#include <math.h>

static Drawn loss_number(Draw *x, int k) {
    static const double numbers[] = {0.5, 0.25, 2, 1, 0.125, 0, -1};
    if (!draw_chance(x->g, 40)) {
        return DRAWN;
    }
    x->s->arg[k] =
        (PArg){.given = true, .f = numbers[draw_below(x->g, draw_chance(x->g, 85) ? 5 : 7)]};
    return DRAWN;
}

/* Of self's size or of what broadcasts to it; it may not require grad. */
static Drawn loss_weight(Draw *x, int k) {
    const Tensor *t = x->t;
    int last = t->ndim > 0 && draw_chance(x->g, 70) ? t->ndim - 1 : 0;
    if (draw_chance(x->g, 50)) {
        return DRAWN;
    }
    return layers_give(
        x, k, draw_input(x->g, t->dtype, t->size + last, t->ndim - last, draw_chance(x->g, 50), 3));
}

static bool holds_unit(const Gen *g, const GenVar *v) {
    const Data *data = &g->data[v->data];
    return dtype_is_float(v->t->dtype) && !v->fuzzy && !v->dead && data->lo >= 0 && data->hi <= 1;
}

static bool holds_floats(const Gen *g, const GenVar *v) {
    (void)g;
    return dtype_is_float(v->t->dtype) && !v->fuzzy && !v->dead;
}

GenVar *draw_unit(Gen *g) {
    GenVar *v = draw_chance(g, 70) ? draw_var(g, holds_unit) : NULL;
    if (v == NULL && gen_allows(g, OP_sigmoid)) {
        v = draw_var(g, holds_floats);
        v = v != NULL ? draw_this_op(g, OP_sigmoid, v) : NULL;
    }
    return v;
}

/* A target of numbers from 0 to 1 and of self's size: self, zeros, ones, an input. */
static Drawn unit_target(Draw *x, int k) {
    static const OpId made[] = {OP_zeros_like, OP_ones_like, OP_sigmoid};
    Gen *g = x->g;
    OpId id = made[draw_below(g, COUNT_OF(made))];
    if (draw_chance(g, 25) && gen_allows(g, id)) {
        return layers_give(x, k, draw_this_op(g, id, x->self));
    }
    if (draw_chance(g, 10)) {
        return layers_give(x, k, x->self);
    }
    int64_t numel = tensor_numel(x->t), values[GEN_ELEMENTS];
    if (numel > GEN_ELEMENTS) {
        return DRAWN_NOTHING;
    }
    for (int64_t i = 0; i < numel; i++) {
        values[i] = draw_below(g, 2);
    }
    return layers_give(x, k, draw_input_values(g, x->t->dtype, x->t->size, x->t->ndim, values));
}

Drawn loss_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    Gen *g = x->g;
    if (named(p, "target")) {
        Need need = {.dtype = x->t->dtype,
                     .ndim = x->t->ndim,
                     .size = x->t->size,
                     .broadcast = draw_chance(g, 10)};
        if (x->op->draw == DRAW_LOSS_OF_UNIT && draw_chance(g, 90)) {
            return unit_target(x, k);
        }
        return draw_chance(g, 90) ? layers_give(x, k, draw_need(g, need)) : DRAWN_ELSEWHERE;
    }
    if (named(p, "weight") || named(p, "pos_weight")) {
        return loss_weight(x, k);
    }
    return p->type == ARG_FLOAT ? loss_number(x, k) : DRAWN_ELSEWHERE;
}

/* ---- variances ---- */

/* Numbers that are not negative, mostly: of a new input, or made by an op. */
static Drawn variances(Draw *x, int k) {
    static const OpId made[] = {OP_abs, OP_exp, OP_sigmoid, OP_square};
    Gen *g = x->g;
    int64_t size[MAX_DIMS], values[GEN_ELEMENTS], numel = 1;
    int n = x->t->ndim;
    memcpy(size, x->t->size, (size_t)n * sizeof *size);
    if (n > 0 && draw_chance(g, 15)) {
        n--;
    } else if (n > 0 && draw_chance(g, 25)) {
        int64_t one = draw_chance(g, 95) ? 1 : 2;
        size[draw_chance(g, 70) ? n - 1 : draw_below(g, n)] = one;
    }
    DType dtype = draw_chance(g, 95) ? x->t->dtype : draw_dtype(g);
    OpId id = made[draw_below(g, COUNT_OF(made))];
    if (draw_chance(g, 55) && gen_allows(g, id)) {
        GenVar *v = layers_exactly(x, dtype, size, n);
        bool made_here = v != NULL && !draw_chance(g, 4);
        return layers_give(x, k, made_here ? draw_this_op(g, id, v) : v);
    }
    for (int d = 0; d < n; d++) {
        numel *= size[d];
    }
    for (int64_t i = 0; i < numel && i < GEN_ELEMENTS; i++) {
        values[i] = draw_between(g, draw_chance(g, 1) ? -1 : 0, 6);
    }
    return numel > GEN_ELEMENTS ? DRAWN_NOTHING
                                : layers_give(x, k, draw_input_values(g, dtype, size, n, values));
}

Drawn gaussian_argument(Draw *x, int k) {
    static const double numbers[] = {0.5, 0.25, 1, 3, 0, -1};
    static const char *const reductions[] = {"none", "mean", "sum", "batchmean"};
    const Param *p = &x->op->param[k];
    Gen *g = x->g;
    if (named(p, "target")) {
        return loss_argument(x, k);
    }
    if (p->type == ARG_TENSOR) {
        return variances(x, k);
    }
    if (p->type == ARG_FLOAT) {
        if (named(p, "var") || draw_chance(g, 30)) {
            double number = numbers[draw_below(g, draw_chance(g, 97) ? 5 : 6)];
            x->s->arg[k] = (PArg){.given = true, .f = number};
        }
        return DRAWN;
    }
    if (p->type == ARG_STR) {
        if (draw_chance(g, 70)) {
            int which = draw_below(g, draw_chance(g, 98) ? 3 : 4);
            x->s->arg[k] = (PArg){.given = true, .str = reductions[which]};
        }
        return DRAWN;
    }
    return DRAWN_ELSEWHERE;
}

/* ---- classes ---- */

Drawn class_loss_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    const Tensor *t = x->t;
    Gen *g = x->g;
    int64_t size[MAX_DIMS], classes = t->size[t->ndim == 1 ? 0 : 1];
    if (named(p, "target")) {
        int n = 0;
        for (int d = 0; d < t->ndim; d++) {
            if (d != (t->ndim == 1 ? 0 : 1)) {
                size[n++] = t->size[d];
            }
        }
        if (has(x->op, "label_smoothing") && draw_chance(g, 30)) {
            return layers_give(x, k, layers_exactly(x, t->dtype, t->size, t->ndim));
        }
        x->index = classes == 0 ? NULL
                                : draw_index_tensor(g, draw_chance(g, 96) ? DT_int64 : DT_uint8,
                                                    size, n, 0, classes - 1, -1);
        return layers_give(x, k, x->index);
    }
    if (named(p, "weight")) { /* it may not require grad */
        return draw_chance(g, 55)
                   ? DRAWN
                   : layers_give(x, k, draw_input(g, t->dtype, &classes, 1, true, 3));
    }
    if (named(p, "ignore_index")) {
        if (draw_chance(g, x->index == NULL ? 5 : 40)) {
            set_int(x->s, k, draw_between(g, 0, classes));
        }
        return DRAWN;
    }
    if (named(p, "label_smoothing")) {
        static const double smoothing[] = {0.125, 0.5, 0.1, 1, 1.5};
        if (draw_chance(g, 35)) {
            x->s->arg[k] = (PArg){.given = true, .f = smoothing[draw_below(g, 5)]};
        }
        return DRAWN;
    }
    return DRAWN_ELSEWHERE;
}

/* ---- pairs ---- */

static Drawn signs_target(Draw *x, int k) {
    Gen *g = x->g;
    int64_t values[GEN_ELEMENTS], n = x->t->ndim > 1 ? x->t->size[0] : 1;
    if (n > GEN_ELEMENTS) {
        return DRAWN_NOTHING;
    }
    for (int64_t i = 0; i < n; i++) {
        values[i] = draw_chance(g, 5) ? 0 : draw_chance(g, 50) ? 1 : -1;
    }
    DType dtype = draw_chance(g, 50) ? DT_int64 : x->t->dtype;
    return layers_give(x, k, draw_input_values(g, dtype, x->t->size, x->t->ndim > 1, values));
}

Drawn pairs_argument(Draw *x, int k) {
    static const double orders[] = {1, 3, 0, INFINITY, 0.5};
    static const double numbers[] = {0.5, 0.25, 1, 0.001, 0, -0.5};
    const Param *p = &x->op->param[k];
    Gen *g = x->g;
    if (named(p, "target")) {
        return signs_target(x, k);
    }
    if (p->type == ARG_TENSOR) {
        Need need = {.dtype = x->t->dtype,
                     .ndim = x->t->ndim,
                     .size = x->t->size,
                     .broadcast = draw_chance(g, 15)};
        return draw_chance(g, 90) ? layers_give(x, k, draw_need(g, need)) : DRAWN_ELSEWHERE;
    }
    if (p->type == ARG_FLOAT) {
        if (draw_chance(g, 35)) {
            x->s->arg[k] =
                (PArg){.given = true,
                       .f = named(p, "p") ? orders[draw_below(g, 5)] : numbers[draw_below(g, 6)]};
        }
        return DRAWN;
    }
    if (named(p, "dim") && x->t->ndim < 2) {
        set_int(x->s, k, draw_chance(g, 50) ? 0 : -1);
        return DRAWN;
    }
    return DRAWN_ELSEWHERE;
}
