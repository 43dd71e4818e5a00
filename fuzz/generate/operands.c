/* Tensors as arguments: operands that broadcast, factors of products, indices and sources of
 * scatters, lists to join. */
#include "fuzz/generate/args.h"

static bool operands_give(Draw *x, int k, GenVar *v) {
    if (v == NULL) {
        return false;
    }
    set_tensor(x->s, k, v);
    return true;
}

static GenVar *operands_exactly(Draw *x, DType dtype, const int64_t *size, int ndim) {
    return draw_need(x->g, (Need){.dtype = dtype, .ndim = ndim, .size = size});
}

/* The size along dim d (from the end: -1 is the last) that a factor must have to fit into self of a
 * sum of products. */
static int64_t fitting(Draw *x, int d) {
    const Tensor *t = x->t;
    return t->ndim + d >= 0 && t->size[t->ndim + d] != 1 ? t->size[t->ndim + d] : draw_extent(x->g);
}

/* Factors of addmv, baddbmm, outer and linear, by name; NULL: another one. */
static GenVar *named_factor(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    const Tensor *left = k > 0 && x->op->param[k - 1].type == ARG_TENSOR && x->s->arg[k - 1].given
                             ? g->env[x->s->arg[k - 1].tensor]
                             : x->t;
    if (named(p, "mat")) {
        return operands_exactly(x, x->t->dtype, (int64_t[]){fitting(x, -1), draw_extent(g)}, 2);
    }
    if (named(p, "vec2")) {
        return operands_exactly(x, x->t->dtype, (int64_t[]){draw_extent(g)}, 1);
    }
    if (named(p, "batch1")) {
        return operands_exactly(
            x, x->t->dtype,
            (int64_t[]){x->op->draw == DRAW_BATCH_SUM ? draw_extent(g) : fitting(x, -3),
                        fitting(x, -2), draw_extent(g)},
            3);
    }
    if (named(p, "batch2") && left->ndim == 3) {
        return operands_exactly(x, x->t->dtype,
                                (int64_t[]){left->size[0], left->size[2], fitting(x, -1)}, 3);
    }
    if (named(p, "weight") && x->t->ndim > 0) {
        return operands_exactly(x, x->t->dtype,
                                (int64_t[]){draw_extent(g), x->t->size[x->t->ndim - 1]}, 2);
    }
    if (named(p, "bias") && left->ndim == 2) {
        return operands_exactly(x, x->t->dtype, left->size, 1);
    }
    return NULL;
}

/* The other factor of a product: by the name of the parameter and the factor on its left. */
static GenVar *factor_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    const Tensor *left = x->t;
    int64_t size[MAX_DIMS];
    if (named(p, "mat1")) {
        size[0] = x->t->ndim > 1 ? x->t->size[0] : draw_extent(g);
        size[1] = draw_extent(g);
        return operands_exactly(x, x->t->dtype, size, 2);
    }
    if (k > 0 && x->s->arg[k - 1].given && x->op->param[k - 1].type == ARG_TENSOR) {
        left = g->env[x->s->arg[k - 1].tensor];
    }
    int64_t inner = left->ndim > 0 ? left->size[left->ndim - 1] : 1;
    if (named(p, "vec") || named(p, "tensor") || (named(p, "other") && draw_chance(g, 30))) {
        return operands_exactly(x, left->dtype, &inner, 1);
    }
    int n = 0;
    if (left->ndim > 2 && (named(p, "mat2") || draw_chance(g, 50))) {
        for (int d = 0; d + 2 < left->ndim; d++) {
            size[n++] = left->size[d];
        }
    }
    size[n++] = inner;
    size[n++] =
        named(p, "mat2") && has(x->op, "mat1") && x->t->ndim > 0 && x->t->size[x->t->ndim - 1] != 1
            ? x->t->size[x->t->ndim - 1]
            : draw_extent(g);
    return operands_exactly(x, left->dtype, size, n);
}

/* Is the index of the op a vector, or one index without dims? */
static bool draws_vector(const OpInfo *op) {
    return op->draw == DRAW_INDEX_VECTOR || op->draw == DRAW_INDEX_FILL ||
           op->draw == DRAW_INDEX_COPY || op->draw == DRAW_INDEX_REDUCE;
}

static GenVar *index_argument(Draw *x) {
    Gen *g = x->g;
    int64_t n = size_along(x);
    bool copies = x->op->draw == DRAW_INDEX_COPY, fills = x->op->draw == DRAW_INDEX_FILL;
    DType dtype = x->op->draw == DRAW_INDEX_VECTOR && draw_chance(g, 15) ? DT_int32 : DT_int64;
    if (draws_vector(x->op)) {
        int64_t length = n == 0 ? 0 : draw_chance(g, 10) ? n : draw_below(g, 5);
        length = copies ? min_i64(length, n) : length;
        int ndim = length == 1 && draw_chance(g, 25) ? 0 : 1;
        return draw_index_tensor(
            g, dtype, &length, ndim,
            fills && x->op->param[3].type == ARG_SCALAR && draw_chance(g, 30) ? -n : 0, n - 1,
            copies ? 0 : -1);
    }
    bool apart = x->op->draw == DRAW_SCATTER;
    int64_t size[MAX_DIMS];
    for (int d = 0; d < x->t->ndim; d++) {
        size[d] = x->t->size[d] > 0 && draw_chance(g, 25) ? draw_between(g, 1, x->t->size[d])
                                                          : x->t->size[d];
    }
    if (x->t->ndim > 0) {
        size[x->dim] = n == 0  ? 0
                       : apart ? draw_between(g, 1, n)
                               : draw_between(g, 1, min_i64(2 * n, 9));
    }
    return draw_index_tensor(g, dtype, size, x->t->ndim, 0, n - 1,
                             apart && x->t->ndim > 0 ? (int)x->dim : -1);
}

/* The window of self that `src` is written to: the view with the same arguments. */
static const Tensor *operands_window(Draw *x) {
    const OpInfo *view = op_info(x->op->window);
    Stmt *s = stmt_op(x->g, view->id);
    for (int k = 0; k < view->nparam; k++) {
        int from = op_param(x->op, view->param[k].name);
        if (from >= 0) {
            s->arg[k] = x->s->arg[from];
        }
    }
    Call call;
    Tensor *out[MAX_OUTPUTS];
    int n = 0;
    Gen *g = x->g;
    g->err.code = ERR_none;
    g->nmade = 0;
    if (stmt_bind(s, g->p, g->env, g->arena, &call, &g->err) != ERR_none ||
        emit_call(&g->meta.emit, &call, out, &n) != ERR_none || n != 1) {
        return NULL;
    }
    return out[0];
}

static GenVar *source_argument(Draw *x) {
    Gen *g = x->g;
    const Tensor *index = x->index != NULL ? x->index->t : NULL;
    if (has(x->op, "mask")) { /* masked_scatter: enough for every element */
        return operands_exactly(x, x->t->dtype, x->t->size, x->t->ndim);
    }
    if (x->op->window != OP_NONE) {
        const Tensor *window = operands_window(x);
        return window == NULL ? NULL : operands_exactly(x, x->t->dtype, window->size, window->ndim);
    }
    if (index != NULL && draws_vector(x->op)) {
        int64_t size[MAX_DIMS];
        for (int d = 0; d < x->t->ndim; d++) {
            size[d] = d == x->dim ? tensor_numel(index) : x->t->size[d];
        }
        return operands_exactly(x, x->t->dtype, size, x->t->ndim);
    }
    if (index != NULL) {
        bool fits = draw_chance(g, 40) && x->t->ndim == index->ndim;
        for (int d = 0; d < index->ndim && fits; d++) {
            fits = x->t->size[d] >= index->size[d];
        }
        return operands_exactly(x, x->t->dtype, fits ? x->t->size : index->size, index->ndim);
    }
    return draw_operand(g, x->t->dtype, x->t->size, x->t->ndim);
}

static bool all_equal(const Draw *x) { /* without accumulation duplicates need equal values */
    for (int k = 0; k < x->op->nparam; k++) {
        if (x->op->param[k].type == ARG_BOOL && named(&x->op->param[k], "accumulate")) {
            return !(x->s->arg[k].given && x->s->arg[k].b);
        }
    }
    return true;
}

/* How often each element along a dim is repeated: the dim, or none for the flattened tensor, is
 * chosen with it. */
static GenVar *repeats_argument(Draw *x) {
    Gen *g = x->g;
    int kd = op_param(x->op, "dim");
    bool flat = x->t->ndim == 0 || draw_chance(g, 30);
    int64_t n = flat ? tensor_numel(x->t) : size_along(x), size[1] = {draw_chance(g, 25) ? 1 : n};
    if (flat) {
        x->s->arg[kd] = (PArg){.given = true, .is_none = true};
    } else {
        set_int(x->s, kd, x->dim);
    }
    DType dtype = draw_chance(g, 85) ? DT_int64 : DT_int32;
    int ndim = size[0] == 1 && draw_chance(g, 40) ? 0 : 1;
    return draw_index_tensor(g, dtype, size, ndim, 0, 3, -1);
}

/* The sequence of searchsorted: mostly one ascending row, else rows for every row of the values. */
static GenVar *sequence_argument(Draw *x) {
    Gen *g = x->g;
    int64_t size[MAX_DIMS], values[8], n = draw_below(g, 7);
    if (draw_chance(g, 50)) {
        values[0] = draw_between(g, -4, 1);
        for (int64_t i = 1; i < n; i++) {
            values[i] = values[i - 1] + draw_below(g, 3);
        }
        return x->t->dtype == DT_uint8 || x->t->dtype == DT_bool || g->p->ninputs >= GEN_INPUTS
                   ? NULL
                   : draw_input_values(g, x->t->dtype, &n, 1, values);
    }
    int ndim = draw_chance(g, 50) ? 1 : x->t->ndim;
    for (int d = 0; d < ndim; d++) {
        size[d] = d + 1 == ndim ? draw_extent(g) : x->t->size[d];
    }
    return operands_exactly(x, draw_chance(g, 90) ? x->t->dtype : draw_dtype(g), size, ndim);
}

/* The boundaries of bucketize: one row, mostly ascending. */
static GenVar *boundaries_argument(Draw *x) {
    int64_t values[8], n = draw_below(x->g, 7);
    values[0] = draw_between(x->g, -4, 1);
    for (int64_t i = 1; i < n; i++) {
        values[i] = values[i - 1] + draw_below(x->g, 3);
    }
    bool signless = x->t->dtype == DT_uint8 || x->t->dtype == DT_bool;
    return signless || x->g->p->ninputs >= GEN_INPUTS || draw_chance(x->g, 30)
               ? operands_exactly(x, x->t->dtype, &n, 1)
               : draw_input_values(x->g, x->t->dtype, &n, 1, values);
}

bool tensor_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    DType dtype = x->t->dtype;
    if (named(p, "repeats")) {
        return operands_give(x, k, repeats_argument(x));
    }
    if (named(p, "sorted_sequence")) {
        return operands_give(x, k, sequence_argument(x));
    }
    if (named(p, "boundaries")) {
        return operands_give(x, k, boundaries_argument(x));
    }
    if (named(p, "sorter")) {
        const Tensor *sequence = g->env[x->s->arg[0].tensor];
        int64_t length = sequence->ndim > 0 ? sequence->size[sequence->ndim - 1] : 0;
        return draw_chance(g, 75)
                   ? true
                   : operands_give(x, k,
                                   draw_index_tensor(g, DT_int64, sequence->size, sequence->ndim, 0,
                                                     length - 1, -1));
    }
    if (p->type == ARG_TENSOR_OPT) {
        if (draw_chance(g, 30) && (x->optional || k + 1 < x->op->nparam)) {
            return true;
        }
        x->optional = true;
    }
    if (named(p, "condition") || named(p, "mask")) {
        return operands_give(x, k,
                             draw_need(g, (Need){.dtype = DT_bool,
                                                 .ndim = x->t->ndim,
                                                 .size = x->t->size,
                                                 .broadcast = true}));
    }
    if (named(p, "index") || named(p, "indices")) {
        x->index = index_argument(x);
        return operands_give(x, k, x->index);
    }
    if (named(p, "src") || named(p, "source")) {
        return operands_give(x, k, source_argument(x));
    }
    if (named(p, "mat") || named(p, "vec2") || named(p, "batch1") || named(p, "batch2") ||
        named(p, "weight") || named(p, "bias")) {
        return p->type == ARG_TENSOR_OPT && draw_chance(g, 40)
                   ? true
                   : operands_give(x, k, named_factor(x, k));
    }
    if (named(p, "mat1") || named(p, "mat2") || named(p, "vec") || named(p, "tensor") ||
        (named(p, "other") && op_form(x->op)->kind == KIND_COMPOSITE)) {
        return operands_give(x, k, factor_argument(x, k));
    }
    if (named(p, "values") && has(x->op, "indices")) {
        int ka = op_param(x->op, "accumulate");
        if (ka >= 0 && draw_chance(g, 50)) {
            set_bool(x->s, ka, true);
        }
        const Tensor *slice = indexed_tensor(g, x->s);
        return slice != NULL && operands_give(x, k,
                                              draw_need(g, (Need){.dtype = dtype,
                                                                  .ndim = slice->ndim,
                                                                  .size = slice->size,
                                                                  .broadcast = true,
                                                                  .uniform = all_equal(x)}));
    }
    if (named(p, "values") && draw_chance(g, 90)) { /* heaviside: of self's dtype */
        return operands_give(
            x, k,
            draw_need(
                g,
                (Need){.dtype = dtype, .ndim = x->t->ndim, .size = x->t->size, .broadcast = true}));
    }
    if (named(p, "value") && !has(x->op, "tensor1")) {
        return operands_give(x, k, operands_exactly(x, dtype, NULL, 0));
    }
    if (x->op->kind == KIND_VIEW) { /* view_as, expand_as: a size */
        int64_t size[MAX_DIMS];
        int n = x->op->draw == DRAW_EXPANSION ? expanded_size(g, x->t, size)
                                              : refactored_size(g, x->t, size);
        for (int d = 0; d < n; d++) {
            if (size[d] < 0) {
                return operands_give(x, k, operands_exactly(x, dtype, x->t->size, x->t->ndim));
            }
        }
        return operands_give(x, k, operands_exactly(x, draw_dtype(g), size, n));
    }
    if (shifts(x->op)) {
        bool whole = !dtype_is_float(dtype) && dtype != DT_bool;
        return operands_give(
            x, k, draw_index_tensor(g, whole ? dtype : DT_int64, x->t->size, x->t->ndim, 0, 6, -1));
    }
    if (draw_chance(g, 7) && !x->divides) {
        return operands_give(x, k, x->self);
    }
    if (x->divides) {
        return operands_give(x, k,
                             draw_need(g, (Need){.dtype = dtype,
                                                 .ndim = x->t->ndim,
                                                 .size = x->t->size,
                                                 .broadcast = true,
                                                 .nonzero = true}));
    }
    if (draw_chance(g, 12) &&
        !x->op->param[0].writes) { /* something that may be larger than self */
        GenVar *v = &g->var[draw_below(g, g->nvars)];
        if (!v->dead && !v->fuzzy) {
            return operands_give(x, k, v);
        }
    }
    return operands_give(x, k, draw_operand(g, dtype, x->t->size, x->t->ndim));
}

static bool give_tensors(Draw *x, int k, GenVar **v, int n) {
    NameId *names = arena_alloc_raw(x->g->arena, (int64_t)sizeof(NameId) * (n + 1));
    for (int i = 0; i < n; i++) {
        if (v[i] == NULL && x->op->param[k].type != ARG_TENSORS_OPT) {
            return false;
        }
        names[i] = v[i] == NULL ? NAME_NONE : v[i]->name;
    }
    x->s->arg[k] = (PArg){.given = true, .is_tensor = true, .tensors = {names, n}};
    return true;
}

static bool operands_accept_any(const Gen *g, const GenVar *v) {
    (void)g;
    return !v->fuzzy;
}

/* A list of tensors to join: one size, except along `dim` where the op allows it. */
bool tensors_argument(Draw *x, int k) {
    Gen *g = x->g;
    GenVar *v[8];
    if (x->op->foreach && k > 0) { /* one operand for each tensor of the first list */
        const PArg *self = &x->s->arg[0];
        for (int i = 0; i < self->tensors.n; i++) {
            const Tensor *t = g->env[self->tensors.v[i]];
            v[i] = draw_operand(g, t->dtype, t->size, t->ndim);
        }
        return give_tensors(x, k, v, self->tensors.n);
    }
    int n = 1 + (g->situation.long_lists ? draw_below(g, 8) : draw_below(g, 3));
    v[0] = draw_var(g, operands_accept_any);
    if (v[0] == NULL) {
        return false;
    }
    x->self = v[0];
    x->t = v[0]->t;
    x->dim = x->t->ndim > 0 ? draw_below(g, x->t->ndim) : 0;
    bool joins = x->op->draw == DRAW_JOIN;
    for (int i = 1; i < n; i++) {
        int64_t size[MAX_DIMS];
        for (int d = 0; d < x->t->ndim; d++) {
            size[d] = d == x->dim && joins && draw_chance(g, 40) ? draw_extent(g) : x->t->size[d];
        }
        v[i] =
            x->op->foreach && draw_chance(g, 50)
                ? draw_var(g, operands_accept_any)
                : operands_exactly(x, draw_chance(g, 90) ? x->t->dtype : g->main, size, x->t->ndim);
    }
    return give_tensors(x, k, v, n);
}

bool indices_argument(Draw *x, int k) {
    Gen *g = x->g;
    GenVar *v[4] = {NULL, NULL, NULL, NULL};
    int n = 0, last = 0;
    int64_t length = 1 + draw_below(g, 4);
    for (int d = 0; d < x->t->ndim && d < 4; d++) {
        n = d + 1;
        if (x->t->size[d] > 0 && draw_chance(g, 60)) {
            int64_t size[2] = {length, 1};
            int ndim = draw_chance(g, 85) ? 1 : draw_below(g, 3);
            v[d] =
                draw_index_tensor(g, DT_int64, size, ndim, draw_chance(g, 70) ? 0 : -x->t->size[d],
                                  x->t->size[d] - 1, -1);
            last = v[d] != NULL ? n : last;
        }
        if (last > 0 && draw_chance(g, 40)) {
            break;
        }
    }
    return last > 0 && give_tensors(x, k, v, last);
}

/* ---- out ---- */

static bool takes_result(Gen *g, const GenVar *v, const Tensor *result, DType dtype) {
    return !v->dead && !v->fuzzy && v->t->dtype == dtype && tensor_same_size(v->t, result) &&
           (!g->grad || !gen_var_requires_grad(g, v) || draw_chance(g, 2)) &&
           (!g->data[v->data].saved || draw_chance(g, 10)) && !tensor_overlaps_itself(v->t);
}

/* What the result is written to: mostly of its size and dtype. */
bool into_argument(Draw *x) {
    Gen *g = x->g;
    Stmt form = stmt_form(x->s);
    Call call;
    g->err.code = ERR_none;
    Infer r = {.arena = g->arena, .err = &g->err};
    if (stmt_bind(&form, g->p, g->env, g->arena, &call, &g->err) != ERR_none ||
        form.op->infer(&call, &r) != ERR_none || r.n != 1) {
        return false;
    }
    const Tensor *result = &r.out[0];
    DType dtype = draw_chance(g, 85) ? result->dtype : draw_dtype(g);
    bool resizes = draw_chance(g, 1);
    for (int i = 0; i < 24 && g->nvars > 0 && draw_chance(g, 97); i++) {
        GenVar *v = &g->var[draw_below(g, g->nvars)];
        if (resizes ? !v->dead && !v->fuzzy && v->t->dtype == dtype && var_writable(g, v, false)
                    : takes_result(g, v, result, dtype)) {
            return operands_give(x, 0, v);
        }
    }
    return operands_give(x, 0, draw_input(g, dtype, result->size, result->ndim, false, 0));
}
