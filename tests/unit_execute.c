/* Compiled loops against the shared kernels, bit for bit: every pointwise op over dtypes, layouts and special values; every
 * lowering class over shapes; random fused graphs. */
#include "tensor/rng.h"
#include "tests/graph_case.h"
#include "tests/runner.h"

static const DType dtypes[] = {DT_bool, DT_uint8, DT_int8, DT_int16, DT_int32, DT_int64, DT_float32, DT_float64};
static const Scalar scalars[] = {{CAT_INT, 1, 0},           {CAT_INT, 0, 0},      {CAT_INT, -3, 0},
                                 {CAT_FLOAT, 0, 0.5},       {CAT_FLOAT, 0, -0.0}, {CAT_FLOAT, 0, NAN},
                                 {CAT_FLOAT, 0, -INFINITY}, {CAT_FLOAT, 0, 0.1},  {CAT_BOOL, 1, 0}};

/* Layouts of a [3, 5] operand (and what broadcasts to it) in a storage of 64 elements. */
typedef struct Layout {
    int ndim;
    int64_t size[3], stride[3], offset;
} Layout;
static const Layout layouts[] = {{2, {3, 5}, {5, 1}, 0}, {2, {3, 5}, {1, 3}, 2}, {2, {3, 5}, {20, 2}, 1}, {2, {3, 5}, {0, 1}, 4},
                                 {2, {3, 1}, {7, 1}, 0}, {1, {5}, {3}, 7},       {0, {0}, {0}, 9},        {2, {3, 5}, {0, 0}, 3}};

static Node *operand(Case *k, DType dtype, FillKind fill, uint64_t seed, const Layout *l) {
    return case_view(k, case_input(k, dtype, 64, fill, seed), l->ndim, l->size, l->stride, l->offset);
}

static void fail_with(const char *complaint, const char *op, int a, int b, int c) {
    ck_assert_msg(complaint == NULL, "%s (%d, %d, %d): %s", op, a, b, c, complaint);
}

/* One call of a pointwise op: operands of the given dtypes and layouts, scalar number s. */
static void run_pointwise(const OpInfo *op, const DType *dtype, const int *layout, int s, FillKind fill) {
    Case k;
    case_start(&k, FAULT_NONE);
    Call call = call_new(op->id);
    int t = 0;
    for (int p = 0; p < op->nparam; p++) {
        Arg *arg = &call.arg[p];
        switch (op->param[p].type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT:
            arg->none = false;
            arg->tensor = &operand(&k, dtype[t], fill, (uint64_t)(17 * t + s + layout[0]), &layouts[layout[t]])->t;
            t++;
            break;
        case ARG_SCALAR:
        case ARG_SCALAR_OPT:
            if (!op->param[p].has_default || s % 3 == 2) {
                arg->none = false;
                arg->scalar = scalars[(s + p) % COUNT_OF(scalars)];
            }
            break;
        case ARG_STR_OPT:
            arg->none = s % 3 == 0;
            arg->str = s % 3 == 1 ? "floor" : "trunc";
            break;
        default:
            break;
        }
    }
    Node *n = case_op(&k, &call);
    if (n) {
        case_return(&k, n);
        fail_with(case_check(&k, PASSES_NONE), op->id_name, dtype[0] * 100 + dtype[1], layout[0] * 100 + layout[1] * 10 + layout[2],
                  s);
    }
    case_end(&k);
}

START_TEST(every_pointwise_op_equals_its_kernel) {
    op_table_init();
    int ran = 0;
    for (int id = 0; id < OP_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        if (op->kind != KIND_POINTWISE) {
            continue;
        }
        bool masked = op->pw == PW_where || op->pw == PW_masked_fill;
        for (int a = 0; a < COUNT_OF(dtypes); a++) {
            for (int b = 0; b < COUNT_OF(dtypes); b++) {
                for (int l = 0; l < COUNT_OF(layouts); l++) {
                    DType dtype[4] = {dtypes[a], dtypes[b], dtypes[(a + b) % COUNT_OF(dtypes)], dtypes[a]};
                    if (masked) {
                        dtype[op->pw == PW_where ? 0 : 1] = l % 2 ? DT_uint8 : DT_bool;
                    }
                    int layout[4] = {l, (l + a + b) % COUNT_OF(layouts), (l + 3) % COUNT_OF(layouts), l};
                    run_pointwise(op, dtype, layout, ran++ % COUNT_OF(scalars), l % 3 == 2 ? FILL_uniform : FILL_special);
                }
            }
        }
    }
    ck_assert_int_gt(ran, 1000);
}
END_TEST

/* ---- the other classes ---- */

static Arg ints_arg(Case *k, int n, const int64_t *v) {
    return (Arg){.ints = {arena_copy(&k->arena, v, (int64_t)sizeof *v * n), n}};
}
static Arg tensor_arg(Node *n) { return (Arg){.tensor = &n->t}; }
static Arg tensors_arg(Case *k, Node **v, int n) {
    Tensor **list = arena_array(&k->arena, Tensor *, n);
    for (int i = 0; i < n; i++) {
        list[i] = v[i] ? &v[i]->t : NULL;
    }
    return (Arg){.tensors = {list, n}};
}

/* An int64 operand of this size with values in [low, high). */
static Node *index_operand(Case *k, int ndim, const int64_t *size, int64_t low, int64_t high, Rng *rng, bool transposed) {
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

typedef Node *(*Builder)(Case *k, Node *x, Rng *rng);

static Node *unary_of(Case *k, OpId id, Node *x) { return case_unary(k, id, x); }
static Node *build_clone(Case *k, Node *x, Rng *r) {
    (void)r;
    return unary_of(k, OP_clone, x);
}
static Node *build_contiguous(Case *k, Node *x, Rng *r) {
    (void)r;
    return unary_of(k, OP__contiguous_copy, x);
}
static Node *build_to(Case *k, Node *x, Rng *r) {
    Call call = call_new(OP__to_copy);
    call.arg[0] = tensor_arg(x);
    call.arg[op_param(call.op, "dtype")] = (Arg){.dtype = dtypes[rng_below(r, COUNT_OF(dtypes))]};
    return case_op(k, &call);
}
static Node *build_reshape_copy(Case *k, Node *x, Rng *r) {
    (void)r;
    int64_t size[2] = {tensor_numel(&x->t), 1};
    Call call = call_new(OP__reshape_copy);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = ints_arg(k, 2, size);
    return case_op(k, &call);
}
static Node *build_copy(Case *k, Node *x, Rng *r) {
    static const Layout row = {1, {5}, {2}, 3};
    return case_binary(k, OP_copy, x, operand(k, dtypes[rng_below(r, COUNT_OF(dtypes))], FILL_dyadic, 3, &row));
}
static Node *build_fill(Case *k, Node *x, Rng *r) { return case_scalar(k, OP_fill_Scalar, x, scalars[rng_below(r, 3)]); }
static Node *build_zeros_like(Case *k, Node *x, Rng *r) {
    (void)r;
    return unary_of(k, OP_zeros_like, x);
}
static Node *build_flip(Case *k, Node *x, Rng *r) {
    int64_t dims[2] = {0, -1};
    Call call = call_new(OP_flip);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = ints_arg(k, (int)rng_below(r, 3), dims);
    return x->t.ndim == 2 ? case_op(k, &call) : NULL;
}
static Node *build_triangle(Case *k, Node *x, Rng *r) {
    Call call = call_new(rng_below(r, 2) ? OP_tril : OP_triu);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = (Arg){.i = (int64_t)rng_below(r, 5) - 2};
    return case_op(k, &call);
}
static Node *build_index(Case *k, Node *x, Rng *r) {
    static const int64_t size[2] = {4, 2};
    int64_t n0 = x->t.size[0], n1 = x->t.size[1];
    Node *list[2] = {index_operand(k, 1 + (int)rng_below(r, 2), size + rng_below(r, 1), -n0, n0, r, false), NULL};
    int shape = (int)rng_below(r, 3);
    if (shape == 1) {
        static const int64_t two = 2;
        list[0] = index_operand(k, 2, size, 0, n0, r, true);
        list[1] = index_operand(k, 1, &two, -n1, n1, r, false);
    } else if (shape == 2) {
        list[1] = index_operand(k, 1, size, -n1, n1, r, false);
        list[0] = NULL;
    }
    Call call = call_new(OP_index);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = tensors_arg(k, list, 2);
    return case_op(k, &call);
}
static Node *build_index_put(Case *k, Node *x, Rng *r) {
    int64_t n0 = x->t.size[0], n1 = x->t.size[1], two = 2, sizes[2] = {2, n1};
    bool accumulate = rng_below(r, 2), both = rng_below(r, 2);
    Node *list[2] = {index_operand(k, 1, &two, accumulate ? -n0 : 0, n0, r, false), NULL};
    if (!accumulate) { /* distinct: else the result is undefined */
        ((int64_t *)k->input[k->ninputs - 1]->data)[1] = (((int64_t *)k->input[k->ninputs - 1]->data)[0] + 1) % n0;
    }
    if (both) {
        list[1] = index_operand(k, 1, &two, 0, n1, r, false);
    }
    Node *values = case_view(k, case_input(k, x->t.dtype, 64, FILL_dyadic, 5), both ? 1 : 2, sizes,
                             both ? (int64_t[]){3} : (int64_t[]){1, 2}, 1);
    Call call = call_new(OP__index_put);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = tensors_arg(k, list, 2);
    call.arg[2] = tensor_arg(values);
    call.arg[3] = (Arg){.b = accumulate};
    return case_op(k, &call);
}
static Node *build_gather(Case *k, Node *x, Rng *r) {
    int dim = (int)rng_below(r, 2);
    int64_t size[2] = {dim == 0 ? 4 : 2, dim == 0 ? 3 : 6};
    Call call = call_new(OP_gather);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = (Arg){.i = dim - (rng_below(r, 2) ? 2 : 0)};
    call.arg[2] = tensor_arg(index_operand(k, 2, size, 0, x->t.size[dim], r, rng_below(r, 2)));
    return case_op(k, &call);
}
static Node *build_index_select(Case *k, Node *x, Rng *r) {
    int dim = (int)rng_below(r, 2);
    int64_t four = 4;
    Call call = call_new(OP_index_select);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = (Arg){.i = dim};
    call.arg[2] = tensor_arg(index_operand(k, 1, &four, 0, x->t.size[dim], r, false));
    return case_op(k, &call);
}
static Node *build_scatter(Case *k, Node *x, Rng *r) {
    static const OpId ids[] = {OP_scatter_src, OP_scatter_value, OP_scatter_add};
    OpId id = ids[rng_below(r, 3)];
    int dim = (int)rng_below(r, 2);
    int64_t size[2] = {dim == 0 ? 1 : 3, dim == 0 ? 5 : 1};
    Node *index = index_operand(k, 2, size, 0, x->t.size[dim], r, false);
    Call call = call_new(id);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = (Arg){.i = dim};
    call.arg[2] = tensor_arg(index);
    if (id == OP_scatter_value) {
        call.arg[3] = (Arg){.scalar = scalar_int(1)};
    } else {
        static const int64_t from[2] = {4, 6}, stride[2] = {1, 5};
        call.arg[3] = tensor_arg(case_view(k, case_input(k, x->t.dtype, 64, FILL_dyadic, 5), 2, from, stride, 1));
    }
    return case_op(k, &call);
}
static Node *build_index_add(Case *k, Node *x, Rng *r) {
    int dim = (int)rng_below(r, 2);
    int64_t four = 4, size[2] = {dim == 0 ? 4 : 3, dim == 0 ? 5 : 4}, stride[2] = {1, 7};
    Call call = call_new(OP_index_add);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = (Arg){.i = dim};
    call.arg[2] = tensor_arg(index_operand(k, 1, &four, 0, x->t.size[dim], r, false));
    call.arg[3] = tensor_arg(case_view(k, case_input(k, x->t.dtype, 64, FILL_dyadic, 5), 2, size, stride, 0));
    call.arg[4] = (Arg){.scalar = scalar_int(1 + (int64_t)rng_below(r, 2))};
    return case_op(k, &call);
}
static Node *build_slice_scatter(Case *k, Node *x, Rng *r) {
    static const int64_t size[2] = {3, 2}, stride[2] = {2, 1};
    Call call = call_new(OP_slice_scatter);
    call.arg[0] = tensor_arg(x);
    call.arg[1] =
        tensor_arg(case_view(k, case_input(k, x->t.dtype, 64, FILL_special, (uint64_t)rng_below(r, 99)), 2, size, stride, 0));
    call.arg[2] = (Arg){.i = 1};
    call.arg[3] = (Arg){.i = (int64_t)rng_below(r, 2)};
    call.arg[4] = (Arg){.i = call.arg[3].i + 3};
    call.arg[5] = (Arg){.i = 2};
    return case_op(k, &call);
}
static Node *build_select_scatter(Case *k, Node *x, Rng *r) {
    static const int64_t size[1] = {5}, stride[1] = {3};
    Call call = call_new(OP_select_scatter);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = tensor_arg(case_view(k, case_input(k, x->t.dtype, 64, FILL_special, 4), 1, size, stride, 2));
    call.arg[2] = (Arg){.i = 0};
    call.arg[3] = (Arg){.i = (int64_t)rng_below(r, 6) - 3};
    return case_op(k, &call);
}
static Node *build_diagonal_scatter(Case *k, Node *x, Rng *r) {
    (void)r;
    static const int64_t size[1] = {3}, stride[1] = {3};
    Call call = call_new(OP_diagonal_scatter);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = tensor_arg(case_view(k, case_input(k, x->t.dtype, 64, FILL_special, 4), 1, size, stride, 2));
    call.arg[2] = (Arg){.i = 1};
    return case_op(k, &call);
}
static Node *build_unfold_grad(Case *k, Node *x, Rng *r) {
    int64_t step = 1 + (int64_t)rng_below(r, 2), input[2] = {2, 2 * step + 5};
    static const int64_t size[3] = {2, 3, 5}, stride[3] = {0, 5, 1};
    Call call = call_new(OP__unfold_grad);
    call.arg[0] = tensor_arg(case_view(k, node_buffer(x), 3, size, stride, 0));
    call.arg[1] = ints_arg(k, 2, input);
    call.arg[2] = (Arg){.i = 1};
    call.arg[3] = (Arg){.i = 5};
    call.arg[4] = (Arg){.i = step};
    return case_op(k, &call);
}
static Node *build_cat(Case *k, Node *x, Rng *r) {
    static const Layout other = {2, {3, 2}, {1, 4}, 2};
    Node *list[3] = {x, operand(k, dtypes[rng_below(r, COUNT_OF(dtypes))], FILL_special, 8, &other),
                     case_full(k, x, scalar_int(1))};
    Call call = call_new(OP_cat);
    call.arg[0] = tensors_arg(k, list, 3);
    call.arg[1] = (Arg){.i = 1};
    return case_op(k, &call);
}
static Node *build_reduce(Case *k, Node *x, Rng *r) {
    static const OpId ids[] = {OP_sum, OP_sum_dim, OP_mean, OP_mean_dim, OP_amax, OP_amin, OP_prod, OP_prod_dim};
    OpId id = ids[rng_below(r, COUNT_OF(ids))];
    Call call = call_new(id);
    int64_t dims[2] = {(int64_t)rng_below(r, 2), 0};
    dims[1] = 1 - dims[0];
    call.arg[0] = tensor_arg(x);
    if (id == OP_prod_dim) {
        call.arg[1] = (Arg){.i = -1};
    } else if (id != OP_sum && id != OP_mean && id != OP_prod) {
        call.arg[1] = ints_arg(k, (int)rng_below(r, 3), dims);
        call.arg[2] = (Arg){.b = rng_below(r, 2)};
    }
    return case_op(k, &call);
}
static Node *build_scan(Case *k, Node *x, Rng *r) {
    Call call = call_new(rng_below(r, 2) ? OP_cumsum : OP_cumprod);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = (Arg){.i = (int64_t)rng_below(r, 2)};
    return case_op(k, &call);
}
static Node *build_softmax(Case *k, Node *x, Rng *r) {
    Call call = call_new(OP_softmax);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = (Arg){.i = (int64_t)rng_below(r, 2)};
    return case_op(k, &call);
}
static Node *build_mm(Case *k, Node *x, Rng *r) {
    static const Layout right = {2, {5, 4}, {1, 6}, 2};
    Node *b = operand(k, x->t.dtype, FILL_dyadic, 8, &right);
    if (rng_below(r, 2)) {
        return case_binary(k, OP_mm, x, b);
    }
    static const Layout row = {1, {4}, {2}, 1};
    Call call = call_new(OP_addmm);
    call.arg[0] = tensor_arg(operand(k, x->t.dtype, FILL_dyadic, 8, &row));
    call.arg[1] = tensor_arg(x);
    call.arg[2] = tensor_arg(b);
    call.arg[3] = (Arg){.scalar = scalar_int((int64_t)rng_below(r, 3))};
    call.arg[4] = (Arg){.scalar = scalar_int((int64_t)rng_below(r, 3) - 1)};
    return case_op(k, &call);
}
static Node *build_mv(Case *k, Node *x, Rng *r) {
    (void)r;
    static const Layout vec = {1, {5}, {3}, 2};
    return case_binary(k, OP_mv, x, operand(k, x->t.dtype, FILL_dyadic, 8, &vec));
}
static Node *build_arange(Case *k, Node *x, Rng *r) {
    (void)x;
    Call call = call_new(OP_arange);
    call.arg[0] = (Arg){.scalar = scalar_int((int64_t)rng_below(r, 9))};
    return case_op(k, &call);
}
static Node *build_nonzero(Case *k, Node *x, Rng *r) {
    (void)r;
    return unary_of(k, OP_nonzero, x);
}
static Node *build_strided_grad(Case *k, Node *x, Rng *r) {
    int64_t input[2] = {6, 7}, contiguous[2] = {7, 1}, turned[2] = {1, 6}, size[2] = {3, 5},
            strides[3][2] = {{7, 1}, {2, 3}, {3, 1}};
    Call call = call_new(OP__as_strided_grad);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = ints_arg(k, 2, input);
    call.arg[2] = ints_arg(k, 2, rng_below(r, 4) ? contiguous : turned);
    call.arg[3] = (Arg){.i = 4};
    call.arg[4] = ints_arg(k, 2, size);
    call.arg[5] = ints_arg(k, 2, strides[rng_below(r, 3)]);
    call.arg[6] = (Arg){.i = rng_below(r, 12)};
    return x->t.ndim == 2 ? case_op(k, &call) : NULL;
}

static const struct {
    const char *name;
    Builder build;
    FillKind fill;
    bool loose;
} builders[] = {{"clone", build_clone, FILL_special, 0},
                {"contiguous", build_contiguous, FILL_special, 0},
                {"to", build_to, FILL_dyadic, 0},
                {"reshape_copy", build_reshape_copy, FILL_special, 0},
                {"copy", build_copy, FILL_special, 0},
                {"fill", build_fill, FILL_special, 0},
                {"zeros_like", build_zeros_like, FILL_special, 0},
                {"flip", build_flip, FILL_special, 0},
                {"triangle", build_triangle, FILL_special, 0},
                {"index", build_index, FILL_special, 0},
                {"index_put", build_index_put, FILL_dyadic, 0},
                {"gather", build_gather, FILL_special, 0},
                {"index_select", build_index_select, FILL_special, 0},
                {"scatter", build_scatter, FILL_dyadic, 0},
                {"index_add", build_index_add, FILL_dyadic, 0},
                {"slice_scatter", build_slice_scatter, FILL_special, 0},
                {"select_scatter", build_select_scatter, FILL_special, 0},
                {"diagonal_scatter", build_diagonal_scatter, FILL_special, 0},
                {"unfold_grad", build_unfold_grad, FILL_dyadic, 0},
                {"cat", build_cat, FILL_special, 0},
                {"reduce", build_reduce, FILL_dyadic, 0},
                {"reduce of specials", build_reduce, FILL_special, 1},
                {"scan", build_scan, FILL_dyadic, 1},
                {"softmax", build_softmax, FILL_special, 1},
                {"mm", build_mm, FILL_dyadic, 0},
                {"mv", build_mv, FILL_dyadic, 0},
                {"arange", build_arange, FILL_zeros, 0},
                {"nonzero", build_nonzero, FILL_special, 0},
                {"strided_grad", build_strided_grad, FILL_dyadic, 0}};

START_TEST(every_lowering_class_equals_its_kernels) {
    Rng rng = {7};
    int ran[COUNT_OF(builders)] = {0};
    for (int round = 0; round < 400; round++) {
        for (int i = 0; i < COUNT_OF(builders); i++) {
            Case k;
            case_start(&k, FAULT_NONE);
            DType dtype = dtypes[rng_below(&rng, COUNT_OF(dtypes))];
            const Layout *l = &layouts[rng_below(&rng, 4)];
            Node *x = operand(&k, dtype, builders[i].fill, (uint64_t)rng_below(&rng, 1000), l);
            if (rng_below(&rng, 2)) {
                x = case_unary(&k, OP_clone, x);
            }
            k.loose = builders[i].loose;
            Node *n = builders[i].build(&k, x, &rng);
            if (n && !k.undefined) {
                case_return(&k, n);
                fail_with(case_check(&k, round % 2 ? PASSES_ALL : PASSES_NONE), builders[i].name, (int)dtype, (int)(l - layouts),
                          round);
                ran[i]++;
            }
            case_end(&k);
        }
    }
    for (int i = 0; i < COUNT_OF(builders); i++) {
        ck_assert_msg(ran[i] > 50, "%s ran %d times", builders[i].name, ran[i]);
    }
}
END_TEST

START_TEST(sizes_around_the_tile_and_empty) {
    static const int64_t sizes[] = {0, 1, 2, 127, 128, 129, 300, 1000};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        for (int shape = 0; shape < 4; shape++) {
            Case k;
            case_start(&k, FAULT_NONE);
            k.loose = true;
            int64_t n = sizes[i], size[2] = {shape == 1 ? 3 : n, shape == 1 ? n : 3},
                    stride[2] = {shape < 2 ? size[1] : 1, shape < 2    ? 1
                                                          : shape == 2 ? size[0]
                                                                       : 0};
            Node *x = case_view(&k, case_input(&k, DT_float32, 3 * n + 3, FILL_uniform, 4), 2, size, stride, 1);
            Node *y = case_unary(&k, OP_exp, case_binary(&k, OP_mul_Tensor, x, x));
            Call sum = call_new(OP_sum_dim);
            int64_t dim = shape % 2;
            sum.arg[0].tensor = &y->t;
            sum.arg[1] = ints_arg(&k, 1, &dim);
            case_return(&k, y);
            case_return(&k, case_op(&k, &sum));
            case_return(&k, case_unary(&k, OP_sum, y));
            case_return(&k, case_unary(&k, OP_mean, y));
            case_return(&k, case_unary(&k, OP_prod, y));
            fail_with(case_check(&k, PASSES_ALL), "sizes", (int)n, shape, 0);
            case_end(&k);
        }
    }
}
END_TEST

START_TEST(products_of_matrices_by_blas_and_by_loops) {
    static const int64_t m[] = {1, 3, 40}, n[] = {1, 2, 33}, depth[] = {0, 1, 30};
    for (int i = 0; i < 27; i++) {
        for (int t = 0; t < 8; t++) {
            Case k;
            case_start(&k, FAULT_NONE);
            k.loose = true;
            int64_t rows = m[i % 3], columns = n[i / 3 % 3], inner = depth[i / 9];
            int64_t as[2] = {rows, inner}, bs[2] = {inner, columns};
            int64_t at[2] = {t & 1 ? 1 : max_i64(inner, 1), t & 1 ? max_i64(rows, 1) : 1},
                    bt[2] = {t & 2 ? 1 : max_i64(columns, 1), t & 2 ? max_i64(inner, 1) : 1};
            DType dtype = t & 4 ? DT_float64 : DT_float32;
            Node *a = case_view(&k, case_input(&k, dtype, rows * inner + 1, FILL_uniform, 1), 2, as, at, 0);
            Node *b = case_view(&k, case_input(&k, dtype, columns * inner + 1, FILL_uniform, 2), 2, bs, bt, 0);
            Node *c = case_binary(&k, OP_mm, a, b);
            Call call = call_new(OP_addmm);
            call.arg[0].tensor = &c->t;
            call.arg[1].tensor = &a->t;
            call.arg[2].tensor = &b->t;
            call.arg[4].scalar = scalar_float(0.5);
            case_return(&k, c);
            case_return(&k, case_op(&k, &call));
            fail_with(case_check(&k, PASSES_ALL), "mm", i, t, 0);
            case_end(&k);
        }
    }
}
END_TEST

/* ---- random graphs ---- */

static Node *random_node(Case *k, Node **pool, int n, Rng *r) {
    Node *a = pool[rng_below(r, n)], *b = pool[rng_below(r, n)];
    static const OpId unary[] = {OP_neg,        OP_abs,   OP_relu,        OP_floor, OP_square,     OP_sqrt,
                                 OP_reciprocal, OP_clone, OP_logical_not, OP_sign,  OP_zeros_like, OP_ones_like};
    static const OpId binary[] = {OP_add_Tensor, OP_sub_Tensor, OP_mul_Tensor, OP_div_Tensor, OP_maximum,
                                  OP_minimum,    OP_eq_Tensor,  OP_lt_Tensor,  OP_fmax};
    static const OpId scalar[] = {OP_add_Scalar,        OP_sub_Scalar, OP_mul_Scalar,  OP_div_Scalar,
                                  OP_pow_Tensor_Scalar, OP_ge_Scalar,  OP_rsub_Scalar, OP_clamp_min};
    switch (rng_below(r, 12)) {
    case 0:
    case 1:
    case 2:
        return case_unary(k, unary[rng_below(r, COUNT_OF(unary))], a);
    case 3:
    case 4:
    case 5:
        return case_binary(k, binary[rng_below(r, COUNT_OF(binary))], a, b);
    case 6:
    case 7:
        return case_scalar(k, scalar[rng_below(r, COUNT_OF(scalar))], a, scalars[rng_below(r, COUNT_OF(scalars) - 1)]);
    case 8: { /* a transposed or stepped view */
        Node *base = node_buffer(a);
        if (a->t.ndim != 2) {
            return NULL;
        }
        int64_t size[2] = {a->t.size[1], a->t.size[0]}, stride[2] = {a->t.stride[1], a->t.stride[0]};
        return case_view(k, base, 2, size, stride, a->t.offset);
    }
    case 9: { /* a region of a's buffer replaced by b's corner */
        Node *base = node_buffer(a);
        Tensor region = {.dtype = base->t.dtype, .ndim = 1};
        int64_t room = tensor_numel(&base->t);
        if (base->kind == NODE_TANGENT || base->t.dtype != b->t.dtype || b->t.ndim != 2 || room < 2 * b->t.size[1]) {
            return NULL;
        }
        region.size[0] = b->t.size[1];
        region.stride[0] = 1 + (int64_t)rng_below(r, 2);
        region.offset = (int64_t)rng_below(r, (room - region.stride[0] * (region.size[0] - 1)));
        int64_t size[1] = {b->t.size[1]}, stride[1] = {b->t.stride[1]};
        Node *store = case_store(k, base, case_view(k, node_buffer(b), 1, size, stride, b->t.offset), &region);
        return case_view(k, store, a->t.ndim, a->t.size, a->t.stride, a->t.offset);
    }
    case 10: {
        Call call = call_new(rng_below(r, 2) ? OP_sum_dim : OP_amax);
        int64_t dim = (int64_t)rng_below(r, 2);
        call.arg[0].tensor = &a->t;
        call.arg[1] = ints_arg(k, 1, &dim);
        call.arg[2] = (Arg){.b = true};
        return a->t.ndim == 2 ? case_op(k, &call) : NULL;
    }
    default: {
        if (a->t.ndim != 2 || a->t.size[0] < 1) {
            return NULL;
        }
        int64_t size[1] = {3};
        Node *list[1] = {index_operand(k, 1, size, -a->t.size[0], a->t.size[0], r, false)};
        if (rng_below(r, 2)) {
            Call call = call_new(OP_index);
            call.arg[0] = tensor_arg(a);
            call.arg[1] = tensors_arg(k, list, 1);
            return case_op(k, &call);
        }
        Call call = call_new(OP__index_put);
        call.arg[0] = tensor_arg(a);
        call.arg[1] = tensors_arg(k, list, 1);
        call.arg[2] = tensor_arg(b);
        call.arg[3] = (Arg){.b = true};
        return case_op(k, &call);
    }
    }
}

START_TEST(random_graphs_survive_all_passes) {
    int checked = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        Case k;
        case_start(&k, FAULT_NONE);
        Rng rng = {seed};
        FillKind fill = seed % 2 ? FILL_special : FILL_dyadic;
        k.loose = true;
        Node *pool[64];
        int n = 0;
        static const DType kinds[] = {DT_float32, DT_float32, DT_float64, DT_int64, DT_int8, DT_bool};
        for (int i = 0; i < 3; i++) {
            pool[n++] =
                operand(&k, kinds[rng_below(&rng, COUNT_OF(kinds))], fill, seed + (uint64_t)i, &layouts[rng_below(&rng, 5)]);
        }
        for (int i = 0; i < 12 && k.ninputs < CASE_INPUTS - 1; i++) {
            Node *fresh = random_node(&k, pool, n, &rng);
            if (fresh && !k.undefined) {
                pool[n++] = fresh;
            }
        }
        for (int i = n - 1; i >= 3 && i >= n - 4; i--) {
            if (pool[i]->kind == NODE_OP) {
                case_return(&k, pool[i]);
            } else {
                case_wanted(&k, pool[i]);
            }
        }
        fail_with(case_check(&k, seed % 5 == 0 ? (int)rng_below(&rng, 64) : PASSES_ALL), "random graph", (int)seed, 0, 0);
        checked += n > 3;
        case_end(&k);
    }
    ck_assert_int_gt(checked, 2000);
}
END_TEST

/* ---- checks ---- */

START_TEST(a_check_fires_before_anything_is_read_out_of_bounds) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_float32, 4, FILL_ones, 0), *index = case_input(&k, DT_int64, 2, FILL_zeros, 0), *list[1] = {index};
    Call call = call_new(OP_index);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = tensors_arg(&k, list, 1);
    graph_check(k.g, CHECK_INDEX_WRAP, index, 4, ERR_index_range, "out", 3);
    graph_check(k.g, CHECK_NONZERO, index, 0, ERR_invalid, "zero", 5);
    Node *n = case_op(&k, &call);
    case_return(&k, n);
    ck_assert_ptr_null(case_passes(&k, PASSES_ALL));
    pass_plan(&k.c);
    Plan *plan = graph_lower(&k.c);
    static const struct {
        int64_t v[2];
        int sid;
        ErrCode code;
    } cases[] = {{{1, 4}, 3, ERR_index_range},
                 {{-5, 0}, 3, ERR_index_range},
                 {{-4, 0}, 5, ERR_invalid},
                 {{-4, 3}, -1, ERR_none},
                 {{INT64_MIN, INT64_MAX}, 3, ERR_index_range}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        int64_t values[2] = {cases[i].v[0], cases[i].v[1]};
        void *data[2] = {k.input[0]->data, values};
        Execution out;
        plan_execute(plan, data, NULL, &k.arena, &out);
        ck_assert_int_eq(out.failed_sid, cases[i].sid);
        ck_assert_int_eq((int)out.code, (int)cases[i].code);
    }
    case_end(&k);
}
END_TEST

START_TEST(a_backward_kernel_that_refuses_a_value_ends_as_internal_unless_a_check_fires) {
    for (int checked = 0; checked < 2; checked++) {
        Case k;
        case_start(&k, FAULT_NONE);
        Node *x = case_input(&k, DT_float32, 4, FILL_ones, 0), *index = case_input(&k, DT_int64, 1, FILL_zeros, 0);
        Node *n = case_binary(&k, OP_take, x, index);
        n->sid = AT_BACKWARD;
        if (checked) {
            graph_check(k.g, CHECK_INDEX_WRAP, index, 4, ERR_index_range, "out", 3);
        }
        case_return(&k, n);
        pass_plan(&k.c);
        Plan *plan = graph_lower(&k.c);
        for (int bad = 0; bad < 2; bad++) {
            int64_t value = bad ? 9 : 2;
            void *data[2] = {k.input[0]->data, &value};
            Execution out;
            plan_execute(plan, data, NULL, &k.arena, &out);
            ck_assert_int_eq(out.failed_sid, bad && checked ? 3 : -1);
            ck_assert_int_eq((int)out.code, (int)(!bad ? ERR_none : checked ? ERR_index_range : ERR_internal));
        }
        case_end(&k);
    }
}
END_TEST

/* MemorySanitizer knows poisoned memory for what it is, and may not look at it. */
static bool is_poisoned(const float *v) {
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
    return __msan_test_shadow(v, sizeof *v) == 0;
#endif
#endif
    return isnan(*v);
}

START_TEST(planned_memory_is_poisoned_after_its_last_reader) {
    for (int poison = 0; poison < 2; poison++) {
        Case k;
        case_start(&k, FAULT_NONE);
        k.options.verify = poison;
        Node *x = case_input(&k, DT_float32, 4, FILL_ones, 0);
        Node *m = case_view(&k, x, 2, (int64_t[]){2, 2}, (int64_t[]){2, 1}, 0);
        Node *first = case_binary(&k, OP_mm, m, m), *second = case_binary(&k, OP_mm, first, m);
        case_return(&k, second);
        pass_plan(&k.c);
        Plan *plan = graph_lower(&k.c);
        void *data[1] = {k.input[0]->data};
        Execution out;
        plan_execute(plan, data, NULL, &k.arena, &out);
        const float *dead = plan_data(plan, first), *live = plan_data(plan, second);
        for (int i = 0; i < 4; i++) {
            ck_assert_int_eq(is_poisoned(&dead[i]), compile_checks_itself(&k.c));
            ck_assert(live[i] == 4);
        }
        case_end(&k);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("unit_execute");
    TCase *tests = tcase_create("execute");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, every_pointwise_op_equals_its_kernel);
    tcase_add_test(tests, every_lowering_class_equals_its_kernels);
    tcase_add_test(tests, sizes_around_the_tile_and_empty);
    tcase_add_test(tests, products_of_matrices_by_blas_and_by_loops);
    tcase_add_test(tests, random_graphs_survive_all_passes);
    tcase_add_test(tests, a_check_fires_before_anything_is_read_out_of_bounds);
    tcase_add_test(tests, a_backward_kernel_that_refuses_a_value_ends_as_internal_unless_a_check_fires);
    tcase_add_test(tests, planned_memory_is_poisoned_after_its_last_reader);
    suite_add_tcase(suite, tests);
    return run_suite("unit_execute", suite);
}
