/* The generator: random well-typed programs (docs/internals/generator.md, "Generator").
 *
 * It uses the inference of the executors, puts a deliberate error into about one program in six,
 * and draws layouts, sizes, index lists, special floats, grad-mode blocks, probes, branches,
 * recalls and Python surfaces. Same seed, same program, on any machine. */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H

#include "fuzz/generate/weights.h"
#include "program/lang/program.h"

/* What to draw. */
typedef struct GenerateOptions {
    int weight[WEIGHT_COUNT];
    bool set[WEIGHT_COUNT]; /* by NAME=VALUE */
    bool named;             /* a profile was */
    OpId op[OP_COUNT];      /* the ops that statements may name, in table order */
    int nop;
    bool off[OP_COUNT];   /* the others */
    int64_t max_elements; /* of any tensor that a statement or an input makes; 0: as the weights of
                             `scale` say */
    Semantics semantics;  /* of the programs */
    int64_t max_statements; /* of a program, with its blocks and setup; 0: no bound (most
                               have 3 to 16) */
} GenerateOptions;
enum {
    GENERATE_MAX_ELEMENTS = 1 << 16,
    GENERATE_MAX_STATEMENTS = 64
}; /* what the two may be at most */

extern const GenerateOptions GENERATE_DEFAULTS;
/* `list`: names of profiles and NAME=VALUE of weights, by commas, one after the other
 * ("aliasing,mistake=0"). A weight that is one of a group is NAME or GROUP.NAME. False and a
 * message for unknown ones. */
bool generate_profile(GenerateOptions *options, const char *list, char *message,
                      size_t message_size);
/* Applies a profile below what `options` says already: unless one was named there, to the weights
 * that were not set. */
bool generate_profile_below(GenerateOptions *options, const char *profile, char *message,
                            size_t message_size);
/* `list`: ops by name (add: all its overloads) or schema name (add.Tensor), by commas: no other is
 * drawn. After a minus: all but those. */
bool generate_ops(GenerateOptions *options, const char *list, char *message, size_t message_size);

/* What was drawn, for statistics and tests. */
typedef struct GenerateInfo {
    int pattern;          /* for pattern_name, or -1 */
    int deliberate_error; /* for deliberate_error_name, or -1 */
} GenerateInfo;

/* The program number `index` of the stream `seed`, in `arena`; its name is fuzz-SEED-INDEX. */
Program *generate_program(Arena *arena, uint64_t seed, uint64_t index);
/* The same under `options` (NULL: the defaults); `info` (may be NULL) receives what was drawn. */
Program *generate_program_info(Arena *arena, const GenerateOptions *options, uint64_t seed,
                               uint64_t index, GenerateInfo *info);

/* Shapes of code that known bugs need, embedded among random statements. NULL past the last. */
const char *pattern_name(int pattern);
/* Kinds of deliberate errors. NULL past the last. */
const char *deliberate_error_name(int deliberate_error);

#endif
