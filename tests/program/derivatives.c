/* Every derivative rule of the op table against central differences in float64
 * (tests/support/derivative_cases.h). The test iterates over all op ids, so a new row is always
 * covered.
 *
 * The `saves` column is tested too: values that it does not name are removed before the rule runs
 * (metadata stays), so a wrong column crashes. Second derivatives:
 * tests/reference/second_derivatives.c. */
#include "tests/support/derivative_cases.h"

/* ---- one check ---- */

static double loss(Emit *e, const Call *call, unsigned defined) {
    Tensor *out[MAX_OUTPUTS];
    int n;
    apply(e, call, out, &n);
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const Tensor *one[1] = {out[k]};
        int64_t i = 0;
        for (Walk w = walk_start(out[k]->size, out[k]->ndim, one, 1);
             walk_more(&w) && (defined >> k & 1); walk_next(&w), i++) {
            sum += weight(k, i) * element_double(out[k]->storage->data, out[k]->dtype, w.at[0]);
        }
    }
    return sum;
}

static Tensor *without_data(Arena *arena, const Tensor *t) {
    Tensor *copy = arena_copy(arena, t, (int64_t)sizeof *t);
    copy->storage = NULL;
    return copy;
}

/* Runs the rule with gradients for the outputs in `defined`, with only slot `only` needed (-1:
 * all). */
static void run_rule(Emit *e, const Call *call, Tensor *const *result, int nresult,
                     unsigned defined, const bool *need, Tensor **answer) {
    Tensor *slot[MAX_SLOTS], *kept[MAX_SLOTS], *grads[MAX_OUTPUTS], *results[MAX_OUTPUTS];
    int nslot = call_slots(call, slot);
    for (int k = 0; k < nslot; k++) {
        kept[k] =
            slot[k] && !call_saves_slot(call, k, need) ? without_data(e->arena, slot[k]) : slot[k];
        answer[k] = NULL;
    }
    Call saved = with_slots(e->arena, call, kept);
    for (int k = 0; k < nresult; k++) {
        grads[k] = defined >> k & 1 ? weights(e->arena, result[k], k) : NULL;
        results[k] = op_saves_result(call, need) ? result[k] : without_data(e->arena, result[k]);
    }
    Grad g = {.e = e,
              .call = &saved,
              .result = results,
              .nresult = nresult,
              .grad = grads,
              .need = need,
              .out = answer,
              .nslot = nslot};
    call->op->grad(&g);
    for (int k = 0; k < nslot; k++) {
        answer[k] = slot[k] ? grad_finish(e, answer[k], slot[k]) : NULL;
    }
    ck_assert_msg(e->err->code == ERR_none, "%s: %s: %s", call->op->id_name,
                  errcode_name(e->err->code), e->err->text);
}

static bool close_enough(double a, double b) {
    return fabs(a - b) <= 2e-6 * (1 + fabs(a) + fabs(b));
}

/* Compares the gradient of slot k with differences of the loss. */
static void compare_slot(Emit *e, const Call *call, const Builder *b, unsigned defined, int k,
                         const Tensor *answer, const char *text) {
    const double h = 1e-6;
    Tensor *slot[MAX_SLOTS], *fresh[MAX_SLOTS];
    int nslot = call_slots(call, slot);
    ck_assert_msg(answer != NULL, "%s (%s): no gradient of slot %d", call->op->id_name, text, k);
    ck_assert(tensor_same_size(answer, slot[k]) && answer->dtype == slot[k]->dtype);
    for (int j = 0; j < nslot; j++) {
        fresh[j] = slot[j] && slot[j]->dtype == DT_float64
                       ? duplicate(e->arena, slot[j], b->sees_layout)
                       : slot[j];
    }
    Call moved = with_slots(e->arena, call, fresh);
    const Tensor *pair[2] = {fresh[k], answer};
    for (Walk w = walk_start(fresh[k]->size, fresh[k]->ndim, pair, 2); walk_more(&w);
         walk_next(&w)) {
        double *x = (double *)fresh[k]->storage->data + w.at[0], kept = *x;
        *x = kept + h;
        double up = loss(e, &moved, defined);
        *x = kept - h;
        double down = loss(e, &moved, defined);
        *x = kept;
        double expected = (up - down) / (2 * h),
               got = element_double(answer->storage->data, answer->dtype, w.at[1]);
        ck_assert_msg(close_enough(expected, got),
                      "%s (%s), layout %d, slot %d: differences give %.9g, the rule %.9g",
                      call->op->id_name, text, (int)b->layout, k, expected, got);
    }
}

static void check_case(OpId id, const char *text) {
    for (Layout layout = LAYOUT_CONTIGUOUS; layout < LAYOUT_COUNT; layout++) {
        Arena arena = ARENA_EMPTY;
        Error err = {0};
        ExecEmit exec = exec_emit(&arena, &err);
        Emit *e = &exec.emit;
        Builder b = case_builder(&arena, id, layout);
        Call call = read_case(&b, id, text);
        if (!layout_applies(e, &call, layout)) {
            arena_destroy(&arena);
            continue;
        }
        if (id == OP_index) { /* rules see indices as recorded: with masks expanded */
            ck_assert(emit_expand_masks(e, call.arg[0].tensor, &call.arg[1], &call.arg[1]) ==
                      ERR_none);
        }
        Tensor *slot[MAX_SLOTS], *out[MAX_OUTPUTS], *answer[MAX_SLOTS];
        bool all[MAX_SLOTS];
        int nslot = call_slots(&call, slot), n;
        bool only_self = call.op->kind == KIND_VIEW || call.op->kind == KIND_MULTI_VIEW;
        for (int k = 0; k < nslot; k++) {
            all[k] = slot[k] && slot[k]->dtype == DT_float64 && (!only_self || k == 0);
        }
        apply(e, &call, out, &n);
        for (unsigned defined = 0; defined < 2 && n > 0; defined++) {
            unsigned set = defined == 0 ? ~0u : 1u << (n - 1); /* all outputs, then only the last */
            run_rule(e, &call, out, n, set, all, answer);
            for (int k = 0; k < nslot; k++) {
                if (all[k]) {
                    compare_slot(e, &call, &b, set, k, answer[k], text);
                } else {
                    ck_assert(answer[k] == NULL);
                }
            }
        }
        for (int only = 0; only < nslot && n > 0;
             only++) { /* if only one slot is needed, it gets the same gradient and the others get
                          nothing */
            bool need[MAX_SLOTS] = {false};
            need[only] = all[only];
            if (!all[only]) {
                continue;
            }
            run_rule(e, &call, out, n, ~0u, need, answer);
            for (int k = 0; k < nslot; k++) {
                ck_assert((answer[k] != NULL) == (k == only));
            }
            compare_slot(e, &call, &b, ~0u, only, answer[only], text);
        }
        arena_destroy(&arena);
    }
}

/* ---- the table ---- */

START_TEST(rule_agrees_with_differences) {
    op_table_init();
    const OpInfo *op = op_info((OpId)_i);
    if (!op->grad || op->grad == grad_not_implemented) {
        return;
    }
    each_case(op, check_case);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("derivatives");
    TCase *tcase = tcase_create("rules");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rule_agrees_with_differences, 0, OP_COUNT);
    suite_add_tcase(suite, tcase);
    return run_suite("program/derivatives", suite);
}
