/* libFuzzer reads and clears a section of counters of that name between inputs
 * (docs/LibFuzzer.html, "extra counters"). AFL++ has one map of edges, whose size its runtime takes
 * from the guards that it numbers at start: the features are announced as if they were edges, and
 * counted at their numbers. Both are weak here, so that one object file serves every engine and
 * none. */
#include "harness/campaign/feedback.h"

#include <stddef.h>

__attribute__((used,
               section("__libfuzzer_extra_counters"))) static uint8_t extra_counter[PAIR_FEATURES];

extern uint8_t *__afl_area_ptr __attribute__((weak));
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) __attribute__((weak));
static uint32_t guard[PAIR_FEATURES];

/* Before main, where AFL++ tells the fuzzer how large its map is. */
__attribute__((constructor)) static void announce(void) {
    if (&__afl_area_ptr && __sanitizer_cov_trace_pc_guard_init) {
        __sanitizer_cov_trace_pc_guard_init(guard, guard + PAIR_FEATURES);
    }
}

void feedback_tell(const Features *f) {
    for (int i = 0; i < f->n; i++) {
        unsigned feature = f->touched[i];
        if (feature >= PAIR_FEATURES) {
            continue;
        }
        extra_counter[feature] = f->counter[feature];
        if (&__afl_area_ptr) {
            __afl_area_ptr[guard[feature]] = f->counter[feature];
        }
    }
}

void feedback_tell_new(const Features *f) {
    if (&__afl_area_ptr) {
        feedback_tell(f);
        return;
    }
    static uint8_t reported[PAIR_FEATURES];
    for (int i = 0; i < f->n; i++) {
        unsigned feature = f->touched[i];
        if (feature >= PAIR_FEATURES) {
            continue;
        }
        extra_counter[feature] = !reported[feature];
        reported[feature] = 1;
    }
    feedback_hide_edges();
}
