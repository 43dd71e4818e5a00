/* Runs a Check suite and prints the line that tests/run adds up: "name: N passed, N failed". */
#ifndef TESTS_RUNNER_H
#define TESTS_RUNNER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#endif
#endif

static inline int run_suite(const char *name, Suite *suite) {
    SRunner *runner = srunner_create(suite);
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
    __msan_scoped_disable_interceptor_checks(); /* libcheck itself is not instrumented */
#endif
#endif
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    int run = srunner_ntests_run(runner);
    srunner_free(runner);
    printf("%s: %d passed, %d failed\n", name, run - failed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
