/* Compile time by stage: capture, each pass, lowering, in microseconds a call compiled.
 *
 *   compile_time [RUNS] [FILE...]     RUNS random programs of seed 1 (2000), then each file, a
 *   program as JSON
 *
 * A program is run ROUNDS times; what counts of each stage is its least time. The column of the
 * random programs is the median over those that have a backward, stage by stage, and in the last
 * row of the sum. Reading the clock costs some 0.03 us a stage. */
#include "bench/measure.h"
#include "compiled/core/compile.h"
#include "fuzz/generate/generate.h"
#include "program/json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, MAX_COLUMNS = 24, MAX_RUNS = 100000 };

/* Stages in order: capture, the passes (the last one lowers), and the sum. */
typedef struct Times {
    double us[MAX_PASSES + 2];
} Times;

static int stage_count(void) { return pass_count() + 2; }
static const char *stage_name(int k) {
    return k == 0 ? "capture" : k <= pass_count() ? pass_info(k - 1)->name : "all";
}

/* The least of some runs, a call compiled; false if nothing was compiled. */
static bool time_program(const Program *p, Arena *arena, Times *out) {
    CompileOptions options = COMPILE_DEFAULT;
    RunOptions run = {.limits = LIMITS_DEFAULT};
    options.measure = true;
    for (int k = 0; k < stage_count(); k++) {
        out->us[k] = 1e12;
    }
    for (int round = 0; round < ROUNDS; round++) {
        CompileCounters c = {0};
        compiled_run(p, &options, &run, &c, arena);
        if (c.compiles == 0) {
            return false;
        }
        double sum = 0;
        for (int k = 0; k < stage_count(); k++) {
            int from = k == 0 ? MAX_PASSES : k - 1;
            double us = k + 1 < stage_count() ? c.seconds[from] * 1e6 / (double)c.compiles : sum;
            sum += us;
            out->us[k] = us < out->us[k] ? us : out->us[k];
        }
    }
    return true;
}

static Times random_programs(int64_t runs, char *title, size_t size) {
    Arena arena = ARENA_EMPTY, home = ARENA_EMPTY;
    double *all = arena_array(&home, double, runs *stage_count());
    int n = 0;
    for (int64_t i = 0; i < runs; i++) {
        arena_reset(&arena);
        const Program *p = generate_program(&arena, 1, (uint64_t)i);
        Times t;
        if (p->backward.given && time_program(p, &arena, &t)) {
            for (int k = 0; k < stage_count(); k++) {
                all[k * runs + n] = t.us[k];
            }
            n++;
        }
    }
    Times middle = {{0}};
    for (int k = 0; k < stage_count() && n > 0; k++) {
        middle.us[k] = median(all + k * runs, n);
    }
    snprintf(title, size, "%d random programs", n);
    arena_destroy(&arena);
    arena_destroy(&home);
    return middle;
}

static bool compile_time_read(const char *path, Arena *arena, Times *out, char *title,
                              size_t size) {
    FILE *f = fopen(path, "rb");
    static char text[1 << 20];
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) {
        fclose(f);
    }
    char message[256] = "cannot be read";
    Program *p = NULL;
    if (n == 0 || n == sizeof text ||
        program_parse(arena, text, n, &p, message, sizeof message) != PARSE_OK) {
        fprintf(stderr, "%s: %s\n", path, message);
        return false;
    }
    if (!time_program(p, arena, out)) {
        fprintf(stderr, "%s: nothing is compiled\n", path);
        return false;
    }
    const char *name = strrchr(path, '/');
    snprintf(title, size, "%.*s", (int)strcspn(name ? name + 1 : path, "."),
             name ? name + 1 : path);
    return true;
}

int main(int argc, char **argv) {
    op_table_init();
    char title[MAX_COLUMNS][64];
    Times column[MAX_COLUMNS];
    int first = argc > 1 && strspn(argv[1], "0123456789") == strlen(argv[1]) ? 2 : 1, n = 1;
    int64_t runs = first == 2 ? min_i64(max_i64(atoll(argv[1]), 1), MAX_RUNS) : 2000;
    column[0] = random_programs(runs, title[0], sizeof title[0]);
    for (int i = first; i < argc && n < MAX_COLUMNS; i++) {
        Arena arena = ARENA_EMPTY;
        bool ok = compile_time_read(argv[i], &arena, &column[n], title[n], sizeof title[n]);
        arena_destroy(&arena);
        if (!ok) {
            return 2;
        }
        n++;
    }
    printf("| stage |");
    for (int i = 0; i < n; i++) {
        printf(" %s |", title[i]);
    }
    printf("\n| --- |");
    for (int i = 0; i < n; i++) {
        printf(" ---: |");
    }
    for (int k = 0; k < stage_count(); k++) {
        printf("\n| %s |", stage_name(k));
        for (int i = 0; i < n; i++) {
            printf(" %.2f |", column[i].us[k]);
        }
    }
    printf("\n");
    return 0;
}
