/* Compiled loops against the shared kernels, bit for bit: every pointwise op over dtypes, layouts
 * and special values; sizes around the tile; products; random graphs; and what a plan does when a
 * check fires. */
#include "tests/support/operands.h"

/* One call of a pointwise op: operands of the given dtypes and layouts, scalar number s. */
static void run_pointwise(const OpInfo *op, const DType *dtype, const int *layout, int s,
                          FillKind fill) {
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
            arg->tensor = &operand(&k, dtype[t], fill, (uint64_t)(17 * t + s + layout[0]),
                                   &layouts[layout[t]])
                               ->t;
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
        fail_with(case_check(&k, PASSES_NONE), op->id_name, dtype[0] * 100 + dtype[1],
                  layout[0] * 100 + layout[1] * 10 + layout[2], s);
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
                    DType dtype[4] = {dtypes[a], dtypes[b], dtypes[(a + b) % COUNT_OF(dtypes)],
                                      dtypes[a]};
                    if (masked) {
                        dtype[op->pw == PW_where ? 0 : 1] = l % 2 ? DT_uint8 : DT_bool;
                    }
                    int layout[4] = {l, (l + a + b) % COUNT_OF(layouts),
                                     (l + 3) % COUNT_OF(layouts), l};
                    run_pointwise(op, dtype, layout, ran++ % COUNT_OF(scalars),
                                  l % 3 == 2 ? FILL_uniform : FILL_special);
                }
            }
        }
    }
    ck_assert_int_gt(ran, 1000);
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
            Node *x = case_view(&k, case_input(&k, DT_float32, 3 * n + 3, FILL_uniform, 4), 2, size,
                                stride, 1);
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
            Node *a = case_view(&k, case_input(&k, dtype, rows * inner + 1, FILL_uniform, 1), 2, as,
                                at, 0);
            Node *b = case_view(&k, case_input(&k, dtype, columns * inner + 1, FILL_uniform, 2), 2,
                                bs, bt, 0);
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
    static const OpId unary[] = {OP_neg,         OP_abs,  OP_relu,       OP_floor,
                                 OP_square,      OP_sqrt, OP_reciprocal, OP_clone,
                                 OP_logical_not, OP_sign, OP_zeros_like, OP_ones_like};
    static const OpId binary[] = {OP_add_Tensor, OP_sub_Tensor, OP_mul_Tensor,
                                  OP_div_Tensor, OP_maximum,    OP_minimum,
                                  OP_eq_Tensor,  OP_lt_Tensor,  OP_fmax};
    static const OpId scalar[] = {OP_add_Scalar,  OP_sub_Scalar,        OP_mul_Scalar,
                                  OP_div_Scalar,  OP_pow_Tensor_Scalar, OP_ge_Scalar,
                                  OP_rsub_Scalar, OP_clamp_min};
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
        return case_scalar(k, scalar[rng_below(r, COUNT_OF(scalar))], a,
                           scalars[rng_below(r, COUNT_OF(scalars) - 1)]);
    case 8: { /* a transposed or stepped view */
        Node *base = node_buffer(a);
        if (a->t.ndim != 2) {
            return NULL;
        }
        int64_t size[2] = {a->t.size[1], a->t.size[0]},
                stride[2] = {a->t.stride[1], a->t.stride[0]};
        return case_view(k, base, 2, size, stride, a->t.offset);
    }
    case 9: { /* a region of a's buffer replaced by b's corner */
        Node *base = node_buffer(a);
        Tensor region = {.dtype = base->t.dtype, .ndim = 1};
        int64_t room = tensor_numel(&base->t);
        if (base->kind == NODE_TANGENT || base->t.dtype != b->t.dtype || b->t.ndim != 2 ||
            room < 2 * b->t.size[1]) {
            return NULL;
        }
        region.size[0] = b->t.size[1];
        region.stride[0] = 1 + (int64_t)rng_below(r, 2);
        region.offset = (int64_t)rng_below(r, (room - region.stride[0] * (region.size[0] - 1)));
        int64_t size[1] = {b->t.size[1]}, stride[1] = {b->t.stride[1]};
        Node *store = case_store(
            k, base, case_view(k, node_buffer(b), 1, size, stride, b->t.offset), &region);
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
        static const DType kinds[] = {DT_float32, DT_float32, DT_float64,
                                      DT_int64,   DT_int8,    DT_bool};
        for (int i = 0; i < 3; i++) {
            pool[n++] = operand(&k, kinds[rng_below(&rng, COUNT_OF(kinds))], fill,
                                seed + (uint64_t)i, &layouts[rng_below(&rng, 5)]);
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
        fail_with(case_check(&k, seed % 5 == 0 ? (int)rng_below(&rng, 64) : PASSES_ALL),
                  "random graph", (int)seed, 0, 0);
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
    Node *x = case_input(&k, DT_float32, 4, FILL_ones, 0),
         *index = case_input(&k, DT_int64, 2, FILL_zeros, 0), *list[1] = {index};
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
        Node *x = case_input(&k, DT_float32, 4, FILL_ones, 0),
             *index = case_input(&k, DT_int64, 1, FILL_zeros, 0);
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
            ck_assert_int_eq((int)out.code, (int)(!bad      ? ERR_none
                                                  : checked ? ERR_index_range
                                                            : ERR_internal));
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
    Suite *suite = suite_create("compiled/execute");
    TCase *tests = tcase_create("execute");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, every_pointwise_op_equals_its_kernel);
    tcase_add_test(tests, sizes_around_the_tile_and_empty);
    tcase_add_test(tests, products_of_matrices_by_blas_and_by_loops);
    tcase_add_test(tests, random_graphs_survive_all_passes);
    tcase_add_test(tests, a_check_fires_before_anything_is_read_out_of_bounds);
    tcase_add_test(tests,
                   a_backward_kernel_that_refuses_a_value_ends_as_internal_unless_a_check_fires);
    tcase_add_test(tests, planned_memory_is_poisoned_after_its_last_reader);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/execute", suite);
}
