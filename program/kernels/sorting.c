/* The sorting algorithms of libstdc++, step by step, because PyTorch's results show the order in
 * which they leave equal elements.
 *
 *   introselect   narrows [first, last) around the n-th by partitions with a median-of-three pivot;
 *                 the last 3 by insertion
 *   introsort     the same on both sides, down to runs of 16, then one insertion sort
 *   heap_select   a heap of the first elements, into which each smaller later element is inserted
 *                 (partial_sort, and beyond the depth limit)
 *
 * nan is the greatest number. */
#include "program/kernels/sorting.h"

#include <math.h>

/* Is x ordered before y? */
static bool kernel_sorting_before(const SortOrder *o, const SortElement *x, const SortElement *y) {
    if (!o->floating) {
        return o->descending ? x->whole > y->whole : x->whole < y->whole;
    }
    bool x_nan = isnan(x->value), y_nan = isnan(y->value);
    return o->descending ? (x_nan && !y_nan) || x->value > y->value
                         : (!x_nan && y_nan) || x->value < y->value;
}

static void kernel_sorting_swap(SortElement *a, SortElement *b) {
    SortElement kept = *a;
    *a = *b;
    *b = kept;
}

/* ---- heaps: the last element in the order is at the top ---- */

static void push_heap(const SortOrder *o, SortElement *first, int64_t hole, int64_t top,
                      SortElement value) {
    int64_t parent = (hole - 1) / 2;
    while (hole > top && kernel_sorting_before(o, &first[parent], &value)) {
        first[hole] = first[parent];
        hole = parent;
        parent = (hole - 1) / 2;
    }
    first[hole] = value;
}

static void adjust_heap(const SortOrder *o, SortElement *first, int64_t hole, int64_t length,
                        SortElement value) {
    int64_t top = hole, child = hole;
    while (child < (length - 1) / 2) {
        child = 2 * (child + 1);
        if (kernel_sorting_before(o, &first[child], &first[child - 1])) {
            child--;
        }
        first[hole] = first[child];
        hole = child;
    }
    if (length % 2 == 0 && child == (length - 2) / 2) {
        child = 2 * (child + 1);
        first[hole] = first[child - 1];
        hole = child - 1;
    }
    push_heap(o, first, hole, top, value);
}

static void pop_heap(const SortOrder *o, SortElement *first, SortElement *last,
                     SortElement *result) {
    SortElement value = *result;
    *result = *first;
    adjust_heap(o, first, 0, last - first, value);
}

static void heap_select(const SortOrder *o, SortElement *first, SortElement *middle,
                        SortElement *last) {
    int64_t length = middle - first;
    for (int64_t parent = (length - 2) / 2; length > 1 && parent >= 0; parent--) {
        adjust_heap(o, first, parent, length, first[parent]);
    }
    for (SortElement *i = middle; i < last; i++) {
        if (kernel_sorting_before(o, i, first)) {
            pop_heap(o, first, middle, i);
        }
    }
}

void sort_partial(const SortOrder *o, SortElement *first, SortElement *middle, SortElement *last) {
    heap_select(o, first, middle, last);
    while (middle - first > 1) {
        middle--;
        pop_heap(o, first, middle, middle);
    }
}

/* ---- partitions ---- */

static void move_median_to_first(const SortOrder *o, SortElement *result, SortElement *a,
                                 SortElement *b, SortElement *c) {
    if (kernel_sorting_before(o, a, b)) {
        kernel_sorting_swap(result, kernel_sorting_before(o, b, c)   ? b
                                    : kernel_sorting_before(o, a, c) ? c
                                                                     : a);
    } else {
        kernel_sorting_swap(result, kernel_sorting_before(o, a, c)   ? a
                                    : kernel_sorting_before(o, b, c) ? c
                                                                     : b);
    }
}

static SortElement *partition_pivot(const SortOrder *o, SortElement *first, SortElement *last) {
    const SortElement *pivot = first;
    move_median_to_first(o, first, first + 1, first + (last - first) / 2, last - 1);
    first++;
    for (;;) {
        while (kernel_sorting_before(o, first, pivot)) {
            first++;
        }
        last--;
        while (kernel_sorting_before(o, pivot, last)) {
            last--;
        }
        if (first >= last) {
            return first;
        }
        kernel_sorting_swap(first, last);
        first++;
    }
}

/* Inserts the element at `at` into the sorted run before it, down to `first`. */
static void insert(const SortOrder *o, SortElement *first, SortElement *at) {
    SortElement value = *at;
    while (at > first && kernel_sorting_before(o, &value, at - 1)) {
        *at = at[-1];
        at--;
    }
    *at = value;
}

static void insertion_sort(const SortOrder *o, SortElement *first, SortElement *last) {
    for (SortElement *at = first + 1; first != last && at != last; at++) {
        insert(o, first, at);
    }
}

static int depth_limit(int64_t n) {
    int depth = 0;
    for (; n > 1; n /= 2) {
        depth += 2;
    }
    return depth;
}

void sort_nth(const SortOrder *o, SortElement *first, SortElement *nth, SortElement *last) {
    if (first == last || nth == last) {
        return;
    }
    for (int depth = depth_limit(last - first); last - first > 3; depth--) {
        if (depth == 0) {
            heap_select(o, first, nth + 1, last);
            kernel_sorting_swap(first, nth);
            return;
        }
        SortElement *cut = partition_pivot(o, first, last);
        if (cut <= nth) {
            first = cut;
        } else {
            last = cut;
        }
    }
    insertion_sort(o, first, last);
}

static void introsort(const SortOrder *o, SortElement *first, SortElement *last, int depth) {
    while (last - first > 16) {
        if (depth == 0) {
            sort_partial(o, first, last, last);
            return;
        }
        depth--;
        SortElement *cut = partition_pivot(o, first, last);
        introsort(o, cut, last, depth);
        last = cut;
    }
}

void sort_unstable(const SortOrder *o, SortElement *first, SortElement *last) {
    introsort(o, first, last, depth_limit(last - first));
    insertion_sort(o, first, last); /* std::sort guards only the first 16, with the same result */
}
