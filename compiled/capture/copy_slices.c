/* The gradient of a base, part of which was written through a view (CopySlices in
 * torch/csrc/autograd/functions/tensor.cpp). */
#include "compiled/capture/capture.h"

ErrCode capture_window(Capture *cap, const GradNode *node, Var *whole, const Tensor *grad,
                       Tensor **window) {
    Emit *e = &cap->emit;
    Tensor layout = *node->view;
    int64_t extent;
    (void)emit_op(e, OP_copy_, 2, &whole->tensor, grad);
    TRY(e->err->code);
    layout.offset -= node->base->offset;
    if (layout.offset < 0 || !tensor_extent(&layout, &extent) ||
        extent > whole->tensor.storage->numel) {
        return error_set(e->err, ERR_invalid, "the written view lies outside its base's geometry");
    }
    *window = emit_op(e, OP_as_strided, 4, &whole->tensor, layout.size, layout.ndim, layout.stride,
                      layout.ndim, layout.offset);
    return e->err->code;
}
