/* Operands that are computed and not given: joined of uneven parts, reduced, expanded, turned, a
 * product. Two of them meet in one op, one is the base of a scatter that nothing else reads, or an
 * op along a dim reads one in the order of its own layout. */
#include "fuzz/patterns/dataflow.h"

#include <string.h>

enum { MOST_PARTS = 4 };

/* ---- a tensor of a given size, computed ---- */

static GenVar *leaf(Gen *g, DType dtype, const int64_t *size, int ndim) {
    return draw_chance(g, 30) ? draw_need(g, (Need){.dtype = dtype, .ndim = ndim, .size = size})
                              : draw_input(g, dtype, size, ndim, draw_chance(g, 50), 85);
}

/* A cat of parts, often each of another size. */
static GenVar *made_joined(Gen *g, DType dtype, const int64_t *size, int ndim) {
    int64_t part[MAX_DIMS];
    GenVar *parts[MOST_PARTS];
    int dim = draw_below(g, ndim), n = 0;
    bool grows = draw_chance(g, 60);
    memcpy(part, size, sizeof *size * (size_t)ndim);
    for (int64_t left = size[dim]; n == 0 || (left > 0 && n < MOST_PARTS); n++) {
        part[dim] = grows ? n + 1 : draw_between(g, 1, max_i64(left / 2, 1));
        part[dim] = n + 1 == MOST_PARTS || draw_chance(g, 15) ? left : min_i64(part[dim], left);
        left -= part[dim];
        parts[n] = draw_input(g, dtype, part, ndim, draw_chance(g, 50), 90);
        if (parts[n] == NULL) {
            return NULL;
        }
    }
    return draw_join(g, OP_cat, parts, n, dim);
}

/* A reduction over one more dim. */
static GenVar *made_reduced(Gen *g, DType dtype, const int64_t *size, int ndim) {
    static const OpId form[] = {OP_sum_dim, OP_mean_dim, OP_amax,    OP_amin,     OP_max_dim,
                                OP_min_dim, OP_max_dim,  OP_min_dim, OP_prod_dim, OP_logsumexp};
    int64_t more[MAX_DIMS], at = draw_below(g, ndim + 1);
    for (int d = 0; d <= ndim && ndim < MAX_DIMS; d++) {
        more[d] = d < at ? size[d] : d > at ? size[d - 1] : draw_between(g, 1, 4);
    }
    GenVar *from = ndim < MAX_DIMS ? leaf(g, dtype, more, ndim + 1) : NULL;
    if (from == NULL) {
        return NULL;
    }
    Stmt *s = stmt_op(g, form[draw_below(g, COUNT_OF(form))]);
    set_tensor(s, 0, from);
    if (s->op->param[1].type == ARG_INT) {
        set_int(s, 1, at);
    } else {
        set_ints(g, s, 1, &at, 1);
    }
    return stmt_commit(g, s, NAME_NONE);
}

/* Something computed in one row, expanded. */
static GenVar *made_expanded(Gen *g, DType dtype, const int64_t *size, int ndim) {
    int64_t row[MAX_DIMS];
    int dim = draw_chance(g, 60) ? 0 : draw_below(g, ndim), skip = dim == 0 && draw_chance(g, 30);
    memcpy(row, size, sizeof *size * (size_t)ndim);
    row[dim] = 1;
    GenVar *from = leaf(g, dtype, row + skip, ndim - skip);
    GenVar *y = draw_chance(g, 85) ? draw_pointwise(g, from) : from;
    if (y == NULL || y->t->ndim > ndim) {
        return NULL;
    }
    Stmt *s = stmt_op(g, OP_expand);
    set_tensor(s, 0, y);
    set_ints(g, s, 1, size, ndim);
    return stmt_commit(g, s, NAME_NONE);
}

static GenVar *made_turned(Gen *g, DType dtype, const int64_t *size, int ndim) {
    int64_t turned[MAX_DIMS];
    int a = draw_below(g, ndim), b = ndim > 1 ? (a + draw_between(g, 1, ndim - 1)) % ndim : a;
    memcpy(turned, size, sizeof *size * (size_t)ndim);
    turned[a] = size[b];
    turned[b] = size[a];
    GenVar *from = leaf(g, dtype, turned, ndim);
    GenVar *y = from != NULL && draw_chance(g, 70) ? draw_pointwise(g, from) : NULL;
    bool fits = y != NULL && sizes_equal(y->t->size, y->t->ndim, turned, ndim);
    return say_ints(g, OP_transpose, fits ? y : from, a, b);
}

/* A product of two matrices, or of a batch of them. */
static GenVar *made_product(Gen *g, DType dtype, const int64_t *size, int ndim) {
    if (ndim != 2 && ndim != 3) {
        return NULL;
    }
    int64_t n = draw_between(g, 1, 4), left[3], right[3];
    for (int d = 0; d < ndim; d++) {
        left[d] = d + 1 == ndim ? n : size[d];
        right[d] = d + 2 == ndim ? n : size[d];
    }
    OpId id = draw_chance(g, 50) ? OP_matmul : ndim == 2 ? OP_mm : OP_bmm;
    GenVar *other = leaf(g, dtype, right, ndim);
    return say2(g, id, leaf(g, dtype, left, ndim), other);
}

/* How an operand is made. */
typedef enum Making {
    MAKE_JOINED,
    MAKE_REDUCED,
    MAKE_EXPANDED,
    MAKE_TURNED,
    MAKE_PRODUCT,
    MAKE_COUNT
} Making;

static GenVar *made(Gen *g, Making how, DType dtype, const int64_t *size, int ndim) {
    switch (how) {
    case MAKE_JOINED:
        return made_joined(g, dtype, size, ndim);
    case MAKE_REDUCED:
        return made_reduced(g, dtype, size, ndim);
    case MAKE_EXPANDED:
        return made_expanded(g, dtype, size, ndim);
    case MAKE_TURNED:
        return made_turned(g, dtype, size, ndim);
    case MAKE_PRODUCT:
        return made_product(g, dtype, size, ndim);
    case MAKE_COUNT:
        break;
    }
    return NULL;
}

/* *how: how it was made; how may be NULL. */
static GenVar *made_somehow(Gen *g, DType dtype, const int64_t *size, int ndim, Making *how) {
    GenVar *v = NULL;
    for (int i = 0; i < 3 && v == NULL; i++) {
        Making making = (Making)draw_below(g, MAKE_COUNT);
        v = made(g, making, dtype, size, ndim);
        if (how != NULL) {
            *how = making;
        }
    }
    return v;
}

static void return_all(Gen *g, const Stmt *s) {
    for (int i = 0; s != NULL && i < s->nout; i++) {
        want_return(g, gen_find(g, s->out[i]));
    }
}

static DType float_dtype(Gen *g) {
    static const DType half[] = {DT_float16, DT_bfloat16};
    return draw_chance(g, 40) ? half[draw_below(g, 2)] : g->main;
}

static GenVar *then_pointwise(Gen *g, GenVar *x, int percent) {
    GenVar *y = x != NULL && draw_chance(g, percent) ? draw_pointwise(g, x) : x;
    return y != NULL ? y : x;
}

/* ---- patterns ---- */

/* Gradients of both come from one, each by its own inverse. */
bool pattern_branches(Gen *g) {
    static const OpId form[] = {OP_add_Tensor, OP_add_Tensor, OP_sub_Tensor,
                                OP_mul_Tensor, OP_maximum,    OP_div_Tensor};
    int64_t size[MAX_DIMS];
    int r = draw_below(g, 100), n = r < 45 ? 1 : r < 75 ? 2 : 3;
    for (int d = 0; d < n; d++) {
        static const int64_t most[] = {12, 8, 3};
        size[d] = draw_between(g, n == 3 ? 1 : 2, most[n - 1]);
    }
    if (n == 3 && draw_chance(g, 40)) { /* any two orders of the dims fit */
        size[1] = size[2] = size[0];
    }
    DType dtype = float_dtype(g);
    Making how;
    GenVar *a = then_pointwise(g, made_somehow(g, dtype, size, n, &how), 45);
    GenVar *b = draw_chance(g, 20)
                    ? made(g, how, dtype, size, n) /* two of a kind, which differ in details */
                    : made_somehow(g, dtype, size, n, &how);
    b = then_pointwise(g, b, 45);
    GenVar *c = say2(g, form[draw_below(g, COUNT_OF(form))], a, b);
    want_return(g, then_pointwise(g, c, 20));
    g->want_backward = g->want_backward || draw_chance(g, 90);
    return c != NULL;
}

/* Its result takes the layout or the memory of the base, if that may be overwritten. */
bool pattern_scatter_base(Gen *g) {
    static const OpId form[] = {
        OP_index_put,      OP_index_put,     OP_index_add,         OP_index_copy,
        OP_scatter_src,    OP_scatter_add,   OP_scatter_value,     OP_index_fill_int_Scalar,
        OP_masked_scatter, OP_slice_scatter, OP_select_scatter,    OP_diagonal_scatter,
        OP_scatter_add,    OP_index_put,     OP_scatter_reduce_two};
    int64_t size[MAX_DIMS];
    int n = draw_chance(g, 60) ? 2 : 1 + draw_below(g, 3);
    for (int d = 0; d < n; d++) {
        size[d] = draw_between(g, 2, n > 2 ? 3 : 5);
    }
    bool expanded = draw_chance(g, 50);
    DType dtype = float_dtype(g);
    GenVar *base =
        expanded ? made(g, MAKE_EXPANDED, dtype, size, n) : made_somehow(g, dtype, size, n, NULL);
    GenVar *y = base != NULL ? draw_this_op(g, form[draw_below(g, COUNT_OF(form))], base) : NULL;
    want_return(g, then_pointwise(g, y, 25));
    return y != NULL;
}

/* An op with a parameter `dim` on x; NULL: none fits. */
static GenVar *along_a_dim(Gen *g, GenVar *x) {
    for (int i = 0; i < 60 && x != NULL; i++) {
        OpId id =
            draw_chance(g, 60) ? draw_common_op(g) : g->options->op[draw_below(g, g->options->nop)];
        OpClass class = op_info(id)->class;
        if (op_param(op_info(id), "dim") < 0 || !gen_allows(g, id) ||
            (class != CLASS_REDUCE && class != CLASS_COMPOSITE && class != CLASS_MOVE)) {
            continue;
        }
        GenVar *y = main_takes(g, op_info(id), x) ? draw_this_op(g, id, x) : NULL;
        if (y != NULL) {
            return y;
        }
    }
    return NULL;
}

/* A pointwise result is laid out as its operands are. Where all dims are equal, a wrong dim or
 * order shows in values only. */
bool pattern_laid_out(Gen *g) {
    static const OpId form[] = {OP_add_Tensor, OP_add_Tensor, OP_mul_Tensor, OP_sub_Tensor};
    const Weight layouts[] = {W_layout_permuted, W_layout_permuted, W_layout_permuted,
                              W_layout_stepped, W_layout_expanded};
    Situations was = g->situation;
    int64_t size[MAX_DIMS];
    int n = draw_chance(g, 70) ? 2 : 3;
    bool equal = draw_chance(g, 60);
    for (int d = 0; d < n; d++) {
        size[d] = d > 0 && equal ? size[0] : draw_between(g, 2, n > 2 ? 3 : 5);
    }
    g->situation.nlayout = 2;
    for (int i = 0; i < 2; i++) {
        g->situation.layout[i] =
            (int)layouts[draw_below(g, COUNT_OF(layouts))] - (int)W_layout_contiguous;
    }
    DType dtype = draw_chance(g, 70) ? g->main : draw_dtype(g);
    GenVar *x = draw_input(g, dtype, size, n, false, 40);
    GenVar *other = draw_chance(g, 50) ? x : draw_input(g, dtype, size, n, false, 40);
    g->situation = was;
    GenVar *y = draw_chance(g, 60) ? say2(g, form[draw_below(g, COUNT_OF(form))], x, other)
                                   : then_pointwise(g, x, 100);
    if (y != NULL && draw_chance(g, 35)) {
        GenVar *t = y->t->ndim == 2 ? say(g, OP_t, y) : draw_this_op(g, OP_permute, y);
        y = t != NULL ? t : y;
    }
    GenVar *z = along_a_dim(g, y);
    if (z != NULL) {
        return_all(g, g->tail);
    }
    return z != NULL;
}
