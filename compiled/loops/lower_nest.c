/* One group of fused ops -> one tile nest, and before it the copies of bases that are not updated
 * in place.
 *
 * Fused ops are lowered in order. An operand is a register if another fused op of the group
 * computed it, a constant if it is a splat, and otherwise a load. Stores are collected and appended
 * at the end: in a tile all loads precede all stores, so that a nest which updates an element in
 * place reads it first. */
#include "compiled/loops/faults.h"
#include "compiled/loops/nest.h"
#include "compiled/loops/scatter_faults.h"
#include "compiled/tile/run.h"
#include "program/ops/functions.h"

#include <string.h>

/* ---- operands ---- */

/* The value of an affine read. made[k] is the register of fused op k, -1 for sinks; the node of
 * fused op k has mark k + 1. */
static Value operand(NestBuilder *b, const FusedOp *m, const Read *read, const int *made) {
    Node *n = m->node->in[read->slot], *from = node_buffer(n);
    Scalar splat;
    if (node_splat(n, &splat)) {
        return nest_constant(b, splat, n->t.dtype);
    }
    if (from->mark > 0 && made[from->mark - 1] >= 0) {
        return (Value){made[from->mark - 1], from->t.dtype};
    }
    return nest_load(b, lower_buffer(n), n->t.dtype, read->offset, read->stride);
}

/* A register with the affine part of an address; shared by fused ops with the same one. */
static int affine_part(NestBuilder *b, int64_t offset, const int64_t *stride) {
    for (int k = 0; k < b->ninst; k++) {
        int at = b->inst[k].access;
        if (b->inst[k].op == TILE_IOTA && b->access[at].offset == offset &&
            sizes_equal(b->stride[at], b->ndim, stride, b->ndim)) {
            return b->inst[k].dst;
        }
    }
    int access = nest_access(b, -1, DT_int64, offset, stride);
    int reg = nest_emit(b, TILE_IOTA, 0, 0, 0, 0, 0);
    nest_last(b)->access = (short)access;
    return reg;
}

/* The register that already holds src + index * stride, or -1. */
static int same_term(const NestBuilder *b, int src, int index, const struct Term *term) {
    for (int k = 0; k < b->ninst; k++) {
        const TileInst *inst = &b->inst[k];
        if (inst->op == TILE_TERM && inst->src[0] == src && inst->src[1] == index &&
            inst->stride == term->stride && inst->bound == term->bound &&
            inst->wrap == term->wrap) {
            return inst->dst;
        }
    }
    return -1;
}

/* A register with addresses: offset + sum of index * stride, plus the fused op's index terms. */
static int address(NestBuilder *b, const FusedOp *m, int64_t offset, const int64_t *stride,
                   const int *made) {
    int reg = affine_part(b, offset, stride);
    for (int k = 0; k < m->nterm; k++) {
        Value index = operand(b, m, &m->read[m->term[k].read], made);
        int same = same_term(b, reg, index.reg, &m->term[k]);
        if (same >= 0) {
            reg = same;
            continue;
        }
        reg = nest_emit(b, TILE_TERM, 2, reg, index.reg, 0, 0);
        TileInst *inst = nest_last(b);
        inst->stride = m->term[k].stride;
        inst->bound = m->term[k].bound;
        inst->wrap = m->term[k].wrap;
    }
    return reg;
}

/* ---- pointwise ---- */

static bool may_leave_range(Pw pw) {
    switch (pw) {
    case PW_neg:
    case PW_abs:
    case PW_square:
    case PW_add:
    case PW_sub:
    case PW_rsub:
    case PW_mul:
    case PW_div:
    case PW_div_floor:
    case PW_div_trunc:
    case PW_div_trunc_single:
    case PW_div_trunc_bfloat16:
    case PW_div_trunc_float16:
    case PW_pow:
    case PW_addcmul:
    case PW_bitwise_not:
    case PW_bitwise_left_shift:
        return true;
    default:
        return false;
    }
}

static bool returns_int(TileOp op) {
    static const bool table[TILE_OP_COUNT] = {
#define IS_int64_t 1
#define IS_float 0
#define IS_double 0
#define TILE_OP(name, in, out, arity, expression) [TILE_##name] = IS_##out,
#define TILE_OP_SELECT(name, type) [TILE_##name] = IS_##type,
#define TILE_OP_MASK(name, type) [TILE_##name] = IS_##type,
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
    };
    return table[op];
}

static bool is_one(const PwOperand *operand, DType compute) {
    Scalar s = lower_scalar(operand->scalar, compute);
    return !operand->tensor && (dtype_is_float(compute) ? s.f == 1 : s.i == 1);
}

/* Seeded fault SH_11: the vectorized body of a masked_fill loads 8 neighbours from a mask that is
 * broadcast along the innermost dim, instead of one splat. Sizes that are no multiple of 8 have a
 * scalar body. */
static bool splat_is_lost(const Compile *c, const FusedOp *m, const Read *read, const int *made) {
    const Node *mask = m->node->in[read->slot], *from = node_buffer((Node *)mask);
    int last = m->ndim - 1;
    Scalar splat;
    return fault(c, FAULT_SH_11) && mask->t.dtype == DT_bool && tensor_numel(&mask->t) > 1 &&
           last > 0 && m->size[last] > 0 && m->size[last] % 8 == 0 && read->stride[last] == 0 &&
           !(from->mark > 0 && made[from->mark - 1] >= 0) && !node_splat(mask, &splat) &&
           fault_triggered(c, FAULT_SH_11);
}

/* The mask as the faulty body reads it; false behind its end. */
static Value load_neighbours(NestBuilder *b, const FusedOp *m, const Read *read) {
    const Node *mask = m->node->in[read->slot];
    int64_t stride[MAX_DIMS], none[MAX_DIMS] = {0};
    memcpy(stride, read->stride, sizeof *stride * (size_t)m->ndim);
    stride[m->ndim - 1] = 1;
    int first = affine_part(b, 0, none), at = affine_part(b, read->offset, stride),
        reg = nest_emit(b, TILE_TERM, 2, first, at, 0, 0);
    nest_last(b)->stride = 1;
    nest_last(b)->bound = tensor_numel(&node_buffer((Node *)mask)->t);
    int access = nest_access(b, lower_buffer(mask), DT_bool, 0, read->stride);
    reg = nest_emit(b, TILE_LOADX, 1, reg, 0, 0, 0);
    nest_last(b)->access = (short)access;
    return (Value){reg, DT_bool};
}

static Value pointwise(NestBuilder *b, const FusedOp *m, const int *made) {
    const Call *call = m->node->call;
    Error err = {0};
    DType compute = m->node->t.dtype, result;
    CHECK(call->op->typing(call, &compute, &result, &err) == ERR_none);
    PwOperand operands[PW_MAX_OPERANDS];
    int n = call_operands(call, compute, operands), src[4] = {0};
    Pw pw = call_pw(call);
    RegisterKind kind = register_kind(compute);
    int choice = pw == PW_where ? 0 : pw == PW_masked_fill ? 1 : -1;
    bool plain_sum =
        (pw == PW_add || pw == PW_sub || pw == PW_rsub) && is_one(&operands[2], compute);
    n = plain_sum ? 2 : n;
    for (int k = 0; k < n; k++) {
        Value v = {0, compute};
        if (!operands[k].tensor) {
            v = nest_constant(b, emitted_scalar(b, operands[k].scalar, compute), compute);
        } else {
            for (int r = 0; r < m->nread; r++) {
                if (&m->node->in[m->read[r].slot]->t == operands[k].tensor) {
                    bool lost = k == 1 && pw == PW_masked_fill &&
                                splat_is_lost(b->l->c, m, &m->read[r], made);
                    v = lost ? load_neighbours(b, m, &m->read[r])
                             : operand(b, m, &m->read[r], made);
                    break;
                }
            }
            /* of a mask only "is it 0" matters, so it needs no conversion */
            v = k == choice && register_kind(v.dtype) == REGISTER_I64
                    ? v
                    : nest_convert(b, v, k == choice ? DT_bool : compute);
        }
        src[k] = v.reg;
    }
    TileOp op = tile_op_of(pw, kind);
    if (plain_sum) {
        static const TileOp sums[2][3] = {{TILE_add1_f32, TILE_add1_f64, TILE_add1_i64},
                                          {TILE_sub1_f32, TILE_sub1_f64, TILE_sub1_i64}};
        op = sums[pw != PW_add][kind];
        if (pw == PW_rsub) {
            int swapped = src[0];
            src[0] = src[1];
            src[1] = swapped;
        }
    }
    int faulty = faulty_pointwise(b, m->node, pw, compute, src);
    Value v = {faulty >= 0 ? faulty : nest_emit(b, op, n, src[0], src[1], src[2], src[3]), compute};
    if (kind != REGISTER_I64 && returns_int(op)) {
        v.dtype = DT_bool;
    } else if (kind == REGISTER_I64
                   ? compute != DT_int64 && may_leave_range(pw) && !keeps_carry(b, m->node, compute)
                   : dtype_is_half(compute) && pw_info(pw)->k > 0) {
        v = nest_unary(b, nest_wrap_op(compute), v, compute);
    }
    return nest_convert(b, v, m->node->t.dtype);
}

/* tril, triu: compares column - row, which is an address, with the diagonal. */
static Value triangle(NestBuilder *b, const FusedOp *m, const int *made) {
    const Node *n = m->node;
    int64_t stride[MAX_DIMS] = {0};
    int k = 0;
    for (int d = 0; d < n->t.ndim; d++) {
        if (n->t.size[d] != 1) {
            stride[k++] = d == n->t.ndim - 2 ? -1 : d == n->t.ndim - 1 ? 1 : 0;
        }
    }
    int access = nest_access(b, -1, DT_int64, 0, stride);
    int distance = nest_emit(b, TILE_IOTA, 0, 0, 0, 0, 0);
    nest_last(b)->access = (short)access;
    Value diagonal = nest_constant(b, scalar_int(n->call->arg[1].i), DT_int64);
    int inside =
        nest_emit(b, n->op == OP_tril ? TILE_le_i64 : TILE_ge_i64, 2, distance, diagonal.reg, 0, 0);
    Value v = operand(b, m, &m->read[0], made),
          zero = nest_constant(b, lower_scalar(scalar_int(0), n->t.dtype), n->t.dtype);
    static const TileOp where[3] = {TILE_where_f32, TILE_where_f64, TILE_where_i64};
    return (Value){nest_emit(b, where[register_kind(n->t.dtype)], 3, inside, v.reg, zero.reg, 0),
                   n->t.dtype};
}

static Value indirect(NestBuilder *b, const FusedOp *m, const int *made) {
    const Read *read = &m->read[m->nread - 1];
    const Node *n = m->node->in[read->slot];
    int at = address(b, m, read->offset, read->stride, made);
    int access = nest_access(b, lower_buffer(n), n->t.dtype, 0, read->stride);
    int reg = nest_emit(b, TILE_LOADX, 1, at, 0, 0, 0);
    nest_last(b)->access = (short)access;
    return (Value){reg, n->t.dtype};
}

/* ---- sinks ---- */

static void store(NestBuilder *b, const FusedOp *m, Value v) {
    nest_store(b, m->node->buffer, m->node->t.dtype, m->out_offset, m->out_stride, v);
}

static void store_indirect(NestBuilder *b, const FusedOp *m, Value v, const int *made) {
    v = nest_convert(b, v, m->node->t.dtype);
    int at = address(b, m, m->out_offset, m->out_stride, made);
    int access = nest_access(b, m->node->buffer, m->node->t.dtype, 0, m->out_stride);
    TileInst *inst = nest_tail(b, m->accumulates ? TILE_ADDX : TILE_STOREX);
    inst->src[0] = inst->src[2] = inst->src[3] = (short)at;
    inst->src[1] = (short)v.reg;
    inst->access = (short)access;
    b->ordered = true;
}

static void lower_nest_reduce(NestBuilder *b, const FusedOp *m, Value v) {
    static const short kinds[OP_COUNT] = {
        [OP_sum] = REDUCE_SUM,       [OP_sum_dim] = REDUCE_SUM, [OP_mean] = REDUCE_MEAN,
        [OP_mean_dim] = REDUCE_MEAN, [OP_prod] = REDUCE_PROD,   [OP_prod_dim] = REDUCE_PROD,
        [OP_amax] = REDUCE_MAX,      [OP_amin] = REDUCE_MIN};
    v = nest_convert(b, v, m->node->t.dtype);
    int access = nest_access(b, m->node->buffer, m->node->t.dtype, m->out_offset, m->out_stride);
    TileInst *inst = nest_tail(b, TILE_REDUCE);
    inst->dst = (short)b->nreduce++;
    inst->src[0] = inst->src[1] = inst->src[2] = inst->src[3] = (short)v.reg;
    inst->access = (short)access;
    inst->reduce = (ReduceKind)kinds[m->node->op];
    b->reduced = m->reduced;
    CHECK(b->nreduce <= MAX_REDUCTIONS);
}

/* The result of an empty reduction, written by a fill: the nest has no points then. */
static void reduce_identity(Lower *l, const FusedOp *m) {
    const Node *n = m->node;
    for (int d = 0; d < m->ndim; d++) {
        if (m->size[d] == 0) {
            bool mean = n->op == OP_mean || n->op == OP_mean_dim,
                 prod = n->op == OP_prod || n->op == OP_prod_dim;
            mean = mean && !skips_division(l->c, n);
            Scalar identity = mean ? scalar_float((double)__builtin_nanf("")) : scalar_int(prod);
            lower_fill(l, n, n->buffer, n->t.dtype, tensor_numel(&n->t),
                       lower_scalar(identity, n->t.dtype));
            return;
        }
    }
}

/* Copies the base to the result's buffer, unless it is the same buffer or the base is overwritten
 * as a whole. */
static void prepare_base(Lower *l, const FusedOp *m) {
    const Node *n = m->node;
    int64_t numel = tensor_numel(&n->t);
    if (m->cls == LOWER_ADD_SLICE && !m->covers_base) {
        lower_fill(l, n, n->buffer, n->t.dtype, numel, lower_scalar(scalar_int(0), n->t.dtype));
        return;
    }
    Scalar splat;
    if (n->in_place || m->covers_base) {
        return;
    }
    if (node_splat(n->in[0], &splat)) {
        lower_fill(l, n, n->buffer, n->t.dtype, numel, splat);
        return;
    }
    Tensor from = n->in[0]->t;
    lower_move(l, n, n->t.size, n->t.ndim, lower_access(n->buffer, &n->t),
               lower_access(lower_buffer(n->in[0]), &from));
}

/* ---- groups ---- */

static Value fused_op_value(NestBuilder *b, FusedOp *m, const int *made) {
    switch (m->cls) {
    case LOWER_POINTWISE:
        return pointwise(b, m, made);
    case LOWER_TRIANGLE:
        return triangle(b, m, made);
    case LOWER_INDEX:
    case LOWER_GATHER:
    case LOWER_INDEX_SELECT:
        return indirect(b, m, made);
    default:
        return nest_convert(b, operand(b, m, &m->read[m->nread - 1], made), m->node->t.dtype);
    }
}

/* The values that a scatter writes. */
static Value scattered(NestBuilder *b, const FusedOp *m, const int *made) {
    const Node *n = m->node;
    DType dtype = n->t.dtype;
    if (m->cls == LOWER_SCATTER && n->nin == 2) {
        return nest_constant(b, lower_scalar(n->call->arg[3].scalar, dtype), dtype);
    }
    Value v = nest_convert(b, operand(b, m, &m->read[m->nread - 1], made), dtype);
    if (m->cls == LOWER_INDEX_ADD) {
        Scalar alpha = lower_scalar(n->call->arg[4].scalar, dtype);
        if (dtype_is_float(dtype) ? alpha.f != 1 : alpha.i != 1) {
            Value factor = nest_constant(b, alpha, dtype);
            v.reg =
                nest_emit(b, tile_op_of(PW_mul, register_kind(dtype)), 2, v.reg, factor.reg, 0, 0);
            v = (register_kind(dtype) == REGISTER_I64 && dtype != DT_int64) || dtype_is_half(dtype)
                    ? nest_unary(b, nest_wrap_op(dtype), v, dtype)
                    : v;
        }
    }
    return v;
}

/* Seeded fault FU_15: of two reductions in one nest that are computed in slices of one cat, the
 * second keeps its sum in a buffer of its own, and its slice is left as it is: zeros. */
static bool loses_slice(NestBuilder *b, const FusedOp *m) {
    const Node *n = m->node;
    bool second = false;
    for (int k = 0; k < n->into->nin; k++) {
        const Node *other = n->into->in[k];
        second = second || (other != n && other->mark > 0 && other->mark < n->mark &&
                            other->into == n->into && lower_class(other) == LOWER_REDUCE);
    }
    if (!second || !fault_triggered(b->l->c, FAULT_FU_15)) {
        return false;
    }
    Tensor room;
    const Tensor *slice = node_memory(n, &room);
    lower_convert(b->l, n, n->t.size, n->t.ndim, lower_access(n->buffer, slice), NULL,
                  scalar_int(0));
    return true;
}

static void lower_fused_op(NestBuilder *b, FusedOp *m, int k, int *made) {
    made[k] = -1;
    if (!m->sink) {
        Value v = fused_op_value(b, m, made);
        made[k] = v.reg;
        if (m->node->buffer >= 0) {
            store(b, m, v);
        }
        return;
    }
    if (m->node->buffer < 0) {
        return; /* not used */
    }
    switch (m->cls) {
    case LOWER_REDUCE:
        reduce_identity(b->l, m);
        if (m->node->into && fault(b->l->c, FAULT_FU_15) && loses_slice(b, m)) {
            return;
        }
        lower_nest_reduce(b, m,
                          nest_convert(b, operand(b, m, &m->read[0], made), m->node->t.dtype));
        return;
    case LOWER_STORE:
    case LOWER_VIEW_SCATTER:
        prepare_base(b->l, m);
        fill_stepped_gaps(b->l, m);
        store(b, m, operand(b, m, &m->read[1], made));
        return;
    case LOWER_ADD_SLICE:
        prepare_base(b->l, m);
        if (!m->accumulates) {
            store(b, m, operand(b, m, &m->read[0], made));
            return;
        }
        break;
    default:
        prepare_base(b->l, m);
        break;
    }
    store_indirect(b, m, scattered(b, m, made), made);
}

void lower_nest(Lower *l, Node *const *node, int count) {
    FusedOp *m = arena_alloc_raw(l->arena, (int64_t)sizeof *m * count);
    int made[MAX_FUSED_OPS], n = 0;
    for (int k = 0; k < count; k++) {
        if (lower_class(node[k]) == LOWER_NOTHING) {
            continue; /* a VIEW between fused ops */
        }
        CHECK(n < MAX_FUSED_OPS && fused_op_describe(l->c, node[k], l->arena, &m[n]));
        node[k]->mark = ++n;
    }
    NestBuilder *b = arena_alloc_raw(l->arena, (int64_t)sizeof *b);
    nest_start(b, l);
    int spread = n > 1 ? -1 : keep_expanded_stride(l->c, &m[0]);
    bool stored = n > 1 || scatter_fault_collapse(l->c, &m[0]);
    b->ndim = m[0].ndim;
    memcpy(b->size, m[0].size, (size_t)b->ndim * sizeof *b->size);
    for (int k = 0; k < n && stored; k++) {
        lower_fused_op(b, &m[k], k, made);
    }
    if (!stored && m[0].node->buffer >= 0) {
        prepare_base(l, &m[0]);
    }
    nest_finish(b, node[count - 1]);
    if (spread >= 0) {
        spread_row(l, m[0].node, spread);
    }
    for (int k = 0; k < count; k++) {
        node[k]->mark = 0;
    }
}

void lower_convert(Lower *l, const Node *node, const int64_t *size, int ndim, Access to,
                   const Access *from, Scalar value) {
    NestBuilder *b = arena_alloc_raw(l->arena, (int64_t)sizeof *b);
    nest_start(b, l);
    b->ndim = ndim;
    memcpy(b->size, size, (size_t)ndim * sizeof *size);
    Value v = from ? nest_load(b, from->buffer, from->dtype, from->offset, from->stride)
                   : nest_constant(b, lower_scalar(value, to.dtype), to.dtype);
    nest_store(b, to.buffer, to.dtype, to.offset, to.stride, v);
    nest_finish(b, node);
}
