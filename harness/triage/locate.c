/* Where a difference begins. The program is cut before its first op or graph break, after it, after
 * the second, and so on. Each prefix probes the flags of every name that is bound at its end,
 * branches on them, and returns those names (WIDE) or only what its last op made or wrote (NARROW:
 * returning more can hide a difference, and changes the gradients). The first prefix that differs
 * names the culprit, and its difference names the signature: a stale flag is
 * "trace-requires_grad-setitem" whether an assertion, a branch or a return showed it.
 *
 * If no prefix differs (the difference depends on later statements), the signature is that of the
 * finding, with the last statement that ran and that makes or writes its subject. Above LINEAR
 * candidates the scan is a bisection, which finds one of the statements at which a difference
 * appears. */
#include "harness/triage/locate.h"

#include "harness/triage/cause.h"
#include "harness/reduce/edit.h"
#include "harness/triage/prefix.h"
#include "program/lang/uses.h"

#include <stdio.h>
#include <string.h>

enum { LINEAR = 64 };

typedef enum Width { WIDE, NARROW } Width;

typedef struct Locate {
    Checker checker; /* a copy: counters of the caller's stay */
    const Program *program;
    OracleId oracle; /* that the finding is about */
    bool external;   /* a target is in the pair: a prefix shows the finding only if the same oracle
                        fires, since targets differ in many ways */
    bool backward;   /* the finding is about the backward pass, so prefixes run one */
    Width width;
    Finding found; /* what the last differing prefix showed */
    Arena scratch;
} Locate;

/* ---- prefixes ---- */

/* What the statement makes or writes; for a graph break, what the op before it does. */
static void made_at(const Program *p, int sid, NameSet *made) {
    int first = p->body.first ? p->body.first->sid : p->nstmts;
    while (sid > first && program_stmt(p, sid)->kind == STMT_GRAPH_BREAK) {
        sid--;
    }
    if (sid >= 0) {
        prefix_made(program_stmt(p, sid), made);
    }
}

/* Does the prefix that ends with statement `sid` (AT_INPUTS: the empty one) show a difference? */
static bool prefix_differs(Locate *l, int sid) {
    arena_reset(&l->scratch);
    NameSet names = {.n = 0}, made = {.n = 0};
    made_at(l->program, sid, &made);
    Program *p = prefix_cut(&l->scratch, l->program, sid);
    prefix_names(p, &names);
    Stmt *last = sid >= 0 ? program_stmt(p, sid) : NULL;
    const NameSet *shown = l->width == WIDE ? &names : &made;
    prefix_return(p, shown);
    last = prefix_branch(p, prefix_probe(p, last, PROBE_requires_grad, &names), &names);
    if (l->width == WIDE) { /* is_leaf materializes grad_fn, which may raise: after the others */
        prefix_probe(p, last, PROBE_is_leaf, &names);
    }
    p->backward.of = NULL;
    p->backward.nof = -1;
    p->backward.given = p->backward.given && l->backward;
    CheckResult out;
    check_program(&l->checker, p, &l->scratch, &out);
    bool differs = out.verdict == FINDING && (!l->external || out.finding.oracle == l->oracle);
    bool first_inconclusive = out.first_inconclusive &&
                              out.first_inconclusive->oracle == ORACLE_trace &&
                              !l->external; /* flags do not depend on values */
    if (differs || first_inconclusive) {
        l->found = first_inconclusive ? *out.first_inconclusive : out.finding;
    }
    return differs || first_inconclusive;
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

typedef struct LocateTouch {
    NameId name;
    bool made, read;
} LocateTouch;

static void touch(void *user, NameId *name, Use use) {
    LocateTouch *t = user;
    if (*name == t->name) {
        t->made |= use != USE_READ;
        t->read |= use == USE_READ;
    }
}

/* Which candidates the reference begins to execute in call `call`, by sid: a program with a probe
 * before each of them tells. NULL if the reference cannot run the program. */
static bool *statements_run(Locate *l, int call, const int *candidates, int n) {
    Program *p = program_clone(&l->scratch, l->program);
    int nstmts = p->nstmts;
    Stmt **stmts = edit_statements(&l->scratch, p),
         **probe = arena_array(&l->scratch, Stmt *, nstmts + 1);
    for (int i = 0; i < n; i++) {
        Stmt *mark = stmt_make(p->arena, STMT_PROBE);
        mark->probe = PROBE_is_grad_enabled;
        mark->of = NAME_NONE;
        edit_insert_before(p, stmts[candidates[i]], mark);
        probe[candidates[i]] = mark;
    }
    RunOptions run = {.limits = l->checker.run.limits};
    const Result *r = l->checker.reference.run(&l->checker.reference, p, &run, &l->scratch);
    const CallResult *c = call < r->ncalls ? &r->calls[call] : NULL;
    if (!c || c->no_trace || (!c->ok && (c->error == ERR_unsupported || c->error == ERR_limit))) {
        return NULL;
    }
    bool *traced = arena_array(&l->scratch, bool, p->nstmts + 1),
         *ran = arena_array(&l->scratch, bool, nstmts + 1);
    for (int i = 0; i < c->ntrace; i++) {
        traced[c->trace[i].sid] = true;
    }
    for (int i = 0; i < n; i++) {
        ran[candidates[i]] = traced[probe[candidates[i]]->sid];
    }
    return ran;
}

/* The last statement that ran (NULL: any) and makes or writes the subject, else the first that
 * reads it. */
static int locate_by_name(Stmt *const *stmts, const int *candidates, int n, const bool *ran,
                          NameId subject) {
    int made = AT_UNKNOWN, read = AT_UNKNOWN;
    for (int i = 0; i < n; i++) {
        if (ran && !ran[candidates[i]]) {
            continue;
        }
        LocateTouch t = {.name = subject};
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
    if (f->subject == SUBJECT_ARG) {
        return finding_made_argument(p, f);
    }
    return f->subject == SUBJECT_INPUT && f->index < p->ninputs ? p->inputs[f->index].name
                                                                : NAME_NONE;
}

static const char *locate_name_of(const Program *p, int culprit) {
    if (culprit < 0) {
        return culprit == AT_RETURN     ? "return"
               : culprit == AT_BACKWARD ? "backward"
               : culprit != AT_INPUTS   ? "program"
               : p->setup.first         ? "setup"
                                        : "inputs";
    }
    return locate_stmt_name(p, program_stmt(p, culprit));
}

const char *locate_stmt_name(const Program *p, const Stmt *s) {
    switch (s->kind) {
    case STMT_OP:
        return s->op->name;
    case STMT_WITH:
        return "with";
    case STMT_IF:
        return "if";
    case STMT_ASSERT:
        return "assert";
    case STMT_PROBE:
        return "probe";
    case STMT_GRAD:
        return s->grad->accumulates ? "backward" : "grad";
    case STMT_GRAPH_BREAK:
        return "graph_break";
    case STMT_APPLY:
        return "apply";
    case STMT_HOOK:
        return program_hook_name(p, s->hook);
    case STMT_DOT_GRAD:
        return s->dot_grad->set ? "set_grad" : "get_grad";
    case STMT_COUNT:
        break;
    }
    return "program";
}

static bool in_setup(const Program *p, int sid) {
    return sid >= 0 && sid < (p->body.first ? p->body.first->sid : p->nstmts);
}

static void set_root(const Program *p, Finding *finding, OracleId oracle, const char *kind) {
    char copy[sizeof finding->root.kind];
    snprintf(copy, sizeof copy, "%s", kind); /* it may be that of the root */
    finding->root.oracle = oracle;
    snprintf(finding->root.kind, sizeof finding->root.kind, "%s", copy);
    snprintf(finding->root.op, sizeof finding->root.op, "%.40s",
             locate_name_of(p, finding->culprit));
}

void check_symptom(Checker *c, const Program *p, Finding *finding, Arena *arena) {
    Locate l = {
        .checker = *c, .program = p, .oracle = finding->oracle, .external = checker_is_external(c)};
    l.backward = finding->oracle == ORACLE_gradients || finding->sid == AT_BACKWARD;
    Stmt **stmts = edit_statements(arena, program_clone(arena, p));
    int *candidates = arena_array(arena, int, p->nstmts + 2);
    int n = 0, end = finding->sid >= 0 ? finding->sid : p->nstmts - 1;
    end = p->after.first && end >= p->after.first->sid ? p->after.first->sid - 1 : end;
    candidates[n++] = AT_INPUTS;
    for (int sid = p->body.first ? p->body.first->sid : p->nstmts; sid <= end; sid++) {
        StmtKind kind = stmts[sid]->kind;
        bool gradient = kind == STMT_GRAD || kind == STMT_DOT_GRAD;
        if (prefix_is_step(stmts[sid]) && !(gradient && l.external)) {
            candidates[n++] = sid;
        }
    }
    const Finding *root = &l.found;
    finding->culprit = AT_UNKNOWN;
    bool failed = strcmp(finding->kind, "crash") == 0 ||
                  strcmp(finding->kind, "timeout") == 0; /* each prefix would cost a process */
    bool found =
        (!failed && !l.backward && first_differing(&l, WIDE, candidates, n, &finding->culprit)) ||
        (!failed && first_differing(&l, NARROW, candidates, n, &finding->culprit));
    if (found && finding->culprit == AT_INPUTS && in_setup(p, root->sid)) {
        finding->culprit = root->sid; /* nothing but the setup ran */
    }
    if (!found) {
        root = finding;
        NameId subject = subject_of(p, finding);
        if (subject != NAME_NONE) {
            arena_reset(&l.scratch);
            const bool *ran = statements_run(&l, finding->call, candidates + 1, n - 1);
            finding->culprit = locate_by_name(stmts, candidates + 1, n - 1, ran, subject);
        }
        if (finding->culprit == AT_UNKNOWN) {
            finding->culprit = finding->sid;
        }
    }
    set_root(p, finding, root->oracle, root->kind);
    arena_destroy(&l.scratch);
}

static bool calls_with_out(const Program *p, int sid) {
    const Stmt *s = sid >= 0 && sid < p->nstmts ? program_stmt(p, sid) : NULL;
    return s && s->kind == STMT_OP && s->op->out_dtype != OUT_NOT;
}

void check_locate(Checker *c, const Program *p, Finding *finding, Arena *arena) {
    check_symptom(c, p, finding, arena);
    cause_find(c, p, finding);
    const Symptom *root = &finding->root;
    const char *step = finding->cause.limit >= 0
                           ? (finding->cause.rule[0] ? finding->cause.rule : finding->cause.stage)
                           : "";
    const char *out = finding->cause.stage[0] && calls_with_out(p, finding->culprit) ? ".out" : "";
    snprintf(finding->signature, sizeof finding->signature, "%s-%s-%s%s%s%s",
             oracle_name(root->oracle), root->kind, root->op, out, step[0] ? "-" : "", step);
}

void check_sketch(const Program *p, Finding *finding, Arena *arena) {
    Stmt **stmts = edit_statements(arena, program_clone(arena, p));
    int *candidates = arena_array(arena, int, p->nstmts + 1), n = 0;
    for (int sid = p->body.first ? p->body.first->sid : p->nstmts; sid < p->nstmts; sid++) {
        if (stmts[sid]->kind == STMT_OP || stmts[sid]->kind == STMT_GRAPH_BREAK) {
            candidates[n++] = sid;
        }
    }
    NameId subject = subject_of(p, finding);
    finding->culprit =
        subject != NAME_NONE ? locate_by_name(stmts, candidates, n, NULL, subject) : AT_UNKNOWN;
    finding->culprit = finding->culprit == AT_UNKNOWN ? finding->sid : finding->culprit;
    set_root(p, finding, finding->oracle, finding->kind);
    snprintf(finding->signature, sizeof finding->signature, "%s-%s-%s",
             oracle_name(finding->oracle), finding->root.kind, finding->root.op);
}

const char *signature_op(const char *signature, int *length) {
    const char *kind = strchr(signature, '-');
    const char *op = kind ? strchr(kind + 1, '-') : NULL;
    *length = op ? (int)strcspn(op + 1, "-") : 0;
    return op ? op + 1 : "";
}
