/* Zero tensors: the second derivative of abs (sgn_backward in FunctionsManual.cpp) has no memory in
 * PyTorch (at::_efficientzerotensor). Times inf it is 0, as are its products (mul_zerotensor and
 * div_zerotensor in BinaryOps.cpp), and it refuses writes (ZeroTensorFallback.cpp). The reference
 * has ordinary zeros: a run is unspecified where the difference shows. */
#include "reference/unspecified.h"

/* A gradient that is a zero tensor in PyTorch, or may be. */
typedef struct ZeroTensor {
    const Storage *storage;
    const struct ZeroTensor *next;
} ZeroTensor;

static bool is_zero_tensor(const Session *s, const Tensor *t) {
    const ZeroTensor *z = t ? s->zero_tensors : NULL;
    while (z && z->storage != t->storage) {
        z = z->next;
    }
    return z != NULL;
}

void zero_tensors_follow(Session *s, const Grad *g) {
    bool made = s->detect_unspecified && g->call->op->id == OP__sgn;
    for (int i = 0; i < g->nresult; i++) {
        made |= is_zero_tensor(s, g->grad[i]);
    }
    for (int i = 0; i < g->nslot && made && s->err->code == ERR_none; i++) {
        if (!g->out[i]) {
            continue;
        }
        if (unspecified_any(g->out[i], unspecified_is_nan)) {
            session_unspecified(s, "abs: the second derivative is 0 where a factor is inf or nan");
        }
        ZeroTensor *z = arena_new(s->arena, ZeroTensor);
        *z = (ZeroTensor){g->out[i]->storage, s->zero_tensors};
        s->zero_tensors = z;
    }
}

void zero_tensors_arrive(Session *s, const GradNode *node) {
    bool seen = node->captured == s->visits || node->kind == GRAD_NODE_FUNCTION || node->hooks ||
                (node->leaf && node->leaf->hooks);
    for (int i = 0; i < node->nout && seen && s->zero_tensors; i++) {
        if (is_zero_tensor(s, node->grad[i])) {
            session_unspecified(s, "abs: the second derivative is a zero tensor, which refuses "
                                   "writes");
        }
    }
}
