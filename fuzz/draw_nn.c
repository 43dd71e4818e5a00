/* Arguments of the ops that names of parameters say too little about: factors of addr, places to put to, losses, embedding, grids.
 *
 * nn_dims tells how many dims the main tensor has; nn_argument draws one parameter, or leaves it to the others. */
#include "fuzz/draw_args.h"

static Drawn given(Draw *x, int k, Var *v) {
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

static Var *exactly(Draw *x, DType dtype, const int64_t *size, int ndim) { return draw_need(x->g, (Need){.dtype = dtype, .ndim = ndim, .size = size}); }

/* The vectors that addr's self, or what it expands to, has room for. */
static Drawn addr_argument(Draw *x, int k) {
    const Tensor *t = x->t;
    int d = k == 1 ? t->ndim - 2 : t->ndim - 1;
    int64_t size = d >= 0 && t->size[d] != 1 ? t->size[d] : draw_extent(x->g);
    return given(x, k, exactly(x, x->t->dtype, &size, 1));
}

static Drawn put_argument(Draw *x, int k) {
    Gen *g = x->g;
    int64_t numel = tensor_numel(x->t);
    if (k == 1) {
        bool adds = draw_chance(g, 50);
        int64_t size[2] = {numel == 0 ? 0 : draw_between(g, 0, adds ? 4 : min_i64(numel, 4)), 1};
        int64_t lo = adds && draw_chance(g, 30) ? -numel : 0;
        set_bool(x->s, 3, adds);
        x->index = draw_index_tensor(g, DT_int64, size, 1 + (draw_below(g, 4) == 0), lo, numel - 1, adds ? -1 : 0);
        return given(x, k, x->index);
    }
    return k == 2 && x->index != NULL ? given(x, k, exactly(x, x->t->dtype, x->index->t->size, x->index->t->ndim)) : DRAWN_ELSEWHERE;
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
        return given(x, k, draw_index_tensor(g, draw_chance(g, 15) ? DT_int32 : DT_int64, size, n, 0, rows - 1, -1));
    }
    case 2: return draw_chance(g, 60) ? DRAWN : given_int(x, k, draw_between(g, -1, rows));
    case 3:
        if (draw_chance(g, 20)) {
            set_bool(x->s, k, true);
        }
        return DRAWN;
    default: return DRAWN; /* a sparse gradient is another type of tensor */
    }
}

static bool is_line(const Gen *g, const Var *v) {
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
        Var *v = i == 0 ? draw_var(g, is_line) : NULL;
        v = v != NULL ? v : exactly(x, dtype, &size, draw_chance(g, 85));
        if (v == NULL) {
            return DRAWN_NOTHING;
        }
        dtype = v->t->dtype;
        names[i] = v->name;
    }
    x->s->arg[k] = (PArg){.given = true, .is_tensor = true, .tensors = {names, n}};
    return DRAWN;
}

static Drawn reduction_argument(Draw *x, int k) { return draw_chance(x->g, 40) ? DRAWN : given_int(x, k, draw_below(x->g, 3)); }

bool nn_dims(const OpInfo *op, int *least, int *most) {
    switch (op->kind == KIND_INPLACE ? op->twin : op->id) {
    case OP_addr:
        *least = op->kind == KIND_INPLACE ? 2 : 0;
        *most = 2;
        return true;
    case OP_embedding: *least = *most = 2; return true;
    case OP_put:
    case OP_aminmax: return true;
    default: return false;
    }
}

Drawn nn_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    switch (x->op->kind == KIND_INPLACE ? x->op->twin : x->op->id) {
    case OP_addr: return p->type == ARG_TENSOR ? addr_argument(x, k) : DRAWN_ELSEWHERE;
    case OP_put: return put_argument(x, k);
    case OP_embedding: return embedding_argument(x, k);
    case OP_meshgrid:
    case OP_meshgrid_indexing: return meshgrid_argument(x, k);
    case OP_mse_loss: return k == 2 ? reduction_argument(x, k) : DRAWN_ELSEWHERE;
    default: return DRAWN_ELSEWHERE;
    }
}
