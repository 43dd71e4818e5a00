/* First the program is minimized with its cause kept: what is left is needed for that cause. Then
 * it is minimized further while it shows any finding. If it becomes smaller, and the finding is
 * then of another group, the cause depends on that finding: two bugs in one program looked like a
 * third. Minimizing for any finding from the start could instead end at a third bug that the
 * program happens to contain. A finding whose cause is not known is left alone. */
#include "harness/triage/sub_finding.h"

#include "harness/triage/group.h"
#include "harness/triage/minimize.h"

#include <string.h>

enum { SUB_FINDING_CHECKS = 4000 };

const Program *sub_finding(Arena *arena, const Program *p, const Checker *c, Finding *finding) {
    if (!finding->cause.group[0]) {
        return p;
    }
    Checker own = *c;
    MinimizeStats stats = {.checks = SUB_FINDING_CHECKS};
    const Program *least = minimize_program(arena, p, &own, finding, &stats, NULL, NULL);
    stats = (MinimizeStats){.checks = SUB_FINDING_CHECKS, .anything = true};
    const Program *smaller = minimize_program(arena, least, &own, finding, &stats, NULL, NULL);
    CheckResult out;
    own.stages = finding->oracle == ORACLE_stages;
    check_program(&own, smaller, arena, &out);
    if (stats.kept == 0 || out.verdict != FINDING) {
        return p;
    }
    check_locate(&own, smaller, &out.finding, arena);
    if (strcmp(group_key(&out.finding), group_key(finding)) == 0) {
        return p;
    }
    *finding = out.finding;
    return smaller;
}
