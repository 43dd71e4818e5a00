/* Kernels of embedding_bag: the bag of each index, and the rows with the largest elements of a
 * bag. */
#include "program/kernels/kernels.h"

static int64_t bags_int(const Tensor *t, int64_t i) {
    return element_int(t->storage->data, t->dtype, t->offset + i * t->stride[0]);
}

/* Where the bags start, and that each index is a row. What PyTorch's kernels do with offsets that
 * fall, or with indices of no bag, is undefined. */
static ErrCode check_bags(const Call *call, Error *err) {
    const Tensor *indices = call->arg[0].tensor, *offsets = call->arg[1].tensor;
    int64_t n = indices->size[0], bags = offsets->size[0], rows = call->arg[2].i;
    if (bags > 0 && bags_int(offsets, 0) != 0) {
        return error_set(err, ERR_invalid,
                         "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has "
                         "to start from position 0. However, got %lld",
                         (long long)bags_int(offsets, 0));
    }
    if (bags > 0 && bags_int(offsets, bags - 1) > n) {
        return error_set(err, ERR_invalid,
                         "offsets[-1] can not be greater than input's length %lld but got "
                         "offsets[-1] of %lld",
                         (long long)n, (long long)bags_int(offsets, bags - 1));
    }
    if (bags == 0 ? n > 0 : call->arg[3].b && bags_int(offsets, bags - 1) != n) {
        return error_set(err, ERR_unsupported, "embedding_bag: indices that belong to no bag");
    }
    for (int64_t i = 1; i < bags; i++) {
        if (bags_int(offsets, i) < bags_int(offsets, i - 1)) {
            return error_set(err, ERR_unsupported, "embedding_bag: offsets that fall");
        }
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t row = bags_int(indices, i);
        if (row < 0 || row >= rows) {
            return error_set(err, ERR_invalid,
                             "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found "
                             "idx to be %lld",
                             (long long)row);
        }
    }
    return ERR_none;
}

/* Of each index the last bag that starts at or before it. */
ErrCode kernel_bag_of(const Call *call, Tensor *const *out, KernelCtx *k) {
    TRY(check_bags(call, k->err));
    const Tensor *offsets = call->arg[1].tensor, *to = out[0];
    int64_t bags = offsets->size[0] - call->arg[3].b, bag = 0;
    for (int64_t i = 0; i < to->size[0]; i++) {
        while (bag + 1 < bags && bags_int(offsets, bag + 1) <= i) {
            bag++;
        }
        element_store_int(to->storage->data, to->dtype, to->offset + i * to->stride[0], bag);
    }
    return ERR_none;
}

/* The rows of a bag in order: the first one, then each one that is larger; 0 for an empty bag. */
ErrCode kernel_bag_max(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *weight = call->arg[0].tensor, *indices = call->arg[1].tensor,
                 *bag_of = call->arg[2].tensor, *to = out[0];
    int64_t bags = to->size[0], columns = to->size[1], padding = call->arg[4].i;
    bool *some = arena_array(k->arena, bool, bags);
    tensor_fill(to, scalar_int(0));
    for (int64_t i = 0; i < indices->size[0]; i++) {
        int64_t row = bags_int(indices, i), bag = bags_int(bag_of, i);
        if (row < 0 || row >= weight->size[0] || bag < 0 || bag >= bags) {
            return error_set(k->err, ERR_invalid, "embedding_bag: an index out of range");
        }
        for (int64_t j = 0; j < columns && row != padding; j++) {
            int64_t at = to->offset + bag * to->stride[0] + j * to->stride[1],
                    column = weight->offset + j * weight->stride[1],
                    best = element_int(to->storage->data, to->dtype, at);
            double value = element_double(weight->storage->data, weight->dtype,
                                          column + row * weight->stride[0]);
            if (!some[bag] || value > element_double(weight->storage->data, weight->dtype,
                                                     column + best * weight->stride[0])) {
                element_store_int(to->storage->data, to->dtype, at, row);
            }
        }
        some[bag] = some[bag] || row != padding;
    }
    return ERR_none;
}
