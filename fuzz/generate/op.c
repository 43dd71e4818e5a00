/* Which op comes next: every row that a program may name, by class, swarm style.
 *
 * Each program switches some ops off and weighs the classes anew (Groce et al., "Swarm testing",
 * 2012), so that a few ops occur together often enough to interact. An op is drawn by rejection:
 * uniform over the table, accepted by the weight of its class. */
#include "fuzz/generate/draw.h"

enum { MAX_WEIGHT = 60 };

_Static_assert(W_class_random - W_class_factory + 1 == CLASS_COUNT, "a weight a class");

static bool switched_off(const Gen *g, OpId id) {
    uint64_t z = (g->op_salt ^ (uint64_t)id) * 0x9E3779B97F4A7C15u;
    z ^= z >> 32;
    return (int)((z * 0xBF58476D1CE4E5B9u >> 40) % 100) < g->op_off;
}

/* Where the swarm has left next to nothing, one that is allowed. */
const OpInfo *draw_op_info(Gen *g) {
    const GenerateOptions *options = g->options;
    for (int i = 0; i < 200; i++) {
        OpId id = options->op[draw_below(g, g->nop)];
        int weight = g->weight[op_class(id)];
        if (weight > 0 && draw_below(g, MAX_WEIGHT) < weight && !switched_off(g, id)) {
            return op_info(id);
        }
    }
    return gen_allows(g, OP_clone) ? op_info(OP_clone)
                                   : op_info(options->op[draw_below(g, g->nop)]);
}

/* The ops of models: compilers know them best, and rewrite them most. */
static const OpId COMMON[] = {OP_add_Tensor,
                              OP_sub_Tensor,
                              OP_mul_Tensor,
                              OP_div_Tensor,
                              OP_add_Scalar,
                              OP_mul_Scalar,
                              OP_maximum,
                              OP_where,
                              OP_exp,
                              OP_log,
                              OP_sqrt,
                              OP_neg,
                              OP_abs,
                              OP_relu,
                              OP_sigmoid,
                              OP_tanh,
                              OP_reciprocal,
                              OP_transpose,
                              OP_permute,
                              OP_t,
                              OP_expand,
                              OP_select,
                              OP_narrow,
                              OP_slice,
                              OP_view,
                              OP_reshape,
                              OP_unsqueeze,
                              OP_squeeze,
                              OP_sum,
                              OP_sum_dim,
                              OP_mean,
                              OP_mean_dim,
                              OP_max_dim,
                              OP_argmax,
                              OP_amax,
                              OP_cumsum,
                              OP_softmax,
                              OP_any,
                              OP_cat,
                              OP_stack,
                              OP_index_select,
                              OP_gather,
                              OP_index_put,
                              OP_index_add,
                              OP_flip,
                              OP_roll,
                              OP_mm,
                              OP_bmm,
                              OP_matmul,
                              OP_linear,
                              OP_addmm,
                              OP_to,
                              OP_masked_fill_Scalar};

/* Ops of floats that PyTorch computes of complex numbers, too: blocks of complex numbers. */
static const OpId COMPLEX[] = {OP_add_Tensor,   OP_sub_Tensor,
                               OP_mul_Tensor,   OP_div_Tensor,
                               OP_add_Scalar,   OP_mul_Scalar,
                               OP_rsub_Scalar,  OP_addcmul,
                               OP_lerp_Scalar,  OP_pow_Tensor_Scalar,
                               OP_neg,          OP_exp,
                               OP_log,          OP_sin,
                               OP_cos,          OP_tanh,
                               OP_sqrt,         OP_rsqrt,
                               OP_reciprocal,   OP_square,
                               OP_abs,          OP_sigmoid,
                               OP_where,        OP_masked_fill_Scalar,
                               OP_sum,          OP_sum_dim,
                               OP_mean,         OP_mean_dim,
                               OP_prod,         OP_cumsum,
                               OP_var_dim,      OP_matmul,
                               OP_mm,           OP_bmm,
                               OP_mv,           OP_addmm,
                               OP_linear,       OP_transpose,
                               OP_permute,      OP_t,
                               OP_expand,       OP_select,
                               OP_narrow,       OP_slice,
                               OP_view,         OP_reshape,
                               OP_unsqueeze,    OP_squeeze,
                               OP_diagonal,     OP_unbind,
                               OP_chunk,        OP_cat,
                               OP_stack,        OP_flip,
                               OP_roll,         OP_clone,
                               OP_index_select, OP_gather,
                               OP_index_put,    OP_index_add,
                               OP_tril,         OP_triu,
                               OP_zeros_like,   OP_ones_like,
                               OP_eq_Tensor,    OP_contiguous,
                               OP_repeat,       OP_flatten,
                               OP_movedim,      OP_detach};

static bool op_writes(const OpInfo *op) {
    for (int i = 0; i < op->nparam; i++) {
        if (op->param[i].writes) {
            return true;
        }
    }
    return false;
}

/* The next op of a block that writes nothing, or of a block of complex numbers. */
static const OpInfo *draw_pure_op(Gen *g) {
    for (int i = 0; i < 50; i++) {
        const OpInfo *op =
            g->complex ? op_info(COMPLEX[draw_below(g, COUNT_OF(COMPLEX))]) : draw_op_info(g);
        if (gen_allows(g, op->id) && !op_writes(op)) {
            return op;
        }
    }
    return op_info(OP_clone);
}

OpId draw_common_op(Gen *g) { return COMMON[draw_below(g, COUNT_OF(COMMON))]; }

static GenVar *try_op(Gen *g, OpId id, GenVar *self) {
    Stmt *s = stmt_op(g, id);
    if (!gen_room(g) || !draw_arguments(g, s, self)) {
        return NULL;
    }
    NameId out = NAME_NONE;
    bool writes = s->op->nparam > 0 && s->op->param[0].writes;
    if (writes && s->op->nreturn != 0 && draw_chance(g, 18)) {
        out = gen_fresh_name(g); /* a second name of the same tensor */
    } else if (!writes && s->op->nreturn == 1 && g->depth == 0 && draw_chance(g, 6)) {
        const GenVar *old = &g->var[draw_below(g, g->nvars > 0 ? g->nvars : 1)];
        if (g->nvars > 0 && !old->dead && !g->base[old->base].input) {
            out = old->name;
        }
    }
    PArg was;
    int k = draw_feature(g, g->w[W_unlike]) ? unlike_operand(g, s, &was) : -1;
    GenVar *v = stmt_commit(g, s, out);
    if (v == NULL && k >= 0) {
        s->arg[k] = was;
        v = stmt_commit(g, s, out);
    }
    return v;
}

GenVar *draw_this_op(Gen *g, OpId id, GenVar *self) {
    for (int i = 0; i < 3; i++) {
        GenVar *v = try_op(g, id, self);
        if (v != NULL) {
            return v;
        }
    }
    return NULL;
}

GenVar *draw_op(Gen *g) {
    const Situations *situation = &g->situation;
    for (int i = 0; i < 6; i++) {
        const OpInfo *op = g->pure ? draw_pure_op(g)
                           : situation->nfew > 0 && draw_chance(g, 85)
                               ? op_info(situation->few[draw_below(g, situation->nfew)])
                               : draw_op_info(g);
        for (int j = 0; j < 2; j++) {
            GenVar *v = try_op(g, op->id, NULL);
            if (v != NULL) {
                return v;
            }
        }
    }
    return NULL;
}
