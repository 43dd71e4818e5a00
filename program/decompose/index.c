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
 * A mask takes one entry in that list although it covers several dims. Before 2.13, items after a
 * 2-d mask also act on dims that the mask covers. getitem without collected tensors
 * returns a view: an alias if no item changed it (a lone slice always makes a view). setitem writes
 * through the view, or to self itself if no item made a view. */
#include "program/decompose/index.h"
#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

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

/* Appends `n` dims that no tensor indexes. */
static ErrCode skip_dims(Emit *e, Slicing *s, int n) {
    for (; n > 0; n--) {
        if (s->nindex >= MAX_INDICES) {
            return error_set(e->err, ERR_index_range, "too many indices");
        }
        s->index[s->nindex++] = NULL;
    }
    return e->err->code;
}

/* A dim after the first tensor that no tensor indexes; those before it are counted there. */
static ErrCode pass_dims(Emit *e, Slicing *s, int n) {
    s->dim += n;
    return s->nindex > 0 && since(mask_covers_dims) ? skip_dims(e, s, n) : e->err->code;
}

static ErrCode slice_item(Emit *e, Slicing *s, const IndexItem *item) {
    int64_t step = item->has_step ? item->step : 1, start = item->has_start ? item->start : 0;
    if (step <= 0) {
        return error_set(e->err, ERR_invalid, "slice step must be greater than zero");
    }
    if (s->dim >= s->view->ndim) {
        TRY(emit_read_history(e, s->view)); /* slice refuses it */
        return error_set(e->err, ERR_index_range, "too many indices for tensor of dimension %d",
                         s->view->ndim);
    }
    int64_t size = s->view->size[s->dim];
    bool whole = since(full_slice_of_leaf)
                     ? !item->has_stop || item->stop >= size /* as an item: no view */
                     : item->has_stop && item->stop == size;
    if (!s->slices && start == 0 && step == 1 && whole) {
        return pass_dims(e, s, 1);
    }
    Call call;
    call_init(&call, OP_slice);
    call.arg[0].tensor = s->view;
    call.arg[1].i = s->dim;
    call.arg[2].none = false;
    call.arg[2].i = start;
    call.arg[3].none = !item->has_stop;
    call.arg[3].i = item->stop;
    call.arg[4].i = step;
    Tensor *out[MAX_OUTPUTS];
    int n;
    TRY(emit_call(e, &call, out, &n));
    s->view = out[0];
    return pass_dims(e, s, 1);
}

static ErrCode collect_index(Emit *e, Slicing *s, Tensor *t) {
    if (s->nindex == 0 || !since(mask_covers_dims)) {
        TRY(skip_dims(e, s, s->dim - s->nindex));
    }
    if (s->nindex >= MAX_INDICES) {
        return error_set(e->err, ERR_index_range, "too many indices");
    }
    s->index[s->nindex++] = t;
    s->dim += t && is_mask(t) && since(mask_covers_dims) ? t->ndim : 1;
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

ErrCode slicing_apply(Emit *e, Tensor *self, const IndexItem *items, int n, bool reads,
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
            s->view = emit_unsqueeze(e, s->view, s->dim);
            TRY(pass_dims(e, s, 1));
            break;
        case INDEX_ELLIPSIS:
            TRY(pass_dims(e, s, self->ndim - specified));
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
    while (s->nindex > 0 && !s->index[s->nindex - 1]) {
        s->nindex--;
    }
    return ERR_none;
}

Arg slicing_indices(Emit *e, const Slicing *s) {
    Arg arg = {0};
    arg.tensors.v = arena_copy(e->arena, s->index, (int64_t)sizeof s->index[0] * s->nindex);
    arg.tensors.n = s->nindex;
    return arg;
}

/* getitem: index(view, indices), or the view itself; alias(self) if nothing changed it */
ErrCode decompose_getitem(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    Slicing s;
    TRY(slicing_apply(e, self, call->arg[1].index.v, call->arg[1].index.n, true, &s));
    if (s.nindex > 0) {
        Call index;
        call_init(&index, OP_index);
        index.arg[0].tensor = s.view;
        index.arg[1] = slicing_indices(e, &s);
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

ErrCode decompose_index_check_indices(const Tensor *self, const Arg *indices) {
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

/* Is the first index after whole dims a mask of another shape? PyTorch compares the two where it
 * asks whether a single value is masked_fill_ (canDispatchToMaskedFill). */
static bool starts_with_bad_mask(const Tensor *self, const Arg *indices) {
    int k = 0;
    while (k < indices->tensors.n && !indices->tensors.v[k]) {
        k++;
    }
    return k < indices->tensors.n && is_mask(indices->tensors.v[k]) &&
           mask_fits(self, indices->tensors.v[k], k) == ERR_shape;
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

/* Does PyTorch record a single value under a mask as index_put_, although masked_fill_ writes it?
 * A number is masked_fill_ since setitem_index_fill. What only masked_fill_ accepts stays one. */
static bool records_put(Emit *e, const Tensor *self, const Tensor *mask, const Tensor *values) {
    if (!e->records || !(e->records(e, self) || (values && e->records(e, values)))) {
        return false;
    }
    if (!values) {
        return !since(setitem_index_fill) && !tensor_overlaps_itself(self);
    }
    return values->dtype == self->dtype && values->storage != self->storage &&
           values->ndim <= self->ndim - mask->ndim + 1 && !tensor_overlaps_itself(self);
}

ErrCode slicing_put_(Emit *e, Tensor *self, const Arg *indices, Tensor *values, Scalar value,
                     bool accumulate, Tensor **out, int *nout) {
    ErrCode code = decompose_index_check_indices(self, indices);
    int rank;
    Tensor *mask = accumulate || code != ERR_none
                       ? NULL
                       : single_mask(indices, values ? tensor_numel(values) : 1, &rank);
    if (mask && !records_put(e, self, mask, values)) {
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
     * for its dtype. Operands that overlap come after a mask for masked_fill_. */
    emit_put(e, OP__index_put_impl_, self, indices, values, accumulate, out, nout);
    bool fills =
        !accumulate && values && tensor_numel(values) == 1 && starts_with_bad_mask(self, indices);
    if (e->err->code == ERR_none || e->err->code == ERR_index_dtype ||
        (e->err->code == ERR_overlap && fills)) {
        e->err->code = ERR_none;
        return error_set(e->err, code, "%s", index_trouble(code));
    }
    return e->err->code;
}

/* index_put_: _index_put_impl_ with masks expanded; masked_fill_ for one mask and one value */
ErrCode decompose_index_put_(Emit *e, const Call *call, Tensor **out, int *nout) {
    return slicing_put_(e, call->arg[0].tensor, &call->arg[1], call->arg[2].tensor, scalar_int(0),
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

/* ---- masked_select ---- */

/* _masked_select(self, mask, number of true elements of the broadcast mask): the size depends on
 * the mask's data. */
ErrCode decompose_masked_select(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *mask = call->arg[1].tensor;
    if (!mask_dtype_valid(mask->dtype)) {
        return error_set(e->err, ERR_invalid,
                         "masked_select: expected BoolTensor or ByteTensor for mask");
    }
    int64_t size[MAX_DIMS], whole, set, own = tensor_numel(mask), count;
    int ndim = self->ndim;
    memcpy(size, self->size, (size_t)ndim * sizeof *size);
    TRY(broadcast_into(size, &ndim, mask->size, mask->ndim, e->err));
    TRY(e->count_nonzero(e, mask, &set));
    if (!sizes_numel(size, ndim, &whole) || !checked_mul(set, own > 0 ? whole / own : 0, &count)) {
        return error_set(e->err, ERR_limit, "a tensor's size overflows");
    }
    out[0] = emit_op(e, OP__masked_select, 3, self, mask, count);
    *nout = out[0] != NULL;
    return e->err->code;
}
