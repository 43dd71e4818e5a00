/* A graph_break changes nothing but the number of regions: every program here is run with its
 * breaks on both executors, and once more with the breaks taken out, and all three agree.
 *
 * Programs are written with ' for "; BREAK is a graph_break. The inputs are the leaf x = [1, 2, 3]
 * and the plain p = [4, 5, 6]. */
#include "harness/check/check.h"
#include "program/json/json.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static void teardown(void) { arena_destroy(&arena); }

static const struct {
    const char *name;
    int regions; /* that the call runs */
    const char *rest;
} cases[] = {
    {"values cross", 2,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 'p', 'out': 'y'}, BREAK, {'op': 'exp', 'self': "
     "'y', 'out': 'z'}], 'return': ['z']"},
    {"nothing crosses", 3,
     "'body': [BREAK, {'op': 'ones', 'size': [2], 'out': 'y'}, BREAK], 'return': ['y']"},
    {"a view of what is written later crosses with its base", 2,
     "'body': [{'op': 'clone', 'self': 'x', 'out': 'y'}, {'op': 'view', 'self': 'y', 'size': [3, "
     "1], 'out': 'v'}, BREAK, {'op': 'mul_', 'self': 'y', "
     "'other': 2}, {'op': 'mul', 'self': 'v', 'other': 'x', 'out': 'z'}, {'probe': 'version', "
     "'of': 'v'}], 'return': ['z', 'v']"},
    {"a view is written, its base read behind the break", 2,
     "'body': [{'op': 'clone', 'self': 'x', 'out': 'y'}, {'op': 'select', 'self': 'y', 'dim': 0, "
     "'index': 1, 'out': 'v'}, BREAK, {'op': 'mul_', 'self': 'v', "
     "'other': 3}, {'op': 'mul', 'self': 'y', 'other': 'y', 'out': 'z'}], 'return': ['z']"},
    {"a view that was stale at the break is regenerated after it", 2,
     "'body': [{'op': 'clone', 'self': 'x', 'out': 'y'}, {'op': 'view', 'self': 'y', 'size': [3, "
     "1], 'out': 'v'}, {'op': 'mul_', 'self': 'y', 'other': 'p'}, "
     "BREAK, {'probe': 'has_grad_fn', 'of': 'v'}, {'op': 'sum', 'self': 'v', 'out': 'z'}], "
     "'return': ['z']"},
    {"flags set before the break decide branches behind it", 2,
     "'body': [{'op': 'zeros', 'size': [3], 'out': 'm'}, {'op': 'copy_', 'self': 'm', 'src': 'x'}, "
     "BREAK, {'if': {'requires_grad': 'm'}, 'then': [{'op': 'mul', "
     "'self': 'm', 'other': 2, 'out': 'z'}], 'else': [{'op': 'mul', 'self': 'm', 'other': 3, "
     "'out': 'z'}]}, {'assert': {'requires_grad': 'm'}}], 'return': ['z']"},
    {"inside no_grad, which holds behind the break and ends where it ends", 2,
     "'body': [{'with': 'no_grad', 'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, "
     "BREAK, {'probe': 'is_grad_enabled'}, {'op': 'mul', 'self': 'x', "
     "'other': 3, 'out': 'w'}]}, {'probe': 'is_grad_enabled'}, {'op': 'mul', 'self': 'x', 'other': "
     "'w', 'out': 'z'}], 'return': ['y', 'w', 'z']"},
    {"inside a branch whose condition is another behind the break", 2,
     "'body': [{'op': 'zeros', 'size': [3], 'out': 'm'}, {'if': {'requires_grad': 'm'}, 'then': "
     "[], 'else': [{'op': 'copy_', 'self': 'm', 'src': 'x'}, BREAK, "
     "{'op': 'mul', 'self': 'm', 'other': 5, 'out': 'z'}]}], 'return': ['z']"},
    {"a branch not taken has no break", 1,
     "'body': [{'if': {'requires_grad': 'p'}, 'then': [BREAK]}, {'op': 'mul', 'self': 'x', "
     "'other': 2, 'out': 'z'}], 'return': ['z']"},
    {"a saved value is modified behind the break: backward raises", 2,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, {'op': 'mul', 'self': 'y', "
     "'other': 'y', 'out': 'z'}, BREAK, {'op': 'add_', 'self': 'y', 'other': "
     "1}], 'return': ['z']"},
    {"an input is written in both regions", 2,
     "'body': [{'op': 'mul_', 'self': 'p', 'other': 2}, BREAK, {'op': 'add_', 'self': 'p', "
     "'other': 1}, {'op': 'mul', 'self': 'x', 'other': 'p', 'out': 'z'}], 'return': "
     "['z', 'p']"},
    {"a statement behind the break raises: what came before stands", 2,
     "'body': [{'op': 'mul_', 'self': 'p', 'other': 2}, BREAK, {'op': 'add_', 'self': 'x', "
     "'other': 1}], 'return': ['p']"},
    {"an index checked behind the break is out of range", 2,
     "'body': [{'op': 'tensor', 'data': [7], 'dtype': 'int64', 'size': [1], 'out': 'i'}, {'op': "
     "'mul_', 'self': 'p', 'other': 2}, BREAK, {'op': 'index_select', 'self': "
     "'x', 'dim': 0, 'index': 'i', 'out': 'z'}], 'return': ['z']"},
    {"a size that depends on values of the region before", 2,
     "'body': [{'op': 'mul', 'self': 'p', 'other': 2, 'out': 'y'}, BREAK, {'op': 'gt', 'self': "
     "'y', 'other': 9, 'out': 'm'}, {'op': 'masked_select', 'self': 'x', 'mask': "
     "'m', 'out': 'z'}], 'return': ['z']"},
    {"a name that is not bound any more is not bound", 2,
     "'body': [BREAK, {'op': 'mul', 'self': 'nobody', 'other': 2, 'out': 'z'}], 'return': ['z']"},
    {"two names of one tensor stay one", 2,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, {'op': 'view_as', 'self': 'y', "
     "'other': 'y', 'out': 'w'}, BREAK, {'op': 'mul_', 'self': 'w', 'other': 3}], "
     "'return': ['y', 'w']"},
    {"a leaf made before the break gets its gradient behind it", 2,
     "'body': [{'op': 'ones', 'size': [3], 'requires_grad': true, 'out': 'w'}, BREAK, {'op': "
     "'mul', 'self': 'w', 'other': 'x', 'out': 'z'}], 'return': ['z', 'w']"},
    {"a gradient that is retained needs the whole tape: one region", 1,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, {'op': 'retain_grad', 'self': "
     "'y'}, BREAK, {'op': 'mul', 'self': 'y', 'other': 'y', 'out': 'z'}], 'return': "
     "['z', 'y']"},
    {"gradients reach a leaf through three regions", 3,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'a'}, BREAK, {'op': 'mul', 'self': "
     "'a', 'other': 'x', 'out': 'b'}, BREAK, {'op': 'mul', 'self': 'b', 'other': 'a', "
     "'out': 'z'}], 'return': ['z', 'a']"},
};

static Program *parse(const char *rest, const char *graph_break) {
    char *text =
        arena_printf(&arena,
                     "{'twingrad': 1, 'inputs': [{'name': 'x', 'dtype': 'float32', 'size': [3], "
                     "'requires_grad': true, 'data': [1, 2, 3]}, {'name': 'p', "
                     "'dtype': 'float32', 'size': [3], 'data': [4, 5, 6]}], 'backward': {'fill': "
                     "'ones', 'seed': 0}, %s}",
                     rest);
    Text t = {.arena = &arena};
    for (const char *c = text; *c; c++) {
        if (strncmp(c, "BREAK", 5) == 0) {
            text_add(&t, graph_break);
            c += 4;
        } else {
            text_addn(&t, *c == '\'' ? "\"" : c, 1);
        }
    }
    char message[256];
    Program *p;
    ParseStatus status = program_parse(&arena, t.v, (size_t)t.n, &p, message, sizeof message);
    ck_assert_msg(status == PARSE_OK && program_verify(p, message, sizeof message), "%s", message);
    return p;
}

START_TEST(a_program_means_the_same_with_and_without_its_breaks) {
    Checker c;
    char message[256];
    ck_assert(checker_open(&c, "reference,compiled", &COMPILE_DEFAULT, message, sizeof message));
    const Program *broken = parse(cases[_i].rest, "{\"graph_break\": true}"),
                  *whole = parse(cases[_i].rest, "{\"probe\": \"is_grad_enabled\"}");
    CheckResult out, plain;
    check_program(&c, broken, &arena, &out);
    ck_assert_msg(out.verdict == AGREE, "%s: %s", cases[_i].name,
                  out.verdict == FINDING ? out.finding.kind : "skipped");
    ck_assert_msg(out.b->calls[0].regions == cases[_i].regions, "%s: %d regions", cases[_i].name,
                  out.b->calls[0].regions);
    check_program(&c, whole, &arena, &plain);
    ck_assert_msg(plain.verdict == AGREE && plain.b->calls[0].regions == 1, "%s", cases[_i].name);
    ck_assert_int_eq(plain.b->calls[0].ok, out.b->calls[0].ok);
    ck_assert_int_eq(plain.b->calls[0].error, out.b->calls[0].error);
    for (int k = 0; k < out.b->calls[0].nreturns; k++) {
        const Values *a = &plain.b->calls[0].returns[k].values,
                     *b = &out.b->calls[0].returns[k].values;
        ck_assert_int_eq(a->numel, b->numel);
        ck_assert(memcmp(a->data, b->data, (size_t)(a->numel * dtype_bytes(a->dtype))) == 0);
    }
    checker_close(&c);
}
END_TEST

/* The same call again finds every region in the cache; a call with other flags compiles again. */
START_TEST(each_region_is_cached_by_itself) {
    const char *rest =
        "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, BREAK, {'op': 'mul', 'self': "
        "'y', 'other': 'p', 'out': 'z'}], 'return': ['z'], 'recalls': "
        "[[{'name': 'x', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [7, 8, "
        "9]}, {'name': 'p', 'dtype': 'float32', 'size': [3], 'data': "
        "[1, 1, 1]}], [{'name': 'x', 'dtype': 'float32', 'size': [3], 'data': [7, 8, 9]}, {'name': "
        "'p', 'dtype': 'float32', 'size': [3], 'data': [1, 1, 1]}]]";
    CompileCounters counters = {0};
    RunOptions options = {.limits = LIMITS_DEFAULT};
    const Result *r = compiled_run(parse(rest, "{\"graph_break\": true}"), &COMPILE_DEFAULT,
                                   &options, &counters, &arena);
    ck_assert(r->calls[0].compiled && !r->calls[1].compiled && r->calls[2].compiled);
    ck_assert_int_eq(counters.compiles, 4);
    ck_assert_int_eq(counters.hits, 2);
}
END_TEST

/* The calls that are compiled, as letters: call k has p in the dtype with letter calls[k]. */
static const struct {
    const char *what, *calls, *compiled;
    int limit, evictions;
} evictions[] = {
    {"within the limit", "ababab", "ab", 2, 0},
    {"one more evicts the oldest", "abca", "abca", 2, 2},
    {"the least recently used, not the oldest", "abacaca", "abc", 2, 1},
    {"a limit of one", "aabba", "aba", 1, 2},
    {"8 by default", "abcdefghabcdefgh", "abcdefgh", 0, 0},
    {"the ninth evicts the first", "abcdefghibcdefghia", "abcdefghia", 0, 2},
};

static const char *dtype_letter(char letter) {
    static const char *const names[] = {"float32", "float64", "float16", "bfloat16", "int64",
                                        "int32",   "int16",   "int8",    "uint8"};
    return names[letter - 'a'];
}

START_TEST(a_region_keeps_what_was_used_last) {
    const char *calls = evictions[_i].calls;
    Text rest = {.arena = &arena};
    text_add(&rest, "'body': [], 'return': ['p'], 'recalls': [");
    for (int k = 1; calls[k]; k++) {
        text_printf(&rest,
                    "%s[{'name': 'x', 'dtype': 'float32', 'size': [3], 'requires_grad': true, "
                    "'data': [1, 2, 3]}, {'name': 'p', 'dtype': '%s', 'size': [3], 'data': [4, 5, "
                    "6]}]",
                    k > 1 ? ", " : "", dtype_letter(calls[k]));
    }
    text_add(&rest, "]");
    CompileCounters counters = {0};
    CompileOptions compile = COMPILE_DEFAULT;
    compile.cache_limit = evictions[_i].limit;
    RunOptions options = {.limits = LIMITS_DEFAULT};
    const Result *r = compiled_run(parse(rest.v, ""), &compile, &options, &counters, &arena);
    char compiled[32] = "";
    int n = 0, again = 0;
    for (int k = 0; k < r->ncalls; k++) {
        if (r->calls[k].compiled) {
            again += memchr(compiled, calls[k], (size_t)n) != NULL;
            ck_assert_str_eq(r->calls[k].miss ? r->calls[k].miss : "none",
                             k == 0                                  ? "none"
                             : memchr(compiled, calls[k], (size_t)n) ? "evicted"
                                                                     : "dtype");
            compiled[n++] = calls[k];
        }
    }
    ck_assert_msg(strcmp(compiled, evictions[_i].compiled) == 0, "%s: %s", evictions[_i].what,
                  compiled);
    ck_assert_int_eq(counters.evictions, evictions[_i].evictions);
    ck_assert_int_eq(counters.miss[MISS_evicted], again);
}
END_TEST

int main(void) {
    Suite *s = suite_create("compiled/regions");
    TCase *t = tcase_create("regions");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_program_means_the_same_with_and_without_its_breaks, 0,
                        COUNT_OF(cases));
    tcase_add_test(t, each_region_is_cached_by_itself);
    tcase_add_loop_test(t, a_region_keeps_what_was_used_last, 0, COUNT_OF(evictions));
    suite_add_tcase(s, t);
    return run_suite("compiled/regions", s);
}
