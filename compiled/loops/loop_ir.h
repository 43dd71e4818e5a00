/* Loop IR: what the graph is lowered to, and what the executor runs.
 *
 *     graph ── schedule items (a fused group, or one node) ── loops ── run
 *
 * A *tile nest* is one loop nest over an iteration space: a register bytecode (tile/ops.def) that
 * runs over tiles of up to TILE elements. A tile is a run of points in row-major order; it may span
 * rows. All loads and stores of a nest are accesses: buffer, offset, strides. */
#ifndef COMPILED_LOOP_IR_H
#define COMPILED_LOOP_IR_H

#include "compiled/ir/plan.h"

enum {
    TILE = 512,        /* elements of a tile */
    VERIFY_TILE = 512, /* the same when the graph is verified: errors between tiles should show
                          on small tensors */
    LARGE_NUMEL = 16 * 1024, /* elements from which a nest may use float32 math */
    LARGE_NUMEL_VERIFY = 64, /* the same in the native tier when the graph is verified */
    MAX_REGISTERS = 160,     /* of a nest */
    MAX_ACCESSES = 160,      /* of a nest */
    MAX_INSTS = 640,         /* of a nest */
    MAX_REDUCTIONS = 8       /* of a nest */
};

/* ---- accesses and instructions ---- */

typedef struct Access {
    int buffer;
    DType dtype;
    int64_t offset;  /* in elements */
    int64_t *stride; /* in elements, by dim of the nest */
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

/* The type of a register. Integers and bools are int64 in registers, halves float. */
typedef enum RegisterKind { REGISTER_F32, REGISTER_F64, REGISTER_I64 } RegisterKind;
RegisterKind register_kind(DType dtype);

typedef enum ReduceKind { REDUCE_SUM, REDUCE_MEAN, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN } ReduceKind;

typedef struct TileInst {
    TileOp op;
    short dst, src[4];
    short access; /* LOAD, IOTA, STORE, REDUCE; LOADX, STOREX, ADDX: buffer and dtype */
    bool direct; /* LOAD: where a tile is part of one row, the register may point into the buffer */
    short into;  /* compute, in a nest of LARGE_NUMEL elements: the access of the STORE to whose
                    buffer the result may be written directly; or -1 */
    ReduceKind reduce;
    int64_t stride, bound; /* TERM */
    bool wrap;             /* TERM: negative indices count from the end */
} TileInst;

typedef struct TileConst {
    short reg;
    RegisterKind kind;
    Scalar value;
} TileConst;

/* How the native tier places an instruction (loops/nest_rows.c). */
typedef struct NestRow {
    bool once;   /* computed once a row, before the innermost loop */
    short chain; /* of an address: the access that is its affine part, left out of the value that is
                    computed once; or -1 */
} NestRow;

typedef struct TileNest {
    int ndim; /* merged dims; kept ones first, reduced ones last */
    int64_t size[MAX_DIMS];
    int64_t numel;
    int64_t reduced; /* elements of a segment: product of the reduced dims; 1 without a reduction */
    int kept;        /* dims that are not reduced */
    int outer;       /* the dim along which the nest can be run in parts (loops/loop_tiling.c) */
    int scratch; /* buffer of the sums of a reduction that runs in parts; -1: it runs in one piece
                  */
    int column;  /* the last kept dim, if the elements of neighbouring results are contiguous along
                    it and those of one result are not; or -1 */
    struct TileNest *columns; /* the same nest with that dim last, for the tile machine; or NULL */
    bool vectors;             /* native tier: the innermost loop is vectorized */
    bool partial4;            /* native tier: four floats along the last reduced dim are added in
                                 float before the double accumulator takes the sum */
    bool tile_partial4; /* the tile machine does so too: `partial4` and LARGE_NUMEL elements */
    bool float32_math;  /* native tier: transcendental functions in float (tile/float32_math.def) */
    bool tile_float32_math; /* the tile machine too: `float32_math` and LARGE_NUMEL elements */
    int blocked_dim; /* native tier: the dim that is cache-blocked together with the last one, or
                        -1 */
    struct NestRow *row; /* native tier: by instruction; NULL: nothing is computed once a row */
    int tile_size; /* elements of a tile: TILE, VERIFY_TILE, or 1 where an iteration reads what an
                      earlier one wrote */
    int naccess;
    Access *access;
    int ninst;
    TileInst *inst;
    int nconst;
    TileConst *constant;
    int nreg;
} TileNest;

/* ---- loops ---- */

/* C[b] (m x n) = alpha * A[b] (m x k) B[b] (k x n) + beta * D (broadcast). */
typedef struct MatmulLoop {
    DType dtype;
    int64_t batch, m, n, k;
    Access a, b, c, d;
    int64_t astride[3], bstride[3], cstride[3], dstride[3]; /* batch, row, column; in elements */
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
    const Node *node; /* the node it computes (the last one of a group) */
    /* MOVE (one dtype), FILL, NONZERO, SCAN, SOFTMAX, CHECK: a space and up to two accesses */
    int ndim;
    int64_t size[MAX_DIMS];
    int64_t numel;
    Access to, from;
    Scalar value;      /* FILL */
    int dim;           /* SCAN, SOFTMAX: the dim that is scanned or normalized; -1 for a scalar */
    bool product;      /* SCAN */
    bool float32_math; /* SOFTMAX: in float; in the tile machine from LARGE_NUMEL elements on */
    TileNest *tile;
    MatmulLoop *matmul;
    const void *literal;
    int64_t bytes; /* LITERAL; NONZERO: rows there is room for */
    struct Opaque *opaque;
} Loop;

/* A shared kernel and its operands; their storages get their data when it runs. */
typedef struct Opaque {
    Call call;
    Tensor *operand;
    int noperand;
    Storage *storage; /* by operand */
    int *buffer;      /* by operand */
    Tensor out;
    Storage out_storage;
    int out_buffer;
} Opaque;

/* ---- plans ---- */

typedef struct PlanBuffer {
    int64_t bytes, offset; /* in the block of temporaries */
    int64_t part; /* a local buffer: bytes of a part, as the parts of a tiling use it in turn; or
                     0 */
    int64_t reserved; /* fault FU_14: the bytes set aside for a local buffer, if fewer; or 0 */
    int first, end; /* loops between which it holds a value, tilings counted as a whole; set only in
                       plans that reuse memory */
    int part_first, part_end; /* where parts share memory: the same within a part */
} PlanBuffer;

/* Loops [first, end) that run part by part (loops/loop_tiling.c). */
typedef struct TiledLoops {
    int first, end;
    int64_t parts;
} TiledLoops;

/* Iterations [from, to) of a loop's outer dim, compiled by the native tier; `data` by buffer. */
typedef void (*NativeFn)(void *const *data, int64_t from, int64_t to);

struct Plan {
    const struct TileIsa *isa;
    const NativeFn
        *native; /* by loop; NULL where the executor runs the loop; NULL: no native tier */
    int ninput, ntangent, nbuffer;
    int *tangent;       /* by TANGENT buffer: number of the tangent */
    PlanBuffer *buffer; /* by buffer: inputs first, then tangents, then temporaries */
    int64_t bytes;      /* of all temporaries */
    int nregister;      /* of the nest with the most registers */
    int64_t register_bytes;
    int nloop;
    Loop *loop;
    int ntiling;
    TiledLoops *tiling;   /* in the order of their loops */
    const int *buffer_of; /* by node id: buffer, or -1 */
    bool faulty;          /* compiled with a seeded fault, which may read memory that nothing wrote:
                             such memory has the same content in every run */
    const RandomStream *stream; /* of the call that runs it (Compile.stream) */
    struct Poison *poison;      /* NULL: memory is not poisoned (runtime/poison.h) */
    int nnode;
    struct PlanState {
        void **data;
    } * state; /* of the last execution, by buffer */
};

/* Floating-point operations of one run: arithmetic instructions times elements over all loops; a
 * matrix product counts 2 m n k, a shared kernel one for each element of its result. */
int64_t plan_flops(const Plan *plan);

/* Iterations of the outer dim of a loop; 1: it runs in one piece. */
int64_t loop_trips(const Loop *loop);

#endif
