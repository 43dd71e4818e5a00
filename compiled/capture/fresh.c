/* New tensors over what is there: without a history, or in memory of their own with a given layout.
 */
#include "compiled/capture/capture.h"

Var *capture_without_history(Capture *cap, const Var *v) {
    return capture_var(cap, alias_class_of(&v->tensor), &v->tensor, v->node);
}

ErrCode capture_empty_like(Capture *cap, const Tensor *base, Var **out) {
    Tensor layout = *base;
    int64_t extent = 0;
    layout.offset = 0;
    layout.storage = NULL;
    CHECK(tensor_extent(&layout, &extent));
    Tensor *flat = emit_full(&cap->emit, &extent, 1, scalar_float(0), base->dtype);
    TRY(cap->emit.err->code);
    AliasClass *cls = alias_class_of(flat);
    *out = capture_var(cap, cls, &layout, graph_view(cap->graph, cls->buffer, &layout, cap->sid));
    return ERR_none;
}

ErrCode capture_copy_for_leaf(Capture *cap, const Var *leaf, Tensor *grad, Var **out) {
    const Tensor *like = &leaf->tensor;
    if (!tensor_is_dense(like) || !tensor_same_size(like, grad)) {
        *out = (Var *)emit_unary(&cap->emit, OP__contiguous_copy, grad);
        return cap->emit.err->code;
    }
    TRY(capture_empty_like(cap, like, out));
    (void)emit_op(&cap->emit, OP_copy_, 2, &(*out)->tensor, grad);
    return cap->emit.err->code;
}
