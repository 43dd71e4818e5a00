/* All arguments of an op, from the types and names of its schema's parameters.
 *
 * The main tensor is drawn first (self, unless the schema says otherwise), then every parameter in order; a `src` that must have
 * the size of a view described by later parameters is drawn last. A new row of ops.def needs nothing here: a parameter whose
 * name says nothing gets a value by its type, and inference refuses what does not fit. */
#include "fuzz/draw.h"

#include <math.h>
#include <string.h>

typedef struct Draw {
    Gen *g;
    Stmt *s;
    const OpInfo *op;
    Var *self;        /* the main tensor; NULL: the op has none */
    const Tensor *t;  /* its metadata */
    int main;         /* its parameter, or -1 */
    int64_t dim;      /* the dim that `dim` names, in 0..ndim-1; 0 for 0-dim tensors */
    bool optional;    /* an optional tensor or scalar was given (clamp wants one of min, max) */
    bool divides;     /* an integer op that refuses a zero operand */
    Var *index;       /* the index tensor drawn */
    int64_t first;    /* the last bound drawn: max is not below min */
} Draw;

static bool named(const Param *p, const char *name) { return strcmp(p->name, name) == 0; }
static bool has(const OpInfo *op, const char *name) { return op_param(op, name) >= 0; }
static bool starts(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/* ---- scalars ---- */

Scalar draw_scalar(Gen *g, DType dtype) {
    static const double dyadic[] = {0.5, -0.5, 1.5, -1.5, 0.25, 2.5, 0.125, -0.75};
    static const double special[] = {INFINITY, -INFINITY, NAN, -0.0, 1e30, 0.0};
    int r = draw_below(g, 100);
    if (dtype == DT_bool && r < 70) {
        return scalar_bool(draw_chance(g, 50));
    }
    if (dtype_is_float(dtype)) {
        if (g->specials && r < 25) {
            return scalar_float(special[draw_below(g, COUNT_OF(special))]);
        }
        if (r < 45) {
            return scalar_float(dyadic[draw_below(g, COUNT_OF(dyadic))]);
        }
        if (r < 60) {
            return scalar_float((double)draw_between(g, -3, 3));
        }
        if (r < 64) {
            return scalar_float(draw_chance(g, 50) ? -0.0 : 0.0);
        }
        if (r < 68) {
            return scalar_bool(draw_chance(g, 50));
        }
    } else if (r < 6) {
        return scalar_float(dyadic[draw_below(g, COUNT_OF(dyadic))]);
    } else if (r < 10) {
        return scalar_bool(draw_chance(g, 50));
    }
    return scalar_int(dtype == DT_uint8 ? draw_below(g, 6) : draw_between(g, -4, 5));
}

/* A scalar that may stand where the op divides by it. */
static Scalar nonzero_scalar(Draw *x) {
    for (int i = 0; i < 4; i++) {
        Scalar s = draw_scalar(x->g, x->t->dtype);
        if (scalar_to_double(s) != 0 && (s.kind != CAT_FLOAT || dtype_is_float(x->t->dtype))) {
            return s;
        }
    }
    return scalar_int(2);
}

static bool scalar_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    DType dtype = x->t != NULL ? x->t->dtype : g->main;
    bool is_float = dtype_is_float(dtype);
    Scalar v;
    if (named(p, "alpha") || named(p, "beta")) {
        if (draw_chance(g, 70)) {
            return true;
        }
        v = is_float && draw_chance(g, 50) ? scalar_float(draw_chance(g, 50) ? 0.5 : -2) : scalar_int(draw_between(g, -1, 2));
    } else if (named(p, "exponent")) {
        static const double power[] = {2, 3, 0.5, 0, 1, -1, 1.5, -2};
        double e = power[draw_below(g, is_float ? COUNT_OF(power) : 2)];
        v = e == floor(e) && draw_chance(g, 60) ? scalar_int((int64_t)e) : scalar_float(e);
        if (!is_float) {
            v = scalar_int(draw_below(g, 4));
        }
    } else if (x->op->kind == KIND_FACTORY && (named(p, "end") || named(p, "start") || named(p, "step"))) {
        bool real = draw_chance(g, 12);
        int64_t i = named(p, "end") ? draw_extent(g) + (has(x->op, "start") ? x->first : 0) : named(p, "start") ? draw_between(g, -3, 3) : draw_between(g, 1, 3);
        x->first = named(p, "start") ? i : x->first;
        v = real ? scalar_float((double)i + 0.5) : scalar_int(i);
    } else if (named(p, "min") || named(p, "max")) {
        if (x->op->param[k].type == ARG_SCALAR_OPT && draw_chance(g, 30) && (x->optional || k + 1 < x->op->nparam)) {
            return true;
        }
        v = draw_scalar(g, dtype);
        if (named(p, "max") && x->optional && draw_chance(g, 85)) {
            v = is_float ? scalar_float(0.5 + draw_below(g, 2)) : scalar_int(4 + draw_below(g, 3));
        }
        x->optional = true;
    } else if (x->divides) {
        v = nonzero_scalar(x);
    } else if (x->op->kind == KIND_FACTORY && dtype == DT_bool) {
        v = scalar_bool(draw_chance(g, 50));
    } else {
        v = draw_scalar(g, dtype);
    }
    set_scalar(x->s, k, v);
    return true;
}

/* ---- single integers ---- */

static int64_t size_along(const Draw *x) { return x->t != NULL && x->t->ndim > 0 ? x->t->size[x->dim] : 1; }
/* Either way to name the same dim. */
static int64_t signed_dim(Draw *x, int64_t dim) {
    int64_t n = x->t != NULL ? max_i64(x->t->ndim, 1) : 1;
    return draw_chance(x->g, 30) ? dim - n : dim;
}

static bool int_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    int64_t n = size_along(x);
    int ndim = x->t != NULL ? x->t->ndim : 1;
    bool optional = p->has_default;
    int64_t v;
    if (named(p, "dim") || named(p, "dimension") || named(p, "dim0") || named(p, "axis0") || named(p, "start_dim")) {
        if (optional && x->dim == 0 && draw_chance(g, 50)) {
            return true;
        }
        if (named(p, "dim") && (starts(x->op->name, "unsqueeze") || starts(x->op->name, "stack"))) {
            v = draw_between(g, -ndim - 1, ndim);
        } else {
            v = signed_dim(x, x->dim);
        }
    } else if (named(p, "dim1") || named(p, "axis1") || named(p, "dim2")) {
        int64_t other = ndim > 1 ? (x->dim + 1 + draw_below(g, ndim - 1)) % ndim : 0;
        if (named(p, "dim2")) {
            other = ndim > 1 && x->s->arg[k - 1].given ? (((x->s->arg[k - 1].i.value + ndim) % ndim) + 1 + draw_below(g, ndim - 1)) % ndim : 1;
            if (!x->s->arg[k - 1].given && (other == 0 || draw_chance(g, 50))) {
                return true;
            }
        } else if (optional && draw_chance(g, 55)) {
            return true;
        }
        v = signed_dim(x, other);
    } else if (named(p, "end_dim")) {
        if (draw_chance(g, 60)) {
            return true;
        }
        v = ndim > 0 ? draw_between(g, x->dim, ndim - 1) : 0;
    } else if (named(p, "index")) {
        v = n > 0 ? draw_between(g, -n, n - 1) : 0;
    } else if (named(p, "start")) {
        if (optional && draw_chance(g, 30)) {
            return true;
        }
        v = optional ? draw_between(g, -n, n) : draw_between(g, 0, n);
        x->first = v < 0 ? v + n : v;
    } else if (named(p, "end")) {
        if (optional && draw_chance(g, 30)) {
            return true;
        }
        v = draw_between(g, min_i64(x->first, n), n + 1);
        v = v > 0 && v < n && draw_chance(g, 20) ? v - n : v;
    } else if (named(p, "length")) {
        v = draw_between(g, 0, max_i64(n - x->first, 0));
    } else if (named(p, "step")) {
        if (optional && draw_chance(g, 60)) {
            return true;
        }
        v = draw_between(g, 1, 3);
    } else if (named(p, "size")) { /* unfold */
        v = draw_between(g, n > 0 ? 1 : 0, n);
    } else if (named(p, "diagonal") || named(p, "offset")) {
        if (optional && draw_chance(g, 40)) {
            return true;
        }
        v = draw_between(g, -2, 2);
    } else if (named(p, "storage_offset")) {
        return true; /* with the strides */
    } else if (named(p, "split_size") || named(p, "chunks") || named(p, "sections")) {
        v = draw_between(g, 1, max_i64(n, 1));
    } else {
        v = draw_extent(g);
    }
    set_int(x->s, k, v);
    return true;
}

/* ---- lists of integers ---- */

static void maybe_size_of(Gen *g, PInt *v) {
    if (!draw_chance(g, 4) || g->nvars == 0) {
        return;
    }
    const Var *var = &g->var[draw_below(g, g->nvars)];
    for (int d = 0; d < var->t->ndim && !var->dead && !var->fuzzy; d++) {
        if (var->t->size[d] == v->value) {
            *v = (PInt){var->name, d};
            return;
        }
    }
}

/* Another size with as many elements. */
static int refactored(Gen *g, const Tensor *t, int64_t *size) {
    int64_t left = tensor_numel(t);
    if (left == 0) {
        int n = 1 + draw_below(g, 2);
        for (int d = 0; d < n; d++) {
            size[d] = d == 0 ? 0 : draw_extent(g);
        }
        return n;
    }
    if (draw_chance(g, 15)) {
        size[0] = draw_chance(g, 60) ? -1 : left;
        return 1;
    }
    int n = 0;
    if (draw_chance(g, 40)) { /* split or join neighbours of the old size: often a view */
        for (int d = 0; d < t->ndim && n < 5; d++) {
            if (n > 0 && draw_chance(g, 40)) {
                size[n - 1] *= t->size[d];
            } else {
                size[n++] = t->size[d];
            }
        }
        return n;
    }
    while (left > 1 && n < 3) {
        static const int64_t factors[] = {2, 3, 4, 5, 7, 8, 9, 6};
        int64_t f = factors[draw_below(g, COUNT_OF(factors))];
        if (left % f == 0) {
            size[n++] = f;
            left /= f;
        } else if (draw_chance(g, 30)) {
            break;
        }
    }
    if (left > 1 || draw_chance(g, 20)) {
        size[n++] = left;
    }
    if (n > 0 && draw_chance(g, 15)) {
        size[draw_below(g, n)] = -1;
    }
    return n;
}

static int expanded(Gen *g, const Tensor *t, int64_t *size) {
    int extra = t->ndim < 3 && draw_chance(g, 40) ? 1 : 0;
    for (int d = 0; d < extra; d++) {
        size[d] = draw_between(g, 1, 3);
    }
    for (int d = 0; d < t->ndim; d++) {
        int64_t s = t->size[d] == 1 ? draw_extent(g) : t->size[d];
        size[extra + d] = s == t->size[d] && draw_chance(g, 30) ? -1 : s;
    }
    return extra + t->ndim;
}

/* A rectangle of the storage: gaps, overlaps and transpositions as they come. */
static bool strided_argument(Draw *x, int k) {
    Gen *g = x->g;
    int64_t length = var_data(g, x->self)->numel;
    int ks = op_param(x->op, "stride"), ko = op_param(x->op, "storage_offset");
    int64_t size[3], stride[3];
    int n = 1 + draw_below(g, 2);
    int64_t last = 0;
    int64_t offset = length > 0 && draw_chance(g, 40) ? draw_below(g, (int)min_i64(length, 4)) : 0;
    bool overlap = draw_chance(g, 12);
    int64_t step = 1;
    for (int d = n - 1; d >= 0; d--) {
        stride[d] = overlap && draw_chance(g, 50) ? draw_below(g, 2) : step + (draw_chance(g, 45) ? 1 + draw_below(g, 4) : 0);
        int64_t room = length - offset - last;
        if (room < 1) {
            return false;
        }
        int64_t most = stride[d] == 0 ? 3 : 1 + (room - 1) / stride[d];
        size[d] = draw_between(g, 1, min_i64(most, 4));
        last += (size[d] - 1) * stride[d];
        step = (size[d] - 1) * stride[d] + (d < n - 1 ? step : 1);
    }
    if (n == 2 && draw_chance(g, 25)) {
        int64_t a = size[0], b = stride[0];
        size[0] = size[1];
        stride[0] = stride[1];
        size[1] = a;
        stride[1] = b;
    }
    set_ints(g, x->s, k, size, n);
    set_ints(g, x->s, ks, stride, n);
    if (ko >= 0 && (offset > 0 || x->t->offset > 0 || draw_chance(g, 30))) {
        set_int(x->s, ko, offset);
    }
    return true;
}

static int permutation(Gen *g, int n, int64_t *v) {
    for (int d = 0; d < n; d++) {
        int at = draw_below(g, d + 1);
        v[d] = v[at];
        v[at] = d;
    }
    return n;
}

static bool ints_argument(Draw *x, int k) {
    Gen *g = x->g;
    const OpInfo *op = x->op;
    const Param *p = &op->param[k];
    int64_t v[MAX_DIMS];
    int n = 0;
    int ndim = x->t != NULL ? x->t->ndim : 0;
    if (x->s->arg[k].given) {
        return true;
    }
    if (op->kind == KIND_FACTORY) {
        n = draw_size(g, v);
    } else if (has(op, "stride")) {
        return named(p, "size") ? strided_argument(x, k) : true;
    } else if (named(p, "size") && starts(op->name, "expand")) {
        n = expanded(g, x->t, v);
    } else if (named(p, "size") || named(p, "shape")) {
        n = refactored(g, x->t, v);
    } else if (named(p, "source")) {
        int64_t order[MAX_DIMS];
        permutation(g, ndim, order);
        n = ndim > 0 ? 1 + draw_below(g, ndim) : 0;
        int other = op_param(op, "destination");
        for (int d = 0; d < n; d++) {
            v[d] = signed_dim(x, order[d]);
        }
        if (other >= 0) {
            int64_t to[MAX_DIMS];
            permutation(g, ndim, to);
            set_ints(g, x->s, other, to, n);
        }
    } else if (named(p, "dims") && op->kind == KIND_VIEW) {
        n = permutation(g, ndim, v);
        for (int d = 0; d < n; d++) {
            v[d] = signed_dim(x, v[d]);
        }
    } else if (named(p, "indices")) {
        n = draw_below(g, 3);
        int64_t at = 0;
        for (int d = 0; d < n; d++) {
            v[d] = at = draw_between(g, min_i64(at, size_along(x)), size_along(x));
        }
    } else if (named(p, "split_sizes")) {
        int64_t left = size_along(x);
        while (n < 3 && left > 0 && draw_chance(g, 70)) {
            v[n] = draw_between(g, 0, left);
            left -= v[n++];
        }
        v[n++] = left;
    } else { /* dims in any order */
        int64_t order[MAX_DIMS];
        permutation(g, ndim, order);
        if ((p->has_default || p->type == ARG_INTS_OPT) && draw_chance(g, 12)) {
            if (!p->has_default) {
                x->s->arg[k] = (PArg){.given = true, .is_none = true};
            }
            return true;
        }
        n = ndim > 0 ? (draw_chance(g, 75) ? 1 : 1 + draw_below(g, ndim)) : 0;
        for (int d = 0; d < n; d++) {
            v[d] = signed_dim(x, order[d]);
        }
    }
    set_ints(g, x->s, k, v, n);
    if (named(p, "size") || named(p, "shape")) {
        for (int d = 0; d < n; d++) {
            maybe_size_of(g, &x->s->arg[k].ints.v[d]);
        }
    }
    if (n == 1 && p->list_size == 1 && draw_chance(g, 50)) {
        x->s->arg[k].ints.single = true;
    }
    return true;
}

/* ---- tensors ---- */

static bool give(Draw *x, int k, Var *v) {
    if (v == NULL) {
        return false;
    }
    set_tensor(x->s, k, v);
    return true;
}

static Var *exactly(Draw *x, DType dtype, const int64_t *size, int ndim) {
    return draw_need(x->g, (Need){.dtype = dtype, .ndim = ndim, .size = size});
}

/* The other factor of a product: by the name of the parameter and the factor on its left. */
static Var *factor_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    const Tensor *left = x->t;
    int64_t size[MAX_DIMS];
    if (named(p, "mat1")) {
        size[0] = x->t->ndim > 1 ? x->t->size[0] : draw_extent(g);
        size[1] = draw_extent(g);
        return exactly(x, x->t->dtype, size, 2);
    }
    if (k > 0 && x->s->arg[k - 1].given && x->op->param[k - 1].type == ARG_TENSOR) {
        left = g->env[x->s->arg[k - 1].tensor];
    }
    int64_t inner = left->ndim > 0 ? left->size[left->ndim - 1] : 1;
    if (named(p, "vec") || named(p, "tensor") || (named(p, "other") && draw_chance(g, 30))) {
        return exactly(x, left->dtype, &inner, 1);
    }
    int n = 0;
    if (left->ndim > 2 && (named(p, "mat2") || draw_chance(g, 50))) {
        for (int d = 0; d + 2 < left->ndim; d++) {
            size[n++] = left->size[d];
        }
    }
    size[n++] = inner;
    size[n++] = named(p, "mat2") && has(x->op, "mat1") && x->t->ndim > 0 && x->t->size[x->t->ndim - 1] != 1 ? x->t->size[x->t->ndim - 1] : draw_extent(g);
    return exactly(x, left->dtype, size, n);
}

static Var *index_argument(Draw *x) {
    Gen *g = x->g;
    int64_t n = size_along(x);
    bool narrow = starts(x->op->name, "index_");
    DType dtype = narrow && draw_chance(g, 15) ? DT_int32 : DT_int64;
    if (narrow) {
        int64_t length = n == 0 ? 0 : draw_chance(g, 10) ? n : draw_below(g, 5);
        return draw_index_tensor(g, dtype, &length, 1, 0, n - 1, -1);
    }
    bool apart = has(x->op, "src") && strstr(x->op->name, "add") == NULL;
    int64_t size[MAX_DIMS];
    for (int d = 0; d < x->t->ndim; d++) {
        size[d] = x->t->size[d] > 0 && draw_chance(g, 25) ? draw_between(g, 1, x->t->size[d]) : x->t->size[d];
    }
    if (x->t->ndim > 0) {
        size[x->dim] = n == 0 ? 0 : apart ? draw_between(g, 1, n) : draw_between(g, 1, min_i64(2 * n, 9));
    }
    return draw_index_tensor(g, dtype, size, x->t->ndim, 0, n - 1, apart && x->t->ndim > 0 ? (int)x->dim : -1);
}

/* The size of the view that the other arguments of an `X_scatter` describe. */
static const Tensor *scattered_region(Draw *x) {
    char name[48];
    size_t length = strlen(x->op->name) - strlen("_scatter");
    if (length >= sizeof name) {
        return NULL;
    }
    memcpy(name, x->op->name, length);
    name[length] = '\0';
    const OpInfo *view = NULL;
    if (op_overloads(name, &view) < 1) {
        return NULL;
    }
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
    if (stmt_bind(s, g->p, g->env, g->arena, &call, &g->err) != ERR_none || emit_call(&g->meta.emit, &call, out, &n) != ERR_none || n != 1) {
        return NULL;
    }
    return out[0];
}

static bool ends(const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && strcmp(text + n - m, suffix) == 0;
}

static Var *source_argument(Draw *x) {
    Gen *g = x->g;
    const Tensor *index = x->index != NULL ? x->index->t : NULL;
    if (ends(x->op->name, "_scatter")) {
        const Tensor *region = scattered_region(x);
        return region == NULL ? NULL : exactly(x, x->t->dtype, region->size, region->ndim);
    }
    if (index != NULL && starts(x->op->name, "index_")) {
        int64_t size[MAX_DIMS];
        for (int d = 0; d < x->t->ndim; d++) {
            size[d] = d == x->dim ? tensor_numel(index) : x->t->size[d];
        }
        return exactly(x, x->t->dtype, size, x->t->ndim);
    }
    if (index != NULL) {
        bool fits = draw_chance(g, 40) && x->t->ndim == index->ndim;
        for (int d = 0; d < index->ndim && fits; d++) {
            fits = x->t->size[d] >= index->size[d];
        }
        return exactly(x, x->t->dtype, fits ? x->t->size : index->size, index->ndim);
    }
    return draw_operand(g, x->t->dtype, x->t->size, x->t->ndim);
}

static bool all_equal(const Draw *x) { /* every index repeats at will */
    for (int k = 0; k < x->op->nparam; k++) {
        if (x->op->param[k].type == ARG_BOOL && named(&x->op->param[k], "accumulate")) {
            return !(x->s->arg[k].given && x->s->arg[k].b);
        }
    }
    return true;
}

static bool tensor_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    DType dtype = x->t->dtype;
    if (p->type == ARG_TENSOR_OPT) {
        if (draw_chance(g, 30) && (x->optional || k + 1 < x->op->nparam)) {
            return true;
        }
        x->optional = true;
    }
    if (named(p, "condition") || named(p, "mask")) {
        return give(x, k, draw_need(g, (Need){.dtype = DT_bool, .ndim = x->t->ndim, .size = x->t->size, .broadcast = true}));
    }
    if (named(p, "index")) {
        x->index = index_argument(x);
        return give(x, k, x->index);
    }
    if (named(p, "src") || named(p, "source")) {
        return give(x, k, source_argument(x));
    }
    if (named(p, "mat1") || named(p, "mat2") || named(p, "vec") || named(p, "tensor") || (named(p, "other") && x->op->kind == KIND_COMPOSITE)) {
        return give(x, k, factor_argument(x, k));
    }
    if (named(p, "values")) {
        int ka = op_param(x->op, "accumulate");
        if (ka >= 0 && draw_chance(g, 50)) {
            set_bool(x->s, ka, true);
        }
        const Tensor *region = indexed_tensor(g, x->s);
        return region != NULL && give(x, k, draw_need(g, (Need){.dtype = dtype, .ndim = region->ndim, .size = region->size, .broadcast = true, .uniform = all_equal(x)}));
    }
    if (named(p, "value") && !has(x->op, "tensor1")) {
        return give(x, k, exactly(x, dtype, NULL, 0));
    }
    if (x->op->kind == KIND_VIEW) { /* view_as, expand_as: a size */
        int64_t size[MAX_DIMS];
        int n = starts(x->op->name, "expand") ? expanded(g, x->t, size) : refactored(g, x->t, size);
        for (int d = 0; d < n; d++) {
            if (size[d] < 0) {
                return give(x, k, exactly(x, dtype, x->t->size, x->t->ndim));
            }
        }
        return give(x, k, exactly(x, draw_dtype(g), size, n));
    }
    if (draw_chance(g, 7) && !x->divides) {
        return give(x, k, x->self);
    }
    if (x->divides) {
        return give(x, k, draw_need(g, (Need){.dtype = dtype, .ndim = x->t->ndim, .size = x->t->size, .broadcast = true, .nonzero = true}));
    }
    if (draw_chance(g, 12) && !x->op->param[0].writes) { /* something that may be larger than self */
        Var *v = &g->var[draw_below(g, g->nvars)];
        if (!v->dead && !v->fuzzy) {
            return give(x, k, v);
        }
    }
    return give(x, k, draw_operand(g, dtype, x->t->size, x->t->ndim));
}

static bool give_tensors(Draw *x, int k, Var **v, int n) {
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

static bool accept_any(const Gen *g, const Var *v) {
    (void)g;
    return !v->fuzzy;
}

/* A list of tensors to join: one size, except along `dim` where the op allows it. */
static bool tensors_argument(Draw *x, int k) {
    Gen *g = x->g;
    Var *v[4];
    int n = 1 + draw_below(g, 3);
    v[0] = draw_var(g, accept_any);
    if (v[0] == NULL) {
        return false;
    }
    x->self = v[0];
    x->t = v[0]->t;
    x->dim = x->t->ndim > 0 ? draw_below(g, x->t->ndim) : 0;
    bool joins = strstr(x->op->name, "cat") != NULL;
    for (int i = 1; i < n; i++) {
        int64_t size[MAX_DIMS];
        for (int d = 0; d < x->t->ndim; d++) {
            size[d] = d == x->dim && joins && draw_chance(g, 40) ? draw_extent(g) : x->t->size[d];
        }
        v[i] = exactly(x, draw_chance(g, 90) ? x->t->dtype : g->main, size, x->t->ndim);
    }
    return give_tensors(x, k, v, n);
}

static bool indices_argument(Draw *x, int k) {
    Gen *g = x->g;
    Var *v[4] = {NULL, NULL, NULL, NULL};
    int n = 0, last = 0;
    int64_t length = 1 + draw_below(g, 4);
    for (int d = 0; d < x->t->ndim && d < 4; d++) {
        n = d + 1;
        if (x->t->size[d] > 0 && draw_chance(g, 60)) {
            int64_t size[2] = {length, 1};
            int ndim = draw_chance(g, 85) ? 1 : draw_below(g, 3);
            v[d] = draw_index_tensor(g, DT_int64, size, ndim, draw_chance(g, 70) ? 0 : -x->t->size[d], x->t->size[d] - 1, -1);
            last = v[d] != NULL ? n : last;
        }
        if (last > 0 && draw_chance(g, 40)) {
            break;
        }
    }
    return last > 0 && give_tensors(x, k, v, last);
}

/* ---- the rest ---- */

static bool dtype_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    static const DType made[] = {DT_float32, DT_float32, DT_float32, DT_float64, DT_int64, DT_int64, DT_int32, DT_bool, DT_int16, DT_int8, DT_uint8};
    if (p->type == ARG_DTYPE_OPT || p->has_default) {
        bool factory = x->op->kind == KIND_FACTORY;
        if (draw_chance(g, factory ? 50 : 85)) {
            return true;
        }
        if (p->has_default && factory && p->type == ARG_DTYPE_OPT && draw_chance(g, 30)) {
            x->s->arg[k] = (PArg){.given = true, .is_none = true};
            return true;
        }
    }
    DType dtype = draw_chance(g, 50) ? g->main : made[draw_below(g, COUNT_OF(made))];
    if (x->op->kind == KIND_FACTORY && has(x->op, "row")) {
        dtype = draw_chance(g, 80) ? DT_int64 : DT_int32;
    }
    set_dtype(x->s, k, dtype);
    return true;
}

static bool bool_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    int percent = named(p, "keepdim") ? 35 : named(p, "requires_grad") ? 40 : named(p, "copy") || named(p, "accumulate") ? 25 : 3;
    if (!x->s->arg[k].given && draw_chance(x->g, percent)) {
        set_bool(x->s, k, named(p, "requires_grad") ? draw_chance(x->g, 35) : true);
    }
    return true;
}

static bool data_argument(Draw *x, int k) { /* tensor literal: data, size and dtype together */
    Gen *g = x->g;
    int64_t size[MAX_DIMS];
    int n = draw_size(g, size);
    int64_t numel = 0;
    int ks = op_param(x->op, "size"), kd = op_param(x->op, "dtype");
    if (!sizes_numel(size, n, &numel) || numel > 24 || ks < 0 || kd < 0) {
        n = 0;
        numel = 1;
    }
    DType dtype = draw_dtype(g);
    void *data = arena_alloc_raw(g->arena, numel * dtype_bytes(dtype));
    for (int64_t i = 0; i < numel; i++) {
        element_store_double(data, dtype, i, dtype_is_float(dtype) ? (double)draw_between(g, -16, 16) / 8 : (double)draw_below(g, 6));
    }
    x->s->arg[k] = (PArg){.given = true, .data = {data, numel}};
    if (ks >= 0 && kd >= 0) {
        set_ints(g, x->s, ks, size, n);
        set_dtype(x->s, kd, dtype);
    }
    return true;
}

static bool index_items(Draw *x, int k) {
    Gen *g = x->g;
    PIndexItem items[GEN_ITEMS];
    bool repeats = false;
    int n = draw_index(g, x->t, true, items, &repeats);
    set_index(x->s, k, arena_copy(g->arena, items, (int64_t)sizeof items[0] * n), n);
    return k + 1 >= x->op->nparam || draw_setitem_value(g, x->s, repeats);
}

static bool argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    if (k == x->main) {
        return true;
    }
    switch (p->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT: return x->t != NULL && tensor_argument(x, k);
    case ARG_TENSORS: return tensors_argument(x, k);
    case ARG_TENSORS_OPT: return x->t != NULL && indices_argument(x, k);
    case ARG_SCALAR:
    case ARG_SCALAR_OPT: return scalar_argument(x, k);
    case ARG_INT:
    case ARG_INT_OPT: return x->s->arg[k].given || int_argument(x, k);
    case ARG_INTS:
    case ARG_INTS_OPT: return ints_argument(x, k);
    case ARG_BOOL: return bool_argument(x, k);
    case ARG_FLOAT: x->s->arg[k] = (PArg){.given = true, .f = 0.5}; return true;
    case ARG_FLOAT_OPT: return true;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT: return x->s->arg[k].given || dtype_argument(x, k);
    case ARG_STR:
    case ARG_STR_OPT: /* rounding_mode */
        x->s->arg[k] = draw_chance(x->g, 20) && p->type == ARG_STR_OPT ? (PArg){.given = true, .is_none = true}
                                                                        : (PArg){.given = true, .str = draw_chance(x->g, 50) ? "floor" : "trunc"};
        return true;
    case ARG_INDEX: return x->t != NULL && index_items(x, k);
    case ARG_VALUE: return x->s->arg[k].given; /* with the index */
    case ARG_DATA: return data_argument(x, k);
    }
    return false;
}

/* ---- the main tensor ---- */

static int main_param(const OpInfo *op) {
    int first = -1;
    for (int k = 0; k < op->nparam; k++) {
        if (op->param[k].type == ARG_TENSOR) {
            if (strcmp(op->param[k].name, "self") == 0) {
                return k;
            }
            if (first < 0 || strcmp(op->param[first].name, "condition") == 0) {
                first = k;
            }
        }
    }
    return first;
}

/* What the names of the parameters tell about the main tensor. */
static void dims_wanted(const OpInfo *op, int *least, int *most) {
    *least = 0;
    *most = MAX_DIMS;
    if (has(op, "mat1")) {
        *most = 2;
    } else if (has(op, "mat2")) {
        *least = *most = op->name[0] == 'b' ? 3 : 2;
    } else if (has(op, "vec")) {
        *least = *most = 2;
    } else if (has(op, "tensor")) {
        *least = *most = 1;
    } else if (has(op, "diagonal") || has(op, "dim2")) {
        *least = 2;
    } else if (has(op, "index") || has(op, "indices") || has(op, "step") || has(op, "length") || has(op, "sections") || has(op, "chunks") || op->kind == KIND_MULTI_VIEW) {
        *least = 1;
    } else if (op->kind == KIND_VIEW && op->nparam == 1 && op->name[1] == '\0') {
        *most = 2; /* t */
    } else if (op->kind == KIND_COMPOSITE && op->nparam == 2 && has(op, "other")) {
        *least = 1; /* matmul */
    }
}

static bool makes_choice(const OpInfo *op) { /* a result that jumps where operands move a little */
    const OpInfo *form = op->kind == KIND_INPLACE ? op_info(op->twin) : op;
    if (form->kind == KIND_POINTWISE) {
        switch (form->pw) {
        case PW_sign: case PW_floor: case PW_ceil: case PW_trunc: case PW_round: case PW_div_floor: case PW_div_trunc: case PW_remainder:
        case PW_fmod: case PW_eq: case PW_ne: case PW_lt: case PW_le: case PW_gt: case PW_ge: case PW_logical_and: case PW_logical_or:
        case PW_logical_xor: case PW_logical_not: return true;
        default: return has(form, "rounding_mode");
        }
    }
    return form->kind == KIND_FUNC && (form->nature == NATURE_EXTREME || form->nature == NATURE_NONE);
}

static bool main_fits(Gen *g, const OpInfo *op, const Var *v, int least, int most, int tensors) {
    if (v->dead || v->t->ndim < least || v->t->ndim > most) {
        return false;
    }
    if (v->fuzzy && (tensors > 1 || (op->kind != KIND_POINTWISE && op->nature != NATURE_SUM))) {
        return false;
    }
    if (op->param[0].writes && op->kind != KIND_META) {
        if (!var_writable(g, v, false) || (g->data[v->data].saved && g->grad && !draw_chance(g, 10))) {
            return false;
        }
        if (tensor_overlaps_itself(v->t)) {
            return false;
        }
        if (g->base[v->base].input && !draw_chance(g, 60)) {
            return false;
        }
    }
    if (op->kind == KIND_META && op->id != OP_detach) {
        const Base *base = &g->base[v->base];
        if (op->id == OP_requires_grad_ ? !base->leaf || !dtype_is_float(v->t->dtype) || g->data[v->data].saved : v->view || base->input || base->requires_grad) {
            return draw_chance(g, 3);
        }
    }
    if (g->data[v->data].bits >= BITS_INEXACT && dtype_is_float(v->t->dtype) && makes_choice(op) && !draw_chance(g, 10)) {
        return false;
    }
    return true;
}

static Var *draw_main(Gen *g, const OpInfo *op) {
    int least, most, tensors = 0;
    dims_wanted(op, &least, &most);
    for (int k = 0; k < op->nparam; k++) {
        tensors += op->param[k].type <= ARG_TENSORS_OPT || op->param[k].type == ARG_INDEX;
    }
    for (int i = 0; i < 10 && g->nvars > 0; i++) {
        int recent = g->nvars < 5 ? g->nvars : 5;
        Var *v = &g->var[draw_chance(g, 60) ? g->nvars - 1 - draw_below(g, recent) : draw_below(g, g->nvars)];
        if (main_fits(g, op, v, least, most, tensors)) {
            return v;
        }
    }
    if (g->p->ninputs >= 6 || most < MAX_DIMS ? g->p->ninputs >= GEN_INPUTS : draw_chance(g, 60)) {
        return NULL;
    }
    int64_t size[MAX_DIMS];
    int n = draw_size(g, size);
    while (n < least) {
        size[n++] = draw_between(g, 1, 4);
    }
    n = n > most ? most : n;
    bool written = op->param[0].writes;
    return draw_input(g, op->kind == KIND_FUNC && op->nature == NATURE_MATMUL ? g->main : draw_dtype(g), size, n, false, written ? 0 : 60);
}

bool draw_arguments(Gen *g, Stmt *s, Var *self) {
    const OpInfo *op = s->op;
    Draw x = {.g = g, .s = s, .op = op, .main = main_param(op)};
    if (x.main >= 0) {
        x.self = self != NULL ? self : draw_main(g, op);
        if (x.self == NULL) {
            return false;
        }
        x.t = x.self->t;
        set_tensor(s, x.main, x.self);
        x.dim = x.t->ndim > 0 ? draw_below(g, x.t->ndim) : 0;
        const OpInfo *form = op->kind == KIND_INPLACE ? op_info(op->twin) : op;
        x.divides = form->kind == KIND_POINTWISE && !dtype_is_float(x.t->dtype) &&
                    (form->pw == PW_remainder || form->pw == PW_fmod || (form->pw == PW_div && has(form, "rounding_mode")));
    }
    int last = -1;
    for (int k = 0; k < op->nparam; k++) {
        if (k != x.main && op->param[k].type == ARG_TENSOR && named(&op->param[k], "src") && ends(op->name, "_scatter")) {
            last = k;
        } else if (!argument(&x, k)) {
            return false;
        }
    }
    if (last >= 0 && !argument(&x, last)) {
        return false;
    }
    if (op->kind == KIND_FACTORY && dtype_is_float(g->main) && draw_chance(g, 8)) {
        int kd = op_param(op, "dtype");
        bool floating = kd < 0 || !s->arg[kd].given || s->arg[kd].is_none || dtype_is_float(s->arg[kd].dtype);
        bool named_float = op->id == OP_zeros || op->id == OP_ones || op->id == OP_eye || op->id == OP_eye_m || (kd >= 0 && s->arg[kd].given && !s->arg[kd].is_none);
        if (floating && named_float) {
            s->requires_grad = s->requires_grad_given = true;
        }
    }
    return true;
}
