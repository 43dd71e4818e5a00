/* Greedy minimization to a fixed point (the reducer loop of Cranelift's bugpoint, ddmin's chunks among the reducers): every reducer
 * offers candidates 0, 1, ..; one is kept if the same signature still fires. After a kept step the same number names the next
 * candidate, so a round is linear. It ends since each kept step makes one of (statements, names, sizes, magnitudes, written arguments,
 * rank of data) smaller and none larger. */
#include "harness/minimize.h"

#include "harness/command.h"
#include "harness/reduce.h"

#include <string.h>

static const struct {
    const char *name;
    Step (*reduce)(Program *p, int k);
} REDUCERS[] = {
#define REDUCER(name, text) {#name, reduce_##name},
#include "harness/reducers.def"
#undef REDUCER
};

typedef struct Minimize {
    Checker checker;        /* a copy: the caller's counters stay */
    Checker plain;          /* the same pair without the fault */
    bool has_fault;
    const Finding *finding;
    Arena scratch;          /* of one candidate's check */
    int64_t checks;
} Minimize;

/* Is the finding still there, by its full signature, and only because of the fault? */
static bool interesting(Minimize *m, const Program *p) {
    char message[256];
    if (!program_verify_within(p, &m->checker.run.limits, message, sizeof message)) {
        return false;
    }
    m->checks++;
    Outcome out;
    check_program(&m->checker, p, &m->scratch, &out);
    if (out.verdict != FINDING) {
        return false;
    }
    if (checker_is_external(&m->checker)) { /* locating runs every prefix: too slow there */
        return out.finding.oracle == m->finding->oracle && strcmp(out.finding.kind, m->finding->kind) == 0;
    }
    check_locate(&m->checker, p, &out.finding, &m->scratch);
    if (strcmp(out.finding.signature, m->finding->signature) != 0) {
        return false;
    }
    if (m->has_fault) {
        check_program(&m->plain, p, &m->scratch, &out);
        return out.verdict == AGREE;
    }
    return true;
}

Program *minimize_program(Arena *arena, const Program *p, Checker *c, const Finding *finding, MinimizeStats *stats,
                          void (*on_step)(void *user, const char *reducer, const Program *now), void *user) {
    Minimize m = {.checker = *c, .plain = *c, .finding = finding};
    m.has_fault = c->a.compile.fault != FAULT_NONE || c->b.compile.fault != FAULT_NONE;
    m.plain.a.compile.fault = m.plain.b.compile.fault = FAULT_NONE;
    if (m.has_fault) { /* a program that differs without the fault too shows something else: then that is what is made smaller */
        Outcome out;
        check_program(&m.plain, p, &m.scratch, &out);
        m.has_fault = out.verdict == AGREE;
    }
    int64_t max_checks = stats && stats->checks > 0 ? stats->checks : 20000;
    double start = now_seconds(), end = start + (stats && stats->seconds > 0 ? stats->seconds : 60);
    Arena lives[2] = {ARENA_EMPTY, ARENA_EMPTY}; /* the best so far lives in one, the candidate in the other */
    int live = 0;
    Program *best = program_clone(&lives[live], p);
    int64_t kept = 0, rounds = 0;
    bool changed = true, timely = true;
    while (changed && timely) {
        changed = false;
        rounds++;
        for (int r = 0; r < COUNT_OF(REDUCERS) && timely; r++) {
            for (int k = 0;;) {
                timely = m.checks < max_checks && now_seconds() < end;
                arena_reset(&lives[!live]);
                arena_reset(&m.scratch);
                Program *candidate = program_clone(&lives[!live], best);
                Step step = timely ? REDUCERS[r].reduce(candidate, k) : STEP_END;
                if (step == STEP_END) {
                    break;
                }
                if (step == STEP_NOTHING || !interesting(&m, candidate)) {
                    k++;
                    continue;
                }
                live = !live;
                best = candidate;
                kept++;
                changed = true;
                if (on_step) {
                    on_step(user, REDUCERS[r].name, best);
                }
            }
        }
    }
    Program *answer = program_clone(arena, best);
    arena_destroy(&lives[0]);
    arena_destroy(&lives[1]);
    arena_destroy(&m.scratch);
    if (stats) {
        *stats = (MinimizeStats){m.checks, kept, rounds, now_seconds() - start};
    }
    return answer;
}
