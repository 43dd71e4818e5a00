/* Graph: the compiler's IR. A list of nodes in execution order; each node computes one buffer, or
 * reads one through a layout.
 *
 *   INPUT k      the k-th input storage, whole, 1-D
 *   TANGENT k    the gradient fed to return k, contiguous
 *   OP           a functional op of the table (FACTORY, POINTWISE, FUNC): call's tensor arguments
 *                are Nodes
 *   VIEW         reads in[0]'s buffer through t's sizes, strides, offset. in[0] is never a VIEW:
 *                graph_view composes them
 *   WRITE        capture only: writes in[1]'s values into in[0] (any layout of its storage), in
 *                place
 *   STORE        functional: in[0]'s buffer with one slice (sizes, strides, offset: `slice`)
 *                replaced by in[1]'s values
 *   CHECK        effect: raises `check_code` at statement sid if a value of in[0] is bad; ordered
 *                among CHECKs; DCE keeps it
 *
 * A node's buffer has exactly the strides of `t` (those of eager mode), so a returned view of it
 * needs no copy. Node begins with Tensor (storage NULL until executed): inference and
 * derivative rules take Node pointers as Tensor pointers.
 *
 * A graph has three forms: captured (with WRITEs and alias classes), functional (after
 * functionalize), and joint (after joint: with the backward). */
#ifndef COMPILED_GRAPH_H
#define COMPILED_GRAPH_H

#include "program/ops/emit.h"
#include "program/json/json.h"

typedef enum NodeKind {
    NODE_INPUT,
    NODE_TANGENT,
    NODE_OP,
    NODE_VIEW,
    NODE_WRITE,
    NODE_STORE,
    NODE_CHECK
} NodeKind;

typedef enum CheckKind {
    CHECK_INDEX_WRAP, /* every element of in[0] lies in [-bound, bound) */
    CHECK_INDEX,      /* every element of in[0] lies in [0, bound) */
    CHECK_NONZERO     /* no element of in[0] is 0 (integer divisor) */
} CheckKind;

/* Copies dtype, sizes, strides and offset, of the dims that exist only: entries of `size` and
 * `stride` past `ndim` are unspecified in tensors of the compiler. */
static inline void layout_copy(Tensor *to, const Tensor *from) {
    to->dtype = from->dtype;
    to->ndim = from->ndim;
    to->offset = from->offset;
    for (int d = 0; d < from->ndim; d++) {
        to->size[d] = from->size[d];
        to->stride[d] = from->stride[d];
    }
}

typedef struct Node Node;
struct Node {
    Tensor t; /* first: dtype, sizes, strides, offset; storage NULL */
    NodeKind kind;
    int id;           /* position at creation; printed as %id; unique in the graph */
    int sid;          /* statement it came from; AT_BACKWARD for the backward */
    const Call *call; /* OP */
    OpId op;          /* OP: call->op->id; else OP_NONE */
    int nin;
    Node **in;  /* operands: for OP the tensor arguments as slots (call_slots; NULL for None) */
    int number; /* INPUT, TANGENT: k */
    CheckKind check; /* CHECK */
    int64_t bound;
    ErrCode check_code;
    const char *check_message;
    int cls;       /* capture: alias class (storage) of the value, index into classes; -1 later */
    Node *map;     /* scratch of a pass: replacement */
    int mark;      /* scratch of a pass */
    bool replaced; /* rules: replaced, and kept only for uses that read its buffer by address */
    /* annotations of the last passes */
    Node *recomputes; /* partition to fuse: the node of the forward that this one recomputes, or
                         NULL */
    int group;        /* fuse: nodes with one group >= 0 are one loop nest; -1: alone */
    bool in_place;    /* reinplace: a STORE (or scatter op) that writes into in[0]'s buffer */
    Node *into;       /* concat: the cat or stack in whose result this operand of it is computed, or
                         NULL */
    int buffer;       /* plan: buffer number; -1: none (VIEW, CHECK) */
    Tensor slice; /* STORE: the slice of in[0]'s buffer that is written: sizes, strides, offset */
};

/* What the epilogue does with the graph's values. */
typedef struct ReturnPlan {
    bool aliases_input; /* the tensor lives in input storage `storage` (after write-back) */
    int storage;        /* input storage number */
    int cls;     /* alias class of the storage: returns share a storage if and only if it is equal
                    (values may be one node after CSE) */
    Node *value; /* else: the node that holds the storage's values: once functional, an output like
                    any other */
    Tensor layout; /* dtype, sizes, strides, offset of the returned tensor in value's buffer, which
                    * may be of another dtype (view.dtype): value may only be replaced by a node
                    * whose buffer has the same image */
    bool requires_grad, is_leaf;
    Node *grad;   /* gradient of a returned leaf that is not an input, or NULL */
    Node *before; /* the tensor's value before the backward, if that writes to it; or NULL */
} ReturnPlan;

/* Is a gradient the very tensor that a backward statement was given, or a view of it? */
typedef enum Passed { PASSED_NOT, PASSED_ITSELF, PASSED_VIEW } Passed;

/* A gradient that leaves the graph: for a leaf that it was passed, or for the grad_fn of a tensor
 * that is not a leaf. */
typedef struct InputPlan {
    NameId name;          /* NAME_NONE: it has no name in this region */
    bool external;        /* for the tensor's grad_fn, which is outside of the region */
    GradState grad_state; /* external: GRAD_ABSENT if no path leads there, GRAD_NULL if the gradient
                             is undefined */
    Node *grad;           /* GRAD_VALUE */
    Passed passed;        /* what it has of a tensor that the caller gave a backward statement */
} InputPlan;

typedef struct Graph {
    Arena *arena;
    Node **node;
    int n, capacity;
    int next_id;
    Node **input;
    int ninputs;      /* INPUT node of each input storage, in order of first mention */
    Node **written;   /* by input storage: the value written back at the end, or NULL (functional
                         graph) */
    int64_t *version; /* by version counter of the inputs (Capture.counter): after the call */
    ReturnPlan *ret;
    int nret;
    InputPlan *inp;
    int ninp; /* by object (capture.h); then, if one of them has a history, once more for those */
    bool backward_runs;     /* a backward is part of the call */
    ErrCode backward_error; /* ... and raises this (saved_modified, invalid), decided at capture */
    const char *backward_message;
} Graph;

/* ---- building ---- */
Graph *graph_new(Arena *arena);
Node *graph_input(Graph *g, int number, DType dtype, int64_t numel);
Node *graph_tangent(Graph *g, int number, const Tensor *like);
/* An OP node: infers nothing, takes `meta` as its metadata. The call is copied. */
Node *graph_op(Graph *g, const Call *call, const Tensor *meta, int sid);
/* A read of `of`'s buffer through `layout` (sizes, strides, offset in the buffer); `of` itself if
 * that is its own layout. */
Node *graph_view(Graph *g, Node *of, const Tensor *layout, int sid);
Node *graph_write(Graph *g, Node *target, Node *value, int sid);
Node *graph_store(Graph *g, Node *base, Node *value, const Tensor *slice, int sid);
Node *graph_check(Graph *g, CheckKind kind, Node *value, int64_t bound, ErrCode code,
                  const char *message, int sid);
/* The node whose buffer a node reads: itself, or a VIEW's operand. */
static inline Node *node_buffer(Node *n) { return n->kind == NODE_VIEW ? n->in[0] : n; }
/* The layout of n's value in the buffer it lives in: n->t, or, if n (or what it views) is computed
 * into a cat, its place in the cat's result, in `room`. VIEWs of such a node keep their strides. */
const Tensor *node_memory(const Node *n, Tensor *room);
/* The node that a chain of cats into cats ends at; n itself if it is computed into none. */
static inline Node *node_root(Node *n) {
    while (n->into) {
        n = n->into;
    }
    return n;
}
/* Is in[slot] computed into `cat`? False for a second use of the same operand. */
bool node_joins_in_place(const Node *cat, int slot);
/* Replaces every use (operands, call arguments, outputs) of nodes whose `map` is set, and drops
 * nodes with mark < 0. A use that reads a buffer by address (in[0] of VIEW and STORE, a returned
 * storage, a write-back) is replaced only where the replacement's buffer holds the same value at
 * the same address; one by an op that reads in the order of memory, only where that has the same
 * strides. Such a node must not be dropped. */
void graph_apply_map(Graph *g);
/* Does the node do more with an operand than to read its value? */
static inline bool node_reads_layout(const Node *n, int slot) {
    return n->kind == NODE_VIEW || (n->kind == NODE_STORE && slot == 0) ||
           (n->kind == NODE_OP && n->call->op->memory_order);
}
/* A copy that shares nothing a pass writes to. `map` of each node is left at its copy. */
Graph *graph_clone(Graph *g, Arena *arena);
void graph_clear_map(Graph *g);
/* What the epilogue uses a node for: sets `mark` of every node to a union of these. */
enum { OUT_RETURN = 1, OUT_WRITTEN = 2, OUT_GRAD = 4 };
void graph_mark_outputs(Graph *g);
/* Does `b`'s buffer hold at every address what `a`'s holds, given that both have one value? (same
 * dtype, sizes, strides; no VIEW) */
bool node_same_image(const Node *a, const Node *b);
/* After in[] of an OP changed: updates the tensor arguments of its call. */
void node_sync_call(Node *n);

/* ---- printing, parsing, verifying ---- */
void graph_print(Text *text, const Graph *g, const Program *p);
/* "f32", "i64": what graph_print writes for a dtype. */
const char *dtype_short_name(DType dtype);
/* Parses the text that graph_print writes; printing the result gives the same text. `p` is the
 * program it was printed with, or NULL. NULL, and "line 3, column 7: .." in `message`, for any
 * other text. */
Graph *graph_parse(Arena *arena, const char *text, const Program *p, char *message,
                   size_t message_size);
/* For Graphviz: one box per node, groups as clusters, effects and outputs marked. */
void graph_print_dot(Text *text, const Graph *g, const Program *p);
void graph_dump(const Graph *g); /* to standard error, for a debugger */
/* Every invariant: operands before uses, metadata inferred again and equal, no VIEW of a VIEW, no
 * WRITE once `functional`, slices inside their base, CHECKs in statement order, outputs present.
 * False and the first broken one in `message`. */
bool graph_verify(const Graph *g, bool functional, char *message, size_t message_size);

#endif
