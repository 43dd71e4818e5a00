/* The world of the compiled executor: tensors that outlive a call, and the regions whose tapes they
 * point into.
 *
 *     inputs ── setup (a region) ──> objects ── body (a region) ──> objects ── body again (keep) ──
 *     ..
 *
 * An Object is a tensor with its autograd record; its history is an output of a tape node of the
 * region that made it. A region sees only metadata of the objects that it is passed and treats
 * their histories as opaque; what its backward sends there is handed on to the region they point
 * into, which is captured again with the data it was called on, and its tape walked from there. */
#ifndef COMPILED_WORLD_H
#define COMPILED_WORLD_H

#include "compiled/runtime/artifact.h"

typedef struct Region Region;
typedef struct LiveTensor LiveTensor;
/* A history: output `nr` of tape node `number` of the region; NULL: none. */
typedef struct RegionEdge {
    Region *region;
    int64_t number;
    int nr;
} RegionEdge;

struct LiveTensor {
    Tensor tensor;       /* on a storage with data and the version */
    TensorRecord record; /* attr_version: of its storage, absolute */
    RegionEdge grad_fn;
    bool regenerated;   /* a backward regenerated the grad_fn of this stale view: there is one, and
                      the next region that needs it regenerates it again */
    LiveTensor *base;   /* of a view */
    const Tensor *grad; /* .grad; NULL: None */
    int entry;          /* scratch: its index among the entries of the region being entered */
    LiveTensor *next;   /* in the session */
};

/* One run of a region. */
struct Region {
    CaptureInput in; /* as it was captured; if a backward may come to it later, with the data its
                        storages then held */
    const Capture *capture; /* its tape */
    LiveTensor **live;      /* by object of the capture */
    int nlive;
    RegionEdge *external;    /* by entry: the history it had */
    int64_t *version;        /* by input storage: when it was entered */
    unsigned char *released; /* by tape number (made of them): run by a backward */
    int64_t tape_size;
    ResumedRoot *root; /* what a backward under way has sent here */
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
    Artifact *cache;
    bool last_call; /* nobody calls again: nothing need be made for other sizes */
    /* the world: what a call with fresh inputs made, and calls that keep it took up */
    LiveTensor **input; /* by program input */
    int ninputs;
    LiveTensor *live;
    LiveTensor **named; /* by NameId: what names mean outside of the function */
    LiveTensor *
        *exported; /* by NameId: what the region before left to the next one of the same call */
    bool prepared; /* the setup ran to its end */
    bool breaks; /* some statement is a graph_break, and none needs the tape of the whole function:
                    regions end there */
    bool takes_gradients; /* some statement of the function does */
    bool reshapes;        /* some statement changes the geometry of a tensor in place */
    Region *last;         /* of those that a later backward may come to */
} RuntimeSession;

/* How a region ended. */
typedef struct RegionResult {
    ErrCode error;
    int at;
    const char *message;
    const Artifact *artifact;
    ArtifactResult outcome;
    Region *region;
    Storage *unsettled;  /* what a refused write had begun to write, or NULL */
    int deferred_leaves; /* moved leaves that its backward came past */
} RegionResult;

/* ---- region.c ---- */
/* An artifact for the region, not from the cache. `captured` (or NULL) is called between the
 * capture and the passes. */
Artifact *region_compile(RuntimeSession *r, const CaptureInput *in,
                         void (*captured)(void *user, Capture *cap), void *user);
/* What comes before statement `sid`, which raises. */
Artifact *region_compile_prefix(RuntimeSession *r, const CaptureInput *in, int sid, ErrCode code,
                                const char *message, int unsettled);
/* An artifact from the cache, or made now. */
const Artifact *region_find(RuntimeSession *r, const CaptureInput *in, bool *compiled);
/* The input storage that the statement of a CHECK was writing, or -1. */
int region_writes(const Graph *g, int sid);

/* ---- runtime/runtime.c ---- */
/* Fresh objects for the inputs. ERR_limit. */
ErrCode runtime_open(RuntimeSession *r, const Input *inputs, int ninputs, Error *err);
/* The same objects once more: gradients cleared, then flags set. */
ErrCode runtime_reopen(RuntimeSession *r, const Recall *recall, Error *err);
bool live_requires_grad(const LiveTensor *o);
bool live_has_grad_fn(const LiveTensor *o);
/* Remembers the nodes that a backward of the capture ran; `end`: moved leaves it came past. */
void region_release(Region *region, const Capture *cap, int end);
enum { SETUP = -2, BODY = -1 };
/* Runs the setup, the body, or what follows the graph_break `part` of the body. `comes_back`: a
 * later region may send gradients to it. */
void region_run(RuntimeSession *r, int part, bool grad_mode, bool comes_back, bool *compiled,
                RegionResult *end);
/* Does the region end at a graph_break, and another follow? */
static inline bool region_continues(const RegionResult *end) {
    return end->error == ERR_none && end->artifact->capture->end == END_BREAK;
}
/* ---- runtime/cross_region_backward.c ---- */
/* How many of the moved leaves that the region's backward met wait for an earlier region? All of
 * them, or the next one refuses. */
int moved_leaves_deferred(RuntimeSession *r, Region *region, const Capture *cap);
/* Hands on what the backward of the region that just ran sent to histories outside of it. An error
 * is the call's. */
ErrCode cross_region_backward_run(RuntimeSession *r, const RegionResult *end, Error *err);
/* ---- call.c ---- */
/* Call `number` of the program, from its inputs to its record. */
void run_call(RuntimeSession *r, int number, CallResult *call);

#endif
