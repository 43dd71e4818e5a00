/* A tile nest under construction: instructions on virtual registers, and accesses by dim of the
 * space. nest_finish turns it into a TileNest. Shared by nest_build.c, nest_finish.c, nest_rows.c
 * and lower_nest.c. */
#ifndef COMPILED_NEST_H
#define COMPILED_NEST_H

#include "compiled/loops/lower.h"

enum { MAX_CONSTS = 120, CACHED_LOADS = 16 };

/* A virtual register and the dtype of the value it holds. */
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
/* Adds an instruction without a result, which runs after all others: a store, a scatter, a
 * reduction. */
TileInst *nest_tail(NestBuilder *b, TileOp op);
/* Adds an instruction with n sources and returns its register. Other fields are set through
 * nest_last. */
int nest_emit(NestBuilder *b, TileOp op, int n, int s0, int s1, int s2, int s3);
static inline TileInst *nest_last(NestBuilder *b) { return &b->inst[b->ninst - 1]; }
/* A register with the constant; equal constants (bit for bit) of one kind share it. */
Value nest_constant(NestBuilder *b, Scalar value, DType dtype);
Value nest_unary(NestBuilder *b, TileOp op, Value v, DType dtype);
/* A cast with PyTorch's semantics. */
Value nest_convert(NestBuilder *b, Value v, DType to);
/* The op that brings an int64 register into the range of an integer dtype, or a float into that of
 * a half. */
TileOp nest_wrap_op(DType dtype);
Value nest_load(NestBuilder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride);
/* Stores a value as `dtype`, which it is converted to. A half that was loaded is stored with the
 * bits it has in memory: as a float in a register, a nan would come back as another one. */
void nest_store(NestBuilder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride,
                Value v);
/* Decides which instructions are computed once a row (nest_rows.c). */
void nest_rows(Compile *c, TileNest *nest);
/* The dim that is to be cache-blocked together with the last one, or -1. */
int nest_blocked_dim(const TileNest *nest);
/* Adds the nest to the plan as a loop, unless it stores nothing. */
void nest_finish(NestBuilder *b, const Node *node);

#endif
