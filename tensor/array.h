/* Growable arrays in an arena: a pointer, a count and a capacity, which the caller keeps.
 *
 *     b->touch = array_reserve(b->arena, b->touch, b->ntouch, &b->capacity, 64, sizeof *b->touch);
 *     b->touch[b->ntouch++] = touch;
 *
 * The capacity doubles, so that n elements cost O(n) copies. The arena keeps the arrays that were
 * outgrown until it is reset; together they are no larger than the last one. Elements beyond the
 * count are indeterminate. */
#ifndef TENSOR_ARRAY_H
#define TENSOR_ARRAY_H

#include "tensor/arena.h"

/* The same for arrays of malloc, which the caller frees. Ends the process with exit code 3 if there
 * is no memory. */
void *array_reserve_heap(void *array, int n, int *capacity, int first, size_t size);

/* The slow path of array_reserve: moves the array to memory of twice the capacity. */
void *array_grow(Arena *arena, const void *array, int n, int *capacity, int first, size_t size);

/* The array with room for element number `n`, at its old address where there is room already.
 * `size` is that of one element in bytes; the first capacity is `first` (> 0). `array` may be NULL
 * when *capacity is 0. A count or size beyond int or int64 is a broken invariant (CHECK). */
static inline void *array_reserve(Arena *arena, void *array, int n, int *capacity, int first,
                                  size_t size) {
    return n < *capacity ? array : array_grow(arena, array, n, capacity, first, size);
}

#endif
