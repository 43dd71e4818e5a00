/* The text of a graph reads back: every stage of every golden situation and of random programs
 * prints again to the same text, as a graph that the verifier accepts; and what is no such text is
 * refused, with the place. */
#include "compiled/core/compile.h"
#include "compiled/ir/graph.h"
#include "fuzz/generate/generate.h"
#include "harness/util/io.h"
#include "tests/support/runner.h"

#include <dirent.h>
#include <string.h>

typedef struct Round {
    Arena arena;
    const Program *program;
    int graphs;
    char complaint[600];
} Round;

static void round_trip(void *user, const char *stage, const char *text) {
    Round *r = user;
    char message[256];
    if (r->complaint[0] || strcmp(stage, "symbolic") == 0 || strcmp(stage, "lower") == 0 ||
        strcmp(stage, "c") == 0) {
        return;
    }
    arena_reset(&r->arena);
    Graph *g = graph_parse(&r->arena, text, r->program, message, sizeof message);
    if (!g) {
        snprintf(r->complaint, sizeof r->complaint, "after %s: %.200s", stage, message);
        return;
    }
    Text again = {.arena = &r->arena};
    graph_print(&again, g, r->program);
    if (strcmp(again.v ? again.v : "", text) != 0) {
        snprintf(r->complaint, sizeof r->complaint, "after %s: another text", stage);
    } else if (!graph_verify(g, strcmp(stage, "capture") != 0, message, sizeof message)) {
        snprintf(r->complaint, sizeof r->complaint, "after %s: %.200s", stage, message);
    }
    r->graphs++;
}

START_TEST(every_stage_of_random_programs_reads_back) {
    Arena arena = ARENA_EMPTY;
    Round r = {.arena = ARENA_EMPTY};
    CompileOptions options = COMPILE_DEFAULT;
    RunOptions run = {.limits = LIMITS_DEFAULT};
    options.on_dump = round_trip;
    options.dump_user = &r;
    GenerateOptions drawn = GENERATE_DEFAULTS; /* every other program also with random ops */
    ck_assert(generate_profile(&drawn, "class.random=20", r.complaint, sizeof r.complaint));
    for (uint64_t i = 0; i < 3000; i++) {
        arena_reset(&arena);
        r.program = generate_program_info(&arena, i % 2 ? &drawn : NULL, 7, i, NULL);
        compiled_run(r.program, &options, &run, NULL, &arena);
        ck_assert_msg(!r.complaint[0], "program %d: %s", (int)i, r.complaint);
    }
    ck_assert_int_gt(r.graphs, 20000);
    arena_destroy(&r.arena);
    arena_destroy(&arena);
}
END_TEST

/* One stored dump: its stages, each under "---- after STAGE". */
static void read_stored(Round *r, Arena *arena, const char *name) {
    char *json, *ir, message[256];
    int64_t length;
    Program *p;
    ck_assert_int_eq(io_read(arena, arena_printf(arena, "tests/golden/%s.json", name), IO_MAX_BYTES,
                             &json, &length, message, sizeof message),
                     IO_OK);
    ck_assert_int_eq(program_parse(arena, json, (size_t)length, &p, message, sizeof message),
                     PARSE_OK);
    ck_assert_int_eq(io_read(arena, arena_printf(arena, "tests/golden/%s.ir", name), IO_MAX_BYTES,
                             &ir, &length, message, sizeof message),
                     IO_OK);
    r->program = p;
    static const char mark[] = "---- after ";
    for (char *at = strstr(ir, mark); at;) {
        char *stage = at + strlen(mark), *text = strchr(stage, '\n') + 1,
             *next = strstr(text, mark);
        text[-1] = '\0';
        if (next) {
            next[0] = '\0';
        }
        round_trip(r, stage, text);
        ck_assert_msg(!r->complaint[0], "%s: %s", name, r->complaint);
        if (next) {
            next[0] = mark[0];
        }
        at = next;
    }
}

START_TEST(every_golden_dump_reads_back) {
    Arena arena = ARENA_EMPTY;
    Round r = {.arena = ARENA_EMPTY};
    DIR *dir = opendir("tests/golden");
    ck_assert_ptr_nonnull(dir);
    int files = 0;
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        size_t n = strlen(e->d_name);
        if (n > 3 && strcmp(e->d_name + n - 3, ".ir") == 0) {
            arena_reset(&arena);
            read_stored(&r, &arena, arena_printf(&arena, "%.*s", (int)(n - 3), e->d_name));
            files++;
        }
    }
    closedir(dir);
    ck_assert_int_ge(files, 25);
    ck_assert_int_gt(r.graphs, 10 * files - 1);
    arena_destroy(&r.arena);
    arena_destroy(&arena);
}
END_TEST

START_TEST(what_is_no_graph_is_refused_with_its_place) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", NULL},
        {"  %0: f32[6; 1] = input 0\n", NULL},
        {"%0: f32[6; 1] = input 0\n", "line 1, column 1: expected '  '"},
        {"  %0: f32[6; 1] = input 0", "expected '\n'"},
        {"  %0: f32[6; 1] = input 999\n", "from 0 to 511"},
        {"  %0: f33[6; 1] = input 0\n", "line 1, column 7: expected a dtype"},
        {"  %0: f32[6; 1, 2] = input 0\n", "1 sizes with 2 strides"},
        {"  %0: f32[6; 1] = input 0\n  %0: f32[6; 1] = input 1\n",
         "line 2, column 26: %0 is defined twice"},
        {"  %0: f32[6; 1] = input 0\n  %1: f32[6; 1] = input 0\n", "input 0 is there twice"},
        {"  %1: f32[6; 1] = view %0\n", "%0 is not defined above"},
        {"  %1: f32[6; 1] = view %99999999\n", "from 0 to"},
        {"  %0: f32[6; 1] = nothing(1)\n", "there is no op 'nothing'"},
        {"  %0: f32[6; 1] = ones([6]\n", "expected ', '"},
        {"  %0: f32[6; 1] = ones(6)\n", "expected '['"},
        {"  %0: f32[6; 1] = full([6], x)\n", "expected a whole number"},
        {"  %0: f32[6; 1] = ones([6], dtype=float3)\n", "expected a dtype"},
        {"  %0: f32[6; 1] = ones([6])  {group x}\n", "expected a whole number"},
        {"  %0: f32[6; 1] = ones([6])  [group 1]\n", "expected an annotation"},
        {"  %0: f32[6; 1] = ones([6])  # body[0]\n", "no statement has this path"},
        {"  %0: i64[6; 1] = ones([6])\n  %1: check %0 sorted else invalid\n",
         "expected what is checked"},
        {"  %0: i64[6; 1] = ones([6])\n  %1: check %0 nonzero else never\n",
         "expected an error code"},
        {"  return 1: None as f32[6; 1]\n", "returns out of order"},
        {"  grad of x: %0\n", "there is no such name"},
        {"  what is this\n", "expected a node or an output"},
        {"  %0: f32[6; 1] = gelu(None, approximate=\"tanh)\n", "expected a plain string"},
        {"  %0: f32[1; 1] = tensor({1 2}, [2], dtype=float32)\n", "expected ', '"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Arena arena = ARENA_EMPTY;
        char message[256] = "";
        const Graph *g = graph_parse(&arena, cases[i].text, NULL, message, sizeof message);
        ck_assert_msg((g != NULL) == (cases[i].says == NULL), "case %d: %s", i, message);
        ck_assert_msg(!cases[i].says || strstr(message, cases[i].says), "case %d: %s", i, message);
        arena_destroy(&arena);
    }
}
END_TEST

int main(void) {
    op_table_init();
    Suite *suite = suite_create("compiled/graph_text");
    TCase *tests = tcase_create("text");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_stage_of_random_programs_reads_back);
    tcase_add_test(tests, every_golden_dump_reads_back);
    tcase_add_test(tests, what_is_no_graph_is_refused_with_its_place);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/graph_text", suite);
}
