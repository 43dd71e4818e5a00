/* Arguments of embedding_bag: rows, where the bags of them start, factors. */
#include "fuzz/layers/layers.h"

static Drawn bag_indices(Draw *x, int k) {
    Gen *g = x->g;
    int64_t rows = x->t->size[0], size[2] = {rows == 0 ? 0 : draw_between(g, 0, 6), 1};
    DType dtype = draw_chance(g, 80) ? DT_int64 : draw_chance(g, 90) ? DT_int32 : DT_int16;
    int64_t most = draw_chance(g, 2) ? rows : rows - 1;
    x->index = draw_index_tensor(g, dtype, size, 1 + draw_chance(g, 1), 0, most, -1);
    return layers_give(x, k, x->index);
}

/* Ascending, from 0 on; seldom others. Whether the last one is an end is drawn here. */
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
    if (count > 0 && draw_chance(g, 3)) {
        values[draw_below(g, (int)count)] = draw_between(g, -1, n + 1);
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
