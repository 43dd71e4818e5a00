/* Situations: each feature of the generator makes the programs that it is there for. */
#include "fuzz/generate/generate.h"
#include "tests/support/runner.h"

#include <stdio.h>
#include <string.h>

enum { N = 1000 };

/* Calls `see` on N programs of the profile. */
static void programs(const char *profile, void (*see)(void *user, const Program *p), void *user) {
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

/* Calls `see` on every op statement of the block, with the one before it. */
static void each_op(const Block *block, void (*see)(void *user, const Stmt *s, const Stmt *before),
                    void *user) {
    const Stmt *before = NULL;
    for (const Stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == STMT_OP) {
            see(user, s, before);
        }
        each_op(&s->body, see, user);
        each_op(&s->orelse, see, user);
        before = s->kind == STMT_OP ? s : NULL;
    }
}

typedef struct Count {
    int programs, yes;
    int op[OP_COUNT], ops;
    int64_t most;
} Count;

/* ---- few ops ---- */

static void count_op(void *user, const Stmt *s, const Stmt *before) {
    Count *count = user;
    (void)before;
    count->op[s->op->id]++;
    count->ops++;
}

/* Yes: the six most frequent ops are three quarters of eight statements or more. */
static void see_few(void *user, const Program *p) {
    Count *count = user, one = {0};
    each_op(&p->body, count_op, &one);
    int sum = 0;
    for (int turn = 0; turn < 6; turn++) {
        int best = 0;
        for (int i = 0; i < OP_COUNT; i++) {
            best = one.op[i] > one.op[best] ? i : best;
        }
        sum += one.op[best];
        one.op[best] = 0;
    }
    if (one.ops >= 8) {
        count->programs++;
        count->yes += 4 * sum >= 3 * one.ops;
    }
}

START_TEST(few_ops_are_most_statements) {
    Count few = {0}, all = {0};
    programs("plain,few_ops=100", see_few, &few);
    programs("plain,few_ops=0", see_few, &all);
    ck_assert_int_gt(few.programs, N / 4);
    ck_assert_int_gt(10 * few.yes, 7 * few.programs);
    ck_assert_int_gt(few.yes * all.programs, 2 * all.yes * few.programs);
}
END_TEST

/* ---- chains and related calls ---- */

static bool reads(const Stmt *s, NameId name) {
    return s->op->nparam > 0 && s->op->param[0].type == ARG_TENSOR && s->arg[0].given &&
           s->arg[0].tensor == name;
}

static void count_chained(void *user, const Stmt *s, const Stmt *before) {
    Count *count = user;
    if (before != NULL && before->nout == 1) {
        count->programs++;
        count->yes += reads(s, before->out[0]);
    }
}
static void see_chain(void *user, const Program *p) { each_op(&p->body, count_chained, user); }

START_TEST(chain_reads_the_last_result) {
    Count with = {0}, without = {0};
    programs("plain,chain=100", see_chain, &with);
    programs("plain,chain=0", see_chain, &without);
    ck_assert_int_gt(3 * with.yes, with.programs);
    ck_assert_int_gt(with.yes * without.programs, 2 * without.yes * with.programs);
}
END_TEST

static bool same_operands(const Stmt *s, const Stmt *t) {
    bool any = false;
    for (int k = 0; k < s->op->nparam && s->op == t->op; k++) {
        if (s->op->param[k].type == ARG_TENSOR) {
            if (s->arg[k].given != t->arg[k].given || s->arg[k].tensor != t->arg[k].tensor) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

static void count_related(void *user, const Stmt *s, const Stmt *before) {
    Count *count = user;
    if (before != NULL) {
        count->programs++;
        if (same_operands(s, before)) {
            count->yes++;
            for (int k = 0; k < s->op->nparam; k++) {
                ArgType type = s->op->param[k].type;
                bool number = type == ARG_SCALAR && s->arg[k].given && before->arg[k].given;
                count->ops +=
                    number && s->arg[k].scalar.kind != before->arg[k].scalar.kind &&
                    scalar_to_double(s->arg[k].scalar) == scalar_to_double(before->arg[k].scalar);
            }
        }
    }
}
static void see_related(void *user, const Program *p) { each_op(&p->body, count_related, user); }

START_TEST(related_calls_share_their_operands) {
    Count with = {0}, without = {0};
    programs("plain,related=100", see_related, &with);
    programs("plain,related=0", see_related, &without);
    ck_assert_int_gt(with.yes * without.programs, 5 * without.yes * with.programs);
    ck_assert_int_gt(with.yes, N / 2);
    ck_assert_int_gt(with.ops, 5); /* equal numbers of different types */
}
END_TEST

/* ---- overwritten operands ---- */

/* Does the op write all of what the one before, which writes nothing, has read? */
static void count_overwritten(void *user, const Stmt *s, const Stmt *before) {
    Count *count = user;
    count->ops++;
    bool writes = before == NULL || before->op->nparam == 0 || before->op->param[0].writes;
    for (int k = 0; !writes && s->op->writes == WRITES_ALL && k < before->op->nparam; k++) {
        const PArg *a = &before->arg[k];
        if (a->given && a->is_tensor && a->tensor == s->arg[0].tensor) {
            count->yes++;
            return;
        }
    }
}
static void see_overwritten(void *user, const Program *p) {
    each_op(&p->body, count_overwritten, user);
}

START_TEST(operands_are_overwritten_after_they_were_read) {
    Count with = {0}, without = {0};
    programs("plain,overwrite=100", see_overwritten, &with);
    programs("plain", see_overwritten, &without);
    ck_assert_int_gt(20 * with.yes, with.ops);
    ck_assert_int_gt(with.yes, 10 * without.yes);
}
END_TEST

/* ---- arguments and inputs ---- */

static bool far(int64_t i) { return i < -90 || i > 90; }

static void count_far(void *user, const Stmt *s, const Stmt *before) {
    Count *count = user;
    (void)before;
    for (int k = 0; k < s->op->nparam; k++) {
        const PArg *a = &s->arg[k];
        ArgType type = s->op->param[k].type;
        if (type == ARG_INT && a->given && s->op->kind != KIND_FACTORY) {
            count->yes += far(a->i.value);
        } else if (type == ARG_INDEX) {
            for (int i = 0; i < a->index.n; i++) {
                const PIndexItem *item = &a->index.v[i];
                count->ops +=
                    item->kind == INDEX_SLICE && ((item->has_start && far(item->start.value)) ||
                                                  (item->has_stop && far(item->stop.value)));
            }
        }
    }
}
static void see_far(void *user, const Program *p) { each_op(&p->body, count_far, user); }

START_TEST(extremes_lie_beyond_both_ends) {
    Count with = {0}, without = {0};
    programs("plain,class.getitem=60,class.setitem=60,extremes=100", see_far, &with);
    programs("plain,class.getitem=60,class.setitem=60,extremes=0,large=0", see_far, &without);
    ck_assert_int_gt(with.ops, 2);
    ck_assert_int_gt(with.yes, 1);
    ck_assert_int_eq(without.yes + without.ops, 0);
}
END_TEST

static void see_integers(void *user, const Program *p) {
    Count *count = user;
    if (p->ninputs > 0) {
        count->programs++;
        count->yes += !dtype_is_float(p->inputs[0].dtype);
        for (int i = 0; i < p->ninputs; i++) {
            count->ops += p->inputs[i].data.is_fill && p->inputs[i].data.fill == FILL_special &&
                          !dtype_is_float(p->inputs[i].dtype);
        }
    }
}

START_TEST(integers_are_the_main_dtype_and_reach_their_limits) {
    Count with = {0};
    programs("plain,integers=100,limits=100", see_integers, &with);
    ck_assert_int_eq(with.yes, with.programs);
    ck_assert_int_gt(with.ops, N / 2);
}
END_TEST

static void count_list(void *user, const Stmt *s, const Stmt *before) {
    Count *count = user;
    (void)before;
    if (s->op->param[0].type == ARG_TENSORS && s->arg[0].tensors.n > count->most) {
        count->most = s->arg[0].tensors.n;
    }
}
static void see_list(void *user, const Program *p) { each_op(&p->body, count_list, user); }

START_TEST(long_lists_have_up_to_8_tensors) {
    Count with = {0};
    programs("plain,long_lists=100,move=60", see_list, &with);
    ck_assert_int_eq(with.most, 8);
}
END_TEST

/* Yes: of two or more inputs of two or more dims none is contiguous. */
static void see_layouts(void *user, const Program *p) {
    Count *count = user;
    int n = 0, plain = 0;
    for (int i = 0; i < p->ninputs; i++) {
        const Input *in = &p->inputs[i];
        if (in->ndim > 1) {
            n++;
            plain += !in->stride_given && !in->offset_given;
        }
    }
    count->programs += n > 1;
    count->yes += n > 1 && plain == 0;
}

START_TEST(layout_pairs_meet_more_often) {
    Count with = {0}, without = {0};
    programs("plain,layout_pair=100", see_layouts, &with);
    programs("plain,layout_pair=0", see_layouts, &without);
    ck_assert_int_gt(with.programs, N / 3);
    ck_assert_int_gt(2 * with.yes * without.programs, 3 * without.yes * with.programs);
}
END_TEST

/* Yes: an input without dims, of another dtype than the first one. */
static void see_mixed(void *user, const Program *p) {
    Count *count = user;
    for (int i = 1; i < p->ninputs; i++) {
        count->programs++;
        count->yes += p->inputs[i].dtype != p->inputs[0].dtype && p->inputs[i].ndim == 0;
    }
}

START_TEST(mixed_operands_differ_in_dtype_and_dims) {
    Count with = {0}, without = {0};
    programs("plain,mixed=100,binary=60,rank.0=0", see_mixed, &with);
    programs("plain,mixed=0,binary=60,rank.0=0", see_mixed, &without);
    ck_assert_int_gt(with.yes * without.programs, 2 * without.yes * with.programs);
}
END_TEST

/* ---- what nearly fits ---- */

static void see_other_dtype(void *user, const Program *p) {
    Count *count = user;
    for (int i = 1; i < p->ninputs; i++) {
        count->programs++;
        count->yes += p->inputs[i].dtype != p->inputs[0].dtype;
    }
}

START_TEST(unlike_operands_have_another_dtype) {
    Count with = {0}, without = {0};
    programs("plain,other_dtype=0,unlike=100", see_other_dtype, &with);
    programs("plain,other_dtype=0,unlike=0", see_other_dtype, &without);
    ck_assert_int_gt(4 * with.yes * without.programs, 5 * without.yes * with.programs);
}
END_TEST

/* ---- calls ---- */

static bool same_inputs(const Input *a, const Input *b, int n) {
    for (int i = 0; i < n; i++) {
        bool same =
            a[i].dtype == b[i].dtype && a[i].requires_grad == b[i].requires_grad &&
            a[i].ndim == b[i].ndim && a[i].offset == b[i].offset &&
            memcmp(a[i].size, b[i].size, sizeof a[i].size[0] * (size_t)a[i].ndim) == 0 &&
            memcmp(a[i].stride, b[i].stride, sizeof a[i].stride[0] * (size_t)a[i].ndim) == 0;
        if (!same) {
            return false;
        }
    }
    return true;
}

/* Yes: a call with other properties than the first one, then one with those of the first. */
static void see_cycle(void *user, const Program *p) {
    Count *count = user;
    count->programs++;
    count->most = p->nrecalls > count->most ? p->nrecalls : count->most;
    bool left = false, returned = false;
    for (int k = 0; k < p->nrecalls; k++) {
        const Recall *r = &p->recalls[k];
        if (!r->keep) {
            bool same = same_inputs(r->inputs, p->inputs, p->ninputs);
            returned = returned || (left && same);
            left = left || !same;
        }
    }
    count->yes += returned;
}

START_TEST(cycles_of_up_to_64_calls_return_to_an_early_variant) {
    Count with = {0};
    programs("plain,cycle=100,other_sizes=0", see_cycle, &with);
    ck_assert_int_gt(with.most, 50);
    ck_assert_int_gt(with.yes, N / 3);
}
END_TEST

int main(void) {
    op_table_init();
    Suite *suite = suite_create("situations");
    TCase *t = tcase_create("situations");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, few_ops_are_most_statements);
    tcase_add_test(t, chain_reads_the_last_result);
    tcase_add_test(t, related_calls_share_their_operands);
    tcase_add_test(t, operands_are_overwritten_after_they_were_read);
    tcase_add_test(t, extremes_lie_beyond_both_ends);
    tcase_add_test(t, integers_are_the_main_dtype_and_reach_their_limits);
    tcase_add_test(t, long_lists_have_up_to_8_tensors);
    tcase_add_test(t, layout_pairs_meet_more_often);
    tcase_add_test(t, mixed_operands_differ_in_dtype_and_dims);
    tcase_add_test(t, unlike_operands_have_another_dtype);
    tcase_add_test(t, cycles_of_up_to_64_calls_return_to_an_early_variant);
    suite_add_tcase(suite, t);
    return run_suite("fuzz/situations", suite);
}
