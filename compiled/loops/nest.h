/* What builds a tile nest: instructions on virtual registers, accesses by dim of the space, then
 * the finished nest. A value is a virtual register and the dtype it holds. Shared by nest_build.c,
 * nest_finish.c and lower_nest.c. */
#ifndef COMPILED_NEST_H
#define COMPILED_NEST_H

#include "compiled/loops/lower.h"

enum { MAX_CONSTS = 120, CACHED_LOADS = 16 };

typedef struct Value {
    int reg; /* virtual */
    DType dtype;
} Value;

typedef struct NestBuilder {
    Lower *l;
    int ndim;
    int64_t size[MAX_DIMS];
    unsigned reduced;
    int naccess;
    Access access[MAX_ACCESSES];
    int64_t (*stride)[MAX_DIMS]; /* by access and dim of the space */
    int ninst, ntail;
    int stride_capacity, inst_capacity;
    TileInst *inst, *tail;
    int nconst;
    TileConst constant[MAX_CONSTS];
    int nreg, nreduce;
    int ncached;
    struct {
        int access;
        int reg;
    } cached[CACHED_LOADS];
    bool ordered; /* points must be visited in row-major order */
} NestBuilder;

void nest_start(NestBuilder *b, Lower *l);
int nest_access(NestBuilder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride);
/* An instruction without result, run after all others: a store, a scatter, a reduction. */
TileInst *nest_tail(NestBuilder *b, TileOp op);
/* An instruction of n sources; answers its register. nest_last is it, for what else it needs. */
int nest_emit(NestBuilder *b, TileOp op, int n, int s0, int s1, int s2, int s3);
static inline TileInst *nest_last(NestBuilder *b) { return &b->inst[b->ninst - 1]; }
/* One register for each constant of a kind, bit for bit. */
Value nest_constant(NestBuilder *b, Scalar value, DType dtype);
Value nest_unary(NestBuilder *b, TileOp op, Value v, DType dtype);
/* torch's cast. */
Value nest_convert(NestBuilder *b, Value v, DType to);
/* An int64 register back into the range of an integer dtype. */
TileOp nest_wrap_op(DType dtype);
Value nest_load(NestBuilder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride);
/* Decides what is computed once a row, if something is (nest_rows.c). */
void nest_rows(Compile *c, TileNest *nest);
/* The dim that a nest is to walk by squares together with its last one, or -1. */
int nest_blocked_dim(const TileNest *nest);
/* The nest becomes a loop of the plan; nothing, if it stores nothing. */
void nest_finish(NestBuilder *b, const Node *node);

#endif
