/* What a caller chooses about one run of the compiled executor. */
#ifndef COMPILED_CORE_OPTIONS_H
#define COMPILED_CORE_OPTIONS_H

#include "compiled/core/faults.h"
#include "compiled/core/feature.h"
#include "compiled/core/native_tier.h"
#include "compiled/core/steps.h"

struct Plan;

/* What the interpretation of the graph after every stage found (runtime/stages.h). */
typedef struct StageReport {
    bool found;
    char stage[32];   /* the first stage after which the graph computes something else */
    char what[160];   /* the difference as a sentence */
    int64_t stages;   /* interpretations so far */
    bool runs;        /* in: also compare what plans compute with their graphs */
    bool run_differs; /* some plan computes something else than its graph */
} StageReport;

/* torch._dynamo.config.recompile_limit */
enum { CODE_CACHE_LIMIT = 8 };

struct CompileOptions {
    FaultId fault;   /* FAULT_NONE: none */
    FaultId also[7]; /* more of them, `nalso` */
    int nalso;
    bool no_reuse;   /* compile every call anew, whatever the guards say */
    int cache_limit; /* entries of the code cache for one region; 0: CODE_CACHE_LIMIT */
    bool no_symbols; /* no code for many sizes */
    Disabled disabled;
    int64_t opt_limit; /* the gate lets only the first `opt_limit` optional steps of a run through;
                          -1: all */
    bool verify;  /* run the verifier after every pass (always on in sanitizer and debug builds) */
    bool measure; /* fill the counters that cost time: seconds, flops */
    StageReport *stages; /* interpret the graph after every stage and report here, when not NULL */
    Features *features;  /* what is exercised is added here, when not NULL */
    bool dump_dot;       /* dump graphs in Graphviz's language */
    /* called after every stage with the graph as text, when not NULL (show --as ir) */
    void (*on_dump)(void *user, const char *stage, const char *text);
    void *dump_user;
    bool dump_c; /* on_dump also gets every plan as C, after all stages, as stage "c" */
    /* called before every execution of a plan, when not NULL: for measuring, which may execute the
     * plan itself (graph.h) */
    void (*on_execute)(void *user, const struct Plan *plan, void *const *input,
                       void *const *tangent);
    void *execute_user;
    Native *native;      /* run loops natively; NULL: by the tile machine */
    bool native_collect; /* run by the tile machine, but have the native tier compile these loops
                            with its next batch */
};
#define COMPILE_DEFAULT ((CompileOptions){.fault = FAULT_NONE, .opt_limit = -1})

#endif
