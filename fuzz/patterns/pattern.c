/* The table of patterns, and the shorthands that they use. */
#include "fuzz/patterns/pattern.h"

static const struct {
    const char *name;
    bool (*draw)(Gen *g);
} PATTERNS[] = {
#define PATTERN(name, weight, text) {#name, pattern_##name},
#include "fuzz/patterns/patterns.def"
#undef PATTERN
};

const char *pattern_name(int pattern) {
    return pattern >= 0 && pattern < COUNT_OF(PATTERNS) ? PATTERNS[pattern].name : NULL;
}

int pattern_draw(Gen *g) {
    int i = draw_share(g, FIRST_PATTERN, FIRST_DELIBERATE_ERROR - 1);
    return PATTERNS[i].draw(g) ? i : -1;
}

void want_return(Gen *g, GenVar *v) {
    if (v != NULL && g->nwanted < GEN_RETURNS) {
        g->wanted[g->nwanted++] = v;
    }
}

/* ---- shorthands ---- */

/* A write that eager refuses because of its history is not drawn. */
static bool allowed(const Gen *g, OpId id, const GenVar *self, const GenVar *value) {
    return !op_info(id)->param[0].writes ||
           var_writable(g, self, value != NULL && gen_var_requires_grad(g, value));
}

GenVar *say(Gen *g, OpId id, GenVar *a) {
    if (a == NULL || !allowed(g, id, a, NULL)) {
        return NULL;
    }
    Stmt *s = stmt_op(g, id);
    set_tensor(s, 0, a);
    return stmt_commit(g, s, NAME_NONE);
}

GenVar *say2(Gen *g, OpId id, GenVar *a, GenVar *b) {
    if (a == NULL || b == NULL || !allowed(g, id, a, b)) {
        return NULL;
    }
    Stmt *s = stmt_op(g, id);
    set_tensor(s, 0, a);
    set_tensor(s, 1, b);
    return stmt_commit(g, s, NAME_NONE);
}

GenVar *say_scalar(Gen *g, OpId id, GenVar *a, Scalar b) {
    if (a == NULL || !allowed(g, id, a, NULL)) {
        return NULL;
    }
    Stmt *s = stmt_op(g, id);
    set_tensor(s, 0, a);
    set_scalar(s, 1, b);
    return stmt_commit(g, s, NAME_NONE);
}

GenVar *say_int(Gen *g, OpId id, GenVar *a, int64_t i) {
    if (a == NULL) {
        return NULL;
    }
    Stmt *s = stmt_op(g, id);
    set_tensor(s, 0, a);
    set_int(s, 1, i);
    return stmt_commit(g, s, NAME_NONE);
}

GenVar *say_ints(Gen *g, OpId id, GenVar *a, int64_t i, int64_t j) {
    if (a == NULL) {
        return NULL;
    }
    Stmt *s = stmt_op(g, id);
    set_tensor(s, 0, a);
    set_int(s, 1, i);
    set_int(s, 2, j);
    return stmt_commit(g, s, NAME_NONE);
}

GenVar *say_getitem(Gen *g, GenVar *a, PIndexItem *items, int n) {
    if (a == NULL) {
        return NULL;
    }
    Stmt *s = stmt_op(g, OP_getitem);
    set_tensor(s, 0, a);
    set_index(s, 1, arena_copy(g->arena, items, (int64_t)sizeof items[0] * n), n);
    return stmt_commit(g, s, NAME_NONE);
}

bool say_setitem(Gen *g, GenVar *a, PIndexItem *items, int n, GenVar *value) {
    if (a == NULL || value == NULL || !var_writable(g, a, gen_var_requires_grad(g, value))) {
        return false;
    }
    Stmt *s = stmt_op(g, OP_setitem);
    set_tensor(s, 0, a);
    set_index(s, 1, arena_copy(g->arena, items, (int64_t)sizeof items[0] * n), n);
    s->arg[2] = (PArg){.given = true, .is_tensor = true, .tensor = value->name};
    if (stmt_commit(g, s, NAME_NONE) == NULL) {
        return false;
    }
    g->last_write = s;
    return true;
}

/* ---- what patterns start from ---- */

int pattern_size(Gen *g, int least, int most, int64_t *size) {
    int n = least + (most > least ? draw_below(g, most - least + 1) : 0);
    if (g->situation.vector) { /* as other tensors of the program, without empty ones */
        int64_t numel = 1;
        for (int d = 0; d < n; d++) {
            size[d] = max_i64(g->palette[draw_below(g, 3)], 1);
            size[d] = numel * size[d] > g->most / 2 ? draw_between(g, 1, 8) : size[d];
            numel *= size[d];
        }
        return n;
    }
    for (int d = 0; d < n; d++) {
        size[d] = n > 2 ? draw_between(g, 1, 4) : draw_between(g, 1, 5);
        if (draw_chance(g, 50)) {
            size[d] = size[d] < 2 ? 2 : size[d];
        }
    }
    return n;
}

GenVar *pattern_buffer(Gen *g, DType dtype, const int64_t *size, int ndim) {
    int r = draw_below(g, 100);
    if (r < 8) {
        return say(g, OP_clone, draw_input(g, dtype, size, ndim, false, 0));
    }
    if (r < 14) {
        return draw_input(g, dtype, size, ndim, draw_chance(g, 50), 0);
    }
    static const OpId form[] = {OP_zeros, OP_zeros, OP_zeros, OP_ones, OP_full};
    OpId id = form[draw_below(g, COUNT_OF(form))];
    Stmt *s = stmt_op(g, id);
    set_ints(g, s, 0, size, ndim);
    int kd = 1;
    if (id == OP_full) {
        set_scalar(s, 1, scalar_float(draw_chance(g, 50) ? 0.5 : 2));
        kd = 2;
    }
    if (dtype != DT_float32 || draw_chance(g, 30)) {
        set_dtype(s, kd, dtype);
    }
    return stmt_commit(g, s, NAME_NONE);
}

GenVar *pattern_source(Gen *g, DType dtype, const int64_t *size, int ndim) {
    if (draw_chance(g, 30)) { /* one that is there */
        for (int i = 0; i < g->nvars; i++) {
            GenVar *v = &g->var[i];
            if (!v->dead && !v->fuzzy && v->t->dtype == dtype && gen_var_requires_grad(g, v) &&
                sizes_equal(v->t->size, v->t->ndim, size, ndim)) {
                return v;
            }
        }
    }
    GenVar *leaf = draw_input(g, dtype, size, ndim, draw_chance(g, 50), 100);
    return draw_chance(g, 35) ? say_scalar(g, OP_mul_Scalar, leaf, scalar_int(2)) : leaf;
}

GenVar *pattern_input(Gen *g, int least, bool requires_grad) {
    int64_t size[MAX_DIMS];
    int n = pattern_size(g, least, least > 2 ? least : 3, size);
    return draw_input(g, g->main, size, n, draw_chance(g, 40), requires_grad ? 100 : 0);
}

void pattern_noise(Gen *g) {
    int n = draw_chance(g, 45) ? 0 : 1 + draw_below(g, 2);
    for (int i = 0; i < n; i++) {
        draw_op(g);
    }
}
