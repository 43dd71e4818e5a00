/* The guard: what compiled code assumes of a call, as bytes. Equal keys may share an artifact (if
 * its data-dependent values are the same again: runtime/data_dependent.c).
 *
 * The key holds the region, the grad mode, the bindings of names to entries and, for every entry,
 * its dtype, sizes, strides, offset, requires_grad, whether it has a grad_fn (external, so not
 * which one; its topological_nr if the function takes gradients; its op if that has no derivative),
 * its base, creation_meta, its hooks
 * and the entries whose histories lead to a leaf of a program with hooks, whether its grad_fn is
 * stale, and its storage: which one, how long, and of which dtype it is itself, and with which
 * entries it shares its version counter. Entries that share a storage share a version even if they
 * do not overlap, so the partition matters by itself. Versions do not: they are counted from the
 * call's start. */
#include "compiled/runtime/artifact.h"

/* Adds sizes and dtype, which may be absent; returns the number of words. */
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

static int64_t hooks_words(const HookNames *names) { return names ? 1 + names->n : 1; }

static int64_t add_hooks(int64_t *key, const HookNames *names) {
    key[0] = names ? 1 + names->n : 0;
    for (int i = 0; names && i < names->n; i++) {
        key[1 + i] = names->function[i];
    }
    return hooks_words(names);
}

const void *guard_key(const Compile *c, const CaptureInput *in, Arena *arena, int64_t *bytes) {
    Storage **storage = arena_alloc_raw(arena, (int64_t)sizeof *storage * (in->n + 1));
    int nstorage;
    storages_of(in->tensors, in->n, storage, &nstorage);
    int64_t words = 4 + 2 * (int64_t)in->nname + in->n * (int64_t)(17 + 4 * MAX_DIMS);
    for (int i = 0; i < in->n; i++) {
        words += 3 + hooks_words(in->entry[i].record.hooks) +
                 hooks_words(in->entry[i].record.post_hooks);
    }
    int64_t *key = arena_alloc_raw(arena, (int64_t)sizeof *key * words), n = 0;
    bool merged = fault(c, FAULT_GU_2);
    key[n++] = in->setup + 2 * in->gradient;
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
        while (storage[number] != storage_whole(t->storage)) {
            number++;
        }
        key[n++] = t->dtype;
        key[n++] =
            merged ? entry->record.requires_grad && in->grad_mode : entry->record.requires_grad;
        key[n++] = entry->has_grad_fn + 2 * (entry->record.attr_version == STALE_VERSION) +
                   4 * (int)entry->record.creation_meta;
        key[n++] = entry->base;
        key[n++] = entry->refuses ? 2 + 2 * entry->refuses->id + entry->refuses_at_once : 0;
        key[n++] = entry->record.topological_nr;
        key[n++] = number;
        key[n++] = counter_leader(in->tensors, i);
        key[n++] = storage[number]->numel;
        key[n++] = storage[number]->dtype;
        key[n++] = t->offset;
        key[n++] = t->ndim;
        for (int d = 0; d < t->ndim; d++) {
            key[n++] = t->size[d];
            key[n++] = t->stride[d];
        }
        n += add_meta(&key[n], entry->record.grad_fn_meta);
        n += add_meta(&key[n], entry->record.accumulator_meta);
        key[n++] = (int64_t)entry->reached_by;
        key[n++] = entry->node;
        n += add_hooks(&key[n], entry->record.hooks);
        n += add_hooks(&key[n], entry->record.post_hooks);
    }
    *bytes = n * (int64_t)sizeof *key;
    return key;
}
