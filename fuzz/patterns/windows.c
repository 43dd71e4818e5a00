/* Windows: two parts of one tensor, one is read and the other written; or a part is read, changed
 * and stored again. Right only if the reads come first where the parts overlap. */
#include "fuzz/patterns/dataflow.h"

/* `length` elements of `x` along `dim`, from `start`. */
static GenVar *window_at(Gen *g, GenVar *x, int dim, int64_t start, int64_t length) {
    if (draw_chance(g, 50)) {
        Stmt *s = stmt_op(g, OP_narrow);
        set_tensor(s, 0, x);
        set_int(s, 1, dim);
        set_int(s, 2, start);
        set_int(s, 3, length);
        return stmt_commit(g, s, NAME_NONE);
    }
    PIndexItem items[MAX_DIMS];
    for (int d = 0; d < dim; d++) {
        items[d] = index_slice(INT64_MIN, INT64_MIN, INT64_MIN);
    }
    items[dim] = index_slice(start, start + length, INT64_MIN);
    return say_getitem(g, x, items, dim + 1);
}

static GenVar *window(Gen *g, GenVar *x, int dim, int64_t length) {
    return window_at(g, x, dim, draw_between(g, 0, x->t->size[dim] - length), length);
}

/* The window itself, or another view of as many elements. */
static GenVar *turned(Gen *g, GenVar *x) {
    int r = draw_below(g, 100);
    GenVar *y = NULL;
    if (r < 20) {
        y = say(g, OP_t, x->t->ndim <= 2 ? x : NULL);
    } else if (r < 40) {
        y = draw_this_op(g, OP_flip, x);
    } else if (r < 50) {
        y = draw_of_class(g, CLASS_VIEW, x);
    }
    return y != NULL ? y : x;
}

static bool write_into(Gen *g, GenVar *to, GenVar *value) {
    static const OpId form[] = {OP_copy_, OP_copy_, OP_add__Tensor, OP_mul__Tensor, OP_sub__Tensor};
    if (to == NULL || value == NULL) {
        return false;
    }
    return say2(g, form[draw_below(g, COUNT_OF(form))], to, value) != NULL;
}

/* The second part, then the first, over both. */
static bool rotate(Gen *g, GenVar *x, int dim) {
    int64_t n = x->t->size[dim], at = draw_between(g, 0, n);
    GenVar *parts[2] = {window_at(g, x, dim, at, n - at), window_at(g, x, dim, 0, at)};
    if (parts[0] == NULL || parts[1] == NULL) {
        return false;
    }
    if (draw_chance(g, 30)) {
        GenVar *changed = draw_pointwise(g, parts[0]);
        parts[0] = changed != NULL ? changed : parts[0];
    }
    GenVar *value = draw_join(g, OP_cat, parts, 2, dim);
    if (draw_chance(g, 50)) {
        want_return(g, x);
    }
    return value != NULL && say2(g, OP_copy_, x, value) != NULL;
}

bool pattern_windows(Gen *g) {
    GenVar *x = draw_with_dims(g, 1);
    if (x == NULL) {
        return false;
    }
    if (draw_chance(g, 40)) {
        GenVar *y = draw_pointwise(g, x);
        x = y != NULL && y->t->ndim > 0 ? y : x;
    }
    if (draw_chance(g, 25) && var_writable(g, x, false)) {
        if (draw_chance(g, 50)) {
            draw_this_op(g, OP_setitem, x);
        } else {
            draw_of_class(g, CLASS_WRITE_MOVE, x);
        }
    }
    int dim = draw_chance(g, 70) ? 0 : draw_below(g, x->t->ndim);
    int64_t n = x->t->size[dim];
    if (n < 1 || !var_writable(g, x, false)) {
        return false;
    }
    if (draw_chance(g, 15)) {
        return rotate(g, x, dim);
    }
    int64_t length = draw_between(g, (n + 1) / 2, n);
    GenVar *from = window(g, x, dim, length);
    GenVar *value = from == NULL ? NULL : turned(g, from);
    int r = draw_below(g, 100); /* the rest copies between parts that may overlap: undefined */
    if (value != NULL && !value->view && draw_chance(g, 50)) {
        r = 100; /* a flip is a copy already */
    }
    if (value != NULL && r < 70) {
        value = draw_pointwise(g, value);
    } else if (value != NULL && r < 96) {
        value = say(g, OP_clone, value);
    }
    GenVar *to = draw_chance(g, 25) ? from : draw_chance(g, 80) ? window(g, x, dim, length) : x;
    if (to != NULL && draw_chance(g, 20)) {
        to = turned(g, to);
    }
    bool written = write_into(g, to, value);
    if (draw_chance(g, 50)) {
        want_return(g, x);
    }
    if (written && draw_chance(g, 30)) {
        want_return(g, draw_pointwise(g, draw_chance(g, 50) ? x : to));
    }
    return written;
}

/* The in-place op of +=, -=, *= or /= on `part`, with a number or a tensor. */
static void augment(Gen *g, GenVar *part) {
    static const OpId form[] = {OP_add__Scalar, OP_sub__Scalar, OP_mul__Scalar, OP_div__Scalar,
                                OP_add__Tensor, OP_sub__Tensor, OP_mul__Tensor, OP_div__Tensor};
    OpId id = form[draw_below(g, COUNT_OF(form))];
    if (gen_allows(g, id)) {
        draw_this_op(g, id, part);
    }
}

/* x[i] op= y, spelled as Python does: read, in-place op, store. */
bool pattern_augmented(Gen *g) {
    GenVar *x = draw_with_dims(g, 1);
    GenVar *y = x != NULL && draw_chance(g, 60) ? draw_pointwise(g, x) : x;
    x = y != NULL && y->t->ndim > 0 ? y : x;
    if (x == NULL || !var_writable(g, x, false)) {
        return false;
    }
    PIndexItem items[GEN_ITEMS];
    bool repeats = false;
    int n = draw_index(g, x->t, draw_chance(g, 35), items, &repeats);
    GenVar *part = say_getitem(g, x, items, n);
    if (part == NULL || part->fuzzy || repeats) {
        return false;
    }
    GenVar *value = part;
    int r = draw_below(g, 100);
    if (r < 40) { /* in place: the part may be a view, and is written twice */
        augment(g, part);
    } else if (r < 65) {
        static const OpClass writes[] = {CLASS_WRITE_UNARY, CLASS_WRITE_BINARY};
        draw_of_class(g, writes[draw_below(g, COUNT_OF(writes))], part);
    } else {
        value = draw_pointwise(g, part);
    }
    if (value == NULL || !say_setitem(g, x, items, n, value)) {
        return false;
    }
    want_return(g, x);
    return true;
}
