/* Situations: features of a whole program, off or on.
 *
 * Many compiler bugs need two or three specific ops in a row, two calls that differ in one fact, or
 * operands of two specific layouts. Random statements over all ops meet them once in 10^5 programs.
 * A program that repeats few ops, layouts or calls meets them far more often, for the same reason
 * that swarm testing does (Groce et al., "Swarm testing", 2012): what a program leaves out makes
 * room for combinations of the rest. */
#include "fuzz/generate/draw.h"

#include <math.h>

/* Three to six ops, and now and then the form of one of them that writes, or does not. */
static void few_ops(Gen *g) {
    Situations *s = &g->situation;
    int n = 3 + draw_below(g, 4);
    int kind = W_few_weighted + draw_share(g, W_few_weighted, W_few_any);
    for (int tries = 0; s->nfew < n && tries < 40; tries++) {
        const OpInfo *op = kind == W_few_weighted ? draw_op_info(g)
                           : kind == W_few_common ? op_info(draw_common_op(g))
                                                  : op_info(g->options->op[draw_below(g, g->nop)]);
        if (!gen_draws(g, op) || !gen_allows(g, op->id)) {
            continue;
        }
        s->few[s->nfew++] = op->id;
        if (op->kind == KIND_INPLACE && s->nfew < n && gen_allows(g, op->twin) &&
            op_info(op->twin)->class != CLASS_NEVER && draw_chance(g, 30)) {
            s->few[s->nfew++] = op->twin;
        }
    }
}

/* Indexing is two ops among hundreds, and most of what programs do to tensors. */
static void few_and_indexing(Gen *g) {
    static const OpId indexing[] = {OP_getitem, OP_setitem};
    few_ops(g);
    for (int i = 0; i < COUNT_OF(indexing); i++) {
        OpId id = indexing[i];
        if (g->situation.nfew < GEN_FEW && gen_allows(g, id) && gen_draws(g, op_info(id)) &&
            draw_chance(g, 30)) {
            g->situation.few[g->situation.nfew++] = id;
        }
    }
}

/* One or two layouts, each as likely, however rare it is among all inputs. */
static void few_layouts(Gen *g) {
    Situations *s = &g->situation;
    s->nlayout = 2;
    for (int i = 0; i < s->nlayout; i++) {
        s->layout[i] = draw_below(g, W_layout_offset - W_layout_contiguous + 1);
    }
}

/* One of the palette's sizes is 0, 1 or longer than usual. */
static void odd_extent(Gen *g) {
    static const int64_t odd[] = {0, 1, 1, 11, 16, 17, 32, 33};
    g->palette[draw_below(g, 3)] = odd[draw_below(g, COUNT_OF(odd))];
}

void draw_situations(Gen *g) {
    static const DType whole[] = {DT_int64, DT_int64, DT_int32, DT_int8,
                                  DT_uint8, DT_int16, DT_bool};
    static const DType narrow[] = {DT_int8, DT_uint8, DT_int16};
    static const DType floats[] = {DT_float32, DT_float64, DT_float16, DT_bfloat16};
    Situations *s = &g->situation;
    if (draw_feature(g, g->w[W_integers])) {
        g->main = draw_feature(g, g->w[W_narrow]) ? narrow[draw_below(g, COUNT_OF(narrow))]
                                                  : whole[draw_below(g, COUNT_OF(whole))];
        s->whole_limits = draw_chance(g, 40);
    }
    if (draw_feature(g, g->w[W_few_ops])) {
        few_and_indexing(g);
    }
    if (draw_feature(g, g->w[W_chain])) {
        s->chain = 55;
    }
    if (draw_feature(g, g->w[W_layout_pair])) {
        few_layouts(g);
    }
    s->related = draw_feature(g, g->w[W_related]);
    s->overwrite = draw_feature(g, g->w[W_overwrite]);
    s->limits = draw_feature(g, g->w[W_limits]);
    s->whole_limits = s->whole_limits || s->limits;
    s->neutral = draw_feature(g, g->w[W_neutral]);
    s->breaks = draw_feature(g, g->w[W_breaks]);
    s->mixed = draw_feature(g, g->w[W_mixed]);
    if (s->mixed && dtype_is_float(g->main)) {
        g->main = floats[draw_below(g, COUNT_OF(floats))];
    }
    s->late_probes = draw_feature(g, g->w[W_late_probes]);
    s->long_lists = draw_feature(g, g->w[W_long_lists]);
    s->extremes = draw_feature(g, g->w[W_extremes]);
    if (s->extremes && g->options->max_elements == 0 && draw_chance(g, 50)) {
        odd_extent(g);
    }
}

int64_t draw_extreme(Gen *g, int64_t n) {
    const int64_t end[] = {n,         -n,      n + 1,  -n - 1,  n - 1,      1 - n,
                           2 * n + 1, n + 100, -n - 7, 1 << 20, -(1 << 20), 0};
    return end[draw_below(g, COUNT_OF(end))];
}

int64_t draw_boundary(Gen *g, DType dtype) {
    static const int bits[] = {7, 8, 15, 16, 24, 31, 31, 32, 32, 53, 63};
    for (int i = 0; i < 8; i++) {
        int bit = bits[draw_below(g, COUNT_OF(bits))];
        int64_t power = bit == 63 ? INT64_MAX : (int64_t)1 << bit, v = power - draw_below(g, 2);
        v = draw_chance(g, 50) ? -v - draw_below(g, 2) : v;
        if (v >= dtype_min(dtype) && v <= dtype_max(dtype)) {
            return v;
        }
    }
    return draw_below(g, 2) == 0 && dtype_min(dtype) < 0 ? -1 : 1;
}

Scalar draw_extreme_scalar(Gen *g, DType dtype) {
    if (dtype == DT_bool) {
        return scalar_int(2);
    }
    if (!dtype_is_float(dtype)) {
        if (draw_chance(g, 40)) {
            return scalar_int(draw_boundary(g, dtype));
        }
        int64_t lo = dtype_min(dtype), hi = dtype_max(dtype);
        bool widest = hi == INT64_MAX; /* nothing lies beyond */
        const int64_t end[] = {lo, hi, lo + 1, hi - 1, widest ? hi : hi + 1, widest ? lo : lo - 1};
        return scalar_int(end[draw_below(g, COUNT_OF(end))]);
    }
    static const double far[] = {65504, 65536, -70000, 1e30, 1e39, -1e39, 1e300, 1e-30, 1e-46};
    return scalar_float(far[draw_below(g, COUNT_OF(far))]);
}
