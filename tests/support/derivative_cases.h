/* Calls of every differentiable row of the op table, for the tests of derivatives: at smooth
 * points, over layouts.
 *
 * A POINTWISE row gets its arguments from its operands, any other differentiable row must have a
 * line in `cases`. One line a call, one word an argument in schema order:
 *
 *     t2,3       a float64 tensor of size [2,3] whose gradient is checked        tz2,3   the same
 *                with zeros among its values
 *     L2:0,-1    an int64 tensor [2] of these values     m2,3    a bool mask     o       None or
 *                the default
 *     {t2;t3}    a list (o: None inside)                 [0,2]   ints            i3      an int
 *     s0.5       a float Scalar                          b1      a bool          qfloor  a string
 *
 * A leading `@` says that the op sees its operand's layout, so differences keep that layout. */
#ifndef TESTS_DERIVATIVE_CASES_H
#define TESTS_DERIVATIVE_CASES_H

#include "tests/support/exec_emit.h"
#include "program/ops/functions.h"
#include "tests/support/runner.h"

#include <math.h>
#include <string.h>

typedef struct Case {
    OpId id;
    const char *text;
} Case;

static const Case cases[] = {
    {OP_view, "t2,6 [3,4]"},
    {OP_view, "t4 [-1,2]"},
    {OP_view, "t [1,1]"},
    {OP_view, "t0,3 [3,0]"},
    {OP_view_as, "t2,6 t3,4"},
    {OP_transpose, "t2,3,4 i0 i-1"},
    {OP_transpose, "t i0 i-1"},
    {OP_swapaxes, "t2,3 i0 i1"},
    {OP_permute, "t2,3,4 [2,-3,1]"},
    {OP_permute, "t []"},
    {OP_t, "t2,3"},
    {OP_t, "t3"},
    {OP_t, "t"},
    {OP_expand, "t3,1 [2,3,4]"},
    {OP_expand, "t3,1 [-1,4]"},
    {OP_expand, "t [2,0]"},
    {OP_expand, "t1 [0]"},
    {OP_expand_as, "t3,1 t2,3,4"},
    {OP_slice, "t4,5 i1 i1 i-1 i2"},
    {OP_slice, "t4 i0 i-3 o i1"},
    {OP_slice, "t0,3 i0 o o i1"},
    {OP_slice, "t4 i0 i3 i1 i1"},
    {OP_select, "t4,5 i-1 i-2"},
    {OP_select, "t3 i0 i1"},
    {OP_narrow, "t4,5 i1 i2 i2"},
    {OP_narrow, "t4,5 i-2 i-3 i2"},
    {OP_narrow, "t4 i0 i4 i0"},
    {OP_unsqueeze, "t2,3 i-2"},
    {OP_unsqueeze, "t i0"},
    {OP_squeeze, "t1,3,1"},
    {OP_squeeze_dim, "t1,3,1 i-1"},
    {OP_squeeze_dim, "t2,3 i0"},
    {OP_diagonal, "t3,4 i0 i0 i1"},
    {OP_diagonal, "t3,4,2 i-1 i-1 i0"},
    {OP_diagonal, "t3,4 i9 i0 i1"},
    {OP_unfold, "t2,7 i1 i3 i2"},
    {OP_unfold, "t7 i0 i3 i1"},
    {OP_unfold, "t i0 i1 i1"},
    {OP_as_strided, "@t3,4 [2,2] [1,4] i3"},
    {OP_as_strided, "@t3,4 [2,3,2] [1,1,4] o"},
    {OP_as_strided, "@t6 [] [] i4"},
    {OP_as_strided, "@t3,4 [3] [0] i5"},
    {OP_as_strided, "@t2,3 [0,2] [1,1] o"},
    {OP_alias, "t2,3"},
    {OP_movedim, "t2,3,4 [0,-1] [1,0]"},
    {OP_unbind, "t3,2 i0"},
    {OP_unbind, "t2,3 i-1"},
    {OP_unbind, "t0,3 i1"},
    {OP_split, "t5,2 i2 i0"},
    {OP_split, "t2,5 i3 i-1"},
    {OP_split_with_sizes, "t5,2 [1,0,4] i0"},
    {OP_chunk, "t7 i3 i0"},
    {OP_chunk, "t2,0 i2 i1"},

    {OP_clone, "t2,3"},
    {OP__to_copy, "t2,3 o"},
    {OP__contiguous_copy, "t2,3"},
    {OP__linked, "t2,3 t2,3"},
    {OP__reshape_copy, "t2,6 [4,3]"},
    {OP__reshape_copy, "t0,2 [0]"},
    {OP_copy, "t2,3 t2,3"},
    {OP_copy, "t2,3 t3"},
    {OP_copy, "t2,3 t"},
    {OP_fill_Scalar, "t2,3 s0.5"},
    {OP_fill_Tensor, "t2,3 t"},
    {OP_zero, "t2,3"},
    {OP_index, "t3,4 {L2,2:0,2,-1,0}"},
    {OP_index, "t3,4,2 {o;L2:1,1;L2:0,1}"},
    {OP_index, "t3,4,2 {L2:0,2;o;L1:1}"},
    {OP_index, "t3,4 {m3}"},
    {OP_index, "t3,4 {m3,4}"},
    {OP_index, "t0,4 {L0:}"},
    {OP__index_put, "t3,4 {L2:0,2} t2,4 b0"},
    {OP__index_put, "t3,4 {L3:0,2,0} t3,4 b1"},
    {OP__index_put, "t3,4 {o;L2:3,1} t2 b0"},
    {OP__index_put, "t3,4 {L2:0,1;L2:1,1} t b1"},
    {OP_gather, "t3,4 i1 L3,2:0,3,1,1,2,0 o"},
    {OP_gather, "t4 i0 L3:0,0,3 o"},
    {OP_gather, "t3,4 i0 L1,0: o"},
    {OP_scatter_src, "t3,4 i1 L3,2:0,3,1,2,2,0 t3,2"},
    {OP_scatter_value, "t3,4 i0 L1,4:0,2,1,1 s0.5"},
    {OP_scatter_add, "t3,4 i0 L2,3:0,0,1,0,2,1 t2,3"},
    {OP_index_select, "t3,4 i1 L3:3,0,3"},
    {OP_index_select, "t4 i0 L0:"},
    {OP_index_add, "t3,4 i1 L2:3,3 t3,2 s1.5"},
    {OP_index_add, "t3,4 i0 L1:1 t1,4 o"},
    {OP_slice_scatter, "t4,5 t4,2 i1 i1 i-1 i2"},
    {OP_select_scatter, "t4,5 t4 i1 i2"},
    {OP_diagonal_scatter, "t3,4 t3 i1 i0 i1"},
    {OP_as_strided_scatter, "@t3,4 t2,2 [2,2] [1,4] i3"},
    {OP_as_strided_scatter, "@t3,4 t2 [2] [5] o"},
    {OP__unfold_grad, "t2,3,3 [2,7] i1 i3 i2"},
    {OP_cat, "{t2,3;t1,3;t0,3} i0"},
    {OP_cat, "{t2,3;t0;t2,1} i-1"},
    {OP_stack, "{t2,3;t2,3} i1"},
    {OP_stack, "{t2,3;t2,3} i-1"},
    {OP_stack, "{t} i0"},
    {OP_flip, "t2,3,4 [0,-1]"},
    {OP_flip, "t2 []"},
    {OP_tril, "t3,4 i-1"},
    {OP_triu, "t2,3,3 i1"},
    {OP_take, "t3,4 L2,2:0,-1,5,5"},
    {OP_take, "t L1:0"},
    {OP_take, "t3,4 L0:"},
    {OP_index_fill_int_Scalar, "t3,4 i1 L2:0,-1 s0.5"},
    {OP_index_fill_int_Scalar, "t i0 L1:0 s0.5"},
    {OP_index_fill_int_Tensor, "t3,4 i0 L2:0,0 t"},
    {OP_index_fill_int_Tensor, "t3,4 i1 L0: t"},
    {OP_index_copy, "t3,4 i1 L2:3,0 t3,2"},
    {OP_index_copy, "t4 i0 L1:2 t"},
    {OP_index_copy, "t i0 L1:0 t1"},
    {OP__masked_select, "t3,4 m3,4 i8"},
    {OP__masked_select, "t4 m3,4 i8"},
    {OP__masked_select, "t3,4 m4 i9"},
    {OP_masked_scatter, "t3,4 m3,4 t9"},
    {OP_masked_scatter, "t3,4 m4 t3,4"},
    {OP_masked_scatter, "t4 m3,4 t2,5"},
    {OP__masked_scatter_grad, "t3,4 m3,4 [9]"},
    {OP__masked_scatter_grad, "t4,3 m4,1 [3,4]"},
    {OP_roll, "t2,3,4 [1,-5] [0,-1]"},
    {OP_roll, "t2,3 [4] []"},
    {OP_roll, "t0,3 [1] [0]"},
    {OP_rot90, "t2,3,4 i1 [0,-1]"},
    {OP_rot90, "t2,3 i-2 o"},
    {OP_rot90, "t2,3 i4 [1,0]"},
    {OP_rot90, "t2,3 i3 o"},
    {OP_repeat, "t2,3 [2,1,3]"},
    {OP_repeat, "t2,3 [1,1]"},
    {OP_repeat, "t2 [2,0]"},
    {OP_repeat, "t [3]"},
    {OP_repeat, "t []"},
    {OP_diag, "t3 i-1"},
    {OP_diag, "t3,4 i1"},
    {OP_diag, "t3,3 i0"},
    {OP_diag, "t3,4 i4"},
    {OP_diag_embed, "t2,3 i1 i0 i-1"},
    {OP_diag_embed, "t3 i-1 o o"},
    {OP_constant_pad_nd, "t2,3 [1,-1] s0.5"},
    {OP_constant_pad_nd, "t2,3 [-1,-1,0,2] o"},
    {OP_constant_pad_nd, "t2,3 [-2,0] o"},
    {OP_sum, "t2,3 o"},
    {OP_sum, "t o"},
    {OP_sum, "t0,3 o"},
    {OP_sum_dim, "t2,3,4 [0,-1] b0 o"},
    {OP_sum_dim, "t2,3,4 [1] b1 o"},
    {OP_sum_dim, "t2,3 [] b0 o"},
    {OP_sum_dim, "t2,0 [1] b0 o"},
    {OP_mean, "t2,3 o"},
    {OP_mean, "t o"},
    {OP_mean_dim, "t2,3,4 [0,-1] b0 o"},
    {OP_mean_dim, "t2,3,4 [1] b1 o"},
    {OP_mean_dim, "t2,3 [] b1 o"},
    {OP_amax, "t2,3 [] b0"},
    {OP_amax, "t2,3,4 [-1,0] b0"},
    {OP_amax, "t2,3 [1] b1"},
    {OP_amax, "t [] b0"},
    {OP_amin, "t2,3 [0] b0"},
    {OP_prod, "t2,3 o"},
    {OP_prod, "tz6 o"},
    {OP_prod, "tz2 o"},
    {OP_prod, "t o"},
    {OP_prod, "t1,1 o"},
    {OP_prod, "t0,2 o"},
    {OP_prod_dim, "t2,3,4 i1 b0 o"},
    {OP_prod_dim, "tz4,3 i-1 b1 o"},
    {OP_prod_dim, "tz3,4 i0 b0 o"},
    {OP_prod_dim, "t2,1 i1 b0 o"},
    {OP_prod_dim, "t2,0 i1 b0 o"},
    {OP_cumsum, "t2,3 i0 o"},
    {OP_cumsum, "t4 i-1 o"},
    {OP_cumsum, "t i0 o"},
    {OP_cumsum, "t0,3 i1 o"},
    {OP_cumprod, "t2,3 i1 o"},
    {OP_cumprod, "tz7 i0 o"},
    {OP_cumprod, "tz4,3 i-1 o"},
    {OP_cumprod, "tz3,4 i0 o"},
    {OP_cumprod, "t i0 o"},
    {OP_cumprod, "t3,1 i1 o"},
    {OP_cumprod, "t0,3 i0 o"},
    {OP_softmax, "t2,3 i1 o"},
    {OP_softmax, "t3,4 i0 o"},
    {OP_softmax, "t i0 o"},
    {OP_softmax, "t0,3 i1 o"},
    {OP_mm, "t2,3 t3,4"},
    {OP_mm, "t2,0 t0,3"},
    {OP_bmm, "t2,2,3 t2,3,4"},
    {OP_bmm, "t0,2,3 t0,3,4"},
    {OP_mv, "t2,3 t3"},
    {OP_dot, "t4 t4"},
    {OP_dot, "t0 t0"},
    {OP_addmm, "t2,4 t2,3 t3,4 s0.5 s1.5"},
    {OP_addmm, "t4 t2,3 t3,4 o o"},
    {OP_addmv, "t2 t2,3 t3 s0.5 s1.5"},
    {OP_addmv, "t t2,3 t3 o o"},
    {OP_addmv, "t2 t2,0 t0 o o"},
    {OP_addbmm, "t2,4 t2,2,3 t2,3,4 s0.5 s1.5"},
    {OP_addbmm, "t4 t2,2,3 t2,3,4 o o"},
    {OP_baddbmm, "t2,2,4 t2,2,3 t2,3,4 s0.5 s1.5"},
    {OP_baddbmm, "t4 t2,2,3 t2,3,4 o o"},
    {OP_max, "t2,3"},
    {OP_max, "t"},
    {OP_min, "t2,3"},
    {OP__take_dim, "t3,4 i1 L3,1:0,3,1"},
    {OP__take_dim, "t3,4 i0 L4:0,2,1,1"},
    {OP__take_dim, "t i0 L:0"},
    {OP__take_dim, "t3,2 i0 L3,2:2,1,0,0,1,2"},
    {OP__take_scan, "t4 i0 L4:0,0,2,2"},
    {OP__take_scan, "t2,3 i-1 L2,3:0,0,2,0,1,1"},
    {OP__take_scan, "t i0 L:0"},
    {OP_var_correction, "t2,3 o i1 b0"},
    {OP_var_correction, "t2,3,4 [0,-1] i0 b0"},
    {OP_var_correction, "t2,3 [1] i1 b1"},
    {OP_std_correction, "t2,3 o i0 b0"},
    {OP_std_correction, "t2,3,4 [1] i1 b0"},
    {OP_norm_Scalar, "t2,3 s2"},
    {OP_norm_Scalar, "t s3"},
    {OP_norm_dim, "t2,3,4 s2 [0,2] b0"},
    {OP_norm_dim, "t2,3 s1 [1] b1"},
    {OP_norm_dim, "t2,3 s3 [0] b0"},
    {OP_norm_dim, "t2,3 s1.5 [0] b0"},
    {OP_norm_dim, "t2,3 s0.5 [1] b0"},
    {OP_norm_dim, "t2,3 sinf [1] b0"},
    {OP_norm_dim, "t2,3 s-inf [0] b0"},
    {OP_logsumexp, "t2,3,4 [0,-1] b0"},
    {OP_logsumexp, "t2,3 [1] b1"},
    {OP_logsumexp, "t [0] b0"},
    {OP_log_softmax, "t2,3 i1 o"},
    {OP_log_softmax, "t3,4 i0 o"},
    {OP_log_softmax, "t i0 o"},
    {OP_logcumsumexp, "t2,3 i1"},
    {OP_logcumsumexp, "t4 i-1"},
    {OP_logcumsumexp, "t i0"},
    {OP_nansum, "t2,3 [1] b0 o"},
    {OP_put, "t3,4 L2,2:0,-1,5,6 t2,2 b0"},
    {OP_put, "t3,4 L3:1,1,7 t3 b1"},
    {OP_put, "t L1:0 t b0"},
    {OP_put, "t3,4 L0: t0 b1"},
    {OP_addr, "t2,3 t2 t3 s0.5 s1.5"},
    {OP_addr, "t3 t2 t3 o o"},
    {OP_addr, "t t2 t0 o o"},
    {OP_embedding, "t4,3 L2,2:0,2,2,1 o o o"},
    {OP_embedding, "t4,3 L3:3,1,3 o b0 o"},
    {OP_embedding, "t4,0 L2:0,1 o o o"},
    {OP_embedding, "t4,2 L:1 o o o"},
    {OP__embedding_grad, "t2,2,3 L2,2:0,2,2,1 i4 i2 b0"},
    {OP__embedding_grad, "t3,3 L3:3,1,3 i4 i-1 b0"},
    {OP_mse_loss, "t2,3 t2,3 i1"},
    {OP_mse_loss, "t2,3 t3 i2"},
    {OP_mse_loss, "t2,1 t3 i0"},
    {OP_mse_loss, "t t i1"},
    {OP_mse_loss, "t0 t0 i2"},
    {OP_avg_pool2d, "t2,2,5,4 [2,3] o o b0 b1 o"},
    {OP_avg_pool2d, "t2,5,4 [3] [2,1] [1] b1 b0 o"},
    {OP_avg_pool2d, "t1,4,4 [2] [3] [1,0] b1 b1 i-3"},
    {OP_avg_pool2d, "t0,2,3,3 [2] [1] o b0 b1 o"},
    {OP__avg_pool2d_grad, "t2,2,1 t2,5,4 [2,3] [2,3] [0,0] b0 b1 o"},
    {OP__take_plane, "t2,3,4 L2,2,1:0,11,5,5"},
    {OP__take_plane, "t1,2,2,2 L1,2,1,2:3,3,0,2"},
    {OP__max_pool2d_grad, "t2,2,1 t2,3,4 L2,2,1:0,11,5,5"},
    {OP__convolution, "t2,4,5,3 t4,2,3,2 t4 [2,1] [1,0] [1,1] i2"},
    {OP__convolution, "t1,2,6 t3,2,2 o [1] [1] [2] i1"},
    {OP__convolution, "t0,1,3,3 t2,1,1,1 t2 [1] [0] [1] i1"},
    {OP__conv_grad_input, "t1,2,3,2 t2,1,2,1 L1,2,2,2:0,0,0,0,0,0,0,0 [1] [1,0] [1] i2"},
    {OP__conv_grad_weight, "t1,2,2,2 t1,2,3,2 L2,1,2,1:0,0,0,0 [1] [0] [1] i2"},
    {OP__conv_grad_bias, "t2,3,2,2 L1:0 L1:0"},
    {OP__conv_grad_bias, "t2,3,2 L1:0 L1:0"},
    {OP__nll_loss, "t3,4 L3:0,3,1 o i1 i-100"},
    {OP__nll_loss, "t3,4 L3:0,3,1 o i0 i3"},
    {OP__nll_loss, "t4 L:2 o i2 i-100"},
    {OP__nll_loss, "t0,4 L0: o i2 i-100"},
    {OP__nll_loss_grad, "t t3,4 L3:0,3,1 o i1 i-100"},
    {OP__nll_loss_grad, "t3 t3,4 L3:0,3,1 o i0 i3"},
    {OP_layer_norm, "t2,3,4 [4] t4 t4 o o"},
    {OP_layer_norm, "t2,3,4 [3,4] o t3,4 o o"},
    {OP_layer_norm, "t5 [5] t5 o o o"},
    {OP_layer_norm, "t0,3 [3] t3 t3 o o"},
    {OP_scatter_reduce_two, "t3,4 i0 L2,4:0,2,1,0,0,2,2,0 t2,4 qsum b1"},
    {OP_scatter_reduce_two, "t3,4 i0 L2,4:0,2,1,0,0,2,2,0 t2,4 qprod b1"},
    {OP_scatter_reduce_two, "t3,4 i0 L2,4:0,2,1,0,0,2,2,0 t2,4 qmean b1"},
    {OP_scatter_reduce_two, "t3,4 i0 L2,4:0,2,1,0,0,2,2,0 t2,4 qamax b1"},
    {OP_scatter_reduce_two, "t3,4 i0 L2,4:0,2,1,0,0,2,2,0 t2,4 qamin b0"},
    {OP_scatter_reduce_two, "t4 i0 L3:1,1,3 t3 qmean b0"},
    {OP_scatter_reduce_two, "t4 i0 L3:1,1,3 tz3 qprod b0"},
    {OP_scatter_reduce_two, "t4 i0 L3:1,1,3 t3 qsum b0"},
    {OP_nansum, "t2,3 o b0 o"},
    {OP_trace, "t3,4"},
    {OP_trace, "t0,2"},
    /* pointwise rows with arguments that operands do not show */
    {OP_div_Tensor_mode, "t2,3 t3 o"},
    {OP_div_Tensor_mode, "t2,3 t3 qfloor"},
    {OP_div_Tensor_mode, "t2,3 t qtrunc"},
    {OP_div_Scalar_mode, "t2,3 s0.7 qfloor"},
    {OP_div_Scalar_mode, "t2,3 s0.7 o"},
    {OP_clamp, "t2,3 s-0.5 s0.9"},
    {OP_clamp, "t2,3 o s0.9"},
    {OP_clamp, "t2,3 s0.1 o"},
    {OP_clamp, "t2,3 s0.9 s-0.5"},
    {OP_clamp_Tensor, "t2,3 t3 t2,3"},
    {OP_clamp_Tensor, "t2,3 o t3"},
    {OP_clamp_Tensor, "t3 t2,3 o"},
    {OP_pow_Tensor_Scalar, "t2,3 s0"},
    {OP_pow_Tensor_Scalar, "t2,3 s2"},
    {OP_pow_Tensor_Scalar, "t2,3 s-1.5"},
    {OP_pow_Scalar, "s0 t2,3"},
    {OP_pow_Scalar, "s1.5 t2,3"},
    {OP_gelu, "t2,3 qtanh"},
    {OP_gelu, "t3 qnone"},
    {OP_hardtanh, "t2,3 o o"},
    {OP_hardtanh, "t2,3 s-0.5 s1.9"},
    {OP_elu, "t2,3 s0.5 s2 s1.5"},
    {OP__elu_result, "t2,3 s0.5 s2 s1.5"},
    {OP_leaky_relu, "t2,3 s-0.5"},
    {OP_leaky_relu, "t2,3 o"},
    {OP_softplus, "t2,3 s2 s1"},
    {OP_softplus, "t2,3 o o"},
    {OP_threshold, "t2,3 s-0.5 s3"},
    {OP_lerp_Scalar, "t2,3 t3 s0.25"},
    {OP_xlogy_Scalar_Self, "s0 t2,3"},
};

/* ---- arguments ---- */

typedef enum Layout {
    LAYOUT_CONTIGUOUS,
    LAYOUT_TRANSPOSED,
    LAYOUT_STEPPED,
    LAYOUT_EXPANDED,
    LAYOUT_COUNT
} Layout;

typedef struct Builder {
    Arena *arena;
    Layout layout;
    bool positive;    /* the op's domain: above 0 */
    bool unit;        /* between -1 and 1 */
    bool sees_layout; /* `@` */
    int tensors;      /* made so far */
} Builder;

/* Distinct values, none near an integer, a half or another one. */
static double smooth_value(const Builder *b, int64_t i) {
    int64_t k = (i * 7 + b->tensors * 5) % 23;
    double v = 0.31 + 0.083 * (double)k + 0.0137 * b->tensors;
    v = b->unit ? v / 3 : v;
    return !b->positive && (i + b->tensors) % 3 == 1 ? -v : v;
}

/* Sets strides of a layout for the sizes of `t`; allocates. */
static void lay_out(Arena *arena, Tensor *t, Layout layout) {
    Error err = {0};
    if (layout == LAYOUT_TRANSPOSED) {
        int64_t stride = 1;
        for (int d = 0; d < t->ndim; d++) {
            t->stride[d] = stride;
            stride *= max_i64(t->size[d], 1);
        }
    }
    if (layout == LAYOUT_STEPPED) {
        for (int d = 0; d < t->ndim; d++) {
            t->stride[d] *= 2;
        }
        t->offset = 3;
    }
    if (layout == LAYOUT_EXPANDED) {
        for (int d = 0; d < t->ndim; d++) {
            if (t->size[d] > 1) {
                t->stride[d] = 0;
                break;
            }
        }
    }
    Tensor whole = *t;
    int64_t extent;
    CHECK(tensor_extent(t, &extent));
    extent = max_i64(extent, t->offset) + 8;
    tensor_set_contiguous(&whole, t->dtype, &extent, 1);
    CHECK(tensor_allocate(&whole, arena, NULL, &err) == ERR_none);
    t->storage = whole.storage;
}

/* One tensor word at *at; NULL for `o`. Differentiable ones have dtype float64. */
static Tensor *read_tensor(Builder *b, const char **at) {
    char kind = *(*at)++;
    if (kind == 'o') {
        return NULL;
    }
    CHECK(kind == 't' || kind == 'L' || kind == 'm');
    bool zeros = kind == 't' && **at == 'z';
    *at += zeros;
    int64_t size[MAX_DIMS], values[32];
    int n = read_ints(at, size, MAX_DIMS);
    Tensor *t = arena_new(b->arena, Tensor);
    tensor_set_contiguous(t, kind == 't' ? DT_float64 : kind == 'L' ? DT_int64 : DT_bool, size, n);
    lay_out(b->arena, t, kind == 't' ? b->layout : LAYOUT_CONTIGUOUS);
    int nvalues = 0;
    if (kind == 'L') {
        (*at)++;
        nvalues = read_ints(at, values, 32);
        CHECK(nvalues == tensor_numel(t));
    }
    const Tensor *one[1] = {t};
    int64_t i = 0;
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w), i++) {
        if (kind == 't') {
            bool zero = zeros && (i == 1 || i == 4 || i == 5);
            element_store_double(t->storage->data, DT_float64, w.at[0],
                                 zero ? 0 : smooth_value(b, i));
        } else {
            element_store_int(t->storage->data, t->dtype, w.at[0],
                              kind == 'L' ? values[i] : i % 3 != 1);
        }
    }
    b->tensors++;
    return t;
}

static void read_arg(Builder *b, const Param *p, Arg *arg, const char **at) {
    while (**at == ' ') {
        (*at)++;
    }
    if (p->type != ARG_TENSORS_OPT && p->type != ARG_TENSORS && **at == 'o') {
        (*at)++;
        if (p->has_default) {
            *arg = p->def;
        } else {
            arg->none = true;
        }
        return;
    }
    arg->none = false;
    int64_t v[MAX_DIMS];
    switch (p->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        arg->tensor = read_tensor(b, at);
        break;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        CHECK(**at == '{');
        arg->tensors.v = arena_array(b->arena, Tensor *, 8);
        arg->tensors.n = 0;
        while (**at != '}') {
            (*at)++;
            arg->tensors.v[arg->tensors.n++] = read_tensor(b, at);
        }
        (*at)++;
        break;
    case ARG_INTS:
    case ARG_INTS_OPT:
        CHECK(**at == '[');
        (*at)++;
        arg->ints.n = read_ints(at, v, MAX_DIMS);
        arg->ints.v = arena_copy(b->arena, v, (int64_t)sizeof v);
        CHECK(**at == ']');
        (*at)++;
        break;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT: {
        CHECK(**at == 's');
        char *end;
        arg->scalar = scalar_float(strtod(*at + 1, &end));
        *at = end;
        break;
    }
    case ARG_INT:
    case ARG_INT_OPT:
    case ARG_BOOL: {
        CHECK(**at == (p->type == ARG_BOOL ? 'b' : 'i'));
        char *end;
        int64_t value = strtol(*at + 1, &end, 10);
        *at = end;
        if (p->type == ARG_BOOL) {
            arg->b = value != 0;
        } else {
            arg->i = value;
        }
        break;
    }
    case ARG_STR:
    case ARG_STR_OPT: {
        CHECK(**at == 'q');
        char *text = arena_strdup(b->arena, *at + 1);
        text[strcspn(text, " ")] = '\0';
        *at += 1 + strlen(text);
        arg->str = text;
        break;
    }
    default:
        ck_abort_msg("an argument of an unknown kind");
    }
}

static Call read_case(Builder *b, OpId id, const char *text) {
    Call call = call_new(id);
    const char *at = text;
    b->tensors = 0;
    b->sees_layout = *at == '@';
    at += b->sees_layout;
    for (int i = 0; i < call.op->nparam && at[strspn(at, " ")]; i++) {
        read_arg(b, &call.op->param[i], &call.arg[i], &at);
    }
    CHECK(at[strspn(at, " ")] == '\0');
    return call;
}

/* The text of a POINTWISE row's call: `size` for its first tensor, `other` for the rest. */
static void pointwise_text(const OpInfo *op, const char *size, const char *other, char *text,
                           size_t room) {
    bool first = true;
    text[0] = '\0';
    for (int i = 0; i < op->nparam; i++) {
        const Param *p = &op->param[i];
        size_t used = strlen(text);
        const char *of = first ? size : other;
        switch (p->type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT: {
            bool mask = strcmp(p->name, "condition") == 0 || strcmp(p->name, "mask") == 0;
            bool single = op->id == OP_masked_fill_Tensor && strcmp(p->name, "value") == 0;
            snprintf(text + used, room - used, "%s%s ", mask ? "m" : "t", single ? "" : of);
            first = false;
            break;
        }
        case ARG_SCALAR:
        case ARG_SCALAR_OPT:
            snprintf(text + used, room - used, "s1.37 ");
            break;
        case ARG_STR:
        case ARG_FLOAT_OPT:
        case ARG_STR_OPT:
            snprintf(text + used, room - used, "o ");
            break;
        default:
            ck_abort_msg("%s: unknown argument kind of %s", op->id_name, p->name);
        }
    }
}

/* ---- one check ---- */

static bool is_positive_op(OpId id) {
    static const OpId list[] = {OP_log,
                                OP_sqrt,
                                OP_rsqrt,
                                OP_pow_Tensor_Tensor,
                                OP_pow_Tensor_Scalar,
                                OP_pow_Scalar,
                                OP_log1p,
                                OP_log2,
                                OP_log10,
                                OP_xlogy_Tensor,
                                OP_xlogy_Scalar_Self,
                                OP_xlogy_Scalar_Other};
    for (int k = 0; k < COUNT_OF(list); k++) {
        if (list[k] == id) {
            return true;
        }
    }
    return false;
}

static void apply(Emit *e, const Call *call, Tensor **out, int *n) {
    emit_call(e, call, out, n);
    ck_assert_msg(e->err->code == ERR_none, "%s: %s: %s", call->op->id_name,
                  errcode_name(e->err->code), e->err->text);
}

/* Weights of the loss sum(w * out); out[k] of a case that leaves it out is undefined. */
static double weight(int k, int64_t i) { return 0.25 * (double)((i * 5 + k * 3) % 9) - 0.875; }

static Tensor *weights(Arena *arena, const Tensor *like, int k) {
    Error err = {0};
    Tensor *t = arena_new(arena, Tensor);
    tensor_set_contiguous(t, like->dtype, like->size, like->ndim);
    CHECK(tensor_allocate(t, arena, NULL, &err) == ERR_none);
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        element_store_double(t->storage->data, t->dtype, i, weight(k, i));
    }
    return t;
}

/* A copy of the call whose slots are the given tensors. */
static Call with_slots(Arena *arena, const Call *call, Tensor **slot) {
    Call copy = *call;
    for (int i = 0, n = 0; i < call->op->nparam; i++) {
        ArgType type = call->op->param[i].type;
        if (type == ARG_TENSOR || type == ARG_TENSOR_OPT) {
            copy.arg[i].tensor = slot[n++];
        } else if (type == ARG_TENSORS || type == ARG_TENSORS_OPT) {
            copy.arg[i].tensors.v =
                arena_copy(arena, slot + n, (int64_t)sizeof *slot * call->arg[i].tensors.n);
            n += call->arg[i].tensors.n;
        }
    }
    return copy;
}

/* A fresh tensor with t's values: row-major, or in t's own layout. */
static Tensor *duplicate(Arena *arena, const Tensor *t, bool keep_layout) {
    Tensor *copy = arena_copy(arena, t, (int64_t)sizeof *t);
    if (keep_layout) {
        copy->storage = storage_new(arena, t->dtype, t->storage->numel);
    } else {
        Error err = {0};
        tensor_set_contiguous(copy, t->dtype, t->size, t->ndim);
        CHECK(tensor_allocate(copy, arena, NULL, &err) == ERR_none);
    }
    tensor_copy_data(copy, t, NULL);
    return copy;
}

/* Can the op take its operand in this layout? view may not; as_strided of an overlapping self has
 * no differences by element, and PyTorch has as_strided_scatter of contiguous tensors only. */
static bool layout_applies(Emit *e, const Call *call, Layout layout) {
    switch (call->op->id) {
    case OP_as_strided:
        return layout != LAYOUT_EXPANDED;
    case OP_as_strided_scatter:
        return layout == LAYOUT_CONTIGUOUS;
    case OP_view:
    case OP_view_as: {
        Error err = {0};
        Infer r = {.arena = e->arena, .err = &err};
        return call->op->infer(call, &r) == ERR_none || layout == LAYOUT_CONTIGUOUS;
    }
    default:
        return true;
    }
}

static Builder case_builder(Arena *arena, OpId id, Layout layout) {
    return (Builder){.arena = arena,
                     .layout = layout,
                     .positive = is_positive_op(id),
                     .unit = id == OP_asin || id == OP_acos};
}

/* Every case of a row; it must have one. */
static void each_case(const OpInfo *op, void (*check)(OpId id, const char *text)) {
    bool tested = false;
    for (int k = 0; k < COUNT_OF(cases); k++) {
        if (cases[k].id == op->id) {
            check(op->id, cases[k].text);
            tested = true;
        }
    }
    if (op->kind == KIND_POINTWISE) {
        static const char *const sizes[][2] = {{"2,3", "2,3"}, {"2,3", "3"}, {"3", "2,1"},
                                               {"2,3", ""},    {"", ""},     {"", "2"},
                                               {"0,3", "3"}};
        for (int k = 0; k < COUNT_OF(sizes); k++) {
            char text[128];
            pointwise_text(op, sizes[k][0], sizes[k][1], text, sizeof text);
            check(op->id, text);
        }
        tested = true;
    }
    ck_assert_msg(tested, "no case for %s: add a line to `cases`", op->id_name);
}

#endif
