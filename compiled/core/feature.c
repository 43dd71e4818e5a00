/* The map, in four parts: pairs of steps, steps, sets of passes, errors at ops. Steps stand in it
 * one by one; the others are hashed into their parts. */
#include "compiled/core/feature.h"

#include "compiled/capture/capture.h"

enum {
    ALIAS_STATES = 4,
    GRAD_STATES = 4,
    STEP_PART = MAX_STEPS * ALIAS_STATES * GRAD_STATES,
    PASS_PART = 1 << 10,
    ERROR_PART = 1 << 11
};
_Static_assert(PAIR_FEATURES + STEP_PART + PASS_PART + ERROR_PART == FEATURES, "four parts");

void features_clear(Features *f) {
    for (int i = 0; i < f->n; i++) {
        f->counter[f->touched[i]] = 0;
    }
    f->n = 0;
}

static void feature_add(Features *f, unsigned feature) {
    uint8_t *count = &f->counter[feature];
    if (*count == 0) {
        if (f->n == MAX_TOUCHED) {
            return;
        }
        f->touched[f->n++] = (uint16_t)feature;
    }
    *count = 1;
}

static unsigned hashed(unsigned value, unsigned part) {
    return (unsigned)((value * UINT64_C(0x9E3779B97F4A7C15) >> 32) % part);
}

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
    if (g->backward_runs || in->resumed) {
        return g->backward_runs ? 3 : 2;
    }
    for (int k = 0; k < in->n; k++) {
        if (in->grad_mode && (in->entry[k].record.requires_grad || in->entry[k].has_grad_fn)) {
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
            feature_add(f, hashed(step[k] * MAX_STEPS + step[i], PAIR_FEATURES));
        }
    }
    feature_add(f, PAIR_FEATURES + STEP_PART +
                       hashed(c->changed * ALIAS_STATES * GRAD_STATES + state, PASS_PART));
}

void feature_errors(Features *f, const Program *p, const Result *r) {
    for (int k = 0; f && k < r->ncalls; k++) {
        const CallResult *call = &r->calls[k];
        if (!call->ok) {
            const Stmt *s = call->error_at >= 0 ? program_stmt(p, call->error_at) : NULL;
            unsigned at =
                s ? (s->kind == STMT_OP ? (unsigned)s->op->id : OP_COUNT + (unsigned)s->kind)
                  : 2 * OP_COUNT + (unsigned)-call->error_at;
            feature_add(f, FEATURES - ERROR_PART +
                               hashed(at * ERR_COUNT + (unsigned)call->error, ERROR_PART));
        }
    }
}
