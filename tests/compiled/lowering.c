/* Every class of op that lowering knows, over dtypes, layouts and drawn arguments: compiled loops
 * against the shared kernels, bit for bit, with all passes and with none. */
#include "tests/support/operands.h"

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
    return case_binary(k, OP_copy, x,
                       operand(k, dtypes[rng_below(r, COUNT_OF(dtypes))], FILL_dyadic, 3, &row));
}
static Node *build_fill(Case *k, Node *x, Rng *r) {
    return case_scalar(k, OP_fill_Scalar, x, scalars[rng_below(r, 3)]);
}
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
    Node *list[2] = {
        index_operand(k, 1 + (int)rng_below(r, 2), size + rng_below(r, 1), -n0, n0, r, false),
        NULL};
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
        ((int64_t *)k->input[k->ninputs - 1]->data)[1] =
            (((int64_t *)k->input[k->ninputs - 1]->data)[0] + 1) % n0;
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
        call.arg[3] = tensor_arg(
            case_view(k, case_input(k, x->t.dtype, 64, FILL_dyadic, 5), 2, from, stride, 1));
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
    call.arg[3] =
        tensor_arg(case_view(k, case_input(k, x->t.dtype, 64, FILL_dyadic, 5), 2, size, stride, 0));
    call.arg[4] = (Arg){.scalar = scalar_int(1 + (int64_t)rng_below(r, 2))};
    return case_op(k, &call);
}
static Node *build_slice_scatter(Case *k, Node *x, Rng *r) {
    static const int64_t size[2] = {3, 2}, stride[2] = {2, 1};
    Call call = call_new(OP_slice_scatter);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = tensor_arg(
        case_view(k, case_input(k, x->t.dtype, 64, FILL_special, (uint64_t)rng_below(r, 99)), 2,
                  size, stride, 0));
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
    call.arg[1] = tensor_arg(
        case_view(k, case_input(k, x->t.dtype, 64, FILL_special, 4), 1, size, stride, 2));
    call.arg[2] = (Arg){.i = 0};
    call.arg[3] = (Arg){.i = (int64_t)rng_below(r, 6) - 3};
    return case_op(k, &call);
}
static Node *build_diagonal_scatter(Case *k, Node *x, Rng *r) {
    (void)r;
    static const int64_t size[1] = {3}, stride[1] = {3};
    Call call = call_new(OP_diagonal_scatter);
    call.arg[0] = tensor_arg(x);
    call.arg[1] = tensor_arg(
        case_view(k, case_input(k, x->t.dtype, 64, FILL_special, 4), 1, size, stride, 2));
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
    static const OpId ids[] = {OP_sum,  OP_sum_dim, OP_mean, OP_mean_dim,
                               OP_amax, OP_amin,    OP_prod, OP_prod_dim};
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
                fail_with(case_check(&k, round % 2 ? PASSES_ALL : PASSES_NONE), builders[i].name,
                          (int)dtype, (int)(l - layouts), round);
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

int main(void) {
    Suite *suite = suite_create("compiled/lowering");
    TCase *tests = tcase_create("lowering");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, every_lowering_class_equals_its_kernels);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/lowering", suite);
}
