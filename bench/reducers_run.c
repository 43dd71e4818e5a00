/* Minimizes one finding in one way, for bench/reducers. All reducers test their candidates in the
 * same way.
 *
 *     reducers_run ask FAULT SIGNATURE FILE      exit 0 if FILE shows that signature under the
 *     fault, and agrees without it; else 1
 *     reducers_run ours FAULT FILE               minimizes; prints one JSON object
 *     reducers_run ddmin FAULT FILE              the same by plain delta debugging over statements
 *     reducers_run size FILE                     prints one JSON object
 *
 * ddmin is the algorithm of Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing
 * Input (2002), section 3: chunks, then complements of chunks, at twice the granularity when
 * neither fails. Seconds are of the processor. */
#include "harness/reduce/edit.h"
#include "harness/util/io.h"
#include "harness/triage/minimize.h"
#include "program/json/json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Ask {
    Checker checker;
    const char *signature;
    Arena scratch;
    int64_t queries;
} Ask;

static Program *load(Arena *arena, const char *path, bool loudly) {
    char *text, message[512];
    int64_t length;
    Program *p = NULL;
    bool ok =
        io_read(arena, path, IO_MAX_BYTES, &text, &length, message, sizeof message) == IO_OK &&
        program_parse(arena, text, (size_t)length, &p, message, sizeof message) == PARSE_OK &&
        program_verify(p, message, sizeof message);
    if (!ok && loudly) {
        die("%s: %s", path, message);
    }
    return ok ? p : NULL;
}

static Ask open_ask(const char *fault) {
    Ask a = {.scratch = ARENA_EMPTY};
    CompileOptions compile = COMPILE_DEFAULT;
    char message[256];
    if (!fault_parse(fault, &compile.fault) ||
        !checker_open(&a.checker, "reference,compiled", &compile, message, sizeof message)) {
        die("there is no fault %s", fault);
    }
    return a;
}

/* Locates into `f`; false if there is no finding. */
static bool find(Ask *a, const Program *p, Finding *f) {
    CheckResult out;
    check_program(&a->checker, p, &a->scratch, &out);
    if (out.verdict == FINDING) {
        check_locate(&a->checker, p, &out.finding, &a->scratch);
        *f = out.finding;
    }
    return out.verdict == FINDING;
}

static bool interesting(Ask *a, const Program *p) {
    char message[256];
    Finding f;
    CheckResult out;
    a->queries++;
    arena_reset(&a->scratch);
    if (!program_verify(p, message, sizeof message) || !find(a, p, &f) ||
        strcmp(f.signature, a->signature) != 0) {
        return false;
    }
    Checker plain = a->checker;
    faults_clear(&plain.a.compile);
    faults_clear(&plain.b.compile);
    check_program(&plain, p, &a->scratch, &out);
    return out.verdict == AGREE;
}

static void print_size(const Program *p, int64_t queries, double seconds) {
    Arena arena = ARENA_EMPTY;
    Text t = {.arena = &arena};
    program_print(&t, p, true);
    printf("{\"statements\":%d,\"elements\":%lld,\"inputs\":%d,\"bytes\":%lld,\"queries\":%lld,"
           "\"seconds\":%.4f}\n",
           p->nstmts, (long long)program_elements(p), p->ninputs, (long long)t.n,
           (long long)queries, seconds);
    arena_destroy(&arena);
}

/* `p` without the statements that `kept` does not mark. */
static Program *with(Arena *arena, const Program *p, const bool *kept) {
    Program *q = program_clone(arena, p);
    bool *drop = arena_array(arena, bool, p->nstmts + 1);
    for (int i = 0; i < p->nstmts; i++) {
        drop[i] = !kept[i];
    }
    edit_drop(q, drop);
    return q;
}

static Program *ddmin(Arena *arena, Ask *a, const Program *p) {
    int n = p->nstmts, left = n, granularity = 2;
    bool *kept = arena_array(arena, bool, n + 1), *trial = arena_array(arena, bool, n + 1);
    memset(kept, true, (size_t)n);
    Arena work = ARENA_EMPTY;
    while (left >= 1 && granularity <= left * 2) {
        int chunks = granularity < left ? granularity : left;
        bool reduced = false;
        for (int complement = 0; complement < 2 && !reduced; complement++) {
            for (int k = 0; k < chunks && !reduced; k++) {
                int index = 0, from = (int)((int64_t)left * k / chunks),
                    to = (int)((int64_t)left * (k + 1) / chunks);
                for (int i = 0; i < n; i++) {
                    bool inside = kept[i] && index >= from && index < to;
                    trial[i] = kept[i] && (complement ? !inside : inside);
                    index += kept[i];
                }
                arena_reset(&work);
                if (memcmp(trial, kept, (size_t)n) != 0 && interesting(a, with(&work, p, trial))) {
                    memcpy(kept, trial, (size_t)n);
                    left = complement ? left - (to - from) : to - from;
                    granularity = complement ? (granularity > 3 ? granularity - 1 : 2) : 2;
                    reduced = true;
                }
            }
        }
        if (!reduced && chunks == left) {
            break;
        }
        granularity = reduced ? granularity : 2 * granularity;
    }
    arena_destroy(&work);
    return with(arena, p, kept);
}

int main(int argc, char **argv) {
    op_table_init();
    Arena arena = ARENA_EMPTY;
    if (argc == 3 && strcmp(argv[1], "size") == 0) {
        print_size(load(&arena, argv[2], true), 0, 0);
        return 0;
    }
    if (argc == 5 && strcmp(argv[1], "ask") == 0) {
        Ask a = open_ask(argv[2]);
        a.signature = argv[3];
        Program *p = load(&arena, argv[4], false);
        return !p || !interesting(&a, p);
    }
    bool ours = argc == 4 && strcmp(argv[1], "ours") == 0;
    if (!ours && (argc != 4 || strcmp(argv[1], "ddmin") != 0)) {
        fputs("usage: reducers_run ask FAULT SIGNATURE FILE | ours FAULT FILE | ddmin FAULT FILE | "
              "size FILE\n",
              stderr);
        return 2;
    }
    Ask a = open_ask(argv[2]);
    Program *p = load(&arena, argv[3], true);
    Finding f;
    if (!find(&a, p, &f)) {
        die("%s shows no finding", argv[3]);
    }
    a.signature = f.signature;
    MinimizeStats stats = {.checks = 0};
    clock_t start = clock();
    const Program *small = ours ? minimize_program(&arena, p, &a.checker, &f, &stats, NULL, NULL)
                                : ddmin(&arena, &a, p);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    int64_t queries = ours ? stats.checks : a.queries;
    if (!interesting(&a, small)) {
        die("%s: what was made of it does not show %s", argv[3], a.signature);
    }
    print_size(small, queries, seconds);
    return 0;
}
