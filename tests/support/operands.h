/* Operands and arguments for graphs of tests of execution: dtypes, numbers, and layouts of a [3, 5]
 * operand in a storage with gaps. */
#ifndef TESTS_OPERANDS_H
#define TESTS_OPERANDS_H

#include "tensor/rng.h"
#include "tests/support/graph_case.h"
#include "tests/support/runner.h"

static const DType dtypes[] = {DT_bool,  DT_uint8, DT_int8,    DT_int16,
                               DT_int32, DT_int64, DT_float32, DT_float64};
static const Scalar scalars[] = {
    {CAT_INT, 1, 0},           {CAT_INT, 0, 0},      {CAT_INT, -3, 0},
    {CAT_FLOAT, 0, 0.5},       {CAT_FLOAT, 0, -0.0}, {CAT_FLOAT, 0, NAN},
    {CAT_FLOAT, 0, -INFINITY}, {CAT_FLOAT, 0, 0.1},  {CAT_BOOL, 1, 0}};

/* Layouts of a [3, 5] operand (and what broadcasts to it) in a storage of 64 elements. */
typedef struct Layout {
    int ndim;
    int64_t size[3], stride[3], offset;
} Layout;
static const Layout layouts[] = {{2, {3, 5}, {5, 1}, 0},  {2, {3, 5}, {1, 3}, 2},
                                 {2, {3, 5}, {20, 2}, 1}, {2, {3, 5}, {0, 1}, 4},
                                 {2, {3, 1}, {7, 1}, 0},  {1, {5}, {3}, 7},
                                 {0, {0}, {0}, 9},        {2, {3, 5}, {0, 0}, 3}};

static inline Node *operand(Case *k, DType dtype, FillKind fill, uint64_t seed, const Layout *l) {
    return case_view(k, case_input(k, dtype, 64, fill, seed), l->ndim, l->size, l->stride,
                     l->offset);
}

static inline void fail_with(const char *complaint, const char *op, int a, int b, int c) {
    ck_assert_msg(complaint == NULL, "%s (%d, %d, %d): %s", op, a, b, c, complaint);
}

static inline Arg ints_arg(Case *k, int n, const int64_t *v) {
    return (Arg){.ints = {arena_copy(&k->arena, v, (int64_t)sizeof *v * n), n}};
}
static inline Arg tensor_arg(Node *n) { return (Arg){.tensor = &n->t}; }
static inline Arg tensors_arg(Case *k, Node **v, int n) {
    Tensor **list = arena_array(&k->arena, Tensor *, n);
    for (int i = 0; i < n; i++) {
        list[i] = v[i] ? &v[i]->t : NULL;
    }
    return (Arg){.tensors = {list, n}};
}

/* An int64 operand of this size with values in [low, high). */
static inline Node *index_operand(Case *k, int ndim, const int64_t *size, int64_t low, int64_t high,
                                  Rng *rng, bool transposed) {
    int64_t stride[3], numel = 1;
    for (int d = 0; d < ndim; d++) {
        numel *= size[d];
    }
    contiguous_strides(size, ndim, stride);
    if (transposed && ndim == 2) {
        stride[0] = 1;
        stride[1] = size[0];
    }
    Node *in = case_input(k, DT_int64, numel, FILL_zeros, 0);
    for (int64_t i = 0; i < numel; i++) {
        ((int64_t *)k->input[k->ninputs - 1]->data)[i] = low + (int64_t)rng_below(rng, high - low);
    }
    return case_view(k, in, ndim, size, stride, 0);
}

#endif
