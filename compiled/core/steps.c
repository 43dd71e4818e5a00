/* The tables of passes and steps, and the sets of them that are turned off. */
#include "compiled/core/steps.h"
#include "tensor/rng.h"

#include <stdio.h>
#include <string.h>

enum { REQUIRED = false, OPTIONAL = true };

static const PassInfo pass_table[] = {
#define PASS(name, need, text) {#name, need, text},
#include "compiled/passes/passes.def"
#undef PASS
};
_Static_assert(COUNT_OF(pass_table) <= MAX_PASSES, "room for every pass");

int pass_count(void) { return COUNT_OF(pass_table); }
const PassInfo *pass_info(int number) {
    CHECK(number >= 0 && number < COUNT_OF(pass_table));
    return &pass_table[number];
}

static const StepInfo step_table[] = {
#define STEP(pass, name, text, why) {#name, #pass, text, why},
#include "compiled/core/steps.def"
#undef STEP
#define FAMILY(name)
#define RULE(name, root, text, why) {#name, "rules", text, why},
#include "compiled/rules/rules.def"
#undef FAMILY
#undef RULE
};
_Static_assert((int)STEP_COUNT <= (int)MAX_STEPS, "room for every step");

const StepInfo *step_info(int step) {
    CHECK(step >= 0 && step < COUNT_OF(step_table));
    return &step_table[step];
}

static bool named(const char *name, const char *word, size_t n) {
    return strlen(name) == n && strncmp(name, word, n) == 0;
}

static int find_pass(const char *word, size_t n) {
    for (int k = 0; k < pass_count(); k++) {
        if (named(pass_info(k)->name, word, n)) {
            return k;
        }
    }
    return -1;
}

static int steps_find_step(const char *word, size_t n) {
    for (int k = 0; k < STEP_COUNT; k++) {
        if (named(step_table[k].name, word, n)) {
            return k;
        }
    }
    return -1;
}

static void set(uint64_t *bits, int k, bool on) {
    bits[k >> 6] = (bits[k >> 6] & ~((uint64_t)1 << (k & 63))) | (uint64_t)on << (k & 63);
}

static void set_everything(Disabled *d) {
    for (int k = 0; k < pass_count(); k++) {
        set(&d->pass, k, pass_info(k)->optional);
    }
    for (int k = 0; k < STEP_COUNT; k++) {
        set(d->step, k, true);
    }
}

/* A pass and all its steps, or one step (with --only, and the pass it belongs to). */
static void steps_mark(Disabled *d, int pass, int step, bool off) {
    if (pass >= 0) {
        set(&d->pass, pass, off);
    }
    for (int k = 0; k < STEP_COUNT; k++) {
        const char *of = step_table[k].pass;
        if (k == step) {
            set(d->step, k, off);
            if (!off) {
                set(&d->pass, find_pass(of, strlen(of)), false);
            }
        } else if (pass >= 0 && !off && strcmp(of, pass_info(pass)->name) == 0) {
            set(d->step, k, false);
        }
    }
}

bool disabled_parse(Disabled *d, const char *list, bool only, char *message, size_t message_size) {
    if (only) {
        set_everything(d);
    }
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        int pass = find_pass(at, n), step = steps_find_step(at, n);
        if (pass < 0 && step < 0) {
            snprintf(message, message_size,
                     "there is no pass or rule '%.*s' (see 'twingrad passes')",
                     (int)(n < 60 ? n : 60), at);
            return false;
        }
        if (pass >= 0 && !pass_info(pass)->optional) {
            snprintf(message, message_size, "the pass '%.*s' is required", (int)(n < 60 ? n : 60),
                     at);
            return false;
        }
        steps_mark(d, pass, step, !only);
        at += n + (at[n] == ',');
    }
    return true;
}

void disabled_draw(Disabled *d, uint64_t seed, uint64_t index) {
    static const int percents[] = {0, 10, 50, 90};
    Rng rng = {seed};
    rng.state = rng_next(&rng) ^ index;
    int passes = percents[rng_below(&rng, COUNT_OF(percents))];
    int steps = percents[rng_below(&rng, COUNT_OF(percents))];
    for (int k = 0; k < pass_count(); k++) {
        if (rng_chance(&rng, passes) && pass_info(k)->optional) {
            set(&d->pass, k, true);
        }
    }
    for (int k = 0; k < STEP_COUNT; k++) {
        if (rng_chance(&rng, steps)) {
            set(d->step, k, true);
        }
    }
}
