/* What a program asks about its tensors: predicates and probes, answered from the bindings. */
#include "compiled/capture/capture.h"
#include "tensor/array.h"

#include <string.h>

ErrCode capture_unbound(Capture *cap, NameId name) {
    return error_set(&cap->err, ERR_invalid, "the name '%s' is not bound",
                     cap->program->names[name]);
}

static Binding *binding_of(Capture *cap, NameId name) {
    return cap->binding[name].var ? &cap->binding[name] : NULL;
}

/* Seeded fault RG_15: in a backward, no if another function made the operand. */
static bool needs_input_grad(const Capture *cap, int64_t operand) {
    uint8_t needs = cap->frame.needs_input_grad[operand];
    return needs != NEEDS_NOTHING &&
           !(needs == NEEDS_GRAD_OF_FUNCTION && cap->frame.none && fault(cap->c, FAULT_RG_15) &&
             fault_triggered(cap->c, FAULT_RG_15));
}

ErrCode capture_decide(Capture *cap, const Predicate *q, bool branch, bool *value) {
    if (q->kind == PRED_not) {
        TRY(capture_decide(cap, q->inner, branch, value));
        *value = !*value;
        return ERR_none;
    }
    if (q->kind == PRED_is_grad_enabled) {
        *value = cap->grad_mode;
        return ERR_none;
    }
    if (q->kind == PRED_needs_input_grad) {
        *value = needs_input_grad(cap, q->dim);
        return ERR_none;
    }
    Binding *h = binding_of(cap, q->of);
    bool none = !h && cap->frame.none && cap->frame.none[q->of];
    if (q->kind == PRED_is_none && (h || none)) {
        *value = none;
        return ERR_none;
    }
    if (!h) {
        return capture_unbound(cap, q->of);
    }
    CHECK(cap->c->options->fault != FAULT_NONE || binding_is_fresh(h));
    const Tensor *t = &h->var->tensor;
    switch (q->kind) {
    case PRED_requires_grad:
        *value = branch ? h->branch_requires_grad : h->flags.requires_grad;
        break;
    case PRED_is_leaf:
        TRY(cap_grad_fn(cap, h->var));
        *value = !h->flags.has_grad_fn;
        break;
    case PRED_has_grad_fn:
        TRY(cap_grad_fn(cap, h->var));
        *value = h->flags.has_grad_fn;
        break;
    case PRED_is_contiguous:
        *value = tensor_is_contiguous(t);
        break;
    case PRED_dtype:
        *value = t->dtype == q->dtype;
        break;
    case PRED_dim:
        *value = t->ndim == q->dim;
        break;
    case PRED_is_grad_enabled:
    case PRED_needs_input_grad:
    case PRED_is_none:
    case PRED_COUNT:
    case PRED_not:
        break;
    }
    return ERR_none;
}

static TraceEntry *capture_trace_add(Capture *cap, const Stmt *stmt) {
    cap->trace_counter = array_reserve(cap->arena, cap->trace_counter, cap->ntrace,
                                       &(int){cap->trace_capacity}, 8, sizeof(int));
    cap->trace = array_reserve(cap->arena, cap->trace, cap->ntrace, &cap->trace_capacity, 8,
                               sizeof *cap->trace);
    cap->trace_counter[cap->ntrace] = -1;
    TraceEntry *entry = &cap->trace[cap->ntrace++];
    *entry = (TraceEntry){.sid = stmt->sid, .probe = stmt->probe, .n = 1};
    return entry;
}

static void capture_trace_list(TraceEntry *entry, const int64_t *v, int n) {
    entry->n = n;
    memcpy(entry->v, v, sizeof *v * (size_t)n);
}

ErrCode capture_run_probe(Capture *cap, const Stmt *stmt) {
    if (stmt->probe == PROBE_is_grad_enabled) {
        capture_trace_add(cap, stmt)->v[0] = cap->grad_mode;
        return ERR_none;
    }
    Binding *h = binding_of(cap, stmt->of);
    if (!h) {
        return capture_unbound(cap, stmt->of);
    }
    CHECK(cap->c->options->fault != FAULT_NONE || binding_is_fresh(h));
    if (stmt->probe == PROBE_is_leaf || stmt->probe == PROBE_has_grad_fn) {
        TRY(cap_grad_fn(cap, h->var));
    }
    const Tensor *t = &h->var->tensor;
    TraceEntry *entry = capture_trace_add(cap, stmt);
    switch (stmt->probe) {
    case PROBE_requires_grad:
        entry->v[0] = h->flags.requires_grad;
        break;
    case PROBE_is_leaf:
        entry->v[0] = !h->flags.has_grad_fn;
        break;
    case PROBE_has_grad_fn:
        entry->v[0] = h->flags.has_grad_fn;
        break;
    case PROBE_is_contiguous:
        entry->v[0] = tensor_is_contiguous(t);
        break;
    case PROBE_size:
        capture_trace_list(entry, t->size, t->ndim);
        break;
    case PROBE_stride:
        capture_trace_list(entry, t->stride, t->ndim);
        break;
    case PROBE_storage_offset:
        entry->v[0] = t->offset;
        break;
    case PROBE_dtype:
        entry->v[0] = t->dtype;
        break;
    case PROBE_version:
        entry->v[0] = *storage_version(t->storage);
        cap->trace_counter[cap->ntrace - 1] = capture_counter(cap, t->storage);
        break;
    case PROBE_is_grad_enabled:
    case PROBE_COUNT:
        break;
    }
    return ERR_none;
}
