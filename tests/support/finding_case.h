/* Findings under seeded faults: what the tests of causes and of the minimizer share. */
#ifndef TESTS_FINDING_CASE_H
#define TESTS_FINDING_CASE_H

#include "fuzz/generate/generate.h"
#include "harness/triage/locate.h"
#include "tests/support/harness_case.h"

#include <stdio.h>

/* Programs that are searched for findings of every fault: fewer where each takes ten times as long.
 */
#if defined(__SANITIZE_ADDRESS__)
#define FAULT_PROGRAMS 40
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define FAULT_PROGRAMS 40
#endif
#endif
#ifndef FAULT_PROGRAMS
#define FAULT_PROGRAMS 400
#endif

static inline Checker with_fault(FaultId id) {
    Checker c;
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    compile.fault = id;
    ck_assert(checker_open(&c, "reference,compiled", &compile, message, sizeof message));
    return c;
}

static inline FaultId fault_named(const char *name) {
    FaultId id;
    ck_assert(fault_parse(name, &id));
    return id;
}

/* The first program of the stream with a finding, located; NULL if there is none among `most`. */
static inline Program *find(Checker *c, uint64_t seed, uint64_t most, Finding *finding) {
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

/* The fault's witness, corpus/faults/ID.json; `finding` is located. */
static inline Program *witness(Checker *c, FaultId id, Finding *finding) {
    static char text[1 << 16];
    const char *path = arena_printf(&arena, "corpus/faults/%s.json", fault_info(id)->id);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s", path);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    ck_assert_int_eq(fclose(f), 0);
    Program *p = parse(text);
    CheckResult out;
    check_program(c, p, &arena, &out);
    ck_assert_msg(out.verdict == FINDING, "%s", path);
    check_locate(c, p, &out.finding, &arena);
    *finding = out.finding;
    return p;
}

#endif
