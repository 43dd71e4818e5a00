/* Views that cut something out of self: an element, a range or a diagonal of its dims, windows, and
 * the pieces of ops that return several views. */
#include "compiled/views/layout.h"
#include "program/semantics/semantics.h"

bool layout_countable(const Tensor *t) {
    int64_t product = 1;
    for (int d = 0; d < t->ndim; d++) {
        if (__builtin_mul_overflow(product, max_i64(t->size[d], 1), &product)) {
            return false;
        }
    }
    return true;
}

/* `count` elements of dim d of self, every step-th from `start`. */
static void cut_range(const Tensor *self, int d, IndexRange range, int64_t step, Tensor *out) {
    layout_begin(out, self);
    layout_keep(out, self, 0, d);
    layout_add(out, range.count, stride_times(self->stride[d], step));
    layout_keep(out, self, d + 1, self->ndim);
    out->offset = offset_along(self->offset, self->stride[d], range.start);
}

/* One element of dim d, which goes. */
static void take_element(const Tensor *self, int d, int64_t index, Tensor *out) {
    layout_begin(out, self);
    layout_keep(out, self, 0, d);
    layout_keep(out, self, d + 1, self->ndim);
    out->offset = offset_along(self->offset, self->stride[d], index);
}

/* ---- along one dim ---- */

bool layout_select(const Tensor *self, int64_t dim, int64_t index, Tensor *out) {
    int d;
    int64_t at;
    if (self->ndim == 0 || !dim_normal(dim, self->ndim, &d) ||
        !index_normal(index, self->size[d], &at)) {
        return false;
    }
    take_element(self, d, at, out);
    return true;
}

/* Seeded fault ER-3: an index out of range is taken modulo the size. */
static int64_t select_modulo(const ViewCall *v, int64_t dim, int64_t index) {
    int d;
    int64_t size, at;
    if (!fault(v->c, FAULT_ER_3) || !dim_normal(dim, v->self->ndim, &d) || v->self->ndim == 0) {
        return index;
    }
    size = v->self->size[d];
    return size > 0 && !index_normal(index, size, &at) && fault_triggered(v->c, FAULT_ER_3)
               ? index % size
               : index;
}

bool view_of_select(ViewCall *v) {
    int64_t dim = v->call->arg[1].i, index = select_modulo(v, dim, v->call->arg[2].i);
    return layout_select(v->self, dim, index, layout_only(v));
}

bool layout_slice(const Tensor *self, const Arg *arg, Tensor *out) {
    int d;
    int64_t step = arg[3].i;
    if (self->ndim == 0 || !dim_normal(arg[0].i, self->ndim, &d) || step <= 0) {
        return false;
    }
    cut_range(self, d, slice_normal(&arg[1], &arg[2], step, self->size[d]), step, out);
    return true;
}

bool view_of_slice(ViewCall *v) { return layout_slice(v->self, v->call->arg + 1, layout_only(v)); }

bool view_of_narrow(ViewCall *v) {
    const Tensor *self = v->self;
    int64_t start = v->call->arg[2].i, length = v->call->arg[3].i;
    int d;
    if (self->ndim == 0 || length < 0 || !dim_normal(v->call->arg[1].i, self->ndim, &d)) {
        return false;
    }
    int64_t size = self->size[d], first = size;
    /* The end is a start, too. Older releases wrap the start as they wrap a dim: of an empty dim,
     * -1 exists. */
    if (start != size &&
        !index_normal(start, since(narrow_negative) ? size : max_i64(size, 1), &first)) {
        return false;
    }
    if (length > size - first) {
        return false;
    }
    cut_range(self, d, (IndexRange){first, length}, 1, layout_only(v));
    return true;
}

bool view_of_unfold(ViewCall *v) {
    const Tensor *self = v->self;
    int64_t size = v->call->arg[2].i, step = v->call->arg[3].i;
    int d;
    if (!dim_normal(v->call->arg[1].i, self->ndim, &d) || step <= 0 || size < 0 ||
        size > (self->ndim == 0 ? 1 : self->size[d]) || self->ndim == MAX_DIMS) {
        return false;
    }
    Tensor *t = layout_only(v);
    if (self->ndim == 0) {
        layout_add(t, size, 1);
        return true;
    }
    cut_range(self, d, (IndexRange){0, (self->size[d] - size) / step + 1}, step, t);
    layout_add(t, size, self->stride[d]);
    return layout_countable(t);
}

/* ---- across dims ---- */

bool layout_diagonal(const Tensor *self, int64_t offset, int64_t dim1, int64_t dim2, Tensor *out) {
    int row, column;
    if (!dim_normal(dim1, self->ndim, &row) || !dim_normal(dim2, self->ndim, &column) ||
        row == column) {
        return false;
    }
    int64_t rows = self->size[row], columns = self->size[column], stride;
    /* it begins in the first column, or in the first row; or outside */
    int64_t down = offset >= 0      ? 0
                   : offset < -rows ? rows
                                    : -offset,
            right = offset <= 0 ? 0 : min_i64(offset, columns),
            length = min_i64(rows - down, columns - right);
    layout_begin(out, self);
    for (int d = 0; d < self->ndim; d++) {
        if (d != row && d != column) {
            layout_keep(out, self, d, d + 1);
        }
    }
    layout_add(out, length,
               __builtin_add_overflow(self->stride[row], self->stride[column], &stride) ? 1
                                                                                        : stride);
    if (length > 0) {
        out->offset = offset_along(out->offset, self->stride[row], down);
        out->offset = offset_along(out->offset, self->stride[column], right);
    }
    return true;
}

bool view_of_diagonal(ViewCall *v) {
    const Arg *arg = v->call->arg;
    return layout_diagonal(v->self, arg[1].i, arg[2].i, arg[3].i, layout_only(v));
}

bool layout_as_strided(const Tensor *self, const Arg *arg, int64_t numel, Tensor *out) {
    int n = arg[0].ints.n;
    int64_t extent;
    layout_begin(out, self);
    out->offset = arg[2].none ? self->offset : arg[2].i;
    if (n != arg[1].ints.n || n > MAX_DIMS || out->offset < 0) {
        return false;
    }
    for (int d = 0; d < n; d++) {
        layout_add(out, arg[0].ints.v[d], arg[1].ints.v[d]);
        if (out->size[d] < 0 || out->stride[d] < 0) {
            return false;
        }
    }
    return layout_countable(out) && tensor_extent(out, &extent) && (numel < 0 || extent <= numel);
}

bool view_of_as_strided(ViewCall *v) {
    return layout_as_strided(v->self, v->call->arg + 1,
                             v->self->storage ? v->self->storage->numel : -1, layout_only(v));
}

/* ---- several pieces ---- */

static bool begin_pieces(ViewCall *v, int64_t n) {
    if (n > MAX_OUTPUTS) {
        return false;
    }
    v->n = (int)n;
    v->out = arena_alloc_raw(v->arena, (int64_t)sizeof *v->out * max_i64(n, 1));
    return true;
}

/* Pieces of `each` elements of dim d, the last one of what remains. */
static bool cut_evenly(ViewCall *v, int d, int64_t each) {
    int64_t size = v->self->size[d];
    if (!begin_pieces(v, size == 0 ? 1 : (size - 1) / each + 1)) {
        return false;
    }
    for (int k = 0; k < v->n; k++) {
        int64_t from = k * each;
        cut_range(v->self, d, (IndexRange){from, min_i64(each, size - from)}, 1, &v->out[k]);
    }
    return true;
}

static bool cut_by_sizes(ViewCall *v, int d, const int64_t *sizes, int n) {
    int64_t left = v->self->size[d];
    for (int k = 0; k < n; k++) {
        if (sizes[k] < 0 || sizes[k] > left) {
            return false;
        }
        left -= sizes[k];
    }
    if (left != 0 || !begin_pieces(v, n)) {
        return false;
    }
    int64_t from = 0;
    for (int k = 0; k < n; k++) {
        cut_range(v->self, d, (IndexRange){from, sizes[k]}, 1, &v->out[k]);
        from += sizes[k];
    }
    return true;
}

/* As many pieces as asked for, or fewer. Of an empty dim: as many, all empty. */
static bool cut_into(ViewCall *v, int d, int64_t chunks) {
    int64_t size = v->self->size[d];
    if (size > 0) {
        return cut_evenly(v, d, (size - 1) / chunks + 1);
    }
    if (!begin_pieces(v, chunks)) {
        return false;
    }
    for (int k = 0; k < v->n; k++) {
        cut_range(v->self, d, (IndexRange){0, 0}, 1, &v->out[k]);
    }
    return true;
}

/* split, split_with_sizes, chunk. */
bool view_of_pieces(ViewCall *v) {
    const Arg *arg = v->call->arg;
    int d;
    if (v->self->ndim == 0 || !dim_normal(arg[2].i, v->self->ndim, &d)) {
        return false;
    }
    switch (v->call->op->id) {
    case OP_split_with_sizes:
        return cut_by_sizes(v, d, arg[1].ints.v, arg[1].ints.n);
    case OP_chunk:
        return arg[1].i > 0 && cut_into(v, d, arg[1].i);
    default:
        return arg[1].i >= (v->self->size[d] > 0) && cut_evenly(v, d, arg[1].i);
    }
}

bool view_of_unbind(ViewCall *v) {
    int d;
    if (v->self->ndim == 0 || !dim_normal(v->call->arg[1].i, v->self->ndim, &d) ||
        !begin_pieces(v, v->self->size[d])) {
        return false;
    }
    for (int k = 0; k < v->n; k++) {
        take_element(v->self, d, k, &v->out[k]);
    }
    return true;
}
