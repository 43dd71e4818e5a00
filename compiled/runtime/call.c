/* One call of the program: inputs and setup, or the tensors of the call before; the function; the
 * cross-region backward; the record. */
#include "compiled/runtime/runtime.h"
#include "compiled/runtime/symbols.h"

#include <string.h>

/* ---- the record ---- */

static void record_value(Values *out, const Tensor *t) {
    out->dtype = t->dtype;
    out->ndim = t->ndim;
    memcpy(out->size, t->size, sizeof *t->size * (size_t)t->ndim);
    out->numel = tensor_numel(t);
    out->data = t->storage->data; /* contiguous, and not shared */
    out->value64 = out->bound = NULL;
}

static void record_return(const RuntimeSession *r, CallResult *call, const RegionResult *end,
                          int k) {
    const ReturnPlan *plan = &end->artifact->graph->ret[k];
    const Var *v = end->artifact->capture->ret[k];
    const Tensor *t = &end->outcome.returns[k];
    ReturnRecord *call_record = &call->returns[k];
    if (end->outcome.before[k]) {
        record_value(&call_record->values, end->outcome.before[k]);
    } else {
        values_record(&call_record->values, t, r->arena);
    }
    memcpy(call_record->stride, t->stride, sizeof *t->stride * (size_t)t->ndim);
    call_record->storage_offset = t->offset;
    call_record->has_stride = call_record->has_offset = call_record->has_requires_grad =
        call_record->has_is_leaf = true;
    call_record->requires_grad = plan->requires_grad;
    call_record->is_leaf = plan->is_leaf;
    call_record->grad_state = GRAD_ABSENT;
    call_record->grad.data = NULL;
    call_record->poked = NULL;
    call_record->changed_later = false; /* not recorded: CallResult.has_changed_later */
    if (call->ok && r->p->backward.given &&
        (plan->is_leaf ? plan->requires_grad && v->requires_grad : v->retains_grad)) {
        const Tensor *grad = plan->is_leaf && v->entry >= 0 ? end->region->live[v->entry]->grad
                                                            : end->outcome.return_grad[k];
        call_record->grad_state = grad ? GRAD_VALUE : GRAD_NULL;
        if (grad) {
            record_value(&call_record->grad, grad);
        }
    }
}

static void record_input(const RuntimeSession *r, CallResult *call, const RegionResult *end,
                         int i) {
    const LiveTensor *o = r->input[i];
    const Tensor *t = &o->tensor;
    InputRecord *call_record = &call->inputs[i];
    call_record->name = r->p->inputs[i].name;
    call_record->has_requires_grad = call_record->has_version = call_record->has_is_leaf =
        call_record->has_geometry = true;
    call_record->requires_grad = live_requires_grad(o);
    call_record->version = *storage_version(t->storage);
    call_record->is_leaf = !live_has_grad_fn(o);
    call_record->ndim = t->ndim;
    memcpy(call_record->size, t->size, sizeof *t->size * (size_t)t->ndim);
    memcpy(call_record->stride, t->stride, sizeof *t->stride * (size_t)t->ndim);
    call_record->storage_offset = t->offset;
    call_record->unsettled = end->unsettled == storage_whole(t->storage);
    values_record_storage(&call_record->data, t->storage, r->arena);
    call_record->poked = NULL;
    call_record->grad_state = o->grad ? GRAD_VALUE : GRAD_NULL;
    call_record->grad.data = NULL;
    if (o->grad) {
        record_value(&call_record->grad, o->grad);
    }
}

/* Versions in probe results are relative to the region's start. */
static void record_trace(const RuntimeSession *r, CallResult *call, const RegionResult *end) {
    const Capture *cap = end->artifact->capture;
    bool as_is = call->ntrace == 0;
    for (int k = 0; k < cap->ncounters; k++) {
        as_is &= end->region->version[k] == 0;
    }
    if (as_is) {
        call->trace = cap->trace;
        call->ntrace = cap->ntrace;
        return;
    }
    TraceEntry *trace = arena_array(r->arena, TraceEntry, call->ntrace + cap->ntrace);
    if (call->ntrace > 0) {
        memcpy(trace, call->trace, sizeof *trace * (size_t)call->ntrace);
    }
    for (int i = 0; i < cap->ntrace; i++) {
        TraceEntry *entry = &trace[call->ntrace++];
        *entry = cap->trace[i];
        entry->v[0] += cap->trace_counter[i] >= 0 ? end->region->version[cap->trace_counter[i]] : 0;
    }
    call->trace = trace;
}

static void call_record(const RuntimeSession *r, CallResult *call, const RegionResult *end,
                        int number) {
    bool returned = call->ok || call->error_at == AT_BACKWARD;
    int nreturns = call->nreturns = returned ? r->p->nreturns : 0;
    call->returns = arena_alloc_raw(r->arena, (int64_t)sizeof *call->returns * nreturns);
    call->inputs = arena_alloc_raw(r->arena, (int64_t)sizeof *call->inputs * r->ninputs);
    call->ninputs = r->ninputs;
    Tensor **returns = arena_array(r->arena, Tensor *, nreturns),
           **inputs = arena_array(r->arena, Tensor *, r->ninputs);
    for (int k = 0; k < nreturns; k++) {
        record_return(r, call, end, k);
        returns[k] = &end->outcome.returns[k];
    }
    for (int i = 0; i < r->ninputs; i++) {
        record_input(r, call, end, i);
        inputs[i] = &r->input[i]->tensor;
    }
    alias_record(call, returns, nreturns, inputs, r->ninputs);
    if (r->options->poke && call->ok && program_pokes(r->p, number)) {
        poke_record(call, returns, nreturns, inputs, r->ninputs, r->arena);
    }
}

/* ---- the call ---- */

static ErrCode call_fail(CallResult *call, ErrCode code, int at, const char *message) {
    call->error = code;
    call->error_at = at;
    call->message = message;
    return code;
}

/* Inputs and setup, or the tensors of the call before. */
static ErrCode call_prepare(RuntimeSession *r, int number, CallResult *call, RegionResult *end) {
    const Program *p = r->p;
    Error err = {0};
    if (number > 0 && p->recalls[number - 1].keep) {
        const Recall *recall = &p->recalls[number - 1];
        r->partial &= recall->keep_grads;
        if (r->prepared && r->refused_late) {
            return call_fail(call, ERR_unsupported, AT_UNKNOWN,
                             "a backward that was refused after it had run a part of the history");
        }
        if (r->prepared && recall->keep_grads &&
            (r->partial || (program_touches_grads(p) && !r->apart))) {
            return call_fail(call, ERR_unsupported, AT_UNKNOWN,
                             r->partial ? "gradients that a backward has left which raised"
                                        : "statements about .grad, which an earlier call has left");
        }
        return runtime_reopen(r, &p->recalls[number - 1], &err) == ERR_none
                   ? ERR_none
                   : call_fail(call, err.code, AT_UNKNOWN, arena_strdup(r->arena, err.text));
    }
    r->partial = r->refused_late = false;
    int ninputs;
    bool grad_mode, compiled;
    const Input *inputs = program_call_inputs(p, number, &ninputs, &grad_mode);
    if (runtime_open(r, inputs, ninputs, &err) != ERR_none) {
        return call_fail(call, err.code, AT_UNKNOWN, arena_strdup(r->arena, err.text));
    }
    if (p->setup.count > 0 && !r->prepares) {
        region_run(r, SETUP, true, r->comes_back, &compiled, end);
        record_trace(r, call, end);
        if (end->error != ERR_none) {
            return call_fail(call, end->error, end->at, end->message);
        }
    }
    r->prepared = true;
    return ERR_none;
}

/* A backward statement of the caller, behind the function: its roots are a region; from there the
 * gradients continue in the regions before. */
static ErrCode call_caller_backward(RuntimeSession *r, int sid, CallResult *call) {
    const GradStmt *g = program_stmt(r->p, sid)->grad;
    RegionResult end = {0};
    runtime_keep_grads(r);
    region_run_gradient(r, sid, &end);
    if (end.error == ERR_none && end.artifact->graph->backward_runs) {
        Error err = {0};
        (void)cross_region_backward_run(r, &end, g->retain_given && g->retain_graph, &err);
        end.error = err.code;
        end.message = arena_strdup(r->arena, err.text);
    }
    call->regions++;
    r->partial |= end.error != ERR_none;
    return end.error == ERR_none ? ERR_none : call_fail(call, end.error, sid, end.message);
}

static ErrCode call_function(RuntimeSession *r, int number, CallResult *call, RegionResult *end) {
    const Program *p = r->p;
    int ninputs;
    bool grad_mode;
    (void)program_call_inputs(p, number, &ninputs, &grad_mode);
    for (int i = 0; i < program_nargs(p) && !r->prepares; i++) {
        NameId name = program_arg(p, i);
        if (!r->named[name]) {
            return call_fail(
                call, ERR_invalid, AT_UNKNOWN,
                arena_printf(r->arena, "the argument '%s' is not bound", p->names[name]));
        }
    }
    bool kept = number < p->nrecalls && p->recalls[number].keep;
    int part = BODY;
    do {
        bool compiled, comes_back = r->comes_back && (kept || r->breaks || r->apart);
        bool after = part == AFTER || (part >= 0 && program_is_after(p, part));
        if (after) {
            runtime_keep_grads(r);
        }
        bool mode = grad_mode || after;
        region_run(r, part, mode, comes_back, &compiled, end);
        if (r->compile->fault != FAULT_NONE && compiled && part == BODY) {
            runtime_double_kept_grads(r);
        }
        *(compiled ? &r->counters->compiles : &r->counters->hits) += 1;
        call->compiled |= compiled;
        Symbols *symbols = end->artifact->symbols;
        if (symbols && symbols->first_sample && compiled) {
            symbols->call_symbolic = &call->symbolic;
        }
        call->symbolic |= symbols && !symbols->first_sample;
        if (compiled && end->artifact->miss != MISS_COUNT && !call->miss) {
            call->miss = miss_name(end->artifact->miss);
        }
        call->regions++;
        record_trace(r, call, end);
        part = end->artifact->capture->at;
        if (region_continues(end) && part >= 0 && program_is_after(p, part)) {
            TRY(call_caller_backward(r, part, call));
        }
    } while (region_continues(end));
    if (end->error != ERR_none) {
        return call_fail(call, end->error, end->at, end->message);
    }
    if (end->artifact->graph->backward_runs) {
        Error err = {0};
        if (cross_region_backward_run(r, end, false, &err) != ERR_none) {
            return call_fail(call, err.code, AT_BACKWARD, arena_strdup(r->arena, err.text));
        }
    }
    return ERR_none;
}

void run_call(RuntimeSession *r, int number, CallResult *call) {
    RegionResult end = {0};
    r->last_call = number == r->p->nrecalls;
    r->stream = program_stream(r->p, number);
    call->error = ERR_none;
    call->ok = call_prepare(r, number, call, &end) == ERR_none &&
               call_function(r, number, call, &end) == ERR_none;
    runtime_add_kept_grads(r);
    r->partial |= !call->ok && call->error_at == AT_BACKWARD;
    if (r->ninputs > 0 || call->ok || call->error_at == AT_BACKWARD) {
        call_record(r, call, &end, number);
    }
}
