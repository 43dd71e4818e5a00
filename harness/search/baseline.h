/* Baseline: the pair of a search on another PyTorch, to report only what is new. A finding is new
 * if the same program agrees there; what the base cannot compare is counted apart. */
#ifndef HARNESS_CAMPAIGN_BASELINE_H
#define HARNESS_CAMPAIGN_BASELINE_H

#include "harness/campaign/options.h"

typedef struct Baseline {
    Checker checker;
    bool opened;
    int64_t shown;    /* findings that the base shows, too */
    int64_t skipped;  /* findings whose programs the base cannot compare */
    int64_t replaced; /* findings of programs with which the base shows another finding */
} Baseline;

/* Opens the pair of `o` with the interpreter o->base_python for the target `torch`. 0, also where
 * the options name none (then every finding is new); or an exit code and one sentence. */
int baseline_open(Baseline *b, const CampaignOptions *o, char *message, size_t message_size);
/* Is this finding of `p` new? Counts what is not. */
bool baseline_is_new(Baseline *b, const Program *p, const Finding *finding);
/* The checker on which a smaller program must agree; NULL: there is no base. */
Checker *baseline_checker(Baseline *b);
void baseline_close(Baseline *b);

#endif
