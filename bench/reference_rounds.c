/* Microseconds that the reference takes for one program: from its inputs (built and filled) over all its calls and the backward to
 * the recorded result. One round for each line on standard input, so that who asks can let something else run in between.
 *
 *     reference_rounds FILE RUNS      each answer is the mean over RUNS runs
 *
 * Build with -O2 and without sanitizers, or the numbers mean nothing. */
#include "program/json.h"
#include "program/op.h"
#include "reference/eager.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run_round(const Program *p, int runs, Arena *arena) {
    const RunOptions options = {.limits = LIMITS_DEFAULT};
    double start = now();
    for (int i = 0; i < runs; i++) {
        arena_reset(arena);
        if (!reference_run(p, &options, arena)->calls[0].ok) {
            fputs("reference_rounds: the program ends in an error\n", stderr);
            exit(2);
        }
    }
    return 1e6 * (now() - start) / runs;
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
    run_round(p, runs, &arena); /* warm */
    for (int c = getchar(); c != EOF; c = getchar()) {
        if (c == '\n') {
            printf("%.4f\n", run_round(p, runs, &arena));
            fflush(stdout);
        }
    }
    arena_destroy(&arena);
    arena_destroy(&home);
    return 0;
}
