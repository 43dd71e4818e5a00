/* The arguments of one op while they are drawn: shared by generate/args.c, generate/numbers.c and
 * generate/operands.c. */
#ifndef FUZZ_DRAW_ARGS_H
#define FUZZ_DRAW_ARGS_H

#include "fuzz/generate/draw.h"
#include "program/ops/functions.h"

#include <string.h>

typedef struct Draw {
    Gen *g;
    Stmt *s;
    const OpInfo *op;
    GenVar *self;      /* the main tensor; NULL: the op has none */
    const Tensor *t;   /* its metadata */
    int main;          /* its parameter, or -1 */
    int64_t dim;       /* the dim that `dim` names, in 0..ndim-1; 0 for 0-dim tensors */
    bool optional;     /* an optional tensor or scalar was given (clamp wants one of min, max) */
    bool divides;      /* an integer op that refuses a zero operand */
    GenVar *index;     /* the index tensor drawn */
    int64_t window[3]; /* the kernel of a pooling or convolution */
    int64_t stride[3]; /* the stride of a transposed convolution */
    int64_t first;     /* the start of the range that is being drawn */
} Draw;

__attribute__((always_inline)) static inline bool named(const Param *p, const char *name) {
    return param_is(p, name);
}
__attribute__((always_inline)) static inline bool has(const OpInfo *op, const char *name) {
    return op_param(op, name) >= 0;
}
/* Is the other operand a count of bits? */
static inline bool shifts(const OpInfo *op) {
    const OpInfo *form = op_form(op);
    return form->kind == KIND_POINTWISE && form->typing == typing_shift;
}
static inline int64_t size_along(const Draw *x) {
    return x->t != NULL && x->t->ndim > 0 ? x->t->size[x->dim] : 1;
}

/* Ops with arguments of their own (generate/nn.c). */
typedef enum Drawn {
    DRAWN_ELSEWHERE /* by the parameter's type and name */,
    DRAWN,
    DRAWN_NOTHING /* nothing fits */
} Drawn;
Drawn nn_argument(Draw *x, int k);
/* The same for losses and layers (fuzz/layers/). */
Drawn layer_argument(Draw *x, int k);
/* The same: ops that draw random numbers (fuzz/layers/random.c). */
Drawn random_argument(Draw *x, int k);
/* A floating tensor of numbers from 0 to 1, existing or computed (fuzz/layers/losses.c); NULL:
 * none. */
GenVar *draw_unit(Gen *g);
/* The same: ops over the last dims of a batch of channels (generate/spatial.c). */
Drawn spatial_argument(Draw *x, int k);

/* Each draws parameter k of the statement; false: nothing fits. */
bool scalar_argument(Draw *x, int k);
bool int_argument(Draw *x, int k);
bool ints_argument(Draw *x, int k);
bool tensor_argument(Draw *x, int k);
bool tensors_argument(Draw *x, int k);
bool indices_argument(Draw *x, int k);

/* Another size with as many elements; a size to expand to. The count of dims. */
int refactored_size(Gen *g, const Tensor *t, int64_t *size);
int expanded_size(Gen *g, const Tensor *t, int64_t *size);

/* Has `v` as many dims as the main tensor of the op needs? */
bool main_has_dims(const OpInfo *op, const GenVar *v);
/* A variable for parameter `main` of the op, as its row and its parameters need it; NULL: none. */
GenVar *draw_main(Gen *g, const OpInfo *op);
/* The parameter that the sizes of the others depend on, or -1. */
int main_param(const OpInfo *op);
/* The `into` of an OUT row, when the other arguments are drawn. */
bool into_argument(Draw *x);

#endif
