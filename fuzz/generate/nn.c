/* Arguments of the ops whose rows say DRAW(..), since the names of the parameters say too little:
 * factors of addr, flat indices, losses, embedding, grids, pooling, convolution. */
#include "fuzz/generate/args.h"

static Drawn given(Draw *x, int k, GenVar *v) {
    if (v == NULL) {
        return DRAWN_NOTHING;
    }
    set_tensor(x->s, k, v);
    return DRAWN;
}

static Drawn given_int(Draw *x, int k, int64_t value) {
    set_int(x->s, k, value);
    return DRAWN;
}

static Drawn given_text(Draw *x, int k, const char *text) {
    x->s->arg[k] = (PArg){.given = true, .str = text};
    return DRAWN;
}

static GenVar *nn_exactly(Draw *x, DType dtype, const int64_t *size, int ndim) {
    return draw_need(x->g, (Need){.dtype = dtype, .ndim = ndim, .size = size});
}

/* The vectors that addr's self, or what it expands to, has room for. */
static Drawn addr_argument(Draw *x, int k) {
    const Tensor *t = x->t;
    int d = k == 1 ? t->ndim - 2 : t->ndim - 1;
    int64_t size = d >= 0 && t->size[d] != 1 ? t->size[d] : draw_extent(x->g);
    return given(x, k, nn_exactly(x, x->t->dtype, &size, 1));
}

static Drawn put_argument(Draw *x, int k) {
    Gen *g = x->g;
    int64_t numel = tensor_numel(x->t);
    if (k == 1) {
        bool adds = draw_chance(g, 50);
        int64_t size[2] = {numel == 0 ? 0 : draw_between(g, 0, adds ? 4 : min_i64(numel, 4)), 1};
        int64_t lo = adds && draw_chance(g, 30) ? -numel : 0;
        set_bool(x->s, 3, adds);
        x->index = draw_index_tensor(g, DT_int64, size, 1 + (draw_below(g, 4) == 0), lo, numel - 1,
                                     adds ? -1 : 0);
        return given(x, k, x->index);
    }
    return k == 2 && x->index != NULL
               ? given(x, k, nn_exactly(x, x->t->dtype, x->index->t->size, x->index->t->ndim))
               : DRAWN_ELSEWHERE;
}

static Drawn embedding_argument(Draw *x, int k) {
    Gen *g = x->g;
    int64_t rows = x->t->size[0], size[MAX_DIMS];
    switch (k) {
    case 1: {
        int n = draw_size(g, size);
        n = n > 2 ? 2 : n;
        for (int d = 0; d < n; d++) {
            size[d] = rows == 0 ? 0 : min_i64(size[d], 5);
        }
        if (rows == 0 && n == 0) {
            return DRAWN_NOTHING;
        }
        return given(x, k,
                     draw_index_tensor(g, draw_chance(g, 15) ? DT_int32 : DT_int64, size, n, 0,
                                       rows - 1, -1));
    }
    case 2:
        return draw_chance(g, 60) ? DRAWN : given_int(x, k, draw_between(g, -1, rows));
    case 3:
        if (draw_chance(g, 20)) {
            set_bool(x->s, k, true);
        }
        return DRAWN;
    default:
        return DRAWN; /* a sparse gradient is another type of tensor */
    }
}

static bool is_line(const Gen *g, const GenVar *v) {
    (void)g;
    return !v->fuzzy && v->t->ndim <= 1;
}

static Drawn meshgrid_argument(Draw *x, int k) {
    Gen *g = x->g;
    if (k == 1) {
        return given_text(x, k, draw_chance(g, 50) ? "xy" : "ij");
    }
    int n = 1 + draw_below(g, 3);
    NameId *names = arena_alloc_raw(g->arena, (int64_t)sizeof(NameId) * n);
    DType dtype = g->main;
    for (int i = 0; i < n; i++) {
        int64_t size = draw_extent(g);
        GenVar *v = i == 0 ? draw_var(g, is_line) : NULL;
        v = v != NULL ? v : nn_exactly(x, dtype, &size, draw_chance(g, 85));
        if (v == NULL) {
            return DRAWN_NOTHING;
        }
        dtype = v->t->dtype;
        names[i] = v->name;
    }
    x->s->arg[k] = (PArg){.given = true, .is_tensor = true, .tensors = {names, n}};
    return DRAWN;
}

/* An equation and its operands: each label has a size of its own. */
static Drawn einsum_argument(Draw *x, int k) {
    static const char *const equations[] = {
        "ij,jk->ik",  "bij,bjk->bik", "i,j->ij",   "ij,ij->i",    "ij,j->i",   "ij,kj->ki",
        "ij->ji",     "ii->i",        "ij->",      "ij,ij->",     "ij,jk",     "i,ij",
        "bij,jk->kb", "ii,i->i",      "ij,k->ikj", "abc,cd->abd", "ij,ij->ij", "i,i"};
    Gen *g = x->g;
    if (k == 2) {
        return DRAWN; /* a path is for more operands */
    }
    if (k == 0) {
        return given_text(x, k, equations[draw_below(g, COUNT_OF(equations))]);
    }
    int64_t size_of[26], size[2][4];
    int ndim[2] = {0, 0}, n = 1;
    for (int l = 0; l < 26; l++) {
        size_of[l] = draw_chance(g, 10) ? 1 : draw_extent(g);
    }
    for (const char *at = x->s->arg[0].str; *at && *at != '-'; at++) {
        if (*at == ',') {
            n = 2;
        } else {
            size[n - 1][ndim[n - 1]++] = size_of[*at - 'a'];
        }
    }
    NameId *names = arena_alloc_raw(g->arena, (int64_t)sizeof(NameId) * n);
    DType dtype = draw_dtype(g);
    for (int i = 0; i < n; i++) {
        GenVar *v = nn_exactly(x, dtype, size[i], ndim[i]);
        if (v == NULL) {
            return DRAWN_NOTHING;
        }
        names[i] = v->name;
    }
    x->s->arg[k] = (PArg){.given = true, .is_tensor = true, .tensors = {names, n}};
    return DRAWN;
}

/* ---- classes and rows ---- */

static Drawn nll_argument(Draw *x, int k) {
    Gen *g = x->g;
    int64_t classes = x->t->size[x->t->ndim - 1];
    switch (k) {
    case 1:
        return classes == 0 ? DRAWN_NOTHING
                            : given(x, k,
                                    draw_index_tensor(g, DT_int64, x->t->size, x->t->ndim - 1, 0,
                                                      classes - 1, -1));
    case 2:
        return draw_chance(g, 60) ? DRAWN
                                  : given(x, k,
                                          draw_input(g, x->t->dtype, &classes, 1, true,
                                                     3)); /* it may not require grad */
    case 3:
        return draw_chance(g, 40) ? DRAWN : given_int(x, k, draw_below(g, 3));
    default:
        return draw_chance(g, 70) ? DRAWN : given_int(x, k, draw_between(g, 0, classes));
    }
}

static Drawn layer_norm_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Tensor *t = x->t;
    switch (k) {
    case 1: {
        int n = draw_chance(g, 70) ? 1 : 1 + draw_below(g, t->ndim);
        x->first = t->ndim - n;
        set_ints(g, x->s, k, t->size + x->first, n);
        return DRAWN;
    }
    case 2:
    case 3:
        return draw_chance(g, 40)
                   ? DRAWN
                   : given(x, k,
                           nn_exactly(x, t->dtype, t->size + x->first, t->ndim - (int)x->first));
    case 4:
        if (draw_chance(g, 40)) {
            x->s->arg[k] = (PArg){.given = true, .f = draw_chance(g, 50) ? 0.5 : 0.001};
        }
        return DRAWN;
    default:
        return DRAWN;
    }
}

static Drawn scatter_reduce_argument(Draw *x, int k) {
    static const char *const names[] = {"sum", "prod", "mean", "amax", "amin"};
    switch (k) {
    case 3:
        return x->index == NULL
                   ? DRAWN_NOTHING
                   : given(x, k, nn_exactly(x, x->t->dtype, x->index->t->size, x->index->t->ndim));
    case 4:
        return given_text(x, k, names[draw_below(x->g, COUNT_OF(names))]);
    case 5:
        if (draw_chance(x->g, 40)) {
            set_bool(x->s, k, false);
        }
        return DRAWN;
    default:
        return DRAWN_ELSEWHERE;
    }
}

/* ---- pooling: over the last n dims ---- */

static Drawn pool_argument(Draw *x, int k, int n) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    int64_t v[3];
    for (int d = 0; d < n; d++) {
        int64_t size = x->t->size[x->t->ndim - n + d];
        if (named(p, "kernel_size")) {
            v[d] = draw_between(g, 1, min_i64(max_i64(size, 1), 3));
            x->window[d] = v[d];
        } else if (named(p, "padding")) {
            v[d] = draw_between(g, 0, x->window[d] / 2);
        } else if (named(p, "dilation")) {
            v[d] = x->window[d] == 1 || (x->window[d] - 1) * 2 < size ? draw_between(g, 1, 2) : 1;
        } else {
            v[d] = draw_between(g, 1, 3);
        }
    }
    switch (p->type) {
    case ARG_INTS:
        if (!named(p, "kernel_size") && draw_chance(g, 50)) {
            return DRAWN;
        }
        if (n > 1 && v[0] == v[1] && v[0] == v[n - 1] && draw_chance(g, 60)) {
            n = 1;
        }
        set_ints(g, x->s, k, v, n);
        x->s->arg[k].ints.single = n == 1 && draw_chance(g, 60);
        return DRAWN;
    case ARG_BOOL:
        if (draw_chance(g, 30)) {
            set_bool(x->s, k, named(p, "ceil_mode"));
        }
        return DRAWN;
    default:
        return draw_chance(g, 80) ? DRAWN
                                  : given_int(x, k, draw_between(g, 1, 4)); /* divisor_override */
    }
}

/* ---- convolution: [batch,] channels and n dims ---- */

static Drawn conv_argument(Draw *x, int k, int n) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    const Tensor *t = x->t;
    int first = t->ndim - n;
    int64_t channels = t->size[first - 1], v[5];
    bool transposed = has(x->op, "output_padding");
    if (named(p, "weight")) {
        int64_t groups =
            channels > 1 && draw_chance(g, 25) ? (channels % 2 == 0 ? 2 : channels) : 1;
        x->first = groups;
        v[0] = transposed ? channels : groups * draw_between(g, 1, 2);
        v[1] = transposed ? draw_between(g, 1, 2) : channels / groups;
        for (int d = 0; d < n; d++) {
            x->stride[d] = 1;
            x->window[d] = v[2 + d] =
                draw_between(g, 1, transposed ? 2 : min_i64(max_i64(t->size[first + d], 1), 3));
        }
        if (groups > 1) {
            set_int(x->s, op_param(x->op, "groups"), groups);
        }
        x->index = nn_exactly(x, t->dtype, v, n + 2);
        return given(x, k, x->index);
    }
    if (named(p, "bias")) {
        v[0] = x->index == NULL ? 0 : x->index->t->size[transposed] * (transposed ? x->first : 1);
        return draw_chance(g, 40) || x->index == NULL ? DRAWN
                                                      : given(x, k, nn_exactly(x, t->dtype, v, 1));
    }
    if (p->type != ARG_INTS || draw_chance(g, 55)) {
        return DRAWN;
    }
    for (int d = 0; d < n; d++) {
        bool wide = (x->window[d] - 1) * 2 < t->size[first + d];
        v[d] = named(p, "padding")                            ? draw_below(g, transposed ? 2 : 3)
               : named(p, "output_padding")                   ? draw_between(g, 0, x->stride[d] - 1)
               : named(p, "dilation") && !wide && !transposed ? 1
                                                              : draw_between(g, 1, 2);
        x->stride[d] = named(p, "stride") ? v[d] : x->stride[d];
    }
    n = n > 1 && v[0] == v[n - 1] && v[0] == v[1] && draw_chance(g, 60) ? 1 : n;
    set_ints(g, x->s, k, v, n);
    x->s->arg[k].ints.single = n == 1 && draw_chance(g, 60);
    return DRAWN;
}

Drawn nn_argument(Draw *x, int k) {
    switch (x->op->draw) {
    case DRAW_ADDR:
        return x->op->param[k].type == ARG_TENSOR ? addr_argument(x, k) : DRAWN_ELSEWHERE;
    case DRAW_PUT:
        return put_argument(x, k);
    case DRAW_EMBEDDING:
        return embedding_argument(x, k);
    case DRAW_EINSUM:
        return einsum_argument(x, k);
    case DRAW_GRID:
        return meshgrid_argument(x, k);
    case DRAW_POOL_LINE:
        return pool_argument(x, k, 1);
    case DRAW_POOL_PLANE:
        return pool_argument(x, k, 2);
    case DRAW_POOL_SPACE:
        return pool_argument(x, k, 3);
    case DRAW_NLL_LOSS:
        return nll_argument(x, k);
    case DRAW_LAYER_NORM:
        return layer_norm_argument(x, k);
    case DRAW_SCATTER_REDUCE:
        return scatter_reduce_argument(x, k);
    case DRAW_CONV_LINE:
        return conv_argument(x, k, 1);
    case DRAW_CONV_PLANE:
        return conv_argument(x, k, 2);
    case DRAW_CONV_SPACE:
        return conv_argument(x, k, 3);
    default:
        return layer_argument(x, k);
    }
}
