/* Which function draws the arguments of an op, by the column DRAW of its row. */
#include "fuzz/layers/layers.h"

Drawn layer_argument(Draw *x, int k) {
    switch (x->op->draw) {
    case DRAW_LOSS:
    case DRAW_LOSS_OF_UNIT:
        return loss_argument(x, k);
    case DRAW_GAUSSIAN:
        return gaussian_argument(x, k);
    case DRAW_CROSS_ENTROPY:
        return class_loss_argument(x, k);
    case DRAW_INDEX_REDUCE:
    case DRAW_CHANNEL_GROUPS:
    case DRAW_ONE_HOT:
    case DRAW_RENORM:
        return rearranged_argument(x, k);
    case DRAW_CHANNEL_NORM:
        return norm_argument(x, k);
    case DRAW_PAIRS:
        return pairs_argument(x, k);
    case DRAW_BAGS:
        return bag_argument(x, k);
    case DRAW_BILINEAR:
    case DRAW_BINCOUNT:
    case DRAW_HISTOGRAM:
    case DRAW_SAMPLES:
    case DRAW_NEIGHBOURS:
    case DRAW_VECTOR_NORM:
        return sums_argument(x, k);
    case DRAW_HEADS:
        return heads_argument(x, k);
    case DRAW_DISTANCES:
        return distance_argument(x, k);
    default:
        return spatial_argument(x, k);
    }
}
