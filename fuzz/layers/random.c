/* Numbers of distributions, and of what is dropped: mostly usual ones, now and then the ends,
 * seldom one that is refused. */
#include "fuzz/layers/layers.h"

#include <math.h>

static double draw_probability(Gen *g) {
    static const double usual[] = {0.5, 0.5, 0.5, 0.1, 0.25, 0.75, 0.9, 0, 1},
                        refused[] = {-0.5, 1.5, NAN};
    return draw_chance(g, 3) ? refused[draw_below(g, COUNT_OF(refused))]
                             : usual[draw_below(g, COUNT_OF(usual))];
}

static double draw_deviation(Gen *g) {
    static const double usual[] = {1, 0.5, 2, 3}, end[] = {0, -1};
    return draw_chance(g, 6) ? end[draw_below(g, COUNT_OF(end))]
                             : usual[draw_below(g, COUNT_OF(usual))];
}

static Drawn random_float(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    Gen *g = x->g;
    double v;
    if (p->has_default && draw_chance(g, 50)) {
        return DRAWN;
    }
    if (named(p, "p")) {
        v = draw_probability(g);
    } else if (named(p, "from")) {
        v = (double)draw_between(g, -4, 2) / 2;
    } else if (named(p, "to")) {
        const PArg *from = &x->s->arg[k - 1];
        v = (from->given ? from->f : 0) +
            (double)draw_between(g, draw_chance(g, 4) ? -2 : 0, 4) / 2;
    } else if (named(p, "mean")) {
        v = (double)draw_between(g, -4, 4) / 2;
    } else { /* std, lambd */
        v = draw_deviation(g);
    }
    x->s->arg[k] = (PArg){.given = true, .f = v};
    return DRAWN;
}

/* `high` is more than `low`, which is 0 where it is not given. */
static Drawn random_int(Draw *x, int k) {
    Gen *g = x->g;
    bool unsigned_only = x->t->dtype == DT_uint8 || x->t->dtype == DT_bool;
    int64_t low = unsigned_only && draw_chance(g, 90) ? 0 : draw_between(g, -4, 4), high;
    if (named(&x->op->param[k], "low")) {
        set_int(x->s, k, low);
        return DRAWN;
    }
    low = has(x->op, "low") ? x->s->arg[k - 1].i.value : 0;
    high = x->t->dtype == DT_bool ? low + 2 : low + draw_between(g, draw_chance(g, 5) ? -1 : 1, 9);
    set_int(x->s, k, high);
    return DRAWN;
}

/* Two slopes, mostly in order; now and then one, which is no random number. */
static Drawn random_slope(Draw *x, int k) {
    static const double slopes[] = {0.125, 0.25, 0.5, 0, 1, -0.25, 2, INFINITY, NAN};
    Gen *g = x->g;
    const PArg *lower = &x->s->arg[1];
    double v = slopes[draw_below(g, draw_chance(g, 97) ? 6 : COUNT_OF(slopes))];
    if (k == 2 && lower->given && draw_chance(g, 97)) {
        double from = scalar_to_double(lower->scalar);
        v = draw_chance(g, 40) ? from : from + fabs(v);
    } else if (draw_chance(g, 40)) {
        return DRAWN;
    }
    bool whole = v == floor(v) && isfinite(v) && draw_chance(g, 50);
    set_scalar(x->s, k, whole ? scalar_int((int64_t)v) : scalar_float(v));
    return DRAWN;
}

Drawn random_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    switch (p->type) {
    case ARG_FLOAT:
        return random_float(x, k);
    case ARG_INT:
        return random_int(x, k);
    case ARG_SCALAR:
        return x->op->draw == DRAW_SLOPES ? random_slope(x, k) : DRAWN_ELSEWHERE;
    case ARG_BOOL:
        set_bool(x->s, k, draw_chance(x->g, 88));
        return DRAWN;
    default:
        return DRAWN_ELSEWHERE;
    }
}
