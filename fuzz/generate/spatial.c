/* Arguments of the ops over the last dims of a batch of channels: pads, interpolation,
 * windows; and of products. */
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

/* ---- products ---- */

static Drawn spatial_tensor(Draw *x, int k, GenVar *v) {
    if (v == NULL) {
        return DRAWN_NOTHING;
    }
    set_tensor(x->s, k, v);
    return DRAWN;
}

static Drawn cross_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Tensor *t = x->t;
    int first = 0;
    int64_t size[MAX_DIMS];
    while (first < t->ndim && t->size[first] != 3) {
        first++;
    }
    if (first == t->ndim) {
        return DRAWN_NOTHING;
    }
    if (k == 1) {
        for (int d = 0; d < t->ndim; d++) {
            size[d] = d != first && draw_chance(g, 15) ? 1 : t->size[d];
        }
        return spatial_tensor(
            x, k, draw_need(g, (Need){.dtype = t->dtype, .ndim = t->ndim, .size = size}));
    }
    if (x->op->id == OP_linalg_cross || draw_chance(g, 50)) {
        set_int(x->s, k, draw_chance(g, 40) ? first - t->ndim : first);
    }
    return DRAWN;
}

/* The other tensor, and the dims of both, at once. */
static Drawn tensordot_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Tensor *t = x->t;
    if (k > 1) {
        return DRAWN;
    }
    int n = t->ndim == 0 ? 0 : draw_below(g, (t->ndim < 2 ? t->ndim : 2) + 1),
        more = draw_below(g, 3), start = t->ndim > 0 ? draw_below(g, t->ndim) : 0;
    int64_t own[2], others[2], size[4];
    bool before = draw_chance(g, 50);
    for (int i = 0; i < n; i++) {
        own[i] = (start + i) % t->ndim;
        others[i] = before ? i : more + i;
        size[others[i]] = draw_chance(g, 8) ? 1 : t->size[own[i]];
        own[i] -= draw_chance(g, 30) ? t->ndim : 0;
    }
    for (int i = 0; i < more; i++) {
        size[before ? n + i : i] = draw_extent(g);
    }
    set_ints(g, x->s, 2, own, n);
    set_ints(g, x->s, 3, others, n);
    return spatial_tensor(x, k,
                          draw_need(g, (Need){.dtype = t->dtype, .ndim = n + more, .size = size}));
}

/* Keys and values of as many positions. Values of a width of their own, or matrices: other sizes
 * are for a fused kernel. */
static Drawn attention_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Tensor *t = x->t;
    const Param *p = &x->op->param[k];
    int n = t->ndim;
    int64_t size[4];
    if (!dtype_is_float(t->dtype) || dtype_bytes(t->dtype) < 4) {
        return DRAWN_NOTHING;
    }
    memcpy(size, t->size, (size_t)n * sizeof *size);
    if (named(p, "key") || named(p, "value")) {
        x->first = named(p, "key") ? draw_between(g, 1, 4) : x->first;
        size[n - 2] = x->first;
        size[n - 1] += named(p, "value") ? draw_between(g, n > 2, 2) : 0;
        return spatial_tensor(x, k,
                              draw_need(g, (Need){.dtype = t->dtype, .ndim = n, .size = size}));
    }
    if (named(p, "attn_mask") && draw_chance(g, 50)) {
        int first = draw_chance(g, 70) ? n - 2 : 0;
        size[n - 1] = x->first;
        DType dtype = draw_chance(g, 50) ? DT_bool : t->dtype;
        return spatial_tensor(x, k,
                              draw_need(g, (Need){.dtype = dtype,
                                                  .ndim = n - first,
                                                  .size = size + first,
                                                  .broadcast = draw_chance(g, 30)}));
    }
    if (named(p, "is_causal") && !x->s->arg[3].given && draw_chance(g, 40)) {
        set_bool(x->s, k, true);
    }
    if (named(p, "scale") && draw_chance(g, 40)) {
        x->s->arg[k] = (PArg){.given = true, .f = draw_chance(g, 80) ? 0.25 : -1};
    }
    return DRAWN;
}

static bool is_matrix_block(const Gen *g, const GenVar *v) {
    (void)g;
    return !v->fuzzy && v->t->ndim <= 2;
}

static Drawn blocks_argument(Draw *x, int k) {
    Gen *g = x->g;
    int n = 1 + draw_below(g, 3);
    NameId *names = arena_alloc_raw(g->arena, (int64_t)sizeof(NameId) * n);
    for (int i = 0; i < n; i++) {
        int64_t size[2] = {draw_extent(g), draw_extent(g)};
        GenVar *v = draw_chance(g, 70) ? draw_var(g, is_matrix_block) : NULL;
        v = v != NULL ? v
                      : draw_need(g, (Need){.dtype = draw_chance(g, 80) ? g->main : draw_dtype(g),
                                            .ndim = draw_below(g, 3),
                                            .size = size});
        if (v == NULL) {
            return DRAWN_NOTHING;
        }
        names[i] = v->name;
    }
    x->s->arg[k] = (PArg){.given = true, .is_tensor = true, .tensors = {names, n}};
    return DRAWN;
}

static Drawn powers_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    if (p->type == ARG_INT || p->type == ARG_INT_OPT) {
        if (draw_chance(x->g, 50)) {
            set_int(x->s, k, draw_below(x->g, 5));
        }
    } else if (p->type == ARG_BOOL && draw_chance(x->g, 40)) {
        set_bool(x->s, k, true);
    }
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
    case DRAW_CROSS:
        return cross_argument(x, k);
    case DRAW_TENSORDOT:
        return tensordot_argument(x, k);
    case DRAW_BLOCKS:
        return blocks_argument(x, k);
    case DRAW_ATTENTION:
        return attention_argument(x, k);
    case DRAW_POWERS:
        return powers_argument(x, k);
    default:
        return DRAWN_ELSEWHERE;
    }
}
