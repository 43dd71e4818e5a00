/* embedding_bag: the sum, the mean or the maximum of some rows of a matrix for each bag
 * (aten/src/ATen/native/EmbeddingBag.cpp). It is one node in PyTorch, which saves all that it
 * returns. */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

enum { BAG_SUM, BAG_MEAN, BAG_MAX };

typedef struct Bags {
    Emit *e;
    Tensor *weight, *indices, *offsets, *factors; /* factors: per_sample_weights, or NULL */
    Tensor *saved_indices, *saved_offsets;        /* as they were given, of two dtypes */
    Tensor *bag_of;                               /* by index */
    int64_t mode, padding, count;                 /* padding: a row that is left out, or -1 */
    bool last_offset;                             /* the last offset is an end */
} Bags;

/* padding_idx as a row, or -1. */
static ErrCode bags_padding(const Call *call, int64_t *row, Error *err) {
    const Arg *padding = call_arg(call, "padding_idx");
    const Tensor *weight = call->arg[0].tensor;
    *row = -1;
    if (padding == NULL || padding->none) {
        return ERR_none;
    }
    if (weight->ndim == 0) {
        return error_set(err, ERR_index_range,
                         "Dimension specified as 0 but tensor has no dimensions");
    }
    int64_t rows = weight->size[0], i = padding->i;
    if (i < -rows || i >= rows) {
        return error_set(err, ERR_invalid,
                         "padding_idx must be within the number of embeddings, -%lld through %lld, "
                         "but got %lld",
                         (long long)rows, (long long)rows - 1, (long long)i);
    }
    *row = i < 0 ? i + rows : i;
    return ERR_none;
}

/* The checks of sizes and dtypes that come before those of offsets. */
static ErrCode check_bag_operands(const Call *call, DType common, Error *err) {
    const Tensor *weight = call->arg[0].tensor, *indices = call->arg[1].tensor,
                 *offsets = call->arg[2].tensor;
    if (indices->ndim != 1 && indices->ndim != 2) {
        return error_set(err, ERR_invalid,
                         "input has to be a 1D or 2D Tensor, but got Tensor of dimension %d",
                         indices->ndim);
    }
    if (indices->ndim == 2 || call->arg[5].b) {
        return error_set(err, ERR_unsupported,
                         "embedding_bag: indices of two dims, or a sparse gradient");
    }
    if (offsets->ndim != 1) {
        return error_set(err, ERR_invalid,
                         "offsets has to be a 1D Tensor, but got Tensor of dimension %d",
                         offsets->ndim);
    }
    if (weight->ndim != 2) {
        return error_set(err, ERR_invalid,
                         "weight has to be a 2D Tensor, but got Tensor of dimension %d",
                         weight->ndim);
    }
    if (common != DT_int64 && common != DT_int32) {
        return error_set(err, ERR_dtype,
                         "Expected tensor for argument #1 'indices' to have one of the following "
                         "scalar types: Long, Int");
    }
    return dtype_is_float(weight->dtype)
               ? ERR_none
               : error_set(err, ERR_dtype,
                           "Expected tensor for argument #1 'weight' to have one of the following "
                           "scalar types: Half, BFloat16, Float, Double");
}

/* Those that come after them. */
static ErrCode check_bag_mode(const Bags *b, Error *err) {
    const Tensor *factors = b->factors;
    if (factors && b->mode != BAG_SUM) {
        return error_set(err, ERR_invalid,
                         "embedding_bag: per_sample_weights only supported with mode='sum'");
    }
    if (factors && factors->dtype != b->weight->dtype) {
        return error_set(err, ERR_dtype,
                         "Expected tensor for argument #1 'weight' to have the same type as tensor "
                         "for argument #1 'per_sample_weights'");
    }
    if (factors && (factors->ndim != 1 || tensor_numel(factors) != tensor_numel(b->indices))) {
        return error_set(err, ERR_invalid,
                         "Expected per_sample_weights to have one element for each index");
    }
    if (b->count < 0) {
        return error_set(err, ERR_invalid,
                         "include_last_offset: number of offset should be at least 1");
    }
    return b->mode < BAG_SUM || b->mode > BAG_MAX
               ? error_set(err, ERR_invalid, "`mode` must be sum, mean, or max.")
               : ERR_none;
}

/* true for the indices that are left out; NULL: none is. */
static Tensor *left_out(const Bags *b) {
    return b->padding < 0 ? NULL
                          : emit_scalar(b->e, OP_eq_Scalar, b->indices, scalar_int(b->padding));
}

/* The number of indices in each bag, without those that are left out. */
static Tensor *bag_sizes(const Bags *b) {
    Emit *e = b->e;
    Tensor *out = left_out(b),
           *zeros = emit_full(e, &b->count, 1, scalar_int(0), b->indices->dtype);
    Tensor *one = out ? emit_cast(e, emit_unary(e, OP_logical_not, out), b->indices->dtype)
                      : emit_full(e, b->indices->size, 1, scalar_int(1), b->indices->dtype);
    return zeros && one ? emit_op(e, OP_index_add, 4, zeros, (int64_t)0, b->bag_of, one) : NULL;
}

/* Sums or means of the rows. */
static Tensor *added_rows(const Bags *b, Tensor *sizes) {
    Emit *e = b->e;
    Tensor *weight = node_operand(e, b->weight), *out = left_out(b);
    Tensor *rows = emit_op(e, OP_index_select, 3, weight, (int64_t)0, b->indices);
    if (b->factors) {
        rows = emit_mul(e, rows, emit_unsqueeze(e, node_operand(e, b->factors), 1));
    }
    if (out) {
        rows = emit_masked_fill(e, rows, emit_unsqueeze(e, out, 1), scalar_int(0));
    }
    int64_t size[2] = {b->count, b->weight->size[1]};
    Tensor *sum = emit_full(e, size, 2, scalar_int(0), b->weight->dtype);
    sum = sum && rows ? emit_op(e, OP_index_add, 4, sum, (int64_t)0, b->bag_of, rows) : NULL;
    if (b->mode == BAG_MEAN) {
        Tensor *n = emit_scalar(e, OP_clamp_min, sizes, scalar_int(1));
        n = emit_unsqueeze(e, emit_cast(e, n, b->weight->dtype), 1);
        sum = emit_div(e, sum, n);
    }
    return sum;
}

/* The rows with the maxima are `largest`; an empty bag has zeros. */
static Tensor *largest_elements(const Bags *b, Tensor *sizes, Tensor *largest) {
    Emit *e = b->e;
    int64_t size[2] = {b->count, b->weight->size[1]};
    if (b->weight->size[0] == 0) {
        return emit_full(e, size, 2, scalar_int(0), b->weight->dtype);
    }
    Tensor *rows = emit_cast(e, largest, DT_int64),
           *empty = emit_unsqueeze(e, emit_scalar(e, OP_eq_Scalar, sizes, scalar_int(0)), 1);
    Tensor *weight = node_operand(e, b->weight);
    Tensor *value = weight && rows ? emit_op(e, OP_gather, 3, weight, (int64_t)0, rows) : NULL;
    return value && empty ? emit_masked_fill(e, value, empty, scalar_int(0)) : NULL;
}

/* Does PyTorch add rows without having found the bag of each index? Then it does not return
 * them. */
static bool bags_fast(const Bags *b) {
    return b->mode == BAG_SUM && b->weight->dtype != DT_float64 && b->weight->stride[1] == 1 &&
           b->padding < 0 && (!b->factors || b->factors->stride[0] == 1);
}

/* offset2bag as it is returned: without indices it is a part of a vector of one element. */
static Tensor *returned_bags(const Bags *b) {
    Emit *e = b->e;
    int64_t size = tensor_numel(b->indices) == 0 && !bags_fast(b);
    if (size == 0 && !bags_fast(b)) {
        return b->bag_of;
    }
    Tensor *whole = emit_full(e, &size, 1, scalar_int(0), b->indices->dtype);
    return size == 0 ? whole : emit_unary(e, OP_detach, emit_narrow(e, whole, 0, 0, 0));
}

static bool bags_require_grad(Emit *e, const Bags *b) {
    return e->requires_grad &&
           (e->requires_grad(e, b->weight) || (b->factors && e->requires_grad(e, b->factors)));
}

static ErrCode bags_results(Bags *b, bool by_frequency, Tensor **out) {
    Emit *e = b->e;
    DType index = b->indices->dtype;
    int64_t sizes = b->count, how[4] = {b->mode, b->padding, by_frequency, b->count};
    Tensor *value;
    out[1] = returned_bags(b);
    if (b->mode == BAG_SUM) {
        sizes = bags_require_grad(e, b) ? b->count : b->offsets->size[0];
        out[2] = emit_full(e, &sizes, 1, scalar_int(0), index);
    } else {
        out[2] = bag_sizes(b);
    }
    if (b->mode == BAG_MAX) {
        out[3] = emit_op(e, OP__bag_max, 5, node_operand(e, b->weight), b->indices, b->bag_of,
                         b->count, b->padding);
        value = largest_elements(b, out[2], out[3]);
    } else {
        out[3] = emit_unary(e, OP_clone, out[2]);
        value = added_rows(b, out[2]);
    }
    if (e->err->code == ERR_none) {
        out[0] = emit_op(e, OP__embedding_bag, 9, b->weight, b->saved_indices, b->saved_offsets,
                         b->factors, value, out[1], out[2], out[3], how, 4);
    }
    return e->err->code;
}

ErrCode decompose_embedding_bag(Emit *e, const Call *call, Tensor **out, int *nout) {
    Bags b = {.e = e,
              .weight = call->arg[0].tensor,
              .indices = call->arg[1].tensor,
              .offsets = call->arg[2].tensor,
              .factors = node_optional(&call->arg[6]),
              .mode = call->arg[4].i,
              .last_offset = call->arg[7].b};
    *nout = 0;
    TRY(bags_padding(call, &b.padding, e->err));
    TRY(emit_read_history(e, b.weight));
    TRY(emit_read_history(e, b.factors));
    if (b.weight->ndim == 0 && e->records &&
        (e->records(e, b.weight) || (b.factors && e->records(e, b.factors)))) {
        return error_set(e->err, ERR_index_range,
                         "Dimension specified as 0 but tensor has no dimensions");
    }
    DType common = dtype_promote(b.offsets->dtype, b.indices->dtype);
    TRY(check_bag_operands(call, common, e->err));
    b.saved_indices = emit_unary(e, OP_contiguous, b.indices);
    b.saved_offsets = emit_unary(e, OP_contiguous, b.offsets);
    b.indices = emit_cast(e, b.saved_indices, common);
    b.offsets = emit_cast(e, b.saved_offsets, common);
    TRY(e->err->code);
    b.count = b.offsets->size[0] - b.last_offset;
    bool defined = b.count >= 0; /* else it is refused below */
    b.bag_of = defined ? emit_op(e, OP__bag_of, 4, b.indices, b.offsets, b.weight->size[0],
                                 (int)b.last_offset)
                       : NULL;
    TRY(e->err->code);
    TRY(check_bag_mode(&b, e->err));
    TRY(bags_results(&b, call->arg[3].b, out));
    *nout = 4;
    return ERR_none;
}
