/* Short dataflow: an op of a class on a tensor, a list joined, a part written. */
#include "fuzz/patterns/dataflow.h"

/* One of the class, drawn by rejection. */
static OpId some_op(Gen *g, OpClass class) {
    bool common = draw_chance(g, 50);
    for (int i = 0; i < 60; i++) {
        OpId id = common ? draw_common_op(g) : g->options->op[draw_below(g, g->options->nop)];
        if (op_info(id)->class == class && gen_allows(g, id)) {
            return id;
        }
    }
    return OP_NONE;
}

GenVar *draw_of_class(Gen *g, OpClass class, GenVar *x) {
    for (int i = 0; i < 6 && x != NULL; i++) {
        OpId id = some_op(g, class);
        if (id != OP_NONE && main_takes(g, op_info(id), x)) {
            GenVar *v = draw_this_op(g, id, x);
            if (v != NULL) {
                return v;
            }
        }
    }
    return NULL;
}

GenVar *draw_pointwise(Gen *g, GenVar *x) {
    return draw_of_class(g, draw_chance(g, 50) ? CLASS_UNARY : CLASS_BINARY, x);
}

static bool dataflow_any(const Gen *g, const GenVar *v) {
    (void)g;
    return !v->fuzzy && v->t->ndim > 0 && tensor_numel(v->t) > 0;
}

GenVar *draw_with_dims(Gen *g, int least) {
    GenVar *v = draw_chance(g, 40) ? draw_var(g, dataflow_any) : NULL;
    if (v != NULL && v->t->ndim >= least) {
        return v;
    }
    if (draw_chance(g, 9)) {
        OpId id = some_op(g, CLASS_FACTORY);
        v = id != OP_NONE ? draw_this_op(g, id, NULL) : NULL;
        if (v != NULL && v->t->ndim >= least && dataflow_any(g, v)) {
            return v;
        }
    }
    int64_t size[MAX_DIMS];
    int n = least + draw_below(g, 4 - least);
    for (int d = 0; d < n; d++) {
        size[d] = draw_chance(g, 70) ? g->palette[draw_below(g, 3)] : draw_between(g, 1, 8);
        int64_t most = g->situation.vector ? (n == 3   ? 33
                                              : n == 2 ? 100
                                                       : 1000)
                                           : (n == 3 ? 5 : 12);
        size[d] = min_i64(size[d], most);
    }
    if (draw_chance(g, 3)) {
        size[draw_below(g, n)] = 0;
    }
    bool specials = g->specials;
    g->specials = specials || draw_chance(g, 5);
    bool grad = draw_chance(g, 30);
    v = draw_input(g, draw_dtype(g), size, n, grad, 50);
    g->specials = specials;
    return v;
}

static void set_list(Gen *g, Stmt *s, int k, GenVar *const *v, int n) {
    NameId *names = arena_alloc_raw(g->arena, (int64_t)sizeof(NameId) * (n + 1));
    for (int i = 0; i < n; i++) {
        names[i] = v[i]->name;
    }
    s->arg[k] = (PArg){.given = true, .is_tensor = true, .tensors = {names, n}};
}

GenVar *draw_join(Gen *g, OpId id, GenVar *const *v, int n, int64_t dim) {
    Stmt *s = stmt_op(g, id);
    set_list(g, s, 0, v, n);
    if (dim != 0 || draw_chance(g, 30)) {
        set_int(s, 1, dim);
    }
    return stmt_commit(g, s, NAME_NONE);
}

bool draw_partial_write(Gen *g, GenVar *x) {
    if (draw_chance(g, 50)) {
        return draw_this_op(g, OP_setitem, x) != NULL;
    }
    GenVar *view = draw_chance(g, 85) ? draw_of_class(g, CLASS_VIEW, x) : x;
    if (view == NULL || !var_writable(g, view, false)) {
        return false;
    }
    static const OpClass writes[] = {CLASS_WRITE_UNARY, CLASS_WRITE_BINARY, CLASS_WRITE_MOVE};
    return draw_of_class(g, writes[draw_below(g, COUNT_OF(writes))], view) != NULL;
}
