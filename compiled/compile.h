/* The compiled executor: guard/cache, capture, functionalize, joint, passes, lowering, execution (docs/architecture.md).
 *
 * A Compiler holds what outlives a program: options (seeded fault, gate limits) and counters. It is not shared by threads. */
#ifndef COMPILED_COMPILE_H
#define COMPILED_COMPILE_H

#include "program/result.h"

typedef enum FaultId {
#define FAULT(family, number, name, stage, oracle, issue, text) FAULT_##family##_##number,
#include "compiled/faults.def"
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

/* The native tier (compiled/native.h): what it has compiled, and where that is kept. Not shared by threads. */
typedef struct Native Native;
typedef struct NativeSettings {
    const char *cache; /* folder; NULL: the user's ($XDG_CACHE_HOME, ~/.cache, $TMPDIR); "none": nothing is kept */
} NativeSettings;
/* Finds the C compiler ($CC, else cc) and tries it out. NULL and one sentence if there is none that works. */
Native *native_open(const NativeSettings *settings, char *message, size_t message_size);
void native_close(Native *native);

typedef struct CompileOptions {
    FaultId fault;          /* FAULT_NONE: none */
    uint64_t disabled;      /* bit by pass number: an OPTIONAL pass that is off */
    int64_t opt_limit;      /* the gate lets only the first `opt_limit` optional steps through; -1: all */
    bool verify;            /* run the verifier after every pass (always on in sanitizer and debug builds) */
    /* called after every stage with the graph as text, when not NULL (show --as ir) */
    void (*on_dump)(void *user, const char *stage, const char *text);
    void *dump_user;
    bool dump_c;            /* on_dump also gets every plan as C, after all stages, as stage "c" */
    Native *native;         /* run loops natively; NULL: by the tile machine */
    bool native_collect;    /* run by the tile machine, but have the native tier compile these loops with its next batch */
} CompileOptions;
#define COMPILE_DEFAULT ((CompileOptions){.fault = FAULT_NONE, .opt_limit = -1})

typedef struct CompileCounters {
    int64_t compiles, hits;         /* calls compiled, calls served by the cache */
    int64_t pass_changed[64];       /* by pass number: programs it changed */
    int64_t gate_steps;             /* optional steps asked about */
} CompileCounters;

/* Runs all calls of `p`. `counters` may be NULL. */
Result *compiled_run(const Program *p, const CompileOptions *compile, const RunOptions *options, CompileCounters *counters, Arena *arena);

/* Passes, in order (passes.def). */
typedef struct PassInfo { const char *name; bool optional; const char *text; } PassInfo;
int pass_count(void);
const PassInfo *pass_info(int number);

#endif
