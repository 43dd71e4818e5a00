/* Findings about the flags of autograd (requires_grad, is_leaf, grad_fn): a tracer that keeps them
 * beside its tensors loses what a write changes. What differs is then a probe, an assertion, or
 * anything that a branch decides, at any op; the cause is how the write reaches the tensor. */
#include "harness/search/stage.h"

#include <string.h>

typedef struct FlagNames {
    NameId *parent; /* by name: what it is a view or a second name of; itself */
    bool *second;   /* it is no view but a second name of its parent */
    NameId checked; /* whose flag is asked */
    NameId written; /* by the last write before that */
    bool after_detach, modes;
} FlagNames;

static bool is_flag_predicate(const Predicate *p) {
    while (p->kind == PRED_not) {
        p = p->inner;
    }
    return p->kind == PRED_requires_grad || p->kind == PRED_is_leaf || p->kind == PRED_has_grad_fn;
}

static NameId flag_predicate_name(const Predicate *p) {
    while (p->kind == PRED_not) {
        p = p->inner;
    }
    return p->of;
}

/* Whose flag the statement asks, or NAME_NONE. */
static NameId flag_asked(const Stmt *s) {
    if (s->kind == STMT_IF || s->kind == STMT_ASSERT) {
        return is_flag_predicate(&s->predicate) ? flag_predicate_name(&s->predicate) : NAME_NONE;
    }
    bool flag =
        s->kind == STMT_PROBE && (s->probe == PROBE_requires_grad || s->probe == PROBE_is_leaf ||
                                  s->probe == PROBE_has_grad_fn);
    return flag ? s->of : NAME_NONE;
}

/* x[...] without tensors and lists is a view. */
static bool indexes_basically(const PArg *index) {
    for (int i = 0; i < index->index.n; i++) {
        IndexKind kind = index->index.v[i].kind;
        if (kind == INDEX_TENSOR || kind == INDEX_LIST || kind == INDEX_BOOL) {
            return false;
        }
    }
    return true;
}

static void note_names(FlagNames *names, const Stmt *s) {
    if (s->kind == STMT_WITH) {
        names->modes = true;
    }
    if (s->kind != STMT_OP || s->op->nparam == 0 || !s->arg[0].given || !s->arg[0].is_tensor ||
        s->op->param[0].type != ARG_TENSOR) {
        return;
    }
    NameId self = s->arg[0].tensor;
    bool writes = s->op->param[0].writes;
    bool view = s->op->kind == KIND_VIEW || s->op->kind == KIND_MULTI_VIEW ||
                s->op->id == OP_detach ||
                (s->op->id == OP_getitem && indexes_basically(&s->arg[1]));
    if (writes && s->op->kind != KIND_META && s->op->kind != KIND_INPLACE_VIEW) {
        names->written = self;
    }
    names->after_detach |= s->op->id == OP_detach || s->op->id == OP_detach_;
    for (int i = 0; i < s->nout && (view || writes); i++) {
        if (s->out[i] != self) {
            names->parent[s->out[i]] = self;
            names->second[s->out[i]] = writes;
        }
    }
}

static bool is_within(const FlagNames *names, NameId name, NameId of) {
    for (int steps = 0; steps < MAX_NAMES; steps++) {
        if (name == of) {
            return true;
        }
        if (names->parent[name] == name) {
            return false;
        }
        name = names->parent[name];
    }
    return false;
}

static NameId own_name(const FlagNames *names, NameId name) {
    for (int steps = 0; steps < MAX_NAMES && names->second[name]; steps++) {
        name = names->parent[name];
    }
    return name;
}

static NameId flag_root_of(const FlagNames *names, NameId name) {
    for (int steps = 0; steps < MAX_NAMES && names->parent[name] != name; steps++) {
        name = names->parent[name];
    }
    return name;
}

static const char *relation(const FlagNames *names) {
    if (names->written == NAME_NONE) {
        return "without a write";
    }
    NameId checked = own_name(names, names->checked), written = own_name(names, names->written);
    return checked == written                   ? "of a written tensor"
           : is_within(names, written, checked) ? "of a tensor whose view is written"
           : is_within(names, checked, written) ? "of a view whose base is written"
           : flag_root_of(names, checked) == flag_root_of(names, written)
               ? "of a view, another of which is written"
               : "of another tensor than is written";
}

const char *stage_flag_relation(Arena *arena, const Program *p, const Finding *finding) {
    FlagNames names = {.parent = arena_array(arena, NameId, p->nnames + 1),
                       .second = arena_array(arena, bool, p->nnames + 1),
                       .checked = NAME_NONE,
                       .written = NAME_NONE};
    for (int i = 0; i < p->nnames; i++) {
        names.parent[i] = (NameId)i;
    }
    for (int sid = 0; sid < p->nstmts && names.checked == NAME_NONE; sid++) {
        const Stmt *s = program_stmt(p, sid);
        names.checked = flag_asked(s);
        note_names(&names, s);
    }
    if (names.checked == NAME_NONE && finding->oracle == ORACLE_flags && finding->index >= 0) {
        names.checked = finding->subject == SUBJECT_RETURN && finding->index < p->nreturns
                            ? p->returns[finding->index]
                        : finding->subject == SUBJECT_INPUT && finding->index < p->ninputs
                            ? p->inputs[finding->index].name
                            : NAME_NONE;
    }
    return names.checked == NAME_NONE ? NULL
                                      : arena_printf(arena, "%s%s%s", relation(&names),
                                                     names.after_detach ? ", detach" : "",
                                                     names.modes ? ", grad modes" : "");
}
