/* What depends on the last bit: a result that is exact in the order written, and is not after a
 * detour (a reciprocal, a fused or wider step), then an op that chooses by equality or order. */
#include "fuzz/patterns/dataflow.h"

/* A float input of whole numbers, with a gradient or not. */
static GenVar *whole_numbers(Gen *g, const int64_t *size, int ndim, int64_t most) {
    int64_t values[GEN_ELEMENTS], numel = 0;
    if (!sizes_numel(size, ndim, &numel) || numel > GEN_ELEMENTS) {
        return NULL;
    }
    for (int64_t i = 0; i < numel; i++) {
        values[i] = draw_between(g, 1, most);
    }
    return draw_input_values(g, g->main, size, ndim, values);
}

/* f(x, y), then its inverse: x again, exactly, while the product or sum fits. */
static GenVar *exact_result(Gen *g, GenVar *x, GenVar *y) {
    switch (draw_below(g, 5)) {
    case 0:
        return say2(g, OP_sub_Tensor, say2(g, OP_add_Tensor, x, y), y);
    case 1:
        return say(g, OP_sqrt, say2(g, OP_mul_Tensor, x, x));
    case 2:
        return say_scalar(g, OP_div_Scalar, say_scalar(g, OP_mul_Scalar, x, scalar_int(7)),
                          scalar_int(7));
    default:
        return say2(g, OP_div_Tensor, say2(g, OP_mul_Tensor, x, y), y);
    }
}

bool pattern_exact_choice(Gen *g) {
    static const OpId form[] = {OP_amin,   OP_amax,  OP_amin,   OP_amax,   OP_max_dim, OP_min_dim,
                                OP_argmax, OP_floor, OP_ceil,   OP_trunc,  OP_max,     OP_min,
                                OP_sort,   OP_frac,  OP_cummax, OP_argmin, OP_sign};
    if (!dtype_is_float(g->main)) {
        return false;
    }
    int64_t size[MAX_DIMS];
    int n = pattern_size(g, 1, 2, size);
    GenVar *x = draw_input(g, g->main, size, n, draw_chance(g, 60), 80);
    GenVar *q = exact_result(g, x, whole_numbers(g, size, n, 99));
    if (q == NULL) {
        return false;
    }
    GenVar *y = draw_chance(g, 20) ? say2(g, draw_chance(g, 50) ? OP_eq_Tensor : OP_ge_Tensor, q, x)
                                   : draw_this_op(g, form[draw_below(g, COUNT_OF(form))], q);
    want_return(g, y);
    if (draw_chance(g, 30)) {
        want_return(g, q);
    }
    g->want_backward = g->want_backward || draw_chance(g, 85);
    return y != NULL;
}
