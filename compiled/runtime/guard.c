/* The guard: what compiled code assumes of a call, as bytes. Equal keys may share an artifact (if
 * its questions, which depend on values, are answered the same: capture/data_dependent.c).
 *
 * The key holds which region it is, the grad mode, which names mean which entries and, for every
 * entry, its dtype, sizes, strides, offset, requires_grad, whether it has a history (which one is
 * not asked: it is opaque; a function that takes gradients asks its height), what it is a view of,
 * how that view was made and whether its history is stale, and the storage it lives on: which
 * number, and how long. Entries that do not overlap but share a storage share a version, so the
 * partition matters by itself. Versions do not: they are counted from the call's start. */
#include "compiled/runtime/artifact.h"

/* Adds a size and a dtype that may be absent; returns how many words. */
static int add_meta(int64_t *key, const Tensor *t) {
    int n = 0;
    key[n++] = t ? 1 + t->dtype : 0;
    if (t) {
        key[n++] = t->ndim;
        for (int d = 0; d < t->ndim; d++) {
            key[n++] = t->size[d];
        }
    }
    return n;
}

const void *guard_key(const Compile *c, const CaptureInput *in, Arena *arena, int64_t *bytes) {
    Storage **storage = arena_alloc_raw(arena, (int64_t)sizeof *storage * (in->n + 1));
    int nstorage;
    storages_of(in->tensors, in->n, storage, &nstorage);
    int64_t words = 4 + 2 * (int64_t)in->nname + in->n * (int64_t)(14 + 4 * MAX_DIMS);
    int64_t *key = arena_alloc_raw(arena, (int64_t)sizeof *key * words), n = 0;
    bool merged = fault(c, FAULT_GU_2);
    key[n++] = in->setup;
    key[n++] = in->resume;
    key[n++] = merged || in->grad_mode;
    key[n++] = in->nname;
    for (int k = 0; k < in->nname; k++) {
        key[n++] = in->name[k];
        key[n++] = in->named[k];
    }
    for (int i = 0; i < in->n; i++) {
        const Tensor *t = &in->tensors[i];
        const EntryTensor *entry = &in->entry[i];
        int number = 0;
        while (storage[number] != t->storage) {
            number++;
        }
        key[n++] = t->dtype;
        key[n++] =
            merged ? entry->record.requires_grad && in->grad_mode : entry->record.requires_grad;
        key[n++] = entry->has_grad_fn + 2 * (entry->record.attr_version == STALE_VERSION) +
                   4 * (int)entry->record.creation_meta;
        key[n++] = entry->base;
        key[n++] = entry->record.topological_nr;
        key[n++] = number;
        key[n++] = t->storage->numel;
        key[n++] = t->offset;
        key[n++] = t->ndim;
        for (int d = 0; d < t->ndim; d++) {
            key[n++] = t->size[d];
            key[n++] = t->stride[d];
        }
        n += add_meta(&key[n], entry->record.grad_fn_meta);
        n += add_meta(&key[n], entry->record.accumulator_meta);
    }
    *bytes = n * (int64_t)sizeof *key;
    return key;
}
