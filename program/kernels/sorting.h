/* std::sort, std::nth_element and std::partial_sort of libstdc++, including the order in which they
 * leave equal elements. */
#ifndef PROGRAM_SORTING_H
#define PROGRAM_SORTING_H

#include "tensor/base.h"

typedef struct SortElement {
    double value;  /* floating dtypes */
    int64_t whole; /* integer dtypes */
    int64_t index;
} SortElement;

typedef struct SortOrder {
    bool descending, floating;
} SortOrder;

/* Sorts [first, last). */
void sort_unstable(const SortOrder *o, SortElement *first, SortElement *last);
/* The element that a sort would put at `nth` is there; smaller elements are before it. */
void sort_nth(const SortOrder *o, SortElement *first, SortElement *nth, SortElement *last);
/* [first, middle) holds the smallest elements of [first, last), sorted. */
void sort_partial(const SortOrder *o, SortElement *first, SortElement *middle, SortElement *last);

#endif
