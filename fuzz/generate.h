/* The generator: random well-typed programs (docs/architecture.md, "Generator").
 *
 * It asks the same inference as everybody for what fits, keeps about one program in ten deliberately wrong, and draws layouts,
 * sizes, index lists, special floats, grad-mode blocks, probes, branches, recalls and shells. Same seed, same program, on any machine. */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H

#include "program/program.h"

/* What was drawn, for statistics and tests. */
typedef struct GenerateInfo {
    int motif;   /* motif_name(motif), or -1 */
    int mistake; /* the deliberate mistake: mistake_name(mistake), or -1 */
} GenerateInfo;

/* The program number `index` of the stream `seed`, in `arena`; its name is fuzz-SEED-INDEX. */
Program *generate_program(Arena *arena, uint64_t seed, uint64_t index);
/* The same program; `info` (may be NULL) tells what is in it. */
Program *generate_program_info(Arena *arena, uint64_t seed, uint64_t index, GenerateInfo *info);

/* Shapes of code that known bugs need, embedded among random statements. NULL past the last. */
const char *motif_name(int motif);
/* Kinds of deliberate mistakes. NULL past the last. */
const char *mistake_name(int mistake);

#endif
