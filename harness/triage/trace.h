/* Trace: the values of two executors after each statement of a program. It runs the prefixes of the
 * program (prefix.h) on both, so it shows exactly what can be observed: metadata, aliases,
 * versions, values, and for each value that requires grad the inputs that its gradient reaches. */
#ifndef HARNESS_TRACE_H
#define HARNESS_TRACE_H

#include "harness/check/check.h"
#include "harness/triage/prefix.h"
#include "program/json/json.h"

/* One name on one executor. */
typedef struct TraceValue {
    const ReturnRecord *record;
    int64_t version; /* -1: unknown (targets: a probe may break a graph) */
    int64_t flag; /* the answer of a probe of requires_grad, which may read another copy of the flag
                     than the record; -1: unknown */
    uint64_t reaches; /* bit by input of the call: a gradient arrives at it when this value alone is
                         the root of a backward */
    uint64_t zeros;   /* ... and it is zero everywhere */
    bool reach_known; /* it requires grad, and its backward ran */
} TraceValue;

typedef enum TraceStatus {
    TRACE_HELD,    /* `value` describes each shown name */
    TRACE_NOT_RUN, /* in a branch that was not taken */
    TRACE_RAISED   /* an executor raised an error: `call` says which; the last step */
} TraceStatus;

typedef struct TraceStep {
    int sid; /* the statement, or AT_INPUTS */
    TraceStatus status;
    const Program *prefix;
    CheckResult result;        /* of the prefix */
    const CallResult *call[2]; /* of the two executors */
    NameSet shown; /* names that the statement bound or wrote, and all others that changed on either
                      executor */
    TraceValue *value[2]; /* by index in `shown` */
} TraceStep;

typedef struct Trace {
    Checker checker; /* a copy: counters of the caller's stay */
    const Program *program;
    int call;                    /* the call that is traced */
    Arena steps[2];              /* of the step, and of the last one that held */
    int held;                    /* which is the latter: 0 or 1 */
    Arena scratch;               /* of one run that answers a question about gradients */
    NameSet names;               /* of the last step that held */
    const CallResult *before[2]; /* its results: returns in the order of `names` */
} Trace;

/* Visits AT_INPUTS, then every statement of the body at which a difference can begin
 * (prefix_is_step), in order; false after the last. A step lives until the next one; trace_end
 * frees all. */
void trace_begin(Trace *t, const Checker *c, const Program *p, int call);
bool trace_step(Trace *t, int *sid, TraceStep *out);
void trace_end(Trace *t);

/* Does a gradient flow from `from` (its value after statement `sid`) to `to` on executor `e`?
 * Tested by torch.autograd.grad at the end of the prefix. */
typedef enum Flow { FLOW_NO, FLOW_YES, FLOW_UNKNOWN /* the executor does not answer */ } Flow;
Flow trace_flow(Trace *t, Executor *e, int sid, NameId from, NameId to);

/* A Graphviz graph of both executors side by side: a node for each value, edges to its operands,
 * solid where a gradient flows. */
void trace_dot(Trace *t, Text *text);

#endif
