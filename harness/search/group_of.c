/* A finding is of the known issue that explains it, else of its cause, else of the stage of the
 * compiler that shows it first. */
#include "harness/search/group_of.h"

#include "harness/triage/group.h"

#include <stdio.h>

GroupOf group_of(Grouping *g, Arena *arena, const Program *p, const Finding *located) {
    Finding finding = *located;
    const bool external = checker_is_external(g->checker);
    if (external) {
        snprintf(finding.cause.text, sizeof finding.cause.text, "%.79s", finding.frame);
    }
    const KnownPair pair = known_pair(g->checker);
    const KnownIssue *issue = known_find(&g->known, &pair, p, true, &finding);
    const char *key = group_key(&finding);
    if (!issue && external) {
        StagePlace place =
            stage_place(&g->stages, g->options, g->checker, &g->known, arena, p, &finding);
        issue = place.issue;
        key = place.group;
    }
    if (issue) {
        return (GroupOf){issue->issue, issue->allowed && external ? STATUS_ALLOWED : STATUS_KNOWN};
    }
    return (GroupOf){arena_strdup(arena, key), STATUS_NEW};
}
