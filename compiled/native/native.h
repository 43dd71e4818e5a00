/* The native tier: the loops of a plan as C, compiled by the system's C compiler into a shared
 * object and called in place of the executor's own loops.
 *
 *     plan ── native_print (C functions) ── a batch of plans ── cc ── shared object in the cache ──
 *     dlopen ── plan->native
 *
 * The dump of this tier is the C file itself (`twingrad show --as c`). Loops that gain nothing from
 * it (literals, checks, BLAS, shared kernels) stay with the executor; their entry in the function
 * table is NULL. */
#ifndef COMPILED_NATIVE_H
#define COMPILED_NATIVE_H

#include "compiled/core/native_tier.h"
#include "compiled/loops/loop_ir.h"

/* ---- printing (native/print.c, native/nest.c, native/inst.c, native/lines.c, native/softmax.c)
 * ---- */
enum {
    CACHE_BLOCK = 32 /* side of the blocks of a transpose: source and target block fit the cache */
};

/* What the printed functions call. */
typedef struct NativeNeeds {
    bool op[TILE_OP_COUNT];           /* compute ops */
    bool float32_math[TILE_OP_COUNT]; /* their float versions (tile/float32_math.def) */
    uint64_t scalar;                  /* bit set: rows of tile/scalar.def */
} NativeNeeds;

/* Functions `static void PREFIXloop_K(void *const *data, int64_t from, int64_t to)` for the loops
 * of the plan, each for iterations [from, to) of the outer dim, and the table PREFIXloops of them,
 * by loop. Adds what they call to `needs`. */
void native_print(Text *text, const Plan *plan, const char *prefix, NativeNeeds *needs);
/* The start of a file of such functions: includes, scalar functions, ops. */
void native_prelude(Text *text, const NativeNeeds *needs);

/* The body of one function. False if the executor runs this loop; then nothing is printed. */
bool native_nest(Text *text, const TileNest *nest, NativeNeeds *needs);
bool native_lines(Text *text, const Loop *loop, NativeNeeds *needs);
void native_softmax(Text *text, const Loop *loop, NativeNeeds *needs);

/* The C type of an element in memory, and of a register. */
const char *native_memory_type(DType dtype);
const char *native_value_type(RegisterKind kind);
/* Adds a scalar function, by name. */
void native_need(NativeNeeds *needs, const char *scalar);
/* A value as a C constant, with enough digits to be exact. */
void native_constant(Text *text, Scalar value, RegisterKind kind);
/* The prefix that converts an element "b[at]" to a register value, and the one that converts a
 * register value to what "b[at] =" takes: nothing, a cast, or for halves a call. native_end closes
 * the call. */
const char *native_get(DType dtype, NativeNeeds *needs);
const char *native_put(DType dtype, NativeNeeds *needs);
const char *native_end(DType dtype);
/* Four spaces for each level. */
void native_indent(Text *text, int depth);
/* `for (int64_t NAME = 0; NAME < n; NAME++) {`. native_for_dim is over dim d; where that is the
 * outer dim, from `from` to `to`. */
void native_for(Text *text, int depth, const char *name, int64_t n);
void native_for_dim(Text *text, int depth, int d, int64_t n, bool outer);
/* native_blocks opens a loop over the blocks [jD, eD) of dim D, native_block one over the iD of one
 * block. Both return the depth inside. */
int native_blocks(Text *text, int depth, int d, int64_t size, int block, bool outer);
int native_block(Text *text, int depth, int d);
/* Closes loops down to depth `until`. */
void native_close_until(Text *text, int depth, int until);
/* True if d is the dim along which the loop runs in parts. */
bool native_is_outer(const Loop *loop, int d);
/* Opens loops over all dims except those in `skip` (a bit set); returns the depth inside. */
int native_open_but(Text *text, const Loop *loop, unsigned skip, int depth);
/* Declares a pointer `name` to a buffer. */
void native_buffer(Text *text, const char *type, const char *name, int number);
/* offset + i0 * stride0 + ..., without the terms of dims of size 1. */
void native_index(Text *text, int64_t offset, const int64_t *stride, const int64_t *size, int ndim);

/* ---- compiling (native/build.c) ---- */
/* The functions of the plan's loops, by loop, NULL where there is none: from memory, from the
 * cache, or compiled now together with all pending plans. They are valid until native_trim. With
 * `collect` the plan may stay pending for the next batch; the result is then NULL. */
const NativeFn *native_functions(Native *native, const Plan *plan, bool collect);
/* Unloads the oldest batches. Call it between programs only, when no plan is in use. */
void native_trim(Native *native);

#endif
