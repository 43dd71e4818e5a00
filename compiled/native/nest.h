/* A tile nest on its way to C: its loops (native/nest.c) are printed around its instructions
 * (native/inst.c). */
#ifndef COMPILED_NATIVE_NEST_H
#define COMPILED_NATIVE_NEST_H

#include "compiled/native/native.h"

typedef struct Nest {
    Text *text;
    const TileNest *n;
    NativeNeeds *needs;
    int depth;
    int made[MAX_REGISTERS]; /* by register: the instruction whose value it holds, or -1 - number of
                                a constant */
    Kind kind[MAX_REGISTERS];
    int column; /* the dim whose results are a strip, or -1 */
    int place;  /* of a trip among the four whose floats are added up first; or -1 */
} Nest;

/* The pointers to the buffers that the nest reads and writes. */
void native_declare_buffers(const Nest *w);
/* The statements of one trip: with `once` those alone that are computed once a row, without it the
 * others. */
void native_statements(Nest *w, bool once);

/* Of a reduction: the name of its accumulator, the type, what it starts from; and the statement
 * that writes the result. */
void native_accumulator(const Nest *w, const TileInst *inst);
const char *native_accumulator_type(const Nest *w, const TileInst *inst);
void native_start_value(const Nest *w, const TileInst *inst);
void native_result(Nest *w, const TileInst *inst);

#endif
