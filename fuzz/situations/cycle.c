/* Sequences of calls: a few variants of the inputs, called in turn, so that code that was compiled
 * for an early one is looked up again after others were compiled: sizes that grow and shrink, flags
 * that go true, false, true, windows that move, more variants than the code cache holds. */
#include "fuzz/generate/vary.h"

enum { MOST_VARIANTS = 12 };

typedef struct Variant {
    Input *in;
    bool grad_mode;
} Variant;

/* Mostly a few calls: each costs as much as a program of its own. */
static int count_calls(Gen *g) {
    int r = draw_below(g, 100);
    return r < 50   ? (int)draw_between(g, 2, 5)
           : r < 85 ? (int)draw_between(g, 6, 14)
                    : (int)draw_between(g, 15, MAX_RECALLS);
}

/* More variants than the code cache holds entries, now and then: mostly where values differ, each
 * of which may be a new entry. */
static int count_variants(Gen *g, int ncalls, Variation what) {
    int few = what == VARY_VALUES ? 40 : 75;
    int n = draw_chance(g, few) ? (int)draw_between(g, 2, 4) : (int)draw_between(g, 5, 12);
    return n <= ncalls + 1 ? n : ncalls + 1;
}

/* Which variant call `k` (0: the first further call) is made with: in turn, back and forth to the
 * first one, or any. */
static int variant_of(Gen *g, int order, int k, int n) {
    switch (order) {
    case 0:
        return (k + 1) % n;
    case 1:
        return k % 2 == 1 ? 0 : 1 + k / 2 % (n - 1);
    default:
        return draw_below(g, n);
    }
}

/* Overlap counts only where it has a weight. */
static Variation any_variation(Gen *g) {
    return (Variation)draw_below(g, g->w[W_change_overlap] > 0 ? VARY_COUNT : VARY_OVERLAP);
}

void draw_cycle(Gen *g) {
    Program *p = g->p;
    Variation what = any_variation(g);
    for (int i = 0; i < p->ninputs; i++) { /* what code may depend on */
        if (!p->inputs[i].data.is_fill && (g->want_values || draw_chance(g, 40))) {
            what = VARY_VALUES;
        }
    }
    bool values = g->want_values && what == VARY_VALUES;
    int n = values ? (int)draw_between(g, 9, 13) : count_calls(g),
        nvariant = values ? MOST_VARIANTS : count_variants(g, n, what), order = draw_below(g, 3);
    nvariant = nvariant <= n + 1 ? nvariant : n + 1;
    order = values ? 0 : order;
    bool apart = what != VARY_VALUES && draw_chance(g, 50), modes = draw_chance(g, 15),
         data = draw_chance(g, 50);
    Variant variant[MOST_VARIANTS];
    variant[0] = (Variant){p->inputs, p->grad_mode};
    for (int i = 1; i < nvariant; i++) {
        const Variant *from = &variant[apart ? 0 : i - 1];
        variant[i] = *from;
        variant[i].in = arena_copy(g->arena, from->in, (int64_t)sizeof(Input) * p->ninputs);
        vary(g, values || draw_chance(g, 80) ? what : any_variation(g), variant[i].in, p->ninputs);
        variant[i].grad_mode ^= modes && draw_chance(g, 50);
    }
    p->recalls = arena_array(g->arena, Recall, n);
    p->nrecalls = n;
    p->recalls_given = true;
    for (int k = 0; k < n; k++) {
        const Variant *v = &variant[variant_of(g, order, k, nvariant)];
        Recall *r = &p->recalls[k];
        if (draw_chance(g, 5)) {
            r->keep = r->object_form = true;
            r->grad_mode = v->grad_mode;
            r->grad_mode_given = v->grad_mode != p->grad_mode;
            draw_set(g, r);
            continue;
        }
        r->inputs = v->in;
        r->ninputs = p->ninputs;
        if (data) {
            r->inputs = arena_copy(g->arena, v->in, (int64_t)sizeof(Input) * p->ninputs);
            vary(g, VARY_DATA, r->inputs, p->ninputs);
        }
        r->grad_mode = v->grad_mode;
        r->object_form = r->grad_mode_given = r->grad_mode != p->grad_mode || !r->grad_mode;
    }
}
