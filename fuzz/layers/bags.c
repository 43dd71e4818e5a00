/* Arguments of embedding_bag: rows, where the bags of them start, factors. And of distances between
 * rows. */
#include "fuzz/layers/layers.h"

#include <math.h>

static Drawn bag_indices(Draw *x, int k) {
    Gen *g = x->g;
    int64_t rows = x->t->size[0], size[2] = {rows == 0 ? 0 : draw_between(g, 0, 6), 1};
    DType dtype = draw_chance(g, 80) ? DT_int64 : draw_chance(g, 90) ? DT_int32 : DT_int16;
    int64_t most = draw_chance(g, 2) ? rows : rows - 1;
    x->index = draw_index_tensor(g, dtype, size, 1 + draw_chance(g, 1), 0, most, -1);
    return layers_give(x, k, x->index);
}

/* Ascending, from 0 on; seldom refused. Whether the last one is an end is drawn here. */
static Drawn bag_offsets(Draw *x, int k) {
    Gen *g = x->g;
    if (x->index == NULL) {
        return DRAWN_NOTHING;
    }
    int64_t n = x->index->t->size[0], values[6], at = 0;
    bool ends = draw_chance(g, 25);
    int64_t bags = draw_between(g, n > 0 ? 1 : 0, 4), count = bags + ends;
    set_bool(x->s, 7, ends);
    for (int64_t i = 0; i < count; i++) {
        values[i] = i > 0 && ends && i == count - 1 ? n : at;
        at = draw_between(g, at, n);
    }
    if (count > 0 && draw_chance(g, 3)) { /* refused; others are undefined */
        bool first = draw_chance(g, 50);
        values[first ? 0 : count - 1] = first ? 1 : n + 1;
    }
    DType dtype = draw_chance(g, 85) ? DT_int64 : DT_int32;
    return layers_give(x, k, draw_input_values(g, dtype, &count, 1, values));
}

Drawn bag_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    Gen *g = x->g;
    switch (k) {
    case 1:
        return bag_indices(x, k);
    case 2:
        return bag_offsets(x, k);
    case 3:
        set_bool(x->s, k, draw_chance(g, 20));
        return DRAWN;
    case 4:
        set_int(x->s, k, draw_below(g, 3));
        return DRAWN;
    case 5: /* a sparse gradient is another type of tensor */
        if (!p->has_default) {
            set_bool(x->s, k, false);
        }
        return DRAWN;
    case 6: {
        bool sums = x->s->arg[4].i.value == 0;
        return x->index != NULL && draw_chance(g, sums ? 45 : 2)
                   ? layers_give(x, k, layers_exactly(x, x->t->dtype, x->index->t->size, 1))
                   : layers_none(x, k);
    }
    case 7:
        return DRAWN; /* with the offsets */
    default: {
        int64_t rows = x->t->size[0];
        if (rows == 0 || draw_chance(g, 25)) {
            return layers_none(x, k);
        }
        set_int(x->s, k, draw_between(g, -rows, draw_chance(g, 4) ? rows : rows - 1));
        return DRAWN;
    }
    }
}

/* ---- distances ---- */

/* With as many columns as x1, any number of rows, and batches that fit. */
static Drawn other_rows(Draw *x, int k) {
    const Tensor *t = x->t;
    Gen *g = x->g;
    int64_t size[MAX_DIMS];
    int n = t->ndim, first = n > 2 && draw_chance(g, 30) ? 1 : 0;
    for (int d = 0; d < n; d++) {
        size[d] = d == n - 2                        ? draw_extent(g)
                  : d < n - 2 && draw_chance(g, 20) ? 1
                  : d == n - 1 && draw_chance(g, 1) ? t->size[d] + 1
                                                    : t->size[d];
    }
    if (draw_chance(g, 15)) {
        return layers_give(x, k, x->self);
    }
    if (draw_chance(g, 3)) {
        size[n - 2] = 26; /* from here on they are products */
    }
    DType dtype = draw_chance(g, 97) ? t->dtype : t->dtype == DT_float32 ? DT_float64 : DT_float32;
    return layers_give(x, k, layers_exactly(x, dtype, size + first, n - first));
}

Drawn distance_argument(Draw *x, int k) {
    static const double orders[] = {2, 2, 1, 1, 3, 0, INFINITY, 0.5, 1.5, 2.5},
                        refused[] = {-1, NAN};
    const Param *p = &x->op->param[k];
    Gen *g = x->g;
    if (x->t->size[0] == 0 && x->op->nparam == 2) { /* PyTorch's backward of no rows crashes */
        return DRAWN_NOTHING;
    }
    if (p->type == ARG_TENSOR) {
        return other_rows(x, k);
    }
    if (p->type == ARG_FLOAT) {
        if (draw_chance(g, 80)) {
            double order = draw_chance(g, 2) ? refused[draw_below(g, COUNT_OF(refused))]
                                             : orders[draw_below(g, COUNT_OF(orders))];
            x->s->arg[k] = (PArg){.given = true, .f = order};
        }
        return DRAWN;
    }
    if (draw_chance(g, 50)) { /* compute_mode: 1 are products */
        set_int(x->s, k, draw_chance(g, 80) ? 2 : draw_chance(g, 97) ? draw_below(g, 3) : 3);
    }
    return DRAWN;
}
