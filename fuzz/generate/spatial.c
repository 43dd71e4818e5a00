/* Arguments of the ops over the last dims of a batch of channels: pads, interpolation,
 * windows. */
#include "fuzz/generate/args.h"

static Drawn spatial_text(Draw *x, int k, const char *text) {
    x->s->arg[k] = (PArg){.given = true, .str = text};
    return DRAWN;
}

/* ---- pads ---- */

/* How many of the last dims are padded: that of the row, or any that the mode takes. */
static int dims_to_pad(Draw *x) {
    int ndim = x->t->ndim, least = x->op->dims[0] - 1;
    if (x->op->id != OP_pad) {
        return least;
    }
    return ndim == 5 || (ndim > 2 && draw_chance(x->g, 50)) ? ndim - 2 : ndim - 1;
}

static Drawn pad_argument(Draw *x, int k) {
    static const char *const modes[] = {"constant", "reflect", "replicate", "circular"};
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    if (named(p, "mode")) {
        return spatial_text(x, k, modes[draw_below(g, COUNT_OF(modes))]);
    }
    if (named(p, "value")) {
        if (strcmp(x->s->arg[2].str, modes[0]) == 0 && draw_chance(g, 60)) {
            x->s->arg[k] = (PArg){.given = true, .f = (double)draw_between(g, -4, 4) / 2};
        }
        return DRAWN;
    }
    int n = (int)min_i64(dims_to_pad(x), 3);
    int64_t v[6];
    for (int i = 0; i < n; i++) {
        int64_t size = x->t->size[x->t->ndim - 1 - i];
        for (int side = 0; side < 2; side++) {
            bool crops = draw_chance(g, 12);
            v[2 * i + side] = crops ? -draw_between(g, 0, size / 2)
                                    : draw_between(g, 0, min_i64(max_i64(size - 1, 0), 2));
        }
    }
    set_ints(g, x->s, k, v, 2 * n);
    return DRAWN;
}

/* ---- interpolation ---- */

static Drawn upsample_argument(Draw *x, int k) {
    static const double scales[] = {2, 0.5, 1.5};
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    int n = x->t->ndim - 2;
    if (p->type == ARG_BOOL) {
        set_bool(x->s, k, draw_chance(g, 50));
        return DRAWN;
    }
    if (p->type != ARG_INTS) { /* given with the sizes */
        return DRAWN;
    }
    int64_t size[3];
    bool stated = draw_chance(g, 25);
    int first = x->op->nparam - n;
    for (int d = 0; d < n; d++) {
        double scale = scales[draw_below(g, COUNT_OF(scales))];
        int64_t in = x->t->size[2 + d];
        size[d] =
            stated ? max_i64((int64_t)((double)in * scale), 1) : draw_between(g, 1, n == 3 ? 4 : 7);
        if (stated) {
            x->s->arg[first + d] = (PArg){.given = true, .f = scale};
        }
    }
    set_ints(g, x->s, k, size, n);
    return DRAWN;
}

/* ---- windows ---- */

static Drawn parts_argument(Draw *x, int k) {
    Gen *g = x->g;
    int n = x->op->dims[0] - 1;
    int64_t v[3];
    bool whole = draw_chance(g, 15);
    for (int d = 0; d < n; d++) {
        int64_t size = x->t->size[x->t->ndim - n + d];
        v[d] = whole ? 1 : draw_between(g, draw_chance(g, 5) ? 0 : 1, min_i64(size + 2, 5));
    }
    set_ints(g, x->s, k, v, n);
    return DRAWN;
}

/* All arguments of im2col and col2im at once. */
static Drawn columns_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Tensor *t = x->t;
    bool folds = has(x->op, "output_size");
    if (k > 1) {
        return DRAWN;
    }
    int64_t kernel[2], dilation[2], padding[2], stride[2], size[2],
        left = folds ? t->size[t->ndim - 2] : 0, blocks = folds ? t->size[t->ndim - 1] : 0;
    for (int d = 0; d < 2; d++) {
        int64_t in = t->size[t->ndim - 2 + d];
        kernel[d] = draw_between(g, 1, folds ? 3 : min_i64(max_i64(in, 1), 3));
        kernel[d] = folds && (left <= 0 || left % kernel[d] != 0) ? 1 : kernel[d];
        left /= kernel[d];
        stride[d] = draw_between(g, 1, 2);
        padding[d] = draw_between(g, 0, 1);
        dilation[d] = folds || (kernel[d] - 1) * 2 < in ? draw_between(g, 1, 2) : 1;
        int64_t count = d == 1 ? blocks : blocks % 2 == 0 && draw_chance(g, 60) ? 2 : 1;
        blocks /= max_i64(count, 1);
        size[d] = dilation[d] * (kernel[d] - 1) + 1 + (count - 1) * stride[d];
        padding[d] = size[d] - 2 * padding[d] < 1 ? 0 : padding[d];
        size[d] -= 2 * padding[d];
    }
    if (folds) {
        set_ints(g, x->s, k, size, 2);
    }
    set_ints(g, x->s, k + folds, kernel, 2);
    set_ints(g, x->s, k + folds + 1, dilation, 2);
    set_ints(g, x->s, k + folds + 2, padding, 2);
    set_ints(g, x->s, k + folds + 3, stride, 2);
    return DRAWN;
}

Drawn spatial_argument(Draw *x, int k) {
    switch (x->op->draw) {
    case DRAW_PAD:
        return pad_argument(x, k);
    case DRAW_UPSAMPLE:
        return upsample_argument(x, k);
    case DRAW_PARTS:
        return parts_argument(x, k);
    case DRAW_COLUMNS:
        return columns_argument(x, k);
    default:
        return DRAWN_ELSEWHERE;
    }
}
