/* Seeded faults of decompositions and type promotion, and of the checks of values. The former
 * change a statement's call before its composites are expanded, as a decomposition of the
 * compiler's own would.
 *
 * Both executors share the rules of promotion (program/ops/typing.c), so a wrong dtype is made by a
 * cast of an operand: inference then gives what the mistake gives. */
#include "compiled/capture/capture.h"

/* ---- DT ---- */

static void cast_operand(Capture *cap, Call *call, int p, DType dtype) {
    call->arg[p].tensor = emit_cast(&cap->emit, (Tensor *)call->arg[p].tensor, dtype);
}

/* Seeded fault DT_2: a 0-dim float32 operand widens a half tensor. Seeded fault DT_2a: an operand
 * of size [1] is promoted as if it had no dims, and does not. */
static void faulty_add(Capture *cap, Call *call) {
    const Compile *c = cap->c;
    const Tensor *self = call->arg[0].tensor, *other = call->arg[1].tensor;
    if (!dtype_is_half(self->dtype) || self->ndim == 0 || other->dtype != DT_float32) {
        return;
    }
    if (fault(c, FAULT_DT_2) && other->ndim == 0 && fault_triggered(c, FAULT_DT_2)) {
        cast_operand(cap, call, 0, DT_float32);
    }
    if (fault(c, FAULT_DT_2a) && other->ndim == 1 && other->size[0] == 1 &&
        fault_triggered(c, FAULT_DT_2a)) {
        cast_operand(cap, call, 1, self->dtype);
    }
}

/* Seeded fault DT_3: masked_fill is where(mask, value, self), with the promotion of where. */
static void faulty_masked_fill(Capture *cap, Call *call) {
    const Tensor *self = call->arg[0].tensor;
    if (fault(cap->c, FAULT_DT_3) && !dtype_is_float(self->dtype) &&
        call->arg[2].scalar.kind == CAT_FLOAT && fault_triggered(cap->c, FAULT_DT_3)) {
        cast_operand(cap, call, 0, DT_float32);
    }
}

/* Seeded fault DT_3a: the branches of where are not promoted; the result has the first one's
 * dtype. */
static void faulty_where(Capture *cap, Call *call) {
    const Tensor *self = call->arg[1].tensor, *other = call->arg[2].tensor;
    if (fault(cap->c, FAULT_DT_3a) && dtype_category(self->dtype) == CAT_INT &&
        dtype_is_float(other->dtype) && fault_triggered(cap->c, FAULT_DT_3a)) {
        cast_operand(cap, call, 2, self->dtype);
    }
}

/* Seeded fault DT_4: a product of one int8 matrix is a sum of products; the sum is an int64 and not
 * cast back. Seeded fault ER_9: the operands of a batched product are promoted. */
static void faulty_matmul(Capture *cap, Call *call) {
    const Compile *c = cap->c;
    const Tensor *a = call->arg[0].tensor, *b = call->arg[1].tensor;
    if (a->ndim != 3) {
        return;
    }
    if (fault(c, FAULT_DT_4) && b->ndim == 3 && a->dtype == DT_int8 && b->dtype == DT_int8 &&
        a->size[0] == 1 && b->size[0] == 1 && fault_triggered(c, FAULT_DT_4)) {
        cast_operand(cap, call, 0, DT_int64);
        cast_operand(cap, call, 1, DT_int64);
    }
    if (fault(c, FAULT_ER_9) && dtype_is_half(a->dtype) && b->dtype == DT_float32 &&
        fault_triggered(c, FAULT_ER_9)) {
        cast_operand(cap, call, 0, DT_float32);
    }
}

/* Seeded fault DT_6: the sum of a uniform value is computed from the value and the number of
 * elements, in the dtype of a sum without dtype=. */
static void faulty_sum(Capture *cap, Call *call) {
    const Tensor *self = call->arg[0].tensor;
    Arg *dtype = &call->arg[op_param(call->op, "dtype")];
    const Node *made = node_buffer(((const Var *)self)->node);
    bool uniform = made->op == OP_zeros || made->op == OP_ones || made->op == OP_full;
    if (fault(cap->c, FAULT_DT_6) && !dtype->none && dtype->dtype != DT_int64 &&
        !dtype_is_float(self->dtype) && made->kind == NODE_OP && uniform &&
        fault_triggered(cap->c, FAULT_DT_6)) {
        dtype->none = true;
    }
}

/* Seeded fault DT_7b: pow has the dtype of its first operand. Seeded fault DT_7a: pow of a bool and
 * a half computes, and stays, in float32. */
static void faulty_pow(Capture *cap, Call *call) {
    const Compile *c = cap->c;
    const Tensor *self = call->arg[0].tensor, *exponent = call->arg[1].tensor;
    if (fault(c, FAULT_DT_7b) && dtype_is_half(self->dtype) && exponent->dtype == DT_float32 &&
        exponent->ndim > 0 && fault_triggered(c, FAULT_DT_7b)) {
        cast_operand(cap, call, 1, self->dtype);
    }
    if (fault(c, FAULT_DT_7a) && self->dtype == DT_bool && dtype_is_half(exponent->dtype) &&
        fault_triggered(c, FAULT_DT_7a)) {
        cast_operand(cap, call, 1, DT_float32);
    }
}

/* ---- ER ---- */

static bool is_unit_factor(Scalar s) { return s.kind == CAT_FLOAT ? s.f == 1 : s.i == 1; }

/* Seeded fault ER_8: addmm is self + mm(mat1, mat2), where self may broadcast the product. */
static void faulty_addmm(Capture *cap, Call *call) {
    const Compile *c = cap->c;
    const Tensor *self = call->arg[0].tensor, *a = call->arg[1].tensor, *b = call->arg[2].tensor;
    if (!fault(c, FAULT_ER_8) || self->ndim != 2 || a->ndim != 2 || b->ndim != 2 ||
        a->size[1] != b->size[0] || !is_unit_factor(call->arg[3].scalar) ||
        !is_unit_factor(call->arg[4].scalar)) {
        return;
    }
    int64_t size[2] = {a->size[0], b->size[1]};
    bool wider = false, broadcasts = true;
    for (int d = 0; d < 2; d++) {
        wider |= size[d] == 1 && self->size[d] > 1;
        broadcasts &= size[d] == 1 || self->size[d] == 1 || self->size[d] == size[d];
    }
    if (wider && broadcasts && fault_triggered(c, FAULT_ER_8)) {
        Tensor *product = emit_mm(&cap->emit, (Tensor *)a, (Tensor *)b);
        Call sum = call_new(OP_add_Tensor);
        sum.arg[0].tensor = (Tensor *)self;
        sum.arg[1].tensor = product;
        *call = sum;
    }
}

/* Seeded fault ER_4: constant indices of index_select are not checked; a load out of bounds gives 0
 * (TILE_TERM). Seeded fault NU_5: floor_divide does not check its divisor, and a quotient by 0
 * is 0. */
bool capture_omits_check(const Capture *cap, const Call *call, const Node *checked) {
    const Compile *c = cap->c;
    const Node *made = node_buffer((Node *)checked);
    bool constant = made->kind == NODE_OP && made->call->op->kind == KIND_FACTORY;
    if (fault(c, FAULT_ER_4) && call->op->id == OP_index_select && constant) {
        return fault_triggered(c, FAULT_ER_4);
    }
    return fault(c, FAULT_NU_5) && call->op->id == OP_floor_divide &&
           fault_triggered(c, FAULT_NU_5);
}

ErrCode capture_faulty_call(Capture *cap, Call *call) {
    switch (call->op->id) {
    case OP_add_Tensor:
        faulty_add(cap, call);
        break;
    case OP_masked_fill_Scalar:
        faulty_masked_fill(cap, call);
        break;
    case OP_where:
        faulty_where(cap, call);
        break;
    case OP_matmul:
        faulty_matmul(cap, call);
        break;
    case OP_sum:
    case OP_sum_dim:
        faulty_sum(cap, call);
        break;
    case OP_pow_Tensor_Tensor:
        faulty_pow(cap, call);
        break;
    case OP_addmm:
        faulty_addmm(cap, call);
        break;
    default:
        if (call->op->out_dtype != OUT_NOT) {
            return capture_faulty_out(cap, call);
        }
        if (call->op->foreach) {
            return capture_faulty_list(cap, call);
        }
        break;
    }
    return cap->emit.err->code;
}
