/* What the rules of functions of one tensor are written with. */
#ifndef PROGRAM_DERIVATIVES_FUNCTIONS_H
#define PROGRAM_DERIVATIVES_FUNCTIONS_H

#include "program/derivatives/derivatives.h"

enum { SELF = 0, OTHER = 1 };

static inline Tensor *self_of(const Grad *g) { return tensor_arg(g, SELF); }
static inline Tensor *scaled_by(const Grad *g, Tensor *a, double s) {
    return emit_scalar(g->e, OP_mul_Scalar, a, scalar_float(s));
}
static inline Tensor *plus(const Grad *g, Tensor *a, double s) {
    return emit_scalar(g->e, OP_add_Scalar, a, scalar_float(s));
}
static inline Tensor *one_minus(const Grad *g, Tensor *a) {
    return emit_scalar(g->e, OP_rsub_Scalar, a, scalar_int(1));
}
static inline Tensor *squared(const Grad *g, Tensor *a) { return emit_mul(g->e, a, a); }
static inline Tensor *grad_functions_apply(const Grad *g, OpId function, Tensor *a) {
    return emit_unary(g->e, function, a);
}
static inline Tensor *test(const Grad *g, OpId comparison, Tensor *a, double s) {
    Tensor *thin = a;
    for (int d = 0; g->e->in_program && a && d < a->ndim; d++) {
        thin = a->stride[d] == 0 && a->size[d] > 1 ? emit_narrow(g->e, thin, d, 0, 1) : thin;
    }
    Tensor *answer = emit_scalar(g->e, comparison, thin, scalar_float(s));
    return thin == a ? answer : emit_expand(g->e, answer, a->size, a->ndim);
}
/* self: grad * slope */
static inline void give_slope(const Grad *g, Tensor *slope) {
    give(g, SELF, emit_mul(g->e, grad_of(g), slope));
}
static inline double scalar_arg(const Grad *g, int param) {
    return scalar_to_double(g->call->arg[param].scalar);
}

/* The rule of a function of one tensor; the expression `answer` sets the gradient of self. */
#define SELF_RULE(name, answer)                                                                    \
    void grad_##name(Grad *g) {                                                                    \
        if (wanted(g, SELF)) {                                                                     \
            answer;                                                                                \
        }                                                                                          \
    }

#endif
