/* One input: decode within small limits, run, compare, and locate a finding, since findings are
 * grouped by their signatures.
 *
 * The checker and the arena live as long as the process; the arena is reset between inputs, so that
 * results do not depend on the order of the inputs. */
#include "harness/campaign/entry.h"

#include "harness/triage/locate.h"
#include "fuzz/mutate/mutate.h"
#include "harness/campaign/feedback.h"
#include "harness/util/io.h"
#include "program/json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the one line that engines and clusters group findings by, and aborts: a failed assertion
 * whose text is `signature`, free of seeds, values and addresses (ClusterFuzz takes the crash state
 * from a line of this form). */
static _Noreturn void entry_fail(const char *target, const char *signature) {
    fflush(stdout);
    fprintf(stderr, "twingrad: %s.c:1: divergence: Assertion `%s' failed.\n", target, signature);
    fflush(stderr);
    abort();
}

#ifdef RECORD
/* Keeps the bytes that showed a signature first. */
static void entry_record(Arena *arena, const char *signature, const uint8_t *v, size_t n) {
    char message[512];
    const char *path = arena_printf(arena, "findings/%s", signature);
    FILE *there = fopen(path, "rb");
    if (there) {
        fclose(there);
    } else if (!io_mkdirs("findings", message, sizeof message) ||
               !io_write(path, (const char *)v, (int64_t)n, message, sizeof message)) {
        die("%s", message);
    } else {
        fprintf(stderr, "finding %s\n", signature);
    }
}
#endif

void entry_check(const char *pair, const uint8_t *v, size_t n) {
    static Checker checker;
    static Arena arena;
    static Features features;
    static bool open;
    char message[512];
    if (!open) {
        CompileOptions compile = COMPILE_DEFAULT;
#ifdef ENTRY_FAULT
        if (!fault_parse(ENTRY_FAULT, &compile.fault)) {
            die("there is no fault named %s", ENTRY_FAULT);
        }
#endif
        op_table_init();
        if (!checker_open(&checker, pair, &compile, message, sizeof message)) {
            die("%s", message);
        }
        checker.run.limits = MUTATE_LIMITS;
        open = true;
    }
    arena_reset(&arena);
    const Program *p = codec_decode(&arena, v, (int64_t)n, &MUTATE_LIMITS, message, sizeof message);
    if (!p) {
        return;
    }
    CheckResult out;
    features_clear(&features);
    checker.b.compile.features = &features;
    check_program(&checker, p, &arena, &out);
    checker.b.compile.features = NULL; /* locating runs other programs */
    feedback_tell(&features);
    if (out.verdict != FINDING) {
        return;
    }
    check_locate(&checker, p, &out.finding, &arena);
#ifdef RECORD
    entry_record(&arena, out.finding.signature, v, n);
#else
    entry_fail("check", arena_printf(&arena, "%s pair=%s", out.finding.signature, pair));
#endif
}

static const char *printed(Arena *arena, const Program *p, bool line) {
    Text text = {.arena = arena};
    program_print(&text, p, line);
    return text.v;
}

/* A well-formed program: verified, and its text reads back as itself. */
static void claim_stable(Arena *arena, const Program *p, const Limits *limits, const char *target) {
    char message[512];
    if (!program_verify_within(p, limits, message, sizeof message)) {
        entry_fail(target, "malformed");
    }
    const char *page = printed(arena, p, false);
    Program *again = NULL;
    if (program_parse_within(arena, page, strlen(page), limits, &again, message, sizeof message) !=
        PARSE_OK) {
        entry_fail(target, "unreadable");
    }
    if (strcmp(printed(arena, again, false), page) != 0) {
        entry_fail(target, "unstable");
    }
}

void entry_codec(const uint8_t *v, size_t n) {
    static Arena arena;
    char message[512];
    op_table_init();
    arena_reset(&arena);
    Program *p = codec_decode(&arena, v, (int64_t)n, &MUTATE_LIMITS, message, sizeof message);
    if (!p) {
        return;
    }
    p->semantics = SEMANTICS_NONE; /* an option of the run: bytes do not hold it */
    claim_stable(&arena, p, &MUTATE_LIMITS, "codec");
    Bytes bytes = codec_encode(&arena, p);
    const Program *again =
        codec_decode(&arena, bytes.v, bytes.n, &MUTATE_LIMITS, message, sizeof message);
    if (!again || strcmp(printed(&arena, again, true), printed(&arena, p, true)) != 0) {
        entry_fail("codec", "another-program");
    }
}

void entry_json(const uint8_t *v, size_t n) {
    static Arena arena;
    char message[512] = "";
    op_table_init();
    arena_reset(&arena);
    Program *p = NULL;
    ParseStatus status = program_parse_within(&arena, (const char *)v, n, &MUTATE_LIMITS, &p,
                                              message, sizeof message);
    if (status == PARSE_OK && program_verify_within(p, &MUTATE_LIMITS, message, sizeof message)) {
        claim_stable(&arena, p, &MUTATE_LIMITS, "json");
    } else if (strlen(message) < 10 || strchr(message, '\n')) {
        entry_fail("json", "no-sentence");
    }
}
