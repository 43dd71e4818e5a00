/* The calls of a program: what happens before and after the statements of a function (run_block.c),
 * and what is recorded of it.
 *
 * One call:  inputs -> setup -> body -> after -> returns (grad_fn materialized, recorded) ->
 * backward -> gradients -> write-through checks. The first error ends the call at its statement, at
 * "return" or at "backward"; mutated inputs are reported all the same.
 *
 * A recall that keeps its tensors continues the Run of the call before: the same Vars, with the
 * histories that the last call left. */
#include "reference/eager.h"

#include "reference/dispatch.h"
#include "reference/run.h"
#include "reference/shadow.h"

#include <string.h>

/* ---- returns and backward ---- */

/* As in Python: all names are read before any grad_fn is materialized. */
static ErrCode look_up_returns(Run *r, Tensor **returns) {
    for (int k = 0; k < r->p->nreturns; k++) {
        Var *v;
        TRY(run_look_up(r, r->p->returns[k], &v));
        returns[k] = &v->tensor;
        v->returned = true;
    }
    return ERR_none;
}

static ErrCode record_returns(Run *r, Tensor *const *returns) {
    const Program *p = r->p;
    Arena *arena = r->s.arena;
    ReturnRecord *records = arena_alloc_raw(arena, (int64_t)sizeof *records * p->nreturns);
    for (int k = 0; k < p->nreturns; k++) {
        Var *v = var_of(returns[k]);
        bool leaf = false;
        TRY(run_is_leaf(r, v, &leaf));
        const Tensor *t = &v->tensor;
        ReturnRecord *record = &records[k];
        values_record(&record->values, t, arena);
        memcpy(record->stride, t->stride, sizeof(int64_t) * (size_t)t->ndim);
        record->storage_offset = t->offset;
        record->has_stride = record->has_offset = true;
        record->requires_grad = var_requires_grad(v);
        record->is_leaf = leaf;
        record->has_requires_grad = record->has_is_leaf = true;
        record->grad_state = GRAD_ABSENT;
        record->poked = NULL;
        record->changed_later = false; /* not recorded: CallResult.has_changed_later */
    }
    r->call->returns = records;
    r->call->nreturns = p->nreturns;
    return ERR_none;
}

/* tangents[k]: what the backward starts with at return k, filled; NULL where it does not start. */
static ErrCode eager_make_tangents(Run *r, Tensor *const *returns, Tensor **tangents) {
    Session *s = &r->s;
    const Program *p = r->p;
    for (int k = 0; k < p->nreturns; k++) {
        const Var *v = var_of(returns[k]);
        tangents[k] = NULL;
        if (!backward_includes(&p->backward, k) || !dtype_is_float(v->tensor.dtype) ||
            !var_requires_grad(v)) {
            continue;
        }
        Tensor *tangent = tangents[k] = tensor_meta(s, &v->tensor);
        tensor_set_contiguous(tangent, v->tensor.dtype, v->tensor.size, v->tensor.ndim);
        TRY(tensor_allocate(tangent, s->arena, s->limits, s->err));
        backward_fill(&p->backward, k, tangent);
        if (s->shadow) {
            shadow_load(s, tangent->storage);
        }
    }
    return ERR_none;
}

static ErrCode run_backward(Run *r, Tensor *const *returns, Tensor *const *tangents) {
    Session *s = &r->s;
    Edge *roots = arena_array(s->arena, Edge, r->p->nreturns);
    Tensor **given = arena_array(s->arena, Tensor *, r->p->nreturns);
    int n = 0;
    for (int k = 0; k < r->p->nreturns; k++) {
        if (!tangents[k]) {
            continue;
        }
        roots[n] = var_gradient_edge(s, var_of(returns[k]));
        TRY(s->err->code);
        if (!roots[n].node) {
            return error_set(
                s->err, ERR_invalid,
                "element %d of tensors does not require grad and does not have a grad_fn", n);
        }
        given[n++] = tangents[k];
    }
    if (n == 0) {
        return ERR_none;
    }
    s->running_backward = true;
    return engine_run(s, &(EngineTask){.roots = roots, .tangents = given, .nroots = n});
}

static void record_grad(const Run *r, const Tensor *grad, GradState *state, Values *values) {
    *state = grad ? GRAD_VALUE : GRAD_NULL;
    if (grad) {
        values_record(values, grad, r->s.arena);
    }
}

static void record_inputs(Run *r, const Input *inputs) {
    CallResult *call = r->call;
    call->inputs = arena_alloc_raw(r->s.arena, (int64_t)sizeof *call->inputs * r->ninputs);
    call->ninputs = r->ninputs;
    for (int i = 0; i < r->ninputs; i++) {
        const Var *v = r->inputs[i];
        const Tensor *t = &v->tensor;
        InputRecord *record = &call->inputs[i];
        record->name = inputs[i].name;
        record->has_requires_grad = record->has_version = record->has_is_leaf =
            record->has_geometry = true;
        record->requires_grad = var_requires_grad(v);
        record->version = *storage_version(t->storage);
        record->is_leaf =
            v->grad_fn == NULL; /* an input is not a view: its grad_fn is never stale */
        record->ndim = t->ndim;
        memcpy(record->size, t->size, sizeof(int64_t) * (size_t)t->ndim);
        memcpy(record->stride, t->stride, sizeof(int64_t) * (size_t)t->ndim);
        record->storage_offset = t->offset;
        record->unsettled = storage_whole(t->storage) == r->s.unsettled;
        values_record_storage(&record->data, t->storage, r->s.arena);
        record_grad(r, v->grad, &record->grad_state, &record->grad);
        record->poked = NULL;
    }
}

static void record_return_grads(Run *r, Tensor *const *returns) {
    for (int k = 0; k < r->call->nreturns; k++) {
        const Var *v = var_of(returns[k]);
        ReturnRecord *record = &r->call->returns[k];
        if (record->is_leaf ? record->requires_grad && v->requires_grad : v->retains_grad) {
            record_grad(r, v->grad, &record->grad_state, &record->grad);
        }
    }
}

/* ---- calls ---- */

static ErrCode make_inputs(Run *r, const Input *inputs, int ninputs) {
    Session *s = &r->s;
    Tensor built[MAX_INPUTS];
    CHECK(ninputs <= MAX_INPUTS);
    TRY(inputs_build(r->p, inputs, ninputs, s->arena, s->limits, built, s->err));
    r->inputs = arena_array(s->arena, Var *, ninputs);
    for (int i = 0; i < ninputs; i++) {
        Var *v = r->inputs[i] = var_new(s, &built[i]);
        v->requires_grad = inputs[i].requires_grad;
        r->env[inputs[i].name] = &v->tensor;
        s->storages = max_i64(s->storages, built[i].storage->id + 1);
        if (s->shadow && !built[i].storage->value64) {
            shadow_load(s, built[i].storage);
        }
    }
    r->ninputs = ninputs;
    return ERR_none;
}

/* Fresh tensors: inputs, then the setup, in grad mode. */
static ErrCode eager_prepare(Run *r, const Input *inputs, int ninputs) {
    TRY(make_inputs(r, inputs, ninputs));
    r->s.grad_mode = true;
    TRY(run_block(r, &r->p->setup));
    r->setup_env = r->env;
    r->prepared = true;
    return ERR_none;
}

/* The tensors of the last call again: without gradients, flags changed. */
static ErrCode prepare_again(Run *r, const Recall *recall) {
    for (int i = 0; i < r->ninputs && !recall->keep_grads; i++) {
        r->inputs[i]->grad = NULL;
    }
    if (!r->prepared) {
        return error_set(r->s.err, ERR_invalid,
                         "the setup did not run to its end: there is nothing to call with again");
    }
    for (int i = 0; i < r->p->nnames; i++) {
        if (r->setup_env[i] && !recall->keep_grads) {
            var_of(r->setup_env[i])->grad = NULL;
        }
    }
    r->env = r->setup_env;
    for (int i = 0; i < recall->nset; i++) {
        Var *v;
        Tensor *out;
        int nout;
        TRY(run_look_up(r, recall->set[i].name, &v));
        Call call;
        call_init(&call, OP_requires_grad_);
        call.arg[0].tensor = &v->tensor;
        call.arg[1].b = recall->set[i].requires_grad;
        TRY(emit_call(&r->s.emit, &call, &out, &nout));
    }
    return ERR_none;
}

/* The function sees its parameters only. */
static ErrCode pass_arguments(Run *r) {
    const Program *p = r->p;
    if (!p->args_given && p->setup.count == 0 && p->nrecalls == 0 && !p->after.first) {
        return ERR_none; /* the inputs are all there is */
    }
    r->env = arena_array(r->s.arena, Tensor *, p->nnames);
    for (int i = 0; i < program_nargs(p); i++) {
        NameId name = program_arg(p, i);
        r->env[name] = r->setup_env[name];
        if (!r->env[name]) {
            return error_set(r->s.err, ERR_invalid, "the argument '%s' is not bound",
                             p->names[name]);
        }
    }
    return ERR_none;
}

/* The statements of the caller behind the function: they see its arguments and what it returned. */
static ErrCode run_after(Run *r, Tensor *const *returns) {
    const Program *p = r->p;
    if (!p->after.first) {
        return ERR_none;
    }
    r->env = arena_array(r->s.arena, Tensor *, p->nnames);
    for (int i = 0; i < program_nargs(p); i++) {
        r->env[program_arg(p, i)] = r->setup_env[program_arg(p, i)];
    }
    for (int k = 0; k < p->nreturns; k++) {
        r->env[p->returns[k]] = returns[k];
    }
    r->handles = NULL;
    r->s.grad_mode = true;
    r->error_at = AT_UNKNOWN;
    TRY(run_block(r, &p->after));
    r->error_at = AT_RETURN;
    return ERR_none;
}

/* Body, after, returns, backward; sets error_at. */
static ErrCode eager_run_function(Run *r, Tensor **returns) {
    r->handles = NULL; /* local variables of the function */
    TRY(run_block(r, &r->p->body));
    r->error_at = AT_RETURN;
    TRY(look_up_returns(r, returns));
    TRY(run_after(r, returns));
    TRY(record_returns(r, returns));
    Tensor *inputs[MAX_INPUTS];
    for (int i = 0; i < r->ninputs; i++) {
        inputs[i] = &r->inputs[i]->tensor;
    }
    alias_record(r->call, returns, r->p->nreturns, inputs, r->ninputs);
    if (r->p->backward.given) {
        r->error_at = AT_BACKWARD;
        Tensor **tangents = arena_array(r->s.arena, Tensor *, r->p->nreturns);
        ErrCode code = eager_make_tangents(r, returns, tangents);
        if (code == ERR_none) {
            code = run_backward(r, returns, tangents);
        }
        run_note_undefined(r, AT_BACKWARD);
        TRY(code);
    }
    return ERR_none;
}

/* A session for call `number`: a new one, or the last call's. */
static void open_call(Run *r, int number, bool keep) {
    Arena *arena = r->s.arena;
    r->call = &r->result->calls[number];
    r->error_at = AT_UNKNOWN;
    r->trace_capacity = 0;
    if (!keep) {
        r->s = session_new(arena, arena_new(arena, Error), r->options, true);
        r->s.dot_grads = program_sees_grads(r->p);
        r->env = arena_array(arena, Tensor *, r->p->nnames);
        r->inputs = NULL;
        r->ninputs = 0;
        r->s.stream = program_stream(r->p, number);
        r->prepared = false;
        return;
    }
    r->s.stream = program_stream(r->p, number);
    r->s.emit.randoms = 0;
    *r->s.err = (Error){0};
    r->s.running_backward = false;
    if (r->s.unsettled) {
        r->s.undefined = "a storage that a refused in-place op had begun to write";
        run_note_undefined(r, AT_UNKNOWN);
        r->s.unsettled = NULL;
    }
}

static void eager_call(Run *r, int number) {
    const Program *p = r->p;
    Arena *arena = r->s.arena;
    int ninputs;
    bool grad_mode, keep = number > 0 && p->recalls[number - 1].keep;
    const Input *inputs = program_call_inputs(p, number, &ninputs, &grad_mode);
    open_call(r, number, keep);
    Tensor **returns = arena_array(arena, Tensor *, p->nreturns);
    ErrCode code =
        keep ? prepare_again(r, &p->recalls[number - 1]) : eager_prepare(r, inputs, ninputs);
    if (code == ERR_none) {
        code = pass_arguments(r);
    }
    r->s.grad_mode = grad_mode;
    if (code == ERR_none) {
        code = eager_run_function(r, returns);
    }
    r->result->sizes_inconclusive |= r->s.shadow_lost;
    r->result->refusal_inconclusive |= r->s.shadow_refusal;
    r->result->unspecified = r->s.unspecified ? r->s.unspecified : r->result->unspecified;
    CallResult *call = r->call;
    call->ok = code == ERR_none;
    if (!call->ok) {
        call->error = code;
        call->error_at = r->error_at;
        call->message = arena_strdup(arena, r->s.err->text);
    }
    record_inputs(r, inputs);
    if (r->error_at == AT_BACKWARD && call->ok) {
        record_return_grads(r, returns);
    }
    if (r->options->poke && call->ok && program_pokes(p, number)) {
        Tensor *tensors[MAX_INPUTS];
        for (int i = 0; i < r->ninputs; i++) {
            tensors[i] = &r->inputs[i]->tensor;
        }
        poke_record(call, returns, p->nreturns, tensors, r->ninputs, arena);
    }
}

Result *reference_run(const Program *p, const RunOptions *options, Arena *arena) {
    Result *result = arena_new(arena, Result);
    result->target = "twingrad reference";
    result->semantics = run_semantics(p, options);
    Semantics before = semantics_enter(result->semantics);
    result->ncalls = 1 + p->nrecalls;
    result->calls = arena_array(arena, CallResult, result->ncalls);
    Run r = {.s = {.arena = arena}, .p = p, .options = options, .result = result};
    for (int k = 0; k < result->ncalls; k++) {
        eager_call(&r, k);
    }
    semantics_enter(before);
    return result;
}

/* ---- measuring ---- */

/* The body and the backward; with `home`, the first time, `tangents` are made there. */
static ErrCode run_alone(Run *r, Tensor **tangents, Arena *home) {
    Session *s = &r->s;
    Tensor **returns = arena_array(s->arena, Tensor *, r->p->nreturns);
    TRY(pass_arguments(r));
    s->grad_mode = r->p->grad_mode;
    r->handles = NULL;
    TRY(run_block(r, &r->p->body));
    TRY(look_up_returns(r, returns));
    if (!r->p->backward.given) {
        return ERR_none;
    }
    if (home) {
        Arena *scratch = s->arena;
        s->arena = home;
        TRY(eager_make_tangents(r, returns, tangents));
        s->arena = scratch;
    }
    return run_backward(r, returns, tangents);
}

ErrCode reference_repeat(const Program *p, const RunOptions *options, int64_t times, Arena *home,
                         Arena *scratch) {
    Result result = {.ncalls = 1, .calls = arena_new(home, CallResult)};
    Run r = {.s = {.arena = home}, .p = p, .options = options, .result = &result};
    semantics_enter(run_semantics(p, options));
    open_call(&r, 0, false);
    if (p->setup.count > 0) {
        return error_set(
            r.s.err, ERR_unsupported,
            "the tensors of a setup cannot be used again and again"); /* their history is of one
                                                                         call */
    }
    TRY(eager_prepare(&r, p->inputs, p->ninputs));
    Var before[MAX_INPUTS]; /* what a round leaves on an input (history, gradient) is in scratch
                               memory */
    for (int k = 0; k < r.ninputs; k++) {
        before[k] = *r.inputs[k];
    }
    Tensor **tangents = arena_array(home, Tensor *, p->nreturns);
    for (int64_t i = 0; i < times; i++) {
        arena_reset(scratch);
        r.s = session_new(scratch, r.s.err, options, true);
        r.s.stream = program_stream(p, 0);
        r.env = arena_copy(scratch, r.setup_env, (int64_t)sizeof(Tensor *) * p->nnames);
        TRY(run_alone(&r, tangents, i == 0 ? home : NULL));
        for (int k = 0; k < r.ninputs; k++) {
            *r.inputs[k] = before[k];
        }
    }
    return ERR_none;
}
