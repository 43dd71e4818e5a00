/* Oracles: each tests one claim (oracles.def) about the results of two executors for one program.
 *
 * They run in the fuzzing loop, so they write a Finding only if they fire. An oracle compares the
 * calls that both executors ended alike (of a trace, also the part before a differing end); the
 * rest is oracle_status's.
 *
 * Start reading here, then compare.h (numbers) and finding.h (what an oracle reports). The folder
 * includes harness/targets (executors), and nothing above it. */
#ifndef HARNESS_ORACLE_H
#define HARNESS_ORACLE_H

#include "harness/oracles/compare.h"
#include "harness/oracles/finding.h"

typedef enum Verdict { AGREE, FINDING, SKIP } Verdict;

/* Why a comparison was skipped. Skips are counted and printed: a harness that skips silently finds
 * nothing. */
typedef enum SkipReason {
    SKIP_NONE,
    SKIP_LIMIT,       /* a limit of the run (Limits) was exceeded */
    SKIP_UNSUPPORTED, /* an executor does not implement something */
    SKIP_UNDEFINED, /* the reference says that PyTorch leaves the meaning undefined (x-undefined) */
    SKIP_INCONCLUSIVE, /* a discrete choice lay within the rounding error of its operands */
    SKIP_VACUOUS,      /* a compiling target compiled nothing */
    SKIP_UNSPECIFIED,  /* unspecified behaviour of PyTorch 1.13 (docs/guide/fidelity.md) */
    SKIP_RANDOM, /* the result depends on random numbers, of which the sides have other ones */
    SKIP_COUNT
} SkipReason;
const char *skip_name(SkipReason reason);

/* How numbers whose bits differ are compared. */
typedef enum NumberRule {
    RULE_SHADOW,   /* within the error bound of the reference's float64 shadow */
    RULE_EXTERNAL, /* against a target: different by RULE_TOLERANT and by RULE_SHADOW */
    RULE_RECORDED, /* bits, but not the sign of zero: `b` is a recording of exact arithmetic */
    RULE_RECORDED_ZERO_SIGN, /* bits; in gradients not the sign of zero */
    RULE_TOLERANT_SINGLE,    /* RULE_TOLERANT where float32 arithmetic may have gone into float64
                                values */
    RULE_COARSE,  /* two targets, random numbers: four times RULE_TOLERANT, also of the root mean
                     square of the tensor; integers and bools by RULE_SHADOW */
    RULE_TOLERANT /* PyTorch's default tolerances: `b` is a recording of rounded arithmetic */
} NumberRule;

/* The side that does not compile, if the other is a compiling target. */
typedef enum Base { BASE_NONE, BASE_A, BASE_B } Base;

/* A program and its results on both executors. */
typedef struct Comparison {
    const Program *program;
    const Result *a, *b;
    NumberRule rule;
    bool lenient;     /* a side is a compiling target: versions, and strides and offsets of returns
                         that alias nothing, are minor .. */
    ModeKeeps keeps;  /* .. unless its mode keeps them (comparison_keeps) */
    Base base;        /* decides what the shadow leaves open (compare_baseline) */
    int ncalls;       /* leading calls whose status is the same: those the other oracles compare */
    bool after_error; /* the call behind them begins with what an error left: nothing of it is
                         compared (comparison_count_calls) */
    Executor *reference;   /* runs the float64 shadow; NULL: there is none but `shadow` */
    const RunOptions *run; /* what the results were made with */
    const Executor
        *stages; /* the executor whose passes oracle_stages checks; NULL: it is skipped */
    Arena *arena;
    const Result *shadow; /* filled by comparison_shadow */
    int64_t shadow_runs;  /* how often comparison_shadow ran the reference */
    SkipReason skip;      /* set by an oracle that answers SKIP */
} Comparison;

/* Is this compared? */
static inline bool comparison_keeps(const Comparison *cmp, ModeKeeps what) {
    return !cmp->lenient || cmp->keeps >= what;
}

/* Compares two buffers of one shape by the comparison's rule; `first` is the deciding element.
 * `shadow` may be NULL. */
Match comparison_match(const Comparison *cmp, const Values *a, const Values *b,
                       const Values *shadow, bool is_gradient, int64_t *first);

/* The reference's result with the float64 shadow, run at the first mismatch of floats and kept;
 * NULL if the rule needs none or no executor can run it. */
const Result *comparison_shadow(Comparison *cmp);
/* Fills cmp->ncalls and cmp->after_error. A compiling target may raise an error while tracing,
 * before anything ran, where eager mode has written to its arguments: a call that keeps the tensors
 * then begins with other ones. */
void comparison_count_calls(Comparison *cmp);
/* Returns and gradients to compare in a call (fewer after an error). */
int comparison_returns(const CallResult *a, const CallResult *b);
/* Inputs to compare in a call: none after an error of the function if a side is a compiling target,
 * which may have raised it while tracing, before anything ran. After one of the backward or of the
 * statements behind the function, both have run it. */
int comparison_inputs(const Comparison *cmp, const CallResult *a, const CallResult *b);

/* Arguments of the setup to compare in a call: where both sides recorded the same ones, as inputs.
 */
int comparison_args(const Comparison *cmp, const CallResult *a, const CallResult *b);
/* For what the reference has no shadow of: floats by RULE_COARSE. */
Comparison comparison_without_shadow(const Comparison *cmp);
/* Did both sides write to the same returns? A return that overlaps itself is not written to, and
 * where strides are minor, it may do so on one side: the result of expand, which a compiler may
 * make dense. */
bool comparison_wrote_alike(const Comparison *cmp, const CallResult *a, const CallResult *b);

#define ORACLE(name, claim) Verdict oracle_##name(Comparison *cmp, Finding *out);
#include "harness/oracles/oracles.def"
#undef ORACLE

typedef Verdict (*OracleFn)(Comparison *cmp, Finding *out);
OracleFn oracle_function(OracleId id);
/* The oracle that runs at that place, from 0. */
OracleId oracle_at(int place);

#endif
