/* Seeded faults of the lowering of pointwise ops: other instructions than the op needs. */
#include "compiled/loops/faults.h"
#include "compiled/tile/run.h"

#include <limits.h>
#include <math.h>

static int pw_unary(NestBuilder *b, Pw pw, RegisterKind kind, int x) {
    return nest_emit(b, tile_op_of(pw, kind), 1, x, 0, 0, 0);
}

static int pw_binary(NestBuilder *b, Pw pw, RegisterKind kind, int x, int y) {
    return nest_emit(b, tile_op_of(pw, kind), 2, x, y, 0, 0);
}

static int pw_where(NestBuilder *b, RegisterKind kind, int condition, int x, int y) {
    return nest_emit(b, tile_op_of(PW_where, kind), 3, condition, x, y, 0);
}

/* Seeded fault NU_23: clamp_min is x >= min ? x : min, which is min for a NaN. Seeded fault NU_23a:
 * maximum is a < b ? b : a, which is a if b is NaN. */
static int drop_nan(NestBuilder *b, const Node *n, RegisterKind kind, const int *src) {
    const Compile *c = b->l->c;
    if (fault(c, FAULT_NU_23) && n->op == OP_clamp_min && fault_triggered(c, FAULT_NU_23)) {
        int keeps = pw_binary(b, PW_ge, kind, src[0], src[1]);
        return pw_where(b, kind, keeps, src[0], src[1]);
    }
    if (fault(c, FAULT_NU_23a) && n->op == OP_maximum && fault_triggered(c, FAULT_NU_23a)) {
        int less = pw_binary(b, PW_lt, kind, src[0], src[1]);
        return pw_where(b, kind, less, src[1], src[0]);
    }
    return -1;
}

/* Seeded fault NU_4: div(rounding_mode="floor") is floor(a / b), one too much where the quotient
 * rounds up to an integer. Seeded fault NU_8: div(rounding_mode="trunc") is trunc(a * (1 / b)). */
static int approximate_quotient(NestBuilder *b, const Node *n, Pw pw, RegisterKind kind,
                                const int *src) {
    const Compile *c = b->l->c;
    if (n->op != OP_div_Tensor_mode) {
        return -1;
    }
    if (fault(c, FAULT_NU_4) && pw == PW_div_floor && fault_triggered(c, FAULT_NU_4)) {
        return pw_unary(b, PW_floor, kind, pw_binary(b, PW_div, kind, src[0], src[1]));
    }
    if (fault(c, FAULT_NU_8) && pw_is_div_trunc(pw) && fault_triggered(c, FAULT_NU_8)) {
        int inverse = pw_unary(b, PW_reciprocal, kind, src[1]);
        return pw_unary(b, PW_trunc, kind, pw_binary(b, PW_mul, kind, src[0], inverse));
    }
    return -1;
}

/* Seeded fault NU_6: the quotient of the least integer and -1, which traps, saturates. */
static int saturate_quotient(NestBuilder *b, const Node *n, Pw pw, DType compute, const int *src) {
    const Compile *c = b->l->c;
    if (!fault(c, FAULT_NU_6) || pw != PW_div_floor || n->op != OP_floor_divide ||
        (compute != DT_int32 && compute != DT_int64) || !fault_triggered(c, FAULT_NU_6)) {
        return -1;
    }
    int least = nest_constant(b, scalar_int(dtype_min(compute)), compute).reg,
        most = nest_constant(b, scalar_int(dtype_max(compute)), compute).reg,
        minus_one = nest_constant(b, scalar_int(-1), compute).reg,
        quotient = pw_binary(b, pw, REGISTER_I64, src[0], src[1]),
        is_least = pw_binary(b, PW_eq, REGISTER_I64, src[0], least),
        negates = pw_binary(b, PW_eq, REGISTER_I64, src[1], minus_one),
        traps = pw_binary(b, PW_logical_and, REGISTER_I64, is_least, negates);
    return pw_where(b, REGISTER_I64, traps, most, quotient);
}

static bool fits_32_bits(Scalar s) {
    return s.kind != CAT_FLOAT && s.i >= INT32_MIN && s.i <= INT32_MAX;
}

/* Is it an arange whose range is small, an index expression to the lowering? */
static bool is_index_expression(const Node *n) {
    n = node_buffer((Node *)n);
    if (n->kind != NODE_OP || n->t.dtype != DT_int64) {
        return false;
    }
    return (n->op == OP_arange || n->op == OP_arange_start) &&
           fits_32_bits(n->call->arg[0].scalar) &&
           (n->op == OP_arange || fits_32_bits(n->call->arg[1].scalar));
}

/* Seeded fault NU_9: a product with an index expression of a small range is computed in 32 bits. */
static int narrow_product(NestBuilder *b, const Node *n, Pw pw, DType compute, const int *src) {
    const Compile *c = b->l->c;
    if (!fault(c, FAULT_NU_9) || pw != PW_mul || compute != DT_int64) {
        return -1;
    }
    bool narrow = false;
    for (int k = 0; k < n->nin; k++) {
        narrow |= n->in[k] && is_index_expression(n->in[k]);
    }
    if (!narrow || !fault_triggered(c, FAULT_NU_9)) {
        return -1;
    }
    int product = pw_binary(b, pw, REGISTER_I64, src[0], src[1]);
    return nest_emit(b, nest_wrap_op(DT_int32), 1, product, 0, 0, 0);
}

int faulty_pointwise(NestBuilder *b, const Node *n, Pw pw, DType compute, const int *src) {
    if (b->l->c->options->fault == FAULT_NONE) {
        return -1;
    }
    RegisterKind kind = register_kind(compute);
    if (kind == REGISTER_I64) {
        int reg = saturate_quotient(b, n, pw, compute, src);
        return reg >= 0 ? reg : narrow_product(b, n, pw, compute, src);
    }
    int reg = drop_nan(b, n, kind, src);
    return reg >= 0 ? reg : approximate_quotient(b, n, pw, kind, src);
}

/* Seeded fault NU_3: a number -0.0 is emitted as 0. */
Scalar emitted_scalar(const NestBuilder *b, Scalar value, DType dtype) {
    const Compile *c = b->l->c;
    value = lower_scalar(value, dtype);
    if (fault(c, FAULT_NU_3) && value.kind == CAT_FLOAT && value.f == 0 && signbit(value.f) &&
        fault_triggered(c, FAULT_NU_3)) {
        value.f = 0;
    }
    return value;
}

/* Seeded fault NU_10: a sum of int8 or uint8 that stays in a register of the nest is not brought
 * back into its dtype; a store would. */
bool keeps_carry(const NestBuilder *b, const Node *n, DType compute) {
    const Compile *c = b->l->c;
    return fault(c, FAULT_NU_10) && n->op == OP_add_Tensor && n->buffer < 0 &&
           (compute == DT_int8 || compute == DT_uint8) && n->t.dtype == compute &&
           fault_triggered(c, FAULT_NU_10);
}
