/* The option parser, pairs, edits of a program and the minimizer's reducers. */
#include "harness/reduce/edit.h"
#include "harness/triage/minimize.h"
#include "harness/reduce/reduce.h"
#include "tests/support/harness_case.h"

/* ---- options ---- */

static bool options(Options *o, const char *accepted, char *message, int argc,
                    const char *const *words) {
    static char *argv[8];
    bool help = false;
    for (int i = 0; i < argc; i++) {
        argv[i] = (char *)words[i];
    }
    *o = (Options){.command = "check"};
    return options_parse(o, argc, argv, accepted, &help, message, 256);
}

START_TEST(options_are_read_by_the_table) {
    Options o;
    char message[256];
    const char *words[] = {"--pair", "a,b", "x.json", "--seed=18446744073709551615",
                           "--json", "--",  "--odd"};
    ck_assert(options(&o, "pair seed json", message, 7, words));
    ck_assert_str_eq(o.pair, "a,b");
    ck_assert_uint_eq(o.seed, UINT64_MAX);
    ck_assert(o.json && o.seed_given);
    ck_assert_int_eq(o.nfiles, 2);
    ck_assert_str_eq(o.files[0], "x.json");
    ck_assert_str_eq(o.files[1], "--odd");
    ck_assert_int_eq(o.compile.fault, FAULT_NONE);
}
END_TEST

START_TEST(bad_options_are_refused_with_a_message) {
    static const char *const bad[][2] = {
        {"--seed", "x"},
        {"--seed", "-1"},
        {"--seed", "18446744073709551616"},
        {"--seed", NULL},
        {"--seconds", "0"},
        {"--seconds", "nan"},
        {"--seconds", "1e999"},
        {"--runs", "1.5"},
        {"--fault", "nothing"},
        {"--disable", "joint"},
        {"--disable", "nothing"},
        {"--json=1", NULL},
        {"--on", "reference"},
        {"-j", NULL},
        {"--pair", ""},
    };
    for (int i = 0; i < COUNT_OF(bad); i++) {
        Options o;
        char message[256] = "";
        ck_assert_msg(!options(&o, "pair seed seconds runs fault disable json", message,
                               bad[i][1] ? 2 : 1, bad[i]),
                      "%s was taken", bad[i][0]);
        ck_assert_int_gt(strlen(message), 10);
        ck_assert_ptr_null(strchr(message, '\n'));
    }
}
END_TEST

START_TEST(a_pair_is_two_known_executors) {
    static const char *const bad[] = {"reference",
                                      "reference,",
                                      ",compiled",
                                      "a,b",
                                      "reference,compiled,reference",
                                      "reference,nothing",
                                      ""};
    CompileOptions compile = COMPILE_DEFAULT;
    Checker c;
    char message[256];
    for (int i = 0; i < COUNT_OF(bad); i++) {
        ck_assert(!checker_open(&c, bad[i], &compile, message, sizeof message));
    }
    ck_assert(checker_open(&c, "compiled,reference", &compile, message, sizeof message));
}
END_TEST

/* ---- edits and reducers ---- */

static const char NESTED[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[4],\"data\":{"
    "\"fill\":\"ones\",\"seed\":0}}],"
    "\"body\":[{\"op\":\"neg\",\"self\":\"x\",\"out\":\"a\"},{\"with\":\"no_grad\",\"body\":["
    "{\"op\":\"abs\",\"self\":\"a\",\"out\":\"b\"},{\"op\":\"exp\",\"self\":\"b\",\"out\":\"c\"}]},"
    "{\"if\":{\"is_leaf\":\"x\"},\"then\":[{\"op\":\"sin\",\"self\":\"c\",\"out\":\"d\"}],"
    "\"else\":[{\"op\":\"cos\",\"self\":\"c\",\"out\":\"d\"}]}],\"return\":[\"d\"]}";

static const char GRADIENTS[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[],\"requires_"
    "grad\":true,\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
    "\"body\":[{\"op\":\"exp\",\"self\":\"x\",\"out\":\"a\"},{\"op\":\"grad\",\"outputs\":[\"a\","
    "\"x\"],\"inputs\":[\"x\",\"a\"],\"grad_outputs\":[\"x\",null],"
    "\"create_graph\":true,\"retain_graph\":false,\"allow_unused\":true,\"out\":[\"g\",\"h\"]}],"
    "\"return\":[\"g\"]}";

static const char *line_of(const Program *p) {
    Text t = {.arena = &arena};
    program_print(&t, p, true);
    return t.v;
}

START_TEST(a_prefix_keeps_statements_up_to_a_number_at_every_depth) {
    Program *p = parse(NESTED);
    edit_cut(p, 2);
    ck_assert_int_eq(p->nstmts, 3);
    ck_assert_ptr_nonnull(strstr(line_of(p), "abs"));
    ck_assert_ptr_null(strstr(line_of(p), "exp"));
    p = parse(NESTED);
    edit_cut(p, 5);
    ck_assert_ptr_null(strstr(line_of(p), "cos"));
    ck_assert_ptr_null(strstr(line_of(p), "else"));
}
END_TEST

START_TEST(inlining_puts_a_block_in_the_place_of_its_statement) {
    Program *p = parse(NESTED);
    ck_assert_int_eq(reduce_inline_block(p, 1), STEP_MADE);
    ck_assert_int_eq(p->body.count, 4);
    ck_assert_ptr_null(strstr(line_of(p), "no_grad"));
    ck_assert_int_eq(reduce_inline_else(p, 3), STEP_MADE);
    ck_assert_int_eq(p->body.count, 4);
    ck_assert_ptr_nonnull(strstr(line_of(p), "cos"));
    ck_assert_ptr_null(strstr(line_of(p), "sin"));
    char message[256];
    ck_assert_msg(program_verify(p, message, sizeof message), "%s", message);
}
END_TEST

START_TEST(bypassing_renames_later_uses) {
    Program *p = parse(NESTED);
    ck_assert_int_eq(reduce_bypass(p, 9), STEP_MADE); /* c = exp(b) */
    const char *line = line_of(p);
    ck_assert_ptr_null(strstr(line, "exp"));
    ck_assert_ptr_null(strstr(line, "\"c\""));
}
END_TEST

/* y = x * 2 before the function, which is passed y and called with it again */
static const char SETUP[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[3],\"requires_"
    "grad\":true,\"data\":{\"fill\":\"dyadic\",\"seed\":3}}],"
    "\"setup\":[{\"op\":\"mul\",\"self\":\"x\",\"other\":2,\"out\":\"y\"},{\"op\":\"alias\","
    "\"self\":\"y\",\"out\":\"v\"}],\"args\":[\"y\",\"x\",\"v\"],"
    "\"body\":[{\"op\":\"neg\",\"self\":\"v\",\"out\":\"z\"}],\"return\":[\"z\"],\"backward\":{"
    "\"fill\":\"ones\",\"seed\":0},"
    "\"recalls\":[{\"keep\":true,\"set\":{\"v\":{\"requires_grad\":true},\"x\":{\"requires_grad\":"
    "false}}}]}";

START_TEST(what_the_setup_no_longer_makes_is_neither_passed_nor_set) {
    Program *p = parse(SETUP);
    bool drop[3] = {false, true, false};
    edit_drop(p, drop);
    ck_assert_int_eq(p->nargs, 2);
    ck_assert_int_eq(p->recalls[0].nset, 1);
    ck_assert_str_eq(p->names[p->recalls[0].set[0].name], "x");
    p = parse(SETUP);
    ck_assert_int_eq(reduce_bypass(p, 3), STEP_MADE); /* v is y now, which is passed once and set */
    ck_assert_int_eq(p->nargs, 2);
    ck_assert_str_eq(p->names[p->recalls[0].set[0].name], "y");
}
END_TEST

START_TEST(a_setup_can_move_into_the_body_and_a_call_take_the_first_inputs) {
    Program *p = parse(SETUP);
    ck_assert_int_eq(reduce_setup(p, 1), STEP_MADE);
    ck_assert_int_eq(p->body.count, 3);
    ck_assert(!p->setup_given && !p->args_given);
    p = parse(SETUP);
    ck_assert_int_eq(reduce_setup(p, 0), STEP_MADE);
    ck_assert_int_eq(p->nargs, 1);
    ck_assert_int_eq(reduce_keep(p, 0), STEP_MADE);
    ck_assert(!p->recalls[0].keep && p->recalls[0].ninputs == 1);
    ck_assert_int_eq(reduce_keep(p, 0), STEP_END);
}
END_TEST

START_TEST(a_grad_statement_loses_places_with_their_names_and_options) {
    Program *p = parse(GRADIENTS);
    ck_assert_int_eq(reduce_gradient(p, 0), STEP_MADE); /* x and g */
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"inputs\": [\"a\"]"));
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"out\": [\"h\"]"));
    p = parse(GRADIENTS);
    ck_assert_int_eq(reduce_gradient(p, 3), STEP_MADE); /* the output x, which is fed null */
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"outputs\": [\"a\"]"));
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"grad_outputs\": [\"x\"]"));
    p = parse(GRADIENTS);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(reduce_gradient_option(p, k), STEP_MADE);
    }
    ck_assert_int_eq(reduce_gradient_option(p, 4), STEP_END);
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"inputs\": [\"x\", \"a\"], \"out\""));
}
END_TEST

static const char FUNCTIONS[] =
    "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":{"
    "\"fill\":"
    "\"ones\",\"seed\":0}}],\"functions\":[{\"name\":\"u\",\"params\":[\"a\"],\"forward\":[],"
    "\"return\":[\"a\"],\"grad_outputs\":[\"g\"],\"backward\":[],\"grad_inputs\":[null]},"
    "{\"name\":\"f\",\"params\":[\"a\",\"b\"],\"forward\":[{\"op\":\"mul\",\"self\":\"a\","
    "\"other\":"
    "\"b\",\"out\":\"y\"}],\"return\":[\"y\",\"b\"],\"save\":[\"a\"],\"dirty\":[\"b\"],"
    "\"materialize_grads\":false,\"grad_outputs\":[\"g\",\"h\"],\"backward\":[{\"if\":{\"is_none\":"
    "\"g\"},\"then\":[],\"else\":[{\"op\":\"neg\",\"self\":\"g\",\"out\":\"g\"}]}],\"grad_inputs\":"
    "[\"g\",\"h\"]}],\"body\":[{\"op\":\"apply\",\"function\":\"f\",\"operands\":[\"x\",\"x\"],"
    "\"out\":[\"y\",\"z\"]}],\"return\":[\"y\"]}";

START_TEST(a_function_loses_options_statements_and_operands) {
    Program *p = parse(FUNCTIONS);
    ck_assert_int_eq(reduce_function(p, 0), STEP_MADE); /* nothing applies u */
    ck_assert_int_eq(p->nfunctions, 1);
    parse(line_of(p));
    p = parse(FUNCTIONS);
    ck_assert_int_eq(reduce_function(p, 3), STEP_NOTHING); /* f is applied */
    p = parse(FUNCTIONS);
    ck_assert_int_eq(reduce_function(p, 4), STEP_MADE);
    ck_assert_ptr_null(strstr(line_of(p), "materialize_grads"));
    p = parse(FUNCTIONS);
    ck_assert_int_eq(reduce_function(p, 7), STEP_MADE);
    ck_assert_ptr_null(strstr(line_of(p), "dirty"));
    p = parse(FUNCTIONS);
    ck_assert_int_eq(reduce_function_statement(p, 2), STEP_MADE); /* in the else */
    ck_assert_ptr_null(strstr(line_of(p), "neg"));
    p = parse(FUNCTIONS);
    ck_assert_int_eq(reduce_function_operand(p, 3), STEP_MADE); /* the parameter b */
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"operands\": [\"x\"], \"out\": [\"y\", \"z\"]"));
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"grad_inputs\": [\"g\"]"));
    p = parse(FUNCTIONS);
    ck_assert_int_eq(reduce_function_operand(p, 4), STEP_MADE); /* the return y */
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"out\": [\"z\"]"));
    parse(line_of(p));
    ck_assert_int_eq(reduce_function_operand(parse(FUNCTIONS), 6), STEP_END);
}
END_TEST

static const char HOOKS[] =
    "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":{"
    "\"fill\":\"ones\",\"seed\":0}}],\"functions\":[{\"name\":\"u\",\"params\":[\"g\"],"
    "\"forward\":[],\"return\":[]},{\"name\":\"h\",\"params\":[\"p\",\"g\"],\"forward\":[{\"op\":"
    "\"neg\",\"self\":\"g\",\"out\":\"r\"}],\"return\":[\"r\"]}],\"body\":[{\"op\":"
    "\"register_post_accumulate_grad_hook\",\"self\":\"x\",\"function\":\"h\"},{\"op\":"
    "\"remove_hook\",\"self\":\"x\",\"function\":\"h\"}],\"return\":[\"x\"]}";

START_TEST(a_hook_loses_its_statements_and_what_it_returns) {
    Program *p = parse(HOOKS);
    ck_assert_int_eq(reduce_function(p, 0), STEP_MADE); /* nothing registers u */
    ck_assert_int_eq(p->nfunctions, 1);
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"function\": \"h\""));
    parse(line_of(p));
    ck_assert_int_eq(reduce_function_operand(p, 0), STEP_MADE);
    ck_assert_ptr_nonnull(strstr(line_of(p), "\"return\": []"));
    ck_assert_int_eq(reduce_function_operand(p, 0), STEP_END);
    ck_assert_int_eq(reduce_function_statement(p, 0), STEP_MADE);
    ck_assert_ptr_null(strstr(line_of(p), "neg"));
    parse(line_of(p));
}
END_TEST

START_TEST(every_reducer_ends_and_leaves_a_well_formed_program_or_none) {
    static Step (*const reducers[])(Program *, int) = {
#define REDUCER(name, text) reduce_##name,
#include "harness/reduce/reducers.def"
#undef REDUCER
    };
    static const char *const programs[] = {PROGRAM, NESTED, SETUP, GRADIENTS, FUNCTIONS, HOOKS};
    for (int i = 0; i < COUNT_OF(programs); i++) {
        for (int r = 0; r < COUNT_OF(reducers); r++) {
            Step step = STEP_MADE;
            for (int k = 0; step != STEP_END; k++) {
                ck_assert_int_lt(k, 2000);
                Program *p = parse(programs[i]);
                step = reducers[r](p, k);
                char message[256];
                if (step == STEP_MADE && program_verify(p, message, sizeof message)) {
                    parse(line_of(p)); /* what it prints can be read */
                }
            }
        }
    }
}
END_TEST

/* ---- locating and minimizing, with the founding fault ---- */

static const char SKEW[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"vec\",\"dtype\":\"float32\",\"size\":[2,10],"
    "\"requires_grad\":true,"
    "\"data\":{\"fill\":\"dyadic\",\"seed\":7}}],\"body\":[{\"op\":\"zeros\",\"size\":[2,5,5],"
    "\"dtype\":\"float32\",\"out\":\"matrix\"},"
    "{\"op\":\"triu_indices\",\"row\":5,\"col\":5,\"offset\":1,\"out\":\"rc\"},{\"op\":\"unbind\","
    "\"self\":\"rc\",\"dim\":0,\"out\":[\"rows\",\"cols\"]},"
    "{\"op\":\"setitem\",\"self\":\"matrix\",\"index\":[[null,null,null],\"rows\",\"cols\"],"
    "\"value\":\"vec\"},"
    "{\"if\":{\"is_grad_enabled\":true},\"then\":[{\"assert\":{\"requires_grad\":\"matrix\"}}]},"
    "{\"op\":\"transpose\",\"self\":\"matrix\",\"dim0\":-2,\"dim1\":-1,\"out\":\"t\"},{\"op\":"
    "\"sub\",\"self\":\"matrix\",\"other\":\"t\",\"out\":\"skew\"}],"
    "\"return\":[\"skew\"],\"backward\":{\"fill\":\"dyadic\",\"seed\":8}}";

static Checker with_fault(const char *name) {
    Checker c;
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    ck_assert(fault_parse(name, &compile.fault));
    ck_assert(checker_open(&c, "reference,compiled", &compile, message, sizeof message));
    return c;
}

START_TEST(locating_names_the_write_not_the_assertion_that_saw_it) {
    Checker c = with_fault("RG-1");
    Program *p = parse(SKEW);
    CheckResult out;
    check_program(&c, p, &arena, &out);
    ck_assert_int_eq(out.verdict, FINDING);
    ck_assert_str_eq(out.finding.kind, "ok_vs_assertion");
    int64_t programs = c.programs;
    check_locate(&c, p, &out.finding, &arena);
    ck_assert_str_eq(out.finding.signature, "trace-requires_grad-setitem");
    ck_assert_str_eq(program_path(&arena, p, out.finding.culprit), "body[3]");
    ck_assert_int_eq(c.programs, programs); /* counters stay */
}
END_TEST

START_TEST(minimizing_keeps_the_signature_and_drops_what_it_does_not_need) {
    Checker c = with_fault("RG-1");
    Program *p = parse(SKEW);
    CheckResult out;
    check_program(&c, p, &arena, &out);
    check_locate(&c, p, &out.finding, &arena);
    MinimizeStats stats = {.checks = 5000};
    Program *small = minimize_program(&arena, p, &c, &out.finding, &stats, NULL, NULL);
    ck_assert_int_le(program_size(small), 3);
    ck_assert_int_gt(stats.kept, 0);
    ck_assert_int_eq(c.programs, 1);
    CheckResult again;
    check_program(&c, small, &arena, &again);
    check_locate(&c, small, &again.finding, &arena);
    ck_assert_str_eq(again.finding.signature, out.finding.signature);
    c.a.compile.fault = c.b.compile.fault = FAULT_NONE;
    check_program(&c, small, &arena, &again);
    ck_assert_int_eq(again.verdict, AGREE);
}
END_TEST

START_TEST(minimizing_stops_at_its_limit) {
    Checker c = with_fault("RG-1");
    Program *p = parse(SKEW);
    CheckResult out;
    check_program(&c, p, &arena, &out);
    check_locate(&c, p, &out.finding, &arena);
    MinimizeStats stats = {.checks = 3};
    minimize_program(&arena, p, &c, &out.finding, &stats, NULL, NULL);
    ck_assert_int_eq(stats.checks, 3);
}
END_TEST

START_TEST(call_styles_follow_their_statements) {
    Program *p =
        parse("{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[4],"
              "\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
              "\"body\":[{\"op\":\"neg\",\"self\":\"x\",\"out\":\"a\"},{\"op\":\"abs\",\"self\":"
              "\"x\",\"out\":\"b\"},"
              "{\"op\":\"exp\",\"self\":\"x\",\"out\":\"c\"}],\"return\":[\"c\"],"
              "\"shell\":{\"spelling\":{\"body[1]\":\"kwargs\",\"body[2]\":\"function\"}}}");
    ck_assert_int_eq(reduce_statement(p, 1), STEP_MADE); /* drops body[1] */
    ck_assert_int_eq(p->surface->call_styles.n, 1);
    ck_assert_str_eq(p->surface->call_styles.v[0].path, "body[1]");
    ck_assert_int_eq(p->surface->call_styles.v[0].choice, STYLE_function);
}
END_TEST

START_TEST(forms_follow_their_statements_and_are_dropped_one_by_one) {
    Program *p = parse(
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[4],"
        "\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
        "\"body\":[{\"op\":\"neg\",\"self\":\"x\",\"out\":\"a\"},{\"op\":\"abs\",\"self\":\"x\","
        "\"out\":\"b\"},{\"op\":\"exp\",\"self\":\"x\",\"out\":\"c\"}],\"return\":[\"c\"],"
        "\"shell\":{\"forms\":{\"body[1]\":\"list\",\"body[2]\":\"closure\",\"body[0]\":\"dict\"},"
        "\"leave\":\"object\"}}");
    ck_assert_int_eq(reduce_statement(p, 1), STEP_MADE); /* drops body[1] */
    const PathChoices *forms = &p->surface->forms;
    ck_assert_int_eq(forms->n, 2);
    ck_assert_int_eq(choice_at(forms, "body[1]"), FORM_closure);
    ck_assert_int_eq(choice_at(forms, "body[0]"), FORM_dict);
    ck_assert_int_eq(choice_at(forms, "body[2]"), -1);
    ck_assert_int_eq(reduce_shell(p, 3), STEP_MADE);
    ck_assert(!p->surface->leave_given);
    ck_assert_int_eq(reduce_shell(p, 4), STEP_MADE);
    ck_assert_int_eq(forms->n, 1);
    ck_assert_int_eq(reduce_shell(p, 4), STEP_MADE);
    ck_assert(!forms->given);
    ck_assert_int_eq(program_format(p), 1);
    ck_assert_int_eq(reduce_shell(p, 4), STEP_END);
}
END_TEST

/* exp of 60,000 bytes twice: the values differ in the last bit here and there, which only a shadow
 * run that gets through can explain. */
START_TEST(bytes_that_were_there_before_a_run_are_not_counted_as_its_own) {
    const Program *p = parse("{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\","
                             "\"size\":[15000],\"data\":{\"fill\":\"uniform\",\"seed\":3}}],"
                             "\"body\":[{\"op\":\"exp\",\"self\":\"x\",\"out\":\"a\"},{\"op\":"
                             "\"sum\",\"self\":\"a\",\"out\":\"b\"}],\"return\":[\"a\",\"b\"]}");
    CompileOptions compile = COMPILE_DEFAULT;
    Checker c;
    char message[256];
    ck_assert(checker_open(&c, "reference,compiled", &compile, message, sizeof message));
    c.run.limits.max_bytes = 1 << 18;
    arena_alloc(&arena, 1 << 20);
    CheckResult out;
    check_program(&c, p, &arena, &out);
    ck_assert(out.a->calls[0].ok && out.b->calls[0].ok);
    ck_assert_int_eq(out.verdict, AGREE);
    ck_assert_int_gt(c.shadow_runs, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/harness");
    TCase *tests = tcase_create("harness/harness");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, options_are_read_by_the_table);
    tcase_add_test(tests, bad_options_are_refused_with_a_message);
    tcase_add_test(tests, a_pair_is_two_known_executors);
    tcase_add_test(tests, a_prefix_keeps_statements_up_to_a_number_at_every_depth);
    tcase_add_test(tests, inlining_puts_a_block_in_the_place_of_its_statement);
    tcase_add_test(tests, bypassing_renames_later_uses);
    tcase_add_test(tests, what_the_setup_no_longer_makes_is_neither_passed_nor_set);
    tcase_add_test(tests, a_setup_can_move_into_the_body_and_a_call_take_the_first_inputs);
    tcase_add_test(tests, a_grad_statement_loses_places_with_their_names_and_options);
    tcase_add_test(tests, a_function_loses_options_statements_and_operands);
    tcase_add_test(tests, a_hook_loses_its_statements_and_what_it_returns);
    tcase_add_test(tests, every_reducer_ends_and_leaves_a_well_formed_program_or_none);
    tcase_add_test(tests, locating_names_the_write_not_the_assertion_that_saw_it);
    tcase_add_test(tests, minimizing_keeps_the_signature_and_drops_what_it_does_not_need);
    tcase_add_test(tests, minimizing_stops_at_its_limit);
    tcase_add_test(tests, call_styles_follow_their_statements);
    tcase_add_test(tests, forms_follow_their_statements_and_are_dropped_one_by_one);
    tcase_add_test(tests, bytes_that_were_there_before_a_run_are_not_counted_as_its_own);
    suite_add_tcase(suite, tests);
    return run_suite("harness/harness", suite);
}
