/* Arguments of bilinear, bincount, histc, local_response_norm, linalg_vector_norm and grid_sampler.
 */
#include "fuzz/layers/layers.h"

#include <math.h>

static Drawn bilinear_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Tensor *t = x->t;
    int64_t size[MAX_DIMS];
    int n = t->ndim;
    if (k == 1) {
        memcpy(size, t->size, sizeof *size * (size_t)n);
        size[n - 1] = x->window[2] = draw_extent(g);
        size[0] += draw_chance(g, n > 1 ? 1 : 0);
        return layers_give(x, k, layers_exactly(x, t->dtype, size, n));
    }
    if (k == 2) {
        x->window[0] = draw_between(g, 1, 4);
        x->window[1] = t->size[n - 1] + draw_chance(g, 1);
        DType dtype = draw_chance(g, 98) ? t->dtype : DT_float64;
        return layers_give(x, k, layers_exactly(x, dtype, x->window, 3));
    }
    size[0] = x->window[0] + draw_chance(g, 1);
    return draw_chance(g, 40) ? layers_none(x, k)
                              : layers_give(x, k, layers_exactly(x, t->dtype, size, 1));
}

static Drawn bincount_argument(Draw *x, int k) {
    static const DType dtypes[] = {DT_float32, DT_float64, DT_int64, DT_bfloat16, DT_bool};
    Gen *g = x->g;
    if (g->options->max_elements >
        0) { /* the largest value, which is the size, is not known here */
        return DRAWN_NOTHING;
    }
    if (k == 1) { /* mostly without a history, of which there is no derivative */
        int64_t size = x->t->size[0] + draw_chance(g, 1), values[8];
        DType dtype = dtypes[draw_below(g, draw_chance(g, 70) ? 2 : 5)];
        for (int64_t i = 0; i < 8; i++) {
            values[i] = draw_between(g, -3, 5);
        }
        return draw_chance(g, 50) ? layers_none(x, k)
               : size > 8 || draw_chance(g, 8)
                   ? layers_give(x, k, layers_exactly(x, dtype, &size, 1))
                   : layers_give(x, k, draw_input_values(g, dtype, &size, 1, values));
    }
    if (draw_chance(g, 40)) {
        set_int(x->s, k, draw_between(g, draw_chance(g, 3) ? -1 : 0, 7));
    }
    return DRAWN;
}

static Drawn neighbours_argument(Draw *x, int k) {
    static const double numbers[] = {0.5, 1, 2, 0.75, 0.001, 0};
    Gen *g = x->g;
    if (k == 1) {
        set_int(x->s, k, draw_between(g, draw_chance(g, 1) ? -1 : 1, 5));
    } else if (draw_chance(g, 40)) {
        x->s->arg[k] = (PArg){.given = true, .f = numbers[draw_below(g, COUNT_OF(numbers))]};
    }
    return DRAWN;
}

static Drawn vector_norm_argument(Draw *x, int k) {
    static const double orders[] = {2, 1, 3, 0, 2.5, 0.5, INFINITY, -INFINITY, -1, -2};
    Gen *g = x->g;
    if (k != 1) {
        return k == 4 && draw_chance(g, 97) ? DRAWN : DRAWN_ELSEWHERE;
    }
    if (draw_chance(g, 70)) {
        double order = orders[draw_below(g, draw_chance(g, 70) ? 7 : COUNT_OF(orders))];
        bool whole = order == floor(order) && !isinf(order) && draw_chance(g, 50);
        set_scalar(x->s, k, whole ? scalar_int((int64_t)order) : scalar_float(order));
    }
    return DRAWN;
}

/* Few bins, mostly: the products of half types with their number may not overflow. */
static Drawn histogram_argument(Draw *x, int k) {
    static const double ends[] = {-2, 0, 1, 3, 0.5, -0.75, 8, INFINITY, NAN};
    Gen *g = x->g;
    bool half = dtype_is_float(x->t->dtype) && dtype_bytes(x->t->dtype) < 4;
    if (k == 1) {
        if (half || draw_chance(g, 92)) {
            set_int(x->s, k, draw_between(g, draw_chance(g, 2) ? -1 : 1, 6));
        }
        return DRAWN;
    }
    if (draw_chance(g, 55)) {
        double end = ends[draw_below(g, draw_chance(g, 98) ? 7 : COUNT_OF(ends))];
        end += k == 3 && draw_chance(g, 80) ? 3 : 0;
        bool whole = end == floor(end) && isfinite(end) && draw_chance(g, 50);
        set_scalar(x->s, k, whole ? scalar_int((int64_t)end) : scalar_float(end));
    }
    return DRAWN;
}

/* A grid of as many batches, of a few positions; many of them at the ends or between elements. */
static Drawn samples_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Tensor *t = x->t;
    int n = t->ndim - 2;
    int64_t size[5] = {t->size[0] + draw_chance(g, 1)}, values[64], numel = 1;
    if (k == 1) {
        for (int d = 0; d < n; d++) {
            size[1 + d] = draw_between(g, 1, n == 3 ? 2 : 3);
        }
        size[1 + n] = n + draw_chance(g, 1);
        DType dtype = draw_chance(g, 98) ? t->dtype : DT_float64;
        for (int d = 0; d < n + 2; d++) {
            numel *= size[d];
        }
        if (numel > COUNT_OF(values) || draw_chance(g, 75)) {
            return layers_give(x, k, layers_exactly(x, dtype, size, n + 2));
        }
        for (int64_t i = 0; i < numel; i++) {
            values[i] = draw_between(g, -1, 1);
        }
        return layers_give(x, k, draw_input_values(g, dtype, size, n + 2, values));
    }
    if (k < 4) {
        set_int(x->s, k, draw_below(g, 3));
    } else {
        set_bool(x->s, k, draw_chance(g, 50));
    }
    return DRAWN;
}

Drawn sums_argument(Draw *x, int k) {
    switch (x->op->draw) {
    case DRAW_BILINEAR:
        return bilinear_argument(x, k);
    case DRAW_BINCOUNT:
        return bincount_argument(x, k);
    case DRAW_SAMPLES:
        return samples_argument(x, k);
    case DRAW_HISTOGRAM:
        return histogram_argument(x, k);
    case DRAW_NEIGHBOURS:
        return neighbours_argument(x, k);
    default:
        return vector_norm_argument(x, k);
    }
}
