/* The compiled executor: guard/cache, capture, functionalize, joint, passes, lowering, execution
 * (docs/internals/architecture.md).
 *
 * A Compiler holds what outlives a program: options (seeded fault, gate limits) and counters. It is
 * not shared by threads. */
#ifndef COMPILED_COMPILE_H
#define COMPILED_COMPILE_H

#include "compiled/core/feature.h"
#include "program/lang/result.h"

typedef enum FaultId {
#define FAULT(family, number, name, stage, oracle, issue, text) FAULT_##family##_##number,
#include "compiled/core/faults.def"
#undef FAULT
    FAULT_COUNT,
    FAULT_NONE = -1
} FaultId;

typedef struct FaultInfo {
    const char *id;     /* RG-1a */
    const char *name;   /* stale_flags_base */
    const char *stage;  /* where it is planted: a pass or stage name */
    const char *oracle; /* which oracle should fire */
    const char *issue;  /* pytorch/pytorch#169179 */
    const char *text;
} FaultInfo;
const FaultInfo *fault_info(FaultId id);
/* By id ("RG-1") or name; false if unknown. */
bool fault_parse(const char *text, FaultId *id);
typedef struct CompileOptions CompileOptions;
/* Seeds one more fault; false if there are too many. */
bool faults_add(CompileOptions *options, FaultId id);
/* The faults seeded: number k, or FAULT_NONE behind the last. */
FaultId faults_seeded(const CompileOptions *options, int k);
/* Their names, as one --fault each would take them: "stale_flags_after_setitem, ..". */
const char *faults_text(const CompileOptions *options, char *text, size_t size);
/* Seeds none. */
void faults_clear(CompileOptions *options);

/* The native tier (compiled/native/native.h): what it has compiled, and where that is kept. Not
 * shared by threads. */
typedef struct Native Native;
typedef struct NativeSettings {
    const char *cache; /* folder; NULL: the user's ($XDG_CACHE_HOME, ~/.cache, $TMPDIR); "none":
                          nothing is kept */
} NativeSettings;
/* Finds the C compiler ($CC, else cc) and tries it out. NULL and one sentence if there is none that
 * works. */
Native *native_open(const NativeSettings *settings, char *message, size_t message_size);
void native_close(Native *native);
/* The optional steps: those of steps.def, then the algebraic rules, which stand by family. */
typedef enum StepId {
#define STEP(pass, name, text, why) STEP_##name,
#include "compiled/core/steps.def"
#undef STEP
#define FAMILY(name) FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define RULE(name, root, text, why) STEP_##name,
#include "compiled/rules/rules.def"
#undef FAMILY
#undef RULE
    STEP_COUNT,
    STEP_PASS = -1 /* a pass as a whole */
} StepId;
enum { MAX_STEPS = 192, MAX_PASSES = 64 };

/* Why code was not reused (misses.def), and why it was not made for more than one size
 * (specializations.def). */
typedef enum MissReason {
#define MISS(name, text) MISS_##name,
#include "compiled/core/misses.def"
#undef MISS
    MISS_COUNT
} MissReason;
typedef enum Specialization {
#define SPECIALIZATION(name, text) SPECIALIZED_##name,
#include "compiled/core/specializations.def"
#undef SPECIALIZATION
    SPECIALIZED_COUNT
} Specialization;
const char *miss_name(int reason);
const char *specialization_name(int reason);

typedef struct StepInfo {
    const char *name;
    const char *pass;
    const char *text; /* pattern -> rewrite */
    const char *why;  /* it is the same value */
} StepInfo;
const StepInfo *step_info(int step);

/* Which optional passes and steps are off. */
typedef struct Disabled {
    uint64_t pass;                 /* bit by pass number */
    uint64_t step[MAX_STEPS / 64]; /* bit by StepId */
} Disabled;
/* Adds the passes and steps named in `list` ("cse,neg_neg"); with `only`, all optional ones but
 * those. False and a sentence for a name that is none, or is a required pass. */
bool disabled_parse(Disabled *d, const char *list, bool only, char *message, size_t message_size);

/* Turns off a random choice of the optional passes and steps, besides those that are off: none,
 * few, half or nearly all of them; the same for the same seed and index. */
void disabled_draw(Disabled *d, uint64_t seed, uint64_t index);

struct Plan;
/* What interpreting the graph after every stage found (stages.h). */
typedef struct StageReport {
    bool found;
    char stage[32];   /* after this stage the graph means something else than before */
    char what[160];   /* the difference in words */
    int64_t stages;   /* interpretations so far */
    bool runs;        /* in: compare what plans compute with what their graphs mean, too */
    bool run_differs; /* some plan computes something else */
} StageReport;

struct CompileOptions {
    FaultId fault;   /* FAULT_NONE: none */
    FaultId also[7]; /* more of them, `nalso` */
    int nalso;
    bool no_reuse;   /* compile every call anew, whatever the guards say */
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

/* What compiling did, added up over runs. */
typedef struct CompileCounters {
    int64_t compiles, hits;      /* calls compiled, calls served by the cache */
    int64_t symbolic, instances; /* compilations for many sizes; times that the graph of one was
                                    brought to other sizes */
    int64_t miss[MISS_COUNT], specialized[SPECIALIZED_COUNT];
    int64_t graphs;           /* graphs compiled: also prefixes, and slices that compute a size */
    int64_t gate_steps;       /* optional steps asked about */
    int last_pass, last_step; /* the last one that was let through: pass number, StepId */
    int64_t fired[MAX_STEPS]; /* by StepId: steps taken */
    int64_t pass_changed[MAX_PASSES]; /* by pass number: graphs it changed */
    int64_t nodes[MAX_PASSES +
                  1]; /* by pass number: nodes before it; behind the last one: nodes left */
    double seconds[MAX_PASSES + 1]; /* by pass number, then capture; only with `measure` */
    int64_t saved, saved_bytes;     /* values, and their bytes, kept by a forward for its backward:
                                       inputs and results not counted */
    int64_t unsaved_bytes;          /* what those bytes would be if nothing were computed again */
    int64_t buffers, bytes, flops;  /* of the plans: temporaries, their bytes; arithmetic of their
                                       loops, with `measure` */
} CompileCounters;

/* Runs all calls of `p`. `counters` may be NULL. */
Result *compiled_run(const Program *p, const CompileOptions *compile, const RunOptions *options,
                     CompileCounters *counters, Arena *arena);

/* Passes, in order (passes.def). */
typedef struct PassInfo {
    const char *name;
    bool optional;
    const char *text;
} PassInfo;
int pass_count(void);
const PassInfo *pass_info(int number);

#endif
