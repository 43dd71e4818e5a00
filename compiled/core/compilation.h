/* One compilation: the state that the passes share, and the gate that they call before every
 * optional step. */
#ifndef COMPILED_CORE_COMPILATION_H
#define COMPILED_CORE_COMPILATION_H

#include "compiled/core/counters.h"
#include "compiled/core/options.h"
#include "program/lang/program.h"

/* Everything lives in `arena`. */
typedef struct Compile {
    Arena *arena;
    const CompileOptions *options;
    CompileCounters *counters;
    const Program *program;
    const RandomStream *stream; /* of the call that is running; NULL: the one of seed 0 */
    Limits limits;              /* on elements and bytes; an op that exceeds one raises ERR_limit */
    struct Graph *graph;
    struct Capture *capture;    /* the tape and what else capture recorded; functionalize and joint
                                   read it (capture/capture.h) */
    int pass;                   /* number of the running pass */
    Storage *const *input_data; /* by input storage: the data of the call being compiled; set only
                                   with options->stages */
    struct Answers *stage_before;     /* what the graph computed after the previous stage
                                         (runtime/stages.c) */
    struct SampleCompilation *sample; /* collects the numbers of the graph, for symbolic sizes
                                         (symbolic/numbers.h); or NULL */
    uint64_t taken[MAX_STEPS / 64];   /* by StepId: taken in this graph */
    uint64_t changed;                 /* the passes that changed it: pass_bit of each */
    const struct Liveness *live;      /* of the graph after fuse, once computed (loops/lower.h) */
    struct Plan *plan;                /* what the last pass, lower, made */
    bool reused;        /* the graph is brought to other sizes and fused again later: no pass from
                           fuse on may remove a node */
    int64_t first_step; /* counters->gate_steps when the run began; options->opt_limit counts from
                           there */
} Compile;
_Static_assert(8 * sizeof((Compile *)0)->changed >= MAX_PASSES, "a bit for every pass");

/* Is the fault seeded? Called where it is planted; notes that the place was reached. One load and
 * one comparison if no fault is seeded at all. */
bool fault_reached(const Compile *c, FaultId id);
static inline bool fault(const Compile *c, FaultId id) {
    return c->options->fault != FAULT_NONE && fault_reached(c, id);
}
/* Notes that a seeded fault is about to do something else than the correct code would; true, so
 * that it can end a condition:
 *
 *     if (fault(c, FAULT_NU_1) && dtype_is_float(n->t.dtype) && fault_triggered(c, FAULT_NU_1))
 *
 * Not called where the faulty code happens to do what the correct code does (the canaries of Magma,
 * Hazimeh et al. 2020): a fault that is triggered and not found is the oracles' failure, one that
 * is not triggered is the search's. */
bool fault_triggered(const Compile *c, FaultId id);
/* May the running pass take this step? Called before every optional pass (STEP_PASS) and before
 * every rewrite. It counts the steps, so that opt_limit bisects them (as LLVM's OptBisect does). */
bool gate(Compile *c, StepId step);
/* True if the compiler verifies the graph after every pass and poisons planned memory: --verify,
 * and sanitizer builds. */
bool compile_checks_itself(const Compile *c);
/* Called for every step that the gate allows: set a debugger's breakpoint here. */
void rewrite_breakpoint(int64_t step);
/* A clock in seconds, if the options measure times; else 0. */
double compile_seconds(const Compile *c);

#endif
