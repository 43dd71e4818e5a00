/* Every derivative rule of the op table differentiated: second derivatives against central
 * differences of the first ones, in float64, at smooth points, over the layouts and cases of
 * tests/support/derivative_cases.h.
 *
 * The reference does it: torch.autograd.grad with create_graph, by the operands and by the gradient
 * that was fed,
 *
 *     g = d<v, op(x)>/dx            h = d<u, g>/d(x, v)            differences of <u, g> in every
 *     element of x and v
 *
 * The table is walked by id, so that a new row cannot escape: a rule whose answer cannot be
 * differentiated must say so in `once`. */
#include "reference/dispatch.h"
#include "tests/support/derivative_cases.h"

/* Rows whose second derivative PyTorch does not implement: their rules say so (not_again). */
static const OpId once[] = {OP_hardsigmoid, OP_embedding_bag, OP_embedding_bag_padding_idx,
                            OP_scaled_dot_product_attention,
                            OP_multi_head_attention_forward}; /* fused */

/* Points that are not smooth, or where PyTorch's first derivative is not differentiable and the
 * rule is PyTorch's. */
static const struct {
    OpId id;
    const char *text; /* a part of the case */
    int layout;       /* -1: all */
} rough[] = {
    {OP_amax, "", LAYOUT_EXPANDED},
    {OP_amin, "", LAYOUT_EXPANDED},
    {OP__aminmax_amin, "", LAYOUT_EXPANDED},
    {OP__aminmax_amax, "", LAYOUT_EXPANDED},
    {OP_max, "", LAYOUT_EXPANDED},
    {OP_min, "", LAYOUT_EXPANDED}, /* ties */
    {OP_median, "", LAYOUT_EXPANDED},
    {OP_nanmedian, "", LAYOUT_EXPANDED},
    {OP_pdist, "", LAYOUT_EXPANDED}, /* equal rows */
    {OP_norm_dim, "t2,3 sinf", LAYOUT_EXPANDED},
    {OP_norm_dim, "t2,3 s-inf", LAYOUT_EXPANDED},
    {OP_scatter_reduce_two, "qam", LAYOUT_EXPANDED},
    {OP_index_reduce, "qam", LAYOUT_EXPANDED},
    {OP_prod, "tz2",
     LAYOUT_EXPANDED}, /* two zeros: zeros, says PyTorch, which holds for more than two */
    {OP_pow_Scalar, "s0",
     -1}, /* where(exponent >= 0, 0, result * log 0): the branch not taken is infinite */
};

static bool is_rough(OpId id, const char *text, Layout layout) {
    for (int k = 0; k < COUNT_OF(rough); k++) {
        bool here = rough[k].layout < 0 || rough[k].layout == (int)layout;
        if (rough[k].id == id && here && strstr(text, rough[k].text)) {
            return true;
        }
    }
    return false;
}

static bool only_once(OpId id) {
    for (int k = 0; k < COUNT_OF(once); k++) {
        if (once[k] == id) {
            return true;
        }
    }
    return false;
}

/* One application: the operands and fed gradients as leaves, and what came out. */
typedef struct Comparison {
    Arena *arena;
    Error err;
    RunOptions options;
    Session s;
    Call call;
    Tensor *leaf[MAX_SLOTS + MAX_OUTPUTS]; /* operands that are differentiated, then what is fed */
    int nleaf, noperand;
    Tensor *g[MAX_SLOTS]; /* by operand; NULL: None */
} Comparison;

static Var *make_var(Comparison *t, const Tensor *like, bool leaf) {
    Var *v = var_new(&t->s, like);
    v->requires_grad = leaf;
    if (leaf) {
        t->leaf[t->nleaf++] = &v->tensor;
    }
    return v;
}

/* d<v, op(x)>/dx, where `slot` are the operands' values and `fed` the v's; recorded if it is to be
 * differentiated. */
static void first_derivative(Comparison *t, const Call *call, Tensor *const *slot, int nslot,
                             Tensor *const *fed, bool record) {
    Tensor *var[MAX_SLOTS], *out[MAX_OUTPUTS], *outputs[MAX_OUTPUTS], *feed[MAX_OUTPUTS];
    bool only_self = call->op->kind == KIND_VIEW || call->op->kind == KIND_MULTI_VIEW;
    t->options = (RunOptions){.limits = LIMITS_DEFAULT};
    t->s = session_new(t->arena, &t->err, &t->options, true);
    t->nleaf = 0;
    for (int k = 0; k < nslot; k++) {
        var[k] = slot[k]
                     ? &make_var(t, slot[k], slot[k]->dtype == DT_float64 && (!only_self || k == 0))
                            ->tensor
                     : NULL;
    }
    t->noperand = t->nleaf;
    t->call = with_slots(t->arena, call, var);
    int n = 0, noutputs = 0;
    apply(&t->s.emit, &t->call, out, &n);
    for (int k = 0; k < n; k++) {
        if (dtype_is_float(out[k]->dtype) && var_requires_grad(var_of(out[k]))) {
            outputs[noutputs] = out[k];
            feed[noutputs++] =
                &make_var(t, fed[k] ? fed[k] : weights(t->arena, out[k], k), true)->tensor;
        }
    }
    GradRequest request = {.outputs = outputs,
                           .noutputs = noutputs,
                           .inputs = t->leaf,
                           .ninputs = t->noperand,
                           .grad_outputs = feed,
                           .ngrad_outputs = noutputs,
                           .create_graph = record,
                           .retain_graph = record,
                           .allow_unused = true};
    if (t->noperand > 0 && noutputs > 0) {
        ck_assert_msg(grad_run(&t->s, &request, t->g) == ERR_none, "%s: %s", call->op->id_name,
                      t->err.text);
    }
    if (noutputs == 0) {
        memset(t->g, 0, sizeof t->g);
    }
}

/* Other weights than those that are fed. */
static double second_weight(int k, int64_t i) {
    return 0.125 * (double)((i * 7 + k * 5) % 11) - 0.5625;
}

static double second_loss(const Comparison *t) {
    double sum = 0;
    for (int k = 0; k < t->noperand; k++) {
        const Tensor *g = t->g[k], *one[1] = {g};
        int64_t i = 0;
        if (!g) {
            continue;
        }
        for (Walk w = walk_start(g->size, g->ndim, one, 1); walk_more(&w); walk_next(&w), i++) {
            sum += second_weight(k, i) * element_double(g->storage->data, g->dtype, w.at[0]);
        }
    }
    return sum;
}

/* h, by leaf; NULL: None. False: the row's answer has no derivative, and it says so. */
static bool second_derivative(Comparison *t, Tensor **h) {
    Tensor *outputs[MAX_SLOTS], *feed[MAX_SLOTS];
    int n = 0;
    memset(h, 0, sizeof *h * (size_t)t->nleaf);
    for (int k = 0; k < t->noperand; k++) {
        if (!t->g[k] || !var_requires_grad(var_of(t->g[k]))) {
            continue;
        }
        Tensor *u = weights(t->arena, t->g[k], 0);
        for (int64_t i = 0; i < tensor_numel(u); i++) {
            element_store_double(u->storage->data, u->dtype, i, second_weight(k, i));
        }
        outputs[n] = t->g[k];
        feed[n++] = &var_new(&t->s, u)->tensor;
    }
    GradRequest request = {.outputs = outputs,
                           .noutputs = n,
                           .inputs = t->leaf,
                           .ninputs = t->nleaf,
                           .grad_outputs = feed,
                           .ngrad_outputs = n,
                           .allow_unused = true};
    if (n > 0 && grad_run(&t->s, &request, h) != ERR_none) {
        ck_assert_msg(only_once(t->call.op->id) && t->err.code == ERR_invalid,
                      "%s: the second derivative: %s", t->call.op->id_name, t->err.text);
        return false;
    }
    return true;
}

/* Compares h of one leaf with differences: `moved` is the tensor among `slot` or `fed` that stands
 * for the leaf. */
static void compare_leaf(const Comparison *t, const Call *call, Tensor *const *slot, int nslot,
                         Tensor *const *fed, Tensor *moved, int leaf, const Tensor *h,
                         const char *text, Layout layout) {
    const double step = 1e-6;
    const Tensor *one[1] = {moved};
    int64_t i = 0;
    for (Walk w = walk_start(moved->size, moved->ndim, one, 1); walk_more(&w); walk_next(&w), i++) {
        double *x = (double *)moved->storage->data + w.at[0], kept = *x, loss_at[2];
        for (int side = 0; side < 2; side++) {
            Arena arena = ARENA_EMPTY;
            Comparison again = {.arena = &arena};
            *x = kept + (side == 0 ? step : -step);
            first_derivative(&again, call, slot, nslot, fed, false);
            loss_at[side] = second_loss(&again);
            arena_destroy(&arena);
        }
        *x = kept;
        double expected = (loss_at[0] - loss_at[1]) / (2 * step), got = 0;
        if (h) {
            const Tensor *at[1] = {h};
            int64_t j = 0;
            for (Walk v = walk_start(h->size, h->ndim, at, 1); walk_more(&v); walk_next(&v), j++) {
                got = j == i ? element_double(h->storage->data, h->dtype, v.at[0]) : got;
            }
        }
        bool close = fabs(expected - got) <= 5e-6 * (1 + fabs(expected) + fabs(got));
        ck_assert_msg(close,
                      "%s (%s), layout %d, leaf %d of %d, element %lld: differences give %.9g, the "
                      "rule's derivative %.9g",
                      call->op->id_name, text, (int)layout, leaf, t->nleaf, (long long)i, expected,
                      got);
    }
}

static void check_second(OpId id, const char *text) {
    for (Layout layout = LAYOUT_CONTIGUOUS; layout < LAYOUT_COUNT; layout++) {
        Arena arena = ARENA_EMPTY;
        Comparison t = {.arena = &arena};
        Builder b = case_builder(&arena, id, layout);
        Call call = read_case(&b, id, text);
        Error ignored = {0};
        ExecEmit exec = exec_emit(&arena, &ignored);
        if (!layout_applies(&exec.emit, &call, layout) || is_rough(id, text, layout)) {
            arena_destroy(&arena);
            continue;
        }
        Tensor *slot[MAX_SLOTS], *fresh[MAX_SLOTS], *fed[MAX_OUTPUTS] = {NULL},
                                                    *h[MAX_SLOTS + MAX_OUTPUTS];
        int nslot = call_slots(&call, slot);
        first_derivative(&t, &call, slot, nslot, fed, true);
        if (second_derivative(&t, h)) {
            for (int k = 0; k < nslot; k++) {
                fresh[k] = slot[k] && slot[k]->dtype == DT_float64
                               ? duplicate(&arena, slot[k], b.sees_layout)
                               : slot[k];
            }
            for (int k = t.noperand, at = 0; k < t.nleaf;
                 k++) { /* an output that is not differentiable is fed nothing */
                fed[at++] = duplicate(&arena, t.leaf[k], false);
            }
            for (int k = 0, leaf = 0; k < nslot && leaf < t.noperand; k++) {
                if (slot[k] && slot[k]->dtype == DT_float64) {
                    compare_leaf(&t, &call, fresh, nslot, fed, fresh[k], leaf, h[leaf], text,
                                 layout);
                    leaf++;
                }
            }
            for (int k = t.noperand; k < t.nleaf; k++) {
                compare_leaf(&t, &call, fresh, nslot, fed, fed[k - t.noperand], k, h[k], text,
                             layout);
            }
        }
        arena_destroy(&arena);
    }
}

/* The first derivative of a composite, whose parts have rules, against differences of its value. */
static void check_first(OpId id, const char *text) {
    Arena arena = ARENA_EMPTY;
    Error err = {0};
    Builder b = case_builder(&arena, id, LAYOUT_CONTIGUOUS);
    Call call = read_case(&b, id, text);
    ExecEmit exec = exec_emit(&arena, &err);
    Tensor *slot[MAX_SLOTS], *none[MAX_OUTPUTS] = {NULL};
    int nslot = call_slots(&call, slot);
    Comparison t = {.arena = &arena};
    first_derivative(&t, &call, slot, nslot, none, false);
    for (int k = 0, leaf = 0; k < nslot; k++) {
        if (!slot[k] || slot[k]->dtype != DT_float64) {
            continue;
        }
        double *x = slot[k]->storage->data;
        const Tensor *g = t.g[leaf++];
        for (int64_t i = 0; g && i < tensor_numel(slot[k]); i++) {
            const double step = 1e-6, kept = x[i];
            double sum[2] = {0};
            for (int side = 0; side < 2; side++) {
                Tensor *out[MAX_OUTPUTS];
                int n;
                x[i] = kept + (side == 0 ? step : -step);
                apply(&exec.emit, &call, out, &n);
                for (int o = 0; o < n; o++) {
                    const Tensor *one[1] = {out[o]};
                    int64_t j = 0;
                    for (Walk w = walk_start(out[o]->size, out[o]->ndim, one, 1); walk_more(&w);
                         walk_next(&w), j++) {
                        sum[side] += weight(o, j) *
                                     element_double(out[o]->storage->data, out[o]->dtype, w.at[0]);
                    }
                }
            }
            x[i] = kept;
            const Tensor *at[1] = {g};
            int64_t j = 0;
            double expected = (sum[0] - sum[1]) / (2 * step), got = NAN;
            for (Walk w = walk_start(g->size, g->ndim, at, 1); walk_more(&w); walk_next(&w), j++) {
                got = j == i ? element_double(g->storage->data, g->dtype, w.at[0]) : got;
            }
            ck_assert_msg(fabs(expected - got) <= 2e-6 * (1 + fabs(expected)),
                          "%s (%s), slot %d, element %lld: differences give %.9g, the rules %.9g",
                          call.op->id_name, text, k, (long long)i, expected, got);
        }
    }
    ck_assert_msg(t.noperand > 0, "%s (%s): no operand", call.op->id_name, text);
    arena_destroy(&arena);
}

/* Composites with a line in `cases`: those that are one node in PyTorch, with derivatives of their
 * own. */
START_TEST(composite_is_differentiable) {
    op_table_init();
    for (int k = 0; k < COUNT_OF(cases); k++) {
        if ((int)cases[k].id == _i && op_info(cases[k].id)->kind == KIND_COMPOSITE) {
            check_first(cases[k].id, cases[k].text);
            check_second(cases[k].id, cases[k].text);
        }
    }
}
END_TEST

START_TEST(rule_is_differentiable) {
    op_table_init();
    const OpInfo *op = op_info((OpId)_i);
    if (op->grad && op->grad != grad_not_implemented) {
        each_case(op, check_second);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("second derivatives");
    TCase *tcase = tcase_create("rules");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rule_is_differentiable, 0, OP_COUNT);
    tcase_add_loop_test(tcase, composite_is_differentiable, 0, OP_COUNT);
    suite_add_tcase(suite, tcase);
    return run_suite("reference/second_derivatives", suite);
}
