/* What is returned and differentiated, and how the function is called again.
 *
 * A recall changes one or two properties that a cache key must hold: grad mode, a requires_grad
 * flag, sizes, strides, dtype, offset, which inputs share storage; or only the data, so that the
 * cache must hit. Or it reuses the tensors, with the histories that earlier calls gave them, and
 * sets flags. */
#include "fuzz/generate/vary.h"

#include <string.h>

/* ---- returns ---- */

static bool returned(const Gen *g, const GenVar *v, const NameId *names, int n) {
    (void)g;
    for (int i = 0; i < n; i++) {
        if (names[i] == v->name) {
            return true;
        }
    }
    return false;
}

static GenVar *return_candidate(Gen *g) {
    GenVar *best = NULL;
    for (int i = 0; i < 5 && g->nvars > 0; i++) {
        GenVar *v =
            &g->var[draw_chance(g, 60) ? g->nvars - 1 - draw_below(g, g->nvars < 6 ? g->nvars : 6)
                                       : draw_below(g, g->nvars)];
        if (v->dead || (v->no_grad && !draw_chance(g, 25)) ||
            (g->base[v->base].input && !v->view && v->data < g->p->ninputs &&
             !draw_chance(g, 25))) {
            continue;
        }
        if (best == NULL || (best->spent && !v->spent) ||
            (!gen_var_requires_grad(g, best) && gen_var_requires_grad(g, v))) {
            best = v;
        }
    }
    return best;
}

void draw_returns(Gen *g) {
    NameId names[2 * GEN_RETURNS];
    int n = 0;
    bool roots[2 * GEN_RETURNS];
    for (int i = 0; i < g->nwanted; i++) {
        if (!g->wanted[i]->dead) {
            roots[n] = gen_var_requires_grad(g, g->wanted[i]);
            names[n++] = g->wanted[i]->name;
        }
    }
    int more = draw_below(g, 3);
    more = n == 0 ? 1 + more : more - draw_below(g, 2);
    for (int i = 0; i < more; i++) {
        GenVar *v = return_candidate(g);
        if (v != NULL && (!returned(g, v, names, n) || draw_chance(g, 10))) {
            roots[n] = gen_var_requires_grad(g, v);
            names[n++] = v->name;
        }
    }
    if (draw_feature(g, g->w[W_return_unspent])) {
        bool all = draw_feature(g, g->w[W_return_all]);
        for (int i = g->nvars - 1; i >= 0 && n < GEN_RETURNS; i--) {
            const GenVar *v = &g->var[i];
            if (!v->dead && (all || !v->spent) && !g->base[v->base].input &&
                !returned(g, v, names, n)) {
                roots[n] = gen_var_requires_grad(g, v);
                names[n++] = v->name;
            }
        }
    }
    Program *p = g->p;
    p->returns = arena_alloc_raw(g->arena, (int64_t)sizeof(NameId) * (n + 1));
    memcpy(p->returns, names, sizeof names[0] * (size_t)n);
    p->nreturns = n;
    int nroots = 0;
    for (int i = 0; i < n; i++) {
        nroots += roots[i];
    }
    if (!g->want_backward && !draw_chance(g, nroots > 0 ? g->w[W_backward] : 10)) {
        return;
    }
    int r = draw_below(g, 100);
    p->backward.given = true;
    p->backward.fill = r < 84   ? FILL_dyadic
                       : r < 95 ? FILL_ones
                       : r < 98 ? FILL_uniform
                       : r < 99 ? FILL_zeros
                                : FILL_special;
    p->backward.seed = (uint64_t)draw_below(g, 100000);
    p->backward.nof = -1;
    if (n > 0 && (nroots > 1 || draw_chance(g, 5)) &&
        (g->want_partial ? draw_chance(g, 85) : draw_chance(g, g->w[W_partial_backward]))) {
        p->backward.of = arena_array(g->arena, int, n);
        p->backward.nof = 0;
        int keep = draw_below(g, n);
        for (int i = 0; i < n; i++) {
            if (i == keep || draw_chance(g, 35)) {
                p->backward.of[p->backward.nof++] = i;
            }
        }
    }
}

/* ---- recalls ---- */

/* ---- recalls in other sizes ---- */

/* The strides of a tensor whose sizes changed, in the order in which they were. */
static void restride(Input *x, const Input *was) {
    bool done[MAX_DIMS] = {false};
    int64_t step = 1;
    for (int n = 0; n < x->ndim; n++) {
        int least = -1;
        for (int d = x->ndim - 1; d >= 0; d--) {
            least = !done[d] && (least < 0 || was->stride[d] < was->stride[least]) ? d : least;
        }
        done[least] = true;
        if (was->stride[least] > 0) {
            x->stride[least] = step;
            step *= max_i64(x->size[least], 1);
        }
    }
}

static int64_t other_size(Gen *g, const Input *in, int n) {
    int r = draw_below(g, 100);
    const Input *x = &in[draw_below(g, n)];
    if (r < 10 && x->ndim > 0) {
        return x->size[draw_below(g, x->ndim)];
    }
    return r < 22 ? draw_between(g, 0, 1) : draw_between(g, 2, 9);
}

enum { RECALL_ELEMENTS = 8192 /* a convolution of more takes too long */ };

static bool are_too_large(const Input *in, int n) {
    for (int i = 0; i < n; i++) {
        int64_t numel;
        if (!sizes_numel(in[i].size, in[i].ndim, &numel) || numel > RECALL_ELEMENTS) {
            return true;
        }
    }
    return false;
}

/* The function called in two to four more sizes: all dims of one size become another; now and then
 * one does not, or a layout changes. */
static bool draw_sizes(Gen *g) {
    Program *p = g->p;
    const Input *x = &p->inputs[draw_below(g, p->ninputs)];
    if (x->ndim == 0 || g->most > GEN_ELEMENTS) {
        return false;
    }
    for (int i = 0; i < p->ninputs; i++) {
        if (p->inputs[i].data.given && !p->inputs[i].data.is_fill) {
            return false;
        }
    }
    int64_t from = x->size[draw_below(g, x->ndim)], second = x->size[draw_below(g, x->ndim)];
    bool both = second != from && draw_chance(g, 50);
    int n = 2 + draw_below(g, 3);
    p->recalls = arena_array(g->arena, Recall, n);
    p->nrecalls = n;
    p->recalls_given = true;
    for (int k = 0; k < n; k++) {
        Input *in = arena_copy(g->arena, p->inputs, (int64_t)sizeof(Input) * p->ninputs);
        int64_t to = other_size(g, p->inputs, p->ninputs),
                to_second = both ? other_size(g, p->inputs, p->ninputs) : second;
        for (int i = 0; i < p->ninputs; i++) {
            for (int d = 0; d < in[i].ndim; d++) {
                int64_t was = in[i].size[d];
                in[i].size[d] = was == from ? to : was == second ? to_second : was;
            }
        }
        if (are_too_large(in, p->ninputs)) {
            memcpy(in, p->inputs, sizeof(Input) * (size_t)p->ninputs);
        }
        for (int i = 0; i < p->ninputs; i++) {
            bool odd = i > 0 && draw_chance(g, 6), laid_out = draw_chance(g, 6);
            if (odd && in[i].ndim > 0) { /* one dim is not like the others */
                int d = draw_chance(g, 60) ? 0 : draw_below(g, in[i].ndim);
                in[i].size[d] += draw_between(g, 1, 2);
            }
            if (!in[i].stride_given) {
                contiguous_strides(in[i].size, in[i].ndim, in[i].stride);
                if (laid_out) {
                    vary(g, VARY_LAYOUT, &in[i], 1);
                }
            } else if (draw_chance(g, 90)) {
                restride(&in[i], &p->inputs[i]);
            }
        }
        vary(g, VARY_DATA, in, p->ninputs);
        p->recalls[k] = (Recall){.inputs = in,
                                 .ninputs = p->ninputs,
                                 .grad_mode = p->grad_mode,
                                 .grad_mode_given = p->grad_mode_given,
                                 .object_form = p->grad_mode_given};
    }
    return true;
}

void draw_recalls(Gen *g) {
    Program *p = g->p;
    bool bounded = g->options->max_elements > 0; /* inference has not seen the other sizes */
    if (g->want_sizes && !bounded && p->ninputs > 0 && draw_sizes(g)) {
        return;
    }
    if (p->ninputs > 0 && (g->want_values || draw_feature(g, g->w[W_cycle]))) {
        draw_cycle(g);
        return;
    }
    bool flags = g->want_recall;
    if ((!flags && !draw_chance(g, g->w[p->setup.count > 0 ? W_setup_recall : W_recall])) ||
        p->ninputs == 0) {
        return;
    }
    int n = 1 + draw_below(g, flags ? 3 : 2);
    p->recalls = arena_array(g->arena, Recall, n);
    p->nrecalls = n;
    p->recalls_given = true;
    const Input *before = p->inputs;
    bool mode = p->grad_mode;
    for (int i = 0; i < n; i++) {
        Recall *r = &p->recalls[i];
        if (!flags && draw_chance(g, p->setup.count > 0 ? 60 : g->w[W_keep])) {
            mode ^= draw_chance(g, 20);
            r->keep = r->object_form = true;
            r->grad_mode = mode;
            r->grad_mode_given = mode != p->grad_mode;
            draw_set(g, r);
            continue;
        }
        Input *in = arena_copy(g->arena, before, (int64_t)sizeof(Input) * p->ninputs);
        r->inputs = in;
        r->ninputs = p->ninputs;
        if (draw_chance(g, 60)) {
            vary(g, VARY_DATA, in, p->ninputs);
        }
        Variation what = (Variation)draw_share(g, W_change_flags, W_change_overlap);
        if (flags || what == VARY_FLAGS) {
            if (draw_chance(g, 70)) {
                vary(g, VARY_FLAGS, in, p->ninputs);
            }
            if (draw_chance(g, flags ? 60 : 35)) {
                mode = !mode;
            }
        } else if (what != VARY_DATA) {
            vary(g, what, in, p->ninputs);
        }
        r->grad_mode = mode;
        r->object_form = r->grad_mode_given = !mode || (p->grad_mode_given && draw_chance(g, 50));
        if (draw_chance(g, 50)) {
            before = in;
        }
    }
}
