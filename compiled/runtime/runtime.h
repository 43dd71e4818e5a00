/* The runtime of the compiled executor: tensors that outlive a call, and the regions whose tapes
 * they point into.
 *
 *     inputs ── setup (a region) ──> live tensors ── body (a region) ──> live tensors
 *            ── body again (keep) ──> ..
 *
 * A LiveTensor is a tensor with its autograd record; its grad_fn is an output of a tape node of the
 * region that made it. A region sees only metadata of its entries and treats their grad_fn as
 * external. The gradients that its backward sends there are handed to the region that made the
 * grad_fn, which is captured again with the data it was called on, and whose tape is walked from
 * there. */
#ifndef COMPILED_RUNTIME_H
#define COMPILED_RUNTIME_H

#include "compiled/runtime/artifact.h"

typedef struct Region Region;
typedef struct LiveTensor LiveTensor;
/* A grad_fn: output `nr` of tape node `number` of the region; region NULL: none. */
typedef struct RegionEdge {
    Region *region;
    int64_t number;
    int nr;
} RegionEdge;

struct LiveTensor {
    Tensor tensor;       /* on a storage with data and the version */
    TensorRecord record; /* attr_version: of its storage, absolute */
    RegionEdge grad_fn;
    bool hooks_ran;     /* the running backward has called its hooks: .grad is complete */
    bool regenerated;   /* a backward regenerated the grad_fn of this stale view: there is one, and
                      the next region that needs it regenerates it again */
    LiveTensor *base;   /* of a view */
    const Tensor *grad; /* .grad; NULL: None */
    const Tensor *kept; /* what calls and backwards before have left there, if more is added to it;
                           or NULL */
    ErrCode grad_written; /* what a backward raises that adds to it (Var.grad_written) */
    int entry;            /* scratch: its index among the entries of the region being entered */
    LiveTensor *next;     /* in the session */
};

/* A backward ran the node, or the node of its other output, and did not retain the graph. */
enum { RELEASED = 1, RELEASED_HALF = 2 };

/* A hook that a later region has registered on a tensor with a history of this one. */
typedef struct LateHook {
    int64_t number; /* of the tape node */
    int nr, function;
    struct LateHook *next; /* registered after it */
} LateHook;

/* One run of a region. */
struct Region {
    CaptureInput
        in; /* as it was captured; with a copy of its data if a later backward may reach it */
    const Capture *capture; /* the tape */
    LiveTensor **live;      /* by index in Capture.live */
    int nlive;
    RegionEdge *external;    /* by entry: its grad_fn when the region was entered */
    int64_t *version;        /* by version counter (Capture.counter): when it was entered */
    int64_t *writes;         /* by input storage: Storage.writes then */
    RandomStream stream;     /* what it drew from */
    unsigned char *released; /* RELEASED..: by tape number (tape_size of them): a backward ran it
                                and did not retain the graph */
    int64_t tape_size;
    LateHook *late_hooks;
    ResumedRoot *root; /* what the running backward has sent here */
    int nroot, capacity;
    Region *before; /* the region entered before */
};

typedef struct RuntimeSession {
    const Program *p;
    const CompileOptions *compile;
    const RunOptions *options;
    CompileCounters *counters;
    int64_t first_step;
    Arena *arena;
    Artifact *cache;     /* all code, newest first, also what was evicted (cache.c) */
    int64_t look_ups;    /* in the cache */
    RandomStream stream; /* of the running region: the call's, from where the region starts */
    bool last_call;      /* the last call: no code for other sizes is needed */
    /* live tensors: made by a call with fresh inputs, taken over by calls that keep them */
    LiveTensor **input; /* by program input */
    int ninputs;
    LiveTensor *live;
    LiveTensor **named;    /* by NameId: the bindings outside the function */
    LiveTensor **exported; /* by NameId: the exports of the region before, in the same call */
    bool prepared;         /* the setup ran to its end */
    bool refused_late;     /* a backward met an op without a derivative in an earlier region: eager
                              PyTorch may have raised before it ran, and freed, what was run here */
    bool partial; /* the backward of the last call raised: which gradients have arrived is not known
                   */
    bool breaks;  /* some statement is a graph_break, and none needs the whole function's tape:
                     regions end there */
    bool apart;   /* the caller's statements behind the function are regions of their own */
    bool comes_back;      /* some backward follows the function */
    bool takes_gradients; /* some statement of the function does */
    bool prepares;        /* the setup and the body are one region */
    bool hooks;           /* ... and some are hooks */
    bool sees_grads;      /* the program reads or sets .grad, or has a backward statement */
    bool walks_inside; /* the program has functions of its own, hooks or blocks under checkpoint */
    bool reshapes;     /* some statement changes the geometry of a tensor in place */
    Region *last;      /* the last region that a later backward may reach */
} RuntimeSession;

/* How a region ended. */
typedef struct RegionResult {
    ErrCode error;
    int at;
    const char *message;
    const Artifact *artifact;
    ArtifactResult outcome;
    Region *region;
    Storage *unsettled;  /* the storage that a refused write had begun to change, or NULL */
    int deferred_leaves; /* moved leaves of its backward whose error is deferred (history_errors.c)
                          */
} RegionResult;

/* ---- region.c ---- */
/* An artifact for the region, not from the cache. `captured` (or NULL) is called between the
 * capture and the passes. */
Artifact *region_compile(RuntimeSession *r, const CaptureInput *in,
                         void (*captured)(void *user, Capture *cap), void *user);
/* The region up to statement `sid`, which raises. */
Artifact *region_compile_prefix(RuntimeSession *r, const CaptureInput *in, int sid, ErrCode code,
                                const char *message, int unsettled);
/* An artifact from the cache, or made now. */
const Artifact *region_find(RuntimeSession *r, const CaptureInput *in, bool *compiled);
/* The input storage that the statement of a CHECK was writing, or -1. */
int region_writes(const Graph *g, int sid);

/* ---- runtime/cache.c ---- */
/* Code that serves the call, or NULL. `key`: the call's guard_key. */
Artifact *cache_find(RuntimeSession *r, const CaptureInput *in, const void *key, int64_t bytes);
/* Why none does; MISS_COUNT: the region has not been compiled before. */
MissReason cache_miss(RuntimeSession *r, const CaptureInput *in, const void *key, int64_t bytes);
bool cache_same_key(const Artifact *a, const void *key, int64_t bytes);
/* Adds new code, and evicts the least recently used of its region if that has too much. */
void cache_insert(RuntimeSession *r, Artifact *a);

/* ---- runtime/runtime.c ---- */
/* Fresh live tensors for the inputs. ERR_limit. */
ErrCode runtime_open(RuntimeSession *r, const Input *inputs, int ninputs, Error *err);
/* The same live tensors once more: gradients cleared, then flags set. */
ErrCode runtime_reopen(RuntimeSession *r, const Recall *recall, Error *err);
/* Adds the .grad that earlier calls and backwards have left to what the last one has computed. */
void runtime_add_kept_grads(RuntimeSession *r);
/* The same, before another backward computes more. */
void runtime_keep_grads(RuntimeSession *r);
/* Seeded fault GR_25, when a call has been compiled. */
void runtime_double_kept_grads(RuntimeSession *r);
bool live_requires_grad(const LiveTensor *o);
bool live_has_grad_fn(const LiveTensor *o);
/* Remembers the nodes that a backward of the capture ran, up to moved leaf number `end`. */
void region_release(Region *region, const Capture *cap, int end);
/* Runs the setup, the body, `after`, or what follows statement `part`: a graph_break of the body, a
 * backward statement of `after`. `comes_back`: a later backward may reach the region. */
void region_run(RuntimeSession *r, int part, bool grad_mode, bool comes_back, bool *compiled,
                RegionResult *end);
/* Runs the first part of backward statement `sid` of the caller: its roots, as a region on the
 * exports of the region before. */
void region_run_gradient(RuntimeSession *r, int sid, RegionResult *end);
/* Does the region end at a graph_break, and another follow? */
static inline bool region_continues(const RegionResult *end) {
    return end->error == ERR_none && end->artifact->capture->end == END_BREAK;
}
/* ---- runtime/history_errors.c ---- */
/* The op of the grad_fn, if it has no derivative, else NULL. *at_once: it refuses as soon as a
 * backward through the region that is being entered reaches it, since no other argument's history
 * leads to it. */
const OpInfo *refusing_op(RuntimeSession *r, const Region *entered, const RegionEdge *grad_fn,
                          bool *at_once);

/* Does what an earlier region has received lead to the leaf? */
bool leaf_awaits_roots(RuntimeSession *r, const Region *region, const LiveTensor *leaf);
/* The first entry whose grad_fn is an output of the node that entry i's is of; i if there is none
 * before it. */
int first_of_node(const Region *region, int i);
/* The entries whose histories lead to the leaf: bit j is region->external[j]. */
uint64_t leaf_reached_by(RuntimeSession *r, const Region *region, int n, const LiveTensor *leaf);

/* ---- runtime/cross_region_backward.c ---- */
/* How many of the moved leaves of the region's backward defer their error to an earlier region? The
 * next one raises. */
int moved_leaves_deferred(RuntimeSession *r, Region *region, const Capture *cap);
/* Continues the backward of the region that just ran in the regions before it, whose nodes it
 * releases unless it retains the graph. An error is the call's. */
ErrCode cross_region_backward_run(RuntimeSession *r, const RegionResult *end, bool retain_graph,
                                  Error *err);
/* ---- call.c ---- */
/* Call `number` of the program, from its inputs to its record. */
void run_call(RuntimeSession *r, int number, CallResult *call);

#endif
