/* What compiling did: counters for reports, statistics and bisection. */
#ifndef COMPILED_CORE_COUNTERS_H
#define COMPILED_CORE_COUNTERS_H

#include "compiled/core/faults.h"
#include "compiled/core/reasons.h"
#include "compiled/core/steps.h"

/* What compiling did, added up over runs. */
typedef struct CompileCounters {
    int64_t compiles, hits;      /* calls compiled, calls served from the cache */
    int64_t evictions;           /* entries that the cache gave up for newer ones */
    int64_t symbolic, instances; /* compilations for symbolic sizes; times that one was
                                    specialized to the sizes of a call */
    int64_t miss[MISS_COUNT], specialized[SPECIALIZED_COUNT];
    int64_t graphs;           /* graphs compiled: also prefixes, and slices that compute a size */
    int64_t gate_steps;       /* steps that reached the gate and were not disabled */
    int last_pass, last_step; /* the last step that the gate allowed: pass number, StepId */
    int64_t fired[MAX_STEPS]; /* by StepId: steps taken */
    int64_t pass_changed[MAX_PASSES]; /* by pass number: graphs it changed */
    int64_t
        nodes[MAX_PASSES + 1]; /* by pass number: nodes before it; after the last one: nodes left */
    double seconds[MAX_PASSES + 1]; /* by pass number, then capture; only with `measure` */
    int64_t saved, saved_bytes;     /* values, and their bytes, kept by a forward for its backward:
                                       inputs and results not counted */
    int64_t unsaved_bytes;          /* what those bytes would be if nothing were computed again */
    int64_t buffers, bytes, flops;  /* of the plans: temporaries, their bytes; arithmetic of their
                                       loops, with `measure` */
    FaultSet reached;   /* seeded faults whose place in the code was reached (Magma: canaries) */
    FaultSet triggered; /* those that changed what the compiled code does */
} CompileCounters;

#endif
