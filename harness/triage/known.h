/* Known issues: files of findings that are already reported, and of differences that are allowed.
 * Their findings are shown, but do not make a run fail. `replay` checks their programs again, so
 * that a fixed issue is noticed.
 *
 *     {"known": [{"signature": "gradients-data-setitem", "pair": "torch1.13:*", "versions": "1.13",
 *                 "answer": "text", "issue": "https://..", "date": "2026-11-21",
 *                 "note": "what is wrong", "program": "regressions/x.json"}]}
 *
 * `kind` is "bug" (if absent) or "allowed". `signature` is a pattern (* and ?) for
 * Finding.signature, or for oracle, kind and op of what the program itself shows; `date`, `note`,
 * and `issue` (an address) or `source` (a file of the framework) are required. What an entry
 * concerns is narrowed by `pair`, a pattern for the pair; `versions` ("2.8", "2.8-2.13", "2.13-"),
 * of a target in it; `answer`, a text in either answer; `answers`, a pattern for each; `cause`, a
 * pattern for where bisection finds it (cause.h); and by conditions (conditions.def): `"refused":
 * true`, to calls that both refuse; `"unused": true`, to statements whose results nothing needs;
 * `"repeated": true`, to ops that were called before on the same (dead.h); `"block": CONTEXT`, to
 * minimized programs with a block in this context, with `"reentrant": true` in a reentrant
 * checkpoint; `"through": OP`, a pattern, to minimized programs that write through a view of that
 * op; `"overwritten": OP`, to those that write a tensor after such an op has read it, and
 * `"argument_overwritten": OP`, an argument;
 * `"sharing_changes": true`, to those whose arguments share memory otherwise in another call;
 * `"between_results": true`, to those that ask torch.autograd.grad for the gradient of a result;
 * `"shared_memory": true`, to programs two of whose arguments share memory in a call;
 * `"writes": true`, to minimized programs that write to a tensor;
 * `"uses": OP`, a pattern, to minimized programs that still have such an op;
 * `"into": OP`, to those in which such an op computes into its out argument;
 * `"hook": true`, to those that register a hook;
 * `"returned_hook": true`, to those that return a tensor with a hook;
 * `"function": FEATURE`, to minimized programs that apply such a function of their own;
 * `"undifferentiated": true`, to gradients of inputs that may reach what is not differentiated
 * (needs.h). `program` is a file that shows it, relative to this one. */
#ifndef HARNESS_KNOWN_H
#define HARNESS_KNOWN_H

#include "harness/check/check.h"

/* What an issue may ask of a finding and its program, by its key (conditions.def). */
typedef enum Condition {
#define CONDITION(key, value, minimized, holds) CONDITION_##key,
#include "harness/triage/conditions.def"
#undef CONDITION
    CONDITION_COUNT
} Condition;

/* The triage result of a finding. NEW findings, and FLAKY ones that are not known, make a run fail.
 */
typedef enum FindingStatus {
    STATUS_NEW,
    STATUS_KNOWN,
    STATUS_FIXED,
    STATUS_FLAKY,
    STATUS_ALLOWED,      /* a search: an entry says that it is no bug */
    STATUS_UNREPRODUCED, /* a search: an error that the repro script does not show */
    STATUS_COUNT
} FindingStatus;
/* "new", "known", "fixed", "flaky", "allowed", "unreproduced". */
const char *finding_status_name(FindingStatus status);

typedef struct KnownIssue {
    bool allowed;                                /* a difference that is no bug */
    const char *signature, *issue, *date, *note; /* issue: `issue`, else `source` */
    const char *pair, *cause;                    /* "*" if absent */
    const char *answer;                          /* "" if absent */
    const char *asked[CONDITION_COUNT];          /* the value of each condition; NULL: not asked */
    const char *answers[2];                      /* "*" if absent */
    int64_t since, until;                        /* version_number of the first and the last */
    const char *program;                         /* path from the current directory, or NULL */
    int64_t seen; /* number of findings that it matched in this run */
} KnownIssue;

typedef struct Known Known;
struct Known {
    KnownIssue *issue;
    int n;
};

/* A pair as issues see it. */
typedef struct KnownPair {
    const char *name;        /* "torch:eager,torch:aot" */
    const char *versions[2]; /* what its targets report to be, or NULL */
} KnownPair;
KnownPair known_pair(const Checker *c);

/* Reads the file; all of it lives in `arena`. 0, or an exit code and a message. A NULL path is
 * an empty list. */
int known_open(Arena *arena, const char *path, Known *out, char *message, size_t message_size);
/* The list of a run: `path` (--known), or if NULL the lists that come with the pair's targets
 * (corpus/known/TARGET.json; none if there are none). "none" is the empty list. */
int known_open_for(Arena *arena, const char *path, const Checker *c, Known *out, char *message,
                   size_t message_size);
/* Does the issue concern this pair? */
bool known_applies(const KnownIssue *issue, const KnownPair *pair);
/* The first issue that covers the located finding of `p` (not counted), or NULL. `minimized`: what
 * is in `p` is what the finding needs. */
KnownIssue *known_find(const Known *known, const KnownPair *pair, const Program *p, bool minimized,
                       const Finding *finding);

#endif
