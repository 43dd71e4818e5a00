/* How long the compiled code of programs runs, in all tiers, against what the machine can do.
 * Programs come on standard input, one JSON object a line; a JSON object a line is answered.
 * bench/peak feeds it and prints a table.
 *
 * All modes run in turns, ROUNDS times, so that a noisy machine hits all alike; a figure is the
 * median of the rounds' medians (`_least_`: the least of all), in milliseconds, of executing the
 * plan alone (no compilation, no epilogue).
 *
 *   tile        the tile machine
 *   native      the native tier
 *   plain       the native tier with no optional pass but those that remove nodes: one loop an op,
 *               -O3
 *   reference   the reference, from inputs to the recorded result; 0: not measured, more than
 *               REFERENCE_BYTES
 *   limit       the larger of two times measured in the same rounds: a triad over as many bytes as
 *               the program must read and write, and the arithmetic of the fused loops: operations
 *               at the rate that OpenBLAS reaches, and transcendental functions at the one that the
 *               C library's vector functions reach on data in the first cache
 *   peak_bytes  memory besides inputs and tangents: results and temporaries */
#include "bench/measure.h"
#include "compiled/core/compile.h"
#include "compiled/loops/blas.h"
#include "compiled/tile/isa.h"
#include "reference/eager.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Plain loops are measured at -O3, whatever the rest is built with. */
#if defined(__GNUC__) && !defined(__clang__)
#define PLAIN_O3 optimize("O3"),
#else
#define PLAIN_O3
#endif

enum {
    ROUNDS = 5,
    MAX_REPS = 25,
    MODES = 3,
    REFERENCE_BYTES = 1 << 27 /* beyond that the reference takes minutes: 0 */,
    TILE_MODE = 0,
    NATIVE_MODE = 1,
    PLAIN_MODE = 2
};
static const double ROUND_SECONDS = 0.12;

/* ---- the peak of transcendental functions ---- */

typedef enum Function { F_NONE = -1, F_EXP, F_LOG, F_TANH, F_ERF, F_COUNT } Function;

/* The function that most of an op's time goes into. */
static Function function_of(TileOp op) {
    switch ((int)op) {
    case TILE_exp_f32:
    case TILE_expm1_f32:
    case TILE_sigmoid_f32:
    case TILE_silu_f32:
        return F_EXP;
    case TILE_log_f32:
    case TILE_log1p_f32:
        return F_LOG;
    case TILE_tanh_f32:
    case TILE_gelu_tanh_f32:
        return F_TANH;
    case TILE_erf_f32:
    case TILE_erfc_f32:
    case TILE_gelu_f32:
        return F_ERF;
    default:
        return F_NONE;
    }
}

enum { FUNCTION_SPAN = 2048 /* elements, in the first cache */ };

#if defined(__x86_64__) && defined(__GNUC__)
typedef float Wide __attribute__((vector_size(64)));
typedef float Narrow __attribute__((vector_size(32)));

__attribute__((target("avx512f"))) static void apply_wide(void *f, float *to, const float *from) {
    Wide (*wide)(Wide) = (Wide(*)(Wide))(uintptr_t)f;
    for (int i = 0; i < FUNCTION_SPAN; i += 16) {
        *(Wide *)(to + i) = wide(*(const Wide *)(from + i));
    }
}

__attribute__((target("avx2"))) static void apply_narrow(void *f, float *to, const float *from) {
    Narrow (*narrow)(Narrow) = (Narrow(*)(Narrow))(uintptr_t)f;
    for (int i = 0; i < FUNCTION_SPAN; i += 8) {
        *(Narrow *)(to + i) = narrow(*(const Narrow *)(from + i));
    }
}

/* The C library's vector function, or NULL. */
static void *vector_function(const char *name, bool wide) {
    static void *library;
    library = library ? library : dlopen("libmvec.so.1", RTLD_NOW);
    char symbol[32];
    snprintf(symbol, sizeof symbol, "_ZGV%s_%sf", wide ? "eN16v" : "dN8v", name);
    return library ? dlsym(library, symbol) : NULL;
}

static bool apply_best(const char *name, float *to, const float *from) {
    bool wide = __builtin_cpu_supports("avx512f");
    void *f = wide || __builtin_cpu_supports("avx2") ? vector_function(name, wide) : NULL;
    if (f) {
        (wide ? apply_wide : apply_narrow)(f, to, from);
    }
    return f != NULL;
}
#else
static bool apply_best(const char *name, float *to, const float *from) {
    (void)name, (void)to, (void)from;
    return false;
}
#endif

/* Seconds an element: what the C library's vector functions (libmvec) take in the first cache;
 * where there are none, our kernels in float's best instruction set. The least of some rounds. */
static double function_seconds(Function function) {
    static const char *const names[] = {"exp", "log", "tanh", "erf"};
    static const TileOp ops[] = {TILE_exp_f32, TILE_log_f32, TILE_tanh_f32, TILE_erf_f32};
    float *from = aligned_alloc(64, 2 * FUNCTION_SPAN * sizeof *from), *to = from + FUNCTION_SPAN;
    CHECK(from);
    for (int i = 0; i < FUNCTION_SPAN; i++) {
        from[i] =
            function == F_LOG ? 0.01f * (float)(i + 1) : 0.002f * (float)(i - FUNCTION_SPAN / 2);
    }
    double best = 1e9;
    for (int r = 0; r < 200; r++) {
        double t0 = now();
        if (!apply_best(names[function], to, from)) {
            tile_isa(0)->function[ops[function]](FUNCTION_SPAN, to,
                                                 (const void *const[]){from, from, from, from});
        }
        double t = now() - t0;
        best = t < best ? t : best;
    }
    free(from);
    return best / FUNCTION_SPAN;
}

/* ---- what is measured of a plan ---- */

typedef struct Measure {
    Arena arena;
    double seconds, least; /* median and minimum of one round */
    double flops,
        products; /* of the plan: pointwise operations; multiply-adds of matrix products, twice */
    double calls[F_COUNT]; /* of transcendental functions */
    int64_t temporaries;   /* bytes */
    int loops;
} Measure;

static void count_work(Measure *m, const Plan *plan) {
    m->flops = m->products = 0;
    memset(m->calls, 0, sizeof m->calls);
    m->temporaries = plan->bytes + plan->register_bytes;
    m->loops = plan->nloop;
    for (int k = 0; k < plan->nloop; k++) {
        const Loop *loop = &plan->loop[k];
        if (loop->kind == LOOP_TILE) {
            for (int i = 0; i < loop->tile->ninst; i++) {
                TileOp op = loop->tile->inst[i].op;
                double n = (double)loop->tile->numel;
                m->flops += op < TILE_OP_COUNT || op == TILE_REDUCE ? n : 0;
                if (op < TILE_OP_COUNT && function_of(op) != F_NONE) {
                    m->calls[function_of(op)] += n;
                }
            }
        } else if (loop->kind == LOOP_SOFTMAX) {
            m->flops += 4 * (double)loop->numel; /* maximum, difference, sum, product */
            m->calls[F_EXP] += (double)loop->numel;
        } else if (loop->kind == LOOP_MATMUL) {
            const MatmulLoop *p = loop->matmul;
            m->products += 2.0 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
        }
    }
}

static void on_execute(void *user, const Plan *plan, void *const *input, void *const *tangent) {
    Measure *m = user;
    double seconds[MAX_REPS], start = now();
    int n = 0;
    Execution exec;
    count_work(m, plan);
    plan_execute(plan, input, tangent, &m->arena, &exec); /* warm */
    while (n < MAX_REPS && (n < 3 || now() - start < ROUND_SECONDS)) {
        arena_reset(&m->arena);
        double t0 = now();
        plan_execute(plan, input, tangent, &m->arena, &exec);
        seconds[n++] = now() - t0;
    }
    m->seconds = median(seconds, n);
    m->least = seconds[0];
}

/* ---- the machine ---- */

/* Seconds to move `bytes` bytes: a triad that reads two thirds and writes one. */
__attribute__((PLAIN_O3 target_clones("avx512f", "avx2", "default"))) static double
triad(int64_t bytes, float *memory, double *least) {
    int64_t n = max_i64(bytes / 12, 1);
    float *restrict a = memory;
    const float *b = memory + n, *c = memory + 2 * n;
    double seconds[MAX_REPS], start = now();
    int r = 0;
    for (; r < MAX_REPS && (r < 3 || now() - start < ROUND_SECONDS); r++) {
        double t0 = now();
        for (int64_t i = 0; i < n; i++) {
            a[i] = b[i] + 3.0f * c[i];
        }
        __asm__ volatile("" : : "r"(a) : "memory");
        seconds[r] = now() - t0;
        *least = seconds[r] < *least ? seconds[r] : *least;
    }
    return median(seconds, r);
}

#ifdef TWINGRAD_NO_BLAS
/* Float operations a second: chains of multiply-adds in registers, as wide as the build's vectors
 * are. */
__attribute__((PLAIN_O3 target_clones("avx512f", "avx2", "default"))) static double
peak_chain(float *out) {
    enum { LANES = 256, STEPS = 20000 };
    float x[LANES];
    for (int k = 0; k < LANES; k++) {
        x[k] = (float)k;
    }
    double t0 = now();
    for (int s = 0; s < STEPS; s++) {
        for (int k = 0; k < LANES; k++) {
            x[k] = x[k] * 0.999f + 0.5f;
        }
    }
    double t = now() - t0;
    for (int k = 0; k < LANES; k++) {
        out[k % 16] += x[k];
    }
    return 2.0 * LANES * STEPS / t;
}
#endif

static double peak_products(void) {
#ifndef TWINGRAD_NO_BLAS
    enum { N = 512 };
    float *m = calloc(3 * N * N, sizeof *m);
    CHECK(m);
    double best = 1e9;
    const Blas *blas = blas_open();
    CHECK(blas);
    for (int r = 0; r < 5; r++) {
        double t0 = now();
        blas->sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, m, N, m + N * N, N, 0,
                    m + 2 * N * N, N);
        double t = now() - t0;
        best = t < best ? t : best;
    }
    free(m);
    return 2.0 * N * N * N / best;
#else
    float out[16] = {0};
    return 2 * peak_chain(out); /* multiply-adds might be fused */
#endif
}

/* ---- a program ---- */

/* What has to be read and written whatever one does: inputs, tangents, returns, gradients. */
static int64_t needed_bytes(const Result *r) {
    const CallResult *call = &r->calls[0];
    int64_t bytes = 0;
    for (int i = 0; i < call->ninputs; i++) {
        bytes += call->inputs[i].data.numel * dtype_bytes(call->inputs[i].data.dtype);
        bytes += call->inputs[i].grad_state == GRAD_VALUE
                     ? call->inputs[i].grad.numel * dtype_bytes(call->inputs[i].grad.dtype)
                     : 0;
    }
    for (int k = 0; k < call->nreturns; k++) {
        bool fed = call->returns[k].requires_grad;
        bytes +=
            (1 + fed) * call->returns[k].values.numel * dtype_bytes(call->returns[k].values.dtype);
    }
    return bytes;
}

static const RunOptions LIMITS = {.limits = {.max_elements = INT64_C(1) << 40,
                                             .max_bytes = INT64_C(1) << 40,
                                             .max_statements = 4096}};

/* One run of the reference, from inputs to the recorded result. */
static double reference_seconds(const Program *p) {
    Arena arena = ARENA_EMPTY;
    double t0 = now();
    reference_run(p, &LIMITS, &arena);
    double t = now() - t0;
    arena_destroy(&arena);
    return t;
}

static int measure_program(const char *line, Native *native) {
    Arena arena = ARENA_EMPTY;
    Program *p;
    char message[256];
    if (program_parse_within(&arena, line, strlen(line), &LIMITS.limits, &p, message,
                             sizeof message) != PARSE_OK) {
        fprintf(stderr, "peak_run: %s\n", message);
        return 2;
    }
    Measure m = {.arena = ARENA_EMPTY};
    double mode[MODES][ROUNDS], least[MODES] = {1e9, 1e9, 1e9}, move[ROUNDS], rate[ROUNDS],
                                eager[ROUNDS];
    float *memory = NULL;
    double fastest = 1e9, best_rate = 0;
    int64_t bytes = 0;
    double work[2] = {0}, called = 0, least_called = 1e9; /* seconds */
    int64_t temporaries = 0;
    int loops[MODES] = {0};
    for (int r = 0; r < ROUNDS; r++) {
        for (int k = 0; k < MODES; k++) {
            Arena run = ARENA_EMPTY;
            CompileOptions options = COMPILE_DEFAULT;
            options.on_execute = on_execute;
            options.execute_user = &m;
            options.native = k == TILE_MODE ? NULL : native;
            CHECK(k != PLAIN_MODE || disabled_parse(&options.disabled, "fuse,reinplace,rules,cse",
                                                    false, message, sizeof message));
            Result *result = compiled_run(p, &options, &LIMITS, NULL, &run);
            if (!result->calls[0].ok) {
                fprintf(stderr, "peak_run: %s: %s\n", p->name, result->calls[0].message);
                return 2;
            }
            mode[k][r] = m.seconds;
            least[k] = m.least < least[k] ? m.least : least[k];
            loops[k] = m.loops;
            if (k == NATIVE_MODE) {
                bytes = needed_bytes(result);
                temporaries = m.temporaries;
                work[0] = m.flops;
                work[1] = m.products;
                called = 0;
                for (int f = 0; f < F_COUNT; f++) {
                    called += m.calls[f] > 0 ? m.calls[f] * function_seconds((Function)f) : 0;
                }
                least_called = called < least_called ? called : least_called;
            }
            arena_destroy(&run);
        }
        if (!memory) {
            memory = malloc((size_t)bytes + 64);
            CHECK(memory);
            memset(memory, 0, (size_t)bytes + 64);
        }
        move[r] = triad(bytes, memory, &fastest);
        rate[r] = peak_products();
        best_rate = rate[r] > best_rate ? rate[r] : best_rate;
        eager[r] = bytes > REFERENCE_BYTES                  ? 0
                   : r == 0 || eager[r - 1] < ROUND_SECONDS ? reference_seconds(p)
                                                            : eager[r - 1];
    }
    double by_memory = median(move, ROUNDS), products = median(rate, ROUNDS);
    double by_work = (work[0] + work[1]) / products + least_called,
           limit = by_memory > by_work ? by_memory : by_work;
    double least_work = (work[0] + work[1]) / best_rate + least_called,
           least_limit = fastest > least_work ? fastest : least_work;
    printf("{\"name\":\"%s\",\"tile_least_ms\":%.4f,\"native_least_ms\":%.4f,\"plain_least_ms\":%."
           "4f,\"limit_least_ms\":%.4f,\"tile_ms\":%.4f,\"native_ms\":%.4f,\"plain_ms\":%.4f,"
           "\"limit_ms\":%.4f,\"memory_ms\":%.4f,\"work_ms\":%.4f,"
           "\"reference_ms\":%.4f,\"bytes\":%lld,\"peak_bytes\":%lld,\"loops\":%d,\"plain_loops\":%"
           "d,\"gbytes_s\":%.2f,\"blas_gflops\":%.1f}\n",
           p->name ? p->name : "", 1e3 * least[0], 1e3 * least[1], 1e3 * least[2],
           1e3 * least_limit, 1e3 * median(mode[0], ROUNDS), 1e3 * median(mode[1], ROUNDS),
           1e3 * median(mode[2], ROUNDS), 1e3 * limit, 1e3 * by_memory, 1e3 * by_work,
           1e3 * median(eager, ROUNDS), (long long)bytes, (long long)temporaries,
           loops[NATIVE_MODE], loops[PLAIN_MODE], (double)bytes / by_memory * 1e-9,
           products * 1e-9);
    fflush(stdout);
    free(memory);
    arena_destroy(&m.arena);
    arena_destroy(&arena);
    return 0;
}

int main(void) {
    op_table_init();
    mallopt(M_MMAP_MAX,
            0); /* no memory goes back: fresh pages cost more than the loops that fill them */
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    char message[512], *line = NULL;
    size_t room = 0;
    Native *native = native_open(&(NativeSettings){NULL}, message, sizeof message);
    if (!native) {
        fprintf(stderr, "peak_run: %s\n", message);
        return 3;
    }
    int code = 0;
    while (code == 0 && getline(&line, &room, stdin) > 0) {
        code = measure_program(line, native);
    }
    free(line);
    native_close(native);
    return code;
}
