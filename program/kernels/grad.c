/* The two gradients that need their own kernels, because they sum where views overlap: those of
 * as_strided and of unfold. */
#include "program/kernels/kernels.h"

/* A tensor geometry over a buffer whose first element is storage offset `origin`. */
static Tensor geometry(const Arg *size, const Arg *stride, int64_t offset, int64_t origin) {
    Tensor t;
    t.dtype = DT_float64;
    t.ndim = size->ints.n;
    t.offset = offset - origin;
    t.storage = NULL;
    for (int d = 0; d < t.ndim; d++) {
        t.size[d] = size->ints.v[d];
        t.stride[d] = stride->ints.v[d];
    }
    return t;
}

/* The gradient of as_strided (as_strided_backward in torch/csrc/autograd/FunctionsManual.cpp)
 * between two geometries of one storage. The view's gradient is summed into a buffer the size of
 * the storage. If several elements of the input's geometry address the same storage element, its
 * gradient is divided equally among them. The input's gradient is then read at the input's
 * geometry. */
ErrCode kernel_as_strided_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *to = out[0];
    int64_t input_offset = call->arg[3].i, view_offset = call->arg[6].i;
    if (tensor_numel(grad) == 0 || tensor_numel(to) == 0) {
        tensor_fill(to, scalar_int(0));
        return ERR_none;
    }
    int64_t origin = min_i64(input_offset, view_offset), input_end, view_end;
    Tensor input = geometry(&call->arg[1], &call->arg[2], input_offset, origin);
    Tensor view = geometry(&call->arg[4], &call->arg[5], view_offset, origin);
    if (!tensor_extent(&input, &input_end) || !tensor_extent(&view, &view_end) ||
        max_i64(input_end, view_end) > INT32_MAX) {
        return error_set(k->err, ERR_limit, "the storage of a gradient overflows");
    }
    double *sum = arena_array(k->arena, double, max_i64(input_end, view_end));
    bool summed = tensor_overlaps_itself(&view);
    const Tensor *written[2] = {&view, grad};
    for (Walk w = walk_start(view.size, view.ndim, written, 2); walk_more(&w); walk_next(&w)) {
        double g = element_double(grad->storage->data, grad->dtype, w.at[1]);
        sum[w.at[0]] = summed ? sum[w.at[0]] + g : g;
    }
    const Tensor *read[2] = {&input, to};
    double *count = NULL;
    if (tensor_overlaps_itself(&input)) {
        count = arena_array(k->arena, double, input_end);
        for (Walk w = walk_start(input.size, input.ndim, read, 1); walk_more(&w); walk_next(&w)) {
            count[w.at[0]] += 1;
        }
    }
    for (Walk w = walk_start(input.size, input.ndim, read, 2); walk_more(&w); walk_next(&w)) {
        element_store_double(to->storage->data, to->dtype, w.at[1],
                             count ? sum[w.at[0]] / count[w.at[0]] : sum[w.at[0]]);
    }
    return ERR_none;
}

/* The gradient of unfold: every window's gradient is added where the window was read. */
ErrCode kernel_unfold_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *to = out[0];
    int64_t step = call->arg[4].i;
    int dim;
    TRY(dim_wrap(call->arg[2].i, to->ndim, &dim, k->err));
    tensor_fill(to, scalar_int(0));
    CHECK(grad->ndim == to->ndim + 1);
    int64_t stride[MAX_DIMS];
    for (int d = 0; d < to->ndim; d++) {
        stride[d] = d != dim ? to->stride[d] : grad->size[d] > 1 ? to->stride[d] * step : 0;
    }
    stride[to->ndim] = to->ndim > 0 ? to->stride[dim] : 0;
    Tensor windows = tensor_seen_as(to, grad->ndim, grad->size, stride);
    Adder adder = adder_start(to, k->arena);
    const Tensor *walked[2] = {&windows, grad};
    for (Walk w = walk_start(grad->size, grad->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        adder_add(&adder, w.at[0], grad, w.at[1], 1, 1);
    }
    adder_finish(&adder);
    return ERR_none;
}
