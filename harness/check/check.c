/* One check: run both executors, find out whether the results can be compared at all, then run
 * every oracle in the order of oracles.def. All that fire are recorded (CheckResult.fired); the
 * first is the finding. */
#include "harness/check/check.h"
#include "harness/check/stream.h"

#include <stdio.h>
#include <string.h>

int checker_open_with(Checker *c, const char *pair, const CompileOptions *compile,
                      const TargetSettings *settings, char *message, size_t message_size) {
    memset(c, 0, sizeof *c);
    const char *comma = strchr(pair, ',');
    char a[64], b[64];
    if (!comma || comma == pair || comma[1] == '\0' || strchr(comma + 1, ',') ||
        comma - pair >= (ptrdiff_t)sizeof a || strlen(comma + 1) >= sizeof b) {
        snprintf(message, message_size,
                 "a pair is two executors, as in 'reference,compiled', not '%.80s'", pair);
        return 2;
    }
    snprintf(a, sizeof a, "%.*s", (int)(comma - pair), pair);
    snprintf(b, sizeof b, "%s", comma + 1);
    int code = executor_open_with(a, NULL, settings, &c->a, message, message_size);
    code = code ? code : executor_open_with(b, &c->a, settings, &c->b, message, message_size);
    code = code ? code
                : executor_open_with("reference", NULL, NULL, &c->reference, message, message_size);
    if (code != 0) {
        checker_close(c);
        return code;
    }
    c->strict = settings && settings->strict;
    c->no_probes = settings && settings->no_probes;
    c->a.compile = c->b.compile = *compile;
    c->pair = pair;
    c->run = (RunOptions){
        .poke = true, .detect_unspecified = checker_is_external(c), .limits = LIMITS_DEFAULT};
    const Target *both[2] = {c->a.target, c->b.target};
    for (int i = 0; i < 2; i++) { /* of two targets, the newer one's */
        Semantics s = both[i] ? semantics_nearest(target_version(both[i])) : SEMANTICS_NONE;
        c->run.semantics = s > c->run.semantics ? s : c->run.semantics;
    }
    return 0;
}

bool checker_open(Checker *c, const char *pair, const CompileOptions *compile, char *message,
                  size_t message_size) {
    return checker_open_with(c, pair, compile, NULL, message, message_size) == 0;
}

void checker_close(Checker *c) {
    executor_close(&c->b); /* its programs may run in processes of a's */
    executor_close(&c->a);
}

bool checker_is_external(const Checker *c) { return c->a.target || c->b.target; }

void checker_until(Checker *c, double until) {
    if (c->a.target) {
        target_until(c->a.target, until);
    }
    if (c->b.target) {
        target_until(c->b.target, until);
    }
}

const char *checker_gone(const Checker *c) {
    const char *a = c->a.target ? target_gone(c->a.target) : NULL;
    return a || !c->b.target ? a : target_gone(c->b.target);
}

void check_submit(Checker *c, const Program *p) {
    if (c->a.target && c->b.target) {
        target_submit_pair(c->a.target, c->b.target, p, &c->run);
    } else if (checker_is_external(c)) {
        target_submit(c->a.target ? c->a.target : c->b.target, p, &c->run);
    }
}

void check_forget(Checker *c) {
    if (c->a.target) {
        target_forget(c->a.target);
    }
    if (c->b.target) {
        target_forget(c->b.target);
    }
}

void check_turn(Checker *c) {
    if (c->a.target) {
        target_turn(c->a.target);
    }
    if (c->b.target) {
        target_turn(c->b.target);
    }
}

bool check_is_ready(Checker *c, const Program *p) {
    return (!c->a.target || target_is_done(c->a.target, p)) &&
           (!c->b.target || target_is_done(c->b.target, p));
}

bool checker_collects(const Checker *c) { return c->a.native || c->b.native; }

void check_collect(Checker *c, const Program *p, Arena *arena) {
    executor_collect(&c->a, p, &c->run, arena);
    executor_collect(&c->b, p, &c->run, arena);
}

/* Why the two results cannot be compared; SKIP_NONE if they can. */
static SkipReason not_comparable(const Result *a, const Result *b) {
    if (a->nundefined > 0 || b->nundefined > 0) {
        return SKIP_UNDEFINED;
    }
    if (a->unspecified || b->unspecified) {
        return SKIP_UNSPECIFIED;
    }
    const Result *both[2] = {a, b};
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < both[r]->ncalls; k++) {
            const CallResult *call = &both[r]->calls[k];
            if (call->vacuous) {
                return SKIP_VACUOUS;
            }
            if (!call->ok && (call->error == ERR_limit || call->error == ERR_unsupported)) {
                return call->error == ERR_limit ? SKIP_LIMIT : SKIP_UNSUPPORTED;
            }
        }
    }
    return SKIP_NONE;
}

static bool may_refuse_values(const CallResult *call) {
    return !call->ok && (call->error == ERR_index_range || call->error == ERR_invalid);
}

/* Values that rounding decides may decide a size, a number, or whether an op refuses its operands:
 * then a difference that these oracles find is inconclusive, too. No value excuses an internal
 * error, or the death of a process. */
static bool depends_on_values(OracleId id, Comparison *cmp) {
    const int k = cmp->ncalls;
    const CallResult *a = k < cmp->a->ncalls ? &cmp->a->calls[k] : NULL,
                     *b = k < cmp->b->ncalls ? &cmp->b->calls[k] : NULL;
    const bool status = id == ORACLE_status && a && b;
    if ((!status && id != ORACLE_trace && id != ORACLE_metadata) || cmp->a->failure ||
        cmp->b->failure || (status && (a->ok || b->ok) && (a->ok ? b : a)->error == ERR_internal)) {
        return false;
    }
    const Result *shadow = comparison_shadow(cmp);
    return shadow &&
           (shadow->sizes_inconclusive || (shadow->refusal_inconclusive && status &&
                                           (may_refuse_values(a) || may_refuse_values(b))));
}

/* If neither executor is the reference, nothing has yet told whether the program has one defined
 * meaning. The reference does, if it can run the program. */
static SkipReason skip_of_reference(const Checker *c, Comparison *cmp) {
    bool known = c->a.has_shadow || c->b.has_shadow;
    const Result *r = known ? NULL : comparison_shadow(cmp);
    return r && r->nundefined > 0 ? SKIP_UNDEFINED
           : r && r->unspecified  ? SKIP_UNSPECIFIED
                                  : SKIP_NONE;
}

/* Are the random numbers of one side those of PyTorch, and of the other side those of the
 * reference? */
static bool other_stream(const Checker *c, const Comparison *cmp) {
    bool recorded = cmp->rule != RULE_SHADOW && cmp->rule != RULE_EXTERNAL;
    bool both = c->a.target && c->b.target, either = c->a.target || c->b.target;
    return !both && (either || recorded) && program_is_random(cmp->program);
}

static void run_oracles(Checker *c, Comparison *cmp, CheckResult *out) {
    out->skip = not_comparable(cmp->a, cmp->b);
    if (out->skip != SKIP_NONE) {
        out->verdict = SKIP;
        return;
    }
    comparison_count_calls(cmp);
    for (int place = 0; place < ORACLE_COUNT; place++) {
        const OracleId id = oracle_at(place);
        if ((c->off >> id) & 1) {
            continue;
        }
        Finding rest, *found = out->fired ? &rest : &out->finding;
        Verdict v = oracle_function(id)(cmp, found);
        if (v == FINDING && depends_on_values(id, cmp)) {
            v = SKIP;
            cmp->skip = SKIP_INCONCLUSIVE;
            out->first_inconclusive = out->first_inconclusive
                                          ? out->first_inconclusive
                                          : arena_copy(cmp->arena, found, (int64_t)sizeof rest);
        }
        if (v == FINDING) {
            out->fired |= 1u << id;
        } else if (v == SKIP && out->skip == SKIP_NONE) {
            out->skip = cmp->skip;
        }
    }
    bool answered = !cmp->a->failure && !cmp->b->failure;
    if (out->fired && answered) {
        SkipReason why = skip_of_reference(c, cmp);
        if (why != SKIP_NONE) {
            out->fired = 0;
            out->skip = why;
        }
    }
    bool differs = answered && (out->fired || out->skip == SKIP_INCONCLUSIVE);
    if (differs && other_stream(c, cmp) && depends_on_stream(c, cmp)) {
        out->fired = 0;
        out->skip = SKIP_RANDOM;
    }
    out->verdict = out->fired ? FINDING : out->skip != SKIP_NONE ? SKIP : AGREE;
}

void check_results(Checker *c, const Program *p, const Result *a, const Result *b, NumberRule rule,
                   Arena *arena, CheckResult *out) {
    Comparison cmp = {.program = p, .a = a, .b = b, .rule = rule, .arena = arena};
    cmp.reference = &c->reference;
    cmp.run = &c->run;
    cmp.stages = !c->stages             ? NULL
                 : compiles_here(&c->b) ? &c->b
                 : compiles_here(&c->a) ? &c->a
                                        : NULL;
    cmp.lenient = !c->strict &&
                  (executor_is_external_compiler(&c->a) || executor_is_external_compiler(&c->b));
    const ModeKeeps keeps[2] = {executor_keeps(&c->a), executor_keeps(&c->b)};
    cmp.keeps = keeps[0] < keeps[1] ? keeps[0] : keeps[1];
    if (c->a.target && c->b.target && program_is_random(p)) {
        cmp.rule = RULE_COARSE; /* the reference, and with it the float64 shadow, has other numbers,
                                   but knows which integers and bools rounding decides */
    }
    bool compiles[2] = {executor_is_external_compiler(&c->a), executor_is_external_compiler(&c->b)};
    cmp.base = compiles[0] == compiles[1] ? BASE_NONE : compiles[1] ? BASE_A : BASE_B;
    out->verdict = AGREE;
    out->skip = SKIP_NONE;
    out->fired = 0;
    out->first_inconclusive = NULL;
    out->a = a;
    out->b = b;
    run_oracles(c, &cmp, out);
    c->shadow_runs += cmp.shadow_runs;
    c->programs++;
    c->calls += a->ncalls;
    c->verdicts[out->verdict]++;
    if (out->verdict == SKIP) {
        c->skips[out->skip]++;
    } else if (out->verdict == FINDING) {
        for (int id = 0; id < ORACLE_COUNT; id++) {
            c->fired[id] += (out->fired >> id) & 1;
        }
    }
}

void check_schedule(Checker *c, bool verify, bool stages, int64_t number) {
    enum { VERIFY_EVERY = 64 };
    c->a.compile.verify = c->b.compile.verify = verify || number % VERIFY_EVERY == 0;
    c->stages = stages;
}

void check_program(Checker *c, const Program *p, Arena *arena, CheckResult *out) {
    if (checker_is_external(c)) { /* both at the same time */
        check_submit(c, p);
    }
    const Result *a = c->a.run(&c->a, p, &c->run, arena);
    const Result *b = c->b.run(&c->b, p, &c->run, arena);
    check_results(c, p, a, b, checker_is_external(c) ? RULE_EXTERNAL : RULE_SHADOW, arena, out);
}
