/* Patterns of memory that is read as another dtype, or under another tensor (set_), and written in
 * between. */
#include "fuzz/patterns/dataflow.h"

/* An integer input, whose bits are exact in every reading, with room for elements of any size; or
 * what there is. */
static GenVar *memory_to_read(Gen *g) {
    static const DType dtype[] = {DT_int64, DT_int32, DT_int16, DT_int8, DT_uint8};
    int64_t size[2] = {draw_between(g, 1, 3), 8 * draw_between(g, 1, 2)};
    int n = draw_chance(g, 50) ? 2 : 1;
    if (draw_chance(g, 25)) {
        return draw_with_dims(g, 1);
    }
    bool grad = draw_chance(g, 70);
    return draw_input(g, dtype[draw_below(g, COUNT_OF(dtype))], size + 2 - n, n, grad, 0);
}

static GenVar *read_as_another(Gen *g, GenVar *x) {
    GenVar *v = NULL;
    for (int i = 0; i < 4 && v == NULL; i++) {
        v = draw_this_op(g, OP_view_dtype, x);
    }
    return v;
}

static bool write_memory(Gen *g, GenVar *to) {
    static const OpClass writes[] = {CLASS_WRITE_UNARY, CLASS_WRITE_BINARY, CLASS_WRITE_MOVE};
    return var_writable(g, to, false) &&
           (draw_chance(g, 30)
                ? draw_partial_write(g, to)
                : draw_of_class(g, writes[draw_below(g, COUNT_OF(writes))], to) != NULL);
}

bool pattern_memory_reading(Gen *g) {
    GenVar *x = memory_to_read(g), *v = x != NULL ? read_as_another(g, x) : NULL;
    if (v == NULL) {
        return false;
    }
    GenVar *before = draw_chance(g, 60) ? draw_pointwise(g, v) : v;
    bool written = write_memory(g, draw_chance(g, 60) ? x : v);
    if (draw_chance(g, 30)) {
        GenVar *other = read_as_another(g, draw_chance(g, 50) ? x : v);
        written |= other != NULL && write_memory(g, other);
    }
    want_return(g, before);
    want_return(g, draw_chance(g, 40) ? x : draw_pointwise(g, draw_chance(g, 50) ? v : x));
    return written;
}

/* Another tensor on the memory of `x`, or x. */
static GenVar *memory_neighbour(Gen *g, GenVar *x) {
    int start = (int)draw_below(g, g->nvars);
    for (int i = 0; i < g->nvars; i++) {
        GenVar *v = &g->var[(start + i) % g->nvars];
        if (!v->dead && v->data == x->data && v->t != x->t) {
            return v;
        }
    }
    return x;
}

/* set_ under no_grad now and then, which tensors that require grad need. */
static GenVar *set_memory(Gen *g, GenVar *x) {
    OpId id = draw_chance(g, 60) ? OP_set__source_Tensor : OP_set__source_Tensor_storage_offset;
    bool silent = g->grad && draw_chance(g, gen_var_requires_grad(g, x) ? 95 : 20);
    if (!silent) {
        return draw_this_op(g, id, x);
    }
    Stmt *s = stmt_new(g, STMT_WITH);
    OpenBlock outer = block_open(g, &s->body);
    g->grad = false;
    GenVar *v = draw_this_op(g, id, x);
    block_close(g, outer);
    if (s->body.count > 0) {
        stmt_append(g, s);
    }
    return v;
}

bool pattern_memory_set(Gen *g) {
    GenVar *x = draw_with_dims(g, 1);
    if (x == NULL || !var_writable(g, x, false)) {
        return false;
    }
    GenVar *view = draw_chance(g, 40) ? draw_of_class(g, CLASS_VIEW, x) : NULL;
    if (draw_chance(g, 30)) {
        want_return(g, draw_pointwise(g, x));
    }
    GenVar *to = view != NULL && draw_chance(g, 30) ? view : x;
    if (set_memory(g, to) == NULL) {
        return false;
    }
    GenVar *other = memory_neighbour(g, to);
    (void)write_memory(g, draw_chance(g, 50) ? other : to);
    if (view != NULL && draw_chance(g, 40)) {
        (void)write_memory(g, view);
    }
    want_return(g, draw_chance(g, 50) ? to : draw_pointwise(g, to));
    want_return(g, draw_chance(g, 50) ? other : draw_pointwise(g, other));
    return true;
}
