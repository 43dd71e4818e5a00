/* Programs checked per second on one core, over the generator's default distribution, split by stage.
 *
 *     bench [SEED [PROGRAMS [REPEATS [PROFILE]]]]
 *
 * Each repeat generates and checks the same programs; printed are the medians over the repeats. Build with -O2 and without
 * sanitizers, or the numbers mean nothing. */
#include "bench/measure.h"
#include "fuzz/generate.h"
#include "harness/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STAGES = 4, MAX_REPEATS = 101 };
static const char *const STAGE[STAGES] = {"generate", "reference", "compiled", "compare"};

/* Seconds in each stage for programs 0..n-1 of the stream. */
static void run_once(Checker *c, const GenerateOptions *options, uint64_t seed, int64_t n, Arena *arena, double seconds[STAGES], int64_t *statements) {
    for (int64_t i = 0; i < n; i++) {
        arena_reset(arena);
        double t0 = now();
        const Program *p = generate_program_info(arena, options, seed, (uint64_t)i, NULL);
        double t1 = now();
        const Result *a = c->a.run(&c->a, p, &c->run, arena);
        double t2 = now();
        const Result *b = c->b.run(&c->b, p, &c->run, arena);
        double t3 = now();
        Outcome out;
        check_results(c, p, a, b, RULE_SHADOW, arena, &out);
        double t4 = now();
        seconds[0] += t1 - t0;
        seconds[1] += t2 - t1;
        seconds[2] += t3 - t2;
        seconds[3] += t4 - t3;
        *statements += program_size(p);
    }
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int64_t programs = argc > 2 ? strtoll(argv[2], NULL, 10) : 10000;
    int repeats = argc > 3 ? atoi(argv[3]) : 5;
    if (programs < 1 || repeats < 1 || repeats > MAX_REPEATS) {
        fprintf(stderr, "usage: bench [SEED [PROGRAMS [REPEATS [PROFILE]]]], at most %d repeats\n", MAX_REPEATS);
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
    double stage[STAGES][MAX_REPEATS], total[MAX_REPEATS];
    double warm[STAGES] = {0};
    int64_t statements = 0;
    run_once(&c, &options, seed, programs < 1000 ? programs : 1000, &arena, warm, &statements);
    for (int r = 0; r < repeats; r++) {
        double seconds[STAGES] = {0};
        statements = 0;
        run_once(&c, &options, seed, programs, &arena, seconds, &statements);
        total[r] = 0;
        for (int s = 0; s < STAGES; s++) {
            stage[s][r] = seconds[s] / (double)programs * 1e6;
            total[r] += stage[s][r];
        }
    }
    double whole = median(total, repeats);
    printf("seed %llu, %lld programs of %.1f statements, median of %d repeats\n", (unsigned long long)seed, (long long)programs,
           (double)statements / (double)programs, repeats);
    for (int s = 0; s < STAGES; s++) {
        double m = median(stage[s], repeats);
        printf("  %-10s %8.2f us a program %5.1f %%\n", STAGE[s], m, 100 * m / whole);
    }
    printf("  %-10s %8.2f us a program\n", "total", whole);
    printf("programs_per_second %.0f\n", 1e6 / whole);
    arena_destroy(&arena);
    return 0;
}
