/* Trace: what two executors hold after each statement of a program. Gathered by running its
 * prefixes (prefix.h) on both, so it shows what can be observed and nothing else: metadata,
 * aliases, versions, values, and for each value that requires grad where its gradient arrives. */
#ifndef HARNESS_TRACE_H
#define HARNESS_TRACE_H

#include "harness/check/check.h"
#include "harness/triage/prefix.h"
#include "program/json/json.h"

/* One name on one executor. */
typedef struct TraceValue {
    const ReturnRecord *record;
    int64_t version; /* -1: not asked (targets: a probe may break a graph) */
    int64_t flag; /* what a probe of requires_grad says, which may be another copy of the flag than
                     the record's; -1: not asked */
    uint64_t reaches; /* bit by input of the call: a gradient arrives at it when this value alone is
                         the root of a backward */
    uint64_t zeros;   /* ... and it is zero everywhere */
    bool reach_known; /* it requires grad, and its backward ran */
} TraceValue;

typedef enum TraceStatus {
    TRACE_HELD,    /* values hold what is known of each shown name */
    TRACE_NOT_RUN, /* in a branch that was not taken */
    TRACE_RAISED   /* an executor raised an error: `call` says which; the last step */
} TraceStatus;

typedef struct TraceStep {
    int sid; /* the statement, or AT_INPUTS */
    TraceStatus status;
    const Program *prefix;
    CheckResult outcome;       /* of the prefix */
    const CallResult *call[2]; /* of the two executors */
    NameSet shown; /* what the statement made or wrote, and what else changed with it, of either
                      executor */
    TraceValue *value[2]; /* by place in `shown` */
} TraceStep;

typedef struct Trace {
    Checker checker; /* a copy: counters of the caller's stay */
    const Program *program;
    int call; /* which call is looked at */
    Arena *arena;
    NameSet names;               /* of the step before, */
    const CallResult *before[2]; /* and what it held: returns in the order of `names` */
} Trace;

/* Visits AT_INPUTS and then every op and grad statement of the body, in order; false behind the
 * last one. Everything lives in `arena`. */
void trace_begin(Trace *t, const Checker *c, const Program *p, int call, Arena *arena);
bool trace_step(Trace *t, int *sid, TraceStep *out);

/* Does a gradient flow from `from` (as the prefix that ends at `sid` leaves it) to `to`, on
 * executor `e`? Asked by torch.autograd.grad at the end of the prefix. */
typedef enum Flow { FLOW_NO, FLOW_YES, FLOW_UNKNOWN /* the executor does not answer */ } Flow;
Flow trace_flow(Trace *t, Executor *e, int sid, NameId from, NameId to);

/* Graphviz: for both executors side by side, a node for each value, and edges to what it was made
 * of: solid where a gradient flows. */
void trace_dot(Trace *t, Text *text);

#endif
