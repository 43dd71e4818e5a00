/* Prints a result as JSON on one line. Values that were not recorded are not printed: a key is
 * compared only if both results have it. */
#include "program/json/tree.h"

typedef struct ResultWriter {
    Text *text;
    const Program *p;
} ResultWriter;

static void write_bool(const ResultWriter *w, bool b) { text_add(w->text, b ? "true" : "false"); }
static void write_name(const ResultWriter *w, NameId name) {
    text_json_string(w->text, w->p->names[name]);
}

static void write_at(const ResultWriter *w, int at) {
    if (at == AT_UNKNOWN) {
        text_add(w->text, "null");
    } else if (at == AT_RETURN || at == AT_BACKWARD) {
        text_add(w->text, at == AT_RETURN ? "\"return\"" : "\"backward\"");
    } else {
        text_json_string(w->text, program_path(w->text->arena, w->p, at));
    }
}

static void write_trace_value(const ResultWriter *w, const TraceEntry *t) {
    switch (t->probe) {
    case PROBE_size:
    case PROBE_stride:
        text_sizes(w->text, t->v, t->n);
        return;
    case PROBE_storage_offset:
    case PROBE_version:
        text_printf(w->text, "%lld", (long long)t->v[0]);
        return;
    case PROBE_dtype:
        text_json_string(w->text, dtype_name((DType)t->v[0]));
        return;
    case PROBE_requires_grad:
    case PROBE_is_leaf:
    case PROBE_has_grad_fn:
    case PROBE_is_contiguous:
    case PROBE_is_grad_enabled:
    case PROBE_COUNT:
        write_bool(w, t->v[0] != 0);
        return;
    }
}

static void write_trace(const ResultWriter *w, const CallResult *call) {
    text_add(w->text, ", \"trace\": [");
    for (int i = 0; i < call->ntrace; i++) {
        const TraceEntry *t = &call->trace[i];
        text_add(w->text, i ? ", {\"at\": " : "{\"at\": ");
        write_at(w, t->sid);
        text_printf(w->text, ", \"probe\": \"%s\", \"value\": ", probe_name(t->probe));
        write_trace_value(w, t);
        text_add(w->text, "}");
    }
    text_add(w->text, "]");
}

static void write_flag(const ResultWriter *w, const char *key, bool given, bool value) {
    if (given) {
        text_printf(w->text, ", \"%s\": ", key);
        write_bool(w, value);
    }
}

static void write_grad_facts(const ResultWriter *w, const GradFacts *facts) {
    write_flag(w, "requires_grad", facts->has_requires_grad, facts->requires_grad);
    if (facts->has_alias && facts->alias) {
        text_add(w->text, ", \"alias\": ");
        text_json_string(w->text, facts->alias);
    } else if (facts->has_alias) {
        text_add(w->text, ", \"alias\": null");
    }
}

/* `facts` may be NULL. */
static void write_json_grad(const ResultWriter *w, GradState state, const Values *grad,
                            const GradFacts *facts) {
    if (state == GRAD_NULL) {
        text_add(w->text, ", \"grad\": null");
    } else if (state == GRAD_VALUE) {
        text_add(w->text, ", \"grad\": {\"size\": ");
        text_sizes(w->text, grad->size, grad->ndim);
        if (grad->data) {
            text_add(w->text, ", \"data\": ");
            text_data(w->text, grad->data, grad->dtype, grad->numel);
        }
        if (facts) {
            write_grad_facts(w, facts);
        }
        text_add(w->text, "}");
    }
}

static void write_alias(const ResultWriter *w, const CallResult *call, const ReturnRecord *r) {
    text_add(w->text, ", \"alias\": ");
    if (r->alias == ALIAS_INPUT && r->alias_index < call->ninputs) {
        text_printf(w->text, "\"input:%s\"", w->p->names[call->inputs[r->alias_index].name]);
    } else if (r->alias == ALIAS_RETURN) {
        text_printf(w->text, "\"return:%d\"", r->alias_index);
    } else {
        text_add(w->text, "null");
    }
}

static void write_return(const ResultWriter *w, const CallResult *call, const ReturnRecord *r,
                         const GradFacts *facts) {
    text_printf(w->text, "{\"dtype\": \"%s\", \"size\": ", dtype_name(r->values.dtype));
    text_sizes(w->text, r->values.size, r->values.ndim);
    if (r->has_stride) {
        text_add(w->text, ", \"stride\": ");
        text_sizes(w->text, r->stride, r->values.ndim);
    }
    if (r->has_offset) {
        text_printf(w->text, ", \"storage_offset\": %lld", (long long)r->storage_offset);
    }
    write_flag(w, "requires_grad", r->has_requires_grad, r->requires_grad);
    write_flag(w, "is_leaf", r->has_is_leaf, r->is_leaf);
    if (r->has_alias) {
        write_alias(w, call, r);
    }
    if (r->values.data) {
        text_add(w->text, ", \"data\": ");
        text_data(w->text, r->values.data, r->values.dtype, r->values.numel);
    }
    write_json_grad(w, r->grad_state, &r->grad, facts);
    text_add(w->text, "}");
}

/* Will a reader infer the dtype of this input's data from the program? */
static bool dtype_is_stated(const ResultWriter *w, int call, const InputRecord *r) {
    int n;
    bool grad_mode;
    const Input *inputs = program_call_inputs(w->p, min_i64(call, w->p->nrecalls), &n, &grad_mode);
    for (int i = 0; i < n; i++) {
        if (inputs[i].name == r->name) {
            return inputs[i].dtype == r->data.dtype;
        }
    }
    return false;
}

static void write_json_input(const ResultWriter *w, int call, const InputRecord *r,
                             const GradFacts *facts) {
    text_add(w->text, "{\"name\": ");
    write_name(w, r->name);
    write_flag(w, "requires_grad", r->has_requires_grad, r->requires_grad);
    write_flag(w, "is_leaf", r->has_is_leaf, r->is_leaf);
    if (r->has_version) {
        text_printf(w->text, ", \"version\": %lld", (long long)r->version);
    }
    if (r->has_geometry) {
        text_add(w->text, ", \"size\": ");
        text_sizes(w->text, r->size, r->ndim);
        text_add(w->text, ", \"stride\": ");
        text_sizes(w->text, r->stride, r->ndim);
        text_printf(w->text, ", \"storage_offset\": %lld", (long long)r->storage_offset);
    }
    if (r->data.data) {
        text_add(w->text, ", \"data\": ");
        text_data(w->text, r->data.data, r->data.dtype, r->data.numel);
    }
    write_json_grad(w, r->grad_state, &r->grad, facts);
    if (r->data.data && !dtype_is_stated(w, call, r)) {
        text_printf(w->text, ", \"x-dtype\": \"%s\"", dtype_name(r->data.dtype));
    }
    if (r->unsettled) {
        text_add(w->text, ", \"x-unsettled\": true");
    }
    text_add(w->text, "}");
}

static void write_input_records(const ResultWriter *w, int call, const InputRecord *records,
                                const GradFacts *grads, int n) {
    text_add(w->text, "[");
    for (int i = 0; i < n; i++) {
        text_add(w->text, i ? ", " : "");
        write_json_input(w, call, &records[i], grads ? &grads[i] : NULL);
    }
    text_add(w->text, "]");
}

/* An entry of "poked": data, or null where none was recorded. */
static void write_poked(const ResultWriter *w, int index, const void *data, const Values *like) {
    text_add(w->text, index ? ", " : "");
    if (data) {
        text_data(w->text, data, like->dtype, like->numel);
    } else {
        text_add(w->text, "null");
    }
}

static void write_pokes(const ResultWriter *w, const CallResult *call) {
    bool any = false;
    for (int i = 0; i < call->nreturns; i++) {
        any |= call->returns[i].poked != NULL;
    }
    for (int i = 0; i < call->ninputs; i++) {
        any |= call->inputs[i].poked != NULL;
    }
    if (!any) {
        return;
    }
    text_add(w->text, ", \"poked\": {\"returns\": [");
    for (int i = 0; i < call->nreturns; i++) {
        write_poked(w, i, call->returns[i].poked, &call->returns[i].values);
    }
    text_add(w->text, "], \"inputs\": [");
    for (int i = 0; i < call->ninputs; i++) {
        write_poked(w, i, call->inputs[i].poked, &call->inputs[i].data);
    }
    text_add(w->text, "]}");
}

static void write_changed_later(const ResultWriter *w, const CallResult *call) {
    int n = 0;
    text_add(w->text, ", \"changed_later\": [");
    for (int i = 0; i < call->nreturns; i++) {
        if (call->returns[i].changed_later) {
            text_printf(w->text, n++ ? ", %d" : "%d", i);
        }
    }
    text_add(w->text, "]");
}

static void write_changed_state(const ResultWriter *w, const CallResult *call) {
    text_add(w->text, ", \"changed_state\": [");
    for (int i = 0; i < call->nchanged_state; i++) {
        text_printf(w->text, i ? ", \"%s\"" : "\"%s\"", call->changed_state[i]);
    }
    text_add(w->text, "]");
}

static void write_call(const ResultWriter *w, const CallResult *call, int k) {
    text_printf(w->text, "{\"status\": \"%s\"", call->ok ? "ok" : "error");
    if (!call->ok) {
        text_add(w->text, ", \"error\": {\"at\": ");
        write_at(w, call->error_at);
        text_printf(w->text, ", \"code\": \"%s\"", errcode_name(call->error));
        if (call->message) {
            text_add(w->text, ", \"message\": ");
            text_json_string(w->text, call->message);
        }
        text_add(w->text, "}");
    }
    if (!call->no_trace) {
        write_trace(w, call);
    }
    text_add(w->text, ", \"returns\": [");
    for (int i = 0; i < call->nreturns; i++) {
        text_add(w->text, i ? ", " : "");
        write_return(w, call, &call->returns[i],
                     call->return_grads ? &call->return_grads[i] : NULL);
    }
    text_add(w->text, "], \"inputs\": ");
    write_input_records(w, k, call->inputs, call->input_grads, call->ninputs);
    if (call->nargs > 0) {
        text_add(w->text, ", \"args\": ");
        write_input_records(w, k, call->args, call->arg_grads, call->nargs);
    }
    if (call->vacuous) {
        text_add(w->text, ", \"vacuous\": true");
    }
    write_pokes(w, call);
    if (call->has_changed_later) {
        write_changed_later(w, call);
    }
    if (call->has_changed_state) {
        write_changed_state(w, call);
    }
    if (call->regions > 1) {
        text_printf(w->text, ", \"x-regions\": %d", call->regions);
    }
    if (call->compiled) {
        text_add(w->text, ", \"x-compiled\": true");
    }
    if (call->symbolic) {
        text_add(w->text, ", \"x-symbolic\": true");
    }
    if (call->miss) {
        text_printf(w->text, ", \"x-miss\": \"%s\"", call->miss);
    }
    if (call->extra) {
        text_add(w->text, ", ");
        text_add(w->text, call->extra);
    }
    text_add(w->text, "}");
}

void result_print(Text *text, const Result *r, const Program *p) {
    ResultWriter w = {text, p};
    text_add(text, "{\"twingrad_result\": 1");
    if (r->target) {
        text_add(text, ", \"target\": ");
        text_json_string(text, r->target);
    }
    if (r->semantics != SEMANTICS_NONE) {
        text_printf(text, ", \"semantics\": \"%s\"", semantics_name(r->semantics));
    }
    text_add(text, ", \"calls\": [");
    for (int k = 0; k < r->ncalls; k++) {
        text_add(text, k ? ", " : "");
        write_call(&w, &r->calls[k], k);
    }
    text_add(text, "]");
    if (r->nundefined > 0) {
        text_add(text, ", \"x-undefined\": [");
        for (int i = 0; i < r->nundefined; i++) {
            text_add(text, i ? ", {\"at\": " : "{\"at\": ");
            write_at(&w, r->undefined[i].at);
            text_add(text, ", \"why\": ");
            text_json_string(text, r->undefined[i].why);
            text_add(text, "}");
        }
        text_add(text, "]");
    }
    if (r->extra) {
        text_add(text, ", ");
        text_add(text, r->extra);
    }
    text_add(text, "}");
}
