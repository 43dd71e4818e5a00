/* Rules of reductions, scans and matrix products (rules.def, REDUCE and PRODUCT). */
#include "compiled/rules/rules.h"
#include "program/infer/infer.h"

#include <string.h>

/* ---- reductions ---- */

static bool reduce_is_extreme(OpId id) { return id == OP_amax || id == OP_amin; }
static bool reduce_is_sum(OpId id) { return id == OP_sum || id == OP_sum_dim; }
static bool is_prod(OpId id) { return id == OP_prod || id == OP_prod_dim; }
static bool is_integer(const Node *n) {
    return !is_float(n) && n->t.dtype != DT_bool && !is_float(n->in[0]);
}

/* Bit set of the dims of in[0] that n reduces. */
static bool reduce_dims_of(const Node *n, unsigned *set) {
    int ndim = n->in[0]->t.ndim;
    if (n->op == OP_prod_dim) {
        *set = 1u << rule_dim(n, 1, ndim);
        return true;
    }
    if (n->op == OP_sum || n->op == OP_mean || n->op == OP_prod) {
        *set = (1u << ndim) - 1;
        return true;
    }
    Error err;
    error_begin(&err, true);
    return reduced_dims(n->call, ndim, set, &err) == ERR_none;
}

static bool keeps_dims(const Node *n) {
    return n->op != OP_sum && n->op != OP_mean && n->op != OP_prod && n->call->arg[2].b;
}

/* Dims of size > 1 along which x repeats. */
static unsigned reduce_repeats(const Tensor *x) {
    unsigned set = 0;
    for (int d = 0; d < x->ndim; d++) {
        set |= (unsigned)(x->size[d] > 1 && x->stride[d] == 0) << d;
    }
    return set;
}

/* in[0] with size 1 in the dims of `set`. */
static Node *once(Compile *c, const Node *n, unsigned set) {
    Tensor t = n->in[0]->t;
    for (int d = 0; d < t.ndim; d++) {
        t.size[d] = set >> d & 1 ? 1 : t.size[d];
    }
    return graph_view(c->graph, n->in[0], &t, n->sid);
}

bool rule_reduction_of_one(Compile *c, Node *n, Rewrite *w) {
    unsigned set;
    bool chooses =
        reduce_is_extreme(n->op) || is_prod(n->op) || (reduce_is_sum(n->op) && is_integer(n));
    if (!chooses || n->in[0]->t.dtype != n->t.dtype || !reduce_dims_of(n, &set)) {
        return false;
    }
    const Tensor *x = &n->in[0]->t;
    Tensor kept = {.dtype = x->dtype, .offset = x->offset};
    for (int d = 0; d < x->ndim; d++) {
        bool reduced = set >> d & 1;
        if (reduced && x->size[d] != 1) {
            return false;
        }
        if (!reduced || keeps_dims(n)) {
            kept.size[kept.ndim] = x->size[d];
            kept.stride[kept.ndim++] = x->stride[d];
        }
    }
    return tensor_same_size(&kept, &n->t) && use_view(c, n, w, n->in[0], &kept);
}

bool rule_extreme_of_broadcast(Compile *c, Node *n, Rewrite *w) {
    unsigned set;
    if (!reduce_is_extreme(n->op) || !reduce_dims_of(n, &set) ||
        (set & reduce_repeats(&n->in[0]->t)) == 0) {
        return false;
    }
    return be_like(c, w, n, n->op, once(c, n, set & reduce_repeats(&n->in[0]->t)), NULL);
}

bool rule_sum_of_broadcast(Compile *c, Node *n, Rewrite *w) {
    unsigned set;
    if (!reduce_is_sum(n->op) || !is_integer(n) || !reduce_dims_of(n, &set) ||
        (set & reduce_repeats(&n->in[0]->t)) == 0) {
        return false;
    }
    set &= reduce_repeats(&n->in[0]->t);
    uint64_t times = 1;
    for (int d = 0; d < n->in[0]->t.ndim; d++) {
        times *= set >> d & 1 ? (uint64_t)n->in[0]->t.size[d] : 1;
    }
    Call call = *n->call;
    call.arg[0].tensor = &once(c, n, set)->t;
    Node *sum = rule_op(c, n, &call);
    if (!sum) {
        return false;
    }
    Call scaled = call_of(OP_mul_Scalar, sum, NULL);
    scaled.arg[1].scalar = scalar_int(dtype_wrap(n->t.dtype, (int64_t)times));
    return be_call(c, w, n, &scaled);
}

/* Dims of x that n reduces, where in[0] is itself a reduction of x over `before` that drops
 * them. */
static unsigned dims_behind(unsigned set, unsigned before, int ndim) {
    unsigned out = before;
    for (int d = 0, own = 0; d < ndim; d++) {
        if (!(before >> d & 1)) {
            out |= (set >> own & 1) << d;
            own++;
        }
    }
    return out;
}

bool rule_reduction_of_reduction(Compile *c, Node *n, Rewrite *w) {
    const Node *inner = n->in[0];
    bool sums = reduce_is_sum(n->op) && inner->kind == NODE_OP && reduce_is_sum(inner->op),
         extremes = reduce_is_extreme(n->op) && inner->op == n->op;
    unsigned set, before;
    if ((!sums && !extremes) || !is_integer(n) || !is_integer(inner) ||
        inner->t.dtype != n->t.dtype || keeps_dims(n) || keeps_dims(inner) ||
        !reduce_dims_of(n, &set) || !reduce_dims_of(inner, &before)) {
        return false;
    }
    int ndim = inner->in[0]->t.ndim, count = 0;
    unsigned both = dims_behind(set, before, ndim);
    int64_t dims[MAX_DIMS];
    for (int d = 0; d < ndim; d++) {
        if (both >> d & 1) {
            dims[count++] = d;
        }
    }
    if (count == 0) {
        return false;
    }
    Call call = call_of(sums ? OP_sum_dim : n->op, inner->in[0], NULL);
    call.arg[1] = (Arg){.ints = {arena_copy(c->arena, dims, (int64_t)sizeof *dims * count), count}};
    if (sums) {
        call.arg[op_param(call.op, "dtype")] = (Arg){.dtype = n->t.dtype};
    }
    return be_call(c, w, n, &call);
}

bool rule_broadcast_kept(Compile *c, Node *n, Rewrite *w) {
    unsigned set;
    bool exact = reduce_is_extreme(n->op) || (reduce_is_sum(n->op) && is_integer(n));
    if (!exact || !read_by_value(n) || tensor_numel(&n->t) == 0 || !reduce_dims_of(n, &set)) {
        return false;
    }
    const Tensor *x = &n->in[0]->t;
    unsigned kept = reduce_repeats(x) & ~set;
    if (kept == 0) {
        return false;
    }
    Call call = *n->call;
    call.arg[0].tensor = &once(c, n, kept)->t;
    Node *made = rule_op(c, n, &call);
    if (!made || made->t.dtype != n->t.dtype || made->t.ndim != n->t.ndim) {
        return false;
    }
    Tensor expanded = made->t;
    for (int d = 0, own = 0; d < x->ndim; d++) {
        if (set >> d & 1) {
            own += keeps_dims(n);
            continue;
        }
        if (kept >> d & 1) {
            expanded.size[own] = x->size[d];
            expanded.stride[own] = 0;
        }
        own++;
    }
    return tensor_same_size(&expanded, &n->t) && use_view(c, n, w, made, &expanded);
}

bool rule_scan_of_one(Compile *c, Node *n, Rewrite *w) {
    (void)c;
    bool scan = n->op == OP_cumprod || (n->op == OP_cumsum && is_integer(n));
    if (!scan || !same_type(n, n->in[0])) {
        return false;
    }
    return (n->t.ndim == 0 || n->t.size[rule_dim(n, 1, n->t.ndim)] == 1) && use(w, n->in[0]);
}

/* ---- products ---- */

/* If the operand is the transpose of a row-major matrix: that matrix. */
static Node *transposed(Compile *c, const Node *n, Node *m) {
    const Tensor *t = &m->t;
    if (m->kind != NODE_VIEW || t->ndim != 2 || t->size[0] < 2 || t->size[1] < 2 ||
        t->stride[0] != 1 || t->stride[1] < t->size[0]) {
        return NULL;
    }
    Tensor turned = *t;
    turned.size[0] = t->size[1];
    turned.size[1] = t->size[0];
    turned.stride[0] = t->stride[1];
    turned.stride[1] = t->stride[0];
    return graph_view(c->graph, m, &turned, n->sid);
}

bool rule_product_transposed(Compile *c, Node *n, Rewrite *w) {
    Node *x = read_by_value(n) ? transposed(c, n, n->in[0]) : NULL,
         *y = x ? transposed(c, n, n->in[1]) : NULL;
    if (!y) {
        return false;
    }
    Call call = call_of(OP_mm, y, x);
    Node *made = rule_op(c, n, &call);
    Tensor turned = n->t;
    turned.stride[0] = made ? made->t.stride[1] : 0;
    turned.stride[1] = made ? made->t.stride[0] : 0;
    return made && use_view(c, n, w, made, &turned);
}

bool rule_product_eye(Compile *c, Node *n, Rewrite *w) {
    (void)c;
    for (int k = 0; k < 2 && !is_float(n); k++) {
        const Node *eye = n->in[k];
        bool square = eye->t.ndim == 2 && eye->t.size[0] == eye->t.size[1];
        if (square && (eye->op == OP_eye || eye->op == OP_eye_m) && same_type(n, n->in[1 - k])) {
            return use(w, n->in[1 - k]);
        }
    }
    return false;
}

bool rule_product_zeros(Compile *c, Node *n, Rewrite *w) {
    Scalar v;
    for (int k = 0; k < 2 && !is_float(n); k++) {
        if (node_splat(n->in[k], &v) && v.i == 0) {
            return be_splat(c, w, n, scalar_int(0));
        }
    }
    return false;
}

bool rule_addmm_plain(Compile *c, Node *n, Rewrite *w) {
    return operand_is(n, 3, 0) && operand_is(n, 4, 1) && be_op(c, w, n, OP_mm, n->in[1], n->in[2]);
}
