/* Derivatives of ops that copy a view of self: as the view's. */
#include "program/infer/infer.h"
#include "program/derivatives/derivatives.h"

enum { SELF = 0 };

/* self: the derivative of the view */
void grad_view_copy(Grad *g) {
    Call view = copied_view_call(g->call, g->e->arena);
    view.arg[0] = g->call->arg[0];
    Grad inner = *g;
    inner.call = &view;
    view.op->grad(&inner);
}

/* self: the other one of pixel_shuffle and pixel_unshuffle */
void grad_pixel_shuffle(Grad *g) {
    if (wanted(g, SELF)) {
        OpId back = g->call->op->id == OP_pixel_shuffle ? OP_pixel_unshuffle : OP_pixel_shuffle;
        give(g, SELF, emit_op(g->e, back, 2, grad_of(g), g->call->arg[1].i));
    }
}
