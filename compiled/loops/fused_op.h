/* A fused op: a node as a part of a loop nest. It says which iteration space the node has, how each
 * operand is read at a point of it, and where the result goes. Fusion, in-place planning and
 * lowering all use this description, so they cannot disagree about an address. */
#ifndef COMPILED_FUSED_OP_H
#define COMPILED_FUSED_OP_H

#include "compiled/core/compilation.h"
#include "compiled/loops/lower_class.h"

enum {
    MAX_FUSED_OPS = 24, /* nodes of a group; bounds the registers of a nest */
    MAX_READS = 24      /* operands of a fused op */
};

typedef enum ReadKind {
    READ_AFFINE,   /* address = offset + sum of index * stride */
    READ_INDIRECT, /* the same plus terms from index operands: any element may be read */
    READ_BASE      /* the whole operand is copied to the result first */
} ReadKind;

typedef struct Read {
    ReadKind kind;
    int slot; /* operand */
    int64_t offset;
    int64_t stride[MAX_DIMS]; /* in elements, by dim of the fused op's space */
} Read;

typedef struct FusedOp {
    Node *node;
    LowerClass cls;
    int ndim; /* the iteration space, without dims of size 1 */
    int64_t size[MAX_DIMS];
    int nread;
    Read *read; /* in the arena; index operands (AFFINE) precede the INDIRECT read they serve */
    bool sink;  /* no other op of the nest can use its value: reductions, and writes over a base */
    bool accumulates; /* writes add to what is there, one point after the other */
    unsigned reduced; /* REDUCE: bit set of the reduced dims of the space */
    int64_t out_offset;
    int64_t out_stride[MAX_DIMS]; /* address of the result; for an indirect write without the index
                                     terms */
    /* indirect reads and writes: address += index * stride */
    int nterm;
    struct Term {
        int read; /* of the index */
        int64_t stride, bound;
        bool wrap; /* negative indices count from the end */
    } * term;
    bool covers_base; /* STORE, VIEW_SCATTER: the whole base is overwritten */
} FusedOp;

/* Describes `n`; false if its class is not one of the fused ops. Tables are allocated in
 * `arena`. */
bool fused_op_describe(const Compile *c, Node *n, Arena *arena, FusedOp *out);
/* True if the read has, at every point, the address that `writer` writes there. Both fused ops
 * have the same space. */
bool read_follows_write(const FusedOp *reader, const Read *read, const FusedOp *writer);

#endif
