/* What an op refuses because of values: indices out of range, integer division by zero, numbers
 * that do not fit.
 *
 * Capture does not know values, so each becomes a CHECK node (an effect, ordered by statement) that
 * raises the op's error at its statement when the compiled code runs. What is known (a Scalar
 * divisor, an empty operand) is decided here. Which values a kernel checks, and when it checks
 * none, follows the shared kernels (program/kernels). */
#include "compiled/capture/capture.h"
#include "compiled/views/index.h"
#include "program/infer/infer.h"
#include "program/ops/functions.h"

#include <math.h>

/* What a CHECK in the block of a function cannot do: fail in the backward of the harness, which has
 * no statement, or after the same statement has written to an input. */
static void block_refuses_check(Capture *cap) {
    bool written = cap->input_versions != capture_input_versions(cap);
    if (cap->in_final || written) {
        error_set(&cap->err, ERR_unsupported, "a function that refuses a value %s",
                  cap->in_final ? "in its backward" : "after a write");
    }
}

static void add_check(Capture *cap, CheckKind kind, Node *value, int64_t bound, ErrCode code,
                      const char *message) {
    if (cap->omits_checks) {
        return;
    }
    if (cap->frame.open) {
        block_refuses_check(cap);
    } else if (cap->in_final) { /* of a derivative rule: the forward has checked it */
        if (cap->reads_uncounted) {
            error_set(&cap->err, ERR_unsupported, UNCOUNTED);
        }
        return;
    }
    graph_check(cap->graph, kind, value, bound, code, message, cap->sid)->number = cap->writing;
}

static Node *node_of(const Tensor *t) { return ((const Var *)t)->node; }

static const char OUT_OF_BOUNDS[] = "index is out of bounds";
static const char PROBABILITIES[] = "Expected p_in >= 0 && p_in <= 1 to be true";
static const char ZERO_DIVISOR[] = "ZeroDivisionError";

/* A tensor that indexes dim `dim` of self, element by element, in [0, size). */
static void check_capture_indices(Capture *cap, const Call *call, const Tensor *index) {
    const Tensor *self = call->arg[0].tensor;
    int dim;
    if (tensor_numel(index) > 0 && dim_normal(call->arg[1].i, self->ndim, &dim) &&
        !capture_omits_check(cap, call, node_of(index))) {
        add_check(cap, CHECK_INDEX, node_of(index), self->ndim > 0 ? self->size[dim] : 1,
                  call_index_error(call), OUT_OF_BOUNDS);
    }
}

/* Index tensors of index and _index_put: wrapped, and only looked at where some element is visited;
 * a dim without elements refuses any index, unless the indices' broadcast shape is empty
 * (AdvancedIndex in ATen/native/TensorAdvancedIndexing.cpp). */
static void check_index_list(Capture *cap, const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *indices = &call->arg[1];
    bool visited = true, nowhere = false;
    for (int d = 0; d < self->ndim; d++) {
        const Tensor *index = d < indices->tensors.n ? indices->tensors.v[d] : NULL;
        visited &= index ? tensor_numel(index) > 0 : self->size[d] > 0;
        nowhere |= index && tensor_numel(index) == 0;
    }
    for (int d = 0; d < indices->tensors.n; d++) {
        const Tensor *index = indices->tensors.v[d];
        if (index && tensor_numel(index) > 0 && (visited || (self->size[d] == 0 && !nowhere))) {
            add_check(cap, CHECK_INDEX_WRAP, node_of(index), self->size[d], ERR_index_range,
                      OUT_OF_BOUNDS);
        }
    }
}

/* Integer division: the divisor must not be 0 anywhere. */
static ErrCode check_divisor(Capture *cap, const Call *call, const Tensor *out) {
    DType compute, result;
    TRY(call->op->typing(call, &compute, &result, cap->emit.err));
    if (dtype_is_float(compute) || tensor_numel(out) == 0) {
        return ERR_none;
    }
    if (call->op->param[1].type == ARG_SCALAR) {
        return dtype_wrap(compute, call->arg[1].scalar.i) == 0
                   ? error_set(cap->emit.err, ERR_invalid, "%s", ZERO_DIVISOR)
                   : ERR_none;
    }
    const Tensor *divisor = call->arg[1].tensor;
    Node *value = node_of(divisor);
    if (capture_omits_check(cap, call, value)) {
        return ERR_none;
    }
    if (divisor->dtype != compute &&
        dtype_category(divisor->dtype) == CAT_INT) { /* narrowing may make it 0 */
        TRY(capture_cast(cap, value, compute, &value));
    }
    add_check(cap, CHECK_NONZERO, value, 0, ERR_invalid, ZERO_DIVISOR);
    return ERR_none;
}

/* op(a, s) or op(a, b) on nodes. */
static ErrCode apply_scalar(Capture *cap, OpId id, Node *a, Scalar s, Node **out) {
    Call call = call_new(id);
    call.arg[0].tensor = &a->t;
    call.arg[1].scalar = s;
    return capture_node(cap, &call, out);
}

static ErrCode apply_nodes(Capture *cap, OpId id, Node *a, Node *b, Node **out) {
    Call call = call_new(id);
    call.arg[0].tensor = &a->t;
    if (b) {
        call.arg[1].tensor = &b->t;
    }
    return capture_node(cap, &call, out);
}

/* ok = lo <= wide and wide <= hi (below it, for int64's 2^63). */
static ErrCode in_bounds(Capture *cap, Node *wide, Scalar lo, Scalar hi, bool open, Node **ok) {
    Node *above, *below;
    TRY(apply_scalar(cap, OP_ge_Scalar, wide, lo, &above));
    TRY(apply_scalar(cap, open ? OP_lt_Scalar : OP_le_Scalar, wide, hi, &below));
    return apply_nodes(cap, OP_logical_and, above, below, ok);
}

/* A 0-dim tensor read as a number must fit `dtype` (c10::Scalar::to): scalar_overflows of infer.h,
 * expressed in ops. */
static ErrCode check_fits(Capture *cap, const Tensor *value, DType dtype) {
    bool from_float = dtype_is_float(value->dtype), to_float = dtype_is_float(dtype);
    double most = from_float ? dtype_largest(value->dtype) : -(double)dtype_min(value->dtype);
    most = fmax(most, (double)dtype_max(value->dtype));
    if (value->dtype == dtype || dtype == DT_bool || (to_float && most <= dtype_largest(dtype))) {
        return ERR_none;
    }
    Node *wide = node_of(value), *ok;
    DType widest = from_float ? DT_float64 : DT_int64;
    if (value->dtype != widest) {
        TRY(capture_cast(cap, wide, widest, &wide));
    }
    if (to_float && !from_float) {
        int64_t most_int = (int64_t)dtype_largest(dtype); /* only float16 is that small */
        TRY(in_bounds(cap, wide, scalar_int(-most_int), scalar_int(most_int), false, &ok));
    } else if (to_float) {
        Node *finite, *special, *fits;
        TRY(in_bounds(cap, wide, scalar_float(-dtype_largest(dtype)),
                      scalar_float(dtype_largest(dtype)), false, &fits));
        TRY(apply_nodes(cap, OP_isfinite, wide, NULL, &finite));
        TRY(apply_nodes(cap, OP_logical_not, finite, NULL, &special));
        TRY(apply_nodes(cap, OP_logical_or, fits, special, &ok));
    } else if (from_float) {
        bool open = dtype == DT_int64 || since(overflow_of_fraction);
        double greatest = (double)dtype_max(dtype);
        TRY(in_bounds(cap, wide, scalar_float((double)dtype_min(dtype)),
                      scalar_float(dtype == DT_int64 ? 0x1p63
                                   : open            ? greatest + 1
                                                     : greatest),
                      open, &ok));
    } else {
        int64_t lo = dtype == DT_uint8 ? -255 : dtype_min(dtype);
        TRY(in_bounds(cap, wide, scalar_int(lo), scalar_int(dtype_max(dtype)), false, &ok));
    }
    add_check(cap, CHECK_NONZERO, ok, 0, ERR_invalid, "value cannot be converted without overflow");
    return ERR_none;
}

static ErrCode check_capture_masked_fill(Capture *cap, const Call *call, const Tensor *out) {
    const Tensor *mask = call->arg[1].tensor;
    if (call->op->id == OP_masked_fill_Tensor) {
        DType compute, result;
        TRY(call->op->typing(call, &compute, &result, cap->emit.err));
        TRY(check_fits(cap, call->arg[2].tensor, compute));
    }
    if (mask->dtype == DT_uint8 && tensor_numel(out) > 0) {
        add_check(cap, CHECK_INDEX, node_of(mask), 2, ERR_invalid,
                  "Mask tensor can take 0 and 1 values only");
    }
    return ERR_none;
}

/* A vector of indices along dim `dim` of self; not looked at where nothing is written. */
static void check_vector(Capture *cap, const Call *call, CheckKind kind) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor;
    int dim;
    if (tensor_numel(index) > 0 && dim_normal(call->arg[1].i, self->ndim, &dim) &&
        tensor_has_slices(self, dim)) {
        add_check(cap, kind, node_of(index), self->ndim > 0 ? self->size[dim] : 1, ERR_index_range,
                  OUT_OF_BOUNDS);
    }
}

/* masked_select, masked_scatter: a mask of bytes must hold 0 and 1, and source an element for every
 * one that is set. */
static ErrCode check_capture_mask(Capture *cap, const Call *call, const Tensor *out) {
    const Tensor *mask = call->arg[1].tensor;
    int64_t own = tensor_numel(mask);
    if (own == 0 || tensor_numel(call->arg[0].tensor) == 0) {
        return ERR_none;
    }
    if (mask->dtype == DT_uint8) {
        add_check(cap, CHECK_INDEX, node_of(mask), 2, ERR_invalid,
                  "Mask tensor can take 0 and 1 values only");
    }
    if (call->op->id == OP_masked_scatter) {
        Node *wide, *count, *enough;
        int64_t copies =
            tensor_numel(out) / own; /* each element of the mask covers this many of self */
        TRY(capture_cast(cap, node_of(mask), DT_int64, &wide));
        TRY(apply_nodes(cap, OP_sum, wide, NULL, &count));
        TRY(apply_scalar(cap, OP_le_Scalar, count,
                         scalar_int(tensor_numel(call->arg[2].tensor) / copies), &enough));
        add_check(cap, CHECK_NONZERO, enough, 0, ERR_invalid,
                  "Number of elements of source < number of ones in mask");
    }
    return ERR_none;
}

static Node *first_element(Capture *cap, Node *whole) {
    Tensor first = whole->t;
    first.ndim = 0;
    Node *view = graph_view(cap->graph, whole, &first, cap->sid);
    view->cls = whole->cls; /* as it is now, if it was written */
    return view;
}

/* scatter of a number that self cannot hold: it is converted for the first element, when the first
 * index has been checked. */
static ErrCode check_scattered_number(Capture *cap, const Call *call) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor;
    int dim;
    if (tensor_numel(index) == 0 || !scalar_overflows(call->arg[3].scalar, self->dtype) ||
        !dim_normal(call->arg[1].i, self->ndim, &dim)) {
        return ERR_none;
    }
    add_check(cap, CHECK_INDEX, first_element(cap, node_of(index)),
              self->ndim > 0 ? self->size[dim] : 1, call_index_error(call), OUT_OF_BOUNDS);
    return scalar_check(call->arg[3].scalar, self->dtype, cap->emit.err);
}

/* nll_loss: every target is a class, or ignored. Of one sample only the first target is read,
 * however many there are. */
static ErrCode check_targets(Capture *cap, const Call *call) {
    const Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor;
    if (tensor_numel(target) == 0) {
        return ERR_none;
    }
    Node *whole = node_of(target), *t = whole, *inside, *ignored, *ok;
    if (self->ndim == 1) {
        t = first_element(cap, whole);
    }
    TRY(capture_cast(cap, t, DT_int64, &t));
    TRY(in_bounds(cap, t, scalar_int(0), scalar_int(self->size[self->ndim == 1 ? 0 : 1] - 1), false,
                  &inside));
    TRY(apply_scalar(cap, OP_eq_Scalar, t, scalar_int(call->arg[4].i), &ignored));
    TRY(apply_nodes(cap, OP_logical_or, inside, ignored, &ok));
    add_check(cap, CHECK_NONZERO, ok, 0, ERR_index_range, "Target is out of bounds.");
    return ERR_none;
}

/* index_add, index_copy into a tensor without elements: the forward does not look at the index, the
 * backward does. */
static ErrCode check_by_backward(Capture *cap, const Call *call) {
    return tensor_numel(call->arg[2].tensor) > 0 &&
                   cap_requires_grad((const Var *)call->arg[3].tensor)
               ? error_set(cap->emit.err, ERR_unsupported,
                           "%s into nothing: only its backward looks at the index", call->op->name)
               : ERR_none;
}

static ErrCode check_sorter_range(Capture *cap, const Call *call) {
    const Tensor *sequence = call->arg[0].tensor;
    const Arg *sorter = &call->arg[op_param(call->op, "sorter")];
    if (sorter->none || !since(sorter_range)) {
        return ERR_none;
    }
    if (tensor_numel(sorter->tensor) > 0) {
        add_check(cap, CHECK_INDEX, node_of(sorter->tensor), sequence->size[sequence->ndim - 1],
                  ERR_index_range, "torch.searchsorted(): sorter index out of range");
    }
    return search_has_kernel(call, cap->emit.err);
}

/* All elements of the operand are numbers from 0 to 1. */
static ErrCode check_unit(Capture *cap, const Arg *arg, const char *message) {
    Node *inside;
    TRY(in_bounds(cap, node_of(arg->tensor), scalar_int(0), scalar_int(1), false, &inside));
    add_check(cap, CHECK_NONZERO, inside, 0, ERR_invalid, message);
    return ERR_none;
}

static ErrCode check_units(Capture *cap, const Arg *arg) {
    bool some = tensor_numel(arg[0].tensor) > 0 && tensor_numel(arg[1].tensor) > 0;
    for (int k = 0; k < 2 && some; k++) {
        TRY(check_unit(cap, &arg[k], "all elements of input and target should be between 0 and 1"));
    }
    return ERR_none;
}

/* A part of a vector, from an element on. */
static Node *part_of(Capture *cap, Node *whole, int64_t start, int64_t size, int ndim) {
    Tensor part = whole->t;
    part.ndim = ndim;
    part.size[0] = size;
    part.offset += start * part.stride[0];
    Node *view = graph_view(cap->graph, whole, &part, cap->sid);
    view->cls = whole->cls; /* as it is now, if it was written */
    return view;
}

/* embedding_bag: where the bags start, then the indices, which are rows. */
static ErrCode check_bag_starts(Capture *cap, const Call *call) {
    const Tensor *indices = call->arg[0].tensor, *offsets = call->arg[1].tensor;
    int64_t n = tensor_numel(indices), bags = offsets->size[0];
    Node *starts = node_of(offsets), *ok;
    if (bags == 0) {
        return n > 0 ? error_set(cap->emit.err, ERR_unsupported,
                                 "embedding_bag: indices that belong to no bag")
                     : ERR_none;
    }
    Node *last = part_of(cap, starts, bags - 1, 1, 0);
    TRY(apply_scalar(cap, OP_eq_Scalar, part_of(cap, starts, 0, 1, 0), scalar_int(0), &ok));
    add_check(cap, CHECK_NONZERO, ok, 0, ERR_invalid, "offsets[0] has to be 0");
    TRY(apply_scalar(cap, OP_le_Scalar, last, scalar_int(n), &ok));
    add_check(cap, CHECK_NONZERO, ok, 0, ERR_invalid,
              "offsets[-1] can not be greater than input's length");
    if (call->arg[3].b) {
        TRY(apply_scalar(cap, OP_eq_Scalar, last, scalar_int(n), &ok));
        add_check(cap, CHECK_NONZERO, ok, 0, ERR_unsupported,
                  "embedding_bag: indices that belong to no bag");
    }
    if (bags > 1) {
        TRY(apply_nodes(cap, OP_ge_Tensor, part_of(cap, starts, 1, bags - 1, 1),
                        part_of(cap, starts, 0, bags - 1, 1), &ok));
        add_check(cap, CHECK_NONZERO, ok, 0, ERR_unsupported, "embedding_bag: offsets that fall");
    }
    if (n > 0) {
        add_check(cap, CHECK_INDEX, node_of(indices), call->arg[2].i, ERR_invalid, OUT_OF_BOUNDS);
    }
    return ERR_none;
}

ErrCode capture_check_values(Capture *cap, const Call *call, const Tensor *out) {
    const Arg *arg = call->arg;
    switch (call->op->value_checks) {
    case VALUE_CHECK_NONE:
        if (call->op->kind == KIND_POINTWISE) {
            return call->op->pw == PW_masked_fill  ? check_capture_masked_fill(cap, call, out)
                   : pw_is_quotient(call_pw(call)) ? check_divisor(cap, call, out)
                                                   : ERR_none;
        }
        break;
    case VALUE_CHECK_INDICES:
        check_index_list(cap, call);
        break;
    case VALUE_CHECK_INDEX:
        if (call->op->id == OP_index_add && tensor_numel(arg[0].tensor) == 0 &&
            arg[0].tensor->ndim > 1 && since(index_add_of_nothing)) {
            return check_by_backward(cap, call);
        }
        if (call->op->infer == infer_scatter && call->op->param[3].type == ARG_SCALAR) {
            TRY(check_scattered_number(cap, call));
        }
        check_capture_indices(cap, call, arg[2].tensor);
        break;
    case VALUE_CHECK_VECTOR:
        if (tensor_numel(arg[0].tensor) == 0) {
            TRY(check_by_backward(cap, call));
        }
        check_vector(cap, call, CHECK_INDEX);
        break;
    case VALUE_CHECK_VECTOR_WRAP:
        if (call->op->param[3].type == ARG_TENSOR) {
            TRY(check_fits(cap, arg[3].tensor, out->dtype));
        }
        check_vector(cap, call, CHECK_INDEX_WRAP);
        break;
    case VALUE_CHECK_FLAT:
        if (tensor_numel(arg[1].tensor) > 0) {
            add_check(cap, CHECK_INDEX_WRAP, node_of(arg[1].tensor), tensor_numel(arg[0].tensor),
                      ERR_index_range, OUT_OF_BOUNDS);
        }
        break;
    case VALUE_CHECK_ROWS:
        if (tensor_numel(arg[1].tensor) > 0) {
            add_check(cap, CHECK_INDEX, node_of(arg[1].tensor), arg[0].tensor->size[0],
                      call_index_error(call), OUT_OF_BOUNDS);
        }
        break;
    case VALUE_CHECK_CLASSES:
        return check_targets(cap, call);
    case VALUE_CHECK_MASK:
        return check_capture_mask(cap, call, out);
    case VALUE_CHECK_NUMBER:
        return since(fill_overlap) ? ERR_none : check_fits(cap, arg[1].tensor, out->dtype);
    case VALUE_CHECK_SORTER:
        return check_sorter_range(cap, call);
    case VALUE_CHECK_HOT:
        add_check(cap, CHECK_INDEX, node_of(arg[0].tensor), arg[1].i, ERR_invalid,
                  "Class values must be non-negative and smaller than num_classes.");
        break;
    case VALUE_CHECK_UNIT:
        return check_units(cap, arg);
    case VALUE_CHECK_BAGS:
        return check_bag_starts(cap, call);
    case VALUE_CHECK_PROBABILITIES:
        return tensor_numel(arg[0].tensor) > 0 ? check_unit(cap, &arg[0], PROBABILITIES) : ERR_none;
    }
    return ERR_none;
}
