/* After each statement, two kinds of programs run on both executors:
 *
 *     the prefix, probes of flags and versions, returns of all bound names: records, and the
 * verdict of the oracles; for each name that requires grad, the prefix with that name returned and
 * a backward of ones: the inputs that a gradient reaches.
 *
 * A name is shown at a statement that binds or writes it, and where its record changed (an alias
 * was written). */
#include "harness/triage/trace.h"

#include "harness/reduce/edit.h"

#include <string.h>

void trace_begin(Trace *t, const Checker *c, const Program *p, int call) {
    *t = (Trace){.checker = *c, .program = p, .call = call};
    t->checker.run.poke = false;
    t->checker.run.executed = NULL;
}

void trace_end(Trace *t) {
    arena_destroy(&t->steps[0]);
    arena_destroy(&t->steps[1]);
    arena_destroy(&t->scratch);
}

static int first_body_sid(const Program *p) {
    return p->body.first ? p->body.first->sid : p->nstmts;
}

/* Every name that is surely a tensor after statement `s`: a gradient may be None. */
static void visible_names(const Program *prefix, Stmt *s, NameSet *out) {
    prefix_names(prefix, out);
    if (s && s->kind == STMT_GRAD && !s->grad->allow_unused) {
        prefix_made(s, out);
    }
}

static void drop_backward(Program *prefix) {
    prefix->backward = (Backward){.given = false, .nof = -1};
}

static bool values_equal(const Values *a, const Values *b) {
    int64_t first;
    return values_same_shape(a, b) &&
           ((!a->data && !b->data) || (a->data && b->data && compare_bits(a, b, &first)));
}

static bool records_equal(const ReturnRecord *a, const ReturnRecord *b) {
    return values_equal(&a->values, &b->values) &&
           memcmp(a->stride, b->stride, sizeof(int64_t) * (size_t)a->values.ndim) == 0 &&
           a->storage_offset == b->storage_offset && a->requires_grad == b->requires_grad &&
           a->is_leaf == b->is_leaf;
}

static const ReturnRecord *record_of(const CallResult *call, const NameSet *names, NameId name) {
    for (int i = 0; call && i < names->n && i < call->nreturns; i++) {
        if (names->name[i] == name) {
            return &call->returns[i];
        }
    }
    return NULL;
}

static bool changed(const Trace *t, const TraceStep *step, const NameSet *names, NameId name) {
    for (int side = 0; side < 2; side++) {
        const ReturnRecord *now = record_of(step->call[side], names, name),
                           *then = record_of(t->before[side], &t->names, name);
        if (!now != !then || (now && !records_equal(now, then))) {
            return true;
        }
    }
    return false;
}

/* The result of the probe of `kind` for name number `index` at the end of the prefix, where each of
 * the `n` names has one; -1 if there is none. */
static int64_t probed(const CallResult *call, ProbeKind kind, int index, int n) {
    int from_end = n - index;
    for (int at = call->ntrace - 1; at >= 0; at--) {
        if (call->trace[at].probe == kind && --from_end == 0) {
            return call->trace[at].v[0];
        }
    }
    return -1;
}

static void find_reach(Trace *t, int sid, NameId name, int side, TraceValue *value) {
    arena_reset(&t->scratch);
    Program *p = prefix_cut(&t->scratch, t->program, sid);
    NameSet one = {.n = 0};
    names_add(&one, name);
    prefix_return(p, &one);
    p->backward = (Backward){.given = true, .fill = FILL_ones, .nof = -1};
    Executor *e = side ? &t->checker.b : &t->checker.a;
    const Result *r = e->run(e, p, &t->checker.run, &t->scratch);
    const CallResult *call = t->call < r->ncalls ? &r->calls[t->call] : NULL;
    value->reach_known = call && call->ok;
    for (int i = 0; value->reach_known && i < call->ninputs && i < 64; i++) {
        if (call->inputs[i].grad_state == GRAD_VALUE) {
            value->reaches |= (uint64_t)1 << i;
            value->zeros |= (uint64_t)values_all_zero(&call->inputs[i].grad, false) << i;
        }
    }
}

/* The statements that the trace stops at: AT_INPUTS, then the steps of the body. */
static bool next_sid(const Trace *t, int *sid) {
    int at = *sid == AT_UNKNOWN  ? AT_INPUTS
             : *sid == AT_INPUTS ? first_body_sid(t->program)
                                 : *sid + 1;
    while (at >= 0 && at < t->program->nstmts && !prefix_is_step(program_stmt(t->program, at))) {
        at++;
    }
    *sid = at;
    return at < t->program->nstmts && !program_is_after(t->program, at);
}

bool trace_step(Trace *t, int *sid, TraceStep *out) {
    if (!next_sid(t, sid)) {
        return false;
    }
    *out = (TraceStep){.sid = *sid};
    bool external = checker_is_external(&t->checker);
    Arena *arena = &t->steps[1 - t->held];
    arena_reset(arena);
    Program *p = prefix_cut(arena, t->program, *sid);
    Stmt *last = *sid >= 0 ? program_stmt(p, *sid) : NULL;
    NameSet names = {.n = 0}, made = {.n = 0};
    visible_names(p, last, &names);
    if (last) {
        prefix_made(last, &made);
    }
    drop_backward(p);
    prefix_return(p, &names);
    if (!external) {
        last = prefix_branch(p, prefix_probe(p, last, PROBE_requires_grad, &names), &names);
        prefix_probe(p, last, PROBE_version, &names);
    }
    out->prefix = p;
    check_program(&t->checker, p, arena, &out->result);
    const Result *both[2] = {out->result.a, out->result.b};
    for (int side = 0; side < 2; side++) {
        out->call[side] = t->call < both[side]->ncalls ? &both[side]->calls[t->call] : NULL;
        if (!out->call[side]) {
            out->status = TRACE_NOT_RUN;
            return true;
        }
    }
    const CallResult *a = out->call[0], *b = out->call[1];
    if (!a->ok || !b->ok) { /* an unbound name raises where it is read, after the statement */
        bool behind = !a->ok && !b->ok && a->error == ERR_invalid &&
                      (a->error_at == AT_RETURN || a->error_at > *sid);
        out->status = behind ? TRACE_NOT_RUN : TRACE_RAISED;
        return true;
    }
    for (int i = 0; i < names.n; i++) {
        if (names_has(&made, names.name[i]) || changed(t, out, &names, names.name[i])) {
            names_add(&out->shown, names.name[i]);
        }
    }
    for (int side = 0; side < 2; side++) {
        out->value[side] = arena_array(arena, TraceValue, out->shown.n + 1);
        for (int i = 0, k = 0; i < names.n; i++) {
            if (names_has(&out->shown, names.name[i])) {
                TraceValue *value = &out->value[side][k++];
                value->record = record_of(out->call[side], &names, names.name[i]);
                value->version = external ? -1 : probed(out->call[side], PROBE_version, i, names.n);
                value->flag =
                    external ? -1 : probed(out->call[side], PROBE_requires_grad, i, names.n);
                if (value->record && value->record->requires_grad) {
                    find_reach(t, *sid, names.name[i], side, value);
                }
            }
        }
        t->before[side] = out->call[side];
    }
    t->names = names;
    t->held = 1 - t->held;
    return true;
}

Flow trace_flow(Trace *t, Executor *e, int sid, NameId from, NameId to) {
    Arena *arena = &t->scratch;
    arena_reset(arena);
    Program *p = prefix_cut(arena, t->program, sid);
    Stmt *last = sid >= 0 ? program_stmt(p, sid) : NULL, *grad = stmt_make(arena, STMT_GRAD);
    Names names = {.arena = arena};
    for (int i = 0; i < p->nnames; i++) {
        names_intern(&names, p->names[i]);
    }
    NameId *word = arena_array(arena, NameId, 3);
    word[0] = from;
    word[1] = to;
    word[2] = names_intern(&names, "_flow");
    p->names = (const char *const *)names.v;
    p->nnames = names.n;
    grad->grad = arena_new(arena, GradStmt);
    *grad->grad = (GradStmt){
        .outputs = &word[0],
        .noutputs = 1,
        .inputs = &word[1],
        .ninputs = 1,
        .grad_outputs = &word[0],
        .ngrad_outputs = 1,
        .allow_unused = true}; /* the tangent is the value itself, which has the right size */
    grad->out = &word[2];
    grad->nout = 1;
    grad->out_list = true;
    NameSet none = {.n = 0}, gradient = {.n = 0};
    names_add(&gradient, word[2]);
    prefix_return(p, &none);
    drop_backward(p);
    if (last) {
        edit_insert_after(p, last, grad);
    } else {
        p->body = (Block){grad, 1};
        program_number(p);
    }
    prefix_probe(p, grad, PROBE_requires_grad, &gradient); /* raises if the gradient is None */
    const Result *r = e->run(e, p, &t->checker.run, arena);
    const CallResult *call = t->call < r->ncalls ? &r->calls[t->call] : NULL;
    if (!call) {
        return FLOW_UNKNOWN;
    }
    return call->ok ? FLOW_YES
           : call->error == ERR_unsupported || call->error == ERR_internal ||
                   call->error == ERR_limit
               ? FLOW_UNKNOWN
               : FLOW_NO;
}
