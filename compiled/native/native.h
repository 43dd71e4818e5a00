/* The native tier: the loops of a plan as C, compiled by the system's C compiler into a shared
 * object and called in their place.
 *
 *     plan ── native_text (C functions) ── a batch of plans ── cc ── shared object in the cache ──
 *     dlopen ── plan->native
 *
 * The dump of this tier is the C file itself (`twingrad show --as c`). Loops that are not worth it
 * (literals, checks, BLAS, shared kernels) stay with execute.c; their place in the function table
 * is NULL. */
#ifndef COMPILED_NATIVE_H
#define COMPILED_NATIVE_H

#include "compiled/core/native_tier.h"
#include "compiled/loops/lower.h"

/* ---- printing (native/print.c, native/nest.c, native/inst.c, native/lines.c, native/softmax.c)
 * ---- */
enum {
    SQUARE =
        32 /* side of the squares by which transposes go, so that both sides stay in the cache */
};
typedef struct NativeNeeds {
    bool op[TILE_OP_COUNT];     /* compute ops that the functions call */
    bool single[TILE_OP_COUNT]; /* the same, in float arithmetic (tile/single.def) */
    uint64_t scalar;            /* bit by row of tile/scalar.def */
} NativeNeeds;

/* Functions `static void PREFIXloop_K(void *const *data, int64_t from, int64_t to)` for the loops
 * of the plan, trips [from, to) of the outer dim, and their table PREFIXloops, by number of the
 * loop. Adds to `needs` what they call. */
void native_print(Text *text, const Plan *plan, const char *prefix, NativeNeeds *needs);
/* What comes first in a file of such functions: includes, scalar functions, ops. */
void native_prelude(Text *text, const NativeNeeds *needs);

/* One function's body, at one depth of indentation. False if this loop is not printed (nothing was
 * added then). */
bool native_nest(Text *text, const TileNest *nest, NativeNeeds *needs);
bool native_lines(Text *text, const Loop *loop, NativeNeeds *needs);
void native_softmax(Text *text, const Loop *loop, NativeNeeds *needs);

/* The C type that holds an element in memory, and the one it is computed in. */
const char *native_memory_type(DType dtype);
const char *native_value_type(Kind kind);
/* Asks for a scalar function by name. */
void native_need(NativeNeeds *needs, const char *scalar);
/* A value of dtype's kind as C: exact digits. */
void native_constant(Text *text, Scalar value, Kind kind);
/* What stands before "b[at]" to make it a value, or before a value to make it what "b[at] =" takes:
 * nothing, a cast, or for halves a call, which native_end closes. */
const char *native_get(DType dtype, NativeNeeds *needs);
const char *native_put(DType dtype, NativeNeeds *needs);
const char *native_end(DType dtype);
/* Four spaces a level. */
void native_indent(Text *text, int depth);
/* `for (int64_t NAME = 0; NAME < n; NAME++) {`; the second one over dim d, from `from` to `to`
 * where it is the outer dim. */
void native_for(Text *text, int depth, const char *name, int64_t n);
void native_for_dim(Text *text, int depth, int d, int64_t n, bool outer);
/* `for` over squares of a dim, j to e, and inside of it over one square; both answer the depth
 * inside. */
int native_squares(Text *text, int depth, int d, int64_t size, int square, bool outer);
int native_square(Text *text, int depth, int d);
/* Closes loops until the depth is `until`. */
void native_close_until(Text *text, int depth, int until);
/* Is d the dim along which parts of the loop run? */
bool native_is_outer(const Loop *loop, int d);
/* Loops over all dims but those of `skip` (a bit set); the depth after. */
int native_open_but(Text *text, const Loop *loop, unsigned skip, int depth);
/* The pointer to a buffer, by `name`. */
void native_buffer(Text *text, const char *type, const char *name, int number);
/* offset + i0 * stride0 + ...; `name` is the letter of the indices. Terms of dims of size 1 are
 * left out. */
void native_index(Text *text, int64_t offset, const int64_t *stride, const int64_t *size, int ndim);

/* ---- compiling (native/build.c) ---- */
/* The functions of the plan's loops, by number of the loop, NULL where there is none: from memory,
 * from the cache, or compiled now together with all plans that wait. They live until native_trim.
 * With `collect` the plan may be left waiting for the next batch: NULL. */
const NativeFn *native_functions(Native *native, const Plan *plan, bool collect);
/* Unloads the oldest batches; called between programs, when no plan is alive. */
void native_trim(Native *native);

#endif
