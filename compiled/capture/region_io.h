/* What crosses the border of a region: the tensors that enter it, what it leaves of them, and the
 * gradients with which a later backward comes back to it. Metadata only, never data.
 *
 *     live tensors (runtime) ── EntryTensor ──> capture ── ExitTensor ──> live tensors
 *                                                  ^
 *                                                  └── ResumedBackward (of a later region) */
#ifndef COMPILED_CAPTURE_REGION_IO_H
#define COMPILED_CAPTURE_REGION_IO_H

#include "compiled/ir/graph.h"

/* How a differentiable view was made (PyTorch's CreationMeta). */
typedef enum CreationMeta {
    CREATION_DEFAULT,
    CREATION_NO_GRAD,
    CREATION_MULTI_OUTPUT,
    CREATION_FUNCTION /* returned by a program's own function */
} CreationMeta;

/* Hooks that are registered on a tensor, by the numbers of their functions. */
typedef struct HookNames {
    int n;
    const int *function;
} HookNames;

/* The autograd record of a tensor that outlives a region. Copied by assignment from one region's
 * exit to the live tensor, and from there to the entry of the next. */
typedef struct TensorRecord {
    bool requires_grad;         /* the tensor's own bit */
    CreationMeta creation_meta; /* of a view */
    int64_t attr_version;       /* of a view: the storage's version when its grad_fn was made. Of an
                                   entry or exit: relative to the version at the region's start */
    int topological_nr;         /* of its grad_fn: edges on the longest path from there to a leaf;
                                   0 unless the function takes gradients */
    const Tensor *grad_fn_meta; /* size and dtype that a gradient for its grad_fn must have, if they
                                   are not the tensor's own; or NULL */
    const Tensor *accumulator_meta; /* the same of its AccumulateGrad; NULL: it has none, or (of an
                                entry) no statement changes a geometry in place */
    const HookNames *hooks;         /* the list of its hooks; NULL: it has none */
    const HookNames *post_hooks;    /* ... and of those after the accumulation */
} TensorRecord;

enum { REACHED_BY_MOST = 64 }; /* entries that EntryTensor.reached_by has a bit for */

/* A tensor that exists before the region (the function, or the setup before it) starts. The region
 * does not know who receives the gradients of one that is not a leaf: its grad_fn is external. */
typedef struct EntryTensor {
    TensorRecord record;   /* attr_version is 0, or STALE_VERSION */
    bool has_grad_fn;      /* it has a grad_fn, or is a view whose grad_fn has to be regenerated */
    int base;              /* of a view: index of its base among the entries; else -1 */
    const OpInfo *refuses; /* the op of its grad_fn, if that has no derivative; or NULL */
    bool refuses_at_once;  /* ... as soon as a backward reaches it: the history of no other entry
                              leads to it, for which it might have to wait */
    uint64_t reached_by;   /* of a leaf, in a program with hooks or that sees .grad: bit j if the
                              history of entry j leads to it */
    int node; /* ... the first entry whose grad_fn is the same node of autograd: another
                 result of unbind. Itself: none before */
} EntryTensor;

/* attr_version of an entry: the grad_fn of the view belongs to an earlier version of its storage.
 */
enum { STALE_VERSION = -1 };

/* The grad_fn that a tensor leaves a region with: none, the one that it entered with, or one that
 * the region recorded. */
typedef enum ExitGradFn { EXIT_GRAD_FN_NONE, EXIT_GRAD_FN_UNCHANGED, EXIT_GRAD_FN_NEW } ExitGradFn;

/* What a region leaves of a tensor that outlives it. */
typedef struct ExitTensor {
    Tensor layout;
    TensorRecord record; /* topological_nr and grad_fn_meta only with EXIT_GRAD_FN_NEW */
    ExitGradFn grad_fn;
    int64_t number; /* EXIT_GRAD_FN_NEW: output `nr` of this tape node */
    int nr;
    bool regenerated; /* the backward regenerated its grad_fn: the next region that needs it does so
                    again */
    int base;         /* index among the tensors that outlive the region, or -1 */
    int64_t version;  /* its storage's, relative to the region's start */
    bool resets_accumulator; /* set_: what AccumulateGrad it came with is not its own any more */
} ExitTensor;

/* Must gradients for both have the same size and dtype? (NULL: no requirement) */
static inline bool same_meta(const Tensor *a, const Tensor *b) {
    return a && b ? a->dtype == b->dtype && tensor_same_size(a, b) : a == b;
}

/* Where a backward of a later region resumes the tape of this one. */
typedef enum RootKind {
    ROOT_TAPE,            /* output `nr` of tape node `number` */
    ROOT_ACCUMULATE_GRAD, /* the AccumulateGrad of tensor `number` */
    ROOT_EXTERNAL         /* the external grad_fn that tensor `number` came with */
} RootKind;
typedef struct ResumedRoot {
    RootKind kind;
    int64_t number;
    int nr;
    const Tensor *grad; /* contiguous; NULL: undefined */
    Passed passed;
} ResumedRoot;
typedef struct ResumedBackward {
    ResumedRoot *root;
    int nroot;
    bool earlier_roots; /* regions before this one have roots, too */
    const bool *waits;  /* by entry: ... that lead to this leaf */
} ResumedBackward;

/* Parts of a program that are regions, as CaptureInput.resume and Capture.at name them; others are
 * the statement behind which one starts. */
enum { AFTER = -3, SETUP = -2, BODY = -1 };

struct Capture;
struct DataDependent;
struct Var;

/* What a capture starts from. */
typedef struct CaptureInput {
    const Tensor *tensors; /* by entry: geometry and storage */
    const EntryTensor *entry;
    int n;
    const NameId *name; /* bindings: name[k] is entry[named[k]] */
    const int *named;
    int nname;
    bool setup;    /* the setup instead of the body */
    bool prepares; /* the setup first, then the body, as one region */
    bool after;    /* the caller's statements behind the function */
    bool gradient; /* one backward statement of the caller, `resume`, and nothing else */
    bool split;    /* a graph_break ends the region */
    bool apart;    /* the end of the body does, where `after` follows */
    int resume; /* the graph_break after which the body is resumed, or the backward statement after
                   which `after` is; negative: from the start */
    bool grad_mode;
    int stop_before;
    bool drops_hooks;               /* GU-15: hooks of entries are not registered */
    bool sample;                    /* a sample compilation: metadata only, its graph never runs */
    const ResumedBackward *resumed; /* not a call: the backward of an earlier one; or NULL */
    /* Computes a data-dependent value from the graph captured so far and the data of the entries
     * (runtime/data_dependent.c). Sets value and failed_sid of `d`; the error of a CHECK that fires
     * goes to the capture. NULL: there is no data. */
    ErrCode (*evaluate)(struct Capture *cap, struct DataDependent *d, const struct Var *v);
} CaptureInput;

/* The distinct storages of the entries in order of first mention, which is the order of the INPUT
 * nodes; `out` has room for `ninputs`. Of a memory that is read as several dtypes, the storage that
 * owns it. */
void storages_of(const Tensor *inputs, int ninputs, Storage **out, int *nout);
/* The first of the tensors that is on the storage of tensor `i`. */
int storage_leader(const Tensor *tensors, int i);
/* The first of the tensors that has the version counter of tensor `i`. */
int counter_leader(const Tensor *tensors, int i);
/* The same tensors on copies of their storages, which share version counters as these do. */
const Tensor *tensors_copied(Arena *arena, const Tensor *tensors, int n);

#endif
