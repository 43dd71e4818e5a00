/* Known issues: a file of findings that are already reported. They are shown, but do not make a run
 * fail. `replay` checks their programs again, so that a fixed issue is noticed.
 *
 *     {"known": [{"signature": "gradients-data-setitem", "pair": "torch113:*", "issue":
 *     "https://..", "date": "2026-11-21",
 *                 "note": "what is wrong", "program": "regressions/x.json"}]}
 *
 * `signature` is a pattern (* and ?) for Finding.signature, `issue`, `date` and `note` are
 * required; `pair` is a pattern for the pair (any, if absent), `cause` one for where bisection
 * finds it (cause.h; any, if absent), `program` a file that shows it, relative to this one. */
#ifndef HARNESS_KNOWN_H
#define HARNESS_KNOWN_H

#include "harness/oracles/finding.h"

/* The triage result of a finding. NEW findings, and FLAKY ones that are not known, make a run fail.
 */
typedef enum FindingStatus {
    STATUS_NEW,
    STATUS_KNOWN,
    STATUS_FIXED,
    STATUS_FLAKY,
    STATUS_COUNT
} FindingStatus;
/* "new", "known", "fixed", "flaky". */
const char *finding_status_name(FindingStatus status);

typedef struct KnownIssue {
    const char *signature, *issue, *date, *note;
    const char *pair, *cause; /* "*" if absent */
    const char *program;      /* path from the current directory, or NULL */
    int64_t seen;             /* number of findings that it matched in this run */
} KnownIssue;

typedef struct Known Known;
struct Known {
    KnownIssue *issue;
    int n;
};

/* Reads the file; all of it lives in `arena`. 0, or an exit code and a message. A NULL path is
 * an empty list. */
int known_open(Arena *arena, const char *path, Known *out, char *message, size_t message_size);
/* Does the issue concern this pair? */
bool known_applies(const KnownIssue *issue, const char *pair);
/* The first issue that covers the finding (not counted), or NULL. `cause` may be "". */
KnownIssue *known_find(const Known *known, const char *pair, const char *signature,
                       const char *cause);

#endif
