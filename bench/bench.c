/* Programs checked per second on one core, over the generator's default distribution, and where the
 * time goes.
 *
 *     bench [--json] [SEED [PROGRAMS [REPEATS [PROFILE]]]]
 *
 * Each repeat generates and checks the same programs; printed are the medians over the repeats, in
 * processor time. What a program costs is measured without a clock between the stages; they are
 * then measured one by one and scaled to that sum. A program costs the builtin engine generate +
 * reference + compiled + compare; engines that mutate bytes decode instead of generating (and
 * mutate, which costs about a decode and an encode more). The stages inside are measured in runs of
 * their own: the reference again without the backward, the compiler again with its own clock, whose
 * shares are scaled to the run without. Build with -O2 and without sanitizers, or the numbers mean
 * nothing. */
#include "bench/measure.h"
#include "fuzz/generate/generate.h"
#include "fuzz/mutate/mutate.h"
#include "harness/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Stage {
    GENERATE,
    DECODE,
    REFERENCE,
    FORWARD,
    BACKWARD,
    COMPILED,
    CAPTURE,
    PASSES,
    LOWER,
    EXECUTE,
    COMPARE,
    STAGES
} Stage;
enum { MAX_REPEATS = 101 };
static const struct {
    const char *name;
    bool inner;
} STAGE[STAGES] = {{"generate", false}, {"decode", false},  {"reference", false},
                   {"forward", true},   {"backward", true}, {"compiled", false},
                   {"capture", true},   {"passes", true},   {"lower", true},
                   {"execute", true},   {"compare", false}};

/* The seconds of the compiler's own clock. */
static void add_compiler(const CompileCounters *c, double inner[STAGES]) {
    for (int k = 0; k < pass_count(); k++) {
        inner[k == pass_count() - 1 ? LOWER : PASSES] += c->seconds[k];
    }
    inner[CAPTURE] += c->seconds[MAX_PASSES];
}

/* Seconds for programs 0..n-1 of the stream, as the builtin engine checks them. */
static double run_plain(Checker *c, const GenerateOptions *options, uint64_t seed, int64_t n,
                        Arena *arena) {
    double start = cpu_now();
    for (int64_t i = 0; i < n; i++) {
        arena_reset(arena);
        CheckResult out;
        check_program(c, generate_program_info(arena, options, seed, (uint64_t)i, NULL), arena,
                      &out);
    }
    return cpu_now() - start;
}

/* Seconds in each stage for programs 0..n-1 of the stream. */
static void run_once(Checker *c, const GenerateOptions *options, uint64_t seed, int64_t n,
                     Arena *arena, double seconds[STAGES], int64_t *statements) {
    CompileCounters *counters = &c->b.counters;
    *counters = (CompileCounters){0};
    double measured = 0;
    for (int64_t i = 0; i < n; i++) {
        arena_reset(arena);
        double t0 = cpu_now();
        Program *p = generate_program_info(arena, options, seed, (uint64_t)i, NULL);
        double t1 = cpu_now();
        const Result *a = c->a.run(&c->a, p, &c->run, arena);
        double t2 = cpu_now();
        const Result *b = c->b.run(&c->b, p, &c->run, arena);
        double t3 = cpu_now();
        CheckResult out;
        check_results(c, p, a, b, RULE_SHADOW, arena, &out);
        double t4 = cpu_now();
        seconds[GENERATE] += t1 - t0;
        seconds[REFERENCE] += t2 - t1;
        seconds[COMPILED] += t3 - t2;
        seconds[COMPARE] += t4 - t3;
        *statements += program_size(p);
        Bytes bytes = codec_encode(arena, p);
        t0 = cpu_now();
        codec_decode(arena, bytes.v, bytes.n, &MUTATE_LIMITS, NULL, 0);
        t1 = cpu_now();
        seconds[DECODE] += t1 - t0;
        c->b.compile.measure = true;
        t0 = now(); /* the compiler's own clock */
        c->b.run(&c->b, p, &c->run, arena);
        measured += now() - t0;
        c->b.compile.measure = false;
        p->backward.given = false;
        t0 = cpu_now();
        c->a.run(&c->a, p, &c->run, arena);
        seconds[FORWARD] += cpu_now() - t0;
    }
    double inner[STAGES] = {0};
    add_compiler(counters, inner);
    double scale = measured > 0 ? seconds[COMPILED] / measured : 0;
    for (int s = CAPTURE; s <= LOWER; s++) {
        seconds[s] = inner[s] * scale;
    }
    seconds[EXECUTE] = seconds[COMPILED] - seconds[CAPTURE] - seconds[PASSES] - seconds[LOWER];
    seconds[BACKWARD] = seconds[REFERENCE] - seconds[FORWARD];
}

static void print_text(const double microseconds[STAGES], double whole) {
    for (int s = 0; s < STAGES; s++) {
        printf("  %s%-*s %8.2f us a program", STAGE[s].inner ? "  " : "", STAGE[s].inner ? 10 : 12,
               STAGE[s].name, microseconds[s]);
        if (s == DECODE) {
            puts("         (instead of generate, in engines that mutate bytes)");
        } else {
            printf(" %5.1f %%\n", 100 * microseconds[s] / whole);
        }
    }
    printf("  %-12s %8.2f us a program\n", "total", whole);
    printf("programs_per_second %.0f\n", 1e6 / whole);
}

int main(int argc, char **argv) {
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    argc -= json;
    argv += json;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int64_t programs = argc > 2 ? strtoll(argv[2], NULL, 10) : 10000;
    int repeats = argc > 3 ? atoi(argv[3]) : 5;
    if (programs < 1 || repeats < 1 || repeats > MAX_REPEATS) {
        fprintf(stderr,
                "usage: bench [--json] [SEED [PROGRAMS [REPEATS [PROFILE]]]], at most %d repeats\n",
                MAX_REPEATS);
        return 2;
    }
    op_table_init();
    Checker c;
    char message[256];
    GenerateOptions options = GENERATE_DEFAULTS;
    if (argc > 4 && !generate_profile(&options, argv[4], message, sizeof message)) {
        fprintf(stderr, "bench: %s\n", message);
        return 2;
    }
    if (!checker_open(&c, "reference,compiled", &COMPILE_DEFAULT, message, sizeof message)) {
        fprintf(stderr, "bench: %s\n", message);
        return 3;
    }
    Arena arena = ARENA_EMPTY;
    double stage[STAGES][MAX_REPEATS], total[MAX_REPEATS], warm[STAGES] = {0}, microseconds[STAGES];
    int64_t statements = 0;
    run_once(&c, &options, seed, programs < 1000 ? programs : 1000, &arena, warm, &statements);
    for (int r = 0; r < repeats; r++) {
        double seconds[STAGES] = {0};
        statements = 0;
        run_once(&c, &options, seed, programs, &arena, seconds, &statements);
        for (int s = 0; s < STAGES; s++) {
            stage[s][r] = seconds[s] / (double)programs * 1e6;
        }
        total[r] = run_plain(&c, &options, seed, programs, &arena) / (double)programs * 1e6;
    }
    double whole = median(total, repeats), sum = 0, length = (double)statements / (double)programs;
    for (int s = 0; s < STAGES; s++) {
        microseconds[s] = median(stage[s], repeats);
        sum += s != DECODE && !STAGE[s].inner ? microseconds[s] : 0;
    }
    for (int s = 0; s < STAGES; s++) {
        microseconds[s] *= whole / sum;
    }
    if (json) {
        printf("{\"type\":\"bench\",\"schema_version\":1,\"seed\":%llu,\"programs\":%lld,"
               "\"statements\":%.2f,\"repeats\":%d,\"programs_per_second\":%.0f,\"microseconds\":{",
               (unsigned long long)seed, (long long)programs, length, repeats, 1e6 / whole);
        for (int s = 0; s < STAGES; s++) {
            printf("%s\"%s\":%.3f", s ? "," : "", STAGE[s].name, microseconds[s]);
        }
        puts("}}");
    } else {
        printf("seed %llu, %lld programs of %.1f statements, median of %d repeats\n",
               (unsigned long long)seed, (long long)programs, length, repeats);
        print_text(microseconds, whole);
    }
    checker_close(&c);
    arena_destroy(&arena);
    return 0;
}
