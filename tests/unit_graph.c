/* The graph: every rule of the verifier broken once, printing of broken graphs, and the passes on graphs built by hand. */
#include "tests/graph_case.h"
#include "tests/runner.h"

/* ---- a small graph to break ---- */

typedef struct Small {
    Case k;
    Node *x, *view, *op, *store, *check, *index;
} Small;

static void small_start(Small *s) {
    case_start(&s->k, FAULT_NONE);
    s->x = case_input(&s->k, DT_float32, 6, FILL_dyadic, 1);
    s->index = case_input(&s->k, DT_int64, 2, FILL_zeros, 1);
    static const int64_t size[2] = {2, 3}, stride[2] = {3, 1};
    s->view = case_view(&s->k, s->x, 2, size, stride, 0);
    s->check = graph_check(s->k.g, CHECK_INDEX, s->index, 4, ERR_index_range, "out", 1);
    s->op = case_unary(&s->k, OP_neg, s->view);
    Tensor region = s->view->t;
    region.ndim = 1;
    region.size[0] = 3;
    region.stride[0] = 1;
    static const int64_t row[1] = {3}, one[1] = {1};
    s->store = case_store(&s->k, s->x, case_view(&s->k, s->op, 1, row, one, 3), &region);
    case_return(&s->k, s->op);
    s->k.g->written[0] = s->store;
}

typedef void (*Break)(Small *s);
static void break_nothing(Small *s) { (void)s; }
static void null_node(Small *s) { s->k.g->node[2] = NULL; }
static void double_id(Small *s) { s->op->id = s->view->id; }
static void id_out_of_range(Small *s) { s->op->id = 1000; }
static void negative_size(Small *s) { s->op->t.size[0] = -2; }
static void too_many_dims(Small *s) {
    memset(s->op->t.size, 0, sizeof s->op->t.size);
    memset(s->op->t.stride, 0, sizeof s->op->t.stride);
    s->op->t.ndim = 17;
}
static void bad_dtype(Small *s) { s->op->t.dtype = DT_COUNT; }
static void foreign_operand(Small *s) { s->store->in[1] = graph_op(graph_new(&s->k.arena), s->op->call, &s->op->t, 0); }
static void late_operand(Small *s) {
    Node **n = s->k.g->node;
    for (int i = 0; i < s->k.g->n; i++) {
        if (n[i] == s->view) {
            n[i] = n[i + 2];
            n[i + 2] = s->view;
            return;
        }
    }
}
static void operand_is_check(Small *s) { s->store->in[1] = s->check; }
static void operand_missing(Small *s) { s->store->nin = 1; }
static void view_of_view(Small *s) {
    Node *last = s->store->in[1]; /* a view, after the other one */
    last->in[0] = s->view;
}
static void view_outside(Small *s) { s->view->t.offset = 1; }
static void view_dtype(Small *s) { s->view->t.dtype = DT_float64; }
static void buffer_offset(Small *s) { s->op->t.offset = 1; }
static void buffer_gap(Small *s) { s->op->t.stride[0] = 4; }
static void other_size(Small *s) { s->op->t.size[1] = 2, s->op->t.stride[0] = 2; }
static void other_dtype(Small *s) { s->op->t.dtype = DT_float64; }
static void no_call(Small *s) { s->op->call = NULL; }
static void in_place_op(Small *s) { ((Call *)s->op->call)->op = op_info(OP_neg_), s->op->op = OP_neg_; }
static void other_op(Small *s) { s->op->op = OP_abs; }
static void call_differs(Small *s) { ((Call *)s->op->call)->arg[0].tensor = &s->x->t; }
static void store_into_view(Small *s) { s->store->in[0] = s->view; }
static void store_layout(Small *s) { s->store->t.size[0] = 3; }
static void region_outside(Small *s) { s->store->region.offset = 4; }
static void region_dtype(Small *s) { s->store->region.dtype = DT_int64; }
static void value_does_not_fit(Small *s) { s->store->region.size[0] = 2; }
static void write_in_functional(Small *s) { graph_write(s->k.g, s->x, s->view, 0); }
static void check_of_floats(Small *s) { s->check->in[0] = s->x; }
static void check_code(Small *s) { s->check->check_code = ERR_none; }
static void checks_out_of_order(Small *s) { graph_check(s->k.g, CHECK_INDEX, s->index, 4, ERR_index_range, "out", 0); }
static void group_torn(Small *s) { s->view->group = -1, s->op->group = 1, s->index->group = 1, s->check->group = -1; }
static void in_place_without_base(Small *s) {
    s->op->in_place = true, s->op->nin = 0, call_init((Call *)s->op->call, OP_zeros), s->op->op = OP_zeros;
}
static void return_not_there(Small *s) { s->k.g->ret[0].value = graph_op(graph_new(&s->k.arena), s->op->call, &s->op->t, 0); }
static void return_is_view(Small *s) { s->k.g->ret[0].value = s->view; }
static void return_outside(Small *s) { s->k.g->ret[0].layout.offset = 3; }
static void return_of_no_input(Small *s) { s->k.g->ret[0].aliases_input = true, s->k.g->ret[0].storage = 2; }
static void gradient_not_there(Small *s) { case_wanted(&s->k, graph_op(graph_new(&s->k.arena), s->op->call, &s->op->t, 0)); }
static void written_size(Small *s) { s->k.g->written[1] = s->store; }
static void input_not_there(Small *s) { s->k.g->input[0] = s->op; }
static void tangent_not_contiguous(Small *s) {
    Node *t = graph_tangent(s->k.g, 0, &s->op->t);
    t->t.stride[0] = 1;
    t->t.stride[1] = 2;
}

static const struct {
    Break run;
    const char *says;
} breaks[] = {{null_node, "no node at place"},
              {double_id, "taken twice"},
              {id_out_of_range, "bad id"},
              {negative_size, "out of range"},
              {too_many_dims, "out of range"},
              {bad_dtype, "out of range"},
              {foreign_operand, "not in the graph"},
              {late_operand, "comes later"},
              {operand_is_check, "is a CHECK"},
              {operand_missing, "with 1 operands"},
              {view_of_view, "VIEW of a VIEW"},
              {view_outside, "outside its buffer"},
              {view_dtype, "another dtype"},
              {buffer_offset, "not dense from 0"},
              {buffer_gap, "not dense from 0"},
              {other_size, "another dtype or size"},
              {other_dtype, "another dtype or size"},
              {no_call, "without a call"},
              {in_place_op, "not a functional op"},
              {other_op, "op is not the call's"},
              {call_differs, "differs from the call"},
              {store_into_view, "into a VIEW"},
              {store_layout, "another layout"},
              {region_outside, "outside its base"},
              {region_dtype, "region of another dtype"},
              {value_does_not_fit, "does not fit its region"},
              {write_in_functional, "WRITE in a functional graph"},
              {check_of_floats, "CHECK of nothing"},
              {check_code, "CHECK of nothing"},
              {checks_out_of_order, "statement order"},
              {group_torn, "not contiguous"},
              {in_place_without_base, ""},
              {return_not_there, "return 0 has no buffer"},
              {return_is_view, "return 0 has no buffer"},
              {return_outside, "outside its buffer"},
              {return_of_no_input, "aliases input storage 2"},
              {gradient_not_there, "gradient of input 0"},
              {written_size, "does not fit it"},
              {input_not_there, "not the graph's"},
              {tangent_not_contiguous, "not contiguous"}};

START_TEST(verifier_finds_every_broken_invariant) {
    char message[256];
    Small s;
    small_start(&s);
    break_nothing(&s);
    ck_assert_msg(graph_verify(s.k.g, true, message, sizeof message), "%s", message);
    case_end(&s.k);
    for (int i = 0; i < COUNT_OF(breaks); i++) {
        small_start(&s);
        breaks[i].run(&s);
        ck_assert_msg(!graph_verify(s.k.g, true, message, sizeof message), "break %d (%s) was not found", i, breaks[i].says);
        ck_assert_msg(strstr(message, breaks[i].says) != NULL, "break %d (%s): %s", i, breaks[i].says, message);
        case_end(&s.k);
    }
}
END_TEST

START_TEST(a_broken_graph_can_be_printed) {
    for (int i = 0; i < COUNT_OF(breaks); i++) {
        Small s;
        small_start(&s);
        breaks[i].run(&s);
        Text text = {.arena = &s.k.arena};
        graph_print(&text, s.k.g, NULL);
        ck_assert_int_gt((int)text.n, 50);
        case_end(&s.k);
    }
}
END_TEST

START_TEST(a_graph_prints_as_documented) {
    Small s;
    small_start(&s);
    Text text = {.arena = &s.k.arena};
    graph_print(&text, s.k.g, NULL);
    ck_assert_str_eq(text.v, "  %0: f32[6; 1] = input 0\n"
                             "  %1: i64[2; 1] = input 1\n"
                             "  %2: f32[2, 3; 3, 1] = view %0\n"
                             "  %3: check %1 index in [0, n) n=4 else index_range\n"
                             "  %4: f32[2, 3; 3, 1] = neg(%2)\n"
                             "  %5: f32[3; 1]+3 = view %4\n"
                             "  %6: f32[6; 1] = store %0 at f32[3; 1] <- %5\n"
                             "  return 0: %4 as f32[2, 3; 3, 1]\n"
                             "  write back to input storage 0: %6\n");
    case_end(&s.k);
}
END_TEST

/* ---- rules ---- */

typedef Node *(*Pattern)(Case *k, Node *x, Node *y);

static Node *to_dtype(Case *k, Node *x, DType dtype) {
    Call call = call_new(OP__to_copy);
    call.arg[0].tensor = &x->t;
    call.arg[op_param(call.op, "dtype")] = (Arg){.dtype = dtype};
    return case_op(k, &call);
}
static Node *where(Case *k, Node *c, Node *a, Node *b) {
    Call call = call_new(OP_where);
    call.arg[0].tensor = &c->t;
    call.arg[1].tensor = &a->t;
    call.arg[2].tensor = &b->t;
    return case_op(k, &call);
}
static Node *flip(Case *k, Node *x) {
    static const int64_t dims[1] = {1};
    Call call = call_new(OP_flip);
    call.arg[0].tensor = &x->t;
    call.arg[1] = (Arg){.ints = {dims, 1}};
    return case_op(k, &call);
}
static Node *splat_bool(Case *k, const Node *like, bool v) {
    Node bool_like = *like;
    bool_like.t.dtype = DT_bool;
    return case_full(k, &bool_like, scalar_bool(v));
}
static Node *stored(Case *k, Node *x, Node *y, int64_t at, int64_t read_at) {
    Tensor region = {.dtype = x->t.dtype, .ndim = 1, .size = {3}, .stride = {1}, .offset = at};
    static const int64_t size[1] = {3}, stride[1] = {1};
    Node *base = case_unary(k, OP_clone, x),
         *store = case_store(k, base, case_view(k, node_buffer(y), 1, size, stride, 4), &region);
    return case_unary(k, OP_neg, case_view(k, store, 1, size, stride, read_at));
}

static Node *p_clone(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_neg, case_unary(k, OP_clone, x));
}
static Node *p_cast(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_neg, to_dtype(k, to_dtype(k, x, DT_float64), DT_float32));
}
static Node *p_narrow_cast(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_abs, to_dtype(k, to_dtype(k, x, DT_bool), DT_float32));
}
static Node *p_neg_neg(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_exp, case_unary(k, OP_neg, case_unary(k, OP_neg, x)));
}
static Node *p_relu_relu(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_exp, case_unary(k, OP_relu, case_unary(k, OP_relu, x)));
}
static Node *p_round_round(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_exp, case_unary(k, OP_round, case_unary(k, OP_round, x)));
}
static Node *p_sign_sign(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_exp, case_unary(k, OP_sign, case_unary(k, OP_sign, x)));
}
static Node *p_abs_neg(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_abs, case_unary(k, OP_neg, x));
}
static Node *p_square_neg(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_square, case_unary(k, OP_neg, x));
}
static Node *p_square_abs(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_square, case_unary(k, OP_abs, x));
}
static Node *p_mul_one(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_neg, case_scalar(k, OP_mul_Scalar, x, scalar_int(1)));
}
static Node *p_mul_ones(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_neg, case_binary(k, OP_mul_Tensor, case_full(k, x, scalar_int(1)), x));
}
static Node *p_div_one(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_reciprocal, case_scalar(k, OP_div_Scalar, x, scalar_int(1)));
}
static Node *p_add_zero(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_reciprocal, case_scalar(k, OP_add_Scalar, x, scalar_int(0)));
}
static Node *p_add_minus_zero(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_reciprocal, case_scalar(k, OP_add_Scalar, x, scalar_float(-0.0)));
}
static Node *p_sub_zero(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_reciprocal, case_scalar(k, OP_sub_Scalar, x, scalar_int(0)));
}
static Node *p_sub_minus_zero(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_reciprocal, case_scalar(k, OP_sub_Scalar, x, scalar_float(-0.0)));
}
static Node *p_pow_one(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_reciprocal, case_scalar(k, OP_pow_Tensor_Scalar, x, scalar_int(1)));
}
static Node *p_where_same(Case *k, Node *x, Node *y) {
    return case_unary(k, OP_neg, where(k, case_binary(k, OP_lt_Tensor, x, y), x, x));
}
static Node *p_where_true(Case *k, Node *x, Node *y) { return case_unary(k, OP_neg, where(k, splat_bool(k, x, true), x, y)); }
static Node *p_where_false(Case *k, Node *x, Node *y) { return case_unary(k, OP_neg, where(k, splat_bool(k, x, false), x, y)); }
static Node *p_masked(Case *k, Node *x, Node *y) {
    (void)y;
    Call call = call_new(OP_masked_fill_Scalar);
    call.arg[0].tensor = &x->t;
    call.arg[1].tensor = &splat_bool(k, x, false)->t;
    call.arg[2].scalar = scalar_int(3);
    return case_unary(k, OP_neg, case_op(k, &call));
}
static Node *p_maximum(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_reciprocal, case_binary(k, OP_maximum, x, x));
}
static Node *p_fmin(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_reciprocal, case_binary(k, OP_fmin, x, x));
}
static Node *p_add_neg(Case *k, Node *x, Node *y) {
    return case_unary(k, OP_reciprocal, case_binary(k, OP_add_Tensor, x, case_unary(k, OP_neg, y)));
}
static Node *p_sub_neg(Case *k, Node *x, Node *y) {
    return case_unary(k, OP_reciprocal, case_binary(k, OP_sub_Tensor, x, case_unary(k, OP_neg, y)));
}
static Node *p_mul_negs(Case *k, Node *x, Node *y) {
    return case_unary(k, OP_reciprocal, case_binary(k, OP_mul_Tensor, case_unary(k, OP_neg, x), case_unary(k, OP_neg, y)));
}
static Node *p_div_negs(Case *k, Node *x, Node *y) {
    return case_unary(k, OP_reciprocal, case_binary(k, OP_div_Tensor, case_unary(k, OP_neg, x), case_unary(k, OP_neg, y)));
}
static Node *p_not_not(Case *k, Node *x, Node *y) {
    return case_unary(k, OP_clone,
                      case_unary(k, OP_logical_not, case_unary(k, OP_logical_not, case_binary(k, OP_lt_Tensor, x, y))));
}
static Node *p_flip_flip(Case *k, Node *x, Node *y) {
    (void)y;
    return case_unary(k, OP_neg, flip(k, flip(k, x)));
}
static Node *p_store_forward(Case *k, Node *x, Node *y) { return stored(k, x, y, 2, 2); }
static Node *p_store_past(Case *k, Node *x, Node *y) { return stored(k, x, y, 2, 5); }
static Node *p_store_overlap(Case *k, Node *x, Node *y) { return stored(k, x, y, 2, 3); }
static Node *p_store_dead(Case *k, Node *x, Node *y) {
    Tensor region = {.dtype = x->t.dtype, .ndim = 1, .size = {3}, .stride = {2}, .offset = 1};
    static const int64_t size[1] = {3}, stride[1] = {1};
    Node *base = case_unary(k, OP_clone, x), *one = case_store(k, base, case_view(k, node_buffer(y), 1, size, stride, 4), &region);
    return case_unary(k, OP_neg, case_store(k, one, case_view(k, node_buffer(y), 1, size, stride, 1), &region));
}
static Node *p_store_same(Case *k, Node *x, Node *y) {
    (void)y;
    Tensor region = {.dtype = x->t.dtype, .ndim = 1, .size = {3}, .stride = {2}, .offset = 1};
    Node *base = case_unary(k, OP_exp, x);
    return case_unary(k, OP_neg, case_store(k, base, case_view(k, base, 1, region.size, region.stride, 1), &region));
}

static const struct {
    Pattern build;
    int fires;
} patterns[] = {{p_clone, 1},         {p_cast, 1},           {p_narrow_cast, 0},   {p_neg_neg, 1},    {p_relu_relu, 1},
                {p_round_round, 1},   {p_sign_sign, 1},      {p_abs_neg, 1},       {p_square_neg, 1}, {p_square_abs, 1},
                {p_mul_one, 1},       {p_mul_ones, 1},       {p_div_one, 1},       {p_add_zero, 0},   {p_add_minus_zero, 1},
                {p_sub_zero, 1},      {p_sub_minus_zero, 0}, {p_pow_one, 1},       {p_where_same, 1}, {p_where_true, 1},
                {p_where_false, 1},   {p_masked, 1},         {p_maximum, 1},       {p_fmin, 1},       {p_add_neg, 1},
                {p_sub_neg, 1},       {p_mul_negs, 1},       {p_div_negs, 1},      {p_not_not, 1},    {p_flip_flip, 1},
                {p_store_forward, 1}, {p_store_past, 1},     {p_store_overlap, 0}, {p_store_dead, 1}, {p_store_same, 1}};

/* Steps the gate let through: a clone that p_store_* begins with counts too, so "fires" compares against the graph without its
 * rule. */
START_TEST(rules_keep_nan_signed_zeros_and_infinities) {
    static const int64_t size[2] = {4, 5}, stride[2] = {5, 1}, turned[2] = {1, 4};
    for (int i = 0; i < COUNT_OF(patterns); i++) {
        for (uint64_t seed = 1; seed < 30; seed++) {
            Case k;
            case_start(&k, FAULT_NONE);
            Node *x = case_view(&k, case_input(&k, DT_float32, 20, FILL_special, seed), 2, size, seed % 2 ? stride : turned, 0);
            Node *y = case_view(&k, case_input(&k, DT_float32, 20, FILL_special, seed + 100), 2, size, stride, 0);
            Node *n = patterns[i].build(&k, x, y);
            ck_assert_msg(n != NULL, "pattern %d", i);
            case_return(&k, n);
            ck_assert_ptr_null(case_passes(&k, PASS_rules));
            int64_t steps = k.counters.gate_steps;
            bool store = patterns[i].build == p_store_overlap;
            ck_assert_msg((steps > (store ? 1 : 0)) == (patterns[i].fires > 0), "pattern %d: %d steps", i, (int)steps);
            const char *complaint = case_check(&k, PASSES_ALL);
            ck_assert_msg(complaint == NULL, "pattern %d: %s", i, complaint);
            case_end(&k);
        }
    }
}
END_TEST

START_TEST(rules_hold_for_integers) {
    static const DType dtypes[] = {DT_bool, DT_uint8, DT_int8, DT_int64, DT_float64};
    static const int64_t size[2] = {4, 5}, stride[2] = {5, 1};
    for (int i = 0; i < COUNT_OF(patterns); i++) {
        for (int d = 0; d < 25; d++) {
            Case k;
            case_start(&k, FAULT_NONE);
            Node *x = case_view(&k, case_input(&k, dtypes[d % 5], 20, FILL_special, 3), 2, size, stride, 0);
            Node *y = case_view(&k, case_input(&k, dtypes[d / 5], 20, FILL_special, 4), 2, size, stride, 0);
            bool stores = i >= COUNT_OF(patterns) - 5, refused = x->t.dtype == DT_bool || y->t.dtype == DT_bool;
            if (patterns[i].build != p_narrow_cast && patterns[i].build != p_cast && !(stores && d % 5 != d / 5) && !refused) {
                Node *n = patterns[i].build(&k, x, y);
                if (n) {
                    case_return(&k, n);
                    const char *complaint = case_check(&k, PASSES_ALL);
                    ck_assert_msg(complaint == NULL, "pattern %d, dtypes %d: %s", i, d, complaint);
                }
            }
            case_end(&k);
        }
    }
}
END_TEST

/* ---- the other passes ---- */

static int count_ops(const Graph *g, OpId id) {
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        n += g->node[i]->kind == NODE_OP && g->node[i]->call->op->id == id;
    }
    return n;
}

START_TEST(fold_computes_constants_as_the_kernels_do) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_float32, 4, FILL_special, 3);
    Node *a = case_full(&k, x, scalar_float(0.1)), *b = case_full(&k, x, scalar_float(-0.0));
    Node *sum = case_binary(&k, OP_div_Tensor, a, case_binary(&k, OP_mul_Tensor, b, a)); /* 0.1 / -0.0 */
    Node *like = case_unary(&k, OP_zeros_like, x);
    Node *n = case_binary(&k, OP_add_Tensor, x, case_binary(&k, OP_add_Tensor, sum, case_unary(&k, OP_neg, like)));
    case_return(&k, n);
    case_return(&k, sum);
    ck_assert_ptr_null(case_check(&k, PASS_fold | PASS_dce));
    ck_assert_int_eq(count_ops(k.g, OP_add_Tensor), 1);
    ck_assert_int_eq(
        count_ops(k.g, OP_div_Tensor) + count_ops(k.g, OP_mul_Tensor) + count_ops(k.g, OP_neg) + count_ops(k.g, OP_zeros_like), 0);
    case_end(&k);
}
END_TEST

/* cumsum(arange(4)) indexes x, with a CHECK against `bound`. */
static int constant_case(int64_t bound, bool *check_left) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_float32, 7, FILL_special, 3);
    Call arange = call_new(OP_arange), sum = call_new(OP_cumsum), select = call_new(OP_index_select);
    arange.arg[0].scalar = scalar_int(4);
    sum.arg[0].tensor = &case_op(&k, &arange)->t;
    Node *index = case_op(&k, &sum);
    Node *check = graph_check(k.g, CHECK_INDEX, index, bound, ERR_index_range, "out", 0);
    select.arg[0].tensor = &x->t;
    select.arg[2].tensor = &index->t;
    case_return(&k, case_op(&k, &select));
    const char *complaint = bound < 7 ? case_passes(&k, PASS_fold | PASS_dce) : case_check(&k, PASS_fold | PASS_dce);
    ck_assert_msg(complaint == NULL, "%s", complaint);
    *check_left = false;
    for (int i = 0; i < k.g->n; i++) {
        *check_left |= k.g->node[i] == check;
    }
    int literals = count_ops(k.g, OP_tensor), left = count_ops(k.g, OP_cumsum) + count_ops(k.g, OP_arange);
    case_end(&k);
    return left == 0 ? literals : -left;
}

START_TEST(fold_computes_small_constants_and_drops_only_checks_that_pass) {
    bool check_left;
    ck_assert_int_eq(constant_case(7, &check_left), 1);
    ck_assert(!check_left);
    ck_assert_int_eq(constant_case(6, &check_left), 1); /* the last index is 6 */
    ck_assert(check_left);
}
END_TEST

/* reciprocal(x * 0.0) + reciprocal(x * -0.0), and two equal subexpressions. */
static int cse_case(FaultId fault, const char **complaint, Arena *keep) {
    Case k;
    case_start(&k, fault);
    Node *x = case_input(&k, DT_float32, 4, FILL_ones, 0);
    Node *a = case_unary(&k, OP_reciprocal, case_scalar(&k, OP_mul_Scalar, x, scalar_float(0.0)));
    Node *b = case_unary(&k, OP_reciprocal, case_scalar(&k, OP_mul_Scalar, x, scalar_float(-0.0)));
    Node *c = case_unary(&k, OP_reciprocal, case_scalar(&k, OP_mul_Scalar, x, scalar_float(0.0)));
    case_return(&k, case_binary(&k, OP_add_Tensor, a, b));
    case_return(&k, case_binary(&k, OP_add_Tensor, a, c));
    const char *text = case_check(&k, PASS_cse | PASS_dce);
    *complaint = text ? arena_strdup(keep, text) : NULL;
    int n = count_ops(k.g, OP_reciprocal);
    case_end(&k);
    return n;
}

START_TEST(cse_merges_equal_bits_only) {
    const char *complaint;
    Arena keep = ARENA_EMPTY;
    ck_assert_int_eq(cse_case(FAULT_NONE, &complaint, &keep), 2);
    ck_assert_msg(complaint == NULL, "%s", complaint);
    ck_assert_int_eq(cse_case(FAULT_NU_12, &complaint, &keep), 1);
    ck_assert_ptr_nonnull(complaint);
    arena_destroy(&keep);
}
END_TEST

START_TEST(cse_keeps_returned_storages_and_checks_apart) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_int64, 4, FILL_ones, 0);
    Node *a = case_unary(&k, OP_neg, x), *b = case_unary(&k, OP_neg, x);
    graph_check(k.g, CHECK_NONZERO, a, 0, ERR_invalid, "zero", 1);
    graph_check(k.g, CHECK_NONZERO, a, 0, ERR_invalid, "zero", 2);
    case_return(&k, a);
    case_return(&k, b);
    ck_assert_ptr_null(case_check(&k, PASSES_ALL));
    ck_assert_int_eq(count_ops(k.g, OP_neg), 2);
    int checks = 0;
    for (int i = 0; i < k.g->n; i++) {
        checks += k.g->node[i]->kind == NODE_CHECK;
    }
    ck_assert_int_eq(checks, 2);
    case_end(&k);
}
END_TEST

START_TEST(fuse_makes_one_nest_of_a_chain_and_not_across_a_layout) {
    static const int64_t size[2] = {3, 3}, stride[2] = {3, 1}, turned[2] = {1, 3};
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_view(&k, case_input(&k, DT_float32, 9, FILL_dyadic, 1), 2, size, stride, 0);
    Node *a = case_unary(&k, OP_neg, x), *b = case_unary(&k, OP_abs, a), *c = case_binary(&k, OP_add_Tensor, a, b);
    Node *d = case_binary(&k, OP_sub_Tensor, c, case_view(&k, c, 2, size, turned, 0));
    case_return(&k, d);
    ck_assert_ptr_null(case_check(&k, PASSES_ALL));
    ck_assert_int_ge(a->group, 0);
    ck_assert_int_eq(a->group, b->group);
    ck_assert_int_eq(a->group, c->group);
    ck_assert_int_eq(d->group, -1);
    ck_assert_int_lt(a->buffer, 0); /* only a register */
    case_end(&k);
}
END_TEST

/* exp(x) and, 0: sin(x), 1: sin(other input), 2: sin(exp(x) transposed), 3: sin(x transposed). */
static bool neighbours_share_a_nest(int which) {
    static const int64_t size[2] = {3, 3}, stride[2] = {3, 1}, turned[2] = {1, 3};
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_view(&k, case_input(&k, DT_float32, 9, FILL_dyadic, 1), 2, size, stride, 0);
    Node *other = case_view(&k, case_input(&k, DT_float32, 9, FILL_dyadic, 2), 2, size, stride, 0), *a = case_unary(&k, OP_exp, x);
    Node *of = which == 0 ? x : which == 1 ? other : case_view(&k, which == 2 ? a : x, 2, size, turned, 0);
    Node *b = case_unary(&k, OP_sin, of);
    case_return(&k, a);
    case_return(&k, b);
    const char *complaint = case_check(&k, PASSES_ALL & ~PASS_rules);
    ck_assert_msg(complaint == NULL, "%s", complaint);
    bool together = a->group >= 0 && a->group == b->group;
    case_end(&k);
    return together;
}

START_TEST(nests_that_read_one_buffer_are_fused_unless_one_needs_the_other) {
    ck_assert(neighbours_share_a_nest(0));
    ck_assert(!neighbours_share_a_nest(1));
    ck_assert(!neighbours_share_a_nest(2));
    ck_assert(neighbours_share_a_nest(3));
}
END_TEST

/* x[[0, 0]] += x[[0, 0]] */
static const char *twice_case(Case *k, FaultId fault, bool distinct) {
    static const int64_t size[2] = {2, 2}, stride[2] = {2, 1};
    case_start(k, fault);
    Node *x = case_input(k, DT_float32, 4, FILL_ones, 0), *v = case_view(k, x, 2, size, stride, 0);
    Call arange = call_new(OP_arange);
    arange.arg[0].scalar = scalar_int(2);
    Node *index = distinct ? case_op(k, &arange) : case_input(k, DT_int64, 2, FILL_zeros, 0);
    Tensor *list[1] = {&index->t};
    Call get = call_new(OP_index), put = call_new(OP__index_put);
    get.arg[0].tensor = put.arg[0].tensor = &v->t;
    get.arg[1] = put.arg[1] = (Arg){.tensors = {list, 1}};
    Node *got = case_op(k, &get);
    put.arg[2].tensor = &case_binary(k, OP_add_Tensor, got, got)->t;
    put.arg[3] = (Arg){.b = false};
    k->g->written[0] = case_op(k, &put);
    return case_check(k, PASSES_ALL & ~PASS_rules); /* the rules would make a view of it */
}

START_TEST(gather_and_scatter_share_a_nest_only_with_unique_indices) {
    Case k;
    ck_assert_ptr_null(twice_case(&k, FAULT_NONE, false));
    case_end(&k);
    ck_assert_ptr_null(twice_case(&k, FAULT_NONE, true));
    ck_assert_int_ge(k.g->written[0]->group, 0);
    ck_assert(k.g->written[0]->in_place);
    case_end(&k);
    ck_assert_ptr_nonnull(twice_case(&k, FAULT_IX_1, false));
    case_end(&k);
}
END_TEST

START_TEST(a_store_is_in_place_unless_somebody_reads_its_base_later) {
    for (int later = 0; later < 2; later++) {
        Case k;
        case_start(&k, FAULT_NONE);
        Node *x = case_input(&k, DT_float32, 9, FILL_dyadic, 1), *base = case_unary(&k, OP_exp, x);
        Tensor region = {.dtype = DT_float32, .ndim = 1, .size = {3}, .stride = {3}, .offset = 1};
        static const int64_t size[1] = {3}, stride[1] = {1};
        Node *store = case_store(&k, base, case_view(&k, x, 1, size, stride, 5), &region);
        case_return(&k, store);
        if (later) {
            case_return(&k, case_unary(&k, OP_sum, base));
        }
        k.loose = true;
        ck_assert_ptr_null(case_check(&k, PASSES_ALL & ~PASS_fuse));
        ck_assert_int_eq(store->in_place, !later);
        case_end(&k);
    }
}
END_TEST

START_TEST(a_store_that_reads_its_own_base_shifted_is_not_in_place) {
    for (int shift = 0; shift < 4; shift++) {
        Case k;
        case_start(&k, FAULT_NONE);
        Node *x = case_input(&k, DT_float32, 400, FILL_uniform, 1);
        Tensor region = {.dtype = DT_float32, .ndim = 1, .size = {300}, .stride = {1}, .offset = 1};
        Node *read = case_view(&k, x, 1, region.size, region.stride, shift);
        k.g->written[0] = case_store(&k, x, case_scalar(&k, OP_mul_Scalar, read, scalar_float(0.5)), &region);
        ck_assert_ptr_null(case_check(&k, PASSES_ALL));
        case_end(&k);
    }
}
END_TEST

START_TEST(an_input_is_written_in_place_only_for_its_own_write_back) {
    for (int i = 0; i < 3; i++) { /* 0: its value; 1: another value; 2: a check comes later */
        Case k;
        case_start(&k, FAULT_NONE);
        Node *x = case_input(&k, DT_float32, 9, FILL_dyadic, 1), *index = case_input(&k, DT_int64, 2, FILL_ones, 1);
        Tensor region = {.dtype = DT_float32, .ndim = 1, .size = {3}, .stride = {3}, .offset = 1};
        static const int64_t size[1] = {3}, stride[1] = {1};
        Node *store = case_store(&k, x, case_view(&k, case_input(&k, DT_float32, 9, FILL_special, 7), 1, size, stride, 5), &region);
        if (i == 1) {
            case_return(&k, store);
        }
        k.g->written[0] = i == 1 ? case_full(&k, x, scalar_int(0)) : store;
        if (i == 2) {
            graph_check(k.g, CHECK_NONZERO, index, 0, ERR_invalid, "zero", 1);
        }
        ck_assert_ptr_null(case_check(&k, PASSES_ALL & ~PASS_fuse));
        ck_assert_int_eq(store->in_place, i == 0);
        case_end(&k);
    }
}
END_TEST

START_TEST(dead_nodes_go_and_checks_stay) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_int64, 4, FILL_ones, 0);
    Node *dead = case_unary(&k, OP_abs, x), *checked = case_unary(&k, OP_neg, x);
    case_unary(&k, OP_sign, dead);
    graph_check(k.g, CHECK_NONZERO, checked, 0, ERR_invalid, "zero", 1);
    case_return(&k, case_unary(&k, OP_square, x));
    ck_assert_ptr_null(case_check(&k, PASS_dce));
    ck_assert_int_eq(count_ops(k.g, OP_abs) + count_ops(k.g, OP_sign), 0);
    ck_assert_int_eq(count_ops(k.g, OP_neg), 1);
    case_end(&k);
}
END_TEST

START_TEST(the_gate_stops_every_rewrite) {
    for (int64_t limit = 0; limit < 6; limit++) {
        Case k;
        case_start(&k, FAULT_NONE);
        k.options.opt_limit = limit;
        Node *x = case_input(&k, DT_float32, 4, FILL_dyadic, 2);
        Node *a = case_unary(&k, OP_neg, case_unary(&k, OP_neg, x)), *b = case_unary(&k, OP_neg, case_unary(&k, OP_neg, x));
        case_return(&k, case_binary(&k, OP_add_Tensor, a, b));
        ck_assert_ptr_null(case_check(&k, PASSES_ALL));
        ck_assert_int_ge(k.counters.gate_steps, limit);
        bool fused = false;
        for (int i = 0; i < k.g->n; i++) {
            fused |= k.g->node[i]->group >= 0;
        }
        ck_assert_msg(limit > 0 || (count_ops(k.g, OP_neg) == 4 && !fused), "limit 0 let something through");
        ck_assert_msg(limit < 5 || count_ops(k.g, OP_neg) < 4, "limit 5 let nothing through");
        case_end(&k);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("unit_graph");
    TCase *tests = tcase_create("graph");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, verifier_finds_every_broken_invariant);
    tcase_add_test(tests, a_broken_graph_can_be_printed);
    tcase_add_test(tests, a_graph_prints_as_documented);
    tcase_add_test(tests, rules_keep_nan_signed_zeros_and_infinities);
    tcase_add_test(tests, rules_hold_for_integers);
    tcase_add_test(tests, fold_computes_constants_as_the_kernels_do);
    tcase_add_test(tests, fold_computes_small_constants_and_drops_only_checks_that_pass);
    tcase_add_test(tests, cse_merges_equal_bits_only);
    tcase_add_test(tests, cse_keeps_returned_storages_and_checks_apart);
    tcase_add_test(tests, fuse_makes_one_nest_of_a_chain_and_not_across_a_layout);
    tcase_add_test(tests, nests_that_read_one_buffer_are_fused_unless_one_needs_the_other);
    tcase_add_test(tests, gather_and_scatter_share_a_nest_only_with_unique_indices);
    tcase_add_test(tests, a_store_is_in_place_unless_somebody_reads_its_base_later);
    tcase_add_test(tests, a_store_that_reads_its_own_base_shifted_is_not_in_place);
    tcase_add_test(tests, an_input_is_written_in_place_only_for_its_own_write_back);
    tcase_add_test(tests, dead_nodes_go_and_checks_stay);
    tcase_add_test(tests, the_gate_stops_every_rewrite);
    suite_add_tcase(suite, tests);
    return run_suite("unit_graph", suite);
}
