/* setitem (semantics.md 6): the items act as in getitem (index.c); then the value is written
 * through the view, or by index_put_ where tensors index. */
#include "program/decompose/index.h"
#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

/* Removes leading dims of size 1 from the value by a view (slicePrefix1sSize). With `always` the
 * view is made even if it changes nothing. */
static Tensor *strip_ones(Emit *e, Tensor *value, bool always) {
    int d = 0;
    while (d < value->ndim && value->size[d] == 1) {
        d++;
    }
    return d == 0 && !always ? value : emit_view(e, value, value->size + d, value->ndim - d);
}

/* Writes a tensor through a basic view (copy_to): copy_ for equal sizes, fill_ for a 0-dim value,
 * otherwise broadcast and copy_. */
static ErrCode copy_to(Emit *e, Tensor *view, Tensor *value, Tensor **out, int *nout) {
    Call write;
    call_init(&write, OP_copy_);
    write.arg[0].tensor = view;
    if (tensor_same_size(view, value)) {
        write.arg[1].tensor = value;
    } else if (value->ndim == 0) {
        call_init(&write, OP_fill__Tensor);
        write.arg[0].tensor = view;
        write.arg[1].tensor = value;
    } else {
        value = strip_ones(e, value, true);
        if (value && !tensor_same_size(view, value)) {
            Call expand;
            call_init(&expand, OP_expand);
            expand.arg[0].tensor = value;
            expand.arg[1].ints.v =
                arena_copy(e->arena, view->size, (int64_t)sizeof(int64_t) * view->ndim);
            expand.arg[1].ints.n = view->ndim;
            expand.arg[2].b = true;
            TRY(emit_call(e, &expand, out, nout));
            value = out[0];
        }
        write.arg[1].tensor = value;
    }
    return emit_call(e, &write, out, nout);
}

/* The number that setitem writes: it must fit self's dtype, except that since 2.8 a half dtype
 * takes infinity for what overflows it. */
static ErrCode written_number(DType dtype, Scalar *number, Error *err) {
    if (scalar_overflows(*number, dtype) && half_overflows(dtype)) {
        *number = scalar_float(dtype_round(scalar_to_double(*number), dtype));
    }
    return scalar_check(*number, dtype, err);
}

/* The dim that a single index tensor indexes, or -1 if there are more. */
static int only_index(const Slicing *s) {
    int dim = -1;
    for (int d = 0; d < s->nindex; d++) {
        if (s->index[d] && dim >= 0) {
            return -1;
        }
        dim = s->index[d] ? d : dim;
    }
    return dim;
}

/* view.index_fill_(dim, index, number) */
static ErrCode index_fill(Emit *e, const Slicing *s, int dim, Scalar number, Tensor **out,
                          int *nout) {
    const int64_t flat = -1;
    Tensor *index = s->index[dim];
    Call fill;
    call_init(&fill, OP_index_fill__int_Scalar);
    fill.arg[0].tensor = s->view;
    fill.arg[1].i = dim;
    fill.arg[2].tensor = index->ndim == 1 ? index : emit_reshape(e, index, &flat, 1);
    fill.arg[3].scalar = number;
    return e->err->code != ERR_none ? e->err->code : emit_call(e, &fill, out, nout);
}

/* setitem: copy_ or fill_ through the view, or index_put_(view, indices, value); x[False] = value
 * does nothing */
ErrCode decompose_setitem(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    const Arg *index = &call->arg[1], *value = &call->arg[2];
    Scalar number = value->scalar;
    if (!value->is_tensor && !since(setitem_number)) { /* PyTorch first makes a tensor of it */
        TRY(written_number(self->dtype, &number, e->err));
    }
    const IndexItem *only = index->index.n == 1 ? &index->index.v[0] : NULL;
    if (only && only->kind == INDEX_BOOL && only->start == 0) {
        *nout = 0;
        return ERR_none;
    }
    Tensor *written[MAX_OUTPUTS];
    int n;
    *nout = 0;
    (void)out;
    Slicing s;
    if (only && only->kind == INDEX_BOOL) { /* x[True]: x[None] */
        s.view = emit_unsqueeze(e, self, 0);
        s.nindex = 0;
    } else {
        TRY(slicing_apply(e, self, index->index.v, index->index.n, false, &s));
    }
    if (e->err->code != ERR_none) {
        return e->err->code;
    }
    if (s.nindex > 0) {
        Arg indices = slicing_indices(e, &s);
        Tensor *tensor = value->is_tensor ? strip_ones(e, value->tensor, false) : NULL;
        if (value->is_tensor && !tensor) {
            return e->err->code;
        }
        if (!value->is_tensor && since(setitem_index_fill)) {
            int dim = only_index(&s);
            if (dim >= 0 && dim < s.view->ndim && s.index[dim]->dtype == DT_int64) {
                return index_fill(e, &s, dim, number, written, &n);
            }
            if (decompose_index_check_indices(s.view, &indices) == ERR_shape) {
                return error_set(e->err, ERR_shape,
                                 "the shape of the mask does not match the shape of the indexed "
                                 "tensor");
            }
            if (dim < 0) {
                TRY(written_number(self->dtype, &number, e->err));
            }
        }
        return slicing_put_(e, s.view, &indices, tensor, value->is_tensor ? scalar_int(0) : number,
                            false, written, &n);
    }
    if (value->is_tensor) {
        return copy_to(e, s.view, value->tensor, written, &n);
    }
    if (since(setitem_overlap) && !since(setitem_number)) { /* as a tensor */
        Tensor *tensor = emit_full(e, NULL, 0, number, self->dtype);
        return tensor ? copy_to(e, s.view, tensor, written, &n) : e->err->code;
    }
    Call fill;
    call_init(&fill, OP_fill__Scalar);
    fill.arg[0].tensor = s.view;
    fill.arg[1].scalar = number;
    return emit_call(e, &fill, written, &n);
}
