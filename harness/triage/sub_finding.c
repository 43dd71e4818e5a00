/* A cause is one of its own if the least program that has it is as small as a finding gets there.
 * So the program is minimized with its cause kept; what then is left is needed for that cause. If
 * it can be made smaller still while it shows anything at all, and what that shows is of another
 * group, then the cause stood only where that other finding did. Minimizing for anything from the
 * start would not do: it would let go of a third bug that a program happens to hold beside the two.
 * A finding that no other minimizes to is left alone, and so is one whose cause is not known. */
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
    const Program *part = minimize_program(arena, least, &own, finding, &stats, NULL, NULL);
    CheckResult out;
    own.stages = finding->oracle == ORACLE_stages;
    check_program(&own, part, arena, &out);
    if (stats.kept == 0 || out.verdict != FINDING) {
        return p;
    }
    check_locate(&own, part, &out.finding, arena);
    if (strcmp(group_key(&out.finding), group_key(finding)) == 0) {
        return p;
    }
    *finding = out.finding;
    return part;
}
