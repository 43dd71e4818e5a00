/* Unspecified behaviour of shrink functions, logit and special functions. */
#include "reference/overflows.h"
#include "reference/unspecified.h"

#include "program/infer/infer.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

#include <math.h>

/* Does some element of a floating tensor lie where its kernels differ? */
typedef bool (*SpecialTest)(double x, double number, DType dtype);

static bool unspecified_special_any(const Tensor *t, SpecialTest test, double number) {
    const Tensor *one[1] = {t};
    bool found = false;
    for (Walk w = walk_start(t->size, t->ndim, one, 1);
         dtype_is_float(t->dtype) && walk_more(&w) && !found; walk_next(&w)) {
        found = test(element_double(t->storage->data, t->dtype, w.at[0]), number, t->dtype);
    }
    return found;
}

/* x times pi overflows. */
static bool overflows_turned(double x, double number, DType dtype) {
    (void)number;
    return isfinite(x) && fabs(x) > dtype_largest(dtype) / 4;
}

/* x times pi is a denormal number, which Sleef takes for 0. */
static bool vanishes_turned(double x, double number, DType dtype) {
    (void)number;
    return x != 0 && fabs(x) < (dtype == DT_float64 ? 0x1p-1020 : 0x1p-124);
}

static bool is_turned_edge(double x, double number, DType dtype) {
    return overflows_turned(x, number, dtype) || vanishes_turned(x, number, dtype);
}

/* A small negative number or -0.0, which softshrink multiplies by 0, or replaces by it. */
static bool is_shrunk_negative(double x, double lambda, DType dtype) {
    (void)dtype;
    return signbit(x) && x >= -lambda;
}

static bool is_special_minus_zero(double x, double number, DType dtype) {
    (void)number;
    (void)dtype;
    return x == 0 && signbit(x);
}

static bool is_special_nan(double x, double number, DType dtype) {
    (void)number;
    (void)dtype;
    return isnan(x);
}

/* Are two elements equal, converted to `dtype`; if they are made `unique` before, two that differ?
 */
static bool repeats(const Tensor *t, DType dtype, bool unique) {
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double x = element_double(t->storage->data, t->dtype, w.at[0]);
        Walk v = w;
        for (walk_next(&v); walk_more(&v); walk_next(&v)) {
            double y = element_double(t->storage->data, t->dtype, v.at[0]);
            bool same =
                dtype_is_float(dtype) ? dtype_round(x, dtype) == dtype_round(y, dtype) : x == y;
            if (same && !(unique && x == y)) {
                return true;
            }
        }
    }
    return false;
}

/* isin that sorts relies on elements that differ: on assume_unique, or on `unique`, after which
 * both operands become one tensor of a common dtype. */
static bool sorts_repeated(const Call *call) {
    if (!isin_sorts(call)) {
        return false;
    }
    bool unique = !call->arg[2].b, tensors[2];
    DType common = DT_bool;
    for (int k = 0; k < 2; k++) {
        tensors[k] = call->op->param[k].type == ARG_TENSOR;
        common = tensors[k] ? dtype_promote(common, call->arg[k].tensor->dtype) : common;
    }
    return (tensors[0] && repeats(call->arg[0].tensor, common, unique)) ||
           (tensors[1] && repeats(call->arg[1].tensor, common, unique));
}

/* 1.13 may count nan, sorted, as equal to itself. */
static bool sorts_nan(const Call *call) {
    if (since(half_kernels) || !isin_sorts(call)) {
        return false;
    }
    bool elements = call->op->param[0].type == ARG_TENSOR &&
                    unspecified_special_any(call->arg[0].tensor, is_special_nan, 0);
    return elements || unspecified_special_any(call->arg[1].tensor, is_special_nan, 0);
}

/* A variance without a degree of freedom: in 1.13 its gradient is a number, which is refused
 * unless the mean's gradient is added to it (var_std_mean_backward in FunctionsManual.cpp). */
static bool lacks_freedom(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    int dim = op_param(call->op, "dim"), unbiased = op_param(call->op, "unbiased"),
        number = op_param(call->op, "correction");
    if (since(var_of_one) || self->ndim == 0 || (dim >= 0 && !call->arg[dim].none)) {
        return false;
    }
    int64_t correction = unbiased >= 0            ? call->arg[unbiased].b
                         : call->arg[number].none ? 1
                                                  : call->arg[number].i;
    return tensor_numel(self) == correction;
}

/* The difference of two elements overflows. */
static bool differences_overflow(const Tensor *t) {
    return t->dtype == DT_float64 && moments_overflow_of(t);
}

/* lcm divides by the greatest common divisor, which Euclid's remainders make -1 for the least
 * integer and 7: the processor refuses the quotient, and PyTorch dies of SIGFPE. */
static bool holds_least(const Tensor *t) {
    const Tensor *one[1] = {t};
    bool wide = t->dtype == DT_int32 || t->dtype == DT_int64, found = false;
    for (Walk w = walk_start(t->size, t->ndim, one, 1); wide && walk_more(&w) && !found;
         walk_next(&w)) {
        found = element_int(t->storage->data, t->dtype, w.at[0]) == dtype_min(t->dtype);
    }
    return found;
}

/* A number whose square overflows: which partial results of a normalization or of a product of
 * three do depends on how they are computed (one rounding or two, Welford's sums or others). */
static bool holds_huge(const Call *call) {
    for (int k = 0; k < call->op->nparam; k++) {
        bool given = call->op->param[k].type == ARG_TENSOR ||
                     (call->op->param[k].type == ARG_TENSOR_OPT && !call->arg[k].none);
        const Tensor *t = given ? call->arg[k].tensor : NULL, *one[1] = {t};
        if (!t || !dtype_is_float(t->dtype) || t->dtype == DT_float16) {
            continue;
        }
        double most = t->dtype == DT_float64 ? 1e150 : 1e18;
        for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
            double x = fabs(element_double(t->storage->data, t->dtype, w.at[0]));
            if (isfinite(x) && x > most) {
                return true;
            }
        }
    }
    return false;
}

/* batch_norm's backward reads parameters and statistics of a contiguous input as if they were
 * contiguous too (batch_norm_cpu_backward_contiguous_impl of batch_norm_kernel.cpp). */
static bool reads_across(const Call *call) {
    for (int k = 1; k < 5; k++) {
        if (k != 2 && !call->arg[k].none && !tensor_is_contiguous(call->arg[k].tensor)) {
            return true;
        }
    }
    return false;
}

/* batch_norm: running statistics that share memory with another operand, which is read before and
 * after they are written; or that have another dtype than the other one. */
static bool odd_statistics(const Call *call) {
    const Arg *arg = call->arg;
    for (int k = 3; k <= 4; k++) {
        for (int j = 0; j < 5 && !arg[k].none; j++) {
            if (j != k && (j == 0 || !arg[j].none) &&
                (arg[j].tensor->storage == arg[k].tensor->storage ||
                 (j > 2 && arg[j].tensor->dtype != arg[k].tensor->dtype))) {
                return true;
            }
        }
    }
    return false;
}

/* index_reduce of products of a half type fails an assertion where the elements of a slice are one,
 * or one repeated (cpu_index_reduce of TensorAdvancedIndexing.cpp). */
static bool reduces_single(const Call *call) {
    const Tensor *self = call->arg[0].tensor, *source = call->arg[3].tensor;
    int dim;
    Error ignored = {0};
    if (!dtype_is_float(self->dtype) || dtype_bytes(self->dtype) >= 4 || self->ndim <= 1 ||
        call->arg[4].str[0] != 'p' ||
        dim_wrap(call->arg[1].i, self->ndim, &dim, &ignored) != ERR_none) {
        return false;
    }
    bool repeated = tensor_numel(self) == self->size[dim];
    for (int d = 0; d < source->ndim; d++) {
        repeated = repeated || (d != dim && source->stride[d] == 0 && source->size[d] > 1);
    }
    return repeated;
}

/* What is not finite, among what attention compares (a mask may hold -inf), or overflows in a
 * product: the kernel's largest score may skip a nan. */
static bool attends_to_nonfinite(const Call *call) {
    for (int k = 0; k < 4; k++) {
        const Tensor *t = call->arg[k].none ? NULL : call->arg[k].tensor, *one[1] = {t};
        if (!t) {
            continue;
        }
        for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
            double x = element_double(t->storage->data, t->dtype, w.at[0]);
            if (!isfinite(x) && !(k == 3 && x == -INFINITY)) {
                return true;
            }
        }
    }
    return holds_huge(call);
}

/* A position that is no number, or too large for the integers of a kernel. */
static bool is_far(double x, double number, DType dtype) {
    (void)number;
    (void)dtype;
    return !(fabs(x) < 1e5);
}

/* A dim that is reduced is expanded: a median reads what lies behind its one element. */
static bool reads_behind(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    int64_t dim = call->arg[1].i + (call->arg[1].i < 0 ? self->ndim : 0);
    return self->ndim > 0 && dim >= 0 && dim < self->ndim && self->size[dim] > 1 &&
           self->stride[dim] == 0;
}

/* nan among more elements than std::sort inserts one by one: it is in no order. */
static bool sorts_unordered(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    int64_t dim = call->arg[1].i + (call->arg[1].i < 0 ? self->ndim : 0);
    return self->ndim > 0 && dim >= 0 && dim < self->ndim && self->size[dim] > 16 &&
           dtype_is_float(self->dtype) && unspecified_special_any(self, is_special_nan, 0);
}

const char *unspecified_special(const Call *call, bool vectors) {
    const Tensor *self = call->arg[0].tensor;
    switch (call->op->id) {
    case OP_sinc:
        return unspecified_special_any(self, is_turned_edge, 0)
                   ? "sinc of a number whose product with pi overflows or vanishes"
                   : NULL;
    case OP_float_power_Tensor_Tensor:
    case OP_float_power_Scalar:
    case OP_float_power_Tensor_Scalar:
        return vectors && power_is_largest(call) ? "pow near the largest number" : NULL;
    case OP_channel_shuffle: /* aten/src/ATen/native/ChanelShuffle.cpp */
        return tensor_numel(self) == 0
                   ? "channel_shuffle of nothing: it shares self's memory, but is no view"
                   : NULL;
    case OP_lcm:
        return holds_least(self) || holds_least(call->arg[1].tensor)
                   ? "lcm of the least integer: SIGFPE"
                   : NULL;
    case OP_trapezoid_dx: /* a 0-dim gradient is multiplied in float64 (mul_tensor_backward) */
        return semantics_now < SEMANTICS_2_8 && dtype_is_float(self->dtype) &&
                       scalar_overflows(call->arg[1].scalar, self->dtype)
                   ? "trapezoid: a dx that the dtype does not hold"
                   : NULL;
    case OP_softshrink:
        return vectors && unspecified_special_any(self, is_shrunk_negative,
                                                  scalar_to_double(call->arg[1].scalar))
                   ? "softshrink of small negative numbers: the sign of a zero"
                   : NULL;
    case OP_isin_Tensor_Tensor:
    case OP_isin_Tensor_Scalar:
    case OP_isin_Scalar_Tensor:
        return sorts_repeated(call) ? "isin of elements that are not unique"
               : sorts_nan(call)    ? "isin of nan in 1.13"
                                    : NULL;
    case OP_var_mean:
    case OP_var_mean_dim:
    case OP_var_mean_correction:
    case OP_std_mean:
    case OP_std_mean_dim:
    case OP_std_mean_correction:
        return lacks_freedom(call) ? "var_mean, std_mean of one element: a gradient in 1.13"
               : differences_overflow(self) ? "var, std: the sum of the elements overflows"
                                            : NULL;
    case OP_index_reduce:
    case OP_index_reduce_:
        return reduces_single(call) ? "index_reduce of a half type, slices of one element" : NULL;
    case OP_batch_norm:
    case OP_instance_norm:
        if (odd_statistics(call)) {
            return "batch_norm: statistics of two dtypes, or in the memory of an operand";
        } /* fallthrough */
    case OP_group_norm:
    case OP_rms_norm:
        return holds_huge(call) ? "normalization of numbers that overflow when squared" : NULL;
    case OP__fused_attention:
        return attends_to_nonfinite(call) ? "attention to what is not finite, in the fused kernel"
                                          : NULL;
    case OP_median_dim:
    case OP_nanmedian_dim:
        return reads_behind(call) ? "median along an expanded dim: reads other memory" : NULL;
    case OP_mode:
        return sorts_unordered(call) ? "mode of more than 16 elements with nan" : NULL;
    case OP_grid_sampler_2d:
    case OP_grid_sampler_3d:
        return unspecified_special_any(call->arg[1].tensor, is_far, 0)
                   ? "grid_sampler: a position that is not finite, or nearly"
               : holds_huge(call) ? "grid_sampler: a product that overflows"
                                  : NULL;
    case OP_histc:
        return holds_huge(call) ? "histc: a product that overflows" : NULL;
    case OP_embedding_bag:
        return holds_huge(call) ? "embedding_bag: a product that overflows" : NULL;
    case OP_bilinear:
        return holds_huge(call) ? "bilinear: a product that overflows" : NULL;
    case OP_cosine_similarity:
    case OP_pairwise_distance:
    case OP_triplet_margin_loss:
        return pair_powers_overflow(call) ? "norm: powers that overflow or vanish" : NULL;
    default:
        return NULL;
    }
}

/* The first derivative of scatter_reduce of a product in which several elements of src are 0: to
 * differentiate it again is refused (scatter_reduce_backward in FunctionsManual.cpp). Whether they
 * meet in one element is not asked. */
static bool refuses_second(const Grad *g) {
    enum { SRC = 3, REDUCE = 4 };
    const Tensor *src = g->call->arg[SRC].tensor, *one[1] = {src};
    int zeros = 0;
    if (!g->e->create_graph || !g->need[call_slot_of(g->call, SRC)] ||
        strcmp(g->call->arg[REDUCE].str, "prod") != 0) {
        return false;
    }
    for (Walk w = walk_start(src->size, src->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        zeros += element_double(src->storage->data, src->dtype, w.at[0]) == 0;
    }
    return zeros > 1;
}

const char *unspecified_special_gradient(const Grad *g, bool vectors) {
    const Tensor *self = g->call->arg[0].tensor;
    switch (g->call->op->id) {
    case OP_scatter_reduce_two:
        return refuses_second(g) ? "scatter_reduce: a product of several zeros, twice" : NULL;
    case OP__batch_norm:
    case OP__group_norm: /* mean and deviation are constants of PyTorch's formula */
        return g->e->create_graph ? "batch_norm, group_norm: the second derivative"
               : g->call->op->id == OP__batch_norm && reads_across(g->call)
                   ? "batch_norm: the gradient with a weight that is not contiguous"
                   : NULL;
    case OP_sinc:
        return unspecified_special_any(self, is_turned_edge, 0)
                   ? "sinc: products that overflow or vanish"
                   : NULL;
    case OP_hardshrink:
    case OP_softshrink:
    case OP__shrink_backward: /* the vectorized loop's is 0, the tail's the one that comes in */
        return vectors &&
                       (isnan(scalar_to_double(
                            g->call->arg[g->call->op->id == OP__shrink_backward ? 2 : 1].scalar)) ||
                        unspecified_special_any(
                            g->call->op->id == OP__shrink_backward ? g->call->arg[1].tensor : self,
                            is_special_nan, 0))
                   ? "hardshrink, softshrink: the gradient at nan"
                   : NULL;
    case OP__bilinear:
        return g->grad[0] && triple_products_overflow(g->call, g->grad[0])
                   ? "bilinear: a product that overflows"
                   : NULL;
    case OP_logit:
        return unspecified_special_any(self, is_special_minus_zero, 0)
                   ? "logit: the sign of the infinite gradient at -0.0"
                   : NULL;
    default:
        return NULL;
    }
}

/* ---- zero tensors ---- */

/* Zero tensors: the second derivative of abs (sgn_backward in FunctionsManual.cpp) has no memory in
 * PyTorch (at::_efficientzerotensor). Times inf it is 0, as are its products (mul_zerotensor and
 * div_zerotensor in BinaryOps.cpp), and it refuses writes (ZeroTensorFallback.cpp). The reference
 * has ordinary zeros: a run is unspecified where the difference shows. */

/* A gradient that is a zero tensor in PyTorch, or may be. */
typedef struct ZeroTensor {
    const Storage *storage;
    const struct ZeroTensor *next;
} ZeroTensor;

static bool is_zero_tensor(const Session *s, const Tensor *t) {
    const ZeroTensor *z = t ? s->zero_tensors : NULL;
    while (z && z->storage != t->storage) {
        z = z->next;
    }
    return z != NULL;
}

void zero_tensors_follow(Session *s, const Grad *g) {
    bool made = s->detect_unspecified && g->call->op->id == OP__sgn;
    for (int i = 0; i < g->nresult; i++) {
        made |= is_zero_tensor(s, g->grad[i]);
    }
    for (int i = 0; i < g->nslot && made && s->err->code == ERR_none; i++) {
        if (!g->out[i]) {
            continue;
        }
        if (unspecified_any(g->out[i], unspecified_is_nan)) {
            session_unspecified(s, "abs: the second derivative is 0 where a factor is inf or nan");
        }
        ZeroTensor *z = arena_new(s->arena, ZeroTensor);
        *z = (ZeroTensor){g->out[i]->storage, s->zero_tensors};
        s->zero_tensors = z;
    }
}

void zero_tensors_arrive(Session *s, const GradNode *node) {
    bool seen = node->captured == s->visits || node->kind == GRAD_NODE_FUNCTION || node->hooks ||
                (node->leaf && (node->leaf->hooks || s->dot_grads));
    for (int i = 0; i < node->nout && seen && s->zero_tensors; i++) {
        if (is_zero_tensor(s, node->grad[i])) {
            session_unspecified(s, "abs: the second derivative is a zero tensor, which refuses "
                                   "writes");
        }
    }
}
