/* The features of a graph: the steps taken in it, one by one and in pairs, and the set of passes
 * that changed it. */
#include "compiled/capture/capture.h"
#include "compiled/core/feature.h"
#include "compiled/runtime/pipeline.h"

/* Bit 0: two entries lie in one storage. Bit 1: the caller's tensors are written. */
static unsigned alias_state(const Graph *g, const CaptureInput *in) {
    unsigned state = g->ninputs < in->n;
    for (int k = 0; k < g->ninputs; k++) {
        if (g->written && g->written[k]) {
            return state | 2;
        }
    }
    return state;
}

/* Nothing to record; recorded; a backward of an earlier region; a backward. */
static unsigned grad_state(const Graph *g, const CaptureInput *in) {
    if (g->backward_runs || in->later) {
        return g->backward_runs ? 3 : 2;
    }
    for (int k = 0; k < in->n; k++) {
        if (in->grad_mode && (in->entry[k].requires_grad || in->entry[k].has_history)) {
            return 1;
        }
    }
    return 0;
}

void feature_graph(const Compile *c) {
    Features *f = c->options->features;
    if (!f) {
        return;
    }
    const CaptureInput *in = &c->capture->in;
    unsigned state = alias_state(c->graph, in) * GRAD_STATES + grad_state(c->graph, in);
    unsigned step[MAX_STEPS];
    int n = 0;
    for (int w = 0; w < COUNT_OF(c->taken); w++) {
        for (uint64_t left = c->taken[w]; left; left &= left - 1) {
            step[n++] = (unsigned)(w * 64 + __builtin_ctzll(left));
        }
    }
    for (int i = 0; i < n; i++) {
        feature_add(f, PAIR_FEATURES + step[i] * ALIAS_STATES * GRAD_STATES + state);
        for (int k = 0; k < i; k++) {
            feature_add(f, feature_hash(step[k] * MAX_STEPS + step[i], PAIR_FEATURES));
        }
    }
    feature_add(f,
                PAIR_FEATURES + STEP_FEATURES +
                    feature_hash(c->changed * ALIAS_STATES * GRAD_STATES + state, PASS_FEATURES));
}
