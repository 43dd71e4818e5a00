/* The frames in which the blocks of functions and hooks are captured: names of their own, and what
 * the blocks may not do. */
#include "compiled/capture/capture.h"

/* ---- which programs ---- */

static bool block_walks_inside(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_APPLY || s->kind == STMT_HOOK ||
            (s->kind == STMT_WITH && s->context == CONTEXT_checkpoint) ||
            block_walks_inside(&s->body) || block_walks_inside(&s->orelse)) {
            return true;
        }
    }
    return false;
}

bool capture_walks_inside(const Program *p) {
    return block_walks_inside(&p->setup) || block_walks_inside(&p->body) ||
           block_walks_inside(&p->after);
}

/* ---- frames ---- */

OuterFrame capture_frame_open(Capture *cap, const uint8_t *needs_input_grad, bool grad_mode) {
    const Program *p = cap->program;
    OuterFrame outer = {cap->env,
                        cap->binding,
                        cap->frame,
                        cap->bare,
                        cap->grad_mode,
                        cap->emit.in_program,
                        cap->emit.create_graph,
                        cap->emit.in_formula};
    cap->env = arena_array(cap->arena, Tensor *, p->nnames);
    cap->binding = arena_array(cap->arena, Binding, p->nnames);
    cap->frame = (CaptureFrame){true, needs_input_grad, NULL, AT_UNKNOWN};
    cap->bare = false;
    cap->grad_mode = grad_mode;
    cap->emit.in_program = cap->emit.create_graph = cap->emit.in_formula = false;
    return outer;
}

OuterFrame capture_frame_of_gradient(Capture *cap, const uint8_t *needs_input_grad,
                                     bool grad_mode) {
    if (cap->in_final && cap->odd_tangents) {
        error_set(&cap->err, ERR_unsupported,
                  "a block that may see how a gradient of a later region is laid out");
    }
    return capture_frame_open(cap, needs_input_grad, grad_mode);
}

void capture_frame_close(Capture *cap, const OuterFrame *outer) {
    for (NameId name = 0; name < cap->program->nnames; name++) {
        binding_clear(cap, name); /* out of the lists of their storages */
    }
    cap->env = outer->env;
    cap->binding = outer->binding;
    cap->frame = outer->frame;
    cap->bare = outer->bare;
    cap->grad_mode = outer->grad_mode;
    cap->emit.in_program = outer->in_program;
    cap->emit.create_graph = outer->create_graph;
    cap->emit.in_formula = outer->in_formula;
}

ErrCode capture_look_up(Capture *cap, NameId name, Var **out) {
    *out = (Var *)cap->env[name];
    return *out ? ERR_none : capture_unbound(cap, name);
}

int64_t capture_input_versions(const Capture *cap) {
    int64_t sum = 0;
    for (int k = 0; k < cap->ncounters && cap->walks_inside; k++) {
        sum += cap->counter[k]->version;
    }
    return sum;
}
