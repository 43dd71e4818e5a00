/* Where a difference begins. The program is cut before its first op statement, after it, after the second, and so on; each prefix
 * probes the flags of every name bound by then, branches on them, and returns those names (WIDE), or only what its last statement made or wrote (NARROW:
 * returning more can hide a difference, and changes what gradients mean). The first prefix that shows any difference names the
 * culprit, and that difference, not the one seen at the end, names the signature: a stale flag is "trace-requires_grad-setitem"
 * whether an assertion, a branch or a return showed it. If no prefix differs (the difference needs what comes later), the signature is
 * the finding's own, with the last statement that makes or writes its subject. Above LINEAR statements the scan is a bisection,
 * which finds some statement at which a difference appears. */
#include "harness/check.h"
#include "harness/edit.h"
#include "program/uses.h"

#include <stdio.h>
#include <string.h>

enum { LINEAR = 64, MAX_SHOWN = 48 };

typedef enum Width { WIDE, NARROW } Width;

typedef struct Locate {
    Checker checker;         /* a copy: counters of the caller's stay */
    const Program *program;
    OracleId oracle;         /* that the finding is about */
    bool external;           /* a prefix shows the finding only if the same oracle fires: targets differ in many ways */
    bool backward;           /* the finding is about the backward: prefixes run one */
    Width width;
    Finding found;           /* what the last differing prefix showed */
    Arena scratch;
} Locate;

/* ---- prefixes ---- */

typedef struct NameSet {
    NameId name[MAX_SHOWN];
    int n;
} NameSet;

static void add_name(NameSet *set, NameId name) {
    for (int i = 0; i < set->n; i++) {
        if (set->name[i] == name) {
            return;
        }
    }
    if (set->n < MAX_SHOWN) {
        set->name[set->n++] = name;
    }
}

static void add_bound(void *user, NameId *name, Use use) {
    if (use == USE_BIND) {
        add_name(user, *name);
    }
}

static void add_made(void *user, NameId *name, Use use) {
    if (use != USE_READ) {
        add_name(user, *name);
    }
}

/* Names that are bound for sure at the end of a prefix: of an IF, only the branch in which the prefix ends counts. */
static void bound_in(const Block *block, bool on_path, NameSet *set) {
    for (Stmt *s = block->first; s; s = s->next) {
        bool last = on_path && !s->next;
        if (s->kind == STMT_OP) {
            stmt_uses(s, add_bound, set);
        } else if (s->kind == STMT_WITH) {
            bound_in(&s->body, last, set);
        } else if (s->kind == STMT_IF && last) {
            bound_in(s->orelse.first ? &s->orelse : &s->body, true, set);
        }
    }
}

static void add_arguments(const Program *p, NameSet *set) {
    for (int i = 0; p->args_given && i < p->nargs; i++) {
        add_name(set, p->args[i]);
    }
    for (int i = 0; !p->args_given && i < p->ninputs; i++) {
        add_name(set, p->inputs[i].name);
    }
}

/* Puts probes of `kind` of all names behind `last` (NULL: at the start of the empty body); returns the last of them. */
static Stmt *add_probes(Program *p, Stmt *last, ProbeKind kind, const NameSet *names) {
    for (int i = 0; i < names->n; i++) {
        Stmt *probe = arena_new(p->arena, Stmt);
        *probe = (Stmt){.kind = STMT_PROBE, .probe = kind, .of = names->name[i]};
        if (last) {
            edit_insert_after(p, last, probe);
        } else {
            p->body = (Block){probe, 1};
            program_number(p);
        }
        last = probe;
    }
    return last;
}

/* ... and a branch on each name's requires_grad, with a probe inside: a branch may be decided on another copy of the flag. */
static Stmt *add_branches(Program *p, Stmt *last, const NameSet *names) {
    for (int i = 0; i < names->n && last; i++) {
        Stmt *probe = arena_new(p->arena, Stmt), *branch = arena_new(p->arena, Stmt);
        *probe = (Stmt){.kind = STMT_PROBE, .probe = PROBE_is_grad_enabled, .of = NAME_NONE};
        *branch = (Stmt){.kind = STMT_IF, .predicate = {.kind = PRED_requires_grad, .of = names->name[i]}, .body = {probe, 1}};
        edit_insert_after(p, last, branch);
        last = branch;
    }
    return last;
}

/* Does the prefix that ends with statement `sid` (AT_INPUTS: the empty one) show a difference? */
static bool prefix_differs(Locate *l, int sid) {
    arena_reset(&l->scratch);
    Program *p = program_clone(&l->scratch, l->program);
    p->expect = NULL;
    Stmt *last = sid >= 0 ? program_stmt(p, sid) : NULL;
    edit_cut(p, sid);
    NameSet names = {.n = 0}, made = {.n = 0};
    add_arguments(p, &names);
    bound_in(&p->body, true, &names);
    if (last) {
        stmt_uses(last, add_made, &made);
    }
    const NameSet *shown = l->width == WIDE ? &names : &made;
    p->returns = arena_copy(&l->scratch, shown->name, (int64_t)sizeof(NameId) * shown->n);
    p->nreturns = shown->n;
    last = add_branches(p, add_probes(p, last, PROBE_requires_grad, &names), &names);
    if (l->width == WIDE) { /* is_leaf asks for the history, and may raise: after the others */
        add_probes(p, last, PROBE_is_leaf, &names);
    }
    p->backward.of = NULL;
    p->backward.nof = -1;
    p->backward.given = p->backward.given && l->backward;
    Outcome out;
    check_program(&l->checker, p, &l->scratch, &out);
    bool differs = out.verdict == FINDING && (!l->external || out.finding.oracle == l->oracle);
    if (differs) {
        l->found = out.finding;
    }
    return differs;
}

static bool first_differing(Locate *l, Width width, const int *candidates, int n, int *culprit) {
    l->width = width;
    if (n <= LINEAR) {
        for (int i = 0; i < n; i++) {
            if (prefix_differs(l, candidates[i])) {
                *culprit = candidates[i];
                return true;
            }
        }
        return false;
    }
    int low = 0, high = n - 1;
    if (!prefix_differs(l, candidates[high])) {
        return false;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (prefix_differs(l, candidates[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *culprit = candidates[low];
    return prefix_differs(l, candidates[low]);
}

/* ---- without running ---- */

typedef struct Touch {
    NameId name;
    bool made, read;
} Touch;

static void touch(void *user, NameId *name, Use use) {
    Touch *t = user;
    if (*name == t->name) {
        t->made |= use != USE_READ;
        t->read |= use == USE_READ;
    }
}

/* The last statement that makes or writes the subject, else the first that reads it. */
static int by_name(Stmt *const *stmts, const int *candidates, int n, NameId subject) {
    int made = AT_UNKNOWN, read = AT_UNKNOWN;
    for (int i = 0; i < n; i++) {
        Touch t = {.name = subject};
        stmt_uses(stmts[candidates[i]], touch, &t);
        made = t.made ? candidates[i] : made;
        read = t.read && read == AT_UNKNOWN ? candidates[i] : read;
    }
    return made != AT_UNKNOWN ? made : read;
}

/* The name that the finding is about, or NAME_NONE. */
static NameId subject_of(const Program *p, const Finding *f) {
    const Stmt *s = f->sid >= 0 ? program_stmt(p, f->sid) : NULL;
    if (s && s->kind == STMT_PROBE && s->probe != PROBE_is_grad_enabled) {
        return s->of;
    }
    if (f->subject == SUBJECT_RETURN && f->index < p->nreturns) {
        return p->returns[f->index];
    }
    return f->subject == SUBJECT_INPUT && f->index < p->ninputs ? p->inputs[f->index].name : NAME_NONE;
}

static const char *name_of(const Program *p, int culprit) {
    if (culprit < 0) {
        return culprit == AT_RETURN ? "return" : culprit == AT_BACKWARD ? "backward" : culprit != AT_INPUTS ? "program" : p->setup.first ? "setup" : "inputs";
    }
    const Stmt *s = program_stmt(p, culprit);
    switch (s->kind) {
    case STMT_OP: return s->op->name;
    case STMT_WITH: return "with";
    case STMT_IF: return "if";
    case STMT_ASSERT: return "assert";
    case STMT_PROBE: return "probe";
    case STMT_GRAD: return "grad";
    case STMT_GRAPH_BREAK: return "graph_break";
    }
    return "program";
}

static bool in_setup(const Program *p, int sid) { return sid >= 0 && sid < (p->body.first ? p->body.first->sid : p->nstmts); }

void check_locate(Checker *c, const Program *p, Finding *finding, Arena *arena) {
    Locate l = {.checker = *c, .program = p, .oracle = finding->oracle, .external = checker_is_external(c)};
    l.backward = finding->oracle == ORACLE_gradients || finding->sid == AT_BACKWARD;
    Stmt **stmts = edit_statements(arena, program_clone(arena, p));
    int *candidates = arena_array(arena, int, p->nstmts + 2);
    int n = 0, end = finding->sid >= 0 ? finding->sid : p->nstmts - 1;
    candidates[n++] = AT_INPUTS;
    for (int sid = p->body.first ? p->body.first->sid : p->nstmts; sid <= end; sid++) {
        if (stmts[sid]->kind == STMT_OP) {
            candidates[n++] = sid;
        }
    }
    const Finding *root = &l.found;
    finding->culprit = AT_UNKNOWN;
    bool failed = strcmp(finding->kind, "crash") == 0 || strcmp(finding->kind, "timeout") == 0; /* each prefix would cost a process */
    bool found = (!failed && !l.backward && first_differing(&l, WIDE, candidates, n, &finding->culprit)) ||
                 (!failed && first_differing(&l, NARROW, candidates, n, &finding->culprit));
    if (found && finding->culprit == AT_INPUTS && in_setup(p, root->sid)) {
        finding->culprit = root->sid; /* nothing but the setup ran */
    }
    if (!found) {
        root = finding;
        NameId subject = subject_of(p, finding);
        if (subject != NAME_NONE) {
            finding->culprit = by_name(stmts, candidates + 1, n - 1, subject);
        }
        if (finding->culprit == AT_UNKNOWN) {
            finding->culprit = finding->sid;
        }
    }
    snprintf(finding->signature, sizeof finding->signature, "%s-%s-%.40s", oracle_name(root->oracle), root->kind, name_of(p, finding->culprit));
    arena_destroy(&l.scratch);
}
