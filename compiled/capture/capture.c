/* Capture: walks a region of the program (the function's body, or the setup) on metadata, statement
 * by statement, as eager would run it, and records a graph and a tape.
 *
 * Each storage that exists before the region becomes one INPUT node; an entry is a tensor on one of
 * them and reads it, and if it is not a leaf its grad_fn is an external node, which passes its
 * gradient on to the region before. Branches, assertions and probes are decided here, from the
 * bindings (capture/bindings.c); ops go through emit_call to capture/apply.c. The walk ends at the
 * first statement that raises, and the graph holds what comes before it. What depends on data is a
 * CHECK in the graph, or is evaluated at once (capture/data_dependent.c). */
#include "compiled/capture/capture.h"
#include <string.h>

/* ---- statements ---- */

static ErrCode capture_bind_outputs(Capture *cap, const Stmt *stmt, Tensor *const *out, int nout) {
    if (stmt->nout == 0 && !stmt->out_list) {
        return ERR_none;
    }
    bool several = stmt->op->nreturn != 1;
    if (stmt->nout != nout || several != stmt->out_list) {
        return error_set(&cap->err, ERR_invalid, "%d values to unpack into %d names", nout,
                         stmt->nout);
    }
    for (int i = 0; i < nout; i++) {
        binding_set(cap, stmt->out[i], (Var *)out[i]);
    }
    return ERR_none;
}

/* Seeded faults MU_5: an op that may return self, or a view of it, is modelled as one whose result
 * is always fresh. */
static ErrCode always_fresh(Capture *cap, const Call *call, Tensor **out) {
    OpId id = call->op->id;
    FaultId by = id == OP_contiguous ? FAULT_MU_5
                 : id == OP_reshape  ? FAULT_MU_5a
                 : id == OP_to       ? FAULT_MU_5b
                                     : FAULT_NONE;
    if (by != FAULT_NONE && fault(cap->c, by) && out[0]->storage == call->arg[0].tensor->storage &&
        tensor_numel(out[0]) > 0 && !cap_requires_grad((const Var *)out[0]) &&
        fault_triggered(cap->c, by)) {
        out[0] = emit_unary(&cap->emit, OP_clone, out[0]);
    }
    return cap->err.code;
}

/* Seeded fault RG_7: full(.., requires_grad=True) is traced without the keyword. */
static bool drops_requires_grad(const Capture *cap, const Stmt *stmt, const Tensor *out) {
    return fault(cap->c, FAULT_RG_7) && stmt->op->id == OP_full && dtype_is_float(out->dtype) &&
           fault_triggered(cap->c, FAULT_RG_7);
}

/* Seeded fault ER_15: an IndexError that softmax raises while it is traced comes back as an error
 * of another class. */
static void merge_error_classes(Capture *cap, const Stmt *stmt) {
    if (fault(cap->c, FAULT_ER_15a) && cap->err.code == ERR_index_range &&
        stmt->op->id == OP_softmax && fault_triggered(cap->c, FAULT_ER_15a)) {
        cap->err.code = ERR_invalid;
    }
}

static ErrCode capture_run_op(Capture *cap, const Stmt *stmt) {
    Call call;
    TRY(stmt_bind(stmt, cap->program, cap->env, cap->arena, &call, &cap->err));
    Tensor *out[MAX_OUTPUTS];
    int nout = 0;
    cap->stmt_op = stmt->op->id;
    if (cap->c->options->fault != FAULT_NONE) {
        TRY(capture_faulty_call(cap, &call));
    }
    if (emit_call(&cap->emit, &call, out, &nout) != ERR_none) {
        merge_error_classes(cap, stmt);
        return cap->err.code;
    }
    if (cap->c->options->fault != FAULT_NONE && stmt->op->kind == KIND_COMPOSITE) {
        TRY(always_fresh(cap, &call, out));
    }
    if (stmt->requires_grad && !drops_requires_grad(cap, stmt, out[0])) {
        TRY(cap_set_requires_grad(cap, (Var *)out[0], true));
    }
    if (stmt->op->nparam > 0 && stmt->op->param[0].writes) {
        binding_refresh(cap, stmt, (Var *)call.arg[0].tensor);
    }
    return capture_bind_outputs(cap, stmt, out, nout);
}

static ErrCode capture_run_block(Capture *cap, const Block *block);

/* Is statement `sid` among those of the block, or inside them? Statements are numbered in order. */
static bool block_holds(const Block *block, int sid) {
    const Stmt *s = block->first;
    if (!s || s->sid > sid) {
        return false;
    }
    while (s->next && s->next->sid <= sid) {
        s = s->next;
    }
    return s->sid == sid || block_holds(&s->body, sid) || block_holds(&s->orelse, sid);
}

static ErrCode capture_run_branch(Capture *cap, const Stmt *stmt) {
    bool taken;
    if (cap->resume >= 0) { /* decided before the graph_break */
        return capture_run_block(cap, block_holds(&stmt->body, cap->resume) ? &stmt->body
                                                                            : &stmt->orelse);
    }
    TRY(capture_decide(cap, &stmt->predicate, true, &taken));
    return capture_run_block(cap, taken ? &stmt->body : &stmt->orelse);
}

static ErrCode capture_run_with(Capture *cap, const Stmt *stmt) {
    if (stmt->context == CONTEXT_checkpoint) {
        return capture_checkpoint(cap, stmt);
    }
    if (stmt->context != CONTEXT_grad_mode) {
        return error_set(&cap->err, ERR_unsupported, "a block under %s",
                         context_name(stmt->context));
    }
    bool outer = cap->grad_mode;
    cap->grad_mode = stmt->grad_enabled;
    TRY(capture_run_block(cap, &stmt->body));
    cap->grad_mode = outer;
    return ERR_none;
}

static ErrCode capture_run_assert(Capture *cap, const Stmt *stmt) {
    bool holds;
    TRY(capture_decide(cap, &stmt->predicate, false, &holds));
    return holds ? ERR_none : error_set(&cap->err, ERR_assertion, "the assertion is false");
}

static ErrCode capture_run_stmt(Capture *cap, const Stmt *stmt) {
    if (!cap->frame.open) { /* a block of a function is at the statement that runs it */
        cap->sid = stmt->sid;
        cap->input_versions = capture_input_versions(cap);
    }
    cap->frame.sid = stmt->sid;
    cap->writing = -1;
    switch (stmt->kind) {
    case STMT_OP:
        return capture_run_op(cap, stmt);
    case STMT_WITH:
        return capture_run_with(cap, stmt);
    case STMT_IF:
        return capture_run_branch(cap, stmt);
    case STMT_ASSERT:
        return capture_run_assert(cap, stmt);
    case STMT_PROBE:
        return capture_run_probe(cap, stmt);
    case STMT_GRAD:
        if (cap->in.after && cap->in.apart) {
            cap->end = END_BREAK;
            return ERR_internal; /* ends the walk; no error of the program */
        }
        return cap->in.setup ? error_set(&cap->err, ERR_unsupported, "a gradient inside the setup")
                             : capture_grad(cap, stmt);
    case STMT_GRAPH_BREAK:
        if (cap->in.setup || cap->in.after || !cap->in.split ||
            program_is_after(cap->program, stmt->sid)) {
            return ERR_none;
        }
        cap->end = END_BREAK;
        return ERR_internal; /* ends the walk; no error of the program */
    case STMT_APPLY:
        return capture_function(cap, stmt);
    case STMT_HOOK:
        return capture_hook(cap, stmt);
    case STMT_DOT_GRAD:
        return capture_dot_grad(cap, stmt);
    case STMT_COUNT:
        break;
    }
    return ERR_none;
}

static ErrCode capture_run_block(Capture *cap, const Block *block) {
    for (const Stmt *stmt = block->first; stmt && cap->frame.open; stmt = stmt->next) {
        TRY(capture_run_stmt(cap, stmt));
    }
    for (const Stmt *stmt = block->first; stmt && !cap->frame.open; stmt = stmt->next) {
        if (cap->resume >= 0 && stmt->next && stmt->next->sid <= cap->resume) {
            continue; /* an earlier region ran it */
        }
        if (stmt->sid == cap->resume) {
            cap->resume = -1;
            continue;
        }
        if (stmt->sid == cap->in.stop_before) {
            cap->end = END_STOPPED;
            return error_set(&cap->err, ERR_internal, "stopped");
        }
        ErrCode code = capture_run_stmt(cap, stmt);
        if (code != ERR_none) {
            return code;
        }
    }
    return ERR_none;
}

/* ---- the ends ---- */

/* The class of an entry's memory: one for each, in order of first mention. */
static AliasClass *capture_entry_class(Capture *cap, int i, AliasClass **by_entry) {
    const Storage *s = storage_whole(cap->in.tensors[i].storage);
    for (int j = 0; j < i; j++) {
        if (storage_same(cap->in.tensors[j].storage, s)) {
            return by_entry[j];
        }
    }
    Graph *g = cap->graph;
    int number = g->ninputs++;
    Node *node = graph_input(g, number, s->dtype, s->numel);
    g->input[number] = node;
    cap->bytes += s->numel * dtype_bytes(s->dtype);
    return capture_class(cap, s->dtype, s->numel, node, number);
}

/* The version counter of an entry, which is that of its memory unless set_ has put it there. */
static void capture_entry_counter(Capture *cap, int i, AliasClass **by_entry) {
    const Tensor *in = cap->in.tensors;
    const Storage *counter = storage_counter(in[i].storage);
    Var *v = &cap->entry[i];
    for (int j = 0; j < i; j++) {
        if (storage_counter(in[j].storage) == counter) {
            v->tensor.storage =
                capture_recounted(cap, alias_class_of(&v->tensor), cap->entry[j].tensor.storage);
            return;
        }
    }
    Storage *own = NULL;
    for (int j = 0; j < cap->in.n && !own; j++) {
        own = storage_whole(in[j].storage) == counter ? &by_entry[j]->storage : NULL;
    }
    own = own ? own : arena_new(cap->arena, Storage); /* of memory that no entry is on */
    v->tensor.storage = capture_recounted(cap, alias_class_of(&v->tensor), own);
    cap->counter[cap->ncounters++] = own;
}

static void capture_entries(Capture *cap) {
    const CaptureInput *in = &cap->in;
    Graph *g = cap->graph;
    AliasClass **by_entry = arena_array(cap->arena, AliasClass *, in->n);
    g->input = arena_array(cap->arena, Node *, 2 * in->n); /* with those of capture_adopt */
    g->version = arena_array(cap->arena, int64_t, in->n);
    g->written = arena_array(cap->arena, Node *, 2 * in->n);
    cap->entry_storage = arena_array(cap->arena, int, in->n);
    cap->counter = arena_array(cap->arena, Storage *, in->n);
    cap->entry = arena_alloc_raw(cap->arena, (int64_t)sizeof *cap->entry * in->n);
    cap->external = arena_array(cap->arena, GradNode *, in->n);
    for (int i = 0; i < in->n; i++) {
        const EntryTensor *entry = &in->entry[i];
        by_entry[i] = capture_entry_class(cap, i, by_entry);
        cap->entry_storage[i] = by_entry[i]->input;
        AliasClass *cls = capture_reading(cap, by_entry[i], in->tensors[i].dtype, AT_RETURN);
        Var *v = &cap->entry[i];
        var_clear(v);
        layout_copy(&v->tensor, &in->tensors[i]);
        v->tensor.storage = &cls->storage;
        v->node = graph_view(g, cls->buffer, &in->tensors[i], AT_RETURN);
        v->node->cls = cls->number;
        v->entry = i;
        v->requires_grad = entry->record.requires_grad;
        v->base = entry->base >= 0 ? &cap->entry[entry->base] : NULL;
        v->creation_meta = entry->record.creation_meta;
        v->attr_version = entry->record.attr_version;
        if (entry->has_grad_fn) {
            cap->external[i] = cap_node_new(cap, GRAD_NODE_EXTERNAL, 0, 1);
            cap->external[i]->base =
                entry->record.grad_fn_meta ? entry->record.grad_fn_meta : &in->tensors[i];
            cap->external[i]->external_topological_nr = entry->record.topological_nr;
            if (entry->refuses_at_once) {
                cap->external[i]->sequence_nr = INT64_MAX; /* as in cap_collect_next_edges */
            }
            v->grad_fn = (Edge){cap->external[i], 0};
        }
        capture_inherit_hooks(cap, v, &entry->record);
        if (entry->record.accumulator_meta) {
            cap_grad_accumulator(cap, v)->base = entry->record.accumulator_meta;
        }
    }
    for (int i = 0; i < in->n; i++) {
        capture_entry_counter(cap, i, by_entry);
    }
    for (int k = 0; k < in->nname; k++) {
        binding_set(cap, in->name[k], &cap->entry[in->named[k]]);
    }
}

static ErrCode capture_look_up_returns(Capture *cap) {
    const Program *p = cap->program;
    cap->sid = AT_RETURN;
    cap->ret = arena_array(cap->arena, Var *, p->nreturns);
    for (int k = 0; k < p->nreturns; k++) {
        cap->ret[k] = (Var *)cap->env[p->returns[k]];
        if (!cap->ret[k]) {
            return capture_unbound(cap, p->returns[k]);
        }
    }
    return ERR_none;
}

/* The statements of the caller behind the function, in the same region: they see its arguments and
 * what it returned. */
static ErrCode capture_after(Capture *cap) {
    const Program *p = cap->program;
    const CaptureInput *in = &cap->in;
    for (NameId id = 0; id < p->nnames && !in->after; id++) {
        binding_clear(cap, id);
    }
    for (int k = 0; k < in->nname && !in->after && !in->prepares; k++) {
        binding_set(cap, in->name[k], &cap->entry[in->named[k]]);
    }
    for (int i = 0; i < program_nargs(p) && in->prepares; i++) {
        binding_set(cap, program_arg(p, i), cap->argument[i]);
    }
    cap->handles = NULL;
    for (int k = 0; k < p->nreturns && !in->after; k++) {
        binding_set(cap, p->returns[k], cap->ret[k]);
    }
    cap->grad_mode = true;
    return capture_run_block(cap, &p->after);
}

/* The grad_fn of every returned tensor is materialized. */
static ErrCode capture_returns(Capture *cap) {
    const Program *p = cap->program;
    Graph *g = cap->graph;
    cap->sid = AT_RETURN;
    ReturnPlan *ret = arena_array(cap->arena, ReturnPlan, p->nreturns);
    TRY(capture_write_back_mode(cap));
    capture_adopt(cap);
    for (int k = 0; k < p->nreturns; k++) {
        Var *v = cap->ret[k];
        TRY(cap_grad_fn(cap, v));
        capture_return_plan(&ret[k], v);
    }
    if (cap->c->options->fault != FAULT_NONE) {
        capture_returns_forget(cap, ret);
    }
    g->ret = ret;
    g->nret = p->nreturns;
    return ERR_none;
}

/* Seeded fault ER_12: wrapping a view whose base was written since it was made regenerates its
 * grad_fn, as if it were to be written, although nothing may need it. */
static ErrCode wrap_stale_views(Capture *cap) {
    cap->sid = AT_UNKNOWN;
    for (int i = 0; i < cap->in.n && !cap->in.setup; i++) {
        const Var *v = &cap->entry[i];
        if (v->base && v->attr_version == STALE_VERSION && v->base->requires_grad &&
            !v->base->grad_fn.node && fault_triggered(cap->c, FAULT_ER_12)) {
            return error_set(
                &cap->err, ERR_leaf_view_inplace,
                "a view of a leaf that requires grad is used in an in-place operation");
        }
    }
    return ERR_none;
}

static bool capture_records(Emit *e, const Tensor *t) {
    return ((const Capture *)e)->grad_mode && cap_requires_grad((const Var *)t);
}

static bool capture_answers_grad(Emit *e, const Tensor *t) {
    (void)e;
    return cap_requires_grad((const Var *)t);
}

static ErrCode capture_reads_history(Emit *e, Tensor *t) {
    return cap_grad_fn((Capture *)e, (Var *)t);
}

static bool block_takes_gradients(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_GRAD || block_takes_gradients(&s->body) ||
            block_takes_gradients(&s->orelse)) {
            return true;
        }
    }
    return false;
}

bool capture_takes_gradients(const Program *p) {
    return block_takes_gradients(&p->body) || block_takes_gradients(&p->after);
}

/* The setup, and then the arguments as all that the function sees. */
static ErrCode capture_prepare(Capture *cap) {
    const Program *p = cap->program;
    int n = program_nargs(p);
    cap->grad_mode = true;
    TRY(capture_run_block(cap, &p->setup));
    cap->grad_mode = cap->in.grad_mode;
    cap->handles = NULL;
    cap->sid = AT_UNKNOWN;
    cap->argument = arena_array(cap->arena, Var *, n);
    for (int i = 0; i < n; i++) {
        cap->argument[i] = (Var *)cap->env[program_arg(p, i)];
        if (!cap->argument[i]) {
            return error_set(&cap->err, ERR_invalid, "the argument '%s' is not bound",
                             p->names[program_arg(p, i)]);
        }
    }
    for (NameId id = 0; id < p->nnames; id++) {
        binding_clear(cap, id);
    }
    for (int i = 0; i < n; i++) {
        binding_set(cap, program_arg(p, i), cap->argument[i]);
    }
    return ERR_none;
}

/* Everything that the region runs. */
static ErrCode capture_walk(Capture *cap) {
    const Program *p = cap->program;
    const CaptureInput *in = &cap->in;
    if (in->setup) {
        return capture_run_block(cap, &p->setup);
    }
    if (in->gradient) {
        cap->sid = in->resume;
        return capture_backward_roots(cap, program_stmt(p, in->resume));
    }
    TRY(in->prepares ? capture_prepare(cap) : ERR_none);
    TRY(in->after ? ERR_none : capture_run_block(cap, &p->body));
    TRY(capture_look_up_returns(cap));
    if (p->after.first && in->apart && !in->after) {
        cap->sid = AFTER;
        cap->end = END_BREAK;
        return ERR_internal; /* ends the walk; no error of the program */
    }
    TRY(p->after.first ? capture_after(cap) : ERR_none);
    capture_settle_grads(cap);
    return capture_returns(cap);
}

void capture_program(Compile *c, const CaptureInput *in) {
    Arena *arena = c->arena;
    Capture *cap = arena_new(arena, Capture);
    c->capture = cap;
    c->graph = cap->graph = graph_new(arena);
    cap->c = c;
    cap->arena = arena;
    cap->program = c->program;
    cap->in = *in;
    cap->emit = (Emit){.arena = arena,
                       .err = &cap->err,
                       .apply = capture_apply,
                       .count_nonzero = capture_count_nonzero,
                       .item_int = capture_item_int,
                       .records = capture_records,
                       .requires_grad = capture_answers_grad,
                       .read_history = capture_reads_history};
    cap->run_block = capture_run_block;
    cap->grad_mode = in->grad_mode;
    cap->walks_inside = capture_walks_inside(c->program);
    cap->takes_gradients = cap->walks_inside || capture_takes_gradients(c->program);
    cap->sees_grads = program_sees_grads(c->program);
    cap->resume = in->resume < 0 ? BODY : in->resume;
    cap->env = arena_array(arena, Tensor *, c->program->nnames);
    cap->binding = arena_array(arena, Binding, c->program->nnames);
    capture_entries(cap);
    ErrCode code = fault(c, FAULT_ER_12) ? wrap_stale_views(cap) : ERR_none;
    if (code == ERR_none) {
        code = capture_walk(cap);
    }
    if (code != ERR_none) {
        capture_settle_grads(cap);
    }
    if (cap->end != END_CHECK) {
        cap->at = cap->sid;
    }
    if (code != ERR_none && cap->end == END_OK) {
        cap->end = END_ERROR;
    }
    capture_live_tensors(cap);
    if (in->resumed) {
        cap->graph->nret = 0;
    }
    cap->tape_size = cap->sequence_nr;
}
