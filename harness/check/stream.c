/* The random numbers of PyTorch are others than those of the reference. What they compute can be
 * compared only where it is the same for all numbers, as a size, a flag, or a product with 0 are.
 */
#include "harness/check/stream.h"

enum { SEEDS = 100 };

/* Oracles whose claims are about one run each; those behind them are about several. */
static bool results_differ(Comparison *cmp) {
    Finding finding;
    comparison_count_calls(cmp);
    for (int id = 0; id < ORACLE_calls; id++) {
        if (oracle_function((OracleId)id)(cmp, &finding) == FINDING) {
            return true;
        }
    }
    return false;
}

bool depends_on_stream(Checker *c, const Comparison *cmp) {
    Program p = *cmp->program;
    const Result *first = c->reference.run(&c->reference, &p, &c->run, cmp->arena);
    for (uint64_t k = 1; k < SEEDS; k++) {
        p.seed = cmp->program->seed + (k << 32);
        Comparison other = {.program = &p,
                            .a = first,
                            .b = c->reference.run(&c->reference, &p, &c->run, cmp->arena),
                            .rule = RULE_RECORDED,
                            .run = &c->run,
                            .arena = cmp->arena};
        if (results_differ(&other)) {
            return true;
        }
    }
    return false;
}
