/* A run of a program on the compiled executor: a session, then call after call. */
#include "compiled/core/compile.h"
#include "compiled/native/native.h"
#include "compiled/runtime/runtime.h"

/* Does some statement change the geometry of a tensor in place? */
static bool changes_geometry(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if ((s->kind == STMT_OP && (s->op->kind == KIND_INPLACE_VIEW || s->op->id == OP_resize_ ||
                                    op_sets_storage(s->op) || s->op->out_dtype != OUT_NOT)) ||
            changes_geometry(&s->body) || changes_geometry(&s->orelse)) {
            return true;
        }
    }
    return false;
}

/* Does some statement run a backward, or register something for a later one (retain_grad, a hook)?
 */
static bool needs_whole_tape(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_GRAD || s->kind == STMT_DOT_GRAD || s->kind == STMT_HOOK ||
            (s->kind == STMT_OP && s->op->id == OP_retain_grad) || needs_whole_tape(&s->body) ||
            needs_whole_tape(&s->orelse)) {
            return true;
        }
    }
    return false;
}

/* Does a statement of the block bind a name of what is returned? */
static bool rebinds_return(const Program *p, const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        for (int i = 0; i < s->nout; i++) {
            for (int k = 0; k < p->nreturns; k++) {
                if (s->out[i] == p->returns[k]) {
                    return true;
                }
            }
        }
        if (rebinds_return(p, &s->body) || rebinds_return(p, &s->orelse)) {
            return true;
        }
    }
    return false;
}

/* Can the caller's statements behind the function be regions, with backwards between them? Not if
 * anything else reads gradients. */
static bool after_is_apart(const Program *p) {
    for (const Stmt *s = p->after.first; s; s = s->next) {
        const Block one = {&(Stmt){.kind = s->kind, .op = s->op}, 1};
        bool backward = s->kind == STMT_GRAD && s->grad->accumulates && !s->grad->create_graph;
        if ((!backward && needs_whole_tape(&one)) || needs_whole_tape(&s->body) ||
            needs_whole_tape(&s->orelse)) {
            return false;
        }
    }
    return p->after.first && !needs_whole_tape(&p->body) && !rebinds_return(p, &p->after);
}

/* Has the block a backward statement? */
static bool has_backward(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_GRAD && s->grad->accumulates) {
            return true;
        }
    }
    return false;
}

/* Is some statement a graph_break? */
static bool has_graph_break(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_GRAPH_BREAK || has_graph_break(&s->body) ||
            has_graph_break(&s->orelse)) {
            return true;
        }
    }
    return false;
}

static bool has_hook(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_HOOK || has_hook(&s->body) || has_hook(&s->orelse)) {
            return true;
        }
    }
    return false;
}

/* Does some call keep the tensors of the one before? */
static bool keeps_tensors(const Program *p) {
    for (int k = 0; k < p->nrecalls; k++) {
        if (p->recalls[k].keep) {
            return true;
        }
    }
    return false;
}

Result *compiled_run(const Program *p, const CompileOptions *compile, const RunOptions *options,
                     CompileCounters *counters, Arena *arena) {
    if (!counters) {
        counters = arena_new(arena, CompileCounters);
    }
    RuntimeSession r = {.p = p,
                        .compile = compile,
                        .options = options,
                        .counters = counters,
                        .first_step = counters->gate_steps,
                        .arena = arena};
    r.walks_inside = capture_walks_inside(p);
    r.hooks = r.walks_inside && (has_hook(&p->setup) || has_hook(&p->body) || has_hook(&p->after));
    r.sees_grads = program_sees_grads(p);
    r.apart = !r.walks_inside && after_is_apart(p);
    r.breaks =
        has_graph_break(&p->body) && !needs_whole_tape(&p->body) && (r.apart || !p->after.first);
    r.prepares = r.walks_inside && p->setup.count > 0 && !r.breaks && !keeps_tensors(p);
    r.comes_back = p->backward.given || (r.apart && has_backward(&p->after));
    r.takes_gradients = capture_takes_gradients(p);
    r.reshapes =
        changes_geometry(&p->setup) || changes_geometry(&p->body) || changes_geometry(&p->after);
    if (compile->native) {
        native_trim(compile->native);
    }
    Result *result = arena_new(arena, Result);
    result->target = "twingrad compiled";
    result->semantics = run_semantics(p, options);
    Semantics before = semantics_enter(result->semantics);
    result->ncalls = 1 + p->nrecalls;
    result->calls = arena_array(arena, CallResult, result->ncalls);
    for (int k = 0; k < result->ncalls; k++) {
        run_call(&r, k, &result->calls[k]);
    }
    feature_errors(compile->features, p, result);
    semantics_enter(before);
    return result;
}
