/* Where a difference begins. The program is cut after its first op statement, its second, and so on; each prefix returns what its last
 * statement made or wrote (or probes what the finding is about), and the first prefix that shows the same oracle and kind names the
 * culprit. If none does (the difference needs what comes later), the culprit is the last statement that makes or writes the
 * subject. Above LINEAR statements the scan is a bisection, which finds some statement at which the difference appears. */
#include "harness/check.h"
#include "harness/edit.h"
#include "program/uses.h"

#include <stdio.h>
#include <string.h>

enum { LINEAR = 64 };

typedef struct Locate {
    Checker checker;         /* a copy: counters of the caller's stay */
    const Program *program;
    const Finding *finding;
    bool probes;             /* look through a probe of `subject` */
    ProbeKind probe;
    NameId subject;          /* the name the finding is about, or NAME_NONE */
    Arena scratch;
} Locate;

/* ---- what the finding is about ---- */

static bool probe_of_predicate(const Predicate *p, ProbeKind *probe, NameId *of) {
    while (p->kind == PRED_not) {
        p = p->inner;
    }
    *of = p->of;
    switch (p->kind) {
    case PRED_requires_grad: *probe = PROBE_requires_grad; return true;
    case PRED_is_leaf: *probe = PROBE_is_leaf; return true;
    case PRED_has_grad_fn: *probe = PROBE_has_grad_fn; return true;
    case PRED_is_contiguous: *probe = PROBE_is_contiguous; return true;
    case PRED_dtype: *probe = PROBE_dtype; return true;
    case PRED_dim: *probe = PROBE_size; return true;
    default: *of = NAME_NONE; return false;
    }
}

static void find_subject(Locate *l) {
    const Program *p = l->program;
    const Finding *f = l->finding;
    l->subject = NAME_NONE;
    const Stmt *s = f->sid >= 0 ? program_stmt(p, f->sid) : NULL;
    if (f->oracle == ORACLE_trace && s && s->kind == STMT_PROBE && strcmp(f->kind, "path") != 0) {
        l->probes = s->probe != PROBE_is_grad_enabled;
        l->probe = s->probe;
        l->subject = l->probes ? s->of : NAME_NONE;
    } else if (s && s->kind == STMT_ASSERT) {
        l->probes = probe_of_predicate(&s->predicate, &l->probe, &l->subject);
    } else if (f->subject == SUBJECT_RETURN && f->index < p->nreturns) {
        l->subject = p->returns[f->index];
    } else if (f->subject == SUBJECT_INPUT && f->index < p->ninputs) {
        l->subject = p->inputs[f->index].name;
    }
}

/* ---- prefixes ---- */

typedef struct Made {
    NameId name[MAX_OUTPUTS + MAX_PARAMS];
    int n;
} Made;

static void collect_made(void *user, NameId *name, Use use) {
    Made *made = user;
    if (use != USE_READ && made->n < COUNT_OF(made->name)) {
        made->name[made->n++] = *name;
    }
}

static bool matches(const Locate *l, const Outcome *out) {
    if (out->verdict != FINDING) {
        return false;
    }
    const Finding *f = &out->finding;
    if (l->probes) {
        return f->oracle == ORACLE_trace && strcmp(f->kind, probe_name(l->probe)) == 0;
    }
    return f->oracle == l->finding->oracle && strcmp(f->kind, l->finding->kind) == 0;
}

/* Does the prefix that ends with statement `sid` show the difference? */
static bool prefix_differs(Locate *l, int sid) {
    arena_reset(&l->scratch);
    Program *p = program_clone(&l->scratch, l->program);
    edit_cut(p, sid);
    Stmt *last = program_stmt(p, sid);
    p->expect = NULL;
    if (l->probes) {
        Stmt *probe = arena_new(&l->scratch, Stmt);
        *probe = (Stmt){.kind = STMT_PROBE, .probe = l->probe, .of = l->subject};
        edit_insert_after(p, last, probe);
        p->nreturns = 0;
        p->backward = (Backward){.given = false};
    } else {
        Made made = {.n = 0};
        stmt_uses(last, collect_made, &made);
        p->returns = arena_copy(&l->scratch, made.name, (int64_t)sizeof(NameId) * made.n);
        p->nreturns = made.n;
        if (l->finding->oracle == ORACLE_gradients || l->finding->sid == AT_BACKWARD) {
            p->backward.of = NULL;
            p->backward.nof = -1;
        } else {
            p->backward = (Backward){.given = false};
        }
    }
    Outcome out;
    check_program(&l->checker, p, &l->scratch, &out);
    return matches(l, &out);
}

static int first_differing(Locate *l, const int *candidates, int n) {
    if (n <= LINEAR) {
        for (int i = 0; i < n; i++) {
            if (prefix_differs(l, candidates[i])) {
                return candidates[i];
            }
        }
        return AT_UNKNOWN;
    }
    int low = 0, high = n - 1;
    if (!prefix_differs(l, candidates[high])) {
        return AT_UNKNOWN;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (prefix_differs(l, candidates[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return candidates[low];
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

static const char *name_of(const Program *p, const Finding *f) {
    if (f->culprit < 0) {
        return f->culprit == AT_RETURN ? "return" : f->culprit == AT_BACKWARD ? "backward" : "program";
    }
    const Stmt *s = program_stmt(p, f->culprit);
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

void check_locate(Checker *c, const Program *p, Finding *finding, Arena *arena) {
    Locate l = {.checker = *c, .program = p, .finding = finding};
    find_subject(&l);
    const Stmt *at = finding->sid >= 0 ? program_stmt(p, finding->sid) : NULL;
    finding->culprit = AT_UNKNOWN;
    if (at && at->kind == STMT_OP) {
        finding->culprit = finding->sid; /* an op at which one raises */
    } else if (finding->oracle != ORACLE_calls) {
        Stmt **stmts = edit_statements(arena, program_clone(arena, p));
        int *candidates = arena_array(arena, int, p->nstmts + 1);
        int n = 0, end = finding->sid >= 0 ? finding->sid : p->nstmts;
        for (int sid = p->body.first ? p->body.first->sid : p->nstmts; sid < end; sid++) {
            if (stmts[sid]->kind == STMT_OP) {
                candidates[n++] = sid;
            }
        }
        if (!l.probes || l.subject != NAME_NONE) {
            finding->culprit = first_differing(&l, candidates, n);
        }
        if (finding->culprit == AT_UNKNOWN && l.subject != NAME_NONE) {
            finding->culprit = by_name(stmts, candidates, n, l.subject);
        }
        if (finding->culprit == AT_UNKNOWN && finding->sid != AT_UNKNOWN) {
            finding->culprit = finding->sid;
        }
    }
    snprintf(finding->signature, sizeof finding->signature, "%s-%s-%.40s", oracle_name(finding->oracle), finding->kind, name_of(p, finding));
    arena_destroy(&l.scratch);
}
