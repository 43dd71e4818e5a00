/* The epilogue: runs compiled code and turns what it computed into the call's result.
 *
 * Gradients, and returns whose value is an input's old data, are copied out first; then mutated inputs are written back, all from
 * copies, since a write-back may be another input's old data; then the other returns get storages of their own, one copy a storage,
 * and returns that alias inputs are rebuilt as views of them. What is not data (flags, versions, trace, errors) was decided at
 * capture. */
#include "compiled/capture.h"

#include <string.h>

void storages_of(const Tensor *inputs, int ninputs, Storage **out, int *nout) {
    int n = 0;
    for (int i = 0; i < ninputs; i++) {
        int k = 0;
        while (k < n && out[k] != inputs[i].storage) {
            k++;
        }
        if (k == n) {
            out[n++] = inputs[i].storage;
        }
    }
    *nout = n;
}

typedef struct Epilogue {
    const Artifact *a;
    const Graph *g;
    const Program *p;
    Arena *arena;
    Tensor *inputs;
    int ninputs;
    Storage *storage[MAX_INPUTS]; /* by input storage number */
    int nstorage;
    CallResult *call;
} Epilogue;

static void **make_tangents(const Epilogue *e) {
    void **tangent = arena_array(e->arena, void *, e->g->nret);
    for (int i = 0; i < e->g->n; i++) {
        const Node *n = e->g->node[i];
        if (n->kind == NODE_TANGENT) {
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

/* Runs the plan; where a CHECK may fire, inputs that were written in place are put back. */
static bool execute(Epilogue *e, Execution *exec) {
    void *input[MAX_INPUTS], *before[MAX_INPUTS];
    for (int k = 0; k < e->nstorage; k++) {
        input[k] = e->storage[k]->data;
        before[k] = e->a->has_checks ? arena_copy(e->arena, input[k], storage_bytes(e->storage[k])) : NULL;
    }
    void **tangent = make_tangents(e);
    const CompileOptions *options = e->a->capture->c->options;
    if (options->on_execute) {
        options->on_execute(options->execute_user, e->a->plan, input, tangent);
    }
    plan_execute(e->a->plan, input, tangent, e->arena, exec);
    if (exec->failed_sid < 0) {
        return true;
    }
    for (int k = 0; k < e->nstorage; k++) {
        memcpy(input[k], before[k], (size_t)storage_bytes(e->storage[k]));
    }
    return false;
}

/* ---- values out ---- */

static int64_t buffer_numel(const Node *n) {
    int64_t extent = 0;
    CHECK(tensor_extent(&n->t, &extent));
    return extent;
}

/* A storage around the node's buffer: for reading only. */
static Storage buffer_of(const Epilogue *e, const Node *n) {
    return (Storage){.dtype = n->t.dtype, .numel = buffer_numel(n), .data = plan_data(e->a->plan, n)};
}

static void record_node(const Epilogue *e, Values *out, const Node *n) {
    Storage storage = buffer_of(e, n);
    Tensor t = n->t;
    t.storage = &storage;
    values_record(out, &t, e->arena);
}

/* Storages of the returns that alias no input, one for each alias class: those whose value is an input's old data, or the others.
 */
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
            Storage *own = arena_new(e->arena, Storage);
            *own = buffer_of(e, r->value);
            own->data = arena_copy(e->arena, own->data, storage_bytes(own));
            returns[k].storage = own;
        }
    }
}

static void write_back(const Epilogue *e) {
    void *copy[MAX_INPUTS] = {NULL};
    for (int k = 0; k < e->nstorage; k++) {
        const Node *value = e->g->written[k];
        void *data = value ? plan_data(e->a->plan, value) : NULL;
        if (value && data != e->storage[k]->data) {
            CHECK(buffer_numel(value) == e->storage[k]->numel);
            copy[k] = arena_copy(e->arena, data, storage_bytes(e->storage[k]));
        }
    }
    for (int k = 0; k < e->nstorage; k++) {
        if (copy[k]) {
            memcpy(e->storage[k]->data, copy[k], (size_t)storage_bytes(e->storage[k]));
        }
    }
}

/* AL-2: the view is replayed on the storage that its input shares, without the input's own offset in it. */
static void forget_place(const Epilogue *e, int k, Tensor *t) {
    const Var *base = e->a->capture->ret[k];
    base = base->base ? base->base : base;
    for (int i = 0; base->input >= 0 && i < e->ninputs; i++) {
        if (i != base->input && e->inputs[i].storage == t->storage) {
            t->offset = max_i64(t->offset - base->t.offset, 0);
            return;
        }
    }
}

static void alias_returns(const Epilogue *e, Tensor *returns) {
    const Compile *c = e->a->capture->c;
    for (int k = 0; k < e->g->nret; k++) {
        const ReturnPlan *r = &e->g->ret[k];
        if (r->aliases_input) {
            returns[k].storage = e->storage[r->storage];
            if (fault(c, FAULT_AL_2)) {
                forget_place(e, k, &returns[k]);
            }
        }
    }
}

/* ---- records ---- */

static void record_return(const Epilogue *e, int k, const Tensor *t, bool graded) {
    const ReturnPlan *plan = &e->g->ret[k];
    ReturnRecord *r = &e->call->returns[k];
    values_record(&r->values, t, e->arena);
    memcpy(r->stride, t->stride, sizeof *t->stride * (size_t)t->ndim);
    r->storage_offset = t->offset;
    r->has_stride = r->has_offset = r->has_requires_grad = r->has_is_leaf = true;
    r->requires_grad = plan->requires_grad;
    r->is_leaf = plan->is_leaf;
    const Var *v = e->a->capture->ret[k];
    if (graded && (plan->is_leaf ? plan->requires_grad && v->requires_grad : v->retains)) {
        r->grad_state = plan->grad ? GRAD_VALUE : GRAD_NULL;
    }
}

static void record_input(const Epilogue *e, const Input *decl, int i) {
    const InputPlan *plan = &e->g->inp[i];
    const Tensor *t = &e->a->capture->input[i].t; /* its sizes and strides at the end */
    InputRecord *r = &e->call->inputs[i];
    const Class *cls = class_of(t);
    r->name = decl[i].name;
    r->has_requires_grad = r->has_version = r->has_is_leaf = r->has_geometry = true;
    r->requires_grad = plan->requires_grad;
    r->version = e->g->version[cls->input];
    r->is_leaf = plan->is_leaf;
    r->ndim = t->ndim;
    memcpy(r->size, t->size, sizeof *t->size * (size_t)t->ndim);
    memcpy(r->stride, t->stride, sizeof *t->stride * (size_t)t->ndim);
    r->storage_offset = t->offset;
    r->unsettled = cls->input == e->a->unsettled;
    values_record_storage(&r->data, e->inputs[i].storage, e->arena);
    r->grad_state = plan->grad_state;
}

/* What has to be copied before inputs are written: gradients. */
static void record_gradients(const Epilogue *e) {
    for (int i = 0; i < e->ninputs; i++) {
        if (e->g->inp[i].grad_state == GRAD_VALUE) {
            record_node(e, &e->call->inputs[i].grad, e->g->inp[i].grad);
        }
    }
    for (int k = 0; k < e->call->nreturns; k++) {
        if (e->g->ret[k].grad) {
            record_node(e, &e->call->returns[k].grad, e->g->ret[k].grad);
        }
    }
}

static void finish_status(const Epilogue *e, const Execution *exec) {
    CallResult *call = e->call;
    ErrCode error = e->a->error != ERR_none ? e->a->error : e->g->backward_error;
    call->ok = error == ERR_none && exec->code == ERR_none;
    if (error == ERR_none && exec->code != ERR_none) {
        call->error = exec->code;
        call->error_at = AT_BACKWARD;
        call->message = exec->message;
    } else if (error != ERR_none) {
        call->error = error;
        call->error_at = e->a->error != ERR_none ? e->a->error_at : AT_BACKWARD;
        call->message = e->a->error != ERR_none ? e->a->message : e->g->backward_message;
    }
}

bool artifact_run(const Artifact *a, const Program *p, const Input *decl, Tensor *inputs, int ninputs, const RunOptions *options,
                  Arena *arena, CallResult *call, Execution *exec) {
    Epilogue e = {.a = a, .g = a->graph, .p = p, .arena = arena, .inputs = inputs, .ninputs = ninputs, .call = call};
    storages_of(inputs, ninputs, e.storage, &e.nstorage);
    if (!execute(&e, exec)) {
        return false;
    }
    finish_status(&e, exec);
    call->trace = a->capture->trace;
    call->ntrace = a->capture->ntrace;
    call->nreturns = a->error == ERR_none ? a->graph->nret : 0;
    call->returns = arena_array(arena, ReturnRecord, call->nreturns);
    call->ninputs = ninputs;
    call->inputs = arena_array(arena, InputRecord, ninputs);
    Tensor *returns = arena_array(arena, Tensor, a->graph->nret);
    Tensor **return_list = arena_array(arena, Tensor *, a->graph->nret), **input_list = arena_array(arena, Tensor *, ninputs);
    for (int k = 0; k < a->graph->nret; k++) {
        returns[k] = a->graph->ret[k].layout;
    }
    record_gradients(&e);
    copy_returns(&e, returns, true);
    write_back(&e);
    copy_returns(&e, returns, false);
    alias_returns(&e, returns);
    for (int k = 0; k < call->nreturns; k++) {
        record_return(&e, k, &returns[k], call->ok && p->backward.given);
        return_list[k] = &returns[k];
    }
    for (int i = 0; i < ninputs; i++) {
        record_input(&e, decl, i);
        input_list[i] = &inputs[i];
    }
    alias_record(call, return_list, call->nreturns, input_list, ninputs);
    if (options->poke && call->ok) {
        poke_record(call, return_list, call->nreturns, input_list, ninputs, arena);
    }
    return true;
}
