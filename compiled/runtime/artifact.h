/* One compiled region: what a cache entry holds, and running it. */
#ifndef COMPILED_RUNTIME_ARTIFACT_H
#define COMPILED_RUNTIME_ARTIFACT_H

#include "compiled/capture/capture.h"

typedef struct Artifact {
    struct Artifact *next;
    const void *key; /* guard_key; NULL: not to be reused */
    int64_t key_bytes;
    CaptureInput made_for;       /* the call it was compiled for: metadata */
    RandomStream stream;         /* ... and what that drew from (fault GU_30) */
    int64_t used;                /* when the cache last served it, in look-ups */
    struct Artifact *evicted_by; /* not looked up any more: this took its place; or NULL */
    MissReason miss; /* why it was made, if the region had been compiled before; else MISS_COUNT */
    struct Symbols *symbols; /* it serves other sizes too (symbols.h); or NULL */
    const Capture *capture;
    const Graph *graph;
    const Plan *plan;
    const DataDependent *data_dependents; /* values that must come out the same again */
    const ExitTensor *exit;               /* by tensor that outlives the region */
    bool has_checks;
    /* the error that the region ends with */
    int error_at;
    ErrCode error; /* ERR_none: the function returns (its backward may raise) */
    const char *message;
    int unsettled; /* input storage that a refused write leaves unsettled, or -1 */
} Artifact;

/* The result of running an artifact, beside its inputs' data. */
typedef struct ArtifactResult {
    Storage **storage; /* of the inputs, by number */
    int nstorage;
    Storage **counter;    /* by number: those with the version counters of the inputs */
    Tensor *returns;      /* by return, or export */
    Tensor **grad;        /* by Graph.inp: a contiguous copy, or NULL */
    Tensor **return_grad; /* by return */
    Tensor **before;      /* by return: its value before a backward that writes to it, or NULL */
} ArtifactResult;

/* ---- epilogue.c ---- */
/* Runs the artifact on `tensors` (with data). False if a CHECK fired (`exec` says which): then
 * everything is as it was. */
bool artifact_run(const Artifact *a, const Program *p, const CaptureInput *in, Arena *arena,
                  ArtifactResult *out, Execution *exec);

/* ---- guard.c ---- */
/* What a compilation may assume of its entries, as bytes: equal bytes, same code. */
const void *guard_key(const Compile *c, const CaptureInput *in, Arena *arena, int64_t *bytes);

/* ---- runtime/data_dependent.c ---- */
/* CaptureInput.evaluate: compiles a copy of the graph so far and runs it on the entries' data. */
ErrCode data_dependent_evaluate(Capture *cap, DataDependent *d, const Var *v);
/* Evaluates again, on other inputs: true if the result is the same. */
bool data_dependent_same(const DataDependent *q, void *const *input, Arena *arena);

#endif
