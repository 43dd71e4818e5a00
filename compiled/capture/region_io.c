/* Which entries of a region share a storage, or a version counter. */
#include "compiled/capture/region_io.h"

#include <string.h>

int storage_leader(const Tensor *tensors, int i) {
    int leader = 0;
    while (!storage_same(tensors[leader].storage, tensors[i].storage)) {
        leader++;
    }
    return leader;
}

int counter_leader(const Tensor *tensors, int i) {
    int leader = 0;
    while (storage_counter(tensors[leader].storage) != storage_counter(tensors[i].storage)) {
        leader++;
    }
    return leader;
}

void storages_of(const Tensor *inputs, int ninputs, Storage **out, int *nout) {
    int n = 0;
    for (int i = 0; i < ninputs; i++) {
        int k = 0;
        while (k < n && out[k] != storage_whole(inputs[i].storage)) {
            k++;
        }
        if (k == n) {
            out[n++] = storage_whole(inputs[i].storage);
        }
    }
    *nout = n;
}

const Tensor *tensors_copied(Arena *arena, const Tensor *tensors, int n) {
    Tensor *copy = arena_copy(arena, tensors, (int64_t)sizeof *copy * n);
    Storage **counter = arena_array(arena, Storage *, n);
    for (int i = 0; i < n; i++) {
        int leader = storage_leader(tensors, i);
        if (leader == i) {
            const Storage *s = storage_whole(tensors[i].storage);
            copy[i].storage = storage_new(arena, s->dtype, s->numel);
            copy[i].storage->version = s->version;
            copy[i].storage->id = s->id;
            memcpy(copy[i].storage->data, s->data, (size_t)(s->numel * dtype_bytes(s->dtype)));
        }
        copy[i].storage = storage_as(arena, copy[leader].storage, tensors[i].dtype);
    }
    for (int i = 0; i < n; i++) {
        const Storage *counts = storage_counter(tensors[i].storage);
        int leader = counter_leader(tensors, i);
        for (int j = 0; j < n && leader == i && !counter[i]; j++) {
            counter[i] =
                storage_whole(tensors[j].storage) == counts ? storage_whole(copy[j].storage) : NULL;
        }
        counter[i] = leader < i ? counter[leader] : counter[i];
        counter[i] = counter[i] ? counter[i] : arena_new(arena, Storage);
        counter[i]->version = counts->version;
        copy[i].storage = storage_counted(arena, copy[i].storage, copy[i].dtype, counter[i]);
    }
    return copy;
}
