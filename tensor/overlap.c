/* Do tensors address one location twice? The approximate answers that affect PyTorch's behaviour
 * follow aten/src/ATen/MemoryOverlap.cpp.
 *
 * The exact answer sorts dims by stride: if every stride exceeds the distance that all smaller dims
 * can cover, no two index tuples address one location. Otherwise the locations are enumerated and
 * marked. */
#include "tensor/tensor.h"

#include <stdlib.h>

Overlap tensor_internal_overlap(const Tensor *t) {
    if (tensor_is_dense(t)) {
        return OVERLAP_NO;
    }
    for (int d = 0; d < t->ndim; d++) {
        if (t->stride[d] == 0 && t->size[d] > 1) {
            return OVERLAP_YES;
        }
    }
    return OVERLAP_TOO_HARD;
}

/* True if the sorted strides prove that no two index tuples address one location. */
static bool strides_prove_disjoint(const Tensor *t) {
    int order[MAX_DIMS], n = 0;
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] > 1) {
            int at = n++;
            while (at > 0 && t->stride[order[at - 1]] > t->stride[d]) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = d;
        }
    }
    int64_t reach = 0; /* largest distance that the dims so far cover */
    for (int k = 0; k < n; k++) {
        int64_t stride = t->stride[order[k]];
        if (stride <= reach) {
            return false;
        }
        reach += stride * (t->size[order[k]] - 1);
    }
    return true;
}

bool tensor_overlaps_itself(const Tensor *t) {
    int64_t numel = tensor_numel(t), extent;
    if (numel <= 1 || tensor_is_contiguous(t) || strides_prove_disjoint(t)) {
        return false;
    }
    CHECK(tensor_extent(t, &extent));
    int64_t length =
        extent - t->offset; /* strides are not negative: locations are in offset .. extent-1 */
    if (numel > length) {
        return true;
    }
    unsigned char *seen = calloc((size_t)length, 1);
    if (!seen) {
        die("out of memory: %lld bytes for an overlap test", (long long)length);
    }
    bool met = false;
    const Tensor *walked[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, walked, 1); walk_more(&w) && !met; walk_next(&w)) {
        int64_t at = w.at[0] - t->offset;
        met = seen[at];
        seen[at] = 1;
    }
    free(seen);
    return met;
}

bool tensor_covers(const Tensor *whole, const Tensor *part) {
    int64_t numel = tensor_numel(whole), extent, most;
    if (tensor_numel(part) == 0) {
        return true;
    }
    CHECK(tensor_extent(whole, &extent) && tensor_extent(part, &most));
    if (numel == 0 || part->offset < whole->offset || most > extent) {
        return false;
    }
    if (numel == extent - whole->offset && !tensor_overlaps_itself(whole)) {
        return true;
    }
    unsigned char *seen = calloc((size_t)extent, 1);
    if (!seen) {
        die("out of memory: %lld bytes for a test of coverage", (long long)extent);
    }
    for (Walk w = walk_start(whole->size, whole->ndim, &whole, 1); walk_more(&w); walk_next(&w)) {
        seen[w.at[0]] = 1;
    }
    bool covers = true;
    for (Walk w = walk_start(part->size, part->ndim, &part, 1); walk_more(&w); walk_next(&w)) {
        covers &= seen[w.at[0]];
    }
    free(seen);
    return covers;
}

Overlap tensor_overlap_status(const Tensor *a, const Tensor *b) {
    if (a == b) {
        return OVERLAP_FULL;
    }
    if (tensor_numel(a) == 0 || tensor_numel(b) == 0) {
        return OVERLAP_NO;
    }
    if (!storage_same(a->storage, b->storage) || !a->storage) {
        return a->storage ? OVERLAP_NO : OVERLAP_TOO_HARD;
    }
    if (!tensor_is_dense(a) || !tensor_is_dense(b)) {
        return OVERLAP_TOO_HARD;
    }
    int bytes_a = dtype_bytes(a->dtype), bytes_b = dtype_bytes(b->dtype);
    int64_t begin_a = a->offset * bytes_a, end_a = begin_a + tensor_numel(a) * bytes_a;
    int64_t begin_b = b->offset * bytes_b, end_b = begin_b + tensor_numel(b) * bytes_b;
    if (begin_a == begin_b && end_a == end_b) {
        return sizes_equal(a->stride, a->ndim, b->stride, b->ndim) ? OVERLAP_FULL : OVERLAP_PARTIAL;
    }
    return begin_a < end_b && begin_b < end_a ? OVERLAP_PARTIAL : OVERLAP_NO;
}
