/* A pattern of memory that is read as another dtype, and written in between. */
#include "fuzz/patterns/dataflow.h"

/* An integer input, whose bits are exact in every reading, with room for elements of any size; or
 * what there is. */
static GenVar *memory_to_read(Gen *g) {
    static const DType dtype[] = {DT_int64, DT_int32, DT_int16, DT_int8, DT_uint8};
    int64_t size[2] = {draw_between(g, 1, 3), 8 * draw_between(g, 1, 2)};
    int n = draw_chance(g, 50) ? 2 : 1;
    return draw_chance(g, 25) ? draw_with_dims(g, 1)
                              : draw_input(g, dtype[draw_below(g, COUNT_OF(dtype))], size + 2 - n,
                                           n, draw_chance(g, 70), 0);
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
