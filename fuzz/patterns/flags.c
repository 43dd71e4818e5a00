/* Patterns about requires_grad, is_leaf and has_grad_fn, after the bug that this project started
 * from (pytorch/pytorch#169179) and related ones. Their fault family in compiled/core/faults.def is
 * RG (requires_grad and the other flags). */
#include "fuzz/patterns/pattern.h"

/* An index for the buffer of the kinds that the reports show: slices, ints, lists, index pairs of a
 * triangle. */
static int mixed_index(Gen *g, GenVar *buffer, PIndexItem *items) {
    const Tensor *t = buffer->t;
    int n = 0, d = 0;
    while (t->ndim - d > 2) {
        items[n++] = draw_chance(g, 75) ? index_slice(INT64_MIN, INT64_MIN, INT64_MIN)
                                        : index_int(draw_below(g, (int)t->size[d]));
        d++;
    }
    int r = draw_below(g, 100);
    if (t->ndim - d == 2 && r < 30) { /* rows and columns of a triangle */
        Stmt *s = stmt_op(g, draw_chance(g, 70) ? OP_triu_indices : OP_tril_indices);
        set_int(s, 0, t->size[d]);
        set_int(s, 1, t->size[d + 1]);
        set_int(s, 2, draw_between(g, -1, 1));
        GenVar *pair = stmt_commit(g, s, NAME_NONE);
        if (pair != NULL && tensor_numel(pair->t) > 0) {
            GenVar *rows, *cols;
            if (draw_chance(g, 60)) {
                rows = say(g, OP_unbind, pair);
                cols = rows == NULL ? NULL : rows + 1;
            } else {
                rows = say_ints(g, OP_select, pair, 0, 0);
                cols = say_ints(g, OP_select, pair, 0, 1);
            }
            if (rows != NULL && cols != NULL) {
                items[n++] = index_var(rows);
                items[n++] = index_var(cols);
                return n;
            }
        }
    }
    int64_t length = draw_between(g, 1, 3);
    bool listed = false;
    for (; d < t->ndim; d++) {
        int64_t size = t->size[d];
        r = draw_below(g, 100);
        if (r < 45 && (!listed || length <= size)) {
            int64_t v[4];
            int64_t count = listed ? length : min_i64(length, size);
            length = count;
            int64_t base = draw_below(g, (int)size);
            for (int64_t i = 0; i < count; i++) {
                v[i] = (base + i) % size - (draw_chance(g, 20) ? size : 0);
            }
            items[n++] = index_list(g, v, (int)count);
            listed = true;
        } else if (r < 65) {
            items[n++] = index_int(draw_between(g, -size, size - 1));
        } else if (r < 85) {
            int64_t start = draw_chance(g, 50) ? INT64_MIN : draw_below(g, (int)size);
            items[n++] = index_slice(start, INT64_MIN, draw_chance(g, 20) ? 2 : INT64_MIN);
        } else {
            break;
        }
    }
    if (n == 0) {
        items[n++] = index_slice(INT64_MIN, INT64_MIN, INT64_MIN);
    }
    return n;
}

/* buffer[mixed] = something that requires grad. */
static bool store_source(Gen *g, GenVar *buffer) {
    PIndexItem items[GEN_ITEMS];
    if (buffer == NULL) {
        return false;
    }
    int n = mixed_index(g, buffer, items);
    Stmt *s = stmt_op(g, OP_setitem);
    set_tensor(s, 0, buffer);
    set_index(s, 1, items, n);
    const Tensor *slice = indexed_tensor(g, s);
    if (slice == NULL || tensor_numel(slice) > g->most) {
        return false;
    }
    int64_t size[MAX_DIMS];
    for (int d = 0; d < slice->ndim; d++) {
        size[d] = slice->size[d];
    }
    int skip = slice->ndim > 0 && draw_chance(g, 15) ? 1 : 0;
    return say_setitem(g, buffer, items, n,
                       pattern_source(g, buffer->t->dtype, size + skip, slice->ndim - skip));
}

static GenVar *plain_buffer(Gen *g, int least) {
    int64_t size[MAX_DIMS];
    int n = pattern_size(g, least, 3, size);
    if (n >= 2 && draw_chance(g, 50)) {
        size[n - 1] = size[n - 2];
    }
    return pattern_buffer(g, g->main, size, n);
}

/* Checks flags one to three times, then uses the tensor. */
static void flags_ask(Gen *g, GenVar *v) {
    int n = 1 + draw_below(g, 3);
    for (int i = 0; i < n; i++) {
        draw_flag_check(g, v);
    }
    if (draw_chance(g, 50)) {
        want_return(g, v);
    } else {
        want_return(g, say_scalar(g, OP_mul_Scalar, v, scalar_int(3)));
    }
}

bool pattern_buffer_setitem(Gen *g) {
    GenVar *m = plain_buffer(g, 1);
    if (m == NULL) {
        return false;
    }
    if (draw_chance(g, 25)) {
        draw_flag_check(g, m); /* before the write: an answer that may be cached */
    }
    if (!store_source(g, m)) {
        return false;
    }
    flags_ask(g, m);
    return true;
}

/* One way to write a view in place with a value that requires grad. */
static bool write_source(Gen *g, GenVar *v) {
    if (v == NULL) {
        return false;
    }
    int r = draw_below(g, 100);
    if (r < 35) {
        return store_source(g, v);
    }
    static const OpId form[] = {OP_copy_, OP_add__Tensor, OP_mul__Tensor, OP_sub__Tensor};
    GenVar *source = pattern_source(g, v->t->dtype, v->t->size, v->t->ndim);
    return say2(g, form[draw_below(g, COUNT_OF(form))], v, source) != NULL;
}

static GenVar *some_view(Gen *g, GenVar *m) {
    static const OpId form[] = {OP_select,  OP_narrow,   OP_transpose, OP_getitem,
                                OP_slice,   OP_diagonal, OP_view,      OP_unsqueeze,
                                OP_permute, OP_alias,    OP_expand_as};
    for (int i = 0; i < 4; i++) {
        OpId id = form[draw_below(g, COUNT_OF(form) - 1)];
        if (m == NULL || (id == OP_diagonal && m->t->ndim < 2) ||
            (id != OP_unsqueeze && m->t->ndim < 1)) {
            continue;
        }
        GenVar *v = draw_this_op(g, id, m);
        if (v != NULL && v->view && v->t != m->t) {
            return v;
        }
    }
    return NULL;
}

bool pattern_base_of_view(Gen *g) {
    GenVar *m = plain_buffer(g, 1);
    GenVar *v = some_view(g, m);
    if (!write_source(g, v)) {
        return false;
    }
    flags_ask(g, m);
    if (draw_chance(g, 30)) {
        draw_flag_check(g, v);
    }
    return true;
}

bool pattern_older_view(Gen *g) {
    GenVar *m = plain_buffer(g, 1);
    GenVar *old = some_view(g, m);
    if (old == NULL ||
        !(draw_chance(g, 50) ? store_source(g, m)
                             : write_source(g, draw_chance(g, 60) ? m : some_view(g, m)))) {
        return false;
    }
    flags_ask(g, old);
    return true;
}

bool pattern_second_name(Gen *g) {
    GenVar *m = plain_buffer(g, 1);
    if (m == NULL) {
        return false;
    }
    GenVar *n;
    int r = draw_below(g, 100);
    if (r < 40) {
        n = say(g, OP_contiguous, m);
    } else if (r < 65) {
        Stmt *s = stmt_op(g, OP_to);
        set_tensor(s, 0, m);
        set_dtype(s, 1, m->t->dtype);
        n = stmt_commit(g, s, NAME_NONE);
    } else {
        Stmt *s = stmt_op(g, OP_add__Scalar);
        set_tensor(s, 0, m);
        set_scalar(s, 1, scalar_int(1));
        n = stmt_commit(g, s, gen_fresh_name(g));
    }
    if (n == NULL || !write_source(g, n)) {
        return false;
    }
    flags_ask(g, draw_chance(g, 80) ? m : n);
    return true;
}

bool pattern_spelled_write(Gen *g) {
    g->want_call_style = true;
    GenVar *m = plain_buffer(g, 1);
    if (m == NULL || !write_source(g, m)) {
        return false;
    }
    flags_ask(g, m);
    return true;
}

bool pattern_branch_on_flag(Gen *g) {
    GenVar *b = plain_buffer(g, 1);
    if (b == NULL) {
        return false;
    }
    int64_t n = b->t->size[0];
    PIndexItem items[1];
    int64_t start = draw_chance(g, 50) ? 0 : draw_below(g, (int)n),
            stop = draw_chance(g, 40) ? INT64_MIN : draw_between(g, 1, n);
    items[0] = draw_chance(g, 20) ? index_int(start) : index_slice(start, stop, INT64_MIN);
    Stmt *s = stmt_op(g, OP_setitem);
    set_tensor(s, 0, b);
    set_index(s, 1, items, 1);
    const Tensor *slice = indexed_tensor(g, s);
    if (slice == NULL ||
        !say_setitem(g, b, items, 1, pattern_source(g, b->t->dtype, slice->size, slice->ndim))) {
        return false;
    }
    Predicate p = flag_predicate(g, draw_chance(g, 75) ? PRED_requires_grad : PRED_has_grad_fn, b);
    GenVar *made = draw_branch(g, &p, b);
    want_return(g, made);
    return made != NULL;
}

bool pattern_skew(Gen *g) {
    int64_t n = draw_between(g, 2, 5), batch = draw_between(g, 1, 3);
    int64_t size[3] = {batch, n, n}, pairs = n * (n - 1) / 2;
    GenVar *m = pattern_buffer(g, g->main, size, 3);
    Stmt *s = stmt_op(g, OP_triu_indices);
    set_int(s, 0, n);
    set_int(s, 1, n);
    set_int(s, 2, 1);
    GenVar *rc = stmt_commit(g, s, NAME_NONE);
    GenVar *rows = say(g, OP_unbind, rc);
    if (m == NULL || rows == NULL) {
        return false;
    }
    GenVar *cols = rows + 1;
    PIndexItem items[3] = {index_slice(INT64_MIN, INT64_MIN, INT64_MIN), index_var(rows),
                           index_var(cols)};
    int64_t vec[2] = {batch, pairs};
    if (!say_setitem(g, m, items, 3, pattern_source(g, g->main, vec, 2))) {
        return false;
    }
    draw_flag_check(g, m);
    GenVar *t = say_ints(g, OP_transpose, m, -2, -1);
    GenVar *skew = say2(g, OP_sub_Tensor, m, t);
    want_return(g, skew);
    g->want_backward = true;
    return skew != NULL;
}

bool pattern_flag_recall(Gen *g) {
    GenVar *x = pattern_input(g, 1, draw_chance(g, 60));
    if (x == NULL) {
        return false;
    }
    g->want_recall = true;
    if (draw_chance(g, 50)) {
        g->p->grad_mode = !g->p->grad_mode;
        g->p->grad_mode_given = true;
    }
    GenVar *y = say_scalar(g, OP_mul_Scalar, x, scalar_int(2));
    if (draw_chance(g, 50)) {
        draw_probe(g, PROBE_requires_grad, draw_chance(g, 50) || y == NULL ? x : y);
    }
    want_return(g, draw_chance(g, 30) ? x : y);
    return y != NULL;
}

bool pattern_flags_change(Gen *g) {
    GenVar *x = pattern_input(g, 1, draw_chance(g, 50));
    GenVar *y = say_scalar(g, OP_mul_Scalar, x, scalar_float(0.5));
    GenVar *v = draw_chance(g, 50) ? some_view(g, y) : NULL;
    if (y == NULL) {
        return false;
    }
    int r = draw_below(g, 100);
    if (r < 35 && v == NULL) {
        say(g, OP_detach_, y);
    } else if (r < 70) {
        y = say(g, OP_detach, y);
    }
    if (y != NULL && g->base[y->base].leaf && draw_chance(g, 70)) {
        Stmt *s = stmt_op(g, OP_requires_grad_);
        set_tensor(s, 0, y);
        if (draw_chance(g, 50)) {
            set_bool(s, 1, true);
        }
        stmt_commit(g, s, NAME_NONE);
    }
    if (y == NULL) {
        return false;
    }
    draw_flag_check(g, y);
    if (v != NULL && !v->dead) {
        draw_flag_check(g, v);
    }
    want_return(g, say_scalar(g, OP_mul_Scalar, y, scalar_int(2)));
    return true;
}
