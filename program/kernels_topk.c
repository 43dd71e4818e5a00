/* Kernel of topk: the indices of the k first elements of each line, in the order of aten/src/ATen/native/TopKImpl.h.
 *
 * Which of several equal elements are taken, and in which order, is what libstdc++'s algorithms leave behind, so these are they:
 * std::partial_sort for a small k, else std::nth_element and, if the result is to be sorted, std::sort of what comes before.
 *
 *   introselect   narrows [first, last) around the k-th by partitions with a median-of-three pivot; the last 3 by insertion
 *   introsort     the same, both sides, down to runs of 16, then one insertion sort
 *   heap_select   a heap of the first ones, which each later element that belongs there enters (partial_sort, and when too deep)
 *
 * nan is the greatest number. */
#include "program/kernels.h"

#include <math.h>

typedef struct Element {
    double value; /* of a floating dtype */
    int64_t whole; /* of another */
    int64_t index;
} Element;

typedef struct Order {
    bool largest, floating;
} Order;

/* Does x come before y? */
static bool before(const Order *o, const Element *x, const Element *y) {
    if (!o->floating) {
        return o->largest ? x->whole > y->whole : x->whole < y->whole;
    }
    bool x_nan = isnan(x->value), y_nan = isnan(y->value);
    return o->largest ? (x_nan && !y_nan) || x->value > y->value : (!x_nan && y_nan) || x->value < y->value;
}

static void swap(Element *a, Element *b) {
    Element kept = *a;
    *a = *b;
    *b = kept;
}

/* ---- heaps: the element that comes last is at the top ---- */

static void push_heap(const Order *o, Element *first, int64_t hole, int64_t top, Element value) {
    int64_t parent = (hole - 1) / 2;
    while (hole > top && before(o, &first[parent], &value)) {
        first[hole] = first[parent];
        hole = parent;
        parent = (hole - 1) / 2;
    }
    first[hole] = value;
}

static void adjust_heap(const Order *o, Element *first, int64_t hole, int64_t length, Element value) {
    int64_t top = hole, child = hole;
    while (child < (length - 1) / 2) {
        child = 2 * (child + 1);
        if (before(o, &first[child], &first[child - 1])) {
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

static void pop_heap(const Order *o, Element *first, Element *last, Element *result) {
    Element value = *result;
    *result = *first;
    adjust_heap(o, first, 0, last - first, value);
}

static void heap_select(const Order *o, Element *first, Element *middle, Element *last) {
    int64_t length = middle - first;
    for (int64_t parent = (length - 2) / 2; length > 1 && parent >= 0; parent--) {
        adjust_heap(o, first, parent, length, first[parent]);
    }
    for (Element *i = middle; i < last; i++) {
        if (before(o, i, first)) {
            pop_heap(o, first, middle, i);
        }
    }
}

static void partial_sort(const Order *o, Element *first, Element *middle, Element *last) {
    heap_select(o, first, middle, last);
    while (middle - first > 1) {
        middle--;
        pop_heap(o, first, middle, middle);
    }
}

/* ---- partitions ---- */

static void move_median_to_first(const Order *o, Element *result, Element *a, Element *b, Element *c) {
    if (before(o, a, b)) {
        swap(result, before(o, b, c) ? b : before(o, a, c) ? c : a);
    } else {
        swap(result, before(o, a, c) ? a : before(o, b, c) ? c : b);
    }
}

static Element *partition_pivot(const Order *o, Element *first, Element *last) {
    const Element *pivot = first;
    move_median_to_first(o, first, first + 1, first + (last - first) / 2, last - 1);
    first++;
    for (;;) {
        while (before(o, first, pivot)) {
            first++;
        }
        last--;
        while (before(o, pivot, last)) {
            last--;
        }
        if (first >= last) {
            return first;
        }
        swap(first, last);
        first++;
    }
}

/* Insertion of the element at `at` into what stands before it, down to `first`. */
static void insert(const Order *o, Element *first, Element *at) {
    Element value = *at;
    while (at > first && before(o, &value, at - 1)) {
        *at = at[-1];
        at--;
    }
    *at = value;
}

static void insertion_sort(const Order *o, Element *first, Element *last) {
    for (Element *at = first + 1; first != last && at != last; at++) {
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

static void nth_element(const Order *o, Element *first, Element *nth, Element *last) {
    if (first == last || nth == last) {
        return;
    }
    for (int depth = depth_limit(last - first); last - first > 3; depth--) {
        if (depth == 0) {
            heap_select(o, first, nth + 1, last);
            swap(first, nth);
            return;
        }
        Element *cut = partition_pivot(o, first, last);
        if (cut <= nth) {
            first = cut;
        } else {
            last = cut;
        }
    }
    insertion_sort(o, first, last);
}

static void introsort(const Order *o, Element *first, Element *last, int depth) {
    while (last - first > 16) {
        if (depth == 0) {
            partial_sort(o, first, last, last);
            return;
        }
        depth--;
        Element *cut = partition_pivot(o, first, last);
        introsort(o, cut, last, depth);
        last = cut;
    }
}

static void sort(const Order *o, Element *first, Element *last) {
    introsort(o, first, last, depth_limit(last - first));
    insertion_sort(o, first, last); /* std::sort guards only the first 16, which is the same */
}

/* ---- the op ---- */

static void choose(const Order *o, Element *line, int64_t length, int64_t count, bool sorted) {
    if (count * 64 <= length) {
        partial_sort(o, line, line + count, line + length);
        return;
    }
    nth_element(o, line, line + count - 1, line + length);
    if (sorted) {
        sort(o, line, line + count - 1);
    }
}

ErrCode kernel_topk(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    int64_t count = call->arg[1].i;
    int dim;
    TRY(dim_wrap(call->arg[2].i, self->ndim, &dim, k->err));
    if (self->ndim == 0) {
        element_store_int(to->storage->data, DT_int64, to->offset, 0);
        return ERR_none;
    }
    int64_t length = self->size[dim];
    if (count == 0 || tensor_numel(self) == 0) {
        return ERR_none;
    }
    Order order = {call->arg[3].b, dtype_is_float(self->dtype)};
    Element *line = arena_alloc_raw(k->arena, length * (int64_t)sizeof *line);
    Tensor from = *self, into = *to;
    from.size[dim] = into.size[dim] = 1;
    const Tensor *walked[2] = {&from, &into};
    for (Walk w = walk_start(from.size, from.ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        for (int64_t i = 0; i < length; i++) {
            int64_t at = w.at[0] + i * self->stride[dim];
            line[i] = (Element){order.floating ? element_double(self->storage->data, self->dtype, at) : 0,
                                order.floating ? 0 : element_int(self->storage->data, self->dtype, at), i};
        }
        choose(&order, line, length, count, call->arg[4].b);
        for (int64_t i = 0; i < count; i++) {
            element_store_int(to->storage->data, DT_int64, w.at[1] + i * to->stride[dim], line[i].index);
        }
    }
    return ERR_none;
}
