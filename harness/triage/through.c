#include "harness/triage/through.h"

#include <fnmatch.h>

/* Is what the statement binds memory of its first operand, or may it be? */
static bool may_return_view(const OpInfo *op) {
    return op->kind == KIND_VIEW || op->kind == KIND_MULTI_VIEW || op->kind == KIND_INPLACE ||
           op->kind == KIND_INPLACE_VIEW || op->kind == KIND_META || op->kind == KIND_STORAGE ||
           op->kind == KIND_COMPOSITE;
}

static bool any_through(const Param *param, const PArg *arg, const bool *through) {
    if (!arg->given || !arg->is_tensor) {
        return false;
    }
    if (param->type != ARG_TENSORS && param->type != ARG_TENSORS_OPT) {
        return through[arg->tensor];
    }
    bool any = false;
    for (int i = 0; i < arg->tensors.n; i++) {
        any |= arg->tensors.v[i] != NAME_NONE && through[arg->tensors.v[i]];
    }
    return any;
}

/* Notes by name which results go through such an op. Is something written that does? */
static bool see_through(const Stmt *s, const char *pattern, bool *through) {
    bool written = false, of_view = false;
    for (int k = 0; k < s->op->nparam; k++) {
        bool view = any_through(&s->op->param[k], &s->arg[k], through);
        written |= view && s->op->param[k].writes && s->op->kind != KIND_META;
        of_view |= view && k == 0;
    }
    bool own = fnmatch(pattern, s->op->name, 0) == 0;
    for (int i = 0; i < s->nout; i++) {
        through[s->out[i]] = may_return_view(s->op) && (own || of_view);
    }
    return written;
}

bool program_writes_through(const Program *p, const char *pattern) {
    Arena arena = ARENA_EMPTY;
    bool *through = arena_array(&arena, bool, p->nnames + 1), found = false;
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        const Stmt *s = program_stmt(p, sid);
        found = s->kind == STMT_OP && see_through(s, pattern, through);
    }
    arena_destroy(&arena);
    return found;
}
