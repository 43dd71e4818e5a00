/* The graph: every rule of the verifier broken once, and printing, of broken graphs too. */
#include "tests/support/graph_case.h"
#include "tests/support/runner.h"

/* A small graph to break. */

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
    Tensor slice = s->view->t;
    slice.ndim = 1;
    slice.size[0] = 3;
    slice.stride[0] = 1;
    static const int64_t row[1] = {3}, one[1] = {1};
    s->store = case_store(&s->k, s->x, case_view(&s->k, s->op, 1, row, one, 3), &slice);
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
static void foreign_operand(Small *s) {
    s->store->in[1] = graph_op(graph_new(&s->k.arena), s->op->call, &s->op->t, 0);
}
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
static void in_place_op(Small *s) {
    ((Call *)s->op->call)->op = op_info(OP_neg_), s->op->op = OP_neg_;
}
static void other_op(Small *s) { s->op->op = OP_abs; }
static void call_differs(Small *s) { ((Call *)s->op->call)->arg[0].tensor = &s->x->t; }
static void store_into_view(Small *s) { s->store->in[0] = s->view; }
static void store_layout(Small *s) { s->store->t.size[0] = 3; }
static void slice_outside(Small *s) { s->store->slice.offset = 4; }
static void slice_dtype(Small *s) { s->store->slice.dtype = DT_int64; }
static void value_does_not_fit(Small *s) { s->store->slice.size[0] = 2; }
static void write_in_functional(Small *s) { graph_write(s->k.g, s->x, s->view, 0); }
static void check_of_floats(Small *s) { s->check->in[0] = s->x; }
static void check_code(Small *s) { s->check->check_code = ERR_none; }
static void checks_out_of_order(Small *s) {
    graph_check(s->k.g, CHECK_INDEX, s->index, 4, ERR_index_range, "out", 0);
}
static void group_torn(Small *s) {
    s->view->group = -1, s->op->group = 1, s->index->group = 1, s->check->group = -1;
}
static void in_place_without_base(Small *s) {
    s->op->in_place = true, s->op->nin = 0, call_init((Call *)s->op->call, OP_zeros),
    s->op->op = OP_zeros;
}
static void return_not_there(Small *s) {
    s->k.g->ret[0].value = graph_op(graph_new(&s->k.arena), s->op->call, &s->op->t, 0);
}
static void return_is_view(Small *s) { s->k.g->ret[0].value = s->view; }
static void return_outside(Small *s) { s->k.g->ret[0].layout.offset = 3; }
static void return_of_no_input(Small *s) {
    s->k.g->ret[0].aliases_input = true, s->k.g->ret[0].storage = 2;
}
static void gradient_not_there(Small *s) {
    case_wanted(&s->k, graph_op(graph_new(&s->k.arena), s->op->call, &s->op->t, 0));
}
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
              {slice_outside, "outside its base"},
              {slice_dtype, "slice of another dtype"},
              {value_does_not_fit, "does not fit its slice"},
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
        ck_assert_msg(!graph_verify(s.k.g, true, message, sizeof message),
                      "break %d (%s) was not found", i, breaks[i].says);
        ck_assert_msg(strstr(message, breaks[i].says) != NULL, "break %d (%s): %s", i,
                      breaks[i].says, message);
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

/* Every field behind the metadata of a new node, also in memory that held something else before. */
START_TEST(a_new_node_is_initialised_to_its_end) {
    Arena arena = ARENA_EMPTY;
    memset(arena_alloc_raw(&arena, 1 << 14), 0xA5, 1 << 14);
    arena_reset(&arena);
    Graph *g = graph_new(&arena);
    Node *x = graph_input(g, 0, DT_int64, 3);
    const Node *check = graph_check(g, CHECK_INDEX, x, 4, ERR_index_range, "out", 1);
    const char *head = (const char *)check, *end = head + sizeof *check;
    for (const char *byte = (const char *)&check->slice; byte < end; byte++) {
        ck_assert_msg(*byte == 0, "byte %d of %d", (int)(byte - head), (int)sizeof *check);
    }
    arena_destroy(&arena);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("compiled/graph");
    TCase *tests = tcase_create("graph");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, verifier_finds_every_broken_invariant);
    tcase_add_test(tests, a_broken_graph_can_be_printed);
    tcase_add_test(tests, a_graph_prints_as_documented);
    tcase_add_test(tests, a_new_node_is_initialised_to_its_end);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/graph", suite);
}
