/* Seeded fault SH_1: planned memory is laid out as contiguous, whatever the strides of the result
 * are. Views of dims, slices and permutations follow; a view with strides of its own, as_strided,
 * reads other elements. */
#include "compiled/loops/lower.h"

/* The dim of `t` that a stride of a view runs along: that with the largest stride that divides it;
 * or -1. */
static int dim_of_stride(const Tensor *t, int64_t stride) {
    int dim = -1;
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] > 1 && t->stride[d] <= stride && stride % t->stride[d] == 0 &&
            (dim < 0 || t->stride[d] > t->stride[dim])) {
            dim = d;
        }
    }
    return dim;
}

/* The index in every dim of the dense `t` at an offset. */
static void index_at(const Tensor *t, int64_t offset, int64_t *index) {
    unsigned left = (1u << t->ndim) - 1;
    while (left) {
        int d = -1;
        for (int k = 0; k < t->ndim; k++) {
            d = left >> k & 1 && (d < 0 || t->stride[k] > t->stride[d]) ? k : d;
        }
        left &= ~(1u << d);
        index[d] = t->size[d] > 1 ? offset / t->stride[d] : 0;
        offset -= index[d] * (t->size[d] > 1 ? t->stride[d] : 0);
    }
}

/* `view` of `from` as a view of `to`, which has the same sizes; false if its dims are not those of
 * `from`. */
static bool follow_view(const Tensor *view, const Tensor *from, const Tensor *to, Tensor *out) {
    int64_t index[MAX_DIMS];
    unsigned taken = 0;
    layout_copy(out, view);
    index_at(from, view->offset, index);
    out->offset = 0;
    for (int d = 0; d < from->ndim; d++) {
        out->offset += index[d] * to->stride[d];
    }
    for (int d = 0; d < view->ndim; d++) {
        if (view->size[d] == 1 || view->stride[d] == 0) {
            continue;
        }
        int dim = dim_of_stride(from, view->stride[d]);
        if (dim < 0 || (taken >> dim & 1)) {
            return false;
        }
        int64_t step = view->stride[d] / from->stride[dim];
        if (index[dim] + (view->size[d] - 1) * step >= from->size[dim]) {
            return false;
        }
        taken |= 1u << dim;
        out->stride[d] = step * to->stride[dim];
    }
    return true;
}

static bool may_be_laid_out(const Graph *g, const Node *b) {
    if (b->kind != NODE_OP || lower_class(b) != LOWER_POINTWISE || b->buffer < 0 || b->into ||
        (b->mark & (OUT_RETURN | OUT_WRITTEN)) || tensor_numel(&b->t) == 0 ||
        tensor_is_contiguous(&b->t) || !tensor_is_dense(&b->t)) {
        return false;
    }
    for (int i = 0; i < g->n; i++) {
        if (g->node[i]->in_place && node_buffer(g->node[i]->in[0]) == b) {
            return false;
        }
    }
    return true;
}

static void lay_out(const Compile *c, Node *b) {
    const Graph *g = c->graph;
    Tensor old;
    layout_copy(&old, &b->t);
    contiguous_strides(b->t.size, b->t.ndim, b->t.stride);
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        Tensor follows;
        if (n->kind != NODE_VIEW || n->in[0] != b) {
            continue;
        }
        if (follow_view(&n->t, &old, &b->t, &follows)) {
            layout_copy(&n->t, &follows);
        } else {
            (void)fault_triggered(c, FAULT_SH_1);
        }
    }
}

void forget_strides(const Compile *c) {
    Graph *g = c->graph;
    graph_mark_outputs(g);
    for (int i = 0; i < g->n; i++) {
        if (may_be_laid_out(g, g->node[i])) {
            lay_out(c, g->node[i]);
        }
    }
    for (int i = 0; i < g->n; i++) {
        g->node[i]->mark = 0;
    }
}
