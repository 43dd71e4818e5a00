/* Arguments of set_: the source, and for the form with sizes a window of its memory. */
#include "fuzz/generate/args.h"

/* A tensor that set_ takes: mostly of self's dtype, without a gradient where that is recorded, and
 * contiguous where PyTorch asks for it. */
static bool is_source(Draw *x, const GenVar *v, bool strict) {
    Gen *g = x->g;
    bool storage = op_takes_storage(x->op);
    bool other = storage && v->t->dtype != DT_bool && x->t->dtype != DT_bool;
    if (v->dead || (v == x->self && strict) ||
        (v->t->dtype != x->t->dtype && (strict || !other) && !draw_chance(g, 1))) {
        return false;
    }
    return !strict || ((storage || !g->grad || !gen_var_requires_grad(g, v)) &&
                       (!storage || tensor_is_contiguous(v->t)));
}

static GenVar *existing_source(Draw *x) {
    Gen *g = x->g;
    bool strict = !draw_chance(g, 15);
    int start = g->nvars > 0 ? (int)draw_below(g, g->nvars) : 0;
    for (int i = 0; i < g->nvars; i++) {
        GenVar *v = &g->var[(start + i) % g->nvars];
        if (is_source(x, v, strict)) {
            return v;
        }
    }
    return NULL;
}

static bool draw_source(Draw *x, int k) {
    Gen *g = x->g;
    GenVar *v = draw_chance(g, 80) ? existing_source(x) : NULL;
    if (v == NULL) {
        int64_t size[MAX_DIMS];
        bool same = draw_chance(g, 50);
        int n = same ? x->t->ndim : draw_size(g, size);
        dims_copy(size, same ? x->t->size : size, n);
        v = draw_need(g, (Need){.dtype = x->t->dtype, .ndim = n, .size = size});
    }
    if (v != NULL) {
        set_tensor(x->s, k, v);
    }
    return v != NULL;
}

/* Sizes and strides in the memory of the source; now and then beyond its end, which then moves. */
static void draw_window(Draw *x) {
    Gen *g = x->g;
    const GenVar *source = gen_find(g, x->s->arg[1].tensor);
    int64_t size[2], stride[2], room = g->data[source->data].numel - source->t->offset;
    int64_t offset = room > 0 && draw_chance(g, 60) ? draw_below(g, (int)min_i64(room, 9)) : 0;
    int n = (int)draw_below(g, 3);
    room = draw_chance(g, 5) ? room + 3 : room - offset;
    for (int d = 0; d < n; d++) {
        stride[d] = draw_chance(g, 80) ? 1 + draw_below(g, 3) : draw_below(g, 5);
        int64_t most = stride[d] > 0 ? (room + stride[d] - 1) / stride[d] : 3;
        size[d] = most > 0 ? draw_between(g, draw_chance(g, 10) ? 0 : 1, min_i64(most, 4)) : 0;
        room -= size[d] > 0 ? (size[d] - 1) * stride[d] : room;
    }
    set_int(x->s, 2, draw_chance(g, 3) ? offset - 2 : offset);
    set_ints(g, x->s, 3, size, n);
    if (n == 0 || draw_chance(g, 85)) {
        set_ints(g, x->s, 4, stride, n);
    }
}

Drawn set_argument(Draw *x, int k) {
    if (!op_sets_storage(x->op)) {
        return DRAWN_ELSEWHERE;
    }
    if (k == 1) {
        return draw_source(x, k) ? DRAWN : DRAWN_NOTHING;
    }
    if (k == 2) {
        draw_window(x);
    }
    return DRAWN;
}
