/* Arguments of multi_head_attention_forward: sequences, the weights that project them, masks. */
#include "fuzz/layers/layers.h"

static Drawn heads_tensor(Draw *x, int k, DType dtype, const int64_t *size, int ndim) {
    return layers_give(x, k, layers_exactly(x, dtype, size, ndim));
}

/* Often a sequence of realistic width replaces the query that was drawn. */
static bool heads_query(Draw *x) {
    static const int64_t widths[] = {4, 4, 6, 8, 8, 12, 16, 32, 64};
    Gen *g = x->g;
    if (draw_chance(g, 60)) {
        int64_t size[3] = {draw_between(g, 1, 5), draw_between(g, 1, 3),
                           widths[draw_below(g, COUNT_OF(widths))]};
        bool batched = draw_chance(g, 70);
        size[1] = batched ? size[1] : size[2];
        DType dtype = draw_chance(g, 75) ? DT_float32 : DT_float64;
        GenVar *query = layers_exactly(x, dtype, size, batched ? 3 : 2);
        if (query == NULL) {
            return false;
        }
        set_tensor(x->s, 0, query);
        x->self = query;
        x->t = query->t;
    }
    return dtype_is_float(x->t->dtype) && tensor_numel(x->t) > 0;
}

/* Mostly the object that the operand before is: which product projects them depends on that. */
static Drawn heads_sequence(Draw *x, int k) {
    Gen *g = x->g;
    int64_t size[3];
    if (draw_chance(g, k == 1 ? 45 : 60)) {
        x->s->arg[k] = x->s->arg[k - 1];
        x->first = k == 1 ? x->t->size[0] : x->first;
        return DRAWN;
    }
    memcpy(size, x->t->size, sizeof size);
    x->first = k == 1 ? draw_between(g, 1, 5) : x->first;
    size[0] = x->first + (k == 2 && draw_chance(g, 1));
    size[x->t->ndim - 1] += k == 1 && draw_chance(g, 1);
    return heads_tensor(x, k, x->t->dtype, size, x->t->ndim);
}

static DType heads_mask_dtype(const Draw *x, Gen *g) {
    return draw_chance(g, 45) ? DT_bool : draw_chance(g, 97) ? x->t->dtype : draw_dtype(g);
}

static Drawn heads_mask(Draw *x, int k) {
    Gen *g = x->g;
    int64_t batch = x->t->ndim == 3 ? x->t->size[1] : 1,
            size[3] = {batch * x->window[0], x->t->size[0], x->first};
    int n = draw_chance(g, 70) ? 2 : 3;
    if (draw_chance(g, 50)) {
        return layers_none(x, k);
    }
    size[1] += draw_chance(g, 1);
    return heads_tensor(x, k, heads_mask_dtype(x, g), size + 3 - n, n);
}

static Drawn heads_padding(Draw *x, int k) {
    Gen *g = x->g;
    bool batched = x->t->ndim == 3;
    int64_t size[2] = {batched ? x->t->size[1] : x->first, x->first + draw_chance(g, 1)};
    return draw_chance(g, 75) ? layers_none(x, k)
                              : heads_tensor(x, k, heads_mask_dtype(x, g), size, 1 + batched);
}

static int64_t heads_count(Gen *g, int64_t width) {
    int64_t heads = draw_between(g, 1, 8);
    while (width % heads != 0 && !draw_chance(g, 2)) {
        heads = heads > 1 ? heads - 1 : 1;
    }
    return heads;
}

Drawn heads_argument(Draw *x, int k) {
    Gen *g = x->g;
    if (k == 1 && !heads_query(x)) {
        return DRAWN_NOTHING;
    }
    int64_t width = x->t->size[x->t->ndim - 1], size[2] = {3 * width, width};
    switch (k) {
    case 1:
    case 2:
        return heads_sequence(x, k);
    case 3:
        set_int(x->s, k, width + draw_chance(g, 1));
        return DRAWN;
    case 4:
        x->window[0] = heads_count(g, width);
        set_int(x->s, k, x->window[0]);
        return DRAWN;
    case 5:
        size[0] += draw_chance(g, 1);
        return heads_tensor(x, k, x->t->dtype, size, 2);
    case 6:
        return draw_chance(g, 30) ? layers_none(x, k) : heads_tensor(x, k, x->t->dtype, size, 1);
    case 7:
        size[0] = x->window[1] = draw_chance(g, 85) ? width : draw_between(g, 1, 4);
        return heads_tensor(x, k, x->t->dtype, size, 2);
    case 8:
        return draw_chance(g, 30) ? layers_none(x, k)
                                  : heads_tensor(x, k, x->t->dtype, x->window + 1, 1);
    case 9:
        return heads_padding(x, k);
    case 11:
        return heads_mask(x, k);
    case 13:
        if (draw_chance(g, x->s->arg[11].given ? 20 : 1)) {
            set_bool(x->s, k, true);
        }
        return DRAWN;
    default: /* need_weights, average_attn_weights */
        if (draw_chance(g, 60)) {
            set_bool(x->s, k, draw_chance(g, 30));
        }
        return DRAWN;
    }
}
