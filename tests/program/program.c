/* Programs as trees: names, statement numbers and paths, binding arguments, inputs, recording,
 * copies, and the verifier. */
#include "program/json/json.h"
#include "tests/support/runner.h"

#include <math.h>
#include <string.h>

static Arena arena;

static Program *parsed(const char *text) {
    char message[512];
    Program *p = NULL;
    ck_assert_msg(program_parse(&arena, text, strlen(text), &p, message, sizeof message) ==
                      PARSE_OK,
                  "%s\n%s", message, text);
    return p;
}
static Program *with_body(const char *body) {
    return parsed(arena_printf(&arena,
                               "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\","
                               "\"size\":[2,3],\"data\":{\"fill\":\"arange\"}}],"
                               "\"body\":[%s],\"return\":[\"x\"]}",
                               body));
}

/* ---- names ---- */

START_TEST(a_name_gets_one_id_and_keeps_it) {
    Names names = {.arena = &arena};
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(names_intern(&names, arena_printf(&arena, "n%d", i)), i);
    }
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(names_intern(&names, arena_printf(&arena, "n%d", i)), i);
        ck_assert_str_eq(names.v[i], arena_printf(&arena, "n%d", i));
    }
}
END_TEST

START_TEST(interning_stops_at_the_limit_of_names) {
    Names names = {.arena = &arena};
    for (int i = 0; i < MAX_NAMES; i++) {
        ck_assert_int_eq(names_intern(&names, arena_printf(&arena, "n%d", i)), i);
    }
    ck_assert_int_eq(names_intern(&names, "one_more"), NAME_NONE);
    ck_assert_int_eq(names_intern(&names, "n8191"), 8191);
}
END_TEST

START_TEST(names_are_words_of_at_most_64_bytes) {
    ck_assert(name_valid("_"));
    ck_assert(name_valid("aZ_09"));
    ck_assert(name_valid("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    ck_assert(!name_valid("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    ck_assert(!name_valid(""));
    ck_assert(!name_valid("0a"));
    ck_assert(!name_valid("a-b"));
    ck_assert(!name_valid("\xC3\xA9"));
}
END_TEST

START_TEST(probe_names_read_back) {
    for (int k = 0; k < PROBE_COUNT; k++) {
        ProbeKind kind;
        ck_assert(probe_parse(probe_name((ProbeKind)k), &kind) && (int)kind == k);
    }
    ProbeKind kind;
    ck_assert(!probe_parse("grad_fn", &kind));
}
END_TEST

/* ---- numbers and paths ---- */

static const char *const nested =
    "{\"twingrad\":1,\"setup\":[{\"graph_break\":true},{\"with\":\"no_grad\",\"body\":[{\"graph_"
    "break\":true}]}],\"body\":[{\"graph_break\":true},"
    "{\"if\":{\"is_grad_enabled\":true},\"then\":[{\"graph_break\":true},{\"with\":\"enable_grad\","
    "\"body\":[{\"graph_break\":true}]}],"
    "\"else\":[{\"graph_break\":true}]},{\"if\":{\"is_grad_enabled\":true},\"then\":[],\"else\":[{"
    "\"graph_break\":true}]},{\"graph_break\":true}],"
    "\"return\":[]}";
static const char *const nested_paths[] = {
    "setup[0]",        "setup[1]",        "setup[1].body[0]", "body[0]",
    "body[1]",         "body[1].then[0]", "body[1].then[1]",  "body[1].then[1].body[0]",
    "body[1].else[0]", "body[2]",         "body[2].else[0]",  "body[3]",
};

START_TEST(numbers_and_paths_name_the_same_statements) {
    const Program *p = parsed(nested);
    ck_assert_int_eq(p->nstmts, COUNT_OF(nested_paths));
    ck_assert_int_eq(program_size(p), COUNT_OF(nested_paths) - 3);
    for (int sid = 0; sid < p->nstmts; sid++) {
        ck_assert_str_eq(program_path(&arena, p, sid), nested_paths[sid]);
        ck_assert_int_eq(program_find(p, nested_paths[sid]), sid);
        ck_assert_int_eq(program_stmt(p, sid)->sid, sid);
    }
    ck_assert_ptr_null(program_stmt(p, p->nstmts));
    ck_assert_ptr_null(program_stmt(p, -1));
}
END_TEST

START_TEST(paths_that_lead_nowhere_are_not_found) {
    const Program *p = parsed(nested);
    static const char *const bad[] = {"",
                                      "body",
                                      "body[]",
                                      "body[9]",
                                      "body[-1]",
                                      "body[00]",
                                      "body[1]x",
                                      "body[1].",
                                      "body[1].body[0]",
                                      "then[0]",
                                      "body[0].then[0]",
                                      "body[1].then[2]",
                                      "setup[1].then[0]",
                                      "return",
                                      "body[99999999999999999999]"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        ck_assert_msg(program_find(p, bad[i]) == -1, "%s", bad[i]);
    }
    ck_assert(path_valid("body[9].then[0].else[12].body[3]"));
    ck_assert(!path_valid("body[9].setup[0]") && !path_valid("body[01]") && !path_valid("") &&
              !path_valid("body[1]..then[0]"));
}
END_TEST

START_TEST(an_edit_is_renumbered_in_preorder) {
    Program *p = parsed(nested);
    p->body.first = p->body.first->next; /* drop body[0] */
    program_number(p);
    ck_assert_int_eq(p->nstmts, COUNT_OF(nested_paths) - 1);
    ck_assert_int_eq(p->body.count, 3);
    ck_assert_str_eq(program_path(&arena, p, 5), "body[0].then[1]");
}
END_TEST

/* ---- binding ---- */

typedef struct Env {
    Tensor tensors[8];
    Tensor *env[64];
} Env;

/* Binds a name to a float32 metadata tensor stored in `slot`. */
static Tensor *bind_name(Env *e, const Program *p, const char *name, int slot, int ndim,
                         const int64_t *size) {
    for (int i = 0; i < p->nnames; i++) {
        if (strcmp(p->names[i], name) == 0) {
            tensor_set_contiguous(&e->tensors[slot], DT_float32, size, ndim);
            e->env[i] = &e->tensors[slot];
        }
    }
    return &e->tensors[slot];
}

static ErrCode bind_first(const Program *p, const Env *e, Call *call, Error *err) {
    *err = (Error){0};
    return stmt_bind(p->body.first, p, e->env, &arena, call, err);
}

START_TEST(omitted_arguments_take_the_schemas_defaults) {
    Env e = {0};
    const Program *p = with_body("{\"op\":\"add\",\"self\":\"x\",\"other\":\"x\",\"out\":\"y\"}");
    Tensor *x = bind_name(&e, p, "x", 0, 2, (int64_t[]){2, 3});
    Call call;
    Error err;
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert_ptr_eq(call.arg[0].tensor, x);
    ck_assert_ptr_eq(call.arg[1].tensor, x);
    ck_assert(call.arg[2].scalar.kind == CAT_INT && call.arg[2].scalar.i == 1);
    p = with_body("{\"op\":\"slice\",\"self\":\"x\",\"end\":null,\"out\":\"y\"}");
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert(call.arg[1].i == 0 && call.arg[2].none && call.arg[3].none && call.arg[4].i == 1);
}
END_TEST

START_TEST(an_unbound_name_is_the_error_invalid_where_it_is_read) {
    Env e = {0};
    const Program *p = with_body("{\"op\":\"add\",\"self\":\"x\",\"other\":\"z\",\"out\":\"y\"}");
    bind_name(&e, p, "x", 0, 2, (int64_t[]){2, 3});
    Call call;
    Error err;
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_invalid);
    ck_assert_str_eq(err.text, "the name 'z' is not bound");
    p = with_body("{\"op\":\"cat\",\"tensors\":[\"x\",\"z\"],\"out\":\"y\"}");
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_invalid);
    p = with_body("{\"op\":\"getitem\",\"self\":\"x\",\"index\":[\"z\"],\"out\":\"y\"}");
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_invalid);
}
END_TEST

START_TEST(size_of_is_the_size_at_that_moment) {
    Env e = {0};
    const Program *p = with_body("{\"op\":\"zeros\",\"size\":[{\"size_of\":[\"x\",-1]},4,{\"size_"
                                 "of\":[\"x\",0]}],\"out\":\"y\"}");
    bind_name(&e, p, "x", 0, 2, (int64_t[]){2, 3});
    Call call;
    Error err;
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert_int_eq(call.arg[0].ints.n, 3);
    ck_assert(call.arg[0].ints.v[0] == 3 && call.arg[0].ints.v[1] == 4 &&
              call.arg[0].ints.v[2] == 2);
    bind_name(&e, p, "x", 0, 1, (int64_t[]){7});
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert(call.arg[0].ints.v[0] == 7 && call.arg[0].ints.v[2] == 7);
    bind_name(&e, p, "x", 0, 0, NULL);
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_index_range);
    p = with_body("{\"op\":\"zeros\",\"size\":[{\"size_of\":[\"x\",2]}],\"out\":\"y\"}");
    bind_name(&e, p, "x", 0, 2, (int64_t[]){2, 3});
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_index_range);
    p = with_body("{\"op\":\"zeros\",\"size\":[{\"size_of\":[\"z\",2]}],\"out\":\"y\"}");
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_invalid);
}
END_TEST

START_TEST(a_single_int_stands_for_a_list_of_fixed_length) {
    Env e = {0};
    const Program *p = with_body("{\"op\":\"sum\",\"self\":\"x\",\"dim\":-1,\"out\":\"y\"}");
    bind_name(&e, p, "x", 0, 2, (int64_t[]){2, 3});
    Call call;
    Error err;
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert(!call.arg[1].none && call.arg[1].ints.n == 1 && call.arg[1].ints.v[0] == -1);
    p = with_body("{\"op\":\"sum\",\"self\":\"x\",\"dim\":null,\"out\":\"y\"}");
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert(call.arg[1].none);
}
END_TEST

START_TEST(index_items_are_bound_one_by_one) {
    Env e = {0};
    const Program *p = with_body("{\"op\":\"getitem\",\"self\":\"x\",\"index\":[[1,null,{\"size_"
                                 "of\":[\"x\",0]}],null,\"...\",false,-2,\"i\",{\"list\":[3,4]}],"
                                 "\"out\":\"y\"}");
    bind_name(&e, p, "x", 0, 2, (int64_t[]){2, 3});
    Tensor *i = bind_name(&e, p, "i", 1, 1, (int64_t[]){5});
    Call call;
    Error err;
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    const IndexItem *v = call.arg[1].index.v;
    ck_assert_int_eq(call.arg[1].index.n, 7);
    ck_assert(v[0].kind == INDEX_SLICE && v[0].has_start && v[0].start == 1 && !v[0].has_stop &&
              v[0].has_step && v[0].step == 2);
    ck_assert(v[1].kind == INDEX_NEWAXIS && v[2].kind == INDEX_ELLIPSIS);
    ck_assert(v[3].kind == INDEX_BOOL && v[3].start == 0);
    ck_assert(v[4].kind == INDEX_INT && v[4].start == -2);
    ck_assert(v[5].kind == INDEX_TENSOR && v[5].tensor == i);
    ck_assert(v[6].kind == INDEX_LIST && v[6].count == 2 && v[6].list[1] == 4);
}
END_TEST

START_TEST(a_half_dtype_is_bound) {
    Env e = {0};
    const Program *p =
        with_body("{\"op\":\"zeros\",\"size\":[2],\"dtype\":\"float16\",\"out\":\"y\"}");
    Call call;
    Error err;
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert_int_eq(call.arg[op_param(call.op, "dtype")].dtype, DT_float16);
}
END_TEST

START_TEST(a_tensor_or_a_scalar_can_be_set) {
    Env e = {0};
    const Program *p =
        with_body("{\"op\":\"setitem\",\"self\":\"x\",\"index\":[0],\"value\":\"x\"}");
    Tensor *x = bind_name(&e, p, "x", 0, 2, (int64_t[]){2, 3});
    Call call;
    Error err;
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert(call.arg[2].is_tensor && call.arg[2].tensor == x);
    p = with_body("{\"op\":\"setitem\",\"self\":\"x\",\"index\":[0],\"value\":0.5}");
    ck_assert_int_eq(bind_first(p, &e, &call, &err), ERR_none);
    ck_assert(!call.arg[2].is_tensor && call.arg[2].scalar.f == 0.5);
}
END_TEST

/* ---- copies and the verifier ---- */

START_TEST(a_clone_prints_the_same_after_the_original_is_gone) {
    const char *text =
        "{\"twingrad\": 1, \"name\": \"n\", \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", "
        "\"size\": [2], \"data\": [0.5, 1]}], \"body\": [{\"op\": "
        "\"getitem\", \"self\": \"x\", \"index\": [{\"list\": [0, 1]}, \"...\"], \"out\": \"a\"}, "
        "{\"op\": \"cat\", \"tensors\": [\"x\", \"a\"], \"dim\": 0, "
        "\"out\": \"b\"}, {\"op\": \"tensor\", \"data\": [1, 2], \"size\": [2], \"dtype\": "
        "\"int16\", \"out\": \"c\"}, {\"op\": \"div\", \"self\": \"b\", "
        "\"other\": 2, \"rounding_mode\": \"trunc\", \"out\": \"b\"}, {\"if\": {\"not\": {\"not\": "
        "{\"is_leaf\": \"b\"}}}, \"then\": [{\"probe\": \"size\", "
        "\"of\": \"x\"}], \"else\": []}, {\"op\": \"grad\", \"outputs\": [\"b\"], \"inputs\": "
        "[\"x\"], \"grad_outputs\": [null], \"out\": [\"g\"]}], "
        "\"return\": [\"b\"], \"backward\": {\"fill\": \"ones\", \"seed\": 1, \"of\": [0]}, "
        "\"args\": [\"x\"], \"recalls\": [{\"keep\": true, \"set\": "
        "{\"x\": {\"requires_grad\": true}}}], \"shell\": {\"roles\": {\"x\": \"arg\"}, "
        "\"spelling\": {\"body[0]\": \"method\"}, \"outline\": [[0, 1]]}, "
        "\"expect\": {\"twingrad_result\": 1, \"calls\": [{\"status\": \"ok\", \"trace\": "
        "[{\"at\": \"body[4].then[0]\", \"probe\": \"size\", \"value\": "
        "[2]}], \"returns\": [{\"dtype\": \"float32\", \"size\": [1], \"data\": [3]}], \"inputs\": "
        "[{\"name\": \"x\", \"data\": [0.5, 1], \"grad\": "
        "null}]}]}, \"x-k\": 1}";
    Program *p = parsed(text);
    Arena other = ARENA_EMPTY;
    Program *copy = program_clone(&other, p);
    arena_destroy(&arena);
    Text out = {.arena = &other};
    program_print(&out, copy, true);
    ck_assert_msg(strcmp(out.v, text) == 0, "%s\n%s", text, out.v);
    char message[256];
    ck_assert_msg(program_verify(copy, message, sizeof message), "%s", message);
    arena_destroy(&other);
}
END_TEST

static void broken(const Program *p, const char *expected) {
    char message[256] = "";
    ck_assert_msg(!program_verify(p, message, sizeof message), "verified, but: %s", expected);
    ck_assert_str_eq(message, expected);
}

START_TEST(the_verifier_names_the_broken_invariant) {
    const char *body = "{\"op\":\"neg\",\"self\":\"x\",\"out\":\"y\"},{\"with\":\"no_grad\","
                       "\"body\":[{\"probe\":\"size\",\"of\":\"x\"}]},{\"op\":\"sum\","
                       "\"self\":\"x\",\"dim\":[0],\"out\":\"y\"}";
    Program *p = with_body(body);
    p->body.first->next->body.first->of = 99;
    broken(p, "body[1].body[0]: the probe is malformed");
    p = with_body(body);
    p->body.first->arg[0].tensor = NAME_NONE;
    broken(p, "body[0]: the argument \"self\" of neg is malformed");
    p = with_body(body);
    p->body.first->arg[0].given = false;
    broken(p, "body[0]: the argument \"self\" of neg is malformed");
    p = with_body(body);
    p->body.first->nout = 0;
    broken(p, "body[0]: only an in-place op can do without out");
    p = with_body(body);
    p->body.first->requires_grad = true;
    broken(p, "body[0]: only a factory takes requires_grad");
    p = with_body(body);
    p->body.first->op = op_info(OP__to_copy);
    broken(p, "body[0]: no op that a program can name");
    p = with_body(body);
    p->body.first = p->body.first->next;
    broken(p, "the statements are not numbered");
    p = with_body(body);
    p->returns[0] = 99;
    broken(p, "return: a name out of range");
    p = with_body(body);
    p->inputs[0].size[1] = -1;
    broken(p, "inputs[0].size: a negative number");
    p = with_body(body);
    p->inputs[0].data.given = false;
    broken(p, "inputs[0]: the key \"data\" is missing");
    p = with_body(body);
    p->nnames = MAX_NAMES + 1;
    broken(p, "more than 8192 different names");
}
END_TEST

static void setup(void) { arena = ARENA_EMPTY; }
static void teardown(void) { arena_destroy(&arena); }

int main(void) {
    Suite *suite = suite_create("program");
    TCase *tcase = tcase_create("program");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_name_gets_one_id_and_keeps_it);
    tcase_add_test(tcase, interning_stops_at_the_limit_of_names);
    tcase_add_test(tcase, names_are_words_of_at_most_64_bytes);
    tcase_add_test(tcase, probe_names_read_back);
    tcase_add_test(tcase, numbers_and_paths_name_the_same_statements);
    tcase_add_test(tcase, paths_that_lead_nowhere_are_not_found);
    tcase_add_test(tcase, an_edit_is_renumbered_in_preorder);
    tcase_add_test(tcase, omitted_arguments_take_the_schemas_defaults);
    tcase_add_test(tcase, an_unbound_name_is_the_error_invalid_where_it_is_read);
    tcase_add_test(tcase, size_of_is_the_size_at_that_moment);
    tcase_add_test(tcase, a_single_int_stands_for_a_list_of_fixed_length);
    tcase_add_test(tcase, index_items_are_bound_one_by_one);
    tcase_add_test(tcase, a_half_dtype_is_bound);
    tcase_add_test(tcase, a_tensor_or_a_scalar_can_be_set);
    tcase_add_test(tcase, a_clone_prints_the_same_after_the_original_is_gone);
    tcase_add_test(tcase, the_verifier_names_the_broken_invariant);
    suite_add_tcase(suite, tcase);
    return run_suite("program/program", suite);
}
