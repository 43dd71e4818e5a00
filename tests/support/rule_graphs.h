/* Short forms for graphs of tests of rules: x and y are inputs of 4 x 5 elements, read through a
 * view, and each form is one node. */
#ifndef TESTS_RULE_GRAPHS_H
#define TESTS_RULE_GRAPHS_H

#include "tests/support/graph_case.h"

/* A function that builds the graph `expression` of x and y in the case k. */
#define GRAPH(name, expression)                                                                    \
    static Node *name(Case *k, Node *x, Node *y) {                                                 \
        (void)x, (void)y;                                                                          \
        return expression;                                                                         \
    }
#define U(op, a) case_unary(k, OP_##op, a)
#define B(op, a, b) case_binary(k, OP_##op, a, b)
#define S(op, a, value) case_scalar(k, OP_##op, a, value)
#define I(value) scalar_int(value)
#define F(value) scalar_float(value)

static inline Node *cast(Case *k, Node *x, DType dtype) {
    Call call = call_new(OP__to_copy);
    call.arg[0].tensor = &x->t;
    call.arg[op_param(call.op, "dtype")] = (Arg){.dtype = dtype};
    return case_op(k, &call);
}
static inline Node *three(Case *k, OpId id, Node *a, Node *b, Node *c) {
    Call call = call_new(id);
    call.arg[0].tensor = &a->t;
    call.arg[1].tensor = &b->t;
    call.arg[2].tensor = &c->t;
    return case_op(k, &call);
}
#define WHERE(c, a, b) three(k, OP_where, c, a, b)
static inline Node *masked(Case *k, Node *x, Node *mask, Scalar value) {
    Call call = call_new(OP_masked_fill_Scalar);
    call.arg[0].tensor = &x->t;
    call.arg[1].tensor = &mask->t;
    call.arg[2].scalar = value;
    return case_op(k, &call);
}
static inline Node *alpha(Case *k, OpId id, Node *a, Node *b, Scalar by) {
    Call call = call_new(id);
    call.arg[0].tensor = &a->t;
    call.arg[1].tensor = &b->t;
    call.arg[2].scalar = by;
    return case_op(k, &call);
}
static inline Node *splat(Case *k, const Node *like, DType dtype, Scalar value) {
    Node other = *like;
    other.t.dtype = dtype;
    return case_full(k, &other, value);
}
static inline Node *clamped(Case *k, Node *x, bool has_low, Scalar low, bool has_high,
                            Scalar high) {
    Call call = call_new(OP_clamp);
    call.arg[0].tensor = &x->t;
    call.arg[1] = (Arg){.none = !has_low, .scalar = low};
    call.arg[2] = (Arg){.none = !has_high, .scalar = high};
    return case_op(k, &call);
}
/* op(x, list) and op(x, number). */
static inline Node *listed(Case *k, OpId id, Node *x, int n, const int64_t *v) {
    Call call = call_new(id);
    call.arg[0].tensor = &x->t;
    call.arg[1] = (Arg){.ints = {v, n}};
    return case_op(k, &call);
}
#define LIST(op, x, ...)                                                                           \
    listed(k, OP_##op, x, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),               \
           arena_copy(&k->arena, (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__})))
static inline Node *counted(Case *k, OpId id, Node *x, int64_t v) {
    Call call = call_new(id);
    call.arg[0].tensor = &x->t;
    call.arg[1].i = v;
    return case_op(k, &call);
}
#define N(op, x, v) counted(k, OP_##op, x, v)
/* Views of 2 dims and of 1 dim, in the buffer. */
static inline Node *seen(Case *k, Node *n, int64_t rows, int64_t columns, int64_t by_row,
                         int64_t by_column, int64_t offset) {
    return case_view(k, n, 2, (int64_t[]){rows, columns}, (int64_t[]){by_row, by_column}, offset);
}
static inline Node *line(Case *k, Node *n, int64_t size, int64_t stride, int64_t offset) {
    return case_view(k, n, 1, &size, &stride, offset);
}
#define TURNED(n) seen(k, n, 5, 4, 1, 5, 0)
static inline Node *joined(Case *k, int64_t dim, int n, Node **part) {
    Tensor *list[8];
    for (int i = 0; i < n; i++) {
        list[i] = &part[i]->t;
    }
    Call call = call_new(OP_cat);
    call.arg[0] = (Arg){.tensors = {arena_copy(&k->arena, list, (int64_t)sizeof(Tensor *) * n), n}};
    call.arg[1].i = dim;
    return case_op(k, &call);
}
#define CAT(dim, ...)                                                                              \
    joined(k, dim, (int)(sizeof((Node *[]){__VA_ARGS__}) / sizeof(Node *)), (Node *[]){__VA_ARGS__})
static inline Node *padded(Case *k, Node *x, int n, const int64_t *width, Scalar value) {
    Call call = call_new(OP_constant_pad_nd);
    call.arg[0].tensor = &x->t;
    call.arg[1] = (Arg){.ints = {arena_copy(&k->arena, width, (int64_t)sizeof *width * n), n}};
    call.arg[2].scalar = value;
    return case_op(k, &call);
}
#define PAD(x, value, ...)                                                                         \
    padded(k, x, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                        \
           (int64_t[]){__VA_ARGS__}, value)
static inline Node *rolled(Case *k, Node *x, int64_t shift, int64_t dim) {
    Call call = call_new(OP_roll);
    call.arg[0].tensor = &x->t;
    call.arg[1] = (Arg){.ints = {arena_copy(&k->arena, &shift, sizeof shift), 1}};
    call.arg[2] = (Arg){.ints = {arena_copy(&k->arena, &dim, sizeof dim), dim < 0 ? 0 : 1}};
    return case_op(k, &call);
}
/* A STORE of `value` into `base` at a line. */
static inline Node *stored(Case *k, Node *base, Node *value, int64_t size, int64_t stride,
                           int64_t offset) {
    Tensor slice = {
        .dtype = base->t.dtype, .ndim = 1, .size = {size}, .stride = {stride}, .offset = offset};
    return case_store(k, base, value, &slice);
}
static inline Node *stored_rows(Case *k, Node *base, Node *value) {
    Tensor slice = {
        .dtype = base->t.dtype, .ndim = 2, .size = {2, 5}, .stride = {5, 1}, .offset = 5};
    return case_store(k, base, value, &slice);
}
static inline Node *sliced_into(Case *k, Node *x, Node *v, int64_t start, int64_t end) {
    Call call = call_new(OP_slice_scatter);
    call.arg[0].tensor = &x->t;
    call.arg[1].tensor = &v->t;
    call.arg[2].i = 0;
    call.arg[3] = (Arg){.i = start};
    call.arg[4] = (Arg){.i = end};
    return case_op(k, &call);
}
static inline Node *arange(Case *k, int64_t start, int64_t end, int64_t step) {
    Call call = call_new(OP_arange_start_step);
    call.arg[0].scalar = I(start);
    call.arg[1].scalar = I(end);
    call.arg[2].scalar = I(step);
    return case_op(k, &call);
}
/* Given indices: 1, 3, 0, .. below `bound`. */
static inline Node *indices(Case *k, int64_t n, int64_t bound) {
    Node *node = case_input(k, DT_int64, n, FILL_arange, 1);
    int64_t *v = k->input[k->ninputs - 1]->data;
    for (int64_t i = 0; i < n; i++) {
        v[i] = (2 * i + 1) % bound;
    }
    return node;
}
static inline Node *indexed(Case *k, Node *x, Node *index) {
    Tensor *list[1] = {&index->t};
    Call call = call_new(OP_index);
    call.arg[0].tensor = &x->t;
    call.arg[1] = (Arg){.tensors = {arena_copy(&k->arena, list, sizeof list), 1}};
    return case_op(k, &call);
}
static inline Node *put(Case *k, Node *x, Node *index, Node *value, bool accumulate) {
    Tensor *list[1] = {&index->t};
    Call call = call_new(OP__index_put);
    call.arg[0].tensor = &x->t;
    call.arg[1] = (Arg){.tensors = {arena_copy(&k->arena, list, sizeof list), 1}};
    call.arg[2].tensor = &value->t;
    call.arg[3] = (Arg){.b = accumulate};
    return case_op(k, &call);
}
static inline Node *along(Case *k, OpId id, Node *x, int64_t dim, Node *index, Node *source) {
    Call call = call_new(id);
    call.arg[0].tensor = &x->t;
    call.arg[1].i = dim;
    call.arg[2].tensor = &index->t;
    if (source) {
        call.arg[3].tensor = &source->t;
    }
    return case_op(k, &call);
}
static inline Node *unfold_grad(Case *k, Node *grad) {
    Call call = call_new(OP__unfold_grad);
    call.arg[0].tensor = &grad->t;
    call.arg[1] = (Arg){.ints = {arena_copy(&k->arena, (int64_t[]){8}, sizeof(int64_t)), 1}};
    call.arg[2].i = 0;
    call.arg[3].i = 5;
    call.arg[4].i = 1;
    return case_op(k, &call);
}
static inline Node *eye(Case *k, int64_t n, DType dtype) {
    Call call = call_new(OP_eye);
    call.arg[0].i = n;
    call.arg[op_param(call.op, "dtype")] = (Arg){.dtype = dtype};
    return case_op(k, &call);
}
static inline Node *addmm(Case *k, Node *x, Node *y, Scalar beta) {
    Call call = call_new(OP_addmm);
    call.arg[0].tensor = &seen(k, x, 4, 4, 1, 0, 0)->t;
    call.arg[1].tensor = &x->t;
    call.arg[2].tensor = &TURNED(y)->t;
    call.arg[3].scalar = beta;
    return case_op(k, &call);
}
/* Reduces dim 0, or dim 1. */
#define OVER(op, x, dim) LIST(op, x, dim)
/* 3 x 4 x 5, repeated along the first dim; 4 x 1 x 5 seen as 4 x 3 x 5. */
#define STACKED(n) case_view(k, n, 3, (int64_t[]){3, 4, 5}, (int64_t[]){0, 5, 1}, 0)
#define SPREAD(n) case_view(k, n, 3, (int64_t[]){4, 3, 5}, (int64_t[]){5, 0, 1}, 0)
#define ROW(n) case_view(k, n, 2, (int64_t[]){1, 5}, (int64_t[]){5, 1}, 5)

typedef Node *(*RuleGraph)(Case *k, Node *x, Node *y);

#endif
