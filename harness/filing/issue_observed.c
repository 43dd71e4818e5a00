/* The expression of a report's script that differs between eager mode and the compiler. */
#include "harness/filing/issue_script.h"

#include <string.h>

/* The tensor that the finding is about. */
const char *script_subject(const Issue *issue, const Printer *pr, bool probes) {
    const Finding *f = issue->finding;
    if (f->subject == SUBJECT_RETURN) {
        return arena_printf(pr->t->arena, "r[%d]", f->index + probes);
    }
    NameId made = finding_made_argument(issue->program, f);
    if (made != NAME_NONE) {
        return print_name(pr, made);
    }
    int ninputs;
    bool grad_mode;
    const Input *inputs = program_call_inputs(issue->program, f->call, &ninputs, &grad_mode);
    return f->subject == SUBJECT_INPUT && f->index < ninputs ? print_name(pr, inputs[f->index].name)
                                                             : "None";
}

/* Does the program give a tensor another geometry in place? */
static bool script_changes_geometry(const Program *p) {
    bool found = false;
    for (int sid = 0; sid < p->nstmts; sid++) {
        const Stmt *s = program_stmt(p, sid);
        found |=
            s->kind == STMT_OP && (s->op->kind == KIND_INPLACE_VIEW || s->op->kind == KIND_STORAGE);
    }
    return found;
}

/* Is the finding about an input that may be other than all of its storage, which is compared as a
 * whole? */
static bool subject_has_gaps(const Issue *issue) {
    const Finding *f = issue->finding;
    int ninputs;
    bool grad_mode;
    const Input *inputs = program_call_inputs(issue->program, f->call, &ninputs, &grad_mode);
    if (f->subject != SUBJECT_INPUT || f->index >= ninputs) {
        return false;
    }
    const Input *in = &inputs[f->index];
    int64_t step = 1;
    bool whole =
        in->offset == 0 && in->storage == NAME_NONE && !script_changes_geometry(issue->program);
    for (int d = in->ndim - 1; d >= 0; d--) {
        whole &= in->stride[d] == step;
        step *= in->size[d];
    }
    return !whole;
}

/* Which arguments and earlier returns the subject shares its storage with. */
static const char *observed_sharing(const Issue *issue, const Printer *pr, const char *of) {
    const Program *p = issue->program;
    const Finding *f = issue->finding;
    Text t = {.arena = pr->t->arena};
    int ninputs;
    bool grad_mode;
    const Input *inputs = program_call_inputs(p, f->call, &ninputs, &grad_mode);
    text_printf(&t, "[t.untyped_storage().data_ptr() == %s.untyped_storage().data_ptr() for t in [",
                of);
    int n = 0;
    for (int i = 0; i < ninputs; i++) {
        text_printf(&t, n++ ? ", %s" : "%s", print_name(pr, inputs[i].name));
    }
    for (int k = 0; f->subject == SUBJECT_RETURN && k < f->index; k++) {
        text_printf(&t, n++ ? ", r[%d]" : "r[%d]", k);
    }
    text_add(&t, "]]");
    return t.v;
}

/* What the finding's text says that the gradient shares memory with ("grad:input:x", "return:0"),
 * as the script names it. */
static const char *memory_owner(const Issue *issue, const Printer *pr) {
    static const char says[] = "the memory of ";
    const Finding *f = issue->finding;
    const Program *p = issue->program;
    const char *owner = strstr(f->b, says) ? f->b : f->a;
    owner = strstr(owner, says) ? strstr(owner, says) + strlen(says) : "";
    const bool grad = strncmp(owner, "grad:", 5) == 0;
    owner += grad ? 5 : 0;
    const char *name = strchr(owner, ':') ? strchr(owner, ':') + 1 : "";
    const char *of = "None";
    if (strncmp(owner, "return:", 7) == 0) {
        of = arena_printf(pr->t->arena, "r[%s]", name);
    }
    for (NameId id = 0; id < p->nnames && strncmp(owner, "return:", 7) != 0; id++) {
        of = strcmp(p->names[id], name) == 0 ? print_name(pr, id) : of;
    }
    return arena_printf(pr->t->arena, grad ? "%s.grad" : "%s", of);
}

static const char *observed_gradient(const Issue *issue, const Printer *pr, const char *of) {
    if (strcmp(issue->finding->kind, "grad_requires_grad") == 0) {
        return arena_printf(pr->t->arena, "%s.grad.requires_grad", of);
    }
    return strcmp(issue->finding->kind, "grad_alias") == 0
               ? arena_printf(pr->t->arena,
                              "%s.grad.untyped_storage().data_ptr() == "
                              "%s.untyped_storage().data_ptr()",
                              of, memory_owner(issue, pr))
               : arena_printf(pr->t->arena, "%s.grad", of);
}

/* The expression that reads what is kept for the thread. */
static const char *observed_state(Arena *arena, const char *name) {
    static const struct {
        const char *name, *reader;
    } states[] = {
#define STATE(name, reader) {#name, reader},
#include "program/print/state.def"
#undef STATE
    };
    const char *reader = NULL;
    for (int i = 0; i < COUNT_OF(states); i++) {
        reader = strcmp(states[i].name, name) == 0 ? states[i].reader : reader;
    }
    return reader ? arena_printf(arena, "%s()", reader) : "None"; /* a name of another target */
}

static const char *observed_value(const Issue *issue, const Printer *pr, bool probes) {
    const Finding *f = issue->finding;
    Arena *arena = pr->t->arena;
    const char *of = script_subject(issue, pr, probes);
    if (f->oracle == ORACLE_alias) {
        return observed_sharing(issue, pr, of);
    }
    if (probes) {
        return "r[0]";
    }
    if (f->oracle == ORACLE_gradients) {
        return observed_gradient(issue, pr, of);
    }
    if (f->oracle == ORACLE_values) {
        return f->subject == SUBJECT_RETURN ? arena_printf(arena, "%s.detach()", of)
               : subject_has_gaps(issue)    ? arena_printf(arena,
                                                           "torch.empty(0, dtype=%s.dtype)"
                                                              ".set_(%s.untyped_storage())",
                                                           of, of)
                                            : of;
    }
    if (f->oracle == ORACLE_flags) {
        return arena_printf(arena, "%s.%s", of, f->kind);
    }
    if (f->oracle == ORACLE_state) {
        return observed_state(arena, f->kind);
    }
    if (f->oracle == ORACLE_metadata && strcmp(f->kind, "version") == 0) {
        return arena_printf(arena, "%s._version", of);
    }
    if (f->oracle == ORACLE_metadata && strcmp(f->kind, "uncounted_write") == 0) {
        return arena_printf(arena, "%s._version > 0", of);
    }
    if (f->oracle == ORACLE_metadata && strcmp(f->kind, "storage_offset") == 0) {
        return arena_printf(arena, "%s.storage_offset()", of);
    }
    if (f->oracle == ORACLE_metadata) {
        return arena_printf(arena, "(%s.dtype, %s.size(), %s.stride())", of, of, of);
    }
    return "None";
}

const char *script_observed(const Issue *issue, const Printer *pr, bool probes) {
    const char *value = observed_value(issue, pr, probes);
    return strcmp(issue->finding->kind, "zero_sign") == 0
               ? arena_printf(pr->t->arena, "torch.signbit(%s) & (%s == 0)", value, value)
               : value;
}
