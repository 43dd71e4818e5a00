/* Rules of reads and writes by address (rules.def, VIEW and STORE), and the composition of views
 * behind them.
 *
 * A buffer in which the addresses of some elements are known (a copy, the written slice of a store,
 * one operand's slice of a cat) is a mixed-radix number system: its dims sorted by stride, slowest
 * first, are the digits. A strided read of the buffer is a sum of steps. If no sum carries from one
 * digit to the next, each step is a fixed step through the source of the elements too, so the read
 * is a strided read of the source. */
#include "compiled/rules/rules.h"
#include "compiled/symbolic/observed.h"
#include "compiled/views/views.h"

#include <string.h>

#define UNUSED (void)c

/* ---- composition ---- */

typedef struct Digit {
    int64_t size, step; /* in the buffer read */
    int64_t source;     /* a step in the source */
} Digit;

/* Dims of size > 1, slowest first; adjacent dims that are contiguous in both layouts are merged. -1
 * if two indices may have one address. */
static int digits_of(const Tensor *location, const Tensor *source, Digit *digit) {
    int n = 0;
    for (int d = 0; d < location->ndim; d++) {
        Digit own = {location->size[d], location->stride[d], source->stride[d]};
        if (own.size <= 1) {
            continue;
        }
        int at = n++;
        while (at > 0 && digit[at - 1].step < own.step) {
            digit[at] = digit[at - 1];
            at--;
        }
        digit[at] = own;
    }
    int64_t below = 0; /* the largest offset that the faster digits reach */
    for (int k = n - 1; k >= 0; k--) {
        if (digit[k].step <= below) {
            return -1;
        }
        below += (digit[k].size - 1) * digit[k].step;
    }
    int kept = 0;
    for (int k = 0; k < n; k++) {
        Digit *last = kept > 0 ? &digit[kept - 1] : NULL;
        if (last && last->step == digit[k].step * digit[k].size &&
            last->source == digit[k].source * digit[k].size) {
            *last = (Digit){last->size * digit[k].size, digit[k].step, digit[k].source};
        } else {
            digit[kept++] = digit[k];
        }
    }
    return kept;
}

/* Adds the digits of `distance`, multiplied by `times`, to used[]; *source is the distance in the
 * source. False if there is a remainder. */
static bool spell(const Digit *digit, int n, int64_t distance, int64_t times, int64_t *used,
                  int64_t *source) {
    *source = 0;
    for (int k = 0; k < n; k++) {
        int64_t count = distance / digit[k].step;
        if (count >= digit[k].size) {
            return false;
        }
        distance -= count * digit[k].step;
        used[k] += count * times;
        *source += count * digit[k].source;
    }
    return distance == 0;
}

bool pull_back(const Compile *c, const Tensor *view, const Tensor *window, const Tensor *source,
               Tensor *out) {
    Digit digit[MAX_DIMS];
    int64_t used[MAX_DIMS] = {0}, start;
    int n =
        tensor_numel(view) > 0 && tensor_numel(window) > 0 ? digits_of(window, source, digit) : -1;
    if (n < 0 || view->offset < window->offset ||
        !spell(digit, n, view->offset - window->offset, 1, used, &start)) {
        return false;
    }
    memset(out, 0, sizeof *out);
    out->dtype = view->dtype;
    out->ndim = view->ndim;
    out->offset = source->offset + start;
    for (int d = 0; d < view->ndim; d++) {
        out->size[d] = view->size[d];
        out->stride[d] = 0;
        if (view->size[d] > 1 &&
            (!spell(digit, n, view->stride[d], view->size[d] - 1, used, &out->stride[d]) ||
             out->stride[d] < 0)) {
            return false;
        }
    }
    for (int k = 0; k < n; k++) {
        if (used[k] >= digit[k].size) {
            return false; /* it would carry */
        }
    }
    observed_number(c, view->offset - window->offset);
    for (int k = 0; k < n; k++) {
        observed_number(c, used[k]);
        observed_number(c, digit[k].size);
        observed_number(c, digit[k].step);
    }
    return true;
}

/* use(view of `of`) if n, a VIEW, reads only the elements of `of`, which are at `location`.
 * `source` is of's layout, expanded to the sizes of `location`. */
static bool use_pulled(Compile *c, const Node *n, Rewrite *w, const Tensor *location, Node *of,
                       const Tensor *source) {
    Tensor layout;
    return of->t.dtype == n->t.dtype && pull_back(c, &n->t, location, source, &layout) &&
           use_view(c, n, w, of, &layout);
}

/* `t` with the sizes of `like`. */
static Tensor expanded_to(const Tensor *t, const Tensor *like) {
    Tensor out = *t;
    out.ndim = like->ndim;
    memcpy(out.size, like->size, sizeof *like->size * (size_t)like->ndim);
    broadcast_strides(t, like->size, like->ndim, out.stride);
    return out;
}

static bool disjoint(const Compile *c, const Tensor *a, const Tensor *b) {
    int64_t a_end, b_end;
    if (!tensor_extent(a, &a_end) || !tensor_extent(b, &b_end) ||
        (a_end > b->offset && b_end > a->offset)) {
        return false;
    }
    observed_layout(c, a);
    observed_layout(c, b);
    return true;
}

/* ---- VIEW ---- */

bool rule_store_forward(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    const Node *store = n->in[0];
    return store->kind == NODE_STORE && tensor_same_layout(&n->t, &store->slice) &&
           same_type(n, store->in[1]) && use(w, store->in[1]);
}

bool rule_store_past(Compile *c, Node *n, Rewrite *w) {
    if (n->in[0]->kind != NODE_STORE || !disjoint(c, &n->t, &n->in[0]->slice)) {
        return false;
    }
    w->base = n->in[0]->in[0];
    return true;
}

bool rule_view_of_part(Compile *c, Node *n, Rewrite *w) {
    const Node *store = n->in[0];
    if (store->kind != NODE_STORE) {
        return false;
    }
    Tensor value = expanded_to(&store->in[1]->t, &store->slice);
    return use_pulled(c, n, w, &store->slice, store->in[1], &value);
}

bool rule_view_of_copy(Compile *c, Node *n, Rewrite *w) {
    Node *copy = n->in[0];
    if (copy->kind != NODE_OP || lower_class(copy) != LOWER_COPY) {
        return false;
    }
    Node *x = copy->in[copy->nin - 1];
    Tensor location = copy->t, source = x->t;
    if (copy->op == OP__reshape_copy) { /* x in contiguous order, with other sizes */
        tensor_set_contiguous(&location, x->t.dtype, x->t.size, x->t.ndim);
    } else {
        source = expanded_to(&x->t, &copy->t);
    }
    return use_pulled(c, n, w, &location, x, &source);
}

bool rule_view_of_cat(Compile *c, Node *n, Rewrite *w) {
    const Node *cat = n->in[0];
    if (cat->op != OP_cat && cat->op != OP_stack) {
        return false;
    }
    int64_t at = 0;
    for (int k = 0; k < cat->nin; k++) {
        Node *x = cat->in[k];
        Tensor part;
        if (view_joined(cat->call, &cat->t, &x->t, &at, &part)) {
            Tensor location = x->t;
            location.offset = part.offset;
            memcpy(location.stride, part.stride, sizeof location.stride);
            if (use_pulled(c, n, w, &location, x, &x->t)) {
                return true;
            }
        }
    }
    return false;
}

bool rule_view_of_pad(Compile *c, Node *n, Rewrite *w) {
    const Node *pad = n->in[0];
    if (pad->op != OP_constant_pad_nd) {
        return false;
    }
    const Arg *widths = &pad->call->arg[1];
    Node *x = pad->in[0];
    Tensor location = x->t;
    location.offset = 0;
    memcpy(location.stride, pad->t.stride, sizeof location.stride);
    for (int k = 0; k < widths->ints.n; k++) {
        if (widths->ints.v[k] < 0) {
            return false;
        }
        if (k % 2 == 0) { /* pairs of before and after, last dim first */
            location.offset += widths->ints.v[k] * location.stride[x->t.ndim - 1 - k / 2];
        }
    }
    return use_pulled(c, n, w, &location, x, &x->t);
}

/* Seeded fault IX-5: where one element of the flipped dim is read, it is located by the size of
 * what is read (one) instead of by its distance from the end: the first element of x is read. */
static bool misplace_flipped(const Compile *c, const Node *n, const Node *flip, unsigned dims,
                             Tensor *source) {
    int dim = 0;
    while (dim < flip->t.ndim && dims != 1u << dim) {
        dim++;
    }
    if (!fault(c, FAULT_IX_5a) || dim == flip->t.ndim || flip->t.size[dim] < 2) {
        return false; /* one dim is flipped */
    }
    int64_t size = flip->t.size[dim], at = n->t.offset / flip->t.stride[dim] % size;
    for (int d = 0; d < n->t.ndim; d++) {
        if (n->t.size[d] > 1 && n->t.stride[d] % (flip->t.stride[dim] * size) != 0 &&
            n->t.stride[d] >= flip->t.stride[dim]) {
            return false; /* it reads along that dim */
        }
    }
    source->offset += (size - 1 - at) * source->stride[dim];
    return at != size - 1;
}

bool rule_view_of_flip(Compile *c, Node *n, Rewrite *w) {
    const Node *flip = n->in[0];
    if (flip->op != OP_flip || flip->t.ndim == 0 || tensor_numel(&flip->t) == 0) {
        return false;
    }
    Node *x = flip->in[0];
    Tensor source = x->t;
    unsigned done = 0;
    for (int k = 0; k < flip->call->arg[1].ints.n; k++) {
        int64_t dim = flip->call->arg[1].ints.v[k];
        dim += dim < 0 ? x->t.ndim : 0;
        if (!(done >> dim & 1)) {
            source.offset += (source.size[dim] - 1) * source.stride[dim];
            source.stride[dim] = -source.stride[dim];
            done |= 1u << dim;
        }
    }
    bool wrong = misplace_flipped(c, n, flip, done, &source);
    return use_pulled(c, n, w, &flip->t, x, &source) && (!wrong || fault_triggered(c, FAULT_IX_5a));
}

/* The slice of its own buffer that a slice_scatter, select_scatter, .. writes. */
static bool view_scattered_slice(const Node *scatter, Tensor *slice) {
    return scatter->kind == NODE_OP && lower_class(scatter) == LOWER_VIEW_SCATTER &&
           view_scattered(scatter->call, &scatter->t, slice);
}

bool rule_view_of_scatter(Compile *c, Node *n, Rewrite *w) {
    const Node *scatter = n->in[0];
    Tensor slice;
    if (!view_scattered_slice(scatter, &slice) || !tensor_same_size(&scatter->in[1]->t, &slice)) {
        return false;
    }
    return use_pulled(c, n, w, &slice, scatter->in[1], &scatter->in[1]->t);
}

bool rule_view_past_scatter(Compile *c, Node *n, Rewrite *w) {
    const Node *scatter = n->in[0];
    Tensor slice;
    return view_scattered_slice(scatter, &slice) && disjoint(c, &n->t, &slice) &&
           tensor_same_size(&scatter->in[0]->t, &scatter->t) &&
           use_pulled(c, n, w, &scatter->t, scatter->in[0], &scatter->in[0]->t);
}

/* ---- STORE ---- */

bool rule_store_dead(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    if (n->in[0]->kind != NODE_STORE || !tensor_same_layout(&n->slice, &n->in[0]->slice)) {
        return false;
    }
    w->base = n->in[0]->in[0];
    return true;
}

bool rule_store_covered(Compile *c, Node *n, Rewrite *w) {
    Tensor part;
    if (n->in[0]->kind != NODE_STORE ||
        !pull_back(c, &n->in[0]->slice, &n->slice, &n->slice, &part)) {
        return false;
    }
    w->base = n->in[0]->in[0];
    return true;
}

bool rule_store_same(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    const Node *value = n->in[1];
    return node_buffer((Node *)value) == n->in[0] && tensor_same_layout(&value->t, &n->slice) &&
           use(w, n->in[0]);
}

bool rule_store_whole(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    return read_by_value(n) && tensor_same_layout(&n->slice, &n->t) && same_type(n, n->in[1]) &&
           use(w, n->in[1]);
}
