/* The guard: what compiled code assumes of a call, as bytes. Equal keys may share an artifact (if its questions, which depend on
 * values, are answered the same: question.c).
 *
 * The key holds the grad mode and, for every input, its name, dtype, sizes, strides, offset, requires_grad, and the storage it
 * lives on: which number, and how long. Inputs that do not overlap but share a storage share a version, so the partition matters by
 * itself. Inputs are always leaves. */
#include "compiled/capture.h"

const void *guard_key(const Compile *c, const CaptureInput *in, Arena *arena, int64_t *bytes) {
    Storage *storage[MAX_INPUTS];
    int nstorage;
    storages_of(in->tensors, in->n, storage, &nstorage);
    int64_t *key = arena_alloc_raw(arena, (int64_t)sizeof *key * (1 + in->n * (7 + 2 * MAX_DIMS))), n = 0;
    bool merged = fault(c, FAULT_GU_2);
    key[n++] = merged || in->grad_mode;
    for (int i = 0; i < in->n; i++) {
        const Tensor *t = &in->tensors[i];
        bool requires_grad = in->inputs[i].requires_grad;
        int number = 0;
        while (storage[number] != t->storage) {
            number++;
        }
        key[n++] = in->inputs[i].name;
        key[n++] = t->dtype;
        key[n++] = merged ? requires_grad && in->grad_mode : requires_grad;
        key[n++] = number;
        key[n++] = t->storage->numel;
        key[n++] = t->offset;
        key[n++] = t->ndim;
        for (int d = 0; d < t->ndim; d++) {
            key[n++] = t->size[d];
            key[n++] = t->stride[d];
        }
    }
    *bytes = n * (int64_t)sizeof *key;
    return key;
}
