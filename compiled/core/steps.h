/* Passes and optional steps by name and number, and the set of them that a run turns off.
 *
 * A pass is one row of passes/passes.def. A step is one kind of rewrite that a pass may make: a row
 * of steps.def, or an algebraic rule (rules/rules.def). The functions of the passes are in
 * runtime/pipeline.c, which is the only place that calls them. */
#ifndef COMPILED_CORE_STEPS_H
#define COMPILED_CORE_STEPS_H

#include "tensor/base.h"

enum { MAX_STEPS = 192, MAX_PASSES = 64 };

/* The rows of steps.def, then the algebraic rules by family. */
typedef enum StepId {
#define STEP(pass, name, text, why) STEP_##name,
#include "compiled/core/steps.def"
#undef STEP
#define FAMILY(name) FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define RULE(name, root, text, why) STEP_##name,
#include "compiled/rules/rules.def"
#undef FAMILY
#undef RULE
    STEP_COUNT,
    STEP_PASS = -1 /* a pass as a whole */
} StepId;

typedef struct StepInfo {
    const char *name;
    const char *pass;
    const char *text; /* pattern -> rewrite */
    const char *why;  /* why both have the same value */
} StepInfo;
const StepInfo *step_info(int step);

/* Passes, in the order in which they run. */
typedef struct PassInfo {
    const char *name;
    bool optional;
    const char *text;
} PassInfo;
int pass_count(void);
const PassInfo *pass_info(int number);

/* Sets of passes are 64-bit masks: the bit of pass `number`. */
static inline uint64_t pass_bit(int number) { return UINT64_C(1) << number; }
_Static_assert(MAX_PASSES <= 64, "a set of passes is one 64-bit mask");

/* Which optional passes and steps are off. */
typedef struct Disabled {
    uint64_t pass;                 /* bit by pass number */
    uint64_t step[MAX_STEPS / 64]; /* bit by StepId */
} Disabled;
/* Adds the passes and steps named in `list` ("cse,neg_neg"); with `only`, all optional ones but
 * those. False and a sentence for a name that is none, or is a required pass. */
bool disabled_parse(Disabled *d, const char *list, bool only, char *message, size_t message_size);

/* Turns off a random choice of the optional passes and steps, besides those that are off: none,
 * few, half or nearly all of them; the same for the same seed and index. */
void disabled_draw(Disabled *d, uint64_t seed, uint64_t index);

#endif
