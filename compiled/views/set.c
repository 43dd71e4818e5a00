/* set_: the layouts that a tensor gets on other memory. */
#include "compiled/views/layout.h"

/* Where the source lies, which has self's dtype. */
bool view_of_source(ViewCall *v) {
    const Tensor *source = v->call->arg[1].tensor;
    Tensor *t = layout_only(v);
    layout_begin(t, source);
    layout_keep(t, source, 0, source->ndim);
    return source->dtype == v->self->dtype;
}

/* Sizes and strides that are given, from the first element of the source on. Without strides, sizes
 * that self has keep its strides. */
bool view_of_window(ViewCall *v) {
    const Tensor *self = v->self, *source = v->call->arg[1].tensor;
    const Arg *size = &v->call->arg[3], *stride = &v->call->arg[4];
    Tensor *t = layout_only(v);
    bool strided = stride->ints.n > 0;
    if (__builtin_add_overflow(source->offset, v->call->arg[2].i, &t->offset) || t->offset < 0 ||
        size->ints.n > MAX_DIMS || (strided && stride->ints.n != size->ints.n)) {
        return false;
    }
    t->ndim = size->ints.n;
    int64_t step = 1;
    for (int d = t->ndim - 1; d >= 0; d--) {
        if (size->ints.v[d] < 0 || (strided && stride->ints.v[d] < 0)) {
            return false;
        }
        t->size[d] = size->ints.v[d];
        t->stride[d] = strided ? stride->ints.v[d] : step;
        step = stride_times(step, t->size[d] > 1 ? t->size[d] : 1);
    }
    if (!strided && sizes_equal(t->size, t->ndim, self->size, self->ndim)) {
        dims_copy(t->stride, self->stride, t->ndim);
    }
    return layout_countable(t);
}
