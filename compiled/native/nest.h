/* The C text of a tile nest under construction: native/nest.c prints the loops, native/inst.c the
 * instructions inside. */
#ifndef COMPILED_NATIVE_NEST_H
#define COMPILED_NATIVE_NEST_H

#include "compiled/native/native.h"

typedef struct Nest {
    Text *text;
    const TileNest *n;
    NativeNeeds *needs;
    int depth;
    int made[MAX_REGISTERS]; /* by register: the instruction whose value it holds, or -1 - index of
                                a constant */
    RegisterKind kind[MAX_REGISTERS];
    int column; /* the dim along which results are accumulated in column blocks, or -1 */
    int lane;   /* which of four iterations is printed whose values are added in float; or -1 */
} Nest;

/* Declares the pointers to the buffers that the nest accesses, and its constants. */
void native_declare_buffers(const Nest *w);
/* The statements of one iteration: with `once` only those that are computed once a row, otherwise
 * the others. */
void native_statements(Nest *w, bool once);

/* Of a reduction: the name of its accumulator, the accumulator's type and start value, and the
 * statement that writes the result. */
void native_accumulator(const Nest *w, const TileInst *inst);
const char *native_accumulator_type(const Nest *w, const TileInst *inst);
void native_start_value(const Nest *w, const TileInst *inst);
void native_result(Nest *w, const TileInst *inst);

#endif
