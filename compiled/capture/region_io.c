/* Which entries of a region share a storage. */
#include "compiled/capture/region_io.h"

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
