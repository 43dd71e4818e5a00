/* In-place views (t_, squeeze_, as_strided_, ..): the tensor object itself gets the sizes and
 * strides that the view would have.
 *
 *   check_inplace and a node (when it is recorded) -> the view's own checks -> freeze -> new
 *   geometry -> version + 1 -> history
 *
 * PyTorch bumps the version as for any write, but grad_fn is *set*, not rebased
 * (gen_variable_type.py: an op with view info), so that the base of a view does not learn of it:
 * the view's grad_fn is the op's node, made at the new version; its siblings are stale. Nodes, and
 * views whose base it is, keep the geometry of before: var_freeze_geometry. */
#include "reference/dispatch.h"

#include <string.h>

static void set_geometry(Tensor *t, const Tensor *geometry) {
    t->ndim = geometry->ndim;
    t->offset = geometry->offset;
    memcpy(t->size, geometry->size, (size_t)geometry->ndim * sizeof t->size[0]);
    memcpy(t->stride, geometry->stride, (size_t)geometry->ndim * sizeof t->stride[0]);
}

ErrCode dispatch_inplace_view(Session *s, const Call *call, Tensor **out, int *nout) {
    Call twin = *call;
    twin.op = op_info(call->op->twin);
    Tensor *self = call->arg[0].tensor;
    GradNode *node = NULL;
    Slots slots;
    slots.n = call_slots(&twin, slots.v);
    if (dispatch_requires_grad(s, twin.op, &slots)) {
        TRY(var_check_inplace(s, var_of(self)));
        node = node_begin(s, &twin, &slots);
        TRY(s->err->code);
    }
    Infer r;
    TRY(dispatch_infer(s, &twin, &r));
    CHECK(r.n == 1);
    int64_t numel;
    if (!sizes_numel(r.out[0].size, r.out[0].ndim, &numel) || numel > s->limits->max_elements) {
        return error_set(s->err, ERR_limit, "a view has more than %lld elements",
                         (long long)s->limits->max_elements);
    }
    if (node) {
        node_save_operands(s, node, NULL);
    }
    var_freeze_geometry(s, var_of(self));
    set_geometry(self, &r.out[0]);
    storage_whole(self->storage)->version++;
    if (node) {
        if (!dtype_is_float(self->dtype)) { /* an integer self that was written in place with a
                                               tensor that requires grad */
            return error_set(s->err, ERR_invalid,
                             "%s: an integer result of an operand that requires grad",
                             call->op->name);
        }
        node_save_results(s, node, &self, 1);
        var_set_history(var_of(self), node);
    }
    out[0] = self;
    *nout = 1;
    return ERR_none;
}
