/* Dims, indices and slices as a program writes them, brought into range as PyTorch documents it:
 * negative ones count from the end, a 0-dim tensor has one dim to name, and a slice is clamped
 * where an index is refused. */
#ifndef COMPILED_VIEWS_INDEX_H
#define COMPILED_VIEWS_INDEX_H

#include "program/ops/op.h"

/* An index along `size` elements. False: there is no such element. */
static inline bool index_normal(int64_t index, int64_t size, int64_t *out) {
    *out = index < 0 ? index + size : index;
    return *out >= 0 && *out < size;
}

/* A dim of a tensor of `ndim` dims. */
static inline bool dim_normal(int64_t dim, int ndim, int *out) {
    int64_t at;
    bool exists = index_normal(dim, ndim > 0 ? ndim : 1, &at);
    *out = (int)at;
    return exists;
}

/* A list of different dims, by position in the list. False: one does not exist, or occurs twice. */
static inline bool dims_normal(const Arg *list, int ndim, int *out) {
    unsigned named = 0;
    for (int k = 0; k < list->ints.n; k++) {
        int d;
        if (!dim_normal(list->ints.v[k], ndim, &d) || named >> d & 1) {
            return false;
        }
        named |= 1u << d;
        out[k] = d;
    }
    return true;
}

/* The elements start, start + step, .. of a slice: how many there are, and the first. */
typedef struct IndexRange {
    int64_t start, count;
} IndexRange;

/* slice(start, end, step) of `size` elements, `step` > 0; None is the start or the end. The largest
 * int64, which Python writes for an open end, is an open start, too. */
static inline IndexRange slice_normal(const Arg *start, const Arg *end, int64_t step,
                                      int64_t size) {
    int64_t first = start->none || start->i == INT64_MAX ? 0 : start->i;
    int64_t behind = end->none ? size : end->i;
    first = first < 0 ? max_i64(first + size, 0) : min_i64(first, size);
    behind = behind < 0 ? behind + size : min_i64(behind, size);
    return (IndexRange){first, behind > first ? (behind - first - 1) / step + 1 : 0};
}

#endif
