/* The instructions of a tile nest as C. Each is one statement that assigns its value to a variable
 * of its own (v3); constants are variables too (c2).
 *
 * A reduction adds to an accumulator, which the loop declares (native/nest.c). Sums of floats are
 * accumulated in double. */
#include "compiled/native/nest.h"
#include "compiled/tile/run.h"

#include <stdio.h>
#include <string.h>

/* ---- tables ---- */

typedef struct OpTypes {
    RegisterKind in, out;
    int arity;
} OpTypes;
#define REGISTER_int64_t REGISTER_I64
#define REGISTER_float REGISTER_F32
#define REGISTER_double REGISTER_F64
static const OpTypes op_types[TILE_OP_COUNT] = {
#define TILE_OP(name, in, out, arity, expression)                                                  \
    [TILE_##name] = {REGISTER_##in, REGISTER_##out, arity},
#define TILE_OP_SELECT(name, type) [TILE_##name] = {REGISTER_##type, REGISTER_##type, 3},
#define TILE_OP_MASK(name, type) [TILE_##name] = {REGISTER_##type, REGISTER_##type, 3},
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
};

/* ---- pieces ---- */

static void name_register(const Nest *w, int reg) {
    int made = w->made[reg];
    text_printf(w->text, made >= 0 ? "v%d" : "c%d", made >= 0 ? made : -1 - made);
}

static void set_register(Nest *w, int reg, int inst, RegisterKind kind) {
    w->made[reg] = inst;
    w->kind[reg] = kind;
}

static void index_of(const Nest *w, const Access *a, int ndim) {
    native_index(w->text, a->offset, a->stride, w->n->size, ndim);
}

/* The pointer to an access's buffer is b3, or b3_int64 if another access to the buffer has another
 * dtype. */
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

static bool inst_one_dtype(const TileNest *n, int buffer) {
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

/* Buffers never overlap, so each pointer is restrict, unless the nest has two pointers to one
 * buffer. */
void native_declare_buffers(const Nest *w) {
    const TileNest *n = w->n;
    for (int k = 0; k < n->naccess; k++) {
        const Access *a = &n->access[k];
        bool seen = a->buffer < 0;
        for (int j = 0; j < k && !seen; j++) {
            seen = n->access[j].buffer == a->buffer && n->access[j].dtype == a->dtype;
        }
        if (!seen) {
            text_printf(w->text, "    %s *%s", native_memory_type(a->dtype),
                        inst_one_dtype(n, a->buffer) ? "restrict " : "");
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

/* The address in a register, with the affine part if that was left out (NestRow.chain). */
static void print_at(const Nest *w, int reg) {
    name_register(w, reg);
    int made = w->made[reg];
    if (made >= 0 && once_a_row(w, made) && w->n->row[made].chain >= 0) {
        text_add(w->text, " + ");
        index_of(w, &w->n->access[w->n->row[made].chain], w->n->ndim);
    }
}

void native_accumulator(const Nest *w, const TileInst *inst) {
    text_printf(w->text, "s%d", inst->dst);
    if (w->column >= 0) {
        text_printf(w->text, "[i%d - j%d]", w->column, w->column);
    }
}

static void print_reduce(Nest *w, const TileInst *inst) {
    RegisterKind kind = register_kind(w->n->access[inst->access].dtype);
    const char *cast = kind == REGISTER_F32 ? "(double)" : "";
    bool is_int = kind == REGISTER_I64;
    if (w->lane >= 0) {
        text_printf(w->text, "f%d_%d = ", inst->dst, w->lane);
        name_register(w, inst->src[0]);
        text_add(w->text, ";\n");
        return;
    }
    native_accumulator(w, inst);
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
            native_accumulator(w, inst);
            text_add(w->text, inst->reduce == REDUCE_MAX ? " < " : " > ");
            name_register(w, inst->src[0]);
            text_add(w->text, " ? (uint64_t)");
            name_register(w, inst->src[0]);
            text_add(w->text, " : ");
            native_accumulator(w, inst);
        } else {
            const char *name = inst->reduce == REDUCE_MAX ? "larger" : "smaller";
            native_need(w->needs, name);
            text_printf(w->text, "%s(", name);
            native_accumulator(w, inst);
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
    RegisterKind kind = register_kind(a->dtype);
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
    text_printf(w->text, "%s(%s%s", native_put(a->dtype, w->needs),
                kind == REGISTER_I64 ? "(uint64_t)" : "", native_get(a->dtype, w->needs));
    name_buffer(w, a);
    text_add(w->text, "[");
    print_at(w, inst->src[0]);
    text_printf(w->text, "]%s + %s", native_end(a->dtype),
                kind == REGISTER_I64 ? "(uint64_t)" : "");
    name_register(w, inst->src[1]);
    text_printf(w->text, ")%s", native_end(a->dtype));
}

static void print_compute(Nest *w, const TileInst *inst, int k) {
    const OpTypes *types = &op_types[inst->op];
    bool in_float32 = w->n->float32_math && tile_has_float32_math(inst->op);
    (in_float32 ? w->needs->float32_math : w->needs->op)[inst->op] = true;
    text_printf(w->text, "const %s v%d = %s%s(", native_value_type(types->out), k,
                in_float32 ? "single_" : "", tile_op_name(inst->op));
    for (int s = 0; s < types->arity; s++) {
        text_add(w->text, s ? ", " : "");
        name_register(w, inst->src[s]);
    }
    text_add(w->text, ");\n");
    set_register(w, inst->dst, k, types->out);
}

static void print_load(Nest *w, const TileInst *inst, int k) {
    const Access *a = &w->n->access[inst->access];
    RegisterKind kind = register_kind(a->dtype);
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
    set_register(w, inst->dst, k, REGISTER_I64);
}

static void print_write(Nest *w, const TileInst *inst) {
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
}

static RegisterKind inst_register_kind(const Nest *w, const TileInst *inst) {
    return inst->op < TILE_OP_COUNT ? op_types[inst->op].out
           : inst->op == TILE_LOAD || inst->op == TILE_LOADX
               ? register_kind(w->n->access[inst->access].dtype)
               : REGISTER_I64;
}

void native_statements(Nest *w, bool once) {
    for (int k = 0; k < w->n->nconst; k++) {
        set_register(w, w->n->constant[k].reg, -1 - k, w->n->constant[k].kind);
    }
    for (int k = 0; k < w->n->ninst; k++) {
        const TileInst *inst = &w->n->inst[k];
        if (once_a_row(w, k) != once) {
            if (inst->op < TILE_STORE) {
                set_register(w, inst->dst, k, inst_register_kind(w, inst));
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
            print_write(w, inst);
            break;
        }
    }
}

/* ---- reductions: begin and end ---- */

void native_start_value(const Nest *w, const TileInst *inst) {
    static const char *const floats[] = {"0", "0", "1", "-INFINITY", "INFINITY"};
    static const char *const ints[] = {"0", "0", "1", "(uint64_t)INT64_MIN", "INT64_MAX"};
    bool is_int = register_kind(w->n->access[inst->access].dtype) == REGISTER_I64;
    text_add(w->text, (is_int ? ints : floats)[inst->reduce]);
}

const char *native_accumulator_type(const Nest *w, const TileInst *inst) {
    return register_kind(w->n->access[inst->access].dtype) == REGISTER_I64 ? "uint64_t" : "double";
}

void native_result(Nest *w, const TileInst *inst) {
    const Access *a = &w->n->access[inst->access];
    RegisterKind kind = register_kind(a->dtype);
    native_indent(w->text, w->depth);
    name_buffer(w, a);
    text_add(w->text, "[");
    index_of(w, a, w->n->kept);
    text_printf(w->text, "] = %s%s", native_put(a->dtype, w->needs),
                kind == REGISTER_F32   ? "(float)("
                : kind == REGISTER_I64 ? "(int64_t)"
                                       : "");
    if (inst->reduce != REDUCE_MEAN || kind != REGISTER_F32) {
        native_accumulator(w, inst);
    } else { /* a mean is a rounded sum divided */
        const char *end = native_end(a->dtype);
        text_printf(w->text, "(double)%s%s(float)", native_get(a->dtype, w->needs),
                    end[0] ? native_put(a->dtype, w->needs) : "");
        native_accumulator(w, inst);
        text_printf(w->text, "%s%s", end, end);
    }
    if (inst->reduce == REDUCE_MEAN) {
        text_printf(w->text, " / %lld", (long long)w->n->reduced);
    }
    text_printf(w->text, "%s%s;\n", kind == REGISTER_F32 ? ")" : "", native_end(a->dtype));
}
