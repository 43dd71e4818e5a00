/* Instructions and values of a nest under construction.
 *
 * Constants and the first few loads are reused. A load may be reused because all stores of a tile
 * come after all its loads. */
#include "compiled/loops/nest.h"
#include "program/kernels/kernels.h"
#include "tensor/array.h"

#include <string.h>

RegisterKind register_kind(DType dtype) {
    return !dtype_is_float(dtype) ? REGISTER_I64
           : dtype == DT_float64  ? REGISTER_F64
                                  : REGISTER_F32;
}

Scalar lower_scalar(Scalar value, DType dtype) {
    if (!dtype_is_float(dtype)) {
        return scalar_int(scalar_as_int(value, dtype));
    }
    int64_t cell;
    element_store_double(&cell, dtype, 0, scalar_to_double(value));
    return scalar_float(element_double(&cell, dtype, 0));
}

void nest_start(NestBuilder *b, Lower *l) {
    b->l = l;
    b->ndim = b->naccess = b->ninst = b->ntail = b->nconst = b->nreg = b->nreduce = b->ncached = 0;
    b->reduced = 0;
    b->ordered = false;
    b->stride_capacity = b->inst_capacity = 0;
    b->stride = array_reserve(l->arena, NULL, 0, &b->stride_capacity, 8, sizeof *b->stride);
    b->inst = array_reserve(l->arena, NULL, 0, &b->inst_capacity, 32, sizeof *b->inst);
    b->tail = arena_alloc_raw(l->arena, (int64_t)sizeof *b->tail * MAX_FUSED_OPS * 2);
}

int nest_access(NestBuilder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride) {
    CHECK(b->naccess < MAX_ACCESSES);
    b->stride = array_reserve(b->l->arena, b->stride, b->naccess, &b->stride_capacity, 8,
                              sizeof *b->stride);
    b->access[b->naccess] = (Access){buffer, dtype, offset, NULL};
    memcpy(b->stride[b->naccess], stride, (size_t)b->ndim * sizeof *stride);
    return b->naccess++;
}

static TileInst *add_inst(NestBuilder *b, TileOp op) {
    CHECK(b->ninst < MAX_INSTS);
    b->inst = array_reserve(b->l->arena, b->inst, b->ninst, &b->inst_capacity, 32, sizeof *b->inst);
    TileInst *inst = &b->inst[b->ninst++];
    *inst = (TileInst){.op = op};
    return inst;
}

TileInst *nest_tail(NestBuilder *b, TileOp op) {
    CHECK(b->ntail < MAX_FUSED_OPS * 2);
    TileInst *inst = &b->tail[b->ntail++];
    *inst = (TileInst){.op = op, .dst = -1};
    return inst;
}

int nest_emit(NestBuilder *b, TileOp op, int n, int s0, int s1, int s2, int s3) {
    TileInst *inst = add_inst(b, op);
    int src[4] = {s0, s1, s2, s3};
    for (int k = 0; k < 4; k++) {
        inst->src[k] = (short)src[k < n ? k : 0];
    }
    inst->dst = (short)b->nreg;
    return b->nreg++;
}

Value nest_constant(NestBuilder *b, Scalar value, DType dtype) {
    RegisterKind kind = register_kind(dtype);
    for (int k = 0; k < b->nconst; k++) {
        const TileConst *c = &b->constant[k];
        if (c->kind == kind &&
            (kind == REGISTER_I64 ? c->value.i == value.i
                                  : memcmp(&c->value.f, &value.f, sizeof value.f) == 0)) {
            return (Value){c->reg, dtype};
        }
    }
    CHECK(b->nconst < MAX_CONSTS);
    b->constant[b->nconst++] = (TileConst){(short)b->nreg, kind, value};
    return (Value){b->nreg++, dtype};
}

static bool fits(DType from, DType to) {
    return from == DT_bool ||
           (to != DT_bool && dtype_min(to) <= dtype_min(from) && dtype_max(from) <= dtype_max(to));
}

TileOp nest_wrap_op(DType dtype) {
    switch (dtype) {
    case DT_bool:
        return TILE_wrap_bool;
    case DT_uint8:
        return TILE_wrap_uint8;
    case DT_int8:
        return TILE_wrap_int8;
    case DT_int16:
        return TILE_wrap_int16;
    case DT_int32:
        return TILE_wrap_int32;
    case DT_float16:
        return TILE_round_float16;
    case DT_bfloat16:
        return TILE_round_bfloat16;
    default:
        return TILE_copy_i64;
    }
}

Value nest_unary(NestBuilder *b, TileOp op, Value v, DType dtype) {
    return (Value){nest_emit(b, op, 1, v.reg, 0, 0, 0), dtype};
}

Value nest_convert(NestBuilder *b, Value v, DType to) {
    RegisterKind from_kind = register_kind(v.dtype), to_kind = register_kind(to);
    if (v.dtype == to) {
        return v;
    }
    if (from_kind == REGISTER_I64 && to_kind == REGISTER_I64) {
        return fits(v.dtype, to) ? (Value){v.reg, to} : nest_unary(b, nest_wrap_op(to), v, to);
    }
    if (from_kind == REGISTER_I64) {
        v = nest_unary(b, to_kind == REGISTER_F32 ? TILE_i64_to_f32 : TILE_i64_to_f64, v,
                       to_kind == REGISTER_F32 ? DT_float32 : to);
        return nest_convert(b, v, to);
    }
    bool from_f32 = from_kind == REGISTER_F32;
    if (to_kind == REGISTER_F64) {
        return nest_unary(b, TILE_f32_to_f64, v, to);
    }
    if (to_kind == REGISTER_F32) {
        v = from_f32 ? v : nest_unary(b, TILE_f64_to_f32, v, DT_float32);
        return to == DT_float32 ? (Value){v.reg, to} : nest_unary(b, nest_wrap_op(to), v, to);
    }
    if (to == DT_bool) {
        return nest_unary(b, from_f32 ? TILE_f32_to_bool : TILE_f64_to_bool, v, to);
    }
    v = nest_unary(b, from_f32 ? TILE_f32_to_i64 : TILE_f64_to_i64, v, DT_int64);
    return nest_convert(b, v, to);
}

Value nest_load(NestBuilder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride) {
    for (int k = 0; k < b->ncached; k++) {
        int at = b->cached[k].access;
        const Access *a = &b->access[at];
        if (a->buffer == buffer && a->offset == offset && a->dtype == dtype &&
            memcmp(b->stride[at], stride, (size_t)b->ndim * sizeof *stride) == 0) {
            return (Value){b->cached[k].reg, dtype};
        }
    }
    int access = nest_access(b, buffer, dtype, offset, stride);
    int reg = nest_emit(b, TILE_LOAD, 0, 0, 0, 0, 0);
    nest_last(b)->access = (short)access;
    if (b->ncached < CACHED_LOADS) {
        b->cached[b->ncached].access = access;
        b->cached[b->ncached++].reg = reg;
    }
    return (Value){reg, dtype};
}

/* The access that the value was loaded from; -1: it is computed. */
static int loaded_from(const NestBuilder *b, Value v) {
    for (int k = b->ninst - 1; k >= 0; k--) {
        if (b->inst[k].dst == v.reg) {
            return b->inst[k].op == TILE_LOAD ? b->inst[k].access : -1;
        }
    }
    return -1;
}

void nest_store(NestBuilder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride,
                Value v) {
    int from = dtype_is_half(dtype) && v.dtype == dtype ? loaded_from(b, v) : -1;
    if (from >= 0) {
        const Access *a = &b->access[from];
        dtype = DT_int16;
        v = nest_load(b, a->buffer, dtype, a->offset, b->stride[from]);
    }
    v = nest_convert(b, v, dtype);
    int access = nest_access(b, buffer, dtype, offset, stride);
    TileInst *inst = nest_tail(b, TILE_STORE);
    inst->src[0] = inst->src[1] = inst->src[2] = inst->src[3] = (short)v.reg;
    inst->access = (short)access;
}
