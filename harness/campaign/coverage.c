/* The features of a program are collected after one check from the counters of the compiler, the
 * reference's table of executed ops, and the results.
 *
 * A step is recorded with the state of the program: how its tensors alias (inputs on one storage,
 * an input written, a return that aliases, none) and how far autograd is involved (a gradient
 * inside the function, a backward, grad mode off, none).
 *
 * Edges: where code is compiled with inline 8-bit counters (-fsanitize-coverage, make EDGES=1),
 * its counters are registered before main, cleared before a program and read after it. Under
 * libFuzzer the engine's own function of that name receives them, and there are no edges here. */
#include "harness/campaign/coverage.h"
#include "tensor/array.h"

#include "harness/triage/locate.h"

#include <stdlib.h>
#include <string.h>

typedef enum CoverageKind {
    COVERAGE_STEP,
    COVERAGE_PASSES,
    COVERAGE_OP_DTYPE,
    COVERAGE_ERROR,
    COVERAGE_SKIP,
    COVERAGE_ORACLE,
    COVERAGE_SIGNATURE,
    COVERAGE_CALLS,
    COVERAGE_EDGE,
    COVERAGE_KINDS
} CoverageKind;
static const char *const COVERAGE_NAMES[COVERAGE_KINDS] = {
    "step", "pass", "op", "error", "skip", "oracle", "signature", "calls", "edge"};

typedef enum Aliasing { APART, ALIASED, WRITTEN, SHARED, ALIASINGS } Aliasing;
static const char *const ALIASING_NAMES[ALIASINGS] = {"apart", "aliased", "written", "shared"};
typedef enum Autograd { FORWARD, NO_GRAD, BACKWARD, INNER, AUTOGRADS } Autograd;
static const char *const AUTOGRAD_NAMES[AUTOGRADS] = {"forward", "no_grad", "backward", "inner"};
typedef enum CallsFeature {
    CALLS_SETUP,
    CALLS_RECALL,
    CALLS_KEEP,
    CALLS_HIT,
    CALLS_REGIONS,
    CALLS_FEATURES
} CallsFeature;
static const char *const CALLS_NAMES[CALLS_FEATURES] = {"setup", "recall", "keep", "hit",
                                                        "regions"};

/* ---- edges ---- */

enum { MAX_RANGES = 256 };
/* Static, since constructors register them before main. */
static struct { char *start, *stop; } ranges[MAX_RANGES];
static int nranges;

void __sanitizer_cov_8bit_counters_init(char *start, char *stop);
__attribute__((weak)) void __sanitizer_cov_8bit_counters_init(char *start, char *stop) {
    if (nranges < MAX_RANGES && start < stop &&
        (nranges == 0 || ranges[nranges - 1].start != start)) {
        ranges[nranges].start = start;
        ranges[nranges++].stop = stop;
    }
}
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);
__attribute__((weak)) void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
    (void)start;
    (void)stop;
}

static void coverage_clear_edges(void) {
    for (int i = 0; i < nranges; i++) {
        memset(ranges[i].start, 0, (size_t)(ranges[i].stop - ranges[i].start));
    }
}

/* ---- collecting ---- */

static void coverage_add(CoverageList *list, CoverageKind kind, uint32_t a, uint32_t b) {
    list->v = array_reserve_heap(list->v, list->n, &list->capacity, 256, sizeof *list->v);
    list->v[list->n++] = (uint64_t)kind << 56 | (uint64_t)(a & 0xFFFFFF) << 32 | b;
}

static void coverage_add_edges(CoverageList *list) {
    uint32_t edge = 0;
    for (int i = 0; i < nranges; i++) {
        for (const char *at = ranges[i].start; at < ranges[i].stop; at++, edge++) {
            if (*at) {
                coverage_add(list, COVERAGE_EDGE, 0, edge);
            }
        }
    }
}

static bool has_grad(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_GRAD || has_grad(&s->body) || has_grad(&s->orelse)) {
            return true;
        }
    }
    return false;
}

static Aliasing aliasing_of(const Program *p, const Result *r) {
    for (int i = 0; i < p->ninputs; i++) {
        for (int k = 0; k < i && p->inputs[i].storage != NAME_NONE; k++) {
            if (p->inputs[k].storage == p->inputs[i].storage) {
                return SHARED;
            }
        }
    }
    Aliasing found = APART;
    for (int c = 0; c < r->ncalls; c++) {
        const CallResult *call = &r->calls[c];
        for (int i = 0; i < call->ninputs; i++) {
            found = call->inputs[i].has_version && call->inputs[i].version > 0 ? WRITTEN : found;
        }
        for (int i = 0; i < call->nreturns && found == APART; i++) {
            found = call->returns[i].has_alias && call->returns[i].alias != ALIAS_NONE ? ALIASED
                                                                                       : found;
        }
    }
    return found;
}

static Autograd autograd_of(const Program *p) {
    return has_grad(&p->body)  ? INNER
           : p->backward.given ? BACKWARD
           : !p->grad_mode     ? NO_GRAD
                               : FORWARD;
}

static const Stmt *find_statement(const Block *block, int sid) {
    const Stmt *found = NULL;
    for (const Stmt *s = block->first; s && !found; s = s->next) {
        found = s->sid == sid ? s : find_statement(&s->body, sid);
        found = found ? found : find_statement(&s->orelse, sid);
    }
    return found;
}

static bool coverage_contains(const CoverageList *list, CoverageFeature feature) {
    for (int i = 0; i < list->n; i++) {
        if (list->v[i] == feature) {
            return true;
        }
    }
    return false;
}

static void coverage_add_once(CoverageList *list, CoverageKind kind, uint32_t a, uint32_t b) {
    coverage_add(list, kind, a, b);
    CoverageFeature last = list->v[--list->n];
    list->n += !coverage_contains(list, last);
}

/* Each error code with its op; OP_COUNT: at no op. */
static void coverage_add_errors(CoverageList *list, const Program *p, const Result *r) {
    for (int c = 0; c < r->ncalls; c++) {
        if (!r->calls[c].ok) {
            const Stmt *s = find_statement(&p->setup, r->calls[c].error_at);
            s = s ? s : find_statement(&p->body, r->calls[c].error_at);
            s = s ? s : find_statement(&p->after, r->calls[c].error_at);
            coverage_add_once(list, COVERAGE_ERROR,
                              s && s->kind == STMT_OP ? (uint32_t)s->op->id : OP_COUNT,
                              (uint32_t)r->calls[c].error);
        }
    }
}

static void coverage_add_calls(CoverageList *list, const Program *p, const Result *r) {
    bool shown[CALLS_FEATURES] = {
        [CALLS_SETUP] = p->setup.count > 0, [CALLS_RECALL] = p->nrecalls > 0};
    for (int k = 0; k < p->nrecalls; k++) {
        shown[CALLS_KEEP] |= p->recalls[k].keep;
    }
    for (int c = 0; c < r->ncalls; c++) {
        shown[CALLS_HIT] |= c > 0 && !r->calls[c].compiled;
        shown[CALLS_REGIONS] |= r->calls[c].regions > 1;
    }
    for (int k = 0; k < CALLS_FEATURES; k++) {
        if (shown[k]) {
            coverage_add(list, COVERAGE_CALLS, 0, (uint32_t)k);
        }
    }
}

static uint32_t signature_index(Signatures *s, const char *text) {
    for (int i = 0; i < s->n; i++) {
        if (strcmp(s->v[i], text) == 0) {
            return (uint32_t)i;
        }
    }
    s->v = array_reserve(s->arena, s->v, s->n, &s->capacity, 16, sizeof *s->v);
    s->v[s->n] = arena_strdup(s->arena, text);
    return (uint32_t)s->n++;
}

void coverage_of(Checker *c, const Program *p, Arena *arena, Signatures *signatures,
                 CoverageList *out, CheckResult *outcome) {
    int64_t(*executed)[DT_COUNT] = arena_alloc(arena, (int64_t)sizeof(int64_t[OP_COUNT][DT_COUNT]));
    CompileCounters *both[2] = {&c->a.counters, &c->b.counters};
    out->n = 0;
    c->run.executed = executed;
    *both[0] = *both[1] = (CompileCounters){0};
    coverage_clear_edges();
    check_program(c, p, arena, outcome);
    coverage_add_edges(out); /* before locating, which runs other programs */
    c->run.executed = NULL;
    Aliasing aliasing = aliasing_of(p, outcome->a);
    Autograd autograd = autograd_of(p);
    for (int s = 0; s < STEP_COUNT; s++) {
        if (both[0]->fired[s] + both[1]->fired[s] > 0) {
            coverage_add(out, COVERAGE_STEP, (uint32_t)s,
                         (uint32_t)aliasing * AUTOGRADS + (uint32_t)autograd);
        }
    }
    for (int k = 0; k < pass_count(); k++) {
        if (both[0]->pass_changed[k] + both[1]->pass_changed[k] > 0) {
            coverage_add(out, COVERAGE_PASSES, 0, (uint32_t)k);
        }
    }
    for (int id = 0; id < OP_COUNT; id++) {
        for (int d = 0; d < DT_COUNT; d++) {
            if (executed[id][d] > 0) {
                coverage_add(out, COVERAGE_OP_DTYPE, (uint32_t)id, (uint32_t)d);
            }
        }
    }
    coverage_add_errors(out, p, outcome->a);
    coverage_add_calls(out, p, outcome->b);
    if (outcome->verdict == SKIP) {
        coverage_add(out, COVERAGE_SKIP, 0, (uint32_t)outcome->skip);
    } else if (outcome->verdict == FINDING) {
        for (uint32_t id = 0; id < ORACLE_COUNT; id++) {
            if (outcome->fired >> id & 1) {
                coverage_add(out, COVERAGE_ORACLE, 0, id);
            }
        }
        check_locate(c, p, &outcome->finding, arena);
        coverage_add(out, COVERAGE_SIGNATURE, 0,
                     signature_index(signatures, outcome->finding.signature));
    }
}

void coverage_free(CoverageList *list) { free(list->v); }

/* ---- names ---- */

int coverage_kind(CoverageFeature feature) { return (int)(feature >> 56); }
const char *coverage_kind_name(int kind) {
    return kind >= 0 && kind < COVERAGE_KINDS ? COVERAGE_NAMES[kind] : NULL;
}

const char *coverage_name(Arena *arena, CoverageFeature feature, const Signatures *signatures) {
    CoverageKind kind = (CoverageKind)coverage_kind(feature);
    unsigned a = (unsigned)(feature >> 32 & 0xFFFFFF), b = (unsigned)feature;
    const char *what = "", *in = "", *and = "";
    switch (kind) {
    case COVERAGE_STEP:
        what = step_info((int)a)->name;
        in = ALIASING_NAMES[b / AUTOGRADS];
        and = AUTOGRAD_NAMES[b % AUTOGRADS];
        break;
    case COVERAGE_PASSES:
        what = pass_info((int)b)->name;
        break;
    case COVERAGE_OP_DTYPE:
        what = op_info((OpId)a)->id_name;
        in = dtype_name((DType)b);
        break;
    case COVERAGE_ERROR:
        what = errcode_name((ErrCode)b);
        in = a < OP_COUNT ? op_info((OpId)a)->id_name : "";
        break;
    case COVERAGE_SKIP:
        what = skip_name((SkipReason)b);
        break;
    case COVERAGE_ORACLE:
        what = oracle_name((OracleId)b);
        break;
    case COVERAGE_SIGNATURE:
        what = signatures->v[b];
        break;
    case COVERAGE_CALLS:
        what = CALLS_NAMES[b];
        break;
    default:
        what = arena_printf(arena, "%u", b);
        break;
    }
    return arena_printf(arena, "%s:%s%s%s%s%s", COVERAGE_NAMES[kind], what, *in ? "/" : "", in,
                        *and? "/" : "", and);
}
