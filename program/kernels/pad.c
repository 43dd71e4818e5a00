/* Kernels of reflection_pad and replication_pad: every element of the padded tensor belongs to one
 * of self. */
#include "program/infer/pad.h"
#include "program/kernels/kernels.h"

typedef struct Padded {
    const Tensor *padded, *self;
    int64_t left[MAX_DIMS]; /* the pad before each dim */
    bool reflects;
    Adder *adder; /* NULL: copies self to padded; else adds padded to self */
} Padded;

static Padded padded_of(const Tensor *padded, const Tensor *self, const Arg *pad, bool reflects) {
    Padded p = {padded, self, {0}, reflects, NULL};
    for (int k = 0; k < pad->ints.n / 2; k++) {
        p.left[self->ndim - 1 - k] = pad->ints.v[2 * k];
    }
    return p;
}

/* All elements from dim `d` on; `at` and `from` are the offsets in padded and in self. */
static void pad_elements(const Padded *p, int d, int64_t at, int64_t from) {
    const Tensor *padded = p->padded, *self = p->self;
    if (d < padded->ndim) {
        for (int64_t i = 0; i < padded->size[d]; i++) {
            int64_t source = pad_source(i, self->size[d], p->left[d], p->reflects);
            pad_elements(p, d + 1, at + i * padded->stride[d], from + source * self->stride[d]);
        }
    } else if (p->adder) {
        adder_add(p->adder, from, padded, at, 1, 1);
    } else {
        element_cast(padded->storage->data, padded->dtype, at, self->storage->data, self->dtype,
                     from);
    }
}

ErrCode kernel_pad_copies(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *self = call->arg[0].tensor;
    Padded p = padded_of(out[0], self, &call->arg[1], pad_reflects(call->op));
    pad_elements(&p, 0, out[0]->offset, self->offset);
    return ERR_none;
}

ErrCode kernel_pad_copies_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor;
    Padded p = padded_of(grad, out[0], &call->arg[2], call->arg[3].b);
    tensor_fill(out[0], scalar_int(0));
    Adder adder = adder_start(out[0], k->arena);
    p.adder = &adder;
    pad_elements(&p, 0, grad->offset, out[0]->offset);
    adder_finish(&adder);
    return ERR_none;
}
