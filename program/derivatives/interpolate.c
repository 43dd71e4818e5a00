/* Derivatives of interpolation. PyTorch's backward functions are rows of the op table with their
 * own derivatives. */
#include "program/derivatives/derivatives.h"
#include "program/infer/interpolate.h"

enum { SELF = 0 };

static Tensor *upsample_emitted(const Grad *g, const Call *c) {
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(g->e, c, out, &n) == ERR_none ? out[0] : NULL;
}

static void upsample_copy(Call *to, const Call *from, const char *name, const char *as) {
    const Arg *a = call_arg(from, name);
    int k = op_param(to->op, as);
    if (a && k >= 0) {
        to->arg[k] = *a;
    }
}

/* self: upsample_backward(grad, output_size, self.sizes(), ..) */
void grad_upsample(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    const Tensor *self = tensor_arg(g, SELF);
    int taps = upsample_taps(g->call);
    Call c;
    call_init(&c, taps == 1 ? OP__upsample_nearest_grad : OP__upsample_grad);
    c.arg[0].tensor = grad_of(g);
    c.arg[1] = g->call->arg[1];
    c.arg[2].ints.v = arena_copy(g->e->arena, self->size, self->ndim * (int64_t)sizeof *self->size);
    c.arg[2].ints.n = self->ndim;
    c.arg[3].i = taps;
    static const char *const names[] = {"align_corners", "scales_d", "scales_h", "scales_w"};
    for (int k = 0; k < COUNT_OF(names); k++) {
        upsample_copy(&c, g->call, names[k], names[k]);
    }
    upsample_copy(&c, g->call, "scales", "scales_w");
    give(g, SELF, upsample_emitted(g, &c));
}

/* grad: the interpolation of the gradient */
void grad_upsample_grad(Grad *g) {
    static const OpId forward[3][3] = {
        {OP_upsample_nearest1d, OP_upsample_nearest2d, OP_upsample_nearest3d},
        {OP_upsample_linear1d, OP_upsample_bilinear2d, OP_upsample_trilinear3d},
        {OP_upsample_bicubic2d, OP_upsample_bicubic2d, OP_upsample_bicubic2d}};
    if (!wanted(g, 0)) {
        return;
    }
    Call c;
    call_init(&c, forward[upsample_taps(g->call) / 2][g->call->arg[1].ints.n - 1]);
    c.arg[0].tensor = grad_of(g);
    c.arg[1] = g->call->arg[1];
    static const char *const names[] = {"align_corners", "scales_d", "scales_h", "scales_w"};
    for (int k = 0; k < COUNT_OF(names); k++) {
        upsample_copy(&c, g->call, names[k], names[k]);
    }
    upsample_copy(&c, g->call, "scales_w", "scales");
    give(g, 0, upsample_emitted(g, &c));
}
