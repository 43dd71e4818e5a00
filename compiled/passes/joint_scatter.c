#include "compiled/passes/joint_scatter.h"

#include "compiled/views/views.h"
#include "program/infer/infer.h"

bool joint_scatters_into_overlap(const Call *call) {
    return call->op->infer == infer_view_scatter && scatter_writes_overlap(call);
}

ErrCode joint_scatter_into_overlap(Emit *e, Graph *g, const Call *call, Tensor **out) {
    Tensor *self = call->arg[0].tensor, window;
    CHECK(view_scattered(call, self, &window));
    Tensor *src = emit_cast(e, call->arg[1].tensor, self->dtype);
    if (src) {
        Node *written = graph_store(g, (Node *)self, (Node *)src, &window, AT_BACKWARD);
        *out = &graph_view(g, written, self, AT_BACKWARD)->t;
    }
    return e->err->code;
}
