/* Rules of gathers and scatters (rules.def, INDEX). */
#include "compiled/rules/rules.h"
#include "compiled/views/views.h"

#include <string.h>

/* ---- reads through indices ---- */

/* `x[i]` or index_select(x, dim, i): what is indexed, by what, along which dim; false for other
 * forms of index. */
typedef struct Gather {
    Node *x, *index;
    int dim;
} Gather;

static bool is_gather(const Node *n, Gather *g) {
    if (n->op == OP_index && n->call->arg[1].tensors.n == 1 && n->nin == 2 && n->in[1]) {
        *g = (Gather){n->in[0], n->in[1], 0};
        return n->in[0]->t.ndim > 0;
    }
    if (n->op == OP_index_select && n->in[0]->t.ndim > 0) {
        *g = (Gather){n->in[0], n->in[1], rule_dim(n, 1, n->in[0]->t.ndim)};
        return true;
    }
    return false;
}

/* Can two gathers be one? Not if the result is empty: its indices are not checked. */
static bool are_two_gathers(const Node *n, OpId op, Gather *outer, Gather *inner) {
    return is_gather(n, outer) && outer->x->op == op && is_gather(outer->x, inner) &&
           inner->index->t.ndim == 1 && tensor_numel(&n->t) > 0;
}

static Call index_call(Compile *c, Node *x, Node *index) {
    Call call = call_of(OP_index, x, NULL);
    Tensor *list[1] = {&index->t};
    call.arg[1].tensors.v = arena_copy(c->arena, list, sizeof list);
    call.arg[1].tensors.n = 1;
    return call;
}

bool rule_index_of_index(Compile *c, Node *n, Rewrite *w) {
    Gather outer, inner;
    if (!are_two_gathers(n, OP_index, &outer, &inner)) {
        return false;
    }
    Call both = index_call(c, inner.index, outer.index);
    Node *index = rule_op(c, n, &both);
    if (!index) {
        return false;
    }
    Call call = index_call(c, inner.x, index);
    return be_call(c, w, n, &call);
}

bool rule_select_of_select(Compile *c, Node *n, Rewrite *w) {
    Gather outer, inner;
    if (!are_two_gathers(n, OP_index_select, &outer, &inner) || inner.dim != outer.dim) {
        return false;
    }
    Call both = call_of(OP_index_select, inner.index, NULL);
    both.arg[2].tensor = &outer.index->t;
    Node *index = rule_op(c, n, &both);
    if (!index) {
        return false;
    }
    Call call = *n->call;
    call.arg[0].tensor = &inner.x->t;
    call.arg[2].tensor = &index->t;
    return be_call(c, w, n, &call);
}

/* An integer arange of `count` > 0 elements from `start` by `step`. */
static bool is_counting(const Node *n, int64_t *start, int64_t *step, int64_t *count) {
    int from = n->op == OP_arange ? -1 : 0, by = n->op == OP_arange_start_step ? 2 : -1;
    if ((n->op != OP_arange && n->op != OP_arange_start && n->op != OP_arange_start_step) ||
        n->t.dtype != DT_int64) {
        return false;
    }
    for (int p = 0; p <= (by > 0 ? by : from + 1); p++) {
        if (n->call->arg[p].scalar.kind == CAT_FLOAT) {
            return false;
        }
    }
    *start = from < 0 ? 0 : n->call->arg[from].scalar.i;
    *step = by < 0 ? 1 : n->call->arg[by].scalar.i;
    *count = n->t.size[0];
    return *count > 0;
}

bool rule_index_counting(Compile *c, Node *n, Rewrite *w) {
    Gather g;
    int64_t start, step, count;
    if (!is_gather(n, &g) || g.index->t.ndim != 1 || !is_counting(g.index, &start, &step, &count)) {
        return false;
    }
    int64_t size = g.x->t.size[g.dim];
    if (start < 0 || start >= size || step < 1 || step > size ||
        start + (count - 1) * step >= size) {
        return false;
    }
    Tensor slice = g.x->t;
    slice.offset += start * slice.stride[g.dim];
    slice.stride[g.dim] *= step;
    slice.size[g.dim] = count;
    return tensor_same_size(&slice, &n->t) && use_view(c, n, w, g.x, &slice);
}

bool rule_index_constant(Compile *c, Node *n, Rewrite *w) {
    Gather g;
    Scalar at;
    if (!is_gather(n, &g) || !node_splat(g.index, &at) || at.kind == CAT_FLOAT ||
        g.index->t.dtype == DT_bool) {
        return false;
    }
    int64_t size = g.x->t.size[g.dim], row = at.i < 0 && n->op == OP_index ? at.i + size : at.i;
    int more = g.index->t.ndim - 1; /* dims that the index adds, besides the one it replaces */
    if (row < 0 || row >= size || g.x->t.ndim + more > MAX_DIMS || tensor_numel(&n->t) == 0) {
        return false;
    }
    if (n->op == OP_index_select) {
        more = 0;
    }
    Tensor same = g.x->t;
    same.ndim = g.x->t.ndim + more;
    same.offset += row * g.x->t.stride[g.dim];
    for (int d = 0; d < same.ndim; d++) {
        bool along = n->op == OP_index ? d < g.index->t.ndim : d == g.dim;
        same.size[d] = n->t.size[d];
        same.stride[d] = along ? 0 : g.x->t.stride[d - more];
    }
    return same.ndim == n->t.ndim && use_view(c, n, w, g.x, &same);
}

/* ---- writes ---- */

static bool index_scattered_slice(const Node *n, Tensor *slice) {
    return n->kind == NODE_OP && lower_class(n) == LOWER_VIEW_SCATTER &&
           view_scattered(n->call, &n->t, slice);
}

bool rule_scatter_same(Compile *c, Node *n, Rewrite *w) {
    Tensor slice, own;
    return index_scattered_slice(n, &slice) && same_type(n, n->in[0]) &&
           node_buffer(n->in[1]) == node_buffer(n->in[0]) &&
           pull_back(c, &slice, &n->t, &n->in[0]->t, &own) &&
           tensor_same_size(&own, &n->in[1]->t) && own.offset == n->in[1]->t.offset &&
           memcmp(own.stride, n->in[1]->t.stride, sizeof *own.stride * (size_t)own.ndim) == 0 &&
           use(w, n->in[0]);
}

bool rule_scatter_dead(Compile *c, Node *n, Rewrite *w) {
    Tensor slice, before;
    const Node *inner = n->in[0];
    return index_scattered_slice(n, &slice) && inner->kind == NODE_OP &&
           index_scattered_slice(inner, &before) && node_same_image(n, inner) &&
           tensor_same_layout(&slice, &before) && be_like(c, w, n, n->op, inner->in[0], NULL);
}

/* Do both write through the same indices? */
static bool same_places(const Node *n, const Node *inner) {
    if (n->op == OP__index_put) {
        const Arg *a = &n->call->arg[1], *b = &inner->call->arg[1];
        if (inner->op != OP__index_put || n->call->arg[3].b || a->tensors.n != b->tensors.n) {
            return false;
        }
        return memcmp(a->tensors.v, b->tensors.v, sizeof(Tensor *) * (size_t)a->tensors.n) == 0;
    }
    bool writes = n->op == OP_scatter_src || n->op == OP_scatter_value;
    bool wrote =
        inner->op == OP_scatter_src || inner->op == OP_scatter_value || inner->op == OP_scatter_add;
    return writes && wrote && n->in[1] == inner->in[1] &&
           rule_dim(n, 1, n->t.ndim) == rule_dim(inner, 1, n->t.ndim);
}

bool rule_put_dead(Compile *c, Node *n, Rewrite *w) {
    const Node *inner = n->in[0];
    return inner->kind == NODE_OP && same_type(n, inner) && same_places(n, inner) &&
           be_like(c, w, n, n->op, inner->in[0], NULL);
}

bool rule_add_nothing_at(Compile *c, Node *n, Rewrite *w) {
    Scalar v;
    (void)c;
    bool adds = n->op == OP_index_add || n->op == OP_scatter_add ||
                (n->op == OP__index_put && n->call->arg[3].b);
    if (!adds || !same_type(n, n->in[0]) || !node_splat(n->in[n->nin - 1], &v)) {
        return false;
    }
    if (n->op == OP_index_add && is_float(n) && !operand_is(n, 4, 1)) {
        return false; /* a negative alpha turns 0.0 into -0.0 */
    }
    return is_zero(v, true) && (v.kind == CAT_FLOAT) == is_float(n) && use(w, n->in[0]);
}

bool rule_region_of_zeros(Compile *c, Node *n, Rewrite *w) {
    Scalar v;
    return lower_class(n) == LOWER_ADD_SLICE && node_splat(n->in[0], &v) && is_zero(v, false) &&
           be_splat(c, w, n, is_float(n) ? scalar_float(0) : scalar_int(0));
}
