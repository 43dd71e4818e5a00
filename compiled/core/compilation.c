/* The gate, through which every optional pass and step goes, and what the options say about
 * checking and measuring. */
#include "compiled/core/compilation.h"

#include <time.h>

__attribute__((noinline)) void rewrite_breakpoint(int64_t step) {
    (void)step;
    __asm__ volatile(""); /* keeps the call, for a debugger to stop at */
}

bool gate(Compile *c, StepId step) {
    if (step >= 0 && c->options->disabled.step[step >> 6] >> (step & 63) & 1) {
        return false;
    }
    int64_t number = c->counters->gate_steps++ - c->first_step, limit = c->options->opt_limit;
    if (limit >= 0 && number >= limit) {
        return false;
    }
    rewrite_breakpoint(number);
    c->counters->last_pass = c->pass;
    c->counters->last_step = step;
    if (step >= 0) {
        c->counters->fired[step]++;
        c->taken[step >> 6] |= UINT64_C(1) << (step & 63);
    }
    return true;
}

bool fault_reached(const Compile *c, FaultId id) {
    const CompileOptions *o = c->options;
    bool seeded = o->fault == id;
    for (int k = 0; k < o->nalso && !seeded; k++) {
        seeded = o->also[k] == id;
    }
    if (seeded) {
        fault_set_add(&c->counters->reached, id);
    }
    return seeded;
}

bool fault_triggered(const Compile *c, FaultId id) {
    fault_set_add(&c->counters->triggered, id);
    return true;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VERIFY_ALWAYS true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define VERIFY_ALWAYS true
#endif
#endif
#ifndef VERIFY_ALWAYS
#define VERIFY_ALWAYS false
#endif

bool compile_checks_itself(const Compile *c) { return c->options->verify || VERIFY_ALWAYS; }

double compile_seconds(const Compile *c) {
    struct timespec t = {0};
    if (c->options->measure) {
        clock_gettime(CLOCK_MONOTONIC, &t);
    }
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
