/* In-place ops that write some of self's elements, on a self that overlaps itself (masked_fill_ on
 * an expanded tensor, say).
 *
 * Written as "the whole new value", an element that the op leaves unchanged would put its old value
 * over what the op wrote to the same location. So the write is made on the storage, as a 1-D
 * tensor:
 *
 *     locations   arange(storage) read through self's layout: the location of each element of self
 *     index_put   storage[locations[indices]] = values, with the same accumulate flag
 *     mask        storage[l] = value wherever the number of masked elements at location l is not 0
 *
 * tril_ and triu_ are a mask of zeros, index_fill_ is a mask of the elements that the index names.
 */
#include "compiled/capture/capture.h"

bool capture_writes_part(const Call *twin) {
    switch (twin->op->id) {
    case OP__index_put:
    case OP_masked_fill_Scalar:
    case OP_masked_fill_Tensor:
    case OP_index_fill_int_Scalar:
    case OP_index_fill_int_Tensor:
    case OP_tril:
    case OP_triu:
        return true;
    default:
        return false;
    }
}

static void inplace_part_set_ints(Capture *cap, Arg *arg, const int64_t *v, int n) {
    arg->none = false;
    arg->ints.v = arena_copy(cap->arena, v, n * (int64_t)sizeof *v);
    arg->ints.n = n;
}

static ErrCode make_full(Capture *cap, const int64_t *size, int ndim, int64_t value, Node **out) {
    Call call = call_new(OP_full);
    inplace_part_set_ints(cap, &call.arg[0], size, ndim);
    call.arg[1].scalar = scalar_int(value);
    call.arg[2].none = false;
    call.arg[2].dtype = DT_int64;
    return capture_node(cap, &call, out);
}

/* Where each element of self lives. */
static ErrCode make_locations(Capture *cap, const Var *self, Node **out) {
    Call call = call_new(OP_arange);
    call.arg[0].scalar = scalar_int(self->tensor.storage->numel);
    Node *all;
    TRY(capture_node(cap, &call, &all));
    Tensor layout = self->tensor;
    layout.dtype = DT_int64;
    *out = graph_view(cap->graph, all, &layout, cap->sid);
    return ERR_none;
}

static ErrCode inplace_part_put(Capture *cap, Node *into, Node *locations, Tensor *values,
                                bool accumulate, Node **out) {
    Tensor *at = &locations->t;
    Call call = call_new(OP__index_put);
    call.arg[0].tensor = &into->t;
    call.arg[1].none = false;
    call.arg[1].tensors.v = arena_copy(cap->arena, &at, sizeof at);
    call.arg[1].tensors.n = 1;
    call.arg[2].tensor = values;
    call.arg[3].b = accumulate;
    return capture_node(cap, &call, out);
}

static ErrCode put_at_indices(Capture *cap, const Call *call, Node *flat, Node *locations,
                              Node **out) {
    Call read = call_new(OP_index);
    read.arg[0].tensor = &locations->t;
    read.arg[1] = call->arg[1];
    Node *where;
    TRY(capture_node(cap, &read, &where));
    return inplace_part_put(cap, flat, where, call->arg[2].tensor, call->arg[3].b, out);
}

/* The elements that tril_ or triu_ sets to zero, as a mask. */
static ErrCode outside_triangle(Capture *cap, const Call *call, const Tensor *self, Node **mask) {
    Call keep = *call;
    Node *ones, *kept;
    TRY(make_full(cap, self->size, self->ndim, 1, &ones));
    keep.arg[0].tensor = &ones->t;
    TRY(capture_node(cap, &keep, &kept));
    Call zero = call_new(OP_eq_Scalar);
    zero.arg[0].tensor = &kept->t;
    zero.arg[1].scalar = scalar_int(0);
    return capture_node(cap, &zero, mask);
}

/* The elements that index_fill_ fills, as numbers that are 0 elsewhere. */
static ErrCode named_by_index(Capture *cap, const Call *call, const Tensor *self, Node **mask) {
    Node *none;
    TRY(make_full(cap, self->size, self->ndim, 0, &none));
    Call fill = call_new(OP_index_fill_int_Scalar);
    fill.arg[0].tensor = &none->t;
    fill.arg[1] = call->arg[1];
    fill.arg[2] = call->arg[2];
    fill.arg[3].scalar = scalar_int(1);
    return capture_node(cap, &fill, mask);
}

static ErrCode fill_where(Capture *cap, const Call *call, const Tensor *self, Node *flat,
                          Node *locations, Node **out) {
    bool triangle = call->op->id == OP_tril || call->op->id == OP_triu;
    bool by_tensor =
        call->op->id == OP_masked_fill_Tensor || call->op->id == OP_index_fill_int_Tensor;
    bool by_index =
        call->op->id == OP_index_fill_int_Scalar || call->op->id == OP_index_fill_int_Tensor;
    Node *mask = triangle || by_index ? NULL : (Node *)call->arg[1].tensor, *none, *count;
    if (triangle) {
        TRY(outside_triangle(cap, call, self, &mask));
    } else if (by_index) {
        TRY(named_by_index(cap, call, self, &mask));
    }
    TRY(capture_cast(cap, mask, DT_int64, &mask));
    TRY(make_full(cap, flat->t.size, 1, 0, &none));
    TRY(inplace_part_put(cap, none, locations, &mask->t, true, &count));
    Call hit = call_new(OP_ne_Scalar);
    hit.arg[0].tensor = &count->t;
    hit.arg[1].scalar = scalar_int(0);
    Node *hits;
    TRY(capture_node(cap, &hit, &hits));
    Call fill = call_new(by_tensor ? OP_masked_fill_Tensor : OP_masked_fill_Scalar);
    fill.arg[0].tensor = &flat->t;
    fill.arg[1].tensor = &hits->t;
    fill.arg[2] = triangle ? (Arg){.scalar = scalar_int(0)} : call->arg[by_index ? 3 : 2];
    return capture_node(cap, &fill, out);
}

ErrCode capture_write_part(Capture *cap, Var *self, const Call *twin) {
    AliasClass *cls = alias_class_of(&self->tensor);
    Tensor layout;
    tensor_set_contiguous(&layout, self->tensor.dtype, &cls->storage.numel, 1);
    Node *flat = graph_view(cap->graph, cls->buffer, &layout, cap->sid), *locations, *value;
    flat->cls = cls->number;
    Call call;
    capture_call(cap, &call, twin);
    TRY(make_locations(cap, self, &locations));
    if (twin->op->id == OP__index_put) {
        TRY(put_at_indices(cap, &call, flat, locations, &value));
    } else {
        TRY(fill_where(cap, &call, &self->tensor, flat, locations, &value));
    }
    capture_write(cap, cls, flat, value);
    return ERR_none;
}
