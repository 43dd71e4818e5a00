/* Loop IR: what the graph becomes, and what the last passes and the executor know about it.
 *
 *     graph ── units (a fused group, or one node) ── loops ── run
 *
 * A *member* is a node seen as part of a tile nest: an iteration space, how each operand is read at
 * a point of it, where the result goes. Fusion, reinplacing and lowering all decide on members, so
 * they cannot disagree about an address.
 *
 * A *tile nest* is one loop nest over a space: a register bytecode (tile/ops.def) run over tiles of
 * up to TILE elements in row-major order that span rows. All its loads and stores are accesses:
 * buffer, offset, strides. */
#ifndef COMPILED_LOWER_H
#define COMPILED_LOWER_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"
#include "compiled/ir/plan.h"

enum {
    TILE = 512,       /* elements a tile */
    MANY = 16 * 1024, /* elements whose transcendental functions go in float arithmetic */
    MANY_SMALL = 64,  /* the same for the native tier where the graph is verified */
    SMALL_TILE = 512, /* the same where the graph is verified: what goes wrong between tiles should
                         show on small tensors */
    MAX_REGISTERS = 160, /* of a nest */
    MAX_ACCESSES = 160,  /* the same */
    MAX_INSTS = 640,
    MAX_FUSED_OPS = 24, /* nodes a group: what the registers are counted for */
    MAX_REDUCTIONS = 8, /* of a nest */
    MAX_READS = 24      /* operands of a member */
};

/* ---- lowering classes (lowering.def) ---- */
typedef enum LowerClass {
    LOWER_OPAQUE, /* the shared kernel */
    LOWER_POINTWISE,
    LOWER_COPY,  /* one operand, perhaps in another dtype or broadcast */
    LOWER_SPLAT, /* one value everywhere: readers take the value; it has a buffer only where
                    somebody needs memory */
    LOWER_FLIP,
    LOWER_TRIANGLE,
    LOWER_INDEX, /* this and the next two: indirect reads */
    LOWER_GATHER,
    LOWER_INDEX_SELECT,
    LOWER_REDUCE,
    LOWER_STORE, /* this and the next: base copied (or in place), region written */
    LOWER_VIEW_SCATTER,
    LOWER_INDEX_PUT, /* this and the next two: base copied (or in place), indirect writes */
    LOWER_SCATTER,
    LOWER_INDEX_ADD,
    LOWER_ADD_REGION, /* zeros, then a region written or, if it overlaps itself, added to */
    LOWER_CAT,
    LOWER_NONZERO,
    LOWER_SCAN,
    LOWER_SOFTMAX,
    LOWER_MATMUL,
    LOWER_LITERAL,
    LOWER_CHECK,
    LOWER_NOTHING /* INPUT, TANGENT, VIEW */
} LowerClass;
extern const unsigned char lower_op_class[OP_COUNT]; /* LowerClass */
/* _as_strided_grad onto a base that is contiguous and holds the whole view: then the result's
 * buffer is that base, and the gradient goes to the view's region of it. */
bool strided_grad_is_region(const Node *n);
static inline LowerClass lower_class(const Node *n) {
    switch (n->kind) {
    case NODE_OP:
        return n->op == OP__as_strided_grad && !strided_grad_is_region(n)
                   ? LOWER_OPAQUE
                   : (LowerClass)lower_op_class[n->op];
    case NODE_STORE:
        return LOWER_STORE;
    case NODE_CHECK:
        return LOWER_CHECK;
    default:
        return LOWER_NOTHING;
    }
}
/* True if the op has loops of its own; false if it runs the shared kernel. */
bool lower_is_native(const OpInfo *op);

/* ---- splats ---- */
/* The one value (of n's dtype) that every element of `n` has by construction; false if there is
 * none. Looks through VIEWs. */
bool node_splat(const Node *n, Scalar *value);

/* ---- members (loops/fused_op.c) ---- */
typedef enum ReadKind {
    READ_AFFINE,   /* at offset + sum i*stride */
    READ_INDIRECT, /* the same plus terms from index operands: any element may be read */
    READ_BASE      /* the whole of it becomes the result's first contents */
} ReadKind;
typedef struct Read {
    ReadKind kind;
    int slot; /* operand */
    int64_t offset;
    int64_t stride[MAX_DIMS]; /* by dim of the member's space */
} Read;
typedef struct FusedOp {
    Node *node;
    LowerClass cls;
    int ndim; /* the space, dims of size 1 left out */
    int64_t size[MAX_DIMS];
    int nread;
    Read *read; /* in arena; index operands (AFFINE) precede the INDIRECT one they serve */
    bool sink;  /* nobody in the nest can take its value: reductions, and what writes over a base */
    bool accumulates; /* writes add to what is there, one point after the other */
    unsigned reduced; /* REDUCE: bit set of dims of the space */
    int64_t out_offset;
    int64_t out_stride[MAX_DIMS]; /* where the result's elements go; for an indirect write, without
                                     the index terms */
    /* indirect reads and writes: address += index * stride */
    int nterm;
    struct Term {
        int read;
        int64_t stride, bound;
        bool wrap;
    } * term;
    bool region_covers; /* STORE, VIEW_SCATTER: the whole base is overwritten */
} FusedOp;
/* Describes `n`; false if its class is not a member's. Tables are allocated in `arena`. */
bool fused_op_describe(const Compile *c, Node *n, Arena *arena, FusedOp *out);
/* Which operands does the lowering of `n` read at all? (zeros_like reads nothing, copy only its
 * source) */
bool node_reads_slot(const Node *n, int slot);
/* A STORE that leaves nothing of its base. */
bool store_covers_base(const Node *n);
/* Does it take the value of a splat operand without needing memory for it? */
bool node_inlines_splat(const Node *n, int slot);
/* Does a member's read of an operand address, trip by trip, what the other member writes? Both have
 * one space. */
bool read_follows_write(const FusedOp *reader, const Read *read, const FusedOp *writer);

/* ---- units and liveness (liveness.c) ---- */
enum { LIVE_TO_THE_END = INT32_MAX };
typedef struct Liveness {
    int nunit;
    int *unit; /* by node id: place of its unit in execution order; -1 for INPUT, TANGENT, VIEW */
    int *last; /* by node id of a buffer node: the last unit that reads its memory, LIVE_TO_THE_END
                  for outputs; -1: nobody does */
    int last_check; /* unit of the last CHECK, or -1 */
} Liveness;
/* End of the unit that begins at place `at`: one past its last node. */
int schedule_item_end(const Graph *g, int at);
Liveness liveness_analyse(const Graph *g, Arena *arena);
/* The same of c->graph, for the passes behind fuse, which change neither its nodes nor their
 * order. */
const Liveness *compile_liveness(Compile *c);

/* ---- poison (poison.c) ---- */
typedef struct Plan Plan;
/* Makes runs of the plan poison memory. loops_after[u]: loops of the plan up to and with unit u. */
void poison_plan(Plan *plan, const Graph *g, const int *loops_after, Arena *arena);
/* Fills the block of temporaries; and, after loop number `loop`, the buffers that are dead then.
 * Nothing where poison is off. */
void poison_begin(const Plan *plan, void *block);
void poison_dead(const Plan *plan, int loop, void *const *data);

/* ---- the loop IR ---- */
typedef struct Access {
    int buffer;
    DType dtype;
    int64_t offset;
    int64_t *stride; /* by dim of the nest */
} Access;

typedef enum TileOp {
#define TILE_OP(name, in, out, arity, expression) TILE_##name,
#define TILE_OP_SELECT(name, type) TILE_##name,
#define TILE_OP_MASK(name, type) TILE_##name,
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
    TILE_OP_COUNT,
    TILE_LOAD = TILE_OP_COUNT, /* dst = access */
    TILE_IOTA,                 /* dst = address of access, as int64 */
    TILE_TERM,   /* dst = src0 + index(src1) * stride; poisoned if the index is out of bounds */
    TILE_LOADX,  /* dst = buffer[src0] */
    TILE_STORE,  /* access = src0 */
    TILE_STOREX, /* buffer[src0] = src1 */
    TILE_ADDX,   /* buffer[src0] += src1, one element after the other */
    TILE_REDUCE  /* src0 into an accumulator; written to access at the end of each segment */
} TileOp;

typedef enum Kind {
    KIND_F32,
    KIND_F64,
    KIND_I64
} Kind; /* of a register; integers and bools live as int64 */
Kind dtype_kind(DType dtype);
typedef enum ReduceKind { REDUCE_SUM, REDUCE_MEAN, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN } ReduceKind;

typedef struct TileInst {
    TileOp op;
    short dst, src[4];
    short access; /* LOAD, IOTA, STORE, REDUCE; LOADX, STOREX, ADDX: buffer and dtype */
    bool direct;  /* LOAD: the register may point into the buffer, where the tile is part of one row
                   */
    short into; /* compute, in a nest of many elements: the access of a STORE that may be where the
                   result is made; or -1 */
    ReduceKind reduce;
    int64_t stride, bound; /* TERM */
    bool wrap;             /* TERM: negative indices count from the end */
} TileInst;

typedef struct TileConst {
    short reg;
    Kind kind;
    Scalar value;
} TileConst;

/* Of each instruction (nest_rows.c): is it computed once a row, before the innermost loop; and of
 * an address, the access that is its affine part if that is left out there, or -1. */
typedef struct NestRow {
    bool once;
    short chain;
} NestRow;

typedef struct TileNest {
    int ndim; /* merged dims, kept ones first */
    int64_t size[MAX_DIMS];
    int64_t numel;
    int64_t reduced; /* elements a segment: product of the reduced dims; 1 without a reduction */
    int kept;        /* dims that are not reduced */
    int outer;       /* the dim along which parts of the nest can be run by themselves
                        (loops/loop_tiling.c) */
    int scratch; /* buffer of the sums of a reduction that runs by parts; -1: it runs in one piece
                  */
    int column;  /* the last kept dim, if results lie side by side along it and what one result is
                    made of does not; or -1 */
    struct TileNest
        *columns; /* the same nest with that dim last: how the tile machine runs it; or NULL */
    /* native tier, if nothing else is said: */
    bool vectors;    /* trips of the innermost loop are taken together */
    bool fours;      /* along the last reduced dim four floats are added up before they go into the
                        accumulator */
    bool many_fours; /* both tiers: `fours`, and many elements even where the graph is verified */
    bool single;     /* transcendental functions in float arithmetic (tile/single.def) */
    bool many;       /* both tiers: `single`, and many elements even where the graph is verified */
    int cross;       /* the dim that goes by squares together with the last one, or -1 */
    struct NestRow
        *row; /* by instruction: what is computed once a row (nest_rows.c); NULL: nothing is */
    int trip; /* elements a tile: TILE, SMALL_TILE, or 1 where a trip reads what an earlier one
                 wrote */
    int naccess;
    Access *access;
    int ninst;
    TileInst *inst;
    int nconst;
    TileConst *constant;
    int nreg;
} TileNest;

/* C[b] (m x n) = alpha * A[b] (m x k) B[b] (k x n) + beta * D (broadcast). */
typedef struct MatmulLoop {
    DType dtype;
    int64_t batch, m, n, k;
    Access a, b, c, d; /* strides: batch, row, column */
    int64_t astride[3], bstride[3], cstride[3], dstride[3];
    bool has_d, blas;
    Scalar alpha, beta;
} MatmulLoop;

typedef enum LoopKind {
    LOOP_TILE,
    LOOP_MOVE,
    LOOP_FILL,
    LOOP_NONZERO,
    LOOP_SCAN,
    LOOP_SOFTMAX,
    LOOP_MATMUL,
    LOOP_LITERAL,
    LOOP_OPAQUE,
    LOOP_CHECK
} LoopKind;

typedef struct Loop {
    LoopKind kind;
    const Node *node; /* the node it is for (the last one of a group) */
    /* MOVE (one dtype), FILL, NONZERO, SCAN, SOFTMAX, CHECK: a space and up to two accesses: to,
     * from */
    int ndim;
    int64_t size[MAX_DIMS];
    int64_t numel;
    Access to, from;
    Scalar value; /* FILL */
    int dim;      /* SCAN, SOFTMAX: dim of the space that is walked */
    bool product; /* SCAN */
    bool single;  /* SOFTMAX: in float arithmetic; the tile machine only from MANY elements on */
    TileNest *tile;
    MatmulLoop *matmul;
    const void *literal;
    int64_t bytes; /* LITERAL; NONZERO: rows there is room for */
    struct Opaque *opaque;
} Loop;

/* A shared kernel with its operands made ready; storages get their data when it runs. */
typedef struct Opaque {
    Call call;
    Tensor *operand;
    int noperand;
    Storage *storage;
    int *buffer;
    Tensor out;
    Storage out_storage;
    int out_buffer;
} Opaque;

typedef struct PlanBuffer {
    int64_t bytes, place; /* in the block of temporaries */
    int64_t part;         /* bytes of a part, if the parts of a band take turns in it; or 0 */
    int first, end; /* loops between which it holds a value, bands counted as a whole; only in plans
                       whose places are used again */
    int part_first, part_end; /* where parts take turns: the same within a part */
} PlanBuffer;

/* Loops [first, end) that run part by part (loops/loop_tiling.c). */
typedef struct TiledLoops {
    int first, end;
    int64_t parts;
} TiledLoops;

/* Where buffers die (poison.c). */
typedef struct Death {
    int loops; /* so many loops have run when the buffer's value is not wanted any more */
    int buffer;
} Death;
typedef struct Poison {
    int n;
    Death *death;
} Poison;

/* Trips [from, to) of a loop's outer dim, compiled by the native tier: data by buffer number. */
typedef void (*NativeFn)(void *const *data, int64_t from, int64_t to);

struct Plan {
    const struct TileIsa *isa;
    const NativeFn *native; /* by loop, NULL: run_loop's own; NULL: no native tier */
    int ninput, ntangent, nbuffer;
    int *tangent;       /* number of the TANGENT by place */
    PlanBuffer *buffer; /* by buffer number; inputs first, then tangents, then temporaries */
    int64_t bytes;      /* of all temporaries */
    int nregister;      /* the most registers a nest wants */
    int64_t register_bytes;
    int nloop;
    Loop *loop;
    int nband;
    TiledLoops *band;
    const int *buffer_of; /* by node id: buffer number, or -1 */
    Poison *poison;       /* NULL: memory is left as it is */
    int nnode;
    struct PlanState {
        void **data;
    } * state; /* of the last execution, by buffer */
};

const char *tile_op_name(TileOp op);
/* Does tile/single.def have it in float arithmetic? */
bool tile_has_single(TileOp op);
/* Arithmetic instructions times elements, over all loops; a product counts 2 m n k, a shared kernel
 * one an element of its result. */
int64_t plan_flops(const Plan *plan);
/* The op that computes `pw` on registers of this kind. */
TileOp tile_op_of(Pw pw, Kind kind);

/* ---- lowering, in parts ---- */
typedef struct Lower {
    Compile *c;
    Arena *arena;
    Plan *plan;
    int capacity;
} Lower;
Loop *lower_add(Lower *l, LoopKind kind, const Node *node);
/* The buffer that `n` (or the buffer it views) lives in. */
int lower_buffer(const Node *n);
/* The loops of one unit of members. */
void lower_nest(Lower *l, Node *const *node, int count);
/* The loops of one node that is no member. */
void lower_single(Lower *l, Node *n);
/* A layout as an access: strides point into `t`. */
Access lower_access(int buffer, const Tensor *t);
/* to = from (both with the space's dims, one dtype). */
void lower_move(Lower *l, const Node *node, const int64_t *size, int ndim, Access to, Access from);
/* to = from with conversion, or, where `from` is NULL, to = value. */
void lower_convert(Lower *l, const Node *node, const int64_t *size, int ndim, Access to,
                   const Access *from, Scalar value);
/* The first `numel` elements of a buffer = value (of its dtype). */
void lower_fill(Lower *l, const Node *node, int buffer, DType dtype, int64_t numel, Scalar value);
/* `value` converted to `dtype` as an operand of that computation dtype. */
Scalar lower_scalar(Scalar value, DType dtype);

/* ---- running ---- */
struct TileIsa; /* tile/isa.h */
/* Bytes between two registers of a nest: never a page, or what one instruction stores would seem to
 * be what the next one loads. */
static inline int64_t tile_register_bytes(const TileNest *nest) {
    return (min_i64(nest->numel, nest->trip) * 8 + 63) / 64 * 64 + 5 * 64;
}
/* Trips of the outer dim of a loop; 1: it runs in one piece. */
int64_t loop_trips(const Loop *loop);
/* From one element of loop->from to the next, in row-major order. */
static inline void loop_next_from(const Loop *loop, int64_t *index, int64_t *at) {
    for (int d = loop->ndim - 1; d >= 0; d--) {
        *at += loop->from.stride[d];
        if (++index[d] < loop->size[d]) {
            return;
        }
        *at -= loop->from.stride[d] * loop->size[d];
        index[d] = 0;
    }
}
/* Has every value a buffer of its own? Then places of memory are used again, else buffers
 * (passes/plan.c). */
bool plan_apart(const Compile *c);
/* Finds the bands of a plan, before its temporaries have places; of as many parts as can be where
 * the graph is verified. loops_after[u]: loops of the plan up to and with unit u. */
void loop_tiling_find(Compile *c, Plan *plan, const int *loops_after);
/* These run trips [from, to). */
void tile_run(const TileNest *nest, const struct TileIsa *isa, void *const *data, void *registers,
              int64_t from, int64_t to);
void loop_nonzero(const Loop *loop, void *const *data);
void loop_scan(const Loop *loop, void *const *data, int64_t from, int64_t to);
void loop_softmax(const Loop *loop, const struct TileIsa *isa, void *const *data, int64_t from,
                  int64_t to);
void loop_matmul(const MatmulLoop *m, void *const *data, int64_t from, int64_t to);
void loop_move(const Loop *loop, void *const *data, int64_t from, int64_t to);

#endif
