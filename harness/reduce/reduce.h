/* Reducers: each offers numbered candidates, edits that may make a program smaller or simpler. The
 * minimizer (triage/minimize.c) tries them. Whether a finding is kept is not known here: the folder
 * includes no other folder of the harness. */
#ifndef HARNESS_REDUCE_H
#define HARNESS_REDUCE_H

#include "program/lang/program.h"

typedef enum Step {
    STEP_MADE,    /* `p` was edited */
    STEP_NOTHING, /* candidate k does not apply; `p` may be half edited and is thrown away */
    STEP_END      /* there is no candidate k, nor a later one */
} Step;

#define REDUCER(name, text) Step reduce_##name(Program *p, int k);
#include "harness/reduce/reducers.def"
#undef REDUCER

/* ---- what reducers share (reduce/values.c) ---- */

/* Inputs of call `call` (0 = the first), to be edited; NULL past the last. */
Input *reduce_inputs_of(Program *p, int call, int *n);
/* Elements that the storage of input `in`, one of the call's `n`, must have; strides are
 * settled. */
int64_t reduce_storage(const Input *inputs, int n, const Input *in);
enum { MAX_WRITTEN = 4 }; /* elements of a storage that are easier read than a seed */
/* Input number k, counted over all calls; NULL past the last. */
Input *reduce_input_at(Program *p, int k);
/* Strides that are not given become contiguous ones; written data, which must be exactly as long as
 * its storage, is cut. False if some is too short. */
bool reduce_settle(Program *p);

typedef struct ReduceInts {
    PInt **v;
    bool *in_list; /* an element of an int[]: a size more often than not, and sizes stay above 0 */
    int n, capacity;
    Arena *arena;
} ReduceInts;
/* Every integer argument written in the program, in order. */
ReduceInts reduce_integers(Program *p);

#endif
