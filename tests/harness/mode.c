/* The names of a target's modes: a base and suffixes. */
#include "harness/targets/declare.h"
#include "harness/targets/mode.h"
#include "tests/support/harness_case.h"

START_TEST(suffixes_are_no_part_of_the_base) {
    ck_assert_int_eq(mode_base_length("inductor_dynamic_cuda"), 8);
    ck_assert_int_eq(mode_base_length("inductor_lite"), 13);
    ck_assert_int_eq(mode_base_length("aot_eager_fullgraph"), 9);
    ck_assert_int_eq(mode_base_length("eager"), 5);
}
END_TEST

START_TEST(a_mode_is_compared_with_eager_on_its_own_device) {
    ck_assert_str_eq(mode_eager("inductor_dynamic_cuda"), "eager_cuda");
    ck_assert_str_eq(mode_eager("aot_eager"), "eager");
    ck_assert_str_eq(mode_device("dynamo_cuda"), "_cuda");
    ck_assert(!mode_is_cuda("cuda_like"));
    ck_assert(mode_is_fake("fake"));
    ck_assert(!mode_is_fake("fakes"));
    ck_assert(!mode_is_fake(""));
}
END_TEST

START_TEST(options_name_a_backend_that_torch_compile_knows) {
    ck_assert_str_eq(mode_options(&arena, "dynamo"), "backend=\"eager\"");
    ck_assert_str_eq(mode_options(&arena, "aot_decomp_cuda"),
                     "backend=\"aot_eager_decomp_partition\"");
    ck_assert_str_eq(mode_options(&arena, "inductor_lite"), "backend=\"inductor\", mode=\"lite\"");
    ck_assert_str_eq(mode_options(&arena, "inductor_dynamic_cuda"),
                     "backend=\"inductor\", dynamic=True");
    ck_assert_str_eq(mode_options(&arena, "aot_eager_fullgraph"),
                     "backend=\"aot_eager\", fullgraph=True");
    ck_assert_str_eq(mode_options(&arena, "inductor_passes"), "backend=\"inductor\"");
    ck_assert_str_eq(mode_options(&arena, "my_backend"), "backend=\"my_backend\"");
}
END_TEST

START_TEST(a_script_of_inductor_passes_runs_inductor) {
    ck_assert_str_eq(mode_of_script(&arena, "inductor_passes"), "inductor");
    ck_assert_str_eq(mode_of_script(&arena, "inductor_passes_dynamic_cuda"),
                     "inductor_dynamic_cuda");
    ck_assert_str_eq(mode_of_script(&arena, "inductor_lite_dynamic"), "inductor_lite_dynamic");
    ck_assert_str_eq(mode_of_script(&arena, "dynamo"), "dynamo");
}
END_TEST

/* targets.json names the modes with their suffixes; what they are stands in modes.def. */
START_TEST(every_mode_of_the_pytorch_target_has_a_row) {
    static const char *const targets[] = {"torch", "torch2.8", "torch1.13"};
    for (int i = 0; i < COUNT_OF(targets); i++) {
        Declaration d;
        char message[512];
        ck_assert_msg(target_declaration(&arena, "targets/targets.json", targets[i], NULL, &d,
                                         message, sizeof message) == 0,
                      "%s", message);
        ck_assert_ptr_nonnull(d.modes[0]);
        for (int k = 0; d.modes[k]; k++) {
            ck_assert_msg(mode_row(d.modes[k]) != NULL, "%s: no row of modes.def for %s",
                          targets[i], d.modes[k]);
        }
    }
    ck_assert_ptr_null(mode_row("my_backend"));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/mode");
    TCase *tests = tcase_create("harness/mode");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, suffixes_are_no_part_of_the_base);
    tcase_add_test(tests, a_mode_is_compared_with_eager_on_its_own_device);
    tcase_add_test(tests, options_name_a_backend_that_torch_compile_knows);
    tcase_add_test(tests, a_script_of_inductor_passes_runs_inductor);
    tcase_add_test(tests, every_mode_of_the_pytorch_target_has_a_row);
    suite_add_tcase(suite, tests);
    return run_suite("harness/mode", suite);
}
