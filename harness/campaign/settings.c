/* The settings that a resumed campaign must share: those that decide which programs are checked,
 * and what a finding is. */
#include "harness/campaign/campaign.h"

#include <string.h>

static unsigned long long settings_hash(const void *v, size_t n) {
    return (unsigned long long)content_hash(v, (int64_t)n);
}

/* One line each: "NAME: VALUE". */
const char *settings_print(Campaign *c, const CampaignOptions *o) {
    Text t = {.arena = &c->scratch};
    const CompileOptions *compile = &o->checker.compile;
    const GenerateOptions *g = &o->generate;
    char faults[256] = "none";
    if (compile->fault != FAULT_NONE) {
        faults_text(compile, faults, sizeof faults);
    }
    bool builtin = strcmp(c->engine->name, "builtin") == 0;
    text_printf(&t, "engine: %s\nnumber of jobs: %lld\n", c->engine->name,
                (long long)max_i64(o->jobs, 1));
    if (builtin) {
        text_printf(&t, "share of mutants: %lld\nshard: %lld/%lld\n", (long long)o->mutate,
                    (long long)o->shard.index + 1, (long long)max_i64(o->shard.count, 1));
    }
    text_printf(&t, "seed: %llu\nprofile: %016llx\nlist of ops: %016llx %016llx\n",
                (unsigned long long)o->seed, settings_hash(g->weight, sizeof g->weight),
                settings_hash(g->op, (size_t)g->nop * sizeof *g->op),
                settings_hash(g->off, sizeof g->off));
    text_printf(&t, "size of programs: %lld %lld\nsemantics: %s\npair: %s\nfault: %s\n",
                (long long)g->max_elements, (long long)g->max_statements,
                o->checker.semantics == SEMANTICS_NONE ? "of the programs"
                                                       : semantics_name(o->checker.semantics),
                o->checker.pair, faults);
    text_printf(&t, "limit of passes: %lld\nchoice of passes: %llx", (long long)compile->opt_limit,
                (unsigned long long)compile->disabled.pass);
    for (int i = 0; i < COUNT_OF(compile->disabled.step); i++) {
        text_printf(&t, " %llx", (unsigned long long)compile->disabled.step[i]);
    }
    text_printf(&t, "\nchoice of oracles: %x %d %d %d\n", o->checker.oracles_off, o->every_stage,
                o->checker.poke, o->checker.targets.strict);
    return t.v;
}

const char *settings_difference(Campaign *c, const char *before, const char *now) {
    for (const char *line = now; *line; line += strcspn(line, "\n") + 1) {
        size_t name = strcspn(line, ":"), length = strcspn(line, "\n");
        const char *at = before;
        while (*at && strncmp(at, line, name + 1) != 0) {
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
        if (!*at) {
            return "version of twingrad";
        }
        if (strcspn(at, "\n") != length || strncmp(at, line, length) != 0) {
            return arena_printf(&c->scratch, "%.*s", (int)name, line);
        }
    }
    return NULL;
}
