/* Split and rejoin: a tensor is split, its pieces are changed, and joined again. */
#include "fuzz/patterns/dataflow.h"

enum { MOST_PIECES = 8 };

/* ---- split and rejoin ---- */

static const Stmt *into_pieces(Gen *g, GenVar *x, int dim, bool *unbound) {
    int64_t n = x->t->size[dim];
    static const OpId form[] = {OP_split, OP_chunk, OP_unbind, OP_split, OP_tensor_split};
    OpId id = form[draw_below(g, COUNT_OF(form))];
    *unbound = id == OP_unbind;
    Stmt *s = stmt_op(g, id);
    set_tensor(s, 0, x);
    if (*unbound) {
        if (n > MOST_PIECES) {
            return NULL;
        }
        set_int(s, 1, dim);
    } else {
        int64_t most = max_i64(1, min_i64(n, MOST_PIECES));
        int64_t pieces = draw_between(g, 1, draw_chance(g, 60) ? min_i64(most, 3) : most);
        set_int(s, 1, id == OP_split ? (n + pieces - 1) / pieces : pieces);
        set_int(s, 2, dim);
    }
    return stmt_commit(g, s, NAME_NONE) == NULL ? NULL : s;
}

/* The pieces in another order, one left out, one twice. */
static int rearrange(Gen *g, GenVar **v, int n) {
    int r = draw_below(g, 100), at = draw_below(g, n);
    if (r < 40) {
        return n;
    }
    if (r < 60) {
        for (int i = 0; i < n / 2; i++) {
            GenVar *keep = v[i];
            v[i] = v[n - 1 - i];
            v[n - 1 - i] = keep;
        }
        return n;
    }
    if (r < 80 && n > 1) {
        for (int i = at; i + 1 < n; i++) {
            v[i] = v[i + 1];
        }
        return n - 1;
    }
    if (r < 90 && n > 1) {
        v[at] = v[(at + 1) % n];
    } else if (n < MOST_PIECES) {
        v[n] = v[at];
        return n + 1;
    }
    return n;
}

bool pattern_rejoin(Gen *g) {
    GenVar *x = draw_with_dims(g, 1);
    if (x == NULL) {
        return false;
    }
    int dim = draw_below(g, x->t->ndim);
    bool unbound;
    const Stmt *s = into_pieces(g, x, dim, &unbound);
    if (s == NULL) {
        return false;
    }
    GenVar *piece[MOST_PIECES + 1];
    int n = 0;
    for (int i = 0; i < s->nout && n < MOST_PIECES; i++) {
        piece[n] = gen_find(g, s->out[i]);
        n += piece[n] != NULL;
    }
    if (n == 0) {
        return false;
    }
    int changes = draw_below(g, 100); /* < 45: no piece, < 80: one piece, else all */
    int only = draw_below(g, n);
    for (int i = 0; i < n; i++) {
        if (changes >= 80 || (changes >= 45 && i == only)) {
            GenVar *v = draw_pointwise(g, piece[i]);
            piece[i] = v != NULL ? v : piece[i];
        }
    }
    n = rearrange(g, piece, n);
    bool stacks = unbound ? draw_chance(g, 75) : draw_chance(g, 12);
    int64_t along = draw_chance(g, 80) ? dim : draw_below(g, x->t->ndim);
    GenVar *y = draw_join(g, stacks ? OP_stack : OP_cat, piece, n, unbound && !stacks ? 0 : along);
    if (y == NULL) {
        return false;
    }
    if (draw_chance(g, 50)) {
        GenVar *z = draw_chance(g, 70) ? draw_pointwise(g, y) : draw_of_class(g, CLASS_REDUCE, y);
        want_return(g, z);
    }
    want_return(g, y);
    return true;
}
