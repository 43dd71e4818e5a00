/* Arguments of losses and of layers of neural networks, for generate/nn.c. */
#ifndef FUZZ_LAYERS_H
#define FUZZ_LAYERS_H

#include "fuzz/generate/args.h"

static inline Drawn layers_give(Draw *x, int k, GenVar *v) {
    if (v == NULL) {
        return DRAWN_NOTHING;
    }
    set_tensor(x->s, k, v);
    return DRAWN;
}
/* None, which is written where the parameter has no default. */
static inline Drawn layers_none(Draw *x, int k) {
    if (!x->op->param[k].has_default) {
        x->s->arg[k] = (PArg){.given = true, .is_none = true};
    }
    return DRAWN;
}
static inline GenVar *layers_exactly(Draw *x, DType dtype, const int64_t *size, int ndim) {
    return draw_need(x->g, (Need){.dtype = dtype, .ndim = ndim, .size = size});
}

/* Each draws parameter k of an op whose row says DRAW(LOSS..), ... */
Drawn loss_argument(Draw *x, int k);
Drawn gaussian_argument(Draw *x, int k);
Drawn class_loss_argument(Draw *x, int k);
Drawn pairs_argument(Draw *x, int k);
Drawn norm_argument(Draw *x, int k);
Drawn rearranged_argument(Draw *x, int k);
Drawn bag_argument(Draw *x, int k);
Drawn distance_argument(Draw *x, int k);
Drawn heads_argument(Draw *x, int k);
Drawn sums_argument(Draw *x, int k);

#endif
