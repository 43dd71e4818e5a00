/* Where Python has an op: a method of tensors, an attribute, an operator, a function of torch, or
 * only torch.ops.aten. */
#include "program/print/python.h"

#include "program/ops/functions.h"

#include <string.h>

bool python_is_aten_only(const OpInfo *op) {
    static const char *const names[] = {"slice",
                                        "alias",
                                        "copy",
                                        "fill",
                                        "zero",
                                        "index",
                                        "index_put",
                                        "index_put_",
                                        "rsub",
                                        "constant_pad_nd",
                                        "mse_loss",
                                        "nll_loss",
                                        "avg_pool2d",
                                        "max_pool2d_with_indices",
                                        "atleast_1d",
                                        "atleast_2d",
                                        "atleast_3d",
                                        "cartesian_prod",
                                        "linalg_diagonal",
                                        "l1_loss",
                                        "kl_div",
                                        "hinge_embedding_loss",
                                        "margin_ranking_loss",
                                        "poisson_nll_loss",
                                        "glu",
                                        "pixel_shuffle",
                                        "pixel_unshuffle",
                                        "as_strided_copy",
                                        "smooth_l1_loss",
                                        "huber_loss",
                                        "soft_margin_loss",
                                        "binary_cross_entropy",
                                        "binary_cross_entropy_with_logits",
                                        "nll_loss2d",
                                        "nll_loss_nd",
                                        "cross_entropy_loss",
                                        "cosine_embedding_loss",
                                        "triplet_margin_loss",
                                        "pairwise_distance",
                                        "cosine_similarity",
                                        "cdist",
                                        "batch_norm",
                                        "instance_norm",
                                        "group_norm",
                                        "rms_norm",
                                        "pad",
                                        "reflection_pad1d",
                                        "reflection_pad2d",
                                        "reflection_pad3d",
                                        "replication_pad1d",
                                        "replication_pad2d",
                                        "replication_pad3d",
                                        "adaptive_avg_pool2d",
                                        "adaptive_avg_pool3d",
                                        "adaptive_max_pool2d",
                                        "adaptive_max_pool3d",
                                        "avg_pool3d",
                                        "max_pool3d_with_indices",
                                        "im2col",
                                        "col2im",
                                        "channel_shuffle",
                                        "one_hot",
                                        "renorm",
                                        "ldexp",
                                        "linalg_cross",
                                        "linalg_vector_norm",
                                        "scaled_dot_product_attention",
                                        "tensordot",
                                        "block_diag"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(names[i], op->name) == 0) {
            return true;
        }
    }
    if (strncmp(op->name, "special_", 8) == 0 || strncmp(op->name, "upsample_", 9) == 0 ||
        op->infer == infer_view_copy) {
        return true;
    }
    static const char *const activations[] = {
        "elu",         "gelu", "hardsigmoid", "hardswish", "hardtanh",  "leaky_relu",
        "log_sigmoid", "mish", "silu",        "softplus",  "threshold", "softshrink",
        "celu",        "selu", "relu6"}; /* and their in-place forms */
    for (int i = 0; i < COUNT_OF(activations); i++) {
        size_t length = strlen(activations[i]);
        if (strncmp(activations[i], op->name, length) == 0 &&
            (op->name[length] == '\0' || strcmp(op->name + length, "_") == 0)) {
            return true;
        }
    }
    return false;
}

bool python_is_functional(const OpInfo *op) {
    static const char *const names[] = {"linear", "local_response_norm", "gaussian_nll_loss",
                                        "multi_head_attention_forward"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(names[i], op->name) == 0) {
            return true;
        }
    }
    return false;
}

/* Functions that take `self` first and are not methods. */
static bool is_function(const OpInfo *op) {
    static const char *const names[] = {"avg_pool1d",
                                        "max_pool1d",
                                        "max_pool2d",
                                        "max_pool3d",
                                        "rsub",
                                        "adaptive_avg_pool1d",
                                        "adaptive_max_pool1d",
                                        "var_mean",
                                        "std_mean",
                                        "bucketize",
                                        "dropout_",
                                        "feature_dropout_",
                                        "pdist",
                                        "rrelu",
                                        "rrelu_",
                                        "alpha_dropout_",
                                        "feature_alpha_dropout_"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(names[i], op->name) == 0) {
            return true;
        }
    }
    return false;
}

bool python_is_method(const OpInfo *op) {
    bool on_tensor =
        op->nparam > 0 && strcmp(op->param[0].name, "self") == 0 && op->param[0].type == ARG_TENSOR;
    return on_tensor && !is_function(op) &&
           (op->kind != KIND_FACTORY || strncmp(op->name, "new_", 4) == 0);
}

const char *python_attribute(const OpInfo *op) {
    switch (op->id) {
    case OP_numpy_T:
        return "T";
    case OP_mT:
        return "mT";
    case OP_mH:
        return "mH";
    case OP_matrix_H:
        return "H";
    default:
        return NULL;
    }
}

const char *python_operator(const OpInfo *op) {
    static const struct {
        const char *name, *sign;
    } signs[] = {
        {"add", "+"},   {"sub", "-"},    {"mul", "*"},    {"div", "/"},   {"remainder", "%"},
        {"pow", "**"},  {"matmul", "@"}, {"eq", "=="},    {"ne", "!="},   {"lt", "<"},
        {"le", "<="},   {"gt", ">"},     {"ge", ">="},    {"add_", "+="}, {"sub_", "-="},
        {"mul_", "*="}, {"div_", "/="},  {"pow_", "**="},
    };
    for (int i = 0; i < COUNT_OF(signs); i++) {
        if (strcmp(signs[i].name, op->name) == 0) {
            return signs[i].sign;
        }
    }
    return NULL;
}
