/* Patterns about sizes and positions: what a compilation for many of them has to guard. Their fault
 * families in compiled/core/faults.def are GU (guards) and SH (symbolic shapes). */
#include "fuzz/patterns/pattern.h"

/* x[.., :stop] with a stop near the size: clamped in some calls. */
static GenVar *clamped(Gen *g, GenVar *x, int64_t size) {
    PIndexItem items[] = {index_slice(INT64_MIN, size + draw_between(g, -1, 3), INT64_MIN)};
    return say_getitem(g, x, items, 1);
}

/* The two halves, or steps of two. */
static GenVar *halves(Gen *g, GenVar *x) {
    if (draw_chance(g, 60)) {
        GenVar *half = say_ints(g, OP_chunk, x, 2, 0);
        want_return(g, half == NULL ? NULL : half + 1);
        return half;
    }
    PIndexItem items[] = {index_slice(INT64_MIN, INT64_MIN, 2)};
    return say_getitem(g, x, items, 1);
}

/* One row out of all elements, in the order of the transposed. */
static GenVar *flat(Gen *g, GenVar *x) {
    Stmt *s = stmt_op(g, OP_reshape);
    GenVar *t = x->t->ndim == 2 && draw_chance(g, 70) ? say(g, OP_t, x) : x;
    if (t == NULL) {
        return NULL;
    }
    int64_t size[] = {-1};
    set_tensor(s, 0, t);
    set_ints(g, s, 1, size, 1);
    return stmt_commit(g, s, NAME_NONE);
}

bool pattern_other_sizes(Gen *g) {
    int64_t size[MAX_DIMS];
    int n = pattern_size(g, 1, 2, size);
    for (int d = 0; d < n; d++) {
        size[d] = size[d] < 2 ? 4 : size[d];
    }
    GenVar *x = draw_input(g, g->main, size, n, false, 50), *v = NULL;
    if (x == NULL) {
        return false;
    }
    g->want_sizes = true;
    switch (draw_below(g, 5)) {
    case 0:
        v = halves(g, x);
        break;
    case 1:
        v = clamped(g, x, size[0]);
        break;
    case 2:
        v = say2(g, OP_add_Tensor, x, draw_input(g, g->main, size, n, false, 50));
        break;
    case 3:
        v = say(g, OP_squeeze, draw_chance(g, 50) ? x : say_int(g, OP_unsqueeze, x, 0));
        break;
    default:
        v = flat(g, x);
        break;
    }
    if (v == NULL) {
        return false;
    }
    want_return(g, v);
    pattern_noise(g);
    return true;
}

/* Where something is read or stored is an argument, as in a loop that fills a buffer: code that
 * holds its value is made anew for each, and more often than the code cache has room. */
bool pattern_position(Gen *g) {
    int64_t size[MAX_DIMS];
    int n = 1 + draw_below(g, 2), dim = draw_below(g, n);
    for (int d = 0; d < n; d++) {
        size[d] = d == dim ? draw_between(g, 4, 12) : draw_between(g, 1, 3);
    }
    int64_t at = draw_between(g, size[dim] / 2, size[dim] - 1);
    GenVar *x = draw_input(g, g->main, size, n, draw_chance(g, 60), 30);
    GenVar *position = draw_input_values(g, DT_int64, NULL, 0, &at);
    if (x == NULL || position == NULL) {
        return false;
    }
    g->want_values = true;
    PIndexItem items[2] = {index_slice(INT64_MIN, INT64_MIN, INT64_MIN)};
    items[dim] = index_var(position);
    GenVar *y = NULL;
    if (draw_chance(g, 40)) {
        GenVar *to = say_scalar(g, OP_mul_Scalar, x, scalar_int(2));
        y = say_setitem(g, to, items, dim + 1, draw_input(g, g->main, NULL, 0, true, 30)) ? to
                                                                                          : NULL;
    } else {
        y = say_getitem(g, x, items, dim + 1);
    }
    want_return(g, y);
    return y != NULL;
}
