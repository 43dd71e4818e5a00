/* A plan as C: the scalar functions and ops that it calls, one function for each loop, and the
 * table of these functions.
 *
 * The text depends only on the loop IR, so its hash identifies the code compiled from it. */
#include "compiled/native/native.h"
#include "compiled/tile/run.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- tables: the text of what the tile machine compiles ---- */

typedef struct ScalarText {
    const char *name, *code;
} ScalarText;
static const ScalarText scalars[] = {
#define SCALAR(name, ...) {#name, #__VA_ARGS__},
#include "compiled/tile/scalar.def"
#undef SCALAR
};
_Static_assert(COUNT_OF(scalars) <= 64, "NativeNeeds.scalar has one bit per row");

typedef struct OpText {
    const char *in, *out, *expression;
    int arity;
} OpText;
static const OpText ops[TILE_OP_COUNT] = {
#define TILE_OP(name, in, out, arity, expression) [TILE_##name] = {#in, #out, #expression, arity},
#define TILE_OP_SELECT(name, type) [TILE_##name] = {#type, #type, NULL, 0},
#define TILE_OP_MASK(name, type) [TILE_##name] = {#type, #type, NULL, 1},
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
};

static const char *const float32_math[TILE_OP_COUNT] = {
#define FLOAT32_MATH(name, expression, ulp) [TILE_##name] = #expression,
#include "compiled/tile/float32_math.def"
#undef FLOAT32_MATH
};

static uint64_t scalar_bit(const char *name) {
    int k = 0;
    while (strcmp(scalars[k].name, name) != 0) {
        k++;
        CHECK(k < COUNT_OF(scalars));
    }
    return (uint64_t)1 << k;
}

void native_need(NativeNeeds *needs, const char *scalar) { needs->scalar |= scalar_bit(scalar); }

/* ---- the prelude ---- */

/* Does `code` use the identifier `name`? */
static bool mentions(const char *code, const char *name) {
    size_t n = strlen(name);
    for (const char *at = code; (at = strstr(at, name)) != NULL; at += n) {
        bool before = at > code && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool after = isalnum((unsigned char)at[n]) || at[n] == '_';
        if (!before && !after) {
            return true;
        }
    }
    return false;
}

static void need_mentioned(NativeNeeds *needs, const char *code, int before) {
    for (int k = 0; k < before; k++) {
        if (mentions(code, scalars[k].name)) {
            needs->scalar |= (uint64_t)1 << k;
        }
    }
}

/* Prints one statement per line; the preprocessor has put the definition on a single line. */
static void print_code(Text *text, const char *code) {
    int depth = 0, parens = 0;
    for (const char *at = code; *at; at++) {
        bool ends = parens == 0 && (*at == ';' || *at == '{' || *at == '}');
        parens += (*at == '(') - (*at == ')');
        depth += (*at == '{') - (*at == '}');
        if (*at == '}' && text->n >= 4 && strncmp(text->v + text->n - 4, "    ", 4) == 0) {
            text->n -= 4;
        }
        text_addn(text, at, 1);
        if (ends) {
            while (at[1] == ' ') {
                at++;
            }
            bool more = at[1] != '\0';
            text_add(text, "\n");
            if (more) {
                native_indent(text, depth);
            }
        }
    }
}

static void print_native_op(Text *text, TileOp op) {
    const OpText *o = &ops[op];
    const char *name = tile_op_name(op);
    if (!o->expression) {
        const char *type = o->out;
        if (o->arity == 0) {
            text_printf(text,
                        "static inline %s %s(int64_t a, %s b, %s c) { return a != 0 ? b : c; }\n",
                        type, name, type, type);
        } else {
            text_printf(text,
                        "static inline %s %s(%s a, int64_t b, %s c) { return b != 0 ? c : a; }\n",
                        type, name, type, type);
        }
        return;
    }
    text_printf(text, "static inline %s %s(", o->out, name);
    for (int k = 0; k < o->arity; k++) {
        text_printf(text, "%s%s %c", k ? ", " : "", o->in, 'a' + k);
    }
    text_printf(text, ") { return (%s)(%s); }\n", o->out, o->expression);
}

void native_prelude(Text *text, const NativeNeeds *direct) {
    NativeNeeds needs = *direct; /* plus what those mention */
    for (int k = 0; k < TILE_OP_COUNT; k++) {
        if (needs.op[k] && ops[k].expression) {
            need_mentioned(&needs, ops[k].expression, COUNT_OF(scalars));
        }
        if (needs.float32_math[k]) {
            need_mentioned(&needs, float32_math[k], COUNT_OF(scalars));
        }
    }
    for (int k = COUNT_OF(scalars) - 1; k >= 0; k--) {
        if (needs.scalar >> k & 1) {
            need_mentioned(&needs, scalars[k].code, k);
        }
    }
    text_add(text, "#define _DEFAULT_SOURCE 1\n#include <math.h>\n#include <stdint.h>\n#include "
                   "<string.h>\n\n");
    if (needs.scalar & (scalar_bit("fused") | scalar_bit("fused_single"))) {
        text_add(text, "#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)\n#define HAS_FMA "
                       "1\n#else\n#define HAS_FMA 0\n#endif\n");
    }
    for (int k = 0; k < COUNT_OF(scalars); k++) {
        if (needs.scalar >> k & 1) {
            print_code(text, scalars[k].code);
        }
    }
    for (int k = 0; k < TILE_OP_COUNT; k++) {
        if (needs.op[k]) {
            print_native_op(text, (TileOp)k);
        }
        if (needs.float32_math[k]) {
            text_printf(text, "static inline float single_%s(float a) { return %s; }\n",
                        tile_op_name((TileOp)k), float32_math[k]);
        }
    }
}

/* ---- helpers for all loops ---- */

const char *native_memory_type(DType dtype) {
    static const char *const names[DT_COUNT] = {
        [DT_bool] = "uint8_t",     [DT_uint8] = "uint8_t",  [DT_int8] = "int8_t",
        [DT_int16] = "int16_t",    [DT_int32] = "int32_t",  [DT_int64] = "int64_t",
        [DT_float32] = "float",    [DT_float64] = "double", [DT_float16] = "uint16_t",
        [DT_bfloat16] = "uint16_t"};
    return names[dtype];
}

const char *native_value_type(RegisterKind kind) {
    return kind == REGISTER_F32 ? "float" : kind == REGISTER_F64 ? "double" : "int64_t";
}

const char *native_get(DType dtype, NativeNeeds *needs) {
    if (dtype != DT_float16 && dtype != DT_bfloat16) {
        return "";
    }
    native_need(needs, dtype == DT_float16 ? "f16_to_f32" : "bf16_to_f32");
    return dtype == DT_float16 ? "f16_to_f32(" : "bf16_to_f32(";
}

const char *native_end(DType dtype) { return dtype_is_half(dtype) ? ")" : ""; }

const char *native_put(DType dtype, NativeNeeds *needs) {
    static const char *const casts[DT_COUNT] = {[DT_bool] = "(uint8_t)",
                                                [DT_uint8] = "(uint8_t)",
                                                [DT_int8] = "(int8_t)",
                                                [DT_int16] = "(int16_t)",
                                                [DT_int32] = "(int32_t)"};
    if (dtype != DT_float16 && dtype != DT_bfloat16) {
        return casts[dtype] ? casts[dtype] : "";
    }
    native_need(needs, dtype == DT_float16 ? "f32_to_f16" : "f32_to_bf16");
    return dtype == DT_float16 ? "f32_to_f16(" : "f32_to_bf16(";
}

void native_constant(Text *text, Scalar value, RegisterKind kind) {
    if (kind == REGISTER_I64) {
        if (value.i == INT64_MIN) {
            text_add(text, "INT64_MIN");
        } else {
            text_printf(text, "%lld", (long long)value.i);
        }
        return;
    }
    if (isnan(value.f) || isinf(value.f)) {
        text_add(text, isnan(value.f) ? "NAN" : value.f < 0 ? "-INFINITY" : "INFINITY");
        return;
    }
    char digits[48];
    snprintf(digits, sizeof digits, kind == REGISTER_F32 ? "%.9g" : "%.17g", value.f);
    text_add(text, digits);
    text_add(text, strpbrk(digits, ".e") ? "" : ".0");
    text_add(text, kind == REGISTER_F32 ? "f" : "");
}

void native_indent(Text *text, int depth) {
    for (int k = 0; k < depth; k++) {
        text_add(text, "    ");
    }
}

void native_for(Text *text, int depth, const char *name, int64_t n) {
    native_indent(text, depth);
    text_printf(text, "for (int64_t %s = 0; %s < %lld; %s++) {\n", name, name, (long long)n, name);
}

void native_for_dim(Text *text, int depth, int d, int64_t n, bool outer) {
    native_indent(text, depth);
    text_printf(text, "for (int64_t i%d = ", d);
    if (outer) {
        text_printf(text, "from; i%d < to; i%d++) {\n", d, d);
    } else {
        text_printf(text, "0; i%d < %lld; i%d++) {\n", d, (long long)n, d);
    }
}

void native_index(Text *text, int64_t offset, const int64_t *stride, const int64_t *size,
                  int ndim) {
    bool any = offset != 0;
    if (any) {
        text_printf(text, "%lld", (long long)offset);
    }
    for (int d = 0; d < ndim; d++) {
        if (stride[d] == 0 || size[d] == 1) {
            continue;
        }
        bool minus = stride[d] < 0;
        text_add(text, any ? (minus ? " - " : " + ") : minus ? "-" : "");
        text_printf(text, "i%d", d);
        if (stride[d] != 1 && stride[d] != -1) {
            text_printf(text, " * %lld", minus ? -(long long)stride[d] : (long long)stride[d]);
        }
        any = true;
    }
    text_add(text, any ? "" : "0");
}

/* Where every block is complete, the end is printed as start + block: the compiler then knows the
 * trip count. */
int native_blocks(Text *text, int depth, int d, int64_t size, int block, bool outer) {
    char end[24];
    snprintf(end, sizeof end, "%lld", (long long)size);
    const char *last = outer ? "to" : end;
    native_indent(text, depth++);
    text_printf(text, "for (int64_t j%d = %s; j%d < %s; j%d += %d) {\n", d, outer ? "from" : "0", d,
                last, d, block);
    native_indent(text, depth);
    if (!outer && size % block == 0) {
        text_printf(text, "const int64_t e%d = j%d + %d;\n", d, d, block);
    } else {
        text_printf(text, "const int64_t e%d = j%d + %d < %s ? j%d + %d : %s;\n", d, d, block, last,
                    d, block, last);
    }
    return depth;
}

int native_block(Text *text, int depth, int d) {
    native_indent(text, depth);
    text_printf(text, "for (int64_t i%d = j%d; i%d < e%d; i%d++) {\n", d, d, d, d, d);
    return depth + 1;
}

void native_buffer(Text *text, const char *type, const char *name, int number) {
    text_printf(text, "    %s *restrict %s = data[%d];\n", type, name, number);
}

void native_close_until(Text *text, int depth, int until) {
    while (depth > until) {
        native_indent(text, --depth);
        text_add(text, "}\n");
    }
}

bool native_is_outer(const Loop *loop, int d) { return d == 0 && loop_trips(loop) > 1; }

int native_open_but(Text *text, const Loop *loop, unsigned skip, int depth) {
    for (int d = 0; d < loop->ndim; d++) {
        if (loop->size[d] != 1 && !(skip >> d & 1)) {
            native_for_dim(text, depth++, d, loop->size[d], native_is_outer(loop, d));
        }
    }
    return depth;
}

/* ---- the plan ---- */

static const char *print_name_of(const Node *n) { return n->call ? n->call->op->id_name : "store"; }

void native_print(Text *text, const Plan *plan, const char *prefix, NativeNeeds *needs) {
    Text table = {.arena = text->arena};
    for (int k = 0; k < plan->nloop; k++) {
        const Loop *loop = &plan->loop[k];
        int64_t start = text->n;
        text_printf(
            text,
            "\n/* %s */\nstatic void %sloop_%d(void *const *data, int64_t from, int64_t to) {\n",
            print_name_of(loop->node), prefix, k);
        if (loop->kind == LOOP_TILE ? native_nest(text, loop->tile, needs)
                                    : native_lines(text, loop, needs)) {
            text_add(text, "}\n");
            text_printf(&table, "    %sloop_%d,\n", prefix, k);
        } else {
            text->n = start;
            text->v[start] = '\0';
            text_add(&table, "    0, /* the executor's own */\n");
        }
    }
    text_printf(text, "\nvoid (*const %sloops[])(void *const *, int64_t, int64_t) = {\n%s};\n",
                prefix, table.n > 0 ? table.v : "    0\n");
}
