/* trace: the same probes ran, with the same values. Compares every call that both executors began,
 * including the one that ended differently, up to the end of the shorter trace. */
#include "harness/oracles/oracle.h"

#include <stdio.h>
#include <string.h>

static void oracle_trace_describe(char *out, size_t size, const TraceEntry *e) {
    if (e->probe == PROBE_dtype) {
        snprintf(out, size, "%s", dtype_name((DType)e->v[0]));
    } else if (e->probe == PROBE_size || e->probe == PROBE_stride) {
        ints_text(out, size, e->v, e->n);
    } else if (e->probe == PROBE_storage_offset || e->probe == PROBE_version) {
        snprintf(out, size, "%lld", (long long)e->v[0]);
    } else {
        snprintf(out, size, "%s", e->v[0] ? "true" : "false");
    }
}

Verdict oracle_trace(Comparison *cmp, Finding *out) {
    bool one_more = cmp->ncalls < cmp->a->ncalls && cmp->ncalls < cmp->b->ncalls;
    int calls = cmp->ncalls + (one_more && !cmp->after_error);
    for (int k = 0; k < calls; k++) {
        const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
        if (a->no_trace || b->no_trace) {
            continue;
        }
        int n = a->ntrace < b->ntrace ? a->ntrace : b->ntrace;
        for (int i = 0; i < n; i++) {
            const TraceEntry *x = &a->trace[i], *y = &b->trace[i];
            if (x->sid != y->sid) {
                finding_start(out, ORACLE_trace, "path", k, SUBJECT_TRACE, i,
                              x->sid < y->sid ? x->sid : y->sid);
                snprintf(out->a, sizeof out->a, "probe %d is at %s", i,
                         program_path(cmp->arena, cmp->program, x->sid));
                snprintf(out->b, sizeof out->b, "probe %d is at %s", i,
                         program_path(cmp->arena, cmp->program, y->sid));
                return FINDING;
            }
            if (x->probe == PROBE_version && !comparison_keeps(cmp, KEEPS_VERSIONS)) {
                continue;
            }
            if (x->n != y->n || memcmp(x->v, y->v, (size_t)x->n * sizeof *x->v) != 0) {
                finding_start(out, ORACLE_trace, probe_name(x->probe), k, SUBJECT_TRACE, i, x->sid);
                oracle_trace_describe(out->a, sizeof out->a, x);
                oracle_trace_describe(out->b, sizeof out->b, y);
                return FINDING;
            }
        }
        if (k < cmp->ncalls && a->ntrace != b->ntrace) {
            const TraceEntry *next = a->ntrace > n ? &a->trace[n] : &b->trace[n];
            finding_start(out, ORACLE_trace, "path", k, SUBJECT_TRACE, n, next->sid);
            snprintf(out->a, sizeof out->a, "%d probes ran", a->ntrace);
            snprintf(out->b, sizeof out->b, "%d probes ran", b->ntrace);
            return FINDING;
        }
    }
    return AGREE;
}
