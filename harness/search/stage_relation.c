/* How the last write reaches the tensor that a finding is about, whatever op it is.
 *
 * Flags of autograd (requires_grad, is_leaf, grad_fn): a tracer that keeps them beside its tensors
 * loses what a write changes. What differs is then a probe, an assertion, or anything that a branch
 * decides. Layouts (strides, offset) and the values of inputs: a tracer makes views again after a
 * write, and applies writes and in-place changes of a layout to inputs at the end. */
#include "harness/search/stage.h"

#include <string.h>

typedef struct RelatedNames {
    NameId *parent; /* by name: what it is a view or a second name of; itself */
    bool *second;   /* it is no view but a second name of its parent */
    NameId checked; /* the one that the finding is about: whose flag is asked */
    NameId written; /* by the last write before that */
    NameId relaid;  /* by the last op that changed a layout in place */
    bool after_detach, modes;
} RelatedNames;

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

/* The tensor that an op writes, `out=` among them; else its first operand; NAME_NONE if there is
 * none. */
static NameId operand_noted(const Stmt *s, bool *writes) {
    NameId first = NAME_NONE;
    *writes = false;
    for (int i = s->op->nparam - 1; i >= 0 && !*writes; i--) {
        if (s->op->param[i].type == ARG_TENSOR && s->arg[i].given && s->arg[i].is_tensor) {
            *writes = s->op->param[i].writes;
            first = i == 0 || *writes ? s->arg[i].tensor : NAME_NONE;
        }
    }
    return first;
}

static void note_names(RelatedNames *names, const Stmt *s) {
    if (s->kind == STMT_WITH) {
        names->modes = true;
    }
    bool writes;
    NameId self = s->kind == STMT_OP ? operand_noted(s, &writes) : NAME_NONE;
    if (self == NAME_NONE) {
        return;
    }
    bool view = s->op->kind == KIND_VIEW || s->op->kind == KIND_MULTI_VIEW ||
                s->op->id == OP_detach ||
                (s->op->id == OP_getitem && indexes_basically(&s->arg[1]));
    if (writes && s->op->kind != KIND_META && s->op->kind != KIND_INPLACE_VIEW) {
        names->written = self;
    }
    if (writes && s->op->kind == KIND_INPLACE_VIEW) {
        names->relaid = self;
    }
    names->after_detach |= s->op->id == OP_detach || s->op->id == OP_detach_;
    for (int i = 0; i < s->nout && (view || writes); i++) {
        if (s->out[i] != self) {
            names->parent[s->out[i]] = self;
            names->second[s->out[i]] = writes;
        }
    }
}

static bool is_within(const RelatedNames *names, NameId name, NameId of) {
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

static NameId own_name(const RelatedNames *names, NameId name) {
    for (int steps = 0; steps < MAX_NAMES && names->second[name]; steps++) {
        name = names->parent[name];
    }
    return name;
}

static NameId root_of_name(const RelatedNames *names, NameId name) {
    for (int steps = 0; steps < MAX_NAMES && names->parent[name] != name; steps++) {
        name = names->parent[name];
    }
    return name;
}

static const char *relation(const RelatedNames *names) {
    if (names->written == NAME_NONE) {
        return "without a write";
    }
    NameId checked = own_name(names, names->checked), written = own_name(names, names->written);
    return checked == written                   ? "of a written tensor"
           : is_within(names, written, checked) ? "of a tensor whose view is written"
           : is_within(names, checked, written) ? "of a view whose base is written"
           : root_of_name(names, checked) == root_of_name(names, written)
               ? "of a view, another of which is written"
               : "of another tensor than is written";
}

static RelatedNames related_names(Arena *arena, const Program *p) {
    RelatedNames names = {.parent = arena_array(arena, NameId, p->nnames + 1),
                          .second = arena_array(arena, bool, p->nnames + 1),
                          .checked = NAME_NONE,
                          .written = NAME_NONE,
                          .relaid = NAME_NONE};
    for (int i = 0; i < p->nnames; i++) {
        names.parent[i] = (NameId)i;
    }
    return names;
}

/* The name of the return or input that the finding is about, or NAME_NONE. */
static NameId name_of_subject(const Program *p, const Finding *finding) {
    int i = finding->index;
    return finding->subject == SUBJECT_RETURN && i >= 0 && i < p->nreturns ? p->returns[i]
           : finding->subject == SUBJECT_INPUT && i >= 0 && i < p->ninputs ? p->inputs[i].name
           : finding->subject == SUBJECT_ARG ? finding_made_argument(p, finding)
                                             : NAME_NONE;
}

const char *stage_flag_relation(Arena *arena, const Program *p, const Finding *finding) {
    RelatedNames names = related_names(arena, p);
    for (int sid = 0; sid < p->nstmts && names.checked == NAME_NONE; sid++) {
        const Stmt *s = program_stmt(p, sid);
        names.checked = flag_asked(s);
        note_names(&names, s);
    }
    if (names.checked == NAME_NONE && finding->oracle == ORACLE_flags) {
        names.checked = name_of_subject(p, finding);
    }
    return names.checked == NAME_NONE ? NULL
                                      : arena_printf(arena, "%s%s%s", relation(&names),
                                                     names.after_detach ? ", detach" : "",
                                                     names.modes ? ", grad modes" : "");
}

const char *stage_layout_relation(Arena *arena, const Program *p, const Finding *finding) {
    bool input = finding->oracle == ORACLE_values && strcmp(finding->kind, "input") == 0;
    bool layout =
        finding->oracle == ORACLE_metadata &&
        (strcmp(finding->kind, "stride") == 0 || strcmp(finding->kind, "storage_offset") == 0);
    RelatedNames names = related_names(arena, p);
    names.checked = input || layout ? name_of_subject(p, finding) : NAME_NONE;
    if (names.checked == NAME_NONE) {
        return NULL;
    }
    for (int sid = 0; sid < p->nstmts; sid++) {
        note_names(&names, program_stmt(p, sid));
    }
    bool relaid = names.relaid != NAME_NONE &&
                  own_name(&names, names.relaid) == own_name(&names, names.checked);
    return input ? (relaid ? "values of an input whose layout changes in place" : NULL)
           : relaid || names.written == NAME_NONE
               ? NULL
               : arena_printf(arena, "layout %s", relation(&names));
}
