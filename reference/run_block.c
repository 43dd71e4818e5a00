/* The statement walker: runs statements line by line on Vars, as Python would, and records what
 * probes see. */
#include "reference/run.h"
#include "tensor/array.h"

#include "reference/unspecified.h"
#include "reference/dispatch.h"
#include "reference/shadow_passes.h"

#include <string.h>

/* ---- results that grow ---- */

void run_note_undefined(Run *r, int at) {
    Result *result = r->result;
    if (!r->s.undefined) {
        return;
    }
    if ((result->nundefined & (result->nundefined - 1)) == 0) { /* full at every power of two */
        UndefinedNote *grown =
            arena_array(r->s.arena, UndefinedNote, result->nundefined ? 2 * result->nundefined : 1);
        if (result->nundefined) {
            memcpy(grown, result->undefined, (size_t)result->nundefined * sizeof *grown);
        }
        result->undefined = grown;
    }
    result->undefined[result->nundefined++] = (UndefinedNote){at, r->s.undefined};
    r->s.undefined = NULL;
}

static TraceEntry *run_block_trace_add(Run *r, const Stmt *stmt) {
    CallResult *call = r->call;
    call->trace = array_reserve(r->s.arena, call->trace, call->ntrace, &r->trace_capacity, 8,
                                sizeof *call->trace);
    TraceEntry *entry = &call->trace[call->ntrace++];
    memset(entry, 0, sizeof *entry);
    entry->sid = stmt->sid;
    entry->probe = stmt->probe;
    entry->n = 1;
    return entry;
}

/* ---- metadata ---- */

ErrCode run_look_up(Run *r, NameId name, Var **out) {
    Tensor *t = r->env[name];
    *out = t ? var_of(t) : NULL;
    return t ? ERR_none
             : error_set(r->s.err, ERR_invalid, "the name '%s' is not bound", r->p->names[name]);
}

ErrCode run_is_leaf(Run *r, Var *v, bool *leaf) {
    *leaf = var_grad_fn(&r->s, v) == NULL;
    return r->s.err->code;
}

static ErrCode run_block_evaluate(Run *r, const Predicate *predicate, bool *out) {
    bool negate = false;
    while (predicate->kind == PRED_not) {
        negate = !negate;
        predicate = predicate->inner;
    }
    Var *v = NULL;
    bool value = false;
    bool none = predicate->kind == PRED_is_none && r->none && r->none[predicate->of] &&
                !r->env[predicate->of];
    if (predicate_names(predicate->kind) && !none) {
        TRY(run_look_up(r, predicate->of, &v));
    }
    switch (predicate->kind) {
    case PRED_requires_grad:
        value = var_requires_grad(v);
        break;
    case PRED_is_leaf:
        TRY(run_is_leaf(r, v, &value));
        break;
    case PRED_has_grad_fn:
        TRY(run_is_leaf(r, v, &value));
        value = !value;
        break;
    case PRED_is_contiguous:
        value = tensor_is_contiguous(&v->tensor);
        break;
    case PRED_is_grad_enabled:
        value = r->s.grad_mode;
        break;
    case PRED_dtype:
        value = v->tensor.dtype == predicate->dtype;
        break;
    case PRED_dim:
        value = v->tensor.ndim == predicate->dim;
        break;
    case PRED_needs_input_grad:
        value = r->needs_input_grad[predicate->dim];
        break;
    case PRED_is_none:
        value = none;
        break;
    case PRED_not:
    case PRED_COUNT:
        break;
    }
    *out = value != negate;
    return ERR_none;
}

static ErrCode run_reference_probe(Run *r, const Stmt *stmt) {
    Var *v = NULL;
    bool flag = false;
    if (stmt->probe != PROBE_is_grad_enabled) {
        TRY(run_look_up(r, stmt->of, &v));
    }
    if (stmt->probe == PROBE_is_leaf || stmt->probe == PROBE_has_grad_fn) {
        TRY(run_is_leaf(r, v, &flag));
    }
    TraceEntry *entry = run_block_trace_add(r, stmt);
    switch (stmt->probe) {
    case PROBE_requires_grad:
        entry->v[0] = var_requires_grad(v);
        break;
    case PROBE_is_leaf:
        entry->v[0] = flag;
        break;
    case PROBE_has_grad_fn:
        entry->v[0] = !flag;
        break;
    case PROBE_is_contiguous:
        entry->v[0] = tensor_is_contiguous(&v->tensor);
        break;
    case PROBE_size:
    case PROBE_stride:
        entry->n = v->tensor.ndim;
        memcpy(entry->v, stmt->probe == PROBE_size ? v->tensor.size : v->tensor.stride,
               sizeof(int64_t) * (size_t)entry->n);
        break;
    case PROBE_storage_offset:
        entry->v[0] = v->tensor.offset;
        break;
    case PROBE_dtype:
        entry->v[0] = v->tensor.dtype;
        break;
    case PROBE_version:
        entry->v[0] = *storage_version(v->tensor.storage);
        break;
    case PROBE_is_grad_enabled:
        entry->v[0] = r->s.grad_mode;
        break;
    case PROBE_COUNT:
        break;
    }
    return ERR_none;
}

/* ---- statements ---- */

static ErrCode run_block_bind_outputs(Run *r, const Stmt *stmt, Tensor *const *out, int nout) {
    if (stmt->nout == 0 && !stmt->out_list) {
        return ERR_none;
    }
    bool several = stmt->op->nreturn != 1;
    if (stmt->out_list != several || stmt->nout != nout) {
        return error_set(r->s.err, ERR_invalid, "%s returns %d tensors, not %d", stmt->op->name,
                         nout, stmt->nout);
    }
    for (int i = 0; i < nout; i++) {
        r->env[stmt->out[i]] = out[i];
    }
    return ERR_none;
}

/* Of an OUT row what is said of its functional form, of a FOREACH row what is said of each tensor.
 */
static void note_unspecified(Session *s, const Call *call) {
    int n = call->op->foreach ? call->arg[0].tensors.n : 1;
    for (int k = 1; k < call->op->nparam && call->op->foreach; k++) {
        if (call->op->param[k].type == ARG_TENSORS && call->arg[k].tensors.n != n) {
            n = 0; /* refused */
        }
    }
    for (int i = 0; i < n; i++) {
        Call form = *call;
        if (call->op->foreach) {
            form = call_of_each(call, i);
        } else if (call->op->out_dtype != OUT_NOT) {
            form = call_functional(call);
        }
        session_unspecified(s, unspecified(&form));
    }
}

static ErrCode run_reference_op(Run *r, const Stmt *stmt) {
    Session *s = &r->s;
    Call call;
    Tensor *out[MAX_OUTPUTS];
    int nout = 0;
    TRY(stmt_bind(stmt, r->p, r->env, s->arena, &call, s->err));
    s->expanding_masks = stmt->op->id != OP_nonzero;
    if (s->detect_unspecified) {
        note_unspecified(s, &call);
    }
    TRY(emit_call(&s->emit, &call, out, &nout));
    if (nout == 2 && var_of(out[1])->grad_fn && var_of(out[1])->grad_fn->other_half) {
        var_of(out[1])->second_output = true;
    }
    if (stmt->requires_grad) {
        if (!dtype_is_float(out[0]->dtype)) {
            return error_set(s->err, ERR_grad_dtype,
                             "only Tensors of floating point dtype can require gradients");
        }
        var_of(out[0])->requires_grad = true;
    }
    if (r->options->executed) {
        const Tensor *made = nout > 0 ? out[0]
                                      : call.arg[op_param(stmt->op, "self")]
                                            .tensor; /* an op without a result writes self */
        r->options->executed[stmt->op->id][made->dtype]++;
    }
    return run_block_bind_outputs(r, stmt, out, nout);
}

static ErrCode look_up_all(Run *r, const NameId *names, int n, Tensor **out) {
    for (int i = 0; i < n; i++) {
        Var *v = NULL;
        if (names[i] != NAME_NONE) {
            TRY(run_look_up(r, names[i], &v));
        }
        out[i] = v ? &v->tensor : NULL;
    }
    return ERR_none;
}

static ErrCode run_grad(Run *r, const Stmt *stmt) {
    const GradStmt *g = stmt->grad;
    Arena *arena = r->s.arena;
    Tensor **outputs = arena_array(arena, Tensor *, g->noutputs),
           **inputs = arena_array(arena, Tensor *, g->ninputs);
    Tensor **grad_outputs = arena_array(arena, Tensor *, max_i64(g->ngrad_outputs, 0)),
           **out = arena_array(arena, Tensor *, g->ninputs);
    TRY(look_up_all(r, g->outputs, g->noutputs, outputs));
    TRY(look_up_all(r, g->inputs, g->ninputs, inputs));
    TRY(look_up_all(r, g->grad_outputs, g->ngrad_outputs, grad_outputs));
    GradRequest request = {.outputs = outputs,
                           .noutputs = g->noutputs,
                           .inputs = inputs,
                           .ninputs = g->ninputs,
                           .grad_outputs = grad_outputs,
                           .ngrad_outputs = g->ngrad_outputs,
                           .create_graph = g->create_graph,
                           .retain_graph = g->retain_given ? g->retain_graph : g->create_graph,
                           .allow_unused = g->allow_unused,
                           .accumulates = g->accumulates};
    TRY(grad_run(&r->s, &request, out));
    if (stmt->nout != g->ninputs) {
        return error_set(r->s.err, ERR_invalid, "grad returns %d gradients, not %d", g->ninputs,
                         stmt->nout);
    }
    for (int i = 0; i < stmt->nout; i++) {
        r->env[stmt->out[i]] = out[i]; /* None: unbound */
    }
    return ERR_none;
}

/* .grad, read or set. */
static ErrCode run_dot_grad(Run *r, const Stmt *stmt) {
    const DotGradStmt *d = stmt->dot_grad;
    Var *self, *value = NULL;
    if (d->value != NAME_NONE) { /* Python evaluates what is assigned first */
        TRY(run_look_up(r, d->value, &value));
    }
    TRY(run_look_up(r, d->self, &self));
    if (!d->set) {
        r->env[stmt->out[0]] = self->grad; /* None: unbound */
        return ERR_none;
    }
    return set_grad(&r->s, self, value);
}

/* The shadow of a program that only targets run: without the context, whose results nothing is then
 * known of, if it changes them. */
static ErrCode run_seen_through(Run *r, const Stmt *with) {
    TRY(run_block(r, &with->body));
    for (const Stmt *s = with->body.first; s && !context_keeps_values(with); s = s->next) {
        for (int i = 0; i < s->nout; i++) {
            if (r->env[s->out[i]]) {
                shadow_lose(r->env[s->out[i]]);
            }
        }
    }
    return ERR_none;
}

static ErrCode run_reference_with(Run *r, const Stmt *stmt) {
    if (stmt->context == CONTEXT_checkpoint) {
        return run_checkpoint(r, stmt);
    }
    if (stmt->context != CONTEXT_grad_mode && r->options->shadow &&
        (context_keeps_values(stmt) || context_changes_results_only(r->p, stmt))) {
        return run_seen_through(r, stmt);
    }
    if (stmt->context != CONTEXT_grad_mode) {
        return error_set(r->s.err, ERR_unsupported, "a block under %s",
                         context_name(stmt->context));
    }
    bool before = r->s.grad_mode;
    r->s.grad_mode = stmt->grad_enabled;
    ErrCode code = run_block(r, &stmt->body);
    r->s.grad_mode = before;
    return code;
}

static ErrCode run_reference_stmt(Run *r, const Stmt *stmt) {
    bool value = false;
    switch (stmt->kind) {
    case STMT_OP:
        return run_reference_op(r, stmt);
    case STMT_WITH:
        return run_reference_with(r, stmt);
    case STMT_IF:
        TRY(run_block_evaluate(r, &stmt->predicate, &value));
        return run_block(r, value ? &stmt->body : &stmt->orelse);
    case STMT_ASSERT:
        TRY(run_block_evaluate(r, &stmt->predicate, &value));
        return value ? ERR_none : error_set(r->s.err, ERR_assertion, "assertion failed");
    case STMT_PROBE:
        return run_reference_probe(r, stmt);
    case STMT_GRAD:
        return run_grad(r, stmt);
    case STMT_GRAPH_BREAK:
        return ERR_none;
    case STMT_APPLY:
        return run_apply(r, stmt);
    case STMT_HOOK:
        return run_hook(r, stmt->hook);
    case STMT_DOT_GRAD:
        return run_dot_grad(r, stmt);
    case STMT_COUNT:
        break;
    }
    return ERR_none;
}

ErrCode run_block(Run *r, const Block *block) {
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next) {
        ErrCode code = run_reference_stmt(r, stmt);
        if (r->in_function) { /* it is the location of the statement that applies the function */
            TRY(code);
            continue;
        }
        run_note_undefined(r, stmt->sid);
        if (code != ERR_none) {
            if (r->error_at == AT_UNKNOWN) {
                r->error_at = stmt->sid; /* the innermost statement */
            }
            return code;
        }
    }
    return ERR_none;
}
