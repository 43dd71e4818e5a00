/* The minimum cut against all cuts of small networks; and what the partition of random programs
 * saves. */
#include "compiled/core/compile.h"
#include "compiled/passes/mincut.h"
#include "fuzz/generate/generate.h"
#include "tensor/rng.h"
#include "tests/support/runner.h"

enum { VERTICES = 7, SOURCE = 0, SINK = 1 };

static int64_t capacity_of(int64_t width[VERTICES][VERTICES], unsigned far) {
    int64_t sum = 0;
    for (int a = 0; a < VERTICES; a++) {
        for (int b = 0; b < VERTICES; b++) {
            sum += !(far >> a & 1) && far >> b & 1 ? width[a][b] : 0;
        }
    }
    return sum;
}

START_TEST(the_cut_is_the_least_of_all_and_the_nearest_to_the_sink) {
    Arena arena = ARENA_EMPTY;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        Rng rng = {seed};
        int64_t width[VERTICES][VERTICES] = {{0}};
        Cut *cut = cut_new(&arena, VERTICES);
        for (int a = 0; a < VERTICES; a++) {
            for (int b = 0; b < VERTICES; b++) {
                if (a != b && rng_below(&rng, 3) == 0) {
                    int64_t w = rng_below(&rng, 5);
                    width[a][b] += w;
                    cut_edge(cut, a, b, w);
                }
            }
        }
        bool far[VERTICES];
        int64_t got = cut_run(cut, SOURCE, SINK, far), best = INT64_MAX;
        unsigned mine = 0, least = 0;
        for (int v = 0; v < VERTICES; v++) {
            mine |= (unsigned)far[v] << v;
        }
        for (unsigned side = 0; side < 1u << VERTICES; side++) {
            int64_t sum =
                side >> SINK & 1 && !(side >> SOURCE & 1) ? capacity_of(width, side) : INT64_MAX;
            least = sum < best    ? side
                    : sum == best ? least & side
                                  : least; /* least cuts are closed under intersection */
            best = sum < best ? sum : best;
        }
        ck_assert_int_eq(got, best);
        ck_assert_uint_eq(mine, least);
        arena_reset(&arena);
    }
    arena_destroy(&arena);
}
END_TEST

START_TEST(random_programs_save_less_and_need_no_more_memory) {
    Arena arena = ARENA_EMPTY;
    RunOptions run = {.limits = LIMITS_DEFAULT};
    CompileOptions with = COMPILE_DEFAULT, without = COMPILE_DEFAULT;
    char message[200];
    ck_assert(disabled_parse(&without.disabled, "partition", false, message, sizeof message));
    CompileCounters on = {0}, off = {0};
    for (uint64_t i = 0; i < 10000; i++) {
        compiled_run(generate_program(&arena, 1, i), &with, &run, &on, &arena);
        compiled_run(generate_program(&arena, 1, i), &without, &run, &off, &arena);
        arena_reset(&arena);
    }
    ck_assert_int_gt(on.fired[STEP_recompute], 100);
    ck_assert_int_gt(on.fired[STEP_save_early], 20);
    ck_assert_int_lt(on.saved_bytes, on.unsaved_bytes);
    ck_assert_int_lt(on.bytes, off.bytes);
    arena_destroy(&arena);
}
END_TEST

int main(void) {
    op_table_init();
    Suite *suite = suite_create("compiled/partition");
    TCase *tests = tcase_create("partition");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_cut_is_the_least_of_all_and_the_nearest_to_the_sink);
    tcase_add_test(tests, random_programs_save_less_and_need_no_more_memory);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/partition", suite);
}
