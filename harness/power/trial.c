/* One trial in this process: programs of the generator, one after the other, until the fault shows
 * or the budget is spent. */
#include "harness/power/power.h"

#include "harness/util/clock.h"

#include <stdio.h>
#include <string.h>

static void moment_note(Moment *m, bool happened, int64_t programs, double seconds) {
    if (happened && m->programs == 0) {
        *m = (Moment){programs, seconds};
    }
}

/* The canaries of both executors of the pair. */
static bool canary(const Checker *c, FaultId fault, bool triggered) {
    const CompileCounters *a = &c->a.counters, *b = &c->b.counters;
    return triggered ? fault_set_has(&a->triggered, fault) || fault_set_has(&b->triggered, fault)
                     : fault_set_has(&a->reached, fault) || fault_set_has(&b->reached, fault);
}

static void trial_detected(PowerTrial *t, const CheckResult *result, double seconds) {
    moment_note(&t->detected, true, t->programs, seconds);
    t->fired = result->fired;
    snprintf(t->oracle, sizeof t->oracle, "%s", oracle_name(result->finding.oracle));
}

void power_trial(const PowerOptions *o, FaultId fault, int number, PowerTrial *out) {
    const CampaignOptions *campaign = &o->campaign;
    CheckerOptions settings = campaign->checker;
    GenerateOptions generate = campaign->generate;
    uint64_t seed = campaign->seed + (uint64_t)number;
    Checker checker;
    Arena arena = ARENA_EMPTY;
    char message[512];
    const char *profile = fault_info(fault)->profile;
    faults_clear(&settings.compile);
    CHECK(faults_add(&settings.compile, fault));
    if (profile && !generate_profile_below(&generate, profile, message, sizeof message)) {
        die("%s", message);
    }
    if (checker_open_options(&checker, &settings, message, sizeof message) != 0) {
        die("%s", message);
    }
    generate.semantics =
        checker.run.semantics != SEMANTICS_NONE ? checker.run.semantics : SEMANTICS_DEFAULT;
    *out = (PowerTrial){.number = number, .canaries = true};
    snprintf(out->fault, sizeof out->fault, "%s", fault_info(fault)->id);
    double start = cpu_seconds(), now = 0;
    while (out->detected.programs == 0 && now < o->budget) {
        arena_reset(&arena);
        const Program *p =
            generate_program_info(&arena, &generate, seed, (uint64_t)out->programs, NULL);
        check_schedule(&checker, settings.compile.verify, campaign->every_stage, out->programs);
        CheckResult result;
        check_program(&checker, p, &arena, &result);
        out->programs++;
        now = cpu_seconds() - start;
        moment_note(&out->reached, canary(&checker, fault, false), out->programs, now);
        moment_note(&out->triggered, canary(&checker, fault, true), out->programs, now);
        if (result.verdict == FINDING) {
            trial_detected(out, &result, now);
        }
    }
    out->seconds = now;
    checker_close(&checker);
    arena_destroy(&arena);
}
