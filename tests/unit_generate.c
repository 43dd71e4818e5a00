/* The generator: same seed, same program; every op, motif and mistake occurs; what it makes is well-formed; most of it runs. */
#include "fuzz/generate.h"
#include "program/json.h"
#include "program/result.h"
#include "reference/eager.h"
#include "tests/runner.h"

#include <string.h>

static const char *text_of(Arena *arena, const Program *p) {
    Text t = {.arena = arena};
    program_print(&t, p, false);
    return t.v;
}

START_TEST(same_seed_same_program) {
    Arena a = ARENA_EMPTY, b = ARENA_EMPTY;
    int differ = 0;
    for (uint64_t i = 0; i < 500; i++) {
        const char *first = text_of(&a, generate_program(&a, 42, i));
        /* any program again by itself, after others and in another arena */
        generate_program(&b, 42, i + 7);
        ck_assert_str_eq(first, text_of(&b, generate_program(&b, 42, i)));
        differ += strcmp(first, text_of(&b, generate_program(&b, 43, i))) != 0;
        arena_reset(&a);
        arena_reset(&b);
    }
    ck_assert_int_eq(differ, 500);
    arena_destroy(&a);
    arena_destroy(&b);
}
END_TEST

START_TEST(named_after_seed_and_index) {
    Arena a = ARENA_EMPTY;
    ck_assert_str_eq(generate_program(&a, 7, 11)->name, "fuzz-7-11");
    ck_assert_str_eq(generate_program(&a, UINT64_MAX, 0)->name, "fuzz-18446744073709551615-0");
    arena_destroy(&a);
}
END_TEST

typedef struct Seen {
    int op[OP_COUNT], kind[STMT_GRAPH_BREAK + 1], motif[64], mistake[64];
    int recalls, setups, keeps, sets, shells, shared, grad_modes, partial, statements;
} Seen;

static void see_block(Seen *seen, const Block *block) {
    for (const Stmt *s = block->first; s != NULL; s = s->next) {
        seen->statements++;
        seen->kind[s->kind]++;
        if (s->kind == STMT_OP) {
            seen->op[s->op->id]++;
        }
        see_block(seen, &s->body);
        see_block(seen, &s->orelse);
    }
}

START_TEST(everything_occurs) {
    static Seen seen;
    Arena a = ARENA_EMPTY;
    enum { N = 40000 };
    for (uint64_t i = 0; i < N; i++) {
        GenerateInfo info;
        const Program *p = generate_program_info(&a, 5, i, &info);
        see_block(&seen, &p->body);
        if (info.motif >= 0) {
            seen.motif[info.motif]++;
        }
        if (info.mistake >= 0) {
            seen.mistake[info.mistake]++;
        }
        seen.recalls += p->nrecalls > 0;
        seen.setups += p->setup.count > 0 && p->args_given;
        for (int k = 0; k < p->nrecalls; k++) {
            seen.keeps += p->recalls[k].keep;
            seen.sets += p->recalls[k].nset > 0;
        }
        seen.shells += p->shell != NULL;
        seen.grad_modes += !p->grad_mode;
        seen.partial += p->backward.given && p->backward.nof >= 0;
        for (int k = 0; k < p->ninputs; k++) {
            seen.shared += p->inputs[k].storage != NAME_NONE;
        }
        arena_reset(&a);
    }
    for (int k = 0; k < OP_COUNT; k++) {
        const OpInfo *op = op_info((OpId)k);
        ck_assert_msg((seen.op[k] > 0) == (op->name[0] != '_'), "%s occurs %d times", op->id_name, seen.op[k]);
    }
    for (int k = 0; motif_name(k) != NULL; k++) {
        ck_assert_msg(seen.motif[k] > N / 500, "motif %s occurs %d times", motif_name(k), seen.motif[k]);
    }
    for (int k = 0; mistake_name(k) != NULL; k++) {
        ck_assert_msg(seen.mistake[k] > 0, "mistake %s does not occur", mistake_name(k));
    }
    ck_assert_int_gt(seen.kind[STMT_WITH], N / 20);
    ck_assert_int_gt(seen.kind[STMT_IF], N / 20);
    ck_assert_int_gt(seen.kind[STMT_ASSERT], N / 20);
    ck_assert_int_gt(seen.kind[STMT_PROBE], N / 5);
    ck_assert_int_gt(seen.recalls, N / 20);
    ck_assert_int_gt(seen.setups, N / 20);
    ck_assert_int_gt(seen.keeps, N / 40);
    ck_assert_int_gt(seen.sets, N / 100);
    ck_assert_int_gt(seen.shells, N / 20);
    ck_assert_int_gt(seen.shared, N / 20);
    ck_assert_int_gt(seen.grad_modes, N / 50);
    ck_assert_int_gt(seen.partial, N / 50);
    ck_assert_int_gt(seen.statements, 7 * N);
    ck_assert_int_lt(seen.statements, 14 * N);
    arena_destroy(&a);
}
END_TEST

START_TEST(well_formed) {
    Arena a = ARENA_EMPTY;
    char message[512];
    for (uint64_t i = 0; i < 10000; i++) {
        const Program *p = generate_program(&a, 9, i);
        ck_assert_msg(program_verify(p, message, sizeof message), "program %d: %s", (int)i, message);
        const char *text = text_of(&a, p);
        Program *back = NULL;
        ck_assert_msg(program_parse(&a, text, strlen(text), &back, message, sizeof message) == PARSE_OK, "program %d: %s\n%s", (int)i, message, text);
        ck_assert_str_eq(text, text_of(&a, back));
        arena_reset(&a);
    }
    arena_destroy(&a);
}
END_TEST

START_TEST(most_programs_run) {
    Arena a = ARENA_EMPTY;
    enum { N = 10000 };
    int erring = 0, undefined = 0, unsupported = 0, with_gradient = 0;
    RunOptions options = {.limits = LIMITS_DEFAULT};
    for (uint64_t i = 0; i < N; i++) {
        const Result *r = reference_run(generate_program(&a, 3, i), &options, &a);
        const CallResult *call = &r->calls[0];
        erring += !call->ok;
        undefined += r->nundefined > 0;
        unsupported += !call->ok && (call->error == ERR_unsupported || call->error == ERR_limit || call->error == ERR_internal);
        for (int k = 0; k < call->ninputs; k++) {
            if (call->inputs[k].grad_state == GRAD_VALUE) {
                with_gradient++;
                break;
            }
        }
        arena_reset(&a);
    }
    ck_assert_int_gt(erring, N / 20);
    ck_assert_int_lt(erring, N / 5);
    ck_assert_int_lt(undefined, N / 100);
    ck_assert_int_lt(unsupported, N / 50);
    ck_assert_int_gt(with_gradient, N / 4);
    arena_destroy(&a);
}
END_TEST

int main(void) {
    op_table_init();
    Suite *suite = suite_create("generate");
    TCase *test = tcase_create("generate");
    tcase_set_timeout(test, 300);
    tcase_add_test(test, same_seed_same_program);
    tcase_add_test(test, named_after_seed_and_index);
    tcase_add_test(test, everything_occurs);
    tcase_add_test(test, well_formed);
    tcase_add_test(test, most_programs_run);
    suite_add_tcase(suite, test);
    return run_suite("unit_generate", suite);
}
