/* multi_head_attention_forward (torch/nn/functional.py), without what torch.nn.MultiheadAttention
 * sets for other widths of keys and values, without biases of keys and values and without dropout.
 */
#include "program/decompose/nodes.h"
#include "program/semantics/semantics.h"

#include <math.h>
#include <string.h>

enum {
    MHA_QUERY,
    MHA_KEY,
    MHA_VALUE,
    MHA_WIDTH,
    MHA_HEADS,
    MHA_IN_WEIGHT,
    MHA_IN_BIAS,
    MHA_OUT_WEIGHT,
    MHA_OUT_BIAS,
    MHA_PADDING,
    MHA_NEED_WEIGHTS,
    MHA_MASK,
    MHA_AVERAGE,
    MHA_CAUSAL
};

/* rows [L, N, E]; keys [S, N, E]; `heads` * `depth` = E */
typedef struct Heads {
    int64_t rows, batch, width, keys, heads, depth;
    bool batched;
    Tensor *in[3];   /* query, key and value, then each of them projected */
    Tensor *padding; /* key_padding_mask and attn_mask, or NULL */
    Tensor *mask;
} Heads;

static ErrCode heads_dims(const Call *call, const Heads *h, Error *err) {
    int n = h->in[0]->ndim;
    if (n != 2 && n != 3) {
        return error_set(err, ERR_invalid,
                         "query should be unbatched 2D or batched 3D tensor but received %d-D "
                         "query tensor",
                         n);
    }
    if (h->in[1]->ndim != n || h->in[2]->ndim != n) {
        return error_set(err, ERR_invalid,
                         "expected `key` and `value` to be %d-D but found %d-D and %d-D tensors "
                         "respectively",
                         n, h->in[1]->ndim, h->in[2]->ndim);
    }
    if (h->padding && h->padding->ndim != n - 1) {
        return error_set(err, ERR_invalid,
                         "expected `key_padding_mask` to be `None` or %d-D but found %d-D tensor "
                         "instead",
                         n - 1, h->padding->ndim);
    }
    if (h->mask && h->mask->ndim != 2 && h->mask->ndim != 3) {
        return error_set(err, ERR_invalid,
                         "expected `attn_mask` to be `None`, 2-D or 3-D but found %d-D tensor "
                         "instead",
                         h->mask->ndim);
    }
    int64_t size[3] = {call->arg[MHA_HEADS].i, h->in[0]->size[0], h->in[1]->size[0]};
    return n == 2 && h->mask && h->mask->ndim == 3 && !sizes_equal(h->mask->size, 3, size, 3)
               ? error_set(err, ERR_invalid, "Expected another size of the `attn_mask`")
               : ERR_none;
}

/* A mask of bools as numbers that are added: -inf where it is true. */
static Tensor *canonical_mask(Emit *e, Tensor *mask, DType dtype, const char *name) {
    if (!mask || dtype_is_float(mask->dtype)) {
        return mask;
    }
    if (mask->dtype != DT_bool) {
        error_set(e->err, ERR_invalid, "only bool and floating types of %s are supported", name);
        return NULL;
    }
    Tensor *zeros = emit_op(e, OP_zeros_like, 2, mask, (int)dtype);
    return zeros
               ? emit_op(e, OP_masked_fill__Scalar, 3, zeros, mask, scalar_float(-(double)INFINITY))
               : NULL;
}

static ErrCode heads_masks(Emit *e, const Call *call, Heads *h) {
    DType dtype = h->in[0]->dtype;
    bool causal = call->arg[MHA_CAUSAL].b;
    h->padding = canonical_mask(e, h->padding, dtype, "key_padding_mask");
    TRY(e->err->code);
    if (causal && !h->mask) {
        return error_set(e->err, ERR_invalid, "Need attn_mask if specifying the is_causal hint.");
    }
    h->mask = causal && !h->padding && !call->arg[MHA_NEED_WEIGHTS].b
                  ? NULL
                  : canonical_mask(e, h->mask, dtype, "attn_mask");
    return e->err->code;
}

static ErrCode heads_widths(const Call *call, Heads *h, Error *err) {
    if (h->width != call->arg[MHA_WIDTH].i) {
        return error_set(err, ERR_invalid,
                         "was expecting embedding dimension of %lld, but got %lld",
                         (long long)call->arg[MHA_WIDTH].i, (long long)h->width);
    }
    if (h->heads == 0) {
        return error_set(err, ERR_invalid, "integer division or modulo by zero");
    }
    h->depth = h->width / h->heads;
    if (h->depth * h->heads != h->width) {
        return error_set(err, ERR_invalid, "embed_dim %lld not divisible by num_heads %lld",
                         (long long)h->width, (long long)h->heads);
    }
    if (!sizes_equal(h->in[1]->size, 3, h->in[2]->size, 3)) {
        return error_set(err, ERR_invalid, "key shape does not match value shape");
    }
    return ERR_none;
}

/* The parts of a weight or a bias, as views of it: rows of `width` and the rest, or three chunks.
 */
static ErrCode weight_parts(Emit *e, Tensor *t, int parts, int64_t width, Tensor **part) {
    int n = 0;
    int64_t size[2] = {width, 2 * width};
    Tensor *out[MAX_OUTPUTS];
    part[0] = part[1] = part[2] = NULL;
    if (!t) {
        return e->err->code;
    }
    Call call = call_new(parts == 2 ? OP_split_with_sizes : OP_chunk);
    call.arg[0] = (Arg){.is_tensor = true, .tensor = t};
    if (parts == 2) {
        call.arg[1].ints.v = arena_copy(e->arena, size, (int64_t)sizeof size);
        call.arg[1].ints.n = 2;
    } else {
        call.arg[1].i = 3;
    }
    TRY(emit_call(e, &call, out, &n));
    if (n != parts) {
        return error_set(e->err, ERR_invalid, "not enough values to unpack (expected %d, got %d)",
                         parts, n);
    }
    memcpy(part, out, sizeof *out * (size_t)n);
    return ERR_none;
}

static Tensor *project(Emit *e, Tensor *x, Tensor *weight, Tensor *bias) {
    return bias ? emit_op(e, OP_linear, 3, x, weight, bias) : emit_binary(e, OP_linear, x, weight);
}

/* [.., n E] as n tensors [.., E], which are views of one. */
static void project_packed(Emit *e, Tensor *x, Tensor *weight, Tensor *bias, int64_t n,
                           Tensor **out) {
    int64_t size[2] = {n, x->size[x->ndim - 1]};
    Tensor *all = project(e, x, weight, bias);
    all = all ? emit_op(e, OP_unflatten, 3, all, (int64_t)-1, size, 2) : NULL;
    all = emit_unsqueeze(e, all, 0);
    all = all ? emit_transpose(e, all, 0, -2) : NULL;
    all = all ? emit_op(e, OP_squeeze_dim, 2, all, (int64_t)-2) : NULL;
    all = emit_unary(e, OP_contiguous, all);
    for (int64_t k = 0; k < n; k++) {
        out[k] = all ? emit_select(e, all, 0, k) : NULL;
    }
}

/* Which product projects them depends on which operands are the same object
 * (_in_projection_packed). */
static ErrCode heads_project(Emit *e, const Call *call, Heads *h) {
    Tensor *weight = call->arg[MHA_IN_WEIGHT].tensor,
           *bias = node_optional(&call->arg[MHA_IN_BIAS]), **x = h->in, *w[3], *b[3];
    if (x[1] == x[2] && x[0] == x[1]) {
        project_packed(e, x[0], weight, bias, 3, x);
        return e->err->code;
    }
    int parts = x[1] == x[2] ? 2 : 3;
    TRY(weight_parts(e, weight, parts, h->width, w));
    TRY(weight_parts(e, bias, parts, h->width, b));
    x[0] = project(e, x[0], w[0], b[0]);
    if (parts == 2) {
        project_packed(e, x[1], w[1], b[1], 2, x + 1);
    } else {
        x[1] = project(e, x[1], w[1], b[1]);
        x[2] = project(e, x[2], w[2], b[2]);
    }
    return e->err->code;
}

/* The mask as [1 or N heads, L, S], and each of query, key and value as [N heads, .., depth]. */
static ErrCode heads_apart(Emit *e, Heads *h) {
    int64_t all = h->batch * h->heads, size[3] = {all, h->rows, h->keys};
    if (h->mask) {
        int n = h->mask->ndim;
        if (!sizes_equal(h->mask->size, n, size + 3 - n, n)) {
            return error_set(e->err, ERR_invalid, "The shape of the %dD attn_mask is another one",
                             n);
        }
        h->mask = n == 2 ? emit_unsqueeze(e, h->mask, 0) : h->mask;
    }
    for (int k = 0; k < 3; k++) {
        int64_t apart[3] = {k == 0 ? h->rows : h->keys, all, h->depth};
        h->in[k] = emit_view(e, h->in[k], apart, 3);
        h->in[k] = h->in[k] ? emit_transpose(e, h->in[k], 0, 1) : NULL;
    }
    if (h->padding) {
        int n = h->padding->ndim;
        int64_t sizes[2] = {h->batch, h->keys}, row[4] = {h->batch, 1, 1, h->keys},
                wide[4] = {-1, h->heads, -1, -1}, flat[3] = {all, 1, h->keys};
        if (!sizes_equal(h->padding->size, n, sizes, 2)) {
            return error_set(e->err, ERR_invalid, "expected another size of key_padding_mask");
        }
        Tensor *padding = emit_view(e, h->padding, row, 4);
        padding = padding ? emit_op(e, OP_expand, 2, padding, wide, 4) : NULL;
        padding = padding ? emit_op(e, OP_reshape, 2, padding, flat, 3) : NULL;
        h->mask = h->mask ? emit_add(e, h->mask, padding) : padding;
    }
    return e->err->code;
}

/* The weights of the values, [N heads, L, S]. */
static Tensor *heads_weights(Emit *e, const Heads *h) {
    Tensor *query = emit_scalar(e, OP_mul_Scalar, h->in[0],
                                scalar_float(sqrt(1.0 / (double)h->in[0]->size[2])));
    Tensor *key = query ? emit_transpose(e, h->in[1], -2, -1) : NULL;
    Tensor *scores = !key      ? NULL
                     : h->mask ? emit_op(e, OP_baddbmm, 3, h->mask, query, key)
                               : emit_binary(e, OP_bmm, query, key);
    return scores ? emit_op(e, OP_softmax, 2, scores, (int64_t)-1) : NULL;
}

/* What scaled_dot_product_attention makes of them, as [L N, E]. */
static Tensor *heads_fused(Emit *e, const Call *call, const Heads *h) {
    int64_t order[4] = {2, 0, 1, 3}, flat[2] = {h->batch * h->rows, h->width};
    Tensor *x[3], *mask = h->mask, *out[MAX_OUTPUTS];
    int n = 0;
    if (mask && mask->size[0] == 1) {
        mask = emit_unsqueeze(e, mask, 0);
    } else if (mask) {
        mask = emit_op(e, OP_view, 2, mask, (int64_t[]){h->batch, h->heads, -1, h->keys}, 4);
    }
    for (int k = 0; k < 3; k++) {
        int64_t size[4] = {h->batch, h->heads, k == 0 ? h->rows : h->keys, h->depth};
        x[k] = emit_view(e, h->in[k], size, 4);
    }
    if (e->err->code != ERR_none) {
        return NULL;
    }
    Call attention = call_new(OP_scaled_dot_product_attention);
    for (int k = 0; k < 3; k++) {
        attention.arg[k] = (Arg){.is_tensor = true, .tensor = x[k]};
    }
    if (mask) {
        attention.arg[3] = (Arg){.is_tensor = true, .tensor = mask};
    }
    attention.arg[5].b = call->arg[MHA_CAUSAL].b && !h->padding;
    if (emit_call(e, &attention, out, &n) != ERR_none) {
        return NULL;
    }
    Tensor *turned = emit_op(e, OP_permute, 2, out[0], order, 4);
    return turned ? emit_op(e, OP_reshape, 2, turned, flat, 2) : NULL;
}

/* [L N, E] projected, as the query was given. */
static Tensor *heads_out(Emit *e, const Call *call, const Heads *h, Tensor *flat) {
    Tensor *out = flat ? project(e, flat, call->arg[MHA_OUT_WEIGHT].tensor,
                                 node_optional(&call->arg[MHA_OUT_BIAS]))
                       : NULL;
    if (!out) {
        return NULL;
    }
    if (out->ndim < 2) {
        error_set(e->err, ERR_index_range, "Dimension out of range");
        return NULL;
    }
    return emit_view(e, out, (int64_t[]){h->rows, h->batch, out->size[1]}, 3);
}

ErrCode decompose_multi_head_attention(Emit *e, const Call *call, Tensor **out, int *nout) {
    Heads h = {.heads = call->arg[MHA_HEADS].i,
               .padding = node_optional(&call->arg[MHA_PADDING]),
               .mask = node_optional(&call->arg[MHA_MASK])};
    *nout = 0;
    if (semantics_now < SEMANTICS_2_8) {
        return error_set(e->err, ERR_unsupported, "multi_head_attention_forward before 2.8");
    }
    for (int k = 0; k < 3; k++) {
        h.in[k] = call->arg[k].tensor;
    }
    TRY(heads_dims(call, &h, e->err));
    h.batched = h.in[0]->ndim == 3;
    for (int k = 0; k < 3 && !h.batched; k++) {
        h.in[k] = emit_unsqueeze(e, h.in[k], 1);
    }
    h.padding = !h.batched && h.padding ? emit_unsqueeze(e, h.padding, 0) : h.padding;
    TRY(e->err->code);
    h.rows = h.in[0]->size[0];
    h.batch = h.in[0]->size[1];
    h.width = h.in[0]->size[2];
    h.keys = h.in[1]->size[0];
    TRY(heads_masks(e, call, &h));
    TRY(heads_widths(call, &h, e->err));
    TRY(heads_project(e, call, &h));
    TRY(heads_apart(e, &h));
    if (!call->arg[MHA_NEED_WEIGHTS].b) {
        Tensor *result = heads_out(e, call, &h, heads_fused(e, call, &h));
        result = result && !h.batched ? emit_op(e, OP_squeeze_dim, 2, result, (int64_t)1) : result;
        return node_answer(e, result, out, nout);
    }
    if (h.depth == 0) {
        return error_set(e->err, ERR_invalid, "float division by zero");
    }
    Tensor *weights = heads_weights(e, &h);
    Tensor *values = emit_binary(e, OP_bmm, weights, h.in[2]);
    values = values ? emit_transpose(e, values, 0, 1) : NULL;
    values = values ? emit_op(e, OP_reshape, 2, values, (int64_t[]){h.rows * h.batch, h.width}, 2)
                    : NULL;
    Tensor *result = heads_out(e, call, &h, values);
    weights =
        result ? emit_view(e, weights, (int64_t[]){h.batch, h.heads, h.rows, h.keys}, 4) : NULL;
    if (weights && call->arg[MHA_AVERAGE].b) {
        weights = emit_op(e, OP_mean_dim, 2, weights, (int64_t[]){1}, 1);
    }
    if (!h.batched) {
        result = result ? emit_op(e, OP_squeeze_dim, 2, result, (int64_t)1) : NULL;
        weights = weights ? emit_op(e, OP_squeeze_dim, 2, weights, (int64_t)0) : NULL;
    }
    out[0] = result;
    out[1] = weights;
    *nout = e->err->code == ERR_none ? 2 : 0;
    return e->err->code;
}
