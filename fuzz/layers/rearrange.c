/* Arguments of index_reduce, channel_shuffle, one_hot and renorm. */
#include "fuzz/layers/layers.h"

#include <math.h>

Drawn rearranged_argument(Draw *x, int k) {
    static const char *const reductions[] = {"prod", "mean", "amax", "amin"};
    const Param *p = &x->op->param[k];
    Gen *g = x->g;
    if (named(p, "reduce")) {
        x->s->arg[k] =
            (PArg){.given = true, .str = draw_chance(g, 98) ? reductions[draw_below(g, 4)] : "sum"};
        return DRAWN;
    }
    if (named(p, "include_self")) {
        if (draw_chance(g, 40)) {
            set_bool(x->s, k, false);
        }
        return DRAWN;
    }
    if (named(p, "groups")) {
        int64_t channels = x->t->size[1], groups = draw_between(g, 1, max_i64(channels, 1));
        while (groups > 1 && channels % groups != 0 && draw_chance(g, 97)) {
            groups--;
        }
        set_int(x->s, k, groups);
        return DRAWN;
    }
    if (named(p, "num_classes")) {
        bool bounded = g->options->max_elements > 0; /* the largest value is not known here */
        if (draw_chance(g, 85) || bounded) {
            set_int(x->s, k, draw_chance(g, 95) ? draw_between(g, 4, 6) : draw_between(g, -2, 3));
        }
        return DRAWN;
    }
    if (named(p, "maxnorm")) {
        static const double bounds[] = {1, 0.5, 2, 3.5, 0, -1};
        set_scalar(x->s, k, scalar_float(bounds[draw_below(g, draw_chance(g, 95) ? 4 : 6)]));
        return DRAWN;
    }
    if (named(p, "p")) {
        static const double orders[] = {2, 1, 3, 2.5, INFINITY, 0};
        set_scalar(x->s, k, scalar_float(orders[draw_below(g, draw_chance(g, 97) ? 5 : 6)]));
        return DRAWN;
    }
    return DRAWN_ELSEWHERE;
}
