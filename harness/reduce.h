/* Reducers: each offers numbered candidates, edits that may make a program smaller or simpler; minimize.c tries them. */
#ifndef HARNESS_REDUCE_H
#define HARNESS_REDUCE_H

#include "program/program.h"

typedef enum Step {
    STEP_MADE,    /* `p` was edited */
    STEP_NOTHING, /* candidate k does not apply; `p` may be half edited and is thrown away */
    STEP_END      /* there is no candidate k, nor a later one */
} Step;

#define REDUCER(name, text) Step reduce_##name(Program *p, int k);
#include "harness/reducers.def"
#undef REDUCER

#endif
