/* Kernels of linalg_cross, block_diag and _unsafe_view. */
#include "program/infer/infer.h"
#include "program/kernels/kernels.h"

#include <math.h>

/* out[i] = a[j] * b[k] - a[k] * b[j] along a dim of size 3. */
ErrCode kernel_linalg_cross(const Call *call, Tensor *const *out, KernelCtx *k) {
    Tensor part[3] = {*call->arg[0].tensor, *call->arg[1].tensor, *out[0]};
    const Tensor *walked[3] = {&part[0], &part[1], &part[2]};
    int64_t step[3];
    int dim;
    TRY(dim_wrap(call->arg[2].i, out[0]->ndim, &dim, k->err));
    for (int p = 0; p < 3; p++) {
        for (int d = 0; d < out[0]->ndim; d++) {
            part[p].stride[d] = part[p].size[d] == 1 ? 0 : part[p].stride[d];
            part[p].size[d] = d == dim ? 1 : out[0]->size[d];
        }
        step[p] = walked[p]->stride[dim];
    }
    DType dtype = out[0]->dtype;
    for (Walk w = walk_start(part[2].size, out[0]->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        for (int i = 0; i < 3; i++) {
            int64_t j = (i + 1) % 3, l = (i + 2) % 3, to = w.at[2] + i * step[2],
                    aj = w.at[0] + j * step[0], al = w.at[0] + l * step[0],
                    bj = w.at[1] + j * step[1], bl = w.at[1] + l * step[1];
            const void *a = part[0].storage->data, *b = part[1].storage->data;
            if (dtype_is_float(dtype)) {
                double x = element_double(a, dtype, aj) * element_double(b, dtype, bl),
                       y = element_double(a, dtype, al) * element_double(b, dtype, bj);
                if (fmax(fabs(x), fabs(y)) > dtype_largest(dtype)) {
                    k->undefined = "linalg_cross: a product that overflows";
                }
                element_store_double(part[2].storage->data, dtype, to, x - y);
            } else {
                int64_t x = wrapping_mul(element_int(a, dtype, aj), element_int(b, dtype, bl)),
                        y = wrapping_mul(element_int(a, dtype, al), element_int(b, dtype, bj));
                element_store_int(part[2].storage->data, dtype, to,
                                  wrapping_add(x, wrapping_mul(y, -1)));
            }
        }
    }
    return ERR_none;
}

ErrCode kernel_block_diag(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Arg *list = &call->arg[0];
    int64_t row = 0, column = 0;
    tensor_fill(out[0], scalar_int(0));
    for (int i = 0; i < list->tensors.n; i++) {
        const Tensor *t = list->tensors.v[i];
        int64_t rows = t->ndim == 2 ? t->size[0] : 1,
                columns = t->ndim == 0 ? 1 : t->size[t->ndim - 1];
        for (int64_t n = 0; n < rows * columns; n++) {
            int64_t y = n / columns, x = n % columns,
                    from = t->offset + (t->ndim == 2 ? y * t->stride[0] : 0) +
                           (t->ndim > 0 ? x * t->stride[t->ndim - 1] : 0);
            element_cast(out[0]->storage->data, out[0]->dtype,
                         out[0]->offset + (row + y) * out[0]->stride[0] +
                             (column + x) * out[0]->stride[1],
                         t->storage->data, t->dtype, from);
        }
        row += rows;
        column += columns;
    }
    return ERR_none;
}

/* The elements of self, row by row. */
ErrCode kernel_unsafe_view(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    const Tensor *from[1] = {self}, *into[1] = {to};
    Walk b = walk_start(to->size, to->ndim, into, 1);
    for (Walk a = walk_start(self->size, self->ndim, from, 1); walk_more(&a) && walk_more(&b);
         walk_next(&a), walk_next(&b)) {
        element_cast(to->storage->data, to->dtype, b.at[0], self->storage->data, self->dtype,
                     a.at[0]);
    }
    return ERR_none;
}
