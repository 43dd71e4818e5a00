/* The slow path of growable arrays. */
#include "tensor/array.h"

void *array_grow(Arena *arena, const void *array, int n, int *capacity, int first, size_t size) {
    int64_t doubled = *capacity > 0 ? (int64_t)*capacity * 2 : first, bytes;
    CHECK(first > 0 && n >= 0 && doubled > n && doubled <= INT32_MAX);
    CHECK(!__builtin_mul_overflow((int64_t)size, doubled, &bytes));
    void *more = arena_alloc_raw(arena, bytes);
    if (n > 0) {
        memcpy(more, array, size * (size_t)n);
    }
    *capacity = (int)doubled;
    return more;
}
