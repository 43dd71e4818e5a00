/* Python indexing (semantics.md 6; torch/csrc/autograd/python_variable_indexing.cpp,
 * ATen/TensorIndexing.h).
 *
 * Items are applied to a running view from left to right: an int selects, a slice narrows, None
 * inserts a dim, the ellipsis skips dims. Items that become tensors (index tensors, masks, lists,
 * booleans) are collected at the current dim. The collected tensors then index the view in one
 * call:
 *
 *     x[:, None, 1, i]   slice, unsqueeze, select  ->  view;  index(view, [None, None, i])
 *
 * A mask takes one entry in that list although it covers several dims, so items after a 2-d mask
 * also act on dims that the mask covers. PyTorch does the same. getitem without collected tensors
 * returns a view: an alias if no item changed it (a lone slice always makes a view). setitem writes
 * through the view, or to self itself if no item made a view. */
#include "program/ops/emit.h"
#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

enum { MAX_INDICES = 4 * MAX_DIMS };

/* The state after applying some of the index items. */
typedef struct Slicing {
    Tensor *view;               /* self, or a view of it */
    Tensor *index[MAX_INDICES]; /* index tensors by dim of `view`; NULL: the whole dim */
    int nindex;
    int dim;     /* dim of `view` that the next item acts on */
    bool slices; /* a lone slice in getitem: makes a view even if it changes nothing */
} Slicing;

static bool is_mask(const Tensor *t) { return t->dtype == DT_bool || t->dtype == DT_uint8; }

/* Number of dims that the items index explicitly; the ellipsis covers the others. */
static int specified_dims(const IndexItem *items, int n) {
    int count = 0;
    for (int k = 0; k < n; k++) {
        switch (items[k].kind) {
        case INDEX_TENSOR:
            count += is_mask(items[k].tensor) ? items[k].tensor->ndim : 1;
            break;
        case INDEX_INT:
        case INDEX_SLICE:
        case INDEX_LIST:
            count++;
            break;
        case INDEX_NEWAXIS:
        case INDEX_ELLIPSIS:
        case INDEX_BOOL:
            break;
        }
    }
    return count;
}

static ErrCode select_item(Emit *e, Slicing *s, int64_t index) {
    const Tensor *t = s->view;
    if (t->ndim == 0) {
        return error_set(e->err, ERR_index_range, "invalid index of a 0-dim tensor");
    }
    if (s->dim >= t->ndim || index < -t->size[s->dim] || index >= t->size[s->dim]) {
        return error_set(e->err, ERR_index_range, "index %lld is out of bounds for dimension %d",
                         (long long)index, s->dim);
    }
    s->view = emit_select(e, s->view, s->dim, index);
    return e->err->code;
}

static ErrCode slice_item(Emit *e, Slicing *s, const IndexItem *item) {
    int64_t step = item->has_step ? item->step : 1, start = item->has_start ? item->start : 0;
    if (step <= 0) {
        return error_set(e->err, ERR_invalid, "slice step must be greater than zero");
    }
    if (s->dim >= s->view->ndim) {
        return error_set(e->err, ERR_index_range, "too many indices for tensor of dimension %d",
                         s->view->ndim);
    }
    int64_t size = s->view->size[s->dim];
    bool whole = since(full_slice_of_leaf)
                     ? !item->has_stop || item->stop >= size /* as an item: no view */
                     : item->has_stop && item->stop == size;
    if (!s->slices && start == 0 && step == 1 && whole) {
        s->dim++;
        return ERR_none;
    }
    Call call;
    call_init(&call, OP_slice);
    call.arg[0].tensor = s->view;
    call.arg[1].i = s->dim++;
    call.arg[2].none = false;
    call.arg[2].i = start;
    call.arg[3].none = !item->has_stop;
    call.arg[3].i = item->stop;
    call.arg[4].i = step;
    Tensor *out[MAX_OUTPUTS];
    int n;
    TRY(emit_call(e, &call, out, &n));
    s->view = out[0];
    return ERR_none;
}

static ErrCode collect_index(Emit *e, Slicing *s, Tensor *t) {
    if (s->dim >= MAX_INDICES) {
        return error_set(e->err, ERR_index_range, "too many indices");
    }
    while (s->nindex < s->dim) {
        s->index[s->nindex++] = NULL;
    }
    s->index[s->nindex++] = t;
    s->dim++;
    return e->err->code;
}

/* A boolean inserts a dim of size 1 and indexes it: true keeps it, false makes it empty. */
static ErrCode bool_item(Emit *e, Slicing *s, bool value) {
    s->view = emit_unsqueeze(e, s->view, s->dim);
    Tensor *index = emit_full(e, (int64_t[]){value}, 1, scalar_int(0), DT_int64);
    return collect_index(e, s, index);
}

static ErrCode tensor_item(Emit *e, Slicing *s, Tensor *t) {
    if (t->ndim > 0 || dtype_is_float(t->dtype)) {
        return collect_index(e, s, t);
    }
    int64_t value;
    if (is_mask(t)) {
        TRY(e->count_nonzero(e, t, &value));
        return bool_item(e, s, value != 0);
    }
    TRY(e->item_int(e, t, &value));
    return select_item(e, s, value);
}

static Tensor *list_tensor(Emit *e, const IndexItem *item) {
    Call call;
    call_init(&call, OP_tensor);
    int64_t *size = arena_array(e->arena, int64_t, 1);
    size[0] = item->count;
    call.arg[0].data.data = item->list;
    call.arg[0].data.n = item->count;
    call.arg[1].ints.v = size;
    call.arg[1].ints.n = 1;
    call.arg[2].dtype = DT_int64;
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(e, &call, out, &n) == ERR_none ? out[0] : NULL;
}

/* Applies all items to self (applySlicing). `reads`: the caller is getitem. */
static ErrCode apply_items(Emit *e, Tensor *self, const IndexItem *items, int n, bool reads,
                           Slicing *s) {
    bool lone_slice = n == 1 && items[0].kind == INDEX_SLICE; /* PyTorch checks its step first */
    s->view = self;
    s->nindex = 0;
    s->dim = 0;
    s->slices = reads && lone_slice;
    int specified = specified_dims(items, n);
    if (specified > self->ndim && !lone_slice) {
        return error_set(e->err, ERR_index_range, "too many indices for tensor of dimension %d",
                         self->ndim);
    }
    for (int k = 0; k < n; k++) {
        const IndexItem *item = &items[k];
        switch (item->kind) {
        case INDEX_INT:
            TRY(select_item(e, s, item->start));
            break;
        case INDEX_SLICE:
            TRY(slice_item(e, s, item));
            break;
        case INDEX_NEWAXIS:
            s->view = emit_unsqueeze(e, s->view, s->dim++);
            break;
        case INDEX_ELLIPSIS:
            s->dim += self->ndim - specified;
            break;
        case INDEX_BOOL:
            TRY(bool_item(e, s, item->start != 0));
            break;
        case INDEX_TENSOR:
            TRY(tensor_item(e, s, item->tensor));
            break;
        case INDEX_LIST:
            TRY(collect_index(e, s, list_tensor(e, item)));
            break;
        }
        if (e->err->code != ERR_none) {
            return e->err->code;
        }
    }
    return ERR_none;
}

/* The collected index tensors as a Tensor?[] argument. */
static Arg indices_arg(Emit *e, const Slicing *s) {
    Arg arg = {0};
    arg.tensors.v = arena_copy(e->arena, s->index, (int64_t)sizeof s->index[0] * s->nindex);
    arg.tensors.n = s->nindex;
    return arg;
}

/* getitem: index(view, indices), or the view itself; alias(self) if nothing changed it */
ErrCode decompose_getitem(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    Slicing s;
    TRY(apply_items(e, self, call->arg[1].index.v, call->arg[1].index.n, true, &s));
    if (s.nindex > 0) {
        Call index;
        call_init(&index, OP_index);
        index.arg[0].tensor = s.view;
        index.arg[1] = indices_arg(e, &s);
        return emit_call(e, &index, out, nout);
    }
    out[0] = s.view == self ? emit_unary(e, OP_alias, self) : s.view;
    *nout = out[0] != NULL;
    return e->err->code;
}

/* ---- masks ---- */

/* Does the mask fit the dims of self from `at` on? Returns the error code without recording an
 * error. */
static ErrCode mask_fits(const Tensor *self, const Tensor *mask, int at) {
    for (int j = 0; j < mask->ndim; j++) {
        if (at + j >= self->ndim) {
            return ERR_index_range;
        }
        if (mask->size[j] != self->size[at + j]) {
            return ERR_shape;
        }
    }
    return ERR_none;
}

/* Checks what at::index checks from metadata alone, in its order: number of indices, dtypes, mask
 * sizes. Returns the error code without recording an error. */
static ErrCode decompose_index_check_indices(const Tensor *self, const Arg *indices) {
    if (indices->tensors.n > self->ndim) {
        return ERR_index_range;
    }
    for (int k = 0; k < indices->tensors.n; k++) {
        const Tensor *t = indices->tensors.v[k];
        bool valid = !t || t->dtype == DT_int64 || is_mask(t) ||
                     (t->dtype == DT_int32 && since(index_int32));
        if (!valid) {
            return ERR_index_dtype;
        }
    }
    for (int k = 0, at = 0; k < indices->tensors.n; k++) {
        const Tensor *t = indices->tensors.v[k];
        if (t && is_mask(t)) {
            ErrCode code = mask_fits(self, t, at);
            if (code != ERR_none) {
                return code;
            }
            at += t->ndim;
        } else {
            at++;
        }
    }
    return ERR_none;
}

static const char *index_trouble(ErrCode code) {
    switch (code) {
    case ERR_index_range:
        return "too many indices for the tensor";
    case ERR_index_dtype:
        return "tensors used as indices must be long, byte or bool tensors";
    default:
        return "the shape of the mask does not match the shape of the indexed tensor";
    }
}

ErrCode emit_expand_masks(Emit *e, const Tensor *self, const Arg *indices, Arg *out) {
    ErrCode code = decompose_index_check_indices(self, indices);
    if (code != ERR_none) {
        return error_set(e->err, code, "%s", index_trouble(code));
    }
    int total = 0;
    for (int k = 0; k < indices->tensors.n; k++) {
        const Tensor *t = indices->tensors.v[k];
        total += t && is_mask(t) ? t->ndim : 1;
    }
    Tensor **v = arena_array(e->arena, Tensor *, total);
    int n = 0;
    for (int k = 0; k < indices->tensors.n; k++) {
        Tensor *t = indices->tensors.v[k];
        if (!t || !is_mask(t)) {
            v[n++] = t;
            continue;
        }
        Tensor *where = emit_unary(e, OP_nonzero, t);
        for (int j = 0; j < t->ndim; j++) {
            v[n++] = emit_select(e, where, 1, j);
        }
    }
    *out = *indices;
    out->tensors.v = v;
    out->tensors.n = n;
    return e->err->code;
}

/* The mask if PyTorch dispatches this index_put_ to masked_fill_ (a single value, and no index
 * other than one mask and whole dims), as masked_fill takes it; else NULL. *rank is the number of
 * dims of self before and under the mask. */
static Tensor *single_mask(const Arg *indices, int64_t value_numel, int *rank) {
    if (value_numel != 1) {
        return NULL;
    }
    Tensor *mask = NULL;
    *rank = 0;
    for (int k = 0; k < indices->tensors.n; k++) {
        Tensor *t = indices->tensors.v[k];
        if (!t) {
            (*rank)++;
        } else if (!is_mask(t) || mask) {
            return NULL;
        } else {
            mask = t;
            *rank += t->ndim;
        }
    }
    return mask;
}

/* ---- index_put ---- */

static ErrCode emit_put(Emit *e, OpId id, Tensor *self, const Arg *indices, Tensor *values,
                        bool accumulate, Tensor **out, int *nout) {
    Call put;
    call_init(&put, id);
    put.arg[0].tensor = self;
    put.arg[1] = *indices;
    put.arg[2].tensor = values;
    put.arg[3].b = accumulate;
    return emit_call(e, &put, out, nout);
}

/* A one-element tensor as a 0-dim tensor. */
static Tensor *single_value(Emit *e, Tensor *values) {
    return values->ndim == 0 ? values : emit_view(e, values, NULL, 0);
}

/* index_put_ with a tensor value, or with the Scalar if `values` is NULL. */
static ErrCode put_(Emit *e, Tensor *self, const Arg *indices, Tensor *values, Scalar value,
                    bool accumulate, Tensor **out, int *nout) {
    ErrCode code = decompose_index_check_indices(self, indices);
    int rank;
    Tensor *mask = accumulate || code != ERR_none
                       ? NULL
                       : single_mask(indices, values ? tensor_numel(values) : 1, &rank);
    if (mask) {
        for (; rank < self->ndim; rank++) {
            mask = emit_unsqueeze(e, mask, -1);
        }
        Call fill;
        call_init(&fill, values ? OP_masked_fill__Tensor : OP_masked_fill__Scalar);
        fill.arg[0].tensor = self;
        fill.arg[1].tensor = mask;
        if (values) {
            fill.arg[2].tensor = single_value(e, values);
        } else {
            fill.arg[2].scalar = value;
        }
        return emit_call(e, &fill, out, nout);
    }
    if (!values) {
        values = emit_full(e, NULL, 0, value, self->dtype);
    }
    if (code == ERR_none) {
        Arg plain;
        TRY(emit_expand_masks(e, self, indices, &plain));
        return emit_put(e, OP__index_put_impl_, self, &plain, values, accumulate, out, nout);
    }
    /* The index is invalid. An error about writing to self (a leaf, for example) has precedence, so
     * the op is emitted unchanged and reports the error. A mask that was not expanded is rejected
     * for its dtype. */
    emit_put(e, OP__index_put_impl_, self, indices, values, accumulate, out, nout);
    if (e->err->code == ERR_none || e->err->code == ERR_index_dtype) {
        e->err->code = ERR_none;
        return error_set(e->err, code, "%s", index_trouble(code));
    }
    return e->err->code;
}

/* index_put_: _index_put_impl_ with masks expanded; masked_fill_ for one mask and one value */
ErrCode decompose_index_put_(Emit *e, const Call *call, Tensor **out, int *nout) {
    return put_(e, call->arg[0].tensor, &call->arg[1], call->arg[2].tensor, scalar_int(0),
                call->arg[3].b, out, nout);
}

/* index_put: index_put_ on a copy. A single value is converted where PyTorch would use
 * masked_fill_. */
ErrCode decompose_index_put(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *values = call->arg[2].tensor;
    const Arg *indices = &call->arg[1];
    bool accumulate = call->arg[3].b;
    Arg plain;
    int rank;
    TRY(emit_expand_masks(e, self, indices, &plain));
    if (!accumulate && single_mask(indices, tensor_numel(values), &rank)) {
        values = emit_cast(e, single_value(e, values), self->dtype);
    }
    return emit_put(e, OP__index_put, self, &plain, values, accumulate, out, nout);
}

/* ---- setitem ---- */

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
    if (!value->is_tensor) { /* PyTorch first converts it to a tensor */
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
        TRY(apply_items(e, self, index->index.v, index->index.n, false, &s));
    }
    if (e->err->code != ERR_none) {
        return e->err->code;
    }
    if (s.nindex > 0) {
        Arg indices = indices_arg(e, &s);
        Tensor *tensor = value->is_tensor ? strip_ones(e, value->tensor, false) : NULL;
        if (value->is_tensor && !tensor) {
            return e->err->code;
        }
        int dim = only_index(&s);
        if (!value->is_tensor && dim >= 0 && since(setitem_index_fill)) {
            number = value->scalar;
            if (dim < s.view->ndim && s.index[dim]->dtype == DT_int64) {
                return index_fill(e, &s, dim, number, written, &n);
            }
        }
        return put_(e, s.view, &indices, tensor, value->is_tensor ? scalar_int(0) : number, false,
                    written, &n);
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
