/* From the options of `fuzz` to the settings of a search or a campaign. */
#include "harness/cli/fuzz.h"

enum { MUTATE_PERCENT = 30 };

bool fuzz_options(const Options *o, CampaignOptions *out, char *message, size_t message_size) {
    *out = (CampaignOptions){
        .every_stage = o->oracle != NULL,
        .seed = o->seed,
        .shard = o->shard,
        .swarm_passes = o->swarm_passes,
        .mutate = o->mutate < 0 ? MUTATE_PERCENT : o->mutate,
        .seconds = o->seconds,
        .runs = o->runs,
        .first = o->first,
        .known = o->known,
        .minimize = !o->no_minimize,
        .triage = !o->no_triage,
        .every = o->every,
        .out = o->out,
        .reports = o->reports,
        .json = o->json,
        .timing = o->timing,
        .stats = o->stats,
        .engine = o->engine,
        .corpus = o->corpus,
        .binary = o->binary,
        .jobs = o->jobs,
        .resume = o->resume,
        .words = o->words,
        .nwords = o->nwords,
    };
    return generate_settings(o, &out->generate, message, message_size) &&
           checker_settings(o, &out->checker, message, message_size);
}

bool fuzz_parse(CampaignOptions *out, int nwords, char **words, char *message,
                size_t message_size) {
    Options o = {.command = "fuzz"};
    bool help = false;
    return options_parse(&o, nwords, words, command_options("fuzz"), &help, message,
                         message_size) &&
           fuzz_options(&o, out, message, message_size);
}
