/* The slow path of growable arrays. */
#include "tensor/array.h"

#include <stdlib.h>

/* The next capacity, and its size in bytes. */
static int64_t array_doubled(int n, int capacity, int first, size_t size, int64_t *bytes) {
    int64_t doubled = capacity > 0 ? (int64_t)capacity * 2 : first;
    CHECK(first > 0 && n >= 0 && doubled > n && doubled <= INT32_MAX);
    CHECK(!__builtin_mul_overflow((int64_t)size, doubled, bytes));
    return doubled;
}

void *array_grow(Arena *arena, const void *array, int n, int *capacity, int first, size_t size) {
    int64_t bytes, doubled = array_doubled(n, *capacity, first, size, &bytes);
    void *more = arena_alloc_raw(arena, bytes);
    if (n > 0) {
        memcpy(more, array, size * (size_t)n);
    }
    *capacity = (int)doubled;
    return more;
}

void *array_reserve_heap(void *array, int n, int *capacity, int first, size_t size) {
    if (n < *capacity) {
        return array;
    }
    int64_t bytes, doubled = array_doubled(n, *capacity, first, size, &bytes);
    void *more = realloc(array, (size_t)bytes);
    if (!more) {
        die("out of memory: %lld bytes for an array", (long long)bytes);
    }
    *capacity = (int)doubled;
    return more;
}
