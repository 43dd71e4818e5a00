/* From a finding to its cause: the minimizer's predicate, bisection over steps and stages, groups,
 * known issues. Findings come from the generator under seeded faults, so every row of faults.def is
 * in it. */
#include "fuzz/generate/generate.h"
#include "harness/triage/cause.h"
#include "harness/reduce/edit.h"
#include "harness/triage/group.h"
#include "harness/reduce/minimize.h"
#include "harness/reduce/reduce.h"
#include "tests/support/harness_case.h"

#include <math.h>
#include <stdio.h>

static Checker with_fault(FaultId id) {
    Checker c;
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    compile.fault = id;
    ck_assert(checker_open(&c, "reference,compiled", &compile, message, sizeof message));
    return c;
}

static FaultId fault_named(const char *name) {
    FaultId id;
    ck_assert(fault_parse(name, &id));
    return id;
}

/* The first program of the stream with a finding, located; NULL if there is none among `most`. */
static Program *find(Checker *c, uint64_t seed, uint64_t most, Finding *finding) {
    for (uint64_t i = 0; i < most; i++) {
        arena_reset(&arena);
        Program *p = generate_program(&arena, seed, i);
        CheckResult out;
        check_program(c, p, &arena, &out);
        if (out.verdict == FINDING) {
            check_locate(c, p, &out.finding, &arena);
            *finding = out.finding;
            return p;
        }
    }
    return NULL;
}

static bool is_pass(const char *stage) {
    for (int i = 0; i < pass_count(); i++) {
        if (strcmp(pass_info(i)->name, stage) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- causes ---- */

START_TEST(bisection_blames_the_pass_that_holds_the_fault) {
    enum { SEEDS = 5, MOST = 4000 };
    int faults = 0, right = 0;
    char wrong[1024] = "";
    for (int id = 0; id < FAULT_COUNT; id++) {
        const FaultInfo *fault = fault_info((FaultId)id);
        Checker c = with_fault((FaultId)id);
        int found = 0, blamed = 0;
        for (uint64_t seed = 1; is_pass(fault->stage) && seed <= SEEDS; seed++) {
            Finding f;
            if (find(&c, seed, MOST, &f)) {
                found++;
                blamed += strcmp(f.cause.stage, fault->stage) == 0;
            }
        }
        faults += found > 0;
        right += found > 0 && 2 * blamed > found;
        if (found > 0 && 2 * blamed <= found) {
            snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong), " %s", fault->id);
        }
    }
    ck_assert_int_ge(faults, 5);
    ck_assert_msg(100 * right >= 95 * faults, "%d of %d, not:%s", right, faults, wrong);
}
END_TEST

START_TEST(all_findings_of_a_fault_are_one_group) {
    enum { MOST = 1000 };
    static const uint64_t seeds[] = {1, 3};
    int findings = 0;
    for (int id = 0; id < FAULT_COUNT; id++) {
        Checker c = with_fault((FaultId)id);
        char group[sizeof((Finding *)0)->signature] = "";
        for (int s = 0; s < COUNT_OF(seeds); s++) {
            for (uint64_t i = 0; i < MOST; i++) {
                arena_reset(&arena);
                Program *p = generate_program(&arena, seeds[s], i);
                CheckResult out;
                check_program(&c, p, &arena, &out);
                if (out.verdict == FINDING) {
                    check_locate(&c, p, &out.finding, &arena);
                    if (!group[0]) {
                        snprintf(group, sizeof group, "%s", group_key(&out.finding));
                    }
                    ck_assert_msg(strcmp(group, group_key(&out.finding)) == 0,
                                  "%s, seed %d, program %d: %s, those before: %s",
                                  fault_info((FaultId)id)->id, (int)seeds[s], (int)i,
                                  group_key(&out.finding), group);
                    findings++;
                }
            }
        }
    }
    ck_assert_int_gt(findings, 150);
}
END_TEST

/* Each once looked like another pass's: */
#define INPUT(name, size, fill, more)                                                              \
    "{\"name\":\"" name "\",\"dtype\":\"float32\",\"size\":" size more                             \
    ",\"data\":{\"fill\":\"" fill "\",\"seed\":0}}"
#define GRAD ",\"requires_grad\":true"
#define ONES ",\"backward\":{\"fill\":\"ones\",\"seed\":0"
static const struct {
    const char *what, *fault, *stage, *program;
} DISGUISED[] = {
    {"a return in the memory of an input that is written back before it is copied out", "FU-16",
     "reinplace",
     "{\"twingrad\":1,\"inputs\":[" INPUT(
         "x", "[1]", "zeros",
         "") "],\"body\":[{\"op\":\"slice_scatter\",\"self\":\"x\",\"src\":\"x\",\"out\":\"v\"},"
             "{\"op\":\"add_\",\"self\":\"x\",\"other\":1}],\"return\":[\"v\"]}"},
    {"a nest that is wrong once a scatter in it writes in place, which apart it may not", "IX-1",
     "fuse",
     "{\"twingrad\":1,\"inputs\":[" INPUT(
         "x", "[1]", "zeros",
         GRAD) ",{\"name\":\"i\",\"dtype\":\"int64\",\"size\":[2],\"data\":[0,0]}],"
               "\"body\":[{\"op\":\"clone\",\"self\":\"x\",\"out\":\"v\"},{\"op\":\"getitem\","
               "\"self\":\"v\",\"index\":[\"i\"],\"out\":\"w\"},"
               "{\"op\":\"setitem\",\"self\":\"v\",\"index\":[\"i\"],\"value\":\"w\"}],\"return\":["
               "\"v\",\"v\"]" ONES "}}"},
    {"loops that are wrong only after a rule has made the graph what it is", "GR-1", "lower",
     "{\"twingrad\":1,\"inputs\":[" INPUT("x", "[]", "zeros", "") "," INPUT(
         "y", "[2]", "ones",
         ",\"stride\":[0]") "],\"body\":[{\"op\":\"neg\",\"self\":\"y\",\"out\":\"v\"},"
                            "{\"op\":\"select_scatter\",\"self\":\"v\",\"src\":\"x\",\"dim\":0,"
                            "\"index\":0,\"out\":\"w\"}],\"return\":[\"w\"]}"},
    {"an error that the backward raises", "GR-10", "joint",
     "{\"twingrad\":1,\"inputs\":[" INPUT(
         "x", "[1,1]", "zeros",
         GRAD) "],\"body\":[{\"op\":\"mul\",\"self\":\"x\",\"other\":\"x\",\"out\":\"v\"},"
               "{\"op\":\"avg_pool1d\",\"self\":\"v\",\"kernel_size\":1,\"out\":\"w\"},{\"op\":"
               "\"zero_\",\"self\":\"v\"}],\"return\":[\"w\"]" ONES ",\"of\":[]}}"},
    {"a gradient of another value, not one that is None", "GR-10", "joint",
     "{\"twingrad\":1,\"inputs\":[" INPUT("x", "[]", "zeros", GRAD) "," INPUT(
         "y", "[2]", "zeros",
         "") "],\"body\":[{\"op\":\"fill_\",\"self\":\"y\",\"value\":\"x\"},"
             "{\"op\":\"tensor_split\",\"self\":\"y\",\"indices\":[1,1],\"out\":[\"a\",\"b\",\"c\"]"
             "},{\"op\":\"rsqrt\",\"self\":\"c\",\"out\":\"v\"}],"
             "\"return\":[\"x\",\"v\"]" ONES ",\"of\":[0]}}"},
};

START_TEST(the_stage_to_blame_is_seen_through_what_shows_it) {
    for (int i = 0; i < COUNT_OF(DISGUISED); i++) {
        Checker c = with_fault(fault_named(DISGUISED[i].fault));
        Program *p = parse(DISGUISED[i].program);
        CheckResult out;
        check_program(&c, p, &arena, &out);
        ck_assert_msg(out.verdict == FINDING, "%s", DISGUISED[i].what);
        check_locate(&c, p, &out.finding, &arena);
        ck_assert_msg(strcmp(out.finding.cause.stage, DISGUISED[i].stage) == 0, "%s: %s",
                      DISGUISED[i].what, out.finding.cause.text);
    }
}
END_TEST

START_TEST(the_least_limit_is_the_step_that_is_named) {
    Checker c = with_fault(fault_named("NU-12"));
    Finding f;
    Program *p = find(&c, 1, 2000, &f);
    ck_assert_ptr_nonnull(p);
    ck_assert_str_eq(f.cause.text, "cse");
    ck_assert_int_gt(f.cause.limit, 0);
    CheckResult out;
    c.b.compile.opt_limit = f.cause.limit;
    check_program(&c, p, &arena, &out);
    ck_assert_int_eq(out.verdict, FINDING);
    c.b.compile.opt_limit = f.cause.limit - 1;
    check_program(&c, p, &arena, &out);
    ck_assert_int_eq(out.verdict, AGREE);
    c.b.compile.opt_limit = -1;
    ck_assert(cause_stands(&c, p, &f));
    Text graphs = {.arena = &arena}, node = {.arena = &arena};
    ck_assert(cause_print_graphs(&graphs, &c, p, &f.cause, 3));
    ck_assert_ptr_nonnull(strstr(graphs.v, "\n+ "));
    ck_assert_ptr_nonnull(strstr(graphs.v, cause_node(&node, &c, p, &f.cause)));
    Finding elsewhere = f;
    snprintf(elsewhere.cause.stage, sizeof elsewhere.cause.stage, "fold");
    snprintf(elsewhere.cause.rule, sizeof elsewhere.cause.rule, "fold_check");
    ck_assert(!cause_stands(&c, p, &elsewhere));
}
END_TEST

START_TEST(what_no_pass_holds_is_told_apart) {
    static const struct {
        const char *fault, *stage;
    } cases[] = {
        {"RG-1", "capture"}, {"RG-2", "capture"},       {"GU-2", "guard"}, {"AL-2", "epilogue"},
        {"GR-10", "joint"},  {"MU-7", "functionalize"}, {"GR-1", "lower"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Checker c = with_fault(fault_named(cases[i].fault));
        Finding f;
        ck_assert_ptr_nonnull(find(&c, 1, 4000, &f));
        ck_assert_msg(strcmp(f.cause.stage, cases[i].stage) == 0, "%s: %s", cases[i].fault,
                      f.cause.stage);
        ck_assert_int_eq(f.cause.limit, -1);
        ck_assert_int_eq(strlen(f.cause.rule), 0);
    }
}
END_TEST

/* ---- minimizing ---- */

typedef struct Watch {
    Checker *checker;
    const char *signature;
    int steps, statements;
} Watch;

static void watch(void *user, const char *reducer, const Program *now,
                  const MinimizeStats *so_far) {
    Watch *w = user;
    Arena scratch = ARENA_EMPTY;
    CheckResult out;
    check_program(w->checker, now, &scratch, &out);
    ck_assert_msg(out.verdict == FINDING, "%s", reducer);
    check_locate(w->checker, now, &out.finding, &scratch);
    ck_assert_msg(strcmp(out.finding.signature, w->signature) == 0, "%s slipped to %s", reducer,
                  out.finding.signature);
    ck_assert_int_eq(so_far->kept, ++w->steps);
    ck_assert_int_le(program_size(now), w->statements);
    w->statements = program_size(now);
    arena_destroy(&scratch);
}

START_TEST(every_kept_step_has_the_whole_signature) {
    for (int id = 0; id < FAULT_COUNT; id++) {
        Checker c = with_fault((FaultId)id), other = c;
        Finding f;
        Program *p = find(&c, 2, 4000, &f);
        if (p) {
            Watch w = {&other, f.signature, 0, program_size(p)};
            MinimizeStats stats = {.checks = 4000};
            Program *small = minimize_program(&arena, p, &c, &f, &stats, watch, &w);
            ck_assert(stats.complete && !stats.flaky);
            ck_assert_int_le(program_size(small), w.statements);
            ck_assert_int_le(program_elements(small), program_elements(p));
        }
    }
}
END_TEST

START_TEST(a_fixed_point_is_one_and_no_program_is_asked_twice) {
    Checker c = with_fault(fault_named("GR-10"));
    Finding f;
    Program *p = find(&c, 3, 4000, &f);
    ck_assert_ptr_nonnull(p);
    MinimizeStats stats = {.checks = 0}, again = {.checks = 0}, ahead = {.nmore = 3};
    Program *small = minimize_program(&arena, p, &c, &f, &stats, NULL, NULL);
    Text first = {.arena = &arena}, second = {.arena = &arena}, third = {.arena = &arena};
    program_print(&first, small, false);
    CheckResult out;
    check_program(&c, small, &arena, &out);
    check_locate(&c, small, &out.finding, &arena);
    program_print(&second, minimize_program(&arena, small, &c, &out.finding, &again, NULL, NULL),
                  false);
    ck_assert_int_eq(again.kept, 0);
    ck_assert_str_eq(first.v, second.v);
    Checker more[3] = {with_fault(fault_named("GR-10")), with_fault(fault_named("GR-10")),
                       with_fault(fault_named("GR-10"))};
    ahead.more = more;
    program_print(&third, minimize_program(&arena, p, &c, &f, &ahead, NULL, NULL), false);
    ck_assert_str_eq(first.v, third.v);
    ck_assert_int_eq(ahead.checks, stats.checks);
    int64_t repeated = stats.repeated; /* some reducer proposes what another one has */
    for (uint64_t seed = 4; seed < 9; seed++) {
        MinimizeStats other = {.checks = 0};
        Program *q = find(&c, seed, 4000, &f);
        minimize_program(&arena, q, &c, &f, &other, NULL, NULL);
        repeated += other.repeated;
    }
    ck_assert_int_gt(repeated, 0);
}
END_TEST

START_TEST(other_findings_met_on_the_way_are_kept_once_each) {
    Checker c = with_fault(fault_named("GR-10"));
    int met = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        Finding f;
        Program *p = find(&c, seed, 4000, &f);
        MinimizeStats stats = {.checks = 0};
        minimize_program(&arena, p, &c, &f, &stats, NULL, NULL);
        met += stats.nother;
        for (int i = 0; i < stats.nother; i++) {
            CheckResult out;
            check_program(&c, stats.other[i].program, &arena, &out);
            ck_assert_int_eq(out.verdict, FINDING);
            check_symptom(&c, stats.other[i].program, &out.finding, &arena);
            ck_assert(symptom_same(&out.finding.root, &stats.other[i].finding.root));
            for (int j = 0; j < i; j++) {
                ck_assert(!symptom_same(&stats.other[j].finding.root, &out.finding.root));
            }
        }
    }
    ck_assert_int_gt(met, 0);
}
END_TEST

/* Wrong in two runs of three. */
static Result *run_sometimes(Executor *self, const Program *p, const RunOptions *options,
                             Arena *memory) {
    CompileOptions compile = self->compile;
    if (++self->counters.hits % 3 == 0) {
        faults_clear(&compile);
    }
    return compiled_run(p, &compile, options, NULL, memory);
}

START_TEST(a_finding_that_does_not_always_show_is_asked_again_and_called_flaky) {
    Checker c = with_fault(fault_named("AL-2"));
    Finding f;
    Program *p = find(&c, 1, 4000, &f);
    ck_assert_ptr_nonnull(p);
    c.b.run = run_sometimes;
    MinimizeStats stats = {.checks = 400};
    minimize_program(&arena, p, &c, &f, &stats, NULL, NULL);
    ck_assert(stats.flaky);
}
END_TEST

/* ---- reducers ---- */

static const char CHAIN[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"a\",\"dtype\":\"float64\",\"size\":[3,2],\"requires_"
    "grad\":true,\"data\":[5,6,7,8,9,10]}],"
    "\"body\":[{\"op\":\"exp\",\"self\":\"a\",\"out\":\"b\"},{\"op\":\"tensor\",\"data\":[0,2,1],"
    "\"size\":[3],\"dtype\":\"int64\",\"out\":\"i\"},"
    "{\"op\":\"setitem\",\"self\":\"b\",\"index\":[\"i\",{\"list\":[0,1,1]}],\"value\":1.0},{"
    "\"op\":\"sin\",\"self\":\"b\",\"out\":\"c\"}],\"return\":[\"c\"]}";

static const char *reduced_from(const char *text, Step (*reducer)(Program *, int), int k) {
    Program *p = parse(text);
    char message[256];
    ck_assert_int_eq(reducer(p, k), STEP_MADE);
    ck_assert_msg(program_verify(p, message, sizeof message), "%s", message);
    Text t = {.arena = &arena};
    program_print(&t, p, true);
    return t.v;
}

static const char *reduced(Step (*reducer)(Program *, int), int k) {
    return reduced_from(CHAIN, reducer, k);
}

START_TEST(values_ops_dtypes_literals_and_names_become_plainer) {
    const char *line = reduced(reduce_value, 0); /* c, the last, as an input */
    ck_assert_ptr_null(strstr(line, "sin"));
    ck_assert_ptr_nonnull(strstr(
        line,
        "{\"name\": \"c\", \"dtype\": \"float64\", \"size\": [3, 2], \"requires_grad\": true"));
    line = reduced(reduce_value, 7); /* b, the first, as ones */
    ck_assert_ptr_nonnull(strstr(
        line, "{\"op\": \"ones\", \"size\": [3, 2], \"dtype\": \"float64\", \"out\": \"b\"}"));
    line = reduced(reduce_op, 0);
    ck_assert_ptr_nonnull(strstr(line, "{\"op\": \"neg\", \"self\": \"a\""));
    line = reduced(reduce_dtype, DT_float64);
    ck_assert_ptr_null(strstr(line, "float64"));
    ck_assert_ptr_nonnull(strstr(line, "[5, 6, 7, 8, 9, 10]"));
    line = reduced(reduce_literal, 0);
    ck_assert_ptr_nonnull(strstr(line, "\"data\": [0], \"size\": [1]"));
    line = reduced(reduce_list, 0);
    ck_assert_ptr_nonnull(strstr(line, "{\"list\": [0]}"));
    line = reduced(reduce_element, 0);
    ck_assert_ptr_nonnull(strstr(line, "[0, 6, 7, 8, 9, 10]"));
    line = reduced(reduce_names, 0);
    ck_assert_ptr_nonnull(strstr(line, "{\"op\": \"sin\", \"self\": \"v0\", \"out\": \"v2\"}"));
    Program *p = parse(line);
    ck_assert_int_eq(reduce_names(p, 0), STEP_NOTHING);
}
END_TEST

/* x is transposed and fills its storage; y does not fill its own; the second call has other
 * sizes */
static const char SIZES[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[3,5],\"stride\":["
    "1,3],\"data\":{\"fill\":\"ones\",\"seed\":0}},"
    "{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[5],\"stride\":[7],\"storage_offset\":2,"
    "\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
    "\"body\":[{\"op\":\"reshape\",\"self\":\"x\",\"shape\":[15],\"out\":\"v\"},{\"op\":\"mul\","
    "\"self\":\"x\",\"other\":\"y\",\"out\":\"w\"}],\"return\":[\"v\",\"w\"],"
    "\"recalls\":[[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[4,6],\"stride\":[1,4],\"data\":{"
    "\"fill\":\"ones\",\"seed\":0}},"
    "{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[6],\"stride\":[7],\"data\":{\"fill\":\"ones\","
    "\"seed\":0}}]]}";

START_TEST(strides_and_numbers_of_elements_follow_a_size) {
    const char *line = reduced_from(SIZES, reduce_size, 0); /* 3 to 1 in all calls */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [1, 5], \"stride\": [1, 1]"));
    ck_assert_ptr_nonnull(strstr(line, "\"shape\": [5]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [4, 6], \"stride\": [1, 4]"));
    line =
        reduced_from(SIZES, reduce_size, 4 * 4 + 2 * 4 + 1); /* in the second call alone: 4 to 2 */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [3, 5], \"stride\": [1, 3]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [2, 6], \"stride\": [1, 2]"));
    line = reduced_from(SIZES, reduce_dimension,
                        6 * 4 + 3); /* dimension 1 of x, in both calls, to 2 */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [3, 2], \"stride\": [1, 3]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [4, 2], \"stride\": [1, 4]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [5], \"stride\": [7], \"storage_offset\": 2"));
}
END_TEST

START_TEST(a_dimension_is_dropped_with_its_stride_in_every_call) {
    const char *line = reduced_from(SIZES, reduce_rank, 0); /* the first of x */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [5], \"stride\": [1]"));
    ck_assert_ptr_nonnull(strstr(line, "\"shape\": [5]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [6], \"stride\": [1]"));
    line = reduced_from(SIZES, reduce_rank, 3); /* the first of both */
    ck_assert_ptr_nonnull(
        strstr(line, "{\"name\": \"y\", \"dtype\": \"float32\", \"size\": [], \"stride\": []"));
    line =
        reduced_from("{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":["
                     "2,3,5],\"stride\":[60,20,2],\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
                     "\"body\":[],\"return\":[\"x\"]}",
                     reduce_rank, 1); /* with gaps, so that no stride follows from sizes */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [2, 5], \"stride\": [60, 2]"));
}
END_TEST

START_TEST(an_offset_and_a_stride_become_plainer_alone) {
    const char *line = reduced_from(SIZES, reduce_layout, 5 + 2); /* y */
    ck_assert_ptr_null(strstr(line, "storage_offset"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [5], \"stride\": [7]"));
    line = reduced_from(SIZES, reduce_layout, 5 + 3);
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [5], \"stride\": [2], \"storage_offset\": 2"));
}
END_TEST

/* 26150 is the seed of a negative zero; x and y share a storage of three elements; z has five */
static const char RANDOM[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"w\",\"dtype\":\"float32\",\"size\":[],\"data\":{"
    "\"fill\":\"special\",\"seed\":26150}},"
    "{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"storage\":\"s\",\"data\":{\"fill\":"
    "\"dyadic\",\"seed\":1}},"
    "{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[2],\"storage_offset\":1,\"storage\":\"s\"},"
    "{\"name\":\"z\",\"dtype\":\"float32\",\"size\":[5],\"data\":{\"fill\":\"dyadic\",\"seed\":1}}]"
    ",\"body\":[],\"return\":[\"w\",\"x\",\"y\",\"z\"]}";

START_TEST(random_data_of_few_elements_is_written_out_and_stays_so) {
    const char *line = reduced_from(RANDOM, reduce_written, 0);
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [], \"data\": [\"-0.0\"]"));
    ck_assert_ptr_nonnull(strstr(reduced_from(line, reduce_element, 0),
                                 "\"size\": [], \"data\": [0]")); /* +0 is plainer still */
    Program *p = parse(line);
    ck_assert_int_eq(reduce_written(p, 0), STEP_NOTHING);
    ck_assert_int_eq(reduce_data(p, 3), STEP_NOTHING); /* it does not become random again */
    ck_assert_int_eq(reduce_data(p, 2), STEP_MADE);
    p = parse(reduced_from(RANDOM, reduce_written, 1)); /* as many as the whole storage holds */
    ck_assert_int_eq(p->inputs[1].data.numel, 3);
    p = parse(RANDOM);
    ck_assert_int_eq(reduce_written(p, 2), STEP_NOTHING); /* its data is another's */
    ck_assert_int_eq(reduce_written(p, 3), STEP_NOTHING); /* a seed is shorter */
    ck_assert_int_eq(reduce_written(p, 4), STEP_END);
}
END_TEST

START_TEST(numbers_that_are_none_have_one_name_each) {
    const double values[] = {-NAN, NAN, -INFINITY, INFINITY, 0.5};
    const char *const names[] = {"nan", "nan", "-inf", "inf", "0.5 (0x1p-1)"};
    for (int i = 0; i < COUNT_OF(values); i++) {
        char text[64];
        element_text(text, sizeof text, values, DT_float64, i);
        ck_assert_str_eq(text, names[i]);
    }
}
END_TEST

START_TEST(any_operand_can_stand_for_a_result) {
    const char *line = reduced_from(SIZES, reduce_bypass, 4); /* y for x * y */
    ck_assert_ptr_nonnull(strstr(line, "\"return\": [\"v\", \"y\"]"));
}
END_TEST

START_TEST(a_smaller_size_brings_what_depends_on_it_along) {
    const char *line = reduced(reduce_size, 1); /* 3 becomes 2 */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [2, 2]"));
    ck_assert_ptr_nonnull(strstr(line, "\"data\": [0, 1], \"size\": [2]"));
    line = reduced(reduce_size, 4); /* 2 becomes 1 */
    ck_assert_ptr_nonnull(strstr(line, "{\"list\": [0, 0, 0]}"));
}
END_TEST

/* ---- groups and known issues ---- */

START_TEST(a_group_is_one_cause_or_one_signature) {
    Groups groups = groups_new(&arena);
    Finding f = {.signature = "values-data-exp-cse",
                 .cause = {.stage = "cse", .text = "cse", .group = "cse"}},
            g = {.signature = "values-data-sin-cse",
                 .cause = {.stage = "cse", .text = "cse/again", .group = "cse"}},
            h = {.signature = "values-data-sin"};
    group_add(&groups, group_key(&f), STATUS_KNOWN, NULL, 7, true);
    group_add(&groups, group_key(&g), STATUS_KNOWN, NULL, 8, true);
    group_add(&groups, group_key(&h), STATUS_FLAKY, NULL, 9, true);
    ck_assert_int_eq(groups.n, 2);
    ck_assert_str_eq(groups.group[1].key, "values-data-sin");
    ck_assert_int_eq(groups.group[0].signatures, 2);
    ck_assert_int_eq(groups.group[0].first, 7);
    ck_assert_int_eq(group_status(&groups.group[0]), STATUS_KNOWN);
    group_add(&groups, group_key(&f), STATUS_NEW, NULL, 10, false);
    ck_assert_int_eq(group_status(&groups.group[0]), STATUS_NEW);
    ck_assert_int_eq(group_status(&groups.group[1]), STATUS_FLAKY);
    ck_assert_int_eq(group_count(&groups.group[0]), 3);
}
END_TEST

START_TEST(a_known_issue_covers_by_signature_pair_and_cause) {
    KnownIssue issue[] = {
        {.signature = "values-*", .pair = "torch*:eager,*", .cause = "*", .issue = "1"},
        {.signature = "values-data-?in", .pair = "*", .cause = "cse", .issue = "2"},
    };
    Known known = {issue, 2};
    ck_assert_ptr_eq(known_find(&known, "torch:eager,torch:aot", "values-data-exp", ""), &issue[0]);
    ck_assert_ptr_eq(known_find(&known, "reference,compiled", "values-data-sin", "cse"), &issue[1]);
    ck_assert_ptr_null(known_find(&known, "reference,compiled", "values-data-sin", "fold"));
    ck_assert_ptr_null(known_find(&known, "reference,compiled", "values-data-asin", "cse"));
}
END_TEST

START_TEST(several_faults_are_seeded_at_once) {
    CompileOptions o = COMPILE_DEFAULT;
    char text[256];
    ck_assert_int_eq(faults_seeded(&o, 0), FAULT_NONE);
    for (int i = 0; i < 1 + COUNT_OF(o.also); i++) {
        ck_assert(faults_add(&o, (FaultId)i));
    }
    ck_assert(!faults_add(&o, FAULT_GU_2));
    ck_assert_int_eq(faults_seeded(&o, 2), 2);
    ck_assert_int_eq(faults_seeded(&o, 8), FAULT_NONE);
    ck_assert_ptr_nonnull(strstr(faults_text(&o, text, sizeof text), "stale_flags_of_base, "));
    faults_clear(&o);
    ck_assert_int_eq(faults_seeded(&o, 0), FAULT_NONE);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/findings");
    TCase *tests = tcase_create("harness/findings");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, bisection_blames_the_pass_that_holds_the_fault);
    tcase_add_test(tests, all_findings_of_a_fault_are_one_group);
    tcase_add_test(tests, the_stage_to_blame_is_seen_through_what_shows_it);
    tcase_add_test(tests, the_least_limit_is_the_step_that_is_named);
    tcase_add_test(tests, what_no_pass_holds_is_told_apart);
    tcase_add_test(tests, every_kept_step_has_the_whole_signature);
    tcase_add_test(tests, a_fixed_point_is_one_and_no_program_is_asked_twice);
    tcase_add_test(tests, other_findings_met_on_the_way_are_kept_once_each);
    tcase_add_test(tests, a_finding_that_does_not_always_show_is_asked_again_and_called_flaky);
    tcase_add_test(tests, values_ops_dtypes_literals_and_names_become_plainer);
    tcase_add_test(tests, a_smaller_size_brings_what_depends_on_it_along);
    tcase_add_test(tests, strides_and_numbers_of_elements_follow_a_size);
    tcase_add_test(tests, a_dimension_is_dropped_with_its_stride_in_every_call);
    tcase_add_test(tests, an_offset_and_a_stride_become_plainer_alone);
    tcase_add_test(tests, random_data_of_few_elements_is_written_out_and_stays_so);
    tcase_add_test(tests, numbers_that_are_none_have_one_name_each);
    tcase_add_test(tests, any_operand_can_stand_for_a_result);
    tcase_add_test(tests, a_group_is_one_cause_or_one_signature);
    tcase_add_test(tests, a_known_issue_covers_by_signature_pair_and_cause);
    tcase_add_test(tests, several_faults_are_seeded_at_once);
    suite_add_tcase(suite, tests);
    return run_suite("harness/findings", suite);
}
