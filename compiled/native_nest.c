/* A tile nest as C: one loop a dim, the bytecode as one statement an instruction, each with a name of its own.
 *
 * Every trip does what a tile of one element does: loads, then arithmetic, then stores; so what a nest may do in place here it may do
 * there. Reductions accumulate in double (integers: int64, wrapping) and are written when their loop ends:
 *
 *   rows      the reduced dims are inside; sums of floats are independent lanes (omp simd), as their order is free
 *   columns   where the elements of neighbouring results lie side by side and those of one result do not: strips of BLOCK results
 *             are accumulated at once, so that memory is read in the order it lies in */
#include "compiled/native.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 1024 /* results of a strip */ };

typedef struct Nest {
    Text *text;
    const TileNest *n;
    NativeNeeds *needs;
    int depth;
    int made[MAX_REGISTERS];     /* by register: the instruction whose value it holds, or -1 - number of a constant */
    Kind kind[MAX_REGISTERS];
    int column;                  /* the dim whose results are a strip, or -1 */
    int place;                   /* of a trip among the four whose floats are added up first; or -1 */
} Nest;

/* ---- tables ---- */

typedef struct OpTypes {
    Kind in, out;
    int arity;
} OpTypes;
#define KIND_int64_t KIND_I64
#define KIND_float KIND_F32
#define KIND_double KIND_F64
static const OpTypes op_types[TILE_OP_COUNT] = {
#define TILE_OP(name, in, out, arity, expression) [TILE_##name] = {KIND_##in, KIND_##out, arity},
#define TILE_OP_SELECT(name, type) [TILE_##name] = {KIND_##type, KIND_##type, 3},
#define TILE_OP_MASK(name, type) [TILE_##name] = {KIND_##type, KIND_##type, 3},
#include "compiled/tile_ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
};

/* ---- pieces ---- */

static void name_register(const Nest *w, int reg) {
    int made = w->made[reg];
    text_printf(w->text, made >= 0 ? "v%d" : "c%d", made >= 0 ? made : -1 - made);
}

static void set_register(Nest *w, int reg, int inst, Kind kind) {
    w->made[reg] = inst;
    w->kind[reg] = kind;
}

static void index_of(const Nest *w, const Access *a, int ndim) { native_index(w->text, a->offset, a->stride, w->n->size, ndim); }

/* The pointer to an access's buffer: b3, or b3_int64 beside another dtype. */
static bool first_dtype(const TileNest *n, const Access *a) {
    for (int k = 0; k < n->naccess; k++) {
        if (n->access[k].buffer == a->buffer) {
            return n->access[k].dtype == a->dtype;
        }
    }
    return true;
}

static void name_buffer(const Nest *w, const Access *a) {
    text_printf(w->text, "b%d", a->buffer);
    if (!first_dtype(w->n, a)) {
        text_printf(w->text, "_%s", dtype_name(a->dtype));
    }
}

static bool one_dtype(const TileNest *n, int buffer) {
    DType dtype = DT_COUNT;
    for (int k = 0; k < n->naccess; k++) {
        if (n->access[k].buffer == buffer) {
            if (dtype != DT_COUNT && n->access[k].dtype != dtype) {
                return false;
            }
            dtype = n->access[k].dtype;
        }
    }
    return true;
}

/* Buffers never share memory with each other, so each pointer is restrict, unless the nest has two of one buffer. */
static void declare_buffers(const Nest *w) {
    const TileNest *n = w->n;
    for (int k = 0; k < n->naccess; k++) {
        const Access *a = &n->access[k];
        bool seen = a->buffer < 0;
        for (int j = 0; j < k && !seen; j++) {
            seen = n->access[j].buffer == a->buffer && n->access[j].dtype == a->dtype;
        }
        if (!seen) {
            text_printf(w->text, "    %s *%s", native_memory_type(a->dtype), one_dtype(n, a->buffer) ? "restrict " : "");
            name_buffer(w, a);
            text_printf(w->text, " = data[%d];\n", a->buffer);
        }
    }
    for (int k = 0; k < n->nconst; k++) {
        const TileConst *c = &n->constant[k];
        text_printf(w->text, "    const %s c%d = ", native_value_type(c->kind), k);
        native_constant(w->text, c->value, c->kind);
        text_add(w->text, ";\n");
    }
}

/* ---- instructions ---- */

static bool once_a_row(const Nest *w, int inst) { return w->n->row && w->n->row[inst].once; }

/* The address in a register, whole. */
static void print_at(const Nest *w, int reg) {
    name_register(w, reg);
    int made = w->made[reg];
    if (made >= 0 && once_a_row(w, made) && w->n->row[made].chain >= 0) {
        text_add(w->text, " + ");
        index_of(w, &w->n->access[w->n->row[made].chain], w->n->ndim);
    }
}

static void accumulator(const Nest *w, const TileInst *inst) {
    text_printf(w->text, "s%d", inst->dst);
    if (w->column >= 0) {
        text_printf(w->text, "[i%d - j%d]", w->column, w->column);
    }
}

static void print_reduce(Nest *w, const TileInst *inst) {
    Kind kind = dtype_kind(w->n->access[inst->access].dtype);
    const char *cast = kind == KIND_F32 ? "(double)" : "";
    bool is_int = kind == KIND_I64;
    if (w->place >= 0) {
        text_printf(w->text, "f%d_%d = ", inst->dst, w->place);
        name_register(w, inst->src[0]);
        text_add(w->text, ";\n");
        return;
    }
    accumulator(w, inst);
    switch (inst->reduce) {
    case REDUCE_SUM:
    case REDUCE_MEAN:
        text_printf(w->text, " += %s", is_int ? "(uint64_t)" : cast);
        name_register(w, inst->src[0]);
        break;
    case REDUCE_PROD:
        text_printf(w->text, " *= %s", is_int ? "(uint64_t)" : cast);
        name_register(w, inst->src[0]);
        break;
    case REDUCE_MAX:
    case REDUCE_MIN:
        text_add(w->text, " = ");
        if (is_int) {
            text_add(w->text, "(int64_t)");
            accumulator(w, inst);
            text_add(w->text, inst->reduce == REDUCE_MAX ? " < " : " > ");
            name_register(w, inst->src[0]);
            text_add(w->text, " ? (uint64_t)");
            name_register(w, inst->src[0]);
            text_add(w->text, " : ");
            accumulator(w, inst);
        } else {
            const char *name = inst->reduce == REDUCE_MAX ? "larger" : "smaller";
            native_need(w->needs, name);
            text_printf(w->text, "%s(", name);
            accumulator(w, inst);
            text_printf(w->text, ", %s", cast);
            name_register(w, inst->src[0]);
            text_add(w->text, ")");
        }
        break;
    }
    text_add(w->text, ";\n");
}

static void print_store_to(Nest *w, const TileInst *inst, int value) {
    const Access *a = &w->n->access[inst->access];
    text_printf(w->text, "] = %s", native_put(a->dtype, w->needs));
    name_register(w, value);
    text_add(w->text, native_end(a->dtype));
}

/* buffer[address] += value, in the arithmetic of its dtype. */
static void print_add_to(Nest *w, const TileInst *inst) {
    const Access *a = &w->n->access[inst->access];
    Kind kind = dtype_kind(a->dtype);
    text_add(w->text, "] = ");
    if (a->dtype == DT_bool) {
        name_register(w, inst->src[1]);
        text_add(w->text, " != 0 ? 1 : ");
        name_buffer(w, a);
        text_add(w->text, "[");
        print_at(w, inst->src[0]);
        text_add(w->text, "]");
        return;
    }
    text_printf(w->text, "%s(%s%s", native_put(a->dtype, w->needs), kind == KIND_I64 ? "(uint64_t)" : "", native_get(a->dtype, w->needs));
    name_buffer(w, a);
    text_add(w->text, "[");
    print_at(w, inst->src[0]);
    text_printf(w->text, "]%s + %s", native_end(a->dtype), kind == KIND_I64 ? "(uint64_t)" : "");
    name_register(w, inst->src[1]);
    text_printf(w->text, ")%s", native_end(a->dtype));
}

static void print_compute(Nest *w, const TileInst *inst, int k) {
    const OpTypes *types = &op_types[inst->op];
    bool single = w->n->single && tile_has_single(inst->op);
    (single ? w->needs->single : w->needs->op)[inst->op] = true;
    text_printf(w->text, "const %s v%d = %s%s(", native_value_type(types->out), k, single ? "single_" : "", tile_op_name(inst->op));
    for (int s = 0; s < types->arity; s++) {
        text_add(w->text, s ? ", " : "");
        name_register(w, inst->src[s]);
    }
    text_add(w->text, ");\n");
    set_register(w, inst->dst, k, types->out);
}

static void print_load(Nest *w, const TileInst *inst, int k) {
    const Access *a = &w->n->access[inst->access];
    Kind kind = dtype_kind(a->dtype);
    text_printf(w->text, "const %s v%d = ", native_value_type(kind), k);
    if (inst->op == TILE_LOADX) {
        name_register(w, inst->src[0]);
        text_add(w->text, " < 0 ? 0 : ");
    }
    text_add(w->text, native_get(a->dtype, w->needs));
    name_buffer(w, a);
    text_add(w->text, "[");
    if (inst->op == TILE_LOADX) {
        print_at(w, inst->src[0]);
    } else {
        index_of(w, a, w->n->ndim);
    }
    text_printf(w->text, "]%s;\n", native_end(a->dtype));
    set_register(w, inst->dst, k, kind);
}

static void print_address(Nest *w, const TileInst *inst, int k) {
    text_printf(w->text, "const int64_t v%d = ", k);
    if (inst->op == TILE_IOTA && once_a_row(w, k)) {
        text_add(w->text, "0");
    } else if (inst->op == TILE_IOTA) {
        index_of(w, &w->n->access[inst->access], w->n->ndim);
    } else {
        const char *name = inst->wrap ? "indexed_wrap" : "indexed";
        native_need(w->needs, name);
        text_printf(w->text, "%s(", name);
        name_register(w, inst->src[0]);
        text_add(w->text, ", ");
        name_register(w, inst->src[1]);
        text_printf(w->text, ", %lld, %lld)", (long long)inst->stride, (long long)inst->bound);
    }
    text_add(w->text, ";\n");
    set_register(w, inst->dst, k, KIND_I64);
}

static Kind kind_of(const Nest *w, const TileInst *inst) {
    return inst->op < TILE_OP_COUNT ? op_types[inst->op].out : inst->op == TILE_LOAD || inst->op == TILE_LOADX ? dtype_kind(w->n->access[inst->access].dtype) : KIND_I64;
}

/* The instructions that are computed once a row, or the others. */
static void print_some(Nest *w, bool once) {
    for (int k = 0; k < w->n->nconst; k++) {
        set_register(w, w->n->constant[k].reg, -1 - k, w->n->constant[k].kind);
    }
    for (int k = 0; k < w->n->ninst; k++) {
        const TileInst *inst = &w->n->inst[k];
        if (once_a_row(w, k) != once) {
            if (inst->op < TILE_STORE) {
                set_register(w, inst->dst, k, kind_of(w, inst));
            }
            continue;
        }
        native_indent(w->text, w->depth);
        if (inst->op < TILE_OP_COUNT) {
            print_compute(w, inst, k);
            continue;
        }
        switch ((int)inst->op) {
        case TILE_LOAD:
        case TILE_LOADX:
            print_load(w, inst, k);
            break;
        case TILE_IOTA:
        case TILE_TERM:
            print_address(w, inst, k);
            break;
        case TILE_REDUCE:
            print_reduce(w, inst);
            break;
        default: /* STORE, STOREX, ADDX */
            if (inst->op != TILE_STORE) {
                text_add(w->text, "if (");
                name_register(w, inst->src[0]);
                text_add(w->text, " >= 0) ");
            }
            name_buffer(w, &w->n->access[inst->access]);
            text_add(w->text, "[");
            if (inst->op == TILE_STORE) {
                index_of(w, &w->n->access[inst->access], w->n->ndim);
                print_store_to(w, inst, inst->src[0]);
            } else {
                print_at(w, inst->src[0]);
                if (inst->op == TILE_STOREX) {
                    print_store_to(w, inst, inst->src[1]);
                } else {
                    print_add_to(w, inst);
                }
            }
            text_add(w->text, ";\n");
            break;
        }
    }
}

/* ---- reductions: begin and end ---- */

static void start_value(const Nest *w, const TileInst *inst) {
    static const char *const floats[] = {"0", "0", "1", "-INFINITY", "INFINITY"};
    static const char *const ints[] = {"0", "0", "1", "(uint64_t)INT64_MIN", "INT64_MAX"};
    bool is_int = dtype_kind(w->n->access[inst->access].dtype) == KIND_I64;
    text_add(w->text, (is_int ? ints : floats)[inst->reduce]);
}

static const char *accumulator_type(const Nest *w, const TileInst *inst) {
    return dtype_kind(w->n->access[inst->access].dtype) == KIND_I64 ? "uint64_t" : "double";
}

static void print_result(Nest *w, const TileInst *inst) {
    const Access *a = &w->n->access[inst->access];
    Kind kind = dtype_kind(a->dtype);
    native_indent(w->text, w->depth);
    name_buffer(w, a);
    text_add(w->text, "[");
    index_of(w, a, w->n->kept);
    text_printf(w->text, "] = %s%s", native_put(a->dtype, w->needs), kind == KIND_F32 ? "(float)(" : kind == KIND_I64 ? "(int64_t)" : "");
    if (inst->reduce != REDUCE_MEAN || kind != KIND_F32) {
        accumulator(w, inst);
    } else { /* a mean is a rounded sum divided */
        const char *end = native_end(a->dtype);
        text_printf(w->text, "(double)%s%s(float)", native_get(a->dtype, w->needs), end[0] ? native_put(a->dtype, w->needs) : "");
        accumulator(w, inst);
        text_printf(w->text, "%s%s", end, end);
    }
    if (inst->reduce == REDUCE_MEAN) {
        text_printf(w->text, " / %lld", (long long)w->n->reduced);
    }
    text_printf(w->text, "%s%s;\n", kind == KIND_F32 ? ")" : "", native_end(a->dtype));
}

/* ---- loops ---- */

static void open_dims(Nest *w, int from, int to) {
    for (int d = from; d < to; d++) {
        if (w->n->size[d] != 1) {
            native_for_dim(w->text, w->depth++, d, w->n->size[d], d == w->n->outer && w->n->trip > 1);
        }
    }
}

static void close_dims(Nest *w, int until) {
    while (w->depth > until) {
        native_indent(w->text, --w->depth);
        text_add(w->text, "}\n");
    }
}

/* `#pragma omp simd ..` before the innermost loop; `own`: its trips do not share accumulators. */
static void print_simd(const Nest *w, bool own) {
    const TileNest *n = w->n;
    const char *separator = "#pragma omp simd reduction(+ : ";
    for (int k = 0; k < n->ninst && n->vectors && !own; k++) {
        if (n->inst[k].op == TILE_REDUCE) {
            text_printf(w->text, "%ss%d", separator, n->inst[k].dst);
            separator = ", ";
        }
    }
    if (n->vectors) {
        text_add(w->text, separator[0] == ',' ? ")\n" : "#pragma omp simd\n");
    }
}

/* Where the nest runs by parts that share sums: `if (from == 0)` or `if (to == size)`; the depth to close until. */
static int open_if(Nest *w, const char *condition) {
    int depth = w->depth;
    if (w->n->scratch >= 0) {
        native_indent(w->text, w->depth++);
        text_printf(w->text, "if (%s%lld) {\n", condition, strncmp(condition, "to", 2) == 0 ? (long long)w->n->size[w->n->outer] : 0);
    }
    return depth;
}

/* The places where sums wait for the next part: `results` of each. */
static void declare_kept(const Nest *w, int64_t results) {
    int sums = 0;
    for (int k = 0; k < w->n->ninst && w->n->scratch >= 0; k++) {
        if (w->n->inst[k].op == TILE_REDUCE) {
            const char *type = accumulator_type(w, &w->n->inst[k]);
            text_printf(w->text, "    %s *restrict kept_%d = (%s *)data[%d] + %lld;\n", type, w->n->inst[k].dst, type, w->n->scratch,
                        (long long)(results * sums++));
        }
    }
}

/* No reduction, and something read crosswise: squares of dim d and the last one. */
static void print_squares(Nest *w, int d) {
    const TileNest *n = w->n;
    int last = n->ndim - 1, pair[2] = {d, last};
    for (int k = 0; k < last; k++) {
        if (k != d) {
            open_dims(w, k, k + 1);
        }
    }
    for (int k = 0; k < 2; k++) {
        w->depth = native_squares(w->text, w->depth, pair[k], n->size[pair[k]], SQUARE, pair[k] == n->outer && n->trip > 1);
    }
    w->depth = native_square(w->text, native_square(w->text, w->depth, d), last);
    print_some(w, false);
    close_dims(w, 1);
}

/* ---- four trips at once: their floats are added up in pairs, and then to the accumulator ---- */

/* Trips k + 0 * step .. k + 3 * step of dim d, each in a scope of its own; the innermost statements. */
static void print_fours(Nest *w, int d, int64_t step) {
    const TileNest *n = w->n;
    for (int k = 0; k < n->ninst; k++) {
        int dst = n->inst[k].dst;
        if (n->inst[k].op == TILE_REDUCE) {
            native_indent(w->text, w->depth);
            text_printf(w->text, "float f%d_0, f%d_1, f%d_2, f%d_3;\n", dst, dst, dst, dst);
        }
    }
    for (w->place = 0; w->place < 4; w->place++) {
        native_indent(w->text, w->depth++);
        text_add(w->text, "{\n");
        native_indent(w->text, w->depth);
        text_printf(w->text, "const int64_t i%d = k%d + %lld;\n", d, d, (long long)(w->place * step));
        print_some(w, false);
        close_dims(w, w->depth - 1);
    }
    w->place = -1;
    for (int k = 0; k < n->ninst; k++) {
        int dst = n->inst[k].dst;
        if (n->inst[k].op == TILE_REDUCE) {
            native_indent(w->text, w->depth);
            accumulator(w, &n->inst[k]);
            text_printf(w->text, " += (double)((f%d_0 + f%d_1) + (f%d_2 + f%d_3));\n", dst, dst, dst, dst);
        }
    }
}

/* The last dim as four quarters of a row side by side. */
static void print_row_fours(Nest *w) {
    int d = w->n->ndim - 1;
    print_simd(w, false);
    native_indent(w->text, w->depth++);
    text_printf(w->text, "for (int64_t k%d = 0; k%d < %lld; k%d++) {\n", d, d, (long long)(w->n->size[d] / 4), d);
    print_fours(w, d, w->n->size[d] / 4);
}

/* Strips of four rows, then of the rows that are left. */
static void print_column_fours(Nest *w) {
    const TileNest *n = w->n;
    int d = n->ndim - 1, depth = w->depth;
    bool outer = d == n->outer;
    char end[24];
    snprintf(end, sizeof end, "%lld", (long long)n->size[d]);
    const char *from = outer ? "from" : "0", *to = outer ? "to" : end;
    native_indent(w->text, w->depth++);
    text_printf(w->text, "for (int64_t k%d = %s; k%d + 4 <= %s; k%d += 4) {\n", d, from, d, to, d);
    print_simd(w, true);
    w->depth = native_square(w->text, w->depth, w->column);
    print_fours(w, d, 1);
    close_dims(w, depth);
    native_indent(w->text, w->depth++);
    text_printf(w->text, "for (int64_t i%d = %s + (%s - %s) / 4 * 4; i%d < %s; i%d++) {\n", d, from, to, from, d, to, d);
}

static void print_rows(Nest *w) {
    const TileNest *n = w->n;
    declare_kept(w, 1);
    int outside = n->kept - (n->kept == n->ndim);
    open_dims(w, 0, outside);
    print_some(w, true);
    if (outside < n->kept && n->size[outside] != 1) {
        print_simd(w, true); /* segments of one point */
    }
    open_dims(w, outside, n->kept);
    int inside = w->depth;
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op == TILE_REDUCE) {
            native_indent(w->text, w->depth);
            text_printf(w->text, "%s s%d = ", accumulator_type(w, &n->inst[k]), n->inst[k].dst);
            if (n->scratch >= 0) {
                text_printf(w->text, "from > 0 ? kept_%d[0] : ", n->inst[k].dst);
            }
            start_value(w, &n->inst[k]);
            text_add(w->text, ";\n");
        }
    }
    if (n->kept < n->ndim) { /* else each segment is one point */
        open_dims(w, n->kept, n->ndim - 1);
        if (n->fours) {
            print_row_fours(w);
        } else {
            if (n->size[n->ndim - 1] != 1) {
                print_simd(w, false);
            }
            open_dims(w, n->ndim - 1, n->ndim);
        }
    }
    if (!n->fours) {
        print_some(w, false);
    }
    close_dims(w, inside);
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op == TILE_REDUCE && n->scratch >= 0) {
            native_indent(w->text, w->depth);
            text_printf(w->text, "kept_%d[0] = s%d;\n", n->inst[k].dst, n->inst[k].dst);
        }
    }
    inside = open_if(w, "to == ");
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op == TILE_REDUCE) {
            print_result(w, &n->inst[k]);
        }
    }
    close_dims(w, inside);
    close_dims(w, 1);
}

/* for every accumulator of the strip: one statement, begun by `start` */
static void over_strip(Nest *w, bool start) {
    const TileNest *n = w->n;
    int c = w->column;
    native_indent(w->text, w->depth++);
    text_printf(w->text, "for (int64_t i%d = j%d; i%d < e%d; i%d++) {\n", c, c, c, c, c);
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op != TILE_REDUCE) {
            continue;
        }
        if (!start) {
            print_result(w, &n->inst[k]);
            continue;
        }
        native_indent(w->text, w->depth);
        accumulator(w, &n->inst[k]);
        text_add(w->text, " = ");
        start_value(w, &n->inst[k]);
        text_add(w->text, ";\n");
    }
    close_dims(w, w->depth - 1);
}

static void print_columns(Nest *w) {
    const TileNest *n = w->n;
    int c = w->column;
    declare_kept(w, n->size[c]);
    open_dims(w, 0, c);
    w->depth = native_squares(w->text, w->depth, c, n->size[c], BLOCK, false);
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op == TILE_REDUCE) {
            native_indent(w->text, w->depth);
            if (n->scratch >= 0) {
                text_printf(w->text, "%s *restrict s%d = kept_%d + j%d;\n", accumulator_type(w, &n->inst[k]), n->inst[k].dst, n->inst[k].dst, c);
            } else {
                text_printf(w->text, "%s s%d[%d];\n", accumulator_type(w, &n->inst[k]), n->inst[k].dst, BLOCK);
            }
        }
    }
    int inside = open_if(w, "from == ");
    over_strip(w, true);
    close_dims(w, inside);
    inside = w->depth;
    open_dims(w, n->kept, n->ndim - n->fours);
    if (n->fours) {
        print_column_fours(w);
    }
    print_simd(w, true);
    w->depth = native_square(w->text, w->depth, c);
    print_some(w, false);
    close_dims(w, inside);
    inside = open_if(w, "to == ");
    over_strip(w, false);
    close_dims(w, inside);
    close_dims(w, 1);
}

bool native_nest(Text *text, const TileNest *nest, NativeNeeds *needs) {
    Nest w = {.text = text, .n = nest, .needs = needs, .depth = 1, .column = -1, .place = -1};
    if (nest->numel == 0) {
        return false;
    }
    declare_buffers(&w);
    w.column = nest->column;
    if (w.column >= 0) {
        print_columns(&w);
    } else if (nest->cross >= 0) {
        print_squares(&w, nest->cross);
    } else {
        print_rows(&w);
    }
    return true;
}
