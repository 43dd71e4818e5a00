/* Patterns: each makes the programs that it is there for. */
#include "fuzz/generate/generate.h"
#include "tests/support/runner.h"

#include <stdio.h>
#include <string.h>

enum { N = 1000 };

typedef struct Count {
    int programs, yes, ops;
} Count;

/* Calls `see` on N programs that have this pattern. */
static void of_pattern(const char *name, const char *also,
                       void (*see)(void *user, const Program *p), void *user) {
    char profile[2000];
    snprintf(profile, sizeof profile, "motif=100,mistake=0%s", also);
    for (int i = 0; weight_info(i) != NULL; i++) {
        const WeightInfo *w = weight_info(i);
        if (w->group != NULL && strcmp(w->group, "motif") == 0) {
            snprintf(profile + strlen(profile), sizeof profile - strlen(profile), ",motif.%s=%d",
                     w->name, strcmp(w->name, name) == 0);
        }
    }
    char message[200];
    GenerateOptions options = GENERATE_DEFAULTS;
    ck_assert_msg(generate_profile(&options, profile, message, sizeof message), "%s", message);
    Arena a = ARENA_EMPTY;
    for (uint64_t i = 0; i < N; i++) {
        see(user, generate_program_info(&a, &options, 3, i, NULL));
        arena_reset(&a);
    }
    arena_destroy(&a);
}

/* ---- split and rejoin ---- */

/* Yes: cat or stack after a split. */
static void see_rejoin(void *user, const Program *p) {
    Count *count = user;
    bool split = false, joined = false;
    for (const Stmt *s = p->body.first; s != NULL; s = s->next) {
        if (s->kind == STMT_OP) {
            split = split || s->op->kind == KIND_MULTI_VIEW || s->op->id == OP_tensor_split;
            joined = joined || (split && (s->op->id == OP_cat || s->op->id == OP_stack));
        }
    }
    count->programs++;
    count->yes += joined;
}

START_TEST(rejoin_splits_and_joins) {
    Count with = {0};
    of_pattern("rejoin", "", see_rejoin, &with);
    ck_assert_int_gt(10 * with.yes, 8 * with.programs);
}
END_TEST

/* ---- operands that are computed ---- */

static const Stmt *maker(const Program *p, NameId name) {
    for (const Stmt *s = p->body.first; s != NULL; s = s->next) {
        for (int i = 0; s->kind == STMT_OP && i < s->nout; i++) {
            if (s->out[i] == name) {
                return s;
            }
        }
    }
    return NULL;
}

static bool is_made_by(const Program *p, const Stmt *s, int k, OpId id) {
    const Stmt *by = s->kind == STMT_OP && s->op->nparam > k &&
                             s->op->param[k].type == ARG_TENSOR && s->arg[k].given
                         ? maker(p, s->arg[k].tensor)
                         : NULL;
    return by != NULL && (id == OP_NONE || by->op->id == id);
}

/* Yes: both operands of a binary op are computed; ops: operands
 * that are joined. */
static void see_branches(void *user, const Program *p) {
    Count *count = user;
    bool meet = false;
    for (const Stmt *s = p->body.first; s != NULL; s = s->next) {
        meet = meet || (s->kind == STMT_OP && s->op->class == CLASS_BINARY &&
                        is_made_by(p, s, 0, OP_NONE) && is_made_by(p, s, 1, OP_NONE));
        count->ops += is_made_by(p, s, 0, OP_cat) || is_made_by(p, s, 1, OP_cat);
    }
    count->programs++;
    count->yes += meet;
}

START_TEST(branches_meet_in_one_op) {
    Count with = {0};
    of_pattern("branches", "", see_branches, &with);
    ck_assert_int_gt(10 * with.yes, 8 * with.programs);
    ck_assert_int_gt(with.ops, N / 5);
}
END_TEST

/* Yes: a functional scatter has an expanded base that another statement computes. */
static void see_scatter(void *user, const Program *p) {
    Count *count = user;
    bool any = false;
    for (const Stmt *s = p->body.first; s != NULL; s = s->next) {
        any = any || (s->kind == STMT_OP && !s->op->param[0].writes &&
                      (op_param(s->op, "index") > 0 || op_param(s->op, "indices") > 0 ||
                       op_param(s->op, "src") > 0) &&
                      is_made_by(p, s, 0, OP_expand));
    }
    count->programs++;
    count->yes += any;
}

START_TEST(scatters_into_an_expanded_base) {
    Count with = {0}, without = {0};
    of_pattern("scatter_base", "", see_scatter, &with);
    of_pattern("branches", "", see_scatter, &without);
    ck_assert_int_gt(5 * with.yes, with.programs);
    ck_assert_int_gt(with.yes, 5 * without.yes);
}
END_TEST

/* Yes: a square input that is not row-major, and an op along a dim. */
static void see_laid_out(void *user, const Program *p) {
    Count *count = user;
    bool square = false, along = false;
    for (int i = 0; i < p->ninputs; i++) {
        const Input *in = &p->inputs[i];
        square = square || (in->ndim == 2 && in->size[0] == in->size[1] && in->size[0] > 1 &&
                            in->stride_given && in->stride[0] < in->stride[1]);
    }
    for (const Stmt *s = p->body.first; s != NULL; s = s->next) {
        along = along ||
                (s->kind == STMT_OP && op_param(s->op, "dim") > 0 && is_made_by(p, s, 0, OP_NONE));
    }
    count->programs++;
    count->yes += square && along;
}

START_TEST(an_op_along_a_dim_reads_squares_by_columns) {
    Count with = {0}, without = {0};
    of_pattern("laid_out", "", see_laid_out, &with);
    of_pattern("branches", "", see_laid_out, &without);
    ck_assert_int_gt(8 * with.yes, with.programs);
    ck_assert_int_gt(with.yes, 5 * without.yes);
}
END_TEST

/* Yes: an op on a quotient, a difference or a root of what the op's inverse made. */
static void see_exact(void *user, const Program *p) {
    Count *count = user;
    bool any = false;
    for (const Stmt *s = p->body.first; s != NULL; s = s->next) {
        any = any || is_made_by(p, s, 0, OP_div_Tensor) || is_made_by(p, s, 0, OP_div_Scalar) ||
              is_made_by(p, s, 0, OP_sub_Tensor) || is_made_by(p, s, 0, OP_sqrt);
    }
    count->programs += dtype_is_float(p->inputs[0].dtype);
    count->yes += any && dtype_is_float(p->inputs[0].dtype);
}

START_TEST(exact_results_are_chosen_by) {
    Count with = {0};
    of_pattern("exact_choice", ",integers=0", see_exact, &with);
    ck_assert_int_gt(10 * with.yes, 8 * with.programs);
}
END_TEST

/* Yes: an index without dims takes more values than the code cache has entries. */
static void see_position(void *user, const Program *p) {
    Count *count = user;
    bool many = false;
    for (int i = 0; i < p->ninputs; i++) {
        int64_t seen[65];
        int n = 0;
        for (int k = -1; k < p->nrecalls; k++) {
            const Input *in = k < 0                ? &p->inputs[i]
                              : p->recalls[k].keep ? NULL
                                                   : &p->recalls[k].inputs[i];
            if (in == NULL || in->ndim > 0 || !in->data.given || in->data.is_fill ||
                in->dtype != DT_int64) {
                continue;
            }
            int64_t v = element_int(in->data.data, in->dtype, 0);
            bool known = false;
            for (int j = 0; j < n; j++) {
                known = known || seen[j] == v;
            }
            if (!known && n < COUNT_OF(seen)) {
                seen[n++] = v;
            }
        }
        many = many || n > 8;
    }
    count->programs++;
    count->yes += many;
}

START_TEST(positions_take_more_values_than_the_code_cache_holds) {
    Count with = {0};
    of_pattern("position", "", see_position, &with);
    ck_assert_int_gt(10 * with.yes, with.programs);
}
END_TEST

int main(void) {
    op_table_init();
    Suite *suite = suite_create("patterns");
    TCase *t = tcase_create("patterns");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, rejoin_splits_and_joins);
    tcase_add_test(t, branches_meet_in_one_op);
    tcase_add_test(t, scatters_into_an_expanded_base);
    tcase_add_test(t, an_op_along_a_dim_reads_squares_by_columns);
    tcase_add_test(t, exact_results_are_chosen_by);
    tcase_add_test(t, positions_take_more_values_than_the_code_cache_holds);
    suite_add_tcase(suite, t);
    return run_suite("fuzz/patterns", suite);
}
