/* Oracles: each judges one claim (oracles.def) about what two executors made of one program.
 *
 * They run in the fuzzing loop, so they compare and return; a Finding is written only when one
 * fires. An oracle looks only at calls that both executors completed (and, for traces, at the part
 * before the error); oracle_status judges the rest. */
#ifndef HARNESS_ORACLE_H
#define HARNESS_ORACLE_H

#include "harness/oracles/compare.h"
#include "harness/oracles/finding.h"

typedef enum Verdict { AGREE, FINDING, SKIP } Verdict;

/* Why a comparison was skipped: counted and printed, since a harness that skips silently agrees
 * with everything. */
typedef enum SkipReason {
    SKIP_NONE,
    SKIP_LIMIT,       /* a stated limit was passed */
    SKIP_UNSUPPORTED, /* an executor does not implement something */
    SKIP_UNDEFINED, /* the reference says that PyTorch leaves the meaning undefined (x-undefined) */
    SKIP_INCONCLUSIVE, /* a discrete choice lay within the rounding error of its operands */
    SKIP_VACUOUS,      /* a compiling target compiled nothing */
    SKIP_UNSPECIFIED,  /* PyTorch 1.13 answers this by accident (docs/guide/fidelity.md) */
    SKIP_COUNT
} SkipReason;
const char *skip_name(SkipReason reason);

/* How numbers whose bits differ are judged. */
typedef enum NumberRule {
    RULE_SHADOW,   /* within the error bound of the reference's float64 shadow */
    RULE_EXTERNAL, /* against a target: different by RULE_TOLERANT and by RULE_SHADOW */
    RULE_RECORDED, /* bits, but not the sign of zero: `b` is a recording of exact arithmetic */
    RULE_RECORDED_ZERO_SIGN, /* bits; in gradients not the sign of zero */
    RULE_TOLERANT_SINGLE,    /* RULE_TOLERANT where float32 arithmetic may have gone into float64
                                values */
    RULE_TOLERANT /* PyTorch's default tolerances: `b` is a recording of rounded arithmetic */
} NumberRule;

/* A program and what both executors made of it. */
typedef struct Comparison {
    const Program *program;
    const Result *a, *b;
    NumberRule rule;
    bool lenient; /* a side is a compiling target: versions, and strides and offsets of returns that
                     alias nothing, are minor */
    int ncalls; /* calls, from the first, on whose status both agree: what the other oracles look at
                 */
    Executor *reference;   /* runs the float64 shadow; NULL: there is none but `shadow` */
    const RunOptions *run; /* what the results were made with */
    const Executor
        *stages; /* the executor whose passes oracle_stages checks; NULL: it is skipped */
    Arena *arena;
    const Result *shadow; /* filled by comparison_shadow */
    int64_t shadow_runs;  /* how often comparison_shadow ran the reference */
    SkipReason skip;      /* set by an oracle that answers SKIP */
} Comparison;

/* Judges two buffers of one shape by the trial's rule; `first` is the element that decided.
 * `shadow` may be NULL. */
Match comparison_match(const Comparison *t, const Values *a, const Values *b, const Values *shadow,
                       bool is_gradient, int64_t *first);

/* The reference's result with the float64 shadow: run at the first mismatch of floats, then
 * kept. */
const Result *comparison_shadow(Comparison *t);
/* The leading calls whose status is the same: fills t->ncalls. */
void comparison_count_calls(Comparison *t);
/* Do both calls end alike: success, or the same code at the same statement (AT_UNKNOWN agrees with
 * any)? */
bool status_same(const CallResult *a, const CallResult *b);
/* Returns and gradients to compare in a call (fewer after an error). */
int comparison_returns(const CallResult *a, const CallResult *b);
/* Inputs to compare in a call: none after an error in a compiling target, which it may have met
 * while it traced, before anything ran. */
int comparison_inputs(const Comparison *t, const CallResult *a, const CallResult *b);

#define ORACLE(name, claim) Verdict oracle_##name(Comparison *t, Finding *out);
#include "harness/oracles/oracles.def"
#undef ORACLE

typedef Verdict (*OracleFn)(Comparison *t, Finding *out);
OracleFn oracle_function(OracleId id);

#endif
