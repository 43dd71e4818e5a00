/* Microseconds that the reference takes for one program, two ways. One round of both for each line
 * on standard input, so that the caller can run something else in between.
 *
 *     reference_rounds FILE RUNS      answers "ALONE WHOLE", each the mean over RUNS runs
 *
 *     alone    the function and the backward: inputs and tangents are there, nothing is recorded
 *     whole    a run as every check makes it: inputs built and filled, all calls, the backward, the
 *              recorded result
 *
 * Build with optimization and without sanitizers, or the numbers mean nothing. */
#include "program/json/json.h"
#include "program/ops/op.h"
#include "reference/eager.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double reference_rounds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const RunOptions OPTIONS = {.limits = LIMITS_DEFAULT};

static _Noreturn void refuse(void) {
    fputs("reference_rounds: the program ends in an error\n", stderr);
    exit(2);
}

static double run_whole(const Program *p, int runs, Arena *arena) {
    double start = reference_rounds_now();
    for (int i = 0; i < runs; i++) {
        arena_reset(arena);
        if (!reference_run(p, &OPTIONS, arena)->calls[0].ok) {
            refuse();
        }
    }
    return 1e6 * (reference_rounds_now() - start) / runs;
}

static double time_alone(const Program *p, int runs, Arena *arena) {
    Arena kept = ARENA_EMPTY;
    double start = reference_rounds_now();
    if (reference_repeat(p, &OPTIONS, runs, &kept, arena) != ERR_none) {
        refuse();
    }
    double took = reference_rounds_now() - start;
    arena_destroy(&kept);
    return 1e6 * took / runs;
}

int main(int argc, char **argv) {
    int runs = argc == 3 ? atoi(argv[2]) : 0;
    FILE *f = runs > 0 ? fopen(argv[1], "r") : NULL;
    if (!f) {
        fputs("usage: reference_rounds FILE RUNS\n", stderr);
        return 2;
    }
    static char text[1 << 20];
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    op_table_init();
    Arena home = ARENA_EMPTY, arena = ARENA_EMPTY;
    Program *p;
    char message[256];
    if (program_parse(&home, text, n, &p, message, sizeof message) != PARSE_OK) {
        fprintf(stderr, "reference_rounds: %s\n", message);
        return 2;
    }
    time_alone(p, runs, &arena); /* warm */
    run_whole(p, runs, &arena);
    for (int c = getchar(); c != EOF; c = getchar()) {
        if (c == '\n') {
            double alone = time_alone(p, runs, &arena), whole = run_whole(p, runs, &arena);
            printf("%.4f %.4f\n", alone, whole);
            fflush(stdout);
        }
    }
    arena_destroy(&arena);
    arena_destroy(&home);
    return 0;
}
