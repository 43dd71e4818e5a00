/* One unit of members -> one tile nest (and, before it, the copies of bases that are not written in place).
 *
 * Members are lowered in order. An operand is a register where another member of the unit computed it, a constant where it is a
 * splat, else a load. Instructions are first written with virtual registers, stores apart, and put together at the end: every load
 * of a tile comes before every store of it, so that a nest which reads and writes one element in place reads it first.
 * Then dims are ordered (reduced ones last; else by the strides of the first store), neighbours merged where all accesses agree, and
 * registers assigned by last use. */
#include "compiled/lower.h"
#include "program/op_functions.h"

#include <string.h>

enum { MAX_ACCESSES = 160, MAX_INSTS = 640, MAX_CONSTS = 120, CACHED_LOADS = 16 };

typedef struct Value {
    int reg; /* virtual */
    DType dtype;
} Value;

typedef struct Builder {
    Lower *l;
    int ndim;
    int64_t size[MAX_DIMS];
    unsigned reduced;
    int naccess; Access access[MAX_ACCESSES]; int64_t (*stride)[MAX_DIMS];
    int ninst, ntail; TileInst *inst, *tail;
    int nconst; TileConst constant[MAX_CONSTS];
    int nreg, nreduce;
    int ncached; struct { int access; int reg; } cached[CACHED_LOADS];
    bool ordered; /* points must be visited in row-major order */
} Builder;

/* ---- values ---- */

Kind dtype_kind(DType dtype) { return dtype == DT_float32 ? KIND_F32 : dtype == DT_float64 ? KIND_F64 : KIND_I64; }

Scalar lower_scalar(Scalar value, DType dtype) {
    if (!dtype_is_float(dtype)) {
        return scalar_int(dtype_wrap(dtype, scalar_to_int(value)));
    }
    int64_t cell;
    element_store_double(&cell, dtype, 0, scalar_to_double(value));
    return scalar_float(element_double(&cell, dtype, 0));
}

static void builder_start(Builder *b, Lower *l) {
    b->l = l;
    b->ndim = b->naccess = b->ninst = b->ntail = b->nconst = b->nreg = b->nreduce = b->ncached = 0;
    b->reduced = 0;
    b->ordered = false;
    b->inst = arena_alloc_raw(l->arena, (int64_t)sizeof *b->inst * 32);
    b->tail = arena_alloc_raw(l->arena, (int64_t)sizeof *b->tail * MAX_MEMBERS * 2);
    b->stride = arena_alloc_raw(l->arena, (int64_t)sizeof *b->stride * 8);
}

/* Doubles an arena array when `n` is a power of two past its first size. */
static void *grown(Arena *arena, void *array, int n, int first, int64_t each) {
    if (n < first || (n & (n - 1))) {
        return array;
    }
    void *more = arena_alloc_raw(arena, each * n * 2);
    memcpy(more, array, (size_t)(each * n));
    return more;
}

static int add_access(Builder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride) {
    CHECK(b->naccess < MAX_ACCESSES);
    b->stride = grown(b->l->arena, b->stride, b->naccess, 8, (int64_t)sizeof *b->stride);
    b->access[b->naccess] = (Access){buffer, dtype, offset, NULL};
    memcpy(b->stride[b->naccess], stride, (size_t)b->ndim * sizeof *stride);
    return b->naccess++;
}

static TileInst *add_inst(Builder *b, TileOp op) {
    CHECK(b->ninst < MAX_INSTS);
    b->inst = grown(b->l->arena, b->inst, b->ninst, 32, (int64_t)sizeof *b->inst);
    TileInst *inst = &b->inst[b->ninst++];
    *inst = (TileInst){.op = op};
    return inst;
}

static TileInst *add_tail(Builder *b, TileOp op) {
    CHECK(b->ntail < MAX_MEMBERS * 2);
    TileInst *inst = &b->tail[b->ntail++];
    *inst = (TileInst){.op = op, .dst = -1};
    return inst;
}

static int emit(Builder *b, TileOp op, int n, int s0, int s1, int s2, int s3) {
    TileInst *inst = add_inst(b, op);
    int src[4] = {s0, s1, s2, s3};
    for (int k = 0; k < 4; k++) {
        inst->src[k] = (short)src[k < n ? k : 0];
    }
    inst->dst = (short)b->nreg;
    return b->nreg++;
}

static Value constant(Builder *b, Scalar value, DType dtype) {
    Kind kind = dtype_kind(dtype);
    for (int k = 0; k < b->nconst; k++) {
        const TileConst *c = &b->constant[k];
        if (c->kind == kind && (kind == KIND_I64 ? c->value.i == value.i : memcmp(&c->value.f, &value.f, sizeof value.f) == 0)) {
            return (Value){c->reg, dtype};
        }
    }
    CHECK(b->nconst < MAX_CONSTS);
    b->constant[b->nconst++] = (TileConst){(short)b->nreg, kind, value};
    return (Value){b->nreg++, dtype};
}

static bool fits(DType from, DType to) {
    return from == DT_bool || (to != DT_bool && dtype_min(to) <= dtype_min(from) && dtype_max(from) <= dtype_max(to));
}

static TileOp wrap_op(DType dtype) {
    switch (dtype) {
    case DT_bool: return TILE_wrap_bool;
    case DT_uint8: return TILE_wrap_uint8;
    case DT_int8: return TILE_wrap_int8;
    case DT_int16: return TILE_wrap_int16;
    case DT_int32: return TILE_wrap_int32;
    default: return TILE_copy_i64;
    }
}

static Value unary(Builder *b, TileOp op, Value v, DType dtype) { return (Value){emit(b, op, 1, v.reg, 0, 0, 0), dtype}; }

static Value convert(Builder *b, Value v, DType to) {
    Kind from_kind = dtype_kind(v.dtype), to_kind = dtype_kind(to);
    if (v.dtype == to) {
        return v;
    }
    if (from_kind == KIND_I64 && to_kind == KIND_I64) {
        return fits(v.dtype, to) ? (Value){v.reg, to} : unary(b, wrap_op(to), v, to);
    }
    if (from_kind == KIND_I64) {
        return unary(b, to_kind == KIND_F32 ? TILE_i64_to_f32 : TILE_i64_to_f64, v, to);
    }
    bool single = from_kind == KIND_F32;
    if (to_kind != KIND_I64) {
        return unary(b, single ? TILE_f32_to_f64 : TILE_f64_to_f32, v, to);
    }
    if (to == DT_bool) {
        return unary(b, single ? TILE_f32_to_bool : TILE_f64_to_bool, v, to);
    }
    v = unary(b, single ? TILE_f32_to_i64 : TILE_f64_to_i64, v, DT_int64);
    return convert(b, v, to);
}

/* ---- operands ---- */

static Value load(Builder *b, int buffer, DType dtype, int64_t offset, const int64_t *stride) {
    for (int k = 0; k < b->ncached; k++) {
        int at = b->cached[k].access;
        const Access *a = &b->access[at];
        if (a->buffer == buffer && a->offset == offset && a->dtype == dtype && memcmp(b->stride[at], stride, (size_t)b->ndim * sizeof *stride) == 0) {
            return (Value){b->cached[k].reg, dtype};
        }
    }
    int access = add_access(b, buffer, dtype, offset, stride);
    int reg = emit(b, TILE_LOAD, 0, 0, 0, 0, 0);
    b->inst[b->ninst - 1].access = (short)access;
    if (b->ncached < CACHED_LOADS) {
        b->cached[b->ncached].access = access;
        b->cached[b->ncached++].reg = reg;
    }
    return (Value){reg, dtype};
}

/* The value of an affine read. `made[k]`: register of member k, -1 for sinks; a node of the unit has mark k + 1. */
static Value operand(Builder *b, const Member *m, const Read *read, const int *made) {
    Node *n = m->node->in[read->slot], *from = node_buffer(n);
    Scalar splat;
    if (node_splat(n, &splat)) {
        return constant(b, splat, n->t.dtype);
    }
    if (from->mark > 0 && made[from->mark - 1] >= 0) {
        return (Value){made[from->mark - 1], from->t.dtype};
    }
    return load(b, lower_buffer(n), n->t.dtype, read->offset, read->stride);
}

/* Register of addresses: offset + sum of strides, plus the member's index terms. */
static int address(Builder *b, const Member *m, int64_t offset, const int64_t *stride, const int *made) {
    int access = add_access(b, -1, DT_int64, offset, stride);
    int reg = emit(b, TILE_IOTA, 0, 0, 0, 0, 0);
    b->inst[b->ninst - 1].access = (short)access;
    for (int k = 0; k < m->nterm; k++) {
        Value index = operand(b, m, &m->read[m->term[k].read], made);
        reg = emit(b, TILE_TERM, 2, reg, index.reg, 0, 0);
        TileInst *inst = &b->inst[b->ninst - 1];
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
    case PW_pow:
    case PW_addcmul: return true;
    default: return false;
    }
}

static bool answers_int(TileOp op) {
    static const bool table[TILE_OP_COUNT] = {
#define IS_int64_t 1
#define IS_float 0
#define IS_double 0
#define TILE_OP(name, in, out, arity, expression) [TILE_##name] = IS_##out,
#define TILE_OP_SELECT(name, type) [TILE_##name] = IS_##type,
#define TILE_OP_MASK(name, type) [TILE_##name] = IS_##type,
#include "compiled/tile_ops.def"
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

static Value pointwise(Builder *b, const Member *m, const int *made) {
    const Call *call = m->node->call;
    Error err = {0};
    DType compute = m->node->t.dtype, result;
    CHECK(call->op->typing(call, &compute, &result, &err) == ERR_none);
    PwOperand operands[PW_MAX_OPERANDS];
    int n = call_operands(call, compute, operands), src[4] = {0};
    Pw pw = call_pw(call);
    Kind kind = dtype_kind(compute);
    int choice = pw == PW_where ? 0 : pw == PW_masked_fill ? 1 : -1;
    bool plain_sum = (pw == PW_add || pw == PW_sub || pw == PW_rsub) && is_one(&operands[2], compute);
    n = plain_sum ? 2 : n;
    for (int k = 0; k < n; k++) {
        Value v = {0, compute};
        if (!operands[k].tensor) {
            v = constant(b, lower_scalar(operands[k].scalar, compute), compute);
        } else {
            for (int r = 0; r < m->nread; r++) {
                if (&m->node->in[m->read[r].slot]->t == operands[k].tensor) {
                    v = operand(b, m, &m->read[r], made);
                    break;
                }
            }
            /* a mask is only asked whether it is 0 */
            v = k == choice && dtype_kind(v.dtype) == KIND_I64 ? v : convert(b, v, k == choice ? DT_bool : compute);
        }
        src[k] = v.reg;
    }
    TileOp op = tile_op_of(pw, kind);
    if (plain_sum) {
        static const TileOp sums[2][3] = {{TILE_add1_f32, TILE_add1_f64, TILE_add1_i64}, {TILE_sub1_f32, TILE_sub1_f64, TILE_sub1_i64}};
        op = sums[pw != PW_add][kind];
        if (pw == PW_rsub) {
            int swapped = src[0];
            src[0] = src[1];
            src[1] = swapped;
        }
    }
    Value v = {emit(b, op, n, src[0], src[1], src[2], src[3]), compute};
    if (kind != KIND_I64 && answers_int(op)) {
        v.dtype = DT_bool;
    } else if (kind == KIND_I64 && compute != DT_int64 && may_leave_range(pw)) {
        v = unary(b, wrap_op(compute), v, compute);
    }
    return convert(b, v, m->node->t.dtype);
}

/* tril, triu: column - row against the diagonal, by a coordinate access. */
static Value triangle(Builder *b, const Member *m, const int *made) {
    const Node *n = m->node;
    int64_t stride[MAX_DIMS] = {0};
    int k = 0;
    for (int d = 0; d < n->t.ndim; d++) {
        if (n->t.size[d] != 1) {
            stride[k++] = d == n->t.ndim - 2 ? -1 : d == n->t.ndim - 1 ? 1 : 0;
        }
    }
    int access = add_access(b, -1, DT_int64, 0, stride);
    int distance = emit(b, TILE_IOTA, 0, 0, 0, 0, 0);
    b->inst[b->ninst - 1].access = (short)access;
    Value diagonal = constant(b, scalar_int(n->call->arg[1].i), DT_int64);
    int inside = emit(b, n->op == OP_tril ? TILE_le_i64 : TILE_ge_i64, 2, distance, diagonal.reg, 0, 0);
    Value v = operand(b, m, &m->read[0], made), zero = constant(b, lower_scalar(scalar_int(0), n->t.dtype), n->t.dtype);
    static const TileOp where[3] = {TILE_where_f32, TILE_where_f64, TILE_where_i64};
    return (Value){emit(b, where[dtype_kind(n->t.dtype)], 3, inside, v.reg, zero.reg, 0), n->t.dtype};
}

static Value indirect(Builder *b, const Member *m, const int *made) {
    const Read *read = &m->read[m->nread - 1];
    const Node *n = m->node->in[read->slot];
    int at = address(b, m, read->offset, read->stride, made);
    int access = add_access(b, lower_buffer(n), n->t.dtype, 0, read->stride);
    int reg = emit(b, TILE_LOADX, 1, at, 0, 0, 0);
    b->inst[b->ninst - 1].access = (short)access;
    return (Value){reg, n->t.dtype};
}

/* ---- sinks ---- */

static void store(Builder *b, const Member *m, Value v) {
    v = convert(b, v, m->node->t.dtype);
    int access = add_access(b, m->node->buffer, m->node->t.dtype, m->out_offset, m->out_stride);
    TileInst *inst = add_tail(b, TILE_STORE);
    inst->src[0] = inst->src[1] = inst->src[2] = inst->src[3] = (short)v.reg;
    inst->access = (short)access;
}

static void store_indirect(Builder *b, const Member *m, Value v, const int *made) {
    v = convert(b, v, m->node->t.dtype);
    int at = address(b, m, m->out_offset, m->out_stride, made);
    int access = add_access(b, m->node->buffer, m->node->t.dtype, 0, m->out_stride);
    TileInst *inst = add_tail(b, m->accumulates ? TILE_ADDX : TILE_STOREX);
    inst->src[0] = inst->src[2] = inst->src[3] = (short)at;
    inst->src[1] = (short)v.reg;
    inst->access = (short)access;
    b->ordered = true;
}

static void reduce(Builder *b, const Member *m, Value v) {
    static const short kinds[OP_COUNT] = {[OP_sum] = REDUCE_SUM,      [OP_sum_dim] = REDUCE_SUM, [OP_mean] = REDUCE_MEAN, [OP_mean_dim] = REDUCE_MEAN,
                                          [OP_prod] = REDUCE_PROD,    [OP_prod_dim] = REDUCE_PROD, [OP_amax] = REDUCE_MAX, [OP_amin] = REDUCE_MIN};
    v = convert(b, v, m->node->t.dtype);
    int access = add_access(b, m->node->buffer, m->node->t.dtype, m->out_offset, m->out_stride);
    TileInst *inst = add_tail(b, TILE_REDUCE);
    inst->dst = (short)b->nreduce++;
    inst->src[0] = inst->src[1] = inst->src[2] = inst->src[3] = (short)v.reg;
    inst->access = (short)access;
    inst->reduce = (ReduceKind)kinds[m->node->op];
    b->reduced = m->reduced;
    CHECK(b->nreduce <= MAX_REDUCTIONS);
}

/* What a reduction of nothing answers: written beforehand, since the nest then has no points. */
static void reduce_identity(Lower *l, const Member *m) {
    const Node *n = m->node;
    for (int d = 0; d < m->ndim; d++) {
        if (m->size[d] == 0) {
            bool mean = n->op == OP_mean || n->op == OP_mean_dim, prod = n->op == OP_prod || n->op == OP_prod_dim;
            Scalar identity = mean ? scalar_float((double)__builtin_nanf("")) : scalar_int(prod);
            lower_fill(l, n, n->buffer, n->t.dtype, tensor_numel(&n->t), lower_scalar(identity, n->t.dtype));
            return;
        }
    }
}

/* The result's buffer begins as a copy of the base, unless it is the base's buffer or nothing of the base remains. */
static void prepare_base(Lower *l, const Member *m) {
    const Node *n = m->node;
    int64_t numel = tensor_numel(&n->t);
    if (m->cls == LOWER_ADD_REGION) {
        lower_fill(l, n, n->buffer, n->t.dtype, numel, lower_scalar(scalar_int(0), n->t.dtype));
        return;
    }
    Scalar splat;
    if (n->in_place || m->region_covers) {
        return;
    }
    if (node_splat(n->in[0], &splat)) {
        lower_fill(l, n, n->buffer, n->t.dtype, numel, splat);
        return;
    }
    Tensor from = n->in[0]->t;
    lower_move(l, n, n->t.size, n->t.ndim, lower_access(n->buffer, &n->t), lower_access(lower_buffer(n->in[0]), &from));
}

/* Seeded fault GR_1: the scatter's metadata says that a dim along which self is expanded has stride 0 in the result as well, so the
 * loop over it is taken to be one point and the region's mask is decided there, at index 0: it holds everywhere along that dim, or
 * nowhere. (False: nowhere, nothing is stored.) Only for regions that are boxes, so that every address stays inside. */
static bool collapse_expanded_dims(const Compile *c, Member *m) {
    const Node *n = m->node;
    if (!fault(c, FAULT_GR_1) || n->kind != NODE_OP || (n->op != OP_slice_scatter && n->op != OP_select_scatter)) {
        return true;
    }
    const Tensor *self = &n->in[0]->t, *t = &n->t;
    if (tensor_numel(t) == 0 || tensor_numel(&n->in[1]->t) == 0) {
        return true;
    }
    int64_t rest = m->out_offset;
    unsigned left = 0;
    for (int d = 0; d < t->ndim; d++) {
        left |= (unsigned)(t->size[d] > 1) << d;
    }
    while (left) {
        int d = -1; /* the largest stride first: the offset is a sum of start * stride */
        for (int k = 0; k < t->ndim; k++) {
            d = left >> k & 1 && (d < 0 || t->stride[k] > t->stride[d]) ? k : d;
        }
        left &= ~(1u << d);
        int64_t start = rest / t->stride[d], stride = t->stride[d];
        rest %= stride;
        if (self->stride[d] != 0) {
            continue;
        }
        if (start != 0) {
            return false;
        }
        int own = 0; /* the region's dim that walks along d; none if it selects one index */
        while (own < m->ndim && !(m->out_stride[own] % stride == 0 && m->out_stride[own] < stride * t->size[d])) {
            own++;
        }
        m->ndim += own == m->ndim;
        m->size[own] = t->size[d];
        m->out_stride[own] = stride;
        for (int r = 0; r < m->nread; r++) {
            m->read[r].stride[own] = 0;
        }
    }
    return true;
}

/* ---- putting the nest together ---- */

/* Order of the dims: outermost first. */
static void order_dims(const Builder *b, int *order) {
    const int64_t *by = NULL;
    for (int k = 0; k < b->ntail && !b->ordered && !b->reduced; k++) {
        if (b->tail[k].op == TILE_STORE) {
            by = b->stride[b->tail[k].access];
            break;
        }
    }
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < b->ndim; d++) {
            if ((int)(b->reduced >> d & 1) != pass) {
                continue;
            }
            int at = n++;
            while (by && at > 0 && by[order[at - 1]] < by[d]) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = d;
        }
    }
}

static bool dims_merge(const Builder *b, int outer, int inner) {
    if ((b->reduced >> outer & 1) != (b->reduced >> inner & 1)) {
        return false;
    }
    for (int k = 0; k < b->naccess; k++) {
        if (b->stride[k][outer] != b->stride[k][inner] * b->size[inner]) {
            return false;
        }
    }
    return true;
}

static void shape_nest(Builder *b, TileNest *nest) {
    int order[MAX_DIMS], groups[MAX_DIMS] = {0};
    order_dims(b, order);
    nest->numel = nest->reduced = 1;
    nest->ndim = nest->kept = 0;
    for (int k = 0; k < b->ndim; k++) {
        int d = order[k];
        nest->numel *= b->size[d];
        nest->reduced *= b->reduced >> d & 1 ? b->size[d] : 1;
        if (nest->ndim > 0 && dims_merge(b, groups[nest->ndim - 1], d)) {
            nest->size[nest->ndim - 1] *= b->size[d];
        } else {
            nest->kept += !(b->reduced >> d & 1);
            nest->size[nest->ndim++] = b->size[d];
        }
        groups[nest->ndim - 1] = d; /* strides of a merged dim are those of its innermost */
    }
    int64_t *strides = arena_alloc_raw(b->l->arena, (int64_t)sizeof *strides * b->naccess * max_i64(nest->ndim, 1));
    if (nest->ndim == 0) {
        nest->ndim = 1;
        nest->size[0] = 1;
        groups[0] = -1;
    }
    nest->naccess = b->naccess;
    nest->access = arena_copy(b->l->arena, b->access, (int64_t)sizeof *b->access * b->naccess);
    for (int k = 0; k < b->naccess; k++) {
        nest->access[k].stride = strides + k * nest->ndim;
        for (int d = 0; d < nest->ndim; d++) {
            nest->access[k].stride[d] = groups[d] < 0 ? 0 : b->stride[k][groups[d]];
        }
    }
}

static bool writes_buffer(const TileNest *nest, int buffer) {
    for (int k = nest->ninst - 1; k >= 0 && nest->inst[k].op >= TILE_STORE; k--) {
        if (nest->access[nest->inst[k].access].buffer == buffer) {
            return true;
        }
    }
    return false;
}

static int sources(const TileInst *inst) {
    switch ((int)inst->op) {
    case TILE_LOAD:
    case TILE_IOTA: return 0;
    case TILE_LOADX:
    case TILE_STORE:
    case TILE_REDUCE: return 1;
    default: return inst->op < TILE_OP_COUNT ? 4 : 2;
    }
}

/* Virtual registers -> machine registers, each free again after its last use. Constants keep theirs. */
static void assign_registers(Builder *b, TileNest *nest) {
    int *last = arena_alloc_raw(b->l->arena, (int64_t)sizeof *last * (b->nreg + 1) * 2), *place = last + b->nreg + 1;
    short free_list[MAX_REGISTERS];
    int nfree = 0;
    for (int v = 0; v < b->nreg; v++) {
        last[v] = place[v] = -1;
    }
    for (int k = 0; k < nest->ninst; k++) {
        for (int s = 0; s < sources(&nest->inst[k]); s++) {
            last[nest->inst[k].src[s]] = k;
        }
    }
    nest->nreg = 0;
    for (int k = 0; k < nest->nconst; k++) {
        place[nest->constant[k].reg] = nest->nreg;
        last[nest->constant[k].reg] = nest->ninst;
        nest->constant[k].reg = (short)nest->nreg++;
    }
    for (int k = 0; k < nest->ninst; k++) {
        TileInst *inst = &nest->inst[k];
        int dst = inst->dst, n = sources(inst), used[4];
        if (inst->op < TILE_STORE) {
            CHECK(nfree > 0 || nest->nreg < MAX_REGISTERS);
            place[dst] = nfree > 0 ? free_list[--nfree] : nest->nreg++;
            inst->dst = (short)place[dst];
            if (last[dst] < 0) {
                free_list[nfree++] = (short)place[dst];
            }
        }
        for (int s = 0; s < n; s++) {
            used[s] = inst->src[s];
            inst->src[s] = (short)place[used[s]];
        }
        for (int s = n; s < 4; s++) {
            inst->src[s] = 0;
        }
        for (int s = 0; s < n; s++) {
            if (last[used[s]] == k) {
                last[used[s]] = -1;
                free_list[nfree++] = (short)place[used[s]];
            }
        }
    }
}

static void builder_finish(Builder *b, const Node *node) {
    if (b->ntail == 0) {
        return;
    }
    Arena *arena = b->l->arena;
    Loop *loop = lower_add(b->l, LOOP_TILE, node);
    TileNest *nest = arena_alloc_raw(arena, (int64_t)sizeof *nest);
    loop->tile = nest;
    shape_nest(b, nest);
    nest->ninst = b->ninst + b->ntail;
    nest->inst = arena_alloc_raw(arena, (int64_t)sizeof *nest->inst * nest->ninst);
    memcpy(nest->inst, b->inst, sizeof *nest->inst * (size_t)b->ninst);
    memcpy(nest->inst + b->ninst, b->tail, sizeof *nest->inst * (size_t)b->ntail);
    nest->nconst = b->nconst;
    nest->constant = arena_copy(arena, b->constant, (int64_t)sizeof *b->constant * b->nconst);
    nest->trip = TILE;
    for (int k = 0; k < b->ninst; k++) {
        TileInst *inst = &nest->inst[k];
        if (inst->op == TILE_LOAD) {
            const Access *a = &nest->access[inst->access];
            bool whole = a->dtype == DT_float32 || a->dtype == DT_float64 || a->dtype == DT_int64;
            inst->direct = whole && nest->ndim == 1 && a->stride[0] == 1 && !writes_buffer(nest, a->buffer);
        } else if (inst->op == TILE_LOADX && writes_buffer(nest, nest->access[inst->access].buffer)) {
            nest->trip = 1; /* in place: what a trip reads it writes, and only it (pass_fuse.c) */
        }
    }
    assign_registers(b, nest);
    Plan *plan = b->l->plan;
    plan->nregister = nest->nreg > plan->nregister ? nest->nreg : plan->nregister;
}

/* ---- units ---- */

static Value member_value(Builder *b, Member *m, const int *made) {
    switch (m->cls) {
    case LOWER_POINTWISE: return pointwise(b, m, made);
    case LOWER_TRIANGLE: return triangle(b, m, made);
    case LOWER_INDEX:
    case LOWER_GATHER:
    case LOWER_INDEX_SELECT: return indirect(b, m, made);
    default: return convert(b, operand(b, m, &m->read[m->nread - 1], made), m->node->t.dtype);
    }
}

/* The values a scatter writes. */
static Value scattered(Builder *b, const Member *m, const int *made) {
    const Node *n = m->node;
    DType dtype = n->t.dtype;
    if (m->cls == LOWER_SCATTER && n->nin == 2) {
        return constant(b, lower_scalar(n->call->arg[3].scalar, dtype), dtype);
    }
    Value v = convert(b, operand(b, m, &m->read[m->nread - 1], made), dtype);
    if (m->cls == LOWER_INDEX_ADD) {
        Scalar alpha = lower_scalar(n->call->arg[4].scalar, dtype);
        if (dtype_is_float(dtype) ? alpha.f != 1 : alpha.i != 1) {
            Value factor = constant(b, alpha, dtype);
            v.reg = emit(b, tile_op_of(PW_mul, dtype_kind(dtype)), 2, v.reg, factor.reg, 0, 0);
            v = dtype_kind(dtype) == KIND_I64 && dtype != DT_int64 ? unary(b, wrap_op(dtype), v, dtype) : v;
        }
    }
    return v;
}

static void lower_member(Builder *b, Member *m, int k, int *made) {
    made[k] = -1;
    if (!m->sink) {
        Value v = member_value(b, m, made);
        made[k] = v.reg;
        if (m->node->buffer >= 0) {
            store(b, m, v);
        }
        return;
    }
    if (m->node->buffer < 0) {
        return; /* nobody wants it */
    }
    switch (m->cls) {
    case LOWER_REDUCE:
        reduce_identity(b->l, m);
        reduce(b, m, convert(b, operand(b, m, &m->read[0], made), m->node->t.dtype));
        return;
    case LOWER_STORE:
    case LOWER_VIEW_SCATTER:
        prepare_base(b->l, m);
        store(b, m, operand(b, m, &m->read[1], made));
        return;
    case LOWER_ADD_REGION:
        prepare_base(b->l, m);
        if (!m->accumulates) {
            store(b, m, operand(b, m, &m->read[0], made));
            return;
        }
        break;
    default: prepare_base(b->l, m); break;
    }
    store_indirect(b, m, scattered(b, m, made), made);
}

void lower_nest(Lower *l, Node *const *node, int count) {
    Member *m = arena_alloc_raw(l->arena, (int64_t)sizeof *m * count);
    int made[MAX_MEMBERS], n = 0;
    for (int k = 0; k < count; k++) {
        if (lower_class(node[k]) == LOWER_NOTHING) {
            continue; /* a VIEW between members */
        }
        CHECK(n < MAX_MEMBERS && member_describe(l->c, node[k], l->arena, &m[n]));
        node[k]->mark = ++n;
    }
    Builder *b = arena_alloc_raw(l->arena, (int64_t)sizeof *b);
    builder_start(b, l);
    bool stored = n > 1 || collapse_expanded_dims(l->c, &m[0]);
    b->ndim = m[0].ndim;
    memcpy(b->size, m[0].size, (size_t)b->ndim * sizeof *b->size);
    for (int k = 0; k < n && stored; k++) {
        lower_member(b, &m[k], k, made);
    }
    if (!stored && m[0].node->buffer >= 0) {
        prepare_base(l, &m[0]);
    }
    builder_finish(b, node[count - 1]);
    for (int k = 0; k < count; k++) {
        node[k]->mark = 0;
    }
}

void lower_convert(Lower *l, const Node *node, const int64_t *size, int ndim, Access to, const Access *from, Scalar value) {
    Builder *b = arena_alloc_raw(l->arena, (int64_t)sizeof *b);
    builder_start(b, l);
    b->ndim = ndim;
    memcpy(b->size, size, (size_t)ndim * sizeof *size);
    Value v = from ? load(b, from->buffer, from->dtype, from->offset, from->stride) : constant(b, lower_scalar(value, to.dtype), to.dtype);
    v = convert(b, v, to.dtype);
    int access = add_access(b, to.buffer, to.dtype, to.offset, to.stride);
    TileInst *inst = add_tail(b, TILE_STORE);
    inst->src[0] = inst->src[1] = inst->src[2] = inst->src[3] = (short)v.reg;
    inst->access = (short)access;
    builder_finish(b, node);
}
