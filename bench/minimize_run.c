/* How small findings become, how fast, and what bisection blames: for each seeded fault, the first
 * finding of each of COUNT random searches (seeds 1, 2, ..) is minimized. Prints one JSON object a
 * finding; with a folder, also writes what was found there as FAULT-SEED.json, and made small as
 * FAULT-small-SEED.json.
 *
 *     minimize_run COUNT [FOLDER [FAULT...]]     (every fault, if none is named)
 * */
#include "bench/measure.h"
#include "fuzz/generate/generate.h"
#include "harness/util/io.h"
#include "harness/triage/minimize.h"
#include "program/json/json.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PROGRAMS = 2000000 };

/* The first program of the stream that shows a finding, in `arena`; NULL if there is none. */
static const Program *first_finding(Checker *c, uint64_t seed, Arena *arena, Finding *finding) {
    for (uint64_t i = 0; i < MAX_PROGRAMS; i++) {
        arena_reset(arena);
        const Program *p = generate_program(arena, seed, i);
        CheckResult out;
        check_program(c, p, arena, &out);
        if (out.verdict == FINDING) {
            check_locate(c, p, &out.finding, arena);
            *finding = out.finding;
            return p;
        }
    }
    return NULL;
}

static void keep(const char *folder, const char *fault, uint64_t seed, const Program *p,
                 Arena *arena) {
    char message[512];
    Text t = {.arena = arena};
    program_print(&t, p, false);
    if (!io_mkdirs(folder, message, sizeof message) ||
        !io_write(arena_printf(arena, "%s/%s-%llu.json", folder, fault, (unsigned long long)seed),
                  t.v, t.n, message, sizeof message)) {
        die("%s", message);
    }
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 0;
    if (count < 1) {
        fputs("usage: minimize_run COUNT [FOLDER [FAULT...]]\n", stderr);
        return 2;
    }
    op_table_init();
    Arena arena = ARENA_EMPTY;
    for (int id = 0; id < FAULT_COUNT; id++) {
        const FaultInfo *fault = fault_info((FaultId)id);
        bool wanted = argc <= 3;
        for (int i = 3; i < argc; i++) {
            wanted |= strcmp(argv[i], fault->id) == 0;
        }
        if (!wanted) {
            continue;
        }
        CompileOptions compile = COMPILE_DEFAULT;
        compile.fault = (FaultId)id;
        Checker c;
        char message[256];
        if (!checker_open(&c, "reference,compiled", &compile, message, sizeof message)) {
            die("%s", message);
        }
        for (uint64_t seed = 1; seed <= (uint64_t)count; seed++) {
            Finding found;
            const Program *p = first_finding(&c, seed, &arena, &found);
            printf("{\"fault\":\"%s\",\"stage\":\"%s\",\"seed\":%llu,\"found\":%s", fault->id,
                   fault->stage, (unsigned long long)seed, p ? "true" : "false");
            if (!p) {
                puts("}");
                continue;
            }
            MinimizeStats stats = {.checks = 0};
            double start = now();
            const Program *small = minimize_program(&arena, p, &c, &found, &stats, NULL, NULL);
            double seconds = now() - start;
            CheckResult out;
            check_program(&c, small, &arena, &out);
            bool same = out.verdict == FINDING;
            if (same) {
                check_locate(&c, small, &out.finding, &arena);
                same = strcmp(out.finding.signature, found.signature) == 0;
            }
            printf(",\"signature\":\"%s\",\"kept\":%s,\"cause\":\"%s\",\"blamed\":\"%s\","
                   "\"before\":{\"statements\":%d,\"elements\":%lld,\"inputs\":%d}"
                   ",\"after\":{\"statements\":%d,\"elements\":%lld,\"inputs\":%d},\"queries\":%"
                   "lld,\"repeated\":%lld,\"seconds\":%.4f}\n",
                   found.signature, same ? "true" : "false", found.cause.text, found.cause.stage,
                   p->nstmts, (long long)program_elements(p), p->ninputs, small->nstmts,
                   (long long)program_elements(small), small->ninputs, (long long)stats.checks,
                   (long long)stats.repeated, seconds);
            fflush(stdout);
            if (argc > 2) {
                keep(argv[2], fault->id, seed, p, &arena);
                keep(argv[2], arena_printf(&arena, "%s-small", fault->id), seed, small, &arena);
            }
        }
        checker_close(&c);
    }
    arena_destroy(&arena);
    return 0;
}
