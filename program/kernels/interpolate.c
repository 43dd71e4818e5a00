/* Kernels of interpolation: each element of the output is a weighted sum of elements of the input,
 * or one of them; the gradient is the transposed sum. */
#include "program/infer/interpolate.h"
#include "program/kernels/kernels.h"

#include <math.h>

enum { MOST_DIMS = 3 /* that are interpolated, after the batch and the channels */ };

typedef struct Weighted {
    const Tensor *input, *output;
    const Interpolation *dim;
    int64_t *at[MOST_DIMS];    /* by dim: of each output element, the indices of its taps */
    double *weight[MOST_DIMS]; /* the same: their weights */
    Adder *adder;              /* NULL: copies */
    bool forward;              /* adds elements of the input to the output, else the reverse */
} Weighted;

static Weighted weighted_of(const Tensor *input, const Tensor *output, const Interpolation *dim,
                            int n, KernelCtx *k) {
    Weighted w = {.input = input, .output = output, .dim = dim};
    for (int d = 0; d < n; d++) {
        int taps = dim[d].taps;
        w.at[d] = arena_array(k->arena, int64_t, dim[d].out * taps);
        w.weight[d] = arena_array(k->arena, double, dim[d].out *taps);
        for (int64_t o = 0; o < dim[d].out; o++) {
            int64_t at[4];
            double weight[4];
            if (!interpolation_taps(&dim[d], o, output->dtype, at, weight)) {
                k->undefined = "upsample_nearest: an index on which kernels do not agree";
            }
            memcpy(w.at[d] + o * taps, at, (size_t)taps * sizeof *at);
            memcpy(w.weight[d] + o * taps, weight, (size_t)taps * sizeof *weight);
        }
    }
    return w;
}

/* All elements from dim `d` on, from the offsets so far. */
static void interpolate_elements(const Weighted *w, int d, int64_t at, int64_t from,
                                 double weight) {
    const Tensor *output = w->output, *input = w->input;
    if (d == output->ndim || d == 2 + MOST_DIMS) {
        if (!w->adder) {
            element_cast(output->storage->data, output->dtype, at, input->storage->data,
                         input->dtype, from);
        } else if (w->forward) {
            adder_add(w->adder, at, input, from, weight, 1);
        } else {
            adder_add(w->adder, from, output, at, weight, 1);
        }
        return;
    }
    for (int64_t o = 0; o < output->size[d]; o++) {
        if (d < 2) {
            interpolate_elements(w, d + 1, at + o * output->stride[d], from + o * input->stride[d],
                                 weight);
            continue;
        }
        int taps = w->dim[d - 2].taps;
        for (int k = 0; k < taps; k++) {
            int64_t i = w->at[d - 2][o * taps + k];
            interpolate_elements(w, d + 1, at + o * output->stride[d], from + i * input->stride[d],
                                 weight * w->weight[d - 2][o * taps + k]);
        }
    }
}

/* A weight of 0 times what is not finite is nan, or left out where two taps are one element; and
 * a partial sum may overflow. */
static void interpolate_check(const Weighted *w, const Tensor *from, KernelCtx *k) {
    const Tensor *walked[1] = {from};
    double most = dtype_largest(from->dtype) / (w->dim[0].taps == 4 ? 8 : 2);
    for (Walk v = walk_start(from->size, from->ndim, walked, 1); walk_more(&v); walk_next(&v)) {
        double x = element_double(from->storage->data, from->dtype, v.at[0]);
        if (w->dim[0].taps > 1 && (!isfinite(x) || fabs(x) > most)) {
            k->undefined = "interpolation of what is not finite, or nearly";
        }
    }
}

static void interpolate_sum(Weighted *w, const Tensor *to, KernelCtx *k) {
    interpolate_check(w, w->forward ? w->input : w->output, k);
    tensor_fill(to, scalar_int(0));
    Adder adder = adder_start(to, k->arena);
    w->adder = &adder;
    interpolate_elements(w, 0, w->output->offset, w->input->offset, 1);
    adder_finish(&adder);
}

ErrCode kernel_upsample(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    if (tensor_numel(out[0]) == 0) {
        return ERR_none; /* empty: the other dims may be too large to allocate */
    }
    Interpolation dim[3];
    int n = upsample_read(call, dim);
    Weighted w = weighted_of(self, out[0], dim, n, k);
    w.forward = true;
    if (dim[0].taps == 1) {
        interpolate_elements(&w, 0, out[0]->offset, self->offset, 1);
    } else {
        interpolate_sum(&w, out[0], k);
    }
    return ERR_none;
}

ErrCode kernel_upsample_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor;
    if (tensor_numel(out[0]) == 0) {
        return ERR_none;
    }
    Interpolation dim[3];
    int n = upsample_read(call, dim);
    Weighted w = weighted_of(out[0], grad, dim, n, k);
    interpolate_sum(&w, out[0], k);
    return ERR_none;
}
