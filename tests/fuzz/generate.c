/* The generator: same seed, same program; every op, pattern and deliberate error occurs; what it
 * makes is well-formed; most of it runs. */
#include "fuzz/generate/generate.h"
#include "program/json/json.h"
#include "program/lang/result.h"
#include "reference/eager.h"
#include "tests/support/runner.h"

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
        /* any program can be regenerated alone, after others and in another arena */
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
    int op[OP_COUNT], kind[STMT_COUNT], pattern[64], deliberate_error[64];
    int recalls, setups, keeps, sets, surfaces, shared, grad_modes, partial, statements;
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
    GenerateOptions options = GENERATE_DEFAULTS;
    char message[256];
    ck_assert(generate_profile(&options, "class.random=12", message, sizeof message));
    for (uint64_t i = 0; i < N; i++) {
        GenerateInfo info;
        const Program *p = generate_program_info(&a, &options, 5, i, &info);
        see_block(&seen, &p->body);
        if (info.pattern >= 0) {
            seen.pattern[info.pattern]++;
        }
        if (info.deliberate_error >= 0) {
            seen.deliberate_error[info.deliberate_error]++;
        }
        seen.recalls += p->nrecalls > 0;
        seen.setups += p->setup.count > 0 && p->args_given;
        for (int k = 0; k < p->nrecalls; k++) {
            seen.keeps += p->recalls[k].keep;
            seen.sets += p->recalls[k].nset > 0;
        }
        seen.surfaces += p->surface != NULL;
        seen.grad_modes += !p->grad_mode;
        seen.partial += p->backward.given && p->backward.nof >= 0;
        for (int k = 0; k < p->ninputs; k++) {
            seen.shared += p->inputs[k].storage != NAME_NONE;
        }
        arena_reset(&a);
    }
    for (int k = 0; k < OP_COUNT; k++) {
        const OpInfo *op = op_info((OpId)k);
        ck_assert_msg((seen.op[k] > 0) == !op_name_is_internal(op->name), "%s occurs %d times",
                      op->id_name, seen.op[k]);
    }
    for (int k = 0; pattern_name(k) != NULL; k++) {
        bool off = weight_info(FIRST_PATTERN + k)->value == 0; /* drawn by some profiles only */
        ck_assert_msg(off ? seen.pattern[k] == 0 : seen.pattern[k] > N / 1000,
                      "pattern %s occurs %d times", pattern_name(k), seen.pattern[k]);
    }
    for (int k = 0; deliberate_error_name(k) != NULL; k++) {
        ck_assert_msg(seen.deliberate_error[k] > 0, "deliberate error %s does not occur",
                      deliberate_error_name(k));
    }
    ck_assert_int_gt(seen.kind[STMT_WITH], N / 20);
    ck_assert_int_gt(seen.kind[STMT_IF], N / 20);
    ck_assert_int_gt(seen.kind[STMT_ASSERT], N / 20);
    ck_assert_int_gt(seen.kind[STMT_PROBE], N / 5);
    ck_assert_int_gt(seen.recalls, N / 20);
    ck_assert_int_gt(seen.setups, N / 20);
    ck_assert_int_gt(seen.keeps, N / 40);
    ck_assert_int_gt(seen.sets, N / 100);
    ck_assert_int_gt(seen.surfaces, N / 20);
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
        ck_assert_msg(program_verify(p, message, sizeof message), "program %d: %s", (int)i,
                      message);
        const char *text = text_of(&a, p);
        Program *back = NULL;
        ck_assert_msg(program_parse(&a, text, strlen(text), &back, message, sizeof message) ==
                          PARSE_OK,
                      "program %d: %s\n%s", (int)i, message, text);
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
        unsupported += !call->ok && (call->error == ERR_unsupported || call->error == ERR_limit ||
                                     call->error == ERR_internal);
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

static void count_ops(const Block *block, int count[OP_COUNT]) {
    for (const Stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == STMT_OP) {
            count[s->op->id]++;
        }
        count_ops(&s->body, count);
        count_ops(&s->orelse, count);
    }
}

START_TEST(only_the_ops_that_are_asked_for) {
    static const char *const lists[] = {"add,mul.Tensor,t", "-getitem,setitem,add", "softmax",
                                        "zeros"};
    for (int k = 0; k < COUNT_OF(lists); k++) {
        static int count[OP_COUNT];
        memset(count, 0, sizeof count);
        GenerateOptions options = GENERATE_DEFAULTS;
        char message[256];
        Arena a = ARENA_EMPTY;
        ck_assert_msg(generate_ops(&options, lists[k], message, sizeof message), "%s", message);
        for (uint64_t i = 0; i < 3000; i++) {
            const Program *p = generate_program_info(&a, &options, 6, i, NULL);
            count_ops(&p->body, count);
            count_ops(&p->setup, count);
            ck_assert(program_verify(p, message, sizeof message));
            arena_reset(&a);
        }
        int met = 0;
        for (int id = 0; id < OP_COUNT; id++) {
            ck_assert_msg(count[id] == 0 || !options.off[id], "%s: %s occurs", lists[k],
                          op_info((OpId)id)->id_name);
            met += count[id] > 0;
        }
        bool without = lists[k][0] == '-';
        ck_assert_int_ge(met, without ? 300 : options.nop); /* every one of them */
        ck_assert(without == (count[OP_add_Tensor] == 0) || k != 1);
        arena_destroy(&a);
    }
}
END_TEST

START_TEST(every_profile_generates_programs) {
    for (int k = 0; profile_info(k) != NULL; k++) {
        GenerateOptions options = GENERATE_DEFAULTS;
        char message[256];
        Arena a = ARENA_EMPTY;
        ck_assert_msg(generate_profile(&options, profile_info(k)->name, message, sizeof message),
                      "%s: %s", profile_info(k)->name, message);
        int statements = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            const Program *p = generate_program_info(&a, &options, 8, i, NULL);
            ck_assert_msg(program_verify(p, message, sizeof message), "%s: program %d: %s",
                          profile_info(k)->name, (int)i, message);
            statements += program_size(p);
            arena_reset(&a);
        }
        ck_assert_int_gt(statements, 5000);
        arena_destroy(&a);
    }
}
END_TEST

START_TEST(profiles_of_compiling_targets_draw_what_compilers_meet) {
    static const char *const names[] = {"target", "inductor"};
    enum { N = 4000 };
    for (int k = 0; k < COUNT_OF(names); k++) {
        GenerateOptions options = GENERATE_DEFAULTS;
        char message[256];
        Arena a = ARENA_EMPTY;
        ck_assert_msg(generate_profile(&options, names[k], message, sizeof message), "%s", message);
        int errors = 0, large = 0, half = 0, narrow = 0, early = 0, probes = 0, overlap = 0;
        int pattern[64] = {0};
        for (uint64_t i = 0; i < N; i++) {
            GenerateInfo info;
            const Program *p = generate_program_info(&a, &options, 8, i, &info);
            errors += info.deliberate_error >= 0;
            pattern[info.pattern >= 0 ? info.pattern : 63]++;
            int64_t most = 0, numel = 0;
            bool is_half = false, is_narrow = false;
            for (int n = 0; n < p->ninputs; n++) {
                DType d = p->inputs[n].dtype;
                ck_assert(sizes_numel(p->inputs[n].size, p->inputs[n].ndim, &numel));
                most = max_i64(most, numel);
                is_half |= d == DT_float16 || d == DT_bfloat16;
                is_narrow |= d == DT_int8 || d == DT_uint8 || d == DT_int16;
            }
            large += most >= 1 << 10;
            half += is_half;
            narrow += is_narrow;
            bool probed = false;
            for (const Stmt *s = p->body.first; s != NULL; s = s->next) {
                early += probed && s->kind != STMT_PROBE;
                probed |= s->kind == STMT_PROBE;
            }
            probes += probed;
            for (int r = 0; r < p->nrecalls; r++) {
                for (int n = 0; n < p->recalls[r].ninputs; n++) {
                    const Input *was = &p->inputs[n], *is = &p->recalls[r].inputs[n];
                    overlap += was->storage != is->storage ||
                               (is->storage != NAME_NONE && is->offset != was->offset);
                }
            }
            arena_reset(&a);
        }
        ck_assert_msg(errors <= N / 40 && early == 0, "%d deliberate errors, %d early probes",
                      errors, early);
        ck_assert_msg(large > N / 3 && half > N / 4 && narrow > N / 5 && probes > N / 20,
                      "%d large, %d half, %d narrow, %d with probes", large, half, narrow, probes);
        ck_assert_msg(overlap > N / 200, "%d inputs overlap otherwise", overlap);
        for (int n = 0; pattern_name(n) != NULL; n++) {
            ck_assert_msg(options.weight[FIRST_PATTERN + n] == 0 || pattern[n] > 0,
                          "pattern %s does not occur", pattern_name(n));
        }
        arena_destroy(&a);
    }
}
END_TEST

START_TEST(a_weight_changes_what_is_drawn) {
    static const char *const lists[] = {"mistake=0,recall=0,setup=0,shell=0",
                                        "mistake=100,recall=100,no_grad_call=100",
                                        "plain,scale.large=1000,scale.small=0"};
    for (int k = 0; k < COUNT_OF(lists); k++) {
        GenerateOptions options = GENERATE_DEFAULTS;
        char message[256];
        Arena a = ARENA_EMPTY;
        ck_assert_msg(generate_profile(&options, lists[k], message, sizeof message), "%s", message);
        int deliberate_errors = 0, recalls = 0, surfaces = 0, no_grad = 0, large = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            GenerateInfo info;
            const Program *p = generate_program_info(&a, &options, 8, i, &info);
            deliberate_errors += info.deliberate_error >= 0;
            surfaces += p->surface != NULL;
            no_grad += !p->grad_mode;
            for (int n = 0; n < p->nrecalls; n++) {
                recalls++;
            }
            int64_t numel = 0;
            for (int n = 0; n < p->ninputs; n++) {
                ck_assert(sizes_numel(p->inputs[n].size, p->inputs[n].ndim, &numel));
                large += numel > 300;
            }
            arena_reset(&a);
        }
        ck_assert(k != 0 ||
                  (deliberate_errors == 0 && surfaces <= 40)); /* a pattern wants its call style */
        ck_assert_msg(k != 1 || (deliberate_errors > 700 && recalls > 900 && no_grad > 950),
                      "%d deliberate errors, %d recalls, %d under no_grad", deliberate_errors,
                      recalls, no_grad);
        ck_assert(k != 2 || (large > 300 && deliberate_errors == 0));
        arena_destroy(&a);
    }
}
END_TEST

START_TEST(a_profile_below_changes_the_weights_that_were_not_set) {
    GenerateOptions options = GENERATE_DEFAULTS, target = GENERATE_DEFAULTS, named;
    char message[256];
    ck_assert(generate_profile(&target, "target", message, sizeof message));
    ck_assert(generate_profile(&options, "recall=7", message, sizeof message));
    ck_assert(generate_profile_below(&options, "target", message, sizeof message));
    ck_assert(target.weight[W_recall] != 7 && options.weight[W_recall] == 7);
    target.weight[W_recall] = 7;
    ck_assert(memcmp(options.weight, target.weight, sizeof target.weight) == 0);
    ck_assert(generate_profile(&options, "plain", message, sizeof message));
    named = options;
    ck_assert(generate_profile_below(&options, "inductor", message, sizeof message));
    ck_assert(memcmp(options.weight, named.weight, sizeof named.weight) == 0);
}
END_TEST

START_TEST(bounds_hold) {
    static const int64_t elements[] = {1, 7, 64, 20000}, statements[] = {1, 4, 9, 64};
    for (int k = 0; k < COUNT_OF(elements); k++) {
        GenerateOptions options = GENERATE_DEFAULTS;
        char message[256];
        Arena a = ARENA_EMPTY;
        RunOptions run = {.limits = LIMITS_DEFAULT};
        ck_assert(generate_profile(&options, k < 3 ? "default" : "large", message, sizeof message));
        options.max_elements = elements[k];
        options.max_statements = statements[k];
        int64_t most = 0, longest = 0;
        for (uint64_t i = 0; i < (k < 3 ? 4000 : 400); i++) {
            const Program *p = generate_program_info(&a, &options, 12, i, NULL);
            int64_t numel = 0, size = program_size(p);
            for (int n = 0; n < p->ninputs; n++) {
                ck_assert(sizes_numel(p->inputs[n].size, p->inputs[n].ndim, &numel));
                most = max_i64(most, numel);
            }
            const Result *r = reference_run(p, &run, &a);
            /* a tensor that a call left with other sizes may be broadcast by the next one */
            for (int c = 0; c < r->ncalls && (c == 0 || !p->recalls[c - 1].keep); c++) {
                for (int n = 0; n < r->calls[c].nreturns; n++) {
                    most = max_i64(most, r->calls[c].returns[n].values.numel);
                }
            }
            longest = max_i64(longest, size);
            arena_reset(&a);
        }
        ck_assert_msg(most <= elements[k] && most > elements[k] / 8, "%d elements of %d", (int)most,
                      (int)elements[k]);
        ck_assert_msg(longest <= statements[k] && longest > statements[k] / 2,
                      "%d statements of %d", (int)longest, (int)statements[k]);
        arena_destroy(&a);
    }
}
END_TEST

START_TEST(what_is_not_there_is_refused_with_a_sentence) {
    static const char *const profiles[] = {
        "nothing",        "aliasing,",       "motif",        "motif=",    "motif=101",
        "motif=-1",       "motif=1x",        "view=1001",    "nothing=1", "=1",
        "stmt.nothing=1", "small=0,large=0", "class.motif=1"};
    static const char *const ops[] = {"nothing", "add,nothing",      "add.Nothing", "add,,mul", "-",
                                      ",",       "_as_strided_grad", "add ",        "ADD"};
    char message[256];
    for (int k = 0; k < COUNT_OF(profiles) + COUNT_OF(ops); k++) {
        bool profile = k < COUNT_OF(profiles);
        const char *text = profile ? profiles[k] : ops[k - COUNT_OF(profiles)];
        GenerateOptions options = GENERATE_DEFAULTS;
        message[0] = '\0';
        bool ok =
            (profile ? generate_profile : generate_ops)(&options, text, message, sizeof message);
        ck_assert_msg(strcmp(text, "aliasing,") == 0 ? ok : !ok && strlen(message) > 20, "'%s': %s",
                      text, message);
    }
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
    tcase_add_test(test, only_the_ops_that_are_asked_for);
    tcase_add_test(test, every_profile_generates_programs);
    tcase_add_test(test, profiles_of_compiling_targets_draw_what_compilers_meet);
    tcase_add_test(test, a_weight_changes_what_is_drawn);
    tcase_add_test(test, a_profile_below_changes_the_weights_that_were_not_set);
    tcase_add_test(test, bounds_hold);
    tcase_add_test(test, what_is_not_there_is_refused_with_a_sentence);
    suite_add_tcase(suite, test);
    return run_suite("fuzz/generate", suite);
}
