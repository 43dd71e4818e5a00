/* Result: what an executor returns for one program (docs/reference/format.md, "Results"). Oracles
 * compare only results. Data is dense, in logical order (returns, gradients) or storage order
 * (inputs), in the stated dtype. */
#ifndef PROGRAM_RESULT_H
#define PROGRAM_RESULT_H

#include "program/lang/program.h"

/* Where an error occurred: a statement number, or one of these. */
enum { AT_RETURN = -1, AT_BACKWARD = -2, AT_UNKNOWN = -3 };

typedef struct TraceEntry {
    int sid;
    ProbeKind probe;
    int n;               /* number of entries in v: 1, or ndim for size and stride */
    int64_t v[MAX_DIMS]; /* booleans 0/1, a DType for dtype */
} TraceEntry;

typedef enum AliasKind { ALIAS_NONE, ALIAS_INPUT, ALIAS_RETURN } AliasKind;

typedef struct Values {
    DType dtype;
    int ndim;
    int64_t size[MAX_DIMS];
    int64_t numel;
    void *data;            /* NULL: not recorded */
    const double *value64; /* float64 shadow of each element, or NULL */
    const double *bound;
} Values;

typedef enum GradState {
    GRAD_ABSENT /* key not recorded */,
    GRAD_NULL /* None */,
    GRAD_VALUE
} GradState;

/* Of a gradient, beside its values: what else a write to it would change. */
typedef struct GradFacts {
    bool has_requires_grad, requires_grad;
    bool has_alias;
    const char *alias; /* "input:NAME", "arg:NAME", "return:K", or "grad:" and one of these; NULL:
                          nothing */
} GradFacts;

typedef struct ReturnRecord {
    Values values;
    int64_t stride[MAX_DIMS];
    int64_t storage_offset;
    bool has_stride, has_offset;
    bool requires_grad, is_leaf;
    bool has_requires_grad, has_is_leaf, has_alias;
    AliasKind alias;
    int alias_index; /* index of an input or return */
    GradState grad_state;
    Values grad;
    const void *poked;  /* data after the write-through check, in logical order, or NULL */
    bool changed_later; /* its elements changed behind the record (CallResult.has_changed_later) */
} ReturnRecord;

typedef struct InputRecord {
    NameId name;
    bool has_requires_grad, requires_grad;
    bool has_version;
    int64_t version;
    bool has_is_leaf, is_leaf;
    bool has_geometry;
    int ndim;
    int64_t size[MAX_DIMS], stride[MAX_DIMS], storage_offset;
    Values data; /* the storage, 1-D, in storage order */
    bool
        unsettled; /* a failed in-place op may have written only some elements: data not compared */
    GradState grad_state;
    Values grad;
    const void *poked; /* storage data after the write-through check, or NULL */
} InputRecord;

typedef struct UndefinedNote {
    int at;
    const char *why;
} UndefinedNote;

typedef struct CallResult {
    bool ok;
    int error_at; /* sid, AT_RETURN, AT_BACKWARD, AT_UNKNOWN */
    ErrCode error;
    const char *message;
    TraceEntry *trace;
    int ntrace;
    ReturnRecord *returns;
    int nreturns;
    InputRecord *inputs;
    int ninputs;
    InputRecord *args; /* of the setup: arguments of the function that are no inputs; or NULL */
    int nargs;
    GradFacts *return_grads, *input_grads, *arg_grads; /* one for each record, or NULL */
    bool has_changed_later; /* after the last call, the returns were looked at again */
    bool has_changed_state; /* the modes of the thread were looked at before and after the call */
    char **changed_state;   /* names of those that it left changed ("grad_mode") */
    int nchanged_state;
    bool no_trace; /* the trace was not recorded: not compared */
    bool vacuous;  /* a compiling target compiled nothing */
    int regions;   /* compiled executor: number of regions that the call ran (more than one: graph
                      breaks) */
    bool compiled; /* compiled executor: this call was compiled (otherwise a cache hit) */
    const char *miss;  /* why existing code could not be used (compiled/core/misses.def), or NULL */
    bool symbolic;     /* ran symbolic code */
    const char *extra; /* other x- keys, as JSON members, or NULL */
} CallResult;

/* How an out-of-process target failed on a program: it crashed or sent malformed output, or it
 * timed out. */
typedef enum Failure { FAILURE_NONE, FAILURE_CRASH, FAILURE_TIMEOUT } Failure;

struct Result {
    const char *target;
    Semantics semantics; /* whose rules it was computed by; NONE: not recorded */
    Failure failure;     /* if set, the only call is an `internal` error whose message describes the
                            failure */
    CallResult *calls;
    int ncalls;
    UndefinedNote *undefined;
    int nundefined;          /* x-undefined */
    const char *unspecified; /* reference, on request: the last behaviour that PyTorch 1.13 leaves
                                unspecified, or NULL */
    const char *extra;       /* other x- keys, as JSON members, or NULL */
    bool sizes_inconclusive, refusal_inconclusive; /* reference with the float64 shadow: a size or
                             a number was read from a value that rounding decides; an op checked
                             such values, and may refuse them */
};

/* A deep copy in `arena`. */
Result *result_clone(Arena *arena, const Result *r);

/* Options of a run. */
typedef struct RunOptions {
    Semantics semantics; /* NONE: the program's (run_semantics) */
    bool poke; /* run the write-through check: write to every return and record again (format.md) */
    bool shadow; /* reference: run with the float64 shadow */
    bool fused;  /* ... beside an executor that may keep a float16 result in float32 until it is
                    stored, and that may pick another one of two equal zeros */
    bool detect_unspecified; /* reference: detect behaviour that PyTorch 1.13 leaves unspecified */
    Limits limits;
    int64_t (*executed)[DT_COUNT]; /* reference: counts completed statements by op and by the dtype
                                      of the first result, or of the tensor written; or NULL */
} RunOptions;

/* ---- recording (record.c), shared by both executors ---- */
/* The semantics that a run of `p` follows: that of the options, else the program's, else that of
 * its stored result, else the default. A stored result has the recorded one, else that of the
 * version in its target's name ("torch 2.13.0 eager"), else the oldest, because results were not
 * marked when there was no other. */
Semantics run_semantics(const Program *p, const RunOptions *options);
/* Copies t's elements (and shadow, if its storage has one) in logical order. */
void values_record(Values *out, const Tensor *t, Arena *arena);
/* The whole storage, as 1-D. */
void values_record_storage(Values *out, const Storage *s, Arena *arena);
/* For k = 0, 1, ..: returns[k].fill_(k + 1) unless it overlaps itself. Then records `poked` of
 * every return and input. */
void poke_record(CallResult *call, Tensor *const *returns, int nreturns, Tensor *const *inputs,
                 int ninputs, Arena *arena);
/* Sets alias and alias_index of returns: the first input with the same storage, else the first
 * earlier return. Empty storages do not alias. */
void alias_record(CallResult *call, Tensor *const *returns, int nreturns, Tensor *const *inputs,
                  int ninputs);

#endif
