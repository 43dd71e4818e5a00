/* Mutators: small changes of a program that keep it well-formed (docs/architecture.md, "Mutators").
 *
 * One core for every engine: a mutator is a row of mutators.def and a function on a copy of the program; after it one fixup binds what
 * became unbound. Same program, same seed, same mutant: in libFuzzer, in AFL++, in our own engine. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "fuzz/codec.h"

/* What engines keep mutants within; entries decode within the same (harness/entry.h). */
#define MUTATE_LIMITS ((const Limits){.max_elements = 1 << 12, .max_bytes = 1 << 18, .max_statements = 128})

/* Name of a mutator, NULL past the last. */
const char *mutator_name(int mutator);

/* A mutant of `p` in `arena`, other than p's text with near certainty, well-formed within `limits`. `other` (may be NULL) lends statements
 * to splices. *mutator (may be NULL): which one it was. */
Program *mutate_program(Arena *arena, const Program *p, const Program *other, uint64_t seed, const Limits *limits, int *mutator);
/* The given one; NULL where it does not apply. */
Program *mutate_by(Arena *arena, const Program *p, const Program *other, uint64_t seed, const Limits *limits, int mutator);

/* The same on bytes, as engines hold programs: writes up to `most` bytes to `out` (may be `v`) and gives their number, at least 1. Bytes that
 * are no program (malformed JSON) become one. */
int64_t mutate_bytes(const uint8_t *v, int64_t n, uint8_t *out, int64_t most, uint64_t seed, const Limits *limits);
/* A program with statements of both. */
int64_t crossover_bytes(const uint8_t *a, int64_t na, const uint8_t *b, int64_t nb, uint8_t *out, int64_t most, uint64_t seed,
                        const Limits *limits);

#endif
