/* Views of all of self with other sizes: view and expand. */
#include "compiled/views/layout.h"

#include <string.h>

/* ---- view ---- */

/* Puts the size that is left for the one -1 in its place. False if the sizes cannot hold exactly
 * `numel` elements. */
static bool settle_sizes(const int64_t *given, int n, int64_t numel, int64_t *size) {
    int64_t others = 1;
    int open = -1;
    for (int d = 0; d < n; d++) {
        size[d] = given[d];
        if (given[d] == -1 && open < 0) {
            open = d;
        } else if (given[d] < 0 || __builtin_mul_overflow(others, given[d], &others)) {
            return false;
        }
    }
    if (open < 0) {
        return others == numel;
    }
    if (others == 0 || numel % others != 0) {
        return false;
    }
    size[open] = numel / others;
    return true;
}

/* Dims of self that follow each other in memory count as one run. A dim of size 1 joins any run;
 * the innermost dim of a run gives its step. */
typedef struct Run {
    int64_t numel, step;
} Run;

/* The runs of self, innermost first. */
static int runs_of(const Tensor *self, Run *run) {
    int n = 0;
    for (int d = self->ndim - 1; d >= 0; d--) {
        bool joins =
            n > 0 && (self->size[d] == 1 || self->stride[d] == run[n - 1].numel * run[n - 1].step);
        if (!joins) {
            run[n++] = (Run){1, self->stride[d]};
        }
        run[n - 1].numel *= self->size[d];
    }
    if (n == 0) {
        run[n++] = (Run){1, 1};
    }
    return n;
}

/* Divides the runs among the new dims, innermost first; no new dim may reach into two runs. New
 * dims of size 1 go to the run before which they stand. */
static bool divide_runs(const Run *run, int nrun, const int64_t *size, int n, int64_t *stride) {
    int d = n - 1;
    for (int k = 0; k < nrun; k++) {
        int64_t filled = 1;
        for (; d >= 0 && (filled < run[k].numel || size[d] == 1); d--) {
            stride[d] = filled * run[k].step;
            filled *= size[d];
        }
        if (filled != run[k].numel) {
            return false;
        }
    }
    return true;
}

/* Without elements any sizes will do: the same ones keep their strides, others are row-major. */
static void resize_nothing(const Tensor *self, const int64_t *size, int n, int64_t *stride) {
    if (sizes_equal(self->size, self->ndim, size, n)) {
        memcpy(stride, self->stride, sizeof *stride * (size_t)n);
        return;
    }
    int64_t step = 1;
    for (int d = n - 1; d >= 0; d--) {
        stride[d] = step;
        step *= max_i64(size[d], 1);
    }
}

static bool divide_elements(const Tensor *self, int64_t numel, const int64_t *size, int n,
                            int64_t *stride) {
    Run run[MAX_DIMS];
    if (numel == 0) {
        resize_nothing(self, size, n, stride);
        return true;
    }
    int nrun = runs_of(self, run);
    return divide_runs(run, nrun, size, n, stride);
}

/* The sizes that the call asks for: a list, or those of another tensor. */
static const int64_t *sizes_asked(const Call *call, int *n) {
    const Arg *arg = &call->arg[1];
    bool list = call->op->param[1].type == ARG_INTS;
    *n = list ? arg->ints.n : arg->tensor->ndim;
    return list ? arg->ints.v : arg->tensor->size;
}

bool view_of_view(ViewCall *v) {
    int n;
    const int64_t *given = sizes_asked(v->call, &n);
    int64_t numel = tensor_numel(v->self);
    if (n > MAX_DIMS) {
        return false;
    }
    Tensor *t = layout_only(v);
    t->ndim = n;
    return settle_sizes(given, n, numel, t->size) && layout_countable(t) &&
           divide_elements(v->self, numel, t->size, n, t->stride);
}

/* ---- expand ---- */

/* Sets dim d of t, whose inner dims are set: `wanted` elements, where self has dim `own`, or none
 * (own < 0). */
static bool expand_dim(const Tensor *self, int own, int64_t wanted, Tensor *t, int d) {
    bool exists = own >= 0, innermost = d + 1 == t->ndim;
    int64_t size = exists ? self->size[own] : 1;
    int64_t stride = exists      ? self->stride[own]
                     : innermost ? 1
                                 : stride_times(t->stride[d + 1], t->size[d + 1]);
    if (wanted == -1 && exists) {
        wanted = size;
    }
    bool repeats = wanted != size || self->ndim == 0; /* all dims of an expanded number */
    t->size[d] = wanted;
    t->stride[d] = repeats ? 0 : stride;
    return wanted >= 0 && (wanted == size || size == 1);
}

bool view_of_expand(ViewCall *v) {
    int n, lead;
    const int64_t *given = sizes_asked(v->call, &n);
    lead = n - v->self->ndim;
    if (lead < 0 || n > MAX_DIMS) {
        return false;
    }
    Tensor *t = layout_only(v);
    t->ndim = n;
    for (int d = n - 1; d >= 0; d--) {
        if (!expand_dim(v->self, d - lead, given[d], t, d)) {
            return false;
        }
    }
    return layout_countable(t);
}

/* ---- other readings of memory, and other sizes ---- */

/* A dtype of another size splits or joins the elements of the last dim, which lie side by side. */
bool view_of_reading(ViewCall *v) {
    const Tensor *self = v->self;
    Tensor *t = layout_only(v);
    int last = self->ndim - 1, from = dtype_bytes(self->dtype);
    int to = dtype_bytes(t->dtype = v->call->arg[1].dtype);
    if (from == to) {
        layout_keep(t, self, 0, self->ndim);
        return true;
    }
    if (last < 0 || self->stride[last] != 1) {
        return false;
    }
    for (int d = 0; d < last && from > to; d++) {
        layout_add(t, self->size[d], stride_times(self->stride[d], from / to));
    }
    for (int d = 0; d < last && from < to; d++) {
        if (self->stride[d] % (to / from) != 0) {
            return false;
        }
        layout_add(t, self->size[d], self->stride[d] / (to / from));
    }
    if (from > to) {
        t->offset *= from / to;
        layout_add(t, self->size[last] * (from / to), 1);
        return true;
    }
    t->offset /= to / from;
    layout_add(t, self->size[last] / (to / from), 1);
    return self->offset % (to / from) == 0 && self->size[last] % (to / from) == 0;
}

/* resize_, and the sizes and strides that an out gets: from where self begins. */
bool view_of_resized(ViewCall *v) {
    const Tensor *self = v->self;
    const Arg *size = &v->call->arg[1], *stride = &v->call->arg[2];
    bool strided = v->call->op->id == OP__resize_out;
    Tensor *t = layout_only(v);
    if (!strided && sizes_equal(self->size, self->ndim, size->ints.v, size->ints.n)) {
        layout_keep(t, self, 0, self->ndim);
        return true;
    }
    if (size->ints.n > MAX_DIMS) {
        return false;
    }
    int64_t step = 1;
    t->ndim = size->ints.n;
    for (int d = t->ndim - 1; d >= 0; d--) {
        if (size->ints.v[d] < 0) {
            return false;
        }
        t->size[d] = size->ints.v[d];
        t->stride[d] = strided ? stride->ints.v[d] : step;
        step = stride_times(step, max_i64(t->size[d], 1));
    }
    return layout_countable(t);
}
