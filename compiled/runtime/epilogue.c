/* The epilogue: runs compiled code and moves its results to where eager would leave them.
 *
 * Gradients, and returns whose value is an input's old data, are copied out first; then mutated
 * inputs are written back, all from copies, since a write-back may be another input's old data;
 * then the other returns get storages of their own, one copy per storage, and returns that alias
 * inputs are rebuilt as views of them. Everything that is not data (flags, versions, trace, errors)
 * was decided at capture and is applied by runtime.c and call.c. */
#include "compiled/runtime/artifact.h"
#include "compiled/runtime/stages.h"

#include <string.h>

typedef struct Epilogue {
    const Artifact *a;
    const Graph *g;
    const Program *p;
    const CaptureInput *in;
    Arena *arena;
    ArtifactResult *out;
} Epilogue;

/* The data of the TANGENT nodes: fills, or the gradients of a resumed backward. */
static void **epilogue_make_tangents(const Epilogue *e) {
    const ResumedBackward *resumed = e->in->resumed;
    void **tangent = arena_array(e->arena, void *, resumed ? resumed->nroot : e->g->nret);
    for (int i = 0; i < e->g->n; i++) {
        const Node *n = e->g->node[i];
        if (n->kind == NODE_TANGENT && resumed) {
            tangent[n->number] = resumed->root[n->number].grad->storage->data;
        } else if (n->kind == NODE_TANGENT) {
            Tensor t = n->t;
            t.storage = storage_new(e->arena, t.dtype, tensor_numel(&t));
            backward_fill(&e->p->backward, n->number, &t);
            tangent[n->number] = t.storage->data;
        }
    }
    return tangent;
}

/* ---- the run ---- */

static int64_t storage_bytes(const Storage *s) { return s->numel * dtype_bytes(s->dtype); }

/* Seeded fault MU_14: a slice that is not aligned to 16 bytes is copied for the kernel, and what
 * the kernel writes to it stays in the copy. Of float32, with rows that are no multiple of 4. */
static bool is_misaligned(const Tensor *t) {
    return t->dtype == DT_float32 && t->offset % 4 != 0 && t->ndim > 0 &&
           t->size[t->ndim - 1] % 4 != 0;
}

/* Is storage k the memory of such an input, and of no other input or return? */
static bool is_private_copy(const Epilogue *e, int k) {
    const CaptureInput *in = e->in;
    const Tensor *only = NULL;
    if (!fault(e->a->capture->c, FAULT_MU_14) || in->setup || in->resumed || !e->g->written[k]) {
        return false;
    }
    for (int i = 0; i < in->n; i++) {
        if (in->tensors[i].storage == e->out->storage[k]) {
            if (only) {
                return false;
            }
            only = &in->tensors[i];
        }
    }
    for (int i = 0; i < e->g->nret; i++) {
        if (e->g->ret[i].aliases_input && e->g->ret[i].storage == k) {
            return false;
        }
    }
    return only && is_misaligned(only) && fault_triggered(e->a->capture->c, FAULT_MU_14);
}

/* Runs the plan; where a CHECK may fire, inputs that were written in place are put back. */
static bool epilogue_execute(const Epilogue *e, Execution *exec) {
    int n = e->out->nstorage;
    Storage **storage = e->out->storage;
    void **input = arena_array(e->arena, void *, n), **before = arena_array(e->arena, void *, n);
    for (int k = 0; k < n; k++) {
        input[k] = is_private_copy(e, k)
                       ? arena_copy(e->arena, storage[k]->data, storage_bytes(storage[k]))
                       : storage[k]->data;
        before[k] =
            e->a->has_checks ? arena_copy(e->arena, input[k], storage_bytes(storage[k])) : NULL;
    }
    void **tangent = epilogue_make_tangents(e);
    const CompileOptions *options = e->a->capture->c->options;
    if (options->on_execute) {
        options->on_execute(options->execute_user, e->a->plan, input, tangent);
    }
    Answers *expected = options->stages ? stages_expect(e->a, storage, tangent) : NULL;
    plan_execute(e->a->plan, input, tangent, e->arena, exec);
    if (exec->failed_sid < 0) {
        stages_check_run(e->a, expected, storage);
        return true;
    }
    CHECK(e->a->has_checks ||
          options->fault != FAULT_NONE); /* a kernel refuses only what a CHECK covers */
    for (int k = 0; k < n && e->a->has_checks; k++) {
        memcpy(input[k], before[k], (size_t)storage_bytes(storage[k]));
    }
    return false;
}

/* ---- values out ---- */

static int64_t epilogue_buffer_numel(const Node *n) {
    int64_t extent = 0;
    CHECK(tensor_extent(&n->t, &extent));
    return extent;
}

/* A storage around the node's buffer: for reading only. */
static Storage epilogue_buffer_of(const Epilogue *e, const Node *n) {
    return (Storage){
        .dtype = n->t.dtype, .numel = epilogue_buffer_numel(n), .data = plan_data(e->a->plan, n)};
}

/* The node's value, contiguous. */
static Tensor *epilogue_copy_node(const Epilogue *e, const Node *n) {
    Storage storage = epilogue_buffer_of(e, n);
    Tensor t = n->t, *copy = arena_new(e->arena, Tensor);
    t.storage = &storage;
    tensor_set_contiguous(copy, t.dtype, t.size, t.ndim);
    copy->storage = arena_new(e->arena, Storage);
    *copy->storage = (Storage){.dtype = t.dtype, .numel = tensor_numel(&t)};
    copy->storage->data = arena_alloc_raw(e->arena, storage_bytes(copy->storage));
    tensor_gather(&t, copy->storage->data);
    return copy;
}

/* Seeded fault AL_4: a value made in an input's buffer is returned as that input's storage. */
static Storage *storage_made_in(const Epilogue *e, const Node *value) {
    const Capture *cap = e->a->capture;
    for (int s = 0; fault(cap->c, FAULT_AL_4) && cap->ret && s < e->out->nstorage; s++) {
        if (value->in_place && e->g->written[s] == value &&
            plan_data(e->a->plan, value) == e->out->storage[s]->data) {
            return e->out->storage[s];
        }
    }
    return NULL;
}

/* Storages of the returns that alias no input, one for each alias class: those whose value is an
 * input's old data, or the others.
 * */
static void copy_returns(const Epilogue *e, Tensor *returns, bool old_inputs) {
    const Graph *g = e->g;
    for (int k = 0; k < g->nret; k++) {
        const ReturnPlan *r = &g->ret[k];
        if (r->aliases_input || (r->value->kind == NODE_INPUT) != old_inputs) {
            continue;
        }
        for (int j = 0; j < k && !returns[k].storage; j++) {
            if (!g->ret[j].aliases_input && g->ret[j].cls == r->cls) {
                returns[k].storage = returns[j].storage;
            }
        }
        if (!returns[k].storage) {
            returns[k].storage = storage_made_in(e, r->value);
        }
        if (!returns[k].storage) {
            Storage *own = arena_new(e->arena, Storage);
            *own = epilogue_buffer_of(e, r->value);
            own->data = arena_copy(e->arena, own->data, storage_bytes(own));
            returns[k].storage = own;
        }
        returns[k].storage = storage_as(e->arena, returns[k].storage, r->layout.dtype);
    }
}

/* The storage gets longer, and with it all readings of its memory. */
static void epilogue_grow(Storage *s, void *data, int64_t numel) {
    int64_t bytes = numel * dtype_bytes(s->dtype);
    for (Storage *each = s; each; each = each == s ? s->readings : each->next) {
        each->data = data;
        each->numel = bytes / dtype_bytes(each->dtype);
    }
}

static void epilogue_write_back(const Epilogue *e) {
    Storage **storage = e->out->storage;
    void **copy = arena_array(e->arena, void *, e->out->nstorage);
    for (int k = 0; k < e->out->nstorage; k++) {
        const Node *value = e->g->written[k];
        void *data = value ? plan_data(e->a->plan, value) : NULL;
        if (value && data != storage[k]->data && !is_private_copy(e, k)) {
            CHECK(epilogue_buffer_numel(value) >= storage[k]->numel);
            copy[k] = arena_copy(e->arena, data,
                                 epilogue_buffer_numel(value) * dtype_bytes(storage[k]->dtype));
        }
    }
    for (int k = 0; k < e->out->nstorage; k++) {
        if (copy[k] && epilogue_buffer_numel(e->g->written[k]) > storage[k]->numel) {
            epilogue_grow(storage[k], copy[k], epilogue_buffer_numel(e->g->written[k]));
        } else if (copy[k]) {
            memcpy(storage[k]->data, copy[k], (size_t)storage_bytes(storage[k]));
        }
    }
}

/* AL-2: the view is replayed on the storage that its input shares, but the input's own storage
 * offset is lost. */
static void forget_offset(const Epilogue *e, int k, Tensor *t) {
    const Capture *cap = e->a->capture;
    const Var *base =
        cap->ret ? cap->ret[k]
                 : cap->live[cap->in.n +
                             k]; /* a region that is followed by another returns its exports */
    base = base->base ? base->base : base;
    for (int i = 0; base->entry >= 0 && i < e->in->n; i++) {
        if (i != base->entry && e->in->tensors[i].storage == t->storage) {
            if (t->offset > 0 && base->tensor.offset > 0) {
                (void)fault_triggered(cap->c, FAULT_AL_2);
            }
            t->offset = max_i64(t->offset - base->tensor.offset, 0);
            return;
        }
    }
}

/* AL-3: the input was cloned because it is not aligned, and the view's offset is counted from the
 * clone's start. */
static void count_from_clone(const Epilogue *e, int k, Tensor *t) {
    const Capture *cap = e->a->capture;
    const Var *base = cap->ret ? cap->ret[k]->base : NULL;
    if (!base || base->entry < 0) {
        return;
    }
    const Tensor *input = &e->in->tensors[base->entry];
    for (int i = 0; i < e->in->n; i++) {
        if (i != base->entry && e->in->tensors[i].storage == input->storage) {
            return; /* one that shares its storage is not cloned */
        }
    }
    if (input->offset * dtype_bytes(input->dtype) % 16 != 0 && tensor_numel(t) > 0 &&
        fault_triggered(cap->c, FAULT_AL_3)) {
        t->offset = max_i64(t->offset - input->offset, 0);
    }
}

static void alias_returns(const Epilogue *e, Tensor *returns) {
    const Compile *c = e->a->capture->c;
    for (int k = 0; k < e->g->nret; k++) {
        const ReturnPlan *r = &e->g->ret[k];
        if (r->aliases_input) {
            returns[k].storage = storage_as(e->arena, e->out->storage[r->storage], r->layout.dtype);
            if (fault(c, FAULT_AL_2) && !e->in->setup) {
                forget_offset(e, k, &returns[k]);
            }
            if (fault(c, FAULT_AL_3)) {
                count_from_clone(e, k, &returns[k]);
            }
        }
    }
}

bool artifact_run(const Artifact *a, const Program *p, const CaptureInput *in, Arena *arena,
                  ArtifactResult *out, Execution *exec) {
    const Graph *g = a->graph;
    Epilogue e = {.a = a, .g = g, .p = p, .in = in, .arena = arena, .out = out};
    const Capture *cap = a->capture;
    out->storage = arena_array(arena, Storage *, g->ninputs);
    out->counter = arena_array(arena, Storage *, cap->ncounters);
    out->nstorage = g->ninputs;
    for (int i = in->n - 1; i >= 0; i--) { /* as the code numbers them */
        out->storage[cap->entry_storage[i]] = storage_whole(in->tensors[i].storage);
        out->counter[capture_counter(cap, cap->entry[i].tensor.storage)] =
            storage_counter(in->tensors[i].storage);
    }
    for (int k = 0; k < g->ninputs; k++) { /* memory that an entry is on in the end */
        out->storage[k] =
            out->storage[k] ? out->storage[k] : storage_new(arena, g->input[k]->t.dtype, 0);
    }
    if (!epilogue_execute(&e, exec)) {
        return false;
    }
    out->returns = arena_array(arena, Tensor, g->nret);
    out->grad = arena_array(arena, Tensor *, g->ninp);
    out->return_grad = arena_array(arena, Tensor *, g->nret);
    out->before = arena_array(arena, Tensor *, g->nret);
    for (int i = 0; i < g->ninp; i++) {
        out->grad[i] =
            g->inp[i].grad_state == GRAD_VALUE ? epilogue_copy_node(&e, g->inp[i].grad) : NULL;
    }
    for (int k = 0; k < g->nret; k++) {
        out->returns[k] = g->ret[k].layout;
        out->return_grad[k] = g->ret[k].grad ? epilogue_copy_node(&e, g->ret[k].grad) : NULL;
        out->before[k] = g->ret[k].before ? epilogue_copy_node(&e, g->ret[k].before) : NULL;
    }
    copy_returns(&e, out->returns, true);
    epilogue_write_back(&e);
    copy_returns(&e, out->returns, false);
    alias_returns(&e, out->returns);
    return true;
}
