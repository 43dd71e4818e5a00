/* Arguments of normalizations: vectors over the channels, which are dim 1. */
#include "fuzz/layers/layers.h"

Drawn norm_argument(Draw *x, int k) {
    static const double numbers[] = {0.5, 0.125, 0.001, 1};
    const Param *p = &x->op->param[k];
    const Tensor *t = x->t;
    Gen *g = x->g;
    int64_t channels = t->size[1], values[GEN_ELEMENTS];
    if (named(p, "weight") || named(p, "bias")) {
        return draw_chance(g, 40) ? layers_none(x, k)
                                  : layers_give(x, k, layers_exactly(x, t->dtype, &channels, 1));
    }
    if (named(p, "running_mean")) {
        x->optional = draw_chance(g, 50);
        return x->optional ? layers_give(x, k, draw_input(g, t->dtype, &channels, 1, true, 2))
                           : layers_none(x, k);
    }
    if (named(p, "running_var")) {
        for (int64_t i = 0; i < channels && channels <= GEN_ELEMENTS; i++) {
            values[i] = 1 + draw_below(g, 4);
        }
        return !x->optional ? layers_none(x, k)
               : channels > GEN_ELEMENTS
                   ? DRAWN_NOTHING
                   : layers_give(x, k, draw_input_values(g, t->dtype, &channels, 1, values));
    }
    if (named(p, "training") || named(p, "use_input_stats")) {
        set_bool(x->s, k, draw_chance(g, x->optional ? 50 : 97));
        return DRAWN;
    }
    if (named(p, "num_groups")) {
        int64_t groups = draw_between(g, 1, max_i64(channels, 1));
        while (groups > 1 && channels % groups != 0 && draw_chance(g, 97)) {
            groups--;
        }
        set_int(x->s, k, groups);
        return DRAWN;
    }
    if (p->type == ARG_FLOAT && (!p->has_default || draw_chance(g, 40))) {
        x->s->arg[k] = (PArg){.given = true, .f = numbers[draw_below(g, COUNT_OF(numbers))]};
    }
    return p->type == ARG_FLOAT ? DRAWN : DRAWN_ELSEWHERE;
}
