/* Which group a single finding is of, as a campaign that starts with it would say: `check --group`,
 * for findings that are stored. */
#ifndef HARNESS_GROUP_OF_H
#define HARNESS_GROUP_OF_H

#include "harness/search/stage.h"
#include "harness/triage/known.h"

/* What a run of single findings keeps: the list of known issues, and the pairs of earlier modes. */
typedef struct Grouping {
    const CheckerOptions *options; /* of the checker */
    const Checker *checker;
    Known known;
    Stages stages; /* zeros to begin with; stages_close */
} Grouping;

typedef struct GroupOf {
    const char *key;      /* in the arena */
    FindingStatus status; /* new, known or allowed */
} GroupOf;

/* `p`: minimized; its finding is located (check_locate). */
GroupOf group_of(Grouping *g, Arena *arena, const Program *p, const Finding *located);

#endif
