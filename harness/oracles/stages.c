/* stages: no pass changes the meaning of the graph, and compilation is deterministic. The program
 * is compiled again with the graph interpreted after every stage (compiled/runtime/stages.h), and
 * once more: the dumps of both compilations must be the same text.
 *
 * This costs more than the rest of a check, so it runs only if the checker says so: always in check
 * and replay, in fuzz with --oracle stages. */
#include "harness/oracles/oracle.h"
#include "tensor/hash.h"

#include <stdio.h>
#include <string.h>

typedef struct StagesDumps {
    uint64_t hash;
    char stage[32];                  /* the last stage dumped */
    const struct StagesDumps *first; /* of the compilation before, stage by stage */
    int n;
    uint64_t by_stage[512];
    bool differs;
} StagesDumps;

static void oracle_stages_on_dump(void *user, const char *stage, const char *text) {
    StagesDumps *d = user;
    d->hash = fnv64_text(fnv64_text(d->hash, stage), text);
    if (d->n < COUNT_OF(d->by_stage)) {
        if (d->first && !d->differs && d->first->by_stage[d->n] != d->hash) {
            d->differs = true;
            snprintf(d->stage, sizeof d->stage, "%s", stage);
        }
        d->by_stage[d->n] = d->hash;
    }
    d->n++;
}

static void oracle_stages_compile(const Comparison *cmp, const Executor *e, StageReport *report,
                                  StagesDumps *dumps) {
    CompileOptions options = e->compile;
    RunOptions run = {.limits = cmp->run->limits};
    options.stages = report;
    options.features = NULL;
    options.on_dump = oracle_stages_on_dump;
    options.dump_user = dumps;
    compiled_run(cmp->program, &options, &run, NULL, cmp->arena);
}

Verdict oracle_stages(Comparison *cmp, Finding *out) {
    const Executor *e = cmp->stages;
    if (!e) {
        return AGREE;
    }
    StageReport report = {0};
    StagesDumps *first = arena_new(cmp->arena, StagesDumps),
                *second = arena_new(cmp->arena, StagesDumps);
    oracle_stages_compile(cmp, e, &report, first);
    second->first = first;
    oracle_stages_compile(cmp, e, NULL, second);
    if (report.found) {
        char kind[sizeof out->kind];
        snprintf(kind, sizeof kind, "after_%s", report.stage);
        finding_start(out, ORACLE_stages, kind, 0, SUBJECT_CALL, -1, AT_UNKNOWN);
        snprintf(out->a, sizeof out->a, "%s", report.what);
        snprintf(out->b, sizeof out->b, "the graph after %s", report.stage);
        return FINDING;
    }
    if (second->differs || first->n != second->n) {
        finding_start(out, ORACLE_stages, "nondeterministic", 0, SUBJECT_CALL, -1, AT_UNKNOWN);
        snprintf(out->a, sizeof out->a, "compiled once, %d graphs", first->n);
        snprintf(out->b, sizeof out->b, "compiled again: another graph after %s", second->stage);
        return FINDING;
    }
    return AGREE;
}
